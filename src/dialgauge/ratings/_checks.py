"""Data checks on ratings: each looks for one known problem of published studies, with no rules for any one study."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, counted
from dialgauge.ratings._findings import Finding, Findings, Severity
from dialgauge.ratings._frame import UnitRatings, require_ratings, show_key, unit_ratings
from dialgauge.ratings._pairs import annotator_pairs
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._text_checks import check_comments, check_summaries

#: With fewer ratings than this, copying and constant values cannot be judged.
_ENOUGH = 20


def check_ratings(corpus: Corpus, *, scales: Iterable[Scale] = ()) -> Findings:
    """Check the ratings of a corpus for errors and doubtful data.

    Annotators whose values are a copy of another's, who gave one value throughout, who are alone; values off the
    scale and unset ones; dimensions without a scale or with several; summaries that occur twice or are the reference;
    comments that nobody wrote; models among the annotators. For the order of rows in two tables see
    :func:`check_row_order`.
    """
    ratings = require_ratings(corpus.ratings)
    scales = tuple(scales)
    if not ratings["value"].count():
        return Findings((Finding("no-ratings", "error", "ratings", "the corpus has no ratings"),))
    found = [
        *_check_models(corpus),
        *_check_scales(ratings, scales),
        *_check_annotators(ratings),
        *_check_coverage(ratings),
        *check_comments(ratings),
        *check_summaries(corpus.summaries),
    ]
    return Findings(tuple(found))


def _check_models(corpus: Corpus) -> Iterator[Finding]:
    if models := corpus.models:
        message = (
            f"{'is a model' if len(models) == 1 else 'are models'}, by the table 'annotators' or by name: left out of "
            "everything that is said of people; a person of such a name needs a group in that table"
        )
        yield Finding("models", "note", f"annotator {_some(models)}", message, {"annotators": models})


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
    yield from _check_gaps(ratings)


def _check_gaps(ratings: pl.DataFrame) -> Iterator[Finding]:
    """Units that an annotator left out of nearly all; dimensions of which much was not rated, or not by two."""
    summaries = ratings.drop_nulls("value").select(KEY).n_unique()
    for (name,), part in ratings.group_by("dimension", maintain_order=True):
        where, given = f"dimension {name}", unit_ratings(part)
        units, sizes = len(given.sizes), given.sizes
        counts = np.bincount(given.annotator, minlength=len(given.annotators))
        partly = []
        for annotator, count in zip(given.annotators, counts.tolist(), strict=True):
            missing = units - count
            if 0 < missing <= units / 10:
                message = f"no rating for {missing} of {units} units that others rated"
                yield Finding(
                    "missing-ratings", "note", f"{where}, annotator {annotator}", message, {"missing": missing}
                )
            elif missing > 0:
                partly.append((count, annotator))
        if partly:
            yield _partly_rated(where, units, partly, len(given.annotators))
        rated = part.drop_nulls("value").select(KEY).n_unique()
        if 0 < rated < summaries:
            message = (
                f"rated on {rated} of the {summaries} summaries that have ratings: its numbers speak for these only"
            )
            severity: Severity = "warning" if rated < summaries / 2 else "note"
            yield Finding("few-rated", severity, where, message, {"rated": rated, "summaries": summaries})
        twice = int((sizes >= 2).sum())
        if len(given.annotators) > 1 and 0 < twice < units / 2:
            message = f"only {twice} of {units} units have two ratings or more: agreement speaks for these only"
            yield Finding("few-rated-twice", "warning", where, message, {"units": units, "rated_twice": twice})


def _partly_rated(where: str, units: int, partly: list[tuple[int, str]], annotators: int) -> Finding:
    fewest, most = min(partly), max(partly)
    if len(partly) <= 3:
        who = ", ".join(f"{annotator} rated {count}" for count, annotator in partly)
        message = f"of {counted(units, 'unit')}, {who}"
    else:
        message = f"{len(partly)} of {annotators} annotators rated {fewest[0]} to {most[0]} of {units} units each"
    evidence = {"annotators": [annotator for _, annotator in partly], "units": units}
    return Finding("missing-ratings", "note", where, message, evidence)


def _check_annotators(ratings: pl.DataFrame) -> Iterator[Finding]:
    parts = {
        str(name): unit_ratings(part)
        for (name,), part in ratings.sort("dimension").group_by("dimension", maintain_order=True)
    }
    shares = {name: _equal_shares(given) for name, given in parts.items()}
    every = pl.concat([share.select("equal", "units") for share in shares.values()])
    # The copies themselves must not count as evidence that people usually agree this often, nor pairs that share
    # next to nothing, where there are others.
    usual = every.filter(pl.col("equal") < 0.99 * pl.col("units"))
    usual = usual.filter(pl.col("units") >= min(_ENOUGH, usual["units"].max() or 0))
    highest = usual.select((pl.col("equal") / pl.col("units")).max()).item()
    for name, share in shares.items():
        complete = (pl.col("units") >= _ENOUGH) & (pl.col("equal") >= 0.99 * pl.col("units")) & (pl.col("values") > 1)
        for first, second, units, equal, _ in share.filter(complete).iter_rows():
            pair = parts[name].annotators[first], parts[name].annotators[second]
            yield from _copied(name, pair, equal, units, highest)
    for name, given in parts.items():
        yield from _constant(name, given)


def _equal_shares(given: UnitRatings) -> pl.DataFrame:
    """For each pair of annotators: how many units both rated, how many the same, and whether several values occur."""
    met = annotator_pairs(given)
    n = len(met.shared)
    equal = np.bincount(met.pair, met.x == met.y, minlength=n).astype(np.int64)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    for values in (met.x, met.y):
        np.minimum.at(low, met.pair, values)
        np.maximum.at(high, met.pair, values)
    columns = {"first": met.first, "second": met.second, "units": met.shared, "equal": equal}
    return pl.DataFrame({**columns, "values": np.where(high > low, 2, 1)})


def _constant(dimension: str, given: UnitRatings) -> Iterator[Finding]:
    """Annotators who gave one value throughout, while others used several."""
    if len(np.unique(given.value)) < 2:
        return
    values = (
        pl.DataFrame({"annotator": given.annotator, "value": given.value})
        .group_by("annotator")
        .agg(pl.col("value").min().alias("low"), pl.col("value").max().alias("high"), pl.len())
    )
    same = values.filter((pl.col("low") == pl.col("high")) & (pl.col("len") >= _ENOUGH)).sort("annotator")
    for annotator, value, _, count in same.iter_rows():
        message = f"gave {value:g} to all {count} units, while others used several values"
        where = f"dimension {dimension}, annotator {given.annotators[annotator]}"
        yield Finding("constant-annotator", "warning", where, message, {"value": value, "ratings": count})


def _copied(dimension: str, pair: tuple[str, str], equal: int, units: int, highest: float | None) -> Iterator[Finding]:
    """A finding if two annotators agree on (nearly) everything though pairs of annotators usually do not.

    With ``highest`` the highest share of equal ratings that any other pair reaches, agreement this complete must have a
    probability under one in a million. Where there is no other pair to compare with, complete agreement is a warning.
    """
    from scipy.special import bdtrc

    evidence: dict[str, Any] = {"equal": equal, "units": units}
    where = f"dimension {dimension}, annotators {pair[0]} and {pair[1]}"
    if highest is None:
        if equal == units:
            message = f"equal in {equal} of {units} units: agreement without a single exception is implausible"
            yield Finding("copied-annotator", "warning", where, message, evidence)
        return
    chance = float(bdtrc(equal - 1, units, highest))
    if chance < 1e-6:
        message = (
            f"the values of one are a copy of the other's: equal in {equal} of {units} units, "
            f"while no other pair exceeds {highest:.0%}"
        )
        yield Finding("copied-annotator", "error", where, message, {**evidence, "highest_other_share": highest})


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
