"""Comparisons and marks of a project become the tables of a corpus."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.annotate import AnnotateSection, export_project
from dialgauge.annotate._desk import Desk
from dialgauge.annotate._judgements import chosen_as_ratings, judgement_tables, with_tables
from dialgauge.annotate._library import Library
from dialgauge.annotate._results import COMPARED, MARKED, RATED, READ, WRITTEN, Results, results, system_codes
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, read_corpus
from dialgauge.ratings import best_worst_results, preference_results
from tests.annotate.annotate_api import open_study

TURNS = [
    {"speaker": "Agent", "text": "Good day."},
    {"speaker": "", "text": "(noise)"},
    {"speaker": "Ann", "text": "It is late."},
]
DIALOGUE = Dialogue("d", tuple(Turn(turn["speaker"], turn["text"]) for turn in TURNS))
SUMMARIES = [Summary("d", system, f"Summary by {system}.") for system in "abc"]
KEY = {"dialogue_id": "d", "role": "overall", "annotator": "ada"}


def _results(compared: list[dict[str, Any]], marked: list[dict[str, Any]] | None = None) -> Results:
    shown = [{"variants": ["original"] * len(row["systems"]), **row} for row in compared]
    read = [{**KEY, "system": "b", "variant": "original"}] if marked is not None else []
    return Results(
        pl.DataFrame(schema=RATED),
        pl.DataFrame(shown, schema=COMPARED),
        pl.DataFrame(marked or [], schema=MARKED),
        pl.DataFrame(schema=WRITTEN),
        pl.DataFrame(read, schema=READ),
    )


def _corpus(everything: Results) -> Corpus:
    base = Corpus.build([DIALOGUE], SUMMARIES)
    return with_tables(base, judgement_tables(everything, {"d": TURNS}))


def test_pairs_are_preferences() -> None:
    told = {**KEY, "dimension": "overall", "comment": "why"}
    rows: list[dict[str, Any]] = [
        {**told, "systems": ["b", "a"], "best": "b", "worst": "a", "tie": False},
        {**told, "systems": ["a", "c"], "best": None, "worst": None, "tie": True},
        {**told, "systems": ["b", "c"], "best": None, "worst": None, "tie": False},  # not answered
        {**told, "systems": ["b", "a"], "best": "a", "worst": "b", "tie": False},  # changed later
    ]
    found = _corpus(_results(rows)).preferences.select("system_a", "system_b", "winner", "shown_first", "comment")
    assert sorted(found.rows()) == [("a", "b", "a", "b", "why"), ("a", "c", "tie", "a", "why")]


_SURE = {"strengths": ["slightly better", "clearly better"], "ties": ["equal", "both-good", "both-bad"]}


def test_strengths_and_kinds_of_ties(tmp_path: Path) -> None:
    """How much better, and that both are bad, reach the corpus; for agreement all are ties."""
    with open_study(tmp_path / "study.db", task="compare", dimensions=[{"name": "better"}], **_SURE) as study:
        ada = study.person("ada")
        answers = ada.get("/api/session")["protocol"]["answers"]
        asked = ["1:clearly better", "1:slightly better", "tie", "both-good", "both-bad"]
        assert answers == [*asked, "2:slightly better", "2:clearly better"]
        given = [item for page in ada.pages() for item in page["items"]]
        for bad in ("1", "1:much better", "both"):
            told = ada.save(given[0]["id"], 0, {"better": bad}, status=422)
            assert "1:clearly better" in told["problems"][0]["message"]
        for item, answer in zip(given, [*answers, *answers], strict=False):
            ada.save(item["id"], 0, {"better": answer})
        exported = export_project(study.project, "corpus", tmp_path / "out")
        table = export_project(study.project, "csv", tmp_path / "csv") / "comparisons.csv"
        with study.project.store.read() as connection:
            everything = results(connection, study.project, Library(), system_codes(connection, study.project))
    found = read_corpus(exported, strict=True).preferences
    said = dict(zip(answers, everything.comparisons.iter_rows(named=True), strict=False))
    assert [said[one]["strength"] for one in (answers[0], answers[1], answers[-1])] == [2, 1, 2]
    assert [said[one]["both"] for one in ("tie", "both-good", "both-bad")] == [None, "good", "bad"]
    assert {"strength", "both"} <= set(pl.read_csv(table).columns)
    count = len(everything.comparisons)
    assert count >= 5, "every kind of answer was given"
    assert found.height == count
    assert found.filter(winner="tie")["both_bad"].sum() == found["both_bad"].sum() >= 1
    assert found.filter(winner="tie")["strength"].null_count() == found.filter(winner="tie").height
    assert found.filter(pl.col("winner") != "tie")["strength"].null_count() == 0
    facts = preference_results(found, resamples=0).facts
    assert facts["ties"][0] == found.filter(winner="tie").height
    assert facts["both_bad"][0] == found["both_bad"].sum()


def test_both_bad_agrees_with_every_other_tie() -> None:
    told = {**KEY, "dimension": "overall", "systems": ["a", "b"], "tie": True}
    frame = pl.DataFrame(
        [
            {**told, "both": "bad", "variants": ["original"] * 2},
            {**told, "annotator": "bo", "variants": ["original"] * 2},
        ],
        schema=COMPARED,
    )
    assert chosen_as_ratings(frame)["value"].to_list() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"task": "compare", "strengths": ["clearly"]}, "name 2 or 3 strengths"),
        ({"task": "compare", "strengths": ["a", "b", "c", "d"]}, "name 2 or 3 strengths"),
        ({"task": "compare", "strengths": ["a", "a"]}, "'a' is named twice"),
        ({"task": "compare", "ties": ["both-fine"]}, "both-good"),
        ({"task": "compare", "ties": ["both-bad", "both-bad"]}, "'both-bad' is named twice"),
        ({"strengths": ["a", "b"]}, "set task = 'compare'"),
        ({"task": "best-worst", "ties": ["both-bad"]}, "set task = 'compare'"),
    ],
)
def test_strengths_that_cannot_be_asked_for(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        AnnotateSection.model_validate({"annotators": ["ada"], "dimensions": [{"name": "better"}], **given})


def test_best_and_worst_are_choices() -> None:
    row = {**KEY, "dimension": "overall", "systems": ["c", "a", "b"], "best": "a", "worst": "c", "tie": False}
    found = _corpus(_results([row])).choices.select("tuple", "system", "choice")
    assert found.rows() == [("a+b+c", "c", "worst"), ("a+b+c", "a", "best"), ("a+b+c", "b", "neither")]


def test_marks_are_spans_in_whole_texts() -> None:
    base = {**KEY, "system": "a", "variant": "original"}
    marks: list[dict[str, Any]] = [
        {**base, "type": "name", "in": "summary", "start": 11, "end": 12, "marked": "a", "note": "who?"},
        {**base, "type": "omission", "in": "dialogue", "turn": 2, "start": 3, "end": 5, "marked": "is"},
    ]
    spans = _corpus(_results([], marks)).spans
    assert spans.select("system", "span", "side", "label", "text").rows() == [
        ("a", 1, "summary", "name", "a"),
        ("a", 2, "dialogue", "omission", "is"),
        ("b", 1, "summary", None, None),
    ]
    start, end = spans.filter(side="dialogue").select("start", "end").row(0)
    assert DIALOGUE.text[start:end] == "is"


def test_a_study_in_which_nobody_finds_an_error_was_read() -> None:
    spans = _corpus(_results([], [])).spans
    assert spans.select("system", "annotator", "dimension", "start").rows() == [("b", "ada", "errors", None)]


def test_half_an_answer_is_none() -> None:
    """Of a question with a best and no worst nobody can say that the others are neither."""
    row = {**KEY, "dimension": "overall", "systems": ["c", "a", "b"], "best": "a", "worst": None, "tie": False}
    assert _corpus(_results([row])).choices.is_empty()


def test_edited_summaries_of_one_system_are_told_apart() -> None:
    told = {**KEY, "dimension": "better", "systems": ["a", "a"], "variants": ["v-2", "original"], "tie": False}
    tables = judgement_tables(_results([{**told, "best": "a/v-2", "worst": "a"}]), {"d": TURNS})
    found = tables["preferences"].select("variant_a", "variant_b", "winner", "shown_first").row(0)
    assert found == ("original", "v-2", "b", "b")


def test_errors_alone_are_marked_and_read(tmp_path: Path) -> None:
    """Without a dimension the readings that found nothing are answers too, and nothing is there twice."""
    with open_study(tmp_path / "study.db", spans={"severities": ["minor", "major"]}, dimensions=[]) as study:
        ada = study.person("ada")
        first, second, third = ada.pages()[0]["items"]
        mark = {"type": "grammar", "start": 0, "end": 3, "severity": "major"}
        ada.save(first["id"], 0, {}, spans=[mark])
        ada.save(second["id"], 0, {})
        corpus = read_corpus(export_project(study.project, "corpus", tmp_path / "out"), strict=True)
        tables = export_project(study.project, "csv", tmp_path / "csv")
    found = corpus.spans.select("start", "end", "label", "severity").sort("start", nulls_last=True).rows()
    assert found == [(0, 3, "grammar", "major"), (None, None, None, None)], f"{third['id']} was not read"
    assert corpus.ratings.is_empty()
    assert pl.read_csv(tables / "readings.csv").height == 2


@pytest.mark.parametrize("task", ["compare", "best-worst"])
def test_the_lead_sees_the_agreement_of_the_kind(tmp_path: Path, task: str) -> None:
    """What the lead's page shows of comparisons is what ``dialgauge agreement`` says of the export."""
    with open_study(tmp_path / "study.db", task=task, candidates=3, dimensions=[{"name": "better"}]) as study:
        for name, turn in (("ada", 0), ("bo", 1)):
            person = study.person(name)
            for place, item in enumerate(item for page in person.pages() for item in page["items"]):
                ways = [int(summary["text"][-2]) for summary in item["summaries"]]
                # Bo is of another mind in every third question.
                best = ways.index(min(ways) if turn * place % 3 != 1 else max(ways)) + 1
                worst = 1 + next(one for one in range(len(ways)) if one != best - 1)
                person.save(
                    item["id"], 0, {"better": str(best) if task == "compare" else {"best": best, "worst": worst}}
                )
        with study.project.store.read() as connection:
            desk = Desk(study.project, Library())
            desk.refresh(connection)
            (alpha,) = [row["value"] for row in desk.agreement(connection) if row["measure"] == "krippendorff-alpha"]
        corpus = read_corpus(export_project(study.project, "corpus", tmp_path / "out"), strict=True)
    assert corpus.ratings.is_empty(), "a comparison is a preference or a choice, not a rating as well"
    if task == "compare":
        said = preference_results(corpus.preferences, resamples=0).facts["alpha"][0]
    else:
        said = best_worst_results(corpus.choices, resamples=0).reliability["alpha"][0]
    assert alpha < 1, "they differ"
    assert alpha == pytest.approx(said, abs=1e-12)


def test_classes_without_an_order(tmp_path: Path) -> None:
    """Names go to the page, to the answer, and with the export to every other command."""
    classes = ["none", "wrong person", "left out"]
    dimensions = [
        {"name": "main error", "kind": "nominal", "labels": classes},
        {"name": "use", "labels": ["bad", "fair", "good", "very good"], "direction": "lower"},
    ]
    with open_study(tmp_path / "study.db", dimensions=dimensions) as study:
        ada = study.person("ada")
        shown = {one["name"]: one["scale"] for one in ada.get("/api/session")["protocol"]["dimensions"]}
        assert (shown["main error"]["kind"], shown["main error"]["labels"]) == ("categorical", classes)
        assert shown["use"]["points"] == [1, 2, 3, 4], "labels without a scale are its points"
        item = ada.pages()[0]["items"][0]["id"]
        ada.save(item, 0, {"main error": 4}, status=422)
        ada.save(item, 0, {"main error": 2, "use": 4})
        text = ada.pages()[0]["items"][0]["summaries"][0]["text"]
        bo = study.person("bo")
        same = next(one for page in bo.pages() for one in page["items"] if one["summaries"][0]["text"] == text)
        bo.save(same["id"], 0, {"main error": 3, "use": 4})
        (dispute,) = study.person("lead").get("/api/lead/dashboard")["disagreements"]
        assert ([one["label"] for one in dispute["ratings"]], dispute["spread"]) == (["wrong person", "left out"], 1.0)
        corpus = read_corpus(export_project(study.project, "corpus", tmp_path / "out"), strict=True)
    found = {name: corpus.dimension(name) for name in corpus.dimensions}
    assert (found["main error"].kind, found["main error"].labels) == ("nominal", tuple(classes))
    assert (found["main error"].direction, found["use"].kind, found["use"].direction) == ("none", "ordinal", "lower")
    assert corpus.ratings.filter(dimension="main error")["value"].to_list() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"kind": "nominal"}, "needs 2 to 11 labels"),
        ({"kind": "nominal", "labels": ["a", "a"]}, "'a' is named twice"),
        ({"kind": "nominal", "labels": ["a", "b"], "scale": "1-5"}, "leave out scale"),
        ({"kind": "nominal", "labels": ["a", "b"], "direction": "lower"}, "leave out direction"),
        ({"labels": ["a", "b"], "scale": "1-5"}, "5 names"),
    ],
)
def test_classes_that_cannot_be_asked_for(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        AnnotateSection.model_validate({"annotators": ["ada"], "dimensions": [{"name": "error", **given}]})
