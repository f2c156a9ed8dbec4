"""Wide files: a column per system or per annotator becomes rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import (
    AGGREGATES,
    COMMENT_WORDS,
    TELLING,
    USES,
    heading,
    is_dimension,
    is_housekeeping,
    normalised,
)
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import MOSTLY
from dialgauge.corpus._wide_headings import (
    ANSWERS,
    VALUE,
    as_written,
    in_grid,
    is_judged,
    people_beside_questions,
    rankers,
    systems_in_headings,
    titled_people,
    with_accents,
)
from dialgauge.corpus._writers import writers_of
from dialgauge.corpus.layouts._base import ROW

#: What the texts of a wide file are called beside the name of the system.
_TEXTS = (
    "summary",
    "summ",
    "output",
    "hypothesis",
    "hyp",
    "prediction",
    "pred",
    "generated",
    "response",
    "candidate",
    *sorted(TELLING["summary"] - {"summary", "hypothesis"}),
    "text",
)
#: Affixes that say something else than who wrote a summary.
_NOT_SYSTEMS = frozenset(
    [
        "id",
        "ids",
        "length",
        "len",
        "type",
        "model",
        "system",
        "name",
        "role",
        "kind",
        "index",
        "idx",
        "count",
        "words",
        "tokens",
        "time",
        "date",
        "original",
        "seed",
        "reference",
        "ref",
        "gold",
        "golden",
        "human",
        "target",
        "source",
        "quality",
        "sentence",
        "sentences",
        "label",
        "score",
        "lang",
        "language",
    ]
)
#: A heading that is an annotator and nothing else: "Rater 1", "annotator_b".
_ONLY_RATER = re.compile(
    r"(?:annotator|rater|judge|expert|worker|evaluator|reviewer|coder|turker|assessor|grader)_?(?:\d{1,3}|[a-h])"
)
#: An annotator whose name says so, for columns whose other part is no known dimension: "Ann1_Fact".
_WORDED = re.compile(r"(?:ann|anno|annot|annotator|rater|judge|expert|worker|evaluator|reviewer|coder|turker)_?\d{1,3}")
#: The column that comments of a wide file go to.
_COMMENT = "comment"
_RATER = re.compile(
    r"(?:a|an|ann|anno|annotator|rater|r|judge|j|worker|w|expert|ex|turker|coder|c|evaluator|ev|eval|e|reviewer|"
    r"participant|p|person|human|h|user|u|labeler|qa|qc|rev|prufer(?:in)?|bewerter(?:in)?|gutachter(?:in)?|juge|"
    r"evaluador(?:a)?|evaluateur|evaluatrice|anotador(?:a)?|annotateur|annotatrice|valutatore|avaliador(?:a)?)?_?\d{1,3}|(?:annotator|rater|judge|expert|coder|evaluator|reviewer)_[a-h]"
)


#: An annotator by a letter and a number: a number alone may be that of a question.
_LETTERED = re.compile(r"[a-z]+_?\d{1,3}|[a-z]+_[a-h]")


#: "Coherence (ann)": whose column it is, in brackets.
_BRACKETED = re.compile(r"[^()\[\]]+[(\[][^()\[\]]{1,40}[)\]]\s*")


@dataclass(frozen=True, slots=True)
class _Wide:
    """What is wide: the texts and names of systems, and ratings as (dimension, system, annotator) of each column."""

    texts: Mapping[str, str]
    names: Mapping[str, str]
    ratings: Mapping[str, tuple[str, str | None, str | None]]
    comments: Mapping[str, tuple[str | None, str | None]]


def as_long(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table with a row per summary and annotator; unchanged where nothing in it is wide."""
    frame = table.frame
    found = _find(frame, mapping)
    if not found.texts and not found.ratings:
        return table
    people = sorted({who for _, _, who in found.ratings.values() if who is not None}, key=_natural)
    written = dict.fromkeys(system for _, system, _ in found.ratings.values() if system is not None)
    systems: list[str | None] = [*found.texts] or [*written] or [None]
    raters: list[str | None] = [*people] or [None]
    wide = {*found.texts.values(), *found.names.values(), *found.ratings, *found.comments}
    dimensions = sorted({dimension for dimension, _, _ in found.ratings.values()})
    rest = [column for column in frame.columns if column not in wide and column not in dimensions]
    numbered = _with_ids_below(frame, rest).with_row_index("_origin")
    numbered = numbered.filter(pl.any_horizontal(pl.exclude("_origin").is_not_null()))
    parts = []
    for system in systems:
        for who in raters:
            cells = [_cell(found, frame, dimension, system, who).alias(dimension) for dimension in dimensions]
            named = (
                []
                if system is None
                else [
                    _name_of(found, system).alias("system"),
                    *([pl.col(found.texts[system]).alias("summary")] if system in found.texts else []),
                ]
            )
            rated = [] if who is None else [pl.lit(who).alias("annotator")]
            parts.append(numbered.select("_origin", *rest, *named, *rated, *cells, *_comment(found, system, who)))
    long = pl.concat(parts, how="diagonal_relaxed").sort("_origin", maintain_order=True)
    if people and dimensions:
        # A person who judged nothing here has no row, but the text of the summary must stay somewhere.
        judged = pl.any_horizontal(pl.col(dimensions).is_not_null())
        key = ["_origin", *(["system"] if found.texts or written else [])]
        long = long.filter(judged | (pl.int_range(pl.len()).over(key) == 0))
        long = long.with_columns(pl.when(judged).then("annotator"))
    origin = long["_origin"].to_list()
    place = table.place
    asked = any(normalised(column) in USES["dimension"] for column in rest)
    said = [f"{name} ← {column}" for name, column in found.texts.items()] or [*written]
    notes = [f"a column for each system: {', '.join(said)}"] if said else []
    if people:
        notes.append(f"a column for each annotator: {', '.join(people)}")
    more = long.height - frame.height  # judgements of other kinds are counted behind the rows
    return replace(
        table,
        frame=long.drop("_origin"),
        place=lambda row: place(origin[row] if row < len(origin) else frame.height + row - len(origin)),
        further={name: one.with_columns(pl.col(ROW) + more) for name, one in table.further.items()},
        notes=(*table.notes, *notes),
        known={
            **table.known,
            **{name: "value" if asked and name in ANSWERS else f"dimension:{name}" for name in dimensions},
            **({_COMMENT: "comment"} if found.comments else {}),
        },
    )


def _with_ids_below(frame: pl.DataFrame, rest: Sequence[str]) -> pl.DataFrame:
    """The frame with ids that stand only in the first of several rows, as merged cells are saved, in all of them."""
    named = make_plan(frame.select(rest)).uses.get("dialogue_id", ())
    for column in named:
        values = frame[column]
        if values.null_count() and values[0] is not None and values.drop_nulls().is_unique().all():
            frame = frame.with_columns(pl.col(column).forward_fill())
    return frame


def _name_of(found: _Wide, system: str) -> pl.Expr:
    """The name of a system: as the column beside its texts says, else the affix of that column."""
    return pl.col(found.names[system]).cast(pl.String) if system in found.names else pl.lit(system)


def _cell(found: _Wide, frame: pl.DataFrame, dimension: str, system: str | None, who: str | None) -> pl.Expr:
    column = next(
        (
            column
            for column, (what, of, by) in found.ratings.items()
            if what == dimension and of in (system, None) and by in (who, None)
        ),
        None,
    )
    return pl.lit(None, pl.String) if column is None else pl.col(column).cast(pl.String)


def _comment(found: _Wide, system: str | None, who: str | None) -> list[pl.Expr]:
    """What this annotator wrote about this system, where columns are for that."""
    if not found.comments:
        return []
    column = next((c for c, (of, by) in found.comments.items() if of in (system, None) and by in (who, None)), None)
    return [(pl.lit(None, pl.String) if column is None else pl.col(column).cast(pl.String)).alias(_COMMENT)]


def _find(frame: pl.DataFrame, mapping: Mapping[str, str | Sequence[str]]) -> _Wide:
    mapped = {c for given in mapping.values() for c in ((given,) if isinstance(given, str) else given)}
    names = {column: normalised(column) for column in frame.columns if column not in mapped}
    texts: dict[str, str] = {}
    if not {"summary", "system"} & set(mapping):
        texts = summaries_by_system(frame, names)
    ratings: dict[str, tuple[str, str | None, str | None]] = {}
    if not any(use.startswith("dimension") or use == "value" for use in mapping):
        known = {name for name in names.values() if name in USES["annotator"]}
        ratings = _ratings(frame, names, set(texts), bool(known) or "annotator" in mapping)
    sides = {system: normalised(system) for system in texts}
    beside = writers_of(frame, sides, without={*texts.values(), *mapped})
    taken = {*texts.values(), *beside.values()}
    rated = {
        column: (with_accents(column, dimension) if dimension == normalised(dimension) else dimension, system, who)
        for column, (dimension, system, who) in ratings.items()
        if column not in taken
        # "Note" is a remark in English, and a mark in German and French.
        if _are_numbers(frame[column]) or not COMMENT_WORDS & set(normalised(dimension).split("_"))
    }
    return _Wide(texts, beside, rated, _comments(names, texts, rated))


def _are_numbers(values: pl.Series) -> bool:
    found = answers(values)
    return found.kind == "number" and found.share >= MOSTLY


def _comments(
    names: Mapping[str, str], texts: Mapping[str, str], ratings: Mapping[str, tuple[str, str | None, str | None]]
) -> dict[str, tuple[str | None, str | None]]:
    """Columns of comments that have the affix of a system or of an annotator, and whose they are."""
    systems = {normalised(system): system for system in texts}
    people = {normalised(who): who for _, _, who in ratings.values() if who is not None}
    found: dict[str, tuple[str | None, str | None]] = {}
    for column, name in names.items():
        words = name.split("_")
        if column in ratings or not COMMENT_WORDS & set(words):
            continue
        rest = "_".join(word for word in words if word not in COMMENT_WORDS)
        system, left = _of(f"{rest}_", systems) if rest not in systems else (systems[rest], "")
        who = people.get(left.strip("_"))
        if system is not None or who is not None:
            found[column] = (system, who)
    return found


def summaries_by_system(frame: pl.DataFrame, names: Mapping[str, str]) -> dict[str, str]:
    """The columns of summaries by the system that is named in their headings; none where rows name the system."""
    if set(names.values()) & {*USES["system"]} or "summary" in names.values():
        return {}
    for stem in _TEXTS:
        found: dict[str, str] = {}
        for column, name in names.items():
            affix = _affix(name, stem)
            other = affix in _NOT_SYSTEMS or affix in USES["reference"]
            if affix and not other and _is_text(frame[column]) and name not in USES["reference"]:
                found[as_written(column, affix)] = column
        if len(found) > 1:
            return found
    return {}


def _affix(name: str, stem: str) -> str | None:
    if name.startswith(f"{stem}_"):
        return name.removeprefix(f"{stem}_").removeprefix("by_").removeprefix("of_")
    if name.endswith(f"_{stem}"):
        return name.removesuffix(f"_{stem}")
    return None


def _is_text(values: pl.Series) -> bool:
    shown = values.drop_nulls().head(100).cast(pl.String)
    return bool(len(shown)) and int(shown.str.contains(r"\s").sum()) * 2 > len(shown)


def _ratings(
    frame: pl.DataFrame, names: Mapping[str, str], systems: set[str], named: bool
) -> dict[str, tuple[str, str | None, str | None]]:
    plain = {normalised(system): system for system in systems}
    found: dict[str, tuple[str, str | None, str | None]] = {}
    for column in names:
        title = normalised(heading(column)[0])
        if AGGREGATES.fullmatch(title) or not is_judged(frame, column):
            continue
        # A column that is called after a system alone has the answers about it to what another column asks.
        system, rest = (plain[title], VALUE) if title in plain else _of(title, plain)
        if systems and system is None:
            continue
        who, dimension = (None, rest) if named else _by(rest)
        who = who if who is None else as_written(column, who)
        if is_housekeeping(dimension) and not is_dimension(dimension):
            continue
        if _ONLY_RATER.fullmatch(title) and not named:
            found[column] = (VALUE, system, as_written(column, title))
        elif system is not None or (who is not None and _is_rated(dimension, who)):
            found[column] = (dimension, system, who)
    if not systems and (grid := in_grid(frame, names, named)):
        return grid
    if not systems and not named and (titled := titled_people(frame, names)):
        return titled
    if not systems and not found and any(name in USES["dimension"] for name in names.values()) and not named:
        return people_beside_questions(frame, names)
    if not systems and named and not set(names.values()) & {*USES["system"], *USES["summary"]}:
        return systems_in_headings(frame, names)
    if not systems:
        found |= _same_people(frame, names, found, named)
        # One column with the number of an annotator may be anything; two of a dimension are annotators.
        stems = [dimension for dimension, _, _ in found.values()]
        found = {column: what for column, what in found.items() if stems.count(what[0]) > 1}
        found |= _named_people(names, found, frame, named)
    return found


def _same_people(
    frame: pl.DataFrame,
    names: Mapping[str, str],
    found: Mapping[str, tuple[str, str | None, str | None]],
    named: bool,
) -> dict[str, tuple[str, str | None, str | None]]:
    """Columns of answers that end as those of annotators do, whatever they are about: ``zorp_a1`` and ``zorp_a2``."""
    if named:
        return {}
    people = {normalised(who) for _, _, who in found.values() if who is not None}
    more: dict[str, dict[str, str]] = {}
    for column in names:
        title = normalised(heading(column)[0])
        who, stem = _by(title)
        known = who is not None and (who in people or (not people and _LETTERED.fullmatch(who) is not None))
        if column in found or not known or AGGREGATES.fullmatch(title) or is_housekeeping(stem):
            continue
        if is_judged(frame, column):
            more.setdefault(stem, {})[column] = as_written(column, str(who))
    return {
        column: (stem, None, who)
        for stem, columns in more.items()
        if len(columns) > 1 and (not people or {normalised(who) for who in columns.values()} == people)
        for column, who in columns.items()
    }


def _is_rated(dimension: str, who: str) -> bool:
    """Whether a column of this annotator is one of answers: by what it is about, or by how the annotator is called."""
    return is_dimension(dimension) or dimension in ANSWERS or bool(_WORDED.fullmatch(normalised(who)))


def _of(name: str, systems: Mapping[str, str]) -> tuple[str | None, str]:
    for plain in sorted(systems, key=len, reverse=True):
        if name.endswith(f"_{plain}"):
            return systems[plain], name.removesuffix(f"_{plain}")
        if name.startswith(f"{plain}_"):
            return systems[plain], name.removeprefix(f"{plain}_")
        if f"_{plain}_" in name:
            return systems[plain], name.replace(f"_{plain}_", "_")
    return None, name


def _by(name: str) -> tuple[str | None, str]:
    """The annotator in a name (``coherence_a1``, ``rater_2_fluency``), and the rest of it."""
    tokens = name.split("_")
    for size in (2, 1):
        if len(tokens) > size:
            last, first = "_".join(tokens[-size:]), "_".join(tokens[:size])
            if _RATER.fullmatch(last) and not tokens[-size - 1].isdigit():
                return last, "_".join(tokens[:-size])
            if _RATER.fullmatch(first) and not first.isdigit():
                return first, "_".join(tokens[size:])
    return None, name


def _named_people(
    names: Mapping[str, str], found: Mapping[str, object], frame: pl.DataFrame, named: bool
) -> dict[str, tuple[str, str | None, str | None]]:
    """People by name: the same affixes (``_ann``, ``_bob``) on at least two dimensions."""
    if named or found:
        return {}
    if people := rankers(frame, names):
        return people
    groups: dict[str, dict[str, str]] = {}
    for column, name in names.items():
        tokens = name.split("_")
        if is_dimension(name) or AGGREGATES.fullmatch(name):
            continue
        for size in range(1, len(tokens)):
            parts = ("_".join(tokens[:size]), "_".join(tokens[size:]))
            if any(map(is_dimension, parts)):
                dimension, who = parts if is_dimension(parts[0]) else parts[::-1]
                groups.setdefault(dimension, {})[who] = column
                break
    groups |= _same_affixes(frame, names, groups)
    affixes = [frozenset(group) for group in groups.values()]
    bracketed = all(_BRACKETED.fullmatch(column) for group in groups.values() for column in group.values())
    if (len(affixes) < 2 and not bracketed) or len(set(affixes)) != 1 or len(affixes[0]) < 2:
        return {}
    return {
        column: (dimension, None, as_written(column, who))
        for dimension, group in groups.items()
        for who, column in group.items()
        if is_judged(frame, column)
    }


def _same_affixes(
    frame: pl.DataFrame, names: Mapping[str, str], groups: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Columns about something unknown that have all the affixes of a dimension: ``Ann Style``, ``Bob Style``."""
    people = set.intersection(*map(set, groups.values())) if groups else set()
    taken = {column for group in groups.values() for column in group.values()}
    found: dict[str, dict[str, str]] = {}
    for column, name in names.items():
        if column in taken or AGGREGATES.fullmatch(name) or not is_judged(frame, column):
            continue
        who, stem = _of(name, {person: person for person in people})
        if who is not None and not is_housekeeping(stem):
            found.setdefault(stem, {})[who] = column
    return {stem: group for stem, group in found.items() if set(group) == people and len(people) > 1}


def _natural(text: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.*?)(\d*)", text)
    assert found is not None
    return found[1], int(found[2] or 0)
