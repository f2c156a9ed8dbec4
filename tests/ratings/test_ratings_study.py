"""The ratings of a real study with real traps: its agreement from the raw files, its drift, its copied column."""

import json

import polars as pl
import pytest

from dialgauge.ratings import (
    aggregate,
    agreement,
    check_ratings,
    check_row_order,
    drift,
    majority_noise_removal,
    outliers,
    validate,
)

pytestmark = pytest.mark.data


def test_agreement_before_and_after_cleaning_is_that_of_the_print(study, data_dir):
    printed = json.loads((data_dir / "dialsummeval" / "expected_tables.json").read_text("utf-8"))["table3"]
    matched, missed = 0, []
    for name in ("original", "reproduction"):
        ratings = study(name)
        cleaned = majority_noise_removal(ratings)
        options = {"level": "interval", "on_invalid": "keep", "resamples": 0}
        before, after = (agreement(r, ["krippendorff-alpha"], **options) for r in (ratings, cleaned.ratings))
        for dimension, total, _removed, left in cleaned.counts.iter_rows():
            column = dimension.capitalize()
            ours = {
                "total": total,
                "cleaned": left,
                "alpha_total": round(before.value("krippendorff-alpha", dimension), 2),
                "alpha_cleaned": round(after.value("krippendorff-alpha", dimension), 2),
            }
            for row, value in ours.items():
                if value == printed[row][column][name]:
                    matched += 1
                else:
                    missed.append((row, column, name, value, printed[row][column][name]))
    assert matched >= 31, missed
    assert matched + len(missed) == 32


def test_unset_rows_are_found_and_matter(study, corpus_of):
    ratings = study("reproduction")
    invalid = validate(ratings).invalid
    assert invalid.select("dialogue_id", "system", "annotator").unique().height == 4
    assert set(invalid["problem"]) == {"unset"}
    (finding,) = check_ratings(corpus_of(ratings)).of("unset")
    assert finding.evidence["values"] == 16
    kept, dropped = (aggregate(ratings, "mean", on_invalid=choice).system_means() for choice in ("keep", "drop"))
    assert not kept.equals(dropped)


def test_the_first_annotators_relevance_drifts(study):
    ratings = study("reproduction")
    result = drift(ratings, order="frame", on_invalid="keep")
    mine = (pl.col("annotator") == "1") & (pl.col("dimension") == "relevance")
    quarters = result.blocks.filter(mine)
    assert [round(value, 2) for value in quarters["residual"]] == [-0.03, 0.29, 0.32, 0.62]
    assert quarters["ratings"].to_list() == [350] * 4
    assert result.drifting.row(0)[:2] == ("1", "relevance")
    assert drift(study("original"), order="frame").drifting.is_empty()


def test_outliers_of_the_study(study):
    flagged = outliers(study("reproduction"), resamples=200).flagged
    assert set(flagged.select("annotator", "dimension").rows()) == {
        ("3", "fluency"),
        ("3", "coherence"),
        ("3", "relevance"),
    }


def test_the_copied_column_is_found_and_the_corrected_one_is_not(study, corpus_of):
    findings = check_ratings(corpus_of(study("original", ("coherence", "coherence_upstream_head"))))
    (finding,) = findings.of("copied-annotator")
    assert finding.where == "dimension coherence_upstream_head, annotators 2 and 3"
    assert (finding.evidence["equal"], finding.evidence["units"]) == (1400, 1400)
    cleaned = majority_noise_removal(study("original", ("coherence_upstream_head",))).ratings
    assert agreement(cleaned, ["krippendorff-alpha"], level="interval", resamples=0).value("krippendorff-alpha") == 1
    for name in ("original", "reproduction", "ablation"):
        assert not check_ratings(corpus_of(study(name))).of("copied-annotator")


def test_row_orders_of_the_study_disagree(data_dir):
    dialogues = pl.read_ndjson(data_dir / "dialsummeval" / "dialogues.jsonl")
    judged, scored = dialogues.sort("pos_judgment"), dialogues.sort("pos_metrics")
    (finding,) = check_row_order(judged, scored, names=("ratings", "scores"))
    assert finding.evidence == {"positions": 100, "matching": 0}
    ablation = dialogues.drop_nulls("pos_ablation").sort("pos_ablation")
    found = check_row_order(judged, ablation).of("row-order")
    assert found[0].evidence == {"positions": 10, "matching": 0}


def test_aggregated_means_are_those_of_the_print(study, data_dir):
    printed = json.loads((data_dir / "dialsummeval" / "expected_tables.json").read_text("utf-8"))["table2"]
    means = aggregate(study("reproduction"), "majority-or-mean", on_invalid="keep").system_means()
    assert means["system"].to_list() == list("ABCDEFGHIJKLMN")
    for row, ours in zip(printed, means.iter_rows(named=True), strict=True):
        for dimension in ("coherence", "consistency", "fluency", "relevance"):
            assert ours[dimension] == pytest.approx(row[dimension.capitalize()]["value"], abs=5.1e-4), row["model"]


def test_a_rating_that_was_not_given_is_a_gap(study):
    ablation = study("ablation")
    assert ablation["value"].null_count() == 1
    result = agreement(ablation, ["krippendorff-alpha", "fleiss-kappa"], dimensions=["coherence"], resamples=0).frame
    rows = result.filter(pl.col("scope") == "dimension").select("measure", "units", "ratings", "units_left_out").rows()
    assert rows == [("krippendorff-alpha", 140, 419, 0), ("fleiss-kappa", 139, 417, 1)]
