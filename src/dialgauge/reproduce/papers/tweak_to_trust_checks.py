"""What the print of Tweak to Trust says about itself: its sums, its claims, and the cases behind its numbers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

import polars as pl

from dialgauge.learn import gaps
from dialgauge.perturb import PRIORS
from dialgauge.reproduce._printed import Defect, PrintedTable, TableCheck, check_table

_DIMENSIONS = ("consistency", "relevance")
_CHANGES = ("our-orig", "baseline-orig")
#: How many summaries of each kind people rated, by the text.
_RATED = 25
#: Metrics of which a lower value is better: there a correlation that rises has got worse.
_LOWER = ("ter", "ter@source")
#: Numbers of cases are looked for up to here; a finding counts if chance gives fewer than this many of them.
_MOST_CASES, _CHANCE = 1000, 0.01
_DUST = 1e-9

Values = dict[tuple[str, str], float | None]


def check_prints(printed: Mapping[str, PrintedTable], accuracies: pl.DataFrame) -> tuple[TableCheck, ...]:
    """Every printed number that follows from other printed numbers."""
    return (
        *(_differences(printed[name]) for name in ("5", "6")),
        _counts(printed, accuracies),
        _means(printed, accuracies),
    )


def _number(table: PrintedTable, row: str, column: str) -> float:
    return float(table.entries[row, column].value)


def _differences(table: PrintedTable) -> TableCheck:
    values: Values = {}
    for row, dimension, change in product(table.rows, _DIMENSIONS, _CHANGES):
        one, other = (_number(table, row, f"{dimension}/{name}") for name in change.split("-"))
        values[row, f"{dimension}/{change}"] = one - other
    columns = [column for column in table.columns if column.endswith(_CHANGES)]
    return check_table(
        table.select(columns=columns),
        values,
        name=f"{table.name}-differences",
        title=f"differences of accuracy in Table {table.name}, from its other columns",
    )


def _counts(printed: Mapping[str, PrintedTable], accuracies: pl.DataFrame) -> TableCheck:
    table, found = printed["counts"], gaps(accuracies)
    strict, most = _falling(printed["4"])
    lower = accuracies.filter(condition="original").filter(pl.col("difference") < 0).height
    values: Values = {
        ("lower-correlation", "count"): strict,
        ("lower-accuracy", "count"): lower,
        ("narrower", "count"): sum(found["narrower"]),
    }
    notes = {
        ("lower-correlation", "count"): f"{most} get worse in at least three of the four, with TER's sign flipped",
        ("narrower", "count"): f"{sum(found['higher'])} is how often the accuracy on perturbed summaries rises",
    }
    return check_table(table, values, notes=notes)


def _falling(table: PrintedTable) -> tuple[int, int]:
    """Metrics whose correlation falls in all four columns, and those that get worse in at least three of them."""
    changes = {
        row: [_number(table, row, f"{dimension}/{change}") for dimension, change in product(_DIMENSIONS, _CHANGES)]
        for row in table.rows
    }
    strict = sum(all(value < 0 for value in values) for values in changes.values())
    worse = [sum(-value < 0 if row in _LOWER else value < 0 for value in values) for row, values in changes.items()]
    return strict, sum(count >= 3 for count in worse)


def _means(printed: Mapping[str, PrintedTable], accuracies: pl.DataFrame) -> TableCheck:
    values: Values = {}
    for row in gaps(accuracies).iter_rows(named=True):
        values[f"{row['dimension']}/5", "points"] = -100 * row["before"]
        values[f"{row['dimension']}/6", "points"] = -100 * row["after"]
    column = "BARTScore/consistency"
    for condition in ("original+domain", "original+baseline"):
        gain = _number(printed["7"], condition, column) - _number(printed["7"], "untrained", column)
        values[condition, "points"] = 100 * gain
    # 14.245 is printed as 14.24: how halves were rounded is not known.
    return check_table(printed["means"], values, near=lambda value, shown: abs(value - shown) <= 0.005 + _DUST)


def find_defects(printed: Mapping[str, PrintedTable]) -> tuple[Defect, ...]:
    """Contradictions within the printed numbers."""
    return (*_impossible_means(), *_rising_doses(), *_few_cases(printed))


def _impossible_means() -> Iterator[Defect]:
    keys = []
    for label, known in PRIORS.items():
        means = [prior.mean for prior in known.values()]
        if not all(can_come_from(_RATED, mean, 0.01) for mean in means):
            keys.append(f"{label}: {', '.join(f'{mean:.2f}' for mean in means)}")
    if keys:
        message = f"{len(keys)} of {len(PRIORS)} rows have a mean that {_RATED} integer ratings cannot give"
        yield Defect("impossible-mean", "warning", "Tables 2 and 3", message, tuple(keys))


def _rising_doses() -> Iterator[Defect]:
    """More errors of a kind should not be rated better."""
    keys = []
    for label, next_label in pairwise(PRIORS):
        series, _, dose = label.rpartition("_")
        if not dose.isdigit() or next_label != f"{series}_{int(dose) + 1}":
            continue
        for dimension, prior in PRIORS[label].items():
            more = PRIORS[next_label][dimension].mean
            if more > prior.mean:
                keys.append(f"{next_label} {dimension}: {more:.2f}, above {prior.mean:.2f} for {label}")
    if keys:
        message = f"{len(keys)} means rise where there are more errors of the same kind"
        yield Defect("rising-dose", "note", "Table 3", message, tuple(keys))


def _few_cases(printed: Mapping[str, PrintedTable]) -> Iterator[Defect]:
    """Accuracies of one test set are shares of the number of its summaries; five of them can give it away."""
    for name, dimension, place in product(("5", "6"), _DIMENSIONS, ("orig", "our", "baseline")):
        table, column = printed[name], f"{dimension}/{place}"
        shares = sorted({_number(table, row, column) / 100 for row in table.rows})
        n = fewest_cases(shares, 0.0001)
        if n is not None:
            message = (
                f"all accuracies are whole numbers of {n} summaries (or a multiple of it): a test set far smaller than "
                "a quarter of what section 5.2 describes"
            )
            yield Defect("few-cases", "warning", f"Table {name}, {column}", message)


def can_come_from(n: int, printed: float, step: float) -> bool:
    """Whether k / n for a whole k is printed so, rounded or cut off to a multiple of ``step``."""
    low, high = printed - step / 2 - _DUST, printed + step - _DUST
    return any(low <= k / n < high for k in (int(printed * n), int(printed * n) + 1))


def fewest_cases(shares: Sequence[float], step: float) -> int | None:
    """The smallest number of cases that all these shares can come from; None if chance may have found it as well."""
    expected = 0.0
    for n in range(1, _MOST_CASES):
        # The share of all values that can come from n, and how many such numbers chance has given up to here.
        expected += min(1.0, 1.5 * step * n) ** len(shares)
        if expected > _CHANCE:
            return None
        if all(can_come_from(n, share, step) for share in shares):
            return n
    return None
