"""Layouts that the importer was not made on: everything arrives, or what does not is refused."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus, read_ratings
from dialgauge.errors import InputError
from tests.corpus import stranger_exports as exports, stranger_records
from tests.corpus.stranger_files import EXPECTED, FILES

assert stranger_records  # its import adds to FILES


@pytest.mark.parametrize("name", FILES)
def test_everything_arrives(name: str, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    FILES[name](tmp_path / name)
    if expected.get("refused"):
        with pytest.raises(InputError, match="do not say which of them is better"):
            read_corpus(tmp_path / name)
        return
    corpus = read_corpus(tmp_path / name)
    assert not any(account.too_much() or account.unread for account in corpus.accounts), corpus.problems
    found = _found(corpus)
    assert {key: found[key] for key in expected if key in found} == {k: v for k, v in expected.items() if k in found}
    assert set(expected.get("ids", ())) <= set(corpus.dialogues["dialogue_id"])
    assert corpus.ratings["value"].count() >= expected.get("given_min", 0)
    assert found["turns"] >= expected.get("turns_min", 0)
    assert all(corpus.dimension(dimension).direction == "lower" for dimension in expected.get("lower", ()))
    if "direction" in expected:
        assert corpus.dimension(expected["direction"][0]).direction == expected["direction"][1]
    for dialogue, system, who, dimension, value in expected.get("values", ()):
        named = corpus.dimensions[dimension] if isinstance(dimension, int) else dimension
        rating = corpus.ratings.filter(
            pl.col("dimension").str.to_lowercase() == named.lower(), dialogue_id=dialogue, system=system, annotator=who
        )
        assert rating["value"].to_list() == [value]


@pytest.mark.parametrize("name", [*exports.ROWS, *exports.RECORDS])
def test_exports_of_tools(name: str, tmp_path: Path) -> None:
    rows = [exports.ROWS[name](*item) for item in exports.ITEMS] if name in exports.ROWS else exports.RECORDS[name]
    if isinstance(rows, list) and not any(isinstance(cell, dict | list) for row in rows for cell in row.values()):
        pl.DataFrame(rows).write_csv(file := tmp_path / "c.csv", separator=";")
    else:
        (file := tmp_path / "c.json").write_text(json.dumps(rows), encoding="utf-8")
    corpus = read_corpus(file)
    assert [text for account in corpus.accounts for text in (*account.too_much(), account.unread) if text] == []
    ratings = corpus.ratings.drop_nulls("value")
    assert (ratings.height, ratings["annotator"].n_unique()) == exports.FEWER.get(name, (72, 3))
    assert (corpus.dialogues.height, corpus.systems) == (6, list(exports.SYSTEMS))
    if name not in exports.FEWER and name not in ("stars", "percentages"):
        assert sorted(ratings["value"]) == sorted(exports.value(*i, k) for i in exports.ITEMS for k in exports.ASKED)


@pytest.mark.parametrize("name", exports.REFUSED)
def test_exports_that_nobody_can_read_are_refused(name: str, tmp_path: Path) -> None:
    (file := tmp_path / "c.json").write_text(json.dumps(exports.REFUSED[name]), encoding="utf-8")
    try:
        accounts = read_corpus(file).accounts
    except InputError:
        return
    assert any(account.too_much() or account.unread for account in accounts)


def test_a_grid_of_a_web_form_is_read_as_ratings(tmp_path: Path) -> None:
    cells = {
        f"Dialogue {d[2:]} - System {s} [{asked}]": (d, s, asked) for d, s in exports.TEXTS for asked in exports.ASKED
    }
    rows = [
        {
            "Timestamp": "2026/11/01",
            "Email Address": who,
            **{k: exports.value(d, s, who, a) for k, (d, s, a) in cells.items()},
        }
        for who in exports.PEOPLE
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "grid.csv")
    ratings, problems = read_ratings(tmp_path / "grid.csv")
    assert (ratings.height, problems) == (72, ())
    assert sorted(ratings["system"].unique()) == ["System bart", "System gpt4"]
    assert ratings["dialogue_id"].n_unique() == 6


def test_headings_in_levels_borders_sentences_and_grades(tmp_path: Path) -> None:
    people, asked = exports.PEOPLE, exports.ASKED
    keys = ["call_id", "dialogue", "model", "summary"]
    item = {
        key: [key[0], exports.CALLS[key[0]].replace("\n", " / "), key[1], text] for key, text in exports.TEXTS.items()
    }
    rated = {key: [exports.value(*key, who, k) for k in asked for who in people] for key in item}
    each = [(k, who) for k in asked for who in people]
    levels = [
        ["dimension", "", "", "", *(k for k, _ in each)],
        ["rater", "", "", "", *(who for _, who in each)],
        [*keys, *[""] * len(each)],
    ]
    groups = [
        ["", "", "", "", *(x for who in people for x in (who, ""))],
        [*keys, *[k for _ in people for k in asked]],
    ]
    by_person = [[exports.value(*key, who, k) for who in people for k in asked] for key in item]
    files = {
        "levels.csv": [*levels, *([*cells, *rated[key]] for key, cells in item.items())],
        "groups.csv": [*groups, *([*cells, *row] for cells, row in zip(item.values(), by_person, strict=True))],
    }
    for name, rows in files.items():
        pl.DataFrame(rows, schema=[str(n) for n in range(len(rows[0]))], orient="row", strict=False).write_csv(
            tmp_path / name, include_header=False
        )
    drawn = [
        [*keys, "rater", "grade"],
        *([*item[d, s], who, "FDCBA"[exports.value(d, s, who, "Fluency") - 1]] for d, s, who in exports.ITEMS),
    ]
    lines = [" | ".join(map(str, row)) for row in drawn]
    (tmp_path / "drawn.txt").write_text(
        "\n".join([lines[0], "---+" * 5 + "---", *lines[1:], "(36 rows)"]), encoding="utf-8"
    )
    for name in ("levels.csv", "groups.csv", "drawn.txt"):
        corpus = read_corpus(tmp_path / name)
        assert not any(account.too_much() or account.unread for account in corpus.accounts), name
        assert (corpus.dialogues.height, corpus.systems) == (6, list(exports.SYSTEMS))
        assert sorted(corpus.ratings["annotator"].unique()) == list(people)
        for d, s, who, dimension, found in corpus.ratings.select(
            "dialogue_id", "system", "annotator", "dimension", "value"
        ).rows():
            asked_for = "Fluency" if dimension == "grade" else dimension.title()
            assert found == exports.value(d, s, who, asked_for), name


def test_a_row_for_each_sentence(tmp_path: Path) -> None:
    rows = [
        {"call_id": d, "dialogue": exports.CALLS[d], "model": s, "sentence_no": n, "sentence": part, "rater": who}
        | {"supported?": "supported" if exports.value(d, s, who, "Fluency") > 2 else "not supported"}
        for d, s, who in exports.ITEMS
        for n, part in enumerate([exports.TEXTS[d, s], "The call ends in a friendly way."])
    ]
    corpus = read_corpus(rows)
    assert corpus.ratings.height == 72
    assert sorted(corpus.ratings["sentence"].unique()) == [0, 1]
    text = corpus.summaries.filter(dialogue_id="C-1", system="bart")["text"].item()
    assert text == f"{exports.TEXTS['C-1', 'bart']} The call ends in a friendly way."


def test_preferences_under_their_summaries(tmp_path: Path) -> None:
    records = [
        {
            "call_id": d,
            "dialogue": text,
            "candidates": [{"model": s, "summary": exports.TEXTS[d, s]} for s in exports.SYSTEMS],
            "preferences": [{"rater": who, "winner": exports.SYSTEMS[n % 2]} for n, who in enumerate(exports.PEOPLE)],
        }
        for d, text in exports.CALLS.items()
    ]
    (tmp_path / "c.json").write_text(json.dumps(records), encoding="utf-8")
    corpus = read_corpus(tmp_path / "c.json")
    assert corpus.preferences.height == 18
    assert corpus.preferences.filter(winner="a").height == 12
    assert corpus.ratings.is_empty()


def _found(corpus: Corpus) -> dict[str, Any]:
    ratings, pairs, spans = corpus.ratings, corpus.preferences, corpus.spans
    tables = (ratings, pairs, corpus.choices, spans)
    item = ["dialogue_id", "system", "variant", "annotator"]
    return {
        "dialogues": corpus.dialogues.height,
        "summaries": corpus.summaries.filter(kind="system").height,
        "systems": corpus.systems,
        "given": ratings["value"].count(),
        "annotators": len({who for frame in tables for who in frame["annotator"].unique()}),
        "ndims": len(corpus.dimensions),
        "dims": sorted(name.lower() for name in corpus.dimensions),
        "kinds": sorted({corpus.dimension(name).kind for name in corpus.dimensions}),
        "preferences": pairs.height,
        "ties": pairs.filter(winner="tie").height,
        "strengths": pairs["strength"].drop_nulls().n_unique(),
        "pcomments": pairs["comment"].count(),
        "choices": corpus.choices.select("dialogue_id", "tuple", "annotator", "dimension").n_unique(),
        "spans": spans["start"].count(),
        "passes": spans.select(item).n_unique(),
        "turns": int(corpus.dialogues["turns"].list.len().sum()),
        "sentences": bool(ratings["sentence"].is_not_null().all()),
        "comments": ratings.filter(pl.col("comment").is_not_null()).select(*item, "comment").n_unique(),
        "times": ratings.filter(pl.col("time").is_not_null()).select(item).n_unique(),
    }
