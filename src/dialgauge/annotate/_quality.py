"""How each annotator works: speed, answers that are always the same, answers that were copied, drift, outliers.

What is noted here is a reason to look, not a verdict. Thresholds are relative to the other annotators: in a study in
which nearly everything is good, many give the same answer all the time, and rightly.
"""

from collections import Counter
from itertools import groupby
from statistics import median
from typing import Any

import numpy as np
from sqlalchemy.engine import Connection

from dialgauge.annotate._desk import Desk
from dialgauge.annotate._tally import Answered, PersonTally
from dialgauge.arrays import FloatArray, IntArray
from dialgauge.ratings import drift

#: Fewer complete items than this say nothing about how somebody works.
_FEWEST = 10
#: Median time below this share of the others' median: too fast to have read.
_TOO_FAST = 0.33
#: The share of items with one and the same answer that is noted, and by how much it must be above the others'.
_SAME, _SAME_ABOVE = 0.8, 0.3
#: Two annotators with equal answers on this share of common items are noted where chance makes it this unlikely.
_COPIED, _COPIED_SIGMA = 0.9, 5.0
#: Answers are compared for this many annotators at most, those with the most answers.
_MOST_COMPARED = 300


def quality_view(connection: Connection, desk: Desk) -> dict[str, Any]:
    """What there is to look at, per annotator."""
    people = {number: _real(desk.tally.people[number]) for number in desk.names if number in desk.tally.people}
    return {
        "annotators": desk.once("habits", lambda: _habits(people, desk.names)),
        "copied": desk.seldom("copied", lambda: _copied(people, desk.names)),
        "outliers": desk.outliers(connection),
        "drift": desk.seldom("drift", lambda: _drift(desk)),
    }


def _real(person: PersonTally) -> list[Answered]:
    """Complete answers to real items in the order in which they were given."""
    real = (one for one in person.answers.values() if one.complete and one.purpose == "main")
    return sorted(real, key=lambda one: (one.saved, one.id))


def _habits(people: dict[int, list[Answered]], names: dict[int, str]) -> list[dict[str, Any]]:
    rows = [_habit(names[number], answers) for number, answers in people.items() if answers]
    enough = [row for row in rows if row["items"] >= _FEWEST]
    for row in enough:
        others = [other for other in enough if other is not row]
        if len(others) < 2:
            continue
        times = [other["median_ms"] for other in others if other["median_ms"]]
        usual = median(other["same_share"] for other in others)
        run = median(other["longest_run"] for other in others)
        row["too_fast"] = bool(times and row["median_ms"] and row["median_ms"] < _TOO_FAST * median(times))
        always = row["same_share"] >= _SAME and row["same_share"] >= usual + _SAME_ABOVE
        row["same_answers"] = always or row["longest_run"] >= max(_FEWEST, 3 * run)
    return rows


def _habit(name: str, answers: list[Answered]) -> dict[str, Any]:
    given = [one.given for one in answers]
    times = [one.active_ms for one in answers if one.active_ms]
    commonest = Counter(given).most_common(1)[0][1]
    return {
        "annotator": name,
        "items": len(answers),
        "median_ms": round(median(times)) if times else None,
        "fastest_ms": min(times, default=None),
        "same_share": commonest / len(given),
        "longest_run": max(len(list(run)) for _, run in groupby(given)),
        "too_fast": False,
        "same_answers": False,
    }


def _copied(people: dict[int, list[Answered]], names: dict[int, str]) -> list[dict[str, Any]]:
    """Pairs whose answers are equal far more often than each one's are with the others."""
    chosen = sorted(people, key=lambda number: -len(people[number]))[:_MOST_COMPARED]
    codes: dict[str, int] = {}
    items: dict[int, int] = {}
    rows, columns, values = [], [], []
    for column, number in enumerate(chosen):
        for one in people[number]:
            rows.append(items.setdefault(one.item, len(items)))
            columns.append(column)
            values.append(codes.setdefault(one.given, len(codes)))
    if len(chosen) < 4 or not rows:
        return []
    given = np.full((len(items), len(chosen)), -1, dtype=np.int64)
    given[rows, columns] = values
    shared, equal = _equal_answers(given)
    return _striking(shared, equal, [names[number] for number in chosen])


def _equal_answers(given: IntArray) -> tuple[FloatArray, FloatArray]:
    """For each two annotators the items that both answered, and those that both answered alike."""
    have = (given >= 0).astype(np.float32)
    equal = np.zeros((given.shape[1],) * 2)
    for start in range(0, len(given), 256):
        block = given[start : start + 256]
        for answer in np.unique(block[block >= 0]):
            chose = (block == answer).astype(np.float32)
            equal += chose.T @ chose
    return np.asarray(have.T @ have, dtype=np.float64), equal


def _striking(shared: FloatArray, equal: FloatArray, names: list[str]) -> list[dict[str, Any]]:
    np.fill_diagonal(shared, 0)
    np.fill_diagonal(equal, 0)
    met, alike = shared.sum(axis=1), equal.sum(axis=1)
    found = []
    for first, second in zip(*np.nonzero(np.triu(shared >= _FEWEST)), strict=True):
        n, share = shared[first, second], equal[first, second] / shared[first, second]
        rest = met[first] + met[second] - 2 * n
        if share < _COPIED or rest < _FEWEST:
            continue
        # One equal answer is added to either side, so that a rate of 0 or 1 has a spread.
        usual = (alike[first] + alike[second] - 2 * equal[first, second] + 1) / (rest + 2)
        if (share - usual) * np.sqrt(n / (usual * (1 - usual))) >= _COPIED_SIGMA:
            pair = {"annotators": [names[first], names[second]], "items": int(n)}
            found.append({**pair, "equal": float(share), "usual": float(usual)})
    return sorted(found, key=lambda row: -row["equal"])


def _drift(desk: Desk) -> list[dict[str, Any]]:
    timed = desk.timed_ratings()
    if timed["annotator"].n_unique() < 2:
        return []
    columns = ("annotator", "dimension", "change", "low", "high", "adjusted_p", "drifts", "note")
    nominal = [one.name for one in desk.project.section.dimensions if one.kind == "nominal"]
    return drift(timed, nominal=nominal).trends.select(columns).to_dicts()
