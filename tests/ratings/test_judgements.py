"""Preferences, best-worst choices and marked spans: equal to other packages, worked examples, bad input."""

from dataclasses import replace

import choix
import krippendorff
import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import (
    CHOICES,
    PREFERENCES,
    SPANS,
    Choice,
    Corpus,
    Dialogue,
    Dimension,
    Preference,
    Rating,
    Span,
    Summary,
    Turn,
)
from dialgauge.errors import InputError, ParameterError
from dialgauge.ratings import (
    JudgementSettings,
    RatingPolicy,
    best_worst_results,
    preference_results,
    span_results,
    with_judgements_as_ratings,
    with_ordered_ratings,
)
from dialgauge.ratings._bradley_terry import fit_many, fit_strengths, is_connected
from dialgauge.ratings._span_scores import span_scores


def compared(n=400, seed=0, systems=5):
    generator = np.random.default_rng(seed)
    strength = generator.normal(0, 1, systems)
    wins, data = np.zeros((systems, systems)), []
    for _ in range(n):
        i, j = generator.choice(systems, 2, replace=False)
        first = generator.random() < 1 / (1 + np.exp(strength[j] - strength[i]))
        winner, loser = (i, j) if first else (j, i)
        wins[winner, loser] += 1
        data.append((winner, loser))
    return wins, data


@pytest.mark.parametrize("seed", range(3))
def test_strengths_without_ties_equal_choix(seed):
    wins, data = compared(seed=seed)
    expected = choix.opt_pairwise(5, data, alpha=0)
    fitted = fit_strengths(wins, np.zeros((5, 5)))
    assert fitted.strength == pytest.approx(expected - expected.mean(), abs=1e-6)
    assert (fitted.tie, fitted.ridge) == (0, False)
    assert choix.ilsr_pairwise(5, data) == pytest.approx(fitted.strength, abs=1e-6)


def test_strengths_with_ties_are_the_most_likely_ones():
    wins, _ = compared()
    ties = np.full((5, 5), 6.0) - 6 * np.eye(5)
    fitted = fit_strengths(wins, ties)

    def likelihood(strength, tie):
        gap = (strength[:, None] - strength[None, :]) / 2
        whole = np.exp(gap) + np.exp(-gap) + tie
        return (wins * (gap - np.log(whole))).sum() + (np.triu(ties) * (np.log(tie) - np.log(whole))).sum()

    best = likelihood(fitted.strength, fitted.tie)
    generator = np.random.default_rng(0)
    for _ in range(50):
        assert likelihood(fitted.strength + generator.normal(0, 0.02, 5), fitted.tie) < best
    assert likelihood(fitted.strength, fitted.tie * 1.05) < best > likelihood(fitted.strength, fitted.tie * 0.95)
    assert fit_many(wins[None], ties[None], 0.0)[0] == pytest.approx(fitted.strength)


def test_a_system_that_wins_everything_has_a_finite_strength():
    wins = np.array([[0.0, 5, 5], [0, 0, 3], [0, 2, 0]])
    assert not is_connected(wins, np.zeros((3, 3)))
    fitted = fit_strengths(wins, np.zeros((3, 3)))
    assert fitted.ridge
    assert 0 < fitted.strength[0] < 10


def of_two_systems(winners):
    dialogues = [Dialogue(f"d{d:02}", (Turn("A", "Hi"),)) for d in range(len(winners))]
    texts = [Summary(one.id, name, f"{name} of {one.id}.") for one in dialogues for name in "AB"]
    judged = [
        Preference(one.id, "A", "B", who, "better", winner)
        for one, winner in zip(dialogues, winners, strict=True)
        for who in ("x", "y")
    ]
    return Corpus.build(dialogues, texts, preferences=judged)


def test_nothing_but_ties_is_no_preference():
    ties = np.array([[0.0, 4], [4, 0]])
    fitted = fit_strengths(np.zeros((2, 2)), ties)
    assert (fitted.strength.tolist(), fitted.tie, fitted.ridge) == ([0, 0], np.inf, False)
    found = preference_results(of_two_systems(["tie"] * 8).preferences, resamples=100)
    assert found.systems.select("system", "win_rate", "strength").rows() == [("A", 0.5, 0.0), ("B", 0.5, 0.0)]
    assert found.facts["note"][0].startswith("every answer is a tie: no system is preferred")


def test_a_win_rate_of_one_is_no_point_and_points_are_named():
    found = preference_results(of_two_systems(["a"] * 6).preferences, resamples=100)
    first, second = found.systems.iter_rows(named=True)
    # Wilson's interval of six of six.
    assert (first["win_rate"], first["win_rate_low"], first["win_rate_high"]) == (
        1,
        pytest.approx(6 / (6 + 1.96**2), abs=1e-4),
        1,
    )
    assert second["win_rate_high"] == pytest.approx(1 - first["win_rate_low"])
    assert "intervals of strengths are points" in found.facts["note"][0]
    assert found.facts["verdict"][0] == "reliable"
    assert "points" not in (preference_results(preference_corpus().preferences, resamples=100).facts["note"][0] or "")


def test_win_rates_of_one_dialogue_have_no_interval():
    found = preference_results(of_two_systems(["a"]).preferences, resamples=100).systems
    assert found["win_rate_low"].to_list() == [None, None]


def test_the_summary_shown_first_that_always_wins_has_an_interval():
    rows = [Preference(f"d{d:02}", "A", "B", "x", "better", "a", shown_first="a") for d in range(8)]
    facts = preference_results(of_three_systems(rows).preferences, resamples=100).facts.row(0, named=True)
    assert (facts["first_wins"], facts["first_wins_high"]) == (1, 1)
    assert facts["first_wins_low"] == pytest.approx(8 / (8 + 1.96**2), abs=1e-4)


def test_draws_of_dialogues_may_have_nothing_but_ties():
    winners = ["a", "a", "b", *["tie"] * 9]
    corpus = of_two_systems(winners)
    found = preference_results(corpus.preferences, resamples=1000).systems.row(0, named=True)
    assert found["system"] == "A"
    assert found["strength_low"] < 0 < found["strength"] < found["strength_high"]
    some = preference_results(corpus.preferences, resamples=0).systems.row(0, named=True)
    assert some["strength"] == found["strength"]
    # A table of ties changes nothing in the fits of the others.
    wins, ties = np.array([[0.0, 4], [2, 0]]), np.array([[0.0, 6], [6, 0]])
    alone = fit_many(wins[None], ties[None], 0.1)
    beside = fit_many(np.stack([wins, 0 * wins]), np.stack([ties, ties]), 0.1)
    assert alone[0].tolist() == beside[0].tolist()
    assert beside[1].tolist() == [0, 0]


def preference_corpus():
    generator = np.random.default_rng(1)
    rows = []
    for d in range(30):
        for who in ("p", "q"):
            for a, b, chance in (("A", "B", 0.8), ("A", "C", 0.9), ("B", "C", 0.7)):
                drawn = generator.random()
                winner = "tie" if drawn > 0.95 else "a" if drawn < chance else "b"
                first = "a" if generator.random() < 0.5 else "b"
                rows.append(Preference(f"d{d:02}", a, b, who, "better", winner, shown_first=first))  # type: ignore[arg-type]
    return of_three_systems(rows)


def of_three_systems(preferences):
    dialogues = [Dialogue(f"d{d:02}", (Turn("A", "Hi"),)) for d in range(30)]
    summaries = [Summary(f"d{d:02}", s, f"Text {s} of {d}.") for d in range(30) for s in "ABC"]
    return Corpus.build(dialogues, summaries, preferences=preferences)


def test_preferences_rank_systems_with_intervals():
    corpus = preference_corpus()
    result = preference_results(corpus.preferences, resamples=200)
    assert result.systems["system"].to_list() == ["A", "B", "C"]
    assert (result.systems["strength_low"] <= result.systems["strength"]).all()
    assert (result.systems["win_rate"] <= result.systems["win_rate_high"]).all()
    first = result.systems.row(0, named=True)
    assert first["win_rate"] == (first["wins"] + first["ties"] / 2) / first["comparisons"]
    assert result.systems["win_rate"].mean() == pytest.approx(0.5)
    facts = result.facts.row(0, named=True)
    assert facts["first_wins_low"] < 0.5 < facts["first_wins_high"]
    assert facts["triads"] == 60 - 0 * facts["circular"]
    assert preference_results(corpus.preferences, resamples=200).systems.equals(result.systems)
    wide = corpus.preferences.with_columns(pl.format("{} {} {}", "dialogue_id", "system_a", "system_b").alias("unit"))
    table = wide.with_columns(pl.col("winner").replace_strict({"a": 0, "b": 1, "tie": 2})).pivot(
        "annotator", index="unit", values="winner"
    )
    # With every pair turned round as well, the package has a and b equally often; it takes these for further answers.
    answers = table.drop("unit").to_numpy().T.astype(float)
    both = np.hstack([answers, np.where(answers == 2, 2, 1 - answers)])
    n = np.isfinite(answers).sum()
    disagreement = 1 - krippendorff.alpha(both, level_of_measurement="nominal")
    assert facts["alpha"] == pytest.approx(1 - disagreement * 2 * (n - 1) / (2 * n - 1), abs=1e-12)


@pytest.mark.parametrize("names", ["BCA", "CBA", "ACB"])
def test_alpha_of_preferences_does_not_depend_on_the_names_of_systems(names):
    """With the names in the order of quality, as first written, it was −.04 instead of .49."""
    corpus = preference_corpus()
    new = dict(zip("ABC", names, strict=True))
    rows = [
        Preference(
            row["dialogue_id"], new[row["system_a"]], new[row["system_b"]], row["annotator"], "better", row["winner"]
        )
        for row in corpus.preferences.iter_rows(named=True)
    ]
    renamed = of_three_systems(rows)
    before = preference_results(corpus.preferences, resamples=200).facts
    after = preference_results(renamed.preferences, resamples=200).facts
    assert renamed.preferences["winner"].to_list() != corpus.preferences["winner"].to_list()
    for column in ("alpha", "alpha_low", "alpha_high"):
        assert after[column][0] == pytest.approx(before[column][0], abs=1e-12)


def test_people_who_always_prefer_the_same_system_agree():
    rows = [Preference(f"d{d}", "A", "B", who, "better", "a") for d in range(5) for who in ("x", "y")]
    dialogues = [Dialogue(f"d{d}", (Turn("A", "Hi"),)) for d in range(5)]
    corpus = Corpus.build(dialogues, [Summary(f"d{d}", s, f"{s}.") for d in range(5) for s in "AB"], preferences=rows)
    assert preference_results(corpus.preferences, resamples=0).facts["alpha"][0] == 1


def test_circular_triads_are_found():
    rows = [("x", "y", "a"), ("y", "z", "a"), ("x", "z", "b")]
    frame = Corpus.build(
        [Dialogue("d", (Turn("A", "Hi"),))],
        [Summary("d", s, f"Text {s}.") for s in "xyz"],
        preferences=[Preference("d", a, b, "p", "better", w) for a, b, w in rows],  # type: ignore[arg-type]
    ).preferences
    facts = preference_results(frame, resamples=0).facts.row(0, named=True)
    assert (facts["triads"], facts["circular"]) == (1, 1)


def choices(seed=0, questions=60, annotators=2):
    generator = np.random.default_rng(seed)
    quality = dict(zip("ABCDEFGH", np.linspace(2, -2, 8), strict=True))
    rows = []
    for q in range(questions):
        options = generator.choice(list(quality), 4, replace=False)
        for who in range(annotators):
            felt = [quality[o] + generator.normal(0, 0.7) for o in options]
            for option, value in zip(options, felt, strict=True):
                choice = "best" if value == max(felt) else "worst" if value == min(felt) else "neither"
                rows.append((f"d{q:02}", "overall", "t1", f"p{who}", "quality", str(option), "original", choice))
    return pl.DataFrame(rows, schema=CHOICES, orient="row")


def test_best_worst_scores_and_their_reliability():
    result = best_worst_results(choices(), resamples=100)
    assert result.systems["system"].to_list()[0] == "A"
    row = result.systems.row(0, named=True)
    assert row["score"] == (row["best"] - row["worst"]) / row["shown"]
    assert row["score_low"] <= row["score"] <= row["score_high"]
    reliability = result.reliability.row(0, named=True)
    r = reliability["correlation"]
    assert r > 0.9
    assert reliability["reliability"] == pytest.approx(2 * r / (1 + r))
    assert reliability["halves"] == "annotators of each question"
    alone = best_worst_results(choices(annotators=1), resamples=0).reliability.row(0, named=True)
    assert (alone["halves"], alone["alpha"]) == ("questions", None)
    assert alone["correlation"] > 0.7


def test_choices_without_a_worst_and_without_variation_are_remarked():
    rows = [
        (f"d{d}", "overall", "q", "p", "quality", system, "original", choice)
        for d in range(6)
        for system, choice in zip("ABC", ("best", "neither", "neither"), strict=True)
    ]
    found = best_worst_results(pl.DataFrame(rows, schema=CHOICES, orient="row"), resamples=50).reliability
    assert found["remark"][0].startswith("nobody chose a worst; a system had the same choices in all dialogues")
    usual = best_worst_results(choices(), resamples=50).reliability.row(0, named=True)
    assert usual["remark"] is None
    assert usual["verdict"] in ("reliable", "tentative", "not reliable")


def spans_of(marks):
    """Rows from (dialogue, annotator, list of (start, end, label, severity)); an empty list is a reading."""
    rows = []
    for dialogue, who, found in marks:
        for number, (start, end, label, severity) in enumerate(found or [(None, None, None, None)], 1):
            rows.append(Span(dialogue, "s", who, "errors", number, start, end, label=label, severity=severity))
    dialogues = sorted({mark[0] for mark in marks})
    return Corpus.build(
        [Dialogue(d, (Turn("A", "Hi"),)) for d in dialogues],
        [Summary(d, "s", "The agent calls the bank again.") for d in dialogues],
        spans=rows,
    )


MARKS: list[tuple[str, str, list[tuple[int, int, str, str | None]]]] = [
    ("d1", "p", [(4, 9, "name", "major")]),
    ("d1", "q", [(4, 15, "name", "minor")]),
    ("d2", "p", [(0, 3, "number", None)]),
    ("d2", "q", [(20, 24, "name", "critical"), (0, 3, "number", None)]),
    ("d3", "p", []),
    ("d3", "q", []),
    ("d4", "p", [(1, 2, "name", "minor")]),
]


def test_alpha_of_spans_is_that_of_their_characters():
    corpus = spans_of(MARKS)
    result = span_results(corpus.spans, corpus.summaries, resamples=50).agreement.row(0, named=True)
    length = len("The agent calls the bank again.")
    codes = {None: 0, "name": 1, "number": 2}
    table = np.zeros((2, 3 * length))
    for dialogue, who, found in MARKS[:6]:
        for start, end, label, _ in found:
            at = (int(dialogue[1]) - 1) * length
            table["pq".index(who), at + start : at + end] = codes[label]
    expected = krippendorff.alpha(table, level_of_measurement="nominal")
    assert result["alpha_label"] == pytest.approx(expected, abs=1e-12)
    marked = krippendorff.alpha((table > 0).astype(float), level_of_measurement="nominal")
    assert result["alpha_marked"] == pytest.approx(marked, abs=1e-12)
    assert (result["texts"], result["read_twice"], result["pairs"], result["pairs_without_marks"]) == (4, 3, 2, 1)
    # Words marked: agent | agent calls; The | The bank.
    assert result["token_f1"] == pytest.approx(2 * 2 / (1 + 2 + 1 + 2))


def test_scores_from_spans():
    corpus = spans_of(MARKS)
    scores = span_scores(corpus.spans, corpus.summaries, JudgementSettings().severities)
    found = {(row["dialogue_id"], row["annotator"]): row for row in scores.iter_rows(named=True)}
    assert found["d1", "p"]["penalty"] == 5
    assert found["d2", "q"]["penalty"] == 26
    assert (found["d3", "p"]["penalty"], found["d3", "p"]["errors"]) == (0, 0)
    assert found["d1", "p"]["per_100_words"] == pytest.approx(100 * 5 / 6)
    labels = span_results(corpus.spans, corpus.summaries, resamples=0).labels
    assert labels.filter(label="number")["spans"].to_list() == [2]
    rated = with_judgements_as_ratings(corpus)
    assert rated.dimensions == ["errors any", "errors penalty", "errors per 100 words"]
    assert {rated.dimension(name).direction for name in rated.dimensions} == {"lower"}
    assert rated.dimension("errors any").kind == "binary"


def test_judgements_as_ratings_leave_other_corpora_alone():
    corpus = preference_corpus()
    rated = with_judgements_as_ratings(corpus)
    assert rated.dimensions == ["better"]
    assert rated.ratings["value"].mean() == pytest.approx(0.5)
    plain = Corpus.build([Dialogue("d", (Turn("A", "Hi"),))])
    assert with_judgements_as_ratings(plain) is plain


def test_nothing_to_analyse_is_an_error():
    with pytest.raises(InputError, match="no preferences"):
        preference_results(pl.DataFrame(schema=PREFERENCES))
    with pytest.raises(InputError, match="no best-worst choices"):
        best_worst_results(pl.DataFrame(schema=CHOICES))
    with pytest.raises(InputError, match="no marked spans"):
        span_results(pl.DataFrame(schema=SPANS), pl.DataFrame())
    with pytest.raises(ParameterError, match="splits"):
        JudgementSettings(splits=0)


def test_systems_are_ranked_by_the_penalty_of_their_marks():
    corpus = spans_of(MARKS)
    result = span_results(corpus.spans, corpus.summaries, resamples=50).systems.row(0, named=True)
    # Readings: major 5; minor 1; none given 1; critical 25 and none given 1; nothing; nothing; minor 1.
    assert (result["readings"], result["penalty"], result["any"]) == (7, pytest.approx(34 / 7), pytest.approx(5 / 7))
    assert result["penalty_low"] <= result["penalty"] <= result["penalty_high"]
    lighter = span_results(corpus.spans, corpus.summaries, resamples=0, severities={"critical": 4}).systems
    assert lighter["penalty"][0] == pytest.approx(13 / 7)


def test_classes_have_an_order_only_where_somebody_says_so():
    given = [Rating("d1", "s", "p", "error type", value) for value in (1.0,)]
    corpus = Corpus.build([Dialogue("d1", (Turn("A", "Hi"),))], [Summary("d1", "s", "Text.")], given)
    for said_by, direction, kept in (("values", "lower", 0), ("user", "none", 0), ("user", "lower", 1)):
        about = Dimension("error type", "nominal", direction=direction, said_by=said_by)
        assert with_ordered_ratings(replace(corpus, declared=(about,)), RatingPolicy()).ratings.height == kept


def test_edited_summaries_of_one_dialogue_are_not_ranked_as_systems():
    """Each occurs once, so it is no system; variants that several dialogues have are."""
    names = [(f"d{n}", f"v{n}{letter}") for n in range(6) for letter in "ab"]
    talks, texts = [Dialogue(f"d{n}", ()) for n in range(6)], [Summary(d, "seed", v, variant=v) for d, v in names]
    texts += [Summary(one.id, "seed", "short", variant="short") for one in talks]
    texts += [Summary(one.id, "seed", "seed") for one in talks]
    edits = [
        Preference(f"d{n}", "seed", "seed", "ann", "better", "a", variant_a=f"v{n}a", variant_b=f"v{n}b")
        for n in range(6)
    ]
    both = [Preference(f"d{n}", "seed", "seed", "ann", "better", "ab"[n == 0], variant_b="short") for n in range(6)]
    marks = [Span(d, "seed", "ann", "errors", variant=v) for d, v in names]
    picked = [
        Choice(f"d{n}", "q", "ann", "best", "seed", choice, variant=variant)
        for n in range(6)
        for variant, choice in ((f"v{n}a", "best"), (f"v{n}b", "worst"), ("short", "neither"))
    ]
    corpus = Corpus.build(talks, texts, preferences=[*edits, *both], choices=picked, spans=marks)
    found = preference_results(corpus.preferences, resamples=0)
    assert found.systems["system"].to_list() == ["seed", "seed/short"]
    assert "6 with edited summaries that one dialogue has" in found.facts["note"][0]
    assert found.facts["judgements"][0] == 12
    alone = preference_results(Corpus.build(talks, texts, preferences=edits).preferences, resamples=20)
    assert alone.systems.is_empty()
    assert alone.pairs.is_empty()
    assert best_worst_results(corpus.choices, resamples=0).systems.is_empty()
    assert span_results(corpus.spans, corpus.summaries, resamples=0).systems["system"].to_list() == ["seed"]
