"""The rating page in a real browser: by keyboard, through reloads, lost connections and second tabs."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from tests.annotate.annotate_browser import (
    FOUR,
    SYSTEMS,
    Seat,
    Visitor,
    dimension,
    english,
    eventually,
    fresh,
    press,
    read_ahead,
    section,
    serve,
    settled,
    visiting,
)
from tests.page_checks import DESKTOP, PHONE

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Seat]]:
    """A study with a seat for each test."""
    names = [f"rater {number}" for number in range(40)]
    with serve(section(annotators=names), english(), tmp_path_factory.mktemp("crowd")) as served:
        yield (Seat(served.project, served.url, person=name) for name in names)


@pytest.fixture
def served(crowd: Iterator[Seat]) -> Seat:
    return next(crowd)


def chosen(page: Any) -> list[str | None]:
    """The chosen value of each question on the page, None where there is none."""
    script = "nodes => nodes.map(node => node.querySelector('input:checked')?.value ?? null)"
    found: list[str | None] = page.locator("fieldset.question").evaluate_all(script)
    return found


def events(served: Seat) -> int:
    query = sa.text(
        "SELECT COUNT(*) FROM event JOIN assignment a ON a.id = event.assignment "
        "JOIN annotator p ON p.id = a.annotator WHERE p.name = :person"
    )
    with served.project.store.read() as connection:
        return int(connection.execute(query, {"person": served.person}).scalar() or 0)


def test_a_whole_study_by_keyboard(browser: Any, served: Seat) -> None:
    """Five keys per summary with four scales; nothing is chosen before; what was pressed is what is stored."""
    given = ["1 2 3 4", "5 5 4 4", "2 2 2 2", "3 1 5 4", "4 4 4 5", "1 1 1 1"]
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        for number, keys in enumerate(given):
            page.locator(f"text=dialogue {number // 3 + 1} of 2").wait_for()
            assert chosen(page) == [None] * 4
            press(page, keys)
            assert chosen(page) == keys.split()
            assert page.locator("#finish").evaluate("node => node === document.activeElement")
            press(page, "Enter")
        page.get_by_role("heading", name="All done. Thank you!").wait_for()
        assert page.locator("#progress-text").inner_text() == "6 of 6"
    stored = [[str(int(row["answer"]["values"][name])) for name in FOUR] for row in served.answers()]
    assert sorted(stored) == sorted(keys.split() for keys in given)
    assert all(row["complete"] for row in served.answers())
    assert sum(row["active_ms"] for row in served.answers()) > 0


def test_time_left_after_the_first_summary(browser: Any, served: Seat) -> None:
    """And a double click on the button finishes one summary, not the next one too."""
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        press(page, "1 2 3 4")
        page.locator("#finish").dblclick()
        page.locator("#progress-text", has_text="1 of 6 · about").wait_for()
        assert page.get_by_text("Still to answer").count() == 0


def test_reload_in_the_middle(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        press(page, "1 2 3 4 Enter 5 2")
        before = page.locator(".summary").inner_text()
        page.reload()
        page.locator("#finish").wait_for()
        assert page.locator(".summary").inner_text() == before
        assert chosen(page) == ["5", "2", None, None]
        settled(page)
    assert len(served.answers()) == 2


def rated_in_a_lost_tab(visitor: Visitor, served: Seat, keys: str) -> Any:
    """A new tab, after another was closed before any of its answers had reached the server."""
    visitor.expected = ("ERR_FAILED",)
    page = visitor.enter(served, "ada")
    page.route("**/api/assignments/*", lambda route: route.abort())
    press(page, keys)
    page.locator("#state", has_text="Offline").wait_for()
    page.close(run_before_unload=False)
    return visitor.page()


def hold_first(held: list[Any]) -> Callable[[Any], None]:
    """A handler that holds the first request up, for the test to let it go on."""
    return lambda route: route.continue_() if held else held.append(route)


def test_an_answer_stored_while_its_page_is_on_the_way_is_shown(browser: Any, served: Seat) -> None:
    """The server read the page before it had the answer, and the page comes after the answer was acknowledged."""
    with visiting(browser) as visitor:
        page = rated_in_a_lost_tab(visitor, served, "5 2")
        saves: list[Any] = []
        reads: list[Any] = []
        page.route("**/api/assignments/*", hold_first(saves))
        page.route("**/api/pages/*", hold_first(reads))
        page.goto(f"{served.url}/work", wait_until="commit")
        eventually(page, lambda: bool(saves and reads))
        before = reads[0].fetch()
        saves[0].continue_()
        settled(page)
        reads[0].fulfill(response=before)
        page.locator("#finish").wait_for()
        assert chosen(page) == ["5", "2", None, None]
        press(page, "3")
        settled(page)
        assert page.locator(".conflict").count() == 0
    assert len(served.answers()) == 1


def read_again(visitor: Visitor, served: Seat) -> tuple[Any, Any]:
    """A page after the lead has changed something, and the request for its new state, which is held up."""
    states: list[Any] = []
    reads: list[Any] = []

    def changed(route: Any) -> None:
        states.append(route)
        route.fulfill(json={"stage": len(states)})

    visitor.context.route("**/api/state", changed)
    page = visitor.enter(served, "ada")
    read_ahead(page)
    eventually(page, lambda: bool(states))
    page.route("**/api/pages/*", hold_first(reads))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    eventually(page, lambda: bool(reads))
    return page, reads[0]


def test_keys_count_while_the_page_is_read_again(browser: Any, served: Seat) -> None:
    """What is pressed until the page is there again stays, and so does the place."""
    with visiting(browser) as visitor:
        page, read = read_again(visitor, served)
        press(page, "1 2 3 4 Enter 5")
        page.locator("#finish").evaluate("node => { node.dataset.old = 'yes'; }")
        read.continue_()
        page.locator("#finish[data-old]").wait_for(state="detached")
        page.locator("#finish:not([data-old])").wait_for()
        page.locator("fieldset.question input:checked").first.wait_for(state="attached")
        assert chosen(page) == ["5", None, None, None]
        press(page, "2")
        settled(page)
    assert [row["answer"]["values"] for row in served.answers()] == [
        {"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4},
        {"coherence": 5, "consistency": 2},
    ]


def test_answers_stored_one_by_one_while_the_page_is_read_again_are_no_conflict(browser: Any, served: Seat) -> None:
    """The page on the desk knows of what was stored, also while the page that is to take its place is on its way."""
    with visiting(browser) as visitor:
        page, read = read_again(visitor, served)
        for key in "123":
            press(page, key)
            settled(page)
        read.continue_()
    assert [row["answer"]["values"] for row in served.answers()] == [{"coherence": 1, "consistency": 2, "fluency": 3}]


def test_backspace_goes_back(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        press(page, "1 2 3 4 Enter")
        assert chosen(page) == [None] * 4
        press(page, "Backspace")
        assert chosen(page) == ["1", "2", "3", "4"]
        assert page.locator(".question.active legend").inner_text() == "Relevance"
        press(page, "5 Backspace Backspace 1")
        assert chosen(page) == ["1", "2", "1", "5"]
        settled(page)
    values = served.answers()[0]["answer"]["values"]
    assert [values[name] for name in FOUR] == [1, 2, 1, 5]


def test_enter_says_what_is_missing(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        press(page, "3 Enter")
        page.get_by_text("Still to answer: Consistency, Fluency, Relevance").wait_for()
        assert page.locator(".question.active legend").inner_text() == "Consistency"
        press(page, "2 2 2 Enter")
        assert chosen(page) == [None] * 4


def test_digits_off_the_scale_and_in_comments_rate_nothing(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        press(page, "0 6 9 x")
        assert chosen(page) == [None] * 4
        page.locator("#comment").fill("<b>12</b> \u202e?")
        press(page, "3 Backspace Enter")
        assert chosen(page) == [None] * 4
        eventually(page, lambda: [row["answer"]["comment"] for row in served.answers()] == ["<b>12</b> \u202e?\n"])
        settled(page)
    (row,) = served.answers()
    assert row["answer"]["comment"] == "<b>12</b> \u202e?\n"
    assert row["answer"]["values"] == {}


def test_a_comment_nobody_wrote_is_empty(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        press(page, "1 1 1 1 Enter")
        settled(page)
    assert served.answers()[0]["answer"]["comment"] == ""


def test_offline_and_back(browser: Any, served: Seat) -> None:
    """Edits wait in the browser, through to the next dialogue, and arrive when the connection is back."""
    with visiting(browser) as visitor:
        visitor.expected = ("ERR_INTERNET_DISCONNECTED",)
        page = visitor.enter(served, "ada")
        read_ahead(page)
        visitor.context.set_offline(True)
        press(page, "1 2 3 4 Enter 2 2 2 2 Enter 3 3 3 3 Enter 4")
        page.locator("#state", has_text="Offline: 4 kept in this browser").wait_for()
        page.locator("text=dialogue 2 of 2").wait_for()
        assert served.answers() == []
        visitor.context.set_offline(False)
        settled(page)
    assert [row["complete"] for row in served.answers()].count(True) == 3
    assert len(served.answers()) == 4


def test_a_dialogue_that_could_not_be_read_ahead_is_asked_for_again(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        visitor.expected = ("ERR_FAILED", "ERR_INTERNET_DISCONNECTED")
        asked: list[str] = []
        refused: list[str] = []

        def refuse_a_second_dialogue(route: Any) -> None:
            asked.append(route.request.url)
            new = route.request.url != asked[0]
            if new and time.monotonic() < until:
                refused.append(route.request.url)
                route.abort()
            else:
                route.continue_()

        until = time.monotonic() + 60
        visitor.context.route("**/api/pages/*", refuse_a_second_dialogue)
        page = visitor.enter(served, "ada")
        eventually(page, lambda: bool(refused))
        until, before = 0.0, len(asked)
        eventually(page, lambda: refused[0] in asked[before:])
        page.wait_for_load_state("networkidle")
        visitor.context.set_offline(True)
        press(page, "1 2 3 4 Enter 2 2 2 2 Enter 3 3 3 3 Enter 4")
        page.locator("text=dialogue 2 of 2").wait_for()
        visitor.context.set_offline(False)
        settled(page)


def test_a_tab_closed_offline_loses_nothing(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = rated_in_a_lost_tab(visitor, served, "1 2 3 4")
        page.goto(f"{served.url}/work")
        page.locator("#finish").wait_for()
        settled(page)
    (row,) = served.answers()
    assert [row["answer"]["values"][name] for name in FOUR] == [1, 2, 3, 4]


def test_a_lost_answer_is_asked_for_again_and_counted_once(browser: Any, served: Seat) -> None:
    """The server has stored the rating, the answer is lost on the way: the same key again, one event, no conflict."""
    with visiting(browser) as visitor:
        visitor.expected = ("ERR_FAILED",)
        page = visitor.enter(served, "ada")
        keys: list[str] = []

        def lose(route: Any) -> None:
            keys.append(route.request.post_data_json["key"])
            route.fetch()
            route.abort() if len(keys) == 1 else route.continue_()

        page.route("**/api/assignments/*", lose)
        press(page, "4")
        page.locator("#state", has_text="Offline").wait_for()
        settled(page)
        assert len(keys) == 2
        assert len(set(keys)) == 1
        page.unroute("**/api/assignments/*")
        press(page, "3")
        settled(page)
        assert page.locator(".conflict").count() == 0
    assert events(served) == 2
    assert served.answers()[0]["answer"]["values"] == {"coherence": 4, "consistency": 3}


@pytest.mark.parametrize(("button", "value"), [("Keep the answer here", 2), ("Use the saved answer", 5)])
def test_two_tabs_show_a_conflict(browser: Any, served: Seat, button: str, value: int) -> None:
    with visiting(browser) as visitor:
        visitor.expected = ("409",)
        first = visitor.enter(served, "ada")
        second = visitor.page()
        second.goto(first.url)
        second.locator("#finish").wait_for()
        press(first, "5")
        settled(first)
        press(second, "2")
        conflict = second.locator(".conflict")
        conflict.wait_for()
        cells = conflict.locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells == ["2", "5"]
        assert second.locator("#state").inner_text() == "Conflict in 1"
        press(second, "1")
        assert served.answers()[0]["answer"]["values"] == {"coherence": 5}, "a conflict is not resolved by itself"
        second.reload()
        second.locator(".conflict").wait_for()
        second.get_by_role("button", name=button).click()
        settled(second)
        assert chosen(second)[0] == str(value)
        press(second, "4")
        settled(second)
        assert second.locator(".conflict").count() == 0
    # The focus went to the first question that was open.
    assert served.answers()[0]["answer"]["values"] == {"coherence": value, "consistency": 4}


def test_text_in_angle_brackets_is_shown(browser: Any, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)> <file_video> &amp; <script>alert(2)</script>"
    corpus = Corpus.build([Dialogue("d", (Turn("<b>A</b>", evil),))], [Summary("d", "zebra-9b", evil)])
    with serve(section(title=evil), corpus, tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        assert page.locator(".said").inner_text() == evil
        assert page.locator(".summary").inner_text() == evil
        assert page.locator(".speaker").inner_text() == "<b>A</b>"
        assert page.locator(".bar h1").inner_text() == evil
        assert page.locator("main img, main script").count() == 0


def test_chinese_interface(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        page.get_by_label("Language").select_option("zh")
        page.get_by_role("button", name="保存并继续").wait_for()
        assert page.evaluate("document.documentElement.lang") == "zh-Hans"
        press(page, "3 Enter")
        page.get_by_text("尚未回答：Consistency, Fluency, Relevance").wait_for()
        press(page, "3 3 3 Enter")
        settled(page)
        page.get_by_label("语言").select_option("en")
        page.get_by_role("button", name="Save and next").wait_for()


def long_corpus() -> Corpus:
    turns = tuple(Turn("Nora" if n % 2 else "Sam", f"Turn {n}. " + "It goes on and on. " * 4) for n in range(60))
    return Corpus.build(
        [Dialogue("long", turns)], [Summary("long", name, "A long summary it is. " * 80) for name in SYSTEMS[:2]]
    )


def test_scales_stay_in_view_at_1366(browser: Any, tmp_path: Path) -> None:
    """However long dialogue and summary are, all scales and the buttons stand in the window; the page never scrolls."""
    with serve(section(), long_corpus(), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        for node in [*page.locator(".question").all(), page.locator("#finish"), page.locator("#comment")]:
            box = node.bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= DESKTOP["height"]
        scroll = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
        assert scroll == [DESKTOP["height"], DESKTOP["width"]]
        assert page.locator(".text").evaluate("node => node.scrollHeight > node.clientHeight")
        scales = page.locator(".scales")
        assert scales.evaluate("node => node.scrollHeight <= node.clientHeight"), "the scales scroll"
        page.locator(".text").evaluate("node => node.scrollTo({top: 700, behavior: 'instant'})")
        press(page, "1 2 3 4 Enter")
        assert chosen(page) == [None] * 4
        assert page.locator(".text").evaluate("node => node.scrollTop") == 700, "the dialogue stays where it was read"


def test_by_touch_on_a_phone(browser: Any, served: Seat) -> None:
    with visiting(browser, viewport=PHONE, has_touch=True, is_mobile=True) as visitor:
        page = visitor.enter(served, "ada")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        for question in page.locator(".question").all():
            point = question.locator(".point").nth(3)
            point.tap()
            assert point.bounding_box()["height"] >= 36
            assert page.locator(".turn").first.is_visible(), "the dialogue stays in view"
        assert chosen(page) == ["4"] * 4
        page.locator("#finish").tap()
        page.locator(".strip button").nth(1).and_(page.locator("[aria-current]")).wait_for()
        settled(page)
    assert served.answers()[0]["complete"]


def test_pause_stops_the_clock(browser: Any, served: Seat) -> None:
    with visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        start = time.monotonic()
        press(page, "1")
        settled(page)
        before = served.answers()[0]["active_ms"]
        page.get_by_role("button", name="Pause").click()
        page.wait_for_timeout(1500)
        press(page, "5")
        page.get_by_role("button", name="Resume").click()
        press(page, "2")
        settled(page)
        elapsed = 1000 * (time.monotonic() - start)
        assert served.answers()[0]["active_ms"] - before <= elapsed - 1500
    assert served.answers()[0]["answer"]["values"] == {"coherence": 1, "consistency": 2}


def test_a_visible_default_is_logged_as_one(browser: Any, tmp_path: Path) -> None:
    """A single sentence gets coherence 4 by the rule; it is shown as such and can be changed."""
    rule = {"value": 4.0, "note": "a single sentence gets 4."}
    dimensions = [dimension("coherence", default=rule), dimension("fluency")]
    with serve(section(dimensions=dimensions), english(1), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        for number in range(3):
            page.locator(".strip button").nth(number).click()
            if page.locator(".rule:visible").count():
                break
        assert "a single sentence gets 4." in page.locator(".rule").first.inner_text()
        assert chosen(page) == ["4", None]
        page.locator(".question").nth(1).locator(".point").nth(1).click()
        settled(page)
        (row,) = served.answers()
        assert row["answer"]["by_default"] == ["coherence"]
        assert row["complete"]
        page.locator(".question").first.locator(".point").nth(1).click()
        settled(page)
        assert page.locator(".rule:visible").count() == 0
    (row,) = served.answers()
    assert row["answer"]["values"] == {"coherence": 2, "fluency": 2}
    assert row["answer"]["by_default"] == []


def test_no_byte_names_a_system_or_another_annotator(browser: Any, tmp_path: Path) -> None:
    """Everything that the server sends to an annotator's browser, and all that the browser keeps."""
    received: list[tuple[str, str]] = []

    def read(route: Any) -> None:
        response = route.fetch(max_redirects=0)
        received.append((response.url, json.dumps(response.headers) + response.text()))
        route.fulfill(response=response)

    with serve(section(), english(), tmp_path) as served, visiting(browser) as visitor:
        visitor.context.route("**/*", read)
        page = visitor.page()
        page.goto(served.link("ada"))
        page.locator("main button[type=submit]").click()
        for _ in range(6):
            fresh(page)
            press(page, "1 2 3 4 Enter")
        page.locator("#notice").wait_for()
        page.goto(f"{served.url}/guidelines", wait_until="networkidle")
        visitor.context.unroute_all(behavior="wait")
        kept = page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie")
    assert len([url for url, _ in received if "/api/assignments/" in url]) >= 6
    for url, text in [*received, ("the browser's storage", kept)]:
        for name in (*SYSTEMS, "human", "call-0", '"bo"'):
            assert name not in url + text, f"{name} reached the annotator in {url}"
