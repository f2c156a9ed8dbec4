"""Columns with names of ours, files that are no texts, single people in objects, and second readings in memory."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import read_corpus

Cli = Callable[..., Any]
IMPORTS = Path(__file__).parent / "imports"


def test_a_column_of_ids_called_like_one_that_counts(tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    rows = [
        f"{n},Ana: Hi {n} | Bo: Ho,It is {n}-{k}.,e{n}{k},{who},{(n + k) % 5 + 1}"
        for n in range(4)
        for k in (1, 2)
        for who in ("ann", "bob")
    ]
    path.write_text("\n".join(["_n,dialogue,summary,edit_id,annotator,fluency", *rows]))
    corpus = read_corpus(path, mapping={"dialogue_id": "_n"})
    assert corpus.dialogues["dialogue_id"].to_list() == ["0", "1", "2", "3"]
    assert corpus.ratings.height == 16


def test_files_that_hold_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text("id,dialogue,system,summary\n1,Ana: Hi | Bo: Ho,x,They greet.\n")
    (tmp_path / "more.csv").write_text("id,dialogue,system,summary\n2,Ana: Hi | Bo: Hu,x,They meet.\n")
    assert not any("hold no text" in note for note in read_corpus(tmp_path).notes)
    for number in range(7):
        (tmp_path / f"call{number}.wav").write_bytes(b"RIFF\0\0\0\0")
    notes = read_corpus(tmp_path).notes
    named = "call0.wav, call1.wav, call2.wav, call3.wav, call4.wav and 2 more"
    assert f"not read, as they hold no text: {named}" in notes


def judged(number: int, name: str, key: str = "ratings") -> dict[str, Any]:
    talk = {"id": f"c{number}", "dialogue": f"Ana: Hi {number} | Bo: Ho", "system": "x", "summary": f"Call {number}."}
    return {**talk, key: {name: {"overall": number % 5 + 1}}}


@pytest.mark.parametrize("key", ["ratings", "human"])
def test_one_person_in_each_object(key: str, tmp_path: Path) -> None:
    path = tmp_path / "single.jsonl"
    people = ["ann", "bob", "cy"] * 2
    path.write_text("".join(json.dumps(judged(n, who, key)) + "\n" for n, who in enumerate(people)))
    ratings = read_corpus(path, strict=True).ratings
    assert ratings.select("annotator", "dimension", "value").rows() == [
        (who, "overall", n % 5 + 1) for n, who in enumerate(people)
    ]


def test_names_of_systems_are_no_people(tmp_path: Path) -> None:
    path = tmp_path / "systems.jsonl"
    records = [{**judged(n, system), "system": system} for n, system in enumerate(["x", "y"] * 3)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert not {"x", "y"} & set(read_corpus(path).ratings["annotator"])


def test_a_table_in_memory_is_read_by_what_it_holds_as_a_file_is() -> None:
    path = IMPORTS / "unknown_headings.csv"
    mapping = {"dialogue_id": "job", "system": "origin", "annotator": "who", "dimension": "asked"}
    of_file = read_corpus(path, mapping=mapping)
    in_memory = read_corpus(pl.read_csv(path, infer_schema=False), mapping=mapping)
    assert of_file.ratings.height
    for name in ("dialogues", "summaries", "ratings"):
        assert getattr(in_memory, name).equals(getattr(of_file, name))


def test_a_stream_counts_what_is_left_out(tmp_path: Path, cli: Cli) -> None:
    rows = [{"id": f"c{n}", "dialogue": "Ana: Hi | Bo: Ho", "system": "x", "summary": "They greet."} for n in range(10)]
    frame = pl.DataFrame([*rows, {**rows[0], "id": None}, {**rows[0], "id": None}])
    frame.write_parquet(tmp_path / "calls.parquet")
    words = ["score", tmp_path / "calls.parquet", "-m", "length", "--stream", "-o"]
    refused = cli(*words, tmp_path / "a")
    assert refused.code == 1
    assert "2 of 12 rows left out (17%)" in refused.err
    assert "--allow-left-out" in refused.err
    assert cli(*words, tmp_path / "b", "--allow-left-out", "20%").code == 0
