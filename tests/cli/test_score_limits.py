"""Limits for continuous integration: ``dialgauge score --fail-under`` and ``--fail-over``."""

import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.cli._limits import Limits
from dialgauge.errors import InputError, UnknownNameError


def _score(*options: str):
    return CliRunner().invoke(app, ["score", "embedded", "-m", "rouge-1", "-m", "ter", *options])


def test_kept_and_broken_limits_decide_the_status():
    assert _score("--fail-under", "rouge-1=0.2", "--fail-over", "ter=120").exit_code == 0
    low = _score("--fail-under", "rouge-1=0.3")
    assert low.exit_code == 1
    assert "lead-3: rouge-1 is 0.2154, below 0.3" in low.output
    assert "careful" not in low.output.split("below")[0].splitlines()[-1]
    high = _score("--fail-over", "ter=100", "--json")
    assert high.exit_code == 1
    assert "longest-3: ter is 111.8, above 100" in high.output


@pytest.mark.parametrize("limit", ["rouge-1", "rouge-1=much", "=0.3"])
def test_a_limit_that_is_none_is_named(limit):
    result = _score("--fail-under", limit)
    assert isinstance(result.exception, InputError)
    assert "write it as METRIC=NUMBER" in str(result.exception)


def test_a_metric_that_was_not_scored_is_named():
    result = _score("--fail-under", "rouge-11=0.3")
    assert isinstance(result.exception, UnknownNameError)
    assert "did you mean 'rouge-1'" in str(result.exception)


@pytest.mark.parametrize("limit", ["system=0.8", "role=1", "rouge-2=0.1"])
def test_a_limit_on_what_was_not_requested_is_refused_before_the_work(limit, monkeypatch):
    monkeypatch.setattr("dialgauge.metrics.score", lambda *_, **__: pytest.fail("was scored"))
    result = _score("--fail-under", limit)
    assert isinstance(result.exception, UnknownNameError)
    assert "request it with -m" in str(result.exception)
    assert "variant" not in str(result.exception)


def test_a_limit_on_a_metric_that_was_skipped_is_broken():
    means = pl.DataFrame({"system": ["a"], "variant": ["original"], "role": ["overall"], "rouge-1": [0.5]})
    assert Limits.parse(["ter=1"], ["rouge-1=1"]).broken(means) == ["ter was skipped, so the limit 1 cannot be checked"]
