"""METEOR with the values of NLTK: unigram F with stems and WordNet synonyms, and a penalty for fragmentation."""

from collections.abc import Mapping

import numpy as np

from dialgauge.language import find_language
from dialgauge.metrics._job import Job
from dialgauge.metrics._language_parameter import language_parameter
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._overlap import elementwise, scorable
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._tokenize import tokens, vocabulary
from dialgauge.metrics._wordnet import synonyms
from dialgauge.metrics.kernels import Lexicon, Tokens, meteor_matches

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
_TOKENISERS = {"space": ("whitespace-lower", "METEOR splits at white space"), "13a": ("13a-lower", "by rule 13a")}
_ENGLISH = "en"


def _word_ids(words: Tokens, texts: IdArray) -> IdArray:
    """The ids of all words of these texts, each once."""
    distinct = np.unique(texts)
    lengths = words.lengths[distinct]
    first = np.cumsum(lengths) - lengths
    positions = np.repeat(words.starts[distinct] - first, lengths) + np.arange(lengths.sum())
    return np.unique(words.ids[positions])


def _lexicon(job: Job, tokeniser: str, words: Tokens, lang: str) -> Lexicon:
    """The stem of every word, and the synonyms of the stems of the summaries. NLTK looks up stems too, not words.

    WordNet is English: words of other languages have no synonyms.
    """
    numbers: dict[str, int] = {}
    stem = find_language(lang).stem or str
    stems = [numbers.setdefault(stem(word), len(numbers)) for word in vocabulary(job.texts, tokeniser)]
    if lang != _ENGLISH:
        none = np.zeros(len(numbers) + 1, dtype=np.int64)
        return Lexicon(np.array(stems, dtype=np.int32), none, np.zeros(0, dtype=np.int32))
    asked = {stems[word] for word in _word_ids(words, job.hypothesis_ids).tolist()}
    table = synonyms()
    offsets, found = [0], []
    for name, number in numbers.items():
        if number in asked:
            found += [numbers[other] for other in table.of(name) if other in numbers]
        offsets.append(len(found))
    return Lexicon(np.array(stems, dtype=np.int32), np.array(offsets, dtype=np.int64), np.array(found, dtype=np.int32))


def _scores(matches: IdArray, chunks: IdArray, lengths: IdArray, target_lengths: IdArray) -> FloatArray:
    scores = np.zeros(len(matches))
    some = matches > 0
    matches, chunks = matches[some], chunks[some]
    precision, recall = matches / lengths[some], matches / target_lengths[some]
    mean = (precision * recall) / (_ALPHA * precision + (1 - _ALPHA) * recall)
    penalty = _GAMMA * elementwise(lambda fragmentation: fragmentation**_BETA, chunks / matches)
    scores[some] = (1 - penalty) * mean
    return scores


def _tokeniser(parameters: Mapping[str, str]) -> tuple[str, str]:
    """The name of the tokeniser, and the explanation for a text without tokens."""
    tok, lang = parameters["tok"], parameters["lang"]
    if lang != _ENGLISH and tok == "space":
        return f"words:{lang}", "punctuation and white space do not count"
    return _TOKENISERS[tok]


def _compute(job: Job, parameters: Mapping[str, str]) -> Values:
    tokeniser, reads = _tokeniser(parameters)
    words = tokens(job.texts, tokeniser, job.hypothesis_ids, job.target_ids)
    usable = scorable(job, words, "words", reads)
    hypotheses = job.pair_hypothesis_ids
    matches, chunks = meteor_matches(
        words, _lexicon(job, tokeniser, words, parameters["lang"]), hypotheses, job.target_ids
    )
    scores = _scores(matches, chunks, words.lengths[hypotheses], words.lengths[job.target_ids])
    return Values(usable.blank(job.over_targets(scores, "best")), usable.reasons)


register(
    Metric(
        name="meteor",
        family="meteor",
        description="F of words that are equal, share a stem or are synonyms, minus a penalty for fragmentation, 0–1",
        direction="higher",
        targets=("reference", "source"),
        range=(0, 1),
        citation="Lavie and Agarwal 2007, METEOR: An Automatic Metric for MT Evaluation with High Levels of "
        "Correlation with Human Judgments, WMT",
        compute=_compute,
        parameters={
            "tok": Parameter(
                "space",
                tuple(_TOKENISERS),
                "space: split at white space, punctuation stays with its word (with another lang, its words without "
                "punctuation); 13a: split it off, as BLEU does",
            ),
            "lang": language_parameter(_ENGLISH, "language of the stems that are compared; synonyms are English only"),
        },
    )
)
