"""What the browser tests share: small studies served on this machine, and people who visit them."""

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import uvicorn

from dialgauge.annotate import AnnotateSection, Project, _schema as t, create_app
from dialgauge.annotate._access import Visitor as Someone
from dialgauge.annotate._answers import Save
from dialgauge.annotate._library import Library
from dialgauge.annotate._saves import save_answer
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from tests.page_checks import DESKTOP

SYSTEMS = ("zebra-9b", "quokka-large", "okapi-v2")
FOUR = ["coherence", "consistency", "fluency", "relevance"]
_ANCHORS = ["very poor", "poor", "acceptable", "good", "very good"]

_TALK = (
    (
        "Nora",
        "customer",
        "Hi, my parcel from last Monday still has not come. The app says <file_video> and nothing else.",
    ),
    ("Sam", "agent", "I am sorry about that. Could you give me the number of the order, please?"),
    ("Nora", "customer", "It is 4471. I need it before Friday, because it is a present for my sister."),
    ("Sam", "agent", "Thank you. The parcel stands in the depot in Leeds; the driver did not find your door."),
    ("Nora", "customer", "But somebody was at home all day! Can you send it again tomorrow?"),
    ("Sam", "agent", "Yes, I have booked it for tomorrow between nine and noon. You pay nothing for it."),
    ("Nora", "customer", "Great. And please tell the driver to ring at number 12b, not at 12."),
    ("Sam", "agent", "Done. Is there anything else that I can do for you?"),
    ("Nora", "customer", "No, that is all. Thanks for the quick help."),
    ("Sam", "agent", "You are welcome. Have a good day!"),
)
_SUMMARIES = (
    "Nora's parcel 4471 stands in Leeds. Sam has it delivered again tomorrow morning, and the driver rings at 12b.",
    "Sam lost the parcel of his sister. He pays for a new one on Friday. It was sent to London by mistake.",
    "Nora asks for her parcel.",
)
_REFERENCE = "Nora misses her parcel. Sam books a new delivery for tomorrow between nine and noon."
_ARABIC = (
    ("ليلى", None, "مرحبا، لم يصل الطرد حتى الآن."),
    ("سامي", None, "آسف لذلك. ما هو رقم الطلب؟"),
    ("ليلى", None, "الرقم 4471 وأحتاجه قبل الجمعة."),
)


def english(dialogues: int = 2, systems: int = 3) -> Corpus:
    """Dialogues with ``<file_video>`` in them, summaries of one to three sentences, a reference each."""
    talks = [Dialogue(f"call-{n}", tuple(Turn(who, text, role) for who, role, text in _TALK)) for n in range(dialogues)]
    texts = [Summary(talk.id, SYSTEMS[n], text) for talk in talks for n, text in enumerate(_SUMMARIES[:systems])] + [
        Summary(talk.id, "human", _REFERENCE, kind="reference") for talk in talks
    ]
    return Corpus.build(talks, texts)


def arabic() -> Corpus:
    """One dialogue written from right to left."""
    talk = Dialogue("a", tuple(Turn(who, text, role) for who, role, text in _ARABIC), language="ar")
    return Corpus.build([talk], [Summary("a", "zebra-9b", "تسأل ليلى عن الطرد. سيصل قبل الجمعة.")])


def dimension(name: str, **more: Any) -> dict[str, Any]:
    """A dimension with anchors under its five points, unless another scale is named."""
    labels = {} if "scale" in more else {"labels": _ANCHORS}
    return {"name": name, "question": f"How good is the {name} of this summary?", **labels, **more}


def section(**settings: Any) -> AnnotateSection:
    """An ``[annotate]`` table: four scales and two annotators unless the settings say otherwise."""
    base = {"title": "Parcel calls", "annotators": ["ada", "bo"], "dimensions": [dimension(name) for name in FOUR]}
    return AnnotateSection.model_validate({**base, **settings})


@dataclass
class Served:
    """A study on the air: where it is, and the ways in."""

    project: Project
    url: str = ""
    _running: Any = field(default=None, repr=False)

    def start(self) -> None:
        """Begin to serve: at a free port, or again where it was."""
        port = int(self.url.rpartition(":")[2] or 0)
        app = create_app(self.project)
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        deadline = time.monotonic() + 120
        while not server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        self._running = server, thread

    def stop(self) -> None:
        """Nobody answers at the address any more; what the server had in memory is gone."""
        server, thread = self._running
        server.should_exit = True
        thread.join(60)

    def link(self, name: str) -> str:
        """A fresh link for a person, ``"lead"`` for the lead."""
        return self.url + next(link.path for link in self.project.links() if link.name == name)

    def answers(self) -> list[dict[str, Any]]:
        """All stored answers with a revision, as the database has them, with the person's and the system's name."""
        query = sa.text(
            "SELECT a.answer, a.rev, a.complete, a.active_ms, p.name FROM assignment a "
            "JOIN annotator p ON p.id = a.annotator WHERE a.rev > 0 ORDER BY a.page, a.position"
        ).columns(answer=sa.JSON, complete=sa.Boolean)
        with self.project.store.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def rate(self, name: str, *given: dict[str, Any]) -> None:
        """Answers of a person to their first open items, without a browser, as a save over HTTP would store them."""
        query = (
            sa.select(t.assignment.c.id, t.assignment.c.rev)
            .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
            .join(t.page, t.page.c.id == t.assignment.c.page)
            .where(t.annotator.c.name == name, sa.not_(t.assignment.c.complete))
            .order_by(t.page.c.position, t.assignment.c.position)
        )

        def write(connection: Any) -> None:
            who = connection.execute(sa.select(t.annotator).where(t.annotator.c.name == name)).one()
            visitor = Someone(who.id, name, "active", "annotator", "", "")
            for row, values in zip(connection.execute(query).all(), given, strict=False):
                save = Save(key=uuid.uuid4().hex, rev=row.rev, values=values, active_ms=1000)
                assert save_answer(connection, self.project, Library(), visitor, row.id, save).reply["complete"]

        self.project.store.write(write)


@dataclass
class Seat(Served):
    """A study on the air as one of its annotators has it: called "ada", alone with their answers."""

    person: str = ""

    def link(self, name: str) -> str:
        return super().link(self.person if name == "ada" else name)

    def answers(self) -> list[dict[str, Any]]:
        return [row for row in super().answers() if row["name"] == self.person]


@contextmanager
def serve(protocol: AnnotateSection, corpus: Corpus, folder: Path) -> Iterator[Served]:
    """Serve a study from a thread of this process."""
    with Project.open(folder / "study.db", protocol, corpus, name="parcels", seed=3) as project:
        served = Served(project)
        served.start()
        try:
            yield served
        finally:
            served.stop()


class Visitor:
    """A person with a browser of their own. Everything the console says against a page is kept."""

    def __init__(self, browser: Any, viewport: dict[str, int] = DESKTOP, **options: Any) -> None:
        # Requests that a service worker makes cannot be lost on purpose, so only its own test lets it work.
        self.context = browser.new_context(**{"viewport": viewport, "service_workers": "block", **options})
        self.context.set_default_timeout(60_000)
        self._usual = (viewport, options.get("color_scheme", "light"))
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        self._kept: Any = None  # the tab that the next visit uses again

    def page(self) -> Any:
        """A new tab, or the one that is left of the visit before."""
        if self._kept is not None:
            page, self._kept = self._kept, None
            return page
        page = self.context.new_page()
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self._hear("error", str(error)))
        return page

    def _hear(self, kind: str, text: str) -> None:
        allowed = (*self.expected, "Service Worker registration blocked")
        if kind in ("error", "warning") and not any(re.search(one, text) for one in allowed):
            self.complaints.append(f"{kind}: {text}")

    def sign_in(self, served: Served, name: str) -> None:
        """Use the link of a person without looking at its page, which has tests of its own."""
        self.context.clear_cookies()
        entered = self.context.request.post(served.link(name), headers={"Origin": served.url}, max_redirects=0)
        assert entered.status == 303, entered.text()

    def enter(self, served: Served, name: str) -> Any:
        """Sign in and open the first page of a person."""
        self.sign_in(served, name)
        page = self.page()
        page.goto(f"{served.url}/{'lead' if name == 'lead' else 'work'}")
        if name == "lead":
            page.locator("main h2").first.wait_for()
        else:
            page.locator("#finish, .notice, #step").first.wait_for()
        if "/start" in page.url:
            page.locator("#step").click()
            page.locator("#finish, .notice").first.wait_for()
        return page

    def leave(self) -> None:
        """Leave the browser as a stranger would find it, with one empty tab; fail if the console complained."""
        complaints, self.complaints, self.expected = self.complaints, [], ("",)
        page, *others = self.context.pages or [self.page()]
        for other in others:
            other.close(run_before_unload=False)
        self.context.set_offline(False)
        self.context.unroute_all()
        page.unroute_all()
        page.once("dialog", lambda dialog: dialog.accept())  # yes, leave
        page.goto("about:blank")
        self.context.clear_cookies()
        page.set_viewport_size(self._usual[0])
        page.emulate_media(color_scheme=self._usual[1])
        self.context.set_default_timeout(60_000)
        self._kept, self.expected = page, ()
        assert complaints == []


#: Visitors who have left, by browser and by what kind of browser they have: a new one costs a second of computing.
_LEFT: dict[Any, dict[str, list[Visitor]]] = {}


@contextmanager
def visiting(browser: Any, **options: Any) -> Iterator[Visitor]:
    """A visitor who leaves at the end."""
    kind = repr(sorted(options.items()))
    left = _LEFT.setdefault(browser, {}).setdefault(kind, [])
    visitor = left.pop() if left else Visitor(browser, **options)
    try:
        yield visitor
    except BaseException:
        visitor.context.close()
        raise
    if "service_workers" in options:
        visitor.context.close()
        assert visitor.complaints == []
        return
    visitor.leave()
    left.append(visitor)


def press(page: Any, keys: str) -> None:
    """Press keys one after another; their names stand between spaces."""
    for key in keys.split():
        page.keyboard.press(key)


def fresh(page: Any) -> None:
    """Wait until nothing is chosen yet: the next summary is there, which may have to come from the server."""
    page.locator("fieldset.question").first.wait_for()
    # Not by wait_for_function: it evaluates again and again, which the policy of our pages forbids.
    page.locator("fieldset.question input:checked").first.wait_for(state="detached")


def eventually(page: Any, true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is true that the page itself does not show."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited for nothing"
        page.wait_for_timeout(25)


def read_ahead(page: Any) -> None:
    """Wait until the next dialogue is there, too."""
    count = "performance.getEntriesByType('resource').filter(({ name }) => /api.pages.\\w/.test(name)).length"
    eventually(page, lambda: page.evaluate(count) > 1)


def settled(page: Any) -> None:
    """Wait until the page says that everything is saved."""
    page.locator("#state").filter(has_text=re.compile("^(Saved|已保存)$")).wait_for()
