"""Tables of best-worst choices: a row per question with its options, or a row per option with marks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import is_dimension, is_person, normalised
from dialgauge.corpus._sides import (
    Options,
    certainties,
    columns_of,
    option_rows,
    rows_without,
    taken_out,
    with_annotators,
    without_certainties,
)
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import OVERALL
from dialgauge.corpus._values import is_not_given
from dialgauge.corpus._wide_headings import as_written
from dialgauge.corpus.layouts._base import ROW

_BEST, _WORST = re.compile(r"(?:.*_)?best(?:_.*)?|most(?:_.*)?"), re.compile(r"(?:.*_)?worst(?:_.*)?|least(?:_.*)?")
_MARKED = frozenset(["1", "1.0", "true", "yes", "x", "✓", "✔", "best", "worst"])
_UNMARKED = frozenset(["", "0", "0.0", "false", "no", "-"])
#: Columns that name one question of several options.
_QUESTION = re.compile(
    r"(?:tuple|trial|question|task|set|block|screen|hit|bws|quadruple)(?:_?(?:id|no|nr|number|index))?"
)


def find_best_and_worst(names: Mapping[str, str]) -> tuple[str, str] | None:
    """The two columns that say which option is best and which is worst."""
    best = [column for column, name in names.items() if _BEST.fullmatch(name)]
    worst = [column for column, name in names.items() if _WORST.fullmatch(name)]
    return (best[0], worst[0]) if len(best) == 1 and len(worst) == 1 else None


def by_person(table: Table, names: Mapping[str, str]) -> Table | None:
    """The table with a row for each person who has a column for the best and one for the worst; None without such."""
    ends: dict[str, dict[str, str]] = {}
    for column, name in names.items():
        at = _OF_PERSON.fullmatch(name)
        if at is not None:
            ends.setdefault(at[1] or at[4], {})[at[2] or at[3]] = column
    people = {who: own for who, own in ends.items() if len(own) == len(_ENDS)}
    columns = [column for own in people.values() for column in own.values()]
    if len(people) < 2 or len(people) < len(ends) or not are_marks(table.frame, columns):
        return None
    if any(map(is_dimension, people)) or any(map(is_person, names.values())):
        return None
    whole = _filled_below(table.frame, columns).with_row_index("_origin")
    rows = whole.filter(pl.any_horizontal(pl.exclude("_origin").is_not_null()))
    rest = [column for column in table.frame.columns if column not in columns]
    parts = [
        rows.select(
            "_origin",
            *rest,
            pl.lit(as_written(own["best"], who)).alias("annotator"),
            *(pl.col(own[end]).alias(end) for end in _ENDS),
        )
        for who, own in people.items()
    ]
    long = pl.concat(parts, how="vertical_relaxed")
    origin, place = long["_origin"].to_list(), table.place
    return replace(
        table,
        frame=long.drop("_origin"),
        place=lambda row: place(origin[row] if row < len(origin) else row),
        notes=(*table.notes, f"columns for each annotator: {', '.join(long['annotator'].unique(maintain_order=True))}"),
    )


_ENDS = ("best", "worst")
#: "Ivo Best", "worst_ann": a column of one person.
_OF_PERSON = re.compile(r"(.+)_(best|worst)|(best|worst)_(.+)")


def unread_choices(columns: Iterable[str]) -> list[str]:
    """Columns that nothing was made of and that say best and worst of something, where no choice was read."""
    named = {column: set(normalised(column).split("_")) for column in columns}
    found = [column for column, words in named.items() if len(words & set(_ENDS)) == 1]  # "best_to_worst" is an order
    if {end for column in found for end in _ENDS if end in named[column]} != set(_ENDS):
        return []
    listed = ", ".join(map(repr, found[:3]))
    return [
        f"{listed} look like choices of the best and the worst, and were not read: name one column 'best' and one "
        f"'worst' beside a column of the annotators, or leave them out ({' '.join(f'--map ignore={c}' for c in found)})"
    ]


def _filled_below(frame: pl.DataFrame, marks: Sequence[str]) -> pl.DataFrame:
    """The frame with what stands only in the first of several rows, as merged cells are saved, in all of them."""
    first = frame.columns[0]
    named = frame[first].is_not_null()
    if not frame.height or not named[0] or named.all() or frame[first].drop_nulls().is_duplicated().any():
        return frame
    filled = pl.any_horizontal(pl.exclude(marks).is_not_null())
    below = [
        column
        for column in frame.columns
        if column not in marks and not (frame[column].is_not_null() & ~named).any() and frame[column][0] is not None
    ]
    return frame.with_columns(pl.when(filled).then(pl.col(column).forward_fill()).alias(column) for column in below)


def are_marks(frame: pl.DataFrame, columns: Iterable[str]) -> bool:
    """Whether these columns only say yes or no, as where every option has a row."""
    shown = {str(v).strip().lower() for c in columns for v in frame[c].drop_nulls().unique()}
    return bool(shown & _MARKED) and shown <= _MARKED | _UNMARKED


def choices(table: Table, mapping: Mapped, options: Options, best: str, worst: str) -> Table:
    """The table with a row per summary, and the choices taken out of the rows."""
    unsure = certainties(table, mapping)
    keyed, plan = taken_out(table, mapping, [best, worst, *columns_of(options), *unsure])
    keyed = with_annotators(keyed)
    made = without_certainties(option_rows(table, keyed, plan, options), unsure, "choice")
    rows = []
    shown = columns_of(options)
    for number, row in enumerate(table.frame.iter_rows(named=True)):
        if all(row[column] is None for column in (*shown, best, worst)):
            continue  # a row of a summary, as another file has them
        said = {end: row[column] for end, column in (("best", best), ("worst", worst)) if _is_given(row[column])}
        if not said:
            continue  # somebody has not answered this one
        names = {side: str(row[uses["system"]]) if "system" in uses else side for side, uses in options.items()}
        chosen = {word: _side(row, cell, options, names) for word, cell in said.items()}
        given = keyed.row(number, named=True)
        rows += [
            {
                **_key(given, names.values()),
                "system": name,
                "choice": next((word for word, at in chosen.items() if at == side), "neither"),
                "_given": f"best {row[best]}, worst {row[worst]}",
                "_lost": None in chosen.values() or len(set(chosen.values())) < len(chosen),
                ROW: number + made.frame.height,
            }
            for side, name in names.items()
        ]
    return replace(made, further={**made.further, "choices": pl.DataFrame(rows, infer_schema_length=None)})


def _is_given(cell: object) -> bool:
    return cell is not None and not is_not_given(str(cell))


def _side(row: Mapping[str, object], said: object, options: Options, names: Mapping[str, str]) -> str | None:
    """The side that a cell names: by its system, by its letter or number, or by its text."""
    text = str(said).strip()
    plain = normalised(text)
    for side, uses in options.items():
        words = {side, *(normalised(column) for column in uses.values())}
        written = str(row[uses["summary"]]).strip() if "summary" in uses else None
        if text in (names[side], side, written) or plain in words:
            return side
    return None


def marked_choices(table: Table, mapping: Mapped, best: str, worst: str) -> Table:
    """The table without its marks, and the choices: the rows of one question are its options."""
    keyed, plan = taken_out(table, mapping, [best, worst])
    asked = next((column for column in table.frame.columns if _QUESTION.fullmatch(normalised(column))), None)
    made = rows_without(table, keyed, plan)
    keyed = with_annotators(keyed).with_columns(
        (table.frame[asked].cast(pl.String) if asked else pl.Series([""] * keyed.height)).alias("@question"),
        *(
            table.frame[column].cast(pl.String).str.strip_chars().str.to_lowercase().is_in(sorted(_MARKED)).alias(name)
            for name, column in (("@best", best), ("@worst", worst))
        ),
    )
    rows = []
    for _, group in keyed.group_by(["@dialogue_id", "@role", "@annotator", "@question"], maintain_order=True):
        if not (group["@best"] | group["@worst"]).any():
            continue  # somebody has not answered this one
        systems = group["@system"].fill_null("system").to_list()
        both = (group["@best"] & group["@worst"]).any()
        lost = both or group["@best"].sum() != 1 or group["@worst"].sum() != 1
        rows += [
            {
                **_key(given, systems),
                "system": given["@system"] or "system",
                "choice": "best" if given["@best"] else "worst" if given["@worst"] else "neither",
                "_given": f"{group['@best'].sum()} best and {group['@worst'].sum()} worst",
                "_lost": lost,
                ROW: group[ROW][0] + made.frame.height,
            }
            for given in group.iter_rows(named=True)
        ]
    return replace(made, further={**made.further, "choices": pl.DataFrame(rows, infer_schema_length=None)})


def _key(given: Mapping[str, object], systems: Iterable[str]) -> dict[str, object]:
    return {
        "dialogue_id": given["@dialogue_id"],
        "role": given["@role"] or OVERALL,
        "tuple": "+".join(sorted(systems)),
        "annotator": given["@annotator"],
        "dimension": given["@dimension"] or "best-worst",
    }
