"""What stands on the screen: all candidates, the summary beside the last question, every language whole."""

from pathlib import Path
from typing import Any, get_args

import pytest

from dialgauge.annotate._protocol import Language
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from tests.annotate.annotate_browser import (
    arabic,
    dimension,
    english,
    eventually,
    press,
    section,
    serve,
    settled,
    visiting,
)
from tests.page_checks import DESKTOP, PHONE, violations

pytestmark = pytest.mark.browser

_TEXT = "Nora asks where her parcel is, and Sam says that it was handed to the courier on Monday but came back. " * 10
#: The share of the text of each candidate that stands in the window.
_VISIBLE = """() => [...document.querySelectorAll(".choice")].map((card) => {
  const [frame, text] = [card, card.querySelector("p")].map((node) => node.getBoundingClientRect());
  const bottom = Math.min(frame.bottom, innerHeight, text.bottom);
  return (bottom - Math.max(frame.top, text.top)) / text.height;
})"""
#: Labels that are wider than their place, and pages that scroll sideways.
_CLIPPED = """() => [document.documentElement, ...document.querySelectorAll("button, .state, legend, .where, label")]
  .filter((node) => node.checkVisibility() && !node.closest(".unseen, .point, .strip"))
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)
  .filter((node) => getComputedStyle(node).display !== "inline")
  .map((node) => `${node.tagName} ${node.textContent.trim().slice(0, 60)}`)"""
_APART = """() => {
  const boxes = [...document.querySelectorAll(".bar > *, .actions > *")].filter((node) => node.checkVisibility());
  const places = boxes.map((node) => node.getBoundingClientRect()).filter(({ width }) => width > 0);
  return places.every((a, i) => places.every((b, j) => i === j
    || a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1));
}"""


def long_corpus(systems: int, characters: int) -> Corpus:
    turns = tuple(Turn("Nora" if n % 2 else "Sam", f"Turn {n}. It goes on and on.") for n in range(30))
    texts = [Summary("d", f"system {n}", _TEXT[n:][:characters]) for n in range(systems)]
    return Corpus.build([Dialogue("d", turns)], texts)


@pytest.mark.parametrize("dimensions", [["overall"], ["coherence", "consistency", "fluency", "relevance"]])
def test_four_candidates_at_once(browser: Any, tmp_path: Path, dimensions: list[str]) -> None:
    """Four candidates of 500 characters on a laptop; all of them once the dialogue is hidden; swiped on a phone."""
    protocol = section(task="best-worst", candidates=4, dimensions=[dimension(name) for name in dimensions])
    with serve(protocol, long_corpus(4, 500), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        assert min(page.evaluate(_VISIBLE)) >= 0.9
        assert page.locator("#finish").bounding_box()["y"] < DESKTOP["height"] - 20
        page.get_by_role("button", name="Hide").click()
        assert min(page.evaluate(_VISIBLE)) == 1
        assert not page.locator(".turn").first.is_visible()
        page.get_by_role("button", name="Show dialogue").click()
        assert page.locator(".turn").first.is_visible()
        page.set_viewport_size(PHONE)
        first, second = page.locator(".choice").first.bounding_box(), page.locator(".choice").nth(1).bounding_box()
        assert first["width"] > 0.8 * PHONE["width"]
        assert second["x"] < PHONE["width"], "the next one shows its edge"
        page.locator(".choice").nth(3).scroll_into_view_if_needed()
        assert page.locator(".choice").nth(3).bounding_box()["x"] < 0.2 * PHONE["width"]


def test_the_summary_stays_beside_the_last_question_on_a_phone(browser: Any, tmp_path: Path) -> None:
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with serve(section(), long_corpus(1, 700), tmp_path) as served, visiting(browser, **phone) as visitor:
        page = visitor.enter(served, "ada")
        for question in page.locator(".question").all():
            question.locator(".point").nth(3).tap()
        page.locator(".question").last.scroll_into_view_if_needed()
        inside, frame = page.locator(".summary").bounding_box(), page.locator(".sheet").bounding_box()
        shown = min(inside["y"] + inside["height"], frame["y"] + frame["height"]) - max(inside["y"], frame["y"])
        last = page.locator(".question").last.bounding_box()
        assert shown >= 150
        assert last["y"] >= inside["y"] + inside["height"] - 30
        assert last["y"] + last["height"] <= frame["y"] + frame["height"] + 1


@pytest.mark.parametrize("hand", ["keyboard", "touch"])
def test_spans_with_a_severity(browser: Any, tmp_path: Path, hand: str) -> None:
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True} if hand == "touch" else {}
    protocol = section(spans={"severities": ["minor", "major"]}, dimensions=[dimension("overall")])
    with serve(protocol, english(1, 1), tmp_path) as served, visiting(browser, **phone) as visitor:
        page = visitor.enter(served, "ada")
        if hand == "keyboard":
            page.locator(".summary .markable").focus()
            press(page, "ArrowRight ArrowRight Shift+ArrowRight 2")
            page.get_by_text("How serious is").wait_for()
            press(page, "2")
        else:
            words = page.locator(".summary .word")
            words.nth(2).tap()
            words.nth(4).tap()
            page.get_by_role("button", name="wrong reference").tap()
            page.get_by_role("button", name="major").tap()
        settled(page)
        eventually(page, lambda: bool(served.answers()))
    (span,) = served.answers()[0]["answer"]["spans"]
    assert (span["type"], span["severity"], span["in"]) == ("wrong reference", "major", "summary")
    assert span["end"] > span["start"]


def test_every_language_fits(browser: Any, tmp_path: Path) -> None:
    """No label is cut, nothing overlaps, no page scrolls sideways, on either screen; Arabic runs from right to left."""
    with serve(section(), english(1), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        for language in get_args(Language):
            visitor.context.add_cookies([{"name": "language", "value": language, "url": served.url}])
            page.reload()
            page.locator("#finish").wait_for()
            for size in (DESKTOP, PHONE):
                page.set_viewport_size(size)
                assert page.evaluate(_CLIPPED) == [], (language, size)
                assert page.evaluate(_APART), (language, size)
        assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        assert violations(page) == []
        page.set_viewport_size(DESKTOP)
        dialogue, sheet = page.locator(".text").bounding_box(), page.locator(".sheet").bounding_box()
        assert dialogue["x"] > sheet["x"]


def test_right_to_left(browser: Any, tmp_path: Path) -> None:
    with serve(section(), arabic(), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        for place in (".turns", ".said", ".summary p"):
            assert page.locator(place).first.evaluate("node => getComputedStyle(node).direction") == "rtl"
        boxes = [turn.bounding_box() for turn in page.locator(".turn").all()]
        column = page.locator(".turns").bounding_box()
        assert boxes[0]["x"] + boxes[0]["width"] == pytest.approx(column["x"] + column["width"], abs=1)
        assert boxes[1]["x"] == pytest.approx(column["x"], abs=1)
        press(page, "1 2 3 4 Enter")
        page.locator("#notice").wait_for()
