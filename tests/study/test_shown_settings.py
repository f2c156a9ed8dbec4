"""What the report says of a study's settings, and which packages it names."""

import pytest

from dialgauge.study import StudyFile
from dialgauge.study._file import study_file_model
from dialgauge.study._shown import shown_settings, versions

PLAIN = {"study": {"name": "s"}, "corpus": {"source": "embedded"}, "metrics": {"use": ["length"]}}


def settings(**tables: object) -> StudyFile:
    return study_file_model().model_validate(PLAIN | tables)


def test_written_summaries_are_named() -> None:
    assert "summaries written" not in shown_settings(settings(), rated=True)
    written = {"systems": ["lead", "two=longest:n=2"], "roles": ["overall", "agent"]}
    shown = shown_settings(settings(summarize=written), rated=False)
    assert shown["summaries written"] == "by lead, two=longest:n=2; roles: overall, agent"
    shown = shown_settings(settings(summarize=written | {"replace": True}), rated=False)
    assert str(shown["summaries written"]).endswith("agent; replacing those in the corpus")


def test_the_original_of_a_reproduction_is_named_with_its_treatment() -> None:
    assert "reproduction" not in shown_settings(settings(), rated=True)
    shown = shown_settings(settings(reproduction={"original": "first.csv"}), rated=True)
    assert shown["reproduction"] == "original first.csv; single ratings aggregated by mean; values as they are"
    asked = {"original": "first", "method": "median", "normalise": True}
    shown = shown_settings(settings(reproduction=asked), rated=True)
    assert (
        shown["reproduction"] == "original first; single ratings aggregated by median; both studies normalized to 0–1"
    )
    shown = shown_settings(settings(reproduction={"original": "o"}, ratings={"aggregate": "median"}), rated=True)
    assert "aggregated by median" in str(shown["reproduction"])


@pytest.mark.parametrize("parser", ["needed", "optional"])
def test_a_parser_that_may_be_missing_is_told_of(parser: str) -> None:
    shown = shown_settings(settings(perturbations={"use": ["jumble"], "parser": parser}), rated=True)
    told = "without a parser, perturbations that need one are skipped" in str(shown["perturbations"])
    assert told == (parser == "optional")


@pytest.mark.parametrize(
    ("tables", "named"),
    [
        ({}, False),
        ({"summarize": {"systems": ["lead", "longest", "best=oracle"]}}, False),
        ({"summarize": {"systems": ["chat:model=chat:m@https://host/v1"]}}, False),
        ({"summarize": {"systems": ["lead", "bart=seq2seq:model=folder:models/bart"]}}, True),
        ({"affect": {"tagger": "vader"}}, False),
        ({"affect": {"tagger": "lookup:tagger"}}, False),
        ({"affect": {"tagger": "contextual:org/model"}}, True),
        ({"affect": {"tagger": "sst3:tagger"}}, True),
        ({"affect": {"tagger": "combined:tagger,negation=flip"}}, True),
        ({"metrics": {"use": ["bertscore-f1"]}}, True),
    ],
)
def test_the_packages_of_models_are_named_where_a_model_runs_here(
    monkeypatch: pytest.MonkeyPatch, tables: dict[str, object], named: bool
) -> None:
    monkeypatch.setattr("dialgauge.study._shown.version", lambda package: "1.0")  # as if all were installed
    found = versions(settings(**tables))
    assert ("torch" in found, "transformers" in found) == (named, named)
    assert "numpy" in found
