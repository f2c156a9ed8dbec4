"""What a layout is, and how the readers of layouts collect rows and judgements."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._checks import key_text
from dialgauge.corpus._names import USES, is_id, is_other_id, normalised
from dialgauge.corpus._nested import to_frame
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._schema import KEY
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import turn_to_json, turns_from_json
from dialgauge.corpus._types import ORIGINAL, OVERALL, Dimension, Turn

Record = Mapping[str, Any]
Mapped = Mapping[str, str | Sequence[str]]
#: The row of a table that a further judgement comes from.
ROW = "_row"


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout: a signature on the keys of the first records, and how its records are read."""

    name: str
    title: str
    fits: Callable[[frozenset[str], Record], bool]
    read: Callable[["Builder"], None]


@dataclass(slots=True)
class Builder:
    """Collects what the reader of a layout finds: rows, judgements of other kinds, notes, and what it dropped."""

    records: Sequence[tuple[int, Record]]
    mapping: Mapped
    file: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    further: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    further_lines: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    groups: dict[str, str] = field(default_factory=dict)
    declared: list[Dimension] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    files: Mapping[int, str] = field(default_factory=dict)

    def stem(self, record: Record) -> str:
        """The name of the file that a record is in, without its suffix."""
        return Path(self.files.get(id(record), self.file)).stem

    def folder(self, record: Record) -> str:
        """The name of the folder of the file that a record is in."""
        return Path(self.files.get(id(record), self.file)).parent.name

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        """A row with a dialogue, a summary or ratings."""
        self.rows.append(dict(row))
        self.lines.append(line)

    def item(self, line: int, data: Record) -> None:
        """A row with a dialogue and a summary, under the key that its judgements have."""
        self.known |= {use: use for use in KEY}
        own = {self._named(data, use) for use in ("dialogue_id", "system")}
        self.add(line, flat({key: value for key, value in data.items() if key not in own}) | self.key(data))

    def judge(self, table: str, line: int, row: Mapping[str, Any]) -> None:
        """A preference, an option of a choice, or a span."""
        self.further.setdefault(table, []).append({**row, ROW: len(self.further_lines)})
        self.further_lines.append(line)

    def choose(self, line: int, key: Mapping[str, Any], systems: Sequence[str], best: str, worst: str | None) -> None:
        """A choice of the best among several, and of the worst where one was named: a row for each option."""
        said = {best: "best", worst: "worst"}
        of_all = {**key, "tuple": "+".join(sorted(systems)), ROW: len(self.further_lines), "_given": "", "_lost": False}
        rows = [{**of_all, "system": system, "choice": said.get(system, "neither")} for system in systems]
        self.further.setdefault("choices", []).extend(rows)
        self.further_lines.append(line)

    def leave_out(self, line: int, key: Mapping[str, Any], reason: str) -> None:
        """A judgement of the summary with this key that cannot be read."""
        self.problems.append(Problem(self.file, line, key_text([key[name] for name in KEY[:2]]), reason))

    def pick(self, record: Record, use: str) -> Any:
        """The value of a record that serves this use: as mapped, else by its name."""
        said = self._said(use)
        if said is not None and said.startswith("="):
            return said.removeprefix("=")
        name = self._named(record, use)
        return None if name is None else record[name]

    def _said(self, use: str) -> str | None:
        given = self.mapping.get(use)
        if given is None or isinstance(given, str):
            return given
        return given[0] if given else None

    def _named(self, record: Record, use: str) -> str | None:
        """The key of a record that serves this use."""
        said = self._said(use)
        if said is not None:
            return next((name for name in (said, said.rpartition(".")[2]) if name in record), None)
        names = {normalised(key): key for key in record}
        found = next((names[name] for name in USES[use] if name in names and name != "id"), None)
        if found is None and use == "dialogue_id":
            ids = (key for name, key in names.items() if is_id(name) and not is_other_id(name) and name != "id")
            found = next(ids, None) or names.get("id")
        return found

    def key(self, record: Record) -> dict[str, Any]:
        """The key of the summary that a record is about."""
        given = self.pick(record, "dialogue_id")
        if given is None:
            given = hash_id(as_dialogue(self.pick(record, "dialogue")) or "")
        system = self.pick(record, "system")
        return {
            "dialogue_id": str(given),
            "system": "system" if system is None else str(system),
            "variant": str(self.pick(record, "variant") or ORIGINAL),
            "role": str(self.pick(record, "role") or OVERALL),
        }

    def table(self, base: Table, layout: Layout) -> Table:
        """All of it as a table."""
        frame = to_frame(self.rows, self.file)
        lines = [*self.lines, *self.further_lines]
        further = {}
        for name, rows in self.further.items():
            made = pl.DataFrame(rows, infer_schema_length=None, strict=False)
            further[name] = made.with_columns(pl.col(ROW).cast(pl.Int64) + len(self.lines))
        return Table(
            frame,
            lambda row: (self.file, lines[row] if row < len(lines) else None),
            base.encoding,
            (*base.notes, f"read as: {layout.title}", *self.notes),
            (*base.problems, *self.problems),
            separator=base.separator,
            layout=layout.name,
            known=self.known,
            ignored=self.ignored,
            unread=base.unread,
            settled=frozenset(self.settled),
            further=further,
            groups=self.groups,
            declared=tuple(self.declared),
            dropped=dict(self.dropped),
        )


def hash_id(text: str) -> str:
    """The id of a dialogue that has none: a hash of its text."""
    return f"d-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def as_dialogue(value: Any) -> str | None:
    """A dialogue in one cell: a text as it is, a list of turns as JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        return turns_cell(turns_from_json(value))
    except ValueError:
        return json.dumps(value, ensure_ascii=False)


def turns_cell(turns: Sequence[Turn]) -> str:
    """Turns as JSON in one cell."""
    return json.dumps([turn_to_json(turn) for turn in turns], ensure_ascii=False)


def flat(record: Record) -> dict[str, Any]:
    """The record with its dialogue in one cell, and other lists and objects as JSON."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if not isinstance(value, dict | list):
            row[key] = value
        elif normalised(key) in USES["dialogue"] and isinstance(value, list):
            row[key] = as_dialogue(value)
        else:
            row[key] = json.dumps(value, ensure_ascii=False)
    return row
