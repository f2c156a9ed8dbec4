"""Splits: what is kept apart, whatever the keys; and the guard over folds of one's own."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.learn import Fold, find_split
from dialgauge.learn._splits import SPLITS, check_folds, folds_inside, make_folds


@st.composite
def keys(draw: st.DrawFn) -> pl.DataFrame:
    dialogues, systems = draw(st.integers(2, 9)), draw(st.integers(2, 25))
    full = [(f"d{d}", f"s{s}") for d in range(dialogues) for s in range(systems)]
    order = draw(st.permutations(full)) if len(full) < 40 else full
    return pl.DataFrame(order, schema=["dialogue_id", "system"], orient="row")


@given(keys(), st.sampled_from(list(SPLITS)), st.integers(2, 6), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_nothing_crosses(frame: pl.DataFrame, split: str, folds: int, seed: int) -> None:
    made = make_folds(split, frame, folds=folds, seed=seed)
    apart = {"random": (), "dialogues": ("dialogue_id",), "systems": ("system",), "both": ("dialogue_id", "system")}
    for fold in made:
        assert len(fold.train)
        assert not set(fold.train.tolist()) & set(fold.test.tolist())
        for column in apart[split]:
            values = frame[column].to_numpy()
            assert not set(values[fold.train]) & set(values[fold.test])
    tested = np.concatenate([fold.test for fold in made])
    assert len(tested) == len(set(tested.tolist()))
    if split != "random":
        assert sorted(tested.tolist()) == list(range(frame.height))


@pytest.mark.parametrize("split", SPLITS)
def test_the_order_of_rows_does_not_matter(split: str) -> None:
    frame = pl.DataFrame(
        [(f"d{d}", f"s{s}") for d in range(9) for s in range(4)], schema=["dialogue_id", "system"], orient="row"
    )
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3)

    def named(rows: pl.DataFrame) -> set[tuple[str, frozenset[tuple[str, ...]]]]:
        return {(f.name, frozenset(rows[f.test.tolist()].rows())) for f in make_folds(split, rows, folds=3, seed=1)}

    assert named(frame) == named(shuffled)


def test_random_holds_out_a_quarter_and_says_what_it_hides() -> None:
    frame = pl.DataFrame(
        [(f"d{d}", f"s{s}") for d in range(10) for s in range(4)], schema=["dialogue_id", "system"], orient="row"
    )
    (fold,) = make_folds("random", frame)
    assert (len(fold.train), len(fold.test)) == (30, 10)
    assert "both sides" in find_split("random").hides


@pytest.mark.parametrize(("split", "what"), [("dialogues", "dialogue"), ("systems", "system"), ("both", "dialogue")])
def test_folds_that_share_are_refused(split: str, what: str) -> None:
    frame = pl.DataFrame({"dialogue_id": ["x", "x", "y", "y"], "system": ["a", "b", "a", "b"]})
    crossing = [Fold("mine", np.array([0, 3]), np.array([1, 2]))]
    with pytest.raises(InputError, match=f"share 2 {what}s"):
        check_folds(split, frame, crossing)
    check_folds("random", frame, crossing)
    with pytest.raises(InputError, match="a summary is on both sides"):
        check_folds("random", frame, [Fold("mine", np.array([0, 1]), np.array([1]))])
    with pytest.raises(InputError, match="no rows are left to test on"):
        check_folds("random", frame, [Fold("mine", np.array([0, 1]), np.array([], dtype=np.int64))])


def test_bad_names_and_counts() -> None:
    frame = pl.DataFrame({"dialogue_id": ["x", "y"], "system": ["a", "a"]})
    with pytest.raises(UnknownNameError, match="did you mean 'systems'"):
        make_folds("system", frame)
    with pytest.raises(InputError, match="leaving systems out needs at least two"):
        make_folds("systems", frame)
    with pytest.raises(ParameterError, match="at least 2"):
        make_folds("dialogues", frame, folds=1)
    with pytest.raises(InputError, match=r"with one system held out only 'a' is left.*at least three"):
        folds_inside("both", frame, 2, 0)
