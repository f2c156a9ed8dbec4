"""Summaries with marks in them: ``The <err type="number">12</err> tickets``."""

import re
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._markup import is_tag
from dialgauge.corpus._sides import rows_without, taken_out
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import ORIGINAL, OVERALL
from dialgauge.corpus.layouts._base import ROW

_OPEN_OR_CLOSE = re.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*)\s*>")
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_SEVERITY = ("severity", "level")
_LABEL = ("type", "label", "category", "class", "kind", "error")


def with_inline_marks(table: Table, mapping: Mapped) -> Table:
    """The table with marks taken out of its summaries, as spans; unchanged where there are none."""
    texts = [c for c, dtype in table.frame.schema.items() if dtype == pl.String and _are_marked(table.frame[c])]
    if not texts or table.further:
        return table
    plan = make_plan(table.frame, {use: given for use, given in mapping.items() if use != "ignore"}, table.known)
    column = next(iter(plan.uses.get("summary", ())), None)
    if column not in texts:
        return table
    plain = {text: _parted(text) for text in table.frame[column].drop_nulls().unique()}
    if _is_enclosed(table.frame[column]):
        return _without_tags(table, [text for text in texts if _is_enclosed(table.frame[text])])
    frame = table.frame.with_columns(pl.col(column).replace({text: made for text, (made, _) in plain.items()}))
    keyed, rest = taken_out(replace(table, frame=frame), mapping, [])
    made = rows_without(replace(table, frame=frame), keyed, rest)
    rows = []
    for given, text in zip(keyed.iter_rows(named=True), table.frame[column], strict=True):
        if text is None:
            continue
        key = {
            "dialogue_id": given["@dialogue_id"],
            "system": given["@system"] or "system",
            "variant": given["@variant"] or ORIGINAL,
            "role": given["@role"] or OVERALL,
            "annotator": given["@annotator"] or "1",
            "dimension": given["@dimension"] or "errors",
            "time": given["@time"],
            ROW: given[ROW] + made.frame.height,
        }
        marks = plain[text][1] or [{"start": None, "end": None, "text": None, "label": None, "severity": None}]
        rows += [key | mark for mark in marks]
    note = f"{column!r} has marks in its texts: they were taken out, as spans"
    further = {**table.further, "spans": pl.DataFrame(rows, infer_schema_length=None)}
    return replace(made, further=further, notes=(*table.notes, note), known={**table.known, column: "summary"})


def _is_enclosed(values: pl.Series) -> bool:
    return all(_encloses(*_parted(text)) for text in values.drop_nulls().unique())


def _encloses(text: str, marks: list[dict[str, object]]) -> bool:
    """Whether every word of a text is between tags: these part it into sentences, and mark no place in it."""
    covered = {n for mark in marks for n in range(int(str(mark["start"])), int(str(mark["end"])))}
    return all(letter.isspace() or n in covered for n, letter in enumerate(text))


def _without_tags(table: Table, columns: list[str]) -> Table:
    """The table without the tags that enclose all that is said in some columns."""
    made = [pl.col(c).map_elements(lambda text: _parted(text)[0].strip(), pl.String) for c in columns]
    note = f"tags that enclose all of {', '.join(map(repr, columns))} were taken out"
    return replace(table, frame=table.frame.with_columns(made), notes=(*table.notes, note))


def _are_marked(values: pl.Series) -> bool:
    """Whether at least two texts have something between an opening and a closing tag that is none of a web page."""
    suspects = values.drop_nulls().unique().filter(values.drop_nulls().unique().str.contains("</", literal=True))
    return sum(bool(_parted(text)[1]) for text in suspects.head(50)) > 1


def _parted(text: str) -> tuple[str, list[dict[str, object]]]:
    """The text without its marks, and the marks with their places in it."""
    marks: list[dict[str, object]] = []
    opened: list[tuple[str, int, str]] = []
    kept, position = "", 0
    closed = {found[2] for found in _tags(text) if found[1]}
    for found in _tags(text):
        if found[2] not in closed:
            continue
        kept += text[position : found.start()]
        position = found.end()
        if not found[1]:
            opened.append((found[2], len(kept), found[3]))
        elif opened and opened[-1][0] == found[2]:
            name, start, given = opened.pop()
            about = {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(given)}
            marks.append(
                {
                    "start": start,
                    "end": len(kept),
                    "text": kept[start:],
                    "label": next((about[key] for key in _LABEL if key in about), name),
                    "severity": next((about[key] for key in _SEVERITY if key in about), None),
                }
            )
    return (kept + text[position:], marks) if marks and not opened else (text, [])


def _tags(text: str) -> Iterator["re.Match[str]"]:
    return (found for found in _OPEN_OR_CLOSE.finditer(text) if not is_tag(found[2]))
