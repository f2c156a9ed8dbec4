"""Links and sessions: how people sign in, and how access is revoked.

A link has its id and its expiry date, signed with the project's secret. It is exchanged once for a session: a random
cookie of which the database stores only the SHA-256. Both can be revoked.
"""

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._audit import log
from dialgauge.annotate._shield import digest_of

SESSION_DAYS = 60
#: How long somebody who no longer takes part may still send what was rated before.
LEAVING_DAYS = 7
_DAY = 86_400
#: The lead that every project has. Their links and sessions from before there could be several name no lead.
FIRST_LEAD = 1
#: What a lead may do: look; also change people and stages; also see names, and manage leads.
LEAD_ROLES = ("viewer", "manager", "owner")


class RefusedError(Exception):
    """A request that is refused: an HTTP status, a code for programs, a sentence for people."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.more = status, code, message, more


#: The states of annotators who may open their pages.
TAKING_PART = ("active", "paused")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request. ``annotator`` is None for a lead, ``lead`` for an annotator."""

    annotator: int | None
    name: str
    state: str
    role: str
    csrf: str
    digest: str
    lead: int | None = None

    @property
    def is_lead(self) -> bool:
        return self.annotator is None

    def may(self, role: str) -> bool:
        """Whether this lead may do what a lead of this role may do."""
        return self.is_lead and LEAD_ROLES.index(self.role) >= LEAD_ROLES.index(role)


def sign(secret: str, link_id: str, expires: float) -> str:
    """The token of a link."""
    body = f"{link_id}.{int(expires)}"
    mac = hmac.new(secret.encode(), f"link:{body}".encode(), hashlib.sha256).digest()
    return f"{body}.{urlsafe_b64encode(mac).decode().rstrip('=')}"


def device_cookie(secret: str) -> str:
    """A cookie that says: in this browser somebody has signed in as lead."""
    name = secrets.token_urlsafe(16)
    return f"{name}.{_device_mac(secret, name)}"


def is_device(secret: str, cookie: str) -> bool:
    """Whether we have set this cookie."""
    name, _, mac = cookie.partition(".")
    return hmac.compare_digest(_device_mac(secret, name).encode(), mac.encode("utf-8", "surrogatepass"))


def _device_mac(secret: str, name: str) -> str:
    return hmac.new(secret.encode(), f"device:{name}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def open_link(
    connection: Connection,
    secret: str,
    annotator: int | None,
    days: int,
    *,
    lead: int = FIRST_LEAD,
    actor: str = "lead",
) -> tuple[str, float]:
    """The token of this person's unused link, created if there is none, and when it expires.

    ``lead`` says whose it is where ``annotator`` is None.
    """
    now = time.time()
    usable = (
        t.link.c.annotator.is_not_distinct_from(annotator),
        sa.true() if annotator is not None else sa.func.coalesce(t.link.c.lead, FIRST_LEAD) == lead,
        t.link.c.used.is_(None),
        t.link.c.revoked.is_(None),
        t.link.c.expires > now + _DAY / 2,
    )
    row = connection.execute(sa.select(t.link).where(*usable).order_by(t.link.c.expires.desc())).first()
    if row is not None:
        return sign(secret, row.id, row.expires), float(row.expires)
    link_id, expires = secrets.token_urlsafe(16), float(int(now + days * _DAY))
    whose: dict[str, Any] = {"annotator": annotator, "lead": lead if annotator is None else None}
    connection.execute(sa.insert(t.link).values(id=link_id, **whose, created=now, expires=expires))
    log(connection, actor, "link-created", **whose, link=link_id[:8])
    return sign(secret, link_id, expires), expires


def find_link(connection: Connection, secret: str, token: str) -> Any:
    """The row of a link that is valid now; otherwise an error with the reason."""
    link_id, _, rest = token.partition(".")
    expires = rest.partition(".")[0]
    # A number of ordinary length only: int() of a megabyte of digits would be slow.
    known = expires.isascii() and expires.isdigit() and len(expires) < 12
    if not known or not hmac.compare_digest(sign(secret, link_id, float(expires)).encode(), token.encode()):
        raise RefusedError(404, "link-unknown", "This link is not of this study. Check that it was copied completely.")
    row = connection.execute(sa.select(t.link).where(t.link.c.id == link_id)).mappings().first()
    if row is None:
        raise RefusedError(404, "link-unknown", "This link is not of this study.")
    if row["revoked"] is not None:
        raise RefusedError(410, "link-revoked", "This link was revoked. Ask the lead of the study for a new one.")
    if row["used"] is not None:
        raise RefusedError(410, "link-used", "This link was already used. Ask the lead of the study for a new one.")
    if row["expires"] < time.time():
        raise RefusedError(410, "link-expired", "This link has expired. Ask the lead of the study for a new one.")
    return row


def exchange(connection: Connection, secret: str, token: str) -> tuple[str, int | None]:
    """Use a link: the cookie of the new session, and whose it is."""
    row = find_link(connection, secret, token)
    used = sa.update(t.link).where(t.link.c.id == row["id"], t.link.c.used.is_(None)).values(used=time.time())
    if connection.execute(used).rowcount != 1:
        raise RefusedError(410, "link-used", "This link was already used. Ask the lead of the study for a new one.")
    cookie = start_session(connection, row["annotator"], lead=row["lead"] or FIRST_LEAD)
    actor = lead_name(connection, row["lead"]) if row["annotator"] is None else annotator_actor(row["annotator"])
    log(connection, actor, "link-used", link=row["id"][:8])
    return cookie, row["annotator"]


def start_session(connection: Connection, annotator: int | None, *, lead: int = FIRST_LEAD) -> str:
    """The cookie of a new session; of a lead where ``annotator`` is None."""
    cookie, now = secrets.token_urlsafe(32), time.time()
    row = sa.insert(t.session).values(digest=digest_of(cookie), annotator=annotator, csrf=secrets.token_urlsafe(24))
    row = row.values(lead=lead if annotator is None else None)
    connection.execute(row.values(created=now, expires=now + SESSION_DAYS * _DAY))
    return cookie


_VISITOR = (
    sa.select(
        t.session.c.csrf,
        t.session.c.annotator,
        t.annotator.c.name,
        t.annotator.c.state,
        t.annotator.c.role,
        t.lead.c.id.label("lead"),
        t.lead.c.name.label("lead_name"),
        t.lead.c.role.label("lead_role"),
    )
    .select_from(
        t.session.outerjoin(t.annotator, t.session.c.annotator == t.annotator.c.id).outerjoin(
            t.lead, t.session.c.annotator.is_(None) & (t.lead.c.id == sa.func.coalesce(t.session.c.lead, FIRST_LEAD))
        )
    )
    .where(
        t.session.c.digest == sa.bindparam("digest"),
        t.session.c.revoked.is_(None),
        t.session.c.expires > sa.bindparam("now"),
    )
)


def visitor_of(connection: Connection, cookie: str | None, *, leaving: bool = False) -> Visitor:
    """Who has this cookie; refused if nobody has. ``leaving`` also admits those who no longer take part."""
    signed_out = RefusedError(401, "signed-out", "You are not signed in. Open the link that you received.")
    if not cookie:
        raise signed_out
    digest = digest_of(cookie)
    row = connection.execute(_VISITOR, {"digest": digest, "now": time.time()}).first()
    if row is None or (row.annotator is not None and row.state not in TAKING_PART and not leaving):
        raise signed_out
    if row.annotator is None:
        return Visitor(None, row.lead_name, "active", row.lead_role, row.csrf, digest, row.lead)
    return Visitor(row.annotator, row.name, row.state, row.role, row.csrf, digest)


def require_token(visitor: Visitor, token: str) -> None:
    """The token of the session must come with every change: a cookie alone is sent from any site."""
    if not hmac.compare_digest(visitor.csrf.encode(), token.encode("utf-8", "surrogatepass")):
        raise RefusedError(403, "csrf", "The token of this page is no longer valid. Reload the page.")


def end_session(connection: Connection, digest: str) -> None:
    """Sign out."""
    connection.execute(sa.update(t.session).where(t.session.c.digest == digest).values(revoked=time.time()))


def end_access(connection: Connection, annotator: int) -> None:
    """For somebody who no longer takes part: no link works any more, and sessions only save, for a week.

    Their browser may have ratings that it could not send yet.
    """
    now = time.time()
    mine = (t.link.c.annotator == annotator, t.link.c.revoked.is_(None))
    connection.execute(sa.update(t.link).where(*mine).values(revoked=now))
    last = now + LEAVING_DAYS * _DAY
    shorter = sa.update(t.session).where(t.session.c.annotator == annotator, t.session.c.expires > last)
    connection.execute(shorter.values(expires=last))


def revoke_all(connection: Connection, annotator: int | None = None, *, lead: int | None = None) -> None:
    """Revoke every link and session of an annotator, or of a lead."""
    for table in (t.link, t.session):
        whose = (
            table.c.annotator == annotator
            if lead is None
            else table.c.annotator.is_(None) & (sa.func.coalesce(table.c.lead, FIRST_LEAD) == lead)
        )
        connection.execute(sa.update(table).where(whose, table.c.revoked.is_(None)).values(revoked=time.time()))


def annotator_actor(annotator: int) -> str:
    """How the audit log calls an annotator: their name may have to be erased, the log must not change."""
    return f"annotator:{annotator}"


def annotator_name(connection: Connection, annotator: int) -> str:
    """The name of an annotator."""
    return str(connection.execute(sa.select(t.annotator.c.name).where(t.annotator.c.id == annotator)).scalar())


def lead_name(connection: Connection, lead: int | None) -> str:
    """The name of a lead."""
    query = sa.select(t.lead.c.name).where(t.lead.c.id == (lead or FIRST_LEAD))
    return str(connection.execute(query).scalar())
