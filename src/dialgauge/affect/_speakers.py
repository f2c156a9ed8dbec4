"""PSent per speaker or role, and the sentences of a summary that are about one of them."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import polars as pl

from dialgauge.affect._psent import as_tagger, count_parts, parts_of, tag_texts
from dialgauge.affect._settings import DENOMINATOR, SPEAKER_TAGS, TAGGER, Denominator, Tags
from dialgauge.affect._tagger import Tagger
from dialgauge.corpus import OVERALL, Corpus, Dialogue
from dialgauge.errors import UnknownNameError

_SENTENCE = re.compile(r"[^.!?…。！？\n]+(?:[.!?…。！？]+|\n|$)")


def psent_by_speaker(
    corpus: Corpus,
    tagger: Tagger | str = TAGGER,
    *,
    by: Literal["speaker", "role"] = "speaker",
    denominator: Denominator = DENOMINATOR,
    tags: Tags = SPEAKER_TAGS,
) -> pl.DataFrame:
    """PSent of what each speaker (or each role) says in each dialogue: a row each, with counts and shares per part.

    Turns without a speaker or role are counted under null. A share is null where nothing but tags was said.
    """
    chosen = as_tagger(tagger)
    keys: list[tuple[str, str | None]] = []
    texts: list[str] = []
    for dialogue in corpus.iter_dialogues():
        said: dict[str | None, list[str]] = {}
        for turn in dialogue.turns:
            said.setdefault((turn.speaker if by == "speaker" else turn.role) or None, []).append(turn.text)
        keys += [(dialogue.id, name) for name in said]
        texts += ["\n".join(lines) for lines in said.values()]
    parts = parts_of(chosen)
    counted = count_parts(tag_texts(texts, chosen), parts, denominator, tags)
    return pl.DataFrame(
        {
            "dialogue_id": pl.Series([key for key, _ in keys], dtype=pl.String),
            by: pl.Series([name for _, name in keys], dtype=pl.String),
            denominator: counted.total,
            **{f"{part}_words": counted.count(part) for part in parts},
            **{f"psent_{part}": pl.Series(counted.share(part), nan_to_null=True) for part in parts},
        }
    )


def one_side(corpus: Corpus, role: str) -> tuple[list[Dialogue], pl.DataFrame]:
    """The dialogues with the turns of one role (or speaker) only, and the summaries of that side.

    Where the corpus has summaries of this role, those are taken. Elsewhere the sentences of a summary of the whole are:
    a sentence is about the first speaker that it names, or, where it names none, about the one of the sentence before.
    """
    known: set[str] = set()
    kept: list[Dialogue] = []
    names: dict[str, tuple[set[str], set[str]]] = {}
    for dialogue in corpus.iter_dialogues():
        known |= {label for turn in dialogue.turns for label in (turn.role, turn.speaker) if label}
        mine = dialogue.side(role)
        kept.append(mine)
        everybody = {label for turn in dialogue.turns for label in (turn.role, turn.speaker) if label}
        names[dialogue.id] = {label for turn in mine.turns for label in (turn.role, turn.speaker) if label}, everybody
    if not any(dialogue.turns for dialogue in kept):
        raise UnknownNameError("role or speaker", role, known)
    of_role = corpus.summaries.filter(pl.col("role") == role)
    if not of_role.is_empty():
        return kept, of_role
    of_all = corpus.summaries.filter(pl.col("role") == OVERALL)
    texts = [
        " ".join(_sentences_about(text, *names[dialogue_id]))
        for dialogue_id, text in of_all.select("dialogue_id", "text").iter_rows()
    ]
    return kept, of_all.with_columns(pl.Series("text", texts, dtype=pl.String))


def _sentences_about(text: str, mine: Iterable[str], everybody: Iterable[str]) -> list[str]:
    pattern = _any_of(sorted(everybody, key=len, reverse=True))
    own = {name.lower() for name in mine}
    about_me = False
    found = []
    for sentence in _SENTENCE.findall(text):
        named = pattern.search(sentence)
        if named:
            about_me = named[0].lower() in own
        if about_me:
            found.append(sentence.strip())
    return found


def _any_of(names: Sequence[str]) -> re.Pattern[str]:
    inside = "|".join(map(re.escape, names)) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{inside})(?!\w)", re.IGNORECASE)
