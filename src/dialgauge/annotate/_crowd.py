"""A crowd: people enrol themselves, get pages drawn when they arrive, and give back what they do not finish.

Who they are on their platform is in the table ``identity`` alone; everywhere else they go by a pseudonym.
"""

import hashlib
import hmac
import math
import secrets
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, annotator_actor, end_access
from dialgauge.annotate._audit import log
from dialgauge.annotate._build import add_stage, stored_bundles
from dialgauge.annotate._crowd_tables import RETURN_URLS, CrowdTable
from dialgauge.annotate._known import failures
from dialgauge.annotate._late import find_assignment, remember_moved, restore
from dialgauge.annotate._planning import Bundle, shuffled
from dialgauge.annotate._project import Project
from dialgauge.annotate._rows import insert

#: How people leave; the codes of the study file have these names.
Outcome = Literal["complete", "failed_checks", "screened_out", "no_consent", "full", "returned", "withdrawn"]
#: Letters and digits that are not mistaken for one another.
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody at the door: who they are on the platform, and their answers to the questions of the consent page."""

    external_id: str
    session: str
    answers: Mapping[str, str]


def join_token(project: Project) -> str:
    """The last part of the address at which people enrol."""
    return hmac.new(project.secret.encode(), b"join", hashlib.sha256).hexdigest()[:20]


def crowd_of(project: Project) -> CrowdTable:
    """The table of the crowd; an error where the study has none."""
    if project.section.crowd is None:
        raise RefusedError(404, "not-found", "This study has no enrolment.")
    return project.section.crowd


def find_identity(connection: Connection, project: Project, external_id: str) -> Any:
    """Who has enrolled with this id before: a row with annotator, session, state and outcome; None for nobody."""
    query = (
        sa.select(t.identity, t.annotator.c.state, t.participation.c.outcome)
        .join(t.annotator, t.annotator.c.id == t.identity.c.annotator)
        .join(t.participation, t.participation.c.annotator == t.identity.c.annotator)
        .where(t.identity.c.provider == crowd_of(project).provider, t.identity.c.external_id == external_id)
    )
    return connection.execute(query).first()


def is_full(connection: Connection, project: Project, answers: Mapping[str, str] | None = None) -> bool:
    """Whether nobody more (with these answers) can take part: enough people, or nothing left to rate."""
    crowd = crowd_of(project)
    query = (
        sa.select(t.participation.c.screening)
        .join(t.identity, t.identity.c.annotator == t.participation.c.annotator)
        .join(t.annotator, t.annotator.c.id == t.participation.c.annotator)
        .where(t.annotator.c.state.in_(("active", "paused")), t.participation.c.outcome.is_distinct_from("returned"))
    )
    present = [screening or {} for screening in connection.execute(query).scalars()]
    if len(present) >= crowd.people or not sum(_needs(connection, project).values()):
        return True
    return any(
        sum(one.get(name) == answer for one in present) >= quota[answer]
        for name, quota in crowd.quotas.items()
        if (answer := (answers or {}).get(name)) in quota
    )


def enrol(connection: Connection, project: Project, arrival: Arrival) -> tuple[int, Outcome | None]:
    """Enrol somebody, or find them again: their number, and how they have left already, if so."""
    crowd, section = crowd_of(project), project.section
    return_idle(connection, project)
    known = find_identity(connection, project, arrival.external_id)
    if known is not None:
        return _come_back(connection, project, known, arrival)
    if is_full(connection, project, arrival.answers):
        return 0, "full"
    number = _add_person(connection, project, arrival)
    if not _accepted(project, arrival.answers):
        leave(connection, number, "screened_out")
        return number, "screened_out"
    name = _name(connection, number)
    add_stage(connection, section, name, number, "training", stored_bundles(connection, "training"), project.seed)
    _draw(connection, project, number, crowd.per_person)
    return number, None


def _come_back(connection: Connection, project: Project, known: Any, arrival: Arrival) -> tuple[int, Outcome | None]:
    if not hmac.compare_digest(known.session.encode(), arrival.session.encode()):
        message = "You have begun in another session. Go on there, or open the study from the platform again."
        raise RefusedError(403, "other-session", message)
    if known.outcome == "returned":
        if not _give_again(connection, project, known.annotator):
            return known.annotator, "full"
        _set(connection, known.annotator, outcome=None, left=None, arrived=time.time())
        return known.annotator, None
    return known.annotator, known.outcome


def _give_again(connection: Connection, project: Project, number: int) -> bool:
    """Give somebody whose pages went back what is still needed of them, and others instead of the rest."""
    needed = {(one.dialogue, one.role) for one, count in _needs(connection, project).items() if count}
    for row in connection.execute(sa.select(t.moved).where(t.moved.c.annotator == number)).all():
        if (row.page["dialogue"], row.page["role"]) in needed:
            found = find_assignment(connection, row.assignment, number)
            assert found is not None
            restore(connection, row.assignment, found)
    mine = sa.select(sa.func.count()).select_from(t.page)
    mine = mine.where(t.page.c.annotator == number, t.page.c.stage == "main")
    have = connection.execute(mine).scalar_one()
    return bool(_draw(connection, project, number, crowd_of(project).per_person - have) or have)


def _accepted(project: Project, answers: Mapping[str, str]) -> bool:
    questions = project.section.consent.questions if project.section.consent else []
    return all(one.accept is None or answers.get(one.name) in one.accept for one in questions)


def _add_person(connection: Connection, project: Project, arrival: Arrival) -> int:
    taken = set(connection.execute(sa.select(t.annotator.c.name)).scalars())
    name = next(name for name in iter(_pseudonym, None) if name not in taken)
    row = {"name": name, "role": "annotator", "state": "active", "admitted": False}
    (number,) = insert(connection, t.annotator, [row])
    whose = {"annotator": number, "provider": crowd_of(project).provider, "external_id": arrival.external_id}
    connection.execute(sa.insert(t.identity).values(**whose, session=arrival.session))
    agreed: dict[str, Any] = {}
    if consent := project.section.consent:
        agreed = {"consent_version": consent.version, "consent_digest": text_digest(consent.text)}
        agreed["consented"] = time.time()
    shown = {"annotator": number, "arrived": time.time(), "screening": dict(arrival.answers)}
    connection.execute(sa.insert(t.participation).values(**shown, **agreed))
    log(connection, annotator_actor(number), "enrolled", consent=agreed.get("consent_version"))
    return number


def _pseudonym() -> str:
    return "p-" + "".join(secrets.choice(_LETTERS) for _ in range(6))


def text_digest(text: str) -> str:
    """The SHA-256 of a text that somebody agreed to or read."""
    return hashlib.sha256(text.encode()).hexdigest()


def _name(connection: Connection, number: int) -> str:
    return str(connection.execute(sa.select(t.annotator.c.name).where(t.annotator.c.id == number)).scalar_one())


def _needs(connection: Connection, project: Project, taker: int | None = None) -> dict[Bundle, int]:
    """How many more people each bundle needs; without those that ``taker`` has or had."""
    target = project.section.assignment.annotators_per_item
    assert isinstance(target, int)
    working = (t.annotator.c.state.in_(("active", "paused"))) & t.participation.c.outcome.is_(None)
    done = sa.func.sum(sa.cast(t.assignment.c.complete, sa.Integer))
    query = (
        sa.select(t.page.c.id, t.page.c.dialogue, t.page.c.role, t.page.c.annotator, done.label("done"))
        .add_columns(sa.func.max(sa.case((working, 1), else_=0)).label("working"), t.annotator.c.counts)
        .join(t.assignment, t.assignment.c.page == t.page.c.id)
        .join(t.annotator, t.annotator.c.id == t.page.c.annotator)
        .join(t.participation, t.participation.c.annotator == t.page.c.annotator)
        .where(t.page.c.stage == "main", t.page.c.number_of_pass.in_((0, 1)))
        .group_by(t.page.c.id, t.annotator.c.counts)
    )
    bundles = {(one.dialogue, one.role): one for one in stored_bundles(connection, "main")}
    held: Counter[tuple[int, str]] = Counter()
    mine = set()
    for row in connection.execute(query):
        key = (row.dialogue, row.role)
        if row.annotator == taker:
            mine.add(key)
        if key in bundles and row.counts and (row.working or row.done >= len(bundles[key].items)):
            held[key] += 1
    return {one: max(0, target - held[key]) for key, one in bundles.items() if key not in mine}


def open_pages(connection: Connection, project: Project) -> int:
    """How many pages still need somebody."""
    return sum(_needs(connection, project).values())


def _draw(connection: Connection, project: Project, number: int, wanted: int) -> int:
    """Give somebody the pages that are needed most; how many."""
    name, seed = _name(connection, number), project.seed
    needs = _needs(connection, project, number)
    open_ones = [one for one in shuffled(needs, seed, name, "draw") if needs[one]]
    drawn = sorted(open_ones, key=lambda one: -needs[one])[: max(0, wanted)]
    pages = _with_gold(connection, project, name, shuffled(drawn, seed, name, "order"))
    add_stage(connection, project.section, name, number, "main", pages, seed)
    return len(drawn)


def _with_gold(connection: Connection, project: Project, name: str, drawn: list[Bundle]) -> list[Bundle]:
    """The pages with one of the gold pages somewhere in each stretch of ``every``."""
    gold = project.section.gold
    if gold is None:
        return drawn
    hidden = shuffled(stored_bundles(connection, "gold"), project.seed, name, "gold")
    pages: list[Bundle] = []
    for start in range(0, len(drawn), gold.every):
        stretch = drawn[start : start + gold.every]
        if hidden:
            place = shuffled(range(len(stretch) + 1), project.seed, name, "place of gold", start)[0]
            stretch.insert(place, hidden.pop())
        pages += stretch
    return pages


def return_idle(connection: Connection, project: Project, now: float | None = None) -> int:
    """Take unfinished pages back from those who have saved nothing for too long; from how many people."""
    since = (time.time() if now is None else now) - 60 * crowd_of(project).return_after
    last = sa.func.max(t.assignment.c.saved)
    query = (
        sa.select(t.participation.c.annotator)
        .join(t.annotator, t.annotator.c.id == t.participation.c.annotator)
        .outerjoin(t.assignment, t.assignment.c.annotator == t.participation.c.annotator)
        .where(t.annotator.c.state == "active", t.participation.c.outcome.is_(None), t.participation.c.arrived < since)
        .group_by(t.participation.c.annotator)
        .having(sa.func.coalesce(last, 0) < since)
    )
    idle = list(connection.execute(query).scalars())
    for number in idle:
        give_back(connection, number)
        _set(connection, number, outcome="returned", left=time.time())
        log(connection, annotator_actor(number), "returned")
    return len(idle)


def give_back(connection: Connection, number: int) -> None:
    """Take away what somebody has not rated; what their browser may still send of it is accepted as late."""
    mine = (t.assignment.c.annotator == number, t.assignment.c.rev == 0)
    pages = {
        row["id"]: row for row in connection.execute(sa.select(t.page).where(t.page.c.annotator == number)).mappings()
    }
    for row in connection.execute(sa.select(t.assignment).where(*mine)).mappings().all():
        remember_moved(connection, pages[row["page"]], row)
        connection.execute(sa.delete(t.assignment).where(t.assignment.c.id == row["id"]))
    empty = t.page.c.id.not_in(sa.select(t.assignment.c.page))
    connection.execute(
        sa.delete(t.lease).where(t.lease.c.page.in_(sa.select(t.page.c.id).where(t.page.c.annotator == number, empty)))
    )
    connection.execute(sa.delete(t.page).where(t.page.c.annotator == number, empty))


def leave(connection: Connection, number: int, outcome: Outcome, *, counts: bool = True, actor: str = "") -> None:
    """Somebody leaves for good."""
    if outcome != "complete":
        give_back(connection, number)
        state = "withdrawn" if outcome == "withdrawn" else "dropped"
        connection.execute(sa.update(t.annotator).where(t.annotator.c.id == number).values(state=state, counts=counts))
        end_access(connection, number)
    _set(connection, number, outcome=outcome, left=time.time())
    log(connection, actor or annotator_actor(number), f"left-{outcome}", annotator=number, counts=counts)


def _set(connection: Connection, number: int, **values: Any) -> None:
    connection.execute(sa.update(t.participation).where(t.participation.c.annotator == number).values(**values))


def code_of(project: Project, annotator: int, outcome: str) -> str | None:
    """What somebody takes back to the platform: the code of the study file, or one of their own."""
    given = getattr(crowd_of(project).codes, outcome, None)
    if given is not None or outcome != "complete":
        return given
    mac = hmac.new(project.secret.encode(), f"complete:{annotator}".encode(), hashlib.sha256).hexdigest()
    return mac[:10].upper()


def return_url(project: Project, code: str | None) -> str | None:
    """Where the platform takes people back."""
    crowd = crowd_of(project)
    url = crowd.return_url or RETURN_URLS.get(crowd.provider)
    return url.replace("{code}", code) if url and code else None


def gold_score(connection: Connection, project: Project, annotator: int) -> tuple[int, int]:
    """How many gold items somebody has answered right, and how many they have answered."""
    gold = project.section.gold
    if gold is None:
        return 0, 0
    query = (
        sa.select(t.assignment.c.answer, t.assignment.c.shown, t.item.c.expected)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .where(t.assignment.c.annotator == annotator, t.item.c.purpose == "gold", t.assignment.c.complete)
    )
    right = [
        not failures(row.expected, row.answer["values"], gold.tolerance, row.shown)
        for row in connection.execute(query)
        if row.expected is not None
    ]
    return sum(right), len(right)


def settle_gold(connection: Connection, project: Project, annotator: int) -> bool:
    """Whether somebody has to leave now because of the gold items; then they have left."""
    gold = project.section.gold
    right, shown = gold_score(connection, project, annotator)
    if gold is None or shown < gold.after or _highest_share(right, shown) >= gold.drop_below:
        return False
    leave(connection, annotator, "failed_checks", counts=gold.keep, actor="protocol")
    return True


def _highest_share(right: int, shown: int, z: float = 1.96) -> float:
    """The upper end of Wilson's interval of a share."""
    share, square = right / shown, z * z / shown
    return (share + square / 2 + z * math.sqrt(share * (1 - share) / shown + square / (4 * shown))) / (1 + square)
