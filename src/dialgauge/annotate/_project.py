"""A project: the annotation of a study file in a database, with its annotators and stages."""

import hashlib
import json
import secrets
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import TAKING_PART, open_link
from dialgauge.annotate._audit import chain_old_entries, log
from dialgauge.annotate._build import add_pages, add_texts
from dialgauge.annotate._grow import grow
from dialgauge.annotate._leads import add_first_lead
from dialgauge.annotate._people import add_annotator
from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.annotate._store import Store
from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError

#: Settings that may change during the study: they change neither the questions nor who answers them.
_FREE = {"annotators", "title", "language", "guidelines", "instructions", "link_days", "comments", "protocol"}
_FREE |= {"consent", "quiz", "crowd"}


_CORPUS = "the corpus"


@dataclass(frozen=True, slots=True)
class Link:
    """A sign-in link: the person's name (``"lead"`` for the first lead), the path of the link, and when it expires."""

    name: str
    path: str
    expires: float
    is_lead: bool = False


class Project:
    """An open annotation project. Close it, or use it in a ``with`` statement.

    ``Project.open`` creates it from a study's corpus and protocol, or resumes the one in the database.
    """

    def __init__(self, store: Store, section: AnnotateSection, name: str, seed: int) -> None:
        self.store, self.section, self.name, self.seed = store, section, name, seed

    @classmethod
    def open(
        cls,
        database: Path | str,
        section: AnnotateSection,
        corpus: Corpus,
        *,
        name: str = "study",
        seed: int = 0,
        shared: bool = False,
    ) -> "Project":
        """Create the project, or resume it. A changed protocol is refused once there are ratings.

        With ``shared`` a project that another process serves is opened beside it, for copies, exports and links.
        """
        store = Store(database, shared=shared)
        try:
            if store.is_beside:
                with store.read() as connection:
                    _require_same(connection, section, corpus, seed)
            else:
                store.write(lambda connection: _prepare(connection, section, corpus, name, seed))
        except BaseException:
            store.close()
            raise
        return cls(store, section, name, seed)

    def __enter__(self) -> "Project":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish pending writes and close the database."""
        self.store.close()

    @cached_property
    def secret(self) -> str:
        """The key that signs links."""
        with self.store.read() as connection:
            return str(get_setting(connection, "secret"))

    @cached_property
    def public_id(self) -> str:
        """A name for this project that browsers can know: it stays when the title changes."""
        return hashlib.sha256(f"study:{self.secret}".encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """The title of the pages."""
        return self.section.title or self.name

    def links(self) -> list[Link]:
        """An unused link for each lead and for every annotator who is taking part and did not enrol from a platform."""

        def make(connection: Connection) -> list[Link]:
            days = self.section.link_days
            found = []
            leads = sa.select(t.lead).where(t.lead.c.state == "active").order_by(t.lead.c.id)
            for row in connection.execute(leads).all():
                token, expires = open_link(connection, self.secret, None, days, lead=row.id)
                found.append(Link(row.name, f"/enter/{token}", expires, is_lead=True))
            enrolled = sa.select(t.identity.c.annotator)
            active = sa.select(t.annotator).where(t.annotator.c.state.in_(TAKING_PART)).order_by(t.annotator.c.id)
            for row in connection.execute(active.where(t.annotator.c.id.not_in(enrolled))).all():
                token, expires = open_link(connection, self.secret, row.id, days)
                found.append(Link(row.name, f"/enter/{token}", expires))
            return found

        return self.store.write(make)


_SETTING = sa.select(t.setting.c.value).where(t.setting.c.name == sa.bindparam("wanted"))


def get_setting(connection: Connection, name: str) -> Any:
    """The value of a setting, None where it is not set."""
    return connection.execute(_SETTING, {"wanted": name}).scalar()


def set_setting(connection: Connection, name: str, value: Any) -> None:
    """Set a setting."""
    changed = connection.execute(sa.update(t.setting).where(t.setting.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(sa.insert(t.setting).values(name=name, value=value))


def _prepare(connection: Connection, section: AnnotateSection, corpus: Corpus, name: str, seed: int) -> None:
    if connection.dialect.name == "postgresql":
        # Two processes that start at once must not both fill the tables.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6172)")
    marks = _marks(section, corpus, seed)
    stored = get_setting(connection, "study")
    if stored is not None:
        changed = _changes(stored, marks)
        if changed == [_CORPUS] and _has_ratings(connection) and grow(connection, corpus, section, seed):
            changed = []
        if changed and _has_ratings(connection):
            raise InputError(
                f"annotate: {', '.join(changed)} changed since this project was created, and ratings exist already. "
                "Undo the change, or give the study another name or output to start a new project"
            )
        if changed:
            for table in reversed(t.metadata.sorted_tables):
                connection.execute(sa.delete(table))
            stored = None
    add_first_lead(connection, get_setting(connection, "password"))
    chain_old_entries(connection)
    if stored is None:
        set_setting(connection, "secret", secrets.token_urlsafe(32))
        set_setting(connection, "created", time.time())
        set_setting(connection, "name", name)
        set_setting(connection, "stage", {"open": "pilot" if section.pilot else "main", "round": 1})
        set_setting(connection, "blinded", True)
        people = {one: number for number, one in enumerate(section.annotators, 1)}
        rows = [_person(number, one) for one, number in people.items()]
        if rows:
            connection.execute(sa.insert(t.annotator), rows)
        built = add_texts(connection, corpus, section, seed)
        add_pages(connection, section, built, people, seed)
        log(connection, "lead", "project-created", name=name, annotators=list(people))
    else:
        known = set(connection.execute(sa.select(t.annotator.c.name)).scalars())
        for one in section.annotators:
            if one not in known:
                add_annotator(connection, section, one, seed)
    set_setting(connection, "study", marks)


def _has_ratings(connection: Connection) -> bool:
    return connection.execute(sa.select(t.event.c.key).limit(1)).first() is not None


def _marks(section: AnnotateSection, corpus: Corpus, seed: int) -> dict[str, Any]:
    return {"protocol": section.model_dump(mode="json"), "corpus": _fingerprint(corpus), "seed": seed}


def _require_same(connection: Connection, section: AnnotateSection, corpus: Corpus, seed: int) -> None:
    """A project that is being served must be the one that this study file describes."""
    stored = get_setting(connection, "study")
    changed = ["the project"] if stored is None else _changes(stored, _marks(section, corpus, seed))
    if changed:
        raise InputError(f"annotate: {', '.join(changed)} changed since the server was started; restart it first")


def _person(number: int, name: str) -> dict[str, Any]:
    return {"id": number, "name": name, "role": "annotator", "state": "active", "admitted": False}


def _fingerprint(corpus: Corpus) -> str:
    digest = hashlib.sha256()
    for frame, key in ((corpus.dialogues.drop("meta"), ["dialogue_id"]), (corpus.summaries.drop("provenance"), KEY)):
        digest.update(frame.sort(key).write_ndjson().encode())
    return digest.hexdigest()


def _changes(stored: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The names of the settings that differ and matter."""
    before, after = _as_now(stored["protocol"]), now["protocol"]
    names = sorted({*before, *after} - _FREE)
    changed = [name for name in names if _canonical(before.get(name)) != _canonical(after.get(name))]
    return [f"annotate.{name}" for name in changed] + [
        {"corpus": _CORPUS, "seed": "study.seed"}[part] for part in ("corpus", "seed") if stored[part] != now[part]
    ]


def _as_now(protocol: dict[str, Any]) -> dict[str, Any]:
    """A stored protocol with the settings that were added since, which have had their default all along.

    One that this version no longer takes stays as it is: it differs, and what differs is named.
    """
    try:
        return AnnotateSection.model_validate(protocol).model_dump(mode="json")
    except ValidationError:
        return protocol


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
