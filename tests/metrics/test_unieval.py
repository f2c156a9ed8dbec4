"""UniEval against the reference implementation on a tiny T5."""

import shutil
from pathlib import Path

import pytest
import torch

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError, ModelError
from dialgauge.metrics import score, score_pairs
from tests.metrics.golden_pairs import GOLDEN, KEYS, REFERENCES, SOURCES, SUMMARIES, differences, model, recorded

SETTINGS = f"model={model('tiny-t5')},max-length=128,device=cpu"
TARGETS = {
    "coherence": SOURCES,
    "consistency": SOURCES,
    "fluency": None,
    "relevance": REFERENCES,
    "overall": [[source, reference] for source, reference in zip(SOURCES, REFERENCES, strict=True)],
}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.mark.parametrize("dimension", TARGETS)
def test_equals_the_reference(dimension: str) -> None:
    golden = recorded("unieval")["results"]
    found = score_pairs(SUMMARIES, TARGETS[dimension], [f"unieval-{dimension}:{SETTINGS}"]).to_series().to_list()
    # A blank summary is an error there.
    assert not differences(found, [golden[key]["alone"].get(dimension) for key in KEYS])


def corpus() -> Corpus:
    dialogues = [Dialogue("a", (Turn("Tom", "Are you coming on Saturday?"), Turn("Mia", "No, I have an exam.")))]
    summaries = [
        Summary("a", "one", "Mia has an exam and does not come."),
        Summary("a", "none", " "),
        Summary("a", "r1", "Mia cannot come on Saturday.", kind="reference"),
        Summary("a", "r2", "Mia has an exam on Saturday.", kind="reference"),
    ]
    return Corpus.build(dialogues, summaries)


def test_overall_is_the_mean_of_the_four_with_the_best_reference() -> None:
    specs = [f"unieval-{dimension}:{SETTINGS}" for dimension in TARGETS]
    scores = score(corpus(), specs)
    *four, overall = scores.frame.filter(system="one").select(scores.metrics).row(0)
    assert overall == pytest.approx(sum(four) / 4, abs=1e-6)
    assert scores.frame.filter(system="none").select(scores.metrics).row(0) == (None,) * 5
    assert set(scores.failures["reason"]) == {"the summary is empty"}


def test_cut_questions_are_noted() -> None:
    spec = f"unieval-consistency:{SETTINGS.replace('max-length=128', 'max-length=20')}"
    notes = score(corpus(), [spec]).notes
    assert notes["note"].to_list() == ["truncated to the 20 tokens that the model reads"]
    assert notes["system"].to_list() == ["one"]


def test_overall_needs_a_source_and_a_reference() -> None:
    with pytest.raises(InputError, match="source and references"):
        score_pairs(["a"], ["only a source"], [f"unieval-overall:{SETTINGS}"])
    without = Corpus.build([Dialogue("a", (Turn("Tom", "Hello"),))], [Summary("a", "one", "Tom says hello.")])
    with pytest.raises(InputError, match="needs references"):
        score(without, [f"unieval-overall:{SETTINGS}"])


def test_a_model_that_puts_a_token_before_its_answers_tells_summaries_apart() -> None:
    """BART begins every text with the same token: looked up there, Yes and No would be equally likely always."""
    spec = f"unieval-fluency:model={model('tiny-bart')},device=cpu"
    found = [value for value in score_pairs(SUMMARIES, None, [spec]).to_series().to_list() if value is not None]
    assert len(set(found)) > len(found) / 2
    assert all(abs(value - 0.5) > 1e-9 for value in found)


def test_no_more_is_read_than_the_model_has_positions() -> None:
    """The default of 1,024 tokens is more than a tiny BART has; T5 has no table of positions to run out of."""
    long = " ".join(["Mia has an exam and does not come."] * 100)
    corpus = Corpus.build([Dialogue("a", (Turn("Tom", long),))], [Summary("a", "one", "Mia has an exam.")])
    notes = score(corpus, [f"unieval-coherence:model={model('tiny-bart')},device=cpu"], cache=False).notes
    (note,) = notes["note"].to_list()
    assert note == "truncated to the 128 tokens that the model reads"
    notes = score(corpus, [f"unieval-coherence:model={model('tiny-t5')},device=cpu"], cache=False).notes
    assert notes["note"].to_list() == ["truncated to the 1024 tokens that the model reads"]


def test_a_model_that_cannot_tell_yes_from_no_is_refused(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    folder = Path(shutil.copytree(GOLDEN / "models" / "tiny-t5", tmp_path / "t5"))
    for file in folder.glob("*token*"):
        file.unlink()
    words = Tokenizer(models.WordLevel({"<pad>": 0, "</s>": 1, "<unk>": 2}, unk_token="<unk>"))
    PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    with pytest.raises(ModelError, match="begins 'Yes' and 'No' with the same token"):
        score_pairs(SUMMARIES[:1], None, [f"unieval-fluency:model=folder:{folder},device=cpu"])
