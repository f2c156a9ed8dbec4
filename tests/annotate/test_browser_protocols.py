"""Every protocol once from end to end in a real browser, by the people who take part in it."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from dialgauge.annotate import AnnotateSection
from tests.annotate.annotate_browser import (
    FOUR,
    Served,
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


def ready(name: str, **settings: Any) -> AnnotateSection:
    """A ready protocol with what a small study changes of it."""
    return AnnotateSection.model_validate({"protocol": name, "annotators": ["ada", "bo"], **settings})


def values(served: Served, person: str) -> list[dict[str, Any]]:
    return [row["answer"]["values"] for row in served.answers() if row["name"] == person]


def done(page: Any) -> None:
    page.get_by_role("heading", name="All done. Thank you!").wait_for()


def test_dialsummeval(browser: Any, tmp_path: Path) -> None:
    """Everyone rates everything, references too, on four scales; a single sentence gets coherence 4 unless changed."""
    with serve(ready("dialsummeval"), english(1), tmp_path) as served:
        for person in ("ada", "bo"):
            with visiting(browser) as visitor:
                page = visitor.enter(served, person)
                ruled = 0
                for _ in range(4):
                    if page.locator(".rule:visible").count():
                        ruled += 1
                        page.locator(".question").nth(1).locator(".point").nth(1).click()
                        press(page, "2 2 2 Enter")
                    else:
                        press(page, "2 2 2 2 Enter")
                done(page)
                assert ruled == 1
        for person in ("ada", "bo"):
            assert sorted(value["coherence"] for value in values(served, person)) == [2, 2, 2, 4]
            assert all(sorted(value) == sorted(FOUR) for value in values(served, person))


def test_csds(browser: Any, tmp_path: Path) -> None:
    """Sentences of reference and summary side by side, a pilot, the lead's decision at the gate, then the split."""
    pilot = {"dialogues": 1, "threshold": 0.41, "below": "ask", "reached": "ask"}
    with serve(ready("csds", pilot=pilot), english(3), tmp_path) as served:
        for person, key in (("ada", "2"), ("bo", "1")):
            with visiting(browser) as visitor:
                page = visitor.enter(served, person)
                assert page.locator(".turn").count() == 0, "the dialogue is not shown"
                assert page.locator(".text .sentence").count() == 2
                assert page.locator(".card").count() == 3
                for number in range(3):
                    page.locator(".strip button").nth(number).and_(page.locator("[aria-current]")).wait_for()
                    for _ in range(page.locator("fieldset.question").count()):
                        page.keyboard.press(key)
                    press(page, "Enter")
                page.get_by_role("heading", name="The pilot is done").wait_for()
        with visiting(browser) as visitor:
            lead = visitor.enter(served, "lead")
            lead.get_by_role("link", name="Pilot gate").first.click()
            lead.get_by_text("The agreement is below the threshold.").wait_for()
            lead.get_by_label("Reason").fill("We spoke about it.")
            lead.get_by_role("button", name="Continue").click()
            lead.get_by_text("Decided: Continue.").wait_for()
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            page.locator(".strip", has_text="Main part").wait_for()
            before = page.locator("#progress-text").inner_text()
    assert before.startswith("3 of 6"), "one of the two dialogues that are left is mine"


def test_contact_centre(browser: Any, tmp_path: Path) -> None:
    """Training with feedback first, then 1 to 7 with labels, k of n annotators per item, and attention checks."""
    protocol = ready(
        "contact-centre", annotators=["ada", "bo", "cy"], assignment={"annotators_per_item": 2}, checks={"every": 2}
    )
    with serve(protocol, english(3), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        verdicts = []
        for _ in range(3):
            page.locator(".strip", has_text="Training").wait_for()
            press(page, "7 7")
            page.locator("#state", has_text="Not sent yet: 1").wait_for()
            assert page.locator(".feedback").count() == 0, "feedback comes with Enter, not before"
            press(page, "Enter")
            page.locator(".feedback").wait_for()
            verdicts.append(page.locator(".feedback h3").inner_text())
            press(page, "Enter")
            page.locator(".feedback").wait_for(state="detached")
        assert verdicts == ["Correct", "Not quite: please look again", "Not quite: please look again"]
        page.get_by_role("heading", name="The training is done").wait_for()
        with visiting(browser) as other:
            lead = other.enter(served, "lead")
            lead.get_by_role("link", name="Annotators").click()
            lead.get_by_role("button", name="Admit despite failed training: ada").click()
            lead.get_by_text("Done.").wait_for()
        page.get_by_role("button", name="Check again").click()
        page.locator(".strip", has_text="Main part").wait_for()
        assert page.locator(".question").first.locator(".anchor").all_inner_texts()[0] == "Extremely bad"
        checks = 0
        while page.locator("#notice").count() == 0:
            checks += "choose" in page.locator(".summary").inner_text().lower()
            press(page, "3 3 Enter")
            page.locator("#notice, fieldset.question:not(:has(input:checked))").first.wait_for()
        done(page)
        assert checks >= 2
        with visiting(browser) as other:
            lead = other.enter(served, "lead")
            lead.get_by_text("Failed attention checks").first.wait_for()


def test_pairwise(browser: Any, tmp_path: Path) -> None:
    with serve(section(task="compare", dimensions=[dimension("relevance")]), english(1), tmp_path) as served:
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            assert page.locator(".choice").count() == 2
            press(page, "1 Enter 2 Enter 3 Enter")
            done(page)
        assert [value["relevance"] for value in values(served, "ada")] == ["1", "2", "tie"]


def test_how_much_better_and_which_tie(browser: Any, tmp_path: Path) -> None:
    """One scale from the first summary to the second with ties in its middle; each answer has a key, seen on a phone
    as buttons of two columns.
    """
    asked = {"ties": ["both-good", "both-bad"], "strengths": ["slightly better", "clearly better"]}
    protocol = section(task="compare", dimensions=[dimension("relevance")], **asked)
    with serve(protocol, english(1), tmp_path) as served:
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            faces = page.locator(".point .digit").all_inner_texts()
            assert [face[0] for face in faces] == list("123456"), "each shows its key"
            assert page.get_by_role("radio", name="Summary 2: clearly better", exact=True).count() == 1
            boxes = [point.bounding_box() for point in page.locator(".point").all()]
            assert len({box["y"] for box in boxes}) == 1, "one row on a laptop"
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                page.reload()  # no colour is on its way
                page.locator(".point").first.wait_for()
                assert violations(page) == []
            page.set_viewport_size(PHONE)
            boxes = [point.bounding_box() for point in page.locator(".point").all()]
            assert len({box["x"] for box in boxes}) == 2
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert violations(page) == []
            page.set_viewport_size(DESKTOP)
            press(page, "2 Enter 6 Enter 4 Enter")
            done(page)
        given = [value["relevance"] for value in values(served, "ada")]
        assert given == ["1:slightly better", "2:clearly better", "both-bad"]


def test_feedback_on_how_much_better(browser: Any, tmp_path: Path) -> None:
    """Which one is better is known, not by how much; any kind of tie is a tie."""
    texts = {"transcript": "A: Hi", "summaries": ["A says hi.", "A says hi twice."]}
    items = [{**texts, "expected": {"relevance": 1}}, {**texts, "expected": {"relevance": "tie"}}]
    asked = {"ties": ["both-bad"], "strengths": ["slightly", "clearly"], "training": {"items": items}}
    protocol = section(task="compare", dimensions=[dimension("relevance")], **asked)
    with serve(protocol, english(1), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        first = page.locator(".choice").first.inner_text().endswith("hi.")
        press(page, f"{2 if first else 4} Enter")
        page.locator(".feedback .right").wait_for()
        assert page.locator(".feedback td").first.inner_text() == f"{1 if first else 2}: slightly"
        press(page, "Enter")
        page.locator(".feedback").wait_for(state="detached")
        press(page, "3 Enter")
        page.locator(".feedback .right").wait_for()
        assert page.locator(".feedback td").first.inner_text() == "Both are bad"


def test_errors_in_a_pair(browser: Any, tmp_path: Path) -> None:
    """In a candidate the text says whose error it is; for what the dialogue has, the page asks."""
    protocol = section(task="compare", dimensions=[dimension("relevance")], spans={"severities": ["minor", "major"]})
    with serve(protocol, english(1, 2), tmp_path) as served, visiting(browser) as visitor:
        page = visitor.enter(served, "ada")
        page.locator(".choice .markable").nth(1).focus()
        press(page, "ArrowRight 2 1")
        page.locator(".marks li", has_text="Summary 2").wait_for()
        page.locator(".turn .markable").first.focus()
        press(page, "ArrowRight 4 2")
        page.get_by_text("Which summary has this error").wait_for()
        press(page, "1 1 Enter")
        done(page)
    (row,) = [row for row in served.answers() if row["name"] == "ada"]
    found = [(span["type"], span["severity"], span["in"], span["summary"]) for span in row["answer"]["spans"]]
    assert found == [("wrong reference", "minor", "summary", 2), ("omission", "major", "dialogue", 1)]
    assert row["answer"]["values"] == {"relevance": "1"}


def test_best_worst(browser: Any, tmp_path: Path) -> None:
    protocol = section(task="best-worst", candidates=3, dimensions=[dimension("relevance")])
    with serve(protocol, english(1), tmp_path) as served:
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            assert page.locator(".choice").count() == 3
            press(page, "2 2")
            assert page.locator(".question").first.locator("input:checked").count() == 0, "best and worst differ"
            press(page, "Enter")
            page.get_by_text("Still to answer: Relevance: best").wait_for()
            press(page, "3 Enter")
            done(page)
        assert values(served, "ada") == [{"relevance": {"best": 3, "worst": 2}}]


def test_spans(browser: Any, tmp_path: Path) -> None:
    """Errors marked with the pointer in the summary and with the keyboard in the dialogue, and one taken back."""
    with serve(section(spans={}, dimensions=[]), english(1, 1), tmp_path) as served:
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            word = page.locator(".summary .word", has_text="Leeds").first
            word.dblclick()
            page.get_by_role("button", name="wrong reference").click()
            assert page.locator(".summary mark").all_inner_texts() == ["Leeds"]
            page.locator(".turn .markable").nth(1).focus()
            press(page, "ArrowRight Shift+ArrowRight 4")
            assert page.locator(".marks li").count() == 2
            assert page.locator(".turn mark").all_inner_texts() == ["I", " ", "am"]
            page.locator(".summary .word", has_text="tomorrow").first.dblclick()
            page.locator(".kinds button:enabled").first.wait_for()
            press(page, "1")
            assert page.locator(".marks li").count() == 3
            page.get_by_role("button", name="Remove the mark on tomorrow").click()
            assert page.locator(".summary mark").all_inner_texts() == ["Leeds"]
            page.locator("#finish").click()
            done(page)
        (row,) = [row for row in served.answers() if row["name"] == "ada"]
        first, second = row["answer"]["spans"]
        text = english(1, 1).summaries["text"][0]
        assert (first["type"], first["in"], first["turn"]) == ("wrong reference", "summary", None)
        assert text[first["start"] : first["end"]] == "Leeds"
        assert (second["type"], second["in"], second["turn"]) == ("omission", "dialogue", 1)


def test_yes_no_and_slider(browser: Any, tmp_path: Path) -> None:
    classes = {"name": "error", "kind": "nominal", "labels": ["none", "a person", "a number"]}
    dimensions = [dimension("faithful", scale="yes/no"), dimension("overall", scale="0-100"), classes]
    with serve(section(dimensions=dimensions), english(1, 2), tmp_path) as served:
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            assert page.locator(".slide.unset").count() == 1
            press(page, "n Enter")
            page.get_by_text("Still to answer: Overall").wait_for()
            press(page, "7 3 Enter 2")
            assert page.locator(".named input:checked + .digit").inner_text().endswith("a person")
            press(page, "Enter")
            page.locator(".strip button").nth(1).and_(page.locator("[aria-current]")).wait_for()
            press(page, "y")
            page.locator("input[type=range]").click()
            assert page.locator("input[type=number]").input_value() == "50"
            page.locator("input[type=range]").press("ArrowRight")
            page.get_by_role("radio", name="none", exact=True).check()
            page.locator("#finish").click()
            done(page)
        assert values(served, "ada") == [
            {"faithful": 0, "overall": 73, "error": 2},
            {"faithful": 1, "overall": 51, "error": 1},
        ]


def test_one_dimension_per_pass(browser: Any, tmp_path: Path) -> None:
    protocol = section(passes="one-dimension", dimensions=[dimension("fluency"), dimension("relevance")])
    with serve(protocol, english(1, 2), tmp_path) as served:
        with visiting(browser) as visitor:
            page = visitor.enter(served, "ada")
            assert page.locator("legend").all_inner_texts() == ["Fluency"]
            assert "pass 1 of 2" in page.locator(".strip").inner_text()
            press(page, "2 Enter 2 Enter")
            page.locator("legend", has_text="Relevance").wait_for()
            press(page, "5 Enter 5 Enter")
            done(page)
        assert sorted(values(served, "ada"), key=str) == [{"fluency": 2}] * 2 + [{"relevance": 5}] * 2


def test_writing_and_review(browser: Any, tmp_path: Path) -> None:
    with serve(section(task="write", dimensions=[]), english(2), tmp_path) as served:
        texts = {"ada": "Nora wants her parcel <now>.", "bo": "Sam sends the parcel again."}
        pages = {}
        visitors = [visiting(browser), visiting(browser)]
        with visitors[0] as first, visitors[1] as second:
            for person, visitor in (("ada", first), ("bo", second)):
                page = pages[person] = visitor.enter(served, person)
                press(page, "Enter")
                area = page.get_by_label("Your summary")
                area.fill(texts[person])
                assert "characters" in page.locator(".writing .soft").inner_text()
                press(page, "Control+Enter")
                settled(page)
            written = [row["answer"]["text"] for row in served.answers() if row["answer"]["text"]]
            assert sorted(written) == sorted(texts.values())
            page = pages["ada"]
            page.goto(f"{served.url}/work")
            page.locator(".strip", has_text="Review").wait_for()
            assert page.locator(".summary").inner_text() == texts["bo"]
            press(page, "0")
            page.get_by_label("Improved text").fill("Sam has the parcel sent again.")
            page.locator("#comment").fill("Say who.")
            page.locator("#finish").click()
            done(page)
            page = pages["bo"]
            page.goto(f"{served.url}/work")
            page.locator("#finish, #notice").first.wait_for()
            page.locator(".strip", has_text="Review").wait_for()
            press(page, "1 Enter")
            done(page)
            page.get_by_role("button", name="View my answers").click()
            page.get_by_text("The reviewer asks for changes").wait_for()
            page.get_by_text("Sam has the parcel sent again.").wait_for()


def test_adjudication(browser: Any, tmp_path: Path) -> None:
    """What two annotators rate far apart comes to a third, with both ratings and no names."""
    with serve(section(dimensions=[dimension("relevance")]), english(1, 2), tmp_path) as served:
        for person, first in (("ada", 1), ("bo", 5)):
            served.rate(person, {"relevance": first}, {"relevance": 3})
        with visiting(browser) as visitor:
            lead = visitor.enter(served, "lead")
            lead.get_by_role("link", name="Annotators").click()
            lead.get_by_label("Name", exact=True).fill("cy")
            lead.get_by_label("Role").select_option("adjudicator")
            lead.get_by_role("button", name="Add").click()
            link = lead.get_by_label("Link for cy").input_value()
            assert link.startswith(f"{served.url}/enter/")
            lead.get_by_role("link", name="Disagreements").first.click()
            lead.get_by_label("Adjudicator").select_option("cy")
            lead.get_by_role("button", name="Assign").click()
            lead.get_by_text("items assigned").wait_for()
        with visiting(browser) as visitor:
            page = visitor.page()
            page.goto(link)
            page.get_by_role("button", name="Start").click()
            page.locator(".strip", has_text="Adjudication").wait_for()
            note = page.locator(".raters").first.inner_text()
            assert note.startswith("Annotators gave:")
            assert not {"ada", "bo"} & set(note.replace(":", " ").split())
            while page.locator("#notice").count() == 0:
                press(page, "4 Enter")
                page.locator("#notice, fieldset.question:not(:has(input:checked))").first.wait_for()
            done(page)
        assert {value["relevance"] for value in values(served, "cy")} == {4}


def test_what_the_lead_types_while_the_page_is_read_again_stays(browser: Any, tmp_path: Path) -> None:
    """An annotator has rated something: the page is drawn anew, but not over a field that was filled in meanwhile."""
    with serve(section(), english(1), tmp_path) as served, visiting(browser) as visitor:
        often = files("dialgauge.annotate").joinpath("static", "lead.js").read_text("utf-8").replace("10_000", "50")
        assert "EVERY_MS = 50;" in often
        visitor.context.route("**/lead.js", lambda route: route.fulfill(body=often, content_type="text/javascript"))
        lead = visitor.enter(served, "lead")
        lead.get_by_role("link", name="Annotators").click()
        name = lead.get_by_label("Name", exact=True)
        name.wait_for()
        held: list[Any] = []
        lead.route("**/api/lead/dashboard", lambda route: route.continue_() if held else held.append(route))
        served.rate("ada", dict.fromkeys(FOUR, 3))
        eventually(lead, lambda: bool(held))
        name.fill("cy")
        held[0].continue_()
        lead.get_by_role("heading", name="Annotators").click()  # the hands are off the field, but it is filled in
        lead.wait_for_timeout(300)
        assert name.input_value() == "cy"
        name.fill("")
        lead.get_by_role("heading", name="Annotators").click()
        lead.get_by_role("cell", name="1 / 3").first.wait_for()


def test_the_ready_protocols_are_what_was_tested() -> None:
    """The tests above take the shipped files: all of them, and no other."""
    names = sorted(path.name for path in files("dialgauge.annotate").joinpath("examples").iterdir())
    assert names == ["contact-centre.toml", "csds.toml", "dialsummeval.toml"]
    for name in names:
        text = files("dialgauge.annotate").joinpath("examples", name).read_text("utf-8")
        assert tomllib.loads(text)["annotate"]["annotators"]
