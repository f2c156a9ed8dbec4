"""The benchmarks beside nlpstats: equal values, and the speed that the documentation promises."""

import pytest

from dialgauge.bench import _metaeval


@pytest.mark.slow
def test_bars():
    pytest.importorskip("nlpstats")
    results = {result.name: result for result in _metaeval.run(None)}
    for coefficient in ("pearson", "kendall"):
        assert results[f"bootstrap-system-{coefficient}"].ratio >= 100
        assert results[f"bootstrap-summary-{coefficient}"].ratio >= 1500
        assert results[f"permutation-system-{coefficient}"].ratio >= 50
        assert results[f"permutation-summary-{coefficient}"].ratio >= 1000
    for name, result in results.items():
        if result.ratio is not None:
            assert result.detail["largest_difference"] <= 1e-12, name
    assert results["correlate-everything"].seconds < 10
