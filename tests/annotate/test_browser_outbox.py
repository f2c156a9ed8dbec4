"""Nothing is lost between the finger and the disk: what the lead does, crossed with what can go wrong at the annotator.

Every edit carries a marker as its comment. The server has it when the marker stands in a row of the database, the
browser when it stands in a field, in IndexedDB or in localStorage; a page that says "Saved" must not have it alone.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from benchmarks.outbox import run_model, sources
from dialgauge.annotate import _people as people, _schema as t
from dialgauge.annotate._gate import decide
from dialgauge.annotate._late_answers import take_paused
from dialgauge.annotate._lead_crowd import drop_annotator
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import set_setting
from tests.annotate.annotate_browser import Served, english, eventually, press, section, serve, settled, visiting
from tests.page_checks import violations

pytestmark = pytest.mark.browser

#: What the lead does (the same person goes on after it, or nobody does), and what is wrong at the annotator.
PASSING = ("add", "pause", "gate", "close")
FINAL = ("replace", "drop")
FAULTS = ("offline", "second tab", "second device", "full storage", "expired session", "server down")

_STORED = """async () => {
  const fields = [...document.querySelectorAll("textarea")].map((area) => area.value);
  const local = Object.values(localStorage);
  const database = await new Promise((resolve) => {
    const request = indexedDB.open("dialgauge");
    request.onsuccess = () => resolve(request.result);
  });
  const kept = await new Promise((resolve) => {
    const all = database.transaction("edits").objectStore("edits").getAll();
    all.onsuccess = () => resolve(all.result);
  });
  database.close();
  return JSON.stringify([fields, local, kept]);
}"""
#: Whether both dialogues are among what the service worker has kept.
_KEPT_FOR_LATER = """async () => {
  const [name] = await caches.keys();
  const kept = name ? await (await caches.open(name)).keys() : [];
  return kept.filter(({ url }) => /api.pages.\\w/.test(url)).length === 2;
}"""
_NO_ROOM = """() => {
  const full = () => { throw new DOMException("full", "QuotaExceededError"); };
  IDBObjectStore.prototype.put = full;
  Storage.prototype.setItem = full;
}"""


def test_a_million_steps_in_small(browser: Any) -> None:
    found = run_model(browser, 25_000, seed=5)
    assert (found["lost"], found["false"]) == (0, 0), found["examples"]
    assert found["reloads"] > 300
    assert found["refusals"] > 1000


@pytest.mark.parametrize(
    ("careful", "careless"),
    [
        ("return refusal(last, { reason: meaning", 'return { state: "refused", entry: null }; ({ reason: meaning'),
        ('["edited", entries.length]', '["edited", 0]'),
        ('return refusal(last, { reason: "conflict"', 'return { entry: null }; ({ reason: "conflict"'),
    ],
)
def test_the_model_finds_a_careless_outbox(browser: Any, careful: str, careless: str) -> None:
    scripts = sources()
    assert careful in scripts["outbox-states.js"]
    scripts["outbox-states.js"] = scripts["outbox-states.js"].replace(careful, careless)
    found = run_model(browser, 6_000, seed=5, scripts=scripts)
    assert found["lost"] + found["false"] > 0


@dataclass
class Case:
    """A person at a page, the study around, and the markers of what was rated."""

    served: Served
    name: str
    page: Any = None
    other: Any = None  # a second tab, or the page on a second device
    markers: dict[str, Any] = field(default_factory=dict)  # and the page on which each was written

    def edit(self, page: Any) -> None:
        """Comment on the item before one."""
        marker = uuid.uuid4().hex
        self.markers[marker] = page
        while page.locator("#comment").input_value() != marker:
            # The page may be read again, after what the lead did, in the moment in which this is typed.
            page.locator("#comment").fill(marker)
            page.locator("#comment").dispatch_event("change")
        self.honest(page)

    def stored(self) -> str:
        """Everything that the database has of answers and late changes."""
        with self.served.project.store.read() as connection:
            rows = [*connection.execute(sa.select(t.event.c.answer)), *connection.execute(sa.select(t.late.c.body))]
        return str(rows)

    def honest(self, page: Any) -> None:
        """A page that says "Saved" has nothing that the server has not."""
        if page.locator("#state").inner_text() == "Saved":
            stored = self.stored()
            mine = [marker for marker, where in self.markers.items() if where is page]
            assert mine[-1] in stored, "a false sign"

    def is_safe(self) -> bool:
        """Whether what each page has last is at the server, or in a browser that shows a conflict."""
        self.honest(self.page)
        kept = self.stored()
        for page in (self.page, self.other):
            if page and page.locator(".conflict").count():
                kept += page.evaluate(_STORED)
        return all(marker in kept for marker in {page: marker for marker, page in self.markers.items()}.values())

    def act(self, write: Callable[[Any], Any]) -> Any:
        return self.served.project.store.write(write)

    @property
    def number(self) -> int:
        with self.served.project.store.read() as connection:
            query = sa.select(t.annotator.c.id).where(t.annotator.c.name == self.name)
            return int(connection.execute(query).scalar_one())


def lead_acts(case: Case, action: str) -> None:
    project, number = case.served.project, case.number
    if action == "pause":
        case.act(lambda one: people.set_state(one, number, "paused"))
    elif action == "add":
        new = case.act(lambda one: people.add_annotator(one, project.section, f"{case.name} 2", project.seed))
        # Against the lease, as a lead may insist: what was rated before the page went is rated all the same.
        case.act(lambda one: people.move_page(one, case.page.url.split("/work/")[1].split("#")[0], new))
    elif action == "replace":
        successor = f"{case.name} 3"
        case.act(lambda one: people.replace_annotator(one, project.section, number, successor, project.seed))
    elif action == "drop":
        case.act(lambda one: drop_annotator(one, project, number, keep=True, actor="lead"))
    elif action == "gate":
        case.act(lambda one: set_setting(one, "stage", {"open": "pilot", "round": 2}))
    else:
        case.act(lambda one: decide(one, project, "stop", "test"))


def lead_undoes(case: Case) -> None:
    case.act(lambda one: people.set_state(one, case.number, "active"))
    case.act(lambda one: take_paused(one, case.served.project, Library(), case.number))
    case.act(lambda one: set_setting(one, "stage", {"open": "main", "round": 1}))


def break_it(case: Case, kind: str) -> None:
    if kind == "offline":
        case.page.context.set_offline(True)
    elif kind == "server down":
        case.served.stop()
    elif kind == "expired session":
        mine = sa.update(t.session).where(t.session.c.annotator == case.number)
        case.act(lambda one: one.execute(mine.values(expires=1.0)))
    elif kind == "full storage":
        case.page.evaluate(_NO_ROOM)
    else:
        case.edit(case.other)


def mend_it(case: Case, kind: str) -> None:
    if kind == "offline":
        case.page.context.set_offline(False)
    elif kind == "server down":
        case.served.start()
    elif kind == "expired session":
        mine = sa.update(t.session).where(t.session.c.annotator == case.number)
        case.act(lambda one: one.execute(mine.values(expires=time.time() + 1000)))
        case.page.evaluate("document.getElementById('signed-out').close()")
    case.page.evaluate("dispatchEvent(new Event('online'))")


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study whose main part is open, where every page is one person's."""
    pilot = {"dialogues": 1, "below": "ask", "reached": "ask"}
    names = [f"{kind}, {action}" for kind in FAULTS for action in FINAL]
    protocol = section(annotators=names, pilot=pilot, assignment={"annotators_per_item": 1})
    with serve(protocol, english(26, 1), tmp_path_factory.mktemp("crossed")) as served:
        served.project.store.write(lambda one: set_setting(one, "stage", {"open": "main", "round": 1}))
        yield served


@pytest.mark.parametrize("kind", FAULTS)
def test_nothing_is_lost(browser: Any, crossed: Served, kind: str) -> None:
    """Every act of the lead while this is wrong: what was rated is at the server in the end, and "Saved" was true."""
    for actions in ((*PASSING, "replace"), ("drop",)):
        case = Case(crossed, f"{kind}, {actions[-1]}")
        with visiting(browser) as visitor, visiting(browser) as device:
            visitor.expected = device.expected = ("",)  # of refused requests, the console complains
            visitor.context.set_default_timeout(20_000)
            case.page = visitor.enter(crossed, case.name)
            if kind == "second tab":
                case.other = visitor.page()
                case.other.goto(case.page.url)
                case.other.locator("#finish").wait_for()
            elif kind == "second device":
                case.other = device.enter(crossed, case.name)
            for action in actions:
                cross(case, kind, action)
            assert len(case.markers) == len(actions) * (2 if case.other else 1)


def cross(case: Case, kind: str, action: str) -> None:
    """Something breaks, somebody rates, the lead acts, and it is mended."""
    break_it(case, kind)
    case.edit(case.page)
    lead_acts(case, action)
    mend_it(case, kind)
    eventually(case.page, case.is_safe, 20)
    if action in FINAL:
        return
    lead_undoes(case)
    for page in (case.page, case.other):
        if page and page.locator(".conflict").count():
            page.get_by_role("button", name="Keep the answer here").click()
    eventually(case.page, case.is_safe, 20)


def test_a_reload_without_a_connection(browser: Any, tmp_path: Path) -> None:
    """The page opens from what the browser has kept, with the edits that the server has not."""
    with serve(section(), english(2), tmp_path) as served, visiting(browser, service_workers="allow") as visitor:
        visitor.expected = ("ERR_INTERNET_DISCONNECTED", "401")  # offline; and signed out at the end
        page = visitor.enter(served, "ada")
        eventually(page, lambda: bool(page.evaluate(_KEPT_FOR_LATER)))
        visitor.context.set_offline(True)
        press(page, "4 2")
        page.locator("#state", has_text="Offline: 1 kept in this browser").wait_for()
        page.reload()
        page.locator("#finish").wait_for()
        chosen = page.locator("fieldset.question input:checked").evaluate_all(
            "nodes => nodes.map((node) => node.value)"
        )
        assert chosen == ["4", "2"]
        assert page.locator(".question.active legend").inner_text() == "Fluency", "the first open question"
        press(page, "3")
        visitor.context.set_offline(False)
        settled(page)
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/")
        assert page.evaluate("caches.keys()") == []
    (row,) = served.answers()
    assert row["answer"]["values"] == {"coherence": 4, "consistency": 2, "fluency": 3}


def test_a_comment_that_is_too_long_takes_nothing_with_it(browser: Any, tmp_path: Path) -> None:
    """Whether it is made shorter in the end, or taken back."""
    with serve(section(), english(1), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        page.locator("#comment").fill("x" * 4600)
        page.get_by_text("400 characters left").wait_for()
        page.locator("#comment").fill("y" * 5400)
        page.get_by_text("400 characters too long").wait_for()
        page.locator(".point").first.click()
        eventually(page, lambda: [row["answer"]["values"] for row in served.answers()] == [{"coherence": 1}], 20)
        page.locator("#state", has_text="Too long, not saved: 1").wait_for()
        page.reload()
        page.locator("#finish").wait_for()
        assert page.locator("#comment").input_value() == "y" * 5400
        page.locator("#finish").click()
        page.get_by_text("First shorten the text").wait_for()
        page.locator("#comment").fill("short")
        settled(page)
        assert [row["answer"]["comment"] for row in served.answers()] == ["short"]
        page.locator("#comment").fill("y" * 5400)
        page.locator("#state", has_text="Too long, not saved: 1").wait_for()
        page.locator("#comment").fill("")
        settled(page)
        assert [row["answer"]["comment"] for row in served.answers()] == [""]


def test_a_refused_edit_waits_in_the_tray(browser: Any, tmp_path: Path) -> None:
    """An item that the server does not know any more: the edit is shown, kept through a reload, and sent later."""
    with serve(section(), english(1), tmp_path) as served, visiting(browser) as visitor:
        visitor.expected = ("404",)
        page = visitor.enter(served, "ada")
        gone = {"status": 404, "content_type": "application/json", "body": '{"error": "not-found", "message": "Gone."}'}
        page.route("**/api/assignments/*", lambda route: route.fulfill(**gone))
        press(page, "4")
        page.locator("#state", has_text="Not accepted: 1").wait_for()
        page.reload()
        page.locator("#state", has_text="Not accepted: 1").wait_for()
        page.get_by_role("button", name="Show", exact=True).click()
        assert "Coherence: 4" in page.locator("#tray pre").inner_text()
        assert violations(page) == []
        with page.expect_download() as download:
            page.get_by_role("button", name="Save all as a file").click()
        assert '"coherence": 4' in download.value.path().read_text()
        page.unroute("**/api/assignments/*")
        page.get_by_role("button", name="Try again").click()
        settled(page)
    assert [row["answer"]["values"] for row in served.answers()] == [{"coherence": 4}]
