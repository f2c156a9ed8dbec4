"""The reproduction study of role-oriented summaries: tables from its print, scores of its corpus from outputs."""

import gzip
import itertools
import json
import sys

import numpy as np
import pytest

from dialgauge.cli import main
from dialgauge.errors import InputError
from dialgauge.metrics import use_kernels
from dialgauge.reproduce import check_claims, compare, load_printed, recompute_paper
from dialgauge.reproduce.papers.csds_repro import printed_studies, published_claims
from dialgauge.reproduce.papers.csds_scores import _bootstrap_weights, perl_random, published_bleu, published_rouge


@pytest.fixture(scope="module")
def comparison():
    return compare(printed_studies(load_printed("csds_repro.toml")["1"]))


@pytest.fixture(scope="module")
def paper(data_dir):
    return recompute_paper("csds-repro", data_dir)


def test_the_printed_table_is_consistent_with_itself():
    """Overall is the mean of the dimensions, Repr4 the mean of Repr1–3, and a star marks a gain."""
    studies = {study.name: study.values() for study in printed_studies(load_printed("csds_repro.toml")["1"])}
    for values in studies.values():
        for (dimension, role, system), value in values.items():
            if dimension == "Overall":
                parts = [values[d, role, system] for d in ("Info", "Non-Red", "Flu")]
                assert abs(np.mean(parts) - value) <= 0.0101
    for cell, value in studies["Repr4"].items():
        assert abs(np.mean([studies[f"Repr{i}"][cell] for i in (1, 2, 3)]) - value) <= 0.0101
    starred = 0
    for study in printed_studies(load_printed("csds_repro.toml")["1"]):
        for row in study.frame.iter_rows(named=True):
            if row["stars"]:
                baseline = study.value(row["dimension"], row["role"], row["system"].replace("both", "multi"))
                assert row["value"] > baseline
                starred += 1
    assert starred == 15


def test_what_rounding_leaves_open(comparison):
    rows = comparison.correlations
    assert rows["open"].sum() == 14
    unsure = rows.filter("sign_open").select("study", "dimension", "role").rows()
    assert unsure == [
        ("Repr3", "Non-Red", "agent"),
        ("Repr4", "Flu", "agent"),
        ("Repr4", "Overall", "user"),
        ("Repr5", "Overall", "user"),
    ]
    pairs = comparison.cells.filter(comparison.cells["studies"].str.starts_with("Original vs"))
    reach = (pairs["high"] - pairs["low"]) / 2
    assert (round(reach.mean(), 1), round(reach.max(), 1)) == (1.4, 1.9)
    among = comparison.cells.filter(comparison.cells["studies"] == "reproductions")
    assert (among["low"] < 1e-9).sum() == 24


def test_the_six_conclusions(comparison):
    conclusions = check_claims(published_claims(), comparison.studies)
    original = conclusions.frame.filter(conclusions.frame["study"] == "Original")
    assert set(original["verdict"]) == {"confirmed"}
    verdicts = [conclusions.overall(claim.id) for claim in conclusions.claims]
    assert verdicts == ["confirmed", "confirmed", "partly", "confirmed", "partly", "confirmed"]
    assert conclusions.confirmed == 4


@pytest.mark.data
class TestPaper:
    @pytest.mark.parametrize(
        ("table", "matched", "total"),
        [("2", 10, 10), ("3", 192, 192), ("4", 40, 40), ("csds-rouge", 89, 90), ("csds-bleu", 29, 30)],
    )
    def test_counts(self, paper, table, matched, total):
        assert (paper.table(table).matched, paper.table(table).total) == (matched, total)

    def test_the_odd_cells_are_known(self, paper):
        odd = [(c.row, c.column, c.printed, round(c.recomputed, 3)) for t in paper.tables for c in t.mismatches]
        assert odd == [("PGN", "final/R1", "55.58", 55.557), ("Fast-RL*", "final", "32.94", 32.642)]

    def test_print_equals_the_transcription_of_the_bundle(self, data_dir):
        folder = data_dir / "csds" / "seed_tables"
        tables = load_printed("csds_repro.toml")
        for number, file in (("1", "table1_scores"), ("3", "table3_cvstar"), ("4", "table4_spearman")):
            cells = json.loads((folder / f"{file}.json").read_text(encoding="utf-8"))["cells"]
            compared = 0
            for (row, column), printed in tables[number].entries.items():
                node = cells
                for key in [*row.split(" / "), column.split("/")[0]]:
                    node = node[key]
                role = column.split("/")[1]
                assert printed.text == node[role]
                assert bool(printed.stars) == node.get(f"{role}_sig", False)
                compared += 1
            assert compared == {"1": 192, "3": 192, "4": 40}[number]

    def test_every_score_equals_the_recorded_one(self, paper, data_dir):
        """To the digits that were recorded when the recipe was found."""
        path = data_dir / "csds" / "csds_rouge" / "csds_readme_table_check.json"
        recorded = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in paper.table("csds-rouge").cells:
            mode, metric = cell.column.split("/")
            assert cell.recomputed == pytest.approx(recorded[cell.row][mode][metric]["rouge155"], abs=0.00051)
        for cell in paper.table("csds-bleu").cells:
            assert cell.recomputed == pytest.approx(recorded[cell.row][cell.column]["BLEU"]["computed"], abs=0.00051)

    def test_json_for_machines(self, data_dir, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["dialgauge", "paper", "csds-repro", "--data", str(data_dir), "--json"])
        with pytest.raises(SystemExit) as leaving:
            main()
        assert not leaving.value.code
        tables = json.loads(capsys.readouterr().out)["tables"]
        counts = {name: (table["matched"], table["total"]) for name, table in tables.items()}
        assert counts == {
            "2": (10, 10),
            "3": (192, 192),
            "4": (40, 40),
            "csds-rouge": (89, 90),
            "csds-bleu": (29, 30),
        }

    def test_both_kernels_agree(self, data_dir):
        path = data_dir / "csds" / "csds_rouge" / "csds_baseline_outputs.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            output = json.loads(next(file))
        texts = output["pred"][:60], output["ref"][:60]
        with use_kernels("python"):
            expected = published_rouge(*texts), published_bleu(*texts)
        assert (published_rouge(*texts), published_bleu(*texts)) == expected


def test_missing_data_is_named(tmp_path):
    with pytest.raises(InputError, match=r"csds_baseline_outputs\.jsonl\.gz"):
        recompute_paper("csds-repro", tmp_path)


def test_sides_of_different_length_are_refused(tmp_path):
    folder = tmp_path / "csds_rouge"
    folder.mkdir()
    with gzip.open(folder / "csds_baseline_outputs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"system": "PGN", "mode": "user", "pred": ["一"], "ref": []}) + "\n")
    with pytest.raises(InputError, match=r"PGN \(user\) has 1 outputs, 0 references"):
        recompute_paper("csds-repro", tmp_path)


def test_rouge_of_equal_and_of_disjoint_texts():
    texts = ["用户询问密码。用户等待。", "客服回答。"]
    assert published_rouge(texts, texts) == {"R1": 100.0, "R2": 100.0, "RL": 100.0}
    assert published_rouge(["一二三"], ["四五六"]) == {"R1": 0, "R2": 0, "RL": 0}
    assert published_rouge([""], ["四五六"])["R1"] == 0


def test_rouge_by_hand():
    # 用户等 and 用户好等: 3 of 3 and 4 characters, 1 of 2 and 3 pairs, all 3 in order.
    scores = published_rouge(["用户等"], ["用户好等"])
    assert scores == pytest.approx({"R1": 100 * 6 / 7, "R2": 40, "RL": 100 * 6 / 7}, abs=0.001)


def test_rouge_l_is_a_union_over_sentences():
    # The second sentence of the hypothesis matches the reference's first, in another order than the whole text.
    scores = published_rouge(["丙丁。甲乙。"], ["甲乙。丙丁。"])
    assert scores["RL"] == 100
    assert scores["R2"] < 100


def test_the_separator_of_the_scripts_is_no_token():
    assert published_rouge(["百分之十%好"], ["百分之十好"])["R1"] == 100


def test_bleu_equals_nltk():
    from nltk.translate.bleu_score import corpus_bleu

    hypotheses = ["用户询问如何修改密码。", "客服请用户等待。", "好的", ""]
    references = ["用户询问怎样修改登录密码。", "客服请用户耐心等待。", "好的好的", "在吗在吗"]
    expected = corpus_bleu([[list(reference)] for reference in references], [list(text) for text in hypotheses])
    assert published_bleu(hypotheses, references) == pytest.approx(100 * expected, rel=1e-12)
    assert published_bleu(["甲乙"], ["丙丁"]) == 0


def test_random_numbers_are_perls():
    """Recorded from Perl 5: srand(7), then int(rand(800)) four times; srand(0), then rand()."""
    drawn = [numbers.tolist() for numbers in itertools.islice(perl_random(np.array([7, 0])), 4)]
    assert [int(seven * 800) for seven, _ in drawn] == [213, 545, 212, 103]
    assert drawn[0][1] == pytest.approx(0.17082803610629, abs=1e-14)


def test_the_bootstrap_weighs_items_almost_alike():
    weights = _bootstrap_weights(800)
    assert weights.sum() == pytest.approx(1)
    # 1,000 samples of 800: each item is drawn 1,000 times on average, give or take √1000.
    assert (weights * 800).std() == pytest.approx(1 / np.sqrt(1000), rel=0.1)
