"""``dialgauge agreement`` as a person or a machine meets it."""

import json
import sys

import numpy as np
import pytest

from dialgauge.cli import _agreement, main


@pytest.fixture
def run(monkeypatch, capsys):
    """Exit code, stdout and stderr of ``dialgauge agreement …``."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["dialgauge", "agreement", *arguments])
        code: int | str = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def made(monkeypatch, rate, corpus_of):
    """Lets the command read a corpus made here: two annotators are copies, one value is unset."""
    values = np.random.default_rng(0).integers(1, 6, size=(40, 3)).astype(float)
    values[:, 2] = values[:, 1]
    values[3, 0] = 0

    def use(table=values, **options):
        monkeypatch.setattr(_agreement, "load_corpus", lambda *_: corpus_of(rate(table), **options))

    use()
    return use


def test_tables_for_people(run, made):
    code, out, err = run("made", "--resamples", "50")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    for text in ("Krippendorff α (ordinal)", "not reliable", "a copy of the", "saved without a rating", "drift: "):
        assert text in out
    assert "invalid values skipped (outside the rating scale; see --on-invalid): 1" in err
    assert "constructed" not in out


def test_constructed_ratings_are_called_so(run, made):
    made(origin="constructed")
    assert "derived by a program, not given by people" in " ".join(run("made", "--resamples", "20")[1].split())


def test_json_for_machines(run, made):
    code, out, _ = run(
        "made", "--json", "--clean", "majority-noise-removal", "--level", "interval", "--resamples", "50", "--seed", "3"
    )
    result = json.loads(out)
    assert code == 0
    assert (result["seed"], result["resamples"], result["ratings_origin"]) == (3, 50, "human")
    before = {row["measure"]: row["value"] for row in result["agreement_before_cleaning"] if row["scope"] == "overall"}
    after = {row["measure"]: row["value"] for row in result["agreement"] if row["scope"] == "overall"}
    assert after["krippendorff-alpha"] == 1 > before["krippendorff-alpha"]
    assert result["cleaning"][0]["removed"] == result["cleaning"][0]["ratings"] - result["cleaning"][0]["left"]
    assert {"unset", "copied-annotator"} <= {finding["check"] for finding in result["findings"]}
    assert result["invalid"][0]["problem"] == "unset"
    assert [block["block"] for block in result["drift"]["blocks"][:4]] == [1, 2, 3, 4]
    assert (
        run(
            "made",
            "--json",
            "--clean",
            "majority-noise-removal",
            "--level",
            "interval",
            "--resamples",
            "50",
            "--seed",
            "3",
        )[1]
        == out
    )


def test_cleaning_shows_both_numbers(run, made):
    code, out, err = run("made", "--clean", "majority-noise-removal", "--resamples", "20")
    assert code == 0
    assert "before" in out
    assert "ratings removed because they contradict the majority" in out
    assert "Fleiss" not in out
    assert "report both numbers" in err


def test_groups_and_measures(run, made):
    _, out, _ = run("made", "--by", "pair", "--measure", "pearson", "--resamples", "20", "--json")
    rows = json.loads(out)["agreement"]
    assert [(row["group"], row["measure"]) for row in rows] == [
        ("a0 × a1", "pearson"),
        ("a0 × a2", "pearson"),
        ("a1 × a2", "pearson"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dimension", "relevence"), "did you mean 'relevance'"),
        (("--level", "cardinal"), "--level: unknown level 'cardinal'"),
        (("--on-invalid", "guess"), "--on-invalid: unknown on invalid 'guess'"),
        (("--on-invalid", "error"), "unset: 0 on a scale from 1 to 5"),
        (("--order", "date"), "--order: unknown order 'date'"),
        (("--order", "time"), "without a time"),
        (("--measure", "kappa"), "--measure: unknown measure 'kappa'"),
        (("--by", "annotator"), "--by: unknown by 'annotator'"),
    ],
)
def test_bad_settings_are_one_clear_message(run, made, arguments, message):
    code, out, err = run("made", *arguments, "--resamples", "20")
    assert code == 2
    assert message in " ".join(err.split())
    assert out == ""


def test_a_corpus_without_ratings(run, made):
    made([[None, None]])
    code, _, err = run("made")
    assert code == 2
    assert "no ratings" in err


def test_one_annotator_is_an_answer_not_an_error(run, made):
    made([[1], [3], [4]])
    code, out, _ = run("made", "--resamples", "20")
    assert code == 0
    assert "agreement cannot be measured" in out
    rows = json.loads(run("made", "--json")[1])["agreement"]
    assert {row["value"] for row in rows} == {None}
    assert {row["note"] for row in rows} == {"there is only one annotator"}


def test_the_embedded_corpus(run):
    code, out, _ = run("embedded", "--resamples", "50", "--json")
    assert code == 0
    assert json.loads(out)["ratings_origin"] == "constructed"
