"""The same rating twice: identical ones are merged, others counted as what the user made of them."""

from pathlib import Path

import pytest

from dialgauge.corpus import ReadingSettings, read_corpus

FILE = """id,dialogue,system,summary,annotator,fluency
1,Ana: Hi | Bo: Ho,x,They greet.,ann,4
1,,x,They greet.,ann,4
1,,x,They greet.,ann,2
1,,x,They greet.,bob,3
1,,x,They greet.,bob,N/A
2,Ana: Hi | Bo: Hu,x,They meet.,ann,5
2,,x,They meet.,bob,-
2,,x,They meet.,bob,-
"""


@pytest.mark.parametrize(
    ("repeats", "stored", "merged", "settled", "left_out", "value"),
    [
        ("refuse", 3, 1, 0, 1, 4),
        ("first", 3, 1, 1, 0, 4),
        ("last", 3, 0, 2, 0, 2),
        ("mean", 3, 0, 2, 0, 10 / 3),
        ("keep", 5, 0, 0, 0, 4),
    ],
)
def test_the_account_calls_identical_only_what_is(
    repeats: str, stored: int, merged: int, settled: int, left_out: int, value: float, tmp_path: Path
) -> None:
    (tmp_path / "twice.csv").write_text(FILE)
    corpus = read_corpus(tmp_path / "twice.csv", reading=ReadingSettings(repeats=repeats))  # type: ignore[arg-type]
    (account,) = corpus.accounts
    assert (account.stored, account.merged, account.settled, sum(account.left_out.values())) == (
        stored,
        merged,
        settled,
        left_out,
    )
    assert account.not_given == {"-": 2, "N/A": 1}
    assert account.cells == 8
    assert account.as_json()["settled"] == settled
    assert bool(account.too_much()) == (repeats == "refuse")
    said = " ".join(corpus.notes)
    assert ("identical" in said) == bool(merged)
    assert (f"another value: the {repeats} counts" in said) == bool(settled)
    assert ("with another value" in account.sentence()) == bool(settled)
    assert corpus.ratings.filter(dialogue_id="1", annotator="ann")["value"].to_list() == [pytest.approx(value)]
    assert corpus.ratings.filter(dialogue_id="2", annotator="bob")["value"].to_list() == [None]


def test_identical_ratings_are_merged_whatever_counts(tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text("".join(line for line in FILE.splitlines(True) if not line.endswith("ann,2\n")))
    for repeats in ("refuse", "first", "last", "mean"):
        (account,) = read_corpus(tmp_path / "same.csv", reading=ReadingSettings(repeats=repeats)).accounts
        assert (account.merged, account.settled, account.conflicts) == (1, 0, 0)
