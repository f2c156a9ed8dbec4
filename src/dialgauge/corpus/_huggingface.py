"""Folders of the Hugging Face ``datasets`` package and of hub snapshots, read without that package."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from dialgauge.corpus._class_names import classes_of, with_class_names
from dialgauge.corpus._columnar import POLARS_ERRORS, as_table, read_parquet
from dialgauge.corpus._files import read_bytes
from dialgauge.corpus._table import Table, stack
from dialgauge.errors import InputError

_SPLIT = r"(?:^|[-_])(train|validation|valid|val|dev|test)(?:$|[-_.])"


def is_hugging_face(path: Path) -> bool:
    """Whether a folder was written by ``save_to_disk``, or is a snapshot with Parquet files."""
    saved = any((path / name).is_file() for name in ("dataset_dict.json", "state.json"))
    return saved or any(path.glob("*.arrow")) or next(_parquet_files(path), None) is not None


def load_hugging_face(path: Path) -> Table:
    """All splits of the folder in one table, each row with the name of its split."""
    frames = [
        (frame if "split" in frame.columns or not split else frame.with_columns(split=pl.lit(split)), file)
        for split, file, frame in _frames(path)
    ]
    if not frames:
        raise InputError(f"{path}: holds neither a saved data set (state.json, *.arrow) nor Parquet files")
    stacked = stack((frame, str(file)) for frame, file in frames)
    classes = classes_of(path, [file for _, file in frames])
    said = [f"{'.'.join(names)}: classes by their names: {', '.join(own)}" for names, own in classes.items()]
    table = as_table(with_class_names(stacked.frame, classes), str(path))
    return replace(table, place=stacked.place, notes=(*table.notes, *said))


def _frames(path: Path) -> Iterator[tuple[str, Path, pl.DataFrame]]:
    listing = path / "dataset_dict.json"
    if listing.is_file():
        splits = _json(listing).get("splits")
        if not isinstance(splits, list) or not all(isinstance(split, str) for split in splits):
            raise InputError(f"{listing}: the list of splits is missing")
        for split in splits:
            yield from _saved(path / split, split)
    elif (path / "state.json").is_file():
        yield from _saved(path, str(_json(path / "state.json").get("_split") or ""))
    elif any(path.glob("*.arrow")):  # the layout of the package's own cache
        for file in sorted(path.glob("*.arrow")):
            yield _split_of(file, path), file, _read_arrow(file)
    else:
        for file in sorted(_parquet_files(path)):
            yield _split_of(file, path), file, read_parquet(file)


def _saved(folder: Path, split: str) -> Iterator[tuple[str, Path, pl.DataFrame]]:
    """The Arrow files that ``state.json`` lists, in its order."""
    state = folder / "state.json"
    entries = _json(state).get("_data_files")
    if not isinstance(entries, list):
        raise InputError(f"{state}: the list of data files is missing")
    for entry in entries:
        name = entry.get("filename") if isinstance(entry, dict) else None
        if not isinstance(name, str) or Path(name).name != name:
            raise InputError(f"{state}: {name!r} is not the name of a file in this folder")
        file = folder / name
        if not file.is_file():
            raise InputError(f"{file}: no such file, though {state} names it")
        yield split, file, _read_arrow(file)


def _read_arrow(file: Path) -> pl.DataFrame:
    try:
        return pl.read_ipc_stream(file)
    except (*POLARS_ERRORS, OSError) as error:
        raise InputError(f"{file}: cannot be read as an Arrow stream: {error}") from error


def _parquet_files(path: Path) -> Iterator[Path]:
    yield from path.glob("*.parquet")
    yield from path.glob("*/*.parquet")


def _split_of(file: Path, root: Path) -> str:
    """The split in a name like ``train-00000-of-00001.parquet``, ``samsum-test.arrow`` or ``test/0000.parquet``."""
    names = [file.stem, *(parent.name for parent in file.parents if parent.is_relative_to(root) and parent != root)]
    return next((found[1] for name in names if (found := re.search(_SPLIT, name))), "")


def _json(path: Path) -> dict[str, object]:
    try:
        value = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: a JSON object is expected")
    return value
