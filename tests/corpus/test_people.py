"""Prolific's export of its participants is joined to the annotators."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, add_ratings, read_corpus, write_corpus
from dialgauge.errors import InputError

EXPORT = "Submission id,Participant id,Status,Completion code,Age,Country of residence\n"


def _corpus() -> Corpus:
    ratings = [Rating("d", "s", who, "fluency", 4.0) for who in ("p1", "p2")]
    return Corpus.build([Dialogue("d", ())], [Summary("d", "s", "text")], ratings)


def test_what_is_known_about_people_is_kept(tmp_path: Path, cli: Callable[..., Any]) -> None:
    write_corpus(_corpus(), tmp_path / "c")
    (tmp_path / "people.csv").write_text(EXPORT + "x,p1,APPROVED,C1,34,Ireland\ny,p3,RETURNED,C1,50,Spain\n")
    outcome = cli("convert", tmp_path / "c", tmp_path / "out", "--ratings", tmp_path / "people.csv")
    assert outcome.code == 0, outcome.err
    assert "1 participant joined to the annotators; 1 judged nothing here" in outcome.err
    ((who, group, meta),) = read_corpus(tmp_path / "out").annotators.rows()
    assert (who, group) == ("p1", "crowd")
    assert json.loads(meta) == {"Age": "34", "Country of residence": "Ireland", "Status": "APPROVED"}
    assert read_corpus(tmp_path / "out").ratings.height == 2


def test_people_of_another_study_are_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(EXPORT + "x,q1,APPROVED,C1,34,Ireland\n")
    with pytest.raises(InputError, match="none of them is an annotator of the corpus"):
        add_ratings(_corpus(), tmp_path / "people.csv")
