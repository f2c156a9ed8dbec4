"""What is found by its name (metrics, perturbations, summarizers), and how it is asked for with values of its own.

A specification is written ``NAME:PARAMETER=VALUE,…``; a room says what else may stand before the colon.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, Protocol, TypeVar

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError

_PAIR = re.compile(r'(?:[^",]|"[^"]*")+')
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


class _Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Named)


class Registry(Generic[T]):
    """Everything of one kind by its name: ours, and what other packages add through the entry point group.

    ``kind`` is the word for one of them, whose plural with an s is the last part of the ``group``. ``function`` gives
    the function behind an entry, which tells where it comes from. ``modules`` are imported on first use, and each
    adds what it declares: so whoever needs one of them alone does not wait for the others.
    """

    def __init__(
        self, kind: str, entry: type[T], function: Callable[[T], Callable[..., object]], modules: Sequence[str]
    ) -> None:
        self.kind, self.group = kind, f"dialgauge.{kind}s"
        self._type, self._function, self._modules = entry, function, tuple(modules)
        self._entries: dict[str, T] = {}
        self._loaded = False

    def add(self, *entries: T) -> None:
        """Add entries under their names. A name that is taken by another one is refused."""
        for entry in entries:
            present = self._entries.setdefault(entry.name, entry)
            if present != entry:
                origins = " and ".join(_origin(self._function(one)) for one in (present, entry))
                raise DialgaugeError(f"two {self.kind}s are called {entry.name!r}: {origins}; rename one")

    def all(self) -> Mapping[str, T]:
        """Every known entry by name: ours in the order of the modules, then those of other packages."""
        self._load()
        return dict(self._entries)

    def find(self, name: str) -> T:
        """The entry of this name, or an error that offers the nearest ones."""
        self._load()
        if name not in self._entries:
            raise UnknownNameError(self.kind, name, self._entries, f"'dialgauge {self.kind}s' lists them")
        return self._entries[name]

    def _load(self) -> None:
        if self._loaded:
            return
        for module in self._modules:
            import_module(module)
        # Sorted, as a module may have been imported before its turn.
        self._entries = {entry.name: entry for entry in sorted(self._entries.values(), key=self._place)}
        for point in entry_points(group=self.group):
            self.add(*self._load_entry_point(point))
        self._loaded = True

    def _load_entry_point(self, point: EntryPoint) -> tuple[T, ...]:
        named = f"entry point {point.name!r} ({point.value}) of group {self.group!r}"
        try:
            loaded = point.load()
        except Exception as error:  # whatever a foreign package raises, the user must learn which package it was
            raise DialgaugeError(f"{named} cannot be loaded: {type(error).__name__}: {error}") from error
        found = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
        if not all(isinstance(entry, self._type) for entry in found):
            raise DialgaugeError(f"{named} must give a {self._type.__name__} or several")
        return found

    def _place(self, entry: T) -> int:
        module = defining_module(self._function(entry))
        return self._modules.index(module) if module in self._modules else len(self._modules)


def defining_module(function: Callable[..., object]) -> str:
    """The module that defines a function, or the one behind a partial object."""
    return getattr(_whole(function), "__module__", None) or "?"


def _origin(function: Callable[..., object]) -> str:
    return f"{defining_module(function)}.{getattr(_whole(function), '__qualname__', repr(function))}"


def _whole(function: Callable[..., object]) -> Callable[..., object]:
    while isinstance(function, partial):
        function = function.func
    return function


class Setting(Protocol):
    """What is declared of a parameter: the value that holds where none is given, and which ones are allowed."""

    @property
    def default(self) -> str:
        """The value where none is given."""

    def check(self, owner: str, name: str, value: str) -> None:
        """Refuse a value that is not allowed; ``owner`` leads the error."""


def parse_parameters(owner: str, text: str, word: str = "parameter") -> dict[str, str]:
    """Read ``PARAMETER=VALUE,…``, the part of a specification after its colon; ``owner`` leads the errors.

    A value may hold colons, ``@`` and equals signs as it is; one with a comma stands in double quotes (a quote inside
    is doubled). ``word`` is what the owner calls a parameter.
    """
    if text.count('"') % 2:
        raise InputError(f"{owner}: a quote is opened and not closed")
    parameters: dict[str, str] = {}
    # Cut at the commas that stand outside quotes.
    for pair in _PAIR.findall(text):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals:
            raise InputError(f"{owner}: write {word}s as NAME=VALUE after the colon; got {pair!r}")
        if key in parameters:
            raise InputError(f"{owner}: {word} {key!r} is given twice")
        parameters[key] = value[1:-1].replace('""', '"') if _QUOTED.fullmatch(value) else value
    return parameters


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
