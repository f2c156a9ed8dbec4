"""Span edits, drafts and what is tidied around them."""

import pytest
from hypothesis import given, strategies as st

from dialgauge.perturb import Edit, outline
from dialgauge.perturb._edits import Draft, apply_edits
from dialgauge.perturb._tidy import takes_an, tidy


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text with edits that do not overlap."""
    text = draw(st.text(alphabet="ab ,.A\n", max_size=30))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, [Edit(start, end, draw(st.text(alphabet="xy ,.", max_size=4))) for start, end in pairs]


@given(edited())
def test_a_draft_tells_what_it_did(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    draft = Draft(text, edits)
    assert draft.result == apply_edits(text, edits)
    assert apply_edits(text, draft.edits) == draft.result


@given(edited(), st.data())
def test_a_draft_that_is_changed_further_still_tells_what_it_did(
    case: tuple[str, list[Edit]], data: st.DataObject
) -> None:
    text, edits = case
    draft = Draft(text, edits)
    for _ in range(3):
        start = data.draw(st.integers(0, len(draft.result)))
        end = data.draw(st.integers(start, len(draft.result)))
        replacement = data.draw(st.text(alphabet="uv", max_size=2))
        wanted = draft.result[:start] + replacement + draft.result[end:]
        draft.change(start, end, replacement)
        assert draft.result == wanted
        assert apply_edits(text, draft.edits) == wanted


@given(edited())
def test_tidying_tells_what_it_did(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    draft = Draft(text, edits)
    tidy(draft, outline(text))
    assert apply_edits(text, draft.edits) == draft.result


@pytest.mark.parametrize("edits", [[Edit(0, 3), Edit(2, 4)], [Edit(0, 9)], [Edit(3, 2)], [Edit(-1, 1)]])
def test_edits_that_overlap_or_leave_the_text_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps another edit or lies outside a text of 5 characters"):
        apply_edits("abcde", edits)


@pytest.mark.parametrize(
    ("text", "gone", "wanted"),
    [
        ("An old car stopped.", "old ", "A car stopped."),
        ("An old car stopped.", "old", "A car stopped."),
        ("The van stopped suddenly.", "suddenly", "The van stopped."),
        ("Suddenly, the van stopped.", "Suddenly", "The van stopped."),
        ("One. Suddenly it rained.", "Suddenly", "One. It rained."),
        ("The van ( red ) stopped .", "red", "The van () stopped ."),
        ("The van stopped here .", "here", "The van stopped ."),
        ("Ivo, tired, left.", "tired", "Ivo, left."),
        ("Line one\nand two", "and", "Line one\ntwo"),
    ],
)
def test_a_deletion_is_tidied(text: str, gone: str, wanted: str) -> None:
    start = text.index(gone)
    draft = Draft(text, [Edit(start, start + len(gone))])
    tidy(draft, outline(text))
    assert draft.result == wanted


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"),
    [
        ("It was an easy hour.", "easy", "hard", "It was a hard hour."),
        ("It was a hard hour.", "hard ", "", "It was an hour."),
        ("A cat ate a egg.", "cat", "owl", "An owl ate a egg."),
        ("grade A pupils won", "pupils", "owls", "grade A owls won"),
        ("up a is down", "is", "are", "up a are down"),
        ("She saw a dog", "dog", "unicorn", "She saw a unicorn"),
    ],
)
def test_articles_are_repaired_where_an_edit_touches_them_and_nowhere_else(
    text: str, old: str, new: str, wanted: str
) -> None:
    start = text.index(old)
    draft = Draft(text, [Edit(start, start + len(old), new)])
    tidy(draft, outline(text))
    assert draft.result == wanted


@pytest.mark.parametrize(
    "word",
    [
        "apple",
        "hour",
        "honest",
        "FBI",
        "MRI",
        "8",
        "18",
        "80",
        "11.5",
        "umbrella",
        "uninteresting",
        "X-ray",
        "heir",
        "unimportant",
        "SMS",
        "LED",
        "HTTPS",
        "£11",
        "$8",
        "€80.50",
        "18,000",
        "850",
        "eleven",
        "11-month",
    ],
)
def test_words_that_take_an(word: str) -> None:
    assert takes_an(word)


@pytest.mark.parametrize(
    "word",
    [
        "house",
        "user",
        "unit",
        "European",
        "one",
        "once",
        "UFO",
        "NASA",
        "1",
        "12",
        "university",
        "USB",
        "uniform",
        "SIM",
        "SIMs",
        "SIM-only",
        "£12",
        "110",
        "1,800",
        "180,000",
        "£1.18",
    ],
)
def test_words_that_take_a(word: str) -> None:
    assert not takes_an(word)
