"""What parts of the same columns are called: systems, people, and names that join a dialogue and a system."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._joined_ids import parted_name
from dialgauge.corpus._linked import are_alike
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._part_names import are_pages, own_parts
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Sheet

_FEWEST_COLUMNS = 2
_SYSTEM = "system"
#: Longer cells are no names.
_LONGEST_NAME = 60
_CONTENT = ("dialogue", "summary", "reference", "value")


def with_names_of_parts(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets with the systems, dialogues and people that their own names, and names in their cells, say."""
    return _with_people_called(_with_parted_names(_with_systems_called(sheets, notes), notes), notes)


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
        for text in short_cells(sheet.frame[column])
    }
    systems = {name for sheet in sheets for name in systems_in(sheet, plans[sheet.name])}
    systems |= {sheet.name for group in groups_of(sheets) for sheet in group if _holds_summaries(plans[sheet.name])}
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
    for group in groups_of(sheets):
        plan = make_plan(group[0].frame)
        texts = [
            c for use in ("summary", "reference") for c in plan.uses.get(use, ()) if normalised(c) in USES["summary"]
        ]
        ids = plan.uses.get("dialogue_id", ())
        names = [sheet.name for sheet in group]
        named = {"system", "annotator", "dialogue"} & {*plan.uses} or plan.named("dimension")
        if named or len(texts) != 1 or not ids or are_pages(names) or _SYSTEM in group[0].frame.columns:
            continue
        each = [
            set(short_cells(sheet.frame[ids[0]])) for sheet in group if {ids[0], texts[0]} <= {*sheet.frame.columns}
        ]
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


def _with_people_called(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets, those of the same columns under the names of people where only so their answers are judgements."""
    made = list(sheets)
    for group in groups_of(sheets):
        names = [sheet.name for sheet in group]
        plans = [make_plan(sheet.frame) for sheet in group]
        if are_pages(names) or any(is_data(plan) or not {"dialogue_id", "system"} <= {*plan.uses} for plan in plans):
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
    systems = {normalised(name) for one, plan in zip(sheets, plans, strict=True) for name in systems_in(one, plan)}
    return any(normalised(name) in systems for name in names)


def _joins(values: pl.Series, dialogues: Set[str], systems: Set[str]) -> bool:
    """Whether all cells of a column are names of which one part is a dialogue and the other a system."""
    if values.dtype != pl.String or not dialogues or not systems or values.null_count() or values.n_unique() < 2:
        return False
    return all(parted_name(name, dialogues, systems) is not None for name in values.unique())


def _holds_summaries(plan: Plan) -> bool:
    return "summary" in plan.uses or any(normalised(c) in USES["summary"] for c in plan.uses.get("reference", ()))


def systems_in(sheet: Sheet, plan: Plan) -> list[str]:
    columns = plan.uses.get("system", ())
    return [text for column in columns for text in sheet.frame[column].drop_nulls().cast(pl.String).unique()]


def groups_of(sheets: Sequence[Sheet]) -> list[list[Sheet]]:
    """Several sheets with nearly the same columns, the largest group first."""
    groups = [[other for other in sheets if are_alike([sheet, other])] for sheet in sheets]
    distinct = {tuple(sheet.name for sheet in group): group for group in groups if len(group) > 1}
    return sorted(distinct.values(), key=len, reverse=True)


def is_data(plan: Plan) -> bool:
    judged = (bool(plan.named("dimension")) or plan.has("dimension")) and plan.has("dialogue_id")
    return judged or any(plan.has(use) for use in _CONTENT)


def short_cells(values: pl.Series) -> set[str]:
    """The cells of a column that may be names."""
    if values.dtype.is_nested():
        return set()
    texts = values.drop_nulls().cast(pl.String, strict=False).str.strip_chars().unique()
    return {text for text in texts if 0 < len(text) <= _LONGEST_NAME}
