"""Comparing studies: from tables and from ratings, the sweep of settings, tests of systems, bad input, the command."""

import json
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from scipy import stats

from dialgauge.cli import main
from dialgauge.corpus import OVERALL, write_corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval import adjust_p_values
from dialgauge.ratings import agreement, krippendorff_alpha, with_default_scale
from dialgauge.reproduce import (
    ComparisonReport,
    compare,
    compare_systems,
    comparison_html,
    comparison_json,
    comparison_remarks,
    cv_star,
    is_printed_table,
    rated_results,
    read_printed,
    shared_annotators,
    show_span,
    sweep_settings,
)
from dialgauge.reproduce._concordance import kendall_w
from dialgauge.reproduce._qra import qra_view
from dialgauge.reproduce._studies import printed_results
from dialgauge.reproduce._systems import sign_flip_p_value
from dialgauge.tables import number


def table(values, name, **more):
    """A printed study of one dimension."""
    return printed_results([{"system": s, "dimension": "quality", "value": v, **more} for s, v in values.items()], name)


ORIGINAL = {"A": "3.10", "B": "3.50", "C": "4.2"}
REPEATED = {"A": "3.20", "B": "3.5", "C": "4.0"}


def spoil(ratings):
    """Two values of 0, which are unset on a scale from 1, and one beyond it."""
    values = ratings["value"].to_list()
    return ratings.with_columns(pl.Series("value", [0.0, 9.0, 0.0, *values[3:]]))


class TestPrinted:
    def test_cells_have_cv_star_and_its_range(self):
        result = compare([table(ORIGINAL, "one"), table(REPEATED, "two")])
        cells = result.cells.to_dicts()
        assert [cell["system"] for cell in cells] == ["A", "B", "C"]
        assert cells[0]["cv_star"] == pytest.approx(cv_star([3.1, 3.2]).cv_star)
        assert cells[1]["cv_star"] == 0
        # 3.5 in a table that prints two decimals elsewhere is 3.50.
        assert cells[1]["high"] == pytest.approx(cv_star([3.495, 3.505]).cv_star)
        assert result.spread.row(0, named=True)["mean"] == pytest.approx(np.mean([c["cv_star"] for c in cells]))

    def test_the_scale_is_shifted_to_zero_and_says_so(self):
        shifted = compare([table(ORIGINAL, "one", scale="1-5"), table(REPEATED, "two", scale="1-5")])
        assert [(s.dimension, s.lowest, s.assumed) for s in shifted.shifts] == [("quality", 1.0, False)]
        assert shifted.cells["cv_star"][0] == pytest.approx(cv_star([2.1, 2.2]).cv_star)
        assert shifted.cells["mean"][0] == pytest.approx(3.15)
        assert compare([table(ORIGINAL, "one"), table(REPEATED, "two")]).shifts[0].assumed

    def test_one_study_may_leave_the_scale_to_the_other(self):
        mixed = compare([table(ORIGINAL, "one", scale="1-5"), table(REPEATED, "two")])
        assert mixed.shifts[0].lowest == 1

    def test_correlations_and_order(self):
        row = compare([table(ORIGINAL, "one"), table({"A": "3.2", "B": "3.1", "C": "4.0"}, "two")]).correlations.row(
            0, named=True
        )
        assert row["pearson"] == pytest.approx(stats.pearsonr([3.1, 3.5, 4.2], [3.2, 3.1, 4.0]).statistic)
        assert row["spearman"] == pytest.approx(0.5)
        assert (row["kept"], row["reversed"], row["tied"], row["open"]) == (2, 1, 0, False)

    def test_ties_that_rounding_may_have_made_leave_the_order_open(self):
        row = compare([table(ORIGINAL, "one"), table({"A": "4", "B": "4", "C": "4"}, "two")]).correlations.row(
            0, named=True
        )
        assert row["spearman"] is None
        assert row["note"] == "all systems are equal in one study"
        assert (row["low"], row["high"]) == pytest.approx((-1, 1))
        assert row["open"]
        assert row["sign_open"]

    def test_two_systems_have_no_correlation(self):
        two = {"A": "1.0", "B": "2.0"}
        row = compare([table(two, "one"), table(two, "two")]).correlations.row(0, named=True)
        assert row["pearson"] is None
        assert "needs three" in row["note"]

    def test_three_studies_are_compared_in_groups(self):
        result = compare([table(ORIGINAL, "o"), table(REPEATED, "r1"), table(ORIGINAL, "r2")])
        assert result.groups == ["all studies", "o vs r1", "o vs r2", "reproductions"]
        by_group = {g: p["cv_star"].to_list() for (g,), p in result.cells.group_by("studies", maintain_order=True)}
        assert by_group["o vs r2"] == [0, 0, 0]
        assert by_group["reproductions"] == pytest.approx(by_group["o vs r1"])
        assert by_group["all studies"][0] == pytest.approx(cv_star([3.1, 3.2, 3.1]).cv_star)

    def test_ranks(self):
        result = compare([table(ORIGINAL, "o"), table({"A": "4", "B": "4", "C": "1"}, "r")])
        assert dict(result.ranks.select("system", "ranks").iter_rows()) == {"A": [3, 1.5], "B": [2, 1.5], "C": [1, 3]}


class TestBadInput:
    def test_no_shared_system(self):
        with pytest.raises(InputError, match=r"share no system.*one: A, B, C; two: X"):
            compare([table(ORIGINAL, "one"), table({"X": "1.0"}, "two")])

    def test_no_shared_dimension(self):
        other = printed_results([{"system": "A", "dimension": "fluency", "value": "1"}], "two")
        with pytest.raises(InputError, match="share no dimension"):
            compare([table(ORIGINAL, "one"), other])

    def test_what_one_study_lacks_is_left_out_by_name(self):
        more = [{"system": s, "dimension": d, "value": "3.0"} for s in ("A", "B") for d in ("quality", "fluency")]
        result = compare([table(ORIGINAL, "one"), printed_results(more, "two")])
        assert result.left_out == ("system C: not in two", "dimension fluency: not in one")
        assert result.cells.height == 2

    def test_a_hole_in_a_shared_row_is_named(self):
        full = [{"system": s, "dimension": d, "value": "3.0"} for s in ("A", "B") for d in ("quality", "fluency")]
        result = compare([printed_results(full, "one"), printed_results(full[:-1], "two")])
        assert result.left_out == ("fluency / overall / B: no value in two",)

    def test_a_dimension_and_a_role_of_one_name_are_told_apart(self):
        # "overall" is a dimension that two lacks, and the role of every cell.
        cells = [(s, d) for s in ("a", "b", "c", "d") for d in ("rel", "overall")]
        rows = [{"system": s, "dimension": d, "value": "3.0"} for s, d in cells]
        lacking = [row for row in rows if row["dimension"] == "rel" and row["system"] != "d"]
        lacking += [{"system": "d", "dimension": "flu", "value": "3.0"}]
        result = compare([printed_results(rows, "one"), printed_results(lacking, "two")])
        assert result.left_out == (
            "dimension overall: not in two",
            "dimension flu: not in one",
            "rel / overall / d: no value in two",
        )

    def test_different_scales(self):
        hint = r".*\(--normalise, or normalise = true in a study file\)"
        with pytest.raises(InputError, match=r"different scales \(one: 1-5, two: 1-7\)" + hint):
            compare([table(ORIGINAL, "one", scale="1-5"), table(REPEATED, "two", scale="1-7")])

    def test_different_scales_can_be_normalised(self):
        one = table({"A": "2", "B": "3", "C": "4"}, "one", scale="0-4").normalised()
        two = table({"A": "50", "B": "75", "C": "100"}, "two", scale="0-100").normalised()
        result = compare([one, two])
        assert result.cells["cv_star"].to_list() == [0, 0, 0]
        assert result.cells["high"][0] == pytest.approx(cv_star([0.375, 0.505]).cv_star)

    def test_normalising_needs_a_scale(self):
        with pytest.raises(InputError, match="'quality' has no scale"):
            table(ORIGINAL, "one").normalised()

    def test_one_study_is_no_comparison(self):
        with pytest.raises(InputError, match="at least two studies; got 1"):
            compare([table(ORIGINAL, "one")])

    def test_two_studies_of_one_name(self):
        with pytest.raises(InputError, match="two studies are called 'one'"):
            compare([table(ORIGINAL, "one"), table(REPEATED, "one")])

    def test_negative_values_need_their_scale(self):
        low = {"A": "-12.0", "B": "3.0", "C": "4.0"}
        with pytest.raises(
            InputError, match=r"quality / overall / A is -12, below 0.*--scale.*, or scale = .* in a study"
        ):
            compare([table(low, "one"), table(low, "two")])
        result = compare([table(low, "one", scale="-100-100"), table(low, "two", scale="-100-100")])
        assert result.shifts[0].lowest == -100
        assert result.cells["mean"][0] == pytest.approx(-12)

    def test_a_mean_of_zero_has_no_cv_star_but_a_reason(self):
        zero = {"A": "0.0", "B": "1.0", "C": "2.0"}
        result = compare([table(zero, "one"), table(zero, "two")])
        first = result.cells.row(0, named=True)
        assert first["cv_star"] is None
        assert "lowest point" in first["note"]
        assert result.spread.row(0, named=True)["cells"] == 2

    def test_all_at_the_lowest_point(self):
        zero = {"A": "0", "B": "0", "C": "0"}
        report = ComparisonReport(compare([table(zero, "one"), table(zero, "two")]))
        assert report.qra[0].value is None
        assert "NaN" not in json.dumps(comparison_json(report), allow_nan=False)
        assert "nan" not in comparison_html(report).lower().replace("dominan", "")

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (
                [{"system": "A", "dimension": "q", "value": "1"}] * 2,
                "two rows for one cell, q / overall / A.*row 1.*row 2",
            ),
            ([{"system": "A", "dimension": "q", "value": "high"}], "row 1.*'high'.*not a number"),
            ([{"system": "A", "dimension": "q", "value": "0,69"}], "row 1, q / A.*'0,69'.*decimal comma.*0.69"),
            ([{"system": "A", "dimension": "q", "value": ""}], "row 1: no value"),
            ([{"system": "", "dimension": "q", "value": "1"}], "row 1: no system"),
            ([{"system": "A", "dimension": "q", "value": "1", "n": "many"}], "n must be a whole number"),
            ([{"system": "A", "dimension": "q", "value": "6", "scale": "1-5"}], "is 6, off its scale 1-5"),
            ([], "no rows"),
        ],
    )
    def test_rows(self, rows, message):
        with pytest.raises(InputError, match=message):
            printed_results(rows, "study")

    def test_fewer_decimals_than_printed(self):
        with pytest.raises(ParameterError, match="decimals"):
            printed_results([{"system": "A", "dimension": "q", "value": "1.25"}], "study", decimals=1)


class TestFiles:
    def test_reads_a_csv_as_printed(self, tmp_path):
        path = tmp_path / "paper.csv"
        path.write_text("\ufeffsystem, dimension,role,value,n\nA,q,user,0.59*,100\nB,q,user,.6,\n", encoding="utf-8")
        study = read_printed(path)
        assert study.name == "paper"
        assert study.frame["stars"].to_list() == [1, 0]
        assert study.frame["n"].to_list() == [100, None]
        assert study.frame["half_width"].to_list() == [0.005, 0.005]
        assert study.value("q", "user", "B") == 0.6
        assert study.value("q", "agent", "B") is None

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("system,value\nA,1\n", "no column 'dimension'; found: system, value"),
            ("system,dimension,value,colour\nA,q,1,red\n", "unknown column 'colour'"),
            ("system,dimension,value,value\nA,q,1,1\n", "column 'value' occurs twice"),
            ("system,dimension,value\nA,q\n", "line 2: too few columns"),
            ("system,dimension,value\nA,q,1,2\n", "line 2: too many columns"),
            ("system,dimension,value\nA,q,1\nA,q,2\n", "two rows for one cell.*line 2.*line 3"),
            ("system,dimension,value\nA,q,x\n", "line 2.*not a number"),
            ('system,dimension,value\nA,q,1\n\nB,q,"0,69"\n', r"bad.csv, line 4, q / B: .*decimal comma"),
            ("", "no column 'system'"),
        ],
    )
    def test_bad_files_are_refused_by_line(self, tmp_path, text, message):
        path = tmp_path / "bad.csv"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            read_printed(path)

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(InputError, match=r"none\.csv: no such file"):
            read_printed(tmp_path / "none.csv")

    @pytest.mark.parametrize(
        ("encoding", "note"), [("latin-1", "not UTF-8 (first at line 2)"), ("utf-16", None), ("utf-16-le", "utf-16-le")]
    )
    def test_other_encodings_are_read_and_guesses_noted(self, tmp_path, encoding, note):
        path = tmp_path / "paper.csv"
        path.write_bytes("system,dimension,value\nModèle,q,0.5\nother,q,0.7\n".encode(encoding))
        assert is_printed_table(path)
        study = read_printed(path)
        assert study.systems == ["Modèle", "other"]
        assert len(study.remarks) == (note is not None)
        assert all(note in remark for remark in study.remarks)

    @pytest.mark.parametrize(
        ("header", "printed"),
        [
            ("system,dimension,value", True),
            ("\ufeffsystem, dimension ,role,value,n,scale", True),
            ("System,Dimension,Value", True),  # refused by name where it is read
            ("system,dimension,value,colour", True),
            ("id,system,dimension,value", False),
            ("dialogue_id,system,dimension,value", False),
            ("fname,system,dimension,value", False),
            ("system,dimension,value,annotator", False),
            ("system,dimension,value,Rater", False),
            ("system,dimension,value,summary", False),
            ("system,dimension,value,dialogue", False),
            ("id,dimension,score,model", False),
            ('"id,system,dimension,value', False),
            ("", False),
        ],
    )
    def test_a_table_of_results_is_told_from_a_corpus(self, tmp_path, header, printed):
        path = tmp_path / "file.csv"
        path.write_text(f"{header}\n1,2,3\n", encoding="utf-8")
        assert is_printed_table(path) is printed

    def test_other_endings_and_folders_are_no_table(self, tmp_path):
        (tmp_path / "file.txt").write_text("system,dimension,value\n", encoding="utf-8")
        (tmp_path / "folder.csv").mkdir()
        assert not any(is_printed_table(tmp_path / name) for name in ("file.txt", "folder.csv", "none.csv"))


class TestKendall:
    def test_is_one_for_equal_rankings_and_zero_for_opposed_ones(self):
        assert kendall_w(np.array([[1, 10], [2, 20], [3, 30]])) == (1.0, "")
        assert kendall_w(np.array([[1, 3], [2, 2], [3, 1]]))[0] == pytest.approx(0)

    def test_is_friedmans_statistic_scaled(self):
        values = np.random.default_rng(3).integers(0, 5, size=(6, 4)).astype(float)
        friedman = stats.friedmanchisquare(*values).statistic  # systems as treatments, studies as blocks
        assert kendall_w(values)[0] == pytest.approx(friedman / (4 * 5))

    def test_has_a_reason_where_it_is_undefined(self):
        assert kendall_w(np.array([[1.0, 1.0]])) == (None, "one system cannot be ranked")
        assert kendall_w(np.ones((3, 2))) == (None, "all systems are equal in every study")


class TestRated:
    def test_results_are_means_of_sentences_summaries_and_systems(self, make_ratings):
        ratings = make_ratings()
        study = rated_results(ratings, "made", normalised=True)
        assert study.dimensions == ["fluency", "informativeness", "overall"]
        per_sentence = (
            ratings.with_columns(pl.col("value") / 2)
            .group_by("dialogue_id", "system", "role", "dimension", "sentence")
            .agg(pl.col("value").mean())
        )
        per_summary = per_sentence.group_by("dialogue_id", "system", "role", "dimension").agg(pl.col("value").mean())
        for dimension, role, system, value in study.frame.select("dimension", "role", "system", "value").iter_rows():
            part = per_summary.filter((pl.col("role") == role) & (pl.col("system") == system))
            if dimension != "overall":
                part = part.filter(pl.col("dimension") == dimension)
            assert value == pytest.approx(part["value"].mean())
        assert set(study.frame["scale"]) == {"0-1"}
        assert study.frame["half_width"].sum() == 0

    def test_agreement_comes_from_the_shared_items(self, make_ratings):
        study = rated_results(make_ratings(), "made")
        assert [agreed.measure for agreed in study.agreement] == ["cohen-kappa", "krippendorff-alpha"]
        assert all(0 < agreed.value < 1 for agreed in study.agreement)

    def test_alpha_over_studies_uses_the_summaries_that_all_rated(self, make_ratings):
        one, two = rated_results(make_ratings(1), "one"), rated_results(make_ratings(2, dialogues=20), "two")
        row = (
            compare([one, two])
            .concordance.filter((pl.col("dimension") == "fluency") & (pl.col("role") == "user"))
            .row(0, named=True)
        )
        assert row["items"] == 60
        key = ["dialogue_id", "system"]
        is_cell = (pl.col("dimension") == "fluency") & (pl.col("role") == "user")
        assert one.summaries is not None
        assert two.summaries is not None
        both = one.summaries.filter(is_cell).join(two.summaries.filter(is_cell), on=key)
        expected = krippendorff_alpha(both.select("value", "value_right").to_numpy(), "interval").value
        assert row["alpha"] == pytest.approx(expected)

    def test_studies_of_other_dialogues_share_no_items(self, make_ratings):
        other = make_ratings(2).with_columns(("x" + pl.col("dialogue_id")).alias("dialogue_id"))
        row = compare([rated_results(make_ratings(1), "one"), rated_results(other, "two")]).concordance.row(
            0, named=True
        )
        assert (row["items"], row["alpha"]) == (0, None)
        assert row["alpha_note"] == "no summary was rated in all studies"

    def test_no_ratings(self, make_ratings):
        with pytest.raises(InputError, match="has no ratings"):
            rated_results(make_ratings().head(0), "empty")

    def test_variants_are_systems_of_their_own(self, make_ratings):
        ratings = make_ratings(dialogues=4)
        study = rated_results(pl.concat([ratings, ratings.with_columns(pl.lit("shuffled").alias("variant"))]), "made")
        assert study.systems == sorted(
            ["plain", "better", "worse", "plain/shuffled", "better/shuffled", "worse/shuffled"]
        )

    def test_ratings_off_their_scale_are_counted(self, make_ratings):
        ratings = spoil(make_ratings(scale="1-3", lowest=1))
        study = rated_results(ratings, "made")
        assert study.invalid == {"unset": 2, "off the scale": 1}
        expected = "3 ratings left out, not allowed by the scale: 2 unset, 1 off the scale"
        assert study.remarks == (expected,)
        clean = rated_results(ratings.filter(pl.col("value").is_between(1, 3)), "made")
        assert (clean.invalid, clean.remarks) == ({}, ())
        assert study.frame.equals(clean.frame)

    def test_ratings_off_their_scale_can_be_kept(self, make_ratings):
        ratings = spoil(make_ratings(scale="1-3", lowest=1))
        study = rated_results(ratings, "made", on_invalid="keep")
        free = rated_results(ratings.with_columns(pl.lit(None, dtype=pl.String).alias("scale")), "made")
        assert study.values() == free.values()
        assert study.values() != rated_results(ratings, "made").values()
        assert study.invalid == {}
        assert study.remarks == ("3 ratings kept, though not allowed by the scale: 2 unset, 1 off the scale",)
        people = agreement(ratings, ["krippendorff-alpha"], by=("overall",), resamples=0, on_invalid="keep")
        assert study.agreement[1].value == people.frame["value"][0]
        with pytest.raises(InputError, match="off their scale"):
            rated_results(ratings, "made", on_invalid="error")

    def test_an_overall_mean_is_marked_where_nobody_rated_it(self, make_ratings):
        ratings = make_ratings()
        added = compare([rated_results(ratings, "one"), rated_results(make_ratings(1), "two")])
        assert "overall" in added.correlations["dimension"]
        assert added.computed_dimensions == ["overall"]
        assert comparison_json(ComparisonReport(added))["computed_dimensions"] == ["overall"]
        given = pl.col("dimension").replace("informativeness", "overall")
        rated = [rated_results(frame.with_columns(given), name) for name, frame in (("one", ratings), ("two", ratings))]
        assert "overall" in compare(rated).correlations["dimension"]
        assert compare(rated).computed_dimensions == []

    def test_a_scale_for_ratings_that_name_none(self, make_ratings):
        ratings = make_ratings(dialogues=2)
        half = ratings.with_columns(scale=pl.when(pl.col("dimension") == "fluency").then("scale"))
        assert with_default_scale(half, "0-100")["scale"].unique().sort().to_list() == ["0-100", "0-2"]
        assert with_default_scale(half, None).equals(half)

    def test_nothing_but_invalid_ratings(self, make_ratings):
        with pytest.raises(InputError, match=r"'made' has no valid rating: \d+ ratings left out.*off the scale"):
            rated_results(make_ratings().with_columns(pl.lit(9.0).alias("value")), "made")

    def test_dimensions_on_different_scales_have_no_overall_mean(self, make_ratings):
        ratings = make_ratings(dialogues=4).with_columns(
            pl.when(pl.col("dimension") == "fluency").then(pl.lit("0-4")).otherwise("scale").alias("scale")
        )
        study = rated_results(ratings, "made")
        assert study.dimensions == ["fluency", "informativeness"]
        assert study.agreement[0].value is None
        assert "overall" in rated_results(ratings, "made", normalised=True).dimensions


class TestSettings:
    def test_each_setting_merges_the_shared_units_only(self, make_ratings):
        ratings = make_ratings()
        assert shared_annotators(ratings) == ["a1", "a2", "a3"]
        swept = sweep_settings(ratings, "repro")
        assert [s.name for s in swept] == ["repro:a1", "repro:a2", "repro:a3", "repro:mean", "repro:median"]
        shared = pl.col("dialogue_id") < "d06"
        for study, who in zip(swept, ("a1", "a2", "a3"), strict=False):
            expected = rated_results(ratings.filter(~shared | (pl.col("annotator") == who)), "expected")
            assert study.frame["value"].to_list() == pytest.approx(expected.frame["value"].to_list())
        assert swept[3].frame["value"].to_list() == rated_results(ratings, "m").frame["value"].to_list()
        assert (
            swept[4].frame["value"].to_list()
            == rated_results(ratings, "m", aggregate="median").frame["value"].to_list()
        )

    def test_the_mean_setting_is_the_mean_of_the_annotators_settings(self, make_ratings):
        one, two, three, mean, _ = sweep_settings(make_ratings(), "repro")
        values = np.mean([s.frame["value"].to_numpy() for s in (one, two, three)], axis=0)
        assert mean.frame["value"].to_numpy() == pytest.approx(values)

    def test_settings_of_one_study_are_not_labs(self, make_ratings):
        swept = sweep_settings(make_ratings(1), "repro")
        alone = compare(swept).concordance
        assert set(alone["alpha_note"]) == {"all results are settings of one study"}
        original = rated_results(make_ratings(2), "original")
        with_settings = compare([original, *swept]).concordance["alpha"].to_list()
        assert with_settings == compare([original, swept[0]]).concordance["alpha"].to_list()

    def test_a_chosen_expert(self, make_ratings):
        (chosen,) = sweep_settings(make_ratings(), "repro", settings=["annotator:a2"])
        assert chosen.name == "repro:a2"

    def test_bad_settings(self, make_ratings):
        with pytest.raises(UnknownNameError, match="a9"):
            sweep_settings(make_ratings(), "repro", settings=["annotator:a9"])
        with pytest.raises(UnknownNameError, match="mode"):
            sweep_settings(make_ratings(), "repro", settings=["mode"])
        with pytest.raises(InputError, match="nothing to merge"):
            sweep_settings(make_ratings(shared=0), "repro")

    def test_who_did_not_rate_all_shared_items_is_no_setting(self, make_ratings):
        ratings = make_ratings().filter((pl.col("annotator") != "a3") | (pl.col("dialogue_id") != "d00"))
        assert shared_annotators(ratings) == ["a1", "a2"]


class TestSystems:
    def test_equals_scipy(self, make_ratings):
        study = rated_results(make_ratings(), "made")
        frame = compare_systems(study, [("better", "plain")]).frame
        assert frame.height == 6
        for row in frame.iter_rows(named=True):
            is_cell = (pl.col("dimension") == row["dimension"]) & (pl.col("role") == row["role"])
            assert study.summaries is not None
            wide = study.summaries.filter(is_cell).pivot("system", index="dialogue_id", values="value")
            ours, theirs = wide["better"].to_numpy(), wide["plain"].to_numpy()
            assert row["n"] == 24
            assert row["p_t"] == pytest.approx(stats.ttest_rel(ours, theirs).pvalue, rel=1e-9)
            difference = np.where(np.abs(ours - theirs) < 1e-12, 0, ours - theirs)
            assert row["p_wilcoxon"] == pytest.approx(stats.wilcoxon(difference).pvalue)
            interval = stats.ttest_rel(ours, theirs).confidence_interval()
            assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
            assert row["effect"] == pytest.approx(difference.mean() / difference.std(ddof=1))
            t = row["effect"] * np.sqrt(24)
            assert stats.nct.cdf(t, 23, row["effect_low"] * np.sqrt(24)) == pytest.approx(0.975, abs=1e-6)
            assert stats.nct.cdf(t, 23, row["effect_high"] * np.sqrt(24)) == pytest.approx(0.025, abs=1e-6)
        corrected = adjust_p_values(frame["p_t"].to_list(), "benjamini-hochberg")
        assert frame["corrected_t"].to_list() == pytest.approx(corrected.tolist())

    def test_stars_follow_the_corrected_t_test(self, make_ratings):
        frame = compare_systems(rated_results(make_ratings(), "made"), permutations=200).frame
        for p, stars in frame.select("corrected_t", "stars").iter_rows():
            assert stars == ("***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else "")
        assert (frame["stars"] != "").any()

    def test_sign_flips_are_exact_for_few_dialogues(self):
        difference = np.array([0.3, -0.1, 0.5, 0.2, 0.4])
        exact = stats.permutation_test(
            (difference,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        ).pvalue
        assert sign_flip_p_value(difference, 10_000, seed=0) == pytest.approx(exact)

    def test_drawn_sign_flips_come_near_and_repeat(self):
        difference = np.random.default_rng(1).normal(0.3, 1, size=40)
        drawn = sign_flip_p_value(difference, 20_000, seed=7)
        assert drawn == sign_flip_p_value(difference, 20_000, seed=7)
        assert drawn == pytest.approx(stats.ttest_1samp(difference, 0).pvalue, abs=0.02)

    def test_equal_systems_have_a_reason_instead_of_a_p_value(self, make_ratings):
        ratings = make_ratings().with_columns(pl.lit(1.0).alias("value"))
        row = compare_systems(rated_results(ratings, "made"), [("better", "plain")]).frame.row(0, named=True)
        assert row["p_t"] is None
        assert row["note"] == "the two systems are equal on every dialogue"

    def test_a_constant_difference_has_no_t_test(self, make_ratings):
        value = pl.when(pl.col("system") == "better").then(2.0).otherwise(1.0).alias("value")
        row = compare_systems(
            rated_results(make_ratings().with_columns(value), "made"), [("better", "plain")]
        ).frame.row(0, named=True)
        assert row["p_t"] is None
        assert row["p_wilcoxon"] < 0.01
        assert "no t-test" in row["note"]

    @pytest.mark.parametrize(("dialogues", "note"), [(1, "only one dialogue: cannot be tested")])
    def test_too_few_dialogues(self, make_ratings, dialogues, note):
        study = rated_results(make_ratings(dialogues=dialogues, shared=0), "made")
        assert set(compare_systems(study).frame["note"]) == {note}

    def test_bad_requests(self, make_ratings):
        study = rated_results(make_ratings(), "made")
        with pytest.raises(UnknownNameError, match="bettr"):
            compare_systems(study, [("bettr", "plain")])
        with pytest.raises(InputError, match="printed results"):
            compare_systems(table(ORIGINAL, "one"))
        with pytest.raises(ParameterError, match="permutations"):
            compare_systems(study, permutations=10)
        with pytest.raises(ParameterError, match="confidence"):
            compare_systems(study, confidence=1.5)


class TestReport:
    def test_qra_has_all_four_types(self, make_ratings):
        comparison = compare([rated_results(make_ratings(1), "one"), rated_results(make_ratings(2), "two")])
        lines = qra_view(comparison)
        assert [line.type for line in lines] == ["I", "II", "II", "III", "IV"]
        assert lines[0].value == pytest.approx(comparison.cells["cv_star"].mean())
        assert lines[3].value == pytest.approx(comparison.concordance["alpha"].mean())
        assert lines[4].value == 1
        assert lines[4].text.startswith("18 of 18 orders of two systems in one are kept")

    def test_html_is_whole_and_escapes_names(self):
        evil = "<script>alert(1)</script>"
        one, two = (
            table({evil: "1.0", "B": "2.0", "C": "3.0"}, "a&b"),
            table({evil: "1.1", "B": "2.0", "C": "3.0"}, "two"),
        )
        page = comparison_html(ComparisonReport(compare([one, two])))
        assert evil not in page
        assert "&lt;script&gt;" in page
        assert "a&amp;b" in page
        assert "http://" not in page
        assert "https://" not in page
        _Balanced().check(page)

    def test_numbers_for_people(self):
        assert [number(v) for v in (None, -0.001, -0.5, 1.005)] == ["–", "0.00", "−0.50", "1.00"]


class _Balanced(HTMLParser):
    """Every tag that is opened is closed in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def check(self, page):
        self.feed(page)
        assert self.open == []


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Exit code, stdout and stderr of ``dialgauge …`` in an empty folder."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["dialgauge", *map(str, arguments)])
        code: int | str = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def write_table(path, values, scale=""):
    rows = [f"{system},quality,{value},{scale}" for system, value in values.items()]
    path.write_text("\n".join(["system,dimension,value,scale", *rows]) + "\n", encoding="utf-8")
    return path


class TestCommand:
    def test_prints_what_it_computes(self, run, tmp_path):
        write_table(tmp_path / "one.csv", ORIGINAL)
        write_table(tmp_path / "two.csv", {"A": "3.2", "B": "3.2", "C": "4.0"})
        code, out, err = run("compare", "one.csv", "two.csv", "--scale", "1-5", "--agreement", "one=0.48")
        assert code == 0
        assert "the scale 1-5 begins at 1, which is subtracted before CV*" in out
        assert "as reported 0.48" in out
        assert "Systems that change rank" in out
        assert max(len(line) for line in out.splitlines()) <= 100
        assert err == ""

    def test_json_and_html(self, run, tmp_path):
        write_table(tmp_path / "one.csv", ORIGINAL)
        write_table(tmp_path / "two.csv", REPEATED)
        code, out, err = run("compare", "first=one.csv", "second=two.csv", "--json", "--html", "page.html")
        data = json.loads(out)
        assert code == 0
        assert [study["name"] for study in data["studies"]] == ["first", "second"]
        assert data["cells"][0]["values"] == {"first": 3.1, "second": 3.2}
        assert data["shifts"][0]["assumed"] is True
        assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
        assert "wrote page.html" in err

    def test_corpora_with_ratings_settings_claims_and_tests(self, run, tmp_path, make_ratings, make_corpus):
        for seed, name in ((1, "original"), (2, "repro")):
            write_corpus(make_corpus(make_ratings(seed), name), tmp_path / name)
        (tmp_path / "claims.toml").write_text(
            '[[claims]]\nclaim = "better improves on plain"\ndimension = "overall"\n', encoding="utf-8"
        )
        arguments = ("compare", "original", "repro", "--settings", "--normalise", "--claims", "claims.toml")
        code, out, _ = run(*arguments, "--test", "better,plain", "--json")
        data = json.loads(out)
        assert code == 0
        names = ["original", "repro:a1", "repro:a2", "repro:a3", "repro:mean", "repro:median"]
        assert [study["name"] for study in data["studies"]] == names
        assert data["conclusions"][0]["overall"] == "confirmed"
        assert set(data["systems"]) == set(names)
        assert data["concordance"][0]["items"] == 72
        code, out, _ = run(*arguments, "--test", "all")
        assert code == 0
        assert "Conclusions: 1 of 1 confirmed" in out
        assert max(len(line) for line in out.splitlines()) <= 100

    def test_ratings_left_out_are_reported_per_study(self, run, tmp_path, make_ratings, make_corpus):
        write_corpus(make_corpus(make_ratings(1, scale="1-3", lowest=1)), tmp_path / "good")
        write_corpus(make_corpus(spoil(make_ratings(2, scale="1-3", lowest=1))), tmp_path / "bad")
        line = "3 ratings left out, not allowed by the scale: 2 unset, 1 off the scale"
        code, out, _ = run("compare", "good", "bad", "--html", "page.html")
        assert code == 0
        assert f"bad: {line}" in out
        assert "good: " not in out
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert f"<b>bad</b>: {line}" in page
        assert "<b>good</b>" not in page
        studies = json.loads(run("compare", "good", "bad", "--json")[1])["studies"]
        assert [study["invalid"] for study in studies] == [{}, {"unset": 2, "off the scale": 1}]
        assert [study["remarks"] for study in studies] == [[], [line]]

    def test_a_table_in_another_encoding_is_compared_with_a_note(self, run, tmp_path):
        for name in ("one", "two"):
            path = write_table(tmp_path / f"{name}.csv", {"Modèle": "3.1", "B": "3.5", "C": "4.2"}, "1-5")
        path.write_bytes(path.read_text(encoding="utf-8").encode("latin-1"))
        code, out, _ = run("compare", "one.csv", "two.csv")
        assert code == 0
        assert "two: not UTF-8 (first at line 2); read as cp1252" in out

    def test_a_corpus_in_a_csv_is_read_as_one(self, run, tmp_path):
        rows = [
            f"d{i},A: hi {i},{s},Hi {i} by {s}.,ann,q,{1 + (i + len(s)) % 5},1-5"
            for i in range(4)
            for s in ("a", "bb", "ccc")
        ]
        text = "\n".join(["id,dialogue,system,summary,annotator,dimension,value,scale", *rows]) + "\n"
        for name in ("one", "two"):
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        code, out, err = run("compare", "one.csv", "two.csv", "--json")
        assert (code, err) == (0, "")
        assert [study["source"] for study in json.loads(out)["studies"]] == ["ratings", "ratings"]

    def test_a_missing_cell_is_named_beside_a_dimension_called_overall(self, run, tmp_path, make_ratings, make_corpus):
        write_corpus(
            make_corpus(
                make_ratings()
                .with_columns(pl.lit(OVERALL).alias("role"))
                .unique(["dialogue_id", "system", "dimension", "annotator"], maintain_order=True)
            ),
            tmp_path / "rated",
        )
        (tmp_path / "pr.csv").write_text(
            "system,dimension,value\nplain,fluency,1\nbetter,fluency,1.5\nworse,informativeness,1\n", encoding="utf-8"
        )
        code, out, _ = run("compare", "rated", "pr.csv", "--json")
        assert code == 0
        left_out = json.loads(out)["left_out"]
        assert "dimension overall: not in pr" in left_out
        assert "fluency / overall / worse: no value in pr" in left_out

    def test_one_study_alone_with_its_settings(self, run, tmp_path, make_ratings, make_corpus):
        write_corpus(make_corpus(make_ratings()), tmp_path / "repro")
        code, out, _ = run("compare", "repro", "--settings", "--json")
        assert code == 0
        assert len(json.loads(out)["studies"]) == 5

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("one.csv",), "at least two studies"),
            (("one.csv", "missing.csv"), "missing.csv"),
            (("one.csv", "two.csv", "--scale", "third=1-5"), "unknown study"),
            (("one.csv", "two.csv", "--scale", "1-"), "1-"),
            (("one.csv", "two.csv", "--agreement", "0.48"), "the study is missing; write one=0.48"),
            (("one.csv", "two.csv", "--agreement", "one=high"), "not a number"),
            (("one.csv", "two.csv", "--test", "all"), "needs a study with ratings"),
            (("one.csv", "two.csv", "--test", "A"), "SYSTEM,BASELINE"),
            (("one.csv", "two.csv", "--normalise"), "has no scale"),
        ],
    )
    def test_bad_requests_end_with_one_message(self, run, tmp_path, arguments, message):
        write_table(tmp_path / "one.csv", ORIGINAL)
        write_table(tmp_path / "two.csv", REPEATED)
        code, _, err = run("compare", *arguments)
        assert code == 2
        assert message in " ".join(err.split())
        assert "Traceback" not in err


def test_a_printed_table_is_put_on_its_scale(tmp_path):
    write_table(tmp_path / "one.csv", {"A": "2", "B": "5"})
    named = read_printed(tmp_path / "one.csv", scale="1-5")
    assert named.frame.equals(read_printed(tmp_path / "one.csv").with_scale("1-5").frame)
    assert list(read_printed(tmp_path / "one.csv", scale="1-5", normalised=True).values().values()) == [0.25, 1.0]


def test_what_a_reader_must_know():
    result = compare([table({"A": "2", "B": "5", "D": "1"}, "one"), table({"A": "2", "B": "4"}, "two")])
    assert comparison_remarks(comparison_json(ComparisonReport(result)), " (say it)") == [
        "No scale is named for quality: assumed to begin at 0 for CV* (say it).",
        "Left out: system D: not in two.",
    ]
    named = compare([table(ORIGINAL, "one", scale="1-5"), table(REPEATED, "two", scale="1-5")])
    assert comparison_remarks(comparison_json(ComparisonReport(named))) == [
        "quality: the scale 1-5 begins at 1, which is subtracted before CV*."
    ]


def test_spans_as_people_read_them():
    assert show_span(-0.5, 1.25) == "−0.50 … 1.25"
    assert [show_span(*ends) for ends in ((None, 1.0), (1.0, None), (0.3, 0.1 + 0.2))] == ["", "", ""]


def test_a_role_that_is_not_given_is_the_whole_dialogue():
    assert table(ORIGINAL, "one").roles == [OVERALL]


class TestConventions:
    def test_cv_star_without_the_over_correction(self):
        studies = [table(ORIGINAL, "one"), table(REPEATED, "two")]
        published, current = compare(studies), compare(studies, over_correction=False)
        for column in ("cv_star", "low", "high"):
            assert (published.cells[column] / 1.125).to_list() == pytest.approx(current.cells[column].to_list())

    def test_all_pairs_of_three_studies(self):
        third = table({"A": "4.0", "B": "3.5", "C": "3.0"}, "three")
        result = compare([table(ORIGINAL, "one"), table(REPEATED, "two"), third])
        assert result.correlations["study"].to_list() == ["two", "three"]
        assert result.all_pairs.select("other", "study").rows() == [("one", "two"), ("one", "three"), ("two", "three")]
        assert result.all_pairs["spearman"].to_list() == [pytest.approx(1), pytest.approx(-1), pytest.approx(-1)]
        assert [line.measure for line in qra_view(result)][3:5] == [
            "mean Pearson r, all pairs of studies",
            "mean Spearman ρ, all pairs of studies",
        ]

    def test_kendalls_w_with_and_without_correction_for_ties(self):
        tied = np.array([[1, 1], [1, 1], [3, 3], [4, 4]])
        assert kendall_w(tied)[0] == pytest.approx(1)
        ranks = stats.rankdata(tied, axis=0).sum(axis=1)
        assert kendall_w(tied, correct_ties=False)[0] == pytest.approx(12 * ranks.var() * 4 / (4 * (64 - 4)))

    def test_ratings_give_intervals_and_printed_numbers_none(self, make_ratings):
        studies = [rated_results(make_ratings(1), "one"), rated_results(make_ratings(2), "two")]
        cells, rows = compare(studies, resamples=200).cells, compare(studies, resamples=200)
        assert (cells["interval_low"] <= cells["interval_high"]).all()
        assert rows.concordance["w_low"].null_count() == 0
        assert (rows.correlations["pearson_low"] <= rows.correlations["pearson"]).all()
        assert cells.equals(compare(studies, resamples=200).cells)
        assert compare(studies, resamples=0).cells["interval_low"].null_count() == cells.height
        printed = compare([table(ORIGINAL, "one"), table(REPEATED, "two")])
        assert printed.cells["interval_low"].null_count() == 3

    def test_systems_on_different_dialogues_are_tested_unpaired(self, make_ratings):
        ratings = make_ratings(3)
        even = pl.col("dialogue_id").str.slice(1).cast(pl.Int64) % 2 == 0
        apart = ratings.filter((pl.col("system") == "better") == even)
        study = rated_results(apart, "apart")
        row = compare_systems(study, [("better", "worse")], permutations=2000).frame.row(0, named=True)
        assert study.summaries is not None
        part = study.summaries.filter(dimension=row["dimension"], role=row["role"])
        one, other = (part.filter(system=name)["value"].to_numpy() for name in ("better", "worse"))
        assert (row["design"], row["n"], row["n_baseline"]) == ("unpaired", 12, 12)
        assert row["p_t"] == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue)
        assert row["p_wilcoxon"] == pytest.approx(stats.mannwhitneyu(one, other).pvalue)
        assert row["p_permutation"] == pytest.approx(row["p_t"], abs=0.02)
        pooled = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 2)
        assert row["effect"] == pytest.approx((one.mean() - other.mean()) / pooled)
        assert row["effect_low"] < row["effect"] < row["effect_high"]
        assert set(compare_systems(rated_results(ratings, "same"), permutations=200).frame["design"]) == {"paired"}
        report = ComparisonReport(compare([study, rated_results(ratings, "same")], resamples=0))
        tested = compare_systems(study, [("better", "worse")], permutations=100)
        page = comparison_html(replace(report, systems=[tested]))
        assert "12 + 12" in page
        assert "different dialogues; Welch" in page
        assert "same dialogues for both systems" not in page
