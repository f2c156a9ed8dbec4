"""The suite of metrics with models, on small models made on the spot: values agree with the published ways."""

from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks import SUITES, made_models, models, run_suite
from benchmarks.model_peers import bert_score_loop
from benchmarks.pairs import embedded_pairs
from dialgauge.errors import ModelError, ParameterError
from dialgauge.metrics import score_pairs
from dialgauge.metrics._layers import layer_states
from dialgauge.models import load, unload


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(models, "load_pairs", embedded_pairs)
    monkeypatch.setattr(models, "_DIALOGUES", dict.fromkeys(models._DIALOGUES, 2))
    monkeypatch.setattr(models, "_ROUNDS", 1)
    monkeypatch.setitem(made_models._BERT, "minilm", (5, 32, 64, 4))
    monkeypatch.setitem(made_models._BART, "bart-large", (2, 32, 64, 4))
    monkeypatch.setattr(made_models, "_VOCABULARY", 9000)
    yield
    unload()


def test_the_suite_agrees_with_its_peers(small: None) -> None:
    seen: list[str] = []
    threads = torch.get_num_threads()
    results = {result.name: result for result in run_suite("models", lambda what, done, total: seen.append(what))}
    assert list(results) == ["bertscore", "bartscore", "moverscore", "vectors"]
    assert seen == [*results, "done"]
    assert torch.get_num_threads() == threads
    for name in ("bertscore", "bartscore", "moverscore"):
        if name == "moverscore" and "skipped" in results[name].detail:
            continue
        assert results[name].ratio is not None
        assert results[name].detail["largest_difference"] <= 1e-4
        assert results[name].detail["pairs"] == 28
    assert "dialgauge models get glove-50d" in results["vectors"].detail["skipped"]


def test_the_loop_that_stands_for_bert_score(small: None, tmp_path: Path) -> None:
    pairs = models._dialogues(embedded_pairs(), 2)
    ref = made_models.make_encoder("minilm", models._texts(), tmp_path)
    model = load("encoder", ref, "cpu")
    theirs = bert_score_loop(model, layer_states(model, 4), pairs.summaries, pairs.references)
    specs = [f"bertscore-{measure}:model={ref},layer=4,device=cpu" for measure in ("p", "r", "f1")]
    ours = score_pairs(pairs.summaries, pairs.references, specs).to_numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_pairs_are_cut_by_dialogue_and_dealt_to_systems() -> None:
    pairs = models._dialogues(embedded_pairs(), 3)
    systems = models._systems(pairs)
    assert len(set(pairs.sources)) == 3
    assert [len(positions) for positions in systems] == [3] * 14
    assert sorted(i for positions in systems for i in positions) == list(range(len(pairs)))
    assert all(len({pairs.sources[i] for i in positions}) == 3 for positions in systems)


def test_devices() -> None:
    assert [name for name, suite in SUITES.items() if suite.devices] == ["models", "consistency-cost"]
    with pytest.raises(ParameterError, match="benchmark suite 'ngram': parameter 'device' must be 'cpu'"):
        run_suite("ngram", device="cuda")
    if not torch.cuda.is_available():
        with pytest.raises(ModelError, match="device 'cuda' cannot be used"):
            run_suite("models", device="cuda")
