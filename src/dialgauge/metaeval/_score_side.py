"""Scores as the rule of the verdict multiplies them: made once, however often it is applied to other ratings."""

from collections.abc import Callable
from dataclasses import dataclass, field

from dialgauge.metaeval._names import FloatArray, Level
from dialgauge.metaeval._standardised import PairSigns, Standardised, cell_part, pair_signs, ranked, standardised


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSide:
    """Metrics × systems × dialogues, and what was made from them."""

    scores: FloatArray
    _made: dict[tuple[str, str], Standardised] = field(default_factory=dict)
    _signs: dict[str, PairSigns] = field(default_factory=dict)

    def values(self, level: Level) -> Standardised:
        """For Pearson's r."""
        return self._once("values", level, lambda: standardised(self.scores, level))

    def ranks(self, level: Level) -> Standardised:
        """For Spearman's ρ."""
        return self._once("ranks", level, lambda: standardised_ranks(self.scores, level))

    def cells(self, by_ranks: bool) -> Standardised:
        """What is left without the means of systems and dialogues, of the values or of their ranks."""
        return self._once("cells", "ranks" if by_ranks else "", lambda: cell_values(self.scores, by_ranks))

    def signs(self, level: Level) -> PairSigns:
        """For Kendall's τ."""
        if level not in self._signs:
            self._signs[level] = pair_signs(self.scores, level)
        return self._signs[level]

    def _once(self, what: str, how: str, make: Callable[[], Standardised]) -> Standardised:
        if (what, how) not in self._made:
            self._made[what, how] = make()
        return self._made[what, how]


def standardised_ranks(cube: FloatArray, level: Level) -> Standardised:
    """Ranks of what a coefficient compares at this level, standardised."""
    return standardised(ranked(cube, level), "global" if level == "global" else "summary")


def cell_values(cube: FloatArray, by_ranks: bool) -> Standardised:
    """The cell part of values, or of their ranks within dialogues."""
    return cell_part(ranked(cube, "summary") if by_ranks else cube)
