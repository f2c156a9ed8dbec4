"""The summaries that preserve the affect of their dialogue best and worst, with their affective words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.affect._describe import shares_frame
from dialgauge.affect._psent import TaggedText, as_tagger, tag_texts
from dialgauge.affect._settings import TAGGER
from dialgauge.affect._tagger import LABELS, NEUTRAL, Tagger
from dialgauge.corpus import KEY, ORIGINAL, OVERALL, Corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError

#: A run of text and its label: negative, neutral or positive.
Segment = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FaithfulPair:
    """A dialogue and its summary with their affective words, and the distance of their shares.

    ``distance`` is the sum of the differences of the positive and of the negative share: 0 means equal shares.
    """

    dialogue_id: str
    system: str
    kind: str
    distance: float
    dialogue_shares: dict[str, float]
    summary_shares: dict[str, float]
    dialogue: tuple[Segment, ...]
    summary: tuple[Segment, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; runs of text as objects."""
        plain: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("dialogue_id", "system", "kind", "distance", "dialogue_shares", "summary_shares")
        }
        for side in ("dialogue", "summary"):
            plain[side] = [{"text": text, "label": label} for text, label in getattr(self, side)]
        return plain


@dataclass(frozen=True, slots=True)
class Faithful:
    """The pairs with the smallest and the largest distances, the clearest first.

    ``pairs`` were compared; ``zero`` were skipped because their dialogue has no affective word, ``empty`` because the
    summary has no words.
    """

    most: tuple[FaithfulPair, ...]
    least: tuple[FaithfulPair, ...]
    pairs: int
    zero: int
    empty: int
    signature: str


def faithful_summaries(
    corpus: Corpus, tagger: Tagger | str = TAGGER, *, count: int = 5, system: str | None = None
) -> Faithful:
    """The ``count`` most and least faithful summaries of all systems (or of one); of references, if there is no system.

    Summaries of the whole dialogue are compared, as their systems wrote them. At equal distance the dialogue with more
    affective words comes first. A summary is in one of the two lists only.
    """
    if count < 1:
        raise ParameterError("faithful_summaries", "count", "at least 1", count)
    chosen = as_tagger(tagger)
    rows = _candidates(shares_frame(corpus, chosen), corpus, system)
    compared = rows.filter((pl.col("dialogue_all") > 0) & pl.col("summary_all").is_not_null())
    if compared.is_empty():
        raise InputError(
            f"corpus {corpus.info.name!r}: no dialogue with a summary has an affective word by {chosen.name!r}"
        )
    apart = [(pl.col(f"dialogue_{part}") - pl.col(f"summary_{part}")).abs() for part in ("positive", "negative")]
    ordered = compared.with_columns(distance=sum(apart[1:], apart[0])).sort(
        "distance", "dialogue_all", *KEY, descending=[False, True, False, False, False, False]
    )
    least = ordered.sort("distance", "dialogue_all", *KEY, descending=[True, True, False, False, False, False])
    size = min(count, (ordered.height + 1) // 2)
    rest = min(count, ordered.height - size)
    return Faithful(
        most=_pairs(corpus, chosen, ordered.head(size)),
        least=_pairs(corpus, chosen, least.head(rest)),
        pairs=compared.height,
        zero=rows.filter(pl.col("dialogue_all").fill_null(0) == 0).height,
        empty=rows.filter((pl.col("dialogue_all") > 0) & pl.col("summary_all").is_null()).height,
        signature=chosen.signature,
    )


def _candidates(shares: pl.DataFrame, corpus: Corpus, system: str | None) -> pl.DataFrame:
    rows = shares.filter(pl.col("variant") == ORIGINAL, pl.col("role") == OVERALL)
    if system is not None:
        known = rows["system"].unique().to_list()
        if system not in known:
            raise UnknownNameError("system", system, known)
        return rows.filter(pl.col("system") == system)
    return rows.filter(pl.col("kind") == ("system" if corpus.systems else "reference"))


def _pairs(corpus: Corpus, tagger: Tagger, rows: pl.DataFrame) -> tuple[FaithfulPair, ...]:
    texts = rows.join(corpus.summaries.select(*KEY, "text"), on=list(KEY), how="left", maintain_order="left")
    dialogues = [corpus.dialogue(name).text for name in rows["dialogue_id"]]
    of_dialogues = tag_texts(dialogues, tagger, speakers=True)
    of_summaries = tag_texts([text or "" for text in texts["text"]], tagger)
    return tuple(
        FaithfulPair(
            dialogue_id=row["dialogue_id"],
            system=row["system"],
            kind=row["kind"],
            distance=row["distance"],
            dialogue_shares={part: row[f"dialogue_{part}"] for part in ("positive", "negative")},
            summary_shares={part: row[f"summary_{part}"] for part in ("positive", "negative")},
            dialogue=segments(dialogue),
            summary=segments(summary),
        )
        for row, dialogue, summary in zip(rows.iter_rows(named=True), of_dialogues, of_summaries, strict=True)
    )


def segments(tagged: TaggedText) -> tuple[Segment, ...]:
    """The text cut into runs: each affective word by itself, everything between as one neutral run."""
    text = tagged.words.text
    found: list[Segment] = []
    place = 0
    places: Sequence[tuple[int, int]] = [tuple(span) for span in tagged.words.spans.tolist()]
    for (begin, end), label in zip(places, tagged.labels.tolist(), strict=True):
        if label == NEUTRAL:
            continue
        if begin > place:
            found.append((text[place:begin], LABELS[NEUTRAL]))
        found.append((text[begin:end], LABELS[label]))
        place = end
    if place < len(text):
        found.append((text[place:], LABELS[NEUTRAL]))
    return tuple(found)
