"""What the print of Tweak to Trust says about itself: its sums, its claims, and the cases behind its numbers."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from statistics import pstdev

import polars as pl

from dialgauge.learn import gaps
from dialgauge.perturb import PRIORS
from dialgauge.reproduce._print_arithmetic import can_come_from, common_cases, least_deviation
from dialgauge.reproduce._printed import Defect, PrintedTable, TableCheck, check_table

_DIMENSIONS = ("consistency", "relevance")
_CHANGES = ("our-orig", "baseline-orig")
#: How many summaries of each kind people rated, by the text.
_RATED = 25
#: Summaries of a quarter of the 1,200 calls, by three models and one person each.
_TESTED = 1200 * 4 // 4
_REMOVED = "remove_important_sentence_"
#: Metrics of which a lower value is better: there a correlation that rises has got worse.
LOWER = ("ter", "ter@source")
#: The standard deviations that the text gives of these ratings.
_DEVIATIONS = {"consistency": 0.12, "relevance": 0.21}
#: Half a unit of the last digit of a printed mean, and a little more for binary fractions.
_HALF = 0.005 + 1e-9

#: The metrics that the text excepts from "a decrease in correlation".
_EXCEPTIONS = ("unieval", "bartscore")

Values = dict[tuple[str, str], float | None]


def check_prints(printed: Mapping[str, PrintedTable], accuracies: pl.DataFrame) -> tuple[TableCheck, ...]:
    """Every printed number that follows from other printed numbers."""
    return (
        *(_differences(printed[name]) for name in ("5", "6")),
        _counts(printed, accuracies),
        _means(printed, accuracies),
        _claims(printed),
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
    signed = _nearer(accuracies)
    notes = {
        ("lower-correlation", "count"): f"{most} get worse in at least three of the four, with TER's sign flipped",
        ("narrower", "count"): (
            f"{signed} by signed difference; {sum(found['higher'])} is how often the accuracy on perturbed summaries "
            "rises"
        ),
    }
    return check_table(table, values, notes=notes)


def _nearer(accuracies: pl.DataFrame) -> int:
    """In how many comparisons the difference to the originals is greater (less negative) in Table 6 than in Table 5."""
    cells = ["dimension", "classifier", "set"]
    changes = accuracies.filter(pl.col("difference").is_not_null())
    before = changes.filter(condition="original").select(*cells, before="difference")
    after = changes.filter(pl.col("condition") != "original").join(before, on=cells)
    return after.filter(pl.col("difference") > pl.col("before")).height


def _falling(table: PrintedTable) -> tuple[int, int]:
    """Metrics whose correlation falls in all four columns, and those that get worse in at least three of them."""
    changes = {
        row: [_number(table, row, f"{dimension}/{change}") for dimension, change in product(_DIMENSIONS, _CHANGES)]
        for row in table.rows
    }
    strict = sum(all(value < 0 for value in values) for values in changes.values())
    worse = [sum(-value < 0 if row in LOWER else value < 0 for value in values) for row, values in changes.items()]
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
    return check_table(printed["means"], values, near=lambda value, shown: abs(value - shown) <= _HALF)


def _claims(printed: Mapping[str, PrintedTable]) -> TableCheck:
    """What the text says of Tables 4 and 7, counted."""
    four, seven = printed["4"], printed["7"]
    changes = {
        row: [_number(four, row, f"{dimension}/{change}") for dimension, change in product(_DIMENSIONS, _CHANGES)]
        for row in four.rows
    }
    rising = [row for row, values in changes.items() if min(values) > 0 and row not in LOWER]
    falling = [row for row, values in changes.items() if max(values) < 0]
    ter = [value for row in LOWER for value in changes[row]]
    crossed = _number(four, "unieval-relevance", "consistency/orig") > _number(
        four, "unieval-relevance", "relevance/orig"
    )
    tuned = [(row, column) for row in ("original+baseline", "original+domain") for column in seven.columns]
    values = {
        "summaries": 1200 * 4,
        "remaining": 1200 - _RATED,
        "exceptions": sum(not row.startswith(_EXCEPTIONS) for row in rising),
        "falling-exceptions": sum(row.startswith(_EXCEPTIONS) for row in falling),
        "ter-rises": sum(value > 0 for value in ter),
        "bartscore-transcript": sum(
            _perturbed(four, "bartscore-src-hyp", dimension, change)
            > _perturbed(four, "bartscore-hyp-ref", dimension, change)
            for dimension, change in product(_DIMENSIONS, _CHANGES)
        ),
        "unieval-crossed": int(crossed),
        "tuned-better": sum(_number(seven, *cell) > _number(seven, "untrained", cell[1]) for cell in tuned),
        "ours-better": sum(
            _number(seven, "original+domain", column) > _number(seven, "original+baseline", column)
            for column in seven.columns
        ),
    }  # fmt: skip
    notes = {
        "exceptions": _named(four, (row for row in rising if not row.startswith(_EXCEPTIONS))),
        "falling-exceptions": _named(four, (row for row in falling if row.startswith(_EXCEPTIONS))),
        "ter-rises": f"against the transcript, relevance on 'baseline' is {min(ter):.2f}",
        "bartscore-transcript": "on relevance only",
    }
    return check_table(
        printed["claims"],
        {(row, "count"): value for row, value in values.items()},
        notes={(row, "count"): note for row, note in notes.items()},
    )


def _perturbed(table: PrintedTable, row: str, dimension: str, change: str) -> float:
    """The correlation on perturbed summaries: that on originals and the printed difference to it."""
    return _number(table, row, f"{dimension}/orig") + _number(table, row, f"{dimension}/{change}")


def _named(table: PrintedTable, rows: Iterable[str]) -> str:
    return ", ".join(table.labels[row] for row in rows)


def find_defects(printed: Mapping[str, PrintedTable]) -> tuple[Defect, ...]:
    """Contradictions within the printed numbers."""
    return (
        *_impossible_means(),
        *_impossible_deviations(),
        *_rising_doses(),
        *_falling_consistency(),
        *_other_quarter(printed),
        *_few_cases(printed),
        *_training_results(printed["7"]),
    )


def _impossible_means() -> Iterator[Defect]:
    keys = []
    for label, known in PRIORS.items():
        means = [prior.mean for prior in known.values()]
        if not all(can_come_from(_RATED, mean, 0.01) for mean in means):
            keys.append(f"{label}: {', '.join(f'{mean:.2f}' for mean in means)}")
    if keys:
        thrice = sum(
            all(can_come_from(3 * _RATED, prior.mean, 0.01, cut=False) for prior in known.values())
            for known in PRIORS.values()
        )
        message = (
            f"{len(keys)} of {len(PRIORS)} rows have a mean that {_RATED} integer ratings cannot give "
            f"({thrice} rows are rounded means of {3 * _RATED}, three for each summary)"
        )
        yield Defect("impossible-mean", "warning", "Tables 2 and 3", message, tuple(keys))


def _impossible_deviations() -> Iterator[Defect]:
    """Whole votes with a mean between two points cannot deviate as little as the text says."""
    for dimension, printed in _DEVIATIONS.items():
        least = {label: least_deviation(known[dimension].mean) for label, known in PRIORS.items()}
        rounded = {label: least_deviation(known[dimension].mean, 0.01) for label, known in PRIORS.items()}
        above = [label for label, value in least.items() if value > printed]
        sure = [label for label in above if rounded[label] > printed + _HALF]
        keys = tuple(
            f"{label}: mean {PRIORS[label][dimension].mean:.2f}, at least {least[label]:.2f}" for label in sure
        )
        if keys:
            message = (
                f"a standard deviation of {printed} is too small for whole ratings with the mean of {len(above)} of "
                f"{len(PRIORS)} rows ({len(sure)}, whatever was rounded); between the rows it is "
                f"{pstdev(known[dimension].mean for known in PRIORS.values()):.2f}"
            )
            yield Defect("impossible-deviation", "warning", f"section 5.2, {dimension}", message, keys)


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


def _falling_consistency() -> Iterator[Defect]:
    """What is left when sentences are removed is as true as before."""
    series = [(label, known["consistency"].mean) for label, known in PRIORS.items() if label.startswith(_REMOVED)]
    (first, most), (last, least) = series[0], series[-1]
    message = f"consistency falls from {most:.2f} ({first}) to {least:.2f} ({last}), though removing adds no error"
    yield Defect("falling-consistency", "note", "Table 3", message)


def _other_quarter(printed: Mapping[str, PrintedTable]) -> Iterator[Defect]:
    """A quarter of the originals was tested on: accuracies are shares of that number."""
    for name in ("5", "6"):
        cells = [(row, f"{dimension}/orig") for row, dimension in product(printed[name].rows, _DIMENSIONS)]
        others = [cell for cell in cells if not can_come_from(_TESTED, _number(printed[name], *cell) / 100, 0.0001)]
        if others:
            message = (
                f"of {len(cells)} accuracies, {len(cells) - len(others)} can be a share of {_TESTED:,} summaries, a "
                "quarter of the originals of section 5.2; by chance it would be about two"
            )
            keys = tuple(
                f"{printed[name].labels[row]} {column}: {_number(printed[name], row, column):.2f}"
                for row, column in others
            )
            yield Defect("other-quarter", "warning", f"Table {name}, 'orig'", message, keys)


def _few_cases(printed: Mapping[str, PrintedTable]) -> Iterator[Defect]:
    """Accuracies of one test set are shares of the number of its summaries; ten of them can give it away."""
    found: dict[str, int] = {}
    for name, place in product(("5", "6"), ("orig", "our", "baseline")):
        cells = [(row, f"{dimension}/{place}") for row, dimension in product(printed[name].rows, _DIMENSIONS)]
        shares = [_number(printed[name], *cell) / 100 for cell in cells]
        known = found.get(place)
        if known is not None and not any(can_come_from(known, share, 0.0001) for share in shares):
            message = (
                f"none of these accuracies is a whole number of {known} summaries, as those of Table 5 are: another "
                "test set, so that the gaps of the two tables cannot be compared"
            )
            yield Defect("other-test-set", "warning", f"Table {name}, {place!r}", message)
        common = common_cases(shares, 0.0001)
        if common is None:
            continue
        found[place], fits = common
        others = tuple(
            f"{printed[name].labels[row]} {column}: {100 * share:.2f}"
            for (row, column), share in zip(cells, shares, strict=True)
            if not can_come_from(common[0], share, 0.0001)
        )
        message = (
            f"{fits} of {len(shares)} accuracies are whole numbers of {common[0]} summaries (or a multiple of it): a "
            "test set far smaller than a quarter of what section 5.2 describes; the others cannot come from it"
        )
        yield Defect("few-cases", "warning", f"Table {name}, {place!r}", message, others)


def _training_results(table: PrintedTable) -> Iterator[Defect]:
    """What the text leaves out of Table 7, and how it words its gains."""
    column = "BARTScore/consistency"
    before = _number(table, "untrained", column)
    gains = [
        f"{100 * (_number(table, row, column) - before):.2f} points are {_number(table, row, column) / before - 1:.0%}"
        for row in ("original+domain", "original+baseline")
    ]
    yield Defect(
        "points-as-per-cent",
        "note",
        "section 6.2",
        f"gains of a correlation are given in %, but are points of a hundredth: {', '.join(gains)}",
    )
    best = [
        f"{name}: {_number(table, 'original', name):.4f}; with 'our' {_number(table, 'original+domain', name):.4f}"
        for name in table.columns
        if all(_number(table, "original", name) >= _number(table, row, name) for row in table.rows)
    ]
    worse = [
        f"{name}: {_number(table, 'original', name):.4f}; untrained {_number(table, 'untrained', name):.4f}"
        for name in table.columns
        if _number(table, "original", name) < _number(table, "untrained", name)
    ]
    yield Defect(
        "not-mentioned",
        "note",
        "Table 7",
        f"trained on originals alone, {len(best)} of {len(table.columns)} metrics is best and {len(worse)} are worse "
        "than untrained, which the text does not say",
        (*best, *worse),
    )
