"""Whether all ids of a file have arrived: those of its dialogues, of its systems, and of the people who judged."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from dialgauge.corpus._corpus import FURTHER_TABLES, MAIN_TABLES
from dialgauge.corpus._fields import Field
from dialgauge.corpus._names import USES, is_id, is_person, normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._utterances import is_total
from dialgauge.corpus._values import NOT_GIVEN
from dialgauge.corpus._who_answered import says_it_tried
from dialgauge.errors import counted

#: A field is one of names of a kind if at least this share of its values are some.
_MOSTLY = 0.5
_SHOWN = 3
#: The columns in which names of each kind are stored.
_COLUMNS = {
    "dialogue": ("dialogue_id",),
    "system": ("system", "system_a", "system_b", "variant", "variant_a", "variant_b"),
    "annotator": ("annotator",),
}


def lost_names(fields: Iterable[Field], parts: Any, without: frozenset[str] = frozenset()) -> list[str]:
    """The fields of which most values are ids that arrived, and some are not: each as a sentence.

    Nobody is missed ``without`` whom the user wants the judgements.
    """
    stored = {kind: _stored(parts, columns) for kind, columns in _COLUMNS.items()}
    found = []
    for one in fields:
        kind = _kind(one)
        if kind is None:
            continue
        given = {text.strip() for text in one.counts if _is_name(text.strip(), one)} - without
        missing = sorted(given - stored[kind])
        if kind == "annotator" and len(missing) == len(given) > 1 and _are_numbered(stored[kind], given):
            such = ", ".join(map(repr, missing[:_SHOWN]))
            found.append(
                f"{one.path!r} names {counted(len(given), kind)} ({such}), and the judgements are those of 1, 2 …: "
                "give each judgement its annotator as a field of its own, or leave the names out "
                f"(--map ignore={one.path})"
            )
        if missing and len(missing) < _MOSTLY * len(given):
            such = ", ".join(map(repr, missing[:_SHOWN]))
            if kind == "annotator" and all(map(says_it_tried, missing)):
                found.append(
                    f"{one.path!r} names {such}, of whom there is no judgement: leave them out "
                    f"({' '.join(f'--map ignore={name}' for name in missing)}), or correct these rows"
                )
                continue
            found.append(
                f"{one.path!r} names {counted(len(given), kind)}, of which {len(missing):,} did not arrive (such as "
                f"{such}): correct these rows, or leave the field out (--map ignore={one.path})"
            )
    return found


def headings_as_data(parts: Any) -> list[str]:
    """What was stored that is a heading by its own column's name: then a row of headings was taken for one of data."""
    summaries, ratings = getattr(parts, "summaries", None), parts.ratings
    found: list[tuple[str, ...]] = []
    if summaries is not None:
        short = summaries.filter(pl.col("text").str.len_chars() <= _LONGEST_HEADING)
        found += [row for row in short.select("system", "text").iter_rows() if normalised(row[1]) in _TEXT_HEADINGS]
    people = ratings.select("system", "annotator").unique(maintain_order=True).drop_nulls()
    found += [
        row
        for row in people.iter_rows()
        if normalised(row[0]) in USES["system"] and normalised(row[1]) in USES["annotator"]
    ]
    if not found:
        return []
    such = ", ".join(map(repr, found[0]))
    return [f"a row of headings was read as data ({such}): put all headings into one row above the data"]


_LONGEST_HEADING = 40
_TEXT_HEADINGS = frozenset({*USES["summary"], *USES["dialogue"], *USES["reference"]}) - {"resume", "output"}


def columns_without_heading(frame: pl.DataFrame) -> list[str]:
    """A table of which many columns have cells and no heading: then its headings were not found."""
    filled = [column for column in frame.columns if frame[column].null_count() < frame.height]
    unnamed = [column for column in filled if _UNNAMED.fullmatch(normalised(column))]
    if len(unnamed) < 2 or len(unnamed) * 3 < len(filled):
        return []
    return [
        f"{len(unnamed):,} of {counted(len(filled), 'column')} have no heading: put the headings into one row above "
        "the data, with nothing above them"
    ]


_UNNAMED = re.compile(r"unnamed(?:_\d+)?|column_\d+|field_\d+|_?\d*")


def named_in(frame: pl.DataFrame, uses: Mapping[str, tuple[str, ...]]) -> list[Field]:
    """The columns of a table that hold ids, with all of their values."""
    found = []
    for use in ("dialogue_id", "system", "annotator"):
        for column in uses.get(use, ()):
            if column in frame.columns:
                one = Field(column, (use,))
                one.counts.update(frame.select(as_text(column, frame))[column].drop_nulls().unique().to_list())
                found.append(one)
    return found


def _are_numbered(people: set[str], given: set[str]) -> bool:
    """Whether the people who were read have only numbers, and those whom the file names have names."""
    return bool(people) and all(map(str.isdigit, people)) and not any(map(str.isdigit, given))


def _kind(one: Field) -> str | None:
    """What the ids of a field name, by its own name; None for all other fields."""
    name = normalised(one.names[-1]) if one.names else ""
    if name in USES["annotator"] or is_person(name) or is_person(name.removesuffix("s")):
        return "annotator"
    if name in USES["system"]:
        return "system"
    return "dialogue" if is_id(name) or name == "dialogue_id" else None


def _is_name(text: str, one: Field) -> bool:
    """Whether a cell names something: it is filled, and neither a second heading nor that of a row of sums."""
    return not (text.lower() in NOT_GIVEN or text in one.names or text.startswith("{") or is_total(text))


def _stored(parts: Any, columns: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for table in MAIN_TABLES | FURTHER_TABLES:
        frame = getattr(parts, table, None)
        if frame is not None and frame.height:
            for column in columns:
                if column in frame.columns:
                    found.update(frame[column].drop_nulls().unique().to_list())
    return found
