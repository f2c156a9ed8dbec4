"""Which system is better: the paired test, the two intervals of ratings, and whether metric and people agree."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from dialgauge.corpus import Corpus, Dialogue, Dimension, Preference, Rating, Span, Summary, embedded_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import compare_systems
from dialgauge.metaeval._draws import swap_masks
from dialgauge.metaeval._rater_interval import over_dialogues, over_raters, pairs_over_raters
from dialgauge.metaeval._student_mix import StudentMix
from dialgauge.metaeval._system_pairs import pair_systems
from dialgauge.metrics import Scores, score
from dialgauge.report import pair_tables


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return embedded_corpus()


@pytest.fixture(scope="module")
def scores(corpus: Corpus) -> Scores:
    return score(corpus, ["rouge-1", "ter", "length"])


def test_a_pair_is_the_paired_t_interval_and_counts_wins(corpus: Corpus, scores: Scores) -> None:
    found = compare_systems(corpus, scores, systems=["careful", "glib"])
    row = found.frame.row(by_predicate=pl.col("name") == "rouge-1", named=True)
    wide = scores.frame.pivot("system", index="dialogue_id", values="rouge-1")
    differences = (wide["careful"] - wide["glib"]).to_numpy()
    expected = stats.ttest_1samp(differences, 0).confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert row["effect"] == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert row["wins"] == (differences > 0).sum()
    assert row["wins"] + row["ties"] + row["losses"] == len(differences)
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.003)
    assert found.settings["pairs"] == 1
    assert row["p_corrected"] == row["p_value"]


def test_lower_is_better_and_descriptive_metrics_name_the_right_system(corpus: Corpus, scores: Scores) -> None:
    frame = compare_systems(corpus, scores, systems=["careful", "glib"]).frame
    better = dict(frame.filter(kind="metric").select("name", "better").iter_rows())
    assert better == {"rouge-1": "glib", "ter": "glib", "length": None}
    ter = frame.row(by_predicate=pl.col("name") == "ter", named=True)
    assert ter["difference"] > 0
    assert ter["wins"] < ter["losses"]
    turned = compare_systems(corpus, systems=["careful", "glib"], lower_is_better="consistency").frame
    assert turned.row(by_predicate=pl.col("name") == "consistency", named=True)["better"] == "glib"


def test_metric_and_people_can_name_opposite_systems(corpus: Corpus, scores: Scores) -> None:
    found = compare_systems(corpus, scores, systems=["careful", "glib"]).agreement
    said = dict(found.filter(metric="rouge-1").select("dimension", "agree").iter_rows())
    assert said == {"coherence": "no", "consistency": "no", "fluency": "metric only", "relevance": "no"}


def test_holm_is_over_the_pairs_of_each_measure(corpus: Corpus) -> None:
    three = compare_systems(corpus, systems=["careful", "glib", "rough"]).frame
    raw = compare_systems(corpus, systems=["careful", "glib", "rough"], correction="none").frame
    assert three.height == 3 * 4
    assert raw["p_corrected"].to_list() == raw["p_value"].to_list()
    for part in three.partition_by("name"):
        assert part["p_corrected"].min() == pytest.approx(3 * part["p_value"].min())


def test_the_interval_for_other_raters_is_the_analysis_of_variance_of_a_complete_table() -> None:
    generator = np.random.default_rng(5)
    one, other = generator.normal(size=(4, 12)), generator.normal(size=(4, 12))
    d = one - other
    by_dialogue, by_rater = d.mean(0).var(ddof=1) / 12, d.mean(1).var(ddof=1) / 4
    left = d - d.mean(0) - d.mean(1, keepdims=True) + d.mean()
    error = (left**2).sum() / (3 * 11) / 48
    quantiles = stats.t.ppf(0.975, [11, 3])
    wide = (by_dialogue * quantiles[0] + by_rater * quantiles[1]) / (by_dialogue + by_rater)
    half = wide * np.sqrt(max(by_dialogue, by_rater, by_dialogue + by_rater - error))
    found = over_raters(one, other, 0.95)
    assert (found.value, found.high - found.value, found.units) == pytest.approx((d.mean(), half, 4))
    again = over_raters(one, other, 1 - found.p_value)  # at this confidence the interval just reaches zero
    assert min(abs(again.low), abs(again.high)) < 1e-9


def test_raters_who_prefer_a_system_widen_only_the_interval_for_other_raters() -> None:
    generator = np.random.default_rng(1)
    taste = np.array([[1.5], [0.0], [0.2]])
    one, other = generator.normal(size=(3, 100)) + taste, generator.normal(size=(3, 100))
    these = over_dialogues((one - other).mean(axis=0), 0.95)
    others = over_raters(one, other, 0.95)
    assert these.low > 0
    assert others.low < 0 < others.high


def test_missing_ratings_of_a_crowd_still_give_an_interval() -> None:
    generator = np.random.default_rng(2)
    one, other = generator.normal(size=(2, 30, 60)) + np.array([2.0, 0.0])[:, None, None]
    drop = np.argsort(generator.random((2, 30, 60)), axis=1) >= 3
    one[drop[0]], other[drop[1]] = np.nan, np.nan  # three of thirty raters each, not the same for both systems
    found = over_raters(one, other, 0.95)
    assert found.low > 1.2
    assert found.high < 2.8
    assert found.units == 30


def test_all_pairs_of_systems_have_the_interval_of_each_pair_alone() -> None:
    generator = np.random.default_rng(3)
    cube = np.round(generator.normal(size=(5, 4, 20)) * 2)
    cube[generator.random(cube.shape) < 0.2] = np.nan
    cube[4, :, 3:] = np.nan  # hardly rated at all
    together = pairs_over_raters(cube, 0.9)
    alone = [over_raters(cube[i], cube[j], 0.9) for i in range(5) for j in range(i + 1, 5)]
    for name in ("value", "low", "high", "p_value", "units"):
        each = [float(getattr(one, name)) for one in alone]
        assert getattr(together, name) == pytest.approx(each, rel=1e-12, nan_ok=True)


def test_the_tail_of_mixed_quantiles_is_their_inverse_wherever_it_lies() -> None:
    generator = np.random.default_rng(4)
    degrees = generator.choice([1, 2, 49, 1999, 20_000], 300), generator.choice([1, 2, 5, 60], 300)
    mix = StudentMix(*degrees, *(10 ** generator.uniform(-6, 0, (2, 300))))
    distance = 10 ** generator.uniform(-3, 4, 300)
    tail = mix.tail(distance)
    reached = mix.quantile(tail)
    known = tail > 1e-300  # the smallest tail that is told from zero
    assert known.mean() > 0.8
    assert reached[known] == pytest.approx(distance[known], rel=1e-8)
    assert mix.tail(np.zeros(300)).tolist() == [0.5] * 300


def test_swaps_of_all_pairs_at_once_are_those_of_each_pair_ties_included() -> None:
    generator = np.random.default_rng(6)
    for values in (generator.normal(size=(6, 30)), np.round(generator.normal(size=(6, 30)))):
        p_values = iter(pair_systems(values, False, 2000, 0).p_value)
        signs = 1 - 2 * swap_masks("swap-inputs", 2000, 30, seed=0).astype(int)
        for i in range(6):
            for j in range(i + 1, 6):
                difference = values[i] - values[j]
                reached = np.abs(signs @ difference) >= abs(difference.sum()) - 1e-9
                assert next(p_values) == (reached.sum() + 1) / 2001


def test_a_table_of_too_many_pairs_keeps_neighbours_in_the_order_of_means(corpus: Corpus) -> None:
    found = compare_systems(corpus)
    whole = pair_tables(found.frame, found.settings, ["consistency"])[0]
    few = pair_tables(found.frame, found.settings, ["consistency"], most=8)[0]
    count = len({*found.settings["systems"]})
    assert len(whole.rows) == count * (count - 1) // 2
    assert len(few.rows) == count - 1 + (count - 2 if 2 * count - 3 <= 8 else 0)
    assert set(few.rows) < set(whole.rows)
    assert "system-comparisons.parquet has all" in few.notes[-1]


def test_one_rater_says_nothing_about_others() -> None:
    found = over_raters(np.ones((1, 5)), np.zeros((1, 5)), 0.95)
    assert found.value == 1.0
    assert np.isnan([found.low, found.high, found.p_value]).all()


def test_equal_values_are_no_difference() -> None:
    found = over_raters(np.full((3, 10), 2.0), np.full((3, 10), 2.0), 0.95)
    assert [float(one) for one in (found.value, found.low, found.high, found.p_value)] == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"systems": ["careful"]}, InputError, "needs two systems; there is one, 'careful'"),
        ({"systems": ["carefull", "glib"]}, UnknownNameError, "did you mean 'careful'"),
        ({"metrics": ["rogue-1"]}, UnknownNameError, "did you mean 'rouge-1'"),
    ],
)
def test_bad_input(
    corpus: Corpus, scores: Scores, changes: dict[str, list[str]], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        compare_systems(corpus, scores, **changes)


def test_judgements_of_other_kinds_compare_systems_and_classes_do_not() -> None:
    dialogues = [Dialogue(f"d{n}", ()) for n in range(8)]
    corpus = Corpus.build(
        dialogues,
        [Summary(one.id, system, f"{system} {one.id}") for one in dialogues for system in ("bart", "gpt")],
        [Rating(one.id, "bart", "ann", "type", 1.0, scale="1-2") for one in dialogues],
        preferences=[Preference(f"d{n}", "bart", "gpt", "ann", "better", "b" if n else "tie") for n in range(8)],
        spans=[Span(one.id, "bart", "ann", "errors", start=0, end=4, severity="major") for one in dialogues]
        + [Span(one.id, "gpt", "ann", "errors") for one in dialogues],
        declared=[Dimension("type", "nominal", "1-2", ("none", "name"), "none")],
    )
    found = {row["name"]: row for row in compare_systems(corpus).frame.iter_rows(named=True)}
    assert sorted(found) == ["better", "errors any", "errors penalty", "errors per 100 words"]
    assert (found["better"]["difference"], found["better"]["better"]) == (-7 / 8, "gpt")
    assert (found["errors penalty"]["difference"], found["errors penalty"]["better"]) == (5.0, "gpt")


def rated_apart(shared: int = 0) -> Corpus:
    """Two systems on twelve dialogues each, of which some have both."""
    generator = np.random.default_rng(3)
    places = [("a", n) for n in range(12)] + [("b", n) for n in range(12 - shared, 24 - shared)]
    return Corpus.build(
        [Dialogue(f"d{n:02}", ()) for n in range(24)],
        [Summary(f"d{n:02}", system, "Text.") for system, n in places],
        [
            Rating(
                f"d{n:02}", system, who, "fluency", float(generator.integers(1, 4) + 2 * (system == "b")), scale="1-5"
            )
            for system, n in places
            for who in ("x", "y")
        ],
    )


@pytest.mark.parametrize("shared", [0, 5])
def test_systems_rated_on_different_dialogues_are_tested_unpaired(shared: int) -> None:
    corpus = rated_apart(shared)
    row = compare_systems(corpus).frame.row(0, named=True)
    means = corpus.ratings.group_by("system", "dialogue_id").agg(pl.col("value").mean())
    one, other = (means.filter(system=name)["value"].to_numpy() for name in "ab")
    expected = stats.ttest_ind(one, other, equal_var=False)
    ends = expected.confidence_interval()
    assert (row["design"], row["better"], row["wins"]) == ("unpaired", "b", 0)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
    pooled = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 2)
    assert row["effect"] == pytest.approx((one.mean() - other.mean()) / pooled)
    table = pair_tables(compare_systems(corpus).frame, compare_systems(corpus).settings)[0]
    assert any(note.startswith("Unpaired:") for note in table.notes)


def test_where_half_of_the_dialogues_have_both_the_test_is_paired() -> None:
    assert compare_systems(rated_apart(6)).frame["design"].to_list() == ["paired"]


def test_two_systems_with_a_dialogue_each_say_why_there_is_no_test() -> None:
    corpus = Corpus.build(
        [Dialogue("d0", ()), Dialogue("d1", ())],
        [Summary("d0", "a", "Text."), Summary("d1", "b", "Text.")],
        [Rating("d0", "a", "x", "fluency", 2.0, scale="1-5"), Rating("d1", "b", "x", "fluency", 4.0, scale="1-5")],
    )
    found = compare_systems(corpus)
    assert found.frame["difference"].to_list() == [-2]
    table = pair_tables(found.frame, found.settings)[0]
    assert (
        "1 pair without a test: a system has values on one dialogue only, or no value varies: no test." in table.notes
    )
    assert table.rows[0].cells[-1].text == "–"
