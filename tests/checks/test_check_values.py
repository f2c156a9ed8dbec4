"""Typed values: one form for all ways of writing them, and which ones are the same."""

import pytest

from dialgauge.checks import refusal
from dialgauge.checks._values import Value, comparable, follows, same, stated, values_of


def only(text: str) -> Value:
    (value,) = values_of(text)
    return value


@pytest.mark.parametrize(
    ("text", "kind", "form"),
    [
        ("twenty-five dollars", "money", "25"),
        ("$1,200.50", "money", "1200.5"),
        ("a hundred euros", "money", "100"),
        ("50 cents", "money", "0.5"),
        ("20%", "percent", "20"),
        ("twenty per cent", "percent", "20"),
        ("2k", "number", "2000"),
        ("two hundred", "number", "200"),
        ("one hundred and twenty", "number", "120"),
        ("10 million", "number", "10000000"),
        ("a dozen", "number", "12"),
        ("the 21st", "number", "21"),
        ("half past three", "clock", "3:30"),
        ("a quarter to 4", "clock", "3:45"),
        ("ten to six", "clock", "5:50"),
        ("15:30", "clock", "3:30"),
        ("7.30 pm", "clock", "7:30"),
        ("5pm", "clock", "5:00"),
        ("ten o'clock", "clock", "10:00"),
        ("8ish", "clock", "8:00"),
        ("noon", "clock", "12:00"),
        ("Thurs", "weekday", "thursday"),
        ("twenty-first", "number", "21"),
        ("the twenty second", "number", "22"),
        ("a twenty second pause", "duration", "0.333333333333 minutes"),
        ("on sat", "weekday", "saturday"),
        ("in May", "month", "5"),
        ("5th of May", "date", "5-5"),
        ("May 5", "date", "5-5"),
        ("tmrw", "day", "tomorrow"),
        ("90 minutes", "duration", "90 minutes"),
        ("an hour and a half", "duration", "90 minutes"),
        ("half an hour", "duration", "30 minutes"),
        ("two weeks", "duration", "20160 minutes"),
        ("555-1234567", "phone", "5551234567"),
        ("+44 20 7946 0958", "phone", "442079460958"),
        ("AB-1234", "id", "AB1234"),
    ],
)
def test_a_value_has_one_form(text: str, kind: str, form: str) -> None:
    value = only(text)
    assert (value.kind, value.form) == (kind, form)


@pytest.mark.parametrize(
    "text", ["I may march on", "Thus they met", "the cat sat in the sun", "#Person1# went home", "forty winks?"[5:]]
)
def test_words_that_only_look_like_values(text: str) -> None:
    assert values_of(text) == ()


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("$20", "twenty", True),
        ("half a year", "six months", True),
        ("3:30", "330", True),
        ("5 pm", "by 5", True),
        ("15:00", "3 pm", True),
        ("1.5 hours", "90 minutes", True),
        ("5 May", "the 5th", True),
        ("3:30", "half past four", False),
        ("$20", "25 dollars", False),
        ("Monday", "Tuesday", False),
        ("two weeks", "2 days", True),  # equal amounts are not told apart: rather silent than wrong
    ],
)
def test_what_is_the_same_value(first: str, second: str, equal: bool) -> None:
    assert same(only(first), only(second)) is equal
    assert same(only(second), only(first)) is equal


def test_small_counts_and_today_need_no_source() -> None:
    assert [stated(only(text)) for text in ("two", "today", "a week", "two dollars", "seven")] == [
        False,
        False,
        False,
        True,
        True,
    ]


def test_sums_follow_from_the_dialogue() -> None:
    given = values_of("20 dollars and 5 dollars")
    assert follows(only("25 dollars"), given)
    assert follows(only("15 dollars"), given)
    assert not follows(only("26 dollars"), given)


def test_days_compare_with_days_and_not_with_times() -> None:
    assert comparable(only("Monday"), only("tomorrow"))
    assert not comparable(only("Monday"), only("5 pm"))


def test_no_character_belongs_to_two_values() -> None:
    text = "Call 555-1234567 on May 5 at 5 pm for $5, 5% off, 5 days, order AB-5."
    taken = [i for value in values_of(text) for i in range(value.start, value.end)]
    assert len(taken) == len(set(taken))
    assert [value.kind for value in values_of(text)] == ["phone", "date", "clock", "money", "percent", "duration", "id"]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("730 days", "2 years", True),
        ("half a year", "6 months", True),
        ("30 days", "one month", True),
        ("3 days", "5 days", False),
    ],
)
def test_a_year_is_twelve_months_and_365_days(one: str, other: str, alike: bool) -> None:
    (first,), (second,) = values_of(one), values_of(other)
    assert same(first, second) is same(second, first) is alike


def test_languages_are_told_without_the_names_of_speakers_and_by_script_alone() -> None:
    german = "A: Wann kommt der Zug und wer holt ihn ab?\nI: Ich weiß es nicht, aber er ist wohl um drei da."
    spoken = "\n".join(line.partition(": ")[2] for line in german.splitlines())
    assert refusal(german, "Der Zug kommt um drei.") == refusal(spoken, "Der Zug kommt um drei.") is not None
    assert refusal("A: When is the train?", "電車はいつ来ますか。三時に来ると思います。") is not None
