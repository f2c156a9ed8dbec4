"""Tables for papers from a finished run. Nothing is computed again: a table shows what the run saved."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.study._finished import FinishedRun
from dialgauge.study._graph import all_stages
from dialgauge.study._stage import TableKind

if TYPE_CHECKING:
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


def table_kinds() -> dict[str, TableKind]:
    """What :func:`publication_table` can make: the tables of all declared stages, by name."""
    return {kind.name: kind for stage in all_stages() for kind in stage.tables}


def publication_table(run: FinishedRun | Path | str, kind: str, options: TableOptions | None = None) -> "Table":
    """A table of a finished run; ``kind`` is one of :func:`table_kinds`."""
    kinds = table_kinds()
    if kind not in kinds:
        raise UnknownNameError("kind of table", kind, kinds)
    given = (options or TableOptions()).given()
    for name in given:
        if name not in kinds[kind].options:
            has = ", ".join(_SHOWN.get(one, one) for one in kinds[kind].options)
            raise InputError(f"a table of {kind} has no option {_SHOWN.get(name, name)!r}; its options are {has}")
    if not 0 <= given.get("digits", 0) <= 10:
        raise InputError(f"digits must be between 0 and 10; got {given['digits']}")
    if given.get("best", 0) < 0:
        raise InputError(f"best must be 0 (nothing bold) or more; got {given['best']}")
    return kinds[kind].make(run if isinstance(run, FinishedRun) else FinishedRun.open(run), **given)
