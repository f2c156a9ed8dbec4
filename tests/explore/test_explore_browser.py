"""The explorer in a real browser: nothing on the console, nothing for axe-core to find, nothing that runs."""

import re
from typing import Any

import pytest

from tests.page_checks import DESKTOP, PHONE, violations

#: Looked at in every way.
MAIN = {"overview": "/", "dialogue": "/dialogue?id=banking-01"}
#: Made from the same parts: looked at once.
OTHERS = {
    "answer": "/?question=unnoticed&perturbation=typos&metric=rouge-1",
    "summary": "/dialogue?id=banking-01&system=glib",
    "metric": "/metric?name=rouge-1",
    "system": "/system?name=glib",
}


@pytest.mark.browser
@pytest.mark.parametrize(
    ("viewport", "scheme", "pages"),
    [(DESKTOP, "light", MAIN), (DESKTOP, "dark", MAIN), (PHONE, "light", MAIN | OTHERS), (PHONE, "dark", MAIN)],
    ids=["desktop-light", "desktop-dark", "phone-light", "phone-dark"],
)
def test_pages_are_clean(
    served: str, browser: Any, viewport: dict[str, int], scheme: str, pages: dict[str, str]
) -> None:
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    for name, path in pages.items():
        page.goto(served + path)
        assert violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], f"{name} scrolls sideways"
        assert page.locator("img").count() == 0
    context.close()
    assert complaints == []


@pytest.mark.browser
def test_a_question_leads_to_the_very_words_without_scripts(served: str, browser: Any) -> None:
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)
    page = context.new_page()
    page.goto(served)
    page.get_by_label("Perturbation", exact=True).select_option("typos")
    page.locator("form", has_text="did a metric miss").get_by_role("button", name="Show").click()
    page.locator("article.found a").first.click()
    page.wait_for_load_state()  # a click waits for the next page to begin, not for what it holds
    assert "system=" in page.url
    assert page.url.endswith("#variant-typos-overall")
    target = page.locator("article:target")
    assert target.locator("del").count() > 0
    assert target.locator("ins").count() > 0
    assert page.locator(".feeling").count() > 0
    page.get_by_role("link", name="Hide affect").click()
    page.get_by_role("link", name="Mark affect").wait_for()
    assert page.locator(".feeling").count() == 0
    page.get_by_role("link", name="All summaries").click()
    page.get_by_role("link", name="ter", exact=True).first.click()
    page.locator("th[aria-sort]", has_text=re.compile("^ter")).wait_for()
    context.close()
