"""The n-gram suite on few pairs: its texts, its names, the check of values, and the command."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import dialgauge
from benchmarks import BenchResult, ngram
from benchmarks.pairs import Pairs, Variation, embedded_pairs, load_pairs
from dialgauge.cli import _bench
from dialgauge.errors import DialgaugeError, InputError, MissingExtraError

NAMES = ["rouge", "rouge-100", "rouge-large", "chrf", "ter", "bleu", "meteor"]


def few_pairs() -> Pairs:
    references = ["Ann calls the bank about her card .", "Tom sells\nhis old car to Ben ."]
    sources = ["Ann: hello , my card is blocked . Bank: we look .", "Tom: my car ? Ben: yes , the old one ."]
    summaries = ["Ann called a bank .", "Ben buys a car .", "Ann and her card .", "Tom sells\nhis motorcar ."]
    return Pairs(summaries, references * 2, sources * 2, "four pairs")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngram, "load_pairs", few_pairs)
    monkeypatch.setattr(ngram, "_LARGE", 3)
    monkeypatch.setattr(ngram, "_LARGE_PEER_PAIRS", 5)
    monkeypatch.setattr(ngram, "_TER_PAIRS", 3)
    monkeypatch.setattr(ngram, "_ROUNDS", 2)


def test_the_suite(small: None) -> None:
    seen: list[tuple[str, int, int]] = []
    results = ngram.run(lambda *step: seen.append(step))
    assert [result.name for result in results] == NAMES
    assert seen == [(name, i, len(NAMES)) for i, name in enumerate([*NAMES, "done"])]
    by_name = {result.name: result for result in results}
    for result in results:
        if "skipped" in result.detail:
            assert result.name == "meteor"
            continue
        assert result.ratio is not None
        assert result.ratio > 0
        assert result.detail["largest_difference"] <= 1e-9
    for name, variants in (("rouge", 2), ("rouge-large", 4)):
        detail = by_name[name].detail
        assert len(detail["variants"]) == variants
        assert detail["variants"][detail["reported"]] == min(detail["variants"].values())
        assert by_name[name].ratio == pytest.approx(min(detail["variants"].values()), abs=0.01)
    assert by_name["rouge-large"].detail["pairs"] == 12
    assert "scaled" in by_name["rouge-large"].detail["peer_pairs"]
    assert by_name["ter"].detail["pairs"] == 3


@pytest.mark.parametrize("benchmark", ["_rouge", "_rouge_of_one_call", "_rouge_large", "_chrf", "_ter", "_bleu"])
def test_wrong_values_are_noticed(small: None, monkeypatch: pytest.MonkeyPatch, benchmark: str) -> None:
    ours = ngram._ours
    monkeypatch.setattr(ngram, "_ours", lambda pairs, specs: ours(pairs, specs) + 1e-7)
    with pytest.raises(DialgaugeError, match=r"benchmark 'toy': values differ from the peer's by 1e-07"):
        getattr(ngram, benchmark)("toy", few_pairs())


def test_meteor_is_skipped_without_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def nothing() -> Iterator[None]:
        yield None

    monkeypatch.setattr(ngram, "nltk_wordnet", nothing)
    result = ngram._meteor("meteor", few_pairs())
    assert result.ratio is None
    assert "needs WordNet" in result.detail["skipped"]


def test_blown_up_texts_are_all_distinct_and_share_references() -> None:
    pairs = few_pairs().blown_up(50)
    assert len(pairs) == len(set(pairs.summaries)) == 200
    assert not set(pairs.summaries) & set(few_pairs().summaries)
    assert len(set(pairs.references)) == len(set(pairs.sources)) == 100
    assert pairs.summaries == few_pairs().blown_up(50).summaries
    assert all(text.count("\n") == 1 for text in pairs.references[1::2])


def test_every_call_for_one_system_has_texts_of_its_own() -> None:
    calls = few_pairs().one_system_at_a_time(9)
    assert [len(call) for call in calls] == [2] * 9
    texts = [text for call in calls for text in (*call.summaries, *call.references)]
    assert len(texts) == len(set(texts))
    assert not set(texts) & set(few_pairs().summaries)


def test_the_shortest_texts_have_distinct_variants_too() -> None:
    variation = Variation(["a", ""])
    made = [variation.of(text) for text in ["a", "", "a", "", "a"]]
    assert len({"a", "", *made}) == 7


def test_a_draw_is_the_same_each_time_and_keeps_pairs_together() -> None:
    pairs = few_pairs().blown_up(20)
    drawn = pairs.draw(7)
    assert drawn == pairs.draw(7)
    assert len(drawn) == 7
    together = set(zip(pairs.summaries, pairs.references, pairs.sources, strict=True))
    assert set(zip(drawn.summaries, drawn.references, drawn.sources, strict=True)) <= together


def test_without_data_the_embedded_corpus_fills_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_DATA", str(tmp_path))
    pairs = load_pairs()
    assert "embedded" in pairs.origin
    assert len(pairs) == 1400
    assert len(set(pairs.summaries)) > 1300
    assert len(set(pairs.references)) == len(set(pairs.sources)) == 100
    assert pairs == embedded_pairs()


def test_bad_data_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "dialsummeval"
    folder.mkdir()
    monkeypatch.setenv("DIALGAUGE_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"dialogues\.jsonl"):
        load_pairs()
    (folder / "dialogues.jsonl").write_text("{no json}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"dialogues\.jsonl: cannot be read as JSON lines"):
        load_pairs()


@pytest.mark.data
def test_dialsummeval_pairs(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_DATA", str(data_dir))
    pairs = load_pairs()
    assert len(pairs) == 1400
    assert len(set(pairs.references)) == 100
    assert "DialSummEval" in pairs.origin


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    _bench.add_to(made)
    return made


def test_the_command_lists_suites(app: typer.Typer) -> None:
    shown = CliRunner().invoke(app, [])
    assert shown.exit_code == 0
    assert "ngram" in shown.output
    listed = json.loads(CliRunner().invoke(app, ["--json"]).stdout)
    assert {"ngram", "metaeval"} <= {suite["name"] for suite in listed["suites"]}


def test_the_command_prints_json_and_a_table(app: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> None:
    results = [
        BenchResult("rouge", 12.5, "rouge-score", 0.1, 1.25, {"pairs": 1400, "texts": "T", "variants": {"off": 12.5}}),
        BenchResult.skipped("meteor", "nltk", "no WordNet"),
    ]
    monkeypatch.setattr(ngram, "run", lambda progress: results)
    document = json.loads(CliRunner().invoke(app, ["ngram", "--json"]).stdout)
    assert set(document) == {"results", "machine", "date"}
    assert document["results"][0]["ratio"] == 12.5
    assert document["results"][1]["ratio"] is None
    shown = CliRunner().invoke(app, ["ngram"], env={"COLUMNS": "100"}).stdout
    assert "12.5×" in shown
    assert "1,400 pairs" in shown
    assert "skipped: no WordNet" in shown


def test_the_command_refuses_what_it_does_not_know(app: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(app, ["ngrm"])
    assert isinstance(result.exception, DialgaugeError)
    monkeypatch.setattr("benchmarks.timing._version", lambda name: None if name == "sacrebleu" else "1")
    result = CliRunner().invoke(app, ["ngram"])
    assert isinstance(result.exception, MissingExtraError)


def test_the_command_needs_a_clone(app: typer.Typer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dialgauge, "__file__", str(tmp_path / "lib" / "site-packages" / "dialgauge" / "__init__.py"))
    result = CliRunner().invoke(app, [])
    assert isinstance(result.exception, DialgaugeError)
    assert "clone the repository" in str(result.exception)


def test_the_command_finds_the_benchmarks_from_any_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "bench", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "ngram" in {suite["name"] for suite in json.loads(done.stdout)["suites"]}
