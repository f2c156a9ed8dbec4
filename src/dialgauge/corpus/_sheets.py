"""Several sheets of a workbook as one table: one per annotator or system, or one per kind of thing, joined by ids."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

import polars as pl

from dialgauge.corpus._blind_keys import with_letters_told
from dialgauge.corpus._column_types import answers
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._compared import with_comparisons
from dialgauge.corpus._items import with_items
from dialgauge.corpus._joined_ids import parted_name
from dialgauge.corpus._linked import are_alike, is_taken_over, with_links
from dialgauge.corpus._listed_people import with_listed_people
from dialgauge.corpus._names import TELLING, USES, heading, is_dimension, is_housekeeping, normalised
from dialgauge.corpus._normal_form import in_words
from dialgauge.corpus._parts_unread import held_by, lacks_headings
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._put_aside import put_aside
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._sheet_systems import with_systems_named
from dialgauge.corpus._sides import columns_of, options_of
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._utterances import without_totals
from dialgauge.corpus._wide import as_long
from dialgauge.corpus._wide_headings import is_judged
from dialgauge.errors import InputError

#: The column that holds the name of the sheet a row comes from.
SHEET = "sheet"
_KEY = ("dialogue_id", "system", "annotator", "variant", "role")
_FEWEST_COLUMNS = 2
_CONTENT = ("dialogue", "summary", "reference", "value")


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
    sheets = with_letters_told(sheets, notes)
    sheets = with_links(with_items(_with_dimensions(sheets), notes))
    sheets = with_listed_people([_long_by_person(sheet, notes) for sheet in sheets], notes)
    sheets = _with_people_called(_with_parted_names(_with_systems_called(sheets, notes), notes), notes)
    plans = {sheet.name: make_plan(sheet.frame) for sheet in sheets}
    sheets = [_with_known_systems(sheet, sheets, plans) for sheet in sheets]
    sheets = _with_references(sheets, plans, notes)
    plans = {sheet.name: make_plan(sheet.frame) for sheet in sheets}
    filled = [sheet for sheet in sheets if _is_data(plans[sheet.name]) or _compares(sheet, plans[sheet.name])]
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
    parts = (*as_they_are, *(sheet for sheet in hidden if sheet.name not in unread))
    return replace(
        table,
        notes=(*notes, *said, *table.notes),
        unread={**unread, **aside, **table.unread},
        parts=parts,
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
    said = {text for sheet in filled for column in sheet.frame.iter_columns() for text in _short(column)}
    said |= {sheet.name for sheet in filled}
    said |= {normalised(column) for sheet in filled for column in sheet.frame.columns}
    found = {}
    systems = {str(name) for sheet in filled for name in _systems_in(sheet, plans[sheet.name])}
    for sheet in left_out:
        if _may_be_key(sheet.frame, systems):
            found[sheet.name] = (
                f"the {what} {sheet.name!r} may say which system {', '.join(map(repr, sorted(systems)))} mean in each "
                f"dialogue, and was not read: name the systems in the rows, or leave it out (--map ignore={sheet.name})"
            )
            continue
        if lacks_headings(sheet.frame, ids):
            found[sheet.name] = (
                f"the {what} {sheet.name!r} has no headings ({', '.join(repr(name[:20]) for name in sheet.frame.columns[:3])} … "
                f"are of its first row) and was not read: write a line of names above its rows (such as dialogue_id, system, "
                f"annotator, clarity), or leave it out (--map ignore={sheet.name})"
            )
            continue
        if told := _systems_told(sheet.frame, said):
            found[sheet.name] = (
                f"the {what} {sheet.name!r} names systems that nothing else does ({', '.join(map(repr, told[:3]))}) and "
                f"was not read: name them in the rows that are judged, or leave it out (--map ignore={sheet.name})"
            )
            continue
        held = held_by(sheet.frame, names)
        if held is not None:
            found[sheet.name] = (
                f"the {what} {sheet.name!r} looks like {held[0]} ({', '.join(map(repr, held[1][:3]))}) and was not "
                f"read: give its rows the ids of the dialogues and the systems, or leave it out "
                f"(--map ignore={sheet.name})"
            )
    return found


def _systems_in(sheet: Sheet, plan: Plan) -> list[str]:
    columns = plan.uses.get("system", ())
    return [text for column in columns for text in sheet.frame[column].drop_nulls().cast(pl.String).unique()]


def _systems_told(frame: pl.DataFrame, said: Set[str]) -> list[str]:
    """The systems in columns that are called so, where rows name several and nothing that was read has any of them."""
    found: list[str] = []
    for column in frame.columns:
        words = set(normalised(column).split("_"))
        called = normalised(column) in USES["system"] or words & (TELLING["system"] | {"systems", "models"})
        if not called or words & {"id", "version", "type", "description"}:
            continue
        named = _short(frame[column])
        recurring = frame.height >= 2 * len(named) > 2
        if recurring and not any(name in said or normalised(name) in said for name in named):
            found += sorted(named)
    return found


def _short(values: pl.Series) -> set[str]:
    """The cells of a column that may be names."""
    if values.dtype.is_nested():
        return set()
    texts = values.drop_nulls().cast(pl.String, strict=False).str.strip_chars().unique()
    return {text for text in texts if 0 < len(text) <= _LONGEST_NAME}


_LONGEST_NAME = 60
#: What stands for a system is no longer than this: "A", "M2".
_LONGEST_LETTER = 2


def _may_be_key(frame: pl.DataFrame, systems: Set[str]) -> bool:
    """Whether the systems that were read are letters, for each of which a sheet has a column, or a place in one."""
    if len(systems) < _FEWEST_COLUMNS or any(len(name) > _LONGEST_LETTER for name in systems):
        return False
    columns = {column.rpartition(".")[2] for column in frame.columns}
    cells = [set(frame[column].drop_nulls().cast(pl.String, strict=False)) for column in frame.columns]
    return systems <= columns or any(systems <= own and len(own) <= 2 * len(systems) for own in cells)


def _with_parted_names(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets, with columns for the dialogue and the system where names join those that the others have.

    Systems are named in a column, or are what files of the same columns are called.
    """
    if len(sheets) < _FEWEST_COLUMNS:
        return list(sheets)
    plans = {sheet.name: make_plan(sheet.frame) for sheet in sheets}
    dialogues = {
        text
        for sheet in sheets
        for column in plans[sheet.name].uses.get("dialogue_id", ())
        if {"dialogue", "summary", "reference"} & set(plans[sheet.name].uses)
        for text in _short(sheet.frame[column])
    }
    systems = {name for sheet in sheets for name in _systems_in(sheet, plans[sheet.name])}
    systems |= {sheet.name for group in _groups(sheets) for sheet in group if _holds_summaries(plans[sheet.name])}
    made = []
    for sheet in sheets:
        column = next((c for c in sheet.frame.columns if _joins(sheet.frame[c], dialogues, systems)), None)
        if column is not None and not {"system", "dialogue_id"} & {*plans[sheet.name].uses} - {"dialogue_id"}:
            parted = [parted_name(str(name), dialogues, systems) for name in sheet.frame[column]]
            own = [
                pl.Series(use, [pair and pair[at] for pair in parted], pl.String)
                for at, use in enumerate(("dialogue_id", "system"))
            ]
            notes.append(f"{sheet.name}: the names in {column!r} join dialogue and system, and were split")
            sheet = replace(sheet, frame=sheet.frame.drop(column).with_columns(own))
        made.append(sheet)
    return made


def _with_systems_called(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets, those that each hold one summary of the same dialogues under the names of systems, as they have."""
    made = list(sheets)
    for group in _groups(sheets):
        plan = make_plan(group[0].frame)
        texts = [c for use in ("summary", "reference") for c in plan.uses.get(use, ()) if normalised(c) in USES["summary"]]
        ids = plan.uses.get("dialogue_id", ())
        names = [sheet.name for sheet in group]
        named = {"system", "annotator", "dialogue"} & {*plan.uses} or plan.named("dimension")
        if named or len(texts) != 1 or not ids or are_pages(names) or _SYSTEM in group[0].frame.columns:
            continue
        each = [set(_short(sheet.frame[ids[0]])) for sheet in group if {ids[0], texts[0]} <= {*sheet.frame.columns}]
        whole = len(each) == len(group) and all(one == each[0] for one in each)
        if whole and all(sheet.frame[ids[0]].is_unique().all() for sheet in group):
            for sheet in group:
                if normalised(sheet.name) in USES["reference"]:
                    frame = sheet.frame.rename({texts[0]: "reference"})
                else:
                    frame = sheet.frame.with_columns(pl.lit(sheet.name).alias(_SYSTEM)).rename({texts[0]: "summary"})
                made[made.index(sheet)] = replace(sheet, frame=frame)
            systems = [name for name in names if normalised(name) not in USES["reference"]]
            notes.append(f"each of {', '.join(systems)} is a system")
    return made


_SYSTEM = "system"


def _with_people_called(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets, those of the same columns under the names of people where only so their answers are judgements."""
    made = list(sheets)
    for group in _groups(sheets):
        names = [sheet.name for sheet in group]
        plans = [make_plan(sheet.frame) for sheet in group]
        if are_pages(names) or any(_is_data(plan) or not {"dialogue_id", "system"} <= {*plan.uses} for plan in plans):
            continue
        called = own_parts(names)
        if _are_systems(called.values(), group, plans):
            continue
        own = [one.frame.with_columns(pl.lit(called[one.name]).alias("annotator")) for one in group]
        if "annotator" in group[0].frame.columns or not all(make_plan(frame).named("dimension") for frame in own):
            continue
        for sheet, frame in zip(group, own, strict=True):
            made[made.index(sheet)] = replace(sheet, frame=frame)
        notes.append(f"each of {', '.join(names)} is an annotator")
    return made


def _are_systems(names: Iterable[str], sheets: Sequence[Sheet], plans: Sequence[Plan]) -> bool:
    """Whether parts are called like the systems that their rows name: then nobody knows who judged."""
    systems = {normalised(name) for one, plan in zip(sheets, plans, strict=True) for name in _systems_in(one, plan)}
    return any(normalised(name) in systems for name in names)


def _joins(values: pl.Series, dialogues: Set[str], systems: Set[str]) -> bool:
    """Whether all cells of a column are names of which one part is a dialogue and the other a system."""
    if values.dtype != pl.String or not dialogues or not systems or values.null_count() or values.n_unique() < 2:
        return False
    return all(parted_name(name, dialogues, systems) is not None for name in values.unique())


def _holds_summaries(plan: Plan) -> bool:
    return "summary" in plan.uses or any(normalised(c) in USES["summary"] for c in plan.uses.get("reference", ()))


def _without_gaps(sheet: Sheet) -> Sheet:
    """A sheet without empty rows, which would have its name once it stands below others."""
    if not sheet.frame.width or any(dtype.is_nested() for dtype in sheet.frame.dtypes):
        return sheet
    kept = sheet.frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true().to_list()
    place = sheet.place
    if len(kept) == sheet.frame.height:
        return sheet
    return replace(
        sheet, frame=sheet.frame[kept], place=lambda row: place(kept[row] if row < len(kept) else row)
    )


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
    if _is_data(plan) or not plan.has("dialogue_id") or plan.has("annotator"):
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
    for column in (one for one in sheet.frame.columns if one not in taken):
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
            facts = [c for c in free if answers(sheet.frame[c]).kind == "yes/no" and not _speaks_of_summaries(c)]
            facts = [c for c in facts if is_judged(sheet.frame, c)]
            if facts:
                notes.append(f"{sheet.name}: about the dialogues, not used: {', '.join(facts)}")
                sheet = replace(sheet, frame=sheet.frame.drop(facts))
        made.append(sheet)
    return made


def _speaks_of_summaries(column: str) -> bool:
    """Whether a heading has a word for summaries or for a quality of theirs."""
    words = normalised(heading(column)[0]).split("_")
    forms = {form for word in words for form in (word, word.removesuffix("s"), f"{word.removesuffix('ies')}y")}
    return bool(forms & {*USES["summary"], *TELLING["summary"]}) or any(map(is_dimension, forms))


def _is_data(plan: Plan) -> bool:
    judged = (bool(plan.named("dimension")) or plan.has("dimension")) and plan.has("dialogue_id")
    return judged or any(plan.has(use) for use in _CONTENT)


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
    for group in _groups(sheets):
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


def _groups(sheets: Sequence[Sheet]) -> list[list[Sheet]]:
    """Several sheets with nearly the same columns, the largest group first."""
    groups = [[other for other in sheets if are_alike([sheet, other])] for sheet in sheets]
    distinct = {tuple(sheet.name for sheet in group): group for group in groups if len(group) > 1}
    return sorted(distinct.values(), key=len, reverse=True)


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


#: What stands between the words of a name of a file.
_BETWEEN = re.compile(r"[\W_]+")


def own_parts(names: Sequence[str]) -> dict[str, str]:
    """What each name of a person says beside the words that all begin or end with (``Study 3 - Ann``).

    Names stay whole where the rest is a number or a letter: ``rater_1``.
    """
    words = [[word for word in _BETWEEN.split(name) if word] for name in names]
    first = _in_common(words)
    last = _in_common([own[first:][::-1] for own in words])
    own = [" ".join(one[first : len(one) - last]) for one in words]
    telling = all(re.search(r"[^\W\d_]{2}", rest) for rest in own) and len(set(own)) == len(names) > 1
    if not telling:
        return {name: name for name in names}
    return {name: _between(name, one, first, last) for name, one in zip(names, words, strict=True)}


def _in_common(words: Sequence[Sequence[str]]) -> int:
    """With how many words all begin."""
    return next(
        (place for place, here in enumerate(zip(*words, strict=False)) if len(set(here)) > 1), min(map(len, words))
    )


def _between(name: str, words: Sequence[str], first: int, last: int) -> str:
    """The part of a name without its first and its last words, as it is written."""
    before = r"[\W_]*".join(map(re.escape, words[:first]))
    behind = r"[\W_]*".join(map(re.escape, words[len(words) - last :]))
    end = rf"[\W_]*{behind}" if last else ""  # the dot of "Priya N." is hers
    found = re.fullmatch(rf"{before}[\W_]*(.*?){end}", name, re.DOTALL)
    return found[1] if found else name


#: What parts of a file are called that are no names: by place, by time, by use.
_PAGE = re.compile(
    r"(?:sheet|table|tabelle|blatt|feuille?|hoja|foglio|planilha|blad|batch|part|page|set|file|chunk|section|week|day|"
    r"month|q|round|wave|run|phase|version|v|no|nr|data|export|train|training|dev|test|val|valid|validation|pilot|main|"
    r"final|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|"
    r"jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|[a-z]?\d+|_)*"
)


def are_pages(names: Sequence[str]) -> bool:
    """Whether names of sheets or files only number or date them, less what they all begin or end with."""
    plain = [normalised(name).split("_") for name in names]
    shared = set.intersection(*map(set, plain))
    return all(_PAGE.fullmatch("_".join(word for word in words if word not in shared)) for words in plain)
