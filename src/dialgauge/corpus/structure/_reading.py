"""One table of judgements from all parts of a source, under the names that the rest of the reading knows."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._mapping import CONSTANT, IGNORE, Mapped
from dialgauge.corpus._names import heading
from dialgauge.corpus._parts_unread import held_by
from dialgauge.corpus._table import Table
from dialgauge.corpus._utterances import without_totals
from dialgauge.corpus.structure._joins import Link, Part, joined, links_between, profiled, stacked, with_keys_opened
from dialgauge.corpus.structure._parts import MOST_CELLS, parts_of, put_together, told_apart
from dialgauge.corpus.structure._roles import ROLES, Roles, solutions
from dialgauge.errors import InputError

#: How a question to the user starts, by which it is told from what went wrong.
ASKED = "undecided: "


def read_by_structure(loaded: Table, mapping: Mapped) -> Table | None:
    """The rows of a source by what depends on what in them; None where that does not say what they are.

    Where it leaves two answers, an error asks for the one that is meant.
    """
    said = _said(mapping)
    if said is None or loaded.layout is not None or loaded.problems:
        return None
    loaded = told_apart(loaded)
    source = put_together(loaded)
    if source.frame.is_empty() and not source.records:
        return None
    if source.frame.height * max(source.frame.width, 1) > MOST_CELLS:
        return None
    sheets = tuple((part.name, tuple(part.frame.columns)) for part in loaded.parts)
    return _read(source, sheets, said)


def _said(mapping: Mapped) -> dict[str, str] | None:
    """What the user says of columns; None where this is more than which of them are the key."""
    said: dict[str, str] = {}
    for use, given in mapping.items():
        columns = [given] if isinstance(given, str) else list(given)
        if use not in (*ROLES, IGNORE) or any(column.startswith(CONSTANT) for column in columns):
            return None
        said |= dict.fromkeys(columns, use)
    return said


def _read(source: Table, sheets: Sequence[tuple[str, Sequence[str]]], said: Mapping[str, str]) -> Table | None:
    tidied = without_totals(source, {}) if not sheets and source.records is None else source
    gone = {column for column, use in said.items() if use == IGNORE}
    found = [
        replace(sheet, frame=sheet.frame.drop([c for c in sheet.frame.columns if c in gone]))
        for sheet in parts_of(tidied, sheets)
        if sheet.name not in gone
    ]
    parts = {part.sheet.name: part for part in with_keys_opened([profiled(sheet) for sheet in stacked(found)])}
    links = links_between(list(parts.values()))
    judged = [part for part in parts.values() if part.of("scale") and part.frame.height > 1]
    if not judged:
        return None
    fact = max(judged, key=lambda part: sum(len(part.frame[c].drop_nulls()) for c in part.of("scale")))
    wide = joined(fact, parts, links)
    ways = solutions(wide, {column: use for column, use in said.items() if use != IGNORE})
    if not ways:
        return None
    if len(ways) > 1:
        raise InputError(f"{ASKED}{_question(ways)}")
    rest = [part for part in parts.values() if part is not fact]
    apart = {part.sheet.name for part in rest} - _reached(fact.sheet.name, links)
    table = _made(wide, ways[0], rest, apart)

    def again(other: Table) -> Table:
        made = _read(other, sheets, said)
        if made is None:
            raise InputError("cannot be read in the same way")
        return made

    parted = {name for name, _ in sheets}
    settled = {column for link in links for column in (*link.columns, *link.keys)}
    settled |= ways[0].settled
    return replace(
        table,
        encoding=source.encoding,
        notes=(*_kept(tidied.notes), *table.notes),
        settled=frozenset(settled),
        unread={**{name: text for name, text in source.unread.items() if name not in parted | gone}, **table.unread},
        summed=tidied.summed,
        raw=source,
        again=again,
    )


def _question(ways: Sequence[Roles]) -> str:
    for role in ROLES:
        given = [getattr(way, role) for way in ways]
        names = sorted({str(one[0] if isinstance(one, tuple) else one) for one in given if one})
        if len(set(given)) > 1:
            listed = " or ".join(map(repr, names))
            return f"{listed} may be the column of the {_WORDS[role]}: say which is (--map {role}={names[0]!r})"
    return "several readings are possible: map the columns"


_WORDS = {"dialogue_id": "dialogues", "system": "systems", "annotator": "annotators", "dimension": "dimensions"}


def _reached(name: str, links: Sequence[Link]) -> set[str]:
    """A part, those whose rows it names, and those that these name."""
    found, new = set[str](), {name}
    while new:
        found |= new
        new = {link.target for link in links if link.source in found} - found
    return found


def _tells_more(part: Part, fact: Part) -> bool:
    """Whether a part has texts that the judgements have not, about what they name."""
    known = {text for column in fact.of("text", "dialogue") for text in fact.frame[column].drop_nulls()}
    more = any(not set(part.frame[column].drop_nulls()) <= known for column in part.of("text", "dialogue"))
    shared = [column for column in part.of("name") if column in fact.frame.columns]
    return more and any(set(part.frame[c].drop_nulls()) & set(fact.frame[c].drop_nulls()) for c in shared)


def _made(fact: Part, roles: Roles, rest: Sequence[Part], apart: Container[str]) -> Table:
    frame, known, said = _renamed(fact, roles)
    texts = [made for part in rest if (made := _texts_of(part, roles, frame)) is not None]
    places, rows = fact.sheet.place, frame.height
    made = pl.concat([frame, *texts], how="diagonal")
    names = {text for c in ("system", "annotator") if c in made.columns for text in made[c].drop_nulls().unique()}
    unread = {}
    for part in rest:
        held = held_by(part.frame, names) if part.frame.width > 1 else None
        if held is not None and held[0] != "choices" and not part.of("scale"):
            held = None
        if held is None and part.sheet.name in apart and _tells_more(part, fact):
            held = "texts", tuple(part.of("text", "dialogue"))
        if held is not None:
            name = part.sheet.name
            columns = ", ".join(map(repr, held[1][:3]))
            unread[name] = (
                f"{name!r} looks like {held[0]} ({columns}) and was not read: leave it out (--map ignore={name})"
            )
    note = f"read by what the columns hold: {', '.join(said)}"
    return Table(made, lambda row: places(row) if row < rows else places(0), notes=(note,), known=known, unread=unread)


def _kept(notes: Sequence[str]) -> list[str]:
    """What was said about the file and not about which of its parts were read."""
    return [note for note in notes if not note.startswith(_OF_PARTS)]


_OF_PARTS = ("only the ", "read from several", "sheets that", "files that", "tables that")


def _renamed(fact: Part, roles: Roles) -> tuple[pl.DataFrame, dict[str, str], list[str]]:
    """The rows with our own names, what each column is for, and what is said of it."""
    frame = fact.frame
    ids = pl.concat_str([pl.col(column) for column in roles.dialogue_id], separator="/")
    made = {"dialogue_id": ids, "system": pl.col(roles.system)}
    said = [f"dialogues in {' and '.join(map(repr, roles.dialogue_id))}", f"systems in {roles.system!r}"]
    for use in ("annotator", "dimension", "dialogue", "summary"):
        column = getattr(roles, use)
        if column is not None:
            made[use] = pl.col(column)
            said.append(f"{use} in {column!r}")
    for use, kind in (("comment", "comment"), ("time", "time")):
        columns = fact.of(kind)  # type: ignore[arg-type]
        if columns:
            made[use] = pl.col(columns[0])
    known = {use: use for use in made}
    judged = fact.of("scale")
    if roles.dimension is not None:
        made["value"], known["value"] = pl.col(judged[0]), "value"
    else:
        for column in judged:
            made[f"= {column}"], known[f"= {column}"] = pl.col(column), f"dimension:{heading(column)[0]}"
    return frame.select(expression.alias(name) for name, expression in made.items()), known, said


def _texts_of(part: Part, roles: Roles, frame: pl.DataFrame) -> pl.DataFrame | None:
    """The dialogues of another part that nobody judged."""
    if len(roles.dialogue_id) > 1 or roles.dialogue not in part.frame.columns:
        return None
    named = [c for c in part.frame.columns if set(part.frame[c].drop_nulls()) >= set(frame["dialogue_id"])]
    if not named:
        return None
    rows = part.frame.select(pl.col(named[0]).alias("dialogue_id"), pl.col(roles.dialogue).alias("dialogue"))
    return rows.filter(~pl.col("dialogue_id").is_in(frame["dialogue_id"].unique().to_list()))
