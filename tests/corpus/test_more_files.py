"""Archives, databases, web pages, XML, stand-off annotations, boxes that were ticked, sheets that name each other."""

import html
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, inspect_file, read_corpus
from dialgauge.errors import InputError
from tests.corpus.test_strangers import (
    CALLS,
    HEADINGS,
    PEOPLE,
    RATED,
    SYSTEMS,
    TEXTS,
    body,
    lines,
    value,
)
from tests.corpus.written_files import table, workbook

DIMENSIONS = ("coherence", "fluency")
TRUTH = {(d, s, p, dim): float(value(d, s, p, k)) for d, s, p in RATED for k, dim in enumerate(DIMENSIONS)}


def archive(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return path


def said(corpus: Corpus) -> list[str]:
    return [text for account in corpus.accounts for text in (*account.too_much(), account.unread) if text]


def ratings(corpus: Corpus) -> dict[tuple[str, ...], float]:
    key = ("dialogue_id", "system", "annotator", "dimension")
    rows = corpus.ratings.drop_nulls("value").iter_rows(named=True)
    return {tuple(row[name] for name in key): row["value"] for row in rows}


def database(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(
        "create table calls (id text, transcript text); create table ratings (summary_id, rater, dimension, score);"
        "create table summaries (id integer, call_id text, model text, body text);"
    )
    connection.executemany("insert into calls values (?, ?)", CALLS.items())
    of = {key: number for number, key in enumerate(TEXTS, start=1)}
    connection.executemany(
        "insert into summaries values (?, ?, ?, ?)", [(n, *key, TEXTS[key]) for key, n in of.items()]
    )
    rows = [(of[d, s], p, dim, value(d, s, p, k)) for d, s, p in RATED for k, dim in enumerate(DIMENSIONS)]
    connection.executemany("insert into ratings values (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def page(path: Path) -> Path:
    rows = [HEADINGS, *body()]
    cells = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell)).replace(chr(10), '<br>')}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    path.write_text(f"<html><body><h1>Ratings</h1><table>{cells}</table></body></html>", encoding="utf-8")
    return path


def elements(path: Path) -> Path:
    calls = ""
    for d, told in CALLS.items():
        judged = ""
        for s in SYSTEMS:
            rated = "".join(
                f'<rating rater="{p}"><coherence>{value(d, s, p)}</coherence>'
                f"<fluency>{value(d, s, p, 1)}</fluency></rating>"
                for p in PEOPLE
            )
            judged += f'<summary model="{s}"><text>{html.escape(TEXTS[d, s])}</text>{rated}</summary>'
        calls += f'<call id="{d}"><transcript>{html.escape(told)}</transcript>{judged}</call>'
    path.write_text(f'<?xml version="1.0"?><study year="2026">{calls}</study>', encoding="utf-8")
    return path


def drawn(path: Path) -> Path:
    rows = [[str(cell).replace("\n", "<br>") for cell in row] for row in body()]
    drawing = ["# Ratings", "", "| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    path.write_text("\n".join([*drawing, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n", encoding="utf-8")
    return path


def zipped(path: Path) -> Path:
    texts = {p: table(path.parent / "own" / f"{p}.csv", [[*HEADINGS[:4], *HEADINGS[5:]]]) for p in PEOPLE}
    for p, file in texts.items():
        table(file, [[*HEADINGS[:4], *HEADINGS[5:]], *([*row[:4], *row[5:]] for row in body() if row[4] == p)])
    return archive(path, {f"delivery/{p}.csv": file.read_text() for p, file in texts.items()})


def rater_blocks(path: Path) -> Path:
    rows: list[list[Any]] = [["Evaluation of November"], [], ["", "", "", "", "ann", "", "bob", ""]]
    rows.append([*HEADINGS[:4], *["Coherence", "Fluency"] * 2])
    rows += [[d, CALLS[d], s, t, *(value(d, s, p, k) for p in PEOPLE for k in (0, 1))] for (d, s), t in TEXTS.items()]
    return workbook(path, {"Eval": rows})


def sheets_of_people(path: Path) -> Path:
    items = [[f"i{n}", d, CALLS[d], s, text] for n, ((d, s), text) in enumerate(TEXTS.items())]
    sheets: dict[str, Any] = {
        "Read me": [["Fill in your own sheet"]],
        "Items": [["Item", "Call", "Transcript", "Model", "Summary"], *items],
    }
    for p in PEOPLE:
        own = [[f"i{n}", value(d, s, p), value(d, s, p, 1)] for n, (d, s) in enumerate(TEXTS)]
        sheets[p] = [["Item", "Coherence", "Fluency"], *own, ["Average", 3.1, 2.9]]
    return workbook(path, sheets)


def between(path: Path) -> Path:
    rows: list[list[Any]] = [HEADINGS]
    for d in CALLS:
        rows += [
            [f"--- batch of {d} ---"],
            *(row for row in body() if row[0] == d),
            ["Subtotal", "", "", "", "", 3.0, 2.5],
        ]
        rows.append(HEADINGS)  # files put below each other
    return table(path, rows)


def joined_names(path: Path) -> Path:
    rows = [[f"{row[0]}__{row[2]}", row[1], *row[3:]] for row in body()]
    return table(path, [["unit", "source", "hypothesis", "coder", "coherence", "fluency"], *rows])


def labelbox(path: Path) -> Path:
    return lines(
        path,
        [
            {
                "data_row": {"id": f"r{n}", "external_id": d, "row_data": CALLS[d]},
                "metadata_fields": [{"name": "model", "value": s}, {"name": "summary", "value": text}],
                "projects": {"p": {"labels": [_label(d, s, p) for p in PEOPLE]}},
            }
            for n, ((d, s), text) in enumerate(TEXTS.items())
        ],
    )


def _label(d: str, s: str, p: str) -> dict[str, Any]:
    chosen = [{"name": dim, "radio_answer": {"name": str(value(d, s, p, k))}} for k, dim in enumerate(DIMENSIONS)]
    return {"label_details": {"created_by": p}, "annotations": {"classifications": chosen, "objects": []}}


def folders(path: Path) -> Path:
    """A folder for each annotator, with files of the same names."""
    headings = [*HEADINGS[:4], *HEADINGS[5:]]
    for p in PEOPLE:
        own = [[*row[:4], *row[5:]] for row in body() if row[4] == p]
        (path / p).mkdir(parents=True)
        table(path / p / "part1.csv", [headings, *own[:3]])
        table(path / p / "part2.csv", [headings, *own[3:]])
    return path


WRITTEN: dict[str, Callable[[Path], Path]] = {
    "folders": folders,
    "study.sqlite": database,
    "page.html": page,
    "study.xml": elements,
    "table.md": drawn,
    "files.zip": zipped,
    "blocks.xlsx": rater_blocks,
    "people.xlsx": sheets_of_people,
    "between.csv": between,
    "joined.csv": joined_names,
    "labelbox.ndjson": labelbox,
}


@pytest.mark.parametrize("name", WRITTEN)
def test_every_rating_arrives(tmp_path: Path, name: str) -> None:
    corpus = read_corpus(WRITTEN[name](tmp_path / name))
    assert not said(corpus)
    assert ratings(corpus) == TRUTH
    assert set(corpus.summaries["text"]) == set(TEXTS.values())
    assert corpus.dialogues.height == len(CALLS)


PLACES: list[tuple[dict[str, Any], str]] = [
    ({"start": 12}, "a span needs both start and end, or neither"),
    ({"start": 12, "end": None}, "a span needs both start and end, or neither"),
    ({"page": 1}, "the mark 'Wrong' has no place in the text"),
]


@pytest.mark.parametrize(("place", "reason"), PLACES)
def test_a_mark_of_labelbox_without_an_end_is_left_out_and_named(
    tmp_path: Path, place: dict[str, Any], reason: str
) -> None:
    path = labelbox(tmp_path / "a.ndjson")
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for record in records:
        for label in record["projects"]["p"]["labels"]:
            label["annotations"]["objects"] = [{"name": "Wrong", "location": {"start": "0", "end": 7}}]
    records[0]["projects"]["p"]["labels"][0]["annotations"]["objects"].append({"name": "Wrong", "location": place})
    corpus = read_corpus(lines(path, records))
    assert [(problem.line, problem.reason) for problem in corpus.problems] == [(1, reason)]
    assert set(corpus.spans.select("start", "end").iter_rows()) == {(0, 8)}
    assert corpus.spans.height == len(RATED)
    assert ratings(corpus) == TRUTH


def test_a_response_of_scale_that_is_no_object_is_left_out_and_named(tmp_path: Path) -> None:
    def response(d: str, s: str, p: str) -> dict[str, Any]:
        given = enumerate(DIMENSIONS)
        return {"worker": p, "annotations": {dim: {"response": [[str(value(d, s, p, k))]]} for k, dim in given}}

    tasks: list[dict[str, Any]] = [
        {
            "task_id": f"{d} {s}",
            "params": {"metadata": {"dialogue_id": d, "system": s, "dialogue": CALLS[d], "summary": text}},
            "responses": [response(d, s, p) for p in PEOPLE],
        }
        for (d, s), text in TEXTS.items()
    ]
    tasks[1]["responses"].append("skipped")
    tasks.append(tasks[2] | {"responses": None})  # nobody has answered it yet
    corpus = read_corpus(lines(tmp_path / "a.jsonl", tasks))
    assert ratings(corpus) == TRUTH
    reason = "the response does not say which answer is to which question"
    assert [(problem.line, problem.key, problem.reason) for problem in corpus.problems] == [(2, "K-001 / beta", reason)]


LABELS = ("Hallucination", "Omission", "Wrong speaker")


def ticks(d: str, s: str, p: str) -> list[str]:
    return [label for k, label in enumerate(LABELS) if value(d, s, p, k) > 2]


@pytest.mark.parametrize("layout", ["cells", "columns", "lists", "long"])
def test_boxes_that_were_ticked(tmp_path: Path, layout: str) -> None:
    start = [[d, CALLS[d], s, TEXTS[d, s], p] for d, s, p in RATED]
    if layout == "cells":
        rows = [[*row, ", ".join(ticks(row[0], row[2], row[4]))] for row in start]
        path = table(tmp_path / "a.csv", [[*HEADINGS[:5], "Which errors? (tick all)"], *rows])
    elif layout == "columns":
        rows = [[*row, *(one if one in ticks(row[0], row[2], row[4]) else "" for one in LABELS)] for row in start]
        path = table(tmp_path / "a.csv", [[*HEADINGS[:5], *(f"Which errors? {one}" for one in LABELS)], *rows])
    else:
        joined = [("errors", ticks(d, s, p)) for d, s, p in RATED]
        answer = [
            dict([pair]) if layout == "lists" else {"dimension": "errors", "value": "; ".join(pair[1]) or "none"}
            for pair in joined
        ]
        records = [dict(zip(HEADINGS[:5], row, strict=True)) | one for row, one in zip(start, answer, strict=True)]
        path = lines(tmp_path / "a.jsonl", records)
    corpus = read_corpus(path)
    assert not said(corpus)
    found = corpus.ratings.with_columns(corpus.ratings["dimension"].str.split(": ").list.last())
    assert sorted(found["dimension"].unique()) == sorted(LABELS)
    got = {
        (r["dialogue_id"], r["system"], r["annotator"], r["dimension"])
        for r in found.filter(value=1.0).iter_rows(named=True)
    }
    assert got == {(d, s, p, one) for d, s, p in RATED for one in ticks(d, s, p)}
    if layout != "long":  # there, an answer that says nothing is not known to be one
        assert found.height == len(RATED) * len(LABELS)


def test_places_that_belong_together_are_no_labels(tmp_path: Path) -> None:
    places = ["Berlin, Germany", "Ghent, Belgium", "Porto, Portugal"]
    rows = [[*row, places[n % 3]] for n, row in enumerate(body())]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEADINGS, "Site"], *rows]))
    assert "Berlin" not in " ".join(corpus.dimensions)


BRAT = "T1\tNumber 4 6\t12\nA1\tSeverity T1 major\n#1\tAnnotatorNotes T1\tshould be 14\nR1\tCause Arg1:T1 Arg2:T1\n"
WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Error|errorType|severity\n\n\n#Text=Its 12 boxes came.\n"
    "1-1\t0-3\tIts\t_\t_\t\n1-2\t4-6\t12\tNumber\tmajor\t\n1-3\t7-12\tboxes\tEntity[1]\tminor[1]\t\n"
    "1-4\t13-17\tcame\tEntity[1]\tminor[1]\t\n1-5\t17-18\t.\t_\t_\t\n"
)
XMI = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
    'xmlns:custom="http:///webanno/custom.ecore" '
    'xmlns:type4="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore">'
    '<cas:Sofa xmi:id="1" sofaNum="1" sofaString="Its 12 boxes came."/>'
    '<type4:Token xmi:id="2" sofa="1" begin="0" end="3"/>'
    '<custom:Error xmi:id="3" sofa="1" begin="4" end="6" errorType="Number" severity="major"/></xmi:XMI>'
)


def test_marks_beside_their_texts(tmp_path: Path) -> None:
    brat = archive(
        tmp_path / "brat.zip",
        {"b/c1.txt": "Its 12 boxes came.\n", "b/c1.ann": BRAT, "b/c2.txt": "Fine.", "b/c2.ann": ""},
    )
    corpus = read_corpus(brat)
    one, two = corpus.spans.sort("dialogue_id").iter_rows(named=True)
    assert (one["start"], one["end"], one["text"], one["label"], one["severity"]) == (4, 6, "12", "Number", "major")
    assert one["comment"] == "note: should be 14"
    assert (two["dialogue_id"], two["start"]) == ("c2", None)
    assert any("1 relation or event left out" in note for note in corpus.notes)
    (tmp_path / "c.tsv").write_text(WEBANNO)
    found = read_corpus(tmp_path / "c.tsv").spans.sort("start")
    assert found.select("text", "label", "severity").rows() == [
        ("12", "Number", "major"),
        ("boxes came", "Entity", "minor"),
    ]
    (tmp_path / "c.xmi").write_text(XMI)
    assert read_corpus(tmp_path / "c.xmi").spans.select("text", "label", "severity").rows() == [
        ("12", "Number", "major")
    ]


def test_places_of_marks_are_counted_as_the_tool_counts_them(tmp_path: Path) -> None:
    """Rare characters count twice, a line break inside a sentence is escaped, and a document may begin with a gap."""
    (tmp_path / "c.tsv").write_text(
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Error|errorType\n\n\n#Text=Fine \U0001f600.\n"
        "1-1\t1-5\tFine\t_\t\n1-2\t6-9\t\U0001f600.\t_\t\n\n#Text=Its\\n12 bo\u2028xes.\n"
        "2-1\t10-13\tIts\t_\t\n2-2\t14-16\t12\tNumber\t\n2-3\t17-23\tbo\u2028xes\tEntity\t\n",
        encoding="utf-8",
    )
    corpus = read_corpus(tmp_path / "c.tsv")
    assert corpus.summaries["text"].item() == "Fine \U0001f600.\nIts\n12 bo\u2028xes."
    assert corpus.spans.sort("start").select("start", "text").rows() == [(12, "12"), (15, "bo\u2028xes")]


def test_words_beside_elements_are_part_of_the_text(tmp_path: Path) -> None:
    calls = "".join(
        f'<call id="{d}" ratings="1"><transcript>{html.escape(told)}</transcript><summary>It was <b>short</b></summary>'
        f'<rating rater="ann">{n + 1}</rating><rating rater="bob">2</rating></call>'
        for n, (d, told) in enumerate(CALLS.items())
    )
    (tmp_path / "a.xml").write_text(f"<calls>{calls}</calls>", encoding="utf-8")
    corpus = read_corpus(tmp_path / "a.xml")
    assert set(corpus.summaries["text"]) == {"It was short"}
    judged = corpus.ratings.filter(dimension="value")
    assert set(judged.select("annotator", "value").rows()) == {
        ("bob", 2.0),
        *(("ann", n + 1.0) for n in range(len(CALLS))),
    }


def test_changes_beside_a_database_are_read(tmp_path: Path) -> None:
    """A program that has it open keeps them there."""
    path = database(tmp_path / "a.sqlite")
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode = wal")
    connection.execute("update summaries set body = body || ' So it ended.'")
    connection.commit()
    assert set(read_corpus(path).summaries["text"]) == {f"{text} So it ended." for text in TEXTS.values()}
    connection.close()


@pytest.mark.parametrize("averages", [False, True])
def test_a_system_that_is_called_like_a_total(tmp_path: Path, averages: bool) -> None:
    """In a table of ratings nothing but its name tells it from a row that sums up; plainer words are totals."""
    named = {"alpha": "Max", "beta": "lead"}
    texts = [[d, CALLS[d], named[s], text] for (d, s), text in TEXTS.items()]
    judged: list[list[Any]] = [[d, named[s], value(d, s, "ann")] for d, s in TEXTS]
    if averages:
        judged += [[d, word, 3] for d in CALLS for word in ("Average", "Min")]
    table(tmp_path / "texts.csv", [HEADINGS[:4], *texts])
    table(tmp_path / "scores.csv", [[HEADINGS[0], HEADINGS[2], "coherence"], *judged])
    corpus = read_corpus(tmp_path)
    found = {(row["dialogue_id"], row["system"]): row["value"] for row in corpus.ratings.iter_rows(named=True)}
    if averages:
        assert set(found) == {(d, "lead") for d in CALLS}
        assert any("that only sum up others left out: " in note for note in corpus.notes)
    else:
        assert found == {(d, named[s]): float(value(d, s, "ann")) for d, s in TEXTS}


def test_ratings_of_one_system_are_not_those_of_the_others(tmp_path: Path) -> None:
    """Where one summary of each call was rated, the call alone does not say which one."""
    table(tmp_path / "texts.csv", [HEADINGS[:4], *([d, CALLS[d], s, text] for (d, s), text in TEXTS.items())])
    rated = {d: SYSTEMS[n % 2] for n, d in enumerate(CALLS)}
    rows = [[d, s, "ann", value(d, s, "ann")] for d, s in rated.items()]
    table(tmp_path / "scores.csv", [["Call ID", "System", "Annotator", "coherence"], *rows])
    corpus = read_corpus(tmp_path)
    assert not said(corpus)
    assert ratings(corpus) == {(d, s, "ann", "coherence"): float(value(d, s, "ann")) for d, s in rated.items()}


@pytest.mark.parametrize("people", [False, True])
def test_files_with_the_same_calls_keep_their_judgements(tmp_path: Path, people: bool) -> None:
    """The first has a transcript and a dimension more: that is no judgement of what the second is about."""
    second = "alpha" if people else "beta"
    first = [[d, CALLS[d], TEXTS[d, "alpha"], value(d, "alpha", "ann"), value(d, "alpha", "ann", 1)] for d in CALLS]
    other = [[d, TEXTS[d, second], value(d, second, "bob")] for d in CALLS]
    names = ("ann.csv", "bob.csv") if people else ("alpha.csv", "beta.csv")
    table(tmp_path / names[0], [["Call ID", "Transcript", "Summary", "Coherence", "Fluency"], *first])
    table(tmp_path / names[1], [["Call ID", "Summary", "Coherence"], *other])
    found = read_corpus(tmp_path).ratings.filter(dimension="fluency").drop_nulls("value")
    assert sorted(found["value"]) == sorted(float(row[4]) for row in first)


def test_references_without_spaces_are_no_ids(tmp_path: Path) -> None:
    rows = [[f"c{n}", "alpha", f"客户询问订单{n}号。", f"客户问{n}号的发货时间。"] for n in range(4)]
    corpus = read_corpus(table(tmp_path / "a.csv", [["dialogue_id", "system", "summary", "reference"], *rows]))
    assert set(corpus.references["text"]) == {row[3] for row in rows}


def test_marks_inside_their_texts(tmp_path: Path) -> None:
    rows = [
        [d, CALLS[d], s, t.replace("parcel", '<err type="wrong">parcel</err>'), "ann"] for (d, s), t in TEXTS.items()
    ]
    corpus = read_corpus(table(tmp_path / "a.csv", [HEADINGS[:5], *rows]))
    assert set(corpus.summaries["text"]) == set(TEXTS.values())
    assert set(corpus.spans.select("text", "label").rows()) == {("parcel", "wrong")}
    assert corpus.spans.height == len(TEXTS)


def test_what_is_left_out_or_has_no_heading_ends_with_an_error(tmp_path: Path) -> None:
    apart = workbook(
        tmp_path / "apart.xlsx", {"Data": [HEADINGS, *body()], "More": [["Who", "Clarity"], ["ann", 4], ["bob", 2]]}
    )
    assert any("the sheet 'More' looks like judgements" in text for text in said(read_corpus(apart)))
    percent = table(
        tmp_path / "p.csv",
        [HEADINGS, *body(lambda d, s, p: [f"{value(d, s, p)},5 %", f"{value(d, s, p)}"])],
        separator=";",
    )
    assert ratings(read_corpus(percent))["K-001", "alpha", "ann", "coherence"] == value("K-001", "alpha", "ann") + 0.5


@pytest.mark.parametrize(
    ("name", "members", "reason"),
    [
        ("a.zip", {"../../b.csv": "id,summary\n1,x\n"}, "leads out of the archive"),
        ("b.zip", {"notes.pdf": "x"}, "format is not clear"),
        ("c.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares entities"),
        ("d.html", "<p>No table</p>", "no table in this page"),
        ("e.sqlite", "no database at all, and longer than a header of one would be", "SQLite"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, name: str, members: Any, reason: str) -> None:
    path = tmp_path / name
    if isinstance(members, dict):
        archive(path, members)
    else:
        path.write_text(members)
    with pytest.raises(InputError, match=reason):
        read_corpus(path)


def test_a_nested_answer_of_scale(tmp_path: Path) -> None:
    tasks = [
        {
            "task_id": f"t{n}",
            "metadata": {"conversation_id": d, "model_name": s},
            "params": {
                "attachments": [{"name": "conversation", "content": CALLS[d]}, {"name": "summary", "content": text}]
            },
            "responses": [
                {
                    "worker": p,
                    "annotations": {dim: {"response": [[str(value(d, s, p, k))]]} for k, dim in enumerate(DIMENSIONS)},
                }
                for p in PEOPLE
            ],
        }
        for n, ((d, s), text) in enumerate(TEXTS.items())
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    corpus = read_corpus(tmp_path / "tasks.json")
    assert not said(corpus)
    assert ratings(corpus) == TRUTH


def test_a_column_beside_mapped_dimensions_says_why_it_is_not_used(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", [HEADINGS, *body()])
    columns = {one.name: one for one in inspect_file(path, mapping={"dimension:q": "Fluency"}).columns}
    assert columns["Fluency"].use == "dimension:q"
    assert columns["Coherence"].why == "the mapping names the dimensions, and this is none of them"
