"""What goes out and what comes in: exports in every format, filled sheets, Label Studio, backups, the planner."""

import io
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import polars as pl
import pytest

from dialgauge.annotate import backup_project, export_project, import_file, plan_study
from dialgauge.corpus import Corpus, Rating, ratings_frame, read_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings import agreement
from tests.annotate.annotate_api import SYSTEMS, Study, open_study, small_corpus


def _rate(study: Study) -> None:
    for number, name in enumerate(("ada", "bo", "cy")):
        study.person(name).rate_everything(
            lambda item, dim, n=number: 1 + (len(dim) + _way(item) + n) % 5, comment="=1+1"
        )


def _way(item: dict[str, Any]) -> int:
    return int(item["summaries"][0]["text"][-2])


def _expected() -> set[tuple[str, str, str, str, float]]:
    return {
        (f"zq-dialogue-{d}", system, name, dimension, float(1 + (len(dimension) + way + n) % 5))
        for d in range(3)
        for way, system in enumerate(SYSTEMS)
        for n, name in enumerate(("ada", "bo", "cy"))
        for dimension in ("consistency", "relevance")
    }


_COLUMNS = ("dialogue_id", "system", "annotator", "dimension", "value")


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "xlsx"])
def test_every_format_holds_every_rating_under_its_key(tmp_path: Path, format: str) -> None:
    with open_study(tmp_path / "study.db") as study:
        _rate(study)
        path = export_project(study.project, format, tmp_path / "out" / "ratings.xlsx")
    if format == "xlsx":
        sheet = openpyxl.load_workbook(path)["ratings"]
        head, *lines = sheet.iter_rows(values_only=True)
        frame = pl.DataFrame([dict(zip(head, line, strict=True)) for line in lines], infer_schema_length=None)
        comments = {cell.data_type for cell in sheet[_letter(head, "comment")][1:]}
        assert comments == {"s"}  # a text, not a formula
    else:
        read = {"jsonl": pl.read_ndjson, "csv": pl.read_csv, "parquet": pl.read_parquet}[format]
        frame = read(path / f"ratings.{format}")
    assert set(frame.select(_COLUMNS).with_columns(pl.col("value").cast(pl.Float64)).rows()) == _expected()
    assert set(frame["scale"]) == {"1-5"}
    assert set(frame["stage"]) == {"main"}


def _letter(head: tuple[Any, ...], name: str) -> str:
    return openpyxl.utils.get_column_letter(head.index(name) + 1)


def test_the_exported_corpus_is_ready_for_agreement(database: Path | str, tmp_path: Path) -> None:
    with open_study(database) as study:
        _rate(study)
        corpus = read_corpus(export_project(study.project, "corpus", tmp_path / "corpus"), strict=True)
        with pytest.raises(UnknownNameError):
            export_project(study.project, "xml", tmp_path / "no")
    assert set(corpus.ratings.select(_COLUMNS).rows()) == _expected()
    assert corpus.ratings["time"].null_count() == 0
    assert corpus.references.height == 3
    assert corpus.dialogue("zq-dialogue-1").turns[1].text == "<file_video> On its way & <b>late</b>."
    assert agreement(corpus.ratings, resamples=0).value("krippendorff-alpha", "relevance") is not None


def test_written_texts_and_marked_errors_are_in_the_corpus(tmp_path: Path) -> None:
    with open_study(tmp_path / "a.db", task="write", dimensions=[], review=False) as study:
        for name in ("ada", "bo", "cy"):
            person = study.person(name)
            for page in person.pages():
                person.save(page["items"][0]["id"], 0, {}, text=f"By {name}.")
        corpus = read_corpus(export_project(study.project, "corpus", tmp_path / "written"), strict=True)
    written = corpus.summaries.filter(system="written")
    assert sorted(written["text"]) == ["By ada.", "By bo.", "By cy."]
    assert set(written["kind"]) == {"reference"}
    with open_study(tmp_path / "b.db", spans={}) as study:
        ada = study.person("ada")
        items = ada.pages()[0]["items"]
        ada.save(items[0]["id"], 0, {"consistency": 1}, spans=[{"type": "grammar", "start": 0, "end": 3}] * 2)
        ada.save(items[1]["id"], 0, {"consistency": 1})
        corpus = read_corpus(export_project(study.project, "corpus", tmp_path / "marked"), strict=True)
    assert corpus.spans.select("label", "start", "end").rows() == [("grammar", 0, 3)] * 2


def _filled(content: bytes, fill: Any) -> bytes:
    book = openpyxl.load_workbook(io.BytesIO(content))
    for sheet in book.worksheets:
        head = [cell.value for cell in sheet[1]]
        for row in range(2, sheet.max_row + 1):
            fill(sheet, row, {name: place for place, name in enumerate(head, 1)})
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_sheets_go_out_empty_and_come_back_filled(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        lead = study.person("lead")
        empty = lead.get("/api/lead/export/sheets").content

        def fill(sheet: Any, row: int, columns: dict[str, int]) -> None:
            sheet.cell(row, columns["consistency"]).value = 4
            if not (sheet.title == sheet.parent.sheetnames[0] and row == 2):
                sheet.cell(row, columns["relevance"]).value = 2

        filled = _filled(empty, fill)
        headers = {"X-CSRF-Token": lead.csrf}
        reply = lead.client.post("/api/lead/import/sheets?annotator=bo", content=filled, headers=headers).json()
        assert reply == {"accepted": 17, "refused": []}
        again = lead.client.post("/api/lead/import/sheets?annotator=bo", content=filled, headers=headers).json()
        assert again["accepted"] == 0
        bo = study.person("bo")
        answers = [item["answer"]["values"] for page in bo.pages() for item in page["items"]]
        assert answers.count({"consistency": 4.0, "relevance": 2.0}) == 8
        assert answers.count({"consistency": 4.0}) == 1
        for content, annotator in ((b"no workbook", "bo"), (filled, ""), (b"", "bo")):
            url = f"/api/lead/import/sheets?annotator={annotator}"
            assert lead.client.post(url, content=content, headers=headers).status_code == 422


def test_sheets_never_name_systems_and_are_for_whole_summaries(tmp_path: Path) -> None:
    with open_study(tmp_path / "a.db") as study:
        lead = study.person("lead")
        lead.send("POST", "/api/lead/unblind", {})
        names = openpyxl.load_workbook(io.BytesIO(lead.get("/api/lead/export/sheets").content)).sheetnames
        assert len(names) == 3
        assert set(names) < {"S1", "S2", "S3", "S4"}
    sentences = [{"name": "fluency", "scale": "0-2", "on": "summary-sentences"}]
    with open_study(tmp_path / "b.db", dimensions=sentences) as study:
        refused = study.person("lead").get("/api/lead/export/sheets", status=422)
        assert refused["message"] == "sheets are only available for ratings of whole summaries"


def test_sheets_in_the_ablations_layout(tmp_path: Path) -> None:
    """A sheet per system with the summary's text and a column per dimension; rows in any order, a value astray."""
    corpus = small_corpus()
    book = openpyxl.Workbook()
    book.remove(book.active)
    for system in SYSTEMS:
        sheet = book.create_sheet(system)
        sheet.append(["Dialogue", "Summary", "Consistency", "Relevance"])
        texts = corpus.summaries.filter(system=system)["text"].to_list()
        for text in reversed(texts):
            sheet.append(["…", text + " ", 5, 3])
    book[SYSTEMS[0]]["C2"], book[SYSTEMS[0]]["E2"] = None, 5
    book[SYSTEMS[1]]["C3"] = "five"
    book[SYSTEMS[2]]["B4"] = "A summary that nobody wrote."
    path = tmp_path / "ablation.xlsx"
    book.save(path)
    with open_study(tmp_path / "study.db") as study:
        done = import_file(study.project, "sheets", path, annotator="ada")
        assert done["accepted"] == 2 * 9 - 1 - 2 - 2
        assert [(line["where"], line["message"]) for line in done["refused"]] == [
            (f"sheet {SYSTEMS[0]}, row 2", "a value is in a column without a name: __unnamed__4"),
            (f"sheet {SYSTEMS[1]}, row 3", "values.consistency: must be a number"),
            (f"sheet {SYSTEMS[2]}, row 4", "no summary of this system and dialogue is assigned to the annotator"),
        ]
        nobody = import_file(study.project, "sheets", path, annotator="nobody")
        assert nobody["accepted"] == 0
        with pytest.raises(InputError, match="cannot be read"):
            import_file(study.project, "sheets", tmp_path / "absent.xlsx", annotator="ada")


def test_label_studio(tmp_path: Path) -> None:
    def task(dialogue: str, system: str, who: Any, *results: dict[str, Any]) -> dict[str, Any]:
        data = {"dialogue_id": dialogue, "system": system}
        return {"data": data, "annotations": [{"completed_by": who, "result": list(results)}]}

    def result(name: str, **value: Any) -> dict[str, Any]:
        return {"from_name": name, "value": value}

    tasks = [
        task(
            "zq-dialogue-0",
            SYSTEMS[0],
            {"email": "ada"},
            result("consistency", rating=4),
            result("relevance", number=2),
        ),
        task("zq-dialogue-1", SYSTEMS[1], "bo", result("consistency", choices=["5 good"]), result("note", text=["hm"])),
        task("zq-dialogue-1", SYSTEMS[1], 17, result("consistency", rating=4)),
        task("zq-dialogue-9", SYSTEMS[1], "bo", result("consistency", rating=4)),
        task("zq-dialogue-2", SYSTEMS[1], "bo", result("consistency", rating=9)),
        task("zq-dialogue-2", SYSTEMS[2], "bo", result("clarity", rating=1)),
        {"data": {}},
        "nonsense",
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    with open_study(tmp_path / "study.db") as study:
        done = import_file(study.project, "label-studio", path)
        assert done["accepted"] == 3
        assert [line["where"].split(",")[0] for line in done["refused"]] == [
            "task 7", "task 8", "task 3", "task 4", "task 5", "task 6",
        ]  # fmt: skip
        for bad in ("{}", "no json"):
            path.write_text(bad)
            with pytest.raises(InputError, match="label-studio"):
                import_file(study.project, "label-studio", path)
        with pytest.raises(UnknownNameError):
            import_file(study.project, "potato", path)


def test_an_import_never_overwrites_what_was_rated_here(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada = study.person("ada")
        ada.rate_everything(1)
        data = {"dialogue_id": "zq-dialogue-0", "system": SYSTEMS[0]}
        result = [{"from_name": "consistency", "value": {"rating": 5}}]
        path = tmp_path / "export.json"
        path.write_text(json.dumps([{"data": data, "annotations": [{"completed_by": "ada", "result": result}]}]))
        done = import_file(study.project, "label-studio", path)
        assert done["accepted"] == 0
        assert "changed elsewhere" in done["refused"][0]["message"]
        assert {item["answer"]["values"]["consistency"] for page in ada.pages() for item in page["items"]} == {1}


def test_a_backup_is_the_database_as_it_stands(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        _rate(study)
        path = backup_project(study.project, tmp_path / "backup.db")
        downloaded = study.person("lead").get("/api/lead/backup").content
    (tmp_path / "downloaded.db").write_bytes(downloaded)
    assert {file.stat().st_mode & 0o077 for file in (path, tmp_path / "study.db")} == {0}
    for copy in (path, tmp_path / "downloaded.db"):
        with sqlite3.connect(copy) as connection:
            assert connection.execute("SELECT COUNT(*) FROM event").fetchone() == (27,)
    with open_study(path) as study:
        assert study.person("ada").get("/api/pages")["waiting"] == "done"


def test_downloads_are_archives_with_safe_names(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        _rate(study)
        response = study.person("lead").get("/api/lead/export/csv")
        assert response.headers["content-disposition"] == 'attachment; filename="parcels.csv.zip"'
        with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
            assert archive.namelist() == ["ratings.csv"]


def _simulated(dialogues: int, people: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    of_dialogue, of_person = draw.normal(0, 0.5, dialogues), draw.normal(0, 0.3, people)
    rows = []
    for d in range(dialogues):
        for s, mean in enumerate((2.5, 3.5)):
            of_summary = draw.normal(0, 0.6)
            for p in range(people):
                value = mean + of_dialogue[d] + of_summary + of_person[p] + draw.normal(0, 0.4)
                rows.append(
                    Rating(f"d{d}", f"s{s}", f"p{p}", "relevance", float(np.clip(value, 0, 100)), scale="0-100")
                )
    return ratings_frame(rows)


def test_the_planner_finds_the_sizes_of_the_effects_it_was_given() -> None:
    found = plan_study(
        _simulated(400, 8, 1), "relevance", dialogues=[5], annotators_per_item=[2], simulations=2
    ).components
    assert found.systems == pytest.approx((2.5, 3.5), abs=0.25)
    assert found.dialogue == pytest.approx(0.5, abs=0.1)
    assert found.summary == pytest.approx(0.6, abs=0.06)
    assert found.annotator == pytest.approx(0.3, abs=0.15)
    assert found.rating == pytest.approx(0.4, abs=0.02)


def test_larger_designs_are_more_certain_and_the_smallest_that_will_do_is_recommended() -> None:
    pilot = _simulated(30, 3, 2)
    plan = plan_study(
        pilot, "relevance", dialogues=[10, 40, 160], annotators_per_item=[2, 3], width=0.3, effect=0.5, simulations=60
    )
    frame = plan.frame.filter(annotators_per_item=3).sort("dialogues")
    assert frame["alpha_width"][0] > frame["alpha_width"][2]
    assert frame["power"].is_sorted()
    assert frame["power"][0] < 0.8 < frame["power"][2]
    assert plan.recommended is not None
    smaller = plan.frame.filter(pl.col("ratings") < plan.recommended["ratings"])
    assert ((smaller["alpha_width"] > 0.3) | (smaller["power"] < 0.8)).all()
    again = plan_study(pilot, "relevance", dialogues=[10], annotators_per_item=[2], simulations=5, seed=3)
    assert again.frame.equals(
        plan_study(pilot, "relevance", dialogues=[10], annotators_per_item=[2], simulations=5, seed=3).frame
    )
    with pytest.raises(UnknownNameError):
        plan_study(pilot, "clarity")
    with pytest.raises(InputError, match="two annotators"):
        plan_study(pilot.filter(annotator="p0"), "relevance")


def test_the_planner_over_http(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        lead = study.person("lead")
        body = {
            "dimension": "relevance",
            "dialogues": [5, 10],
            "annotators_per_item": [2],
            "simulations": 20,
            "width": 2,
        }
        assert "relevance" in lead.send("POST", "/api/lead/plan", body, status=422)["message"]
        _rate(study)
        reply = lead.send("POST", "/api/lead/plan", body)
        assert [row["dialogues"] for row in reply["rows"]] == [5, 10]
        assert reply["recommended"]["dialogues"] == 5


def test_an_empty_corpus_of_ratings_can_be_exported(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        for format in ("jsonl", "csv", "parquet", "xlsx", "corpus", "sheets"):
            export_project(study.project, format, tmp_path / f"{format}.out")
        assert isinstance(read_corpus(tmp_path / "corpus.out"), Corpus)
