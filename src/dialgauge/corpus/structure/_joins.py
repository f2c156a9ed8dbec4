"""Parts that name the rows of others, by the values: ids, pairs of ids, and keys that tell who was A and who was B."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._linked import names_row
from dialgauge.corpus._names import normalised
from dialgauge.corpus._part_names import are_pages
from dialgauge.corpus._sheets import SHEET
from dialgauge.corpus._table import Sheet
from dialgauge.corpus.structure._profiles import Kind, kind_of

#: The end of the name of a column that a blinding key fills.
DECODED = " (decoded)"


@dataclass(frozen=True, slots=True)
class Part:
    """A part with what its columns hold, and the names that its columns have in the parts that took them over."""

    sheet: Sheet
    kinds: Mapping[str, Kind]

    @property
    def frame(self) -> pl.DataFrame:
        return self.sheet.frame

    def of(self, *kinds: Kind) -> list[str]:
        """The columns that hold this."""
        return [column for column, kind in self.kinds.items() if kind in kinds]


@dataclass(frozen=True, slots=True)
class Link:
    """The columns of one part whose values are those of the columns of another, which has one row for each."""

    source: str
    columns: tuple[str, ...]
    target: str
    keys: tuple[str, ...]


def profiled(sheet: Sheet) -> Part:
    return Part(sheet, {column: kind_of(sheet.frame[column], column) for column in sheet.frame.columns})


def stacked(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Parts with the same columns as one, with the name of each in a column."""
    groups: dict[frozenset[str], list[Sheet]] = {}
    for sheet in sheets:
        groups.setdefault(frozenset(map(normalised, sheet.frame.columns)), []).append(sheet)
    return [own[0] if len(own) == 1 else _one(own) for own in groups.values()]


def _one(sheets: Sequence[Sheet]) -> Sheet:
    first = {normalised(column): column for column in sheets[0].frame.columns}
    shared = normalised(sheets[0].name).split("_")
    for sheet in sheets[1:]:
        shared = [word for word in shared if word in normalised(sheet.name).split("_")]
    frames = []
    for sheet in sheets:
        frame = sheet.frame.rename({column: first[normalised(column)] for column in sheet.frame.columns})
        frames.append(_with_points(frame).with_columns(pl.lit(_own(sheet.name, shared)).alias(SHEET)))
    places = [sheet.place(row) for sheet in sheets for row in range(sheet.frame.height)]
    return Sheet(
        "+".join(sheet.name for sheet in sheets),
        pl.concat(frames, how="diagonal"),
        lambda row: places[min(row, len(places) - 1)],
    )


def _own(name: str, shared: Sequence[str]) -> str:
    """What is left of the name of a part without the words that all have: "ratings_ann" and "ratings_bob"."""
    words = name.replace("_", " ").split()
    own = [word for word in words if normalised(word) not in shared]
    return " ".join(own) if own and shared else name


def _with_points(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers with a decimal comma with a point, where a whole column has them: other parts may have points."""
    made = []
    for column in frame.iter_columns():
        given = column.drop_nulls()
        commas = given.str.contains(r"^[+-]?\d+,\d+\s*%?$")
        plain = given.str.contains(r"^[+-]?\d+\s*%?$")
        if len(given) and commas.any() and bool((commas | plain).sum() * 10 >= len(given) * 9):
            column = column.str.replace(r"^([+-]?\d+),(\d+\s*%?)$", "$1.$2")
        made.append(column)
    return pl.DataFrame(made)


def with_keys_opened(parts: Sequence[Part]) -> list[Part]:
    """Keys with a column for each letter (A, B, C) as rows of letter and name, where another part has the letters."""
    made = []
    for part in parts:
        found = next((one for other in parts if other is not part for one in _codes(part, other)), None)
        made.append(_opened(part, found) if found else part)
    return made


def _codes(part: Part, other: Part) -> list[str]:
    """The columns of another part whose values are headings of this one."""
    headings = set(part.of("name"))
    return [
        column
        for column in other.of("name")
        if column not in part.frame.columns
        and 1 < len(used := set(other.frame[column].drop_nulls())) <= 12
        and used <= headings
        and len(headings - used) <= 2
    ]


def _opened(part: Part, code: str) -> Part:
    letters = part.of("name")
    frame = part.frame
    rest = [column for column in frame.columns if column not in letters]
    # Names beside the letters that recur in every row of the key say which dialogue it is for.
    keys = [column for column in letters if frame[column].n_unique() == frame.height and frame.height > 1][:1]
    letters = [column for column in letters if column not in keys]
    melted = frame.unpivot(letters, index=[*keys, *rest], variable_name=code, value_name=code + DECODED)
    place = part.sheet.place
    return profiled(Sheet(part.sheet.name, melted, lambda row: place(row % max(frame.height, 1))))


def links_between(parts: Sequence[Part]) -> list[Link]:
    """Who names whose rows. Of several parts that a column could name, the one with its name or the most to say."""
    found = []
    for source in parts:
        taken: dict[tuple[str, ...], tuple[tuple[int, int], Link]] = {}
        for target in parts:
            if source is target:
                continue
            for link in [*_single(source, target), *_pairs(source, target)]:
                rank = (int(link.columns == link.keys), len(target.frame.columns))
                if link.columns not in taken or rank > taken[link.columns][0]:
                    taken[link.columns] = (rank, link)
        found += [link for _, link in taken.values()]
    mutual = {(link.target, link.source) for link in found}
    return [
        link
        for link in found
        if (link.source, link.target) not in mutual or _height(parts, link.source) >= _height(parts, link.target)
    ]


def _height(parts: Sequence[Part], name: str) -> int:
    return next(part.frame.height for part in parts if part.sheet.name == name)


def _keys(part: Part) -> list[str]:
    return [
        column
        for column in part.frame.columns
        if part.kinds[column] in ("name", "scale") or part.frame[column].str.contains(r"^[\w.#:/ -]{1,40}$").all()
    ]


def _single(source: Part, target: Part) -> list[Link]:
    found = []
    for key in _keys(target):
        values = target.frame[key]
        if len(values) < 2 or values.null_count() or values.n_unique() < len(values):
            continue
        known = set(values)
        for column in _keys(source):
            if source.kinds[column] == "scale" and not names_row(column, key, target.sheet.name):
                continue
            used = set(source.frame[column].drop_nulls())
            if used and used <= known and _are_ids(used, column, key, target):
                found.append(Link(source.sheet.name, (column,), target.sheet.name, (key,)))
    return found


def _are_ids(used: set[str], column: str, key: str, target: Part) -> bool:
    """Whether values that are all among those of a key are its names: numbers need the name of the key too."""
    if names_row(column, key, target.sheet.name) or normalised(column) == normalised(key) != "id":
        return len(used) > 1
    return len(used) > 1 and not any(text.lstrip("#").isdigit() or len(text) < 2 for text in used)


def _pairs(source: Part, target: Part) -> list[Link]:
    common = [column for column in target.frame.columns if column in source.frame.columns]
    for first in common:
        for second in common[common.index(first) + 1 :]:
            keys = target.frame.select(first, second)
            alone = any(keys[one].n_unique() == keys.height for one in (first, second))
            if keys.null_count().row(0) != (0, 0) or alone or keys.is_duplicated().any():
                continue
            used = source.frame.select(first, second).drop_nulls().unique()
            if used.height > 1 and used.join(keys, on=[first, second], how="anti").is_empty():
                return [Link(source.sheet.name, (first, second), target.sheet.name, (first, second))]
    return []


def joined(part: Part, parts: Mapping[str, Part], links: Sequence[Link], above: tuple[str, ...] = ()) -> Part:
    """A part with the columns of the parts that its rows name, and of those that these name."""
    frame, kinds = part.frame, dict(part.kinds)
    judged = bool(part.of("scale"))
    letters: set[str] = set()
    for link in links:
        if link.source != part.sheet.name or link.target in (*above, part.sheet.name):
            continue
        if judged and parts[link.target].of("scale") and not parts[link.target].of("text", "dialogue"):
            continue  # it sums up what is judged here
        target = joined(parts[link.target], parts, links, (*above, part.sheet.name))
        if not {*link.columns} <= {*frame.columns} or not {*link.keys} <= {*target.frame.columns}:
            continue
        taken = [
            column
            for column, kind in target.kinds.items()
            if column not in link.keys and column not in frame.columns and not (judged and kind == "scale")
        ]
        own = {key: f"_{place}" for place, key in enumerate(link.keys)}
        wanted = target.frame.select(*link.keys, *taken).rename(own)
        frame = frame.join(
            wanted, left_on=list(link.columns), right_on=list(own.values()), how="left", maintain_order="left"
        )
        kinds |= {column: target.kinds[column] for column in taken}
        kinds |= {column: "name" for column in link.columns if kinds[column] == "scale"}
        here = dict(zip(link.keys, link.columns, strict=True))
        decoded = [column.removesuffix(DECODED) for column in taken if column.endswith(DECODED)]
        letters |= {here.get(letter, letter) for letter in decoded}
    if not above:  # all keys are joined: the letters have done their work
        frame = frame.drop(letters & {*frame.columns})
        kinds = {column: kind for column, kind in kinds.items() if column not in letters}
    return Part(replace(part.sheet, frame=frame), kinds)


def names_people(values: pl.Series) -> bool:
    """Whether the names of parts may be those of people: they do more than number or date them."""
    return not are_pages(values.drop_nulls().unique().to_list())
