"""Texts that differ only in their numbers, shown as one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Alike:
    """Texts that differ only in numbers: one text with the range of each number, how often they occur together, and
    the texts themselves."""

    text: str
    count: int
    texts: tuple[str, ...]


def group_alike(counts: Mapping[str, int]) -> list[Alike]:
    """Texts with how often each occurs; those that differ only in numbers as one, the most frequent first."""
    found: dict[str, list[str]] = {}
    for text in sorted(counts):
        found.setdefault(_NUMBER.sub("\0", text), []).append(text)
    rows = []
    for pattern, texts in found.items():
        spans = map(_span, zip(*map(_NUMBER.findall, texts), strict=True))
        shown = "".join(part + span for part, span in zip(pattern.split("\0"), [*spans, ""], strict=True))
        rows.append(Alike(shown, sum(counts[text] for text in texts), tuple(texts)))
    return sorted(rows, key=lambda row: -row.count)


def _span(numbers: Sequence[str]) -> str:
    least, most = min(numbers, key=float), max(numbers, key=float)
    return least if float(least) == float(most) else f"{least} to {most}"
