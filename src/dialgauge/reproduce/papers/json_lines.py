"""Lines of JSON, plain or compressed, as the data of published studies come."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dialgauge.corpus import Problem, raise_if_any
from dialgauge.errors import InputError


def json_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every line that is a JSON object, with its number from 1; the others are added to ``problems``."""
    try:
        packed = path.read_bytes()
        text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start})") from error
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            problems.append(Problem(path.name, number, None, f"not JSON: {error}"))
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            problems.append(Problem(path.name, number, None, "not a JSON object"))


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file in which every line must be one."""
    problems: list[Problem] = []
    rows = [row for _, row in json_lines(path, problems)]
    raise_if_any(problems, str(path))
    return rows
