"""Words without a label: what is told of them, and the bar that a table with a word reader reaches within a minute."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.affect import TaggerTraining, evaluate_tagger, lookup_of, read_treebank, vader_lexicon
from dialgauge.affect._taggers import CombinedTagger
from dialgauge.affect._word_features import WordFeatures, base_of
from dialgauge.affect._word_reader import train_word_reader, word_lessons
from dialgauge.models import ASSETS, load, load_vectors

TABLE = {"wonderful": 2, "Wonderful": 2, "happy": 2, "care": 1, "bored": 0, "well": 2, "made": 1}


@pytest.fixture(scope="module")
def features(golden_dir: Path) -> WordFeatures:
    encoder = load("encoder", f"folder:{golden_dir / 'models' / 'tiny-bert'}", "cpu")
    vectors = load_vectors(f"folder:{golden_dir / 'word_vectors.json'}")
    return WordFeatures(TABLE, vader_lexicon(), encoder, vectors)


def relatives(features: WordFeatures, word: str) -> dict[str, list[float]]:
    case, base, *_, longest, negated, shortened, parts, joined = features._relatives(word)
    named = {"case": case, "base": base, "longest": longest, "negated": negated, "shortened": shortened, "parts": parts}
    return {name: value.tolist() for name, value in {**named, "joined": joined}.items()}


def test_relatives_of_a_word_that_is_not_in_the_table(features: WordFeatures) -> None:
    third = pytest.approx(2 / 3)
    assert relatives(features, "wonderfully")["base"] == [0, 0, third]
    assert relatives(features, "wonderfully")["longest"] == [0, 0, third]
    assert relatives(features, "WONDERFUL")["case"] == [0, 0, pytest.approx(2 / 2.5)]
    assert relatives(features, "unhappy")["negated"] == [0, 0, 1]
    assert relatives(features, "careless")["shortened"] == [0, 1, 0]
    found = relatives(features, "well-made")
    assert found["parts"] == [0, 1, 1]
    assert found["joined"] == [pytest.approx(vader_lexicon().valences["well"]), 1]


@pytest.mark.parametrize("word", TABLE)
def test_the_label_of_a_word_does_not_tell_about_itself(features: WordFeatures, word: str) -> None:
    other = replace(features, table={**TABLE, word: (TABLE[word] + 1) % 3})
    assert np.array_equal(other.spelled([word]), features.spelled([word]))


def test_the_order_of_the_table_does_not_matter(features: WordFeatures) -> None:
    table = {"Joy": 1, "joy": 2, "JOY": 0, **TABLE}
    words = ["joyful", "killjoy", "joy", "Joy", "joy-made"]
    one, other = (replace(features, table=dict(rows)) for rows in (table.items(), reversed(table.items())))
    assert np.array_equal(one.spelled(words), other.spelled(words))
    assert relatives(one, "joyful")["shortened"] == [0, 0, 1]


def test_vectors_and_embeddings_are_those_of_the_word(features: WordFeatures) -> None:
    vectors = features.vectors
    assert vectors is not None
    known = next(word for word in vectors.rows if word.isalpha() and word.islower())
    told = features.spelled([known, "zzzz"])
    size = vectors.dimensions
    assert np.allclose(told[0, -size - 1 : -1], vectors.matrix[vectors.rows[known]])
    assert told[0, -1] == 1
    assert not told[1, -size - 1 :].any()
    together, alone = features.embedded(["good", "unbelievable"]), features.embedded(["good"])
    assert together.shape == (2, 3 * features.encoder.config.hidden_size)
    assert np.allclose(together[0], alone[0], atol=1e-5)


@given(st.text(max_size=30))
def test_any_word_can_be_described(word: str) -> None:
    base_of(word)


@settings(deadline=None, max_examples=40)
@given(words=st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4))
def test_any_words_give_finite_numbers(features: WordFeatures, words: list[str]) -> None:
    for found in (features.spelled(words), features.embedded(words)):
        assert found.shape[0] == len(words)
        assert np.isfinite(found).all()


@pytest.mark.data
def test_the_combination_reaches_its_bar_on_sst3(data_dir: Path) -> None:
    """All was chosen on the development part. The table has all words; half of them are enough for the reader."""
    if not (data_dir / "psent").is_dir():
        pytest.skip(f"NO STUDY DATA: {data_dir / 'psent'} does not exist")
    for name in ("minilm", "glove-50d"):
        if not ASSETS[name].present:
            pytest.skip(f"NO MODEL: 'dialgauge models get {name}' fetches it")
    training = TaggerTraining(device="cpu")
    treebank = read_treebank(data_dir / "psent" / "sst3")
    lookup = lookup_of(treebank)
    half = replace(treebank, train=treebank.train[::2], dev=treebank.dev[::3])
    lessons = word_lessons(half, lookup_of(half), load("encoder", training.backbone, "cpu"), training.vectors)
    reader, record = train_word_reader(lessons, training.plan("words", 0), training.word_batch)
    assert min(epoch.value or 1 for epoch in record.epochs) < 0.55
    combined = CombinedTagger(lookup, reader, reads="word")
    test = treebank.test
    found = evaluate_tagger(combined, [s.words for s in test], [s.labels for s in test])
    assert found.f1 >= 0.965
