"""What became of every cell that looks like a judgement."""

from collections import Counter
from pathlib import Path

import polars as pl

from dialgauge.corpus._account import UNEXPLAINED, Account
from dialgauge.corpus._cells import labels_in, unread_judgements, unread_marks
from dialgauge.corpus._checks import ROW, BadRow
from dialgauge.corpus._column_types import answers
from dialgauge.corpus._further import Further
from dialgauge.corpus._guess import MOST_POINTS
from dialgauge.corpus._look_alikes import summed_up_by
from dialgauge.corpus._names import TELLING, USES, is_housekeeping, is_metric, is_of_conversation, normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._rated import KEPT, REPEATED, SETTLED, WORD
from dialgauge.corpus._rows import Rows
from dialgauge.corpus._table import Table
from dialgauge.corpus._unexplained import unlike_merges
from dialgauge.corpus._values import MOSTLY


def account_of(
    table: Table,
    plan: Plan,
    rows: Rows,
    cells: pl.DataFrame,
    ratings: pl.DataFrame,
    further: Further,
    bad: list[BadRow],
) -> Account:
    """What became of every cell of judgements."""
    key = [ROW, "dimension"]
    kept = (
        ratings.select(*key, pl.col("value").is_not_null().alias("_stored"), pl.col(WORD))
        if WORD in ratings.columns
        else None
    )
    if kept is None:
        kept = pl.DataFrame(schema={ROW: pl.Int64, "dimension": pl.String, "_stored": pl.Boolean, WORD: pl.String})
    merged = pl.concat([*rows.merged, pl.DataFrame(schema=REPEATED)])
    reasons = pl.DataFrame(
        [(one.row, one.reason) for one in bad if one.row is not None],
        schema={ROW: pl.Int64, "_reason": pl.String},
        orient="row",
    ).unique(ROW, keep="first", maintain_order=True)
    seen = (
        cells.join(kept.unique(key), on=key, how="left", maintain_order="left")
        .join(_once(merged, key), on=key, how="left", maintain_order="left")
        .join(reasons, on=ROW, how="left", maintain_order="left")
    )
    stored = pl.col("_stored").fill_null(False)
    seen = seen.with_columns(pl.coalesce(WORD, "_word_again").alias(WORD))
    skipped = ~stored & pl.col(WORD).is_not_null()
    again = ~stored & ~skipped & pl.col(SETTLED).is_not_null()
    lost = seen.filter(~stored & ~skipped & ~again).with_columns(pl.col("_reason").fill_null(UNEXPLAINED))
    left_out = Counter(lost["_reason"].to_list()) + _unstored(further)
    kept_cells = int(seen.select(stored.sum()).item()) + further.stored
    unused = {**plan.unused, **_summed_up(table, plan, rows)}
    lines = {one.row for one in bad if one.table == "rows" and not one.reason.endswith("was ignored")}
    return Account(
        file=Path(table.place(0)[0]).name,
        layout=table.layout,
        cells=cells.height + further.seen + sum(unused.values()) + sum(table.dropped.values()),
        stored=kept_cells,
        not_given=dict(sorted(Counter(seen.filter(skipped)[WORD].to_list()).items())),
        merged=seen.filter(again & ~pl.col(SETTLED)).height + further.merged,
        settled=seen.filter(again & pl.col(SETTLED)).height + further.settled,
        left_out=dict(sorted(left_out.items())),
        unused=unused,
        rejected=dict(table.dropped),
        rows=table.frame.height + len(table.problems),
        rows_merged=rows.rows_merged,
        rows_left_out=len(lines) + len(table.problems),
        conflicts=rows.conflicts + further.conflicts,
        lost=(*_lost_groups(seen, stored, lost), *_nested_in(table, plan)),
        unread="" if kept_cells else _why_unread(table, plan, cells) or _what_looks_judged(table, plan),
        nowhere=tuple(
            unlike_merges(table, plan, merged.filter(pl.col(WORD).is_null()).select(ROW, KEPT).rows(), cells.height)
        ),
        mapping={
            **{column.name: {"use": column.use, "why": column.why} for column in plan.columns},
            **{name: {"use": None, "why": why} for name, why in table.ignored.items()},
        },
    )


def _once(repeated: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Every repeated cell once: whether the user settled it, and the word by which it says that nothing is given."""
    return repeated.select(*key, SETTLED, pl.col(WORD).alias("_word_again")).unique(key, maintain_order=True)


def _unstored(further: Further) -> "Counter[str]":
    """Why rows with further judgements were left out: an option of a lost question is not a judgement of its own."""
    missing = further.seen - further.stored - further.merged - further.settled
    by_row: dict[int, str] = {}
    for one in further.bad:
        if one.row is not None:
            by_row.setdefault(one.row, one.reason)
    reasons = [*by_row.values()][:missing]
    return Counter([*reasons, *([UNEXPLAINED] * (missing - len(reasons)))])


def _lost_groups(seen: pl.DataFrame, stored: pl.Expr, lost: pl.DataFrame) -> tuple[str, ...]:
    """Dimensions, annotators and systems that had judgements, of which not one is stored."""
    found = []
    for kind in ("dimension", "annotator", "system"):
        kept = set(seen.filter(stored)[kind].unique())
        gone = sorted({str(name) for name in lost[kind].unique() if name is not None and name not in kept})
        found += [f"the {kind} {name!r}" for name in gone]
    return tuple(found)


def _nested_in(table: Table, plan: Plan) -> list[str]:
    """Columns that are not used and hold lists or objects of judgements."""
    judged = plan.named("dimension") or plan.has("value")
    spare = [
        column.name
        for column in plan.columns
        if column.use is None
        and column.type == "text"
        and column.filled
        and not (judged and _is_no_judgement(normalised(column.name)))
    ]
    return [
        f"the column {name!r}"
        for name in spare
        if unread_judgements(table.frame[name]) or unread_marks(table.frame[name])
    ]


def _summed_up(table: Table, plan: Plan, rows: Rows) -> dict[str, int]:
    """Lists of labels of which another column has the share or the mean: how many labels they hold."""
    judged = set(plan.named("dimension").values())
    found = {}
    for column in plan.columns:
        whole = summed_up_by(column.name, judged) if column.use is None and column.filled else None
        if whole is not None and (count := labels_in(table.frame[column.name])):
            found[column.name] = count
            rows.notes.append(f"{whole}: sums up the labels in {column.name!r}, which are not read themselves")
    return found


def _is_no_judgement(name: str) -> bool:
    return is_metric(name) or is_of_conversation(name)


def _what_looks_judged(table: Table, plan: Plan) -> str:
    """Columns whose names speak of people or answers and whose cells are answers, where nothing could be read."""
    if table.further or plan.has("value") or plan.named("dimension"):
        return ""
    spare = [
        column.name
        for column in plan.columns
        if column.use is None and column.filled and _ANSWERED & set(normalised(column.name).split("_"))
    ]
    found = [name for name in spare if not is_housekeeping(normalised(name)) and _are_answers(table.frame[name])]
    if not found:
        return ""
    listed = ", ".join(map(repr, found))
    return f"{listed} look like judgements, but could not be read. Map them, as in --map dimension:overall={found[0]}"


#: Words in the names of columns that hold judgements.
_ANSWERED = frozenset({*TELLING["annotator"], *USES["value"], "ratings", "scores", "labels", "votes", "likert"})


def _are_answers(values: pl.Series) -> bool:
    found = answers(values)
    return found.given > 0 and found.share >= MOSTLY and 2 <= found.distinct <= MOST_POINTS


def _why_unread(table: Table, plan: Plan, cells: pl.DataFrame) -> str:
    """People are there, or judgements, and not one could be read: that is not all well."""
    people = plan.uses.get("annotator", ())
    if not people or table.further:
        return ""
    if plan.has("value") or plan.named("dimension"):
        if cells.is_empty():
            return ""
        columns = sorted({*plan.named("dimension").values(), *plan.uses.get("value", ())})
        what = f"no judgement in {', '.join(map(repr, columns))} could be read"
    else:
        spare = [column.name for column in plan.columns if column.use is None and column.filled]
        if not spare:
            return ""
        what = f"no column holds judgements that can be read (not used: {', '.join(spare)})"
    return (
        f"{people[0]!r} names annotators, but {what}. Map the right column, as in --map dimension:overall=COLUMN, or "
        f"leave the annotators out: --map ignore={people[0]}"
    )
