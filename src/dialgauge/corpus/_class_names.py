"""Classes of Hugging Face data sets: numbers in the files, whose names stand in the card or beside the columns."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._columnar import POLARS_ERRORS

#: The names of the classes of each field, by the names on the way to it.
Classes = dict[tuple[str, ...], list[str]]

#: A line of the head of a card: how far it is indented, whether it opens an entry of a list, its key and its value.
_LINE = re.compile(r"( *)(- +)?(?:'([^']*)'|\"([^\"]*)\"|([^\s:'\"][^:]*)):(?: +(.*?))? *")
_HEAD = re.compile(r"\A---\r?\n(.*?)\r?\n---\s*$", re.DOTALL | re.MULTILINE)


def classes_of(path: Path, files: Sequence[Path]) -> Classes:
    """What the folder, or one of its Parquet files, says of classes; a folder that says nothing has none."""
    for place in (path, *sorted(one for one in path.glob("*") if one.is_dir())):
        file = place / "dataset_info.json"
        if file.is_file() and (found := _in_json(file.read_text("utf-8", errors="replace"))):
            return found
    card = path / "README.md"
    head = _HEAD.search(card.read_text("utf-8", errors="replace")) if card.is_file() else None
    if head is not None and (found := _in_card(head[1])):
        return found
    for file in files:
        if file.suffix == ".parquet" and (found := _in_parquet(file)):
            return found
    return {}


def with_class_names(frame: pl.DataFrame, classes: Classes) -> pl.DataFrame:
    """The frame with the names of classes instead of their numbers."""
    for column in frame.columns:
        mine = {names[1:]: said for names, said in classes.items() if names[0] == column}
        if mine:
            values = [_named(value, (), mine) for value in frame[column].to_list()]
            frame = frame.with_columns(pl.Series(column, values, strict=False))
    return frame


def _named(value: Any, names: tuple[str, ...], classes: Classes) -> Any:
    if isinstance(value, list):
        return [_named(inner, names, classes) for inner in value]
    if isinstance(value, Mapping):
        return {key: _named(inner, (*names, key), classes) for key, inner in value.items()}
    said = classes.get(names)
    known = said is not None and isinstance(value, int) and 0 <= value < len(said)
    return said[value] if said is not None and known else value


def _in_json(text: str) -> Classes:
    """What the description of features as JSON says."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    while isinstance(told, Mapping) and "features" not in told and isinstance(told.get("info"), Mapping):
        told = told["info"]
    return dict(_features(told.get("features"), ())) if isinstance(told, Mapping) else {}


def _features(value: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    if isinstance(value, list):
        for inner in value:
            yield from _features(inner, names)
    elif isinstance(value, Mapping):
        said = value.get("names")
        if value.get("_type") == "ClassLabel" and isinstance(said, list) and names:
            yield names, [str(name) for name in said]
        elif "_type" in value:
            yield from _features(value.get("feature"), names)
        else:
            for key, inner in value.items():
                yield from _features(inner, (*names, str(key)))


def _in_parquet(file: Path) -> Classes:
    try:
        return _in_json(pl.read_parquet_metadata(file).get("huggingface", ""))
    except POLARS_ERRORS:
        return {}


def _in_card(head: str) -> Classes:
    """What the head of a card says: under ``class_label`` a number and a name in each line."""
    found: Classes = {}
    features: dict[int, str] = {}  # the names on the way, by how far they are indented
    label: int | None = None
    for line in head.splitlines():
        parsed = _LINE.fullmatch(line)
        if parsed is None:
            continue
        depth = len(parsed[1]) + len(parsed[2] or "")
        key, value = next(part for part in parsed.group(3, 4, 5) if part is not None), (parsed[6] or "").strip("'\"")
        if label is not None and len(parsed[1]) <= label:
            label = None
        if label is not None and key.isdigit() and features:
            found.setdefault(tuple(features[place] for place in sorted(features)), []).append(value)
        elif key == "class_label":
            label = depth
        elif key == "name" and parsed[2] is not None:
            features = {place: name for place, name in features.items() if place < depth} | {depth: value}
        elif len(parsed[1]) < min(features, default=0):
            features = {}
    return found
