"""Scoring with the cache: computed once, the same numbers, kept as the work goes on, and never in the way."""

import sqlite3
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import open_corpus
from dialgauge.engine import results_cache
from dialgauge.metrics import Job, Scores, _computing, parse_request, score
from dialgauge.metrics._computing import is_kept
from dialgauge.sources import Sources
from tests.engine.toy_corpora import made_corpus

TEXTS = [f"summary {i}" if i % 7 else "" for i in range(40)]


def same(one: Scores, other: Scores) -> bool:
    return one.frame.equals(other.frame) and one.failures.equals(other.failures) and one.notes.equals(other.notes)


def computed(toys: Path) -> list[str]:
    lines = toys.read_text().splitlines()
    toys.write_text("")
    return lines


def test_values_reasons_and_notes_come_back(toys: Path, kept: Path) -> None:
    corpus = made_corpus(TEXTS)
    first = score(corpus, ["toy-slow"])
    assert sorted(computed(toys)) == sorted(set(TEXTS))
    again = score(corpus, ["toy-slow"])
    assert computed(toys) == []
    assert same(first, again)
    assert again.failures.height == TEXTS.count("")
    assert again.notes.height == sum(len(text) > 9 for text in TEXTS)
    assert same(first, score(corpus, ["toy-slow"], cache=False))
    assert len(computed(toys)) == len(set(TEXTS))
    assert results_cache().stats().entries == len(set(TEXTS))  # type: ignore[union-attr]


def test_other_corpora_find_their_texts(toys: Path, kept: Path) -> None:
    score(made_corpus(TEXTS[:20]), ["toy-slow"])
    computed(toys)
    more = score(made_corpus(TEXTS[10:]), ["toy-slow"])
    assert set(computed(toys)) == set(TEXTS[20:]) - {""}
    assert same(more, score(made_corpus(TEXTS[10:]), ["toy-slow"], cache=False))


def test_off_by_the_environment(toys: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_RESULTS", "off")
    for _ in range(2):
        score(made_corpus(["a"]), ["toy-slow"])
    assert computed(toys) == ["a", "a"]
    assert not kept.exists()


def test_another_signature_model_or_code_is_another_key(
    toys: Path, kept: Path, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    model = Path(shutil.copytree(golden_dir / "models" / "tiny-bert", tmp_path / "model"))
    spec = f"bertscore-f1:model=folder:{model},device=cpu"
    job = _job()
    first = _computing._keys(parse_request(spec), job)
    assert len(set(first)) == len(first)
    assert _computing._keys(parse_request(spec), job) == first
    assert not set(first) & set(_computing._keys(parse_request(spec.replace("f1", "p")), job))
    assert not set(first) & set(_computing._keys(parse_request(spec + ",rescale=no,negative=zero"), job))
    baseline = tmp_path / "baseline.csv"
    baseline.write_text("LAYER,P,R,F\n1,0.5,0.5,0.5\n")
    rescaled = _computing._keys(parse_request(f"{spec},rescale={baseline}"), job)
    baseline.write_text("LAYER,P,R,F\n1,0.4,0.5,0.5\n")
    assert not set(rescaled) & set(_computing._keys(parse_request(f"{spec},rescale={baseline}"), job))
    (model / "config.json").write_text((model / "config.json").read_text() + " ")
    assert not set(first) & set(_computing._keys(parse_request(spec), job))
    second = _computing._keys(parse_request(spec), job)
    monkeypatch.setattr("dialgauge.__version__", "99")
    assert not set(second) & set(_computing._keys(parse_request(spec), job))


def test_only_code_that_the_metric_depends_on_is_in_the_key(
    toys: Path, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    own = Path(str(_computing.__file__)).parent.parent
    package = Path(shutil.copytree(own, tmp_path / "dialgauge", ignore=shutil.ignore_patterns("__pycache__")))
    bertscore, toy = f"bertscore-f1:model=folder:{golden_dir}/models/tiny-bert,device=cpu", "toy-slow"
    job = _job()

    def changed(file: str, more: str) -> set[str]:
        """The metrics whose keys are others after an edit."""
        keys: list[dict[str, list[bytes]]] = []
        for text in ("", more):
            with (package / file).open("a", encoding="utf-8") as stream:
                stream.write(text)
            sources = Sources(package)
            monkeypatch.setattr("dialgauge.sources._sources", lambda sources=sources: sources)
            keys.append({spec: _computing._keys(parse_request(spec), job) for spec in (bertscore, toy)})
        return {spec for spec in (bertscore, toy) if keys[0][spec] != keys[1][spec]}

    assert changed("metrics/_bertscore.py", "NEW = 1\n") == {bertscore}
    assert changed("metrics/_bertscore.py", "# new\n") == set()
    assert changed("metrics/_job.py", "NEW = 1\n") == {bertscore, toy}
    assert changed("report/templates/report.css", "/* new */") == set()
    for unrelated in ("annotate/_app.py", "metrics/_rouge.py", "metrics/_scoring.py", "engine/_ray.py"):
        assert changed(unrelated, "NEW = 1\n") == set(), unrelated


def _job() -> Job:
    from dialgauge.metrics._plan import ScoringPlan

    corpus = open_corpus("embedded")
    return ScoringPlan(corpus, False, _computing.Computing())._distinct_job(parse_request("rouge-1")).job


def test_what_is_kept_and_what_is_not(toys: Path) -> None:
    kept = {spec: is_kept(parse_request(spec)) for spec in ("bertscore-f1", "moverscore", "perplexity", "toy-slow")}
    assert all(kept.values()), kept
    never = ("rouge-1", "corpus-bleu", "bertscore-f1:idf=pairs", "moverscore:idf=distinct", "judge:model=chat:m")
    assert not any(is_kept(parse_request(spec)) for spec in never)


@pytest.mark.parametrize("spec", ["bertscore", "moverscore", "perplexity", "bartscore-hyp-ref"])
def test_slices_change_no_value_of_a_model(
    spec: str, kept: Path, golden_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut into slices of seven, cold, warm and without a cache: the same within what batching changes."""
    import torch

    torch.set_num_threads(1)
    name = {"perplexity": "tiny-gpt2", "bartscore-hyp-ref": "tiny-bart"}.get(spec, "tiny-bert")
    spec += f":model=folder:{golden_dir}/models/{name},device=cpu"
    corpus = open_corpus("embedded")
    wanted = corpus.dialogues["dialogue_id"].to_list()[:3]
    corpus = type(corpus)(
        corpus.dialogues.filter(pl.col("dialogue_id").is_in(wanted)),
        corpus.summaries.filter(pl.col("dialogue_id").is_in(wanted)),
        info=corpus.info,
    )
    whole = score(corpus, [spec], cache=False)
    monkeypatch.setattr(_computing, "SLICE", 7)
    cold, warm = score(corpus, [spec]), score(corpus, [spec])
    assert same(cold, warm)
    assert cold.failures.equals(whole.failures)
    assert cold.notes.equals(whole.notes)
    for column in whole.metrics:
        np.testing.assert_allclose(cold.frame[column].to_numpy(), whole.frame[column].to_numpy(), rtol=1e-6, atol=1e-5)


def test_progress_counts_over_all_slices(toys: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_computing, "SLICE", 10)
    corpus, seen = made_corpus([f"t{i}" for i in range(35)]), []
    for _ in range(2):
        score(corpus, ["toy-memory"], progress=lambda *told: seen.append(told[0]))
    numbers = [int(what.split("(")[1].split()[0]) for what in seen if "(" in what]
    half = numbers.index(35) + 1
    assert numbers[:half] == sorted(numbers[:half])
    assert numbers[half:] == [10, 20, 30, 35]
    assert all("of 35 texts" in what for what in seen if "(" in what)


def test_a_damaged_entry_is_computed_anew(toys: Path, kept: Path) -> None:
    corpus = made_corpus(TEXTS)
    first = score(corpus, ["toy-slow"])
    computed(toys)
    with sqlite3.connect(kept / "results.db") as connection:
        connection.execute("UPDATE entries SET number = 99 WHERE id IN (2, 3)")
    with pytest.warns(UserWarning, match="2 damaged entries"):
        again = score(corpus, ["toy-slow"])
    assert same(first, again)
    assert len(computed(toys)) == 2
    assert same(first, score(corpus, ["toy-slow"]))
    assert computed(toys) == []


def test_the_commands(toys: Path, kept: Path) -> None:
    run = CliRunner().invoke
    score(made_corpus(TEXTS), ["toy-slow"])
    stats = run(app, ["cache", "stats", "--json"])
    assert stats.exit_code == 0
    assert '"toy-slow": 35' in stats.stdout
    assert '"entries": 35' in stats.stdout
    assert "toy-slow" in run(app, ["cache", "stats"]).stdout
    assert run(app, ["cache", "verify"]).exit_code == 0
    with sqlite3.connect(kept / "results.db") as connection:
        connection.execute("UPDATE entries SET number = 99 WHERE id = 2")
    verified = run(app, ["cache", "verify", "--json"])
    assert verified.exit_code == 1
    assert '"sound": 34' in verified.stdout
    assert '"dropped": 1' in verified.stdout
    assert "damaged" in run(app, ["cache", "verify"]).stderr
    wrong = run(app, ["cache", "clear", "-m", "toy-slwo"])
    assert "unknown metric in the cache 'toy-slwo'; did you mean 'toy-slow'" in str(wrong.exception)
    assert "34 values removed" in run(app, ["cache", "clear"]).stderr
    assert '"entries": 0' in run(app, ["cache", "stats", "--json"]).stdout


def test_the_commands_say_when_it_is_off() -> None:
    result = CliRunner().invoke(app, ["cache", "stats"])
    assert result.exit_code != 0
    assert "DIALGAUGE_RESULTS is off" in str(result.exception)
