"""The bar: metrics trained on DialSummEval's published scores and ratings, every system held out in turn."""

from pathlib import Path

import pytest

from benchmarks.learned import run


@pytest.mark.data
@pytest.mark.slow
def test_the_bar(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One dimension of the four that the benchmark measures: copies purged, predictions centred by fold."""
    monkeypatch.setenv("DIALGAUGE_DATA", str(data_dir))
    (made,) = (result.as_dict() for result in run(dimensions=("consistency",), resamples=100, null=0))
    # Among the features are cheap ones of the texts, too: the best single one may be better than the published.
    assert made["best_single"] >= 0.471 - 0.0005
    assert made["ratio"] >= 0.69
    assert made["ratio"] > made["best_single"]
    assert made["low"] < made["ratio"] < made["high"]
