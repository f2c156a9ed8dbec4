"""Robustness: hand-computed cases, invariances, bad input, and tests that keep their promised error rates."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval import (
    Robustness,
    count_kinds,
    equivalence_test,
    label_of,
    perturbed_correlations,
    robustness,
    sign_test,
    spread_priors,
    too_few_kinds,
)
from dialgauge.metaeval._robustness_matrix import dose_of
from dialgauge.metaeval._robustness_tests import MeanChange, mean_change

EFFECTS = {
    "contractions": {"consistency": "preserves", "relevance": "preserves"},
    "add_negation": {"consistency": "degrades", "relevance": "preserves"},
    "typos": {"consistency": "preserves", "fluency": "degrades-mildly"},
}
DIRECTIONS = {"metric": "higher"}


def table(rows: Sequence[tuple[str, str, str, float | None]], metric: str = "metric") -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["dialogue_id", "system", "variant", metric], orient="row")


def hand_made() -> pl.DataFrame:
    """Three systems with means 1, 2 and 3, so that the unit is 1; two dialogues."""
    originals = {
        ("d1", "a"): 0.5,
        ("d2", "a"): 1.5,
        ("d1", "b"): 2.0,
        ("d2", "b"): 2.0,
        ("d1", "c"): 3.0,
        ("d2", "c"): 3.0,
    }
    changes = {
        "contractions": [0.0, 0.1, 0.0, -0.1, 0.0, 0.0],
        "add_negation": [-1.0, -2.0, -1.0, -2.0, 0.0, 0.0],
    }
    rows = [(d, s, "original", value) for (d, s), value in originals.items()]
    for label, moved in changes.items():
        rows += [(d, s, label, value + step) for ((d, s), value), step in zip(originals.items(), moved, strict=True)]
    return table(rows)


def simulated(
    effects: Mapping[str, float], *, dialogues: int = 30, systems: int = 4, noise: float = 0.1, seed: int = 0
) -> pl.DataFrame:
    """Scores where each label moves a summary by so much, with noise; the systems lie 1 apart."""
    generator = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, float]] = []
    for d in range(dialogues):
        for s in range(systems):
            quality = s + generator.normal()
            rows.append((f"d{d}", f"s{s}", "original", quality))
            rows += [
                (f"d{d}", f"s{s}", label, quality + change + noise * generator.normal())
                for label, change in effects.items()
            ]
    return table(rows)


def row(frame: pl.DataFrame, **values: str) -> dict[str, Any]:
    found = frame.filter(pl.all_horizontal(pl.col(name) == value for name, value in values.items()))
    assert found.height == 1, (values, found)
    return found.row(0, named=True)


class TestHandComputed:
    @pytest.fixture
    def found(self) -> Robustness:
        return robustness(hand_made(), EFFECTS, DIRECTIONS, resamples=0)

    def test_unit_is_the_spread_of_the_systems(self, found: Robustness) -> None:
        assert row(found.changes, perturbation="add_negation")["unit"] == pytest.approx(1.0)
        assert set(found.changes["unit_of"]) == {"systems"}

    def test_change_and_interval(self, found: Robustness) -> None:
        """Dialogue sums −2 and −4 of three items each: mean −1, error √(2/1 · (1 + 1)) / 6 = 1/3, t(1) = 12.706."""
        changed = row(found.changes, perturbation="add_negation")
        assert changed["change"] == pytest.approx(-1.0)
        assert changed["low"] == pytest.approx(-1 - 12.706204736 / 3)
        assert changed["high"] == pytest.approx(-1 + 12.706204736 / 3)
        assert changed["raw_change"] == pytest.approx(-1.0)

    def test_shares(self, found: Robustness) -> None:
        changed = row(found.changes, perturbation="add_negation")
        assert (changed["lowered"], changed["raised"], changed["kept"]) == pytest.approx((4 / 6, 0, 2 / 6))
        kept = row(found.changes, perturbation="contractions")
        assert (kept["lowered"], kept["raised"], kept["kept"]) == pytest.approx((1 / 6, 1 / 6, 1))

    def test_sign_test_flips_dialogues(self, found: Robustness) -> None:
        """Sums of signs −2 and −2: of the four sign patterns two are as far out."""
        assert row(found.changes, perturbation="add_negation")["p_sign"] == pytest.approx(0.5)

    def test_rewrites_that_are_raised_earn_nothing(self) -> None:
        """Each rewrite moves the score further up than the damage moves it down: never right, wherever they move."""
        raised = hand_made().with_columns(
            pl.when(pl.col("variant") == "contractions").then(pl.col("metric") + 5).otherwise("metric").alias("metric")
        )
        card = row(robustness(raised, EFFECTS, DIRECTIONS, resamples=0).cards, dimension="overall")
        assert (card["robustness"], card["stability"]) == (0.0, 0.0)
        assert card["sensitivity"] == pytest.approx(4 / 6)

    def test_kinds_that_are_too_few_are_said(self, found: Robustness) -> None:
        assert count_kinds(found.verdicts, "overall") == (1, 1)
        assert too_few_kinds(1, 1).startswith("Robustness is not judged: 1 kind of perturbation should lower")
        assert not too_few_kinds(3, 3)

    def test_card(self, found: Robustness) -> None:
        """Of the six summaries four broken ones score below their rewrite, and two tie."""
        card = row(found.cards, dimension="overall")
        assert card["sensitivity"] == pytest.approx(4 / 6)
        assert card["stability"] == pytest.approx(1.0)
        assert card["robustness"] == pytest.approx((4 + 2 / 2) / 6)
        assert card["robustness_low"] is None

    def test_card_of_a_dimension_where_nothing_degrades(self, found: Robustness) -> None:
        card = row(found.cards, dimension="relevance")
        assert card["robustness"] is None
        assert card["reason"] == "no degrading perturbation among the variants"
        assert card["stability"] == pytest.approx((1 + 2 / 6) / 2)

    def test_worst_failures_are_blind_spots_and_moves(self, found: Robustness) -> None:
        """Nothing rises and no rewrite moves beyond the margin: what is left is a negation that changes nothing."""
        assert found.failures.height == 1
        failure = found.failures.row(0, named=True)
        assert (failure["perturbation"], failure["change"], failure["system"]) == ("add_negation", 0.0, "c")

    def test_corrected_p_values(self, found: Robustness) -> None:
        assert found.changes["p_sign"].to_list() == pytest.approx([1.0, 0.5])
        assert found.changes["p_sign_corrected"].to_list() == pytest.approx([1.0, 1.0])


def test_sign_test_of_single_summaries_is_the_binomial_one() -> None:
    """9 down, 1 up, 2 ties: 2 · (1 + 10) / 2^10."""
    changes = np.array([-1.0] * 9 + [1.0] + [0.0] * 2)
    assert sign_test(changes, np.arange(12)) == pytest.approx(2 * 11 / 1024)
    assert sign_test(np.zeros(4), np.arange(4)) == 1.0
    assert math.isnan(sign_test(np.full(3, np.nan), np.arange(3)))


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([-1.0, 0.0, 1.0])), min_size=1, max_size=18))
def test_sign_test_equals_all_flips_counted(items: list[tuple[int, float]]) -> None:
    dialogue = np.array([d for d, _ in items])
    signs = np.array([sign for _, sign in items])
    sums = np.array([signs[dialogue == d].sum() for d in np.unique(dialogue)])
    flips = np.array(np.meshgrid(*[[-1, 1]] * len(sums))).reshape(len(sums), -1)
    expected = np.mean(np.abs(sums @ flips) >= abs(sums.sum()))
    assert sign_test(signs, dialogue) == pytest.approx(expected)


def test_mean_change_of_single_summaries_is_students() -> None:
    from scipy.stats import ttest_1samp

    values = np.array([0.3, -0.2, 0.5, 0.9, -0.1])
    found = mean_change(values, np.arange(5))
    expected = ttest_1samp(values, 0).confidence_interval(0.9)
    assert found.interval(0.9) == pytest.approx((expected.low, expected.high))


def test_equivalence_is_two_one_sided_tests() -> None:
    from scipy.stats import ttest_1samp

    values = np.array([0.05, -0.02, 0.1, 0.04, -0.01, 0.03])
    found = mean_change(values, np.arange(6))
    below = ttest_1samp(values, 0.25, alternative="less").pvalue
    above = ttest_1samp(values, -0.25, alternative="greater").pvalue
    assert equivalence_test(found, 0.25) == pytest.approx(max(below, above))
    assert equivalence_test(MeanChange(0.0, 0.0, 5), 0.25) == 0.0
    assert equivalence_test(MeanChange(0.25, 0.0, 5), 0.25) == 1.0
    with pytest.raises(ParameterError, match="margin"):
        equivalence_test(found, 0.0)


def test_labels_and_doses() -> None:
    assert label_of("typos#2") == label_of("typos") == "typos"
    assert dose_of("change_perturbation_3") == ("change_perturbation", 3)
    assert dose_of("typos") == ("typos", 1)
    assert dose_of("jumble_2:scope=sentence") == ("jumble:scope=sentence", 2)


class TestVerdicts:
    @pytest.mark.parametrize(
        ("change", "expected_of_broken", "expected_of_kept"),
        [(-1.0, "noticed", "lowered"), (-0.1, "faint", "stable"), (0.0, "blind", "stable"), (1.0, "wrong", "raised")],
    )
    def test_each(self, change: float, expected_of_broken: str, expected_of_kept: str) -> None:
        frame = simulated({"add_negation": change, "contractions": change}, noise=0.02, dialogues=40)
        found = robustness(frame, EFFECTS, DIRECTIONS, resamples=0)
        said = {r["perturbation"]: r["verdict"] for r in found.verdicts.filter(dimension="overall").to_dicts()}
        assert said == {"add_negation": expected_of_broken, "contractions": expected_of_kept}

    def test_unclear_where_noise_hides_it(self) -> None:
        found = robustness(simulated({"contractions": 0.0}, noise=3.0, dialogues=5), EFFECTS, DIRECTIONS, resamples=0)
        assert row(found.verdicts, dimension="overall")["verdict"] == "unclear"

    def test_dimensions_expect_different_things(self) -> None:
        found = robustness(simulated({"add_negation": -1.0}), EFFECTS, DIRECTIONS, resamples=0)
        said = {r["dimension"]: (r["expected"], r["verdict"]) for r in found.verdicts.to_dicts()}
        assert said == {
            "overall": ("degrades", "noticed"),
            "consistency": ("degrades", "noticed"),
            "relevance": ("preserves", "lowered"),
        }

    def test_overall_of_some_dimensions(self) -> None:
        frame = simulated({"typos": 0.0})
        assert (
            row(robustness(frame, EFFECTS, DIRECTIONS).verdicts, dimension="overall")["expected"] == "degrades-mildly"
        )
        only = robustness(frame, EFFECTS, DIRECTIONS, dimensions=["consistency"])
        assert row(only.verdicts, dimension="overall")["expected"] == "preserves"


class TestInvariance:
    FRAME = simulated({"add_negation": -0.5, "contractions": 0.05, "typos": -0.1}, seed=3)

    @settings(max_examples=20, deadline=None)
    @given(scale=st.floats(1e-4, 1e4), shift=st.floats(-100, 100))
    def test_scale_of_the_metric_does_not_matter(self, scale: float, shift: float) -> None:
        one = robustness(self.FRAME, EFFECTS, DIRECTIONS, resamples=20)
        other = robustness(self.FRAME.with_columns(pl.col("metric") * scale + shift), EFFECTS, DIRECTIONS, resamples=20)
        for column in ("change", "low", "high", "p_sign", "p_equivalence"):
            assert other.changes[column].to_list() == pytest.approx(one.changes[column].to_list(), rel=1e-5, abs=1e-9)
        for column in ("robustness", "robustness_low", "sensitivity", "stability"):
            known = [(a, b) for a, b in zip(one.cards[column], other.cards[column], strict=True) if a is not None]
            assert [b for _, b in known] == pytest.approx([a for a, _ in known], abs=0.02)

    def test_direction_turns_the_sign(self) -> None:
        up = robustness(self.FRAME, EFFECTS, {"metric": "higher"}, resamples=0).changes
        down = robustness(self.FRAME, EFFECTS, {"metric": "lower"}, resamples=0).changes
        assert down["change"].to_list() == pytest.approx([-value for value in up["change"]])
        assert down["low"].to_list() == pytest.approx([-value for value in up["high"]])
        assert down["lowered"].to_list() == up["raised"].to_list()
        assert down["raw_change"].to_list() == pytest.approx(up["raw_change"].to_list())
        assert down["p_sign"].to_list() == up["p_sign"].to_list()

    def test_negated_metric_that_is_better_lower_is_the_same_metric(self) -> None:
        up = robustness(self.FRAME, EFFECTS, {"metric": "higher"}, seed=5)
        down = robustness(self.FRAME.with_columns(-pl.col("metric")), EFFECTS, {"metric": "lower"}, seed=5)
        assert down.verdicts.equals(up.verdicts)
        assert down.cards.drop("direction").equals(up.cards.drop("direction"))

    def test_order_of_rows_does_not_matter(self) -> None:
        one = robustness(self.FRAME, EFFECTS, DIRECTIONS, seed=1)
        other = robustness(self.FRAME.sample(fraction=1.0, shuffle=True, seed=9), EFFECTS, DIRECTIONS, seed=1)
        for name, frame in one.tables().items():
            assert frame.equals(other.tables()[name]), name

    def test_another_metric_changes_no_card(self) -> None:
        alone = robustness(self.FRAME, EFFECTS, DIRECTIONS, seed=1)
        both = self.FRAME.with_columns(pl.col("metric").round(1).alias("other"))
        beside = robustness(both, EFFECTS, {**DIRECTIONS, "other": "higher"}, seed=1)
        assert beside.cards.filter(metric="metric").equals(alone.cards)

    def test_seed_matters_to_intervals_only(self) -> None:
        one, other = (robustness(self.FRAME, EFFECTS, DIRECTIONS, seed=seed).cards for seed in (1, 2))
        assert one["robustness"].equals(other["robustness"])
        assert not one.equals(other)


class TestDoses:
    @staticmethod
    def effects(levels: int) -> dict[str, dict[str, str]]:
        return {f"change_perturbation_{n}": {"consistency": "degrades"} for n in range(1, levels + 1)}

    def test_slope_and_order(self) -> None:
        frame = simulated({f"change_perturbation_{n}": -0.3 * n for n in range(1, 6)}, noise=0.0)
        dose = robustness(frame, self.effects(5), DIRECTIONS, resamples=50).doses.row(0, named=True)
        unit = robustness(frame, self.effects(5), DIRECTIONS, resamples=0).changes["unit"][0]
        assert dose["slope"] == pytest.approx(-0.3 / unit)
        assert dose["slope_low"] == pytest.approx(dose["slope_high"])
        assert (dose["monotone"], dose["levels"], dose["series"]) == (1.0, "1, 2, 3, 4, 5", "change_perturbation")

    def test_levels_are_compared_within_a_summary(self) -> None:
        """High levels exist only where the score falls least: the means of the levels rise, yet each summary falls."""
        rows: list[tuple[str, str, str, float]] = []
        for d in range(10):
            long = d < 5
            for s in range(3):
                rows.append((f"d{d}", f"s{s}", "original", float(s)))
                per_level = 0.1 if long else 1.0
                levels = (2, 3) if long else (1, 2)
                rows += [(f"d{d}", f"s{s}", f"change_perturbation_{n}", s - per_level * n) for n in levels]
        found = robustness(table(rows), self.effects(3), DIRECTIONS, resamples=0)
        means = dict(found.changes.select("level", "change").iter_rows())
        assert means[1] < means[3]
        dose = found.doses.row(0, named=True)
        assert dose["slope"] == pytest.approx(-0.55)
        assert dose["monotone"] == 1.0

    def test_no_series_no_row(self) -> None:
        assert robustness(simulated({"typos": 0.0}), EFFECTS, DIRECTIONS).doses.is_empty()

    def test_a_series_counts_once(self) -> None:
        """Five levels that the metric notices do not outvote one perturbation that it does not."""
        frame = simulated({f"change_perturbation_{n}": -9.0 for n in range(1, 6)} | {"add_negation": 9.0})
        effects = self.effects(5) | {"add_negation": {"consistency": "degrades"}}
        card = row(robustness(frame, effects, DIRECTIONS, resamples=0).cards, dimension="overall")
        assert card["sensitivity"] == pytest.approx(0.5)


class TestBadInput:
    def test_no_original_of_any_variant(self) -> None:
        frame = hand_made().filter(pl.col("variant") != "original")
        with pytest.raises(InputError, match="none of the 12 variants has the original"):
            robustness(frame, EFFECTS, DIRECTIONS)

    def test_some_variants_without_original_are_left_out_and_listed(self) -> None:
        frame = hand_made().filter(~((pl.col("variant") == "original") & (pl.col("system") == "a")))
        found = robustness(frame, EFFECTS, DIRECTIONS)
        assert found.unpaired.height == 4
        assert set(found.unpaired["system"]) == {"a"}
        assert set(found.changes["items"]) == {4}

    def test_no_variant(self) -> None:
        with pytest.raises(InputError, match="no variant"):
            robustness(hand_made().filter(pl.col("variant") == "original"), EFFECTS, DIRECTIONS)

    def test_unknown_label(self) -> None:
        frame = hand_made().with_columns(pl.col("variant").replace({"add_negation": "add_negatoin"}))
        with pytest.raises(UnknownNameError, match="did you mean 'add_negation'"):
            robustness(frame, EFFECTS, DIRECTIONS)

    def test_unknown_effect(self) -> None:
        with pytest.raises(UnknownNameError, match="effect of 'typos' on 'fluency'"):
            robustness(hand_made(), EFFECTS | {"typos": {"fluency": "worsens"}}, DIRECTIONS)

    def test_unknown_dimension(self) -> None:
        with pytest.raises(UnknownNameError, match="dimension"):
            robustness(hand_made(), EFFECTS, DIRECTIONS, dimensions=["taste"])

    def test_duplicate_key(self) -> None:
        with pytest.raises(InputError, match="18 duplicate keys"):
            robustness(pl.concat([hand_made(), hand_made()]), EFFECTS, DIRECTIONS)

    def test_infinite_value(self) -> None:
        frame = hand_made().with_columns(pl.lit(math.inf).alias("metric"))
        with pytest.raises(InputError, match="infinite"):
            robustness(frame, EFFECTS, DIRECTIONS)

    def test_metric_without_any_value(self) -> None:
        frame = hand_made().with_columns(pl.lit(None, pl.Float64).alias("silent"))
        found = robustness(frame, EFFECTS, {**DIRECTIONS, "silent": "higher"})
        silent = found.changes.filter(metric="silent")
        assert silent["change"].null_count() == silent.height == 2
        assert set(silent["reason"]) == {"no original has a value"}
        assert set(found.verdicts.filter(metric="silent")["verdict"]) == {None}
        assert row(found.cards, metric="silent", dimension="overall")["robustness"] is None
        alone = robustness(hand_made(), EFFECTS, DIRECTIONS)
        assert found.changes.filter(metric="metric").equals(alone.changes)

    def test_constant_metric_has_no_unit(self) -> None:
        found = robustness(hand_made().with_columns(pl.lit(1.0).alias("metric")), EFFECTS, DIRECTIONS)
        assert set(found.changes["reason"]) == {"all systems have the same value, so a change has no unit"}

    def test_one_dialogue(self) -> None:
        found = robustness(hand_made().filter(pl.col("dialogue_id") == "d1"), EFFECTS, DIRECTIONS)
        changed = row(found.changes, perturbation="add_negation")
        assert changed["change"] is not None
        assert changed["low"] is changed["p_sign"] is changed["p_equivalence"] is None
        assert changed["reason"] == "one dialogue: no interval, no test"
        assert set(found.verdicts["verdict"]) == {"unclear"}
        card = row(found.cards, dimension="overall")
        assert card["robustness"] is not None
        assert card["robustness_low"] is None

    def test_one_system_is_measured_in_the_spread_of_summaries(self) -> None:
        frame = hand_made().filter(pl.col("system") == "a")
        found = robustness(frame, EFFECTS, DIRECTIONS)
        assert set(found.changes["unit_of"]) == {"summaries"}
        assert found.changes["unit"][0] == pytest.approx(math.sqrt(0.5))
        forced = robustness(frame, EFFECTS, DIRECTIONS, spread="systems")
        assert set(forced.changes["reason"]) == {"the spread between systems cannot be estimated from only one"}

    def test_metric_without_direction_gets_no_verdict(self) -> None:
        found = robustness(hand_made(), EFFECTS, {})
        assert found.changes["change"].null_count() == 0
        assert set(found.verdicts["verdict"]) == {None}
        card = row(found.cards, dimension="overall")
        assert (card["robustness"], card["sensitivity"]) == (None, None)
        assert "descriptive" in card["reason"]
        assert found.failures.is_empty()

    @pytest.mark.parametrize(("name", "value"), [("margin", 0.0), ("margin", math.nan), ("resamples", 5), ("seed", -1)])
    def test_parameters(self, name: str, value: float) -> None:
        with pytest.raises(ParameterError, match=name):
            robustness(hand_made(), EFFECTS, DIRECTIONS, **{name: value})  # type: ignore[arg-type]


def test_references_are_no_systems_for_the_unit() -> None:
    extra = table([("d1", "reference", "original", 100.0), ("d2", "reference", "original", 100.0)])
    found = robustness(pl.concat([hand_made(), extra]), EFFECTS, DIRECTIONS, references=["reference"])
    assert found.changes["unit"][0] == pytest.approx(1.0)


def test_several_variants_of_a_kind_are_averaged() -> None:
    frame = hand_made()
    again = frame.filter(pl.col("variant") == "add_negation").with_columns(
        pl.lit("add_negation#2").alias("variant"), pl.col("metric") + 2.0
    )
    found = robustness(pl.concat([frame, again]), EFFECTS, DIRECTIONS)
    changed = row(found.changes, perturbation="add_negation")
    assert (changed["items"], changed["change"]) == (6, pytest.approx(0.0))
    assert found.failures["variant"][0] == "add_negation#2"


def test_sign_test_keeps_its_level_where_dialogues_move_together() -> None:
    """Five summaries of a dialogue share most of a change that is zero on average: false alarms stay near 5 %."""
    generator = np.random.default_rng(11)
    dialogue = np.repeat(np.arange(20), 5)
    p_values = np.array(
        [sign_test(2 * generator.normal(size=20)[dialogue] + generator.normal(size=100), dialogue) for _ in range(600)]
    )
    assert 0.015 < np.mean(p_values < 0.05) < 0.075
    naive = np.mean(
        [
            sign_test(2 * generator.normal(size=20)[dialogue] + generator.normal(size=100), np.arange(100)) < 0.05
            for _ in range(200)
        ]
    )
    assert naive > 0.2


def test_equivalence_test_keeps_its_level_and_has_power() -> None:
    """At a true change of exactly the margin, equivalence is claimed in about 5 %; at no change nearly always."""
    generator = np.random.default_rng(12)
    dialogue = np.repeat(np.arange(25), 4)

    def claimed(mean: float) -> float:
        hits = []
        for _ in range(500):
            values = mean + 0.3 * generator.normal(size=25)[dialogue] + 0.3 * generator.normal(size=100)
            hits.append(equivalence_test(mean_change(values, dialogue), 0.25) < 0.05)
        return float(np.mean(hits))

    assert 0.02 < claimed(0.25) < 0.08
    assert claimed(0.0) > 0.9


def test_interval_of_a_change_covers() -> None:
    generator = np.random.default_rng(13)
    dialogue = np.repeat(np.arange(15), 4)
    covered = []
    for _ in range(500):
        values = generator.normal(size=15)[dialogue] + generator.normal(size=60)
        low, high = mean_change(values, dialogue).interval(0.95)
        covered.append(low <= 0 <= high)
    assert 0.925 < np.mean(covered) < 0.975


class TestRatingsOfVariants:
    FAMILIES: ClassVar = {"add_negation": "domain", "contractions": "baseline", "typos": "baseline"}

    @pytest.fixture
    def scores(self) -> pl.DataFrame:
        return simulated({"add_negation": -1.0, "contractions": 0.0, "typos": -0.5}, seed=4)

    @pytest.fixture
    def ratings(self, scores: pl.DataFrame) -> pl.DataFrame:
        """The metric is the rating on the originals, and its opposite on the domain family."""
        turned = pl.when(pl.col("variant") == "add_negation").then(-pl.col("metric")).otherwise(pl.col("metric"))
        return scores.select(
            "dialogue_id",
            "system",
            "variant",
            pl.lit("overall").alias("role"),
            turned.alias("consistency"),
            turned.alias("relevance"),
        )

    def test_difference_to_the_originals(self, scores: pl.DataFrame, ratings: pl.DataFrame) -> None:
        found = perturbed_correlations(scores, ratings, self.FAMILIES).frame
        kept = row(found, dimension="relevance", set="original")
        assert (kept["value"], kept["difference"]) == (pytest.approx(1.0), None)
        broken = row(found, dimension="relevance", set="domain")
        assert (broken["value"], broken["difference"]) == (pytest.approx(-1.0), pytest.approx(-2.0))
        assert row(found, dimension="consistency", set="baseline")["difference"] == pytest.approx(0.0)
        assert set(found["ratings"]) == {"given"}

    def test_mean_of_the_three_coefficients(self, scores: pl.DataFrame, ratings: pl.DataFrame) -> None:
        from scipy.stats import kendalltau, pearsonr, spearmanr

        noisy = ratings.with_columns((pl.col("consistency") ** 3).round(0))
        found = row(perturbed_correlations(scores, noisy, self.FAMILIES).frame, dimension="consistency", set="original")
        both = scores.join(noisy, on=["dialogue_id", "system", "variant"]).filter(variant="original")
        x, z = both["metric"].to_numpy(), both["consistency"].to_numpy()
        three = [test(x, z).statistic for test in (pearsonr, spearmanr, kendalltau)]
        assert [found[name] for name in ("pearson", "spearman", "kendall")] == pytest.approx(three)
        assert found["value"] == pytest.approx(np.mean(three))

    def test_oriented(self, scores: pl.DataFrame, ratings: pl.DataFrame) -> None:
        found = perturbed_correlations(scores, ratings, self.FAMILIES, directions={"metric": "lower"}, oriented=True)
        assert row(found.frame, dimension="relevance", set="original")["value"] == pytest.approx(-1.0)

    def test_priors_stand_in(self, scores: pl.DataFrame, ratings: pl.DataFrame) -> None:
        priors = {
            "add_negation": {"consistency": 2.95, "relevance": 5.21},
            "typos": {"consistency": 4.8, "relevance": 5.5},
            "contractions": {"consistency": 5.5, "relevance": 6.25},
        }
        only = ratings.filter(variant="original")
        with pytest.raises(InputError, match="accept priors"):
            perturbed_correlations(scores, only, self.FAMILIES)
        found = perturbed_correlations(scores, only, self.FAMILIES, priors=priors).frame
        assert row(found, dimension="consistency", set="baseline")["ratings"] == "priors"
        assert row(found, dimension="consistency", set="domain")["reason"] == "the ratings are constant"
        assert row(found, dimension="consistency", set="baseline")["value"] > 0

    def test_priors_do_not_mix_with_ratings(self, scores: pl.DataFrame, ratings: pl.DataFrame) -> None:
        priors = {"typos": {"consistency": 4.8, "relevance": 5.5}}
        some = ratings.filter(pl.col("variant") != "typos")
        found = perturbed_correlations(scores, some, self.FAMILIES, priors=priors).frame
        baseline = row(found, dimension="consistency", set="baseline")
        assert (baseline["ratings"], baseline["summaries"]) == ("given", 120)

    def test_rounding_is_declared(self) -> None:
        variants = pl.DataFrame(
            {"dialogue_id": ["d", "d"], "system": ["s", "s"], "variant": ["a", "a#2"], "role": ["overall"] * 2}
        )
        priors = {"a": {"consistency": 4.5, "relevance": 4.2}}
        assert spread_priors(variants, priors)["consistency"].to_list() == [5.0, 5.0]
        assert spread_priors(variants, priors, "half-even")["consistency"].to_list() == [4.0, 4.0]
        assert spread_priors(variants, priors, "none")["relevance"].to_list() == [4.2, 4.2]
