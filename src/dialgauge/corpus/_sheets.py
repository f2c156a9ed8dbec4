"""Several sheets of a workbook as one table: one per annotator or system, or one per kind of thing, joined by ids."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import polars as pl

from dialgauge.corpus._blind_keys import with_letters_told
from dialgauge.corpus._called_parts import groups_of, is_data, short_cells, systems_in, with_names_of_parts
from dialgauge.corpus._column_types import answers
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._compared import with_comparisons
from dialgauge.corpus._items import with_items
from dialgauge.corpus._linked import are_alike, is_taken_over, with_links
from dialgauge.corpus._listed_people import with_listed_people
from dialgauge.corpus._listed_ranks import with_places_in_sheets
from dialgauge.corpus._names import (
    AGGREGATES,
    TELLING,
    USES,
    heading,
    is_dimension,
    is_housekeeping,
    is_metric,
    is_person,
    normalised,
    speaks_of_summaries,
)
from dialgauge.corpus._normal_form import in_words
from dialgauge.corpus._part_names import are_pages, own_parts
from dialgauge.corpus._parts_unread import asks_who_is_best, held_by, lacks_headings
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._put_aside import put_aside
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._sheet_systems import with_systems_named
from dialgauge.corpus._sides import columns_of, options_of
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._utterances import without_totals
from dialgauge.corpus._values import MOSTLY
from dialgauge.corpus._who_answered import answered_in
from dialgauge.corpus._wide import as_long
from dialgauge.corpus._wide_headings import is_judged
from dialgauge.errors import InputError

#: The column that holds the name of the sheet a row comes from.
SHEET = "sheet"
_KEY = ("dialogue_id", "system", "annotator", "variant", "role")
_FEWEST_COLUMNS = 2


def one_table(
    sheets: Sequence[Sheet], notes: Sequence[str] = (), what: str = "sheet", hidden: Sequence[Sheet] = ()
) -> Table:
    """All sheets (or files) that hold data of the corpus; the others are named in a note.

    Those that are ``hidden`` are not read, and named if they seem to hold judgements; those that are called as if they
    did not count are not read, and named.
    """
    sheets, aside = put_aside(sheets, what) if what in ("sheet", "file") else (sheets, {})
    form = in_words(sheets)
    if form is not None:
        sheets = [*form.sheets, *(sheet for sheet in sheets if sheet.name not in form.used)]
        notes = [*notes, *form.notes]
    plain = {sheet.name: Table(sheet.frame, sheet.place) for sheet in sheets}
    # What stands alone in a row of a sheet is a remark; in nested lists it is what all that is below it belongs to.
    tidied = plain if what == "list" else {name: without_totals(one, {}) for name, one in plain.items()}
    notes = [*notes, *(f"{name}: {note}" for name, made in tidied.items() for note in made.notes)]
    sheets = [
        replace(one, frame=_with_names_below(tidied[one.name].frame), place=tidied[one.name].place) for one in sheets
    ]
    sheets = with_systems_named(sheets, notes)
    as_they_are = tuple(sheets)
    sheets = with_places_in_sheets(with_letters_told(sheets, notes), notes)
    sheets = with_links(with_items(_with_dimensions(sheets), notes))
    sheets = with_listed_people([_long_by_person(sheet, notes) for sheet in sheets], notes)
    sheets = with_names_of_parts(sheets, notes)
    plans = {sheet.name: make_plan(sheet.frame) for sheet in sheets}
    sheets = [_with_known_systems(sheet, sheets, plans) for sheet in sheets]
    sheets = _with_references(sheets, plans, notes)
    plans = {sheet.name: make_plan(sheet.frame) for sheet in sheets}
    filled = [sheet for sheet in sheets if is_data(plans[sheet.name]) or _compares(sheet, plans[sheet.name])]
    filled = filled or list(sheets[:1])
    if len(filled) > 1 and not are_alike(filled):
        filled = _joinable(filled, plans)
    left_out = [sheet.name for sheet in sheets if sheet not in filled and not is_taken_over(sheet, filled)]
    read = f"only the {what} {filled[0].name!r} is read; " if len(filled) == 1 else f"{what}s that hold no such data: "
    said = [f"{read}{'left out: ' if len(filled) == 1 else ''}{', '.join(left_out)}"] if left_out else []
    stacking = [_without_gaps(sheet) for sheet in filled] if len(filled) > 1 else filled
    table = _stacked(_without_facts(stacking, plans, notes), plans, what)
    unread = _unread([sheet for sheet in sheets if sheet.name in left_out], filled, plans, what)
    # A list of the answers that may be given has one column.
    unread |= _unread([sheet for sheet in hidden if sheet.frame.width > 1], filled, plans, f"hidden {what}")
    left = tuple(sheet for sheet in sheets if sheet.name in left_out)
    parts = (*as_they_are, *(sheet for sheet in hidden if sheet.name not in unread))
    return replace(
        table,
        notes=(*notes, *said, *table.notes),
        unread={**unread, **aside, **table.unread},
        parts=parts,
        left=left,
        dropped=form.dropped if form is not None else {},
    )


def _unread(left_out: Sequence[Sheet], filled: Sequence[Sheet], plans: dict[str, Plan], what: str) -> dict[str, str]:
    """The sheets that were not read and seem to hold judgements or texts, by name, each with a sentence."""
    names = {
        text
        for sheet in filled
        for use in ("system", "annotator")
        for column in plans[sheet.name].uses.get(use, ())
        for text in sheet.frame[column].drop_nulls().cast(pl.String).unique()
    } | {sheet.name for sheet in filled}
    ids = {
        text
        for sheet in filled
        for column in plans[sheet.name].uses.get("dialogue_id", ())
        for text in sheet.frame[column].drop_nulls().cast(pl.String).unique()
    }
    said = {text for sheet in filled for column in sheet.frame.iter_columns() for text in short_cells(column)}
    said |= {sheet.name for sheet in filled}
    said |= {normalised(column) for sheet in filled for column in sheet.frame.columns}
    found = {}
    systems = {str(name) for sheet in filled for name in systems_in(sheet, plans[sheet.name])}
    for sheet in left_out:
        if _may_be_key(sheet.frame, systems):
            found[sheet.name] = (
                f"the {what} {sheet.name!r} may say which system {', '.join(map(repr, sorted(systems)))} mean in each "
                f"dialogue, and was not read: name the systems in the rows, or leave it out (--map ignore={sheet.name})"
            )
            continue
        leave = f"or leave it out (--map ignore={sheet.name})"
        if lacks_headings(sheet.frame, ids):
            first = ", ".join(repr(name[:20]) for name in sheet.frame.columns[:3])
            found[sheet.name] = (
                f"the {what} {sheet.name!r} has no headings ({first} … are of its first row) and was not read: write a "
                f"line of names above its rows (such as dialogue_id, system, annotator, clarity), {leave}"
            )
            continue
        if told := _systems_told(sheet.frame, said):
            listed = ", ".join(map(repr, told[:3]))
            found[sheet.name] = (
                f"the {what} {sheet.name!r} names systems that nothing else does ({listed}) and was not read: name "
                f"them in the rows that are judged, {leave}"
            )
            continue
        held = held_by(sheet.frame, names) or _of_summaries(sheet, ids, names)
        if held is not None:
            found[sheet.name] = (
                f"the {what} {sheet.name!r} looks like {held[0]} ({', '.join(map(repr, held[1][:3]))}) and was not "
                f"read: give its rows the ids of the dialogues and the systems, or leave it out "
                f"(--map ignore={sheet.name})"
            )
            continue
        if asked := answered_in(sheet.frame):
            found[sheet.name] = (
                f"the {what} {sheet.name!r} has a row for each response of a person "
                f"({', '.join(repr(column[:_LONGEST_SHOWN]) for column in asked[:3])}) and was not read: give its "
                f"answers the ids of the dialogues and the systems in columns of their own, {leave}"
            )
    return found


#: So much of a heading is shown.
_LONGEST_SHOWN = 60


def _of_summaries(sheet: Sheet, ids: Set[str], names: Set[str]) -> tuple[str, tuple[str, ...]] | None:
    """The columns of points in a sheet whose rows name a dialogue and a system that were read, however few they are."""
    columns = {column: short_cells(sheet.frame[column]) for column in sheet.frame.columns}
    keyed = [any(own and own <= known for own in columns.values()) for known in (ids, names)]
    if not all(keyed):
        return None
    found = []
    for column, own in columns.items():
        name, reading = normalised(heading(column)[0]), answers(sheet.frame[column])
        other = is_housekeeping(name) or is_metric(name) or AGGREGATES.fullmatch(name) is not None or is_person(name)
        points = reading.kind in ("number", "yes/no", "ordered") and reading.share >= MOSTLY and reading.distinct > 1
        whole = all(value * 2 % 1 == 0 and 0 <= value <= _MOST_POINTS for value in reading.values.values())
        if points and whole and not other and not own <= ids:
            found.append(column)
    return ("judgements", tuple(found)) if found else None


#: Points that people give are no higher than these; more may be counted words.
_MOST_POINTS = 10


def _systems_told(frame: pl.DataFrame, said: Set[str]) -> list[str]:
    """The systems in columns that are called so, where rows name several and nothing that was read has any of them."""
    found: list[str] = []
    for column in frame.columns:
        words = set(normalised(column).split("_"))
        called = normalised(column) in USES["system"] or words & (TELLING["system"] | {"systems", "models"})
        if not called or words & {"id", "version", "type", "description"}:
            continue
        named = short_cells(frame[column])
        recurring = frame.height >= 2 * len(named) > 2
        if recurring and not any(name in said or normalised(name) in said for name in named):
            found += [name for name in sorted(named) if name not in found]
    return found


#: What stands for a system is no longer than this: "A", "M2".
_LONGEST_LETTER = 2


def _may_be_key(frame: pl.DataFrame, systems: Set[str]) -> bool:
    """Whether the systems that were read are letters, for each of which a sheet has a column, or a place in one."""
    if len(systems) < _FEWEST_COLUMNS or any(len(name) > _LONGEST_LETTER for name in systems):
        return False
    columns = {column.rpartition(".")[2] for column in frame.columns}
    cells = [set(frame[column].drop_nulls().cast(pl.String, strict=False)) for column in frame.columns]
    return systems <= columns or any(systems <= own and len(own) <= 2 * len(systems) for own in cells)


def _without_gaps(sheet: Sheet) -> Sheet:
    """A sheet without empty rows, which would have its name once it stands below others."""
    if not sheet.frame.width or any(dtype.is_nested() for dtype in sheet.frame.dtypes):
        return sheet
    kept = sheet.frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true().to_list()
    place = sheet.place
    if len(kept) == sheet.frame.height:
        return sheet
    return replace(sheet, frame=sheet.frame[kept], place=lambda row: place(kept[row] if row < len(kept) else row))


def _with_names_below(frame: pl.DataFrame) -> pl.DataFrame:
    """A sheet with the names of dialogues that stand only in the first of several rows in all of them.

    With other sheets below it, nobody could tell them from names that are missing.
    """
    if not frame.height or frame.width < _FEWEST_COLUMNS or frame.to_series(0).dtype.is_nested():
        return frame
    column, values = frame.columns[0], frame.to_series(0)
    once = values.drop_nulls().is_unique().all() and values.null_count() * 2 >= values.len() - 1
    if values[0] is None or not values.null_count() or not once:
        return frame
    if make_plan(frame).uses.get("dialogue_id", ()) != (column,):
        return frame
    filled = pl.any_horizontal(pl.exclude(column).is_not_null())
    return frame.with_columns(pl.when(filled).then(pl.col(column).forward_fill()).otherwise(column))


def _with_dimensions(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Sheets that are called like a dimension each, and have none in their columns, with that name in every row."""
    called = [sheet for sheet in sheets if is_dimension(normalised(sheet.name)) and not _names_dimension(sheet)]
    if len(called) < 2:
        return list(sheets)
    return [
        replace(sheet, frame=sheet.frame.with_columns(pl.lit(sheet.name).alias("dimension")))
        if sheet in called
        else sheet
        for sheet in sheets
    ]


def _names_dimension(sheet: Sheet) -> bool:
    names = [normalised(heading(column)[0]) for column in sheet.frame.columns]
    return any(is_dimension(name) or name in USES["dimension"] for name in names)


def _long_by_person(sheet: Sheet, notes: list[str]) -> Sheet:
    """A sheet of judgements with columns for each person (``Ann Clarity``, ``Bob Clarity``), with a row for each."""
    plan = make_plan(sheet.frame)
    if is_data(plan) or not plan.has("dialogue_id") or plan.has("annotator"):
        return sheet
    made = as_long(Table(sheet.frame, sheet.place), {})
    if "annotator" not in made.frame.columns:
        return sheet
    notes += [f"{sheet.name}: {note}" for note in made.notes]
    return replace(sheet, frame=made.frame, place=made.place)


def _with_known_systems(sheet: Sheet, sheets: Sequence[Sheet], plans: dict[str, Plan]) -> Sheet:
    """The sheet with the systems that others name under the name that they have there, whatever it calls them."""
    if plans[sheet.name].has("system"):
        return sheet
    others = [(one, plans[one.name].uses["system"][0]) for one in sheets if "system" in plans[one.name].uses]
    known = {text for one, column in others for text in one.frame[column].drop_nulls().cast(pl.String).unique()}
    taken = {column for use in _KEY for column in plans[sheet.name].uses.get(use, ())}
    if len(known) < 2 or others[0][1] in sheet.frame.columns:
        return sheet
    named = []
    for column in (one for one in sheet.frame.columns if one not in taken and not asks_who_is_best(one)):
        given = set(sheet.frame[column].drop_nulls().cast(pl.String, strict=False).unique())
        named += [column] if len(given) > 1 and given <= known else []
    # Several such columns name what is compared.
    return replace(sheet, frame=sheet.frame.rename({named[0]: others[0][1]})) if len(named) == 1 else sheet


def _with_references(sheets: Sequence[Sheet], plans: dict[str, Plan], notes: list[str]) -> list[Sheet]:
    """The sheets, in which summaries that nobody signed are references where another sheet has those of systems."""
    if not any(plan.has("system") and plan.has("summary") for plan in plans.values()):
        return list(sheets)
    made = []
    for sheet in sheets:
        uses = plans[sheet.name].uses
        texts = [column for column in uses.get("reference", ()) if normalised(column) in USES["summary"]]
        if len(texts) == 1 and {"dialogue", "dialogue_id"} <= set(uses) and "reference" not in sheet.frame.columns:
            notes.append(f"{sheet.name}: no column names a system: {texts[0]!r} is read as the references")
            sheet = replace(sheet, frame=sheet.frame.rename({texts[0]: "reference"}))
        made.append(sheet)
    return made


def _without_facts(sheets: Sequence[Sheet], plans: dict[str, Plan], notes: list[str]) -> list[Sheet]:
    """The sheets, that of the dialogues without answers that are about these: whether a call was resolved.

    Somebody is named in another sheet who judged what systems wrote; a dimension by name stays, and is asked about.
    """
    others = [plans[sheet.name] for sheet in sheets]
    judged = any(one.has("annotator") and one.has("system") and one.named("dimension") for one in others)
    made = []
    for sheet in sheets:
        plan = plans[sheet.name]
        ids = plan.uses.get("dialogue_id", ())
        own = {"system", "summary", "reference", "annotator", "value", "dimension"} & set(plan.uses)
        if judged and not own and plan.has("dialogue") and ids and sheet.frame[ids[0]].is_unique().all():
            used = {c for use, columns in plan.uses.items() if not use.startswith("dimension:") for c in columns}
            free = [c for c in sheet.frame.columns if c not in used and not is_housekeeping(normalised(c))]
            facts = [c for c in free if answers(sheet.frame[c]).kind == "yes/no" and not speaks_of_summaries(c)]
            facts = [c for c in facts if is_judged(sheet.frame, c)]
            if facts:
                notes.append(f"{sheet.name}: about the dialogues, not used: {', '.join(facts)}")
                sheet = replace(sheet, frame=sheet.frame.drop(facts))
        made.append(sheet)
    return made


def _compares(sheet: Sheet, plan: Plan) -> bool:
    """Whether the rows of a sheet say which of several systems is better, for dialogues that they name."""
    sides = options_of(sheet.frame, {column: normalised(column) for column in sheet.frame.columns})
    return len(sides) > 1 and plan.has("dialogue_id") and _holds_comparisons(sheet.frame)


def _joinable(sheets: Sequence[Sheet], plans: dict[str, Plan]) -> list[Sheet]:
    """The sheets that name the same dialogues as the first with texts."""
    ids = {
        sheet.name: set(sheet.frame[plans[sheet.name].uses["dialogue_id"][0]].cast(pl.String).drop_nulls())
        for sheet in sheets
        if "dialogue_id" in plans[sheet.name].uses
    }
    first = next((sheet for sheet in sheets if sheet.name in ids), sheets[0])
    known = ids.get(first.name, set())
    return [sheet for sheet in sheets if sheet is first or known & ids.get(sheet.name, set())]


def _stacked(sheets: Sequence[Sheet], plans: dict[str, Plan], what: str) -> Table:
    if len(sheets) == 1:
        return Table(sheets[0].frame, sheets[0].place)
    names: dict[str, str] = {}  # the column of each part of the key, as the first sheet that has it calls it
    frames = []
    for sheet in sheets:
        uses = _without_sides(sheet, plans[sheet.name].uses)
        for use in _KEY:
            if use in uses:
                names.setdefault(use, uses[use][0])
        renamed = {uses[use][0]: names[use] for use in _KEY if use in uses}
        texts = sheet.frame.select(as_text(column, sheet.frame).alias(column) for column in sheet.frame.columns)
        taken = set(renamed.values()) - set(renamed)
        texts = texts.drop([column for column in texts.columns if column in taken]).rename(renamed)
        frames.append(texts.with_columns(pl.lit(sheet.name).alias(SHEET)))
    starts = [(sum(frame.height for frame in frames[:n]), sheet) for n, sheet in enumerate(sheets)]
    stack = pl.concat(frames, how="diagonal_relaxed")

    def place(row: int) -> tuple[str, int | None]:
        start, sheet = max((part for part in starts if part[0] <= row), key=lambda part: part[0])
        return sheet.place(row - start)

    meaning, alike = None, list[Sheet]()
    for group in groups_of(sheets):
        several = [sheet.name for sheet in group]
        meaning = _what_sheets_are(stack.filter(pl.col(SHEET).is_in(several)), plans[several[0]], names)
        if meaning:
            alike = group
            stack = stack.with_columns(pl.when(pl.col(SHEET).is_in(several)).then(SHEET).alias(SHEET))
            break
    if meaning == "annotator":
        called = own_parts([sheet.name for sheet in alike])
        stack = stack.with_columns(pl.col(SHEET).replace(called))
    said = f"read from several {what}s: {', '.join(sheet.name for sheet in sheets)}"
    if meaning:
        whose = "each" if len(alike) == len(sheets) else f"each of {', '.join(sheet.name for sheet in alike)}"
        said = f"{said}; {whose} is {'an annotator' if meaning == 'annotator' else 'a system'}"
    return Table(
        stack if meaning else stack.drop(SHEET), place, notes=(said,), known={SHEET: meaning} if meaning else {}
    )


def _without_sides(sheet: Sheet, uses: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """The uses of columns: ``system_a`` beside ``system_b`` names one side, and not whose summary a row has."""
    sides = options_of(sheet.frame, {column: normalised(column) for column in sheet.frame.columns})
    compared = set(columns_of(sides)) if len(sides) > 1 else set()
    return {use: columns for use, columns in uses.items() if use != "system" or columns[0] not in compared}


def _what_sheets_are(stack: pl.DataFrame, plan: Plan, names: dict[str, str]) -> str | None:
    """What tells sheets of the same columns apart: who judged, or which system wrote; None where the rows do."""
    key = [names[use] for use in ("dialogue_id", "system", "variant") if use in names]
    judged = "annotator" not in names and (bool(plan.named("dimension")) or _holds_comparisons(stack))
    if not key:
        return None
    if "system" in names:
        systems = {normalised(name) for name in stack[names["system"]].drop_nulls().cast(pl.String).unique()}
        if {normalised(name) for name in own_parts(stack[SHEET].unique().to_list()).values()} & systems:
            return None  # a part for each system, in which it is named: who judged is not told by the part
    if stack.select(*key, SHEET).unique().select(key).is_unique().all():
        # Each sheet has rows of its own: people who shared the work, if their names can be those of people.
        split = judged and "system" in names and not are_pages(stack[SHEET].unique().to_list())
        return "annotator" if split else None
    summaries = plan.uses.get("summary") or _judged_texts(stack, plan)
    if "system" not in names and summaries:
        texts = stack.drop_nulls(summaries[0]).group_by(key).agg(pl.col(summaries[0]).n_unique().alias("_n"))
        if (texts["_n"] > 1).any():
            return "system"
    return "annotator" if judged else None


def _judged_texts(stack: pl.DataFrame, plan: Plan) -> tuple[str, ...]:
    """The column of texts that were taken for references, though people judge them in columns of their own."""
    texts = [c for c in plan.uses.get("reference", ()) if normalised(c) in USES["summary"]]
    if len(texts) != 1 or are_pages(stack[SHEET].unique().to_list()):
        return ()
    known = as_long(Table(stack.drop(SHEET), lambda row: ("", row)), {}).known
    return tuple(texts) if any(use.startswith("dimension:") for use in known.values()) else ()


def _holds_comparisons(stack: pl.DataFrame) -> bool:
    """Whether rows compare or mark summaries."""
    try:
        return bool(with_comparisons(Table(stack, lambda row: ("", row)), {}).further)
    except InputError:
        return False
