"""The lead's dashboard: progress, time, agreement, drift, outliers, failed checks, and the largest disagreements."""

from collections import defaultdict
from statistics import median
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._answers import failures
from dialgauge.annotate._gate import gate_view
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._results import plain_ratings, results, system_codes
from dialgauge.annotate._views import training_share
from dialgauge.corpus import KEY
from dialgauge.ratings import agreement, drift, outliers

_MEASURES = ("krippendorff-alpha", "cohen-kappa", "fleiss-kappa")
#: Enough resamples for an interval on a dashboard; a finer one can be computed from exports.
_RESAMPLES = 200
_MOST_DISAGREEMENTS = 30


def dashboard_view(connection: Connection, project: Project, library: Library) -> dict[str, Any]:
    """Everything on the lead's page, from one state of the database."""
    codes = system_codes(connection, project)
    rated = results(connection, project, library, codes).ratings
    plain = plain_ratings(rated)
    people = _people(connection, project)
    return {
        "study": {
            "name": project.name,
            "title": project.title,
            "protocol": project.section.protocol,
            "task": project.section.task,
            "created": get_setting(connection, "created"),
            "blinded": get_setting(connection, "blinded"),
            "copies": _copies_with_names(connection),
        },
        "stage": get_setting(connection, "stage"),
        "annotators": people,
        "progress": {name: sum(person[name] for person in people) for name in ("items", "complete")},
        "agreement": _agreement(plain, project.seed),
        "drift": _drift(plain),
        "outliers": _outliers(plain, project.seed),
        "checks": failed_checks(connection),
        "disagreements": _disagreements(connection, library, rated),
        "gate": gate_view(connection, project, rated),
    }


def _copies_with_names(connection: Connection) -> int:
    query = sa.select(sa.func.count()).select_from(t.audit).where(t.audit.c.action == "backup")
    return int(connection.execute(query).scalar_one())


def _people(connection: Connection, project: Project) -> list[dict[str, Any]]:
    query = (
        sa.select(t.assignment, t.page.c.stage, t.item.c.purpose)
        .join(t.page, t.page.c.id == t.assignment.c.page)
        .join(t.item, t.item.c.id == t.assignment.c.item)
    )
    mine: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(query):
        mine[row.annotator].append(row)
    failed: dict[str, set[str]] = defaultdict(set)
    for check in failed_checks(connection):
        failed[check["annotator"]].add(check["assignment"])
    entered = set(connection.execute(sa.select(t.session.c.annotator).distinct()).scalars())
    return [
        _person(connection, project, row, mine[row.id], len(failed[row.name]), row.id in entered)
        for row in connection.execute(sa.select(t.annotator).order_by(t.annotator.c.id)).all()
    ]


def _person(
    connection: Connection, project: Project, row: Any, work: list[Any], failed: int, entered: bool
) -> dict[str, Any]:
    real = [one for one in work if one.purpose in ("main", "adjudication")]
    checks = [one for one in work if one.purpose == "check" and one.complete]
    training = [one for one in work if one.purpose == "training"]
    times = [one.active_ms for one in real if one.complete and one.active_ms]
    complete = sum(one.complete for one in real)
    share = training_share(connection, project, row.id) if training else None
    needed = project.section.training.pass_share if project.section.training else 0.0
    return {
        "id": row.id,
        "name": row.name,
        "role": row.role,
        "state": row.state,
        "items": len(real),
        "complete": complete,
        "share": complete / len(real) if real else None,
        "active_ms": sum(one.active_ms for one in work),
        "median_item_ms": round(median(times)) if times else None,
        "last_seen": max((one.saved for one in work if one.saved), default=None),
        "checks": {"shown": len(checks), "failed": failed},
        "training": {
            "items": len(training),
            "complete": sum(one.complete for one in training),
            "share": share,
            "passed": None if share is None else share >= needed - 1e-9 or row.admitted,
        },
        "entered": entered,
    }


def failed_checks(connection: Connection) -> list[dict[str, Any]]:
    """Attention checks that were answered wrong, a row per dimension."""
    query = (
        sa.select(t.assignment.c.id, t.assignment.c.answer, t.assignment.c.saved, t.item.c.expected, t.annotator.c.name)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .where(t.item.c.purpose == "check", t.assignment.c.complete)
        .order_by(t.assignment.c.saved)
    )
    rows = []
    for row in connection.execute(query):
        for name in failures(row.expected, row.answer["values"], 0.0):
            given = row.answer["values"][name]
            detail = {"dimension": name, "expected": row.expected[name], "given": given, "at": row.saved}
            rows.append({"assignment": row.id, "annotator": row.name, **detail})
    return rows


def _agreement(ratings: pl.DataFrame, seed: int) -> list[dict[str, Any]]:
    if ratings["annotator"].n_unique() < 2:
        return []
    frame = agreement(ratings, _MEASURES, by=("dimension",), resamples=_RESAMPLES, seed=seed).frame
    columns = ("dimension", "measure", "setting", "value", "low", "high", "verdict", "units", "note")
    return frame.select(columns).to_dicts()


def _drift(ratings: pl.DataFrame) -> list[dict[str, Any]]:
    # Comparisons become ratings without a time of their own.
    timed = ratings.drop_nulls("time")
    if timed["annotator"].n_unique() < 2:
        return []
    columns = ("annotator", "dimension", "change", "low", "high", "adjusted_p", "drifts", "note")
    return drift(timed).trends.select(columns).to_dicts()


def _outliers(ratings: pl.DataFrame, seed: int) -> list[dict[str, Any]]:
    if ratings["annotator"].n_unique() < 3:
        return []
    frame = outliers(ratings, resamples=_RESAMPLES, seed=seed).frame
    columns = ("annotator", "dimension", "alpha", "alpha_without", "rise", "outlier", "note")
    return frame.select(columns).to_dicts()


def _disagreements(connection: Connection, library: Library, rated: pl.DataFrame) -> list[dict[str, Any]]:
    """The units with the largest spread of ratings, with their texts."""
    own = rated.filter(pl.col("item").is_not_null() & ~pl.col("annotator").str.starts_with("adjudication:"))
    unit = (*KEY, "item", "dimension", "sentence")
    spread = (
        own.group_by(unit, maintain_order=True)
        .agg(
            (pl.col("value").max() - pl.col("value").min()).alias("spread"),
            pl.struct("annotator", "value").alias("ratings"),
        )
        .filter(pl.col("spread") > 0)
        .sort("spread", *unit, descending=[True] + [False] * len(unit))
        .head(_MOST_DISAGREEMENTS)
    )
    rows = []
    for row in spread.iter_rows(named=True):
        query = sa.select(t.item.c.summaries).where(t.item.c.id == row["item"])
        (number,) = connection.execute(query).scalar_one()
        (item,) = library.items(connection, [row["item"]])
        turns = library.dialogue(connection, item.dialogue).turns
        transcript = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
        (summary,) = library.summaries(connection, [number])
        kept = {name: row[name] for name in ("item", "system", "dimension", "sentence", "spread", "ratings")}
        rows.append({**kept, "dialogue_id": row["dialogue_id"], "dialogue": transcript, "text": summary.text})
    return rows
