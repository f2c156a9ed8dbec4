"""What is found by name (metrics, perturbations, learners …), and how its parameters are given.

A specification is written ``NAME:PARAMETER=VALUE,…``; a room says what else may stand before the colon.

``registry.tsv`` lists every name that this package declares, with the module that declares it: so one of them is found
without importing the others, and names are listed and completed without importing any. The file is made from what the
modules declare, by ``make registry``.
"""

import os
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

TABLE = Path(__file__).with_suffix(".tsv")
#: What installed packages leave beside their modules.
_INSTALLED = (".dist-info", ".egg-info", ".egg")
#: A comma outside quotes.
_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the table: the name of an entry, the module that declares it, its family if any, and what it is."""

    name: str
    module: str
    family: str = ""
    description: str = ""


def listed(kind: str) -> Iterable[Listed]:
    """What this package declares of a kind, read from the table; nothing is imported."""
    return read_table(TABLE).get(kind, ())


def completer(kind: str, **others: str) -> Callable[[str], list[tuple[str, str]]]:
    """Shell completion for names of a kind, with descriptions: ``others`` first, then names, then families."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        known = others | {row.name: row.description for row in listed(kind)}
        for row in listed(kind):
            if row.family:
                known.setdefault(row.family, f"all {kind}s of the family {row.family}")
        return [(name, description) for name, description in known.items() if name.startswith(incomplete)]

    return complete


@cache
def read_table(path: Path) -> Mapping[str, list[Listed]]:
    """The lines of a table by kind."""
    found: dict[str, list[Listed]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        kind, *fields = line.split("\t")
        found.setdefault(kind, []).append(Listed(*fields))
    return found


class _Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Named)


class Registry(Mapping[str, T]):
    """Everything of one kind by its name: ours, and what other packages add through the entry point group.

    ``kind`` is the word for one of them, whose plural with an s is the last part of the ``group``. ``function`` gives
    the function behind an entry, which tells where it comes from; None for entries without one. ``table`` stands in
    for the file. The module of a name is imported when the name is looked up, and adds it. ``hint`` ends the error
    about an unknown name.
    """

    def __init__(
        self,
        kind: str,
        entry: type[T],
        function: Callable[[T], Callable[..., object]] | None,
        table: Iterable[Listed] | None = None,
        hint: str | None = None,
    ) -> None:
        self.kind, self.group = kind, f"dialgauge.{kind}s"
        self._type, self._function = entry, function
        self._table = {row.name: row for row in (listed(kind) if table is None else table)}
        self._hint = f"'dialgauge {kind}s' lists them" if hint is None else hint
        self._entries: dict[str, T] = {}
        #: The modules of entries that other packages add.
        self._origins: dict[str, str] = {}
        self._complete = False

    def add(self, *entries: T) -> None:
        """Add entries under their names. A name that another entry has already is refused."""
        for entry in entries:
            if entry.name in self._table and entry.name not in self._entries:
                import_module(self._table[entry.name].module)  # no-op while that module is the one that adds it
            present = self._entries.setdefault(entry.name, entry)
            if present != entry:
                origins = [_origin(self._function(one)) for one in (present, entry)] if self._function else []
                places = f": {' and '.join(origins)}" if origins else ""
                raise DialgaugeError(f"two {self.kind}s are called {entry.name!r}{places}; rename one")

    def all(self) -> Mapping[str, T]:
        """Every known entry by name: ours in the order of the table, then those of other packages."""
        return dict(self)

    def find(self, name: str) -> T:
        """The entry of this name, or an error that suggests the closest names."""
        try:
            return self[name]
        except KeyError:
            raise UnknownNameError(self.kind, name, self, self._hint) from None

    def members(self, word: str) -> list[str]:
        """The names that a word stands for: ``all`` for all of them, a family for its members, any other for none.

        A name that is the name of a family as well stands for itself.
        """
        if word in self:
            return []
        families = {name: row.family for name, row in self._table.items()}
        families |= {name: getattr(entry, "family", "") for name, entry in self._entries.items()}
        return [name for name in self if word in ("all", families[name])]

    def modules(self, entry: T) -> frozenset[str]:
        """The modules whose code is behind an entry: that of its function, and the one that declares it."""
        row = self._table.get(entry.name)
        declaring = self._origins.get(entry.name) if row is None else row.module
        defining = defining_module(self._function(entry)) if self._function else None
        return frozenset(filter(None, [defining, declaring]))

    def read(self, spec: str, word: str = "parameter") -> tuple[str, dict[str, str]]:
        """The part of a specification before the colon, and the parameters after it, not yet checked."""
        head, _, tail = spec.strip().partition(":")
        return head.strip(), parse_parameters(f"{self.kind} {spec!r}", tail, word)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            if name not in self._table:
                self._load_entry_points()
            else:
                import_module(self._table[name].module)
                if name not in self._entries:
                    module = self._table[name].module
                    raise DialgaugeError(
                        f"{module} declares no {self.kind} {name!r}: {TABLE.name} is out of date; run 'make registry'"
                    )
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        if name in self._entries or name in self._table:
            return True
        self._load_entry_points()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        self._load_entry_points()
        return iter(dict.fromkeys([*self._table, *self._entries]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def _load_entry_points(self) -> None:
        if self._complete:
            return
        for point in entry_points(group=self.group):
            for entry in self._load_entry_point(point):
                self.add(entry)
                self._origins[entry.name] = point.module
        self._complete = True

    def _load_entry_point(self, point: "EntryPoint") -> tuple[T, ...]:
        named = f"entry point {point.name!r} ({point.value}) of group {self.group!r}"
        try:
            loaded = point.load()
        except Exception as error:  # whatever another package raises, the user must learn which package it was
            raise DialgaugeError(f"{named} cannot be loaded: {type(error).__name__}: {error}") from error
        found = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
        if not all(isinstance(entry, self._type) for entry in found):
            raise DialgaugeError(f"{named} must give a {self._type.__name__} or several")
        return found


def entry_points(group: str) -> "Iterable[EntryPoint]":
    """Those of all installed packages. To load them takes its time, so the module that can is imported only then."""
    if not may_have_entry_points(group):
        return ()
    from importlib import metadata

    return metadata.entry_points(group=group)


def may_have_entry_points(group: str) -> bool:
    """Whether any package on the path names this group; true as well where packages are kept in another way."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    wanted = group.encode()
    for place in dict.fromkeys(sys.path):
        try:
            found = [one.path for one in os.scandir(place or ".") if one.name.endswith(_INSTALLED)]
        except NotADirectoryError:  # an archive
            return True
        except OSError:
            continue
        for folder in found:
            if folder.endswith(".egg"):
                return True
            with suppress(OSError):
                if wanted in Path(folder, "entry_points.txt").read_bytes():
                    return True
    return False


def defining_module(function: Callable[..., object]) -> str:
    """The module that defines a function, or the one behind a partial object."""
    return getattr(_unwrapped(function), "__module__", None) or "?"


def _origin(function: Callable[..., object]) -> str:
    return f"{defining_module(function)}.{getattr(_unwrapped(function), '__qualname__', repr(function))}"


def _unwrapped(function: Callable[..., object]) -> Callable[..., object]:
    while isinstance(function, partial):
        function = function.func
    return function


class Setting(Protocol):
    """What is declared about a parameter: its default and the allowed values."""

    @property
    def default(self) -> str:
        """The default value."""

    def check(self, owner: str, name: str, value: str) -> None:
        """Refuse a value that is not allowed; the error starts with ``owner``."""


def parse_parameters(
    owner: str, text: str, word: str = "parameter", *, main: str = "", known: Container[str] = ()
) -> dict[str, str]:
    """Read ``PARAMETER=VALUE,…``, the part of a specification after its colon; errors start with ``owner``.

    A value may contain colons, ``@`` and equals signs; one with a comma is put in double quotes (a quote inside
    is doubled). ``word`` is what the owner calls a parameter. The value of the parameter ``main``, if there is one, may
    be given without its name: it is all that does not begin with one of the ``known`` names and an equals sign.
    """
    if text.count('"') % 2:
        raise InputError(f"{owner}: a quote is not closed")
    parameters: dict[str, str] = {}
    unnamed: list[str] = []
    for pair in _COMMA.split(text):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if main and not (equals and key in known):
            unnamed.append(pair)
        elif pair and not equals:
            raise InputError(f"{owner}: write {word}s as NAME=VALUE after the colon; got {pair!r}")
        elif key in parameters:
            raise InputError(f"{owner}: {word} {key!r} is given twice")
        elif pair:
            parameters[key] = _unquoted(value)
    given = ",".join(unnamed).strip()
    if given and main in parameters:
        raise InputError(f"{owner}: {word} {main!r} is given twice")
    return {**parameters, main: _unquoted(given)} if given else parameters


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if _QUOTED.fullmatch(value) else value


def all_values(
    owner: str, declared: Mapping[str, Setting], given: Mapping[str, str], word: str = "parameter"
) -> dict[str, str]:
    """The value of every declared parameter, given or default. One that is given must be declared, and allowed."""
    for name, value in given.items():
        if name not in declared:
            raise UnknownNameError(f"{word} of {owner}", name, declared)
        declared[name].check(owner, name, value)
    return {name: given.get(name, setting.default) for name, setting in declared.items()}


def specification(head: str, declared: Mapping[str, Setting], values: Mapping[str, str]) -> str:
    """The shortest specification that gives these values: ``head`` and the parameters that are not at their default."""
    changed = [f"{name}={quoted(value)}" for name, value in values.items() if value != declared[name].default]
    return f"{head}:{','.join(changed)}" if changed else head


def quoted(value: str) -> str:
    """A parameter's value as it is written in a specification: in quotes where a comma or quote would mislead."""
    if value and value == value.strip() and not set(value) & set(',"'):
        return value
    return '"' + value.replace('"', '""') + '"'
