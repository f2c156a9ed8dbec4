"""Tweak to Trust: the print compared with itself, and the procedure on another corpus."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.learn import PAPER_FEATURES
from dialgauge.learn._settings import CLASSIFIERS
from dialgauge.reproduce import PaperCheck, all_papers, find_paper, load_printed, paper_html, recompute_paper
from dialgauge.reproduce.papers.tweak_to_trust import tweak_to_trust_accuracies
from dialgauge.reproduce.papers.tweak_to_trust_checks import can_come_from, check_prints, fewest_cases, find_defects


def test_every_paper_is_declared() -> None:
    papers = all_papers()
    assert list(papers) == ["re-dialsummeval", "csds-repro", "psentscore", "tweak-to-trust"]
    for name, paper in papers.items():
        assert paper.name == name
        assert load_printed(paper.printed)
        assert paper.needs
    assert [name for name, paper in papers.items() if paper.default] == ["tweak-to-trust"]
    with pytest.raises(InputError, match="give the folder of the CSDS bundle"):
        recompute_paper("csds-repro")


def test_the_print_is_typed_in_full() -> None:
    tables = load_printed("tweak_to_trust.toml")
    # One cell of Tables 5 and 6 each is cut off in the text that they were typed from.
    assert {name: len(table.entries) for name, table in tables.items()} == {
        "4": 24 * 6, "5": 49, "6": 49, "7": 16, "counts": 3, "means": 6,
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
    }
    counts = [(cell.printed, cell.recomputed) for cell in checks["counts"].cells]
    assert counts == [("15", 10), ("19", 19), ("14", 16)]
    assert "15 get worse in at least three of the four" in checks["counts"].cells[0].note
    assert "14 is how often" in checks["counts"].cells[2].note
    assert [cell.printed for cell in checks["means"].mismatches] == ["9.07", "12.2"]


def test_numbers_of_cases() -> None:
    assert can_come_from(69, 0.4202, 0.0001)  # 29 / 69 = 0.42029, cut off
    assert can_come_from(69, 0.4203, 0.0001)
    assert not can_come_from(69, 0.4205, 0.0001)
    assert fewest_cases([0.4202, 0.3913, 0.3043, 0.2753], 0.0001) == 69
    assert fewest_cases([0.5], 0.0001) == 2
    # Two numbers that many sizes give by chance say nothing.
    assert fewest_cases([0.7316, 0.6445], 0.0001) is None


def test_defects() -> None:
    found = [(defect.check, defect.where) for defect in find_defects(load_printed("tweak_to_trust.toml"))]
    assert found == [
        ("impossible-mean", "Tables 2 and 3"),
        ("rising-dose", "Table 3"),
        ("few-cases", "Table 5, consistency/our"),
        ("few-cases", "Table 5, consistency/baseline"),
    ]


def test_ratings_are_needed(tmp_path: Any) -> None:
    corpus = embedded_corpus()
    write_corpus(replace(corpus, ratings=corpus.ratings.clear()), tmp_path / "corpus")
    with pytest.raises(UnknownNameError, match="'consistency'"):
        recompute_paper("tweak-to-trust", tmp_path / "corpus")


@pytest.fixture(scope="module")
def check() -> PaperCheck:
    """On the embedded corpus with a few perturbations: the whole set takes half a minute."""
    from dialgauge.learn import TableSettings

    few = ("jumble", "typos", "speaker_switch", "noise_addition")
    settings = TableSettings(perturbations=few, priors=True, resamples=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dialgauge.reproduce.papers.tweak_to_trust._OPTIONS", settings)
        return recompute_paper("tweak-to-trust")


def test_the_procedure_stands_below_the_print(check: PaperCheck) -> None:
    layouts = {layout.name: layout for layout in check.layouts}
    assert list(layouts) == ["4", "5", "6", "7"]
    ours = {name: [row.name for row in layout.rows if not row.printed] for name, layout in layouts.items()}
    assert sorted(ours["4"]) == sorted(PAPER_FEATURES)
    assert ours["5"] == ours["6"] == [*CLASSIFIERS, "most frequent"]
    assert ours["7"] == []
    svm = next(row for row in layouts["5"].rows if row.name == "svm")
    values = dict(zip(layouts["5"].columns, svm.values, strict=True))
    our, original = values["relevance/our"], values["relevance/orig"]
    assert our is not None
    assert original is not None
    assert values["relevance/our-orig"] == pytest.approx(our - original)
    assert "constructed by a program" in layouts["4"].text
    assert "4 kinds" in layouts["5"].text
    assert "UniEval Relevance" in paper_html(check)


def test_the_command_lists_the_papers(cli: Callable[..., Any]) -> None:
    listed = json.loads(cli("paper", "--json").out)["papers"]
    assert [paper["name"] for paper in listed] == list(all_papers())
    assert "embedded" in cli("paper").out
    assert cli("paper", "csds-repro").code == 2
    assert find_paper("psentscore").title.startswith("PSentScore")
