"""A pytest plugin: sacrebleu's tests measure dialgauge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from dialgauge.metrics import find_metric, score_pairs


@dataclass(frozen=True)
class Result:
    score: float


def _metric(name: str, **parameters: object) -> str:
    """The metric with these parameters; skips where dialgauge has not got one of them."""
    known = find_metric(name).parameters
    given = {key: str(value) for key, value in parameters.items() if value is not None}
    for key, value in given.items():
        if key not in known or (known[key].choices and value not in known[key].choices):
            pytest.skip(f"{name} has no {key}={value}")
    return f"{name}:{','.join(f'{key}={value}' for key, value in given.items())}".rstrip(":")


def _value(metric: str, hypotheses: Sequence[str], streams: Sequence[Sequence[str]]) -> Result:
    references = [list(row) for row in zip(*streams, strict=True)]
    value = score_pairs(list(hypotheses), references, [metric]).row(0)[0]
    return Result(float("nan") if value is None else value)


class BLEU:
    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        **_: Any,
    ) -> None:
        self._order, self._effective = max_ngram_order, effective_order
        self._parameters = {
            "smooth": None if smooth_method == "exp" else smooth_method,
            "tok": None if tokenize in (None, "13a") else tokenize,
            "case": "lower" if lowercase else None,
            "value": None if smooth_method in ("exp", "none") else smooth_value,
        }

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Result:
        if self._effective:
            pytest.skip("the effective order is for single summaries")
        order = None if self._order == 4 else self._order
        return _value(_metric("corpus-bleu", **self._parameters, order=order), hypotheses, references)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Result:
        if not 1 <= self._order <= 4:
            pytest.skip("bleu-1 to bleu-4 only")
        metric = _metric(f"bleu-{self._order}", **self._parameters)
        return _value(metric, [hypothesis], [[text] for text in references])

    @staticmethod
    def compute_bleu(*_: Any, **__: Any) -> Result:
        pytest.skip("counts are not an input of dialgauge")


class TER:
    def __init__(self, **_: Any) -> None:
        pass

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Result:
        return _value("corpus-ter", hypotheses, references)


def raw_corpus_bleu(hypotheses: Sequence[str], references: Sequence[Sequence[str]], value: float = 0.1) -> Result:
    return BLEU(tokenize="none", smooth_method="floor", smooth_value=value, effective_order=True).corpus_score(
        hypotheses, references
    )


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[Sequence[str]], **options: Any) -> Result:
    return BLEU(**options).corpus_score(hypotheses, references)


def sentence_bleu(hypothesis: str, references: Sequence[str], use_effective_order: bool, **options: Any) -> Result:
    return BLEU(**options).sentence_score(hypothesis, references)


def _chrf(
    char_order: int = 6, word_order: int = 0, beta: int = 2, eps_smoothing: bool = False, remove_whitespace: bool = True
) -> dict[str, object]:
    return {
        "chars": None if char_order == 6 else char_order,
        "words": None if word_order == 0 else word_order,
        "beta": None if beta == 2 else beta,
        "smooth": "eps" if eps_smoothing else None,
        "space": None if remove_whitespace else "keep",
    }


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]], **options: Any) -> Result:
    return _value(_metric("corpus-chrf", **_chrf(**options)), hypotheses, references)


def sentence_chrf(hypothesis: str, references: Sequence[str], **options: Any) -> Result:
    return _value(_metric("chrf", **_chrf(**options)), [hypothesis], [[text] for text in references])


def pytest_configure() -> None:
    import sacrebleu
    from sacrebleu import compat, metrics

    for name, ours in {"BLEU": BLEU, "TER": TER}.items():
        setattr(metrics, name, ours)
    for function in (raw_corpus_bleu, corpus_bleu, sentence_bleu, corpus_chrf, sentence_chrf):
        setattr(sacrebleu, function.__name__, function)
        setattr(compat, function.__name__, function)
