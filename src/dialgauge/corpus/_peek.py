"""Names in the first lines of a file, for the shell: who presses TAB waits neither for Polars nor for a whole file."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from dialgauge.corpus._names import USES, normalised

_FIRST = 100_000
_HEADING = re.compile(r"^\[dialogue\.summary\.([\w-]+)\]$", re.MULTILINE)


def peek(source: str, use: str) -> list[str]:
    """The names of systems or dimensions (``use``) near the beginning of a corpus, sorted; empty where none are found.

    A folder of dialgauge and the embedded corpus are known whole. A dimension is found where a column or key names it
    (``dimension``), or where one of the usual dimensions is a column.
    """
    if source == "embedded":
        text = files("dialgauge.corpus").joinpath("embedded", "chat.toml").read_text("utf-8")
        known = {"system": set(_HEADING.findall(text)), "dimension": set(_USUAL)}
        return sorted(known[use])
    path = Path(source)
    try:
        if path.is_dir():
            return _in_folder(path, use)
        with path.open("rb") as file:
            head = file.read(_FIRST)
        return sorted(set(_named(_records(head, path.suffix), use)))
    except (OSError, ValueError):
        return []


_USUAL = ("coherence", "consistency", "fluency", "relevance")


def _in_folder(path: Path, use: str) -> list[str]:
    import polars as pl

    table = pl.scan_parquet(path / ("summaries.parquet" if use == "system" else "ratings.parquet"))
    try:
        return sorted(table.select(use).unique().collect()[use].drop_nulls().to_list())
    except (pl.exceptions.PolarsError, OSError):
        return []


def _records(head: bytes, suffix: str) -> Iterator[dict[str, Any]]:
    lines = io.BytesIO(head).readlines()
    whole = lines[:-1] if len(head) == _FIRST else lines
    if suffix in (".jsonl", ".ndjson"):
        yield from (record for line in whole if isinstance(record := json.loads(line), dict))
    elif suffix in (".csv", ".tsv", ".tab"):
        text = io.StringIO(b"".join(whole).decode("utf-8-sig", "replace"), newline="")
        yield from csv.DictReader(text, delimiter="," if suffix == ".csv" else "\t")


def _named(records: Iterable[dict[str, Any]], use: str) -> Iterator[str]:
    for record in records:
        for key, value in record.items():
            name = normalised(str(key))
            if name in USES[use] and isinstance(value, str) and value:
                yield value
            elif use == "dimension" and name in _USUAL and value not in (None, ""):
                yield name
            elif isinstance(value, list):
                yield from _named([one for one in value if isinstance(one, dict)], use)
            elif isinstance(value, dict):
                yield from _named([value], use)
                if use == "system" and name == "summaries":
                    yield from map(str, value)
