"""Metrics against labels and preferences: equal to scikit-learn, honest thresholds, intervals, bad input."""

import numpy as np
import polars as pl
import pytest
from sklearn import metrics as sk

from dialgauge.corpus import Corpus, Dialogue, Dimension, Preference, Rating, Span, Summary, Turn
from dialgauge.errors import UnknownNameError
from dialgauge.metaeval import (
    CorrelationSettings,
    evaluate_judgements,
    evaluate_labels,
    evaluate_metrics,
    preference_accuracy,
)
from dialgauge.metaeval._calibration import calibration_error
from dialgauge.metaeval._clustered import auc_share, chance_p_values, within_share
from dialgauge.metaeval._judgements import summary_labels
from dialgauge.metaeval._labels import cluster_interval
from dialgauge.metaeval._roc import (
    Labelled,
    auc,
    average_precision,
    balanced_accuracy,
    best_threshold,
    class_counts,
    draw_dialogues,
    matthews,
    within_auc,
)
from dialgauge.ratings import RatingPolicy, ratio_share, share_interval


def made(seed=0, dialogues=30, items=8, levels=None):
    generator = np.random.default_rng(seed)
    dialogue = np.repeat(np.arange(dialogues), items)
    score = generator.normal(0, 1, len(dialogue)) + generator.normal(0, 1, dialogues)[dialogue]
    if levels:
        score = np.round(score * levels) / levels
    return Labelled(score, score + generator.normal(0, 1, len(dialogue)) > 0.3, dialogue)


@pytest.mark.parametrize("levels", [None, 2])
def test_equal_to_scikit_learn(levels):
    items = made(levels=levels)
    assert auc(items, items.once())[0] == pytest.approx(sk.roc_auc_score(items.good, items.score), abs=1e-12)
    precision = sk.average_precision_score(items.good, items.score)
    assert average_precision(items, items.once())[0] == pytest.approx(precision, abs=1e-12)
    predicted = items.score >= 0.1
    counts = class_counts(items, predicted).sum(axis=0)[None, :]
    assert balanced_accuracy(counts)[0] == pytest.approx(sk.balanced_accuracy_score(items.good, predicted), abs=1e-12)
    assert matthews(counts)[0] == pytest.approx(sk.matthews_corrcoef(items.good, predicted), abs=1e-12)


def test_a_draw_of_dialogues_is_their_repetition():
    items = made(levels=3)
    draws = draw_dialogues(30, 4, 0)
    for name, measure in (("auc", auc), ("ap", average_precision), ("within", within_auc)):
        for row, value in zip(draws, measure(items, draws), strict=True):
            index = np.repeat(np.arange(len(items.score)), row[items.dialogue].astype(int))
            score, good, dialogue = items.score[index], items.good[index], items.dialogue[index]
            if name == "within":
                pairs = good[:, None] & ~good[None, :] & (dialogue[:, None] == dialogue[None, :])
                # A dialogue drawn twice is two dialogues: its pairs count twice, not four times.
                pairs = pairs / row[dialogue][:, None]
                gap = np.sign(score[:, None] - score[None, :])
                expected = (pairs * (gap + 1) / 2).sum() / pairs.sum()
            else:
                expected = (sk.roc_auc_score if name == "auc" else sk.average_precision_score)(good, score)
            assert value == pytest.approx(expected, abs=1e-12)


def test_within_a_dialogue_the_difficulty_does_not_count():
    dialogue = np.repeat(np.arange(40), 4)
    items = Labelled(np.tile([1.0, 2, 3, 4], 40) + 10 * dialogue, np.tile([False, False, True, True], 40), dialogue)
    assert within_auc(items, items.once())[0] == 1
    assert auc(items, items.once())[0] < 0.6


def test_thresholds():
    assert best_threshold(np.array([1.0, 2, 3, 4]), np.array([False, False, True, True])) == 2.5
    assert best_threshold(np.array([1.0, 2]), np.array([True, False])) in (1.0, np.nextafter(2, 3))
    assert matthews(np.array([[3.0, 2, 0, 0]]))[0] == 0


def test_calibration_error_of_a_perfect_forecaster_is_not_zero():
    generator = np.random.default_rng(0)
    probability = generator.random(200)
    errors = [calibration_error(probability, generator.random(200) < probability) for _ in range(50)]
    assert 0.05 < np.mean(errors) < 0.1


def frames(items, metric="m"):
    key = {
        "dialogue_id": [f"d{n:02}" for n in items.dialogue],
        "system": [f"s{n:03}" for n in range(len(items.dialogue))],
        "variant": "original",
        "role": "overall",
    }
    scores = pl.DataFrame({**key, metric: items.score, "noise": np.random.default_rng(5).random(len(items.score))})
    return scores, pl.DataFrame({**key, "correct": items.good})


def test_the_table_and_its_sentence():
    scores, labels = frames(made())
    result = evaluate_labels(scores, labels, resamples=200)
    row = result.frame.row(0, named=True)
    assert row["metric"] == "m"
    for name in ("auc", "within_auc", "balanced_accuracy", "mcc", "average_precision"):
        assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert row["threshold_low"] <= row["threshold"] <= row["threshold_high"]
    assert row["calibration_floor"] > 0
    assert result.sentences()[0].startswith("correct: m tells right from wrong best, with AUC 0.")
    alone = evaluate_labels(scores, labels, metrics=["noise"], resamples=200)
    assert "no metric is shown to tell right from wrong better than chance" in alone.sentences()[0]
    assert evaluate_labels(scores, labels, resamples=200).frame.equals(result.frame)


def test_lower_is_better_turns_the_sign():
    scores, labels = frames(made())
    turned = scores.with_columns(-pl.col("m"))
    plain = evaluate_labels(scores, labels, metrics="m", resamples=20).frame
    result = evaluate_labels(turned, labels, metrics="m", resamples=20, directions={"m": "lower"}).frame
    assert result["auc"][0] == plain["auc"][0]
    assert result["threshold"][0] == pytest.approx(-plain["threshold"][0])


def test_too_little_has_a_reason_and_unknown_metrics_a_name():
    scores, labels = frames(made(dialogues=3))
    assert "fewer than 5 dialogues" in evaluate_labels(scores, labels, resamples=20).frame["note"][0]
    same = labels.with_columns(pl.lit(True).alias("correct"))
    assert evaluate_labels(scores, same).frame["note"][0] == "all summaries have the same label"
    with pytest.raises(UnknownNameError, match="did you mean 'noise'"):
        evaluate_labels(scores, labels, metrics=["noisee"])


def test_without_signal_balanced_accuracy_is_chance():
    values = []
    for seed in range(40):
        items = made(seed)
        shuffled = np.random.default_rng(seed).permutation(items.score)
        scores, labels = frames(Labelled(shuffled, items.good, items.dialogue))
        frame = evaluate_labels(scores, labels, metrics="m", resamples=0, seed=seed).frame
        values.append(frame["balanced_accuracy"][0])
    assert 0.48 < np.mean(values) < 0.52


class Table:
    """Scores as the functions need them."""

    def __init__(self, frame, directions=None):
        self.frame = frame
        self.systems = pl.DataFrame()
        self.directions = directions or dict.fromkeys(frame.columns[4:], "higher")
        self.judging = frame.columns[4:]


def corpus_with(dialogues=12, variants=5, **tables):
    generator = np.random.default_rng(0)
    ids = [f"d{n:02}" for n in range(dialogues)]
    summaries = [Summary(d, "summary", f"Text {v} of {d} here.", variant=f"v{v}") for d in ids for v in range(variants)]
    ratings, scores = [], []
    for summary in summaries:
        quality = generator.normal()
        value = float(quality + generator.normal(0, 0.5) > 0)
        for who in ("a", "b", "c"):
            flipped = generator.random() < 0.1
            given = 1 - value if flipped else value
            ratings.append(
                Rating(summary.dialogue_id, "summary", who, "consistent", given, summary.variant, scale="yes/no")
            )
        scores.append((summary.dialogue_id, "summary", summary.variant, "overall", quality, generator.random()))
    corpus = Corpus.build([Dialogue(d, (Turn("A", "Hi"),)) for d in ids], summaries, ratings, **tables)
    columns = ["dialogue_id", "system", "variant", "role", "good", "noise"]
    return corpus, Table(pl.DataFrame(scores, schema=columns, orient="row"))


def test_rated_variants_of_one_system_are_items():
    corpus, scores = corpus_with()
    found = evaluate_metrics(corpus, scores, CorrelationSettings(resamples=50))
    assert set(found.correlations.frame["level"]) == {"summary", "global"}
    assert found.correlations.frame["value"].null_count() == 0
    best = found.correlations.frame.filter(metric="good", level="global", coefficient="pearson")
    assert best["value"][0] > 0.5
    assert "variants of one system" in found.notes[0]
    assert found.ceiling is not None
    assert set(found.leaders["metric"]) >= {"good"}
    judged = evaluate_judgements(corpus, scores, resamples=50)
    assert judged.labels is not None
    assert judged.labels.frame["metric"][0] == "good"
    assert judged.preferences is None


def test_labels_are_votes_and_sentences_must_all_be_good():
    dialogues = [Dialogue("d", (Turn("A", "Hi"),))]
    summaries = [Summary("d", system, "One. Two.") for system in "xyz"]
    votes = {"x": (1, 1, 0), "y": (1, 0), "z": (0, 0, 1)}
    ratings = [
        Rating("d", s, f"a{i}", "ok", v, scale="yes/no") for s, given in votes.items() for i, v in enumerate(given)
    ]
    ratings += [Rating("d", "x", "a0", "hallucination", v, scale="yes/no", sentence=i) for i, v in enumerate((0, 1))]
    ratings += [Rating("d", "y", "a0", "hallucination", v, scale="yes/no", sentence=i) for i, v in enumerate((0, 0))]
    labels = summary_labels(Corpus.build(dialogues, summaries, ratings), RatingPolicy())
    assert labels is not None
    assert labels["ok"].to_list() == [True, None, False]
    assert labels["hallucination"].to_list() == [False, True, None]


def test_names_without_an_order_have_a_column_each():
    dialogues = [Dialogue("d", (Turn("A", "Hi"),))]
    summaries = [Summary("d", system, "One.") for system in "xyz"]
    ratings = [Rating("d", s, "a", "error", v) for s, v in zip("xyz", (0, 1, 2), strict=True)]
    about = Dimension("error", "nominal", labels=("none", "name", "number"), direction="none")
    labels = summary_labels(Corpus.build(dialogues, summaries, ratings, declared=[about]), RatingPolicy())
    assert labels is not None
    assert labels["error: name"].to_list() == [False, True, False]


def preferences(n=40, seed=0):
    generator = np.random.default_rng(seed)
    rows, scores = [], []
    for d in range(n):
        quality = dict(zip("xyz", generator.normal(0, 1, 3), strict=True))
        for system, value in quality.items():
            scores.append((f"d{d:02}", system, "original", "overall", value, generator.random()))
        for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
            gap = quality[a] - quality[b] + generator.normal(0, 0.5)
            rows.append(
                Preference(f"d{d:02}", a, b, "p", "better", "tie" if abs(gap) < 0.3 else "a" if gap > 0 else "b")
            )
    columns = ["dialogue_id", "system", "variant", "role", "good", "noise"]
    dialogues = [Dialogue(f"d{d:02}", (Turn("A", "Hi"),)) for d in range(n)]
    summaries = [Summary(f"d{d:02}", s, f"Text {s} {d}.") for d in range(n) for s in "xyz"]
    return Corpus.build(dialogues, summaries, preferences=rows), Table(
        pl.DataFrame(scores, schema=columns, orient="row")
    )


def test_accuracy_on_preferences():
    corpus, scores = preferences()
    result = preference_accuracy(scores.frame, corpus.preferences, resamples=200)
    row = result.frame.row(0, named=True)
    gaps = scores.frame.pivot("system", index="dialogue_id", values="good")
    right = [
        (
            gaps.filter(dialogue_id=p["dialogue_id"])[p["system_a"]][0]
            > gaps.filter(dialogue_id=p["dialogue_id"])[p["system_b"]][0]
        )
        == (p["winner"] == "a")
        for p in corpus.preferences.iter_rows(named=True)
        if p["winner"] != "tie"
    ]
    assert row["accuracy"] == pytest.approx(np.mean(right))
    assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]
    assert row["with_ties"] > 0.55
    assert row["ties"] == 120 - len(right)
    assert "agrees best with" in result.sentences()[0]
    constant = scores.frame.with_columns(pl.lit(1.0).alias("good"))
    assert preference_accuracy(constant, corpus.preferences, metrics="good", resamples=0).frame["accuracy"][0] == 0.5


def test_preferences_and_marks_are_correlated_like_ratings():
    corpus, scores = preferences()
    found = evaluate_metrics(corpus, scores, CorrelationSettings(resamples=20, coefficients=("pearson",)))
    best = found.correlations.frame.filter(metric="good", level="summary")
    assert best["value"][0] > 0.7
    marks = [
        Span(f"d{d:02}", s, "p", "errors", start=0, end=3, severity="major") for d in range(0, 40, 2) for s in "xy"
    ]
    marks += [Span(f"d{d:02}", "z", "p", "errors") for d in range(40)]
    marked = Corpus.build(*((Dialogue(f"d{d:02}", (Turn("A", "Hi"),)) for d in range(40)),), (
        Summary(f"d{d:02}", s, f"Text {s} {d}.") for d in range(40) for s in "xyz"
    ), spans=marks)  # fmt: skip
    result = evaluate_metrics(marked, scores, CorrelationSettings(resamples=20, levels=("global",)))
    assert set(result.correlations.frame["dimension"]) == {"errors penalty", "errors per 100 words", "errors any"}
    judged = evaluate_judgements(marked, scores, resamples=20)
    assert judged.labels is not None
    assert set(judged.labels.frame["dimension"]) == {"errors any"}


def test_names_of_classes_start_at_the_lowest_value() -> None:
    from dialgauge.corpus import Corpus, Dialogue, Dimension, Rating, Summary
    from dialgauge.metaeval._judgements import summary_labels
    from dialgauge.ratings import RatingPolicy

    made = Corpus.build(
        [Dialogue(f"d{n}", ()) for n in range(3)],
        [Summary(f"d{n}", "s", "text") for n in range(3)],
        [Rating(f"d{n}", "s", "a", "error type", float(n + 1), scale="1-3") for n in range(3)],
        declared=[Dimension("error type", "nominal", "1-3", ("name", "number", "other"), "none")],
    )
    labels = summary_labels(made, RatingPolicy())
    assert labels is not None
    assert labels.columns[4:] == ["error type: name", "error type: number", "error type: other"]
    assert labels["error type: name"].to_list() == [True, False, False]
    scores = Table(
        made.summaries.select("dialogue_id", "system", "variant", "role").with_columns(m=pl.Series([3.0, 1, 2]))
    )
    (first, *_) = evaluate_judgements(made, scores, resamples=0).sentences()
    assert first.startswith("error type: name: m tells this class from the others best, with AUC 1.00")


def test_an_interval_at_the_end_of_the_range_is_not_a_point() -> None:
    low, high = cluster_interval(1.0, np.ones(100), 8, 0.95)
    assert low == pytest.approx(0.025 ** (1 / 8))
    assert high == 1
    assert cluster_interval(0.0, np.zeros(100), 8, 0.95) == pytest.approx((0.0, 1 - low))
    right = share_interval(ratio_share(np.full(8, 3.0), np.full(8, 3.0)), 0.95)
    assert right[0] is not None and 0.6 < right[0] < 0.9 and right[1] == 1  # noqa: PT018
    wrong = share_interval(ratio_share(np.zeros(8), np.full(8, 3.0)), 0.95)
    assert wrong == pytest.approx((0.0, 1 - right[0]))
    even = share_interval(ratio_share(np.ones(8), np.full(8, 2.0)), 0.95)
    assert even == pytest.approx((right[0] / 2, 1 - right[0] / 2)), "as far from the ends as these from each other"
    assert share_interval(ratio_share(np.ones(1), np.full(1, 2.0)), 0.95) == (None, None)


@pytest.mark.parametrize("dialogues", [5, 10, 25])
def test_intervals_hold_the_truth_where_dialogues_say_the_same(dialogues: int) -> None:
    """A system that nearly always loses to one and wins against another has one half in nearly every dialogue."""
    generator = np.random.default_rng(dialogues)
    held = alike = 0
    for _ in range(400):
        won = generator.binomial(1, 0.01, dialogues) + generator.binomial(1, 0.93, dialogues)
        low, high = share_interval(ratio_share(won.astype(float), np.full(dialogues, 2.0)), 0.95)
        assert low is not None and high is not None and low < high  # noqa: PT018
        held += low <= 0.47 <= high
        alike += len(set(won)) == 1
    assert alike > 30, "a point in so many studies before"
    assert held >= 0.93 * 400


@pytest.mark.parametrize("levels", [None, 2])
def test_shares_over_dialogues_equal_those_of_pairs(levels) -> None:
    items = made(levels=levels)
    whole, inside = auc_share(items), within_share(items)
    assert whole.value == pytest.approx(sk.roc_auc_score(items.good, items.score), abs=1e-12)
    assert inside.value == pytest.approx(within_auc(items, items.once())[0], abs=1e-12)
    # A dialogue moves the share as far as one that counts a little more does.
    more = np.ones((30, 30)) + 1e-6 * np.eye(30)
    assert whole.influence == pytest.approx((auc(items, more) - whole.value) / 1e-6, abs=1e-5)
    moved = (within_auc(items, more) - inside.value) / 1e-6
    assert inside.influence == pytest.approx(moved[inside.dialogues], abs=1e-5)
    for share in (whole, inside):
        assert share.influence.sum() == pytest.approx(0, abs=1e-12)
        assert share.surplus.sum() == pytest.approx(share.value - 0.5, abs=1e-12)


def test_the_best_of_many_that_know_nothing_is_not_named() -> None:
    """Of 25 metrics that know nothing, the best has an interval above one half in most of 40 studies."""
    above = named = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        shares = [ratio_share(generator.binomial(3, 0.5, 25).astype(float), np.full(25, 3.0)) for _ in range(25)]
        ends = [share_interval(share, 0.95)[0] for share in shares]
        above += any(low is not None and low > 0.5 for low in ends)
        named += chance_p_values(shares, 25, 200, seed).min() < 0.05
    assert above > 12
    assert named < 6
    informed = ratio_share(np.full(25, 3.0), np.full(25, 3.0))
    assert chance_p_values([*shares, informed], 25, 200, 0)[-1] < 0.01


def test_the_sentence_follows_the_test_and_not_the_interval() -> None:
    scores, labels = frames(made(dialogues=25, items=4))
    weak = scores.with_columns(pl.col("m") + 3 * pl.Series(np.random.default_rng(9).normal(size=scores.height)))
    found = evaluate_labels(weak, labels, resamples=200)
    best = found.frame.row(0, named=True)
    assert ("better than chance" in found.sentences()[0]) == (best["p_chance"] >= 0.05)


def test_a_metric_that_is_shown_to_be_better_than_chance_is_named_below_one_that_is_not() -> None:
    """The best has scores of three dialogues only, so that nothing is shown of it."""
    scores, labels = frames(made())
    few = scores["dialogue_id"].unique().sort().head(3)
    right = labels["correct"].cast(pl.Float64)
    kept = scores["dialogue_id"].is_in(few.implode())
    found = evaluate_labels(scores.with_columns(rare=pl.when(kept).then(right)), labels, resamples=200)
    assert found.frame["metric"][0] == "rare"
    assert found.frame["p_chance"][0] > 0.05
    assert found.sentences()[0].startswith(
        "correct: m tells right from wrong best of those shown to be better than chance, with AUC 0."
    )
    corpus, scored = preferences()
    (pair, *_) = corpus.preferences.filter(pl.col("winner") != "tie").iter_rows(named=True)
    two = (pl.col("dialogue_id") == pair["dialogue_id"]) & pl.col("system").is_in([pair["system_a"], pair["system_b"]])
    won = pl.when(two).then(pl.col("system") == pair[f"system_{pair['winner']}"])
    agreed = preference_accuracy(
        scored.frame.with_columns(rare=won.cast(pl.Float64)), corpus.preferences, resamples=200
    )
    assert agreed.frame["metric"][0] == "rare"
    assert "good agrees best of those shown to be better than chance with" in agreed.sentences()[0]


def test_classes_of_sentences_become_questions_about_summaries() -> None:
    """One sentence of a class is enough; where every summary has one, the question is whether it has no others."""
    given = {"a": (1, 1), "b": (1, 2), "c": (1, 1)}
    names = ("supported", "invented")
    corpus = Corpus.build(
        [Dialogue("d", ())],
        [Summary("d", system, "One. Two.") for system in given],
        [
            Rating("d", system, "ann", "type", float(value), scale="1-2", sentence=place)
            for system, values in given.items()
            for place, value in enumerate(values, 1)
        ],
        declared=[Dimension("type", "nominal", "1-2", names, "none")],
    )
    labels = summary_labels(corpus, RatingPolicy())
    assert labels is not None
    assert labels["type: invented"].to_list() == [False, True, False]
    assert labels["type: only supported"].to_list() == [True, False, True]
    assert "type: supported" not in labels.columns


def test_a_class_is_told_by_low_scores_too() -> None:
    """Nobody says that a class is good: one that scores low is told from the others as well as one that scores high."""
    generator = np.random.default_rng(1)
    error = generator.random(300) < 0.4
    key = {"dialogue_id": [f"d{n // 5}" for n in range(300)], "system": [f"s{n % 5}" for n in range(300)]}
    low = pl.DataFrame({**key, "m": generator.normal(size=300) - 2.0 * error, "noise": generator.normal(size=300)})
    labels = pl.DataFrame({**key, "error: name": error})
    found = evaluate_labels(low, labels, classes=["error: name"], resamples=200)
    right = evaluate_labels(low.with_columns(pl.col("m", "noise") * -1), labels, resamples=200)
    rows = {row["metric"]: row for row in found.frame.iter_rows(named=True)}
    turned = {row["metric"]: row for row in right.frame.iter_rows(named=True)}
    assert found.frame["metric"].to_list() == ["m", "noise"], "the furthest from one half first"
    assert rows["m"]["auc"] == pytest.approx(1 - turned["m"]["auc"], abs=1e-12)
    for name in ("balanced_accuracy", "mcc", "average_precision", "brier"):
        assert rows["m"][name] == pytest.approx(turned["m"][name], abs=1e-12)
    assert rows["m"]["threshold"] == pytest.approx(-turned["m"]["threshold"])
    (said,) = found.sentences()
    assert said.startswith("error: name: m tells this class from the others best, with AUC 0.")
    assert said.endswith("within a dialogue; its summaries score lower.")
    noise = evaluate_labels(low.select(*key, "noise"), labels, classes=["error: name"], resamples=200)
    assert "no metric is shown to tell this class from the others" in noise.sentences()[0]
