"""Long dialogues in parts: nothing is lost, everything fits, and turns stay whole while they can."""

import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import Turn
from dialgauge.errors import ModelError
from dialgauge.summarize._chunks import chunk_turns


def characters(text: str) -> int:
    """A tokenizer to whom every character is a token, between two special ones."""
    return len(text) + 2


def said(text: str, speaker: str = "A") -> Turn:
    return Turn(speaker, text)


def test_a_dialogue_that_fits_is_one_part_without_a_note() -> None:
    chunks = chunk_turns([said("hello"), said("bye")], "\n", 100, characters)
    assert (chunks.texts, chunks.note) == (("A: hello\nA: bye",), "")


def test_parts_are_of_about_the_same_length() -> None:
    chunks = chunk_turns([said("x" * 10)] * 9 + [said("bye")], "\n", 2 + 9 * 14, characters)
    assert [len(text.split("\n")) for text in chunks.texts] == [5, 5]
    assert chunks.note == "the dialogue exceeds the model's window: read in 2 parts, whose summaries were joined"


def test_a_turn_longer_than_the_window_is_split_after_sentences_then_words_then_letters() -> None:
    turns = [said("ok"), said("One two. Three four. Five"), said("abcdefghijklmnopqrstuvw")]
    chunks = chunk_turns(turns, "\n", 2 + 3 + 14, characters)
    assert chunks.texts == ("A: ok", "A: One two.", "A: Three four.", "A: Five", "A: abcdefghijklmn", "A: opqrstuvw")
    assert chunks.split_turns == (2, 3)
    assert chunks.note.endswith("turns 2, 3 had to be split")
    words = chunk_turns([said("alpha beta gamma")], "\n", 2 + 3 + 11, characters)
    assert words.texts == ("A: alpha beta", "A: gamma")
    chinese = chunk_turns([said("你好。我的密码忘了。")], "\n", 2 + 3 + 8, characters)
    assert chinese.texts == ("A: 你好。", "A: 我的密码忘了。")


def test_a_window_without_room_for_a_letter_is_refused() -> None:
    with pytest.raises(ModelError, match="too small for a word of A"):
        chunk_turns([said("hello")], "\n", 5, characters)


@given(
    st.lists(st.builds(Turn, st.sampled_from(["Ann", "B", ""]), st.text(max_size=60)), min_size=1, max_size=12),
    st.integers(8, 60),
    st.sampled_from(["\n", " "]),
)
def test_nothing_is_lost_and_every_part_fits(turns: list[Turn], room: int, joint: str) -> None:
    chunks = chunk_turns(turns, joint, room, characters)
    assert all(characters(text) <= room for text in chunks.texts)

    def letters(text: str) -> str:
        return "".join(text.split())

    whole = letters("".join(turn.text for turn in turns))
    rest = letters("".join(chunks.texts))
    # The speakers are repeated in the parts; the words of the turns are there in their order.
    position = 0
    for letter in whole:
        position = rest.index(letter, position) + 1


@given(st.lists(st.text("ab .", max_size=40), min_size=1, max_size=10), st.integers(6, 50))
def test_nameless_turns_come_back_exactly(lines: list[str], room: int) -> None:
    chunks = chunk_turns([Turn("", line) for line in lines], "\n", room, characters)
    assert "".join("".join(chunks.texts).split()) == "".join("".join(lines).split())


def test_a_name_longer_than_the_window_is_refused_and_does_not_go_on_for_ever() -> None:
    with pytest.raises(ModelError, match="room for 3 tokens of text is too small"):
        chunk_turns([Turn("A very long name", "")], "\n", 3, len)
