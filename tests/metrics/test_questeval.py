"""QuestEval: what it averages, by hand; and the whole way on tiny models against one call at a time."""

import statistics

import pytest
import torch

from dialgauge.errors import ModelError
from dialgauge.metrics import _questeval, parse_request, score_pairs
from dialgauge.metrics._questeval import Directions, Marks, _Asking, answers, sentences
from dialgauge.metrics._questions import squad_words, word_f1
from dialgauge.models import load, load_parser
from tests.metrics.golden_pairs import SOURCES, SUMMARIES, model
from tests.metrics.rule_parser import save_rule_parser

T5 = model("tiny-t5")


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_rule_parser(tmp_path_factory.mktemp("parser") / "rules")


@pytest.fixture(scope="module")
def settings(parser: str) -> str:
    return f"generator={T5},answerer={T5},encoder={model('tiny-bert')},parser={parser},device=cpu"


def test_marks_are_pooled_and_directions_averaged() -> None:
    recall = [Marks(0.5, 1.0, 0.9), Marks(1.0, 0.0, -0.3)]  # a BERTScore below 0 counts as 0
    precision = [Marks(0.2, 0.4, None)]
    both = Directions(recall, precision)
    expected = ((0.5 + 1.0 + 0.9 + 1.0) / 6, (0.2 + 0.4) / 2)
    assert both.reading("intended", ("recall",)).number == pytest.approx(expected[0])
    assert both.reading("intended", ("precision",)).number == pytest.approx(expected[1])
    assert both.reading("intended", ("recall", "precision")).number == pytest.approx(statistics.fmean(expected))


def test_a_direction_without_questions() -> None:
    half = Directions([Marks(0.6, 0.2, None)], [])
    assert half.reading("reference", ("recall", "precision")).number == pytest.approx(0.2)
    assert half.reading("intended", ("recall", "precision")).number == pytest.approx(0.4)
    assert "other direction" in half.reading("intended", ("recall", "precision")).note
    assert Directions([], []).reading("intended", ("recall", "precision")).reason
    assert Directions([], []).reading("reference", ("recall", "precision")).number == 0


def test_sentences_and_answers(parser: str) -> None:
    pipeline = load_parser(parser)
    assert list(sentences(pipeline("Tom asks. Really?! Mia has a cake"))) == ["Tom asks.", "Really?!", "Mia has a cake"]
    assert list(sentences(pipeline(""))) == []
    assert answers(pipeline("Mia has a cake")) == ["Mia", "Mia", "cake"]


#: Untrained models write until they are stopped, which the test does early.
LONGEST = 12


def write(name: str, prompt: str) -> tuple[str, float]:
    """What the model writes, and how surely the text has an answer: one prompt, no batch."""
    loaded = load("seq2seq", name, "cpu")
    ids = loaded.tokenizer(prompt, return_tensors="pt")["input_ids"]
    if ids.shape[1] > 128:
        ids = torch.cat([ids[:, :127], ids[:, -1:]], dim=1)
    with torch.inference_mode():
        written = loaded.module.generate(input_ids=ids, do_sample=False, num_beams=1, max_new_tokens=LONGEST)
        start = torch.tensor([[loaded.config.decoder_start_token_id]])
        logits = loaded.module(input_ids=ids, decoder_input_ids=start).logits[0, 0].double()
    word = loaded.tokenizer("unanswerable")["input_ids"][0]
    return loaded.tokenizer.decode(written[0], skip_special_tokens=True).strip(), 1 - float(logits.softmax(-1)[word])


def direction(about: str, reader: str, parser: str) -> float:
    pipeline = load_parser(parser)
    numbers = []
    for sentence in list(sentences(pipeline(about)))[:5]:
        for answer in answers(pipeline(sentence)):
            question, _ = write(T5, f"sv1 </s> {answer} </s> {sentence}")
            given, answerable = write(T5, f"{question} </s> {reader}")
            spec = f"bertscore-f1:model={model('tiny-bert')},empty=zero,device=cpu"
            similar = score_pairs([given], [answer], [spec]).item()
            overlap = word_f1(squad_words(given), squad_words(answer))
            numbers += [answerable, overlap, min(1.0, max(0.0, similar))]
    return statistics.fmean(numbers)


def test_equals_one_call_at_a_time(settings: str, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _questeval._LONGEST == 64
    monkeypatch.setattr(_questeval, "_LONGEST", LONGEST)
    summary, source = SUMMARIES[3], SOURCES[3]
    found = score_pairs(
        [summary], [source], [f"{name}:{settings}" for name in ("questeval", "questeval-recall", "questeval-precision")]
    ).row(0)
    recall, precision = direction(source, summary, parser), direction(summary, source, parser)
    assert found == pytest.approx(((recall + precision) / 2, recall, precision), abs=1e-5)
    assert recall != pytest.approx(precision, abs=1e-3)


def test_a_sentence_that_the_generator_cannot_read_whole_is_noted(settings: str) -> None:
    asking = _Asking(parse_request(f"questeval:{settings},similarity=no").parameters)
    texts = ["Mia has a cake.", "Mia has a cake " * 60]
    short, long = asking.questions(texts).values()
    assert {question.cut for question in short} == {False}
    assert {question.cut for question in long} == {True}
    for questions, cut in ((short, False), (long, True)):
        assert set(asking.marks([(question, "Tom.") for question in questions])[1]) == {cut}


def test_edges(settings: str, parser: str) -> None:
    spec = f"questeval:{settings},similarity=no"
    texts = ["", "nothing", "Tom has a cake.", "Tom 🙂 说 cake"]
    numbers = score_pairs(texts, ["Mia has a cat."] * 4, [spec]).to_series().to_list()
    assert numbers[0] is None
    assert all(number is not None and 0 <= number <= 1 for number in numbers[1:])
    assert score_pairs(["nothing"], ["nobody"], [spec]).item() is None


def test_a_parser_without_dependencies_is_refused(settings: str, parser: str, tmp_path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    other = settings.replace(parser, f"folder:{tmp_path / 'blank'}")
    with pytest.raises(ModelError, match="no dependencies"):
        score_pairs(["Tom"], ["Mia"], [f"questeval:{other}"])
