"""What scoring does with metrics that have models: those that cannot run, notes, and progress."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import KEY, Corpus, Dialogue, Summary, Turn
from dialgauge.errors import ModelError
from dialgauge.metrics import Job, Metric, Parameter, Scores, Values, all_metrics, register, score, score_pairs
from dialgauge.metrics._registry import METRICS
from dialgauge.models import run_batched


def counted(job: Job, parameters: Mapping[str, str]) -> Values:
    """Characters, through the batched runner; texts over ten are said to be cut."""
    texts = [job.texts.strings[i] for i in job.hypothesis_ids]
    numbers = run_batched(texts, [len(text) for text in texts], lambda batch: [float(len(t)) for t in batch], 20)
    notes = {i: "cut to 10 characters" for i, text in enumerate(texts) if len(text) > 10}
    return Values(np.array(numbers), notes=notes)


def broken(job: Job, parameters: Mapping[str, str]) -> Values:
    raise ModelError("model 'x' is not what it should be")


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    all_metrics()
    monkeypatch.setattr(METRICS, "_entries", {})
    monkeypatch.setattr(METRICS, "_table", {})  # only the toys are known
    common = {
        "family": "toys",
        "description": "A toy.",
        "direction": "none",
        "targets": ("none",),
        "range": (0.0, None),
        "citation": "none",
    }
    declared = {"parameters": {"model": Parameter("embedded:minilm", (), "a model")}, "models": {"model": "encoder"}}
    register(
        Metric(name="counted", compute=counted, **common),
        Metric(name="absent", compute=counted, **common, **declared),
        Metric(name="broken", compute=broken, **common),
        Metric(name="whole", compute=counted_systems, level="system", **common),
    )


def counted_systems(job: Job, parameters: Mapping[str, str]) -> Values:
    return Values(np.bincount(job.groups).astype(float), notes={0: "about the first system"})


@pytest.fixture
def corpus() -> Corpus:
    dialogues = [Dialogue("d1", (Turn("Ann", "Hi."),)), Dialogue("d2", (Turn("Bob", "Ho."),))]
    texts = {("d1", "a"): "short", ("d1", "b"): "long enough to cut", ("d2", "a"): "long enough to cut"}
    return Corpus.build(dialogues, [Summary(d, s, text) for (d, s), text in texts.items()])


def test_what_cannot_run_is_left_out_of_a_family_with_the_reason(toys: None, corpus: Corpus, tmp_path: Path) -> None:
    scores = score(corpus, ["all"])
    assert scores.metrics == ["counted"]
    assert set(scores.signatures) == {"counted", "whole"}
    assert set(scores.left_out) == {"absent", "broken"}
    assert "dialgauge models get minilm" in scores.left_out["absent"]
    assert scores.failures.select(KEY).null_count().row(0) == (2,) * len(KEY)
    scores.save(tmp_path / "scores.csv")
    assert Scores.load(tmp_path / "scores.csv").left_out == scores.left_out


def test_what_was_asked_for_by_name_stops_everything_at_once(toys: None, corpus: Corpus) -> None:
    seen: list[str] = []
    with pytest.raises(ModelError, match="dialgauge models get minilm"):
        score(corpus, ["counted", "absent"], progress=lambda what, done, total: seen.append(what))
    assert seen == []
    with pytest.raises(ModelError, match="not what it should be"):
        score(corpus, ["broken"])


def test_notes_are_kept_for_every_summary_of_the_text(toys: None, corpus: Corpus, tmp_path: Path) -> None:
    scores = score(corpus, ["counted", "whole"])
    assert scores.notes.select("dialogue_id", "system", "metric", "note").rows() == [
        ("d1", "b", "counted", "cut to 10 characters"),
        ("d2", "a", "counted", "cut to 10 characters"),
        (None, "a", "whole", "about the first system"),
    ]
    for name in ("s.parquet", "s.csv", "s.jsonl"):
        scores.save(tmp_path / name)
        assert Scores.load(tmp_path / name).notes.equals(scores.notes)
    assert score(corpus, ["counted"]).failures.is_empty()


def test_progress_within_a_metric(toys: None, corpus: Corpus) -> None:
    seen: list[tuple[str, int, int]] = []
    score(corpus, ["counted"], progress=lambda *told: seen.append(told))
    assert seen[0] == ("counted", 0, 1)
    assert ("counted (2 of 2 texts)", 0, 1) in seen
    assert seen[-1] == ("done", 1, 1)


def test_pairs_warn_about_what_is_left_out(toys: None) -> None:
    with (
        pytest.warns(UserWarning, match="absent is skipped: model 'embedded:minilm' is not here"),
        pytest.warns(UserWarning, match="broken is skipped: model 'x' is not what it should be"),
    ):
        frame = score_pairs(["abc"], None, ["toys"])
    assert frame.equals(pl.DataFrame({"counted": [3.0], "whole": [1.0]}))
    with pytest.raises(ModelError, match="not what it should be"):
        score_pairs(["abc"], None, ["broken"])


def test_the_command_says_what_is_left_out(toys: None) -> None:
    result = CliRunner().invoke(app, ["score", "embedded", "-m", "all"])
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert "broken model 'x' is not what it should be" in said.partition("cannot run here")[2]
