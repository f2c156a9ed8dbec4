"""The registry: names, collisions, entry points, specifications and what is said about wrong ones."""

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialgauge.errors import DialgaugeError, InputError, ParameterError, UnknownNameError
from dialgauge.metrics import (
    Job,
    Metric,
    MetricRequest,
    Parameter,
    Values,
    all_metrics,
    find_metric,
    metric,
    parse_request,
    parse_requests,
    register,
)
from dialgauge.metrics._registry import METRICS


def constant(job: Job, parameters: Mapping[str, str]) -> Values:
    return Values(np.full(len(job), 0.5))


def other(job: Job, parameters: Mapping[str, str]) -> Values:
    return Values(np.zeros(len(job)))


DECLARATION: dict[str, Any] = {
    "name": "toy",
    "family": "toys",
    "description": "Half a point for everyone.",
    "direction": "higher",
    "targets": ("reference", "source"),
    "range": (0.0, 1.0),
    "citation": "none",
    "parameters": {
        "stem": Parameter("no", ("no", "yes"), "whether words are stemmed"),
        "tok": Parameter("a", ("a", "b"), "how words are found"),
    },
}
#: A metric whose parameters are free texts.
FREE: dict[str, Any] = {
    **DECLARATION,
    "name": "free",
    "parameters": {
        "model": Parameter("org/name", (), "a model"),
        "layer": Parameter("3", (), "the layer", r"\d+", "a whole number"),
        "device": Parameter("auto", (), "where it runs"),
    },
}


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real registry, with what a test adds taken out again."""
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS.all()))


@pytest.fixture
def toy(registry: None) -> Metric:
    return metric(**DECLARATION)(constant)


def test_the_decorator_declares_and_registers(toy: Metric) -> None:
    assert find_metric("toy") is toy
    assert toy.level == "summary"
    assert toy.version == "1"


def test_collisions_are_refused_and_name_both(toy: Metric) -> None:
    with pytest.raises(DialgaugeError, match=r"two metrics are called 'toy': .*constant and .*other; rename one"):
        register(replace(toy, compute=other))
    with pytest.raises(DialgaugeError, match="two metrics are called 'toy'"):
        register(replace(toy, description="the same function, declared otherwise"))
    with pytest.raises(DialgaugeError, match="two metrics are called 'toy'"):
        register(replace(toy, compute=partial(constant)))
    assert find_metric("toy") is toy


def test_the_same_metric_may_come_twice(toy: Metric) -> None:
    register(toy)
    register(Metric(compute=constant, **DECLARATION))
    assert find_metric("toy") == toy


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'coverage'") as caught:
        find_metric("coverag")
    assert "'dialgauge metrics' lists them" in str(caught.value)
    with pytest.raises(UnknownNameError, match="unknown metric ''"):
        parse_request("")


@pytest.mark.parametrize(
    ("spec", "column", "signature"),
    [
        ("toy", "toy", "toy|target:reference|stem:no|tok:a|v:1"),
        ("toy@reference", "toy", "toy|target:reference|stem:no|tok:a|v:1"),
        ("toy@source", "toy@source", "toy|target:source|stem:no|tok:a|v:1"),
        ("toy:stem=no", "toy", "toy|target:reference|stem:no|tok:a|v:1"),
        ("toy@source:tok=b,stem=yes", "toy@source:stem=yes,tok=b", "toy|target:source|stem:yes|tok:b|v:1"),
        ("  toy : stem = yes ", "toy:stem=yes", "toy|target:reference|stem:yes|tok:a|v:1"),
    ],
)
def test_specifications(toy: Metric, spec: str, column: str, signature: str) -> None:
    request = parse_request(spec)
    assert request.column == column
    assert request.signature == signature
    assert parse_request(request.column) == request


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        (
            "toy@target",
            ParameterError,
            r"metric 'toy': parameter 'target' must be 'reference' or 'source'; got 'target'",
        ),
        ("toy:stem=maybe", ParameterError, r"parameter 'stem' must be 'no' or 'yes'; got 'maybe'"),
        ("toy:stemm=yes", UnknownNameError, r"unknown parameter of metric 'toy' 'stemm'; did you mean 'stem'"),
        ("toy:stem", InputError, r"write parameters as NAME=VALUE after the colon; got 'stem'"),
        ("toy:stem=no,stem=yes", InputError, r"parameter 'stem' is given twice"),
    ],
)
def test_bad_specifications(toy: Metric, spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_request(spec)


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        ("free:model=folder:/models/x@1.0", "folder:/models/x@1.0"),
        ("free:layer=4,model=chat:a/b:q4@http://127.0.0.1:8000/v1?x=1", "chat:a/b:q4@http://127.0.0.1:8000/v1?x=1"),
        ('free@source:model="folder:/a,b=c",layer=4', "folder:/a,b=c"),
        ('free:model="say ""hi"", twice"', 'say "hi", twice'),
        ('free:model=""', ""),
        ('free:model=" x "', " x "),
        ('free:model=a"b,c"d', 'a"b,c"d'),
    ],
)
def test_values_may_hold_anything(registry: None, spec: str, model: str) -> None:
    metric(**FREE)(constant)
    request = parse_request(spec)
    assert request.parameters["model"] == model
    assert parse_request(request.column) == request


@given(st.text(max_size=30), st.integers(0, 99))
def test_every_value_survives_the_column_name(value: str, layer: int) -> None:
    free = Metric(compute=constant, **FREE)
    request = MetricRequest.build(free, None, {"model": value, "layer": str(layer)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(METRICS, "_entries", {**all_metrics(), "free": free})
        assert parse_request(request.column) == request


def test_free_values_are_still_checked(registry: None) -> None:
    metric(**FREE)(constant)
    with pytest.raises(ParameterError, match="parameter 'layer' must be a whole number; got 'last'"):
        parse_request("free:layer=last")
    with pytest.raises(InputError, match="a quote is not closed"):
        parse_request('free:model="x,layer=4')


def test_members_of_a_family_are_optional_unless_named(toy: Metric) -> None:
    register(replace(toy, name="toy-2"))
    for specs in (["toys", "toy"], ["toy", "toys"]):
        assert {r.column: r.optional for r in parse_requests(specs)} == {"toy": False, "toy-2": True}


def test_a_model_is_signed_with_its_fingerprint(registry: None, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    metric(**{**FREE, "models": {"model": "encoder"}})(constant)
    signature = parse_request(f"free:model=folder:{tmp_path}").signature
    assert re.fullmatch(rf"free\|target:reference\|model:folder:{tmp_path}#[0-9a-f]{{12}}\|layer:3\|.*", signature)
    (tmp_path / "config.json").write_text("{ }", encoding="utf-8")
    assert parse_request(f"free:model=folder:{tmp_path}").signature != signature
    assert "model:org/no-such-model#absent" in parse_request("free:model=org/no-such-model").signature


def test_families_and_all_stand_for_their_members(toy: Metric) -> None:
    register(replace(toy, name="toy-2"))
    assert [request.column for request in parse_requests(["toys"])] == ["toy", "toy-2"]
    assert [request.column for request in parse_requests(["toys@source:stem=yes"])] == [
        "toy@source:stem=yes",
        "toy-2@source:stem=yes",
    ]
    assert {request.metric.name for request in parse_requests(["all"])} == set(all_metrics())


def test_a_metric_wins_over_a_family_of_its_name(toy: Metric) -> None:
    register(replace(toy, name="toys"))
    assert [request.column for request in parse_requests(["toys"])] == ["toys"]


def test_repeated_specifications_count_once(toy: Metric) -> None:
    columns = [request.column for request in parse_requests(["toy", "toys", "toy:stem=no", "toy:stem=yes"])]
    assert columns == ["toy", "toy:stem=yes"]


def test_what_is_given_back_is_a_copy() -> None:
    before = set(all_metrics())
    all_metrics().clear()  # type: ignore[attr-defined]
    assert set(all_metrics()) == before


PLUGIN = """
import numpy as np
from dialgauge.metrics import Metric, Values

def compute(job, parameters):
    return Values(np.array([float(len(job.texts.strings[i])) for i in job.hypothesis_ids]))

characters = Metric(
    name="characters", family="plugin", description="Characters.", direction="none", targets=("none",),
    range=(0.0, None), citation="none", compute=compute,
)
several = [characters]
wrong = ["characters"]
number = 3
taken = Metric(
    name="length", family="plugin", description="Characters.", direction="none", targets=("none",),
    range=(0.0, None), citation="none", compute=compute,
)
"""


def run_with_plugin(folder: Path, target: str, code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that sees an installed distribution with one entry point."""
    (folder / "toy_plugin.py").write_text(PLUGIN, encoding="utf-8")
    info = folder / "toy_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-plugin\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[dialgauge.metrics]\ntoys = {target}\n", encoding="utf-8")
    script = f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("target", ["toy_plugin:characters", "toy_plugin:several"])
def test_entry_points_add_metrics(tmp_path: Path, target: str) -> None:
    code = "from dialgauge.metrics import score_pairs; print(score_pairs(['four'], None, ['characters']).item())"
    done = run_with_plugin(tmp_path, target, code)
    assert done.stdout.strip() == "4.0", done.stderr


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("toy_plugin:wrong", "entry point 'toys' (toy_plugin:wrong) of group 'dialgauge.metrics' must give a Metric"),
        ("toy_plugin:number", "entry point 'toys' (toy_plugin:number) of group 'dialgauge.metrics' must give a Metric"),
        ("toy_plugin:absent", "cannot be loaded: AttributeError"),
        ("no_such_module:x", "cannot be loaded: ModuleNotFoundError"),
        ("toy_plugin:taken", "two metrics are called 'length'"),
    ],
)
def test_bad_entry_points_are_named(tmp_path: Path, target: str, message: str) -> None:
    code = (
        "from dialgauge.errors import DialgaugeError\nfrom dialgauge.metrics import all_metrics\n"
        "try:\n    all_metrics()\nexcept DialgaugeError as error:\n    print(error)"
    )
    done = run_with_plugin(tmp_path, target, code)
    assert message in done.stdout, done.stdout + done.stderr
