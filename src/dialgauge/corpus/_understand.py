"""From a file to a table that is understood: its layout, what is nested in it, what is wide or compared."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from dialgauge.corpus._asides import without_asides
from dialgauge.corpus._blocks import one_below_another
from dialgauge.corpus._cells import with_parsed_cells
from dialgauge.corpus._certainty import without_certainty
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._compared import with_comparisons
from dialgauge.corpus._events import with_events
from dialgauge.corpus._fields import fields_of, without
from dialgauge.corpus._formats import Format, format_to_read
from dialgauge.corpus._grids import with_grid, without_codes
from dialgauge.corpus._inline import with_inline_marks
from dialgauge.corpus._item_ids import with_ids_of_dialogues
from dialgauge.corpus._joined_ids import with_parted_ids, with_whole_ids
from dialgauge.corpus._jsonl import record_key
from dialgauge.corpus._levels import OF_KEY, at_their_levels
from dialgauge.corpus._listed_ranks import with_places
from dialgauge.corpus._mapping import IGNORE, Mapped, listed
from dialgauge.corpus._memory import load_memory
from dialgauge.corpus._nested import flatten, to_frame
from dialgauge.corpus._nested_names import with_people_named
from dialgauge.corpus._nested_pairs import pairs_in
from dialgauge.corpus._nested_people import steady_people, with_single_people
from dialgauge.corpus._nested_sides import with_sides
from dialgauge.corpus._parallel import side_by_side
from dialgauge.corpus._people_in_order import with_people_in_order
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._problems import Problem, raise_if_any
from dialgauge.corpus._programs import without_programs
from dialgauge.corpus._record_ids import with_record_ids
from dialgauge.corpus._records import taken_out
from dialgauge.corpus._sentence_rows import with_summaries
from dialgauge.corpus._table import Table
from dialgauge.corpus._text_sections import with_sections
from dialgauge.corpus._ticked import with_labels
from dialgauge.corpus._told_in_headings import with_told_items
from dialgauge.corpus._utterances import with_dialogues, without_totals
from dialgauge.corpus._wide import as_long
from dialgauge.corpus._wrapped import unwrapped
from dialgauge.corpus.layouts import LAYOUTS, recast
from dialgauge.errors import InputError


def format_of(path: Path, name: str | None) -> tuple[Format, str, str | None]:
    """The format of a path, how it was recognised, and the layout where one is named ("" for none at all)."""
    if name in LAYOUTS:
        entry, why = format_to_read(path, None)
        return entry, why, name
    entry, why = format_to_read(path, name)
    return entry, why, "" if name else None


def in_memory(source: object, format: str | None) -> Table:
    """The rows of a table in memory; only a layout can be asked for."""
    table = load_memory(source)
    if format is not None and format not in LAYOUTS:
        raise InputError(f"{table.place(0)[0]}: a file format is only for files; got {format!r}")
    return table


def load(path: Path, entry: Format, mapping: Mapped, layout: str | None) -> Table:
    """The rows of a file: as its layout says, else flattened, with comparisons taken out and wide columns made long."""
    assert entry.load is not None
    return understood(entry.load(path), str(path), mapping, layout)


def understood(loaded: Table, path: str, mapping: Mapped, layout: str | None) -> Table:
    """The rows of a file that was loaded: as its layout says, else by the names of its columns."""
    said = mapping = _of_columns(mapping, loaded)
    gone = _left_out(loaded, mapping)
    table, kept = taken_out(with_people_in_order(without(loaded, gone) if gone else loaded))
    table = without_asides(one_below_another(without_codes(table), mapping)) if table.records is None else table
    if table.frame.is_empty() and not table.records:
        raise_if_any(table.problems, path)
        raise InputError(f"{path}: has no rows")
    try:
        known = None if layout == "" else recast(table, mapping, layout)
        inner = unwrapped(table) if known is None else None
        if inner is not None:
            table = inner
            known = None if layout == "" else recast(table, mapping, layout)
        if known is None:
            if table.records is None:
                table = with_places(table)
                table = with_parsed_cells(with_grid(with_told_items(table), mapping))
            if table.records is None:
                known = without_totals(table, mapping)
            else:
                table, mapping = at_their_levels(with_events(table), mapping, wrapped=inner is not None)
                known = _flattened(table, mapping)
            known = with_whole_ids(with_parted_ids(known, mapping), mapping)
            known = with_ids_of_dialogues(known, mapping)
            known = with_summaries(with_dialogues(known, mapping), mapping)
            known = with_inline_marks(known, mapping)
        known = with_sections(known, mapping)
        if known.layout is not None and not known.further:
            known = with_parted_ids(known, mapping)
        known = with_labels(known, mapping)
        if known.frame.is_empty():
            raise_if_any(known.problems, path)
            raise InputError("has no rows")
        known = without_certainty(without_programs(known, mapping), mapping)
        made = kept.into(as_long(with_comparisons(known, mapping), mapping))
        columns = {use: tuple(listed(given)) for use, given in mapping.items() if given != said.get(use)}
        return replace(made, raw=loaded, mapped=columns, again=lambda other: understood(other, path, said, layout))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(path) else f"{path}: {error}") from error


def plan_of(table: Table, mapping: Mapped) -> Plan:
    """What the columns mean. What a layout has put under our own names has followed the mapping already."""
    mapping = {use: table.mapped.get(use, given) for use, given in _of_columns(mapping, table).items()}
    settled = {use for column, use in table.known.items() if column == use} if table.layout else set()
    asked = {use: given for use, given in mapping.items() if use not in settled}
    gone = _left_out(table.raw, mapping) | set(table.raw.frame.columns) if table.raw is not None else frozenset()
    if gone - set(table.frame.columns) and IGNORE in mapping:  # what a layout, or a nested record, made no column of
        kept = [name for name in listed(mapping[IGNORE]) if name in table.frame.columns or name not in gone]
        asked = {**{use: given for use, given in asked.items() if use != IGNORE}, **({IGNORE: kept} if kept else {})}
    return make_plan(table.frame, asked, table.known)


def _of_columns(mapping: Mapped, table: Table) -> Mapped:
    """The mapping without the sheets and files that it leaves out: these are no columns."""
    named = listed(mapping.get(IGNORE, ()))
    parts = {sheet.name for sheet in (*table.left, *table.parts)} - set(table.frame.columns)
    kept = [name for name in named if name not in table.unread and name not in parts]
    if len(kept) == len(named):
        return mapping
    return {**{use: given for use, given in mapping.items() if use != IGNORE}, **({IGNORE: kept} if kept else {})}


def _left_out(loaded: Table, mapping: Mapped) -> frozenset[str]:
    """The paths into nested data that the mapping leaves out; a column is left out when its use is decided."""
    named = frozenset(listed(mapping.get(IGNORE, ())))
    if loaded.records is None:
        named -= set(loaded.frame.columns)
    return named & set(fields_of(loaded)) if named else named


def _flattened(table: Table, mapping: Mapped) -> Table:
    """The records of a table as flat rows; those whose shape is not known are reported."""
    assert table.records is not None
    kept = [
        name
        for use in OF_KEY
        for given in [mapping.get(use)]
        if isinstance(given, str | tuple | list)
        for name in listed(given)
    ]
    file = table.place(0)[0] if table.records else ""
    people = steady_people(record for _, record in table.records[:_COMPARED])
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    problems = list(table.problems)
    sided = with_sides(with_people_named(with_single_people([record for _, record in table.records])))
    for number, ((line, _), record) in enumerate(zip(table.records, sided, strict=True)):
        try:
            made = [row for inner in pairs_in(record) or [side_by_side(record)] for row in flatten(inner, kept, people)]
        except (ValueError, RecursionError) as error:
            reason = "JSON nested too deeply" if isinstance(error, RecursionError) else str(error)
            place = table.place(number)
            problems.append(Problem(place[0], place[1] or line, record_key(record), reason))
            continue
        rows += made
        numbers += [number] * len(made)
    place_of = table.place
    return replace(
        table,
        frame=with_record_ids(to_frame(rows, file), numbers, mapping),
        place=lambda row: place_of(numbers[row]) if row < len(numbers) else (file, None),
        problems=tuple(problems),
    )


#: So many records show which keys name people.
_COMPARED = 2_000
