"""Problems in a file, row by row, so that nothing is dropped silently."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.errors import InputError


@dataclass(frozen=True, slots=True)
class Problem:
    """One bad row: where it is (``line`` counts from 1), its key, and why it was skipped.

    ``given`` is the value that was wrong, where one was.
    """

    file: str
    line: int | None
    key: str | None
    reason: str
    given: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        given = "" if self.given is None else f": {shown(self.given)}"
        return f"{place}: {f'[{self.key}] ' if self.key else ''}{self.reason}{given}"


def shown(value: str, width: int = 40) -> str:
    """A value in quotes, cut where it is long."""
    return repr(value if len(value) <= width else value[: width - 1] + "…")


def raise_if_any(problems: Sequence[Problem], what: str, limit: int | None = 10) -> None:
    """Raise an :class:`InputError` that lists the first ``limit`` problems (None: all) and counts the rest."""
    if not problems:
        return
    listed = "\n".join(f"  {problem}" for problem in problems[:limit])
    more = f"\n  … and {len(problems) - limit} more" if limit is not None and len(problems) > limit else ""
    raise InputError(f"{what}: {len(problems)} bad {'row' if len(problems) == 1 else 'rows'}\n{listed}{more}")


def count_by_reason(problems: Sequence[Problem]) -> dict[str, int]:
    """How often each reason occurs, most frequent first."""
    return dict(Counter(problem.reason for problem in problems).most_common())
