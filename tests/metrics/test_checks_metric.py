"""Checks as metrics: values, evidence in the notes, what cannot be scored, and weights of one's own."""

import json
from pathlib import Path

import pytest

from dialgauge.checks import PARSER, VECTORS, check
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import DialgaugeError
from dialgauge.metrics import EVIDENCE_BEGINS, Scores, parse_request, score, score_pairs
from dialgauge.models import load_parser, load_vectors

TURNS = (Turn("Tom", "Can you book the room for half past three?"), Turn("Ines", "Sure, I'll book it."))
TEXTS = {"right": "Ines will book the room for 3:30.", "wrong": "Ines will book the room for 5:00."}


@pytest.fixture(scope="module", autouse=True)
def models() -> None:
    try:
        load_parser(PARSER)
        load_vectors(VECTORS)
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER OR VECTORS: {error}")


@pytest.fixture(scope="module")
def scores() -> Scores:
    summaries = [Summary("d", system, text) for system, text in TEXTS.items()]
    return score(Corpus.build([Dialogue("d", TURNS)], summaries), ["checks", "checks-numbers", "checks-names"])


def test_values_are_those_of_check(scores: Scores) -> None:
    for row in scores.frame.iter_rows(named=True):
        checked = check(TURNS, TEXTS[row["system"]])
        assert row["checks"] == checked.p_right
        assert row["checks-numbers"] == checked.parts["checks-numbers"]


def test_evidence_is_in_the_notes(scores: Scores) -> None:
    (note,) = scores.notes.iter_rows(named=True)
    assert (note["system"], note["metric"]) == ("wrong", "checks")
    assert note["note"].startswith(EVIDENCE_BEGINS)
    ((reason,),) = (record["reasons"] for record in json.loads(note["note"]))
    assert (reason["check"], reason["turn"], reason["dialogue_says"]) == ("value_conflict", 1, "half past three")


def test_only_the_group_that_fires_is_lowered(scores: Scores) -> None:
    by_system = {row["system"]: row for row in scores.frame.iter_rows(named=True)}
    assert by_system["wrong"]["checks-numbers"] < by_system["right"]["checks-numbers"]
    assert by_system["wrong"]["checks-names"] == by_system["right"]["checks-names"]


def test_other_languages_and_empty_texts_have_no_value() -> None:
    german = "Tom: Kannst du den Raum für Freitag buchen, weil ich nicht da bin?\nInes: Ja, das mache ich für dich."
    dialogue = Dialogue("d", tuple(Turn(*line.split(": ", 1)) for line in german.splitlines()))
    found = score(Corpus.build([dialogue], [Summary("d", "s", "Ines bucht den Raum.")]), ["checks"])
    assert found.frame["checks"].to_list() == [None]
    assert "English only" in found.failures["reason"][0]


def test_weights_of_your_own_are_read_and_signed(tmp_path: Path) -> None:
    own = tmp_path / "weights.toml"
    own.write_text('version = "mine"\nintercept = 1\n[features]\n[attribution]\n', "utf-8")
    with pytest.raises(DialgaugeError, match="not a table of weights"):
        score_pairs(["It is 5 pm."], [["Tom: at 3"]], [f"checks:weights={own}"])
    assert "weights:2" in parse_request("checks").signature
