"""The PSentScore paper: cells that come out of the public data, ROUGE as py-rouge computed it, and a made bundle."""

import gzip
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.cli import main
from dialgauge.errors import InputError
from dialgauge.reproduce import PaperCheck, load_printed, paper_csv, paper_html, paper_json, recompute_paper
from dialgauge.reproduce.papers.psentscore_rouge import WEIGHT, rouge_by_py_rouge, stem_1980, words_of


@pytest.fixture(scope="module")
def paper(data_dir: Path) -> PaperCheck:
    return recompute_paper("psentscore", data_dir)


def layout(check: PaperCheck, name: str) -> dict[str, dict[str, float | None]]:
    found = next(one for one in check.layouts if one.name == name)
    return {row.name: dict(zip(found.columns, row.values, strict=True)) for row in found.rows}


@pytest.mark.data
class TestPublicData:
    def test_the_lexicon_row_of_table_2(self, paper: PaperCheck) -> None:
        table = paper.table("2-token-dict")
        assert (table.matched, table.total) == (4, 4)
        lower = layout(paper, "2")["token-dict, lower case"]
        assert [round(value or 0, 2) for value in lower.values()] == [89.04, 73.78, 62.89, 67.10]

    def test_sizes_and_percentages(self, paper: PaperCheck) -> None:
        assert paper.table("3").matched == 3
        assert paper.table("4-full").matched == 3
        assert [cell.row for cell in paper.table("4-kept").mismatches] == ["train"]

    def test_counts_in_the_layout_of_table_4(self, paper: PaperCheck) -> None:
        rows = layout(paper, "4")
        assert rows["train"]["filtered"] == 9687
        assert rows["train, token-dict"] == {
            "full": 12460,
            "filtered": 7226,
            "kept": pytest.approx(57.994, abs=1e-3),
            "zero/Dial.": 181,
            "zero/Sum.": 5220,
        }

    def test_human_rouge_is_that_of_py_rouge(self, paper: PaperCheck) -> None:
        """Values of py-rouge 1.1 on these texts; the paper prints 53.35, 26.72 and 50.84."""
        found = {cell.column: cell for cell in paper.table("5-rouge-human").cells}
        assert found["R1"].recomputed == pytest.approx(53.34071108966418, abs=1e-9)
        assert found["R2"].recomputed == pytest.approx(26.697280690508467, abs=1e-9)
        assert found["RL"].recomputed == pytest.approx(50.84550684142663, abs=1e-9)
        for cell in found.values():
            assert abs((cell.recomputed or 0) - cell.value) < 0.025
        ours = layout(paper, "5")["BART large, public"]
        assert ours["R1"] == pytest.approx(44.968047203215825, abs=1e-9)
        assert ours["RL"] == pytest.approx(43.978265440233784, abs=1e-9)
        assert layout(paper, "5")["system D (96)"]["R2"] == pytest.approx(20.348861962172823, abs=1e-9)

    def test_copies_stand_beside_the_systems_and_win(self, paper: PaperCheck) -> None:
        for name in [one.name for one in paper.layouts if one.name.startswith("5")]:
            rows = layout(paper, name)
            assert (rows["(longest-3)"]["PSentScore/Spearman"] or 0) > 2 * (
                rows["references"]["PSentScore/Spearman"] or 0
            )
            assert rows["(longest-3)"]["adj."] == 0
            assert (rows["references"]["adj."] or 0) > 0
        assert "copying-wins" in [defect.check for defect in paper.defects]

    def test_json_has_every_value(self, paper: PaperCheck) -> None:
        told = json.loads(json.dumps(paper_json(paper), allow_nan=False))
        assert told["tables"]["2-token-dict"] | {"matched": 4, "total": 4} == told["tables"]["2-token-dict"]
        assert {"2", "4", "5", "5-token-dict-words", "5-vader-words"} <= set(told["layouts"])
        assert len(told["layouts"]["5"]["rows"]) == 9 + 1 + 4 + 5
        assert told["rouge"]["human"]["plain_l"] == pytest.approx(44.9372475168276, abs=1e-9)
        assert "0 of 21,699" in next(d["message"] for d in told["defects"] if d["check"] == "no-context-in-sst3")


#: Values of py-rouge 1.1 with the paper's settings.
PAIRS = [
    (
        "Ann says she was gonna buy better shoes, but she cannot pay.",
        "Ann bought the best shoes and says that she can not pay for them.",
        (0.5185185185185186, 0.08, 0.5088103688021705),
    ),
    (
        "The agents came too late: the customers were leaving!",
        "The customer left because the agent was late.",
        (0.47058823529411764, 0.13333333333333333, 0.41994239473744455),
    ),
    ("word " * 99 + "one two three", "one two three " + "word " * 5, (1 / 9, 0.07547169811320754, 0.14685696457687783)),
    ("Nothing in common", "Completely different texts", (0, 0, 0)),
]


def test_rouge_of_pairs() -> None:
    found = rouge_by_py_rouge([(a, b) for a, b, _ in PAIRS])
    for i, (_, _, expected) in enumerate(PAIRS):
        assert [found[name][i] for name in ("R1", "R2", "RL")] == pytest.approx(expected, abs=1e-12)
    # The weight is the only difference between the two: of equal lengths, F1 is the ratio to the power of 1 / 1.2.
    same = rouge_by_py_rouge([("one two three four", "one two nine ten"), ("", "")])
    assert same["plain_l"].tolist() == [0.5, 0]
    assert same["RL"][0] == pytest.approx(0.5 ** (1 / WEIGHT))


def test_words_are_cut_at_one_hundred() -> None:
    assert len(words_of("a b c d " * 50)) == 100
    assert words_of("Went, might; sky's") == ["go", "may", "sky", "s"]


@settings(deadline=None)
@given(st.text("abcdeilnorstuyz", min_size=3, max_size=12) | st.sampled_from(["agreed", "fully", "tries", "hopping"]))
def test_the_stemmer_is_porters_of_1980(word: str) -> None:
    oracle = pytest.importorskip("nltk.stem.porter").PorterStemmer("ORIGINAL_ALGORITHM")
    assert stem_1980(word) == oracle.stem(word)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The smallest data of the right form: four dialogues, outputs of two systems, a treebank of three sentences."""
    folder = tmp_path / "psent"
    for name in ("sst3", "opinion_lexicon", "dialogsum", "predictions"):
        (folder / name).mkdir(parents=True)
    for name in ("train", "dev", "test"):
        tree = {"words": ["good", "bad", "day"], "labels": [2, 0, 1], "root5": 2}
        (folder / "sst3" / f"{name}.jsonl").write_text(json.dumps(tree) + "\n")
    (folder / "opinion_lexicon" / "positive-words.txt").write_text("good\n")
    (folder / "opinion_lexicon" / "negative-words.txt").write_text("bad\n")
    said = ["good day today", "bad bad day", "a good and bad day", "good good good"]
    rows = [{"fname": f"test_{i}", "dialogue": f"#Person1#: {text}\n#Person2#: well"} for i, text in enumerate(said)]
    one = [row | {"summary": "It is good."} for row in rows]
    three = [row | {f"summary{k}": f"It is good or bad {k}." for k in (1, 2, 3)} for row in rows]
    lines = {name: "\n".join(map(json.dumps, found)) for name, found in (("one", one), ("three", three))}
    (folder / "dialogsum/dialogsum.train.may2021.jsonl.gz").write_bytes(gzip.compress(lines["one"].encode()))
    (folder / "dialogsum/dialogsum.dev.jsonl").write_text(lines["one"])
    (folder / "dialogsum/dialogsum.test.jsonl").write_text(lines["three"])
    outputs = [f"They say {text}." for text in said]
    (folder / "predictions/dialogsum_test.bart_large_cylnlp_baseline.txt").write_text("\n".join(outputs))
    four = {"fname": "test_0", "systems": {"bart_large_cylnlp": outputs[0], "sysC": "A good day."}}
    (folder / "predictions/dialogsum_test100.four_systems.jsonl").write_text(json.dumps(four))
    return tmp_path


def test_a_made_bundle_is_recomputed(bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("dialgauge.reproduce.papers.psentscore._pieces_known", lambda: False)
    check = recompute_paper("psentscore", bundle)
    assert check.table("2-token-dict").matched == 0
    assert [cell.recomputed for cell in check.table("2-token-dict").cells] == [100] * 4
    assert "denominator" not in [table.name for table in check.tables]
    assert "words are counted instead" in next(one for one in check.layouts if one.name == "5").text
    rows = layout(check, "4")
    assert rows["dev, token-dict"] == {"full": 4, "filtered": 4, "kept": 100, "zero/Dial.": 0, "zero/Sum.": 0}
    assert layout(check, "5")["system C (96)"]["PSentScore/Spearman"] is None
    page = paper_html(check)
    assert "side by side" in page
    assert page.count("BERT-DS-SST3") >= 2
    assert "5-vader-words,GoodBai,R1,47.61,,,,47.61,,," in paper_csv(check)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("dialogsum/dialogsum.dev.jsonl", None, r"no dialogsum/dialogsum\.dev\.jsonl"),
        ("dialogsum/dialogsum.dev.jsonl", "{", r"dialogsum\.dev\.jsonl:1: not JSON"),
        ("dialogsum/dialogsum.dev.jsonl", "[]", r"dialogsum\.dev\.jsonl:1: not a JSON object"),
        ("dialogsum/dialogsum.dev.jsonl", '{"fname": "x"}', "'dialogue'"),
        ("dialogsum/dialogsum.train.may2021.jsonl.gz", "plain", "cannot be read"),
        ("predictions/dialogsum_test.bart_large_cylnlp_baseline.txt", "one", "1 outputs for 4 dialogues"),
        ("predictions/dialogsum_test100.four_systems.jsonl", '{"fname": "x", "systems": {}}', "no dialogue 'x'"),
        ("predictions/dialogsum_test100.four_systems.jsonl", '{"fname": "test_0"}', "'systems'"),
        ("opinion_lexicon/positive-words.txt", None, r"no opinion_lexicon/positive-words\.txt"),
    ],
)
def test_bad_bundles_are_refused_by_name(bundle: Path, file: str, content: str | None, message: str) -> None:
    path = bundle / "psent" / file
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises(InputError, match=message):
        recompute_paper("psentscore", bundle)


def test_a_missing_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["dialgauge", "paper", "psentscore", "--data", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "no such folder" in capsys.readouterr().err


def test_the_terminal_shows_the_layouts(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dialgauge.reproduce.papers.psentscore._pieces_known", lambda: False)
    for more, wanted in (([], "Further views"), (["--table", "5-vader-words"], ".357/.289/.027")):
        monkeypatch.setattr(sys, "argv", ["dialgauge", "paper", "psentscore", "--data", str(bundle), *more])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0
        assert wanted in capsys.readouterr().out


def test_printed_numbers_are_typed_in_full() -> None:
    printed = load_printed("psentscore.toml")
    assert len(printed["5"].entries) == 4 + 3 + 7 * 13
    assert len(printed["4"].entries) == 15
    assert float(printed["5"].entries["filtered", "PSentScore/Spearman"].value) == 0.435
