"""The verdict on made studies: noise names nothing, a true metric is named, and each reason appears and goes."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge import embedded_corpus
from dialgauge.corpus import KEY, Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval import TrustSettings, Verdicts, correlate, robustness, trust
from dialgauge.ratings import RatingPolicy, treat_ratings

QUICK = {"null_runs": 0, "resamples": 100}


@dataclass
class Table:
    """As much of scores as the verdict needs."""

    frame: pl.DataFrame
    directions: dict[str, str]
    systems: pl.DataFrame = field(default_factory=pl.DataFrame)

    @property
    def judging(self) -> list[str]:
        return [name for name, way in self.directions.items() if way != "none" and name in self.frame.columns]


@dataclass
class Made:
    """A study of made numbers: quality and lengths are systems × dialogues, metrics likewise."""

    quality: np.ndarray
    metrics: dict[str, np.ndarray]
    lengths: np.ndarray
    noise: float = 0.5
    raters: int = 3
    dimension: str = "fluency"
    seed: int = 0

    def corpus(self) -> Corpus:
        generator = np.random.default_rng(self.seed)
        m, n = self.quality.shape
        heard = self.quality[..., None] + self.noise * generator.normal(size=(m, n, self.raters))
        dialogues = [Dialogue(f"d{j:03}", (Turn("A", "word " * (5 + j % 7)),) * (1 + j % 3)) for j in range(n)]
        summaries, ratings = [], []
        for i in range(m):
            for j in range(n):
                summaries.append(Summary(f"d{j:03}", f"s{i}", f"w{i}x{j} " * int(self.lengths[i, j])))
                if not np.isnan(self.quality[i, j]):
                    ratings += [
                        Rating(f"d{j:03}", f"s{i}", f"r{k}", self.dimension, float(np.round(heard[i, j, k], 1)))
                        for k in range(self.raters)
                    ]
        return Corpus.build(dialogues, summaries, ratings)

    def scores(self) -> Table:
        m, n = self.quality.shape
        keys = [(f"d{j:03}", f"s{i}", "original", "overall") for i in range(m) for j in range(n)]
        frame = pl.DataFrame(keys, schema=dict.fromkeys(KEY, pl.String), orient="row")
        frame = frame.with_columns(pl.Series(name, values.ravel()) for name, values in self.metrics.items())
        return Table(frame, dict.fromkeys(self.metrics, "higher"))

    def decide(self, **settings: Any) -> Verdicts:
        return trust(self.corpus(), self.scores(), **(QUICK | settings))


def made(m: int = 8, n: int = 20, r: float = 0.85, seed: int = 0, **changes: Any) -> Made:
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(m, n)) + generator.normal(size=(m, 1))
    noise = {f"noise-{k}": generator.normal(size=(m, n)) + generator.normal(size=(m, 1)) for k in range(4)}
    own = generator.normal(size=(m, n)) + 0.3 * generator.normal(size=(m, 1))
    lengths = generator.integers(3, 12, size=(m, n))
    return Made(quality, {"good": r * quality + np.sqrt(1 - r * r) * own, **noise}, lengths, **changes)


def codes(found: Verdicts, metric: str = "good", dimension: str = "fluency") -> set[str]:
    return {reason.code for reason in found.row(metric, dimension).reasons}


def test_a_true_metric_is_to_be_used_and_noise_is_not() -> None:
    found = made().decide(null_runs=20)
    best = found.row("good", "fluency")
    assert (best.verdict, best.shown_by, best.scope) == ("use", ("order", "cells"), "new systems")
    assert best.among_best
    assert best.r == pytest.approx(0.8, abs=0.15)
    assert best.low < best.r < best.high
    assert best.r > best.bar
    assert {row.verdict for row in found.of("fluency") if row.metric != "good"} == {"do-not-use"}
    assert codes(found, "noise-0") == {"not-shown"}
    line = found.dimensions.row(0, named=True)
    assert (line["verdict"], line["metric"], line["named"], line["action"]) == ("use", "good", 1, "use")
    assert line["action_sentence"] == "Use good."
    assert found.null_rate <= 0.2
    assert Verdicts.from_json(found.to_json()).to_json() == found.to_json()


def test_a_study_of_noise_names_nothing_and_says_why() -> None:
    study = made(r=0.0, seed=3)
    found = study.decide()
    assert {row.verdict for row in found.rows} == {"do-not-use"}
    assert all("not-shown" in codes(found, row.metric) for row in found.rows)
    assert found.dimensions["metric"].to_list() == [None]
    assert found.dimensions["action"][0] in ("more-dialogues", "more-systems", "try-others")
    assert "would be needed" in found.rows[0].reasons[0].sentence


@pytest.mark.parametrize(("systems", "level"), [(8, "summary"), (8, "system"), (4, "summary"), (2, "summary")])
def test_a_metric_with_one_value_per_system_is_judged_by_the_order_of_systems(systems: int, level: str) -> None:
    study = made(m=systems)
    scores = study.scores()
    whole = pl.DataFrame({"system": [f"s{i}" for i in range(systems)], "whole": study.quality.mean(axis=1)})
    judged = Table(scores.frame, scores.directions | {"whole": "higher"}, whole)
    found = trust(study.corpus(), judged, **QUICK, level=level)
    row = found.row("whole", "fluency")
    if systems == 8:
        assert (row.shown_by, row.r_system > 0.95) == (("order",), True)
        assert "orders-systems-only" in codes(found, "whole")
    else:
        assert row.verdict == "do-not-use"
        assert "it takes 5 systems" in row.reasons[0].sentence
    assert trust(study.corpus(), judged, **QUICK, metrics=["whole"]).rows[0].metric == "whole"


def test_the_same_answer_twice_and_settings_or_keywords() -> None:
    study = made()
    corpus, scores = study.corpus(), study.scores()
    one = trust(corpus, scores, TrustSettings(**QUICK), RatingPolicy(aggregate="median"))
    assert one.to_json() == trust(corpus, scores, **QUICK, aggregate="median").to_json()
    with pytest.raises(UnknownNameError, match="did you mean 'resamples'"):
        trust(corpus, scores, resmples=3)
    with pytest.raises(ParameterError, match="null_runs"):
        trust(corpus, scores, null_runs=-1)


@pytest.mark.parametrize(("m", "code", "caps"), [(1, "too-few-systems", "do-not-use"), (4, "too-few-systems", "care")])
def test_few_systems_are_said(m: int, code: str, caps: str) -> None:
    found = made(m, 40).decide()
    assert code in codes(found)
    assert found.row("good", "fluency").verdict == caps
    assert code not in codes(made(5, 40).decide())


def test_a_floor_above_the_error_decides_nothing() -> None:
    found = made(4, 40).decide(confidence=0.99)
    assert found.row("good", "fluency").verdict == "do-not-use"
    assert any("no p-value can be below" in reason.sentence for reason in found.row("good", "fluency").reasons)


def test_two_systems_are_judged_by_their_dialogues_and_never_better_than_care() -> None:
    found = made(2, 60).decide()
    row = found.row("good", "fluency")
    assert (row.verdict, row.shown_by, row.scope, row.r) == ("care", ("cells",), "these systems", None)
    assert {"these-systems-only", "too-few-systems"} <= codes(found)
    assert row.c > row.c_bar
    assert row.c_low < row.c < row.c_high
    assert row.accuracy > 0.7
    assert row.p_accuracy < 0.01
    assert row.global_low < row.r_global < row.global_high
    assert "these-systems-only" not in codes(made(6, 40).decide())
    assert found.dimensions["best_floor"][0] == 0.5
    assert found.dimensions["action"][0] == "use-with-care"
    assert row.reasons[0].sentence.startswith("Follows which summary of these 2 systems is better")


def test_a_metric_of_the_order_of_systems_alone_or_of_cells_alone() -> None:
    study = made(9, 30, seed=5)
    generator = np.random.default_rng(1)
    systems = study.quality.mean(axis=1, keepdims=True)
    cells = study.quality - systems
    study.metrics["orders"] = 3 * systems + generator.normal(size=study.quality.shape)
    study.metrics["cells"] = cells + generator.normal(size=study.quality.shape) + 3 * generator.normal(size=(9, 1))
    study.metrics["backwards"] = cells - 2 * systems + 0.5 * generator.normal(size=study.quality.shape)
    found = study.decide()
    assert "orders-systems-only" in codes(found, "orders")
    assert "cells-only" in codes(found, "cells")
    assert found.row("cells", "fluency").verdict == "care"
    assert "wrong-order" in codes(found, "backwards")
    assert found.row("backwards", "fluency").verdict == "do-not-use"
    assert not {"orders-systems-only", "cells-only", "wrong-order"} & codes(found, "good")


def test_a_metric_that_is_the_length_says_so() -> None:
    study = made(8, 30, seed=6)
    study.lengths = np.clip(np.round(12 + 4 * study.quality), 1, 40).astype(int)
    generator = np.random.default_rng(2)
    study.metrics["long"] = study.lengths + 1.5 * generator.normal(size=study.quality.shape)
    study.metrics["good"] = study.quality + 0.2 * generator.normal(size=study.quality.shape)
    study.quality = study.quality + 0.8 * generator.normal(size=study.quality.shape)
    study.metrics["good"] = study.quality + 0.2 * generator.normal(size=study.quality.shape)
    found = study.decide()
    assert "explained-by-length" in codes(found, "long")
    assert found.row("long", "fluency").verdict == "care"
    assert "no-better-than-length" in codes(found, "long")
    assert not {"explained-by-length", "no-better-than-length"} & codes(found, "good")
    length = found.controls.filter(pl.col("control") == "length").row(0, named=True)
    assert length["r"] > 0.4
    assert length["p_order"] < 0.05
    plain = study.decide(controls=False)
    assert "explained-by-length" not in codes(plain, "long")
    assert plain.controls.is_empty()


def test_controls_stand_beside_and_are_not_corrected_for() -> None:
    study = made()
    found, plain = study.decide(), study.decide(controls=False)
    assert found.frame["p_order"].to_list() == plain.frame["p_order"].to_list()
    names = set(found.controls["control"])
    assert names == {"length", "length-difference", "shared-words", "random", "system-oracle"}
    assert found.controls.filter(pl.col("control") == "length-difference")["reason"][0] is not None, "no references"
    assert not names & set(found.frame["metric"])


def test_a_metric_that_rests_on_one_system() -> None:
    study = made(8, 30, seed=7)
    generator = np.random.default_rng(3)
    study.quality = generator.normal(size=study.quality.shape)
    study.quality[0] -= 6
    away = generator.normal(size=study.quality.shape) + 0.35 * study.quality
    away[0] -= 6
    study.metrics["away"] = away
    found = study.decide()
    assert found.row("away", "fluency").named
    assert "hangs-on-one-system" in codes(found, "away")
    assert found.row("away", "fluency").verdict == "care"
    assert "hangs-on-one-system" not in codes(made().decide())


def test_agreement_caps_the_verdict() -> None:
    good = made(noise=0.3).decide()
    assert not {"low-agreement", "no-agreement", "unknown-agreement"} & codes(good)
    low = made(noise=3.0, n=60).decide()
    assert "low-agreement" in codes(low)
    assert low.row("good", "fluency").verdict == "care"
    assert "raters" in low.needed["what"].to_list()
    study = made(n=40)
    chance = study.corpus()
    generator = np.random.default_rng(0)
    shuffled = chance.ratings.with_columns(pl.Series("value", generator.permutation(chance.ratings["value"])))
    none = trust(Corpus(chance.dialogues, chance.summaries, shuffled), study.scores(), **QUICK)
    assert {row.verdict for row in none.rows} == {"do-not-use"}
    assert "no-agreement" in codes(none)
    assert none.dimensions["action"][0] == "rate-again"
    alone = made(raters=1).decide()
    assert "unknown-agreement" in codes(alone)
    assert alone.row("good", "fluency").verdict == "care"


def test_a_rater_who_differs_from_the_others_is_said() -> None:
    study = made(n=30)
    given = study.corpus()
    generator = np.random.default_rng(1)
    own = pl.Series("value", generator.permutation(given.ratings["value"]))
    odd = given.ratings.with_columns(pl.when(annotator="r2").then(own).otherwise("value").alias("value"))
    found = trust(Corpus(given.dialogues, given.summaries, odd), study.scores(), **QUICK)
    assert "outlying-raters" in codes(found)
    assert "outlying-raters" not in codes(study.decide())


def test_a_weak_metric() -> None:
    weak = made(14, 60, r=0.3).decide()
    assert weak.row("good", "fluency").named
    assert "weak" in codes(weak)
    assert "weak" not in codes(made().decide())


def test_a_dimension_rated_on_few_summaries_is_not_shown_as_equal() -> None:
    study, other = made(8, 40), made(8, 40, dimension="tone")
    other.quality = study.quality.copy()
    other.quality[:, 12:] = np.nan
    both = study.corpus()
    ratings = pl.concat([both.ratings, other.corpus().ratings])
    found = trust(Corpus(both.dialogues, both.summaries, ratings), study.scores(), **QUICK)
    assert "few-ratings" in codes(found, dimension="tone")
    assert "few-ratings" not in codes(found)


def test_systems_that_share_no_dialogues_are_refused() -> None:
    study = made(6, 36)
    for i in range(6):
        study.quality[i, [j for j in range(36) if j % 6 != i]] = np.nan
    found = study.decide()
    assert "not-crossed" in codes(found)
    assert {row.verdict for row in found.rows} == {"do-not-use"}
    assert found.dimensions["action"][0] == "cross-systems"
    assert "not-crossed" not in codes(made().decide())


def test_a_constant_metric_has_no_verdict() -> None:
    study = made()
    study.metrics["flat"] = np.full(study.quality.shape, 2.0)
    found = study.decide()
    assert codes(found, "flat") == {"undefined"}
    assert found.row("flat", "fluency").p_order is None
    assert found.row("good", "fluency").verdict == "use"


def test_lower_is_better_where_settings_or_the_name_say_so() -> None:
    study = made(dimension="rank")
    study.quality = -study.quality
    found = study.decide()
    assert found.row("good", "rank").verdict == "use"
    assert found.dimensions.select("better", "better_said_by").row(0) == ("lower", "name")
    assert "rank" in found.notes[0]
    contrary = study.decide(higher_is_better=["rank"])
    assert contrary.row("good", "rank").verdict == "do-not-use"
    assert contrary.dimensions["better_said_by"][0] == "settings"
    assert not contrary.notes
    plain = made()
    plain.quality = -plain.quality
    assert plain.decide().row("good", "fluency").r < 0
    assert plain.decide(lower_is_better=["fluency"]).row("good", "fluency").verdict == "use"


def test_damage_that_is_not_noticed_is_a_reason() -> None:
    study = made()
    breaks, rewrites = ["cut", "swap", "lie"], ["words", "order", "active"]
    effects = {name: {"fluency": "degrades"} for name in breaks} | {name: {"fluency": "preserves"} for name in rewrites}

    def reactions(raised: float, kinds: int = 3) -> Verdicts:
        generator = np.random.default_rng(0)
        frames = [study.scores().frame]
        for number, label in enumerate([*breaks[:kinds], *rewrites]):
            shift = -2.0 if label in breaks else raised
            moved = pl.col("good") + shift + 0.01 * pl.Series(generator.normal(size=frames[0].height))
            frames.append(frames[0].with_columns(moved.alias("good"), variant=pl.lit(label)))
            assert number < 6
        found = robustness(pl.concat(frames), effects, {"good": "higher"}, metrics=["good"], resamples=50)
        return trust(study.corpus(), study.scores(), **QUICK, robustness=found)

    assert not {"fails-when-broken", "too-few-perturbations"} & codes(reactions(0.0))
    raises = reactions(1.0)
    assert "fails-when-broken" in codes(raises)
    assert raises.row("good", "fluency").verdict == "care"
    few = reactions(0.0, kinds=2)
    assert "too-few-perturbations" in codes(few)
    assert few.row("good", "fluency").verdict == "use"


@pytest.mark.parametrize("coefficient", ["spearman", "kendall", "mean", "pairwise_accuracy"])
@pytest.mark.parametrize("level", ["summary", "system", "global"])
def test_other_coefficients_and_levels_decide_too(level: str, coefficient: str) -> None:
    study = made(9, 20)
    found = study.decide(level=level, coefficient=coefficient)
    assert found.row("good", "fluency").named
    assert not found.row("noise-1", "fluency").named
    table, policy = study.scores(), RatingPolicy()
    ratings = treat_ratings(study.corpus().ratings, policy).aggregate().wide()
    how = {"levels": level, "coefficients": coefficient, "resamples": 0, "epsilon": "held-out"}
    shown = correlate(table.frame, ratings, **how).table(level, coefficient).row(0)[1]
    # Within dialogues, the verdict takes as many ties as the ratings have.
    assert found.row("good", "fluency").r == pytest.approx(shown, abs=0.02 if level == "summary" else 1e-9)


def test_nothing_to_judge_is_an_error() -> None:
    study = made()
    scores = study.scores()
    scores.directions = dict.fromkeys(scores.directions, "none")
    with pytest.raises(InputError, match="no metric says which summary is better"):
        trust(study.corpus(), scores, **QUICK)
    with pytest.raises(InputError, match="no ratings"):
        trust(embedded_corpus().select(dialogues=[]), study.scores(), **QUICK)


def test_the_corpus_may_say_which_way_is_better() -> None:
    from dialgauge.corpus import Dimension

    study = made(dimension="effort")
    study.quality = -study.quality
    given = study.corpus()
    declared = replace(given, declared=(Dimension("effort", "interval", direction="lower", said_by="file"),))
    found = trust(declared, study.scores(), **QUICK)
    assert found.row("good", "effort").verdict == "use"
    assert found.dimensions.select("better", "better_said_by").row(0) == ("lower", "corpus")
    neither = replace(given, declared=(Dimension("effort", "interval", direction="none", said_by="user"),))
    with pytest.raises(InputError, match="on no dimension is higher or lower better"):
        trust(neither, study.scores(), **QUICK)


def test_a_dimension_of_names_is_judged_only_where_an_order_is_declared_and_its_raters_as_names() -> None:
    from dialgauge.corpus import Dimension

    study = made(dimension="kind", noise=0.2)
    study.quality = np.round(np.clip(study.quality, -2, 2))
    given = study.corpus()
    rounded = given.ratings.with_columns(pl.col("value").round())
    given = Corpus(given.dialogues, given.summaries, rounded)
    found_in_values = replace(given, declared=(Dimension("kind", "nominal", direction="none", said_by="values"),))
    with pytest.raises(InputError, match="on no dimension is higher or lower better"):
        trust(found_in_values, study.scores(), **QUICK)
    declared = replace(given, declared=(Dimension("kind", "nominal", direction="higher", said_by="user"),))
    as_names, as_numbers = (trust(corpus, study.scores(), **QUICK).dimensions for corpus in (declared, given))
    # One apart is no agreement where values are names.
    assert as_names["alpha"][0] < as_numbers["alpha"][0] - 0.02
