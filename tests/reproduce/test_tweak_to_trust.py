"""Tweak to Trust: the print compared with itself, and the procedure on another corpus."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.learn import PAPER_FEATURES, Rounding, nearest_class
from dialgauge.learn._settings import CLASSIFIERS
from dialgauge.ratings import find_scale
from dialgauge.reproduce import PaperCheck, all_papers, find_paper, load_printed, paper_html, recompute_paper
from dialgauge.reproduce._print_arithmetic import can_come_from, common_cases, least_deviation
from dialgauge.reproduce.papers.tweak_to_trust import tweak_to_trust_accuracies
from dialgauge.reproduce.papers.tweak_to_trust_checks import check_prints, find_defects
from dialgauge.reproduce.papers.tweak_to_trust_tables import RULES, ratings_table


def test_every_paper_is_declared() -> None:
    papers = all_papers()
    assert list(papers) == ["re-dialsummeval", "csds-repro", "psentscore", "tweak-to-trust"]
    for name, paper in papers.items():
        assert paper.name == name
        assert load_printed(paper.printed)
        assert paper.needs
    assert [name for name, paper in papers.items() if paper.compare_print] == ["tweak-to-trust"]
    with pytest.raises(InputError, match="give the folder of the CSDS bundle"):
        recompute_paper("csds-repro")


def test_the_print_is_typed_in_full() -> None:
    tables = load_printed("tweak_to_trust.toml")
    # One cell of Tables 5 and 6 each is cut off in the text that they were typed from.
    assert {name: len(table.entries) for name, table in tables.items()} == {
        "4": 24 * 6, "5": 49, "6": 49, "7": 16, "counts": 3, "means": 6, "claims": 9,
    }  # fmt: skip
    assert tables["5"].rows == CLASSIFIERS


def test_the_print_compared_with_itself() -> None:
    checks = {
        table.name: table for table in check_prints(load_printed("tweak_to_trust.toml"), tweak_to_trust_accuracies())
    }
    assert {name: (table.matched, table.total) for name, table in checks.items()} == {
        "5-differences": (19, 19),
        "6-differences": (19, 19),
        "counts": (1, 3),
        "means": (4, 6),
        "claims": (5, 9),
    }
    counts = [(cell.printed, cell.recomputed) for cell in checks["counts"].cells]
    assert counts == [("15", 10), ("19", 19), ("14", 16)]
    assert "15 get worse in at least three of the four" in checks["counts"].cells[0].note
    assert "14 is how often" in checks["counts"].cells[2].note
    assert "15 by signed difference" in checks["counts"].cells[2].note
    assert [(cell.printed, cell.shown) for cell in checks["means"].mismatches] == [("9.07", "9.00"), ("12.2", "11.91")]
    claims = {cell.row.partition(":")[2]: (cell.printed, cell.recomputed, cell.note) for cell in checks["claims"].cells}
    (exceptions,) = (value for key, value in claims.items() if "other than UniEval" in key)
    assert exceptions == ("0", 2, "BERT Score Inp, ESTIME Soft")
    (falling,) = (value for key, value in claims.items() if "columns of UniEval" in key)
    assert falling == ("0", 2, "UniEval Relevance, BART Score hyp→ref")


def test_numbers_of_cases() -> None:
    assert can_come_from(69, 0.4202, 0.0001)  # 29 / 69 = 0.42029, cut off
    assert can_come_from(69, 0.4203, 0.0001)
    assert not can_come_from(69, 0.4205, 0.0001)
    assert not can_come_from(69, 0.4202, 0.0001, cut=False)
    assert common_cases([0.4202, 0.3913, 0.3043, 0.2753], 0.0001) == (69, 4)
    assert common_cases([0.5], 0.0001) == (2, 1)
    # A number that does not belong to the others does not hide what they have in common.
    assert common_cases([0.4202, 0.3913, 0.3043, 0.2753, 0.5212], 0.0001) == (69, 4)
    # Two numbers that many sizes give by chance say nothing.
    assert common_cases([0.7316, 0.6445], 0.0001) is None


def test_whole_votes_deviate_at_least_so_much() -> None:
    assert least_deviation(4.0) == 0
    assert least_deviation(4.5) == 0.5
    assert least_deviation(4.2) == pytest.approx(0.4)
    assert least_deviation(3.998, 0.01) == 0  # 4.00 rounds so as well
    assert least_deviation(4.2, 0.01) < 0.4


def test_defects() -> None:
    defects = find_defects(load_printed("tweak_to_trust.toml"))
    assert [(defect.check, defect.where) for defect in defects] == [
        ("impossible-mean", "Tables 2 and 3"),
        ("impossible-deviation", "section 5.2, consistency"),
        ("impossible-deviation", "section 5.2, relevance"),
        ("rising-dose", "Table 3"),
        ("falling-consistency", "Table 3"),
        ("other-quarter", "Table 5, 'orig'"),
        ("other-quarter", "Table 6, 'orig'"),
        ("few-cases", "Table 5, 'our'"),
        ("few-cases", "Table 5, 'baseline'"),
        ("other-test-set", "Table 6, 'our'"),
        ("other-test-set", "Table 6, 'baseline'"),
        ("points-as-per-cent", "section 6.2"),
        ("not-mentioned", "Table 7"),
    ]
    said = [defect.message for defect in defects]
    assert said[0].startswith("33 of 34 rows")
    assert "(15 rows are rounded means of 75" in said[0]
    assert "33 of 34 rows (32, whatever was rounded); between the rows it is 0.84" in said[1]
    assert "33 of 34 rows (32, whatever was rounded); between the rows it is 0.93" in said[2]
    assert "from 5.95 (remove_important_sentence_1) to 3.93" in said[4]
    assert said[5].startswith("of 10 accuracies, 1 can be a share of 1,200")
    assert said[7].startswith("9 of 10 accuracies are whole numbers of 296")
    assert said[8].startswith("8 of 10 accuracies are whole numbers of 69")
    assert "8.29 points are 35%, 3.96 points are 17%" in said[11]


def test_without_data_the_print_stands_alone(cli: Callable[..., Any]) -> None:
    check = recompute_paper("tweak-to-trust")
    assert [(layout.name, layout.ours) for layout in check.layouts] == [(name, False) for name in "234567"]
    assert [len(layout.rows) for layout in check.layouts] == [16, 18, 24, 5, 5, 4]
    assert check.facts == {}
    shown = cli("paper", "tweak-to-trust").out
    assert "Each cell: orig / our-orig / baseline-orig" in shown
    assert "computed here" not in shown
    assert "--data CORPUS (or embedded)" in shown
    assert "10.0000" not in shown  # a count
    page = paper_html(check)
    assert "Table 4, as printed" in page
    assert "side by side" not in page


def test_the_protocol_has_the_labels_of_the_paper() -> None:
    section = tomllib.loads((files("dialgauge.annotate") / "examples" / "contact-centre.toml").read_text("utf-8"))
    scales = [find_scale(dimension["scale"]) for dimension in section["annotate"]["dimensions"]]
    labels = ("Extremely bad", "Very bad", "Bad", "Acceptable", "Good", "Very good", "Extremely good")
    assert [scale.labels for scale in scales] == [labels, labels]
    assert section["ratings"]["aggregate"] == "majority-or-mean"


def test_classes_stand_beside_the_printed_means_with_the_rule_for_halves() -> None:
    layouts = {layout.name: layout for layout in recompute_paper("tweak-to-trust").layouts}
    assert layouts["2"].columns == ("consistency mean", "relevance mean", "class")
    assert layouts["2"].title.endswith("(class: the mean rounded, halves up)")
    shown = {row.name: row.texts for row in layouts["2"].rows}
    assert shown["contractions"] == ("5.50", "6.25", "6 / 6")
    assert {row.name: row.texts for row in layouts["3"].rows}["speaker_switch"] == ("3.05", "3.47", "3 / 3")


@pytest.mark.parametrize(("rounding", "classes"), [("half-up", "5 / –"), ("half-even", "4 / –"), ("none", "4.5 / –")])
def test_the_rule_for_halves_is_that_of_the_training(rounding: Rounding, classes: str) -> None:
    scale = find_scale("1-7")
    kinds = [("jumble", "consistency"), ("typos", "relevance")]
    ratings = pl.DataFrame(
        [
            {"perturbation": kind, "family": "baseline", "dimension": dimension, "ratings": 2, "mean": 4.5}
            | {"assigned": nearest_class(4.5, scale, rounding)}
            for kind, dimension in kinds
        ]
    )
    table = ratings_table(ratings, "2", rounding)
    assert RULES[rounding] in table.title
    assert table.rows[0].cells[2].text == classes


def test_ratings_are_needed(tmp_path: Any) -> None:
    corpus = embedded_corpus()
    write_corpus(replace(corpus, ratings=corpus.ratings.clear()), tmp_path / "corpus")
    with pytest.raises(UnknownNameError, match="'consistency'"):
        recompute_paper("tweak-to-trust", tmp_path / "corpus")


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> PaperCheck:
    """On a part of the embedded corpus with a few perturbations: the whole takes half a minute."""
    from dialgauge.learn import TableSettings

    folder = tmp_path_factory.mktemp("calls")
    write_corpus(embedded_corpus().select(dialogues=[f"banking-0{n}" for n in range(1, 9)]), folder / "corpus")
    few = ("jumble", "typos", "speaker_switch")
    settings = TableSettings(perturbations=few, priors=True, resamples=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dialgauge.reproduce.papers.tweak_to_trust._OPTIONS", settings)
        return recompute_paper("tweak-to-trust", folder / "corpus")


def test_the_procedure_stands_below_the_print(check: PaperCheck) -> None:
    layouts = {layout.name: layout for layout in check.layouts}
    assert list(layouts) == ["2", "3", "4", "5", "6", "7"]
    ours = {name: [row.name for row in layout.rows if not row.printed] for name, layout in layouts.items()}
    assert ours["4"] == list(PAPER_FEATURES)
    printed = list(load_printed("tweak_to_trust.toml")["4"].rows)
    assert [name for name in printed if name in PAPER_FEATURES] == ours["4"]
    assert ours["5"] == ours["6"] == [*CLASSIFIERS, "most frequent"]
    assert ours["2"] == ours["3"] == ours["7"] == []
    assert [len(layouts[name].rows) for name in ("2", "3")] == [16, 18]
    assert "no variant of this corpus has a rating" in layouts["2"].text
    svm = next(row for row in layouts["5"].rows if row.name == "svm")
    values = dict(zip(layouts["5"].columns, svm.values, strict=True))
    our, original = values["relevance/our"], values["relevance/orig"]
    assert our is not None
    assert original is not None
    assert values["relevance/our-orig"] == pytest.approx(our - original)
    assert "constructed by a program" in layouts["4"].text
    assert "3 kinds" in layouts["5"].text
    assert "UniEval Relevance" in paper_html(check)


def test_the_command_lists_the_papers(cli: Callable[..., Any]) -> None:
    listed = json.loads(cli("paper", "--json").out)["papers"]
    assert [paper["name"] for paper in listed] == list(all_papers())
    assert "nothing for its print" in cli("paper").out
    assert cli("paper", "csds-repro").code == 2
    assert find_paper("psentscore").title.startswith("PSentScore")
