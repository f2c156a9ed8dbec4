"""Data checks on ratings: each looks for one known problem of published studies, with no rules for any one study."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, counted
from dialgauge.ratings._findings import Finding, Findings, Severity
from dialgauge.ratings._frame import require_ratings, show_key, unit_matrix
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._text_checks import check_comments, check_summaries

#: With fewer ratings than this, copying and constant values cannot be judged.
_ENOUGH = 20


def check_ratings(corpus: Corpus, *, scales: Iterable[Scale] = ()) -> Findings:
    """Check the ratings of a corpus for errors and doubtful data.

    Annotators whose values are a copy of another's, who gave one value throughout, who are alone; values off the
    scale and unset ones; dimensions without a scale or with several; summaries that occur twice or are the reference;
    comments that nobody wrote. For the order of rows in two tables see :func:`check_row_order`.
    """
    ratings = require_ratings(corpus.ratings)
    scales = tuple(scales)
    if not ratings["value"].count():
        return Findings((Finding("no-ratings", "error", "ratings", "the corpus has no ratings"),))
    found = [
        *_check_scales(ratings, scales),
        *_check_annotators(ratings),
        *_check_coverage(ratings),
        *check_comments(ratings),
        *check_summaries(corpus.summaries),
    ]
    return Findings(tuple(found))


def _check_scales(ratings: pl.DataFrame, scales: tuple[Scale, ...]) -> Iterator[Finding]:
    invalid = validate(ratings, on_invalid="keep", scales=scales).invalid
    unset = invalid.filter(pl.col("problem") == "unset")
    if unset.height:
        rows = unset.unique(["annotator", *KEY, "sentence"], maintain_order=True)
        keys = [show_key(row, (*KEY, "annotator", "sentence")) for row in rows.iter_rows(named=True)]
        message = (
            f"{len(keys)} saved without a rating ({counted(unset.height, 'value')} of 0 on a scale that starts above "
            "0); averaging them lowers the means"
        )
        yield Finding("unset", "error", _some(keys), message, {"rows": keys, "values": unset.height})
    off = invalid.filter(pl.col("problem") != "unset")
    for (dimension,), part in off.group_by("dimension", maintain_order=True):
        keys = [f"{show_key(row)}: {row['reason']}" for row in part.iter_rows(named=True)]
        message = f"{counted(part.height, 'value')} that the scale does not allow, as in {keys[0]}"
        yield Finding("off-scale", "error", f"dimension {dimension}", message, {"rows": keys})
    for (dimension,), part in ratings.group_by("dimension", maintain_order=True):
        where = f"dimension {dimension}"
        named = part["scale"].drop_nulls().len()
        if named < part.height:
            message = (
                f"{part.height - named} of {part.height} ratings have no scale, so they cannot be checked; add it in "
                "a column 'scale', or for all with --map scale==1-5 (convert --ratings: --map-ratings scale==1-5)"
            )
            yield Finding("no-scale", "note", where, message, {"ratings": part.height - named})
        try:
            scale_of(part, scales)
        except InputError as error:
            yield Finding("mixed-scales", "error", where, str(error), {"scales": part["scale"].unique().to_list()})


def _some(keys: list[str]) -> str:
    return "; ".join(keys[:4]) + (f"; … {len(keys) - 4} more" if len(keys) > 4 else "")


def _check_coverage(ratings: pl.DataFrame) -> Iterator[Finding]:
    given = ratings.drop_nulls("value")
    if given["annotator"].n_unique() == 1:
        message = "all ratings come from one annotator: agreement cannot be measured"
        yield Finding("one-annotator", "warning", f"annotator {given['annotator'][0]}", message)
    if given["system"].n_unique() == 1:
        message = "all ratings are of one system: systems cannot be compared"
        yield Finding("one-system", "warning", f"system {given['system'][0]}", message)
    for (dimension,), part in given.group_by("dimension", maintain_order=True):
        if part["value"].n_unique() == 1 and part.height > 1:
            message = f"all {part.height} ratings are {part['value'][0]:g}: nothing can correlate with them"
            yield Finding("all-equal", "error", f"dimension {dimension}", message, {"value": part["value"][0]})
        matrix = unit_matrix(ratings.filter(pl.col("dimension") == dimension))
        gaps = np.isnan(matrix.values).sum(axis=0)
        for annotator, missing in zip(matrix.annotators, gaps.tolist(), strict=True):
            if 0 < missing <= len(matrix.values) / 10:
                message = f"no rating for {missing} of {len(matrix.values)} units that others rated"
                where = f"dimension {dimension}, annotator {annotator}"
                yield Finding("missing-ratings", "note", where, message, {"missing": missing})


def _check_annotators(ratings: pl.DataFrame) -> Iterator[Finding]:
    dimensions = sorted(ratings["dimension"].unique())
    matrices = {name: unit_matrix(ratings.filter(pl.col("dimension") == name)) for name in dimensions}
    shares = [
        (dimension, pair, _equal_share(matrix.values[:, columns]))
        for dimension, matrix in matrices.items()
        for columns, pair in zip(
            map(list, combinations(range(len(matrix.annotators)), 2)),
            combinations(matrix.annotators, 2),
            strict=True,
        )
    ]
    for dimension, pair, (equal, units, distinct) in shares:
        others = [share for d, p, share in shares if (d, p) != (dimension, pair) and share[1] > 0]
        # The copy itself must not count as evidence that people usually agree this often.
        usual = sorted(e / n for e, n, _ in others if e < 0.99 * n)
        yield from _copied(dimension, pair, equal, units, distinct, usual)
    for dimension, matrix in matrices.items():
        for column, annotator in enumerate(matrix.annotators):
            values = matrix.values[:, column]
            own = values[~np.isnan(values)]
            everyone = matrix.values[~np.isnan(matrix.values)]
            if len(own) >= _ENOUGH and len(np.unique(own)) == 1 and len(np.unique(everyone)) > 1:
                message = f"gave {own[0]:g} to all {len(own)} units, while others used several values"
                where = f"dimension {dimension}, annotator {annotator}"
                yield Finding("constant-annotator", "warning", where, message, {"value": own[0], "ratings": len(own)})


def _equal_share(pair: NDArray[np.float64]) -> tuple[int, int, int]:
    """How many units both rated the same, how many both rated, and how many values occur."""
    both = pair[~np.isnan(pair).any(axis=1)]
    return int((both[:, 0] == both[:, 1]).sum()), len(both), len(np.unique(both))


def _copied(
    dimension: str, pair: tuple[str, str], equal: int, units: int, distinct: int, usual: list[float]
) -> Iterator[Finding]:
    """A finding if two annotators agree on (nearly) everything though pairs of annotators usually do not.

    With p the highest share of equal ratings that any other pair reaches, agreement this complete must have a
    probability under one in a million. Where there is no other pair to compare with, complete agreement is a warning.
    """
    from scipy.special import bdtrc

    if units < _ENOUGH or distinct < 2 or equal < 0.99 * units:
        return
    evidence: dict[str, Any] = {"equal": equal, "units": units}
    where = f"dimension {dimension}, annotators {pair[0]} and {pair[1]}"
    if not usual:
        if equal == units:
            message = f"equal in {equal} of {units} units: agreement without a single exception is implausible"
            yield Finding("copied-annotator", "warning", where, message, evidence)
        return
    chance = float(bdtrc(equal - 1, units, usual[-1]))
    if chance < 1e-6:
        message = (
            f"the values of one are a copy of the other's: equal in {equal} of {units} units, "
            f"while no other pair exceeds {usual[-1]:.0%}"
        )
        yield Finding("copied-annotator", "error", where, message, {**evidence, "highest_other_share": usual[-1]})


def check_row_order(
    a: pl.DataFrame, b: pl.DataFrame, *, on: str | Iterable[str] = "dialogue_id", names: tuple[str, str] = ("a", "b")
) -> Findings:
    """Whether two tables that share keys list them in the same order.

    If not, joining them row by row (as pasting columns or ``zip`` does) would put values of different keys side by
    side; the finding says how many of the n positions match. Compared are the keys that both have, in the order in
    which each table first names them. Keys that only one table has are a finding of their own.
    """
    key = [on] if isinstance(on, str) else list(on)
    for name, frame in zip(names, (a, b), strict=True):
        absent = [column for column in key if column not in frame.columns]
        if absent:
            raise InputError(f"table {name!r} has no column {absent[0]!r}; found: {', '.join(frame.columns)}")
    first, second = (frame.select(key).unique(maintain_order=True) for frame in (a, b))
    shared = first.join(second, on=key, how="semi", maintain_order="left")
    there = second.join(first, on=key, how="semi", maintain_order="left")
    where = f"tables {names[0]} and {names[1]}, by {', '.join(key)}"
    found = []
    matching = sum(x == y for x, y in zip(shared.iter_rows(), there.iter_rows(), strict=True))
    evidence = {"positions": shared.height, "matching": matching}
    if matching < shared.height:
        message = (
            f"the rows are in different orders: {matching} of {shared.height} positions match. Joined row by row, the "
            "others would be paired with the wrong values; join them by key"
        )
        found.append(Finding("row-order", "error", where, message, evidence))
    only = {names[0]: first.height - shared.height, names[1]: second.height - there.height}
    for name, count in only.items():
        if count:
            severity: Severity = "warning" if shared.height else "error"
            message = f"{counted(count, 'key')} in {name} only" + (
                "" if shared.height else "; the tables share no key at all"
            )
            found.append(Finding("unmatched-keys", severity, where, message, {"only_in": name, "keys": count}))
    return Findings(tuple(found))
