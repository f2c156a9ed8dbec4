"""Tables for papers from a finished run. Nothing is computed again: a table shows what the run saved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.report import (
    affect_table,
    agreement_table,
    correlation_table,
    learned_table,
    perturbation_table,
    perturbed_correlation_table,
    reproduction_table,
    robustness_table,
    system_table,
)
from dialgauge.study._finished import FinishedRun
from dialgauge.tables import Table

#: Options that the command line calls otherwise.
_SHOWN = {"side": "role"}


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a table shows. None stands for what suits the kind of table; an option that a kind does not have is refused.

    ``metrics`` in their order, ``coefficient`` of correlations, ``level`` of learned metrics, ``side`` (a role) of
    affect, how many of the ``best`` are bold, and how many ``digits`` come after the point.
    """

    metrics: tuple[str, ...] = ()
    coefficient: str | None = None
    level: str | None = None
    side: str | None = None
    best: int | None = None
    digits: int | None = None

    def given(self) -> dict[str, Any]:
        """The options that were given."""
        found = {name: getattr(self, name) for name in ("coefficient", "level", "side", "best", "digits")}
        return {name: value for name, value in found.items() if value is not None} | (
            {"metrics": self.metrics} if self.metrics else {}
        )


def publication_table(run: FinishedRun | Path | str, kind: str, options: TableOptions | None = None) -> Table:
    """A table of a finished run; ``kind`` is one of :data:`TABLE_KINDS`."""
    if kind not in TABLE_KINDS:
        raise UnknownNameError("kind of table", kind, TABLE_KINDS)
    given = (options or TableOptions()).given()
    make, allowed = TABLE_KINDS[kind]
    for name in given:
        if name not in allowed:
            has = ", ".join(_SHOWN.get(one, one) for one in allowed)
            raise InputError(f"a table of {kind} has no option {_SHOWN.get(name, name)!r}; it has {has}")
    if not 0 <= given.get("digits", 0) <= 10:
        raise InputError(f"digits must be between 0 and 10; got {given['digits']}")
    if given.get("best", 0) < 0:
        raise InputError(f"best must be 0 (nothing bold) or more; got {given['best']}")
    return make(run if isinstance(run, FinishedRun) else FinishedRun.open(run), given)


def _needed(run: FinishedRun, name: str, section: str) -> pl.DataFrame:
    found = run.table(name)
    if found is None:
        raise InputError(f"{run.folder}: the run has no {name}.parquet; {section}")
    return found


_RATED = "that needs a corpus with ratings"
_PERTURBED = "that needs [perturbations] in the study file"


def _correlations(run: FinishedRun, given: dict[str, Any]) -> Table:
    return correlation_table(_needed(run, "correlations", _RATED), **given)


def _systems(run: FinishedRun, given: dict[str, Any]) -> Table:
    return system_table(run.table("ratings"), run.scores, **given)


def _agreement(run: FinishedRun, given: dict[str, Any]) -> Table:
    return agreement_table(
        _needed(run, "agreement", _RATED),
        removed=int(run.stage("correlations").get("ratings_removed_as_noise", 0)),
        cleaning=run.setting("correlations", "ratings", "clean") or "none",
        **given,
    )


def _robustness(run: FinishedRun, given: dict[str, Any]) -> Table:
    return robustness_table(_needed(run, "robustness", _PERTURBED), **given)


def _perturbations(run: FinishedRun, given: dict[str, Any]) -> Table:
    return perturbation_table(_needed(run, "robustness-changes", _PERTURBED), **given)


def _perturbed(run: FinishedRun, given: dict[str, Any]) -> Table:
    return perturbed_correlation_table(_needed(run, "robustness-correlations", _PERTURBED), **given)


def _affect(run: FinishedRun, given: dict[str, Any]) -> Table:
    return affect_table(_needed(run, "psentscore", "that needs [affect] in the study file"), run.scores, **given)


def _learned(run: FinishedRun, given: dict[str, Any]) -> Table:
    found: Sequence[dict[str, Any]] | None = run.document("learned.json")
    if found is None:
        raise InputError(f"{run.folder}: the run has no learned.json; that needs [learn] in the study file")
    return learned_table(found, **given)


def _reproduction(run: FinishedRun, given: dict[str, Any]) -> Table:
    found = _needed(run, "reproduction", "that needs [reproduction] in the study file")
    first, second = (study["name"] for study in run.document("reproduction.json")["studies"])
    return reproduction_table(found, (first, second), **given)


#: What makes each kind of table, and its options.
TABLE_KINDS: dict[str, tuple[Callable[[FinishedRun, dict[str, Any]], Table], tuple[str, ...]]] = {
    "correlations": (_correlations, ("metrics", "coefficient", "best", "digits")),
    "systems": (_systems, ("metrics", "best", "digits")),
    "agreement": (_agreement, ("digits",)),
    "robustness": (_robustness, ("metrics", "best", "digits")),
    "perturbations": (_perturbations, ("metrics", "digits")),
    "perturbed-correlations": (_perturbed, ("metrics", "digits")),
    "affect": (_affect, ("metrics", "side", "best", "digits")),
    "learned": (_learned, ("level", "digits")),
    "reproduction": (_reproduction, ("digits",)),
}
