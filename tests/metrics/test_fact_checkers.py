"""AlignScore, MiniCheck and SummaC against plain implementations of their published rules, on tiny models."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from dialgauge.errors import ModelError, ParameterError
from dialgauge.language import nltk_sentences
from dialgauge.metrics import score_pairs
from dialgauge.metrics._fact_checkers import BINS, convolved, even_chunks, filled_chunks, long_sentences
from dialgauge.models import load
from tests.metrics.golden_pairs import GOLDEN, SOURCES, SUMMARIES, model

BERT, T5 = model("tiny-bert-nli"), model("tiny-t5")
PAIRS = [(SUMMARIES[n], SOURCES[n]) for n in (0, 3, 7)]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tiny classifier with names for its labels."""
    folder = tmp_path_factory.mktemp("nli") / "named"
    shutil.copytree(GOLDEN / "models" / "tiny-bert-nli", folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {"id2label": {"0": "contradiction", "1": "entailment"}, "label2id": {"contradiction": 0, "entailment": 1}}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return f"folder:{folder}"


def scores(spec: str, pairs: list[tuple[str, str]] = PAIRS) -> list[float | None]:
    summaries, sources = zip(*pairs, strict=True)
    return score_pairs(summaries, sources, [f"{spec},device=cpu"]).to_series().to_list()


def probabilities(*texts: str) -> list[float]:
    """The classifier's probabilities, one call for one text or pair."""
    loaded = load("sequence-classifier", BERT, "cpu")
    how = "only_first" if len(texts) > 1 else True
    inputs = loaded.tokenizer(*texts, truncation=how, max_length=loaded.max_length, return_tensors="pt")
    with torch.inference_mode():
        return loaded.module(**inputs).logits.double().softmax(-1)[0].tolist()


def test_alignscore_is_the_mean_of_the_best_parts() -> None:
    expected = []
    for summary, source in PAIRS:
        sentences = nltk_sentences(source)
        step = max(len(sentences) // (len(source.split()) // 350 + 1), 1)
        chunks = [" ".join(sentences[i : i + step]) for i in range(0, len(sentences), step)]
        expected.append(np.mean([max(probabilities(c, s)[0] for c in chunks) for s in nltk_sentences(summary)]))
    assert scores(f"alignscore:model={BERT}") == pytest.approx(expected, abs=1e-6)
    assert scores(f"alignscore:model={BERT},aligned=1") != pytest.approx(expected, abs=1e-3)
    with pytest.raises(ParameterError, match="0 to 1"):
        scores(f"alignscore:model={BERT},aligned=2")


def test_parts_of_a_long_source() -> None:
    source = " ".join(f"Sentence number {n} has just seven words." for n in range(110))
    chunks = even_chunks(source)
    assert [len(nltk_sentences(chunk)) for chunk in chunks] == [36, 36, 36, 2]
    assert " ".join(chunks) == source
    lines = "A: Hi there. How are you?\nB: Fine.\nA: Good."
    words = lambda text: len(text.split())  # noqa: E731
    assert filled_chunks(lines, 100, words) == [lines]
    assert filled_chunks(lines, 6, words) == ["A: Hi there. How are you?", "B: Fine.\nA: Good."]
    assert filled_chunks("One sentence that is longer than that. Two.", 3, words) == [
        "One sentence that is longer than that.",
        "Two.",
    ]
    assert long_sentences("Yes. This one is long enough. Ok then.") == ["This one is long enough."]


def test_minicheck_reads_part_and_sentence_as_one_text() -> None:
    loaded = load("sequence-classifier", BERT, "cpu")
    end = loaded.tokenizer.eos_token or loaded.tokenizer.sep_token
    expected, lowest = [], []
    for summary, source in PAIRS:
        chunks = filled_chunks(
            source, 40, lambda text: len(loaded.tokenizer(text, add_special_tokens=False)["input_ids"])
        )
        assert len(chunks) > 1
        best = [max(probabilities(f"{c}{end}{s}")[1] for c in chunks) for s in nltk_sentences(summary)]
        expected.append(np.mean(best))
        lowest.append(min(best))
    assert scores(f"minicheck:model={BERT},chunk=40") == pytest.approx(expected, abs=1e-6)
    assert scores(f"minicheck:model={BERT},chunk=40,over=min") == pytest.approx(lowest, abs=1e-6)


def test_minicheck_by_t5_compares_two_answers() -> None:
    loaded = load("seq2seq", T5, "cpu")
    summary, source = PAIRS[0]
    rows = []
    for sentence in nltk_sentences(summary):
        best = 0.0
        for chunk in filled_chunks(source, 30, lambda text: len(text.split())):
            ids = loaded.tokenizer(f"predict: {chunk}{loaded.tokenizer.eos_token}{sentence}", return_tensors="pt")
            with torch.inference_mode():
                made = (
                    loaded.module(**ids, decoder_input_ids=torch.zeros((1, 1), dtype=torch.int64)).logits[0, 0].double()
                )
            best = max(best, float(made[[3, 209]].softmax(-1)[1]))
        rows.append(best)
    assert scores(f"minicheck-t5:model={T5},chunk=30", PAIRS[:1]) == pytest.approx([np.mean(rows)], abs=1e-6)


def test_summac_zs_subtracts_the_highest_contradiction(named: str) -> None:
    expected = []
    for summary, source in PAIRS:
        premises = long_sentences(source)[:100]
        table = [[probabilities(p, s) for p in premises] for s in long_sentences(summary)]
        expected.append(np.mean([max(cell[1] for cell in row) - max(cell[0] for cell in row) for row in table]))
    assert scores(f"summac-zs:model={named}") == pytest.approx(expected, abs=1e-6)
    assert scores(f"summac-zs:model={named}", [("Yes.", PAIRS[0][1]), ("", "b"), ("a long sentence", "")]) == [None] * 3
    with pytest.raises(ModelError, match="label_0"):
        scores(f"summac-zs:model={BERT}")


def test_summac_conv_weighs_a_histogram(named: str, tmp_path: Path) -> None:
    made = torch.Generator().manual_seed(3)
    tensors = {
        "mlp.weight": torch.randn(1, 23, generator=made),
        "mlp.bias": torch.randn(1, generator=made),
        "layer_final.weight": torch.randn(2, 3, generator=made),
        "layer_final.bias": torch.randn(2, generator=made),
    }
    save_file(tensors, tmp_path / "conv.safetensors")
    torch.save(tensors, tmp_path / "conv.bin")
    expected = []
    for summary, source in PAIRS:
        rows = []
        for sentence in long_sentences(summary)[:10]:
            counts = [0.0] * 23
            for premise in long_sentences(source)[:100]:
                p = probabilities(premise, sentence)[1]
                counts[max(n for n in range(23) if BINS[n] <= p)] += 1
            rows.append(
                float(tensors["mlp.weight"][0].double() @ torch.tensor(counts).double() + tensors["mlp.bias"][0])
            )
        mean = sum(rows) / len(rows)
        logits = tensors["layer_final.weight"].double() @ torch.full((3,), mean).double() + tensors["layer_final.bias"]
        expected.append(float(logits.softmax(-1)[1]))
    for file in ("conv.safetensors", "conv.bin"):
        assert scores(f"summac-conv:model={named},weights={tmp_path / file}") == pytest.approx(expected, abs=1e-6)
    assert convolved(np.ones((12, 4)), (np.zeros(23), 0.0, np.zeros((2, 3)), np.array([0.0, 1.0]))) == pytest.approx(
        1 / (1 + math.exp(-1))
    )
    save_file({"mlp.weight": torch.zeros(1, 5)}, tmp_path / "other.safetensors")
    with pytest.raises(ModelError, match="not the weights of SummaC-Conv"):
        scores(f"summac-conv:model={named},weights={tmp_path / 'other.safetensors'}")
    with pytest.raises(ModelError, match="weights=FILE"):
        scores(f"summac-conv:model={named}")
