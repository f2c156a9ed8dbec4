"""ROUGE against the package rouge-score, to the last bit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from rouge_score.rouge_scorer import RougeScorer

from dialgauge.errors import ParameterError
from dialgauge.metrics import find_metric, parse_request, score_pairs, use_kernels
from dialgauge.metrics._job import Job
from dialgauge.metrics._texts import TextTable
from tests.metrics.ngram_texts import KERNELS, golden, study_pairs, texts

KINDS = {
    "rouge-1": "rouge1",
    "rouge-2": "rouge2",
    "rouge-3": "rouge3",
    "rouge-4": "rouge4",
    "rouge-l": "rougeL",
    "rouge-lsum": "rougeLsum",
}
PARTS = {"": "fmeasure", "-p": "precision", "-r": "recall"}
STEMS = {"no": RougeScorer(list(KINDS.values())), "yes": RougeScorer(list(KINDS.values()), use_stemmer=True)}


def specs(stem: str, refs: str = "best") -> dict[str, tuple[str, str]]:
    """Our specification for each (key, attribute) of the package."""
    return {
        f"{kind}{part}:stem={stem},refs={refs}": (key, attribute)
        for kind, key in KINDS.items()
        for part, attribute in PARTS.items()
    }


def columns(summaries: list[str], targets: list, stem: str, refs: str = "best") -> dict[tuple[str, str], list]:
    wanted = specs(stem, refs)
    frame = score_pairs(summaries, targets, wanted)
    assert frame.width == len(wanted) == 18
    return dict(zip(wanted.values(), (frame[column].to_list() for column in frame.columns), strict=True))


def has_words(text: str, stem: str = "no") -> bool:
    return bool(STEMS[stem]._tokenizer.tokenize(text))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("stem", STEMS)
def test_recorded_values(golden_dir: Path, kernel: str, stem: str) -> None:
    summaries, references, recorded = golden(golden_dir, "golden_rouge_score.json")
    with use_kernels(kernel):
        found = columns(summaries, references, stem)
    for (key, attribute), values in found.items():
        for value, summary, reference, results in zip(values, summaries, references, recorded, strict=True):
            if has_words(summary) and has_words(reference):
                assert value == results["stem" if stem == "yes" else "nostem"][key][attribute[0]]
            else:
                assert value is None


@pytest.mark.data
@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("target", ["reference", "source"])
def test_study_data(data_dir: Path, stem: str, target: str) -> None:
    summaries, targets = study_pairs(data_dir)[target]
    if target == "source":  # the package needs seconds per hundred here
        summaries, targets = [text.replace(" . ", "\n") for text in summaries[::9]], targets[::9]
    expected = [STEMS[stem].score(other, text) for text, other in zip(summaries, targets, strict=True)]
    for kernel in KERNELS:
        with use_kernels(kernel):
            found = columns(summaries, targets, stem)
        for (key, attribute), values in found.items():
            assert values == [getattr(result[key], attribute) for result in expected]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("stem", STEMS)
@given(summary=texts, target=texts)
def test_any_two_texts(kernel: str, stem: str, summary: str, target: str) -> None:
    with use_kernels(kernel):
        found = columns([summary], [target], stem)
    expected = STEMS[stem].score(target, summary)
    for (key, attribute), (value,) in found.items():
        if has_words(summary) and has_words(target):
            assert value == getattr(expected[key], attribute)
        else:
            assert value is None


@pytest.mark.parametrize("kernel", KERNELS)
@given(summary=texts.filter(has_words), references=st.lists(texts, min_size=1, max_size=4))
def test_several_references(kernel: str, summary: str, references: list[str]) -> None:
    with use_kernels(kernel):
        best = columns([summary], [references], "yes")
        mean = columns([summary], [references], "yes", "mean")
    readable = [text for text in references if has_words(text)]
    if not readable:
        assert {value for (value,) in [*best.values(), *mean.values()]} == {None}
        return
    chosen = STEMS["yes"].score_multi(references, summary)
    each = [STEMS["yes"].score(text, summary) for text in readable]
    for (key, attribute), (value,) in best.items():
        assert value == getattr(chosen[key], attribute)
        average = np.mean([getattr(result[key], attribute) for result in each])
        assert mean[key, attribute][0] == pytest.approx(average, rel=1e-12)


@pytest.mark.parametrize(
    ("summary", "target", "reason"),
    [
        ("", "some words", "the summary has no words for this tokenisation (ROUGE reads a–z and 0–9 only)"),
        ("?! 客户", "some words", "the summary has no words for this tokenisation (ROUGE reads a–z and 0–9 only)"),
        ("some words", "🎉", "the source has no words for this tokenisation (ROUGE reads a–z and 0–9 only)"),
    ],
)
def test_without_words_there_is_no_value(summary: str, target: str, reason: str) -> None:
    table = TextTable()
    job = Job(
        table, "source", table.intern([summary]), table.intern([target]), np.array([0, 1]), np.zeros(1, dtype=np.int64)
    )
    for name in KINDS:
        values = find_metric(name).compute(job, parse_request(name).parameters)
        assert np.isnan(values.numbers).tolist() == [True]
        assert values.reasons == {0: reason}


def test_one_word_has_no_pairs_but_a_value() -> None:
    assert score_pairs(["word"], ["word"], ["rouge-1", "rouge-2", "rouge-l"]).row(0) == (1.0, 0.0, 1.0)


def test_no_pairs_at_all() -> None:
    for kernel in KERNELS:
        with use_kernels(kernel):
            assert score_pairs([], [], ["rouge", "rouge-1:refs=mean"]).shape == (0, 19)


def test_signature_and_parameters() -> None:
    request = parse_request("rouge-l-p@source:stem=yes")
    assert request.column == "rouge-l-p@source:stem=yes"
    assert request.signature == "rouge-l-p|target:source|stem:yes|refs:best|tok:rouge|v:1"
    with pytest.raises(ParameterError, match="'best' or 'mean'; got 'worst'"):
        parse_request("rouge-1:refs=worst")
