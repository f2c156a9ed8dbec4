"""A pytest plugin: rouge-score's tests measure dialgauge."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dialgauge.metrics import score_pairs

_NAMES = {"rougeL": "rouge-l", "rougeLsum": "rouge-lsum"} | {f"rouge{n}": f"rouge-n:n={n}" for n in range(1, 10)}


class RougeScorer:
    """The one of rouge-score, by dialgauge."""

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: object = None,
    ) -> None:
        self._types, self._stem = rouge_types, "yes" if use_stemmer else "no"
        self._lines = "sentences" if split_summaries else "given"

    def score(self, target: str, prediction: str) -> dict[str, Any]:
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Any]:
        from rouge_score.scoring import Score

        found = {}
        for name in self._types:
            if name not in _NAMES:
                raise ValueError(f"unknown type {name}")
            metric, _, given = _NAMES[name].partition(":")
            more = [f"stem={self._stem}", *([given] if given else [])]
            more += [f"lines={self._lines}"] if metric == "rouge-lsum" else []
            columns = [f"{metric}{part}:{','.join(more)}" for part in ("-p", "-r", "")]
            row = score_pairs([prediction], [list(targets)], columns).row(0)
            found[name] = Score(*(float("nan") if value is None else value for value in row))
        return found


def pytest_configure() -> None:
    from rouge_score import rouge_scorer, test_util

    rouge_scorer.RougeScorer = RougeScorer
    # The texts that the original program was run on are not in the package.
    test_util.TARGETS_FILE = test_util.PREDICTIONS_FILE = str(Path(__file__).with_name("__init__.py"))
