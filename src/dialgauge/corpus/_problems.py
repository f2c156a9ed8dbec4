"""What was wrong with a file, row by row, so that nothing is dropped silently."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.errors import InputError


@dataclass(frozen=True, slots=True)
class Problem:
    """One bad row: where it stands (``line`` counts from 1), which key it has, and why it was left out."""

    file: str
    line: int | None
    key: str | None
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {f'[{self.key}] ' if self.key else ''}{self.reason}"


def raise_if_any(problems: Sequence[Problem], what: str, limit: int | None = 10) -> None:
    """Raise an :class:`InputError` that lists the first ``limit`` problems (None: all) and counts the rest."""
    if not problems:
        return
    shown = "\n".join(f"  {problem}" for problem in problems[:limit])
    more = f"\n  … and {len(problems) - limit} more" if limit is not None and len(problems) > limit else ""
    raise InputError(f"{what}: {len(problems)} bad {'row' if len(problems) == 1 else 'rows'}\n{shown}{more}")


def count_by_reason(problems: Sequence[Problem]) -> dict[str, int]:
    """How often each reason occurs, most frequent first."""
    return dict(Counter(problem.reason for problem in problems).most_common())
