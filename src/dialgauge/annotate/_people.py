"""What the lead can do with annotators: add, pause, replace; and how pages move between them."""

from collections import Counter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import TAKING_PART, RefusedError, end_access
from dialgauge.annotate._audit import log
from dialgauge.annotate._build import add_stage
from dialgauge.annotate._late import remember_moved
from dialgauge.annotate._leases import leased_pages
from dialgauge.annotate._planning import Bundle, shuffled
from dialgauge.annotate._protocol import AnnotateSection, is_name_of_lead
from dialgauge.annotate._rows import fresh_assignment, insert, opaque


def add_annotator(
    connection: Connection,
    section: AnnotateSection,
    name: str,
    seed: int,
    *,
    role: str = "annotator",
    actor: str = "lead",
) -> int:
    """Add an annotator, with training, pilot, and a fair share of what others have not started."""
    row = {"name": _free_name(connection, name), "role": role, "state": "active", "admitted": False}
    (number,) = insert(connection, t.annotator, [row])
    log(connection, actor, "annotator-added", name=name, role=role)
    if role == "annotator" and section.crowd is None:
        # Nothing that a newcomer does can change a pilot that was decided: its pages would stay closed for ever.
        for stage in ("training", "pilot") if _pilot_is_open(connection) else ("training",):
            add_stage(connection, section, name, number, stage, _bundles(connection, stage), seed)
        _join_rounds(connection, number)
        if section.assignment.annotators_per_item == "all" and section.task != "write":
            add_stage(connection, section, name, number, "main", _bundles(connection, "main"), seed)
        else:
            _take_share(connection, number)
    return number


def _pilot_is_open(connection: Connection) -> bool:
    stage = connection.execute(sa.select(t.setting.c.value).where(t.setting.c.name == "stage")).scalar()
    return stage is not None and stage["open"] == "pilot"


def _join_rounds(connection: Connection, newcomer: int) -> None:
    """Put the newcomer's pages of the pilot into the rounds in which the others have them."""
    others = t.page.alias()
    latest = (
        sa.select(sa.func.max(others.c.round))
        .where(others.c.dialogue == t.page.c.dialogue, others.c.stage == "pilot")
        .scalar_subquery()
    )
    mine = (t.page.c.annotator == newcomer, t.page.c.stage == "pilot")
    connection.execute(sa.update(t.page).where(*mine).values(round=latest))


def _bundles(connection: Connection, stage: str) -> list[Bundle]:
    """The bundles of a stage as they were assigned, each once, in the order of the first who has them."""
    query = (
        sa.select(t.page.c.dialogue, t.page.c.role, t.assignment.c.item)
        .join(t.assignment, t.assignment.c.page == t.page.c.id)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .where(t.page.c.stage == stage, t.item.c.purpose != "check")
        .order_by(t.page.c.position, t.assignment.c.item)
    )
    found: dict[tuple[int, str, int | None], list[int]] = {}
    for dialogue, role, item in connection.execute(query):
        # Training pages can share a dialogue and are pages of their own.
        key = (dialogue, role, item if stage == "training" else None)
        if item not in found.setdefault(key, []):
            found[key].append(item)
    return [Bundle(dialogue, role, tuple(items)) for (dialogue, role, _), items in found.items()]


def _unbegun(connection: Connection) -> list[Any]:
    """Pages of the main part on which nothing was saved and which nobody has open."""
    begun = sa.select(t.assignment.c.page).where(t.assignment.c.rev > 0)
    query = sa.select(t.page).where(t.page.c.stage == "main", t.page.c.id.not_in(begun)).order_by(t.page.c.position)
    leased = leased_pages(connection)
    return [row for row in connection.execute(query).mappings() if row["id"] not in leased]


def _take_share(connection: Connection, newcomer: int) -> None:
    """Move pages that are not started from those with the most of them, until all have about the same."""
    movable = _unbegun(connection)
    left = Counter(row["annotator"] for row in movable)
    active = connection.execute(
        sa.select(t.annotator.c.id).where(t.annotator.c.state == "active", t.annotator.c.role == "annotator")
    )
    share = len(movable) // max(1, len(list(active)))
    taken: set[tuple[int, str, int]] = set()
    for _ in range(share):
        candidates = [row for row in movable if (row["dialogue"], row["role"], row["number_of_pass"]) not in taken]
        if not candidates:
            return
        giver = max((row["annotator"] for row in candidates), key=lambda number: left[number])
        row = [row for row in candidates if row["annotator"] == giver][-1]
        movable.remove(row)
        left[giver] -= 1
        taken.add((row["dialogue"], row["role"], row["number_of_pass"]))
        move_page(connection, row["id"], newcomer)


def move_page(connection: Connection, page: str, annotator: int) -> None:
    """Move a page to another annotator, under new ids. The old ones stay known: their annotator may still send."""
    row = connection.execute(sa.select(t.page).where(t.page.c.id == page)).mappings().one()
    last = connection.execute(sa.select(sa.func.max(t.page.c.position)).where(t.page.c.annotator == annotator)).scalar()
    new = {**row, "id": opaque(), "annotator": annotator, "position": (last or 0) + 1}
    connection.execute(sa.insert(t.page).values(**new))
    old = t.assignment.c.page == page
    query = sa.select(t.assignment).where(old, t.assignment.c.rev == 0).order_by(t.assignment.c.position)
    for moved in connection.execute(query).mappings().all():
        shown = shuffled(moved["shown"], new["id"])
        fresh = fresh_assignment(new["id"], annotator, moved["item"], moved["position"], shown)
        connection.execute(sa.insert(t.assignment).values(**fresh))
        remember_moved(connection, row, moved)
        connection.execute(sa.delete(t.assignment).where(t.assignment.c.id == moved["id"]))
    if not connection.execute(sa.select(t.assignment.c.id).where(old).limit(1)).first():
        connection.execute(sa.delete(t.page).where(t.page.c.id == page))


def hand_out(connection: Connection, number: int) -> int:
    """Give the open pages of somebody who leaves to those who have the fewest, where each page has one person."""
    mine = sa.select(t.page).where(
        t.page.c.annotator == number,
        t.page.c.stage == "main",
        t.page.c.id.in_(sa.select(t.assignment.c.page).where(t.assignment.c.rev == 0)),
    )
    pages = connection.execute(mine.order_by(t.page.c.position)).mappings().all()
    working = sa.select(t.annotator.c.id).where(
        t.annotator.c.state == "active", t.annotator.c.role == "annotator", t.annotator.c.id != number
    )
    others = list(connection.execute(working.order_by(t.annotator.c.id)).scalars())
    left = Counter(row["annotator"] for row in _unbegun(connection))
    moved = 0
    for page in pages:
        same = (t.page.c.dialogue == page["dialogue"], t.page.c.role == page["role"])
        have = set(connection.execute(sa.select(t.page.c.annotator).where(*same)).scalars())
        takers = [one for one in others if one not in have]
        if takers:
            taker = min(takers, key=lambda one: left[one])
            left[taker] += 1
            move_page(connection, page["id"], taker)
            moved += 1
    return moved


def find_annotator(connection: Connection, number: int) -> Any:
    """The row of an annotator; an error if there is none."""
    row = connection.execute(sa.select(t.annotator).where(t.annotator.c.id == number)).mappings().first()
    if row is None:
        raise RefusedError(404, "not-found", "There is no such annotator.")
    return row


def set_state(connection: Connection, number: int, state: str, *, actor: str = "lead") -> None:
    """Pause or resume an annotator."""
    row = find_annotator(connection, number)
    if row["state"] not in TAKING_PART:
        raise RefusedError(409, "conflict", f"{row['name']} no longer takes part.")
    connection.execute(sa.update(t.annotator).where(t.annotator.c.id == number).values(state=state))
    log(connection, actor, f"annotator-{state}", name=row["name"])


def admit(connection: Connection, number: int, *, actor: str = "lead") -> None:
    """Admit an annotator despite a failed training."""
    row = find_annotator(connection, number)
    connection.execute(sa.update(t.annotator).where(t.annotator.c.id == number).values(admitted=True))
    log(connection, actor, "annotator-admitted", name=row["name"])


def replace_annotator(
    connection: Connection, section: AnnotateSection, number: int, successor: str, seed: int, *, actor: str = "lead"
) -> int:
    """A successor takes over what is not yet rated; existing ratings stay under the old name."""
    old = find_annotator(connection, number)
    if old["state"] not in TAKING_PART:
        raise RefusedError(409, "conflict", f"{old['name']} no longer takes part.")
    connection.execute(sa.update(t.annotator).where(t.annotator.c.id == number).values(state="replaced"))
    end_access(connection, number)
    row = {"name": _free_name(connection, successor), "role": old["role"], "state": "active", "admitted": False}
    (new,) = insert(connection, t.annotator, [row])
    add_stage(connection, section, successor, new, "training", _bundles(connection, "training"), seed)
    open_pages = sa.select(t.page.c.id).where(
        t.page.c.annotator == number,
        t.page.c.stage != "training",
        t.page.c.id.in_(sa.select(t.assignment.c.page).where(t.assignment.c.rev == 0)),
    )
    if not _pilot_is_open(connection):
        open_pages = open_pages.where(t.page.c.stage != "pilot")
    for page in connection.execute(open_pages.order_by(t.page.c.position)).scalars().all():
        move_page(connection, page, new)
    log(connection, actor, "annotator-replaced", name=old["name"], successor=successor)
    return new


def _free_name(connection: Connection, name: str) -> str:
    name = name.strip()
    if not name or len(name) > 80:
        raise RefusedError(422, "invalid", "A name must have 1 to 80 characters.")
    if is_name_of_lead(name):
        raise RefusedError(422, "invalid", "That is the name of the lead; choose another.")
    if connection.execute(sa.select(t.annotator.c.id).where(t.annotator.c.name == name)).first():
        raise RefusedError(409, "conflict", f"There is already an annotator {name!r}.")
    return name


def share_with_everyone(connection: Connection, dialogues: list[int], number: int) -> None:
    """Make these dialogues of the main part a pilot: everyone gets them, those who had them keep theirs."""
    for dialogue in dialogues:
        here = (t.page.c.dialogue == dialogue, t.page.c.stage == "main")
        pages = connection.execute(sa.select(t.page).where(*here)).mappings().all()
        connection.execute(sa.update(t.page).where(*here).values(stage="pilot", round=number))
        active = sa.select(t.annotator.c.id).where(
            t.annotator.c.state.in_(TAKING_PART), t.annotator.c.role == "annotator"
        )
        for annotator in connection.execute(active).scalars().all():
            for pattern in _missing_pages(pages, annotator):
                _copy_page(connection, pattern, annotator, number)


def _missing_pages(pages: Any, annotator: int) -> list[Any]:
    """One page of each role and pass that this annotator does not have."""
    mine = {(row["role"], row["number_of_pass"]) for row in pages if row["annotator"] == annotator}
    patterns = {(row["role"], row["number_of_pass"]): row for row in pages}
    return [row for key, row in patterns.items() if key not in mine]


def _copy_page(connection: Connection, pattern: Any, annotator: int, number: int) -> None:
    last = connection.execute(sa.select(sa.func.max(t.page.c.position)).where(t.page.c.annotator == annotator)).scalar()
    page = {**pattern, "id": opaque(), "annotator": annotator, "stage": "pilot", "position": (last or 0) + 1}
    page["round"] = number
    connection.execute(sa.insert(t.page).values(**page))
    query = (
        sa.select(t.assignment.c.item, t.assignment.c.shown)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .where(t.assignment.c.page == pattern["id"], t.item.c.purpose == "main")
        .order_by(t.assignment.c.item)
    )
    rows = shuffled(connection.execute(query).all(), page["id"])
    for position, row in enumerate(rows, 1):
        fresh = fresh_assignment(page["id"], annotator, row.item, position, shuffled(row.shown, page["id"], row.item))
        connection.execute(sa.insert(t.assignment).values(**fresh))
