"""Scores from the folder of a finished stream: all parts as one table, or the rows of some summaries alone."""

import json
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.metrics._scores import SYSTEM_KEY

MANIFEST = "manifest.json"


def part_files(folder: Path | str) -> tuple[list[str], dict[str, Any]]:
    """The parts of a finished stream, here or behind a URL, and its manifest."""
    from dialgauge.metrics._stream_files import PartStore

    store = PartStore(str(folder).rstrip("/"))
    raw = store.read(MANIFEST)
    if raw is None:
        raise InputError(
            f"{folder}: is a folder, not a file of scores; if a stream writes it, repeat its command to finish it"
        )
    manifest = json.loads(raw)
    names, there = [part["part"] for part in manifest["parts"]], set(store.names())
    lost = [name for name in names if name not in there]
    if lost or not names:
        named = f"{lost[0]} is missing" if lost else "there are no parts"
        raise InputError(f"{folder}: {named}; repeat the command that made this folder")
    return [f"{store.place}/{name}" for name in names], manifest


def read_parts(folder: Path, only: pl.DataFrame | None) -> tuple[pl.DataFrame, str, list[dict[str, Any]]]:
    """The rows of all parts, sorted by key, one part that speaks for all, and the metrics with a value per system.

    With ``only``, the rows whose keys it has: each part is looked through by itself, so that memory depends on what is
    kept. The rows and their order do not depend on how many parts there are.
    """
    files, manifest = part_files(folder)
    rows = pl.scan_parquet(files, glob=False)
    if only is not None:
        rows = rows.join(only.select(KEY).unique().lazy(), on=list(KEY), how="semi")
    frame = rows.collect(engine="streaming").sort(KEY)
    apart = [name for name in manifest["signatures"] if name not in frame.columns]
    systems = [{name: row[name] for name in (*SYSTEM_KEY, *apart)} for row in manifest["means"]] if apart else []
    return frame, files[0], systems
