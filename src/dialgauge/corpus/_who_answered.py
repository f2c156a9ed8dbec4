"""Parts that were left out though people answered there, and people who only tried a form out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.corpus._mapping import IGNORE, Mapped, listed
from dialgauge.corpus._names import AGGREGATES, COMMENT_WORDS, TIME_WORDS, is_metric, is_person, normalised
from dialgauge.corpus._normal_form import UNSET, WITHDRAWN
from dialgauge.corpus._parts_unread import explains_scale
from dialgauge.corpus._table import Sheet, Table
from dialgauge.errors import counted

JUDGED = ("ratings", "preferences", "choices", "spans")
#: Columns that survey tools write for each response.
_OF_RESPONSE = re.compile(
    r"(?:response|submission|respondent|recipient|participant|worker|submitter)(?:_?id)?"
    r"|(?:start|end|completion|finish|submit)_?(?:time|date|ed_at)?|(?:started|completed|submitted|recorded|finished)(?:_at)?"
    r"|(?:recorded|start|end)_?date|timestamp|zeitstempel|horodateur|marca_temporal|carimbo_de_data_hora|hora_de_.+"
    r"|start_?zeit|endzeit|fertigstellungszeit|heure_de_.+|ora_di_.+|ora_inizio|informazioni_cronologiche|submit_date"
    r"|e_?mail(?:_address|_adresse)?|email|adresse_(?:e_)?mail|endereco_de_email|correo(?:_electronico)?|tidsstempel"
)
#: A heading of so many words asks something.
_QUESTION = 4
_FEWEST_ANSWERS = 3
_LONGEST = 60
_LIST = re.compile(r"[;|\n]")
#: What people call themselves who try a form out.
_TRIED = re.compile(
    r"(?:(?:my|only_a|just_a|a|mein|the|zzz?)_)?"
    r"(?:test(?:e|er|o|ing|eintrag|antwort|lauf|user|person)?|prueba|essai|prova|probe|pilot|pilote|piloto|preview|demo"
    r"|dummy|admin|administrator|vorschau|apercu|asdf\w*|xxx+)(?:_?\d{1,3}|_(?:user|account|test|entry|person|pls_ignore))?"
)
#: Accounts for trying out have one of these words in their names (*owner.test@…*, *qa_bot_test*).
_TRIED_WORDS = frozenset(["test", "testing", "testuser", "prueba", "essai", "dummy", "preview"])
#: Columns that say how far somebody has got, and what they say of what does not count, or not yet.
_STATES = frozenset(["status", "state", "rating_status", "annotation_status", "response_status", "record_status"])
_UNDONE = frozenset(
    ["draft", "entwurf", "brouillon", "borrador", "rascunho", "bozza", "discarded", "rejected", "cancelled", "canceled"]
)
#: Tools call whoever set them up so.
_OF_TOOLS = frozenset(["admin", "administrator"])


def answered_in(frame: pl.DataFrame) -> tuple[str, ...]:
    """The columns of answers in a table with a row for each response of a person; empty where it is something else."""
    names = {column: normalised(column) for column in frame.columns}
    own = [column for column, name in names.items() if _OF_RESPONSE.fullmatch(name) or is_person(name)]
    if not own or frame.height < 2:
        return ()
    free = [column for column in frame.columns if column not in own and not _is_said_aside(names[column])]
    asked = [column for column in free if len(column.split()) >= _QUESTION or "?" in column]
    answered = [column for column in asked if _recur(_cells(frame, [column]))]
    if not answered and len(asked) > 1 and _recur(_cells(frame, asked)):
        answered = asked
    lists = [column for column in free if _lists_names(_cells(frame, [column]))]
    marked = any(_OF_RESPONSE.fullmatch(names[column]) for column in own)
    few = [column for column in free if _recur(_cells(frame, [column]))] if marked else []
    return tuple(column for column in free if column in {*answered, *lists, *few})


def _is_said_aside(name: str) -> bool:
    words = set(name.split("_"))
    return bool(words & (COMMENT_WORDS | TIME_WORDS)) or is_metric(name) or AGGREGATES.fullmatch(name) is not None


def _cells(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    texts = [text for column in columns for text in frame[column].drop_nulls().cast(pl.String, strict=False)]
    return [text.strip() for text in texts if text is not None and text.strip()]


def _recur(cells: Sequence[str]) -> bool:
    short = all(len(text) <= _LONGEST for text in cells)
    return short and len(cells) >= _FEWEST_ANSWERS and len(set(cells)) > 1 and len(set(cells)) * 2 <= len(cells)


def _lists_names(cells: Sequence[str]) -> bool:
    """Whether cells list the same few names, as rankings and boxes that were ticked do."""
    split = [[part for one in _LIST.split(text) if (part := one.strip())] for text in cells]
    parts = {part for one in split for part in one}
    several = sum(len(one) > 1 for one in split)
    return several > 1 and all(len(part) <= _LONGEST for part in parts) and len(parts) * 2 <= sum(map(len, split))


def nothing_judged(parts: Any, left: Iterable[Sheet]) -> list[str]:
    """The parts that were left out of a source where nothing that people judged arrived."""
    if any(getattr(parts, name).height for name in JUDGED if hasattr(parts, name)):
        return []
    return [
        f"nothing that people judged was found, and {sheet.name!r} ({counted(sheet.frame.height, 'row')}, with "
        f"{', '.join(repr(column[:_LONGEST]) for column in sheet.frame.columns[:3])}) was not read: if it holds "
        "judgements, give its rows the ids of the dialogues and the systems, or leave it out "
        f"(--map 'ignore={sheet.name}')"
        for sheet in left
        if sheet.frame.height >= _FEWEST_ANSWERS and sheet.frame.width > 1 and not explains_scale(sheet.frame)
    ]


def taken_back(table: Table, said: Mapped) -> list[str]:
    """The columns that say of some rows, and not of all, that somebody took them back, and that nobody asked for."""
    named = {name for given in said.values() for name in listed(given)}
    frame = table.frame if table.raw is None or table.raw.records is not None else table.raw.frame
    found = []
    for column in frame.columns:
        name = normalised(column)
        if column in named or name not in WITHDRAWN | _STATES:
            continue
        cells = [str(cell or "").strip().lower() for cell in frame[column]]
        back = sum(cell in _UNDONE if name in _STATES else cell not in UNSET for cell in cells)
        if 0 < back < len(cells):
            what = "do not count" if name in _STATES else "were taken back"
            found.append(
                f"{column!r} says that {counted(back, 'row')} {what}, and they were read: take them out "
                f"of the file, or say that they count (--map ignore={column})"
            )
    return found


def says_it_tried(name: str) -> bool:
    """Whether a person is called like one who tries a form out."""
    account = normalised(name.partition("@")[0])
    return _TRIED.fullmatch(account) is not None or not _TRIED_WORDS.isdisjoint(account.split("_"))


def tried_out(table: Table, parts: Any, said: Iterable[str], without: frozenset[str]) -> list[str]:
    """The people who judged and are called like those who try a form out; asked unless somebody ``said`` who judged."""
    if "annotator" in set(said):
        return []
    found = []
    people = _people(parts)
    if sum(map(says_it_tried, people)) * 2 > len(people):  # most of them are called so
        return []
    for name in sorted(people):
        if (
            len(people) < 2
            or name in without
            or not says_it_tried(name)
            or (table.layout is not None and normalised(name) in _OF_TOOLS)
        ):
            continue
        found.append(
            f"{name!r} gave {counted(people[name], 'judgement')} and is called like somebody who tried the form out: "
            f"leave this person out (--map 'ignore={name}'), or say that all of them count (--map annotator=COLUMN, or "
            "--allow-left-out all)"
        )
    return found


def _people(parts: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for table in JUDGED:
        frame = getattr(parts, table, None)
        if frame is not None and frame.height and "annotator" in frame.columns:
            for name, count in frame["annotator"].drop_nulls().value_counts().iter_rows():
                found[name] = found.get(name, 0) + count
    return found


def people_left_out(mapping: Mapped, columns: Iterable[str]) -> tuple[Mapped, frozenset[str]]:
    """The mapping without people whom the user leaves out by name, and these."""
    named = listed(mapping.get(IGNORE, ()))
    taken = set(columns)
    people = frozenset(name for name in named if says_it_tried(name) and name not in taken)
    if not people:
        return mapping, people
    kept = tuple(name for name in named if name not in people)
    return {
        **{use: given for use, given in mapping.items() if use != IGNORE},
        **({IGNORE: kept} if kept else {}),
    }, people


def without_people(parts: Any, people: frozenset[str]) -> Any:
    """What was read less the judgements of some people, who are counted in a note."""
    counts = {name: count for name, count in _people(parts).items() if name in people}
    if not counts:
        return parts
    kept = {
        table: getattr(parts, table).filter(~pl.col("annotator").is_in(sorted(people)) | pl.col("annotator").is_null())
        for table in JUDGED
    }
    gone, accounts = sum(counts.values()), []
    for one in parts.accounts:
        own = min(gone, one.stored)
        gone -= own
        rejected = {**one.rejected, "left out by name": own} if own else one.rejected
        accounts.append(replace(one, stored=one.stored - own, rejected=rejected))
    listed_ = ", ".join(f"{name} ({count:,})" for name, count in sorted(counts.items()))
    return replace(
        parts,
        **kept,
        accounts=tuple(accounts),
        notes=(*parts.notes, f"judgements of people who were left out by name: {listed_}"),
    )
