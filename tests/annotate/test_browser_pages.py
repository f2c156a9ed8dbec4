"""All pages in a real browser: no accessibility violations, both languages, what the lead does, how people come in."""

import json
import re
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

from dialgauge.annotate._crowd import join_token
from dialgauge.annotate._protocol import Language
from dialgauge.annotate._translations import LEAD_LANGUAGES
from tests.annotate.annotate_browser import (
    FOUR,
    Served,
    Visitor,
    dimension,
    english,
    eventually,
    fresh,
    press,
    section,
    serve,
    settled,
    visiting,
)
from tests.page_checks import DESKTOP, PHONE, violations

pytestmark = pytest.mark.browser

LEAD_PAGES = (
    "",
    "/annotators",
    "/gate",
    "/disagreements",
    "/planner",
    "/exports",
    "/leads",
    "/quality",
    "/comments",
    "/late",
    "/log",
)
_SENTENCES = [
    {"name": "cover", "scale": "0-2", "on": "reference-sentences", "labels": ["none", "some", "all"]},
    {"name": "fluency", "scale": "0-2", "on": "summary-sentences", "question": "Does it read well?"},
]
_TRAINING = {
    "items": [
        {"transcript": "A: Hello.\nB: Hi.", "summary": "They greet.", "expected": {"fluency": 4.0}, "feedback": "Good."}
    ]
}
#: A study per kind of rating page.
STUDIES: dict[str, dict[str, Any]] = {
    "points": {},
    "sentences": {"show": ["reference"], "arrange": "side-by-side", "dimensions": _SENTENCES},
    "both texts": {"show": ["dialogue", "reference"], "dimensions": [*_SENTENCES, dimension("overall", scale="0-100")]},
    "compare": {"task": "compare", "spans": {}},
    "best-worst": {"task": "best-worst", "candidates": 3},
    "spans": {"spans": {}, "dimensions": [dimension("faithful", scale="yes/no")]},
    "write": {"task": "write", "dimensions": []},
    "training": {"training": _TRAINING},
}


def check(page: Any) -> None:
    """No violation on a wide screen in light and on a phone in the dark, and no page that scrolls sideways."""
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        # Colours that are still on their way from one scheme to the other are nobody's.
        page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => null)")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("kind", STUDIES)
def test_axe_on_rating_pages(browser: Any, tmp_path: Path, kind: str) -> None:
    with serve(section(**STUDIES[kind]), english(1), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        check(page)
        if kind == "points":
            press(page, "Enter")
            page.get_by_text("Still to answer").wait_for()
            check(page)
            page.get_by_role("button", name="Guidelines").click()
            check(page)
            press(page, "Escape")
            page.get_by_role("button", name="Pause").click()
            check(page)
        if kind == "training":
            press(page, "4 4 4 4 Enter")
            page.locator(".feedback").wait_for()
            check(page)
        if kind == "spans":
            page.locator(".summary .word").first.dblclick()
            page.locator(".kinds button:enabled").first.wait_for()
            press(page, "1")
            check(page)


def test_axe_in_the_dark_and_in_chinese(browser: Any, tmp_path: Path) -> None:
    with serve(section(language="zh"), english(1), tmp_path) as served:
        with visiting(browser, color_scheme="dark") as visitor:
            page = visitor.enter(served, "ada")
            assert page.get_by_role("button", name="保存并继续").count() == 1
            press(page, "3")
            check(page)
            second = visitor.page()
            second.goto(page.url)
            second.locator("#finish").wait_for()
            press(page, "1")
            settled(page)
            visitor.expected = ("409",)
            press(second, "2")
            second.locator(".conflict").wait_for()
            check(second)
        with visiting(browser, color_scheme="dark") as visitor:
            lead = visitor.enter(served, "lead")
            for path in LEAD_PAGES:
                lead.goto(f"{served.url}/lead{path}")
                lead.locator("main h2").first.wait_for()
                assert violations(lead) == []


def test_axe_on_the_way_in(browser: Any, tmp_path: Path) -> None:
    """The link's page, a used and a wrong link, signing in, the guidelines, a page that is not there, the end."""
    with serve(
        section(guidelines="# Rules\n\nBe **kind**.\n\n- one\n- two <b>", dimensions=[dimension("fluency")]),
        english(1, 1),
        tmp_path,
    ) as served:
        with visiting(browser) as visitor:
            visitor.expected = ("40[134]", "410")
            link = served.link("ada")
            page = visitor.page()
            page.goto(link)
            check(page)
            page.get_by_role("button", name="Start").click()
            page.get_by_role("heading", name="Rules").wait_for()
            check(page)
            page.get_by_role("button", name="I have read this").click()
            page.locator("#finish").wait_for()
            page.goto(f"{served.url}/guidelines")
            assert page.locator("main li").all_inner_texts() == ["one", "two <b>"]
            check(page)
            page.goto(f"{served.url}/work")
            page.locator("#finish").wait_for()
            press(page, "3 Enter")
            page.get_by_role("heading", name="All done. Thank you!").wait_for()
            check(page)
            page.goto(f"{served.url}/lead")
            page.get_by_role("heading", name="You do not have access").wait_for()
            page.goto(f"{served.url}/nowhere")
            page.get_by_role("heading", name="Page not found").wait_for()
            check(page)
        with visiting(browser) as visitor:
            visitor.expected = ("40[134]", "410")
            page = visitor.page()
            page.goto(link)
            page.get_by_role("heading", name="This link was already used").wait_for()
            check(page)
            page.goto(f"{served.url}/work")
            page.get_by_role("heading", name="You are not signed in").wait_for()
            page.goto(f"{served.url}/lead/login")
            check(page)
            page.get_by_label("Password").fill("wrong")
            page.get_by_role("button", name="Sign in").click()
            page.get_by_text("Wrong name or password.").wait_for()
            check(page)


CROWD: dict[str, Any] = {
    "annotators": [],
    "assignment": {"annotators_per_item": 1},
    "crowd": {
        "provider": "prolific",
        "people": 2,
        "per_person": 1,
        "codes": {"complete": "C1ABC", "full": "F1"},
        "pay": 2.0,
    },
    "consent": {
        "text": "# Purpose\n\nWe study **summaries**. You can stop at any time.",
        "questions": [{"name": "native", "question": "Your first language?", "options": ["English", "another"]}],
    },
    "guidelines": "# Rules\n\nBe fair.",
    "quiz": {"questions": [{"question": "What counts?", "options": ["fairness", "speed"], "answer": "fairness"}]},
    "dimensions": [dimension("fluency")],
}


def test_a_crowd_from_the_door_to_the_code(browser: Any, tmp_path: Path) -> None:
    """Enrolment, guidelines, quiz, work, code, and the lead's page of the crowd: axe finds nothing in either theme."""
    with serve(section(**CROWD), english(1, 1), tmp_path) as served:
        address = f"{served.url}/join/{join_token(served.project)}?PROLIFIC_PID=abc123&SESSION_ID=s1"
        with visiting(browser) as visitor:
            page = visitor.page()
            page.goto(address)
            page.get_by_role("heading", name="Purpose").wait_for()
            eventually(page, lambda: "abc123" not in page.url)
            check(page)
            page.get_by_role("checkbox").check()
            page.get_by_label("English").check()
            page.get_by_role("button", name="Start").click()
            page.get_by_role("button", name="I have read this").click()
            page.get_by_label("speed").check()
            page.get_by_role("button", name="Answer").click()
            page.get_by_text("Not all answers are right").wait_for()
            check(page)
            page.get_by_label("fairness").check()
            page.get_by_role("button", name="Answer").click()
            fresh(page)
            press(page, "3 Enter")
            page.get_by_role("link", name="Finish and get the code").click()
            page.get_by_role("heading", name="Finish or leave").wait_for()
            check(page)
            page.get_by_role("button", name="Finish and get the code").click()
            assert page.locator("#code").inner_text() == "C1ABC"
            check(page)
        with visiting(browser) as visitor:
            page = visitor.page()
            page.goto(address.replace("abc123", "late1"))
            page.get_by_role("heading", name="This study is full").wait_for()
            check(page)
            lead = visitor.enter(served, "lead")
            lead.goto(f"{served.url}/lead/crowd")
            lead.get_by_role("table").wait_for()
            check(lead)


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study that two annotators have finished, with a pilot that waits for the lead."""
    pilot = {"dialogues": 2, "below": "ask", "reached": "ask"}
    with serve(section(pilot=pilot), english(3), tmp_path_factory.mktemp("rated")) as served:
        for person, given in (("ada", (1, 2, 3, 4)), ("bo", (4, 2, 3, 5))):
            served.rate(person, *[dict(zip(FOUR, given, strict=True))] * 6)
        yield served


@pytest.fixture(scope="module")
def lead(browser: Any, rated: Served) -> Iterator[tuple[Visitor, Any]]:
    with visiting(browser) as visitor:
        yield visitor, visitor.enter(rated, "lead")


def test_the_pilot_waits_for_the_lead(browser: Any, rated: Served) -> None:
    with visiting(browser) as visitor:
        visitor.enter(rated, "ada").get_by_role("heading", name="The pilot is done").wait_for()


def test_axe_on_the_lead_s_pages(rated: Served, lead: tuple[Visitor, Any]) -> None:
    _, page = lead
    for path in LEAD_PAGES:
        page.goto(f"{rated.url}/lead{path}")
        page.locator("main h2").first.wait_for()
        check(page)


def test_dashboard_says_how_it_stands(rated: Served, lead: tuple[Visitor, Any]) -> None:
    _, page = lead
    page.goto(f"{rated.url}/lead")
    table = page.get_by_role("table", name=re.compile("Progress and pace"))
    table.wait_for()
    assert [row.inner_text() for row in table.locator("tbody th").all()] == ["ada", "bo"]
    agreement = page.get_by_role("table", name=re.compile("Agreement per dimension"))
    assert set(agreement.locator("tbody th").all_inner_texts()) == set(FOUR)
    assert page.locator("td svg .dot").count() > 0
    assert "coherence · spread 3.0" in page.locator("article h3").first.inner_text()
    page.locator("article details").first.click()
    assert page.get_by_text("<file_video>").first.is_visible()


def test_planner(rated: Served, lead: tuple[Visitor, Any]) -> None:
    _, page = lead
    page.goto(f"{rated.url}/lead/planner")
    page.get_by_label("Dialogues").fill("5, 10")
    page.get_by_label("Annotators per item").fill("2")
    page.get_by_label("Difference of two systems").fill("1")
    page.get_by_role("button", name="Plan", exact=True).click()
    table = page.get_by_role("table", name="Expected results of each design")
    table.wait_for(timeout=240_000)
    assert table.locator("tbody tr").count() == 2
    check(page)


def test_exports_come_as_files(rated: Served, lead: tuple[Visitor, Any]) -> None:
    _, page = lead
    page.goto(f"{rated.url}/lead/exports")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSONL").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        everything = b"\n".join(archive.read(name) for name in archive.namelist())
    assert b"coherence" in everything
    assert b"zebra" not in everything, "systems go out under codes until they are unblinded"


def test_people_are_paused_and_replaced(browser: Any, tmp_path: Path) -> None:
    with serve(section(), english(1), tmp_path) as served, visiting(browser) as visitor, visiting(browser) as other:
        page = visitor.enter(served, "ada")
        press(page, "1 2 3 4 Enter")
        settled(page)
        lead = other.enter(served, "lead")
        assert not lead.locator('nav a[data-page="gate"]').is_visible(), "without a pilot there is no gate"
        lead.get_by_role("link", name="Annotators").click()
        lead.get_by_role("button", name="Pause: ada").click()
        lead.get_by_role("button", name="Resume: ada").wait_for()
        page.goto(f"{served.url}/work")
        page.get_by_role("heading", name="The lead has paused your work").wait_for()
        assert violations(page) == []
        lead.get_by_label("Successor of ada").fill("dee")
        lead.get_by_role("button", name="Replace: ada").click()
        link = lead.get_by_label("Link for dee").input_value()
        with visiting(browser) as third:
            page = third.page()
            page.goto(link)
            page.get_by_role("button", name="Start").click()
            page.locator("#progress-text", has_text="0 of 2").wait_for()


def test_being_signed_out_keeps_the_edit(browser: Any, tmp_path: Path) -> None:
    with serve(section(), english(1), tmp_path) as served, visiting(browser) as visitor:
        visitor.expected = ("401",)
        page = visitor.enter(served, "ada")
        cookies = visitor.context.cookies()
        visitor.context.clear_cookies()
        press(page, "4")
        page.get_by_role("heading", name="You are signed out").wait_for()
        assert violations(page) == []
        visitor.context.add_cookies(cookies)
        page.get_by_role("button", name="Reload").click()
        page.locator("#finish").wait_for()
        settled(page)
        assert [row["answer"]["values"] for row in served.answers()] == [{"coherence": 4}]


def messages(name: str) -> dict[str, str]:
    text = files("dialgauge.annotate").joinpath("translations", f"{name}.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found


@pytest.mark.parametrize(
    ("here", "there"),
    [("en", one) for one in get_args(Language)[1:]]
    + [("join.en", f"join.{one}") for one in get_args(Language)[1:]]
    + [("lead.en", f"lead.{one}") for one in LEAD_LANGUAGES[1:]],
)
def test_all_languages_say_the_same_things(here: str, there: str) -> None:
    ours, theirs = messages(here), messages(there)
    assert list(ours) == list(theirs)
    for key, message in ours.items():
        assert sorted(re.findall(r"\{\w+\}", message)) == sorted(re.findall(r"\{\w+\}", theirs[key])), key
        assert theirs[key].strip(), key


def test_every_message_is_used_and_every_used_one_exists() -> None:
    """Keys that are put together from a part (`stage.${…}`) count for all keys that begin so."""
    package = files("dialgauge.annotate")
    sources = [
        path.read_text("utf-8")
        for folder in ("static", "templates")
        for path in package.joinpath(folder).iterdir()
        if path.name.endswith((".js", ".html"))
    ]
    text = "\n".join(sources)
    whole = set(re.findall(r"""(?:\bt\(|messages\[|= \[|\? |: |", )["']([a-z][\w.-]*)(?=["'])""", text))
    begun = set(re.findall(r"""\bt\(`([a-z][\w.-]*\.)\$""", text)) | set(re.findall(r"""["']([a-z]+\.)["'] ~""", text))
    ended = set(re.findall(r"""\bt\(`\$\{\w+\}(\.[\w.]+)`""", text))
    known = {*messages("en"), *messages("join.en"), *messages("lead.en")}
    used = set(re.findall(r"""(?:\bt\(|messages\[)["']([a-z][\w.-]*)["'][\],)]""", text))
    assert used <= known, f"no message for {sorted(used - known)}"
    unused = {key for key in known - whole if not key.startswith(tuple(begun)) and not key.endswith(tuple(ended))}
    assert unused == set(), f"nobody says {sorted(unused)}"
