"""Tables with a row per utterance, and tables with rows that sum up the others."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import role_of, turn_to_json
from dialgauge.corpus._types import Turn
from dialgauge.errors import InputError, counted

_SPEAKER = (
    "speaker",
    "speaker_name",
    "speaker_role",
    "sender",
    "author",
    "participant",
    "from",
    "who",
    "name",
    "user",
    "username",
    "role",
)
_SAID = ("utterance", "utterances", "text", "message", "content", "turn", "turn_text", "body", "sentence", "msg")
_ORDER = re.compile(
    r"(?:turn|utterance|utt|message|msg|line|sentence|seq|sequence|order|position)?_?(?:no|nr|num|number|id|idx|index|order)"
    r"|turn|order|position|seq|sequence"
)
#: Rows below a table that say something about all of it.
_TOTAL = re.compile(
    r"(?:over_?all_|grand_|sub_?)?(?:averages?|avg|means?|medians?|totals?|sum|std|sd|std_dev|stdev|st_dev|standard_deviation|"
    r"variance|min|max|minimum|maximum|count|n|n_\d+|mittelwert|durchschnitt|summe|moyenne|somme|ecart_type|media|promedio|"
    r"standardabweichung)(?:_(?:scores?|ratings?|overall|\d+))?"
)
#: "% Good", below a column of answers.
_SHARE = re.compile(r"%\s*(?:of\b|[^\W\d_])")
#: Words among these that people and systems are called by as well.
_ALSO_NAMES = frozenset({"count", "max", "media", "min", "n", "sd", "sum"})
_OWN = ("dialogue", "summary", "reference", "annotator")
_LONGEST_TOTAL = 40
#: In a table whose rows have fewer cells than this, one that is filled alone says nothing.
_USUAL = 4


def is_total(text: str) -> bool:
    """Whether a text says that a row sums up others."""
    return bool(_TOTAL.fullmatch(normalised(text))) or bool(_SHARE.match(text.strip()))


def without_totals(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table without rows that sum up others (``Average``, ``Total``, ``n = 16``) or only say something about them.

    A row with a text or a person is data, whatever it is called, and so is one about a dialogue of which a system, or
    somebody, is only called like a total (*Max*).
    """
    frame = table.frame
    texts = [column for column, dtype in frame.schema.items() if dtype == pl.String]
    if frame.height < 2 or not texts:
        return table
    table = _without_headings(table, texts)
    frame = table.frame
    words = _totals_in(frame, texts)
    alone = _rows_with_one_cell(frame)
    if not words and not alone:
        return table
    numbered = frame.with_row_index("_row")
    rest = numbered.filter(~pl.col("_row").is_in([*words, *alone]))
    if rest.is_empty():
        return table
    uses = make_plan(rest.drop("_row"), mapping, table.known).uses
    named = uses.get("dialogue_id")
    words = words if named is None else _without_names(words, frame, named[0])
    own = [column for use in _OWN for column in uses.get(use, ())]
    gone = numbered.filter(pl.col("_row").is_in([*words, *alone]))
    if own:
        text = pl.col(own).cast(pl.String).str.strip_chars()
        # "Average" may stand where people are named, in a row about no dialogue; elsewhere Max is a person.
        summing = {word for word, _ in words.values()}
        if named is None:
            summing = {word for word in summing if normalised(word) not in _ALSO_NAMES}
        nameless = pl.lit(True) if named is None else pl.col(named[0]).is_null()
        summed_up = nameless & text.is_in(sorted(summing))
        gone = gone.filter(pl.all_horizontal(text.is_null() | (text == "") | summed_up))
    given = rest.filter(pl.any_horizontal(pl.exclude("_row").is_not_null()))
    if named is None or given[named[0]].null_count():
        gone = gone.filter(pl.col("_row").is_in(list(words)))
    numbers = set(gone["_row"].to_list())
    if not numbers:
        return table
    kept = [number for number in range(frame.height) if number not in numbers]
    summed = [repr(words[number][0]) for number in sorted(numbers & set(words))]
    remarks = sorted(numbers - set(words))
    notes = [f"{counted(len(summed), 'row')} that only sum up others left out: {', '.join(summed)}"] if summed else []
    if remarks:
        said = next(str(cell) for cell in frame.row(remarks[0]) if cell is not None and str(cell).strip())
        notes.append(f"{counted(len(remarks), 'row')} with nothing but a remark left out, such as {said[:60]!r}")
    place = table.place
    return replace(
        table,
        frame=frame[kept],
        place=lambda row: place(kept[row] if row < len(kept) else row + len(numbers)),
        notes=(*table.notes, *notes),
        summed=table.summed + len(numbers),
    )


def _without_headings(table: Table, texts: Sequence[str]) -> Table:
    """The table without rows that repeat the headings, as files that were put together have them."""
    frame = table.frame
    same = pl.sum_horizontal((pl.col(column) == column).fill_null(False) for column in texts)
    filled = pl.sum_horizontal((pl.col(column).is_not_null() & (pl.col(column) != "")) for column in texts)
    again = frame.select(((same >= 2) & (same * 2 >= filled)).alias("again"))["again"]
    if not again.any():
        return table
    _refuse_lines_above(table, again)
    kept, place = (~again).arg_true().to_list(), table.place
    return replace(
        table,
        frame=frame.filter(~again),
        place=lambda row: place(kept[row] if row < len(kept) else row + frame.height - len(kept)),
        notes=(*table.notes, f"{counted(frame.height - len(kept), 'row')} that repeat the headings left out"),
        summed=table.summed + frame.height - len(kept),
    )


def _refuse_lines_above(table: Table, again: pl.Series) -> None:
    """Refuse tables with lines of transcripts between them: read as rows of the table, they would be summaries."""
    given = [sum(cell is not None and str(cell).strip() != "" for cell in row) for row in table.frame.iter_rows()]
    places = again.arg_true().to_list()
    between = [[count for count in given[:place] if count][-_LINES:] for place in places]
    narrow = [len(above) == _LINES and max(above) == _CELLS_OF_LINE for above in between]
    if min(given[place] for place in places) > _CELLS_OF_LINE and all(narrow):
        file, row = table.place(places[0])
        raise InputError(
            f"{file}: the headings come again in row {row}, below lines that are no rows of the table, as where each "
            "dialogue has a block of its own. Put all tables under one heading, with a column 'dialogue_id' and the "
            "whole transcript in a column 'dialogue'"
        )


#: A speaker and what is said, several times, are lines of a transcript; one such row may be a title.
_CELLS_OF_LINE, _LINES = 2, 2


def _without_names(words: Mapping[int, tuple[str, str]], frame: pl.DataFrame, ids: str) -> dict[int, tuple[str, str]]:
    """Without the rows of a dialogue in which a word only looks like a total: no plainer one is in its column."""
    plain = {column for word, column in words.values() if normalised(word) not in _ALSO_NAMES}
    filled = frame[ids].cast(pl.String).str.strip_chars().fill_null("") != ""
    return {
        row: (word, column)
        for row, (word, column) in words.items()
        if column == ids or column in plain or not filled[row]
    }


def _totals_in(frame: pl.DataFrame, texts: Sequence[str]) -> dict[int, tuple[str, str]]:
    """The rows in which a cell says that they sum up others, with what it says and in which column."""
    found: dict[int, tuple[str, str]] = {}
    for column in texts:
        short = frame[column].str.strip_chars()
        said = [text for text in short.unique() if text and len(text) <= _LONGEST_TOTAL and is_total(text)]
        if said:
            rows = short.is_in(said).fill_null(False).arg_true()
            found |= {int(row): (short[int(row)], column) for row in rows if int(row) not in found}
    return found


def _rows_with_one_cell(frame: pl.DataFrame) -> list[int]:
    """The rows with one filled cell in a table whose rows have several."""
    filled = frame.select(
        pl.sum_horizontal(
            (pl.col(column).is_not_null() & (pl.col(column).cast(pl.String) != "")).cast(pl.Int64)
            for column in frame.columns
        ).alias("n")
    )["n"]
    usual = filled.median()
    if not isinstance(usual, float | int) or usual < _USUAL:
        return []
    return [number for number, count in enumerate(filled) if count == 1]


def with_dialogues(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table with a row per dialogue where it has one per utterance; unchanged otherwise."""
    names = {column: normalised(column) for column in table.frame.columns}
    speaker, said = _named(names, _SPEAKER), _named(names, _SAID)
    if not speaker or not said or any(use in mapping for use in ("dialogue", "summary")):
        return table
    others = {name for column, name in names.items() if column != said}
    if others & {*USES["dialogue"], *USES["summary"], *USES["value"]} or not _is_spoken(table.frame, speaker, said):
        return table
    order = next((c for c, name in names.items() if _ORDER.fullmatch(name) and _counts(table.frame[c])), None)
    rest = [column for column in table.frame.columns if column not in (speaker, said, order)]
    plan = make_plan(table.frame.select(rest), mapping, table.known)
    given = plan.uses.get("dialogue_id")
    if given and table.frame[given[0]].n_unique() == table.frame.height:
        given = None  # a number of its own for every utterance
    file = table.place(0)[0]
    made: dict[str, tuple[int, list[Turn], dict[str, object]]] = {}
    for row in _in_order(table.frame, given[0] if given else None, order).iter_rows(named=True):
        key = str(row[given[0]]) if given else Path(file).stem
        who, text = str(row[speaker] or "").strip(), str(row[said] or "")
        first, turns, cells = made.setdefault(key, (int(row["_origin"]), [], {}))
        turns.append(Turn(who, text, role_of(who)))
        for column in rest:
            cells.setdefault(column, row[column])
        made[key] = (min(first, int(row["_origin"])), turns, cells)
    rows = [
        {
            **cells,
            **({} if given else {"dialogue_id": key}),
            "dialogue": json.dumps([turn_to_json(t) for t in turns], ensure_ascii=False),
        }
        for key, (_, turns, cells) in made.items()
    ]
    starts, place = [first for first, _, _ in made.values()], table.place
    note = f"a row per utterance: {counted(table.frame.height, 'row')} are {counted(len(rows), 'dialogue')}"
    return replace(
        table,
        frame=pl.DataFrame(rows, infer_schema_length=None),
        place=lambda row: place(starts[row]) if row < len(starts) else (file, None),
        notes=(*table.notes, note),
    )


def _named(names: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((column for name in wanted for column, own in names.items() if own == name), None)


def _is_spoken(frame: pl.DataFrame, speaker: str, said: str) -> bool:
    """Few speakers, many of whose rows are texts of their own without speakers in them."""
    who = frame[speaker].drop_nulls().cast(pl.String)
    texts = frame[said].drop_nulls().cast(pl.String)
    if not len(who) or len(who) * 10 < frame.height * 9 or not len(texts):
        return False
    spaced = int(texts.str.contains(r"\s").sum()) * 2 > len(texts)
    return spaced and bool((who.str.len_chars() <= 60).all()) and who.n_unique() * 2 <= len(who) + 1


def _counts(values: pl.Series) -> bool:
    numbers = values.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and numbers.n_unique() > 1


def _in_order(frame: pl.DataFrame, given: str | None, order: str | None) -> pl.DataFrame:
    rows = frame.with_row_index("_origin")
    if order is None:
        return rows
    place = pl.col(order).cast(pl.String).str.strip_chars().cast(pl.Float64)
    first = pl.col("_origin").min().over(given) if given else pl.lit(0)
    return rows.sort(first, place, maintain_order=True)
