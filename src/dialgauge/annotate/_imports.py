"""Imports: ratings from elsewhere become events like any other, with their source.

A row that names no item of the annotator, or a value off the scale, is refused with its place and reason; a rating that
was given in the application already is never overwritten.
"""

import json
import uuid
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._answers import Save
from dialgauge.annotate._library import Library, dimensions_of_pass
from dialgauge.annotate._project import Project
from dialgauge.annotate._results import system_codes
from dialgauge.annotate._saves import save_answer
from dialgauge.annotate._tray_import import import_tray
from dialgauge.errors import InputError, MissingExtraError

IMPORTS = ("sheets", "label-studio", "tray")
_NAMESPACE = uuid.UUID("5e1d2a86-8d0f-4c0e-9f1a-6f2f8a3f0a11")
_LARGEST_WORKBOOK = 2**28


@dataclass(frozen=True, slots=True)
class Line:
    """Ratings of one summary from a file: their place, annotator and summary."""

    where: str
    annotator: str
    system: str
    dialogue_id: str | None
    summary: str | None
    values: Mapping[str, Any]
    comment: str = ""


def import_answers(
    connection: Connection, project: Project, library: Library, kind: str, content: bytes, annotator: str
) -> dict[str, Any]:
    """Import a file; returns how many ratings were accepted, and each refused line with its reason."""
    if kind == "tray":
        return import_tray(connection, project, library, content, annotator)
    if project.section.task != "rate":
        raise InputError("only ratings can be imported")
    refused: list[dict[str, str]] = []
    lines = list((_sheet_lines if kind == "sheets" else _label_studio_lines)(content, annotator, project, refused))
    places = _places(connection, project, library)
    accepted = 0
    for line in lines:
        try:
            accepted += _take(connection, project, library, line, places, kind)
        except (RefusedError, ValidationError) as error:
            refused.append({"where": line.where, "message": _reason(error)})
    return {"accepted": accepted, "refused": refused}


def _reason(error: RefusedError | ValidationError) -> str:
    if isinstance(error, ValidationError):
        return str(error.errors()[0]["msg"])
    problems = error.more.get("problems") or []
    return "; ".join(f"{one['where']}: {one['message']}" for one in problems) or error.message


@dataclass(frozen=True, slots=True)
class _Place:
    """An assignment where ratings can go."""

    assignment: str
    dimensions: tuple[str, ...]
    rev: int


@dataclass(frozen=True, slots=True)
class _Places:
    people: Mapping[str, Visitor]
    by_id: Mapping[tuple[str, str, str], list[_Place]]
    by_text: Mapping[tuple[str, str, str], list[_Place]]


def _places(connection: Connection, project: Project, library: Library) -> _Places:
    """Every assignment by annotator, system (name and code) and dialogue id, and by the text of its summary."""
    codes = system_codes(connection, project, always=True)
    query = (
        sa.select(t.assignment, t.annotator.c.name, t.page.c.number_of_pass)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .join(t.page, t.page.c.id == t.assignment.c.page)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .where(t.item.c.purpose == "main")
    )
    by_id: dict[tuple[str, str, str], list[_Place]] = defaultdict(list)
    by_text: dict[tuple[str, str, str], list[_Place]] = defaultdict(list)
    for row in connection.execute(query).all():
        (summary,) = library.summaries(connection, row.shown)
        (item,) = library.items(connection, [row.item])
        asked = dimensions_of_pass(project.section, row.number_of_pass)
        place = _Place(row.id, tuple(dimension.name for dimension in asked), row.rev)
        for system in {summary.system, codes[summary.system]}:
            by_id[row.name, system, library.dialogue(connection, item.dialogue).dialogue_id].append(place)
            by_text[row.name, system, _squeezed(summary.text)].append(place)
    people = {
        row.name: Visitor(row.id, row.name, row.state, row.role, "", "")
        for row in connection.execute(sa.select(t.annotator))
    }
    return _Places(people, by_id, by_text)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _take(connection: Connection, project: Project, library: Library, line: Line, places: _Places, kind: str) -> int:
    """Save one line; returns how many values it had."""
    if line.annotator not in places.people:
        raise RefusedError(422, "invalid", f"there is no annotator {line.annotator!r}")
    if line.dialogue_id is not None:
        found = places.by_id.get((line.annotator, line.system, line.dialogue_id), [])
    else:
        found = places.by_text.get((line.annotator, line.system, _squeezed(line.summary or "")), [])
    if not found:
        raise RefusedError(422, "invalid", "no summary of this system and dialogue is assigned to the annotator")
    if len({place.dimensions for place in found}) < len(found):
        raise RefusedError(422, "invalid", "several summaries have this text; add a column dialogue_id")
    unknown = [name for name in line.values if not any(name in place.dimensions for place in found)]
    if unknown:
        raise RefusedError(422, "invalid", f"{unknown[0]!r} is not a dimension of this study")
    taken = 0
    for place in found:
        values = {name: value for name, value in line.values.items() if name in place.dimensions}
        if not values:
            continue
        comment = line.comment if project.section.comments else ""
        key = str(uuid.uuid5(_NAMESPACE, json.dumps([kind, place.assignment, values, comment], sort_keys=True)))
        save = Save.model_validate({"key": key, "rev": 0, "values": values, "comment": comment})
        who = places.people[line.annotator]
        with connection.begin_nested():
            saved = save_answer(connection, project, library, who, place.assignment, save, source=kind)
        taken += 0 if saved.reply["repeated"] else len(values)
    return taken


def _sheet_lines(content: bytes, annotator: str, project: Project, refused: list[dict[str, str]]) -> Iterator[Line]:
    """A workbook with a sheet per system, a row per dialogue and a column per dimension.

    Rows are matched by the column ``dialogue_id`` or, without one, by the text of the summary; never by their place.
    """
    if not annotator:
        raise InputError("sheets: name the annotator who completed them")
    names = [dimension.name for dimension in project.section.dimensions]
    for sheet, rows in _read_workbook(content).items():
        for number, row in enumerate(rows, 2):
            cells = {str(name).strip().lower(): value for name, value in row.items()}
            where = f"sheet {sheet}, row {number}"
            strays = [name for name, value in cells.items() if name.startswith("__unnamed__") and value is not None]
            if strays:
                refused.append({"where": where, "message": f"a value is in a column without a name: {strays[0]}"})
            given = {name: _number(cells[name.lower()]) for name in names if cells.get(name.lower()) is not None}
            if not given:
                continue
            dialogue_id, summary = cells.get("dialogue_id"), cells.get("summary")
            if dialogue_id is None and summary is None:
                refused.append({"where": where, "message": "has neither a dialogue_id nor a summary to match it by"})
                continue
            known = None if dialogue_id is None else str(dialogue_id).removesuffix(".0")
            comment = str(cells.get("comment") or "")
            yield Line(where, annotator, sheet, known, None if summary is None else str(summary), given, comment)


def _number(cell: Any) -> Any:
    """The number in a cell; anything else stays as it is and is refused later."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return str(cell)


def _read_workbook(content: bytes) -> dict[str, list[dict[str, Any]]]:
    try:
        import fastexcel
    except ImportError as error:
        raise MissingExtraError("reading XLSX", "xlsx") from error
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _LARGEST_WORKBOOK:
                raise InputError("sheets: the workbook unpacks to more than 256 MiB")
        book = fastexcel.read_excel(content)
        return {name: book.load_sheet(name, dtypes="string").to_polars().to_dicts() for name in book.sheet_names}
    except (zipfile.BadZipFile, NotImplementedError, fastexcel.FastExcelError) as error:
        raise InputError(f"sheets: cannot be read as XLSX: {error}") from error


def _label_studio_lines(
    content: bytes, annotator: str, project: Project, refused: list[dict[str, str]]
) -> Iterator[Line]:
    """Label Studio's JSON export: tasks whose data name dialogue and system, with ratings, choices or numbers.

    The annotator is the one named, else each annotation's ``completed_by``.
    """
    try:
        tasks = json.loads(content)
    except ValueError as error:
        raise InputError(f"label-studio: not JSON: {error}") from error
    if not isinstance(tasks, list):
        raise InputError("label-studio: expected a list of tasks, as the JSON export has it")
    for number, task in enumerate(tasks, 1):
        data = task.get("data") if isinstance(task, dict) else None
        annotations = task.get("annotations") if isinstance(task, dict) else None
        if not isinstance(data, dict) or not isinstance(annotations, list) or "system" not in data:
            refused.append({"where": f"task {number}", "message": "has no data with dialogue_id and system"})
            continue
        for place, annotation in enumerate(annotations, 1):
            where = f"task {number}, annotation {place}"
            result = annotation.get("result") if isinstance(annotation, dict) else None
            if not isinstance(result, list):
                refused.append({"where": where, "message": "has no result"})
                continue
            values, comment = _label_studio_values(result)
            who = annotator or _completed_by(annotation.get("completed_by"))
            known = data.get("dialogue_id")
            text = data.get("summary")
            yield Line(where, who, str(data["system"]), None if known is None else str(known), text, values, comment)


def _completed_by(who: Any) -> str:
    return str(who.get("email") or who.get("id")) if isinstance(who, dict) else str(who)


def _label_studio_values(result: list[Any]) -> tuple[dict[str, Any], str]:
    values: dict[str, Any] = {}
    comment = ""
    for entry in result:
        value = entry.get("value") if isinstance(entry, dict) else None
        if not isinstance(value, dict):
            continue
        name = str(entry.get("from_name"))
        if "rating" in value or "number" in value:
            values[name] = _number(value.get("rating", value.get("number")))
        elif isinstance(value.get("choices"), list) and value["choices"]:
            # A choice is written as its point, alone or before its label: "4" or "4 good".
            values[name] = _number(str(value["choices"][0]).split()[0] if str(value["choices"][0]).split() else None)
        elif "text" in value:
            comment = " ".join(value["text"]) if isinstance(value["text"], list) else str(value["text"])
    return values, comment
