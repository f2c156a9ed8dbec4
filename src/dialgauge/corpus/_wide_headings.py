"""What the headings of wide tables name: people beside questions, people or systems in a grid with dimensions."""

import re
import unicodedata
from collections.abc import Mapping

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._names import (
    AGGREGATES,
    CLASSES,
    USES,
    heading,
    is_bare_id,
    is_dimension,
    is_housekeeping,
    is_id,
    is_other_id,
    normalised,
)

#: What a column of ratings is about: the dimension, the system and the annotator, as far as its heading says.
Found = dict[str, tuple[str, str | None, str | None]]
#: What columns of answers are called that name no dimension; it may stand in a column of its own.
VALUE = "rating"
ANSWERS = frozenset({*USES["value"], *CLASSES})


def as_written(column: str, affix: str) -> str:
    """The affix in the letters of the heading: what parts its words, as capitals do in ``mT5``, stays as it is."""
    letters = re.escape(affix).replace("_", r"[^a-zA-Z0-9]*")
    ends = (rf"(?:{letters})(?=[^a-zA-Z0-9]*$)", rf"^(?:{letters})", letters)
    plain = _without_accents(column)
    at = next((found for pattern in ends if (found := re.search(pattern, plain, re.IGNORECASE))), None)
    if at is None:
        return affix
    written = column[at.start() : at.end()]
    closed = written.count("(") > written.count(")") and column[at.end() : at.end() + 1] == ")"
    return f"{written})" if closed else written


def with_accents(column: str, stem: str) -> str:
    """A part of a normalised heading with the accents that it has there: ``kohärenz`` of ``Kohärenz_bart``."""
    if column.isascii():
        return stem
    plain = _without_accents(column)
    at = re.search(re.escape(stem).replace("_", r"[\W_]+"), plain, re.IGNORECASE)
    return column[at.start() : at.end()].lower() if at else stem


def _without_accents(text: str) -> str:
    """As many letters, without their accents."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFKD", letter)[0] for letter in text)


def is_judged(frame: pl.DataFrame, column: str) -> bool:
    found = answers(frame[column])
    return found.given > 0 and found.share >= 0.5 and found.kind in ("number", "yes/no", "ordered")


def people_beside_questions(frame: pl.DataFrame, names: Mapping[str, str]) -> Found:
    """The columns of answers beside a column that says to which question: each is called after who answered."""
    found = [
        column
        for column, name in names.items()
        if is_judged(frame, column)
        and not (is_dimension(name) or is_housekeeping(name) or is_id(name) or is_other_id(name) or is_bare_id(name))
        and not (name in ANSWERS or AGGREGATES.fullmatch(name))
    ]
    return {column: (VALUE, None, column) for column in found} if len(found) > 1 else {}


#: What people give to each of several systems, beside the names of dimensions.
_GIVEN = frozenset({*ANSWERS, "rank", "ranking", "place", "points", "stars", "grade", "rang", "note"})


#: What stands between the two parts of a heading.
_JOINTS = (" - ", " – ", ": ", " / ", " | ", " @ ")


def in_grid(frame: pl.DataFrame, names: Mapping[str, str], named: bool) -> Found:
    """Answers whose headings have two parts in all combinations, one of them a dimension: the other is who judged.

    Where another column says who judged, it is which system wrote.
    """
    for joint in _JOINTS:
        parted = {column: column.split(joint) for column in names if column.count(joint) == 1}
        cells = {column: (parts[0].strip(), parts[1].strip()) for column, parts in parted.items()}
        cells = {column: cell for column, cell in cells.items() if is_judged(frame, column)}
        sides = [dict.fromkeys(cell[side] for cell in cells.values()) for side in (0, 1)]
        if min(map(len, sides)) < 2 or len(set(cells.values())) != len(cells):
            continue
        told = [any(is_dimension(normalised(heading(name)[0])) for name in side) for side in sides]
        if len(cells) != len(sides[0]) * len(sides[1]) or told.count(True) != 1:
            continue
        what = told.index(True)
        return {
            column: (cell[what], cell[1 - what] if named else None, None if named else cell[1 - what])
            for column, cell in cells.items()
        }
    return {}


#: A person with a title before the name, and what stands before or behind it: "Fr. Albers Inhalt".
_TITLED = re.compile(
    r"(?:(.+?)\s*[-–—:/|,(]?\s*)??(\b(?:Fr|Frau|Hr|Herr|Mr|Mrs|Ms|Dr|Prof|Mme|Mlle|Sr|Sra|Srta|Sig|Dhr|Mevr)(?:\.\s*|\s+)"
    r"[^\W\d_][\w'’-]+)\)?(?:\s*[-–—:/|,]?\s+(.+))?"
)


def titled_people(frame: pl.DataFrame, names: Mapping[str, str]) -> Found:
    """Answers whose headings name a person with a title, who was asked the same as the others."""
    found: Found = {}
    for column in names:
        at = _TITLED.fullmatch(" ".join(column.split()))  # runs of spaces would be tried in every way
        if at is not None and is_judged(frame, column):
            found[column] = (at[1] or at[3] or VALUE, None, at[2])
    cells = {(dimension, who) for dimension, _, who in found.values()}
    people, asked = {who for _, who in cells}, {dimension for dimension, _ in cells}
    whole = len(found) == len(cells) == len(people) * len(asked)
    return found if whole and len(people) > 1 else {}


def systems_in_headings(frame: pl.DataFrame, names: Mapping[str, str]) -> Found:
    """Answers about systems that only the headings name (``Wren Accuracy``), where another column says who judged."""
    groups: dict[str, dict[str, str]] = {}
    for column in names:
        title = normalised(heading(column)[0])
        tokens = title.split("_")
        if is_dimension(title) or AGGREGATES.fullmatch(title) or not is_judged(frame, column):
            continue
        for size in range(1, len(tokens)):
            parts = ("_".join(tokens[:size]), "_".join(tokens[size:]))
            told = [part for part in parts if is_dimension(part) or part in _GIVEN]
            if len(told) == 1:
                groups.setdefault(told[0], {})[parts[1 - parts.index(told[0])]] = column
                break
    affixes = {frozenset(group) for group in groups.values()}
    if len(affixes) != 1 or len(next(iter(affixes))) < 2:
        return {}
    return {
        column: (dimension, as_written(column, system), None)
        for dimension, group in groups.items()
        for system, column in group.items()
    }


#: What columns of ranks are called, before or behind who ranked.
_RANKS = frozenset(["rank", "ranks", "ranking", "rang", "rangfolge", "platz", "place", "classement", "posicion"])


def rankers(frame: pl.DataFrame, names: Mapping[str, str]) -> Found:
    """Columns of ranks that are called after people: ``Rank Ann`` and ``Rank Bob`` beside the systems, each in a row.

    All that somebody ranked must have the places from 1 on, which two may share.
    """
    systems = [column for column, name in names.items() if name in USES["system"]]
    found: Found = {}
    for column, name in names.items():
        tokens = name.split("_")
        stem = next((one for one in (tokens[0], tokens[-1]) if one in _RANKS), None)
        if stem is not None and len(tokens) > 1 and systems and _are_ranks(frame, column, systems[0]):
            who = "_".join(tokens[1:] if tokens[0] == stem else tokens[:-1])
            if is_dimension(who):
                return {}  # ranks on each of several qualities
            found[column] = (stem, None, as_written(column, who))
    if not all(who is not None and who[:1].isupper() for _, _, who in found.values()):
        return {}
    return found if len({who for _, _, who in found.values()}) == len(found) > 1 else {}


def _are_ranks(frame: pl.DataFrame, column: str, system: str) -> bool:
    """Whether the numbers of a column are the places of all systems, in every dialogue that somebody ranked."""
    values = answers(frame[column]).values
    given = [values.get(text.strip()) for text in frame[column].cast(pl.String).drop_nulls()]
    ranks = [one for one in given if one is not None]
    count = frame[system].drop_nulls().n_unique()
    whole = len(ranks) >= count > 1 and len(ranks) % count == 0 and min(ranks) >= 1 and max(ranks) <= count
    return whole and sum(ranks) * 2 == len(ranks) * (count + 1)
