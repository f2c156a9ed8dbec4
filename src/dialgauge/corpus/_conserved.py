"""Whether every field of a file that looks like judgements or texts has arrived somewhere.

Nothing here knows how files are read. A field was read if other values in it give another corpus: the values of a field
are exchanged for each other, the file is read again, and as many judgements must differ as there are cells.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import polars as pl

from dialgauge.corpus._account import MOST_LEFT_OUT
from dialgauge.corpus._arrived import columns_without_heading, headings_as_data, lost_names, named_in
from dialgauge.corpus._assemble import Parts, RatingParts
from dialgauge.corpus._best_worst import unread_choices
from dialgauge.corpus._doubtful import doubtful
from dialgauge.corpus._fields import ANY_KEY, ANY_PLACE, Field, changed, fields_of, leaves_of
from dialgauge.corpus._guess_ratings import HOW_SURE, NUMBERS_ROWS, OF_A_PROGRAM, OF_THE_TALK, is_same_within
from dialgauge.corpus._guess_texts import MAY_NAME_PEOPLE
from dialgauge.corpus._headings import EXPLAINING_ROWS
from dialgauge.corpus._implausible import implausible
from dialgauge.corpus._look_alikes import (
    MOST_WORDS,
    is_no_metric,
    is_of_program,
    is_summed_up,
    lists_labels,
    looks_judged,
    looks_like_texts,
    may_be_judged,
    names_sides,
    says_judged,
    share_words,
    speaks_in_words,
    speaks_like,
)
from dialgauge.corpus._mapping import IGNORE, Mapped
from dialgauge.corpus._markup import without_markup
from dialgauge.corpus._names import AGGREGATES, is_of_conversation, is_person, normalised, says_how_sure
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table
from dialgauge.corpus._text_sections import sections_of
from dialgauge.corpus._told_in_headings import texts_in_headings
from dialgauge.corpus._turns import split_turns
from dialgauge.corpus._unexplained import contradicted_names, lost_keys, stored_names, unread_names
from dialgauge.corpus._values import MOSTLY, Reading, read_names, read_values
from dialgauge.errors import InputError, counted

_Read = Parts | RatingParts
#: Files with more rows than this are asked by their first rows, and by some of every field that those do not fill; of
#: records in which much is nested, by fewer.
_ASKED_ROWS = 300
_FEWEST_RECORDS, _ASKED_LEAVES = 30, 20_000
_OF_EACH = 10
#: More fields than this are exchanged in groups.
_MOST_PROBES = 40
#: So many summaries show that a score is the same for all who judge them.
_FEWEST_GROUPS = 5
#: Crosses and names have no more words than this.
_LONGEST_NAME = 3
#: What names rows: a column that does so under its own name was read.
_OF_KEY = ("dialogue_id", "system", "annotator", "dimension")
_JUDGED = ("ratings", "preferences", "choices", "spans")
#: What one question of a choice among several options has in common.
_QUESTION = ("dialogue_id", "role", "tuple", "annotator", "dimension")


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A field that arrived nowhere: its path, how many cells are filled, and what it looks like."""

    path: str
    filled: int
    looks_like: str
    shown: tuple[str, ...]
    read: int = 0

    def __str__(self) -> str:
        such = ", ".join(repr(text if len(text) <= 30 else text[:29] + "…") for text in self.shown)
        part = "was not read" if not self.read else f"was read only in part ({self.read:,} of {self.filled:,})"
        if self.read > self.filled:
            part = f"was stored several times ({counted(self.read, 'judgement')})"
        named = "dimension:NAME" if self.looks_like == "judgements" else "summary"
        mend = f"map it (--map {named}={self.path}) or " if ANY_KEY not in self.path and "[" not in self.path else ""
        return (
            f"{self.path!r} looks like {self.looks_like} ({counted(self.filled, 'cell')}, such as {such}) and {part}: "
            f"{mend}leave it out (--map ignore={self.path})"
        )


def lost_fields(
    table: Table, plan: Plan, parts: _Read, mapping: Mapped, read: Callable[[Table], _Read]
) -> tuple[str, ...]:
    """The fields of the file of a table that look like judgements or texts and arrived nowhere, each as a sentence.

    ``parts`` is what was read from the table, ``read`` makes the same of another one that was understood. Where the
    user maps dimensions, no other field is asked whether it is one.
    """
    raw, understand = table.raw, table.again
    ignored = mapping.get(IGNORE, ())
    parts_unread = [
        said for name, said in table.unread.items() if name not in ([ignored] if isinstance(ignored, str) else ignored)
    ]
    said = {use.partition(":")[2] for use in mapping if use.startswith("dimension:")}
    parts_unread += implausible(parts, known=table.layout is not None, said=said)
    parts_unread += doubtful(table, plan, parts, set(mapping))
    if raw is None or understand is None:
        return tuple(parts_unread)

    def again(other: Table) -> _Read:
        return read(understand(other))

    used = {name for given in mapping.values() for name in ([given] if isinstance(given, str) else given)}
    used |= table.settled
    asked = _asked(_as_submitted(raw) if table.dropped else raw)
    as_it_was = _is_as_it_was(table, raw)
    if as_it_was:
        used |= {column.name for column in plan.columns if column.use is not None} | _facts(table.frame, plan)
        free = [name for name in raw.frame.columns if name not in used]
        fields = fields_of(replace(asked, frame=asked.frame.select(free)))
    else:
        used |= {name for use in _OF_KEY for name in plan.uses.get(use, ()) if raw.records is None}
        fields = fields_of(asked)
    unknown = [one for path, one in fields.items() if path not in used and path not in table.ignored]
    unnamed = columns_without_heading(raw.frame) if raw.records is None else []
    if raw.records is None and not _has_dialogues(parts):
        unnamed += texts_in_headings(raw.frame.columns)
    if hasattr(parts, "choices") and parts.choices.is_empty():
        short = [one for one in unknown if all(len(text.split()) <= _LONGEST_NAME for text in one.counts)]
        unnamed += unread_choices(one.names[-1] for one in short if one.names)
    names = (
        *parts_unread,
        *unnamed,
        *headings_as_data(parts),
        *_lost_names(table, plan, parts, unknown),
        *_lost_keys(raw, table, parts),
    )
    guessing = not any(use.startswith("dimension:") or use == "value" for use in mapping)
    judged = _judged_fields(unknown, table, plan, parts) if guessing else {}
    texts = [one for one in unknown if one.path not in judged and looks_like_texts(one)]
    if not judged and not texts:
        return names
    try:
        before = parts if asked is raw else again(asked)
    except InputError:  # the first rows are no corpus without the others
        asked, before = raw, parts
    several = {path for path in judged if table.ticked & {path, *path.replace(ANY_PLACE, "").split(".")}}
    several |= {path for path, (_, reading) in judged.items() if reading.kind == "names"}
    spare = _explained(before) + (table.summed + (EXPLAINING_ROWS if raw.records is None else 0)) * len(judged)
    if (
        as_it_was
    ):  # no column that the plan does not use can have been read, whatever other values would make of the file
        unread = [_as_nowhere(one) for one, _ in judged.values()]
    else:
        unread = _unread(asked, judged, before, again, several, spare)
    nowhere = [*unread, *_lost_texts(texts, before)]
    return (*map(str, nowhere), *names)


def _has_dialogues(parts: _Read) -> bool:
    """Whether what was said is known of some dialogue."""
    return isinstance(parts, RatingParts) or bool(parts.dialogues["turns"].list.len().fill_null(0).sum())


def _lost_names(table: Table, plan: Plan, parts: _Read, unknown: list[Field]) -> tuple[str, ...]:
    """The fields of ids of which some did not arrive, where nothing else says what was left out."""
    accounts = [parts.account] if isinstance(parts, RatingParts) else parts.accounts
    if any(one.rows_left_out or one.left_out or one.rejected for one in accounts):
        return ()
    unsure = [column.name for column in plan.columns if column.why == MAY_NAME_PEOPLE]
    if unsure and not plan.has("annotator"):
        listed = " or ".join(map(repr, unsure))
        return (f"{listed} may name the annotators: say which does (--map annotator={unsure[0]})",)
    if undecided := [*unread_names(table, plan), *contradicted_names(table, plan)]:
        return tuple(undecided)
    own = unknown if table.layout is None else []  # a layout that is known says itself which people it leaves out
    return tuple(lost_names([*own, *named_in(table.frame, plan.uses)], parts))


def _lost_keys(raw: Table, table: Table, parts: _Read) -> list[str]:
    """The names under which judgements are nested; a layout that is known by sight may have keys of its own."""
    return [] if table.layout is not None or table.ignored else lost_keys(raw, parts)


def _is_as_it_was(table: Table, raw: Table | None) -> bool:
    """Whether the columns of a table are still those of its file: then what a plan says of them is all there is."""
    return (
        raw is not None
        and raw.records is None
        and table.layout is None
        and not table.further
        and table.frame.columns == raw.frame.columns
        and table.frame.height == raw.frame.height
    )


def _has_its_rows(table: Table) -> bool:
    """Whether a table has a row for each one, or each record, of its file: then what is in all rows is everybody's."""
    raw = table.raw
    if raw is None or table.layout is not None or table.further:
        return False
    return table.frame.height == (raw.frame.height if raw.records is None else len(raw.records))


def _judged_fields(fields: list[Field], table: Table, plan: Plan, parts: _Read) -> dict[str, tuple[Field, Reading]]:
    """The fields that look like judgements, by path, with how they are read."""
    has_judgements = any(getattr(parts, name).height for name in _JUDGED if hasattr(parts, name))
    if has_judgements:  # what a customer said of the whole talk is none of them
        fields = [one for one in fields if not any(is_of_conversation(normalised(part)) for part in one.names[:-1])]
    paths = {one.path for one in fields}
    beside = {one.names[:-1]: one.filled for one in fields if is_person(normalised(one.names[-1]))}
    in_rows = plan.has("annotator") and _has_its_rows(table)
    everybody = table.frame.height if in_rows else 0
    found = {}
    for one in fields:
        reading = read_values(one.counts)
        named = may_be_judged(one, has_judgements) and not _is_own(one, table)
        if (named or speaks_in_words(one, reading) or is_no_metric(one, reading)) and not is_summed_up(one, paths):
            # What is set in some rows and never unset is a flag, and no answer.
            all_of_them = MOSTLY * min(beside.get(one.names[:-1], everybody), _ASKED_ROWS)
            people = has_judgements and table.layout is None and 0 < all_of_them <= one.filled
            if looks_judged(one, reading, people):
                found[one.path] = (one, reading)
    names = stored_names(parts)
    free = [
        one
        for one in fields
        if one.path not in found
        and may_be_judged(one, has_judgements)
        and not any(normalised(word) in names for word in one.counts)
    ]
    answers = _words_read(table.frame, plan)
    free += [
        one
        for one in fields
        if one not in free
        and one.path not in found
        and not (is_of_program(one) or says_how_sure(normalised(one.names[-1])))
        and speaks_like(one, answers)
        # The majority of the labels of several people is none of theirs.
        and not (plan.has("annotator") and AGGREGATES.fullmatch(normalised(one.names[-1])))
    ]
    free = [one for one in free if not _is_own(one, table)]
    chosen = [] if _are_compared(parts) else [one for one in free if names_sides(one)]
    listed = [one for one in free if has_judgements and plan.has("annotator") and lists_labels(one)]
    return found | {one.path: (one, read_names(one.counts)) for one in [*share_words(free, answers), *chosen, *listed]}


#: With these fields tools keep their books, by the name of the layout.
_BOOKS = {
    "label-studio": frozenset(
        [
            *("task", "project", "inner_id", "updated_by", "created_by", "completed_by", "last_created_by"),
            *("cancelled_annotations", "was_cancelled", "ground_truth", "last_action"),
            *("parent_annotation", "parent_prediction"),
        ]
    ),
    "prodigy": frozenset(["accept", "answer"]),
}


def _is_own(one: Field, table: Table) -> bool:
    """Whether a field is one of those with which a tool that is known by sight keeps its books."""
    return normalised(one.names[-1]) in _BOOKS.get(table.layout or "", ())


def _are_compared(parts: _Read) -> bool:
    return any(getattr(parts, name).height for name in ("preferences", "choices") if hasattr(parts, name))


def _words_read(frame: pl.DataFrame, plan: Plan) -> frozenset[str]:
    """The words that were read as answers."""
    columns = [column.name for column in plan.columns if column.use is not None and column.use.startswith("dimension:")]
    return frozenset(
        text
        for name in columns
        if name in frame.columns and frame[name].n_unique() <= MOST_WORDS
        for text in frame[name].drop_nulls().cast(pl.String).unique()
    )


def _facts(frame: pl.DataFrame, plan: Plan) -> set[str]:
    """Columns that say something of each dialogue, person, dimension or system, and are the same in all of its rows."""
    free = [column.name for column in plan.columns if column.use is None and column.filled]
    counting = {column.name for column in plan.columns if column.why in (HOW_SURE, NUMBERS_ROWS, OF_THE_TALK)}
    keys = [key for use in ("dialogue_id", "annotator", "dimension", "system") for key in plan.uses.get(use, ())]
    facts = {name for name in free if any(is_same_within(frame, key, name) for key in keys if key != name)}
    return counting | facts | _computed(frame, plan)


def _computed(frame: pl.DataFrame, plan: Plan) -> set[str]:
    """Columns that are called like scores of programs, and are the same for all who judge a summary."""
    called = [column.name for column in plan.columns if column.why == OF_A_PROGRAM]
    item = [key for use in ("dialogue_id", "dialogue", "system", "summary") for key in plan.uses.get(use, ())[:1]]
    if not called or not item:
        return set()
    groups = frame.group_by(item).agg(pl.len().alias("@rows"), *(pl.col(name).n_unique() for name in called))
    several = groups.filter(pl.col("@rows") > 1)
    return {name for name in called if several.height >= _FEWEST_GROUPS and (several[name] == 1).all()}


def _asked(raw: Table) -> Table:
    """The rows that are asked: the first ones, and some of every field that these do not fill."""
    if raw.records is None:
        if raw.frame.height <= _ASKED_ROWS:
            return raw
        numbered = raw.frame.with_row_index("_row")
        rows = set(range(_ASKED_ROWS))
        for column in raw.frame.columns:
            if numbered[column].head(_ASKED_ROWS).null_count() == _ASKED_ROWS:
                rows |= set(numbered.filter(pl.col(column).is_not_null())["_row"].head(_OF_EACH))
        chosen = sorted(rows)
        return replace(
            raw, frame=raw.frame[chosen], place=lambda row: raw.place(chosen[row] if row < len(chosen) else row)
        )
    seen: dict[frozenset[str], int] = {}
    rows = set(range(_enough([record for _, record in raw.records[:_ASKED_ROWS]])))
    for number, (_, record) in enumerate(raw.records):
        shape = frozenset(key for key, value in record.items() if value is not None)
        seen[shape] = seen.get(shape, 0) + 1
        if seen[shape] <= _OF_EACH:
            rows.add(number)
    if len(rows) == len(raw.records):
        return raw
    chosen = sorted(rows)
    return replace(
        raw,
        records=tuple(raw.records[row] for row in chosen),
        place=lambda row: raw.place(chosen[row] if row < len(chosen) else row),
    )


#: What tools say of answers that somebody began, or threw away.
_UNSUBMITTED = frozenset(["draft", "discarded"])


def _as_submitted(raw: Table) -> Table:
    """The records without the answers that say themselves that nobody submitted them: a layout leaves these out."""
    if raw.records is None:
        return raw
    return replace(raw, records=tuple((line, _submitted(record)) for line, record in raw.records))


def _submitted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _submitted(inner) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    return [_submitted(one) for one in value if not (isinstance(one, Mapping) and _is_unsubmitted(one))]


def _is_unsubmitted(one: Mapping[str, Any]) -> bool:
    return one.get("status") in _UNSUBMITTED or one.get("was_cancelled") is True


def _enough(records: Sequence[Mapping[str, Any]]) -> int:
    """How many of the records hold as many leaves as are asked."""
    leaves = 0
    for number, record in enumerate(records, start=1):
        leaves += sum(1 for _ in leaves_of(record))
        if leaves >= _ASKED_LEAVES and number >= _FEWEST_RECORDS:
            return number
    return len(records)


def _other_values(one: Field, found: Reading) -> dict[str, Any]:
    """Each value of a field and the one that takes its place: that of the next point of the scale."""
    if found.share < MOSTLY:
        texts = list(one.counts)
        return dict(zip(texts, [*texts[1:], texts[0]], strict=True))
    points: dict[float, str] = {}
    for text, value in found.values.items():
        points.setdefault(value, text)
    order = sorted(points)
    if len(order) == 1:
        return dict.fromkeys(found.values)
    following = {value: points[order[(place + 1) % len(order)]] for place, value in enumerate(order)}
    return {text: _typed(following[value], one) for text, value in found.values.items()}


def _typed(text: str, one: Field) -> Any:
    if one.booleans:
        return text == "True"
    if not one.numbers:
        return text
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _unread(
    table: Table,
    judged: Mapping[str, tuple[Field, Reading]],
    before: _Read,
    read: Callable[[Table], _Read],
    several: Container[str],
    spare: int,
) -> list[Nowhere]:
    """The fields whose values make no difference, or another one than they should.

    A cell of those in ``several`` holds more than one judgement; ``spare`` cells are explained already.
    """
    if not judged:
        return []
    new = {path: _other_values(one, reading) for path, (one, reading) in judged.items()}
    difference = _difference(table, new, before, read)
    wanted = sum(reading.given for _, reading in judged.values())
    # A field with no more cells than are explained already may be unread though nearly all of them differ.
    hidden = any(reading.given <= spare for _, reading in judged.values())
    if difference is not None and not hidden and wanted - spare <= difference.judgements <= wanted:
        return []
    found = []
    paths = list(judged)
    size = -(-len(paths) // _MOST_PROBES)
    for start in range(0, len(paths), size):
        group = [judged[path] for path in paths[start : start + size]]
        difference = _difference(table, {one.path: new[one.path] for one, _ in group}, before, read)
        if difference is not None and _is_wrong(group, difference, spare, several):
            found += [_as_nowhere(one, difference.judgements if len(group) == 1 else 0) for one, _ in group]
    return found


class _Difference(NamedTuple):
    """How many judgements differ, to how many questions, and whether anything else does.

    A choice is stored for each option: one answer changes several of them.
    """

    judgements: int
    questions: int
    elsewhere: bool


def _is_wrong(group: list[tuple[Field, Reading]], difference: _Difference, spare: int, several: Container[str]) -> bool:
    """Whether the changed judgements are too few, or too many, for the cells of a group of fields."""
    wanted = sum(reading.given for _, reading in group)
    if not difference.judgements:
        return not difference.elsewhere or any(says_judged(one) for one, _ in group)
    if any(_is_button(one) or one.path in several for one, _ in group):  # one of several buttons, or several labels
        return False
    partly = difference.judgements < wanted - spare
    return partly or (len(group) == 1 and difference.questions > (1 + MOST_LEFT_OUT) * wanted)


def _is_button(one: Field) -> bool:
    return one.booleans or {text.lower() for text in one.counts} <= {"true", "false"}


def _as_nowhere(one: Field, read: int = 0, looks_like: str = "judgements") -> Nowhere:
    shown = tuple(text for text, _ in one.counts.most_common(3))
    return Nowhere(one.path, one.filled, looks_like, shown, read)


def _explained(before: _Read) -> int:
    """The cells of which the account says what became of them."""
    accounts = [before.account] if isinstance(before, RatingParts) else before.accounts
    return sum(
        one.merged + sum(sum(counts.values()) for counts in (one.not_given, one.left_out, one.rejected))
        for one in accounts
    )


def _difference(
    table: Table,
    new: Mapping[str, Mapping[str, Any]],
    before: _Read,
    read: Callable[[Table], _Read],
) -> _Difference | None:
    """What differs with other values in these fields.

    None where the file cannot be read with them: then they are not without meaning.
    """
    try:
        after = read(changed(table, new))
    except InputError:
        return None
    differing = {n: _differ(getattr(before, n), getattr(after, n)) for n in _JUDGED if hasattr(before, n)}
    judgements = sum(frame.height for frame in differing.values())
    chosen = differing["choices"] if "choices" in differing else pl.DataFrame()
    questions = chosen.select(_QUESTION).n_unique() if chosen.height else 0
    rest = [name for name in ("dialogues", "summaries", "annotators") if hasattr(before, name)]
    elsewhere = any(not getattr(before, name).equals(getattr(after, name)) for name in rest)
    return _Difference(judgements, judgements - chosen.height + questions, elsewhere)


def _differ(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    shared = [column for column in before.columns if column in after.columns and column != "_row"]
    return before.join(after, on=shared, how="anti", nulls_equal=True)


def _lost_texts(fields: list[Field], before: _Read) -> list[Nowhere]:
    """Fields of long texts, different from row to row, that are in no table of the corpus."""
    if not fields or isinstance(before, RatingParts):
        return []
    stored = _plain("\n".join(_texts_of(before)))
    summaries = [_plain(text) for text in before.summaries["text"].head(_MOST_SUMMARIES)]
    summaries = [text for text in summaries if len(text) >= _FEWEST_LETTERS]
    found = []
    for one in fields:
        shown = list(one.counts)[:40]
        here = sum(_is_stored(text, stored) or _shows_one(_plain(text), summaries) for text in shown)
        if here * 2 < len(shown):
            found.append(_as_nowhere(one, looks_like="texts"))
    return found


#: So many summaries are looked for in what was shown to people; a short one may stand anywhere.
_MOST_SUMMARIES, _FEWEST_LETTERS, _NEARLY_ALL = 2_000, 20, 0.7


def _shows_one(plain: str, summaries: Sequence[str]) -> bool:
    """Whether a text is hardly more than a summary, as tools show it: ``<b>Summary</b>: Tom thanks Ana.``"""
    return any(len(text) >= _NEARLY_ALL * len(plain) and text in plain for text in summaries)


def _is_stored(text: str, stored: str) -> bool:
    """Whether a text is among those that were stored, as it is or in parts."""
    plain = without_markup(text, tags=True) if "</" in text else text
    parts = (sections_of(plain) or {}).values() or [text]
    return all(_plain(part) in stored or _plain(_said_in(part)) in stored for part in parts)


def _said_in(text: str) -> str:
    """A text without what stands around its turns, such as the time of each."""
    return "\n".join(f"{speaker} {said}" for speaker, said, _ in split_turns(text))


_MARKUP, _NOT_LETTERS = re.compile(r"<[^<>]{1,60}>|&#?\w+;"), re.compile(r"[\W_]+")


def _plain(text: str) -> str:
    return _NOT_LETTERS.sub("", _MARKUP.sub(" ", text).lower())


def _texts_of(before: Any) -> Iterable[str]:
    for turns in before.dialogues["turns"]:
        yield "\n".join(f"{turn['speaker'] or ''} {turn['text']}" for turn in turns)
        yield "".join(turn["text"] for turn in turns)
    yield from before.dialogues["meta"].drop_nulls()
    yield from before.summaries["text"]
    for name in _JUDGED:
        frame = getattr(before, name)
        for column in ("comment", "text"):
            if column in frame.columns:
                yield from frame[column].drop_nulls().unique()
