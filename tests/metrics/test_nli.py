"""FactCC against the reference's features on a tiny classifier; entailment by the source by hand."""

import json
import math
import shutil
from pathlib import Path

import pytest
import torch

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import ModelError, ParameterError
from dialgauge.language import nltk_sentences
from dialgauge.metrics import score, score_pairs
from dialgauge.metrics._nli import Judged, classify, source_chunks, zero_shot
from dialgauge.models import load
from tests.metrics.golden_pairs import GOLDEN, KEYS, SOURCES, SUMMARIES, differences, model, recorded

MODEL = model("tiny-bert-nli")


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def test_factcc_logits_equal_the_reference() -> None:
    golden = recorded("factcc")["results"]
    asked = [(source, claim) for source, text in zip(SOURCES, SUMMARIES, strict=True) for claim in nltk_sentences(text)]
    judged = classify(load("sequence-classifier", MODEL, "cpu"), asked, "longest_first")
    compared = 0
    for key, source, summary in zip(KEYS, SOURCES, SUMMARIES, strict=True):
        if "error" in golden[key]:
            assert not nltk_sentences(summary)
            continue
        theirs = golden[key]["cls_segment_0"]["sentences"]
        for claim, sentence in zip(nltk_sentences(summary), theirs, strict=True):
            assert judged[source, claim].logits == pytest.approx(sentence["logits"], abs=1e-5)
            assert judged[source, claim].label == sentence["pred"]
            compared += 1
    assert compared == 62


def test_factcc_equals_the_reference() -> None:
    golden = recorded("factcc")["results"]
    found = score_pairs(SUMMARIES, SOURCES, [f"factcc:model={MODEL},device=cpu"]).to_series().to_list()
    expected = [golden[key].get("cls_segment_0", {}).get("score") for key in KEYS]
    assert not differences(found, expected)
    other = score_pairs(SUMMARIES, SOURCES, [f"factcc:model={MODEL},correct=1,device=cpu"]).to_series().to_list()
    assert not differences(other, [None if one is None else 1 - one for one in expected])


def logits(*shares: float) -> Judged:
    return Judged(tuple(math.log(share) for share in shares), note="")


def test_zero_shot_by_hand() -> None:
    # Two sentences × three chunks; the labels are contradiction, neutral, entailment.
    table = [
        [logits(0.1, 0.2, 0.7), logits(0.3, 0.3, 0.4), logits(0.6, 0.3, 0.1)],
        [logits(0.2, 0.7, 0.1), logits(0.5, 0.3, 0.2), logits(0.1, 0.6, 0.3)],
    ]
    assert zero_shot(table, 2, None).number == pytest.approx((0.7 + 0.3) / 2)
    assert zero_shot(table, 2, 0).number == pytest.approx(((0.7 - 0.6) + (0.3 - 0.5)) / 2)


def test_chunks_of_a_dialogue() -> None:
    text = "Tom: Hi there. Are you in?\n\nMia: Yes! Come over\n"
    assert source_chunks(text, "whole", 1) == [text]
    assert source_chunks(text, "turn", 1) == ["Tom: Hi there. Are you in?", "Mia: Yes! Come over"]
    sentences = ["Tom: Hi there.", "Are you in?", "Mia: Yes!", "Come over"]
    assert source_chunks(text, "sentence", 1) == sentences
    assert source_chunks(text, "sentence", 3) == [" ".join(sentences[:3]), " ".join(sentences[1:])]
    assert source_chunks(text, "sentence", 9) == [" ".join(sentences)]
    assert source_chunks(" \n", "sentence", 1) == source_chunks("", "whole", 1) == []


def test_consistency_equals_one_call_per_cell() -> None:
    loaded = load("sequence-classifier", MODEL, "cpu")
    summary, source = SUMMARIES[0], SOURCES[0]
    rows = []
    for claim in nltk_sentences(summary):
        best = 0.0
        for premise in source_chunks(source, "sentence", 2):
            inputs = loaded.tokenizer(premise, claim, return_tensors="pt")
            with torch.inference_mode():
                best = max(best, float(loaded.module(**inputs).logits.double().softmax(-1)[0, 1]))
        rows.append(best)
    spec = f"nli-consistency:model={MODEL},entailment=1,width=2,device=cpu"
    assert score_pairs([summary], [source], [spec]).item() == pytest.approx(sum(rows) / len(rows), abs=1e-6)


def test_labels_are_found_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"label_0.*parameter entailment"):
        score_pairs(["a"], ["b"], [f"nli-consistency:model={MODEL}"])
    with pytest.raises(ParameterError, match="0 to 1"):
        score_pairs(["a"], ["b"], [f"nli-consistency:model={MODEL},entailment=2"])
    named = Path(shutil.copytree(GOLDEN / "models" / "tiny-bert-nli", tmp_path / "named"))
    config = json.loads((named / "config.json").read_text("utf-8"))
    config |= {"id2label": {"0": "CONTRADICTION", "1": "ENTAILMENT"}, "label2id": {"CONTRADICTION": 0, "ENTAILMENT": 1}}
    (named / "config.json").write_text(json.dumps(config), "utf-8")
    by_name, by_number = (
        score_pairs(SUMMARIES[:2], SOURCES[:2], [f"nli-consistency:{settings},device=cpu"]).to_series().to_list()
        for settings in (f"model=folder:{named}", f"model={MODEL},entailment=1")
    )
    assert by_name == by_number
    difference = score_pairs(SUMMARIES[:1], SOURCES[:1], [f"nli-consistency:model=folder:{named},measure=difference"])
    assert difference.item() < by_name[0]


def test_a_sentence_longer_than_the_model_reads_is_cut_with_a_note() -> None:
    long = " ".join(["apples and pears"] * 200) + "."
    corpus = Corpus.build(
        [Dialogue("a", (Turn("Tom", "Apples are red. Pears are green."),))],
        [Summary("a", "long", long), Summary("a", "short", "Apples are red.")],
    )
    specs = [f"nli-consistency:model={MODEL},entailment=1,device=cpu", f"factcc:model={MODEL},device=cpu"]
    scores = score(corpus, specs, cache=False)
    assert scores.failures.is_empty()
    assert scores.frame.select(scores.metrics).null_count().row(0) == (0, 0)
    assert set(scores.notes["system"]) == {"long"}
    assert set(scores.notes["note"]) == {"a sentence of the summary was truncated to the model's maximum length"}
