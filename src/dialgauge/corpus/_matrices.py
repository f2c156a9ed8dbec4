"""Matrices of scores in nested files, whose rows and columns are people and criteria that the file names once."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import QUESTIONS, USES, is_person, normalised

#: What the criteria of all matrices are called, beside the names of a dimension.
_CRITERIA = frozenset({*USES["dimension"], *QUESTIONS, "criterion"})
_FEWEST = 2


def with_named_scores(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The object with every matrix of scores as a list of the answers of each person; as it is without such names."""
    people = _names(whole, lambda name: is_person(name) or is_person(name.removesuffix("s")))
    criteria = _names(whole, lambda name: bool({name, name.removesuffix("s")} & _CRITERIA))
    if len(people) != 1 or len(criteria) != 1:
        return dict(whole)
    (who,), (what,) = people, criteria
    told = [key for key, value in whole.items() if normalised(key) in USES["scale"] and isinstance(value, Mapping)]
    axes = _Axes(whole[who], whole[what], whole[told[0]] if told else {})
    rest = {key: value for key, value in whole.items() if key not in (who, what)}
    if not axes.fit_in(rest) or {who, what} & _keys(rest):  # what is inside may have an order of its own
        return dict(whole)
    return {key: axes.with_names(value) for key, value in whole.items() if key not in (who, what, *told)}


def _keys(value: Any) -> set[str]:
    """All keys inside a value."""
    if isinstance(value, Mapping):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def _names(whole: Mapping[str, Any], are: Any) -> list[str]:
    """The keys of lists of different texts that are called so."""
    return [
        key
        for key, value in whole.items()
        if isinstance(value, list)
        and len(value) >= _FEWEST
        and all(isinstance(one, str) for one in value)
        and len(set(value)) == len(value)
        and are(normalised(key))
    ]


class _Axes:
    def __init__(self, people: Sequence[str], criteria: Sequence[str], scale: Mapping[str, Any]) -> None:
        self.people, self.criteria = people, criteria
        self.missing = scale.get("missing")
        ends = (scale.get("min"), scale.get("max"))
        self.scale = f"{ends[0]}-{ends[1]}" if all(isinstance(end, int) for end in ends) else None

    def fit_in(self, value: Any) -> bool:
        """Whether a matrix of this shape is somewhere inside; of as many people as criteria, nobody could tell."""
        if self.is_matrix(value):
            return len(self.people) != len(self.criteria)
        inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        return any(map(self.fit_in, inner))

    def is_matrix(self, value: Any) -> bool:
        """Whether this has a row for each person and a number for each criterion; a row may be empty."""
        rows = value if isinstance(value, list) and len(value) == len(self.people) else []
        return any(rows) and all(
            isinstance(row, list)
            and len(row) in (0, len(self.criteria))
            and all(one is None or isinstance(one, bool | int | float) for one in row)
            for row in rows
        )

    def with_names(self, value: Any) -> Any:
        """The value with the answers of each person in the place of a matrix."""
        if self.is_matrix(value):
            return [
                {"annotator": who, **({"scale": self.scale} if self.scale else {}), **dict(self._given(row))}
                for who, row in zip(self.people, value, strict=True)
                if row
            ]
        if isinstance(value, Mapping):
            return {key: self.with_names(inner) for key, inner in value.items()}
        return [self.with_names(inner) for inner in value] if isinstance(value, list) else value

    def _given(self, row: Sequence[Any]) -> list[tuple[str, Any]]:
        answers = [None if one == self.missing else one for one in row]
        return list(zip(self.criteria, answers, strict=True))
