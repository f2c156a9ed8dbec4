"""All declared stages, ours and those of other packages, and the order in which they run."""

from collections import Counter
from collections.abc import Iterable, Sequence

from dialgauge.errors import DialgaugeError, UnknownNameError
from dialgauge.registry import Registry
from dialgauge.study._stage import ALL, Stage

STAGES = Registry("stage", Stage, lambda stage: type(stage).make, table=())


def all_stages() -> list[Stage]:
    """Every declared stage. What two of them declare under the same name is an error."""
    from dialgauge.study._own_stages import OWN  # which is built on this module

    STAGES.add(*OWN)
    stages = list(STAGES.all().values())
    _refuse_doubles("section", (section.key for stage in stages for section in stage.sections))
    _refuse_doubles("output", (output for stage in stages for output in stage.outputs))
    _refuse_doubles("kind of table", (kind.name for stage in stages for kind in stage.tables))
    return stages


def _refuse_doubles(what: str, names: Iterable[str]) -> None:
    double = next((name for name, count in Counter(names).items() if count > 1), None)
    if double is not None:
        raise DialgaugeError(f"two stages declare a {what} called {double!r}; rename one")


def run_order(stages: Sequence[Stage]) -> list[Stage]:
    """Each stage after its inputs; of those that can run, a quick one first, then the one that is declared first."""
    names = [stage.name for stage in stages]
    for stage in stages:
        for name in stage.inputs:
            if name != ALL and name not in names:
                raise UnknownNameError(f"input of stage {stage.name!r}", name, names)
    ordered: list[Stage] = []
    waiting = list(stages)
    while waiting:
        placed = {stage.name for stage in ordered}
        ready = [stage for stage in waiting if placed.issuperset(_needed(stage, stages))]
        if not ready:
            raise DialgaugeError(
                f"stages depend on each other in a cycle: {', '.join(stage.name for stage in waiting)}"
            )
        ordered.append(min(ready, key=lambda stage: not stage.quick))
        waiting.remove(ordered[-1])
    return ordered


def _needed(stage: Stage, stages: Sequence[Stage]) -> set[str]:
    if ALL in stage.inputs:
        return {other.name for other in stages if ALL not in other.inputs}
    return set(stage.inputs)
