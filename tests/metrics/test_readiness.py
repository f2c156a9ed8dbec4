"""What a metric cannot do is told before any work: no model is loaded for it, and no other metric has run yet."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import DialgaugeError, ModelError, ParameterError
from dialgauge.metrics import Metric, Values, _registry as registry, all_metrics, parse_requests, score, score_pairs
from dialgauge.models import ChatEndpoint, _load as loading, stored_config
from tests.metrics.golden_pairs import GOLDEN, model

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
CORPUS = Corpus.build(
    [Dialogue("a", (Turn("Tom", "Party on Saturday?"), Turn("Mia", "No, I have an exam.")))],
    [Summary("a", "one", "Mia has an exam."), Summary("a", "two", "Tom has a party.")],
)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes what is done: each run of the metric ``cheap``. Loading a model is a failure."""
    done: list[str] = []

    def compute(job, parameters):
        done.append("cheap")
        return Values(np.zeros(len(job)))

    registry.METRICS.all()
    cheap = Metric(
        compute,
        name="cheap",
        family="cheap",
        description="nothing",
        direction="none",
        targets=("none",),
        range=(0, 0),
        citation="us",
    )
    monkeypatch.setitem(registry.METRICS._entries, "cheap", cheap)
    monkeypatch.setattr(loading, "_load", lambda *_: pytest.fail("a model was loaded"))
    loading.unload()
    return done


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        (f"estime-alarms:model={model('tiny-bert-mlm')}", ParameterError, "'layer' must be 0 to 2"),
        (f"estime-alarms:model={model('tiny-bert-mlm')},layer=2,margin=300", ParameterError, "less than half"),
        (f"nli-consistency:model={model('tiny-bert-nli')}", ModelError, "config.json has no label"),
        (f"nli-consistency:model={model('tiny-bert-nli')},entailment=2", ParameterError, "0 to 1"),
        (f"nli-consistency:model={model('tiny-bert-nli')},entailment=1,measure=difference", ModelError, "contradict"),
        (f"factcc:model={model('tiny-bert-nli')},correct=2", ParameterError, "0 to 1"),
        (f"bertscore-f1@source:model={model('tiny-bert')},layer=9", ParameterError, "at most 6"),
        (f"bartscore-hyp:model={model('tiny-t5')}", ModelError, "of type 't5'"),
        ("unieval-fluency:model=folder:{spoiled}", ModelError, "no tokenizer"),
        ("blanc-help:model=folder:{empty}", ModelError, "no weights"),
    ],
)
def test_refused_before_any_work(
    spec: str, error: type[DialgaugeError], said: str, work: list[str], tmp_path: Path
) -> None:
    spoiled = Path(shutil.copytree(GOLDEN / "models" / "tiny-t5", tmp_path / "spoiled"))
    for file in spoiled.glob("*token*"):
        file.unlink()
    (tmp_path / "empty").mkdir()
    named = spec.format(spoiled=spoiled, empty=tmp_path / "empty")
    for run in (lambda: score(CORPUS, ["cheap", named]), lambda: score_pairs(["a"], ["b"], ["cheap", named])):
        with pytest.raises(error, match=said):
            run()
    assert not work


def test_a_family_leaves_out_what_lacks_a_model_and_computes_the_rest(work: list[str]) -> None:
    scores = score(CORPUS, ["cheap", f"bartscore:model={model('tiny-t5')}"])
    assert scores.metrics == ["cheap"]
    assert set(scores.failures["reason"]) == {
        f"model '{model('tiny-t5')}' is of type 't5'; BARTScore needs a model of type 'bart'"
    }
    assert work == ["cheap"]


@pytest.mark.parametrize(
    "run",
    [
        lambda specs: score(CORPUS, specs),
        lambda specs: score_pairs(["Mia has an exam.", "No."], ["Mia: I have an exam."] * 2, specs),
    ],
)
def test_an_endpoint_that_is_down_is_asked_first_and_once(
    run: Callable[[list[str]], object], work: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent: list[object] = []

    def send(self, body):
        sent.append(body)
        raise ConnectionRefusedError("down")

    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path))
    monkeypatch.setattr(ChatEndpoint, "_send", send)
    usual = ChatEndpoint.open
    monkeypatch.setattr(ChatEndpoint, "open", lambda ref, **settings: usual(ref, retries=0, **settings))
    with pytest.raises(ModelError, match="did not answer"):
        run(["cheap", "judge:model=chat:x@http://127.0.0.1:9/v1"])
    assert len(sent) == 1
    assert not work


def test_asking_first_keeps_the_order_of_the_columns(
    work: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer = json.dumps({"choices": [{"message": {"content": "4"}}]})
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path))
    monkeypatch.setattr(ChatEndpoint, "_send", lambda self, body: answer)
    specs = ["cheap", "judge:model=chat:x@http://127.0.0.1:9/v1"]
    scores = score(CORPUS, specs)
    assert scores.metrics == specs
    assert list(scores.seconds) == specs
    assert list(scores.signatures) == specs
    assert score_pairs(["a b"], ["c d"], specs).columns == specs


def test_what_is_stored_of_a_model(tmp_path: Path) -> None:
    stored = stored_config(model("tiny-bert-nli"))
    assert (stored.model_type, stored.layers, stored.labels) == ("bert", 2, {0: "LABEL_0", 1: "LABEL_1"})
    (tmp_path / "weights.gguf").write_bytes(b"x")
    packed = stored_config(f"folder:{tmp_path}")
    assert (packed.model_type, packed.layers, packed.labels) == (None, None, None)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"n_layers": 6, "id2label": {"0": "no", "1": "yes"}}))
    assert stored_config(f"folder:{tmp_path}").layers == 6
    assert stored_config(f"folder:{tmp_path}").labels == {0: "no", 1: "yes"}
    config.write_text(json.dumps({"num_labels": 3}))
    assert set(stored_config(f"folder:{tmp_path}").labels or ()) == {0, 1, 2}
    for bad, said in (("{", "not readable JSON"), ("[1]", "not a JSON object")):
        config.write_text(bad)
        with pytest.raises(ModelError, match=said):
            stored_config(f"folder:{tmp_path}")


def test_the_command_for_published_checkpoints_names_them_all() -> None:
    """The page's command must go on working: every specification is read, and every checkpoint of the hub is used."""
    page = (GOLDEN.parent.parent / "docs" / "models.md").read_text("utf-8")
    (command,) = re.findall(r"dialgauge models get embedded published.*?```", page, re.DOTALL)
    requests = parse_requests(re.findall(r"-m (\S+)", command))
    used = {request.parameters[name] for request in requests for name in request.metric.models}
    published = {
        metric.parameters[name].published
        for metric in all_metrics().values()
        for name in metric.models
        if metric.parameters[name].published
    }
    assert {name for name in published if _HUB_ID.fullmatch(name)} == {name for name in used if _HUB_ID.fullmatch(name)}
