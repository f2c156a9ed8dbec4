"""Write the tables of readings in benchmarks/MEASURED.md and docs/perturb.md from perturb/lexicon/measured.toml.

Run it after adding a reading to that file. The counts on the labelled set stand in MEASURED.md, where a test computes
them again; the docs show them beside the last reading of each kind.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from dialgauge.perturb import all_perturbations

ROOT = Path(__file__).parents[1]
MEASURED, DOCS = ROOT / "benchmarks" / "MEASURED.md", ROOT / "docs" / "perturb.md"
_ALL = "| kind | texts | applied | read | grammatical | as claimed | date |"
_LABELLED = (
    "| kind | labelled | made again | equal to one labelled right | equal to one labelled wrong | new | grammatical "
    "| as claimed |"
)
_LAST = (
    "| kind | labelled set: made, grammatical, as claimed | last reading: applied | grammatical | as claimed | date |"
)


def all_rows() -> list[tuple[object, ...]]:
    """Every reading of every kind."""
    return [
        (name, one.source, f"{one.applied} of {one.texts}", one.n, one.grammatical, one.as_claimed, one.date)
        for name, entry in sorted(all_perturbations().items())
        for one in entry.measured
    ]


def last_rows(page: str) -> list[tuple[object, ...]]:
    """The last reading of each kind, and of each of its levels and styles that was read by itself."""
    labelled = {
        cells[0]: f"{cells[2]} of {cells[1]}, {cells[6]}, {cells[7]}"
        for cells in (line.strip("| ").split(" | ") for line in _table(page, _LABELLED).splitlines()[2:])
    }
    rows: list[tuple[object, ...]] = []
    for name, entry in sorted(all_perturbations().items()):
        last = {one.label or name: one for one in entry.measured}
        for label, one in sorted(last.items()):
            grammatical = "–" if one.grammatical is None else f"{one.grammatical} of {one.n}"
            gold = labelled.get(label) or labelled.get(f"{label}_1", "–")
            applied = f"{one.applied} of {one.texts}"
            rows.append((label, gold, applied, grammatical, f"{one.as_claimed} of {one.n}", one.date))
    return rows


def _table(page: str, head: str) -> str:
    found = re.search(rf"{re.escape(head)}\n(?:\|.*\n)+", page)
    if found is None:
        raise SystemExit(f"no table with the head {head}")
    return found[0]


def _written(page: str, head: str, rows: Sequence[tuple[object, ...]]) -> str:
    lines = [head, "|" + "---|" * (head.count("|") - 1), *(f"| {' | '.join(map(str, row))} |" for row in rows)]
    return page.replace(_table(page, head), "\n".join(lines) + "\n")


def main() -> None:
    """Write both."""
    page = _written(MEASURED.read_text(encoding="utf-8"), _ALL, all_rows())
    MEASURED.write_text(page, encoding="utf-8")
    DOCS.write_text(_written(DOCS.read_text(encoding="utf-8"), _LAST, last_rows(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
