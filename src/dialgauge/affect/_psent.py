"""PSent (Zhou et al. 2024): the share of affective words in a text, of both polarities or of one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect._settings import DENOMINATOR, SPEAKER_TAGS, TAGGER, Denominator, Tags
from dialgauge.affect._specs import tagger as make_tagger
from dialgauge.affect._tagger import NEGATIVE, NEUTRAL, POSITIVE, Tagger, labels_of
from dialgauge.affect._taggers import LexiconTagger, LookupTagger, NegationTagger
from dialgauge.affect._words import TAG, WORD, Words, sentence_ends, split_words
from dialgauge.errors import MissingExtraError, ParameterError, UnknownNameError
from dialgauge.language import nltk_sentences

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Part = Literal["all", "positive", "negative"]
PARTS: tuple[Part, ...] = get_args(Part)
DENOMINATORS: tuple[Denominator, ...] = get_args(Denominator)
TAGS: tuple[Tags, ...] = get_args(Tags)
_PIECES_OF = "embedded:minilm"
#: Sentences that are cut into pieces at once.
_BATCH = 2048


@dataclass(frozen=True, eq=False)
class PSent:
    """Counts per text: the affective words of each part, and what they are divided by.

    ``parts`` are all, positive and negative, and the categories of emotion if the lexicon has some; ``counts`` is an
    array (texts, parts).
    """

    parts: tuple[str, ...]
    counts: IntArray
    total: IntArray

    def __len__(self) -> int:
        return len(self.total)

    def count(self, part: str = "all") -> IntArray:
        """The affective words of a part."""
        if part not in self.parts:
            raise UnknownNameError("part of PSent", part, self.parts)
        result: IntArray = self.counts[:, self.parts.index(part)]
        return result

    def share(self, part: str = "all") -> FloatArray:
        """PSent; NaN for a text without words."""
        count = self.count(part).astype(np.float64)
        result: FloatArray = np.divide(count, self.total, out=np.full(len(self), np.nan), where=self.total > 0)
        return result


@dataclass(frozen=True, eq=False)
class TaggedText:
    """A text with the label of each token; tags and punctuation marks are neutral by construction.

    ``emotions`` holds the categories of those tokens that have some, by position.
    """

    words: Words
    labels: NDArray[np.int8]
    emotions: Mapping[int, tuple[str, ...]]


def tag_texts(texts: Sequence[str], tagger: Tagger | str = TAGGER, *, speakers: bool = False) -> list[TaggedText]:
    """Tag texts, each distinct one once. ``speakers`` says that they are transcripts with a speaker before each turn.

    A tagger that reads sentences gets them one by one, as those of the paper were trained, and each distinct sentence
    once.
    """
    distinct = {text: split_words(text, speakers=speakers) for text in texts}
    tagged = dict(zip(distinct, _tagged(list(distinct.values()), as_tagger(tagger)), strict=True))
    return [tagged[text] for text in texts]


def _tagged(split: Sequence[Words], tagger: Tagger) -> list[TaggedText]:
    return list(map(TaggedText, split, _labels(tagger, split), _emotions(tagger, split)))


def as_tagger(tagger: Tagger | str) -> Tagger:
    """The tagger of a specification, or the one given."""
    return make_tagger(tagger) if isinstance(tagger, str) else tagger


def parts_of(tagger: Tagger) -> tuple[str, ...]:
    """All, positive and negative, and the tagger's categories of emotion in alphabetic order."""
    lexicon = _lexicon_behind(tagger)
    named = {name for several in lexicon.lexicon.categories.values() for name in several} if lexicon else set()
    return (*PARTS, *sorted(named - set(PARTS)))


def psent(
    texts: Sequence[str],
    tagger: Tagger | str = TAGGER,
    *,
    denominator: Denominator = DENOMINATOR,
    tags: Tags = SPEAKER_TAGS,
    speakers: bool = False,
) -> PSent:
    """The affective words of each text and what they are divided by.

    ``denominator``: ``words``, or ``pieces`` as the program of the paper counts: NLTK's sentences, the word pieces of
    bert-base-uncased, with ``[CLS]`` and ``[SEP]`` of every sentence. ``tags``: whether speaker tags and markup are
    among the words.
    """
    (found,) = psent_by_each(texts, [tagger], denominator=denominator, tags=tags, speakers=speakers)
    return found


def psent_by_each(
    texts: Sequence[str],
    taggers: Sequence[Tagger | str],
    *,
    denominator: Denominator = DENOMINATOR,
    tags: Tags = SPEAKER_TAGS,
    speakers: bool = False,
) -> list[PSent]:
    """:func:`psent` by several taggers, for which each distinct text is split once."""
    check_settings(denominator, tags)
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    split = [split_words(text, speakers=speakers) for text in place]
    rows = [place[text] for text in texts]
    results = []
    for tagger in map(as_tagger, taggers):
        found = count_parts(_tagged(split, tagger), parts_of(tagger), denominator, tags)
        results.append(PSent(found.parts, found.counts[rows], found.total[rows]))
    return results


def count_parts(
    tagged: Sequence[TaggedText],
    parts: tuple[str, ...],
    denominator: Denominator = DENOMINATOR,
    tags: Tags = SPEAKER_TAGS,
) -> PSent:
    """PSent of texts that are tagged already."""
    counts = np.zeros((len(tagged), len(parts)), dtype=np.int64)
    by_label = _table([text.labels for text in tagged])
    counts[:, 0] = by_label[:, POSITIVE] + by_label[:, NEGATIVE]
    counts[:, 1], counts[:, 2] = by_label[:, POSITIVE], by_label[:, NEGATIVE]
    for row, text in enumerate(tagged):
        for named in text.emotions.values():
            for name in named:
                counts[row, parts.index(name)] += 1
    return PSent(parts, counts, totals(tagged, denominator, tags))


def _table(rows: Sequence[NDArray[np.int8]]) -> IntArray:
    """How often each of 0, 1 and 2 occurs in each row."""
    lengths = [len(row) for row in rows]
    flat = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int8)
    keys = np.repeat(np.arange(len(rows)) * 3, lengths) + flat
    return np.bincount(keys, minlength=3 * len(rows)).reshape(len(rows), 3).astype(np.int64)


def own_counts(text: TaggedText, said: frozenset[str], parts: tuple[str, ...]) -> IntArray:
    """The affective words of each part that are not among the (lower-cased) words ``said`` in the dialogue."""
    counts = np.zeros(len(parts), dtype=np.int64)
    tokens = text.words.tokens
    for i in np.flatnonzero(text.labels != NEUTRAL).tolist():
        if tokens[i].lower() not in said:
            counts[0] += 1
            counts[1 if text.labels[i] == POSITIVE else 2] += 1
    for i, named in text.emotions.items():
        if tokens[i].lower() not in said:
            for name in named:
                counts[parts.index(name)] += 1
    return counts


def totals(tagged: Sequence[TaggedText], denominator: Denominator, tags: Tags) -> IntArray:
    """What the affective words of each text are divided by."""
    if denominator == "pieces":
        return np.array(_piece_counts([one.words.text for one in tagged]), dtype=np.int64)
    by_kind = _table([one.words.kinds for one in tagged])
    result: IntArray = by_kind[:, WORD] if tags == "omit" else by_kind[:, WORD] + by_kind[:, TAG]
    return result


def _labels(tagger: Tagger, texts: Sequence[Words]) -> list[NDArray[np.int8]]:
    flat_kinds = np.concatenate([text.kinds for text in texts]) if texts else np.zeros(0, dtype=np.int8)
    if isinstance(tagger, LexiconTagger | LookupTagger):
        flat = tagger.labels([token for text in texts for token in text.tokens])
    else:
        runs = []
        for text in texts:
            ends = sentence_ends(text) if tagger.reads == "sentence" else [len(text)]
            runs += [text.tokens[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        found = [labels_of(probabilities) for probabilities in tagger.tag([run for run in runs if run])]
        flat = np.concatenate(found) if found else np.zeros(0, dtype=np.int8)
    flat = np.where(flat_kinds == WORD, flat, NEUTRAL).astype(np.int8)
    return np.split(flat, np.cumsum([len(text) for text in texts])[:-1]) if texts else []


def _lexicon_behind(tagger: Tagger) -> LexiconTagger | None:
    behind = tagger.base if isinstance(tagger, NegationTagger) else tagger
    return behind if isinstance(behind, LexiconTagger) else None


def _emotions(tagger: Tagger, texts: Sequence[Words]) -> list[dict[int, tuple[str, ...]]]:
    lexicon = _lexicon_behind(tagger)
    if lexicon is None or not lexicon.lexicon.categories:
        return [{} for _ in texts]
    found: list[dict[int, tuple[str, ...]]] = []
    for text in texts:
        # A category called positive or negative, as some lexicons have it, says what the label says already.
        own = ([name for name in named if name not in PARTS] for named in lexicon.categories(text.tokens))
        found.append({i: tuple(named) for i, named in enumerate(own) if named and text.kinds[i] == WORD})
    return found


def _piece_counts(texts: Sequence[str]) -> list[int]:
    """The word pieces of each text; each distinct sentence is cut into pieces once."""
    sentences = {text: nltk_sentences(text, talk=True) for text in dict.fromkeys(texts)}
    distinct = list(dict.fromkeys(sentence for several in sentences.values() for sentence in several))
    lengths: dict[str, int] = {}
    for start in range(0, len(distinct), _BATCH):
        batch = distinct[start : start + _BATCH]
        encoded = _tokenizer().encode_batch(batch, add_special_tokens=True)
        lengths.update(zip(batch, map(len, encoded), strict=True))
    counts = {text: sum(lengths[sentence] for sentence in several) for text, several in sentences.items()}
    return [counts[text] for text in texts]


@cache
def _tokenizer() -> Any:
    """The vocabulary of bert-base-uncased, which the embedded MiniLM shares, without a limit of length."""
    from dialgauge.models import resolve

    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("PSent by pieces of words", "models") from error
    tokenizer = Tokenizer.from_file(str(resolve(_PIECES_OF).path / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def check_settings(denominator: str, tags: str) -> None:
    """Reject an unknown denominator or treatment of tags."""
    for name, given, allowed in (("denominator", denominator, DENOMINATORS), ("tags", tags, TAGS)):
        if given not in allowed:
            raise ParameterError("psent", name, " or ".join(map(repr, allowed)), given)
