"""Records that list their summaries and who preferred which of them, as rows of comparisons."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_person, normalised
from dialgauge.corpus._shapes import hold_summaries

#: Under which names objects say which summary is better.
_WINNERS = frozenset({"winner", "preferred", "preference", "chosen", "better", "better_system", "choice", "vote"})
#: What they say where none is.
_TIES = frozenset({"tie", "same", "equal", "both", "neither", "draw"})
Rows = list[dict[str, Any]]


def pairs_in(record: Mapping[str, Any]) -> Rows | None:
    """The comparisons in a record with two summaries, a row each with both of them; None where it has none."""
    found = next((key for key, value in record.items() if hold_summaries(value)), None)
    if found is None:
        return None
    sides = _sides(record[found])
    if len(sides) != 2:
        return None
    judged = next((key for key, value in record.items() if key != found and _compare(value, set(sides))), None)
    if judged is None:
        return None
    rest = {key: value for key, value in record.items() if key not in (found, judged)}
    (first, one), (second, other) = sides.items()
    shown = {"model_a": first, "model_b": second, "summary_a": one, "summary_b": other}
    return [{**rest, **shown, **_named(item)} for item in record[judged]]


def _sides(value: Any) -> dict[str, str]:
    """The text of each system."""
    items: Sequence[Mapping[str, Any]] = (
        [{"system": name, **item} for name, item in value.items()] if isinstance(value, Mapping) else value
    )
    sides = {}
    for item in items:
        system = next((item[key] for key in item if normalised(key) in {*USES["system"], "name"}), None)
        text = next((item[key] for key in item if normalised(key) in {*USES["summary"], "text"}), None)
        if system is not None and isinstance(text, str):
            sides[str(system)] = text
    return sides


def _compare(value: Any, systems: set[str]) -> bool:
    """Whether every object of a list names a person and the better of these systems, and judges nothing else."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and any(is_person(normalised(key)) for key in item)
            and any(
                normalised(key) in _WINNERS and (str(item[key]) in systems or str(item[key]).lower() in _TIES)
                for key in item
            )
            for item in value
        )
    )


def _named(item: Mapping[str, Any]) -> dict[str, Any]:
    return {("winner" if normalised(key) in _WINNERS else key): value for key, value in item.items()}
