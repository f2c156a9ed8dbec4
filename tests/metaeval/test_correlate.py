"""``correlate``: pairing by key, missing and bad values, references, orientation, intervals and seeds."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval import (
    align,
    compare,
    correlate,
    correlation_matrix,
    human_ceiling,
    perturbed_correlations,
    reference_effect,
)
from dialgauge.metaeval._correlate import CORRELATIONS
from tests.metaeval.metaeval_oracles import frame_of, slow_correlation


def one(frame: pl.DataFrame, **where: str) -> dict:
    rows = frame.filter(*(pl.col(name) == value for name, value in where.items()))
    assert rows.height == 1
    return rows.row(0, named=True)


def test_rows_are_paired_by_key_whatever_their_order(made):
    x, y, z = made()
    tidy = correlate(frame_of({"a": x, "b": y}), frame_of({"quality": z}), resamples=0)
    shuffled = correlate(frame_of({"a": x, "b": y}, seed=1), frame_of({"quality": z}, seed=2), resamples=0)
    assert tidy.frame.equals(shuffled.frame)
    assert tidy.frame.schema == CORRELATIONS
    for level in ("system", "summary"):
        for coefficient in ("pearson", "spearman", "kendall"):
            row = one(tidy.frame, metric="a", level=level, coefficient=coefficient)
            assert row["value"] == pytest.approx(slow_correlation(x, z, level, coefficient), abs=1e-13)
    assert tidy.pairing.paired == 8 * 15
    assert tidy.table("summary", "pearson").columns == ["metric", "quality"]


def test_keys_of_one_side_are_counted_and_named(made):
    x, _, z = made()
    scores = frame_of({"a": x}).filter(pl.col("dialogue_id") != "d003")
    ratings = frame_of({"quality": z}).filter(pl.col("system") != "s01")
    result = correlate(scores, ratings, resamples=0)
    assert result.pairing.paired == 7 * 14
    assert result.pairing.only_scores.height == 14
    assert result.pairing.only_scores["system"].unique().to_list() == ["s01"]
    assert result.pairing.only_ratings["dialogue_id"].unique().to_list() == ["d003"]
    assert "14 only scores (first: d000 / s01)" in str(result.pairing)
    assert result.frame["systems"].unique().to_list() == [7]


def test_variants_and_roles_are_part_of_the_key(made):
    x, _, z = made()
    original = frame_of({"a": x})
    perturbed = frame_of({"a": -x}).with_columns(pl.lit("negated").alias("variant"))
    ratings = frame_of({"quality": z}).drop("variant", "role")
    both = correlate(pl.concat([perturbed, original]), ratings, resamples=0)
    assert both.frame.equals(correlate(original, ratings, resamples=0).frame)
    with pytest.raises(InputError, match="no summary has both"):
        correlate(original, ratings, role="agent")


def test_missing_values_are_pairwise_and_counted(made):
    x, y, z = made(missing=0.1)
    result = correlate(
        frame_of({"a": x, "b": y}), frame_of({"quality": z}), levels=["system", "summary", "global"], resamples=50
    )
    for name, matrix in (("a", x), ("b", y)):
        for level in ("system", "summary", "global"):
            row = one(result.frame, metric=name, level=level, coefficient="spearman")
            assert row["value"] == pytest.approx(slow_correlation(matrix, z, level, "spearman"), abs=1e-13)
            assert row["missing"] == int((np.isnan(matrix) | np.isnan(z)).sum())
            assert row["low"] <= row["high"]


def test_metrics_that_cannot_be_used_are_null_with_a_reason(made):
    x, _, z = made()
    infinite, empty, constant = x.copy(), np.full_like(x, np.nan), np.ones_like(x)
    infinite[2, 5] = np.inf
    frame = correlate(
        frame_of({"good": x, "infinite": infinite, "empty": empty, "constant": constant}),
        frame_of({"quality": z}),
        levels="summary",
        coefficients="pearson",
        resamples=100,
    ).frame
    reasons = dict(frame.select("metric", "reason").iter_rows())
    assert reasons["good"] is None
    assert reasons["infinite"] == "1 infinite values (first: d005 / s02 / original / overall)"
    assert reasons["empty"] == "no value for any of the paired summaries"
    assert reasons["constant"] == "the metric is constant"
    values = frame.filter(pl.col("metric") != "good").select("value", "low", "high")
    assert values.null_count().sum_horizontal()[0] == 9


def test_all_ratings_equal_and_one_system(made):
    x, _, z = made()
    equal = correlate(frame_of({"a": x}), frame_of({"quality": np.full_like(z, 4)}), resamples=20).frame
    assert equal["value"].null_count() == equal.height
    assert equal["reason"].unique().to_list() == ["the ratings are constant"]
    single = correlate(frame_of({"a": x[:1]}), frame_of({"quality": z[:1]}), resamples=20).frame
    assert single["reason"].unique().to_list() == ["one system: a correlation needs three"]


def test_bad_input(made):
    x, _, z = made()
    scores, ratings = frame_of({"a": x}), frame_of({"quality": z})
    with pytest.raises(UnknownNameError, match="did you mean 'quality'"):
        correlate(scores, ratings, dimensions=["qualty"])
    with pytest.raises(UnknownNameError, match="unknown metric 'rouge'"):
        correlate(scores, ratings, metrics=["rouge"])
    with pytest.raises(UnknownNameError, match="did you mean 'kendall'"):
        correlate(scores, ratings, coefficients=["kendal"])
    with pytest.raises(UnknownNameError, match="unknown level"):
        correlate(scores, ratings, levels="corpus")
    with pytest.raises(ParameterError, match="resamples"):
        correlate(scores, ratings, resamples=5)
    with pytest.raises(ParameterError, match="confidence"):
        correlate(scores, ratings, confidence=95)
    with pytest.raises(ParameterError, match="directions"):
        correlate(scores, ratings, oriented=True)
    with pytest.raises(ParameterError, match="seed"):
        correlate(scores, ratings, seed=-1)
    with pytest.raises(InputError, match=r"duplicate keys.*aggregate the annotators first"):
        correlate(scores, pl.concat([ratings, ratings]))
    with pytest.raises(InputError, match="must be numeric"):
        correlate(scores.with_columns(pl.lit("much").alias("a")), ratings)
    with pytest.raises(InputError, match="missing key column 'system'"):
        correlate(scores.drop("system"), ratings)
    with pytest.raises(InputError, match="no metric column"):
        correlate(scores.drop("a"), ratings)
    with pytest.raises(InputError, match=r"first: d000 / s00 / original / overall\).*first: e000"):
        correlate(scores, ratings.with_columns(pl.col("dialogue_id").str.replace("d", "e")))
    with pytest.raises(UnknownNameError, match=r"unknown setting of correlate 'resmples'; did you mean 'resamples'"):
        correlate(scores, ratings, resmples=100)
    assert correlate(scores, ratings, metrics="a").frame.equals(correlate(scores, ratings, metrics=["a"]).frame)


def test_the_same_seed_gives_the_same_bytes_whatever_else_is_asked(made):
    x, y, z = made(m=9, n=20)
    extra = {f"m{i}": x + i * y for i in range(5)}
    ratings = frame_of({"quality": z, "other": -z})
    few = correlate(frame_of({"a": x}), ratings, dimensions=["quality"], resamples=300, seed=4).frame
    many = correlate(frame_of({**extra, "a": x}), ratings, resamples=300, seed=4).frame
    same = many.filter(pl.col("metric") == "a", pl.col("dimension") == "quality")
    assert same.equals(few)
    other = correlate(frame_of({"a": x}), ratings, dimensions=["quality"], resamples=300, seed=5).frame
    assert not other.equals(few)


def test_orientation_turns_the_sign_of_lower_metrics_only(made):
    x, y, z = made()
    scores, ratings = frame_of({"loss": -x, "gain": y}), frame_of({"quality": z})
    options = {"directions": {"loss": "lower", "gain": "higher"}, "resamples": 0}
    raw = correlate(scores, ratings, oriented=False, **options).frame
    turned = correlate(scores, ratings, oriented=True, **options).frame
    signs = np.where(raw["metric"] == "loss", -1, 1)
    np.testing.assert_allclose(turned["value"], raw["value"] * signs, atol=1e-14)
    assert turned["oriented"].all()
    assert not raw["oriented"].any()
    assert dict(raw.select("metric", "direction").iter_rows()) == {"loss": "lower", "gain": "higher"}


def test_references_in_or_out(made):
    x, _, z = made()
    x[0] = 10.0  # a reference scores the maximum
    scores, ratings = frame_of({"a": x}), frame_of({"quality": z})
    out = correlate(scores, ratings, references=["s00"], resamples=0)
    assert "s00" not in out.systems
    kept = correlate(scores, ratings, references=["s00"], with_references=True, resamples=0)
    assert "s00" in kept.systems
    effect = reference_effect(scores, ratings, references=["s00"], coefficients="pearson")
    row = one(effect, level="system")
    assert row["with"] == one(kept.frame, level="system", coefficient="pearson")["value"]
    assert row["without"] == one(out.frame, level="system", coefficient="pearson")["value"]
    assert row["difference"] == row["with"] - row["without"]
    with pytest.raises(ParameterError, match="references"):
        reference_effect(scores, ratings, references=[])


def test_intervals_of_each_kind(made):
    x, _, z = made(m=12, n=20)
    scores, ratings = frame_of({"a": x}), frame_of({"quality": z})
    for options in (
        {"resample": "systems", "interval": "bca"},
        {"resample": "inputs", "interval": "bca"},
        {"resample": "both"},
        {"interval": "fisher"},
    ):
        frame = correlate(scores, ratings, levels="system", resamples=200, **options).frame
        assert (frame["low"] <= frame["value"]).all(), options
        assert (frame["value"] <= frame["high"]).all(), options
    summary = correlate(scores, ratings, levels="summary", interval="fisher").frame
    assert summary["low"].null_count() == 3
    assert "a closed-form interval is not valid" in summary["reason"][0]
    with pytest.raises(ParameterError, match="one-way"):
        correlate(scores, ratings, interval="bca")


def test_p_values_at_system_level_equal_scipy(made):
    x, _, z = made(m=12)
    frame = correlate(frame_of({"a": x}), frame_of({"quality": z}), resamples=0).frame
    means = x.mean(axis=1), z.mean(axis=1)
    for name, oracle in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        expected = oracle(*np.round(means, 12)).pvalue
        assert one(frame, level="system", coefficient=name)["p_value"] == pytest.approx(expected, rel=1e-8)
        assert one(frame, level="summary", coefficient=name)["p_value"] is None


def test_accuracies_sit_beside_correlations(made):
    x, _, z = made()
    frame = correlate(
        frame_of({"a": x}),
        frame_of({"quality": z}),
        levels=["system", "summary", "global"],
        coefficients=["pairwise_accuracy", "soft_pairwise_accuracy", "mean"],
        resample="systems",
        resamples=50,
    ).frame
    for level in ("system", "summary", "global"):
        row = one(frame, level=level, coefficient="pairwise_accuracy")
        assert 0.5 < row["low"] <= row["high"] <= 1
    assert one(frame, level="summary", coefficient="soft_pairwise_accuracy")["value"] is None
    soft = one(frame, level="system", coefficient="soft_pairwise_accuracy")
    assert 0.5 < soft["low"] <= soft["high"] <= 1


def test_align_gives_matrices_in_the_order_of_the_names(made):
    x, y, z = made()
    matrix = align(frame_of({"a": x, "b": y}, seed=3), frame_of({"quality": z}, seed=4))
    assert matrix.systems == tuple(f"s{i:02}" for i in range(8))
    np.testing.assert_array_equal(matrix.scores, np.stack([x, y]))
    np.testing.assert_array_equal(matrix.ratings[0], z)
    assert matrix.without(["s00"]).scores.shape == (2, 7, 15)


def with_role(frame: pl.DataFrame, role: str) -> pl.DataFrame:
    return frame.with_columns(pl.lit(role).alias("role"))


class TestRoles:
    def test_the_only_role_is_used(self, made):
        x, _, z = made()
        scores, ratings = frame_of({"a": x}), frame_of({"quality": z})
        overall = correlate(scores, ratings, resamples=0)
        agent = correlate(with_role(scores, "agent"), with_role(ratings, "agent"), resamples=0)
        assert agent.frame.equals(overall.frame)
        assert (overall.settings["role"], agent.settings["role"]) == ("overall", "agent")
        assert agent.pairing.filtered.is_empty()
        # Roles that were scored but never rated are not a choice to make.
        more = pl.concat([with_role(scores, "agent"), with_role(scores, "user"), scores])
        result = correlate(more, with_role(ratings, "agent"), resamples=0)
        assert result.settings["role"] == "agent"
        assert "only the role 'agent' is used: 240 scored and 0 rated summaries of overall, user are" in str(
            result.pairing
        )

    def test_several_roles(self, made):
        x, _, z = made()
        scores, ratings = frame_of({"a": x}), frame_of({"quality": z})
        sides = [
            pl.concat([with_role(frame, "agent"), with_role(frame, "user").head(20)]) for frame in (scores, ratings)
        ]
        with pytest.raises(InputError, match=r"several roles have ratings: agent \(120 rated\), user \(20 rated\)"):
            correlate(*sides)
        chosen = correlate(*sides, role="agent", resamples=0)
        assert chosen.frame.equals(correlate(scores, ratings, resamples=0).frame)
        assert chosen.pairing.filtered.rows() == [
            ("ratings", "user", "original", 20),
            ("scores", "user", "original", 20),
        ]
        mixed = correlate(pl.concat([sides[0], scores]), pl.concat([sides[1], ratings]), resamples=0)
        assert mixed.settings["role"] == "overall"
        assert "140 scored and 140 rated summaries of agent, user are left out" in str(mixed.pairing)
        with pytest.raises(InputError, match="roles in the scores: agent, user; in the ratings: agent, user"):
            correlate(*sides, role="judge")

    def test_other_variants_are_counted(self, made):
        x, _, z = made()
        perturbed = [frame_of({"a": x}).with_columns(pl.lit(f"v{i}").alias("variant")) for i in range(6)]
        result = correlate(pl.concat([frame_of({"a": x}), *perturbed]), frame_of({"quality": z}), resamples=0)
        text = "only the variant 'original' is used: 720 scored and 0 rated summaries of v0, v1, v2 and 3 more"
        assert text in str(result.pairing)

    def test_everywhere_alike(self, made):
        x, y, z = made()
        scores, ratings = frame_of({"a": x, "b": y}), frame_of({"quality": z})
        by_role = with_role(scores, "agent"), with_role(ratings, "agent")
        assert compare(*by_role, resamples=50).frame.equals(compare(scores, ratings, resamples=50).frame)
        assert correlation_matrix(by_role[0]).frame.equals(correlation_matrix(scores).frame)
        damaged = pl.concat([scores, frame_of({"a": y, "b": x}).with_columns(pl.lit("cut").alias("variant"))])
        rated = pl.concat([ratings, ratings.with_columns(pl.lit("cut").alias("variant"))])
        options = {"families": {"cut": "loss"}, "dimensions": ["quality"]}
        perturbed = perturbed_correlations(with_role(damaged, "agent"), with_role(rated, "agent"), **options)
        assert perturbed.frame.equals(perturbed_correlations(damaged, rated, **options).frame)
        assert perturbed.settings["role"] == "agent"
        keys = [(f"d{j}", f"s{i}") for i in range(len(z)) for j in range(len(z[0]))]
        generator = np.random.default_rng(0)
        noisy = {name: np.clip(z + generator.integers(-1, 2, z.shape), 1, 5).ravel() for name in ("ann", "bob")}
        people = Corpus.build(
            [Dialogue(f"d{j}", (Turn("Ann", f"Dialogue {j}."),)) for j in range(len(z[0]))],
            [Summary(*key, "Summary.", role=role) for role in ("agent", "user") for key in keys],
            [
                Rating(*key, name, "quality", float(value), role=role, scale="1-5")
                for role in ("agent", "user")
                for name, values in noisy.items()
                for key, value in zip(keys, values, strict=True)
            ],
        ).ratings
        agent = people.filter(pl.col("role") == "agent")
        found = human_ceiling(agent, resamples=0).frame
        assert found["value"].null_count() == 0
        assert human_ceiling(people, resamples=0, role="user").frame.equals(found)
        with pytest.raises(InputError, match="several roles"):
            human_ceiling(people)


def test_missing_values_are_said(made):
    x, y, z = made()
    x[0, :5], y[1, 2], z[3, 3] = np.nan, np.nan, np.nan
    pairing = correlate(frame_of({"a": x, "b": y, "c": y}), frame_of({"quality": z}), resamples=0).pairing
    assert dict(pairing.missing_scores) == {"a": 5, "b": 1, "c": 1}
    assert dict(pairing.missing_ratings) == {"quality": 1}
    assert "missing scores: 5 of a; 1 of b, c; missing ratings: 1 of quality" in str(pairing)


class TestMetricsOfSystems:
    def whole(self, values: np.ndarray) -> pl.DataFrame:
        return pl.DataFrame({"system": [f"s{i:02}" for i in range(len(values))], "corpus": values}).reverse()

    def test_system_level(self, made):
        x, y, z = made()
        scores, ratings, values = frame_of({"a": x}), frame_of({"quality": z}), np.exp(y.mean(axis=1))
        result = correlate(scores, ratings, systems=self.whole(values), resamples=100)
        alone = correlate(scores, ratings, resamples=100).frame
        assert result.frame.filter(pl.col("metric") == "a").equals(alone)
        for coefficient, oracle in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
            row = one(result.frame, metric="corpus", level="system", coefficient=coefficient)
            expected = oracle(values, z.mean(axis=1))
            assert row["value"] == pytest.approx(expected.statistic, abs=1e-12)
            assert row["p_value"] == pytest.approx(expected.pvalue, abs=1e-9)
            assert row["low"] < row["value"] < row["high"]
            assert row["reason"] == "one value per system: the interval is over systems only"
        lower = one(result.frame, metric="corpus", level="summary", coefficient="pearson")
        assert lower["value"] is None
        assert "where a value per summary is needed" in lower["reason"]
        turned = correlate(
            scores,
            ratings,
            systems=self.whole(values),
            metrics=["corpus"],
            directions={"corpus": "lower"},
            oriented=True,
            levels="system",
            coefficients="pearson",
            resamples=0,
        ).frame
        assert turned.height == 1
        assert turned["value"][0] == pytest.approx(-stats.pearsonr(values, z.mean(axis=1)).statistic, abs=1e-12)

    def test_intervals_are_those_over_systems(self, made):
        x, _, z = made()
        values = x.mean(axis=1)
        options = {"levels": "system", "coefficients": "pearson", "resamples": 200, "resample": "systems"}
        frame = correlate(frame_of({"a": x}), frame_of({"quality": z}), systems=self.whole(values), **options).frame
        mine, theirs = (one(frame, metric=name) for name in ("corpus", "a"))
        for key in ("value", "low", "high", "p_value"):
            assert mine[key] == pytest.approx(theirs[key], abs=1e-12)
        assert mine["reason"] is None
        options["resample"] = "inputs"
        frame = correlate(frame_of({"a": x}), frame_of({"quality": z}), systems=self.whole(values), **options).frame
        row = one(frame, metric="corpus")
        assert row["value"] is not None
        assert row["low"] is None
        assert row["reason"] == "one value per system: an interval over inputs does not exist"

    def test_alone_and_incomplete(self, made):
        x, _, z = made()
        values = x.mean(axis=1)
        values[2] = np.nan
        scores = frame_of({"a": x}).drop("a")
        frame = correlate(scores, frame_of({"quality": z}), systems=self.whole(values), levels="system").frame
        row = one(frame, coefficient="pearson")
        keep = np.arange(len(x)) != 2
        assert row["value"] == pytest.approx(stats.pearsonr(values[keep], z.mean(axis=1)[keep]).statistic, abs=1e-12)
        assert row["systems"] == 7
        assert row["reason"].startswith("no value for 1 of 8 systems")
        values[3] = np.inf
        frame = correlate(scores, frame_of({"quality": z}), systems=self.whole(values), levels="system").frame
        assert frame["value"].null_count() == frame.height
        assert frame["reason"].unique().to_list() == ["infinite values (first: s03)"]

    def test_bad_input(self, made):
        x, _, z = made()
        scores, ratings, whole = frame_of({"a": x}), frame_of({"quality": z}), self.whole(x.mean(axis=1))
        with pytest.raises(InputError, match="'a' has values per summary and per system"):
            correlate(scores, ratings, systems=whole.rename({"corpus": "a"}))
        with pytest.raises(InputError, match="missing key column 'system'"):
            correlate(scores, ratings, systems=whole.drop("system"))
        with pytest.raises(InputError, match="several rows for the system"):
            correlate(scores, ratings, systems=pl.concat([whole, whole]))
        with pytest.raises(InputError, match="must be numeric"):
            correlate(scores, ratings, systems=whole.cast({"corpus": pl.String}))
        with pytest.raises(UnknownNameError, match="korpus"):
            correlate(scores, ratings, systems=whole, metrics=["korpus"])
        with pytest.raises(InputError, match="no metric column"):
            correlate(scores.drop("a"), ratings)
