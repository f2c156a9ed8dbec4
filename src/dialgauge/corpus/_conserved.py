"""Whether every field of a file that looks like judgements or texts has arrived somewhere.

Nothing here knows how files are read. A field was read if other values in it give another corpus: the values of a field
are exchanged for each other, the file is read again, and as many judgements must differ as there are cells.
"""

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from dialgauge.corpus._arrived import columns_without_heading, headings_as_data, lost_names, named_in
from dialgauge.corpus._assemble import RatingParts
from dialgauge.corpus._best_worst import unread_choices
from dialgauge.corpus._doubtful import doubtful
from dialgauge.corpus._exchanged import ASKED_ROWS, JUDGED, Read, as_submitted, asked_rows, explained, unread
from dialgauge.corpus._fields import ANY_PLACE, Field, fields_of
from dialgauge.corpus._guess_ratings import HOW_SURE, NUMBERS_ROWS, OF_A_PROGRAM, OF_THE_TALK, is_same_within
from dialgauge.corpus._guess_texts import MAY_NAME_PEOPLE
from dialgauge.corpus._headings import EXPLAINING_ROWS
from dialgauge.corpus._implausible import implausible
from dialgauge.corpus._keys_of_letters import keys_to, unexplained_letters
from dialgauge.corpus._look_alikes import (
    MOST_WORDS,
    is_named,
    is_no_metric,
    is_of_program,
    is_summed_up,
    lists_labels,
    looks_judged,
    looks_like_texts,
    may_be_judged,
    names_sides,
    share_words,
    speaks_in_words,
    speaks_like,
    unread_preferences,
)
from dialgauge.corpus._mapping import IGNORE, Mapped, listed
from dialgauge.corpus._names import (
    AGGREGATES,
    is_of_conversation,
    is_person,
    normalised,
    says_how_sure,
    speaks_of_summaries,
)
from dialgauge.corpus._nowhere import as_nowhere
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._shapes import PLACES, SENTENCES
from dialgauge.corpus._table import Table
from dialgauge.corpus._texts_arrived import lost_texts
from dialgauge.corpus._told_in_headings import texts_in_headings
from dialgauge.corpus._unexplained import contradicted_names, lost_keys, stored_names, unread_names
from dialgauge.corpus._values import MOSTLY, Reading, read_names, read_values
from dialgauge.corpus._who_answered import nothing_judged, taken_back, tried_out
from dialgauge.errors import InputError

#: So many summaries show that a score is the same for all who judge them.
_FEWEST_GROUPS = 5
#: Crosses and names have no more words than this.
_LONGEST_NAME = 3
#: What names rows: a column that does so under its own name was read.
_OF_KEY = ("dialogue_id", "system", "annotator", "dimension")


def lost_fields(
    table: Table,
    plan: Plan,
    parts: Read,
    mapping: Mapped,
    read: Callable[[Table], Read],
    without: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """The fields of the file of a table that look like judgements or texts and arrived nowhere, each as a sentence.

    ``parts`` is what was read from the table, ``read`` makes the same of another one that was understood. Where the
    user maps dimensions, no other field is asked whether it is one. The people ``without`` whom the user wants the
    judgements are not asked about.
    """
    raw, understand = table.raw, table.again
    ignored = mapping.get(IGNORE, ())
    parts_unread = [
        said for name, said in table.unread.items() if name not in ([ignored] if isinstance(ignored, str) else ignored)
    ]
    said = {use.partition(":")[2] for use in mapping if use.startswith("dimension:")}
    if not isinstance(parts, RatingParts):
        settled = listed(ignored)
        letter_keys = keys_to(parts, table)
        keys = [key.name for key in letter_keys]
        parts_unread = [one for one in parts_unread if one not in [table.unread.get(name) for name in keys]]
        parts_unread += unexplained_letters(parts, table, letter_keys) if not set(keys) & set(settled) else []
        left = [one for one in table.left if one.name not in settled and one.name not in {*table.unread, *keys}]
        parts_unread += nothing_judged(parts, left)
    parts_unread += taken_back(table, mapping)
    parts_unread += tried_out(table, parts, mapping, without)
    parts_unread += implausible(parts, known=table.layout is not None, said=said)
    parts_unread += doubtful(table, plan, parts, set(mapping))
    if raw is None or understand is None:
        return tuple(parts_unread)

    def again(other: Table) -> Read:
        return read(understand(other))

    used = {name for given in mapping.values() for name in ([given] if isinstance(given, str) else given)}
    used |= table.settled
    asked = asked_rows(as_submitted(raw) if table.dropped else raw)
    as_it_was = _is_as_it_was(table, raw)
    if as_it_was:
        used |= {column.name for column in plan.columns if column.use is not None} | _facts(table.frame, plan)
        free = [name for name in raw.frame.columns if name not in used]
        fields = fields_of(replace(asked, frame=asked.frame.select(free)))
    else:
        used |= {name for use in _OF_KEY for name in plan.uses.get(use, ()) if raw.records is None}
        fields = fields_of(asked)
    unknown = [one for path, one in fields.items() if path not in used and path not in table.ignored]
    guessing = not any(use.startswith("dimension:") or use == "value" for use in mapping)
    unnamed = columns_without_heading(raw.frame) if raw.records is None else []
    if raw.records is None and not _has_dialogues(parts):
        unnamed += texts_in_headings(raw.frame.columns)
    if hasattr(parts, "choices") and parts.choices.is_empty():
        short = [one for one in unknown if all(len(text.split()) <= _LONGEST_NAME for text in one.counts)]
        unnamed += unread_choices(one.names[-1] for one in short if one.names)
    if not isinstance(parts, RatingParts) and guessing and parts.choices.is_empty():
        read_already = parts.preferences.height + explained(parts) if parts.preferences.height else 0
        unnamed += unread_preferences(unknown, stored_names(parts), read_already)
    names = (
        *parts_unread,
        *unnamed,
        *headings_as_data(parts),
        *_lost_names(table, plan, parts, unknown, without),
        *_lost_keys(raw, table, parts),
    )
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
    spare = explained(before) + (table.summed + (EXPLAINING_ROWS if raw.records is None else 0)) * len(judged)
    if (
        as_it_was
    ):  # no column that the plan does not use can have been read, whatever other values would make of the file
        nowhere = [as_nowhere(one) for one, _ in judged.values()]
    else:
        nowhere = unread(asked, judged, before, again, several, spare)
    return (*map(str, [*nowhere, *lost_texts(texts, before)]), *names)


def _has_dialogues(parts: Read) -> bool:
    """Whether what was said is known of some dialogue."""
    return isinstance(parts, RatingParts) or bool(parts.dialogues["turns"].list.len().fill_null(0).sum())


def _lost_names(
    table: Table, plan: Plan, parts: Read, unknown: list[Field], without: frozenset[str]
) -> tuple[str, ...]:
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
    return tuple(lost_names([*own, *named_in(table.frame, plan.uses)], parts, without))


def _lost_keys(raw: Table, table: Table, parts: Read) -> list[str]:
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


def _judged_fields(fields: list[Field], table: Table, plan: Plan, parts: Read) -> dict[str, tuple[Field, Reading]]:
    """The fields that look like judgements, by path, with how they are read."""
    has_judgements = any(getattr(parts, name).height for name in JUDGED if hasattr(parts, name))
    if has_judgements:  # what a customer said of the whole talk is none of them
        fields = [one for one in fields if not any(is_of_conversation(normalised(part)) for part in one.names[:-1])]
        people = len(_people_in(parts))
        fields = [one for one in fields if not (_agreed_on(one) or (one.filled <= people and _of_listed_people(one)))]
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
            all_of_them = MOSTLY * min(beside.get(one.names[:-1], everybody), ASKED_ROWS)
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


def _agreed_on(one: Field) -> bool:
    """Whether a field stands in what was agreed upon afterwards, or numbers the sentences that people judged."""
    above = [normalised(part) for part in one.names[:-1]]
    if above and above[-1] in SENTENCES and normalised(one.names[-1]) in PLACES:
        return True
    return any(normalised(part) in ("gold", "adjudicated", "adjudication", "consensus") for part in one.names[:-1])


def _of_listed_people(one: Field) -> bool:
    """Whether a field is one of a list of those who judged, which has no more entries than there are people."""
    above = [normalised(part) for part in one.names[:-1]]
    return bool(above) and is_person(above[-1].removesuffix("s")) and not is_named(one)


def _people_in(parts: Read) -> set[str]:
    frames = [getattr(parts, name) for name in JUDGED if hasattr(parts, name)]
    return {who for frame in frames if "annotator" in frame.columns for who in frame["annotator"].drop_nulls().unique()}


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


def _are_compared(parts: Read) -> bool:
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
    # What is said once of all summaries of a call may be a judgement all the same.
    facts = {name for name in facts if not speaks_of_summaries(name)}
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
