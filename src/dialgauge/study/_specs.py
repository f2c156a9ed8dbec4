"""The specifications of a study file: their paths start at its folder, their names are what stands in it.

A specification names a column of scores or a system, too, and a model stands with its path in signatures. So the rooms
are handed every path in full, and what they give back is named as the file has it: the same study gives the same bytes
in another folder, wherever it is run from.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dialgauge.affect import TAGGERS, parse_spec, path_of_spec
from dialgauge.errors import InputError
from dialgauge.metrics import Metric, parse_requests
from dialgauge.models import ModelRef
from dialgauge.registry import parse_parameters, quoted

if TYPE_CHECKING:
    from dialgauge.summarize import Summarizer


@dataclass(frozen=True, slots=True)
class Placed:
    """A value with a path in it.

    ``written`` is that path as in the file, ``path`` where it leads, ``value`` the whole with the path in full. A
    trained metric that goes by a name in the user's registry is ``registered``.
    """

    given: str
    written: str
    path: Path
    value: str
    registered: bool = False


@dataclass(frozen=True, slots=True)
class Specs:
    """Specifications of a study file. ``full`` are those for the rooms, with every path in full.

    ``names`` leads from the name that a room makes of each to the one that the file makes; ``places`` are the paths.
    """

    full: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    places: tuple[Placed, ...] = ()

    def name(self, name: str) -> str:
        """The name of a column or system as the file has it."""
        return self.names.get(name, name)

    def text(self, text: str) -> str:
        """What a room says (a signature, a reason) with paths as the file has them."""
        for place in self.places:
            # The path alone or the beginning of a longer one, not a part of another name.
            found = rf"(?<![\w./-]){re.escape(str(place.path))}(?![\w-]|\.\w)"
            text = place.written.join(re.split(found, text))
        return text

    def texts(self, texts: Mapping[str, str]) -> dict[str, str]:
        """What a room says of each column or system, both as the file has them."""
        return {self.name(name): self.text(text) for name, text in texts.items()}

    def remarks(self, frame: pl.DataFrame, name: str, text: str) -> pl.DataFrame:
        """A table of what a room says (in the column ``text``) of columns or systems (in the column ``name``)."""
        said = {one: self.text(one) for one in frame[text].unique()}
        return frame.with_columns(pl.col(name).replace(self.names), pl.col(text).replace(said))


def metric_specs(use: Iterable[str], home: Path) -> Specs:
    """The metrics of a study file in the folder ``home``; two that lead to the same count once, by their first name."""
    full: list[str] = []
    names: dict[str, str] = {}
    places: list[Placed] = []
    for spec in use:
        requests = parse_requests([spec])
        handed, found = _in_full(f"metric {spec!r}", spec, requests[0].metric, {}, home)
        full.append(handed)
        places += found
        for request, of_room in zip(requests, parse_requests([handed]), strict=True):
            names.setdefault(of_room.column, request.column)
    return Specs(tuple(full), names, tuple(places))


def system_specs(systems: Iterable[str], home: Path) -> Specs:
    """The systems that a study file in the folder ``home`` has write."""
    from dialgauge.summarize import parse_request

    full: list[str] = []
    names: dict[str, str] = {}
    places: list[Placed] = []
    for spec in systems:
        request = parse_request(spec)
        handed, found = _in_full(f"summarizer {spec!r}", spec, request.summarizer, request.files(), home)
        full.append(handed)
        places += found
        names.setdefault(parse_request(handed).system, request.system)
    return Specs(tuple(full), names, tuple(places))


def tagger_spec(spec: str, home: Path) -> Specs:
    """The tagger of a study file in the folder ``home``."""
    place = _tagger(spec, home)
    return Specs((spec,)) if place is None else Specs((place.value,), places=(place,))


def _in_full(
    owner: str, spec: str, declared: "Metric | Summarizer", files: Mapping[str, Path], home: Path
) -> tuple[str, list[Placed]]:
    """A specification with its paths in full, and these; ``files`` are paths that are known as such, by parameter."""
    head, _, tail = spec.strip().partition(":")
    values = parse_parameters(owner, tail)
    places: list[Placed] = []
    for name, given in values.items():
        place = _file(given, files[name], home) if name in files else _parameter(declared, name, given, home)
        if place is not None:
            places.append(place)
            values[name] = place.value
    if all(place.value == place.given for place in places):
        return spec, places
    return f"{head}:{','.join(f'{name}={quoted(value)}' for name, value in values.items())}", places


def _parameter(declared: "Metric | Summarizer", name: str, given: str, home: Path) -> Placed | None:
    from dialgauge.learn import path_given

    if not given:
        return None
    if name in declared.models:
        return _model(given, home)
    path_of = declared.parameters[name].path
    if path_of is path_of_spec:
        return _tagger(given, home)
    if path_of is path_given:
        return _trained_metric(given, home)
    return _other(given, path_of, home) if path_of else None


def _leading(given: str, written: Path, home: Path, with_path: Callable[[Path], str]) -> Placed:
    """A value with this path in it, which starts at ``home``; one that is whole already stays as it is."""
    path = home / written.expanduser()
    return Placed(given, str(written), path, given if written.is_absolute() else with_path(path))


def _file(given: str, written: Path, home: Path) -> Placed:
    return _leading(given, written, home, lambda path: f"{given.partition(':')[0]}:{path}")


def _model(given: str, home: Path) -> Placed | None:
    ref = ModelRef.parse(given)
    if ref.source != "folder":
        return None
    return _leading(given, Path(ref.name), home, lambda path: str(replace(ref, name=str(path))))


def _tagger(given: str, home: Path) -> Placed | None:
    name, argument, options = parse_spec(given)
    led = path_of_spec(given)
    if led is None:
        return None

    def with_path(path: Path) -> str:
        source = [str(path)] if argument else []
        if TAGGERS[name].argument == "MODEL":
            source = [str(replace(ModelRef.parse(argument), name=str(path)))]
        chosen = options if source else options | {"folder": str(path)}
        return (
            f"{name}:{','.join([*map(quoted, source), *(f'{key}={quoted(value)}' for key, value in chosen.items())])}"
        )

    return _leading(given, Path(led), home, with_path)


def _trained_metric(given: str, home: Path) -> Placed | None:
    """A folder, or else a name in the registry; a folder of that name where the command runs is neither."""
    from dialgauge.learn import find_folder, named_folder, path_given

    beside = _leading(given, Path(given), home, str)
    with suppress(InputError):
        find_folder(beside.path)
        return beside
    with suppress(InputError):
        registered = named_folder(given)
        return None if path_given(given) is None else Placed(given, given, registered, str(registered), registered=True)
    return beside


def _other(given: str, path_of: Callable[[str], str | None], home: Path) -> Placed | None:
    """A value of a metric that somebody else declares: all that is known of it is the path that it leads to."""
    led = path_of(given)
    if led is None:
        return None

    def with_path(path: Path) -> str:
        starts = [start for start in range(len(given)) if given.startswith(led, start)]
        candidates = [given[:start] + str(path) + given[start + len(led) :] for start in starts]
        made = next((value for value in candidates if path_of(value) == str(path)), None)
        if made is None:
            raise InputError(f"{given!r}: the path cannot be made absolute; write it in full: {path}")
        return made

    return _leading(given, Path(led), home, with_path)
