"""Embedding Average, Vector Extrema, Greedy Matching and the mover's similarities beside their reference values."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.language import find_language
from dialgauge.metrics import _vectors, score_pairs
from dialgauge.metrics._movers import MAX_CELLS
from tests.metrics.golden_pairs import GOLDEN, KEYS, REFERENCES, SUMMARIES, differences, recorded

TABLE = f"model=folder:{GOLDEN / 'word_vectors.json'}"


def expected(name: str, measure: str) -> list[float | None]:
    found = []
    for key in KEYS:
        result = recorded(name)["results"][key]
        result = result if "error" in result else result[measure]
        found.append(None if isinstance(result, dict) else result)
    return found


@pytest.mark.parametrize(
    ("metric", "measure"),
    [
        ("embedding-average", "EmbeddingAverageCosineSimilarity"),
        ("vector-extrema", "VectorExtremaCosineSimilarity"),
        ("greedy-matching", "GreedyMatchingScore"),
    ],
)
def test_equal_to_nlg_eval(metric: str, measure: str) -> None:
    settings = "case=keep,unknown=mean" + (",rule=published" if metric == "vector-extrema" else "")
    found = score_pairs(SUMMARIES, REFERENCES, [f"{metric}:{TABLE},{settings}"]).to_series(0).to_list()
    assert not differences(found, expected("nlgeval_embedding", measure), 1e-6)
    assert found.count(None) == 2  # the empty and the blank summary: nlg-eval raises


@pytest.mark.parametrize("metric", ["sms", "wms", "s+wms"])
def test_equal_to_sentence_movers_similarity(metric: str) -> None:
    found = score_pairs(SUMMARIES, REFERENCES, [f"{metric}:{TABLE},unknown=zero"]).to_series(0).to_list()
    assert not differences(found, expected("sms", metric), 1e-6)
    assert found.count(None) == 7  # where the reference raises for want of words


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Two dimensions, so that values can be computed by hand."""
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps({"east": [1, 0], "north": [0, 1], "west": [-2, 0], "up": [0, 2], "nothing": [0, 0]}))
    return f"model=folder:{file}"


def value(metric: str, summary: str, reference: str) -> float | None:
    return score_pairs([summary], [reference], [metric]).item()


def test_by_hand(table: str) -> None:
    assert value(f"embedding-average:{table}", "east north", "East") == pytest.approx(math.sqrt(0.5))
    assert value(f"vector-extrema:{table}", "east west", "west") == pytest.approx(1.0)
    assert value(f"greedy-matching:{table}", "east north", "east") == pytest.approx((0.5 + 1.0) / 2)
    assert value(f"wms:{table}", "east", "north") == pytest.approx(math.exp(-math.sqrt(2)))
    # One sentence (1/2, 1/2) against one (0, 1).
    assert value(f"sms:{table}", "East north.", "north") == pytest.approx(math.exp(-math.sqrt(0.5)))
    # Sentence and word weigh half each: the words are equal, the sentences (1/2, 1/2) and (0, 1) are not.
    work = 0.5 * math.sqrt(0.5) + 0.25 * math.sqrt(2)
    assert value(f"s+wms:{table}", "East north.", "north") == pytest.approx(math.exp(-work))


def test_the_value_furthest_from_zero(table: str) -> None:
    """Where the smallest value is 0, nlg-eval gives 0, whatever the largest: "up nothing" has no direction."""
    assert value(f"vector-extrema:{table}", "up nothing", "north") == pytest.approx(1.0)
    assert value(f"vector-extrema:{table},rule=published", "up nothing", "north") == pytest.approx(0.0)


def test_unknown_words(table: str) -> None:
    assert value(f"embedding-average:{table}", "east zebra", "east") == pytest.approx(1.0)
    assert value(f"embedding-average:{table}", "zebra", "east") is None
    assert value(f"embedding-average:{table},unknown=mean", "zebra", "north") == pytest.approx(
        0.6 / math.hypot(0.2, 0.6)
    )
    assert value(f"wms:{table}", "zebra", "tiger") is None
    # The published program takes two unknown words for equal.
    assert value(f"wms:{table},unknown=zero", "zebra", "tiger") == 1.0
    assert value(f"embedding-average:{table},case=keep", "East", "east") is None


def test_a_word_that_comes_twice_in_the_table_has_the_first_vector(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("east 1 0\neast 0 1\nnorth 0 1\n")
    settings = f"model=folder:{file},unknown=mean"
    assert value(f"embedding-average:{settings}", "north", "east") == pytest.approx(0.0)
    assert value(f"embedding-average:{settings}", "zebra", "east") == pytest.approx(1 / math.sqrt(5))


def by_loops(summary: str, reference: str, table: dict[str, list[float]]) -> tuple[float, float, float] | None:
    """The three values of a pair from their definitions; None without words."""
    sides = [np.array([table[word] for word in text.split() if word in table]) for text in (summary, reference)]
    if not all(map(len, sides)):
        return None

    def cosine(one: np.ndarray, other: np.ndarray) -> float:
        lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
        return float(one @ other) / lengths if lengths else 0.0

    extrema = [np.where(np.abs(side.min(0)) >= side.max(0), side.min(0), side.max(0)) for side in sides]
    nearest = [
        sum(max(cosine(word, other) for other in others) for word in words) / len(words)
        for words, others in (sides, sides[::-1])
    ]
    return cosine(sides[0].sum(0), sides[1].sum(0)), cosine(*extrema), sum(nearest) / 2


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "zero", "zebra"]), max_size=12).map(" ".join)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12), st.sampled_from([8, 1 << 18]))
def test_equal_to_the_definitions(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], multiplications: int
) -> None:
    table = {"a": [1, 0, 2.0], "b": [-1, 0.5, 0], "c": [0.1, -3, 1], "d": [2, 0, 4.0], "zero": [0, 0, 0]}
    file = tmp_path_factory.getbasetemp() / "vectors.json"
    file.write_text(json.dumps(table))
    metrics = [f"{name}:model=folder:{file}" for name in ("embedding-average", "vector-extrema", "greedy-matching")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_vectors, "_PRODUCT", multiplications)
        patch.setattr(_vectors, "_GROUP", multiplications)
        found = score_pairs([pair[0] for pair in pairs], [pair[1] for pair in pairs], metrics).rows()
    for values, pair in zip(found, pairs, strict=True):
        wanted = by_loops(*pair, table)
        assert values == ((None, None, None) if wanted is None else pytest.approx(wanted, abs=1e-12))


def test_too_long_to_match_exactly(tmp_path: Path) -> None:
    letters = "abcdefghijk"
    words = ["w" + "".join(some) for some in itertools.product(letters, repeat=3)]
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps({word: [i, 1] for i, word in enumerate(words)}))
    assert len(words) ** 2 > MAX_CELLS
    text = " ".join(words)
    assert value(f"wms:model=folder:{file}", text, text) is None
    assert value(f"wms:model=folder:{file}", text, words[0]) is not None


def test_stop_words_are_words() -> None:
    stop_words = find_language("en").stop_words
    assert len(stop_words) == 153
    assert all(word.isalpha() and word == word.lower() for word in stop_words)
