"""What the tests of the annotation server share: a small corpus, protocols, and people with a browser's manners."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi.testclient import TestClient

from dialgauge.annotate import AnnotateSection, Project, _schema as tables, create_app
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn

HOST = "http://127.0.0.1"
#: Names that occur nowhere else, so that a single byte of one would be found.
SYSTEMS = ("zq-alphatron", "zq-betamax", "zq-gammaray")
DIMENSIONS = [{"name": "consistency", "scale": "1-5"}, {"name": "relevance", "scale": "1-5"}]


def small_corpus(dialogues: int = 3, systems: tuple[str, ...] = SYSTEMS) -> Corpus:
    """Dialogues with two sentences of summary per system, and a reference."""
    talk = [
        Dialogue(
            f"zq-dialogue-{number}",
            (Turn("Ann", f"Where is parcel {number}?"), Turn("Ben", "<file_video> On its way & <b>late</b>.")),
        )
        for number in range(dialogues)
    ]
    told = [
        Summary(one.id, system, f"Ann asks about parcel {one.id[-1]}. Ben answers in way {number}.")
        for one in talk
        for number, system in enumerate(systems)
    ]
    references = [
        Summary(one.id, "zq-reference", f"A parcel is late. Ann asks for number {one.id[-1]}.", kind="reference")
        for one in talk
    ]
    return Corpus.build(talk, told + references)


def make_section(**settings: Any) -> AnnotateSection:
    """A protocol; two dimensions from 1 to 5 unless the settings say otherwise."""
    base: dict[str, Any] = {"annotators": ["ada", "bo", "cy"], "dimensions": DIMENSIONS}
    return AnnotateSection.model_validate({**base, **settings})


@dataclass
class Person:
    """Someone at a browser: keeps cookies, sends the origin and the token."""

    client: TestClient
    name: str
    csrf: str = ""
    received: list[bytes] = field(default_factory=list)

    def get(self, path: str, status: int = 200) -> Any:
        response = self.client.get(path)
        self._keep(response)
        assert response.status_code == status, (path, response.status_code, response.text[:500])
        return response.json() if response.headers["content-type"].startswith("application/json") else response

    def send(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        response = self.client.request(method, path, json=body, headers={"X-CSRF-Token": self.csrf, "Origin": HOST})
        self._keep(response)
        assert response.status_code == status, (path, response.status_code, response.text[:500])
        return response.json()

    def _keep(self, response: Any) -> None:
        headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
        self.received.append(f"{response.url}\n{headers}\n".encode() + response.content)

    def save(self, item: str, rev: int, values: Any, status: int = 200, key: str | None = None, **more: Any) -> Any:
        body = {"key": key or str(uuid.uuid4()), "rev": rev, "values": values, **more}
        return self.send("PUT", f"/api/assignments/{item}", body, status)

    def pages(self) -> list[dict[str, Any]]:
        """All pages open to this person, whole."""
        return [self.get(f"/api/pages/{page['id']}") for page in self.get("/api/pages")["pages"]]

    def rate_everything(self, value: Any = 3, **more: Any) -> int:
        """Give the same value to everything that is not complete; how many items that were."""
        count = 0
        for page in self.pages():
            for item in page["items"]:
                if not item["answer"]["complete"]:
                    values = {name: value(item, name) if callable(value) else value for name in page["dimensions"]}
                    self.save(item["id"], item["answer"]["rev"], values, active_ms=1000, **more)
                    count += 1
        return count


@dataclass
class Study:
    """An open project and the people in it."""

    project: Project
    app: Any
    portal: BlockingPortal

    def client(self, base_url: str = HOST, **more: Any) -> TestClient:
        """A browser. All share one event loop: one of their own for each request takes longer than the answer."""
        client = TestClient(self.app, base_url=base_url, **{"follow_redirects": False, **more})
        client.portal = self.portal
        return client

    def person(self, name: str) -> Person:
        """Someone who opens their link and presses the button."""
        link = next(link for link in self.project.links() if link.name == name)
        person = Person(self.client(), name)
        person.get(link.path)
        entered = person.client.post(link.path, headers={"Origin": HOST})
        assert entered.status_code == 303, entered.text
        person._keep(entered)
        person.csrf = person.get("/api/session")["csrf"]
        return person

    def count(self, table: sa.Table) -> int:
        with self.project.store.read() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()

    def events(self) -> int:
        return self.count(tables.event)


@contextmanager
def open_study(
    database: Path | str, corpus: Corpus | None = None, rate: float = 1e6, **settings: Any
) -> Iterator[Study]:
    """A project with its application."""
    section = make_section(**settings)
    opened = Project.open(database, section, corpus or small_corpus(), name="parcels", seed=7)
    with start_blocking_portal() as portal, opened as project:
        yield Study(project, create_app(project, rate=rate), portal)
