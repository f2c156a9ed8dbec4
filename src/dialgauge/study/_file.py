"""Reading a study file, with errors that name the line."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError, create_model
from pydantic.fields import FieldInfo

from dialgauge.annotate import AnnotateSection
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import parse_toml, read_utf8
from dialgauge.settings import fault
from dialgauge.study._graph import all_stages
from dialgauge.study._paths import paths_outside
from dialgauge.study._stage import Section
from dialgauge.study._study_file import StudyFile

#: Sections that belong to no stage.
_ANNOTATE = Section("annotate", AnnotateSection, "optional")


def read_study_file(path: Path) -> StudyFile:
    """Read and check a study file. Every error names the file, the line, the key, and what is allowed there."""
    return _read(path, study_file_model())


def read_annotation_file(path: Path) -> tuple[StudyFile, Path]:
    """Read and check a study file for its ``[annotate]``, which it needs; metrics may be left for later.

    With it the folder that its paths are relative to.
    """
    return _read(path, study_file_model(needed=("corpus", "annotate"))), path.resolve().parent


def study_file_model(needed: Sequence[str] | None = None) -> type[StudyFile]:
    """The study file with the sections of all declared stages; ``needed`` are those that must be there instead."""
    fields: dict[str, Any] = {}
    for section in (*(section for stage in all_stages() for section in stage.sections), _ANNOTATE):
        required = section.presence == "required" if needed is None else section.key in needed
        if required:
            fields[section.key] = (section.model, ...)
        elif section.presence == "default":
            fields[section.key] = (section.model, section.model())
        else:
            fields[section.key] = (section.model | None, None)
    return create_model("StudyFile", __base__=StudyFile, **fields)


def _read(path: Path, model: type[StudyFile]) -> StudyFile:
    text = read_utf8(path, f"; create a study file with 'dialgauge init {path.name}'")
    try:
        settings = model.model_validate(parse_toml(text, str(path)))
    except ValidationError as error:
        lines = [_describe(path, text, model, entry) for entry in _causes(error.errors())]
        raise InputError("\n".join(lines)) from error
    home = path.resolve().parent
    outside = [
        f"{path}:{_line_of(text, key)}: {'.'.join(key)}: {given!r} is outside of {home}: {led_to}; if you trust "
        "this file, write outside = true under [study]"
        for key, given, led_to in paths_outside(settings, home)
    ]
    if outside:
        raise InputError("\n".join(outside))
    return settings


#: What to write if a whole section is missing.
_FOR_A_START = {"annotate": '; for a start: [annotate] with protocol = "dialsummeval" and annotators = ["ada", "bo"]'}


def _causes(errors: Sequence[Any]) -> list[Any]:
    """Without lists that are too short only because an entry of theirs is refused."""
    within = {tuple(error["loc"][:-1]) for error in errors}
    return [error for error in errors if error["type"] != "too_short" or tuple(error["loc"]) not in within]


#: What texts of a study file may be made of, by the pattern that says so to the computer.
PATTERNS = {
    r"^\S(.*\S)?$": "must not begin or end with a space",
    r"^[\w .-]+$": "may only have letters, digits, spaces, dots, hyphens and underscores",
    r"^[\w -]+$": "may only have letters, digits, spaces, hyphens and underscores",
    r"^[\w.-]+$": "may only have letters, digits, dots, hyphens and underscores",
    r"^[\w-]+$": "may only have letters, digits, hyphens and underscores",
    r"^\w+$": "may only have letters, digits and underscores",
    r"^https://\S+$": "must begin with https://",
}


def _describe(path: Path, text: str, model: type[StudyFile], error: Any) -> str:
    location = tuple(error["loc"])
    key = ".".join(str(part) for part in location)
    if error["type"] == "extra_forbidden":
        reason = str(UnknownNameError("key", str(location[-1]), _keys_at(model, location[:-1])))
    elif error["type"] == "string_pattern_mismatch":
        reason = f"{PATTERNS[error['ctx']['pattern']]}; got {error['input']!r}"
    else:
        reason = fault(error, *_field_at(model, location)) + (
            _FOR_A_START.get(key, "") if error["type"] == "missing" else ""
        )
    return f"{path}:{_line_of(text, location)}: {key}: {reason}"


def _field_at(model: Any, location: Sequence[object]) -> tuple[str, FieldInfo | None]:
    """The name and the declaration of the field that a location leads to; of an entry of a list, those of the list."""
    name, field = "", None
    for part in location:
        if isinstance(part, int):
            continue
        if str(part) not in getattr(model, "model_fields", {}):
            # A key of a table without fields of its own, or one of the types that a value may have.
            break
        name, field = str(part), model.model_fields[str(part)]
        model = _table_of(field.annotation)
    return name, field


def line_of(path: Path, key: str) -> int:
    """The line of a study file that a key in dotted form stands on."""
    return _line_of(read_utf8(path), key.split("."))


def _keys_at(model: Any, location: Sequence[object]) -> list[str]:
    for part in location:
        if not isinstance(part, int):
            model = _table_of(model.model_fields[str(part)].annotation)
    return list(model.model_fields)


def _table_of(annotation: Any) -> Any:
    """The type of a table; an optional one is a union with None."""
    return next((one for one in get_args(annotation) if hasattr(one, "model_fields")), annotation)


def _line_of(text: str, location: Sequence[object]) -> int:
    """The line (from 1) of a key, or of the nearest table above it. TOML parsers do not keep positions."""
    wanted = [str(part) for part in location]
    best, best_depth = 1, 0
    table: list[str] = []
    entries: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        path: list[str] | None = None
        if heading := re.match(r"\s*\[\[?\s*([^\]#]+?)\s*\]", line):
            path = table = _split_key(heading[1])
            if line.lstrip().startswith("[["):
                # An entry of an array of tables: which one it is counts.
                path = table = [*table, str(entries[heading[1]])]
                entries[heading[1]] += 1
        elif pair := re.match(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""", line):
            path = table + _split_key(pair[1])
        if path and path == wanted[: len(path)] and len(path) > best_depth:
            best, best_depth = number, len(path)
    return best


def _split_key(key: str) -> list[str]:
    return [part.strip().strip("\"'") for part in key.split(".")]
