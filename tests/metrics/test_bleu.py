"""BLEU against sacrebleu, and against values recorded from nlg-eval."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics import BLEU

from dialgauge.metrics import find_metric, parse_request, score_pairs, use_kernels
from dialgauge.metrics._job import Job
from dialgauge.metrics._texts import TextTable
from tests.metrics.ngram_texts import KERNELS, golden, study_pairs, texts

SMOOTH = ("exp", "floor", "add-k", "none")
ORDERS = (1, 2, 3, 4)
SPECS = [f"bleu-{n}:smooth={smooth}" for n in ORDERS for smooth in SMOOTH]
PEERS = [BLEU(max_ngram_order=n, effective_order=True, smooth_method=smooth) for n in ORDERS for smooth in SMOOTH]
#: sacrebleu adds logarithms with sum(), which compensates rounding from Python 3.12 on.
close = {"rel": 1e-12, "abs": 1e-300}


def has_words(text: str) -> bool:
    return bool(PEERS[0].tokenizer(text.rstrip()))


def nlg_eval(summary: str, references: list[str], n: int) -> float:
    """The formula of that package, for one summary."""
    words, others = summary.split(), [reference.split() for reference in references]
    product = 1.0
    for k in range(1, n + 1):
        grams = [tuple(words[i : i + k]) for i in range(len(words) - k + 1)]
        correct = sum(
            min(
                grams.count(gram),
                max([tuple(o[i : i + k]) for i in range(len(o) - k + 1)].count(gram) for o in others),
            )
            for gram in set(grams)
        )
        product *= (correct + 1e-15) / (len(grams) + 1e-9)
    length = min((abs(len(o) - len(words)), len(o)) for o in others)[1]
    ratio = (len(words) + 1e-15) / (length + 1e-9)
    return product ** (1.0 / n) * (math.exp(1 - 1 / ratio) if ratio < 1 else 1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_values_recorded_from_sacrebleu(golden_dir: Path, kernel: str) -> None:
    summaries, references, recorded = golden(golden_dir, "golden_sacrebleu.json")
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, ["bleu-4", "bleu-4:smooth=floor"])
    for row, summary, results in zip(frame.rows(), summaries, recorded, strict=True):
        if has_words(summary):
            assert row == pytest.approx((results["bleu_effective_exp"], results["bleu_effective_floor"]), **close)
        else:
            assert row == (None, None)


@pytest.mark.parametrize("kernel", KERNELS)
def test_values_recorded_from_nlg_eval(golden_dir: Path, kernel: str) -> None:
    summaries, references, recorded = golden(golden_dir, "golden_nlgeval_bleu.json")
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, [f"bleu-{n}:smooth=nlg-eval" for n in ORDERS])
    for row, summary, results in zip(frame.rows(), summaries, recorded, strict=True):
        if summary.split():
            assert row == pytest.approx([results[f"Bleu_{n}"] for n in ORDERS], rel=1e-12, abs=0)
        else:
            assert row == (None,) * 4


@pytest.mark.data
@pytest.mark.parametrize("target", ["reference", "source"])
def test_study_data(data_dir: Path, target: str) -> None:
    summaries, targets = study_pairs(data_dir)[target]
    if target == "source":
        summaries, targets = summaries[::9], targets[::9]
    specs, peers = [f"bleu-{n}" for n in ORDERS], PEERS[:: len(SMOOTH)]
    expected = [[peer.sentence_score(a, [b]).score for peer in peers] for a, b in zip(summaries, targets, strict=True)]
    corpus = BLEU().corpus_score(summaries, [targets]).score
    for kernel in KERNELS:
        with use_kernels(kernel):
            frame = score_pairs(summaries, targets, [*specs, "corpus-bleu"])
        assert frame.select(specs).to_numpy() == pytest.approx(np.array(expected), **close)
        assert frame["corpus-bleu"].unique().to_list() == pytest.approx([corpus], **close)


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=texts, references=st.lists(texts, min_size=1, max_size=3))
def test_any_texts(kernel: str, summary: str, references: list[str]) -> None:
    with use_kernels(kernel):
        row = score_pairs([summary], [references], SPECS).row(0)
    readable = [text for text in references if has_words(text)]
    if not (readable and has_words(summary)):
        assert set(row) == {None}
        return
    assert row == pytest.approx([peer.sentence_score(summary, readable).score for peer in PEERS], **close)


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=texts, references=st.lists(texts, min_size=1, max_size=3))
def test_any_texts_as_nlg_eval(kernel: str, summary: str, references: list[str]) -> None:
    with use_kernels(kernel):
        row = score_pairs([summary], [references], [f"bleu-{n}:smooth=nlg-eval" for n in ORDERS]).row(0)
    readable = [text for text in references if text.split()]
    if not (readable and summary.split()):
        assert set(row) == {None}
        return
    assert row == pytest.approx([nlg_eval(summary, readable, n) for n in ORDERS], rel=1e-12, abs=0)


@pytest.mark.parametrize("kernel", KERNELS)
@given(
    pairs=st.lists(st.tuples(texts, texts.filter(has_words), texts.filter(has_words)), min_size=1, max_size=4),
    smooth=st.sampled_from(SMOOTH),
)
def test_corpus_bleu(kernel: str, pairs: list[tuple[str, str, str]], smooth: str) -> None:
    summaries, first, second = (list(column) for column in zip(*pairs, strict=True))
    with use_kernels(kernel):
        found = score_pairs(summaries, list(zip(first, second, strict=True)), [f"corpus-bleu:smooth={smooth}"])
    expected = BLEU(smooth_method=smooth).corpus_score(summaries, [first, second]).score
    if any(map(has_words, summaries)):
        assert found.to_series().to_list() == pytest.approx([expected] * len(summaries), **close)
    else:
        assert found.to_series().null_count() == len(summaries)


def test_corpus_bleu_of_each_group() -> None:
    summaries = ["the cat sat on the mat today", "a dog ran far away from home", "", "the cat sat down on a mat"]
    targets = ["the cat sat on a mat today", "a dog ran away from home", "something", "the cat sat on the mat"]
    groups = np.array([0, 1, 2, 0])
    table = TextTable()
    job = Job(table, "reference", table.intern(summaries), table.intern(targets), np.arange(5), groups)
    values = find_metric("corpus-bleu").compute(job, parse_request("corpus-bleu").parameters)
    peer = BLEU()
    for group in (0, 1):
        rows = np.flatnonzero(groups == group)
        expected = peer.corpus_score([summaries[i] for i in rows], [[targets[i] for i in rows]]).score
        assert values.numbers[group] == pytest.approx(expected, **close)
    assert np.isnan(values.numbers[2])
    assert list(values.reasons) == [2]


def test_the_reason_for_a_null_names_the_side() -> None:
    table = TextTable()
    job = Job(
        table,
        "reference",
        table.intern(["", "word"]),
        table.intern(["word", " "]),
        np.arange(3),
        np.zeros(2, dtype=np.int64),
    )
    reasons = find_metric("bleu-4").compute(job, parse_request("bleu-4").parameters).reasons
    assert reasons[0].startswith("the summary has no words")
    assert reasons[1].startswith("the reference has no words")


def test_no_pairs_at_all() -> None:
    for kernel in KERNELS:
        with use_kernels(kernel):
            assert score_pairs([], [], ["bleu", "bleu-1:smooth=nlg-eval"]).shape == (0, 6)


def test_signature() -> None:
    assert parse_request("bleu-2:smooth=floor").signature == (
        "bleu-2|target:reference|smooth:floor|tok:13a|case:keep|value:auto|v:1"
    )
