"""The account of an import: every cell that looks like a judgement is explained."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dialgauge.errors import InputError, counted

#: More than this share of the rows or of the judgements left out is too much, unless somebody allows it.
MOST_LEFT_OUT = 0.05
#: What an account would say of cells that nothing explains.
UNEXPLAINED = "left out for no known reason"


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the judgements of one file.

    ``cells`` = ``stored`` + those not given (by word) + ``merged`` with an identical one + ``settled`` (repeated with
    another value, of which the user said which counts) + those left out (by reason) + those in columns that are not
    used (by column). ``lost`` names dimensions, annotators and systems of which every judgement was left out;
    ``conflicts`` counts repeated judgements with different values; ``allowed`` is the share that may be left out.
    ``unread`` says why no judgement could be read where people plainly gave some; ``nowhere`` names fields that look
    like judgements or texts and that were not read, with what to do. ``mapping`` has the use of every column, and why.
    """

    file: str
    layout: str | None = None
    cells: int = 0
    stored: int = 0
    not_given: Mapping[str, int] = field(default_factory=dict)
    merged: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    unused: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    rows: int = 0
    rows_merged: int = 0
    rows_left_out: int = 0
    conflicts: int = 0
    lost: tuple[str, ...] = ()
    allowed: float = MOST_LEFT_OUT
    unread: str = ""
    nowhere: tuple[str, ...] = ()
    mapping: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    settled: int = 0

    def __post_init__(self) -> None:
        parts = (
            self.stored
            + self.merged
            + self.settled
            + sum(sum(counts.values()) for counts in (self.not_given, self.left_out, self.unused, self.rejected))
        )
        if parts != self.cells:
            raise InputError(
                f"{self.file}: the account of its judgements does not add up ({self.cells} seen, {parts} explained); "
                "please report this file"
            )

    @property
    def given(self) -> int:
        """The judgements that were given, less those that a platform's own status rejects."""
        return self.cells - sum(self.not_given.values()) - sum(self.unused.values()) - sum(self.rejected.values())

    def too_much(self) -> list[str]:
        """Why this is more than may be left out; empty where it is not."""
        found = []
        lost = sum(self.left_out.values())
        if self.rows and self.rows_left_out > self.allowed * self.rows:
            found.append(
                f"{self.rows_left_out:,} of {counted(self.rows, 'row')} left out ({self.rows_left_out / self.rows:.0%})"
            )
        if self.given and lost > self.allowed * self.given:
            found.append(f"{lost:,} of {counted(self.given, 'judgement')} left out ({lost / self.given:.0%})")
        if self.allowed <= MOST_LEFT_OUT:
            found += [f"every judgement of {name} left out" for name in self.lost]
            if self.conflicts:
                found.append(f"{counted(self.conflicts, 'judgement')} given twice, with different values")
            found += self.nowhere
        return found

    def waived(self) -> list[str]:
        """What is not too much only because somebody allowed more than the default."""
        return [] if self.too_much() else replace(self, allowed=MOST_LEFT_OUT).too_much()

    def as_json(self) -> dict[str, object]:
        """For ``--json`` and for the corpus folder."""
        return {
            "file": self.file,
            "layout": self.layout,
            "cells": self.cells,
            "stored": self.stored,
            "not_given": dict(self.not_given),
            "merged": self.merged,
            "settled": self.settled,
            "left_out": dict(self.left_out),
            "unused": dict(self.unused),
            "rejected": dict(self.rejected),
            "rows": self.rows,
            "rows_merged": self.rows_merged,
            "rows_left_out": self.rows_left_out,
            "conflicts": self.conflicts,
            "lost": list(self.lost),
            "allowed": self.allowed,
            "unread": self.unread,
            "nowhere": list(self.nowhere),
            "mapping": {column: dict(about) for column, about in self.mapping.items()},
        }

    def sentence(self) -> str:
        """The equation in words."""
        parts = [f"{self.stored:,} stored"]
        for name, counts in (
            ("not given", self.not_given),
            ("left out", self.left_out),
            ("rejected", self.rejected),
            ("in columns not used", self.unused),
        ):
            if counts:
                parts.append(f"{sum(counts.values()):,} {name} ({', '.join(f'{k}: {n:,}' for k, n in counts.items())})")
        if self.settled:
            parts.insert(1, f"{self.settled:,} repeated with another value, as was allowed")
        if self.merged:
            parts.insert(1, f"{self.merged:,} merged with an identical one")
        return f"{counted(self.cells, 'judgement')} found = {' + '.join(parts)}"


def account_from_json(value: Mapping[str, object]) -> Account:
    """The account that :meth:`Account.as_json` wrote."""
    known = {key: given for key, given in value.items() if key in Account.__dataclass_fields__}
    listed = {name: tuple(known.get(name) or ()) for name in ("lost", "nowhere")}  # type: ignore[arg-type,var-annotated]
    return Account(**{**known, **listed})  # type: ignore[arg-type]


def parse_share(text: str) -> float:
    """``20%``, ``0.2`` or ``all`` as a share."""
    given = text.strip().lower()
    if given == "all":
        return 1.0
    try:
        share = float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InputError(f"the share that may be left out must be like 20%, 0.2 or all; got {text!r}")
    return share
