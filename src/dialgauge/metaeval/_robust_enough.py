"""Whether a metric reacts to perturbed summaries as it should: damage noticed, rewrites left alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from dialgauge.metaeval._robustness import ANY_DIMENSION, Robustness
from dialgauge.metaeval._robustness_cards import is_degrading
from dialgauge.metaeval._robustness_matrix import dose_of

#: Kinds of perturbation of either sort that are needed before anything is concluded.
KINDS = 3


@dataclass(frozen=True, slots=True)
class Reaction:
    """How many kinds of perturbation should lower a metric and how many should not, and what became of them."""

    degrading: int
    noticed: int
    blind: int
    wrong: int
    preserving: int
    raised: int
    lowered: int
    robustness: float = float("nan")
    low: float = float("nan")

    @property
    def enough(self) -> bool:
        """Whether there are enough kinds of both sorts to conclude anything."""
        return min(self.degrading, self.preserving) >= KINDS

    @property
    def numbers(self) -> Mapping[str, float | str]:
        """What the reason rests on."""
        names = ("degrading", "noticed", "blind", "wrong", "preserving", "raised", "lowered", "robustness", "low")
        return {name: getattr(self, name) for name in names}

    @property
    def problem(self) -> str:
        """What is wrong, as a sentence; empty where nothing is."""
        if not self.enough:
            return too_few_kinds(self.degrading, self.preserving)
        if not self.noticed:
            return f"Notices none of {self.degrading} kinds of damage to the summary."
        if self.wrong:
            return f"Scores damaged summaries higher ({self.wrong} of {self.degrading} kinds)."
        if self.raised:
            return f"Scores mere rewrites higher ({self.raised} of {self.preserving} kinds)."
        if self.noticed * 2 < self.degrading:
            return f"Notices {self.noticed} of {self.degrading} kinds of damage to the summary."
        if self.low <= 0.5:
            return "Not shown to separate damaged summaries from rewritten ones better than chance."
        return ""


def too_few_kinds(degrading: int, preserving: int) -> str:
    """Why robustness is not judged, as a sentence; empty where there are kinds enough."""
    if min(degrading, preserving) >= KINDS:
        return ""
    kinds = "kind" if degrading == 1 else "kinds"
    return (
        f"Robustness is not judged: {degrading} {kinds} of perturbation should lower the score and {preserving} should "
        f"not; {KINDS} of each are needed."
    )


def count_kinds(verdicts: pl.DataFrame, dimension: str) -> tuple[int, int]:
    """Kinds of perturbation that should lower a score on a dimension, and that should not; doses are one kind."""
    expected = verdicts.filter(pl.col("dimension") == dimension).select("perturbation", "expected").unique()
    sorts: dict[bool, set[str]] = {True: set(), False: set()}
    for label, effect in expected.iter_rows():
        sorts[is_degrading(effect)].add(dose_of(label)[0] or label)
    return len(sorts[True]), len(sorts[False])


def reactions_to_damage(
    found: Robustness, metrics: tuple[str, ...], dimensions: tuple[str, ...]
) -> dict[tuple[str, str], Reaction]:
    """The reaction of each metric, on each dimension where its own effects are declared, else on all together."""
    declared = set(found.verdicts["dimension"].unique())
    result = {}
    for dimension in dimensions:
        own = dimension if dimension in declared else ANY_DIMENSION
        judged = found.verdicts.filter(pl.col("dimension") == own, pl.col("verdict").is_not_null())
        cards = {row["metric"]: row for row in found.cards.filter(pl.col("dimension") == own).iter_rows(named=True)}
        for metric in metrics:
            rows = judged.filter(pl.col("metric") == metric)
            if rows.height:
                result[metric, dimension] = _reaction(rows, cards.get(metric, {}))
    return result


def _reaction(rows: pl.DataFrame, card: Mapping[str, object]) -> Reaction:
    kinds: dict[tuple[bool, str], set[str]] = {}
    for label, expected, verdict in rows.select("perturbation", "expected", "verdict").iter_rows():
        # Doses of one perturbation are one kind.
        kinds.setdefault((is_degrading(expected), dose_of(label)[0] or label), set()).add(verdict)

    def count(degrading: bool, *verdicts: str) -> int:
        return sum(not verdicts or bool(said & set(verdicts)) for (sort, _), said in kinds.items() if sort == degrading)

    robustness, low = (card.get(name) for name in ("robustness", "robustness_low"))
    return Reaction(
        count(True),
        count(True, "noticed"),
        count(True, "blind"),
        count(True, "wrong"),
        count(False),
        count(False, "raised"),
        count(False, "lowered"),
        float(robustness) if isinstance(robustness, float) else float("nan"),
        float(low) if isinstance(low, float) else float("nan"),
    )
