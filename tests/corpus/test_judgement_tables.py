"""Preferences, best-worst choices, spans and declared dimensions: checks, folder, selection, refusing writers."""

from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import (
    Choice,
    Corpus,
    Dialogue,
    Dimension,
    Preference,
    Rating,
    Span,
    Summary,
    Turn,
    read_corpus,
    write_corpus,
)
from dialgauge.errors import InputError, UnknownNameError

_DIALOGUES = [Dialogue(name, (Turn("Ana", "My card is gone"),)) for name in ("d1", "d2")]
_SUMMARIES = [Summary(name, system, "Ana lost it.") for name in ("d1", "d2") for system in ("x", "y", "z")]


def _whole() -> Corpus:
    return Corpus.build(
        _DIALOGUES,
        _SUMMARIES,
        [Rating("d1", "x", "ann", "redundancy", 2.0), Rating("d1", "y", "ann", "faithful", 1.0, scale="yes/no")],
        preferences=[Preference("d1", "y", "x", "ann", "better", "a", shown_first="a")],
        choices=[
            Choice("d1", "t1", "ann", "quality", system, choice)  # type: ignore[arg-type]
            for system, choice in (("x", "best"), ("y", "neither"), ("z", "worst"))
        ],
        spans=[
            Span("d1", "x", "ann", "errors", 1, 0, 3, "Ana", "entity", "major"),
            Span("d1", "y", "ann", "errors"),
            Span("d1", "y", "bob", "errors", 1, 0, 15, "Ana: My card is", side="dialogue"),
        ],
        declared=[Dimension("quality", "best-worst", labels=("low", 'hi"gh'), direction="none", said_by="user")],
    )


def test_a_pair_has_one_key_however_it_was_shown() -> None:
    row = _whole().preferences.row(0, named=True)
    assert (row["system_a"], row["system_b"], row["winner"], row["shown_first"]) == ("x", "y", "b", "b")
    again = [Preference("d1", "x", "y", "ann", "better", "tie"), Preference("d1", "y", "x", "ann", "better", "a")]
    with pytest.raises(InputError, match="duplicate key"):
        Corpus.build(_DIALOGUES, _SUMMARIES, preferences=again)


def test_a_folder_keeps_every_table(tmp_path: Path) -> None:
    corpus = _whole()
    write_corpus(corpus, tmp_path / "whole")
    back = read_corpus(tmp_path / "whole", strict=True)
    for table in ("dialogues", "summaries", "ratings", "preferences", "choices", "spans", "annotators"):
        assert getattr(back, table).equals(getattr(corpus, table)), table
    assert back.declared == corpus.declared
    assert back.dimension_table().equals(corpus.dimension_table())


def test_a_corpus_without_them_is_written_as_before(tmp_path: Path) -> None:
    write_corpus(Corpus.build(_DIALOGUES, _SUMMARIES), tmp_path / "plain")
    names = {path.name for path in (tmp_path / "plain").iterdir()}
    assert names == {"corpus.toml", "dialogues.parquet", "summaries.parquet", "ratings.parquet"}
    assert (tmp_path / "plain" / "corpus.toml").read_text().endswith("ratings = 0\n")


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet", "out.xlsx"])
def test_every_format_keeps_every_table(tmp_path: Path, name: str) -> None:
    corpus = _whole()
    write_corpus(corpus, tmp_path / name)
    back = read_corpus(tmp_path / name, strict=True)
    for table in ("ratings", "preferences", "choices", "spans", "annotators"):
        assert getattr(back, table).equals(getattr(corpus, table)), table
    assert back.declared == corpus.declared


def test_what_is_known_about_a_dimension() -> None:
    corpus = _whole()
    assert corpus.dimensions == ["faithful", "redundancy"]
    assert corpus.dimensions_of() == ["better", "errors", "faithful", "quality", "redundancy"]
    assert corpus.dimensions_of("preference", "span") == ["better", "errors"]
    assert corpus.dimension("redundancy") == Dimension("redundancy", "ordinal", None, (), "lower", "name")
    assert corpus.dimension("faithful").kind == "binary"
    assert corpus.dimension("quality").said_by == "user"
    with pytest.raises(UnknownNameError, match="fluency"):
        corpus.dimension("fluency")


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        ("redundancy", True),
        ("non_redundancy", False),
        ("Non-redundancy", False),
        ("error_count", True),
        ("errorCount", True),
        ("lack of errors", False),
        ("hallucinations", True),
        ("no_hallucination", False),
        ("consistency", False),
        ("inconsistency", True),
        ("terror", False),
        ("coherence", False),
    ],
)
def test_names_say_which_way_is_better(name: str, lower: bool) -> None:
    corpus = Corpus.build(_DIALOGUES, _SUMMARIES, [Rating("d1", "x", "ann", name, 3.0)])
    assert corpus.dimension(name).direction == ("lower" if lower else "higher")


@pytest.mark.parametrize(
    ("values", "scale", "kind"),
    [
        ([0, 1, 1], None, "binary"),
        ([0, 1], "0-2", "ordinal"),
        ([1, 5], None, "ordinal"),
        ([1, 87], None, "interval"),
        ([0.5, 1], None, "interval"),
        ([0, 1], "1-5", "ordinal"),
        ([3, 99], "0-100", "interval"),
    ],
)
def test_the_kind_of_a_dimension_from_its_values(values: list[float], scale: str | None, kind: str) -> None:
    ratings = [Rating("d1", "x", str(number), "q", value, scale=scale) for number, value in enumerate(values)]
    assert Corpus.build(_DIALOGUES, _SUMMARIES, ratings).dimension("q").kind == kind


def test_selection_keeps_whole_judgements_only() -> None:
    part = _whole().select(systems=["x", "y"])
    assert part.preferences.height == 1
    assert part.spans.height == 3
    assert part.choices.is_empty()  # one of the three options is gone
    assert _whole().select(systems=["x", "z"]).preferences.is_empty()
    renamed = _whole().with_system_names({"x": "zz"})
    assert renamed.preferences.select("system_a", "system_b", "winner").row(0) == ("y", "zz", "a")
    assert renamed.systems == ["y", "z", "zz"]


@pytest.mark.parametrize(
    ("further", "reason"),
    [
        ({"preferences": [Preference("d1", "x", "q", "ann", "b", "a")]}, "preference of a summary that is not"),
        ({"preferences": [Preference("d1", "x", "x", "ann", "b", "a")]}, "compared with itself"),
        ({"preferences": [Preference("d1", "x", "y", "ann", "b", "x")]}, "winner must be"),  # type: ignore[arg-type]
        ({"preferences": [Preference("d1", "x", "y", "ann", "b", "a", strength=0.5)]}, "strength must be"),
        ({"choices": [Choice("d1", "t", "ann", "q", "x", "best")]}, "at least two options"),
        ({"choices": [Choice("d1", "t", "ann", "q", s, "best") for s in "xy"]}, "two options of one question are best"),
        ({"spans": [Span("d1", "x", "ann", "e", 1, 3, 500)]}, "ends behind the text: '3-500 of 12"),
        ({"spans": [Span("d1", "x", "ann", "e", 1, 3, 3)]}, "must end after its start"),
        ({"spans": [Span("d1", "x", "ann", "e", 1, 3, None)]}, "both start and end"),
        ({"spans": [Span("d1", "x", "ann", "e", 1, 0, 21, side="dialogue")]}, "ends behind the text"),
        ({"spans": [Span("d1", "x", "ann", "e"), Span("d1", "x", "ann", "e")]}, "duplicate key"),
        ({"declared": [Dimension("q", "ordinal"), Dimension("q", "binary")]}, "declared twice"),
        ({"declared": [Dimension("q", "guess")]}, "kind must be one of"),  # type: ignore[arg-type]
    ],
)
def test_broken_judgements_are_refused(further: dict[str, list[object]], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Corpus.build(_DIALOGUES, _SUMMARIES, **further)  # type: ignore[arg-type]


def test_broken_rows_of_a_folder_are_skipped_and_named(tmp_path: Path) -> None:
    write_corpus(_whole(), tmp_path / "whole")
    file = tmp_path / "whole" / "spans.parquet"
    pl.read_parquet(file).with_columns(pl.col("end").replace(3, 500)).write_parquet(file)
    back = read_corpus(tmp_path / "whole")
    assert back.spans.height == 2
    assert [(Path(p.file).name, p.line) for p in back.problems] == [("spans.parquet", 1)]
    card = tmp_path / "whole" / "corpus.toml"
    card.write_text(card.read_text().replace('kind = "best-worst"', 'kid = "best-worst"'))
    with pytest.raises(InputError, match=r"dimensions.quality: unknown key 'kid'"):
        read_corpus(tmp_path / "whole")


TALK = "Ann: I come at ten.\nBob: Fine."


def test_one_option_cannot_be_best_and_worst() -> None:
    options = {"summary_a": "One.", "summary_b": "Two.", "summary_c": "Three."}
    rows = [
        {"dialogue_id": f"d{n}", "dialogue": TALK, "annotator": "x", **options, "best": "a", "worst": "ba"[n == 0]}
        for n in range(6)
    ]
    read = read_corpus(rows)
    assert read.choices.height == 15
    assert [problem.reason for problem in read.problems] == ["best and worst must be two of the options"]


def test_a_winner_who_did_not_take_part_is_no_tie() -> None:
    said = ["model_a", "model_c", "tie", "neither of them", "tie (bothbad)", "gpt"]
    pair = {"model_a": "bart", "model_b": "gpt", "response_a": "One.", "response_b": "Two.", "annotator": "x"}
    read = read_corpus(
        [{"dialogue_id": f"d{n}", "dialogue": TALK, **pair, "winner": one} for n, one in enumerate(said)]
    )
    assert read.preferences["winner"].to_list() == ["a", "tie", "tie", "tie", "b"]
    assert read.preferences["both_bad"].to_list() == [False, False, False, True, False]
    (problem,) = read.problems
    assert problem.reason == "the winner is neither of the two, nor a tie"
    assert read.dialogues["dialogue_id"].to_list() == [f"d{n}" for n in range(6)]


def test_marks_of_a_row_that_names_its_annotator() -> None:
    mark = {"start": 2, "end": 7, "label": "verb", "severity": "major"}
    found = [[mark, {**mark, "start": 11, "end": 14, "label": "time"}], [], [mark], [{**mark, "end": 99}]]
    row = {"dialogue": TALK, "system": "bart", "summary": "A comes at ten.", "annotator": "x"}
    read = read_corpus([{"dialogue_id": f"d{n}", **row, "spans": marks} for n, marks in enumerate(found)])
    assert read.spans.select("dialogue_id", "text", "label", "severity").rows() == [
        ("d0", "comes", "verb", "major"),
        ("d0", "ten", "time", "major"),
        ("d1", None, None, None),
        ("d2", "comes", "verb", "major"),
    ]
    assert [problem.reason for problem in read.problems] == ["the span ends behind the text"]


def test_what_is_neither_yes_nor_no_is_said_so() -> None:
    row = {"dialogue": TALK, "system": "bart", "summary": "A comes at ten.", "annotator": "x"}
    words = ["yes", "no", "yes", "no", "maybe", "yes"]
    read = read_corpus([{"dialogue_id": f"d{n}", **row, "faithful": word} for n, word in enumerate(words)])
    assert [problem.reason for problem in read.problems] == ["the value is neither yes nor no"]
