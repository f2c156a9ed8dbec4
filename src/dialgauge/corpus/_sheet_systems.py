"""Systems that one sheet or file names for others: in headings over its texts, or in a key to letters."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._parts_unread import asks_who_is_best
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._wide import as_long

#: More names than this are none of systems.
_MOST = 30
_ROW, _SYSTEM = "_origin", "system"


def with_systems_named(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets under the names of their systems, each summary in a row where others judge it in one."""
    if len(sheets) < 2:
        return list(sheets)
    made = [_with_systems_in_rows(sheet, sheets) for sheet in _decoded(sheets, notes)]
    made = [_long_by_system(sheet, [one for one in made if one is not sheet], notes) for sheet in made]
    uses = {sheet.name: make_plan(sheet.frame).uses for sheet in made}
    judging = [
        (sheet, uses[sheet.name]["system"][0])
        for sheet in made
        if len(uses[sheet.name].get("system", ())) == 1 and "summary" not in uses[sheet.name]
    ]
    return [_with_texts_below(sheet, judging, notes) for sheet in made]


def _with_systems_in_rows(sheet: Sheet, others: Sequence[Sheet]) -> Sheet:
    """A sheet whose rows name columns of texts of another one, with that column as that of the systems.

    Whatever it is called: ``Summary by`` has the names of the two columns with the summaries.
    """
    uses = make_plan(sheet.frame).uses
    if "system" in uses or _SYSTEM in sheet.frame.columns:
        return sheet
    found = []
    for column in sheet.frame.columns:
        if sheet.frame[column].dtype != pl.String or _has_texts(sheet.frame[column]):
            continue
        if asks_who_is_best(column):
            continue
        named = sheet.frame[column].drop_nulls().str.strip_chars().unique(maintain_order=True).to_list()
        named_by = [other for other in others if other.name != sheet.name and _columns_of(other, named, _ALONE)]
        people = uses.get("annotator", ())
        if any(_each_has_all(sheet.frame, column, other.frame, people) for other in named_by):
            found.append(column)
    return replace(sheet, frame=sheet.frame.rename({found[0]: _SYSTEM})) if len(found) == 1 else sheet


def _each_has_all(frame: pl.DataFrame, column: str, told: pl.DataFrame, people: Sequence[str]) -> bool:
    """Whether each dialogue has a row for every system, of everybody who judged it: a vote names only one of them."""
    for key in (one for one in frame.columns if one != column and one in told.columns):
        ids = frame[key].cast(pl.String, strict=False)
        if ids.drop_nulls().n_unique() < _FEWEST or not set(ids.drop_nulls()) <= set(told[key].cast(pl.String)):
            continue
        who = frame[people[0]].cast(pl.String, strict=False) if people else pl.Series([""] * frame.height)
        rows = pl.DataFrame({"id": ids, "who": who, "name": frame[column].str.strip_chars()}).drop_nulls()
        each = rows.group_by("id", "who", "name").len().group_by("id", "who")
        counted = each.agg(pl.len().alias("names"), pl.col("len").n_unique())
        even = counted.filter((pl.col("names") == rows["name"].n_unique()) & (pl.col("len") == 1))
        if even.height * 10 >= counted.height * 9:
            return True
    return False


_FEWEST = 2


def _long_by_system(sheet: Sheet, others: Sequence[Sheet], notes: list[str]) -> Sheet:
    """A sheet of judgements with columns for each system (``BART Fluency``) with rows, where others hold its texts."""
    uses = make_plan(sheet.frame).uses
    if {"system", "summary"} & set(uses) or "annotator" not in uses or _SYSTEM in sheet.frame.columns:
        return sheet
    long = as_long(Table(sheet.frame, sheet.place), {})
    if _SYSTEM not in long.frame.columns:
        return sheet
    systems = long.frame[_SYSTEM].drop_nulls().unique(maintain_order=True).to_list()
    if not any(_columns_of(other, systems) for other in others):
        return sheet
    notes += [f"{sheet.name}: {note}" for note in long.notes]
    return replace(sheet, frame=long.frame, place=long.place)


def _with_texts_below(sheet: Sheet, judging: Sequence[tuple[Sheet, str]], notes: list[str]) -> Sheet:
    """A sheet with a column of texts for each system (``summary_m1``) with rows, where others name ``m1`` in rows."""
    for other, system in judging:
        if other is sheet:
            continue
        columns = _columns_of(
            sheet, _named(other.frame, [system])[system].drop_nulls().unique(maintain_order=True).to_list()
        )
        if columns and not {system, "summary"} & set(sheet.frame.columns):
            listed = ", ".join(map(repr, columns.values()))
            notes.append(f"{sheet.name}: {listed} hold the summaries of the systems that {other.name!r} names")
            return _below(sheet, columns, system)
    return sheet


#: A column that is called like a system, and by nothing else.
_ALONE = ("{}",)


def _columns_of(sheet: Sheet, systems: Sequence[str], forms: Sequence[str] = ()) -> dict[str, str]:
    """The column of texts of each system: its name, or that with the same word for a summary before or behind it."""
    if not 1 < len(systems) <= _MOST:
        return {}
    texts = {normalised(column): column for column in sheet.frame.columns if _has_texts(sheet.frame[column])}
    words = ["{}", *(form for word in USES["summary"] for form in (f"{word}_{{}}", f"{{}}_{word}"))]
    for form in forms or words:
        named = {system: texts.get(form.format(normalised(system))) for system in systems}
        found = {system: column for system, column in named.items() if column is not None}
        if len(found) == len(systems) == len(set(found.values())):
            return found
    return {}


def _below(sheet: Sheet, columns: dict[str, str], system: str) -> Sheet:
    taken = set(columns.values())
    rest = [column for column in sheet.frame.columns if column not in taken]
    numbered = sheet.frame.with_row_index(_ROW)
    parts = [
        numbered.select(_ROW, *rest, pl.lit(name).alias(system), pl.col(column).cast(pl.String).alias("summary"))
        for name, column in columns.items()
    ]
    frame = pl.concat(parts).sort(_ROW, maintain_order=True)
    origin, place = frame[_ROW].to_list(), sheet.place
    return replace(sheet, frame=frame.drop(_ROW), place=lambda row: place(origin[row]))


def _decoded(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets with the systems that a key gives for letters which mean another system in each dialogue."""
    uses = {sheet.name: make_plan(sheet.frame).uses for sheet in sheets}
    for key in sheets:
        named = [column for column in key.frame.columns if column in uses[key.name].get("system", ())]
        pair = [column for column in key.frame.columns if column not in named]
        if len(named) != 1 or len(pair) != 2 or named[0] in pair:
            continue
        blind = [sheet for sheet in sheets if sheet is not key and {*pair} <= {*sheet.frame.columns} - {*named}]
        ids = {
            column
            for sheet in blind
            for column in uses[sheet.name].get("dialogue_id", ())
            if column in pair and "dialogue" in uses[sheet.name]
        }
        if len(ids) == 1 and _is_key(key.frame, pair, named[0], blind):
            code = next(column for column in pair if column not in ids)
            notes.append(f"{key.name!r} tells which system {code!r} means in each {pair[1 - pair.index(code)]!r}")
            told = {sheet.name: _with_system(sheet, key.frame, pair, code, named[0]) for sheet in blind}
            return [told.get(sheet.name, sheet) for sheet in sheets if sheet is not key]
    return list(sheets)


def _is_key(frame: pl.DataFrame, pair: list[str], system: str, blind: Sequence[Sheet]) -> bool:
    """Whether each pair has one system, each letter several, and the others have no pair that is not told."""
    rows = _named(frame, [*pair, system])
    if rows.null_count().sum_horizontal().item() or rows.select(pair).is_duplicated().any() or not blind:
        return False
    known = set(rows.select(pair).iter_rows())
    told = all(set(_named(sheet.frame, pair).drop_nulls().iter_rows()) <= known for sheet in blind)
    return told and all(rows.select(column, system).unique()[column].is_duplicated().any() for column in pair)


def _with_system(sheet: Sheet, key: pl.DataFrame, pair: list[str], code: str, system: str) -> Sheet:
    """A sheet with the system in the place of the letter, and its dialogues under the name that is known for ids."""
    known = _named(key, [*pair, system])
    frame = sheet.frame.with_columns(_named(sheet.frame, pair))
    frame = frame.join(known, on=pair, how="left", maintain_order="left").drop(code)
    ids = next(column for column in pair if column != code)
    free = "dialogue_id" not in frame.columns
    return replace(sheet, frame=frame.rename({ids: "dialogue_id"}) if free else frame)


def _named(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Columns of names as texts: the 1 of one sheet is the 1.0 of another."""
    return frame.select(as_text(column, frame).str.strip_chars().alias(column) for column in columns)


def _has_texts(values: pl.Series) -> bool:
    if values.dtype.is_nested():
        return False
    shown = values.drop_nulls().cast(pl.String)
    return bool(len(shown)) and int(shown.str.contains(r"\S\s+\S+\s+\S").sum()) * 2 > len(shown)
