"""The page (VERDICT.md) with what ``verdict_calibration`` measured."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.verdict_calibration import FEW, FURTHER, MARKED, METRICS, SHAPES, SHUFFLED, SIZES

Row = Mapping[str, Any]

_HEAD = """# How far the verdict can be trusted

The [verdict](../docs/verdict.md) names a metric for a dimension if it is shown to follow the ratings. This page
says how often it does so wrongly, and how often it finds one that does, in made studies and on shuffled ratings.
`benchmarks/verdict_calibration.py` makes it; {machine}, {today}, {seconds:.0f} s of CPU.

Made studies have four dimensions and 30 or 5 metrics. Unless said otherwise, a rating is the mean of three raters on 1
to 5, systems and dialogues differ by .5 beside 1 within, and the decision is the default one at 95 % confidence
with 200 shuffles where they are random. The studies were drawn anew after the rule was fixed.
"""


def page(rows: Sequence[Row], machine: str, today: str) -> str:
    """The whole page as Markdown."""
    seconds = sum(float(row["cpu_seconds"]) for row in rows)
    parts = [_HEAD.format(machine=machine, today=today, seconds=seconds), _noise(rows), _real(rows), _power(rows)]
    return "\n".join([*parts, _best(rows), _marks(rows), *_time(rows)])


def _time(rows: Sequence[Row]) -> list[str]:
    return [
        f"## Time\n\nThe whole verdict on {METRICS} metrics × 4 dimensions × {row['systems']} systems × "
        f"{row['dialogues']} dialogues, with 1,000 resamples\n"
        f"and 200 decisions on shuffled ratings: {row['found']['CPU seconds']:.1f} s of CPU "
        f"(best of {row['studies']}).\n"
        for row in _of(rows, "time")
    ]


def _of(rows: Iterable[Row], question: str) -> list[Row]:
    return [row for row in rows if row["question"] == question]


def _number(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.1f}"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body), ""])


def _noise(rows: Sequence[Row]) -> str:
    found = {(row["shape"], row["systems"], row["dialogues"]): row["found"] for row in _of(rows, "noise")}
    studies = max((int(row["studies"]) for row in _of(rows, "noise")), default=0)
    text = [
        "## Metrics of noise\n",
        "The share of studies in which some metric is named for some dimension although none has to do with the\n"
        f"ratings ({studies} studies a cell; a true .05 gives a cell between .033 and .068 in 95 % of cases). The\n"
        "columns are systems × dialogues.\n",
    ]
    values = []
    for count in (METRICS, FEW):
        body = []
        for shape in SHAPES:
            cells = [found.get((shape, *size), {}).get(f"{count} metrics") for size in SIZES]
            values += [cell for cell in cells if cell is not None]
            body.append([shape, *("–" if cell is None else _number(cell) for cell in cells)])
        head = [f"{count} metrics", *(f"{m}×{n}" for m, n in SIZES)]
        text.append(_table(head, body))
    if values:
        mean = sum(values) / len(values)
        text.append(
            f"Mean of the {len(values)} cells: **{_number(mean)}**; smallest {_number(min(values))}, largest "
            f"{_number(max(values))}.\n"
        )
    text.append("What the rows are: " + "; ".join(f"*{name}*: {what}" for name, what in SHAPES.items()) + ".\n")
    further = [
        [
            shape,
            *(_number(found[key][f"{METRICS} metrics"]) if (key := (shape, m, 40)) in found else "–" for m in _SYSTEMS),
        ]
        for shape in FURTHER
    ]
    text.append("Further kinds, 30 metrics, 40 dialogues, 300 studies a cell:\n")
    text.append(_table(["", *(f"{m} systems" for m in _SYSTEMS)], further))
    text.append("Here, " + "; ".join(f"*{name}*: {what}" for name, what in FURTHER.items()) + ".\n")
    return "\n".join(text)


_SYSTEMS = (2, 3, 4, 6, 14)


def _real(rows: Sequence[Row]) -> str:
    body = [
        [
            f"{row['systems']} × {row['dialogues']}",
            SHUFFLED[row["shape"]],
            str(row["studies"]),
            _number(row["found"]["named"]),
        ]
        for row in _of(rows, "DialSummEval")
    ]
    said = (
        "## Real ratings, shuffled\n\n"
        "DialSummEval (13 systems, 100 dialogues, 32 metrics, four dimensions): random parts\n"
        "of it, the ratings shuffled over systems and dialogues, or over systems alone. The share of\n"
        "studies that name a metric.\n\n"
    )
    return said + _table(["systems × dialogues", "shuffled", "studies", "named"], body)


def _power(rows: Sequence[Row]) -> str:
    body = [
        [
            f"{row['systems']} × {row['dialogues']}",
            _number(row["r"]),
            _number(row["found"]["named"]),
            _number(row["found"]["noise named"]),
        ]
        for row in _of(rows, "power")
    ]
    said = (
        "## One true metric among 30\n\n"
        "The share of studies (300 a row) that name the one metric that correlates by r with\n"
        "quality, before raters and rounding add noise, and that name another one beside it.\n\n"
    )
    return said + _table(["systems × dialogues", "r", "true one named", "noise named"], body)


def _best(rows: Sequence[Row]) -> str:
    body = [
        [
            "15 equal metrics" if row["shape"] == "equal" else "one better than 14 of .3",
            f"{row['systems']} × {row['dialogues']}",
            _number(row["r"]),
            _number(row["found"]["best missing"]),
            _number(row["found"]["size of the set"]),
        ]
        for row in _of(rows, "best")
    ]
    said = (
        "## Not significantly worse than the best\n\n"
        "How often a truly best metric is missing from this set, among the\n"
        "metrics that were named, and how large the set is (300 studies a row).\n\n"
    )
    return said + _table(["metrics", "systems × dialogues", "r", "best missing", "size"], body)


def _marks(rows: Sequence[Row]) -> str:
    kinds = {"noise": "15 of noise", "equal": "15 equal ones (.5)", "one better": "one (.8) better than 14 (.3)"}
    body = [
        [
            kinds[row["shape"]],
            f"{row['systems']} × {row['dialogues']}",
            *(_number(row["found"][f"{level} {coefficient}"]) for level, coefficient in MARKED),
        ]
        for row in _of(rows, "marks")
    ]
    said = (
        "The marks in a table of correlations (`=`) are made the same way, among all metrics of a column. How often\n"
        "a truly best metric has none, by level and coefficient (300 studies a row):\n\n"
    )
    columns = [f"{coefficient.replace('_', ' ')}, {level}" for level, coefficient in MARKED]
    return said + _table(["metrics", "systems × dialogues", *columns], body)
