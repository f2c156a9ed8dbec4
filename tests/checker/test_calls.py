"""Dialogues made like calls: joined, renamed, spoken; what was wrong stays marked."""

import pytest

from dialgauge.checker import Couple, Example, Group, call_like
from dialgauge.checker._calls import spelled

TEXT = "Ann: Hi Ben, it costs $45 and starts at 5:05.\nBen: Fine, I'll pay 120."
COUPLE = Couple(
    Example("reference", "Ben will pay. Ann told Ben the price."),
    Example("names", "Ann will pay. Ann told Ben the price.", ((0, 3),)),
)
GROUP = Group(TEXT, (COUPLE,))
OTHER = Group(
    "Cleo: I sold the car.\nDan: Good.",
    (Couple(Example("reference", "Cleo sold the car."), Example("word", "Cleo sold the bike.", ((14, 18),))),),
)


def test_wrong_words_stay_marked_under_new_names() -> None:
    for seed in range(30):
        made = call_like([GROUP, OTHER], seed)
        assert made is not None
        assert len(made.couples) == 2
        first, second = made.couples
        heads = list(dict.fromkeys(line.partition(": ")[0] for line in made.dialogue.splitlines()))
        assert len(heads) == 2
        for one in (first.wrong, second.wrong):
            marked = [one.text[a:b] for a, b in one.wrong]
            assert marked in (["bike"], *([form] for head in heads for form in (head, f"The {head.lower()}")))
        assert first.right.right
        assert not any(name in first.right.text + made.dialogue for name in ("Ann", "Ben", "Cleo"))


def test_a_transcript_has_numbers_in_words_in_some_styles() -> None:
    texts = [made.dialogue.lower() for seed in range(40) if (made := call_like([GROUP], seed))]
    spoken = [text for text in texts if "forty five dollars" in text]
    assert 0 < len(spoken) < len(texts)
    assert any("five oh five" in text and "one hundred and twenty" in text for text in spoken)
    assert call_like([GROUP], 3) == call_like([GROUP], 3)


@pytest.mark.parametrize(
    "dialogue", ["Ann: Hi.", "A: Hi.\nB: Hi.", "Ann: Hi.\nBen: Hi.\nCleo: Hi.", "Ann: Hi.\nno speaker here\nBen: Hi."]
)
def test_other_groups_are_left_alone(dialogue: str) -> None:
    assert call_like([Group(dialogue, (COUPLE,))]) is None
    assert call_like([]) is None
    assert call_like([Group(TEXT, ())]) is None


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (19, "nineteen"),
        (45, "forty five"),
        (120, "one hundred and twenty"),
        (2500, "two thousand five hundred"),
    ],
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert spelled(number) == words
