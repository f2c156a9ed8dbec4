"""Several sheets of a workbook as one table: one per annotator or system, or one per kind of thing, joined by ids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import USES, heading, is_dimension, normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Table

#: The column that holds the name of the sheet a row comes from.
SHEET = "sheet"
_KEY = ("dialogue_id", "system", "annotator", "variant", "role")
_CONTENT = ("dialogue", "summary", "reference", "value")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook or a file of a folder: its name, its rows, and where each of them is."""

    name: str
    frame: pl.DataFrame
    place: Callable[[int], tuple[str, int | None]]


def one_table(sheets: Sequence[Sheet], notes: Sequence[str] = (), what: str = "sheet") -> Table:
    """All sheets (or files) that hold data of the corpus; the others are named in a note."""
    sheets = _with_dimensions(sheets)
    plans = {sheet.name: make_plan(sheet.frame) for sheet in sheets}
    filled = [sheet for sheet in sheets if _is_data(plans[sheet.name])] or list(sheets[:1])
    if len(filled) > 1 and not _alike(filled):
        filled = _joinable(filled, plans)
    left_out = [sheet.name for sheet in sheets if sheet not in filled]
    read = f"only the {what} {filled[0].name!r} is read; " if len(filled) == 1 else f"{what}s that hold no such data: "
    said = [f"{read}{'left out: ' if len(filled) == 1 else ''}{', '.join(left_out)}"] if left_out else []
    table = _stacked(filled, plans, what)
    return replace(table, notes=(*notes, *said, *table.notes))


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


def _is_data(plan: Plan) -> bool:
    judged = (bool(plan.named("dimension")) or plan.has("dimension")) and plan.has("dialogue_id")
    return judged or any(plan.has(use) for use in _CONTENT)


def _alike(sheets: Sequence[Sheet]) -> bool:
    """Whether all sheets have nearly the same columns."""
    names = [{normalised(column) for column in sheet.frame.columns} for sheet in sheets]
    every, common = set.union(*names), set.intersection(*names)
    return len(common) * 10 >= len(every) * 8


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
        uses = plans[sheet.name].uses
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

    meaning = _what_sheets_are(stack, plans[sheets[0].name], names) if _alike(sheets) else None
    said = f"read from several {what}s: {', '.join(sheet.name for sheet in sheets)}"
    known = {SHEET: meaning} if meaning else {}
    return Table(
        stack if meaning else stack.drop(SHEET),
        place,
        notes=(f"{said}; each is {'an annotator' if meaning == 'annotator' else 'a system'}" if meaning else said,),
        known=known,
    )


def _what_sheets_are(stack: pl.DataFrame, plan: Plan, names: dict[str, str]) -> str | None:
    """What tells sheets of the same columns apart: who judged, or which system wrote; None where the rows do."""
    key = [names[use] for use in ("dialogue_id", "system", "variant") if use in names]
    if not key or stack.select(*key, SHEET).unique().select(key).is_unique().all():
        return None
    summaries = plan.uses.get("summary")
    if "system" not in names and summaries:
        texts = stack.drop_nulls(summaries[0]).group_by(key).agg(pl.col(summaries[0]).n_unique().alias("n"))
        if (texts["n"] > 1).any():
            return "system"
    return "annotator" if "annotator" not in names and plan.named("dimension") else None
