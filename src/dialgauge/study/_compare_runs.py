"""``compare_runs``: two runs side by side, paired by key. The first is the one from before, the second the new one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.metaeval import Correction, adjust_p_values, paired_differences
from dialgauge.metrics import SYSTEM_KEY
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes
from dialgauge.study._compare_runs_overlap import Overlap, Side, find_overlap, shown_system
from dialgauge.study._compare_runs_verdicts import verdict_changes
from dialgauge.study._compare_runs_versions import correlation_changes, largest_changes, rank_changes
from dialgauge.study._finished import FinishedRun
from dialgauge.study._settings import RunComparisonSettings

#: What stands for all systems together in the column ``system``.
ALL_SYSTEMS = "all systems"
#: Means closer than this share of the larger one (or of 1) have not changed: machines differ in the last digits.
EQUAL = 1e-9

#: One row of :attr:`RunComparison.changes`.
CHANGES = pl.Schema(
    {
        "kind": pl.String,
        "name": pl.String,
        "direction": pl.String,
        "system": pl.String,
        "dialogues": pl.Int64,
        "summaries": pl.Int64,
        "first": pl.Float64,
        "second": pl.Float64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "p_corrected": pl.Float64,
        "p_floor": pl.Float64,
        "verdict": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs side by side.

    ``changes`` has a row per metric and dimension (``kind``, ``name``) for all systems together and for each system:
    both means over what the two runs share, the difference (second − first) with its interval, the p-value of the
    paired permutation test and the same corrected, and a verdict. ``p_floor`` is what the test cannot go below with so
    few dialogues or resamples. ``signatures`` are the metrics whose signature changed; ``largest`` the
    summaries that changed most; ``ranks`` the ranks of the systems; ``correlations`` how well each metric agrees with
    people in either run; ``verdicts`` which verdicts on metrics changed; ``notes`` remarks on the numbers.
    """

    first: FinishedRun
    second: FinishedRun
    overlap: Overlap
    changes: pl.DataFrame
    signatures: pl.DataFrame
    largest: pl.DataFrame
    ranks: pl.DataFrame
    correlations: pl.DataFrame
    verdicts: pl.DataFrame
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """The systems that both runs have, as they are shown."""
        return [name for name in self.changes["system"].unique(maintain_order=True) if name != ALL_SYSTEMS]

    @property
    def together(self) -> pl.DataFrame:
        """The changes of all systems together; those of the system where there is only one."""
        systems = self.systems
        return self.changes.filter(system=systems[0] if len(systems) == 1 else ALL_SYSTEMS)


@with_bar
@takes(RunComparisonSettings)
def compare_runs(
    first: FinishedRun | Path | str,
    second: FinishedRun | Path | str,
    settings: RunComparisonSettings | None = None,
    *,
    names: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> RunComparison:
    """Compare two finished runs on what both have, without rescoring.

    ``names`` says which system or metric of the second run takes the place of which of the first (``{"v2": "v1"}``).
    In all systems together the references are left out. p-values
    are corrected over the whole of ``changes``, separately for all systems together and for single systems.
    """
    asked = RunComparisonSettings.chosen(settings, changes, "compare_runs")
    one, other = (run if isinstance(run, FinishedRun) else FinishedRun.open(run) for run in (first, second))
    old = Side.read(one)
    new = Side.read(other).renamed(names or {}, old)
    overlap = find_overlap(old, new)
    pairs = {kind: _pairs(kind, old, new) for kind in ("metric", "dimension")}
    systems = {row for frame in pairs.values() for row in frame.select(SYSTEM_KEY).iter_rows()}
    tests = len(systems) * (len(overlap.metrics) + len(overlap.dimensions))
    used = asked.model_dump(mode="json") | {
        # With fewer, the smallest p that there can be would not survive the correction.
        "permutations": max(asked.resamples, math.ceil(2 * tests / asked.alpha)),
        "names": dict(names or {}),
    }
    rows = _change_rows(old, new, overlap, pairs, used, progress)
    other_ruler = {("metric", name) for name in overlap.signatures["metric"]}
    if not overlap.texts_changed:
        other_ruler |= {("dimension", name) for name in overlap.dimensions}
    judged = _judged(pl.DataFrame(rows, schema=CHANGES), other_ruler, asked.correction, asked.alpha)
    return RunComparison(
        first=one,
        second=other,
        overlap=overlap,
        changes=judged,
        signatures=overlap.signatures,
        largest=largest_changes(pairs["metric"], overlap.metrics),
        ranks=rank_changes(judged.filter(pl.col("system") != ALL_SYSTEMS)),
        correlations=correlation_changes(old, new, overlap, used, progress),
        verdicts=verdict_changes(one, other, dict(names or {})),
        notes=(*overlap.notes, *_judgement_notes(judged, overlap), *_floor_notes(judged, asked.alpha)),
        settings=used,
    )


def _change_rows(
    old: Side,
    new: Side,
    overlap: Overlap,
    pairs: Mapping[str, pl.DataFrame],
    settings: Mapping[str, Any],
    progress: Progress | None,
) -> list[dict[str, Any]]:
    drawn = {name: settings[name] for name in ("resamples", "permutations", "confidence", "seed")}
    systems = {row for frame in pairs.values() for row in frame.select(SYSTEM_KEY).iter_rows()}
    together = old.references | new.references if len(systems) > 1 else None
    rows: list[dict[str, Any]] = []
    for kind, wanted in (("metric", overlap.metrics), ("dimension", overlap.dimensions)):
        ways = overlap.directions if kind == "metric" else dict.fromkeys(wanted, "higher")
        rows += _paired_rows(kind, pairs[kind], {name: ways[name] for name in wanted}, together, drawn, progress)
    return rows + _system_rows(old, new, overlap)


def _pairs(kind: str, old: Side, new: Side) -> pl.DataFrame:
    """The rows that both runs have: the key, and every shared column twice (the second with ``:new``)."""
    frames = (old.values(kind), new.values(kind))
    return frames[0].join(frames[1], on=list(KEY), how="inner", suffix=":new", maintain_order="left")


def _paired_rows(
    kind: str,
    pairs: pl.DataFrame,
    directions: Mapping[str, str],
    without: set[str] | None,
    drawn: Mapping[str, Any],
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """A row per name for all systems together, ``without`` some (None: no such row), and for each system."""
    names = list(directions)
    if not names or pairs.is_empty():
        return []
    dialogue = pairs["dialogue_id"].rank("dense").to_numpy().astype(np.int64)
    before = pairs.select(names).to_numpy().astype(np.float64)
    after = pairs.select(f"{name}:new" for name in names).to_numpy().astype(np.float64)
    owners = [shown_system(row) for row in pairs.select(SYSTEM_KEY).iter_rows()]
    apart = pairs["system"].is_in(list(without or ())).to_numpy()
    wanted = [*([] if without is None or apart.all() else [ALL_SYSTEMS]), *dict.fromkeys(owners)]
    rows: list[dict[str, Any]] = []
    for done, group in enumerate(wanted):
        if progress:
            progress(f"{kind}s of {group}", done, len(wanted))
        here = ~apart if group == ALL_SYSTEMS else np.array([owner == group for owner in owners])
        found = paired_differences(before[here], after[here], dialogue[here], **drawn)
        for k, name in enumerate(names):
            numbers = {
                "first": found.first[k],
                "second": found.second[k],
                "difference": found.difference[k],
                "low": found.low[k],
                "high": found.high[k],
                "p_value": found.p_value[k],
                "p_floor": found.floors[k],
            }
            rows.append(
                {
                    "kind": kind,
                    "name": name,
                    "direction": directions[name],
                    "system": group,
                    "dialogues": int(found.dialogues[k]),
                    "summaries": int(found.items[k]),
                    **{key: None if np.isnan(value) else float(value) for key, value in numbers.items()},
                }
            )
    return rows


def _system_rows(old: Side, new: Side, overlap: Overlap) -> list[dict[str, Any]]:
    """Metrics of the system level have one value per system: there is a difference, and nothing to test it with."""
    if not overlap.system_metrics:
        return []
    joined = old.scores.systems.join(
        new.scores.systems, on=list(SYSTEM_KEY), how="inner", suffix=":new", maintain_order="left"
    )
    return [
        {
            "kind": "metric",
            "name": name,
            "direction": overlap.directions[name],
            "system": shown_system([row[part] for part in SYSTEM_KEY]),
            "first": row[name],
            "second": row[f"{name}:new"],
            "difference": None if None in (row[name], row[f"{name}:new"]) else row[f"{name}:new"] - row[name],
        }
        for name in overlap.system_metrics
        for row in joined.iter_rows(named=True)
        if tuple(row[part] for part in SYSTEM_KEY) in overlap.complete
    ]


def _judged(
    changes: pl.DataFrame, other_ruler: set[tuple[str, str]], correction: Correction, alpha: float
) -> pl.DataFrame:
    """Correct the p-values and add verdicts. A changed metric gives no verdict on quality."""
    together = (changes["system"] == ALL_SYSTEMS).to_numpy()
    p_values = changes["p_value"].to_numpy().astype(np.float64)
    corrected = np.full(len(p_values), np.nan)
    for part in (together, ~together):
        corrected[part] = adjust_p_values(p_values[part].tolist(), correction)
    verdicts = [
        _verdict(row | ({"direction": "none"} if (row["kind"], row["name"]) in other_ruler else {}), p, alpha)
        for row, p in zip(changes.iter_rows(named=True), corrected.tolist(), strict=True)
    ]
    return changes.with_columns(
        pl.Series("p_corrected", corrected, dtype=pl.Float64).fill_nan(None),
        pl.Series("verdict", verdicts, dtype=pl.String),
    )


def _verdict(row: Mapping[str, Any], p: float, alpha: float) -> str:
    if row["difference"] is None:
        return "no value"
    if unchanged(row):
        return "same"
    if row["p_value"] is None:
        return "not tested"
    if not p <= alpha:
        return "no difference shown"
    return quality(row["direction"], row["difference"])


def unchanged(row: Mapping[str, Any]) -> bool:
    """Whether the mean is what it was, but for the last digits."""
    return bool(abs(row["difference"]) <= EQUAL * max(1.0, abs(row["first"])))


def quality(direction: str, difference: float) -> str:
    """What a difference means: better or worse, or only higher or lower where a metric does not judge."""
    if direction == "none":
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (direction == "higher") else "worse"


def _judgement_notes(changes: pl.DataFrame, overlap: Overlap) -> list[str]:
    moved = changes.filter(pl.col("verdict") != "same", kind="dimension")
    if overlap.texts_changed or moved.is_empty():
        return []
    return [
        "the texts are the same in both runs: differences in ratings come from different judgements, not different "
        "summaries"
    ]


def _floor_notes(changes: pl.DataFrame, alpha: float) -> list[str]:
    """Notes on tables in which no difference, however large, could be significant."""
    notes = []
    for name, part in (
        ("all systems together", changes.filter(system=ALL_SYSTEMS)),
        ("single systems", changes.filter(pl.col("system") != ALL_SYSTEMS)),
    ):
        tested = part.filter(pl.col("p_value").is_not_null())
        least = tested["p_floor"].min()
        if isinstance(least, float) and least * tested.height > alpha:
            notes.append(
                f"{name}: after correction for {tested.height} tests no difference can be significant with this few "
                "dialogues; look at the intervals"
            )
    return notes


def parse_names(options: list[str], first: FinishedRun, second: FinishedRun) -> dict[str, str]:
    """``NEW=OLD`` options as a mapping. Names may hold ``=`` themselves, so they are cut where both sides are known."""
    if not options:
        return {}
    new, old = ([*side.all_systems, *side.all_metrics] for side in (Side.read(second), Side.read(first)))
    found: dict[str, str] = {}
    for option in options:
        pieces = option.split("=")
        cuts = [("=".join(pieces[:i]).strip(), "=".join(pieces[i:]).strip()) for i in range(1, len(pieces))]
        if not cuts or not all(cuts[0]):
            raise InputError(f"--map {option!r}: write it as NEW=OLD, names of a system or metric in either run")
        name, other = next((cut for cut in cuts if cut[0] in new and cut[1] in old), cuts[0])
        if name in found:
            raise InputError(f"--map {option!r}: {name!r} is mapped already, to {found[name]!r}")
        found[name] = other
    return found
