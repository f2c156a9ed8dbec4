"""Which columns name the dialogue, the system, the person and the dimension: by what depends on what.

A column that others depend on, and that together with the others names each row once, is part of the key. Where the
headings are words that are known they decide; where they are not and two answers fit, the user is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from dialgauge.corpus._joined_ids import TIMES
from dialgauge.corpus._names import (
    QUESTIONS,
    TELLING,
    USES,
    WEAK_PEOPLE,
    heading,
    is_bare_id,
    is_dimension,
    is_id,
    is_other_id,
    is_person,
    normalised,
)
from dialgauge.corpus._sheets import SHEET
from dialgauge.corpus.structure._joins import DECODED, Part, names_people

#: What a key is made of.
ROLES = ("dialogue_id", "system", "annotator", "dimension")
#: At least this share of all combinations of dialogue and system, or of judgement and dimension, is there.
_CROSSED = 0.6
_MOST_CLASSES = 14
#: Where more assignments of columns than this could be meant, nothing says which is.
_MOST_WAYS = 1500
#: Words for people in names of columns and tables; beside judgements they are those who gave them.
_PEOPLE = frozenset(
    ["person", "people", "staff", "member", "moderator", "nick", "handle", "volunteer", "tester", "editor", "listener"]
)
_MOST_DIMENSIONS = 30


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of the key and of the texts, None where there is none, and those that only say more of the key."""

    dialogue_id: tuple[str, ...]
    system: str
    annotator: str | None
    dimension: str | None
    dialogue: str | None
    summary: str | None
    settled: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Class:
    """Columns that name the same things, the best to show first."""

    columns: tuple[str, ...]
    distinct: int
    hints: frozenset[str]
    worded: bool


def solutions(part: Part, said: Mapping[str, str]) -> list[Roles]:
    """All ways in which the columns can be the key of the judgements; ``said`` has what the user says of some."""
    frame = part.frame
    judged = part.of("scale")
    classes = _classes(part, said)[:_MOST_CLASSES]
    if not judged or not classes:
        return []
    # The heading of the only column of answers may say what they judge.
    several = len(judged) > 1 or is_dimension(normalised(heading(judged[0])[0]))
    found = []
    ways = _assignments(frame, classes, several)
    for asked in ways if len(ways) <= _MOST_WAYS else ():
        roles = _checked(frame, part, classes, asked)
        if roles is not None:
            found.append(roles)
    fewest = min((len(one.dialogue_id) for one in found), default=0)
    whose = [one for one in found if one.annotator is not None or _are_known(judged, frame, one)]
    whose = [one for one in whose if len(one.dialogue_id) == fewest]
    ids = {column for one in classes if "dialogue_id" in one.hints for column in one.columns}
    return [one for one in whose if ids & set(one.dialogue_id)] or whose


def _are_known(judged: Sequence[str], frame: pl.DataFrame, roles: Roles) -> bool:
    """Whether all dimensions are known as such: where nobody is named, the columns may be those of people."""
    names = frame[roles.dimension].unique().to_list() if roles.dimension else [heading(one)[0] for one in judged]
    return all(is_dimension(normalised(name)) for name in names)


def _assignments(frame: pl.DataFrame, classes: Sequence[_Class], several: bool) -> list[dict[str, tuple[_Class, ...]]]:
    named = {role: [one for one in classes if role in one.hints] for role in ROLES[1:]}
    open_to = {role: [one for one in (named[role] or classes) if _may_be(one, role)] for role in named}
    free = [one for one in classes if _may_be(one, "dialogue_id")]
    dialogues: list[tuple[_Class, ...]] = [(one,) for one in free]
    dialogues += [pair for pair in combinations(free, 2) if not any(map(_counts_times, pair))]
    people: list[tuple[_Class, ...]] = [(one,) for one in open_to["annotator"]]
    people += [] if named["annotator"] else [()]
    questions: list[tuple[_Class, ...]] = (
        []
        if several
        else [(one,) for one in open_to["dimension"] if 1 < one.distinct <= _MOST_DIMENSIONS and one.worded]
    )
    questions += [()] if several or not named["dimension"] else []
    return [
        {"dialogue_id": d, "system": (s,), "annotator": a, "dimension": m}
        for d in dialogues
        for s in open_to["system"]
        if s not in d and _are_paired(frame, [one.columns[0] for one in d], s.columns[0])
        for a in people
        for m in questions
        if len({id(one) for one in (*d, s, *a, *m)}) == len(d) + 1 + len(a) + len(m)
    ]


def _may_be(one: _Class, role: str) -> bool:
    """Whether nothing in the names of columns says that they are something else; names of ids say little."""
    return role in one.hints or one.hints <= {"dialogue_id"}


def _checked(
    frame: pl.DataFrame, part: Part, classes: Sequence[_Class], asked: Mapping[str, tuple[_Class, ...]]
) -> Roles | None:
    ids = [one.columns[0] for one in asked["dialogue_id"]]
    system = asked["system"][0].columns[0]
    person = asked["annotator"][0].columns[0] if asked["annotator"] else None
    question = asked["dimension"][0].columns[0] if asked["dimension"] else None
    item = [*ids, system]
    key = [*item, *filter(None, (person, question))]
    judged = part.of("scale")
    rows = frame.select(*key, *judged).unique()
    if frame.select(key).null_count().sum_horizontal().item() or rows.select(key).is_duplicated().any():
        return None
    if not _is_crossed(frame, question, item if person is None else [*item, person]):
        return None
    used = {one for given in asked.values() for one in given}
    beside = [[*ids], [system], item, *([[person]] if person else []), *([[question]] if question else [])]
    rest = [one for one in classes if one not in used]
    if any(not any(depends(frame, one.columns[0], on) for on in beside) for one in rest):
        return None
    # What two summaries of a dialogue share and others do not may be a verdict; the names of summaries are not shared.
    pairs, alone = frame.select(item).n_unique(), [on for on in beside if on != item]
    facts = [one for one in rest if one.distinct == pairs or any(depends(frame, one.columns[0], on) for on in alone)]
    settled = frozenset(column for one in (*used, *facts) for column in one.columns)
    dialogue = next((c for c in part.of("dialogue") if _names(frame, c, ids)), None)
    texts = [c for c in part.of("text", "dialogue") if c != dialogue]
    summaries = [c for c in texts if depends(frame, c, item) and _varies(frame, c, ids) and _varies(frame, c, [system])]
    others = [c for c in texts if c not in summaries and not any(depends(frame, c, on) for on in beside)]
    if len(ids) > 1 and dialogue is None:
        # Two columns are one id only where a text says that they name dialogues.
        told = summaries and frame.select(item).n_unique() == frame[summaries[0]].n_unique()
        if not told or not any(_varies(frame, summaries[0], [one, system]) for one in ids):
            return None
    if (part.of("dialogue") and dialogue is None) or len(summaries) > 1 or (texts and not summaries) or others:
        return None
    return Roles(tuple(ids), system, person, question, dialogue, summaries[0] if summaries else None, settled)


def _counts_times(one: _Class) -> bool:
    """Whether columns say how often the same things were judged, and not what."""
    return any(set(normalised(column).split("_")) & TIMES for column in one.columns)


def _are_paired(frame: pl.DataFrame, ids: list[str], system: str) -> bool:
    """Whether most systems have most dialogues."""
    dialogues, systems = frame.select(ids).n_unique(), frame[system].n_unique()
    return min(dialogues, systems) > 1 and frame.select(*ids, system).n_unique() >= _CROSSED * dialogues * systems


def _is_crossed(frame: pl.DataFrame, question: str | None, judged: list[str]) -> bool:
    if question is None:
        return True
    asked = frame.select(*judged, question).n_unique()
    return asked >= _CROSSED * frame.select(judged).n_unique() * frame[question].n_unique()


def depends(frame: pl.DataFrame, column: str, on: Sequence[str]) -> bool:
    """Whether a column has one value for each of the others' values."""
    if column in on:
        return True
    rows = frame.select(*on, column).drop_nulls().unique()
    return not rows.select(on).is_duplicated().any()


def _names(frame: pl.DataFrame, text: str, ids: Sequence[str]) -> bool:
    """Whether each id has one text of its own."""
    rows = frame.select(*ids, text).drop_nulls().unique()
    return not rows.select(ids).is_duplicated().any() and rows[text].n_unique() == rows.height


def _varies(frame: pl.DataFrame, text: str, within: Sequence[str]) -> bool:
    rows = frame.select(*within, text).drop_nulls().unique()
    return rows.select(within).n_unique() < rows.height


def _classes(part: Part, said: Mapping[str, str]) -> list[_Class]:
    """The short names of a part, those together that name the same things; what names single rows is none of them."""
    frame = part.frame
    filled = [column for column in part.of("name") if not frame[column].null_count()]
    columns = [column for column in filled if frame[column].n_unique() > 1]
    people = [
        column for column in filled if said.get(column) == "annotator" or "annotator" in _hints(frame[column], column)
    ]
    columns += people if not set(people) & set(columns) else []  # one person may have judged all
    rows = frame.height
    groups: list[list[str]] = []
    for column in columns:
        if frame[column].n_unique() == rows and column not in said:
            continue
        for group in groups:
            if frame[column].n_unique() == frame[group[0]].n_unique() == frame.select(column, group[0]).n_unique():
                group.append(column)
                break
        else:
            groups.append([column])
    return [
        _Class(
            tuple(sorted(group, key=lambda column: _plainness(frame[column], column))),
            frame[group[0]].n_unique(),
            frozenset({said[c] for c in group if c in said} or {h for c in group for h in _hints(frame[c], c)}),
            any(not frame[c].str.contains(r"^[\d.,]+$").any() for c in group),
        )
        for group in groups
    ]


def _plainness(values: pl.Series, column: str) -> tuple[bool, bool, bool]:
    """What is shown of several names for the same: known dimensions and words before numbers."""
    known = all(is_dimension(normalised(text)) for text in values.unique().drop_nulls())
    numeric = bool(values.drop_nulls().str.contains(r"^\d+$").all())
    return (not known, numeric, is_other_id(normalised(column)))


def _hints(values: pl.Series, column: str) -> set[str]:
    """What the heading of a column, or its values, can only mean."""
    name = normalised(column.removesuffix(DECODED))
    words = set(name.split("_"))
    plain = name.removesuffix("_id").removesuffix("_name")
    if column == SHEET:
        return {"annotator"} if names_people(values) else set()
    if column.endswith(DECODED):
        return {"system"}
    if is_person(name) or name in WEAK_PEOPLE or plain in USES["annotator"] or words & _PEOPLE:
        return {"annotator"}
    if {name, plain} & {*USES["system"]} or words & TELLING["system"]:
        return {"system"}
    if {name, plain} & {*USES["dimension"], *QUESTIONS} - {"item", "category"}:
        return {"dimension"}
    if sum(is_dimension(normalised(text)) for text in values.unique().drop_nulls()) * 2 > values.n_unique():
        return {"dimension"}
    if (is_id(name) or (is_bare_id(name) and name not in ("name", "key"))) and not is_other_id(name):
        return {"dialogue_id"}
    return set()
