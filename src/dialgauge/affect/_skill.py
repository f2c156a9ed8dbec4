"""Skills of a tagger beyond memorising words: unseen words, negation, and the sentiment of sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect._evaluation import WordScores, evaluate_words
from dialgauge.affect._sst import LabelledSentence, Treebank, learn_table, lookup_of
from dialgauge.affect._tagger import NEGATIVE, NEUTRAL, POSITIVE, Tagger, labels_of
from dialgauge.affect._taggers import negated
from dialgauge.progress import Progress

#: The same sentence without and with a negation; the word under test takes the place of the gap.
_PLAIN = ("It", "is", "{}", ".")
_NEGATIONS = (
    ("It", "is", "not", "{}", "."),
    ("It", "is", "never", "{}", "."),
    ("It", "is", "hardly", "{}", "."),
    ("It", "is", "n't", "{}", "."),
)
#: A word under test is polar and occurs in the training part at least this often, so that every tagger can know it.
_LEAST_SEEN = 5


@dataclass(frozen=True, slots=True)
class Skill:
    """A tagger on the test part of a treebank.

    ``words`` counts all words, ``unseen`` those that do not occur in the training part (case kept). ``sentences`` is
    Spearman's coefficient between (positive − negative) / words and the label of the sentence, ``negated_sentences``
    the same over the sentences in which a word with a polar label is in the scope of a negation.
    ``negation`` is the share of polar words, called so in "It is W.", that lose or change their polarity in "It is not
    W." (never, hardly, n't): our own phrases, as SST3 has no labels of phrases. None: it cannot be computed.
    """

    tagger: str
    signature: str
    words: WordScores
    unseen: WordScores | None
    sentences: float | None
    negated_sentences: float | None
    negated_count: int
    negation: float | None
    negation_count: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        named = {name: getattr(self, name) for name in self.__slots__}
        return {name: value.as_dict() if isinstance(value, WordScores) else value for name, value in named.items()}


def measure_skill(tagger: Tagger, treebank: Treebank) -> Skill:
    """Judge a tagger on the test part; what counts as unseen comes from the training part."""
    table = learn_table(treebank.train)
    sentences = treebank.test
    called = [labels_of(probabilities) for probabilities in tagger.tag([sentence.words for sentence in sentences])]
    true = np.concatenate([np.asarray(sentence.labels) for sentence in sentences])
    given = np.concatenate(called)
    new = np.array([word not in table for sentence in sentences for word in sentence.words])
    turned = [_has_negated(sentence) for sentence in sentences]
    lost, tried = _negation(tagger, probes(treebank))
    return Skill(
        tagger=tagger.name,
        signature=tagger.signature,
        words=evaluate_words(true, given),
        unseen=evaluate_words(true[new], given[new]) if new.any() else None,
        sentences=_agreement(sentences, called, [True] * len(sentences)),
        negated_sentences=_agreement(sentences, called, turned),
        negated_count=sum(turned),
        negation=lost / tried if tried else None,
        negation_count=tried,
    )


def probes(treebank: Treebank) -> list[str]:
    """The polar words that negation is tried on: those seen at least five times in the training part, sorted."""
    table = learn_table(treebank.train)
    counts: dict[str, int] = {}
    for sentence in treebank.train:
        for word in sentence.words:
            counts[word] = counts.get(word, 0) + 1
    return sorted(
        word
        for word, label in table.items()
        if label != NEUTRAL
        and counts[word] >= _LEAST_SEEN
        and word.isalpha()
        and word.islower()
        # a negation is called negative itself; negating it again shows nothing
        and not negated((word, "x"))[1]
    )


def _negation(tagger: Tagger, words: Sequence[str]) -> tuple[int, int]:
    if not words:
        return 0, 0
    plain = _called_in(tagger, _PLAIN, words)
    polar = plain != NEUTRAL
    lost = sum(int((_called_in(tagger, frame, words) != plain)[polar].sum()) for frame in _NEGATIONS)
    return lost, int(polar.sum()) * len(_NEGATIONS)


def _called_in(tagger: Tagger, frame: Sequence[str], words: Sequence[str]) -> NDArray[np.int8]:
    gap = frame.index("{}")
    texts = [[*frame[:gap], word, *frame[gap + 1 :]] for word in words]
    return np.array([labels_of(probabilities)[gap] for probabilities in tagger.tag(texts)], dtype=np.int8)


def _has_negated(sentence: LabelledSentence) -> bool:
    polar = np.asarray(sentence.labels) != NEUTRAL
    return bool((negated(sentence.words) & polar).any())


def _agreement(
    sentences: Sequence[LabelledSentence], called: Sequence[NDArray[np.int8]], chosen: Sequence[bool]
) -> float | None:
    """Spearman's coefficient with the labels of the sentences; None where either side is constant or unknown."""
    pairs = [
        (float((labels == POSITIVE).mean() - (labels == NEGATIVE).mean()), sentence.root)
        for sentence, labels, wanted in zip(sentences, called, chosen, strict=True)
        if wanted and sentence.root is not None
    ]
    ours, roots = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if len(set(ours)) < 2 or len(set(roots)) < 2:
        return None
    from scipy.stats import spearmanr

    return float(spearmanr(ours, roots).statistic)


def compare_skill(taggers: Sequence[Tagger], treebank: Treebank, progress: Progress | None = None) -> list[Skill]:
    """Measure each tagger, after the look-up table of the training words, which is the baseline."""
    rows: list[Tagger] = [lookup_of(treebank), *taggers]
    found = []
    for done, tagger in enumerate(rows):
        if progress:
            progress(tagger.name, done, len(rows))
        found.append(measure_skill(tagger, treebank))
    return found
