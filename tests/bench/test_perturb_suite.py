"""The benchmark of the perturbations: its numbers mean what it says."""

import pytest

from dialgauge.bench import SUITES, _perturb
from dialgauge.errors import DialgaugeError
from dialgauge.perturb import parser_name


def test_the_ratio_is_the_cost_in_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        parser_name()
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER: {error}")
    monkeypatch.setattr(_perturb, "_TEXTS", 4)
    monkeypatch.setattr(_perturb, "_ROUNDS", 3)
    (result,) = _perturb.run()
    assert SUITES["perturb"].module == _perturb.__name__
    assert result.name == "perturb-baseline"
    assert result.detail["direction"] == "lower is better"
    assert result.detail["variants_made"] > 4 * 6
    assert result.ratio is not None
    assert result.ratio < _perturb.BAR
    assert result.seconds is not None
    assert result.peer_seconds is not None
    assert min(result.detail["ratios"]) - 0.001 <= result.ratio <= max(result.detail["ratios"]) + 0.001
