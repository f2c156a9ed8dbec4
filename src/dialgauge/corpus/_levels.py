"""Mapped names of nested values: each is found at one level of the records before these become rows.

Keys such as ``text`` or ``id`` may be there at several levels, and rows would mix them. So the key that is meant gets
the name of its use, and what has that name elsewhere gets another one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dialgauge.corpus._fields import ANY_KEY, is_keyed
from dialgauge.corpus._mapping import CONSTANT, IGNORE, Mapped, listed
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._schema import KEY
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import TEXTS, parse_turns
from dialgauge.errors import InputError, UnknownNameError

Path = tuple[str, ...]
#: What rows inherit from the objects around them: such a name may stand at several levels, and the inner one counts.
OF_KEY = (*KEY, "annotator")
_WHOLE = frozenset({*USES["meta"], *USES["provenance"]})
_DEEPEST = 12
_MOST_SHOWN = 5
#: What stands before a key that has the name of a use, but is not the one that was mapped to it.
_OTHER = "other."
#: The use of what is said in a turn.
_SAID = "said"


@dataclass(slots=True)
class _Key:
    """A key of the records: whether it stands in the objects of a list and holds objects, and some texts under it."""

    in_list: bool
    holds_more: bool = False
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Meant:
    """The key that a mapping means: its path, its use, the name that it gets, and the object that it is put into.

    That is the one that becomes a row, where objects inside it only group their keys.
    """

    path: Path
    use: str
    name: str
    row: Path

    def replaces(self, path: Path) -> bool:
        """Whether another key would be read as this use, and so must get out of its way."""
        if path[: len(self.path)] == self.path:
            return False  # a part of it
        around = path[:-1] == self.path[: len(path) - 1]
        if around and len(path) > len(self.row) and self._reads_alike(path[-1]):
            return True
        return path[-1] == self.name and self.name != TEXTS[0] and (around or self.use not in OF_KEY)

    def _reads_alike(self, key: str) -> bool:
        return normalised(key) in USES.get(self.use, ()) or (self.use in ("summary", _SAID) and key in TEXTS)


def at_their_levels(table: Table, mapping: Mapped, *, wrapped: bool) -> tuple[Table, Mapped]:
    """The records with every mapped key under the name of its use, and the mapping with these names.

    A path from the record down hits its level alone. A short name is looked for at all levels; where several have it,
    an error lists them, unless it names what rows inherit. In a file that is one object around the records
    (``wrapped``), paths may begin at that object.
    """
    asked = {use: listed(given) for use, given in mapping.items() if use != IGNORE}
    if not table.records or not any(name[:1] != CONSTANT for names in asked.values() for name in names):
        return table, mapping
    keys = _keys(record for _, record in table.records)
    meant: list[_Meant] = []
    columns: dict[str, tuple[str, ...]] = {}
    for use, names in asked.items():
        found = [_paths(use, name, keys, wrapped) for name in names]
        named = [_column(use, number) for number in range(len(names))]
        columns[use] = tuple(new if paths else name for paths, name, new in zip(found, names, named, strict=True))
        for paths, new in zip(found, named, strict=True):
            meant += [one for path in paths for one in _renamed(use, path, new, keys)]
    if not meant:
        return table, mapping
    change = _Change(meant)
    records = tuple((line, change.of(record, ())[0]) for line, record in table.records)
    return replace(table, records=records), {**mapping, **columns}


def _keys(records: Iterable[Any]) -> dict[Path, _Key]:
    """Every key of the records by the names on the way to it; names that are ids are one."""
    found: dict[Path, _Key] = {}

    def walk(value: Any, path: Path, in_list: bool) -> None:
        if isinstance(value, list):
            for inner in value:
                if isinstance(inner, dict | list):
                    walk(inner, path, True)
        elif isinstance(value, Mapping) and len(path) < _DEEPEST:
            keyed = is_keyed(value, path)
            for key, inner in value.items():
                own = (*path, ANY_KEY if keyed else str(key))
                one = found.setdefault(own, _Key(in_list))
                if isinstance(inner, str) and len(one.texts) < _MOST_SHOWN:
                    one.texts.append(inner)
                elif isinstance(inner, dict | list):
                    one.holds_more = True
                    walk(inner, own, False)

    for record in records:
        walk(record, (), False)
    return found


def _shown(path: Path) -> str:
    """A path as users write it: names that are ids are left out."""
    return ".".join(name for name in path if name != ANY_KEY)


def _paths(use: str, name: str, keys: Mapping[Path, _Key], wrapped: bool) -> list[Path]:
    """The path of the key that a name means: none where it is no key, or one that rows have by its own name."""
    if name.startswith(CONSTANT):
        return []
    wanted = name.replace("[]", "")
    shown = {path: _shown(path) for path in keys if path[-1] != ANY_KEY}
    exact = [path for path, text in shown.items() if wanted in (text, ".".join(path))]
    ends = [path for path, text in shown.items() if f".{text}".endswith(f".{wanted}")]
    if exact and len(ends) == 1 and len(exact[0]) == 1 and not keys[exact[0]].holds_more:
        return []  # a key of the record itself, which is nowhere else
    found = exact or ends
    if not found and wrapped:
        found = [path for path, text in shown.items() if wanted.endswith(f".{text}")]
        found = [path for path in found if len(path) == max(map(len, found))]
    if len(found) > 1 and not _is_inherited(use, wanted):
        paths = ", ".join(sorted(shown[path] for path in found))
        raise InputError(f"mapping {use}={name}: several levels have this name; give one of their paths: {paths}")
    if not found and "." in wanted:
        raise UnknownNameError("column in the mapping", name, shown.values())
    return [path for path in found if not (use in OF_KEY and _is_in_metadata(path))]


def _is_inherited(use: str, name: str) -> bool:
    """Whether all levels with this name mean the same: summaries and their ratings may both name the system."""
    return use in OF_KEY and name != "id" and normalised(name) in USES[use]


def _is_in_metadata(path: Path) -> bool:
    """Whether a key stands in metadata, from where keys are handed to the row by their own names."""
    return any(normalised(name) in _WHOLE for name in path[:-1])


def _column(use: str, number: int) -> str:
    """The name of the column that a mapped key becomes."""
    kind, _, name = use.partition(":")
    own = use if not name else name if kind == "dimension" else f"{kind} {name}"
    return own if not number else f"{own}_{number + 1}"


def _renamed(use: str, path: Path, name: str, keys: Mapping[Path, _Key]) -> list[_Meant]:
    """What gets another name so that a key is read as its use. The text of turns makes their list the dialogue."""
    if use == "dialogue" and len(path) > 1 and keys[path].in_list and not _are_dialogues(keys[path].texts):
        turns = path[:-1]
        return [_Meant(path, _SAID, TEXTS[0], turns), _Meant(turns, use, name, _row_of(turns, keys))]
    return [_Meant(path, use, name, _row_of(path, keys))]


def _row_of(path: Path, keys: Mapping[Path, _Key]) -> Path:
    """The object that a key belongs to: one of a list, one under an id, or the record."""
    while len(path) > 1 and not keys[path].in_list and path[-2] != ANY_KEY:
        path = path[:-1]
    return path[:-1]


def _are_dialogues(texts: list[str]) -> bool:
    return any(len({turn.speaker for turn in parse_turns(text) if turn.speaker}) > 1 for text in texts)


class _Change:
    """Records with other names of keys."""

    def __init__(self, meant: list[_Meant]) -> None:
        self.meant = meant
        self.by_path = {one.path: one for one in meant}

    def of(self, value: Any, path: Path) -> tuple[Any, dict[_Meant, Any]]:
        """The changed value, and what goes from it into an object around it."""
        if isinstance(value, list):
            return [self.of(inner, path)[0] for inner in value], {}
        if not isinstance(value, Mapping) or len(path) >= _DEEPEST:
            return value, {}
        keyed = is_keyed(value, path)
        made: dict[str, Any] = {}
        out: dict[_Meant, Any] = {}
        for key, given in value.items():
            own = (*path, ANY_KEY if keyed else str(key))
            inner, found = self.of(given, own)
            if own in self.by_path:
                found[self.by_path[own]] = inner
            elif inner or not found:  # an object that held nothing else is gone
                made[str(key) if keyed else self._name(own)] = inner
            made |= {one.name: moved for one, moved in found.items() if one.row == path}
            out |= {one: moved for one, moved in found.items() if one.row != path}
        return made, out

    def _name(self, path: Path) -> str:
        return f"{_OTHER}{path[-1]}" if any(one.replaces(path) for one in self.meant) else path[-1]
