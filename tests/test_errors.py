"""The wording that all messages share."""

import pytest

from dialgauge.errors import MissingExtraError, counted


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("row",), "0 rows"),
        (1, ("row",), "1 row"),
        (2000, ("row",), "2,000 rows"),
        (1, ("summary", "summaries"), "1 summary"),
        (3, ("summary", "summaries"), "3 summaries"),
    ],
)
def test_counted(count: int, words: tuple[str, ...], said: str) -> None:
    assert counted(count, *words) == said


def test_an_extra_can_be_installed_from_a_clone_too() -> None:
    error = MissingExtraError("reading XLSX", "xlsx")
    assert str(error) == "reading XLSX needs the extra 'xlsx': pip install 'dialgauge[xlsx]', or '.[xlsx]' in a clone"
    assert error.extra == "xlsx"
