"""The benchmarks beside nlpstats compare equal values; how fast they are stands in benchmarks/RESULTS.md."""

import pytest

from benchmarks import metaeval


@pytest.mark.slow
def test_the_suite_compares_equal_values(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nlpstats")
    monkeypatch.setattr(metaeval, "_ROUNDS", 1)
    monkeypatch.setattr(metaeval, "_PEER_RESAMPLES", {"system": 40, "summary": 5})
    results = {result.name: result for result in metaeval.run(None)}
    for what in ("bootstrap", "permutation"):
        for level in ("system", "summary"):
            for coefficient in ("pearson", "kendall"):
                result = results[f"{what}-{level}-{coefficient}"]
                assert result.ratio is not None
                assert result.ratio > 0
                assert result.detail["largest_difference"] <= 1e-12
    assert results["correlate-everything"].seconds > 0
