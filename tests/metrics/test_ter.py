"""Translation edit rate against sacrebleu, to the last bit."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sacrebleu.metrics import TER

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import ParameterError
from dialgauge.metrics import parse_request, score, score_pairs, use_kernels
from dialgauge.metrics._ter import LONGEST
from tests.metrics.ngram_texts import KERNELS, golden, study_pairs, texts

VARIANTS = {
    "ter": TER(),
    "ter:case=keep": TER(case_sensitive=True),
    "ter:norm=yes": TER(normalized=True),
    "ter:punct=no": TER(no_punct=True),
    "ter:norm=yes,asian=yes": TER(normalized=True, asian_support=True),
    "ter:punct=no,asian=yes": TER(no_punct=True, asian_support=True),
    "ter:case=keep,norm=yes,punct=no,asian=yes": TER(True, True, True, True),
}

#: Digest of the 1,400 values of sacrebleu 2.6.0 for the summaries of DialSummEval, as JSON.
OF_STUDY_DATA = "85dfccff928daa7e23ce17ca3acbcef39591cb64351efc19213c0ddcb8a3b4d0"
#: Texts with a word. (hypothesis takes filter(str.split) itself for another rule.)
worded = texts.filter(lambda text: bool(text.split()))
#: Few words and moved blocks, short and far beyond the beam, so that moves, ties and all limits occur.
word_lists = st.tuples(st.integers(1, 12), st.integers(0, 45), st.randoms(use_true_random=False)).map(
    lambda drawn: [str(drawn[2].randrange(drawn[0])) for _ in range(drawn[1])]
)


@st.composite
def moved(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and the same with blocks moved and words changed."""
    words = draw(word_lists)
    other = list(words)
    for _ in range(draw(st.integers(0, 4))):
        start, length = draw(st.integers(0, len(words))), draw(st.integers(1, 12))
        block = other[start : start + length]
        del other[start : start + length]
        target = draw(st.integers(0, len(other)))
        other[target:target] = block
        if other and draw(st.booleans()):
            other[draw(st.integers(0, len(other) - 1))] = "new"
    return " ".join(words), " ".join(other)


def has_words(text: str, metric: TER) -> bool:
    return bool(metric.tokenizer(text.rstrip()))


def compare(kernel: str, summary: str, reference: str) -> None:
    with use_kernels(kernel):
        frame = score_pairs([summary], [reference], VARIANTS)
    for spec, metric in VARIANTS.items():
        if has_words(summary, metric) and has_words(reference, metric):
            assert frame[parse_request(spec).column][0] == metric.sentence_score(summary, [reference]).score
        else:
            assert frame[parse_request(spec).column][0] is None


@pytest.mark.parametrize("kernel", KERNELS)
def test_recorded_values(golden_dir: Path, kernel: str) -> None:
    summaries, references, recorded = golden(golden_dir, "golden_sacrebleu.json")
    columns = {"ter": "ter", "ter:norm=yes,punct=no,asian=yes": "ter_norm_nopunct"}
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, columns)
    for column, key in columns.items():
        expected = [row[key] if text.strip() else None for row, text in zip(recorded, summaries, strict=True)]
        assert frame[column].to_list() == expected


@pytest.mark.data
@pytest.mark.slow
def test_study_data(data_dir: Path) -> None:
    summaries, references = study_pairs(data_dir)["reference"]
    values = score_pairs(summaries, references, ["ter"])["ter"].to_list()
    assert hashlib.sha256(json.dumps(values).encode()).hexdigest() == OF_STUDY_DATA
    metric = TER()
    some = slice(None, None, 7)  # the package is slow, and so is the twin
    pairs = zip(summaries[some], references[some], strict=True)
    expected = [metric.sentence_score(text, [other]).score for text, other in pairs]
    expected_corpus = metric.corpus_score(summaries[some], [references[some]]).score
    for kernel in KERNELS:
        with use_kernels(kernel):
            frame = score_pairs(summaries[some], references[some], ["ter", "corpus-ter"])
        assert frame["ter"].to_list() == expected
        assert frame["corpus-ter"][0] == expected_corpus


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=texts, reference=texts)
@settings(deadline=None)
def test_any_two_texts(kernel: str, summary: str, reference: str) -> None:
    compare(kernel, summary, reference)


def test_possessives_before_punctuation() -> None:
    """sacrebleu normalises references twice; then, and only then, these are split."""
    summary = "the caller wants Ann's, not Bob's, refund."
    reference = "the caller asks for Ann's, and Bob's, refund."
    (value,) = score_pairs([summary], [reference], ["ter:norm=yes"])["ter:norm=yes"]
    assert value == TER(normalized=True).sentence_score(summary, [reference]).score == pytest.approx(53.846, abs=0.001)


#: Words as they are in summaries: possessives, contractions, sums, times and entities, next to every mark.
_WORDS = (
    "Ann's",
    "the customers'",
    "James's",
    "can't",
    "$1,234.50",
    "3-4",
    "10:30",
    "a.m.",
    "&amp;quot;",
    "e-mail",
    "ok",
)
_MARKS = ("", "", ",", ".", "?", "!", ":", ";", ")", '"', "...", " -", "\n", "\n-", ", ", "'s")
punctuated = st.lists(
    st.tuples(st.sampled_from(("", "", '"', "(", "'")), st.sampled_from(_WORDS), st.sampled_from(_MARKS)),
    min_size=1,
    max_size=9,
).map(lambda drawn: " ".join("".join(parts) for parts in drawn))


@given(summary=punctuated, reference=punctuated)
@settings(deadline=None, max_examples=60)
def test_realistic_punctuation(summary: str, reference: str) -> None:
    compare(KERNELS[0], summary, reference)


def test_against_the_dialogue() -> None:
    summary, lines = "The customer asks for a refund.", ("I want a refund.", "You will get it.")
    turns = tuple(Turn(speaker, line) for speaker, line in zip(("A", "B"), lines, strict=True))
    corpus = Corpus.build([Dialogue("d", turns)], [Summary("d", "s", summary)])
    found = score(corpus, ["ter@source", "corpus-ter@source"])
    expected = TER().sentence_score(summary, [corpus.dialogue("d").text]).score
    assert found.frame["ter@source"].to_list() == [expected]


@pytest.mark.parametrize("kernel", KERNELS)
@given(pair=moved())
@settings(deadline=None, max_examples=50)
def test_moved_blocks(kernel: str, pair: tuple[str, str]) -> None:
    with use_kernels(kernel):
        (value,) = score_pairs([pair[0]], [pair[1]], ["ter"])["ter"]
    assert value == (TER().sentence_score(pair[0], [pair[1]]).score if pair[0] else None)


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=word_lists, reference=word_lists)
@settings(deadline=None, max_examples=50)
def test_unrelated_words(kernel: str, summary: list[str], reference: list[str]) -> None:
    with use_kernels(kernel):
        (value,) = score_pairs([" ".join(summary)], [" ".join(reference)], ["ter"])["ter"]
    expected = TER().sentence_score(" ".join(summary), [" ".join(reference)]).score
    assert value == (expected if summary and reference else None)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("words", "other"), [(1, 200), (3, 180), (200, 2), (90, 40), (40, 90)])
def test_very_different_lengths(kernel: str, words: int, other: int) -> None:
    """Beyond the beam, and with a beam that is widened for a reference much longer than the summary."""
    summary = " ".join(str(i % 7) for i in range(words))
    reference = " ".join(str(i * i % 11) for i in range(other))
    with use_kernels(kernel):
        (value,) = score_pairs([summary], [reference], ["ter"])["ter"]
    assert value == TER().sentence_score(summary, [reference]).score


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_search_gives_up_after_so_many_moves(kernel: str) -> None:
    summary = " ".join("abcdefgh"[i * 5 % 8] for i in range(64))
    reference = " ".join("abcdefgh"[i * 3 % 8] for i in range(64))
    with use_kernels(kernel):
        (value,) = score_pairs([summary], [reference], ["ter"])["ter"]
    assert value == TER().sentence_score(summary, [reference]).score


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=texts, references=st.lists(texts, min_size=1, max_size=4))
@settings(deadline=None)
def test_several_references(kernel: str, summary: str, references: list[str]) -> None:
    with use_kernels(kernel):
        (value,) = score_pairs([summary], [references], ["ter"])["ter"]
    readable = [text for text in references if text.split()]
    if summary.split() and readable:
        assert value == TER().sentence_score(summary, readable).score
    else:
        assert value is None


@pytest.mark.parametrize("kernel", KERNELS)
@given(
    rows=st.lists(st.tuples(texts, worded, worded), min_size=1, max_size=6),
    count=st.integers(1, 2),
)
@settings(deadline=None)
def test_whole_system(kernel: str, rows: list[tuple[str, str, str]], count: int) -> None:
    summaries, references = [row[0] for row in rows], [row[1 : 1 + count] for row in rows]
    with use_kernels(kernel):
        values = score_pairs(summaries, references, ["corpus-ter"])["corpus-ter"].to_list()
    expected = TER().corpus_score(summaries, [list(stream) for stream in zip(*references, strict=True)]).score
    assert values == [expected if any(map(str.split, summaries)) else None] * len(rows)


def test_corpus_by_system_and_reasons() -> None:
    long = "word " * (LONGEST + 1)
    corpus = Corpus.build(
        dialogues=[Dialogue("d1", (Turn("Anna", "hi"),)), Dialogue("d2", (Turn("Ben", "hello"),))],
        summaries=[
            Summary("d1", "reference", "anna says hi", kind="reference"),
            Summary("d2", "reference", "ben says hello to all", kind="reference"),
            Summary("d1", "one", "hi says anna"),
            Summary("d2", "one", ""),
            Summary("d1", "two", long),
            Summary("d2", "two", "ben says hello"),
        ],
    )
    scores = score(corpus, ["ter", "corpus-ter"])
    values = {(row["dialogue_id"], row["system"]): row["ter"] for row in scores.frame.iter_rows(named=True)}
    assert values == {
        ("d1", "one"): TER().sentence_score("hi says anna", ["anna says hi"]).score,
        ("d2", "one"): None,
        ("d1", "two"): None,
        ("d2", "two"): 40.0,
    }
    systems = dict(scores.systems.select("system", "corpus-ter").iter_rows())
    references = ["anna says hi", "ben says hello to all"]
    assert systems == {"one": TER().corpus_score(["hi says anna", ""], [references]).score, "two": None}
    reasons = {row["system"]: row["reason"] for row in scores.failures.iter_rows(named=True)}
    assert reasons == {
        "one": "the summary has no words for this tokenisation (TER splits at white space)",
        "two": "the summary or a reference is longer than 50,000 words",
    }


def test_long_texts_end() -> None:
    words = np.random.default_rng(0).integers(0, 40, size=(2, LONGEST)).astype(str)
    (value,) = score_pairs([" ".join(words[0])], [" ".join(words[1])], ["ter"])["ter"]
    assert 80 < value < 100


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_pairs_at_all(kernel: str) -> None:
    with use_kernels(kernel):
        assert score_pairs([], [], ["ter", "corpus-ter"]).shape == (0, 2)


def test_signature_and_parameters() -> None:
    assert parse_request("ter").signature == "ter|target:reference|case:lower|norm:no|punct:yes|asian:no|empty:none|v:2"
    assert parse_request("ter@source").signature.startswith("ter|target:source|")
    with pytest.raises(ParameterError, match="'no' or 'yes'; got 'maybe'"):
        parse_request("ter:norm=maybe")


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=20)
@given(st.sampled_from(["", " ", "\n"]), worded)
def test_an_empty_summary_counts_where_asked(kernel: str, summary: str, reference: str) -> None:
    with use_kernels(kernel):
        frame = score_pairs([summary], [reference], ["ter", "ter:empty=counts"])
    assert frame["ter"].to_list() == [None]
    assert frame["ter:empty=counts"].to_list() == [TER().sentence_score(summary, [reference]).score]
    assert score_pairs([summary], [""], ["ter:empty=counts"])["ter:empty=counts"].to_list() == [None]
