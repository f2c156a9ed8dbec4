"""SummaQA against the reference implementation, on the questions that were recorded with its values."""

import pytest
import torch

from dialgauge.metrics import score_pairs
from dialgauge.metrics._questions import squad_words, word_f1
from dialgauge.metrics._summaqa import Answered, Cloze, answers, clozes, f_score, probability
from dialgauge.models import load
from tests.metrics.golden_pairs import KEYS, SOURCES, SUMMARIES, model, recorded
from tests.metrics.rule_parser import save_rule_parser

MODEL = model("tiny-bert-qa")
VARIANTS = {"intended": "no_special_added", "reference": "special_added"}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_rule_parser(tmp_path_factory.mktemp("parser") / "rules")


@pytest.mark.parametrize("behaviour", VARIANTS)
def test_equals_the_reference(behaviour: str) -> None:
    golden = recorded("summaqa")
    loaded = load("qa", MODEL, "cpu")
    asked, owners = [], []
    for key, summary in zip(KEYS, SUMMARIES, strict=True):
        known = golden["questions"][key[:3]]
        questions = [Cloze(*both) for both in zip(known["questions"], known["answers"], strict=True)]
        asked += [(question.question, summary) for question in questions]
        owners.append(questions)
    given = iter(answers(loaded, asked, behaviour))
    for key, questions in zip(KEYS, owners, strict=True):
        theirs = golden["results"][key]
        answered = Answered(questions, [next(given) for _ in questions])
        each = theirs.get(f"{VARIANTS[behaviour]}_per_question", [])
        assert [answer.text for answer in answered.answers] == [text for text, _ in each], key
        assert [answer.probability for answer in answered.answers] == pytest.approx([p for _, p in each], abs=1e-5), key
        whole = theirs[VARIANTS[behaviour]]
        # Without a question the reference says 0.
        assert answered.reading(probability, "reference").number == pytest.approx(whole["avg_prob"], abs=1e-5)
        assert answered.reading(f_score, "reference").number == pytest.approx(whole["avg_fscore"], abs=1e-5)
        assert bool(answered.reading(f_score, "intended").reason) is not bool(questions)


def test_questions_blank_out_one_entity_at_a_time(parser: str) -> None:
    text = "Tom: are you coming on Saturday? No, Tom."
    assert clozes([text], parser)[text] == [
        Cloze("MASKED: are you coming on Saturday?", "Tom"),
        Cloze("Tom: are you coming on MASKED?", "Saturday"),
        Cloze("No, MASKED.", "Tom"),
    ]


def test_from_texts_to_values(parser: str) -> None:
    specs = [f"summaqa-{name}:model={MODEL},parser={parser},device=cpu" for name in ("prob", "fscore")]
    frame = score_pairs(SUMMARIES[:6], SOURCES[:6], specs)
    loaded = load("qa", MODEL, "cpu")
    for summary, source, (mean, overlap) in zip(SUMMARIES[:6], SOURCES[:6], frame.iter_rows(), strict=True):
        questions = clozes([source], parser)[source]
        alone = Answered(questions, [answers(loaded, [(q.question, summary)], "intended")[0] for q in questions])
        assert questions
        assert mean == pytest.approx(alone.reading(probability, "intended").number, abs=1e-6)
        assert overlap == pytest.approx(alone.reading(f_score, "intended").number, abs=1e-6)


def test_nothing_to_ask_and_too_much_to_read(parser: str) -> None:
    spec = f"summaqa-prob:model={MODEL},parser={parser},device=cpu"
    assert score_pairs(["a summary"], ["nobody is named here"], [spec]).item() is None
    assert score_pairs(["a summary"], ["nobody is named here"], [f"{spec},behaviour=reference"]).item() == 0
    assert "truncated" in answers(load("qa", MODEL, "cpu"), [("Who?", "word " * 600)], "intended")[0].notes[0]
    assert score_pairs(["word " * 600], ["Tom is here."], [spec]).item() is not None


@pytest.mark.parametrize("behaviour", VARIANTS)
@pytest.mark.parametrize("before", [0, 300, 700])
def test_a_long_sentence_leaves_room_for_the_summary(before: int, behaviour: str) -> None:
    """A transcript without marks is one long sentence: what is kept of it is around the blank."""
    loaded = load("qa", MODEL, "cpu")
    question = " ".join(["call"] * before + ["today", "MASKED", "pays"] + ["bill"] * (700 - before))
    summary = "Tom pays the bill."
    pieces = {
        name: loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
        for name, text in (("question", question), ("summary", summary), ("blank", "today MASKED pays"))
    }
    seen: list[list[int]] = []
    forward = loaded.module.forward

    def watch(input_ids, **given):
        seen.append(input_ids[0].tolist())
        return forward(input_ids=input_ids, **given)

    loaded.module.forward = watch
    try:
        (given,) = answers(loaded, [(question, summary)], behaviour)
        (both,) = answers(loaded, [(question, "Tom pays. " * 200)], behaviour)
    finally:
        del loaded.module.forward
    assert given.notes == ("a sentence of the source was truncated to the model's maximum length",)
    assert both.notes == ("the summary was truncated to the model's maximum length", *given.notes)
    for row in seen:
        assert len(row) == loaded.max_length
        shown = ",".join(map(str, row))
        assert ",".join(map(str, pieces["blank"])) in shown
    assert ",".join(map(str, pieces["summary"])) in ",".join(map(str, seen[0]))


def test_answer_overlap_by_hand() -> None:
    assert squad_words("The U.S. of a man!") == ["us", "of", "man"]
    assert word_f1(["five", "working", "days"], ["five", "days", "days"]) == pytest.approx(2 * 2 / 6)
    assert (word_f1([], []), word_f1([], ["x"]), word_f1(["x"], ["y"])) == (1, 0, 0)
