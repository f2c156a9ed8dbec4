"""What was read, and may be something else: names of people, systems and dimensions that stand for each other.

Each check compares the names in the result with each other and with the file. A doubt is a sentence that says which
names are doubtful, and what to type where they are right.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Set
from typing import Any

import polars as pl

from dialgauge.corpus._fields import leaves_of
from dialgauge.corpus._guess_texts import BY_ROWS
from dialgauge.corpus._implausible import NOBODY
from dialgauge.corpus._names import USES, is_dimension, normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import is_answer
from dialgauge.errors import counted

#: More rows than this are not needed to see which names a file has.
_MOST_ROWS = 5_000
_MOST_RECORDS = 100
_LONGEST_NAME = 60
_SHOWN = 3
_MOSTLY = 0.9
#: Numbered names of this kind are questions, whoever answers them.
_QUESTIONS = re.compile(r"(?:q|question|item|criterion|dimension|dim|aspect|frage|kriterium|label|task|sentence|c|k)?")
#: Words in the names of columns that name people, and often other things too.
_OF_PEOPLE = frozenset(["who", "name", "initials", "person", "qui", "wer", "nome", "nombre", "nom"])
_NUMBERED_QUESTION = re.compile(r"(?:q|question|item|criterion|frage|kriterium|c|k)[ _-]?\d{1,2}", re.IGNORECASE)
_INITIALS = re.compile(r"[^\W\d_a-z]{2,3}")
_ASKED = ("measure", "what", "topic", "property", "metric")


def doubtful(table: Table, plan: Plan, parts: Any, said: Set[str]) -> list[str]:
    """Why names may have been taken for those of something else; ``said`` are the uses that the user has mapped."""
    judged = any(use.startswith("dimension:") or use == "value" for use in said)
    found = [*_packed(parts), *_unread_cells(table, plan, parts)]
    if not {"system", "ignore"} & said:
        found += _unnamed_sides(plan, table, parts)
    if table.layout is not None:
        return found
    if not judged:
        found += [*_crossed_names(parts), *_named_by_values(parts), *_called_like_systems(parts)]
        if "annotator" not in said:
            found += [
                *_crossed_people(parts),
                *_people_or_questions(plan, parts),
                *_people_as_dimensions(parts, table.records is not None),
                *_keys_of_both(table, parts),
            ]
    if "system" not in said:
        found += _unnamed_writers(table, plan)
    if not {"system", "annotator", "ignore"} & said:
        found += _unnamed_parts(table, plan)
    return found


def _unread_cells(table: Table, plan: Plan, parts: Any) -> list[str]:
    """Columns that are said to hold judgements, of which more cells are filled than the account knows of."""
    accounts = parts.accounts if hasattr(parts, "accounts") else (parts.account,)
    judged = [one for one in plan.columns if one.use == "value" or (one.use or "").startswith("dimension:")]
    spare = sum(one.rows_left_out + one.rows_merged for one in accounts) * len(judged)
    filled, known = sum(_filled(table.frame[one.name]) for one in judged), sum(one.cells for one in accounts) + spare
    if known >= filled:
        return []
    return [
        f"{counted(filled, 'cell')} of {_listed(one.name for one in judged)} are filled, and only {known:,} were read "
        "as judgements: map dimension=COLUMN and value=COLUMN, or dimension:NAME=COLUMN for each"
    ]


def _filled(values: pl.Series) -> int:
    """How many cells hold something; ``""`` of files that quote every cell is nothing."""
    return int((values.drop_nulls().cast(pl.String, strict=False).str.strip_chars() != "").sum())


def _dimensions(parts: Any) -> list[str]:
    return [] if parts.ratings.is_empty() else sorted(parts.ratings["dimension"].unique().to_list())


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(map(repr, shown[:_SHOWN])) + (" …" if len(shown) > _SHOWN else "")


def _packed(parts: Any) -> list[str]:
    """The dimensions whose classes are lists or objects that nobody opened."""
    return [
        f"{one.name!r} has values that hold several each, such as {one.labels[0]!r}: give each a column or a field of "
        f"its own, or leave it out (--map ignore={one.name})"
        for one in parts.declared
        if one.labels and any(re.match(r"\s*[\[{]", label) for label in one.labels)
    ]


#: What sides are called where nothing says whose summary is on each.
_SIDES = frozenset(["a", "b", "1", "2", "left", "right", "first", "second"])
_OF_SIDE = re.compile(r"(.+?)_?(a|b|1|2|left|right|first|second)")


def _unnamed_sides(plan: Plan, table: Table, parts: Any) -> list[str]:
    """Columns that were not read and have the same few names for both sides of comparisons: those of the systems."""
    compared = getattr(parts, "preferences", None)
    if compared is None or compared.is_empty() or not set(compared["system_a"]) | set(compared["system_b"]) <= _SIDES:
        return []
    named: dict[str, list[str]] = {}
    for column in plan.columns:
        at = _OF_SIDE.fullmatch(normalised(column.name)) if column.use is None else None
        if at is not None:
            named.setdefault(at[1], []).append(column.name)
    for columns in named.values():
        values = [set(table.frame[column].drop_nulls().cast(pl.String).unique()) for column in columns]
        short = all(len(text) <= _LONGEST_NAME and not is_answer(text) for one in values for text in one)
        if len(columns) == 2 and short and values[0] & values[1] and len(values[0] | values[1]) < compared.height:
            return [
                f"{columns[0]!r} and {columns[1]!r} may name the systems on both sides of the comparisons: call them "
                f"system_a and system_b, or leave them out (--map ignore={columns[0]} --map ignore={columns[1]})"
            ]
    return []


def _crossed_names(parts: Any) -> list[str]:
    """Dimensions whose names are all combinations of two sets of words: one of both names systems or people."""
    names = _dimensions(parts)
    words = {name: re.split(r"[\W_]+", name.strip(" )").lower()) for name in names}
    if len(names) < 4 or not all(len(split) > 1 for split in words.values()):
        return []
    for cut in (1, -1):
        pairs = {(" ".join(split[:cut]), " ".join(split[cut:])) for split in words.values()}
        first, second = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
        if len(pairs) == len(names) == len(first) * len(second) and len(first) > 1 < len(second):
            return [
                f"the dimensions {_listed(names)} are combinations of {_listed(sorted(first))} with "
                f"{_listed(sorted(second))}: if some of these are systems or annotators, give them a column of their "
                "own; if all are dimensions, map each (--map dimension:NAME=COLUMN)"
            ]
    return []


def _crossed_people(parts: Any) -> list[str]:
    """Annotators whose names are all combinations of dimensions with others, as those of files are: ``clarity_ann``."""
    names = parts.ratings["annotator"].drop_nulls().unique().sort().to_list()
    words = {name: re.split(r"[\W_]+", name.lower()) for name in names}
    if len(names) < 4 or not all(len(split) > 1 for split in words.values()):
        return []
    for cut in (1, -1):
        pairs = {(" ".join(split[:cut]), " ".join(split[cut:])) for split in words.values()}
        first, second = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
        dimensions = any(all(is_dimension(normalised(one)) for one in side) for side in (first, second))
        if dimensions and len(pairs) == len(names) == len(first) * len(second) and len(first) > 1 < len(second):
            return [
                f"the annotators {_listed(names)} are combinations of dimensions and people: put both into columns of "
                "their own"
            ]
    return []


def _named_by_values(parts: Any) -> list[str]:
    """Dimensions that are called like the answers to a question: one column for each answer."""
    names = [name for name in _dimensions(parts) if is_answer(name) and not is_dimension(normalised(name))]
    if len(names) < 2:
        return []
    return [
        f"{_listed(names)} are answers rather than dimensions: put the answers into one column, or map each column "
        "(--map dimension:NAME=COLUMN)"
    ]


def _called_like_systems(parts: Any) -> list[str]:
    """Dimensions that are called like the systems, of which the judgements are, and not of whatever a row is about."""
    named = parts.summaries.filter(pl.col("kind") == "system") if hasattr(parts, "summaries") else parts.ratings
    systems = {normalised(str(name)) for name in named["system"].unique()}
    names = [name for name in _dimensions(parts) if normalised(name) in systems and not is_dimension(normalised(name))]
    if not names:
        return []
    return [
        f"{_listed(names)} {'is' if len(names) == 1 else 'are'} called like a system, and taken for what is judged: "
        f"give each judgement its system in a column of its own, or say what they are (--map dimension:NAME={names[0]})"
    ]


def _people_or_questions(plan: Plan, parts: Any) -> list[str]:
    """A column that was taken for the annotators by its values alone, beside dimensions that nothing is known of."""
    guessed = [column.name for column in plan.columns if column.use == "annotator" and column.why == BY_ROWS]
    names = _dimensions(parts)
    if not guessed or not names or any(is_dimension(normalised(name)) for name in names):
        return []
    people = [normalised(name) for name in parts.ratings["annotator"].unique()]
    asked = normalised(guessed[0]) in {*USES["dimension"], *_ASKED} or any(map(is_dimension, people))
    if not (asked or _are_like_people(names)) or set(normalised(guessed[0]).split("_")) & _OF_PEOPLE:
        return []
    return [
        f"{guessed[0]!r} was taken for the annotators, and {_listed(names)} for what they judged: it may be the other "
        f"way round. Say so: --map annotator={guessed[0]} and --map dimension:NAME=COLUMN for each, or turn the table"
    ]


#: What only names of qualities end with, or have in them.
_DIMENSION = re.compile(
    r"(?:ness|ity|[aei]ncy|[ae]nce|ion|ment|age|able|ible|ful|less|ive|ous|ing|keit|heit|ung|enz|té|dad|tà|ade)$|\w[\W_]+\w"
    r"|^(?:q|c|k)\d+$",
    re.IGNORECASE,
)


def _people_as_dimensions(parts: Any, nested: bool) -> list[str]:
    """Dimensions that nothing is known of and that are called like people, where no annotator is.

    Keys that answers are ``nested`` under may be either, unless they sound like qualities.
    """
    names = _dimensions(parts)
    if len(names) < 2 or any(is_dimension(normalised(name)) for name in names):
        return []
    people = parts.ratings["annotator"].unique().to_list()
    if len(people) > 1 and all(map(_NUMBERED_QUESTION.fullmatch, people)):
        return [
            f"the annotators {_listed(sorted(people))} may be questions, and {_listed(names)} people: give each "
            "judgement its annotator in a field of its own, or map them (--map annotator=COLUMN)"
        ]
    if len(people) > 1 and (_are_like_people(people) or all(map(_INITIALS.fullmatch, names))):
        return []  # abbreviations beside names
    if not _are_like_people(names) and not (people == [NOBODY] and nested and not any(map(_DIMENSION.search, names))):
        return []
    return [
        f"{_listed(names)} may be people, and were taken for dimensions: give each judgement its annotator in a field "
        "of its own, or say that they are dimensions (--map dimension:NAME=COLUMN)"
    ]


def _keys_of_both(table: Table, parts: Any) -> list[str]:
    """People and dimensions that are only keys of nested objects, of which neither is known: which is which?"""
    raw = table.raw.records if table.raw is not None else None
    names = _dimensions(parts)
    if raw is None or not names or any(is_dimension(normalised(name)) for name in names):
        return []
    people = sorted(parts.ratings["annotator"].unique().to_list())
    records = [record for _, record in raw[:_MOST_RECORDS]]
    told = {str(leaf) for record in records for _, leaf in leaves_of(record)}
    if len(people) < 2 or len(names) < 2 or told & {*people, *names} or _are_like_people(people):
        return []
    return [
        f"{_listed(people)} were taken for annotators, and {_listed(names)} for what they judged, as keys of nested "
        "objects: it may be the other way round. Give each judgement its annotator as a field of its own"
    ]


def _are_like_people(names: list[str]) -> bool:
    """Whether names are those of people by their form: numbered other than questions are, initials, or addresses."""
    stems = {re.sub(r"[\W_]*\d+$", "", name) for name in names}
    numbered = len(stems) == 1 < len(names) and not _QUESTIONS.fullmatch(normalised(min(stems)))
    short = all(map(_INITIALS.fullmatch, names))
    return numbered or short or all("@" in name for name in names)


def _unnamed_writers(table: Table, plan: Plan) -> list[str]:
    """Columns that name who wrote each of several texts of a dialogue, and were taken for something else."""
    summary = plan.uses.get("summary", ())
    dialogue = plan.uses.get("dialogue_id", ()) or plan.uses.get("dialogue", ())
    if plan.has("system") or plan.has("variant") or not summary or not dialogue or table.frame.height > _MOST_ROWS:
        return []
    texts = table.frame.select(pl.col(dialogue[0]).alias("_d"), pl.col(summary[0]).alias("_t"))
    several = texts.group_by("_d").agg(pl.col("_t").drop_nulls().n_unique().alias("n")).filter(pl.col("n") > 1)
    if several.height < 2:
        return []
    found = []
    for column in plan.columns:
        if column.type != "text" or (column.use is not None and not column.use.startswith("dimension:")):
            continue
        values = texts.with_columns(table.frame[column.name].cast(pl.String).str.strip_chars().alias("_n")).drop_nulls()
        if values.is_empty() or values["_n"].n_unique() * 2 > values.height:
            continue
        own = values.group_by("_d", "_t").agg(pl.col("_n").n_unique().alias("n"))
        names = values.group_by("_d").agg(pl.col("_n", "_t").n_unique()).filter(pl.col("_t") > 1)
        if (
            (own["n"] == 1).all()
            and (names["_n"] == names["_t"]).all()
            and names.height * 2 > several.height
            and (values["_n"].str.len_chars() <= _LONGEST_NAME).all()
        ):
            found.append(
                f"{column.name!r} may name the systems, as it has a name of its own for each summary of a dialogue: "
                f"--map system={column.name}, or leave it out (--map ignore={column.name})"
            )
    return found


def _unnamed_parts(table: Table, plan: Plan) -> list[str]:
    """Sheets or files that judge the same dialogues, where neither they nor a column name people or systems."""
    judged = [column.name for column in plan.columns if (column.use or "").startswith(("dimension:", "value"))]
    dialogue = plan.uses.get("dialogue_id", ()) or plan.uses.get("dialogue", ())
    named = plan.has("system") and plan.has("annotator")
    frame = table.frame
    if named or not judged or not dialogue or frame.height > _MOST_ROWS:
        return []
    given = frame.select(pl.any_horizontal(pl.col(judged).is_not_null())).to_series()
    places: defaultdict[str, set[str]] = defaultdict(set)
    for row, (item, filled) in enumerate(zip(frame[dialogue[0]].cast(pl.String), given, strict=True)):
        if filled and item is not None:
            places[item].add(table.place(row)[0])
    files = sorted({file for own in places.values() for file in own})
    shared = sum(len(own) > 1 for own in places.values())
    if len(files) < 2 or shared * 2 <= len(places):
        return []
    lacking = "annotators" if plan.has("system") else "systems"
    return [
        f"{counted(len(files), 'part')} ({_listed(files)}) judge the same dialogues, and nothing says which "
        f"{lacking} they are of: put the names into a column of each"
    ]
