"""Which column of a file serves which use."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the file: its type, how many rows fill it, what it is used for (None: nothing) and why."""

    name: str
    type: str
    filled: int
    use: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Which column serves which use. ``columns`` has the same in the order of the file.

    ``scales`` are those that headings name, by dimension; ``unused`` are columns of numbers or answers that look like
    judgements and are not used, with the number of filled cells.
    """

    uses: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str]
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    scales: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, int] = field(default_factory=dict)

    def has(self, use: str) -> bool:
        """Whether a column or a constant serves this use."""
        return use in self.uses or use in self.constants

    def named(self, prefix: str) -> dict[str, str]:
        """The columns of uses like ``dimension:coherence``, by what stands after the colon."""
        return {use.partition(":")[2]: columns[0] for use, columns in self.uses.items() if use.startswith(f"{prefix}:")}
