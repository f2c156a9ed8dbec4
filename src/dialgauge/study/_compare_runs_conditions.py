"""Conditions on two runs, for release gates: ``consistency drops``, ``rouge-l worsens by 0.02 for v2``.

The grammar, on one line::

    NAME drops|rises|changes|worsens|improves [by NUMBER] [significantly|at all] [for SYSTEM|any system]

NAME is a metric, a dimension, ``any metric``, ``any dimension`` or ``anything``; ``metric NAME`` and ``dimension NAME``
distinguish two of the same name. ``summaries missing`` holds if the second run lacks summaries that the first has.
``verdict for DIMENSION weakens`` (or ``improves``, ``changes``) is about the best verdict of a dimension, and
``verdict of METRIC for DIMENSION weakens`` about one metric; DIMENSION may be ``any dimension``.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import polars as pl

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import adjust_p_values
from dialgauge.study._compare_runs import ALL_SYSTEMS, RunComparison, quality, unchanged
from dialgauge.study._compare_runs_verdicts import BEST

Verb = Literal["drops", "rises", "changes", "worsens", "improves", "missing", "weakens"]
VERBS: tuple[Verb, ...] = tuple(verb for verb in get_args(Verb) if verb not in ("missing", "weakens"))
_SHAPE = "NAME drops|rises|changes|worsens|improves [by NUMBER] [at all] [for SYSTEM], or: summaries missing, or: "
_SHAPE += "verdict [of METRIC] for DIMENSION weakens|improves|changes"
_VERDICT = re.compile(
    r"verdict(?: of (?P<metric>\S+))? for (?P<dimension>\S.*?) (?P<verb>weakens|worsens|improves|changes)"
)
_MISSING = re.compile(r"summaries (?:are )?missing")
_WHOLE = re.compile(
    rf"(?P<name>\S.*?)\s+(?P<verb>{'|'.join(VERBS)})(?:\s+by\s+(?P<amount>\S+))?"
    r"(?:\s+(?P<how>significantly|at\s+all))?(?:\s+for\s+(?P<system>\S.*))?"
)
#: Collective names, and the kinds that they stand for.
_ANY = {"any metric": ("metric",), "any dimension": ("dimension",), "anything": ("metric", "dimension")}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as it was written, and its parts. ``system`` None stands for all systems together.

    A condition on a verdict has a ``dimension``, and a ``metric`` or None for the best one.
    """

    text: str
    name: str
    verb: Verb
    amount: float = 0.0
    at_all: bool = False
    system: str | None = None
    metric: str | None = None
    dimension: str | None = None

    @property
    def collective(self) -> bool:
        """Whether it is about any of many."""
        return self.name in _ANY


@dataclass(frozen=True, slots=True)
class Checked:
    """A condition checked on two runs: the changes that meet it (none if it does not hold), also as sentences."""

    condition: Condition
    looked_at: int
    findings: tuple[Mapping[str, Any], ...]
    sentences: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether it holds, which is what a gate fails on."""
        return bool(self.findings)


def parse_condition(text: str) -> Condition:
    """Read a condition; an error says what is allowed."""
    words = " ".join(text.split())
    if _MISSING.fullmatch(words):
        return Condition(words, "summaries", "missing", at_all=True)
    about = _VERDICT.fullmatch(words)
    if about:
        given = "weakens" if about["verb"] == "worsens" else about["verb"]
        moved = next(verb for verb in get_args(Verb) if verb == given)
        return Condition(words, "verdict", moved, at_all=True, metric=about["metric"], dimension=about["dimension"])
    found = _WHOLE.fullmatch(words)
    if not found:
        raise InputError(f"--fail-if {text!r}: {_what_is_wrong(words)}; write it as {_SHAPE}")
    amount = 0.0
    if found["amount"] is not None:
        try:
            amount = float(found["amount"])
        except ValueError:
            amount = math.nan
        if not 0 < amount < math.inf:
            raise InputError(f"--fail-if {text!r}: 'by' needs a number above 0; got {found['amount']!r}")
    verb = next(one for one in VERBS if one == found["verb"])
    at_all = (found["how"] or "").startswith("at")
    return Condition(words, found["name"], verb, amount, at_all, found["system"])


def _what_is_wrong(words: str) -> str:
    verbs = [word for word in words.split()[1:] if word in VERBS]
    if verbs:
        return f"the text after {verbs[0]!r} is not valid"
    for word in words.split()[1:]:
        error = UnknownNameError("verb", word, VERBS)
        if "did you mean" in str(error):
            return str(error).rstrip("?")
    return f"it has none of the verbs {', '.join(VERBS)}"


def check_conditions(comparison: RunComparison, conditions: Sequence[str | Condition]) -> list[Checked]:
    """Check conditions on two runs.

    Where a condition does not say ``at all``, the change must be significant. The p-values are corrected for the tests
    that these conditions use, all conditions together: other tests cost no power. Names that are not
    in both runs, and conditions that can never be met, are errors.
    """
    parsed = [parse_condition(one) if isinstance(one, str) else one for one in conditions]
    chosen = [_rows(comparison, condition) for condition in parsed]
    tested = {
        (row["kind"], row["name"], row["system"]): row["p_value"]
        for condition, rows in zip(parsed, chosen, strict=True)
        if not condition.at_all
        for row in rows
    }
    settings = comparison.settings
    corrected = dict(zip(tested, adjust_p_values(list(tested.values()), settings["correction"]), strict=True))
    checked = []
    for condition, rows in zip(parsed, chosen, strict=True):
        if not condition.at_all:
            _check_reachable(condition, rows, len(tested), settings)
        findings = []
        for row in rows:
            p = None if condition.at_all else float(corrected[row["kind"], row["name"], row["system"]])
            if _holds(condition, row) and (p is None or p <= settings["alpha"]):
                findings.append({**row, "p_corrected": p})
        sentences = tuple(_sentence(row, comparison) for row in findings)
        if condition.verb == "missing":
            findings, sentences = _missing(comparison)
        if condition.dimension is not None:
            findings, sentences = _verdicts(comparison, condition)
        checked.append(Checked(condition, len(rows), tuple(findings), sentences))
    return checked


def _rows(comparison: RunComparison, condition: Condition) -> list[dict[str, Any]]:
    """The changes that a condition looks at."""
    if condition.verb == "missing" or condition.dimension is not None:
        return []
    changes = _of_systems(comparison, condition)
    if condition.collective:
        rows = changes.filter(pl.col("kind").is_in(_ANY[condition.name]), pl.col("difference").is_not_null())
        if condition.verb != "changes":
            rows = rows.filter(pl.col("direction") != "none")
        if not condition.at_all:
            rows = rows.filter(pl.col("p_value").is_not_null())
        if rows.is_empty():
            raise InputError(f"--fail-if {condition.text!r}: nothing in both runs can be tested")
        return rows.to_dicts()
    kind, name = _named(comparison, condition)
    rows = changes.filter(pl.col("difference").is_not_null(), kind=kind, name=name)
    if rows.is_empty():
        raise InputError(f"--fail-if {condition.text!r}: {name} has no value in both runs for the same summary")
    if condition.verb in ("worsens", "improves") and rows["direction"][0] == "none":
        raise InputError(
            f"--fail-if {condition.text!r}: {name} has no direction (higher or lower is better); use drops, rises or "
            "changes"
        )
    if not condition.at_all and rows["p_value"].null_count():
        raise InputError(
            f"--fail-if {condition.text!r}: {name} has one value per system, so nothing can be tested; write "
            f"'{name} {condition.verb} at all'"
        )
    return rows.to_dicts()


def _missing(comparison: RunComparison) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """What only the first run has, as findings and in words."""
    only = comparison.overlap.only_first
    found = [{"kind": kind, "name": name} for kind in ("dialogues", "summaries") for name in only[kind]]
    counts = [(kind, only[kind]) for kind in ("dialogues", "summaries") if only[kind]]
    return found, tuple(
        f"{len(names)} {kind} are not in the second run: {', '.join(names[:3])}{' …' if len(names) > 3 else ''}"
        for kind, names in counts
    )


def _verdicts(comparison: RunComparison, condition: Condition) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The verdicts that a condition speaks of and that moved as it says. Nothing here is tested."""
    where = f"--fail-if {condition.text!r}"
    if comparison.verdicts.is_empty():
        raise InputError(
            f"{where}: not both runs have a verdict; they need ratings, and 'dialgauge run' of this version"
        )
    rows = comparison.verdicts.filter(pl.col("metric") == (condition.metric or BEST))
    if rows.is_empty():
        raise UnknownNameError(
            "metric with a verdict in both runs", str(condition.metric), comparison.overlap.metrics, where
        )
    if condition.dimension != "any dimension":
        known = comparison.verdicts["dimension"].unique(maintain_order=True).to_list()
        if condition.dimension not in known:
            raise UnknownNameError("dimension in both runs", str(condition.dimension), known, where)
        rows = rows.filter(dimension=condition.dimension)
    wanted = ("weakens", "improves") if condition.verb == "changes" else (condition.verb,)
    found = rows.filter(pl.col("change").is_in(wanted)).to_dicts()
    return found, tuple(
        f"{row['metric']} for {row['dimension']}: {row['first']} → {row['second']} (p {row['p_first'] or 1:.2g} → "
        f"{row['p_second'] or 1:.2g}; {row['reasons_second'] or 'no reason against it'})"
        for row in found
    )


def _of_systems(comparison: RunComparison, condition: Condition) -> pl.DataFrame:
    systems = comparison.systems
    if condition.system is None:
        # What has one value per system has no row for all of them together.
        whole = comparison.changes.filter(pl.col("p_value").is_null(), pl.col("summaries").is_null())
        return pl.concat([comparison.together.filter(pl.col("summaries").is_not_null()), whole])
    if condition.system == "any system":
        return comparison.changes.filter(pl.col("system") != ALL_SYSTEMS)
    if condition.system not in systems:
        raise UnknownNameError("system in both runs", condition.system, systems, f"--fail-if {condition.text!r}")
    return comparison.changes.filter(system=condition.system)


def _named(comparison: RunComparison, condition: Condition) -> tuple[str, str]:
    """The kind and name that a condition speaks of."""
    overlap = comparison.overlap
    known = {"metric": [*overlap.metrics, *overlap.system_metrics], "dimension": overlap.dimensions}
    first, _, rest = condition.name.partition(" ")
    if first in known and rest:
        kinds, name = [first], rest
    else:
        kinds, name = list(known), condition.name
    found = [kind for kind in kinds if name in known[kind]]
    if len(found) > 1:
        raise InputError(
            f"--fail-if {condition.text!r}: {name} is a metric and a dimension; write 'metric {name}' or "
            f"'dimension {name}'"
        )
    if found:
        return found[0], name
    for run, only in ((comparison.first, overlap.only_first), (comparison.second, overlap.only_second)):
        if any(name in only[f"{kind}s"] for kind in kinds):
            raise InputError(f"--fail-if {condition.text!r}: {name} is in {run.folder} only, so it cannot be compared")
    names = [one for kind in kinds for one in known[kind]] + list(_ANY)
    raise UnknownNameError("metric or dimension in both runs", name, names, f"--fail-if {condition.text!r}")


def _check_reachable(
    condition: Condition, rows: Sequence[Mapping[str, Any]], tests: int, settings: Mapping[str, Any]
) -> None:
    least = min(row["p_floor"] for row in rows)
    if least * tests > settings["alpha"]:
        raise InputError(
            f"--fail-if {condition.text!r}: can never be met: {max(row['dialogues'] for row in rows)} dialogues give "
            f"no p below {least:.2g}, which {tests} tests raise above {settings['alpha']:g}; use more dialogues, "
            "fewer conditions, or write 'at all'"
        )


def _holds(condition: Condition, row: Mapping[str, Any]) -> bool:
    if unchanged(row):
        return False
    difference, verb = row["difference"], condition.verb
    if condition.collective and verb in ("drops", "rises"):
        # Metrics of both directions under one verb: what is meant is their quality.
        verb = "worsens" if verb == "drops" else "improves"
    wanted = {
        "changes": True,
        "missing": False,
        "weakens": False,
        "drops": difference < 0,
        "rises": difference > 0,
        "worsens": quality(row["direction"], difference) == "worse",
        "improves": quality(row["direction"], difference) == "better",
    }[verb]
    return bool(wanted) and abs(float(difference)) >= condition.amount * (1 - 1e-12)


def _sentence(row: Mapping[str, Any], comparison: RunComparison) -> str:
    where = f" ({row['system']})" if len(comparison.systems) > 1 else ""
    text = f"{row['name']}{where}: {row['first']:.4g} → {row['second']:.4g}, {row['difference']:+.4g}"
    if row["low"] is not None and row["high"] is not None:
        text += f" [{row['low']:+.4g}, {row['high']:+.4g}]"
    if row["p_corrected"] is not None:
        text += f", p = {row['p_corrected']:.2g}"
    meaning = quality(row["direction"], row["difference"])
    if meaning in ("better", "worse"):
        text += f": {meaning}"
    if row["kind"] == "metric" and row["name"] in set(comparison.signatures["metric"]):
        text += " (different version of the metric)"
    return text
