"""[Re] DialSummEval: the counts on the real data, and the whole path on a made study."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.cli import main
from dialgauge.errors import InputError
from dialgauge.reproduce import PaperCheck, load_printed, recompute_paper
from dialgauge.reproduce.papers.re_dialsummeval import pair_rows

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


@pytest.fixture(scope="module")
def real(data_dir: Path) -> PaperCheck:
    return recompute_paper("re-dialsummeval", data_dir)


@pytest.mark.data
@pytest.mark.parametrize(
    ("table", "matched", "total"),
    [
        ("1-system", 128, 128),
        ("1-summary-as-published", 127, 128),
        ("1-summary-corrected", 20, 128),
        ("2", 98, 98),
        ("3", 31, 32),
        ("4", 8, 8),
        ("4-corrected", 0, 4),
        ("5", 252, 256),
        ("6", 98, 98),
    ],
)
def test_counts(real: PaperCheck, table: str, matched: int, total: int) -> None:
    assert (real.table(table).matched, real.table(table).total) == (matched, total)


@pytest.mark.data
def test_corrected_values(real: PaperCheck) -> None:
    cells = real.table("4-corrected").cells
    assert [round(cell.recomputed or 0, 3) for cell in cells] == [0.848, 0.907, 0.833, 0.852]
    assert all(c.interval is not None and c.interval[0] < (c.recomputed or 0) < c.interval[1] for c in cells)
    summary = real.table("1-summary-corrected")
    assert max(abs((c.recomputed or 0) - c.value) for c in summary.cells) == pytest.approx(0.138, abs=5e-4)
    assert "by up to 0.138" in summary.text
    assert "0 of 100 dialogues" in real.table("1-summary-as-published").text


@pytest.mark.data
def test_defects(real: PaperCheck) -> None:
    checks = [defect.check for defect in real.defects]
    assert checks.count("row-order") == 2
    assert {"unset", "copied-annotator", "stars", "bold", "repeated-name", "drift"} <= set(checks)
    by_check = {defect.check: defect for defect in real.defects}
    assert len(by_check["unset"].keys) == 4
    assert "annotators 2 and 3" in by_check["copied-annotator"].where
    assert "as first published" in by_check["copied-annotator"].where
    assert [key.partition(":")[0] for key in by_check["stars"].keys] == [
        "ROUGE-1 coherence/system",
        "SMS fluency/system",
        "SMS relevance/system",
        "FEQA+ relevance/system",
    ]
    assert by_check["drift"].keys[0].startswith("annotator 1, relevance: +")
    severities = [("error", "warning", "note").index(defect.severity) for defect in real.defects]
    assert severities == sorted(severities)


@pytest.mark.data
def test_one_printed_cell_contradicts_another(real: PaperCheck) -> None:
    (cell,) = real.table("1-summary-as-published").mismatches
    assert (cell.row, cell.column, cell.printed, cell.shown) == ("DAE+", "relevance/summary", "0", "0.01")
    notes = {c.row: c.note for c in real.table("5").mismatches}
    assert notes["DAE+"] == "-0.28 with Table 1 as recomputed"


# --- a made study: six dialogues, the names of the real one, numbers from a generator ---


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder like the real one. The metrics list the dialogues in another order than the ratings."""
    rng = np.random.default_rng(7)
    printed = load_printed("re_dialsummeval.toml")
    metrics, systems = printed["1"].rows, printed["2"].rows
    folder = tmp_path / "dialsummeval"
    folder.mkdir()
    ids = [f"d{i}" for i in range(6)]
    metric_position, ablation_position = [3, 4, 5, 0, 1, 2], [1, None, 0, None, 2, None]
    write(
        folder / "dialogues.jsonl",
        [
            {
                "dialogue_id": d,
                "pos_judgment": i,
                "pos_metrics": metric_position[i],
                "pos_ablation": ablation_position[i],
                "dialogue": f"| Ann: this is {d} | Bob: so it is",
            }
            for i, d in enumerate(ids)
        ],
    )
    keys = [(d, s) for d in ids for s in systems]
    write(
        folder / "summaries.jsonl",
        [{"dialogue_id": d, "system": s, "system_name": s, "summary": f"{d} by {s}"} for d, s in keys],
    )
    quality = {key: rng.normal() for key in keys}
    for name, dialogues in (("original", ids), ("reproduction", ids), ("ablation", ["d0", "d2", "d4"])):
        rows = []
        for d, s in keys:
            for annotator in (1, 2, 3) if d in dialogues else ():
                values = {x: int(np.clip(round(3 + quality[d, s] + rng.normal() / 2), 1, 5)) for x in DIMENSIONS}
                row = {"dialogue_id": d, "system": s, "annotator": annotator, **values}
                rows.append({**row, "coherence_upstream_head": values["coherence"]} if name == "original" else row)
        write(folder / f"human_{name}.jsonl", rows)
    with (folder / "metric_scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dialogue_id", "system", *metrics])
        for key in keys:
            writer.writerow([*key, *(quality[key] + rng.normal() for _ in metrics)])
    return folder


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def edit(path: Path, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the row on this line (from 1) of a JSONL file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows[number - 1])
    write(path, rows)


def test_pair_rows() -> None:
    frame = pl.DataFrame({"dialogue_id": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]})
    replayed = pair_rows(frame, own=["b", "c", "a"], other=["a", "b", "c"])
    assert dict(replayed.select("dialogue_id", "score").iter_rows()) == {"a": 2.0, "b": 3.0, "c": 1.0}


def test_mispairing_is_replayed(made: Path) -> None:
    """Against a calculation that knows rows only: the k-th block of one file beside the k-th block of the other."""
    check = recompute_paper("re-dialsummeval", made)
    ratings = [json.loads(line) for line in (made / "human_reproduction.jsonl").read_text().splitlines()]
    values = np.array([row["fluency"] for row in ratings], dtype=float).reshape(6, 14, 3)
    scores = pl.read_csv(made / "metric_scores.csv")["chrf"].to_numpy().reshape(6, 14)
    human = np.array([[_majority_or_mean(cell) for cell in row] for row in values])
    by_row = scores[[3, 4, 5, 0, 1, 2]]
    for table, paired in (("1-summary-as-published", by_row), ("1-summary-corrected", scores)):
        expected = np.mean([np.corrcoef(h, s)[0, 1] for h, s in zip(human, paired, strict=True)])
        (cell,) = [c for c in check.table(table).cells if (c.row, c.column) == ("CHRF", "fluency/summary")]
        assert cell.recomputed == pytest.approx(expected, abs=1e-12)
    (system,) = [c for c in check.table("1-system").cells if (c.row, c.column) == ("CHRF", "fluency/system")]
    assert system.recomputed == pytest.approx(np.corrcoef(human.mean(axis=0), scores.mean(axis=0))[0, 1], abs=1e-12)


def _majority_or_mean(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()] if counts.max() > 1 else values.mean())


def test_ablation_is_replayed(made: Path) -> None:
    check = recompute_paper("re-dialsummeval", made)
    frames = {}
    for name in ("reproduction", "ablation"):
        rows = [json.loads(line) for line in (made / f"human_{name}.jsonl").read_text().splitlines()]
        values: dict[tuple[str, str], list[Any]] = {(r["dialogue_id"], r["system"]): [] for r in rows}
        for row in rows:
            values[row["dialogue_id"], row["system"]].append(row["relevance"])
        frames[name] = {key: _majority_or_mean(np.array(v, dtype=float)) for key, v in values.items()}
    systems = sorted({system for _, system in frames["ablation"]})
    own, other = ["d2", "d0", "d4"], ["d0", "d2", "d4"]  # by pos_ablation, and by pos_judgment
    for table, order in (("4", own), ("4-corrected", other)):
        pairs = [
            (frames["ablation"][a, s], frames["reproduction"][b, s])
            for a, b in zip(order, other, strict=True)
            for s in systems
        ]
        cells = [c for c in check.table(table).cells if (c.row[:4], c.column) == ("Full", "relevance")]
        assert cells[0].recomputed == pytest.approx(np.corrcoef(np.array(pairs).T)[0, 1], abs=1e-12)


def test_made_defects_are_found_where_they_are_put(made: Path) -> None:
    names = {"row-order", "stars", "bold", "repeated-name"}
    before = {defect.check for defect in recompute_paper("re-dialsummeval", made).defects}
    assert names <= before
    assert not {"unset", "copied-annotator"} & before

    def unset(row: dict[str, Any]) -> None:
        row.update(dict.fromkeys(DIMENSIONS, 0))

    edit(made / "human_reproduction.jsonl", 5, unset)
    path = made / "human_original.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    second = {(r["dialogue_id"], r["system"]): r["coherence"] for r in rows if r["annotator"] == 2}
    for row in rows:
        if row["annotator"] == 3:
            row["coherence_upstream_head"] = second[row["dialogue_id"], row["system"]]
    write(path, rows)
    after = {defect.check: defect for defect in recompute_paper("re-dialsummeval", made).defects}
    assert after["unset"].keys == ("d0 / B / 2",)
    assert "coherence, annotators 2 and 3" in after["copied-annotator"].where


def test_same_order_is_no_defect(made: Path) -> None:
    rows = [json.loads(line) for line in (made / "dialogues.jsonl").read_text().splitlines()]
    rated_again = iter(range(len(rows)))
    for row in rows:
        row["pos_metrics"] = row["pos_judgment"]
        row["pos_ablation"] = None if row["pos_ablation"] is None else next(rated_again)
    write(made / "dialogues.jsonl", rows)
    check = recompute_paper("re-dialsummeval", made)
    assert "row-order" not in {defect.check for defect in check.defects}
    for one, other in (("1-summary-as-published", "1-summary-corrected"), ("4", "4-corrected")):
        wanted = [(c.row, c.column) for c in check.table(other).cells]
        published = {(c.row, c.column): c.recomputed for c in check.table(one).cells}
        assert [published[key] for key in wanted] == [c.recomputed for c in check.table(other).cells]


# --- bad data ---


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "human_reproduction.jsonl",
            {"fluency": "five"},
            r"human_reproduction\.jsonl:3: \[d0 / A / 3\] fluency must be",
        ),
        ("human_reproduction.jsonl", {"fluency": float("nan")}, "fluency must be a number or null; got nan"),
        ("human_reproduction.jsonl", {"fluency": True}, "fluency must be a number or null; got True"),
        ("human_reproduction.jsonl", {"annotator": 2}, r"\[d0 / A / .*2 / coherence\] duplicate"),
        ("human_reproduction.jsonl", {"annotator": None}, r"human_reproduction\.jsonl:3: .*no annotator"),
        ("human_ablation.jsonl", {"system": "Z"}, r"\[d0 / Z / .*\] rating of a summary that is not in the corpus"),
        ("dialogues.jsonl", {"pos_metrics": "x"}, r"dialogues\.jsonl:3: \[d2\] pos_metrics must be a row number"),
        ("dialogues.jsonl", {"pos_judgment": 0}, "pos_judgment 0 is also that of dialogue d0"),
        ("dialogues.jsonl", {"dialogue_id": "d0"}, r"\[d0\] duplicate"),
        ("dialogues.jsonl", {"dialogue_id": 3}, r"dialogues\.jsonl:3: dialogue_id must be a text; got 3"),
        ("summaries.jsonl", {"summary": None}, r"\[d0 / C / .*\] the summary has no text"),
        ("summaries.jsonl", {"system": "A"}, r"\[d0 / A / .*\] duplicate"),
        ("summaries.jsonl", {"dialogue_id": "d9"}, r"\[d9 / C / .*\] summary of a dialogue that is not in the corpus"),
    ],
)
def test_bad_rows_are_named(made: Path, file: str, change: dict[str, Any], message: str) -> None:
    edit(made / file, 3, lambda row: row.update(change))
    with pytest.raises(InputError, match=message):
        recompute_paper("re-dialsummeval", made)


def test_ablation_without_a_place(made: Path) -> None:
    edit(made / "dialogues.jsonl", 3, lambda row: row.update(pos_ablation=None))
    with pytest.raises(InputError, match=r"\[d2\] rated in the ablation, but has no pos_ablation"):
        recompute_paper("re-dialsummeval", made)


@pytest.mark.parametrize("how", ["one annotator", "all equal"])
def test_ratings_that_say_nothing(made: Path, how: str) -> None:
    """No crash and no NaN: cells without a value say so."""
    path = made / "human_reproduction.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    if how == "one annotator":
        write(path, [row for row in rows if row["annotator"] == 1])
    else:
        write(path, [row | dict.fromkeys(DIMENSIONS, 4) for row in rows])
    check = recompute_paper("re-dialsummeval", made)
    cells = {(c.row, c.column): c for c in check.table("3").cells}
    alpha = cells["Krippendorff's α (total)", "fluency/reproduction"]
    assert (alpha.recomputed, alpha.matches, alpha.note) == (None, False, "no value in the data")
    constant = check.table("1-system").cells[0].recomputed is None
    assert constant == (how == "all equal")
    expected = "one-annotator" if how == "one annotator" else "all-equal"
    assert expected in {defect.check for defect in check.defects}


def test_missing_field(made: Path) -> None:
    edit(made / "human_original.jsonl", 1, lambda row: row.pop("coherence_upstream_head"))
    with pytest.raises(InputError, match=r"human_original\.jsonl:1: .*no coherence_upstream_head"):
        recompute_paper("re-dialsummeval", made)


@pytest.mark.parametrize("text", ["{", "[1, 2]", '"text"'])
def test_lines_that_are_no_objects(made: Path, text: str) -> None:
    with (made / "human_ablation.jsonl").open("a") as file:
        file.write(text + "\n")
    with pytest.raises(InputError, match=r"human_ablation\.jsonl:127: not (a )?JSON"):
        recompute_paper("re-dialsummeval", made)


def test_not_utf8(made: Path) -> None:
    (made / "human_ablation.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"human_ablation\.jsonl: not UTF-8"):
        recompute_paper("re-dialsummeval", made)


@pytest.mark.parametrize("value", ["inf", "nan", "much", ""])
def test_bad_scores(made: Path, value: str) -> None:
    path = made / "metric_scores.csv"
    lines = path.read_text().splitlines()
    lines[1] = ",".join([*lines[1].split(",")[:-1], value])
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"metric_scores\.csv:2: \[d0 / A\] dae: not a finite number"):
        recompute_paper("re-dialsummeval", made)


def test_scores_that_lack_something(made: Path) -> None:
    path = made / "metric_scores.csv"
    frame = pl.read_csv(path)
    frame.head(-1).write_csv(path)
    with pytest.raises(InputError, match=r"no scores for 1 summaries \(first: d5 / N\)"):
        recompute_paper("re-dialsummeval", made)
    pl.concat([frame, frame.head(1)]).write_csv(path)
    with pytest.raises(InputError, match=r"\[d0 / A\] duplicate key"):
        recompute_paper("re-dialsummeval", made)
    frame.drop("chrf", "ppl").write_csv(path)
    with pytest.raises(InputError, match="no metric ppl, chrf"):
        recompute_paper("re-dialsummeval", made)
    frame.drop("system").write_csv(path)
    with pytest.raises(InputError, match="missing column 'system'"):
        recompute_paper("re-dialsummeval", made)
    path.write_text("")
    with pytest.raises(InputError, match=r"metric_scores\.csv: not a CSV file"):
        recompute_paper("re-dialsummeval", made)


# --- the command ---


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", ["dialgauge", "paper", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit:
        main()
    return int(exit.value.code or 0)


def test_command_json(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "re-dialsummeval", "--data", made.parent, "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["tables"]) == [
        "1-system", "1-summary-as-published", "1-summary-corrected", "2", "3", "4", "4-corrected", "5", "6",
    ]  # fmt: skip
    assert [table["total"] for table in data["tables"].values()] == [128, 128, 128, 98, 32, 8, 4, 256, 98]
    assert all(0 <= table["matched"] <= table["total"] for table in data["tables"].values())
    corrected = data["tables"]["1-summary-corrected"]
    assert set(corrected["values"]["ROUGE-1"]) == {f"{d}/summary" for d in DIMENSIONS}
    low, high = corrected["intervals"]["ROUGE-1"]["fluency/summary"]
    assert low < corrected["values"]["ROUGE-1"]["fluency/summary"] < high
    assert {"check", "severity", "where", "message", "keys"} == set(data["defects"][0])


def test_command_text_and_files(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, cells = tmp_path / "paper.html", tmp_path / "cells.csv"
    assert run(monkeypatch, "re-dialsummeval", "--data", made, "--html", page, "--csv", cells) == 0
    out = capsys.readouterr().out
    assert "1-summary-as-published" in out
    assert "Defects" in out
    assert "row-order" in out
    with cells.open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 128 * 3 + 98 * 2 + 32 + 8 + 4 + 256
    assert "Table 4-corrected" in page.read_text(encoding="utf-8")


def test_command_one_table(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "re-dialsummeval", "--data", made, "--table", "4-corrected") == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out
    assert out.count("Full Reproduction-Ablation") == 4
    assert "ROUGE" not in out
    assert run(monkeypatch, "re-dialsummeval", "--data", made, "--table", "4", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["tables"]["4"]["cells"]) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("re-dialsumeval", "--data", "{made}"), "unknown paper 're-dialsumeval'; did you mean 're-dialsummeval'?"),
        (("re-dialsummeval", "--data", "{made}/nowhere"), "no such folder"),
        (("re-dialsummeval", "--data", "{made}/summaries.jsonl"), "not a folder"),
        (("re-dialsummeval", "--data", "{made}", "--table", "7"), "unknown table '7'"),
    ],
)
def test_command_errors(
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    assert run(monkeypatch, *(argument.format(made=made) for argument in arguments)) == 2
    captured = capsys.readouterr()
    assert message in " ".join(captured.err.split())
    assert captured.out == ""


def test_command_names_the_missing_file(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (made / "human_ablation.jsonl").unlink()
    assert run(monkeypatch, "re-dialsummeval", "--data", made.parent) == 2
    assert "no human_ablation.jsonl in" in " ".join(capsys.readouterr().err.split())
