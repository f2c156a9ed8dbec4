"""Texts in parts: nothing is lost, and what was looked for is marked."""

from hypothesis import given, strategies as st

from dialgauge.affect import tagger
from dialgauge.explore._texts import as_given, excerpt, label_words, shown


def test_excerpt_begins_with_a_whole_word() -> None:
    text = "one two three four five " * 8 + "the CARD was kept " + "and so on " * 20
    parts = excerpt(text, ["card"])
    assert parts is not None
    assert [part for part, hit in parts if hit] == ["CARD"]
    assert parts[0] == ("…", False)
    assert parts[1][0].split()[0] in {"one", "two", "three", "four", "five"}
    assert parts[-1] == ("…", False)
    assert excerpt(text, ["absent"]) is None
    assert excerpt(text, []) is None


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=4), max_size=3))
def test_short_texts_are_kept_whole(text: str, words: list[str]) -> None:
    parts = excerpt(text, words)
    if parts is not None:
        assert "".join(part for part, _ in parts) == text


@given(st.lists(st.text(max_size=60), max_size=4))
def test_labels_lose_no_character(texts: list[str]) -> None:
    for chosen in (tagger("vader"), None):
        assert ["".join(part for part, _ in parts) for parts in label_words(texts, chosen)] == texts


def test_labels_of_affective_words() -> None:
    parts = label_words(["She was happy, then sad."], tagger("vader"))[0]
    assert [part for part in parts if part[1] != "neutral"] == [("happy", "positive"), ("sad", "negative")]


def test_numbers_as_people_read_them() -> None:
    values = (None, -0.5, 0.123456, -0.0, -0.0001, 3.0, 7, 97.061, -1234.56)
    assert [shown(value) for value in values] == [
        "–", "−0.500", "0.123", "0.000", "0.000", "3.000", "7", "97.06", "−1234.6"
    ]  # fmt: skip
    assert shown(2.708, 1) == "2.7"
    assert [as_given(value) for value in (None, 4.0, -2.5)] == ["–", "4", "−2.5"]
