"""From a frame of scores with variants to arrays: the change that each perturbation makes, in units of the metric."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, OVERALL
from dialgauge.errors import InputError, ParameterError, UnknownNameError, counted
from dialgauge.metaeval._names import FloatArray, IntArray
from dialgauge.metaeval._settings import Spread

#: With at least this many systems, ``auto`` measures in their spread.
ENOUGH_SYSTEMS = 3
#: What identifies an original summary; the variant is what varies.
ITEM = ("dialogue_id", "system", "role")
#: Scores whose difference is below this share of their size are equal: models do not reproduce the last digits.
_TIE = 1e-9

#: Several variants with one label are distinguished by a number after this mark.
_DRAW = re.compile(r"#\d+$")
_LEVEL = re.compile(r"(.+)_(\d+)")


def label_of(variant: str) -> str:
    """The label of a variant: ``typos`` for ``typos`` and for ``typos#2``."""
    return _DRAW.sub("", variant)


def dose_of(label: str) -> tuple[str, int]:
    """The series that a label belongs to, and its level there: ``change_perturbation_3`` is 3, no number is 1."""
    head, colon, options = label.partition(":")
    numbered = _LEVEL.fullmatch(head)
    return (f"{numbered[1]}{colon}{options}", int(numbered[2])) if numbered else (label, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Changes (metrics × labels × items), variant minus original in units, signed so that negative means worse.

    ``rows`` holds the same one by one, a row per variant (there can be several by one label). ``dialogue`` is the
    number of the dialogue of each item. ``units`` is what a change of 1 is in the metric's own numbers, NaN where
    ``reasons`` says why there is none.
    """

    metrics: tuple[str, ...]
    labels: tuple[str, ...]
    items: pl.DataFrame
    dialogue: IntArray
    values: FloatArray
    units: FloatArray
    unit_kind: str
    signs: FloatArray
    reasons: Mapping[str, str]
    rows: pl.DataFrame
    unpaired: pl.DataFrame

    @property
    def dialogues(self) -> int:
        """How many dialogues there are."""
        return int(self.dialogue.max()) + 1

    def by_dialogue(self, values: FloatArray) -> FloatArray:
        """Values per item (last axis, none missing) summed within each dialogue."""
        starts = np.flatnonzero(np.diff(self.dialogue, prepend=-1))
        return np.asarray(np.add.reduceat(values, starts, axis=-1))


def measure_changes(
    scores: pl.DataFrame,
    effects: Mapping[str, object],
    directions: Mapping[str, str],
    *,
    metrics: Sequence[str] | None,
    references: Collection[str],
    spread: Spread,
) -> Changes:
    """Pair every variant with the original of its summary, by key, and measure the change."""
    names = _metric_columns(scores, metrics)
    frame = _keyed(scores, names)
    originals = frame.filter(pl.col("variant") == ORIGINAL)
    variants = frame.filter(pl.col("variant") != ORIGINAL).with_columns(
        pl.col("variant").map_elements(label_of, return_dtype=pl.String).alias("perturbation")
    )
    labels = _labels(variants, effects)
    unpaired = variants.join(originals, on=list(ITEM), how="anti").select(*KEY).sort(KEY)
    rows = variants.join(originals.select(*ITEM, *names), on=list(ITEM), how="inner", suffix=":original").sort(KEY)
    if rows.is_empty():
        first = " / ".join(unpaired.row(0))
        raise InputError(
            f"scores: none of the {unpaired.height} variants has the original of its summary beside it (first: "
            f"{first}); score the whole corpus, not the variants alone"
        )
    items = rows.select(ITEM).unique().sort(ITEM)
    units, kind, reasons = _units(originals.filter(~pl.col("system").is_in(list(references))), names, spread)
    signs = np.array([{"lower": -1.0}.get(directions.get(name, "none"), 1.0) for name in names])
    placed = rows.join(items.with_row_index("item"), on=list(ITEM)).join(
        pl.DataFrame({"perturbation": labels}).with_row_index("label"), on="perturbation"
    )
    values = np.full((len(names), len(labels), items.height), np.nan)
    long: dict[str, FloatArray] = {}
    for m, name in enumerate(names):
        change = _differences(placed, name) * signs[m]
        if not reasons.get(name) and np.isnan(change).all():
            reasons[name] = "no value for any pair of a variant and its original"
        long[name] = change / units[m]
        values[m] = _mean_cells(placed, long[name], (len(labels), items.height))
    dialogue = items["dialogue_id"].rle_id().to_numpy().astype(np.int64)
    keyed = placed.select(*KEY, "perturbation", *[f"{name}{tail}" for name in names for tail in ("", ":original")])
    keyed = keyed.with_columns(pl.Series(f"{name}:change", change) for name, change in long.items())
    return Changes(tuple(names), tuple(labels), items, dialogue, values, units, kind, signs, reasons, keyed, unpaired)


def _metric_columns(scores: pl.DataFrame, wanted: Sequence[str] | None) -> list[str]:
    for column in ("dialogue_id", "system", "variant"):
        if column not in scores.columns:
            raise InputError(f"scores: missing key column {column!r}; found: {', '.join(scores.columns) or 'none'}")
    present = [column for column in scores.columns if column not in KEY]
    if isinstance(wanted, str):
        raise ParameterError("robustness", "metrics", "a list of names", wanted)
    chosen = present if wanted is None else list(dict.fromkeys(wanted))
    if not chosen:
        raise InputError(f"scores: no metric column beside the key {', '.join(KEY)}")
    for name in chosen:
        if name not in present:
            raise UnknownNameError("metric", name, present)
        if not (scores.schema[name].is_numeric() or scores.schema[name] == pl.Null):
            raise InputError(f"scores: column {name!r} must be numeric; it is {scores.schema[name]}")
    return chosen


def _keyed(scores: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    if "role" not in scores.columns:
        scores = scores.with_columns(pl.lit(OVERALL).alias("role"))
    # Sorted, so that sums come out the same whatever the order of the rows was.
    frame = scores.select(
        *(pl.col(part).cast(pl.String) for part in KEY), *(pl.col(name).cast(pl.Float64) for name in names)
    ).sort(KEY)
    repeated = frame.filter(~pl.struct(KEY).is_first_distinct())
    if repeated.height:
        first = " / ".join(repeated.select(KEY).row(0))
        raise InputError(f"scores: {repeated.height} duplicate keys (first: {first}); one row per summary")
    infinite = frame.filter(pl.any_horizontal(pl.col(names).is_infinite()))
    if infinite.height:
        first = " / ".join(infinite.select(KEY).row(0))
        raise InputError(f"scores: {counted(infinite.height, 'row')} with an infinite value (first: {first})")
    return frame


def _labels(variants: pl.DataFrame, effects: Mapping[str, object]) -> list[str]:
    """The labels of the variants, in the order in which their effects are declared."""
    present = set(variants["perturbation"])
    if not present:
        raise InputError(f"scores: every row is {ORIGINAL!r}; there are no variants to compare with the originals")
    for label in sorted(present - set(effects)):
        raise UnknownNameError(
            "perturbation", label, effects, "declare its expected effect, or leave its rows out of the scores"
        )
    return [label for label in effects if label in present]


def _units(originals: pl.DataFrame, names: Sequence[str], spread: Spread) -> tuple[FloatArray, str, dict[str, str]]:
    """What a change of each metric is measured in: the standard deviation of the systems' means, or of summaries."""
    kind = spread
    if kind == "auto":
        kind = "systems" if originals["system"].n_unique() >= ENOUGH_SYSTEMS else "summaries"
    units, reasons = np.full(len(names), np.nan), {}
    for m, name in enumerate(names):
        known = originals.drop_nulls(name).drop_nans(name)
        if kind == "systems":
            known = known.group_by("system", "role", maintain_order=True).agg(pl.col(name).mean())
        # Within each role (all weighted equally), so that differences between roles do not count as spread of systems.
        variance = known.group_by("role", maintain_order=True).agg(pl.col(name).var())[name].mean()
        largest = known[name].abs().max()
        if known.is_empty():
            reasons[name] = "no original has a value"
        elif not isinstance(variance, float):
            reasons[name] = f"the spread between {kind} cannot be estimated from only one"
        elif not math.sqrt(variance) > _TIE * float(largest):  # type: ignore[arg-type]  # not empty, so a number
            reasons[name] = f"all {kind} have the same value, so a change has no unit"
        else:
            units[m] = math.sqrt(variance)
    return units, kind, reasons


def _differences(placed: pl.DataFrame, name: str) -> FloatArray:
    after, before = placed[name].to_numpy(), placed[f"{name}:original"].to_numpy()
    change = np.asarray(after - before, dtype=np.float64)
    change[np.abs(change) <= _TIE * np.maximum(np.abs(after), np.abs(before))] = 0.0
    return change


def _mean_cells(placed: pl.DataFrame, change: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """The mean of the variants that one label made of one summary; NaN where there is none."""
    known = ~np.isnan(change)
    cell = (placed["label"].cast(pl.Int64).to_numpy() * shape[1] + placed["item"].cast(pl.Int64).to_numpy())[known]
    size = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size)
    totals = np.bincount(cell, weights=change[known], minlength=size)
    means = np.divide(totals, counts, out=np.full(size, np.nan), where=counts > 0)
    return np.asarray(means.reshape(shape))
