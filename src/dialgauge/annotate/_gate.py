"""The pilot gate: once all have rated the pilot, its agreement decides how to proceed, or the lead does."""

import time
from typing import Any, Literal

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from starlette.concurrency import run_in_threadpool

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError
from dialgauge.annotate._audit import log
from dialgauge.annotate._library import Library
from dialgauge.annotate._people import share_with_everyone
from dialgauge.annotate._project import Project, get_setting, set_setting
from dialgauge.annotate._results import plain_ratings, results, system_codes
from dialgauge.ratings import agreement

Decision = Literal["continue", "repeat", "stop"]


def pilot_complete(connection: Connection) -> bool:
    """Whether everyone who takes part has rated all of the pilot."""
    query = (
        sa.select(t.assignment.c.id)
        .join(t.page, t.page.c.id == t.assignment.c.page)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .where(t.page.c.stage == "pilot", t.annotator.c.state != "replaced", sa.not_(t.assignment.c.complete))
        .limit(1)
    )
    return connection.execute(query).first() is None


def gate_view(connection: Connection, project: Project, rated: pl.DataFrame) -> dict[str, Any] | None:
    """The agreement of the pilot beside its threshold, and what was decided. None without a pilot."""
    pilot = project.section.pilot
    if pilot is None:
        return None
    # A repeated pilot is measured by itself, without the ratings before the discussion.
    latest = get_setting(connection, "stage")["round"]
    part = plain_ratings(rated.filter((pl.col("stage") == "pilot") & (pl.col("round") == latest)))
    measured = agreement(part, [pilot.measure], weights=pilot.weights, resamples=200, seed=project.seed).frame
    rows = measured.select("scope", "dimension", "value", "low", "high", "verdict", "units", "note").to_dicts()
    overall = next(row for row in rows if row["scope"] == "overall")
    # Dimensions on different scales cannot be pooled: then their mean is compared with the threshold.
    values = [row["value"] for row in rows if row["scope"] == "dimension" and row["value"] is not None]
    value = overall["value"] if overall["value"] is not None or not values else sum(values) / len(values)
    decided = get_setting(connection, "gate") or {}
    return {
        "measure": pilot.measure,
        "threshold": pilot.threshold,
        "value": value,
        "low": overall["low"],
        "high": overall["high"],
        "per_dimension": [row for row in rows if row["scope"] == "dimension"],
        "complete": pilot_complete(connection),
        "reached": None if value is None else value >= pilot.threshold,
        "decision": decided.get("decision"),
        "reason": decided.get("reason"),
    }


def decide(connection: Connection, project: Project, decision: Decision, reason: str, actor: str = "lead") -> None:
    """Open the main part, stop the study, or extend the pilot."""
    stage = get_setting(connection, "stage")
    if project.section.pilot is None:
        raise RefusedError(409, "conflict", "This study has no pilot.")
    if stage["open"] == "main" and decision != "stop":
        raise RefusedError(409, "conflict", "The main part is already open.")
    if decision == "repeat":
        stage = {"open": "pilot", "round": stage["round"] + 1}
        _extend_pilot(connection, project.section.pilot.dialogues, stage["round"])
    else:
        stage = {**stage, "open": "main" if decision == "continue" else "stopped"}
    set_setting(connection, "stage", stage)
    set_setting(connection, "gate", {"decision": decision, "reason": reason, "by": actor, "at": time.time()})
    log(connection, actor, "gate", decision=decision, reason=reason)


def _extend_pilot(connection: Connection, dialogues: int, number: int) -> None:
    """The next dialogues of the main part become a further round of the pilot, for everyone."""
    waiting = (
        sa.select(t.page.c.dialogue)
        .where(t.page.c.stage == "main")
        .group_by(t.page.c.dialogue)
        .order_by(sa.func.min(t.page.c.position), t.page.c.dialogue)
        .limit(dialogues)
    )
    chosen = list(connection.execute(waiting).scalars())
    if not chosen:
        raise RefusedError(409, "conflict", "No dialogues are left for a further pilot.")
    share_with_everyone(connection, chosen, number)


def measure_gate(project: Project) -> dict[str, Any] | None:
    """The gate as it stands, from one state of the database."""
    with project.store.read() as connection:
        library = Library()
        everything = results(connection, project, library, system_codes(connection, project))
        return gate_view(connection, project, everything.ratings)


async def settle_pilot(project: Project) -> bool:
    """Decide by the protocol where it says so; returns whether the stage changed."""
    pilot = project.section.pilot
    if pilot is None:
        return False

    def weigh() -> tuple[Decision, str] | None:
        with project.store.read() as connection:
            if get_setting(connection, "stage")["open"] != "pilot" or not pilot_complete(connection):
                return None
        gate = measure_gate(project)
        if gate is None or gate["value"] is None:
            return None
        rule = pilot.reached if gate["reached"] else pilot.below
        text = f"{pilot.measure} {gate['value']:.2f}, threshold {pilot.threshold:g}"
        return None if rule == "ask" else (rule, text)

    decision = await run_in_threadpool(weigh)
    if decision is None:
        return False

    def write(connection: Connection) -> bool:
        if get_setting(connection, "stage")["open"] != "pilot":
            return False
        decide(connection, project, *decision, actor="protocol")
        return True

    return await project.store.write_async(write)
