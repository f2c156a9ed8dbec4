"""BERTScore beside the values of bert-score, and what differs from it on purpose."""

from pathlib import Path

import numpy as np
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError, ParameterError
from dialgauge.metrics import score, score_pairs
from tests.metrics.golden_pairs import KEYS, REFERENCES, SOURCES, SUMMARIES, differences, model, recorded

pytest.importorskip("torch").set_num_threads(1)
RESULTS = recorded("bertscore")["results"]
MEASURES = ("p", "r", "f1")


def columns(settings: str) -> list[str]:
    return [f"bertscore-{measure}:device=cpu,{settings}" for measure in MEASURES]


def golden(name: str, place: int) -> list[float | None]:
    return [RESULTS[key][name][place] for key in KEYS]


@pytest.mark.parametrize("idf", ["no", "pairs"])
@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("name", ["tiny-bert", "tiny-roberta"])
def test_equal_to_the_reference_in_batches_of_one(name: str, layer: int, idf: str) -> None:
    frame = score_pairs(SUMMARIES, REFERENCES, columns(f"model={model(name)},layer={layer},idf={idf},empty=zero"))
    for place in range(3):
        key = f"{name}_L{layer}_{'noidf' if idf == 'no' else 'idf'}_bs1"
        assert not differences(frame.to_series(place).to_list(), golden(key, place), 1e-6)


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-roberta"])
def test_its_padded_values_are_ours_with_or_without_negative_similarities(name: str) -> None:
    """In a batch of four a text may be padded or not: best similarities count as at least 0, or as they are."""
    settings = f"model={model(name)},layer=2,empty=zero"
    kept = score_pairs(SUMMARIES, REFERENCES, columns(settings))
    zeroed = score_pairs(SUMMARIES, REFERENCES, columns(f"{settings},negative=zero"))
    changed = 0
    for place in (0, 1):
        for item, expected in enumerate(golden(f"{name}_L2_noidf_bs4", place)):
            both = [kept.to_series(place)[item], zeroed.to_series(place)[item]]
            assert min(abs(value - expected) for value in both) < 1e-6
            changed += abs(both[0] - both[1]) > 1e-5
    assert changed > 0 or name == "tiny-roberta"


def test_texts_without_tokens_have_no_value() -> None:
    texts = ["", "   ", "hello"]
    dialogues = [Dialogue(f"d{i}", (Turn("", "hello"),)) for i in range(3)]
    summaries = [Summary(f"d{i}", "s", text) for i, text in enumerate(texts)]
    summaries += [Summary(f"d{i}", "ref", "hello there", kind="reference") for i in range(3)]
    corpus = Corpus.build(dialogues, summaries)
    scores = score(corpus, [f"bertscore-f1:model={model('tiny-bert')}"])
    assert scores.frame.to_series(-1).null_count() == 2
    assert set(scores.failures["reason"]) == {"the summary has no tokens for the model"}
    against = score_pairs(["hello"], [""], columns(f"model={model('tiny-bert')}"))
    assert against.null_count().row(0) == (1, 1, 1)


def test_a_long_text_is_cut_and_this_is_noted() -> None:
    place = KEYS.index("d05-C")
    corpus = Corpus.build(
        [Dialogue("d05", (Turn("", SOURCES[place]),))],
        [Summary("d05", "C", SUMMARIES[place]), Summary("d05", "ref", REFERENCES[place], kind="reference")],
    )
    scores = score(
        corpus, [f"bertscore-f1:model={model('tiny-bert')}", f"bertscore-f1@source:model={model('tiny-bert')}"]
    )
    notes = scores.notes.sort("metric")["note"].to_list()
    assert notes[0].startswith("the summary was truncated to its first 64 tokens")
    assert "the source was truncated to its first 64 tokens" in notes[1]


def test_several_references_count_by_the_best() -> None:
    settings = f"model={model('tiny-bert')}"
    single = [score_pairs(SUMMARIES[:1], [text], columns(settings)).row(0) for text in REFERENCES[:4:3]]
    several = score_pairs(SUMMARIES[:1], [REFERENCES[:4:3]], columns(settings)).row(0)
    assert several == pytest.approx(tuple(map(max, *single)), abs=1e-6)


def test_rescaling_by_a_baseline(tmp_path: Path) -> None:
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n")
    settings = f"model={model('tiny-bert')},layer=1"
    plain = np.array(score_pairs(SUMMARIES[:2], REFERENCES[:2], columns(settings)).rows())
    scaled = np.array(score_pairs(SUMMARIES[:2], REFERENCES[:2], columns(f"{settings},rescale={file}")).rows())
    baseline = np.array([0.4, 0.5, 0.6])
    assert scaled == pytest.approx((plain - baseline) / (1 - baseline))
    for layer, content, message in (
        (2, None, "has no row for layer 2"),
        (1, "LAYER,P,R,F\n1,0.4,x\n", "line 2: expected LAYER,P,R,F"),
    ):
        if content:
            file.write_text(content)
        with pytest.raises(InputError, match=message):
            score_pairs(["a"], ["b"], columns(f"model={model('tiny-bert')},layer={layer},rescale={file}"))
    with pytest.raises(InputError, match=r"baseline file .* does not exist"):
        score_pairs(["a"], ["b"], columns(f"{settings},rescale={tmp_path / 'absent'}"))


def test_idf_over_distinct_references_does_not_depend_on_how_often_they_stand_there() -> None:
    """Each reference of the recorded texts stands there three times."""
    column = f"bertscore-f1:model={model('tiny-bert')},idf="
    once = [KEYS.index(key) for key in KEYS if key.endswith("-A")]
    few, all_of_them = [SUMMARIES[i] for i in once], [REFERENCES[i] for i in once]
    distinct = score_pairs(SUMMARIES, REFERENCES, [column + "distinct"]).to_series(0).gather(once).to_list()
    assert distinct == pytest.approx(score_pairs(few, all_of_them, [column + "pairs"]).to_series(0).to_list(), abs=1e-6)
    pairs = score_pairs(SUMMARIES, REFERENCES, [column + "pairs"]).to_series(0).gather(once).to_list()
    assert distinct != pytest.approx(pairs, abs=1e-4)


@pytest.mark.parametrize("metric", ["bertscore-f1", "moverscore"])
def test_small_windows_give_the_same_values(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The states of a few texts are held at a time; a summary that meets its target in another window is read again."""
    column = f"{metric}:model={model('tiny-bert')},device=cpu"
    summaries, references = SUMMARIES * 2, REFERENCES + REFERENCES[::-1]
    whole = score_pairs(summaries, references, [column]).to_series(0).to_list()
    monkeypatch.setattr(f"dialgauge.metrics._{metric.partition('-')[0]}.window_texts", lambda *_: 3)
    found = score_pairs(summaries, references, [column]).to_series(0).to_list()
    assert [value is None for value in found] == [value is None for value in whole]
    assert [v for v in found if v is not None] == pytest.approx([v for v in whole if v is not None], abs=1e-5)


def test_the_layer_must_exist() -> None:
    with pytest.raises(ParameterError, match="'layer' must be at most 6"):
        score_pairs(["a"], ["b"], columns(f"model={model('tiny-bert')},layer=7"))
    with pytest.raises(ParameterError, match="auto or a whole number"):
        score_pairs(["a"], ["b"], columns(f"model={model('tiny-bert')},layer=last"))


def test_all_layers_can_be_read() -> None:
    """The layers above are not computed; the states are those of the whole model all the same."""
    import torch

    from dialgauge.metrics._layers import layer_states
    from dialgauge.models import load

    loaded = load("encoder", model("tiny-bert"), "cpu")
    ids = torch.tensor([[2, 25, 26, 27, 3]])
    with torch.inference_mode():
        whole = loaded.module(
            input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
        ).hidden_states
        for layer in range(7):
            found = layer_states(loaded, layer)(ids, torch.ones_like(ids))
            torch.testing.assert_close(found, whole[layer])
        assert len(loaded.module.encoder.layer) == 6
