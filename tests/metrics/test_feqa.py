"""FEQA: spans, phrases and overlap by hand; and the whole way on tiny models against one call at a time."""

import statistics

import pytest
import torch
from hypothesis import given, strategies as st

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import ModelError
from dialgauge.metrics import score, score_pairs
from dialgauge.metrics._feqa import Prompt, best_span, extract, phrases, plain, reading
from dialgauge.metrics._questions import word_f1
from dialgauge.metrics._treebank import treebank_words
from dialgauge.models import load, load_parser
from tests.metrics.golden_pairs import SOURCES, SUMMARIES, model
from tests.metrics.rule_parser import save_rule_parser

READER, GENERATOR = model("tiny-bert-qa"), model("tiny-bart")


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_rule_parser(tmp_path_factory.mktemp("parser") / "rules")


NUMBERS = st.lists(st.floats(-5, 5, allow_nan=False), min_size=1, max_size=12)


@given(starts=NUMBERS, ends=NUMBERS, longest=st.integers(1, 6))
def test_best_span_is_the_best_of_all(starts: list[float], ends: list[float], longest: int) -> None:
    size = min(len(starts), len(ends))
    starts, ends = starts[:size], ends[:size]
    first, last, value = best_span(starts, ends, longest)
    every = [starts[i] + ends[k] for i in range(size) for k in range(i, min(i + longest, size))]
    assert value == max(every) == starts[first] + ends[last]
    assert 0 <= last - first < longest


def test_phrases_once_and_in_order(parser: str) -> None:
    pipeline = load_parser(parser)
    assert phrases(pipeline("Mia has a cake. Tom likes the cake of Mia on Saturday.")) == [
        "Mia",
        "cake",
        "Tom",
        "Saturday",
    ]


def test_reading_by_hand() -> None:
    pairs = [("the red cake", "red cake"), ("", "mia"), ("tom", "tom")]
    assert reading("a", "b", pairs).number == pytest.approx((0.8 + 0 + 1) / 3)
    assert reading(" ", "b", []).reason == "the summary is empty"
    assert reading("a", "", pairs).reason == "the source is empty"
    assert "noun phrases" in reading("a", "b", []).reason
    assert plain("Tom's here!") == "tom 's here !"


def naive_answer(question: str, text: str) -> str:
    loaded = load("qa", READER, "cpu")
    encoded = loaded.tokenizer(question, text, return_tensors="pt", return_offsets_mapping=True)
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        output = loaded.module(**encoded)
    inside = [i for i, part in enumerate(encoded.sequence_ids(0)) if part == 1]
    sums = {
        (i, k): float(output.start_logits[0, i] + output.end_logits[0, k])
        for i in inside
        for k in inside
        if i <= k < i + 30
    }
    first, last = max(sums, key=lambda span: sums[span])
    return text[offsets[first][0] : offsets[last][1]]


def test_answers_equal_a_plain_search() -> None:
    loaded = load("qa", READER, "cpu")
    asked = [(f"who {word} ?", plain(source)) for word in ("calls", "pays", "is late") for source in SOURCES[::9]]
    asked = [(question, text[:800]) for question, text in asked]
    assert extract(loaded, asked) == {(question, text): naive_answer(question, text) for question, text in asked}


def test_a_long_source_is_read_in_windows() -> None:
    loaded = load("qa", READER, "cpu")
    question, text = "who calls ?", plain(SOURCES[12])
    assert len(loaded.tokenizer(text)["input_ids"]) > 512
    answer = extract(loaded, [(question, text), ("why " * 300, text), (question, "")])
    assert answer[question, text] in text
    assert answer[question, text]
    assert answer["why " * 300, text] in text
    assert answer[question, ""] == ""


def test_equals_one_call_at_a_time(parser: str) -> None:
    generator = load("seq2seq", GENERATOR, "cpu")
    summary, source = SUMMARIES[3], SOURCES[3]
    numbers = []
    for phrase in phrases(load_parser(parser)(summary)):
        ids = generator.tokenizer(f"{plain(summary)} [SEP] {plain(phrase)}", return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            written = generator.module.generate(
                input_ids=ids, num_beams=3, do_sample=False, max_new_tokens=100, no_repeat_ngram_size=3
            )
        question = generator.tokenizer.decode(written[0], skip_special_tokens=True).strip()
        found = extract(load("qa", READER, "cpu"), [(question, plain(source))])[question, plain(source)]
        numbers.append(word_f1(treebank_words(found), treebank_words(plain(phrase))))
    spec = f"feqa:generator={GENERATOR},reader={READER},parser={parser},beams=3,device=cpu"
    assert len(numbers) >= 4
    assert score_pairs([summary], [source], [spec]).item() == pytest.approx(statistics.fmean(numbers), abs=1e-9)


@pytest.mark.parametrize("limit", [40, 41, 42, 43, 128])
def test_a_long_summary_is_cut_and_the_phrase_is_kept(limit: int) -> None:
    generator = load("seq2seq", GENERATOR, "cpu")
    summary = plain(" ".join(SUMMARIES[:12]))

    def tokens(text: str) -> int:
        return len(generator.tokenizer(text)["input_ids"])

    prompt = Prompt.of(generator, summary, "the red cake", limit)
    assert prompt.cut
    kept, _, phrase = prompt.text.partition(" [SEP] ")
    assert phrase == "the red cake"
    assert summary.startswith(f"{kept} ")
    assert tokens(prompt.text) <= limit
    following = summary[len(kept) :].split()[:2]
    assert tokens(f"{' '.join([kept, *following])} [SEP] {phrase}") > limit, "two more words would have fitted"
    assert Prompt.of(generator, "mia has a cake .", "mia", limit) == Prompt("mia has a cake . [SEP] mia")


def test_a_cut_summary_is_noted(parser: str) -> None:
    long = " ".join(["Mia has a cake. Tom has a cat."] * 20)
    corpus = Corpus.build(
        [Dialogue("a", (Turn("Tom", "Mia has a cake."),))],
        [Summary("a", "long", long), Summary("a", "short", "Mia waits.")],
    )
    spec = f"feqa:generator={GENERATOR},reader={READER},parser={parser},beams=1,device=cpu"
    notes = score(corpus, [spec], cache=False).notes
    assert notes.select("system", "note").rows() == [
        ("long", "the summary was truncated to the maximum length of the question generator")
    ]


def test_the_generator_must_be_named() -> None:
    with pytest.raises(ModelError, match="generator="):
        score_pairs(["a"], ["b"], ["feqa"])
