"""The first screen: one line per dimension, made from the verdict and from nothing else."""

from dataclasses import replace

import polars as pl
import pytest

from dialgauge.metaeval import Reason, Verdict, Verdicts
from dialgauge.metaeval._verdict import CONTROLS, DIMENSIONS, NEEDED
from dialgauge.report._figures import SMALL, forest_figure, forest_plot, forests, lowest
from dialgauge.report._verdict import (
    answer_sentences,
    answer_table,
    answers,
    dimension_tables,
    measured_in,
    null_sentence,
    plain,
    rater_sentences,
    verdict_table,
)
from dialgauge.tables import render_table

WEAK = Reason("weak", "care", "Weak: r is .36, less than half of what one rater reaches (.75).")
NOT_SHOWN = Reason(
    "not-shown", "do-not-use", "Not shown to follow the ratings: r is .44, and .62 would be needed (p .72)."
)

CHANCE = Reason(
    "no-agreement",
    "do-not-use",
    "Do not use these ratings: raters agree no better than by chance (α −.01 [−.10 .08]).",
)


def verdicts(*rows: Verdict, **changes: object) -> Verdicts:
    """Verdicts of these rows, best first, with one summary row per dimension."""
    summed = []
    for name in dict.fromkeys(row.dimension for row in rows):
        best = next(row for row in rows if row.dimension == name)
        summed.append(
            {
                "dimension": name,
                "verdict": best.verdict,
                "metric": best.metric if best.named else None,
                "action_sentence": f"Act on {name}.",
                "rated": 54,
                "summaries": 360,
                "better": "higher",
                "ceiling": 0.8,
            }
        )
    controls = [{"control": "length", "dimension": row["dimension"], "r": 0.1, "c": 0.05} for row in summed]
    made = Verdicts(
        rows,
        pl.DataFrame(summed, schema=DIMENSIONS),
        pl.DataFrame(controls, schema=CONTROLS),
        pl.DataFrame(schema=NEEDED),
        200,
        7,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


GOOD = Verdict("a", "fluency", "use", 0.7, 0.4, 0.9, bar=0.5, shown_by=("order", "cells"), among_best=True)
CARE = Verdict("b", "fluency", "care", 0.36, 0.1, 0.6, bar=0.5, shown_by=("cells",), among_best=True, reasons=(WEAK,))
BAD = Verdict("c", "fluency", "do-not-use", 0.44, 0.1, 0.6, bar=0.62, reasons=(NOT_SHOWN,))


def test_a_line_has_level_metric_number_reason_and_action() -> None:
    (line,) = answers(verdicts(GOOD, replace(GOOD, metric="d"), CARE, BAD))
    assert (line.sign, line.words, line.metric, str(line.estimate)) == ("●", "Use", "a", "0.70 [0.40, 0.90]")
    assert line.reason == "Shown to order the systems and to distinguish single summaries as people do."
    assert line.action == "Act on fluency."
    assert line.as_good == "d", "b is with care, so it is not as good"


def test_every_level_has_a_sign_of_its_own() -> None:
    signs = [answers(verdicts(row))[0].sign for row in (GOOD, CARE, BAD)]
    assert signs == ["●", "◐", "○"]
    (care,) = answers(verdicts(CARE, BAD))
    assert (care.words, care.reason) == (
        "Use with care",
        "Weak: agreement is .36, less than half of what one rater reaches (.75).",
    )


def test_where_none_is_shown_none_is_named_and_the_reason_is_the_first_ones() -> None:
    (line,) = answers(verdicts(BAD))
    assert (line.words, line.metric, line.estimate) == ("Use none", "", None)
    assert line.reason == "Not shown to follow the ratings: agreement is .44, and .62 would be needed."
    (line,) = answers(verdicts(replace(CARE, verdict="do-not-use", reasons=(CHANCE,))))
    assert (line.metric, line.reason) == ("", "Do not use these ratings: raters agree no better than by chance.")


def test_plain_words_keep_what_is_not_a_statistic() -> None:
    assert plain("Scores rewrites higher (2 of 3 kinds).") == "Scores rewrites higher (2 of 3 kinds)."
    assert plain("Wrong (r −.26), though (c .13).") == "Wrong, though."


def test_the_figure_has_bars_controls_and_open_dots() -> None:
    (forest,) = forests(verdicts(GOOD, CARE, BAD))
    svg = forest_plot(forest, lowest([forest]))
    assert svg.count('class="needed"') == 3
    assert [svg.count(f'class="dot {kind}"') for kind in ("leading", "trailing", "control")] == [2, 1, 1]
    assert "one rater 0.80" in svg
    rows = forest_figure(forest, 0.0).rows
    assert rows[0][:6] == ("a", 0.7, 0.4, 0.9, 0.5, "use")
    assert rows[-1][0] == "length"


def test_a_metric_shown_within_systems_has_the_number_that_shows_it() -> None:
    within = {"c": 0.26, "c_low": 0.16, "c_high": 0.36}
    cells = replace(GOOD, verdict="care", shown_by=("cells",), r=0.17, low=-0.4, high=0.6, **within)
    (line,) = answers(verdicts(cells))
    assert (str(line.estimate), line.among) == ("0.26 [0.16, 0.36]", "within each system")
    assert "within each system" in render_table(answer_table(verdicts(cells)), "markdown")
    assert answers(verdicts(GOOD))[0].among == ""


def test_the_legend_says_what_the_numbers_above_it_are() -> None:
    within = {"c": 0.26, "c_low": 0.16, "c_high": 0.36}
    cells = replace(GOOD, verdict="care", shown_by=("cells",), r=0.17, low=-0.4, high=0.6, **within)
    both = verdicts(GOOD, replace(cells, dimension="relevance"))
    plain_number = "Pearson correlation across the summaries of each dialogue"
    assert measured_in(answers(verdicts(GOOD)), verdicts(GOOD)) == plain_number
    assert measured_in(answers(both), both).startswith(f"{plain_number}; within each system: correlation of")
    alone = verdicts(cells)
    assert measured_in(answers(alone), alone).startswith("within each system: correlation of the differences")


def test_labels_are_told_in_their_own_words() -> None:
    told = {("fluency", "a"): "tells right from wrong with AUC 0.74 [0.68, 0.80]"}
    text = render_table(answer_table(verdicts(GOOD), told, with_reasons=False), "markdown")
    assert "tells right from wrong with AUC 0.74" in text
    assert "0.70 [0.40" not in text


def test_two_systems_show_what_is_left_without_systems_and_dialogues() -> None:
    """They have no coefficient across systems, and no dashes either."""
    pair = Verdict(
        "a", "fluency", "care", c=0.5, c_low=0.2, c_high=0.7, c_bar=0.3, shown_by=("cells",), reasons=(WEAK,)
    )
    (line,) = answers(verdicts(pair))
    assert str(line.estimate) == "0.50 [0.20, 0.70]"
    (forest,) = forests(verdicts(pair))
    assert forest.ceiling is None, "it is on another scale"
    assert forest.controls[0].estimate.value == 0.05
    assert "which system wrote a summary" in verdict_table(verdicts(pair)).notes[0]


@pytest.mark.parametrize("name", ["embedding-average", "greedy-matching", "rouge-1-p@source", "bartscore-src-hyp"])
def test_names_of_metrics_are_not_cut_on_the_first_screen(name: str) -> None:
    (forest,) = forests(verdicts(replace(GOOD, metric=name)))
    assert f">{name}<" in forest_plot(forest, 0.0, SMALL)


def test_tables_and_sentences_say_the_same() -> None:
    found = verdicts(GOOD, CARE, BAD, replace(BAD, dimension="relevance"))
    assert [row.name for row in answer_table(found).rows] == ["fluency", "relevance"]
    assert len(answer_table(found, with_reasons=False).columns) == 3
    assert answer_sentences(found)[1].startswith("relevance: Not shown to follow")
    table = verdict_table(found, metrics=["c"])
    assert [(row.group, row.name) for row in table.rows] == [("fluency", "c"), ("relevance", "c")]
    assert "(p .72)" in dimension_tables(found)[0][1].rows[2].cells[-1].text
    assert null_sentence(found).endswith("in 7 of 200 studies.")
    assert null_sentence(replace(found, null_runs=0)) == ""


def test_counts_and_directions_are_told() -> None:
    found = verdicts(GOOD)
    assert rater_sentences(found) == ["fluency: rated on 54 of 360 summaries."]
    turned = found.dimensions.with_columns(
        pl.lit("lower").alias("better"), pl.lit("name").alias("better_said_by"), pl.lit(360, pl.Int64).alias("rated")
    )
    assert rater_sentences(replace(found, dimensions=turned)) == ["fluency: lower is better (guessed from the name)."]
