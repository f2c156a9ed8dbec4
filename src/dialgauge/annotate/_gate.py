"""The pilot gate: once all have rated the pilot, its agreement decides how to proceed, or the lead does."""

import time
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from starlette.concurrency import run_in_threadpool

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError
from dialgauge.annotate._audit import log
from dialgauge.annotate._desk import RESAMPLES, Desk, scale_kind
from dialgauge.annotate._library import Library
from dialgauge.annotate._people import share_with_everyone
from dialgauge.annotate._project import Project, get_setting, set_setting
from dialgauge.annotate._protocol import PilotTable
from dialgauge.ratings import AgreementSettings, live_agreement

Decision = Literal["continue", "repeat", "stop"]


def pilot_complete(connection: Connection) -> bool:
    """Whether everyone who is working has rated all of the pilot. Who is paused or has left keeps nobody waiting."""
    query = (
        sa.select(t.assignment.c.id)
        .join(t.page, t.page.c.id == t.assignment.c.page)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .where(t.page.c.stage == "pilot", t.annotator.c.state == "active", sa.not_(t.assignment.c.complete))
        .limit(1)
    )
    return connection.execute(query).first() is None


def gate_view(connection: Connection, desk: Desk) -> dict[str, Any] | None:
    """The agreement of the pilot on each dimension beside its threshold, and what was decided. None without a pilot.

    Values of different dimensions are never averaged: the gate looks at the one that is furthest below its threshold.
    """
    project, pilot = desk.project, desk.project.section.pilot
    if pilot is None:
        return None
    # A repeated pilot is measured by itself, without the ratings before the discussion.
    latest = get_setting(connection, "stage")["round"]
    asked = AgreementSettings(measures=(pilot.measure,), weights=pilot.weights, resamples=RESAMPLES, seed=project.seed)
    rows = []
    for name, given in desk.units(connection, ("pilot", latest)).items():
        (row,) = live_agreement(given, scale_kind(project, name), asked, panel=len(given.annotators))
        rows.append(_judged(pilot, name, row))
    gated = [row for row in rows if row["threshold"] is not None]
    known = [row for row in gated if row["gap"] is not None]
    worst = min(known, key=lambda row: row["gap"], default=None)
    decided = get_setting(connection, "gate") or {}
    return {
        "measure": pilot.measure,
        "require": pilot.require,
        "threshold": None if worst is None else worst["threshold"],
        "dimension": None if worst is None else worst["dimension"],
        "value": None if worst is None else worst["value"],
        "low": None if worst is None else worst["low"],
        "high": None if worst is None else worst["high"],
        "per_dimension": rows,
        "complete": pilot_complete(connection),
        "reached": _reached(gated, len(pilot.gated(project.section.dimensions))),
        "decision": decided.get("decision"),
        "reason": decided.get("reason"),
    }


def _judged(pilot: PilotTable, name: str, row: dict[str, Any]) -> dict[str, Any]:
    """A dimension with its threshold (None where the gate does not ask for it) and how far it is above it."""
    threshold = pilot.threshold_of(name)
    measured = row["low"] if pilot.require == "lower-bound" else row["value"]
    gap = None if threshold is None or measured is None else measured - threshold
    shown = {column: row[column] for column in ("value", "low", "high", "verdict", "units", "note")}
    return {"dimension": name, **shown, "threshold": threshold, "gap": gap}


def _reached(gated: list[dict[str, Any]], wanted: int) -> bool | None:
    """Whether every dimension reaches its threshold; None while one of them has no value."""
    gaps = [row["gap"] for row in gated]
    if any(gap is not None and gap < 0 for gap in gaps):
        return False
    return True if len(gaps) == wanted and None not in gaps else None


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
        desk = Desk(project, Library())
        desk.refresh(connection)
        return gate_view(connection, desk)


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
        if gate is None or gate["reached"] is None:
            return None
        rule = pilot.reached if gate["reached"] else pilot.below
        text = f"{pilot.measure} of {gate['dimension']} {gate['value']:.2f}, threshold {gate['threshold']:g}"
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
