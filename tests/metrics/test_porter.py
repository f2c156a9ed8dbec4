"""Porter's stemmer against NLTK's."""

from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from nltk.stem.porter import PorterStemmer

from dialgauge.language import porter_stem as stem
from dialgauge.metrics._wordnet import synonyms
from tests.metrics.ngram_texts import golden, study_pairs

NLTK = PorterStemmer()
ENDINGS = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti "
    "iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion "
    "ou ism ate iti ous ive ize sses ies ss s eed ied ed ing at bl iz e ll y yy a b o t x w *d ' - é İ ß 中 S"
)


def differences(words: set[str]) -> list[tuple[str, str, str]]:
    return [(word, stem(word), NLTK.stem(word)) for word in sorted(words) if stem(word) != NLTK.stem(word)]


def test_every_lemma_of_wordnet_and_its_inflections() -> None:
    lemmas = synonyms().words
    assert len(lemmas) > 60_000
    inflected = {lemma + ending for lemma, ending in zip(lemmas, ["s", "ed", "ing", "ly"] * len(lemmas), strict=False)}
    assert differences({*lemmas, *inflected}) == []


def test_words_of_the_recorded_texts(golden_dir: Path) -> None:
    summaries, references, _ = golden(golden_dir, "golden_rouge_score.json")
    words = {word for text in (*summaries, *references) for word in text.split()}
    assert len(words) > 200
    assert differences(words) == []


@pytest.mark.data
def test_words_of_the_study(data_dir: Path) -> None:
    pairs = study_pairs(data_dir)
    words = {word for summaries, targets in pairs.values() for text in (*summaries, *targets) for word in text.split()}
    assert len(words) > 3000
    assert differences(words) == []


@given(st.lists(st.sampled_from(ENDINGS.split()), min_size=1, max_size=7).map("".join))
@example("a*ding")
@example("bedding")
@example("ied")
@example("agreed")
@example("geologi")
def test_chains_of_endings(word: str) -> None:
    assert stem(word) == NLTK.stem(word)


@given(st.text(max_size=30))
def test_any_string(word: str) -> None:
    assert stem(word) == NLTK.stem(word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", ""),
        ("as", "as"),
        ("Flies", "fli"),
        ("DIED", "die"),
        ("dies", "die"),
        ("skies", "sky"),
        ("enjoyment", "enjoy"),
        ("happily", "happili"),
        ("yyyyyy", "yyyyyi"),
    ],
)
def test_some_words(word: str, expected: str) -> None:
    assert stem(word) == expected == NLTK.stem(word)


def test_a_very_long_word() -> None:
    for letter in "ysae":
        assert stem(letter * 100_000) == NLTK.stem(letter * 100_000)
