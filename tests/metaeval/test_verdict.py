"""The verdict as data: it goes to frames and JSON and comes back, and bad files are refused."""

import json

import polars as pl
import pytest

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import Reason, Verdict, Verdicts
from dialgauge.metaeval._verdict import CONTROLS, DIMENSIONS, NEEDED, worst


def made() -> Verdicts:
    weak = Reason("weak", "care", "Weak: r is .21.", {"r": 0.21, "system": "a", "gone": float("nan")})
    bare = Reason("few-ratings", "care", "Rated on few.")
    rows = (
        Verdict("rouge-1", "fluency", "use", r=0.7, p_order=0.001, shown_by=("order", "cells"), among_best=True),
        Verdict("chrf", "fluency", "care", r=0.2, shown_by=("cells",), reasons=(weak, bare)),
        Verdict("ter", "fluency", "do-not-use"),
    )
    dimensions = pl.DataFrame([{"dimension": "fluency", "verdict": "use", "metric": "rouge-1"}], schema=DIMENSIONS)
    controls = pl.DataFrame([{"control": "length", "dimension": "fluency", "r": 0.1}], schema=CONTROLS)
    return Verdicts(rows, dimensions, controls, pl.DataFrame(schema=NEEDED), 200, 9, {"seed": 0}, ("a note",))


def test_it_goes_to_json_and_back() -> None:
    found = made()
    again = Verdicts.from_json(found.to_json())
    assert again.rows == found.rows
    assert again.to_json() == found.to_json()
    assert again.null_rate == 9 / 200
    assert again.dimensions.schema == DIMENSIONS
    first = json.loads(found.to_json())
    assert first["schema"] == 1
    assert first["verdicts"][1]["reasons"][0] == {
        "code": "weak",
        "caps": "care",
        "sentence": "Weak: r is .21.",
        "numbers": {"r": 0.21, "system": "a"},
    }


def test_it_goes_to_frames_and_back() -> None:
    found = made()
    others = {"null_runs": 200, "null_named": 9, "settings": found.settings, "notes": found.notes}
    assert Verdicts.from_tables(found.tables(), **others).to_json() == found.to_json()
    assert found.frame["reasons"].to_list() == [[], ["weak", "few-ratings"], []]
    assert found.reasons.select("code", "name", "value", "text").rows() == [
        ("weak", "r", 0.21, None),
        ("weak", "system", None, "a"),
        ("few-ratings", None, None, None),
    ]


def test_rows_are_found_by_name() -> None:
    found = made()
    assert [row.metric for row in found.of("fluency")] == ["rouge-1", "chrf", "ter"]
    assert found.row("chrf", "fluency").named
    assert not found.row("ter", "fluency").named
    with pytest.raises(UnknownNameError, match="dimension of these verdicts 'fluenci'; did you mean 'fluency'"):
        found.of("fluenci")
    with pytest.raises(UnknownNameError, match="did you mean 'chrf'"):
        found.row("chr", "fluency")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "verdict.json: not JSON"),
        ("[]", "expected schema 1; found 'list'"),
        ('{"schema": 2}', "expected schema 1; found 2: rerun the study"),
        ('{"schema": 1, "verdicts": [{}]}', "verdict.json: damaged"),
    ],
)
def test_other_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        Verdicts.from_json(text)


def test_the_worst_level_counts() -> None:
    assert worst([]) == "use"
    assert worst(["use", "do-not-use", "care"]) == "do-not-use"
