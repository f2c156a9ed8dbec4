"""Validation that cannot flatter: copied texts, levels that a split cannot judge, shuffled ratings, intervals."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchmarks.learned_noise import Cell, World, made_study, means, study
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, ratings_frame
from dialgauge.errors import InputError
from dialgauge.learn import Data, LeakError, Predicted, Recipe, Validation, summary_intervals, validate
from dialgauge.learn._claims import claims
from dialgauge.learn._copies import apart_folds, family_keys, find_copies, purged, system_families, text_marks
from dialgauge.learn._splits import make_folds
from dialgauge.learn._validation_controls import single_inside, stand_in
from dialgauge.learn._validation_scores import without_means

NOBODY = ratings_frame([])


def judged(data: Data, **changes: object) -> Validation:
    recipes = [Recipe.build("ridge", data.target)]
    asked = {"recipes": recipes, "split": "systems", "resamples": 0, "null": 0, "guard": False} | changes
    return validate(data, NOBODY, **asked)  # type: ignore[arg-type]


def r(made: Validation, level: str, by: str = "learned") -> float:
    return made.value("pearson", level, by=by)["value"]


def test_texts_are_equal_whatever_their_case_and_punctuation() -> None:
    dialogues = [Dialogue("d", (Turn("A", "x"),)), Dialogue("e", (Turn("A", "x"),))]
    texts = {"a": "The agent  pays.", "b": "the agent pays", "c": "The agent paid."}
    summaries = [Summary(d, name, text) for d in ("d", "e") for name, text in texts.items()]
    marks = text_marks(Corpus.build(dialogues, summaries, []))
    of = {(d, s): mark for d, s, _, _, mark in marks.iter_rows()}
    assert of["d", "a"] == of["d", "b"] != of["d", "c"]
    assert of["d", "a"] != of["e", "a"], "the same words about another call are no copy"


def test_systems_that_share_most_of_their_texts_are_one() -> None:
    data = made_study(World(6, copied=True), 0)
    families = system_families(data.keys, data.marks)
    assert set(families.values()) == {"s00 + s01", "s02 + s03", "s04 + s05"}
    assert find_copies(data.keys, data.marks).height == 3 * 40
    for split in ("systems", "both"):
        for fold in apart_folds(split, data.keys, data.marks, folds=3, seed=0):
            grouped = family_keys(data.keys, data.marks)["system"].to_numpy()
            assert not set(grouped[fold.train]) & set(grouped[fold.test])
    two = data.part(np.flatnonzero(np.isin(data.keys["system"].to_numpy(), ["s00", "s01", "s02", "s03"])))
    with pytest.raises(InputError, match=r"at least 3 systems that do not share.*found 2 .*use the split 'dialogues'"):
        judged(two)


def test_a_text_of_a_held_out_summary_is_not_trained_on() -> None:
    data = made_study(World(5), 0)
    marks = list(data.marks)
    marks[45] = marks[5]  # the same dialogue, by the next system
    fold = make_folds("systems", data.keys)[0]
    assert 5 in fold.test
    assert set(fold.train) - set(purged(fold, marks).train) == {45}
    made = judged(replace(data, marks=tuple(marks)))
    assert (made.settings["copied_texts"], made.settings["purged_rows"]) == (1, 2)
    assert made.copies["systems"].to_list() == [["s00", "s01"]]


def test_copies_flatter_and_purging_ends_that() -> None:
    tree = {"depth": None, "leaf": 1}
    kept, gone = [], []
    for seed in range(4):
        data = made_study(World(6, copied=True), seed)
        recipes = [Recipe.build("decision-tree", data.target, settings=tree)]
        kept.append(r(judged(data, recipes=recipes, copies="keep"), "summary"))
        gone.append(r(judged(data, recipes=recipes), "summary"))
    assert min(kept) > 0.4
    assert abs(np.mean(gone)) < 0.3


def test_looking_up_the_same_text_is_refused() -> None:
    data = made_study(World(6), 0)
    marks = np.array(data.marks)
    marks[40:60] = marks[:20]  # half of the texts of the second system are not the first one's
    marks[60] = marks[20]
    data = replace(data, marks=tuple(marks[:].tolist()))

    def look_up(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
        known = {mark: i for i, mark in enumerate(data.marks) if i not in set(test)}
        numbers = np.array([data.y[known[data.marks[i]]] if data.marks[i] in known else 0.0 for i in test])
        return Predicted(numbers, data.target.classes(numbers))

    own = make_folds("systems", data.keys)
    with pytest.raises(LeakError, match="ratings of held-out summaries"):
        judged(data, run=look_up, own_folds=own, guard=True)


def test_a_split_that_knows_the_systems_does_not_judge_them() -> None:
    made = judged(made_study(World(6), 1), split="dialogues", resamples=20)
    row = made.value("pearson", "system")
    assert (row["value"], row["reason"][:8]) == (None, "withheld")
    assert r(made, "system", "system's training mean") > 0.9, "recognising systems is enough there"
    assert abs(r(made, "summary")) < 0.2
    assert made.claims[-1].startswith("Nothing is said of the order of systems: every system is also trained on")
    assert made.verdict != "use"
    left = without_means(np.add.outer(np.arange(4.0), np.arange(5.0) ** 2))
    assert (left == 0).all()


def test_noise_is_not_claimed_and_true_features_are() -> None:
    noise = judged(made_study(World(6), 2), resamples=100, null=20)
    assert noise.verdict == "do-not-use"
    assert all(claim.startswith("Not shown") for claim in noise.claims)
    assert noise.value("pearson", by="permuted ratings")["name"] == "20 shuffles"
    assert noise.value("pearson")["p"] > 0.05
    true = judged(made_study(World(10, informative=5), 2), resamples=100, null=20)
    assert true.verdict == "use"
    assert "Better than the best single metric there" in true.claims[1]
    assert true.value("pearson")["p"] == pytest.approx(1 / 21)
    assert true.value("pearson within systems")["value"] > 0.5
    difference = true.value("pearson", by="learned minus best single metric")
    single = true.value("pearson", by="best single metric")
    assert difference["value"] == pytest.approx(true.value("pearson")["value"] - single["value"])


def test_an_interval_above_zero_that_shuffles_reach_says_so() -> None:
    row = {"by": "learned", "name": "learned", "measure": "pearson", "level": "system", "value": 0.89}
    scores = pl.DataFrame([row | {"low": 0.64, "high": 1.0, "p": 0.1, "reason": None}])
    assert claims(scores, 0.05)[-1] == (
        "Not shown to follow the order of systems on held-out summaries: r 0.89 [0.64, 1.00], which shuffled ratings "
        "reach too often (p = 0.10)."
    )
    assert claims(scores, 0.1)[-1].endswith(
        "Shown to follow the order of systems on held-out summaries: r 0.89 [0.64, 1.00]."
    )


def test_the_simulation_of_noise_is_the_validation_itself() -> None:
    cell = Cell(World(3), "systems")
    found = study(cell, "auto", 2, 0)
    assert set(found) == {
        f"{level}: {what}"
        for level in ("summary", "system")
        for what in ("r", "above zero", "better than single", "single")
    }
    assert found == study(cell, "auto", 2, 0)
    assert set(study(Cell(World(3), "dialogues"), "ridge:alpha=10", 2, 0)) < set(found), "no system level there"
    assert means([{"r": 1.0}, {"r": 3.0}, {"s": 2.0}]) == {"r": (2.0, pytest.approx(1 / np.sqrt(2))), "s": (2.0, 0.0)}


def test_the_single_metric_is_chosen_without_the_test_ratings() -> None:
    data = made_study(World(6, informative=1), 3)
    folds = make_folds("systems", data.keys)
    found = single_inside(data, folds)
    assert found is not None
    name, said = found
    assert name == "f0"
    y = data.y.copy()
    y[folds[0].test] = np.random.default_rng(0).permutation(y[folds[0].test])
    again = single_inside(replace(data, y=y), folds)
    assert again is not None
    np.testing.assert_array_equal(again[1][folds[0].test], said[folds[0].test])


def test_intervals_of_single_summaries_hold_for_systems_like_these() -> None:
    data = made_study(World(14, informative=5), 4)
    made = judged(data, interval=0.9)
    found = made.intervals
    assert found is not None
    assert found.coverage == pytest.approx(0.9, abs=0.05)
    assert found.guaranteed > found.half_width
    assert found.worst_coverage == found.systems["coverage"].min()
    assert found.worst in found.systems["system"].to_list()
    few = data.part(np.flatnonzero(np.isin(data.keys["system"].to_numpy(), ["s00", "s01", "s02"])))
    beyond = summary_intervals(few, few.y + 1.0, 0.9)
    assert beyond is not None
    assert beyond.as_dict()["guaranteed"] is None, "three systems cannot promise 90 % for a fourth"
    assert beyond.half_width == pytest.approx(1.0)
    assert summary_intervals(few.part(np.arange(80)), few.y[:80], 0.9) is None


def test_shuffled_ratings_are_fitted_with_few_trees() -> None:
    target = made_study(World(6), 0).target
    forest = Recipe.build("extra-trees", target)
    assert stand_in(forest).settings["trees"] == 20
    blend = Recipe.blend([Recipe.build("ridge", target), forest, forest])
    assert [member["learner"] for member in stand_in(blend).settings["members"]] == ["ridge", "extra-trees"]


def test_predictions_of_the_key_are_never_joined_by_position() -> None:
    data = made_study(World(5), 5)
    order = np.random.default_rng(0).permutation(len(data.y))
    one, other = judged(data), judged(data.part(order))
    key = ["dialogue_id", "system"]
    both = one.predictions.join(other.predictions, on=key, suffix="_other")
    assert both.select((pl.col("prediction") - pl.col("prediction_other")).abs().max()).item() < 1e-9
