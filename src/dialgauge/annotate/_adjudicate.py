"""Adjudication: someone sees the ratings of the others, without their names, and decides."""

from collections import defaultdict
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError
from dialgauge.annotate._audit import log
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.annotate._results import results, system_codes
from dialgauge.annotate._rows import fresh_assignment, insert, opaque


def adjudicate(
    connection: Connection,
    project: Project,
    library: Library,
    adjudicator: str,
    minimum_difference: float,
    *,
    actor: str = "lead",
) -> int:
    """Assign the adjudicator every summary on which two annotators differ at least this much; returns how many.

    Two classes, or yes and no, are never further apart than different: there any difference counts. Summaries that
    were assigned before are not assigned again.
    """
    if project.section.task != "rate":
        raise RefusedError(409, "conflict", "Only ratings can be adjudicated.")
    row = connection.execute(sa.select(t.annotator).where(t.annotator.c.name == adjudicator)).first()
    if row is None or row.state == "replaced":
        raise RefusedError(404, "not-found", f"There is no annotator {adjudicator!r}.")
    rated = results(connection, project, library, system_codes(connection, project)).ratings
    wanted = _differing(rated, minimum_difference, _without_distances(project.section)) - _given_before(connection)
    originals = {item.id: item for item in library.items(connection, sorted(wanted))}
    by_page: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number in sorted(wanted):
        by_page[originals[number].dialogue, originals[number].role].append(number)
    last = connection.execute(sa.select(sa.func.max(t.page.c.position)).where(t.page.c.annotator == row.id)).scalar()
    for offset, ((dialogue, role), numbers) in enumerate(by_page.items(), 1):
        page = {"id": opaque(), "annotator": row.id, "dialogue": dialogue, "role": role, "stage": "adjudication"}
        connection.execute(sa.insert(t.page).values(**page, number_of_pass=0, position=(last or 0) + offset))
        for position, number in enumerate(numbers, 1):
            summaries, others = _given(connection, number)
            item = {"kind": "rate", "purpose": "adjudication", "dialogue": dialogue, "role": role}
            item |= {"summaries": summaries, "reference": originals[number].reference, "expected": others}
            (new,) = insert(connection, t.item, [{**item, "subject": str(number)}])
            fresh = fresh_assignment(page["id"], row.id, new, position, summaries)
            connection.execute(sa.insert(t.assignment).values(**fresh))
    log(connection, actor, "adjudication", adjudicator=adjudicator, items=len(wanted))
    return len(wanted)


def _without_distances(section: AnnotateSection) -> list[str]:
    """The dimensions of classes, and those with two answers."""
    scales = {dimension.name: dimension.points() for dimension in section.dimensions}
    return [name for name, scale in scales.items() if scale.kind == "categorical" or len(scale.points) == 2]


def _differing(rated: pl.DataFrame, minimum_difference: float, without_distances: list[str]) -> set[int]:
    own = rated.filter(~pl.col("annotator").str.starts_with("adjudication:"))
    spread = own.group_by("item", "dimension", "sentence").agg(pl.col("value").max() - pl.col("value").min())
    far = pl.col("value") >= minimum_difference - 1e-9
    different = pl.col("dimension").is_in(without_distances) & (pl.col("value") > 0)
    return set(spread.filter(far | different)["item"])


def _given_before(connection: Connection) -> set[int]:
    query = sa.select(t.item.c.subject).where(t.item.c.purpose == "adjudication")
    return {int(subject) for subject in connection.execute(query).scalars()}


def _given(connection: Connection, item: int) -> tuple[list[int], list[dict[str, Any]]]:
    """The summaries of an item, and the annotators' ratings, in an order that does not reveal who is who."""
    query = sa.select(t.assignment.c.answer).where(t.assignment.c.item == item, t.assignment.c.rev > 0)
    values: dict[Any, dict[str, Any]] = defaultdict(dict)
    rows = connection.execute(query.add_columns(t.assignment.c.annotator).order_by(t.assignment.c.id)).all()
    for row in rows:
        values[row.annotator].update(row.answer["values"])
    summaries = connection.execute(sa.select(t.item.c.summaries).where(t.item.c.id == item)).scalar()
    return list(summaries or []), list(values.values())
