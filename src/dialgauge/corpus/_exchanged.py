"""Whether the values of a field make a difference: they are exchanged for each other, and the file is read again."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from dialgauge.corpus._account import MOST_LEFT_OUT
from dialgauge.corpus._assemble import Parts, RatingParts
from dialgauge.corpus._fields import Field, changed, leaves_of
from dialgauge.corpus._look_alikes import says_judged
from dialgauge.corpus._nowhere import Nowhere, as_nowhere
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import MOSTLY, Reading
from dialgauge.errors import InputError

#: What was read from a file.
Read = Parts | RatingParts
JUDGED = ("ratings", "preferences", "choices", "spans")
#: Files with more rows than this are asked by their first rows, and by some of every field that those do not fill; of
#: records in which much is nested, by fewer.
ASKED_ROWS = 300
_FEWEST_RECORDS, _ASKED_LEAVES = 30, 20_000
_OF_EACH = 10
#: More fields than this are exchanged in groups.
_MOST_PROBES = 40
#: What one question of a choice among several options has in common.
_QUESTION = ("dialogue_id", "role", "tuple", "annotator", "dimension")


def asked_rows(raw: Table) -> Table:
    """The rows that are asked: the first ones, and some of every field that these do not fill."""
    if raw.records is None:
        if raw.frame.height <= ASKED_ROWS:
            return raw
        numbered = raw.frame.with_row_index("_row")
        rows = set(range(ASKED_ROWS))
        for column in raw.frame.columns:
            if numbered[column].head(ASKED_ROWS).null_count() == ASKED_ROWS:
                rows |= set(numbered.filter(pl.col(column).is_not_null())["_row"].head(_OF_EACH))
        chosen = sorted(rows)
        return replace(
            raw, frame=raw.frame[chosen], place=lambda row: raw.place(chosen[row] if row < len(chosen) else row)
        )
    seen: dict[frozenset[str], int] = {}
    rows = set(range(_enough([record for _, record in raw.records[:ASKED_ROWS]])))
    for number, (_, record) in enumerate(raw.records):
        shape = frozenset(key for key, value in record.items() if value is not None)
        seen[shape] = seen.get(shape, 0) + 1
        if seen[shape] <= _OF_EACH:
            rows.add(number)
    if len(rows) == len(raw.records):
        return raw
    chosen = sorted(rows)
    return replace(
        raw,
        records=tuple(raw.records[row] for row in chosen),
        place=lambda row: raw.place(chosen[row] if row < len(chosen) else row),
    )


#: What tools say of answers that somebody began, or threw away.
_UNSUBMITTED = frozenset(["draft", "discarded"])


def as_submitted(raw: Table) -> Table:
    """The records without the answers that say themselves that nobody submitted them: a layout leaves these out."""
    if raw.records is None:
        return raw
    return replace(raw, records=tuple((line, _submitted(record)) for line, record in raw.records))


def _submitted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _submitted(inner) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    return [_submitted(one) for one in value if not (isinstance(one, Mapping) and _is_unsubmitted(one))]


def _is_unsubmitted(one: Mapping[str, Any]) -> bool:
    return one.get("status") in _UNSUBMITTED or one.get("was_cancelled") is True


def _enough(records: Sequence[Mapping[str, Any]]) -> int:
    """How many of the records hold as many leaves as are asked."""
    leaves = 0
    for number, record in enumerate(records, start=1):
        leaves += sum(1 for _ in leaves_of(record))
        if leaves >= _ASKED_LEAVES and number >= _FEWEST_RECORDS:
            return number
    return len(records)


def _other_values(one: Field, found: Reading) -> dict[str, Any]:
    """Each value of a field and the one that takes its place: that of the next point of the scale."""
    if found.share < MOSTLY:
        texts = list(one.counts)
        return dict(zip(texts, [*texts[1:], texts[0]], strict=True))
    points: dict[float, str] = {}
    for text, value in found.values.items():
        points.setdefault(value, text)
    order = sorted(points)
    if len(order) == 1:
        return dict.fromkeys(found.values)
    following = {value: points[order[(place + 1) % len(order)]] for place, value in enumerate(order)}
    return {text: _typed(following[value], one) for text, value in found.values.items()}


def _typed(text: str, one: Field) -> Any:
    if one.booleans:
        return text == "True"
    if not one.numbers:
        return text
    return int(text) if text.lstrip("-").isdigit() else float(text)


def unread(
    table: Table,
    judged: Mapping[str, tuple[Field, Reading]],
    before: Read,
    read: Callable[[Table], Read],
    several: Container[str],
    spare: int,
) -> list[Nowhere]:
    """The fields whose values make no difference, or another one than they should.

    A cell of those in ``several`` holds more than one judgement; ``spare`` cells are explained already.
    """
    if not judged:
        return []
    new = {path: _other_values(one, reading) for path, (one, reading) in judged.items()}
    difference = _difference(table, new, before, read)
    wanted = sum(reading.given for _, reading in judged.values())
    # A field with no more cells than are explained already may be unread though nearly all of them differ.
    hidden = any(reading.given <= spare for _, reading in judged.values())
    if difference is not None and not hidden and wanted - spare <= difference.judgements <= wanted:
        return []
    found = []
    paths = list(judged)
    size = -(-len(paths) // _MOST_PROBES)
    for start in range(0, len(paths), size):
        group = [judged[path] for path in paths[start : start + size]]
        difference = _difference(table, {one.path: new[one.path] for one, _ in group}, before, read)
        if difference is not None and _is_wrong(group, difference, spare, several):
            found += [as_nowhere(one, difference.judgements if len(group) == 1 else 0) for one, _ in group]
    return found


class _Difference(NamedTuple):
    """How many judgements differ, to how many questions, and whether anything else does.

    A choice is stored for each option: one answer changes several of them.
    """

    judgements: int
    questions: int
    elsewhere: bool


def _is_wrong(group: list[tuple[Field, Reading]], difference: _Difference, spare: int, several: Container[str]) -> bool:
    """Whether the changed judgements are too few, or too many, for the cells of a group of fields."""
    wanted = sum(reading.given for _, reading in group)
    if not difference.judgements:
        return not difference.elsewhere or any(says_judged(one) for one, _ in group)
    if any(_is_button(one) or one.path in several for one, _ in group):  # one of several buttons, or several labels
        return False
    partly = difference.judgements < wanted - spare
    return partly or (len(group) == 1 and difference.questions > (1 + MOST_LEFT_OUT) * wanted)


def _is_button(one: Field) -> bool:
    return one.booleans or {text.lower() for text in one.counts} <= {"true", "false"}


def explained(before: Read) -> int:
    """The cells of which the account says what became of them."""
    accounts = [before.account] if isinstance(before, RatingParts) else before.accounts
    return sum(
        one.merged + sum(sum(counts.values()) for counts in (one.not_given, one.left_out, one.rejected))
        for one in accounts
    )


def _difference(
    table: Table,
    new: Mapping[str, Mapping[str, Any]],
    before: Read,
    read: Callable[[Table], Read],
) -> _Difference | None:
    """What differs with other values in these fields.

    None where the file cannot be read with them: then they are not without meaning.
    """
    try:
        after = read(changed(table, new))
    except InputError:
        return None
    differing = {n: _differ(getattr(before, n), getattr(after, n)) for n in JUDGED if hasattr(before, n)}
    judgements = sum(frame.height for frame in differing.values())
    chosen = differing["choices"] if "choices" in differing else pl.DataFrame()
    questions = chosen.select(_QUESTION).n_unique() if chosen.height else 0
    rest = [name for name in ("dialogues", "summaries", "annotators") if hasattr(before, name)]
    elsewhere = any(not getattr(before, name).equals(getattr(after, name)) for name in rest)
    return _Difference(judgements, judgements - chosen.height + questions, elsewhere)


def _differ(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    shared = [column for column in before.columns if column in after.columns and column != "_row"]
    return before.join(after, on=shared, how="anti", nulls_equal=True)
