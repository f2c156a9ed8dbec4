"""Tables on screens of any width: no word and no number is broken as long as there is a way."""

import io

import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from dialgauge.cli import _output

DRIFT = ("annotator", "dimension", "part 1", "part 2", "part 3", "part 4", "change", "95 % interval", "flag")
ROW = ("rater-1", "consistency", "-0.10", "+0.02", "+0.09", "-0.02", "+0.20", "-0.10 … +0.51", "")


def printed(width: int, columns: tuple[str, ...], rows: list[tuple[str, ...]], numeric: tuple[str, ...]) -> list[str]:
    """The lines of a table on a screen of this width."""
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_output, "console", Console(file=stream, width=width))
        _output.print_table("title", columns, rows, numeric=numeric)
    return stream.getvalue().splitlines()


def test_spacing_is_saved_before_words_are_broken() -> None:
    wide, narrow = (printed(width, DRIFT, [ROW], DRIFT[2:-1]) for width in (100, 80))
    assert "rater-1     consistency    -0.10" in wide[4]
    assert " ".join(narrow[4].split()) == " ".join(ROW).strip()
    assert " ".join(narrow[2].split()) == " ".join(DRIFT)
    assert max(map(len, narrow)) <= 80


def test_long_texts_are_folded_between_words() -> None:
    text = "a metric that deserves trust keeps its score when a summary says the same in other words"
    lines = printed(60, ("name", "what", "n"), [("rouge-1", text, "240")], ("n",))
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines[4:]).replace("rouge-1", "").replace("240", "").split()) == text


WORDS = st.lists(st.text("abcdef", min_size=1, max_size=16), min_size=1, max_size=8).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4), st.integers(10, 100))
def test_no_word_is_broken_at_any_width(rows: list[tuple[str, str]], width: int) -> None:
    lines = printed(width, ("one", "two"), rows, ())
    shown = {word for line in lines[4:] for word in line.split()}
    assert shown == {word for row in rows for text in row for word in text.split()}
