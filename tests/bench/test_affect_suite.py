"""The benchmark of affect: both sides count the same, and the result says how much was read."""

import pytest

from benchmarks import SUITES, affect
from benchmarks.pairs import Pairs, embedded_pairs


def test_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    whole = embedded_pairs()
    few = Pairs(whole.summaries[:28], whole.references[:28], whole.sources[:28], whole.origin)
    monkeypatch.setattr(affect, "load_pairs", lambda: few)
    monkeypatch.setattr(affect, "_ROUNDS", 1)
    monkeypatch.setattr(affect, "_LARGE", 1)
    monkeypatch.setattr(affect, "_CONTEXTUAL_PAIRS", 2)
    assert SUITES["affect"].module == affect.__name__
    lexicon, contextual = affect.run()
    assert (lexicon.name, contextual.name) == ("lexicon", "contextual")
    assert lexicon.detail["largest_difference"] == 0
    assert lexicon.detail["pairs"] == 28
    assert lexicon.detail["texts_read"] == 28 + 2  # the summaries, and each source once
    assert lexicon.detail["words_per_second"] > 0
    assert "skipped" in contextual.detail or contextual.detail["largest_difference"] <= 1e-3
