"""Files as people really have them: every entry of ``imports/imports.json`` gives what it says."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus

Cli = Callable[..., Any]
FOLDER = Path(__file__).parent / "imports"
ENTRIES = {entry["id"]: entry for entry in json.loads((FOLDER / "imports.json").read_text("utf-8"))["entries"]}


DOCS = Path(__file__).parents[2] / "docs" / "corpus.md"
TYPED = re.findall(r"^\| .* \| `dialgauge (convert [^`]+)` \|$", DOCS.read_text("utf-8"), re.MULTILINE)


#: What the file of each row holds, counted in the file by hand: dialogues, summaries with references, judgements.
#: ``choices`` are answered questions, ``spans`` marks, and ``readings`` of summaries are those with and without a mark.
HOLDS: dict[str, dict[str, int]] = {
    "calls_base.csv": {"dialogues": 4, "summaries": 8},
    "calls_base.csv --ratings ratings_only.csv": {"dialogues": 4, "summaries": 8, "ratings": 32},
    "ratings_only.csv": {"dialogues": 4, "summaries": 8, "ratings": 32},
    "mturk_batch.csv": {"dialogues": 4, "summaries": 8, "ratings": 66},
    "mturk_task_answers.csv": {"dialogues": 3, "summaries": 6, "ratings": 24},
    "qualtrics.csv": {"dialogues": 3, "summaries": 6, "ratings": 24},
    "prolific_ratings.csv": {"dialogues": 3, "summaries": 6, "ratings": 36},
    "labelstudio_export.json": {"dialogues": 3, "summaries": 6, "ratings": 24, "spans": 6, "readings": 12},
    "labelstudio_export.csv": {"dialogues": 3, "summaries": 6, "ratings": 24},
    "labelstudio_pairwise.json": {"dialogues": 4, "summaries": 8, "preferences": 8},
    "argilla_records.jsonl": {"dialogues": 3, "summaries": 6, "ratings": 24},
    "doccano_spans.jsonl": {"dialogues": 4, "summaries": 8, "spans": 4, "readings": 8},
    "calls_base.csv --ratings potato_annotated_instances.jsonl": {"dialogues": 4, "summaries": 8, "ratings": 31},
    "hf_nested": {"dialogues": 4, "summaries": 12, "ratings": 32},
    "nested_two_levels.jsonl": {"dialogues": 4, "summaries": 8, "ratings": 16},
    "text_at_levels.jsonl": {"dialogues": 3, "summaries": 6},
    "summeval_layout.jsonl": {"dialogues": 3, "summaries": 12, "ratings": 192},
    "rose_layout.jsonl": {"dialogues": 4, "summaries": 16, "ratings": 24},
    "frank_layout.json": {"dialogues": 3, "summaries": 9, "ratings": 24, "spans": 7, "readings": 18},
    "tofueval_layout.csv": {"dialogues": 4, "summaries": 8, "ratings": 12},
    "claims_without_systems.csv": {"dialogues": 4, "summaries": 12, "ratings": 12},
    "edited_summaries.json": {"dialogues": 3, "summaries": 15, "ratings": 12},
    "mqm.tsv": {"dialogues": 4, "summaries": 8, "spans": 7, "readings": 16},
    "spans_offsets.csv": {"dialogues": 3, "summaries": 6, "spans": 21, "readings": 12},
    "preferences.csv": {"dialogues": 4, "summaries": 12, "preferences": 24},
    "best_worst.csv": {"dialogues": 4, "summaries": 12, "choices": 8},
    "own_words.csv": {"dialogues": 2, "summaries": 2, "ratings": 10},
    "wide_versions.csv": {"dialogues": 6, "summaries": 12, "ratings": 12},
    "wide_models.csv": {"dialogues": 6, "summaries": 18},
    "german_excel.csv": {"dialogues": 4, "summaries": 8, "ratings": 16},
    "explicit_dimensions.csv": {"dialogues": 4, "summaries": 8, "ratings": 32},
    "lower_is_better.csv": {"dialogues": 4, "summaries": 8, "ratings": 64},
    "conflicting_duplicates.csv": {"dialogues": 4, "summaries": 8, "ratings": 16},
    "third_unreadable.csv": {"dialogues": 4, "summaries": 8, "ratings": 11},
    "file_per_person": {"dialogues": 4, "summaries": 12, "ratings": 48},
    "blind_key": {"dialogues": 4, "summaries": 12, "ratings": 48},
    "database_tables": {"dialogues": 4, "summaries": 12, "ratings": 48},
    "unknown_headings.csv": {"dialogues": 4, "summaries": 12, "ratings": 48},
    "genesys_transcript.json": {"dialogues": 1},
    "amazon_connect.json": {"dialogues": 1, "summaries": 1},
    "twilio_transcript.json": {"dialogues": 1},
    "zoom.vtt": {"dialogues": 1},
    "teams.vtt": {"dialogues": 1},
}


def _files(command: str) -> str:
    """The files that a command of the table names."""
    words = command.split()
    place = words.index("--ratings") if "--ratings" in words else len(words)
    return " ".join([words[1], *words[place : place + 2]])


@pytest.mark.parametrize("command", TYPED)
def test_the_table_of_the_documentation(
    command: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    words = [str(tmp_path / "out") if word == "corpus" else word for word in shlex.split(command)]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    found = _found(read_corpus(tmp_path / "out", strict=True))
    assert {name: count for name, count in found.items() if count} == HOLDS[_files(command)]


def test_the_table_has_rows() -> None:
    assert len(TYPED) >= 30


def _found(corpus: Corpus) -> dict[str, int]:
    return {
        "dialogues": corpus.dialogues.height,
        "summaries": corpus.summaries.height,
        "ratings": corpus.ratings["value"].count(),
        "preferences": corpus.preferences.height,
        "choices": corpus.choices.select("dialogue_id", "tuple", "annotator", "dimension").n_unique(),
        "spans": corpus.spans["start"].count(),
        "readings": corpus.spans.select("dialogue_id", "system", "variant", "role", "annotator").n_unique(),
    }


@pytest.mark.parametrize("name", ENTRIES)
def test_entry(name: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ENTRIES[name]
    monkeypatch.chdir(FOLDER)
    outcome = _run(entry, cli, tmp_path)
    expect = entry["expect"]
    assert (outcome.code == 0) == (expect["exit"] == "zero"), outcome.err
    said = outcome.err
    found: dict[str, Any] = {}
    if outcome.out.strip().startswith("{"):
        found = json.loads(outcome.out)
        said += "\n".join([*found.get("notes", []), *map(str, found.get("problems", [])), *found.get("too_much", [])])
    for pattern in expect.get("says", ()):
        assert re.search(pattern, said, re.IGNORECASE), said
    if "run_ratings" in expect:
        raw = read_corpus(tmp_path / "out" / "corpus").ratings
        assert raw.height == expect["run_ratings"]
    if expect["exit"] != "zero":
        assert not (tmp_path / "out").exists()
    elif entry["command"] == "convert":
        corpus = read_corpus(tmp_path / "out")
        wrong = [*_counts(corpus, expect), *_dimensions(found["dimensions"], expect), *_texts(corpus, expect)]
        wrong += [f"values: {row}" for row in expect.get("values", ()) if not _has(corpus, row)]
        if "left_out" in expect and len(found["problems"]) != expect["left_out"]:
            wrong.append(f"left out: {found['problems']}")
        assert wrong == []


def _run(entry: dict[str, Any], cli: Cli, folder: Path) -> Any:
    if entry["command"] == "run":
        return cli("run", entry["file"], "-o", folder / "out", "--json", *entry["options"])
    if entry["command"] == "score":
        return cli("score", entry["file"], *entry["options"], "--json")
    return cli("convert", entry["file"], folder / "out", *entry["options"], "--json")


def _counts(corpus: Corpus, expect: dict[str, Any]) -> Iterator[str]:
    spans = corpus.spans
    tables = (corpus.ratings, corpus.preferences, corpus.choices, spans)
    people = {who for frame in tables for who in frame["annotator"].unique()}
    found = _found(corpus)
    counts = {
        **found,
        "ratings": corpus.ratings.height,
        "given": found["ratings"],
        "ties": corpus.preferences.filter(winner="tie").height,
        "span_passes": found["readings"],
        "severities": sorted(spans["severity"].drop_nulls().unique()),
        "annotators": len(people),
        "systems": corpus.systems,
        "sentences": bool(corpus.ratings["sentence"].is_not_null().all()),
    }
    for key, value in counts.items():
        if key in expect and expect[key] != value:
            yield f"{key}: {value}, expected {expect[key]}"
    if corpus.ratings.height < expect.get("ratings_min", 0):
        yield f"ratings: {corpus.ratings.height}"
    ids = set(corpus.dialogues["dialogue_id"])
    yield from (f"no dialogue {name}" for name in expect.get("ids", ()) if name not in ids)


def _dimensions(found: dict[str, Any], expect: dict[str, Any]) -> Iterator[str]:
    rated = {name.lower(): about for name, about in found.items() if about["kind"] != "span"}
    if "dimensions" in expect:
        if set(rated) != set(expect["dimensions"]):
            yield f"dimensions: {sorted(rated)}"
        for name, wanted in expect["dimensions"].items():
            about = rated.get(name, {})
            yield from (f"{name}: {key} {about.get(key)}" for key, value in wanted.items() if about.get(key) != value)
    if "dimensions_count" in expect and len(rated) != expect["dimensions_count"]:
        yield f"dimensions: {sorted(rated)}"
    kinds = sorted({about["kind"] for about in rated.values()})
    if "kinds" in expect and kinds != sorted(expect["kinds"]):
        yield f"kinds: {kinds}"


def _texts(corpus: Corpus, expect: dict[str, Any]) -> Iterator[str]:
    dialogues = {dialogue.id: dialogue for dialogue in corpus.iter_dialogues()}
    for name, number in expect.get("turns", {}).items():
        if len(dialogues[name].turns) != number:
            yield f"turns of {name}: {dialogues[name].turns}"
    if "turns_of_all" in expect and {len(one.turns) for one in dialogues.values()} != {expect["turns_of_all"]}:
        yield "turns"
    for name, roles in expect.get("roles", {}).items():
        if [turn.role for turn in dialogues[name].turns] != roles:
            yield f"roles of {name}"
    for name, speakers in expect.get("speakers", {}).items():
        if sorted({turn.speaker for turn in dialogues[name].turns}) != sorted(speakers):
            yield f"speakers of {name}: {[turn.speaker for turn in dialogues[name].turns]}"
    texts = "\n".join([*(one.text for one in dialogues.values()), *corpus.summaries["text"]])
    yield from (f"{piece!r} is missing" for piece in expect.get("texts_with", ()) if piece not in texts)
    yield from (f"{piece!r} is there" for piece in expect.get("texts_without", ()) if piece in texts)


def _has(corpus: Corpus, wanted: dict[str, Any]) -> bool:
    rows = corpus.ratings.with_columns(pl.col("dimension").str.to_lowercase())
    for key, value in wanted.items():
        rows = rows.filter(pl.col(key) == value)
    return rows.height == 1
