"""chrF and chrF++ against sacrebleu, to the last bit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics import CHRF

from dialgauge.metrics import find_metric, parse_request, score_pairs, use_kernels
from dialgauge.metrics._job import Job
from dialgauge.metrics._texts import TextTable
from tests.metrics.ngram_texts import KERNELS, golden, study_pairs, texts

PEERS = {"chrf": CHRF(), "chrf++": CHRF(word_order=2)}


@pytest.mark.parametrize("kernel", KERNELS)
def test_recorded_values(golden_dir: Path, kernel: str) -> None:
    summaries, references, recorded = golden(golden_dir, "golden_sacrebleu.json")
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, PEERS)
    for row, summary, results in zip(frame.rows(), summaries, recorded, strict=True):
        assert row == ((results["chrf"], results["chrf++"]) if summary.strip() else (None, None))


@pytest.mark.data
@pytest.mark.parametrize("target", ["reference", "source"])
def test_study_data(data_dir: Path, target: str) -> None:
    summaries, targets = study_pairs(data_dir)[target]
    if target == "source":
        summaries, targets = summaries[::9], targets[::9]
    for name, peer in PEERS.items():
        expected = [peer.sentence_score(a, [b]).score for a, b in zip(summaries, targets, strict=True)]
        corpus = peer.corpus_score(summaries, [targets]).score
        for kernel in KERNELS:
            with use_kernels(kernel):
                frame = score_pairs(summaries, targets, [name, f"corpus-{name}"])
            assert frame[name].to_list() == expected
            assert frame[f"corpus-{name}"].unique().to_list() == [corpus]


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=texts, references=st.lists(texts, min_size=1, max_size=3))
def test_any_texts(kernel: str, summary: str, references: list[str]) -> None:
    with use_kernels(kernel):
        row = score_pairs([summary], [references], PEERS).row(0)
    if summary.strip() and any(text.strip() for text in references):
        assert row == tuple(peer.sentence_score(summary, references).score for peer in PEERS.values())
    else:
        assert row == (None, None)


visible = texts.filter(str.strip)


@pytest.mark.parametrize("kernel", KERNELS)
@given(pairs=st.lists(st.tuples(texts, visible, visible), min_size=1, max_size=4))
def test_corpus_chrf(kernel: str, pairs: list[tuple[str, str, str]]) -> None:
    summaries, first, second = (list(column) for column in zip(*pairs, strict=True))
    names = [f"corpus-{name}" for name in PEERS]
    with use_kernels(kernel):
        frame = score_pairs(summaries, list(zip(first, second, strict=True)), names)
    for name, peer in zip(names, PEERS.values(), strict=True):
        if any(text.strip() for text in summaries):
            assert frame[name].unique().to_list() == [peer.corpus_score(summaries, [first, second]).score]
        else:
            assert frame[name].null_count() == len(summaries)


def test_each_group_has_its_own_value_or_a_reason() -> None:
    summaries, targets = ["the cat", " ", "a dog"], ["the cats", "nothing", "the dog"]
    table = TextTable()
    job = Job(table, "reference", table.intern(summaries), table.intern(targets), np.arange(4), np.array([0, 1, 0]))
    values = find_metric("corpus-chrf").compute(job, parse_request("corpus-chrf").parameters)
    expected = PEERS["chrf"].corpus_score([summaries[0], summaries[2]], [[targets[0], targets[2]]]).score
    assert values.numbers[0] == expected
    assert np.isnan(values.numbers[1])
    assert "white space" in values.reasons[1]
    summary_values = find_metric("chrf").compute(job, parse_request("chrf").parameters)
    assert np.isnan(summary_values.numbers).tolist() == [False, True, False]
    assert summary_values.reasons[1].startswith("the summary has no characters")


def test_no_pairs_at_all() -> None:
    for kernel in KERNELS:
        with use_kernels(kernel):
            assert score_pairs([], [], ["chrf"]).height == 0
