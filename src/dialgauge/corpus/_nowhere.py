"""A field of a file that arrived nowhere."""

from dataclasses import dataclass

from dialgauge.corpus._fields import ANY_KEY, Field
from dialgauge.errors import counted


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A field that arrived nowhere: its path, how many cells are filled, and what it looks like."""

    path: str
    filled: int
    looks_like: str
    shown: tuple[str, ...]
    read: int = 0

    def __str__(self) -> str:
        such = ", ".join(repr(text if len(text) <= 30 else text[:29] + "…") for text in self.shown)
        part = "was not read" if not self.read else f"was read only in part ({self.read:,} of {self.filled:,})"
        if self.read > self.filled:
            part = f"was stored several times ({counted(self.read, 'judgement')})"
        named = "dimension:NAME" if self.looks_like == "judgements" else "summary"
        mend = f"map it (--map {named}={self.path}) or " if ANY_KEY not in self.path and "[" not in self.path else ""
        return (
            f"{self.path!r} looks like {self.looks_like} ({counted(self.filled, 'cell')}, such as {such}) and {part}: "
            f"{mend}leave it out (--map ignore={self.path})"
        )


def as_nowhere(one: Field, read: int = 0, looks_like: str = "judgements") -> Nowhere:
    """A field as one that arrived nowhere, or of which only ``read`` judgements did."""
    shown = tuple(text for text, _ in one.counts.most_common(3))
    return Nowhere(one.path, one.filled, looks_like, shown, read)
