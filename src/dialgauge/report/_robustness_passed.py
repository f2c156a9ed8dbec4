"""How many variants of each kind passed the checks of their kind, and why the others did not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.corpus import ORIGINAL
from dialgauge.errors import counted
from dialgauge.metaeval import label_of
from dialgauge.report._robustness import RobustnessData
from dialgauge.tables import group_alike


@dataclass(frozen=True, slots=True)
class Passed:
    """A kind of variant: how many passed, how many did not, and how often for which reason."""

    label: str
    passed: int
    declined: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def why(self) -> str:
        """The reasons in words; what several begin with stands there once."""
        if len(self.reasons) == 1:
            return self.reasons[0][0]
        grouped: dict[str, list[str]] = {}
        for reason, count in self.reasons:
            head, colon, tail = reason.rpartition(": ")
            grouped.setdefault(head + colon, []).append(f"{tail} ({count:,})")
        return "; ".join(head + ", ".join(tails) if head else "; ".join(tails) for head, tails in grouped.items())


def passed_kinds(data: RobustnessData) -> list[Passed]:
    """A row per kind, in the order of the corpus; kinds of which nothing passed come last."""
    variants = data.corpus.summaries.filter(pl.col("variant") != ORIGINAL, pl.col("kind") == "system")
    passed = Counter(map(label_of, variants["variant"]))
    reasons: dict[str, Counter[str]] = {}
    if data.declined is not None:
        for variant, reason in data.declined.select("variant", "reason").iter_rows():
            reasons.setdefault(label_of(variant), Counter())[reason] += 1
    return [
        Passed(
            label, passed[label], sum(found.values()), tuple((alike.text, alike.count) for alike in group_alike(found))
        )
        for label in dict.fromkeys([*passed, *sorted(reasons)])
        for found in [reasons.get(label, Counter())]
    ]


def passed_sentence(data: RobustnessData, kinds: Sequence[Passed]) -> str:
    """Which variants the numbers rest on."""
    used = counted(sum(kind.passed for kind in kinds), "variant")
    of = counted(sum(kind.passed > 0 for kind in kinds), "kind")
    equal = "Every perturbation counts the same, however many of its variants passed."
    if data.declined is None:
        return f"{used} of {of}, as the corpus has them. {equal}"
    lost = sum(kind.declined for kind in kinds)
    left = f"{lost:,} did not and {'is' if lost == 1 else 'are'} not used" if lost else "none was declined"
    return f"{used} of {of} passed the checks of their kind; {left}. {equal}"
