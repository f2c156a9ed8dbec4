"""Findings: the results of data checks, for people and programs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

#: An error makes numbers wrong, a warning makes them doubtful, a note is for information.
Severity = Literal["error", "warning", "note"]
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: which check, how severe, where, what it means, and the numbers behind it."""

    check: str
    severity: Severity
    where: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings, the worst first."""

    found: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        ranked = sorted(self.found, key=lambda finding: _SEVERITIES.index(finding.severity))
        object.__setattr__(self, "found", tuple(ranked))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def of(self, check: str) -> tuple[Finding, ...]:
        """The findings of one check."""
        return tuple(finding for finding in self.found if finding.check == check)

    @property
    def frame(self) -> pl.DataFrame:
        """A row per finding, without the evidence."""
        columns = ("severity", "check", "where", "message")
        rows = [tuple(getattr(finding, column) for column in columns) for finding in self.found]
        return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
