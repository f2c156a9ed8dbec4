"""Pages in Markdown with a section for each dialogue: its turns, the summaries in a list, and a small table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from dialgauge.corpus._headings import distinct_names
from dialgauge.corpus._names import AGGREGATES, USES, normalised
from dialgauge.corpus._scale_ends import best_end
from dialgauge.corpus._table import Sheet, place_in
from dialgauge.corpus._turns import split_speaker
from dialgauge.errors import InputError

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
#: A line that only draws the border below the headings of a table of bars.
BORDER = re.compile(r"\s*[|+]?(?:\s*{0}\s*[|+])+(?:\s*{0}\s*)?".replace("{0}", "(?::?-{2,}:?|:-:?|-:)"))
#: What stands before the text of a line: of a quotation, of a list, of a numbered list.
_BEFORE = re.compile(r"^(?:\s*>)*\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?")
_EMPHASIS = re.compile(r"(\*\*|__|\*|_|`)(?=\S)(.+?)(?<=\S)\1")
#: "Reference. Tom thanks Ana.", where a word before a full stop says what follows.
_SAID_OF = re.compile(r"([^\W\d]\w{1,20})\.\s+(\S.*)")
#: "CALL-7 – Dropped line": a name with a title behind it.
_JOINT = re.compile(r"\s+[-–—|]\s+|:\s+")
_FEWEST_TURNS, _LONGEST_LABEL = 2, 5


@dataclass(slots=True)
class _Found:
    """A table of a page: its headings and rows, where it stands, and the headings above it, each with its line."""

    names: list[str]
    rows: list[list[str]]
    start: int
    end: int
    above: list[tuple[int, str, int]] = field(default_factory=list)


@dataclass(slots=True)
class _Section:
    """What the text around a table says: the turns, the summaries by system, and a reference."""

    turns: list[str] = field(default_factory=list)
    summaries: dict[str, str] = field(default_factory=dict)
    references: list[str] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)  # lines that give a system another text


def sections_as_sheets(text: str, file: str, others: bool = False) -> tuple[list[Sheet], list[str]]:
    """The tables that come again in each section of a page as one sheet, and the texts beside them as another.

    A table of other headings must sum up these; else nobody could say what it is about. With ``others`` it is a sheet
    too, if it does not stand in one of the sections.
    """
    lines = text.splitlines()
    tables = list(_tables(lines))
    shapes = [tuple(table.names) for table in tables]
    shape = max(shapes, key=shapes.count)
    again = [table for table in tables if tuple(table.names) == shape]
    apart = [table for table in tables if tuple(table.names) != shape]
    level = _level(again)
    outside = [t for t in apart if others and level is not None and not _is_within(t, again, level)]
    lost = next((table for table in apart if table not in outside and not _sums_up(table)), None)
    if len(again) < 2 or level is None or lost is not None:
        raise _refused(file, tables, lost)
    ids = _ids([_heading_of(table, level) for table in again])
    systems = _systems(again)
    own = [_section(lines, table, level, systems) for table in again]
    if not all(section.turns or section.summaries for section in own) and not others:
        raise _refused(file, tables, None)
    if twice := [line for section in own for line in section.twice]:
        raise InputError(
            f"{file}: line {twice[0]} gives a system another text than a line before: which is its summary?"
        )
    notes = [f"{len(again)} sections with a table each: their headings name the dialogues, such as {ids[0][0]!r}"]
    notes += [
        f"the table in line {table.start + 1} sums up others, and is left out"
        for table in apart
        if table not in outside or _sums_up(table)
    ]
    if unread := [line for one in own for line in one.unread]:
        notes.append(f"lines of the page that are no part of a dialogue or summary: {_listed(unread)}")
    written = list(dict.fromkeys(system for one in own for system in one.summaries))
    told = _key(lines, written, file)
    if told:
        notes.append(f"the page says what its letters mean: {', '.join(f'{a} = {b}' for a, b in told.items())}")
        again = [replace(table, names=[told.get(name, name) for name in table.names]) for table in again]
        for one in own:
            one.summaries = {told[system]: text for system, text in one.summaries.items()}
        written, shape = [told[system] for system in written], tuple(told.get(name, name) for name in shape)
    if len(written) > 1 and set(written) <= set(shape):
        ranked = any(best_end(_plain(line)) == "lower" for line in lines)
        return [_wide(again, own, ids, written, file, "rank" if ranked else "rating")], notes
    beside = [
        _sheet(f"table {n}", table.names, [(row, table.start + 3 + at) for at, row in enumerate(table.rows)], file)
        for n, table in enumerate(tables, start=1)
        if table in outside and not _sums_up(table)
    ]
    return [*_apart(again, own, ids, file), *beside], notes


def _is_within(table: _Found, again: Sequence[_Found], level: int) -> bool:
    """Whether a table stands in the section of one of those that come again."""
    own = {line for depth, _, line in table.above if depth == level}
    return any(own & {line for depth, _, line in one.above if depth == level} for one in again)


def _key(lines: Sequence[str], letters: Sequence[str], file: str) -> dict[str, str]:
    """Which system each letter means, where a line of the page says so of all: "X = Template bot, Y = Nova 8B"."""
    if len(letters) < _FEWEST_TURNS or any(len(letter) > _LONGEST_LETTER for letter in letters):
        return {}
    found: list[dict[str, str]] = []
    partly = False
    for line in lines:
        pairs = [_EQUAL.fullmatch(part.strip()) for part in re.split(r"[,;]\s", _plain(_BEFORE.sub("", line)))]
        said = {at[1]: at[2].strip(" .") for at in pairs if at is not None}
        if set(said) == set(letters) and len(pairs) == len(said) == len(set(said.values())):
            found.append(said)
        else:
            partly = (
                partly or len(set(said) & set(letters)) > 1 or (len(said) == len(pairs) == 1 and {*said} <= {*letters})
            )
    if partly or any(one != found[0] for one in found):
        raise InputError(
            f"{file}: the page says several times what {', '.join(letters)} mean, or not of all: write the names of "
            "the systems in the place of the letters"
        )
    return found[0] if found else {}


#: "X = Template bot"; what stands for a system is no longer than two letters.
_EQUAL, _LONGEST_LETTER = re.compile(r"(\w{1,2})\s*(?:=|:|→|is|stands for)\s*(\S.*)"), 2


def _refused(file: str, tables: Sequence[_Found], lost: _Found | None) -> InputError:
    apart = f" (that in line {lost.start + 1} is not as the others)" if lost is not None else ""
    return InputError(
        f"{file}: {len(tables)} tables in this page, and one is needed, or one with the texts of each section{apart}; "
        "put all rows into one table, with columns for what the headings between them say"
    )


_TOLD = ("dialogue_id", "title", "dialogue", "reference")


def _about(name: tuple[str, str | None], section: _Section) -> list[str | None]:
    return [*name, "\n".join(section.turns) or None, " ".join(section.references) or None]


def _apart(
    tables: Sequence[_Found], sections: Sequence[_Section], ids: Sequence[tuple[str, str | None]], file: str
) -> list[Sheet]:
    """The texts, a row for each summary, and the judgements, whose rows name the dialogues."""
    texts = [
        ([*_about(name, section), system, summary], table.above[-1][2] + 1)
        for table, section, name in zip(tables, sections, ids, strict=True)
        for system, summary in section.summaries.items() or [(None, None)]
    ]
    judged = [
        ([name[0], *row], table.start + 3 + place)
        for table, name in zip(tables, ids, strict=True)
        for place, row in enumerate(table.rows)
    ]
    return [
        _sheet("texts", [*_TOLD, "system", "summary"], texts, file),
        _sheet("judgements", ["dialogue_id", *tables[0].names], judged, file),
    ]


def _wide(
    tables: Sequence[_Found],
    sections: Sequence[_Section],
    ids: Sequence[tuple[str, str | None]],
    systems: Sequence[str],
    file: str,
    asked: str,
) -> Sheet:
    """The rows of tables that have a column of marks for each system, with the texts of all beside them."""
    names = [f"{asked}_{name}" if name in systems else name for name in tables[0].names]
    rows = [
        (
            [*_about(name, section), *(section.summaries.get(system) for system in systems), *row],
            table.start + 3 + place,
        )
        for table, section, name in zip(tables, sections, ids, strict=True)
        for place, row in enumerate(table.rows)
    ]
    return _sheet("judgements", [*_TOLD, *(f"summary_{system}" for system in systems), *names], rows, file)


def _sheet(name: str, names: Sequence[str], rows: Sequence[tuple[Sequence[str | None], int]], file: str) -> Sheet:
    columns = [
        pl.Series(column, [row[place] or None for row, _ in rows], pl.String)
        for place, column in enumerate(distinct_names(names))
    ]
    filled = [column for column in columns if column.null_count() < len(column)]
    return Sheet(name, pl.DataFrame(filled), place_in(file, [line for _, line in rows]))


def _listed(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:5]))
    return f"{shown} …" if len(lines) > 5 else shown


def _tables(lines: Sequence[str]) -> Iterator[_Found]:
    above: list[tuple[int, str, int]] = []
    for number, line in enumerate(lines):
        heading = _HEADING.fullmatch(line)
        if heading:
            depth = len(heading[1])
            above = [*(one for one in above if one[0] < depth), (depth, _plain(heading[2]), number)]
        if number and BORDER.fullmatch(line) and "|" in lines[number - 1]:
            end = number + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            names = _cells(lines[number - 1])
            rows = [_cells(one) for one in lines[number + 1 : end]]
            rows = [[*row, *[""] * (len(names) - len(row))][: len(names)] for row in rows]
            yield _Found(names, rows, number - 1, end, list(above))


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [_plain(cell.replace("\\|", "|").strip()) for cell in re.split(r"(?<!\\)\|", inner)]


def _plain(text: str) -> str:
    """A text without the marks of emphasis."""
    return _EMPHASIS.sub(r"\2", text).strip()


def _level(tables: Sequence[_Found]) -> int | None:
    """The highest level of headings at which each table stands under one of its own."""
    for depth in range(1, 7):
        lines = [next((line for own, _, line in table.above if own == depth), None) for table in tables]
        if None not in lines and len(set(lines)) == len(tables):
            return depth
    return None


def _heading_of(table: _Found, level: int) -> str:
    return next(text for depth, text, _ in table.above if depth == level)


def _end(lines: Sequence[str], start: int, level: int) -> int:
    """Where a section ends: before the next heading of its level or above."""
    for number in range(start + 1, len(lines)):
        heading = _HEADING.fullmatch(lines[number])
        if heading and len(heading[1]) <= level:
            return number
    return len(lines)


def _ids(headings: Sequence[str]) -> list[tuple[str, str | None]]:
    """The name of each dialogue and its title: what a heading says before a dash, without what all begin with."""
    parted = [_JOINT.split(heading, maxsplit=1) for heading in headings]
    names = [parts[0] for parts in parted]
    if len(set(names)) < len(names):
        parted = [[heading] for heading in headings]
        names = list(headings)
    words = [name.split() for name in names]
    shared = next((n for n, here in enumerate(zip(*words, strict=False)) if len(set(here)) > 1), 0)
    own = [" ".join(one[shared:]) or " ".join(one) for one in words]
    own = own if len(set(own)) == len(own) else list(names)
    return [(name, parts[1] if len(parts) > 1 else None) for name, parts in zip(own, parted, strict=True)]


def _systems(tables: Sequence[_Found]) -> dict[str, str]:
    """What could name a system: the headings of the tables, and the cells of their first columns."""
    names = [*tables[0].names[1:], *(row[0] for table in tables for row in table.rows)]
    return {normalised(name): name for name in names if name}


def _sums_up(table: _Found) -> bool:
    """Whether a table only has numbers that its headings or first cells call means or sums."""
    said = [*(text for _, text, _ in table.above[-1:]), *table.names, *(row[0] for row in table.rows)]
    named = any(AGGREGATES.fullmatch(normalised(text).removesuffix("s")) for text in said)
    return named and all(re.fullmatch(r"[\d.,%±\s()-]*", cell) for row in table.rows for cell in row[1:])


def _section(lines: Sequence[str], table: _Found, level: int, systems: dict[str, str]) -> _Section:
    """What the section around a table says. Of several runs of lines with speakers, the longest is the dialogue."""
    reader = _Reader(systems)
    start = next(line for depth, _, line in table.above if depth == level)
    for number in range(start + 1, _end(lines, start, level)):
        reader.read(number + 1, lines[number])
    return reader.section()


class _Reader:
    """Reads the lines of a section: turns, summaries and references, which may go on in the lines below."""

    def __init__(self, systems: dict[str, str]) -> None:
        self.systems = systems
        self.found = _Section()
        self.texts: list[tuple[str | None, list[str], int]] = []  # of which system, the lines, and where it begins
        self.runs: list[list[tuple[int, list[str]]]] = [[]]
        self.open: list[str] | None = None  # what a line without a speaker belongs to
        self.below = False  # whether all lines do, as below a heading with the name of a system
        self.gap = False

    def read(self, number: int, line: str) -> None:
        heading = _HEADING.fullmatch(line)
        said = _plain(heading[2] if heading else _BEFORE.sub("", line).strip())
        if not line.strip(" >-*_="):
            self.gap = True
        elif line.lstrip().startswith("|"):
            self._close()
        elif (whose := self._whose(said.rstrip(":. "))) is not None and (heading or said[-1:] == ":"):
            self._begin(whose, "", number)
            self.below = True
        elif heading:
            self._close()
        elif (text := _summary_or_reference(said, self.systems)) is not None:
            self._begin(*text, number)
        elif self.below or (self.open is not None and not self.gap and not _speaks(said)):
            assert self.open is not None
            self.open.append(said)
        elif _speaks(said):
            self.open, self.gap = [said], False
            self.runs[-1].append((number, self.open))
        else:
            self._close()
            self.found.unread += [number] if len(said.rstrip(":").split()) > _LONGEST_LABEL else []

    def _whose(self, said: str) -> str | None:
        """The system that a text names, "" for the reference, None for anything else."""
        return "" if normalised(said) in USES["reference"] else self.systems.get(normalised(said))

    def _begin(self, system: str | None, text: str, number: int) -> None:
        self._close()
        self.open = [text] if text else []
        self.texts.append((system or None, self.open, number))

    def _close(self) -> None:
        self.open, self.below, self.gap = None, False, False
        self.runs.append([])

    def section(self) -> _Section:
        """All that was read."""
        for system, lines, number in self.texts:
            text = " ".join(lines).strip()
            if system is None:
                self.found.references += [text] if text else []
            elif text and self.found.summaries.setdefault(system, text) != text:
                self.found.twice.append(number)
        longest = max(self.runs, key=len)
        self.found.turns = ["\n".join(lines) for _, lines in longest]
        self.found.unread += [number for run in self.runs if run is not longest for number, _ in run]
        return self.found


def _speaks(said: str) -> bool:
    pair = split_speaker(said)
    return pair is not None and bool(pair[1])


def _summary_or_reference(said: str, systems: dict[str, str]) -> tuple[str | None, str] | None:
    """The system and its summary, or no system and the reference, that a line gives; None for any other line."""
    pair = split_speaker(said)
    dashed = _JOINT.split(said, maxsplit=1)
    if pair is None and len(dashed) > 1 and normalised(dashed[0]) in systems:  # "X – The parcel is late."
        pair = (dashed[0], dashed[1])
    name = normalised(pair[0]) if pair else ""
    if pair and pair[1] and name in systems:
        return systems[name], pair[1]
    if pair and pair[1] and name in USES["reference"]:
        return None, pair[1]
    remark = _SAID_OF.fullmatch(said)
    return (None, remark[2]) if remark and normalised(remark[1]) in USES["reference"] else None
