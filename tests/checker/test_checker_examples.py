"""Right and wrong summaries made by rules: what is marked is what is wrong."""

import random
from collections import Counter

import numpy as np
import pytest

from dialgauge.checker import Example, Material, Source, examples_of, groups_of
from dialgauge.checker._errors import ERRORS
from dialgauge.checker._example import Replacement, joined, lower_cased, replaced
from dialgauge.checker._pairs import _ALONE as ALONE
from dialgauge.checker._rewrites import REWRITES
from dialgauge.checker._twins import CHANGES
from dialgauge.checker._values import other_value, same_value, values_in

TURNS = (
    ("Ann", "Can you come to the party in Paris on Friday at 5 pm?"),
    ("Ben", "No, I don't have time. I have to work with Carla."),
    ("Ann", "Then I will bring you 20 cookies tomorrow."),
)
SUMMARY = (
    "Ann asks Ben to come to the big party on Friday at 5 pm. Ben can't come because he has to work. "
    "Ann will bring 20 cookies."
)
SOURCE = Source("a", TURNS, SUMMARY)
OTHER = Source("b", (("Dan", "I sold the car."), ("Eve", "Why?")), "Dan sold the car. Eve wonders why Dan did it.")


class WithoutVectors(Material):
    """Nearest words without a table of vectors."""

    def near(self, word: str) -> tuple[tuple[str, float], ...]:
        return (("concert", 0.6), ("party", 0.9)) if word == "party" else ()

    def cosine(self, first: str, second: str) -> float | None:
        return 0.5


MATERIAL = WithoutVectors((SOURCE, OTHER))


def marked(example: Example) -> list[str]:
    return [example.text[start:end] for start, end in example.wrong]


def test_a_replacement_marks_its_text_and_keeps_older_marks() -> None:
    first = replaced(Example("", "Ann sees Ben."), "x", [Replacement(9, 12, "Carla")])
    assert (first.text, marked(first)) == ("Ann sees Carla.", ["Carla"])
    second = replaced(first, "y", [Replacement(0, 3, "Maximilian")])
    assert marked(second) == ["Maximilian", "Carla"]
    third = replaced(first, "z", [Replacement(0, 3, "Al", wrong=False)])
    assert (third.text, marked(third)) == ("Al sees Carla.", ["Carla"])


def test_where_something_is_left_out_the_next_word_is_marked() -> None:
    made = replaced(Example("", "He will not come."), "x", [Replacement(8, 12, "")])
    assert (made.text, marked(made)) == ("He will come.", ["come"])
    assert marked(replaced(Example("", "He comes never"), "x", [Replacement(8, 14, "")])) == ["comes"]


def test_lower_case_moves_the_marks_with_the_text() -> None:
    made = lower_cased(Example("x", "Yes, Ann met Mr. Ben.", ((5, 20),)))
    assert (made.text, marked(made)) == ("yes , ann met mr . ben .", ["ann met mr . ben"])


def test_examples_one_after_the_other() -> None:
    made = joined("x", [Example("", "One."), Example("", "Two.", ((0, 3),))])
    assert (made.text, marked(made)) == ("One. Two.", ["Two"])


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_changes_the_summary_and_marks_it(name: str) -> None:
    made = [m for seed in range(30) if (m := ERRORS[name](Example("", SUMMARY), SOURCE, MATERIAL, random.Random(seed)))]
    assert made
    for one in made:
        assert one.text != SUMMARY
        assert one.wrong
        assert all(0 <= start < end <= len(one.text) for start, end in one.wrong)


@pytest.mark.parametrize("name", REWRITES)
def test_no_rewritten_summary_is_marked(name: str) -> None:
    summary = SUMMARY.replace("Ann will", "Ann and Ben will").replace("big", "exciting")
    source = Source("a", TURNS, summary)
    made = [
        m for seed in range(20) if (m := REWRITES[name](Example("", summary), source, MATERIAL, random.Random(seed)))
    ]
    assert all(one.right for one in made)
    assert made


def test_single_errors_are_where_they_should_be() -> None:
    draw = random.Random(3)
    assert ERRORS["roles"](Example("", "Ann and Ben meet."), SOURCE, MATERIAL, draw) is None
    dropped = ERRORS["negation-dropped"](Example("", "Ben can't come."), SOURCE, MATERIAL, draw)
    assert dropped is not None
    assert (dropped.text, marked(dropped)) == ("Ben can come.", ["can"])
    word = ERRORS["word"](Example("", "They plan a party."), SOURCE, MATERIAL, draw)
    assert word is not None
    assert word.text == "They plan a concert."
    assert ERRORS["value"](Example("", "Nothing to change."), SOURCE, MATERIAL, draw) is None


def test_examples_depend_on_the_seed_and_the_dialogue_alone() -> None:
    first, again = (examples_of(SOURCE, MATERIAL, seed=4) for _ in range(2))
    assert first == again
    assert first != examples_of(SOURCE, MATERIAL, seed=5)
    assert {one.right for one in first} == {True, False}
    assert len({one.text for one in first}) == len(first)


def test_values_by_kind_and_their_other_forms() -> None:
    found = values_in("At 5 pm on Friday, twenty people paid 1,200 dollars; see #Person1#.")
    assert [(v.kind, v.amount) for v in found] == [
        ("time", "5:00"),
        ("day", "friday"),
        ("number", "20"),
        ("number", "1200"),
    ]
    draw = random.Random(0)
    for value in found:
        other = other_value(value, draw)
        assert values_in(other)[0].amount != value.amount
    assert [same_value(v) for v in found] == ["5:00", None, "20", None]


def test_material_finds_near_words(tmp_path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"{w} {a} {b}\n" for w, a, b in (("car", 1, 0), ("bus", 0.6, 0.8), ("sky", 0, 1))))
    material = Material((SOURCE,), vectors=f"folder:{path}")
    assert np.isclose(material.cosine("car", "bus") or 0, 0.6, atol=1e-5)
    assert material.cosine("car", "none") is None
    assert material.rank("bus") == 1


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_makes_the_summary_wrong_and_its_twin_right(kind: str) -> None:
    """What the changed summary says differently is what the changed dialogue says differently."""
    source = Source("a", (*TURNS, ("Ben", "It is a big event.")), SUMMARY)
    quoted = [f"{name}: {said}" for name, said in source.turns]
    texts = [SUMMARY, *quoted]
    made = [c for seed in range(40) if (c := CHANGES[kind](texts, source, MATERIAL, random.Random(seed)))]
    assert made
    for change in made:
        changed = [(text, new) for text in texts if (new := change.applied(text)).wrong and change.places(text)]
        assert changed
        for text, new in changed:
            assert new.text != text
            assert all(0 <= start < end <= len(text) for start, end in change.places(text))
        twin = change.dialogue(source)
        assert twin.text != source.text
        for name, said in twin.turns:
            assert f"{name}: {said}" in {change.applied(text).text for text in quoted}


def test_no_word_is_marked_that_both_dialogues_have() -> None:
    change = CHANGES["names"]([SUMMARY], SOURCE, MATERIAL, random.Random(0))
    assert change is not None
    quoted = change.applied("Ann: I will come.")
    assert (quoted.text, marked(quoted)) == ("Ben: I will come.", ["Ben"])
    joint = change.applied("Ann and Ben meet. Ann pays.")
    assert (joint.text, marked(joint)) == ("Ben and Ann meet. Ben pays.", ["Ben"])
    assert change.places("Ann and Ben meet.") == ()


def test_every_text_of_a_change_is_right_once_and_wrong_once() -> None:
    """Otherwise a checker could tell right from wrong without the dialogue."""
    balance: Counter[str] = Counter()
    for seed in range(20):
        for group in groups_of(SOURCE, MATERIAL, seed):
            for couple in group.couples:
                if couple.wrong.kind in ALONE:
                    continue
                balance[couple.right.text] += 1
                balance[couple.wrong.text] -= 1
    assert sum(map(abs, balance.values())) <= 0.15 * len(balance)
    assert len(balance) > 50


def test_groups_depend_on_the_seed_and_have_both_sides() -> None:
    first, again = (groups_of(SOURCE, MATERIAL, seed=4) for _ in range(2))
    assert first == again
    assert first[0].dialogue == SOURCE.text
    assert len({group.dialogue for group in first}) == len(first) > 2
    for group in first:
        assert all(couple.right.right and not couple.wrong.right for couple in group.couples)
