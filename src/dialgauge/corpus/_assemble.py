"""From the rows of any table to dialogues, summaries and ratings, with every row that was skipped."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from dialgauge.corpus._account import Account
from dialgauge.corpus._accounting import account_of
from dialgauge.corpus._checks import ROW, BadRow, bad_rows, check_rows
from dialgauge.corpus._corpus import Corpus, CorpusInfo
from dialgauge.corpus._further import Further, further_judgements
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._rated import WORD, judged_cells, rating_rows
from dialgauge.corpus._rows import Rows, to_problems
from dialgauge.corpus._scale_ends import with_ends
from dialgauge.corpus._schema import ANNOTATORS, CHOICES, DIALOGUES, KEY, PREFERENCES, SPANS, SUMMARIES
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import split_turns
from dialgauge.corpus._types import ORIGINAL, Dimension
from dialgauge.corpus.layouts._base import hash_id
from dialgauge.errors import InputError, counted

_BY_OPTION = " (on the command line: --map-ratings)"
_SUMMARY_ROWS = pl.Schema({**SUMMARIES, ROW: pl.Int64()})
#: What to do with a file that contains only ratings.
RATINGS_ALONE = "ratings alone are added to their summaries: dialgauge convert SUMMARIES corpus --ratings FILE"
#: What is said of a corpus without any text.
JUDGED_ALONE = "judgements without texts"
#: Systems that are the reference, as data sets call it which had it rated as well: "Original Ground Truth".
_REFERENCE_NAME = (
    r"^(?i:ref(?:erence)?(?:[ _-]?\d+)?|(?:original[ _-])?ground[ _-]?truth"
    r"|gold(?:en)?[ _-](?:standard|summary|reference)|(?:human|gold)[ _-]reference|reference[ _-]summary)$"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """What was read: frames of the schemas, with notes and problems."""

    dialogues: pl.DataFrame
    summaries: pl.DataFrame
    ratings: pl.DataFrame
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    constructed: bool = False
    preferences: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=PREFERENCES))
    choices: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=CHOICES))
    spans: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SPANS))
    annotators: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ANNOTATORS))
    declared: tuple[Dimension, ...] = ()
    accounts: tuple[Account, ...] = ()

    def corpus(self, info: CorpusInfo) -> Corpus:
        """All of it as a corpus; it is said which annotators are models."""
        made = Corpus(
            self.dialogues,
            self.summaries,
            self.ratings,
            info,
            self.problems,
            self.notes,
            self.preferences,
            self.choices,
            self.spans,
            self.annotators,
            self.declared,
            self.accounts,
        )
        told = f"judgements of models, no judgements of people: {', '.join(made.models)}"
        return replace(made, notes=(*made.notes, told)) if made.models else made


def assemble(table: Table, plan: Plan, asked: ReadingSettings) -> Parts:
    """Dialogues, summaries and judgements from a table whose columns the plan explains."""
    texts = any(_is_filled(table, plan, use) for use in ("dialogue", "summary", "reference"))
    written = _is_filled(table, plan, "summary") or _is_filled(table, plan, "reference")
    alone = not written and _is_judged_alone(table, plan)
    if not texts and not alone:
        raise InputError(
            f"no column holds dialogues, summaries or references; found: {', '.join(table.frame.columns) or 'none'}. "
            f"Name them with a mapping, as in summary=hyp ({RATINGS_ALONE})"
        )
    rows = Rows.of(table, plan, html=asked.html)
    cells = judged_cells(rows)
    _settle_ids(rows, table.records is not None)
    if alone:
        rows.frame = rows.frame.with_columns(pl.when(pl.col("system").is_not_null()).then(pl.lit("")).alias("summary"))
        rows.notes.append(f"{JUDGED_ALONE}: agreement and rankings can be computed, metrics cannot; {RATINGS_ALONE}")
    dialogues = _dialogues(rows)
    _settle_systems(rows)
    summaries = _summaries(rows)
    summaries = pl.concat([summaries, _seeds(rows), _references(rows, summaries)])
    checked = check_rows(dialogues, summaries, rating_rows(rows, asked.repeats))
    further = further_judgements(table, checked.dialogues, checked.summaries, rows.shifts, asked.repeats)
    bad = [*rows.bad, *checked.bad, *further.bad]
    account = account_of(table, plan, rows, cells, checked.ratings, further, bad)
    declared = _declared(table, rows, checked.ratings)
    return Parts(
        checked.dialogues.drop(ROW),
        checked.summaries.drop(ROW),
        checked.ratings.drop(ROW, WORD, strict=False),
        in_order(table.problems, to_problems(bad, table)),
        _said(table, rows, further),
        bool((rows.frame["ratings_origin"] == "constructed").any()),
        further.preferences,
        further.choices,
        further.spans,
        _annotators(table),
        declared,
        (account,),
    )


def _is_filled(table: Table, plan: Plan, use: str) -> bool:
    given = plan.uses.get(use, ())
    return use in plan.constants or any(table.frame[column].null_count() < table.frame.height for column in given)


def _is_judged_alone(table: Table, plan: Plan) -> bool:
    """Whether the rows say what was judged, of which system and dialogue, and only the texts are not there."""
    judged = bool(plan.named("dimension")) or {"dimension", "value"} <= set(plan.uses) or bool(table.further)
    return judged and plan.has("dialogue_id") and plan.has("system")


def _said(table: Table, rows: Rows, further: Further) -> tuple[str, ...]:
    notes = [*rows.notes, *further.notes]
    if rows.rows_merged:
        notes.append(f"{counted(rows.rows_merged, 'row')} there twice, identical: duplicates merged")
    if table.ignored:
        notes.append(f"columns not used: {', '.join(table.ignored)}")
    return tuple(notes)


def _annotators(table: Table) -> pl.DataFrame:
    if table.annotators is not None:
        return table.annotators
    rows = [(who, group, None) for who, group in sorted(table.groups.items())]
    return pl.DataFrame(rows, schema=ANNOTATORS, orient="row")


def _declared(table: Table, rows: Rows, ratings: pl.DataFrame) -> tuple[Dimension, ...]:
    """What layout, words and the ends of scales say about dimensions."""
    known = {one.name: one for one in (*rows.declared, *table.declared)}
    found = {
        one.name: one for one in with_ends(known.values(), rows.plan, table.frame, ratings, rows.notes, table.parts)
    }
    return tuple(found[name] for name in sorted(found))


@dataclass(frozen=True, slots=True)
class RatingParts:
    """What was read from a file of ratings alone. ``ratings`` keeps the column ROW, to trace each to its line."""

    ratings: pl.DataFrame
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    declared: tuple[Dimension, ...]
    account: Account
    cells: pl.DataFrame


def assemble_ratings(table: Table, plan: Plan, asked: ReadingSettings) -> RatingParts:
    """The ratings of a table that has nothing else, their keys not yet compared with any corpus."""
    found = f"found: {', '.join(table.frame.columns)}. Map"
    missing = [use for use in ("dialogue_id", "system") if not plan.has(use)]
    if missing:
        wanted = " and ".join(f"{use}=COLUMN" for use in missing)
        raise InputError(f"no column holds the {' or the '.join(missing)}; {found} {wanted}{_BY_OPTION}")
    if not ((plan.has("dimension") and plan.has("value")) or plan.named("dimension")):
        raise InputError(
            f"no column holds ratings; {found} annotator=COLUMN (numbers beside it are ratings), dimension and value, "
            f"or dimension:NAME=COLUMN for each{_BY_OPTION}"
        )
    rows = Rows.of(table, plan, html="keep")
    cells = judged_cells(rows)
    _settle_ids(rows, table.records is not None)
    ratings = rating_rows(rows, asked.repeats)
    rated = ratings.select(KEY).drop_nulls().unique(maintain_order=True)
    summaries = rated.with_columns(kind=pl.lit("system"), text=pl.lit(""))
    checked = check_rows(rated.select("dialogue_id").unique(), summaries, ratings)
    bad = [*rows.bad, *checked.bad]
    problems = in_order(table.problems, to_problems(bad, table))
    none = Further()
    account = account_of(table, plan, rows, cells, checked.ratings, none, bad)
    declared = _declared(table, rows, checked.ratings)
    return RatingParts(
        checked.ratings.drop(WORD, strict=False),
        problems,
        _said(table, rows, none),
        declared,
        account,
        cells,
    )


def in_order(unread: Iterable[Problem], unused: Iterable[Problem]) -> tuple[Problem, ...]:
    """All problems in the order of the lines of each file."""
    return tuple(sorted([*unread, *unused], key=lambda problem: (problem.file, problem.line or 0)))


def _settle_ids(rows: Rows, nested: bool) -> None:
    if not nested:  # JSON has no merged cells: a record without a name is about nothing that stands above it
        rows.fill_down()
    if rows.plan.has("dialogue_id"):
        rows.drop(pl.col("dialogue_id").is_null(), "the row has no dialogue_id")
        return
    hashes = {text: hash_id(text) for text in rows.frame["dialogue"].drop_nulls().unique()}
    hashed = pl.col("dialogue").replace_strict(hashes, default=None, return_dtype=pl.String)
    by_row = pl.format("row-{}", pl.col(ROW) + 1)
    rows.frame = rows.frame.with_columns(pl.coalesce(hashed, by_row).alias("dialogue_id"))
    origin = "a hash of the dialogue's text" if hashes else "the row number"
    rows.notes.append(f"no column holds the dialogue_id; it was made from {origin}")


def _dialogues(rows: Rows) -> pl.DataFrame:
    first = pl.col("dialogue").drop_nulls().first().over("dialogue_id")
    other = pl.col("dialogue").is_not_null() & (pl.col("dialogue") != first)
    rows.drop(other, "the text differs from an earlier row for this dialogue", ["dialogue_id"])
    if rows.plan.has("dialogue"):
        nowhere = pl.col("dialogue").is_null().all().over("dialogue_id")
        rows.drop(nowhere, "the dialogue of this row is not in the file")
    else:
        rows.notes.append("no column holds dialogues: metrics that need the source cannot be computed")
    metas = rows.columns("meta")
    merged = pl.col("dialogue", "domain", "language", "meta", *metas).drop_nulls().first()
    found = rows.frame.group_by("dialogue_id", maintain_order=True).agg(pl.col(ROW).first(), merged)
    described = found.select("dialogue_id", ROW, "meta", *metas).filter(
        pl.any_horizontal(pl.col("meta", *metas).is_not_null())
    )
    made = {row["dialogue_id"]: _meta(row, metas, rows.bad) for row in described.iter_rows(named=True)}
    meta = pl.col("dialogue_id").replace_strict(made, default=None, return_dtype=pl.String).alias("meta")
    return found.select(
        "dialogue_id",
        "domain",
        "language",
        _turns(found["dialogue"].fill_null("").to_list()),
        meta if made else pl.lit(None, pl.String).alias("meta"),
        ROW,
    )


def _turns(texts: Sequence[str]) -> pl.Series:
    """The turns of each dialogue. Made as columns of all turns: a hundred thousand dicts take longer than parsing."""
    parsed = [split_turns(text) for text in texts]
    flat = pl.DataFrame(
        [(number, *turn) for number, turns in enumerate(parsed) for turn in turns],
        schema={"number": pl.UInt32, "speaker": pl.String, "text": pl.String, "role": pl.String},
        orient="row",
    )
    turns = flat.group_by("number", maintain_order=True).agg(pl.struct("speaker", "role", "text").alias("turns"))
    numbers = pl.DataFrame({"number": range(len(parsed))}, schema={"number": pl.UInt32})
    every = numbers.join(turns, on="number", how="left", maintain_order="left")["turns"]
    return every.fill_null([]).cast(DIALOGUES["turns"])


def _meta(row: Mapping[str, Any], metas: Sequence[str], bad: list[BadRow]) -> str | None:
    meta = {column.partition(":")[2]: row[column] for column in metas if row[column] is not None}
    try:
        meta |= _json_object(row["meta"])
    except ValueError:
        bad.append(BadRow("dialogues", row[ROW], row["dialogue_id"], "meta is not a JSON object and was ignored"))
    return json.dumps(meta, ensure_ascii=False, sort_keys=True) if meta else None


def _json_object(text: str | None) -> dict[str, object]:
    """The JSON object in a cell, empty for an empty cell; ValueError for anything else."""
    if not text or not text.strip():
        return {}
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _is_object(text: str) -> bool:
    try:
        _json_object(text)
    except ValueError:
        return False
    return True


def _settle_systems(rows: Rows) -> None:
    written = pl.col("summary").is_not_null()
    if rows.plan.has("system"):
        rows.drop(written & pl.col("system").is_null(), "the summary has no system", ["dialogue_id"])
        return
    described = written | rows.rated()
    if not _has_variants(rows):
        rows.frame = rows.frame.with_columns(pl.when(described).then(pl.lit("system")).alias("system"))
        if rows.plan.has("summary"):
            rows.notes.append(
                "no column says which system wrote the summaries; all are assigned to the system 'system'"
            )
        return
    hashes = {
        text: f"v-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        for text in rows.frame["summary"].drop_nulls().unique()
    }
    named = pl.when(pl.col("variant") != ORIGINAL).then("variant")
    hashed = pl.col("summary").replace_strict(hashes, default=None, return_dtype=pl.String)
    rows.frame = rows.frame.with_columns(
        pl.when(described).then(pl.lit("summary")).alias("system"),
        pl.coalesce(named, hashed, pl.col("variant")).alias("variant"),
    )
    rows.notes.append(
        "no column says which system wrote the summaries, and dialogues have several: each is a variant of the system "
        "'summary'"
    )


def _has_variants(rows: Rows) -> bool:
    """Whether a dialogue has several summaries, or edits of one."""
    if rows.frame["seed"].null_count() < rows.frame.height:
        return True
    texts = (
        rows.frame.filter(pl.col("summary").is_not_null())
        .group_by("dialogue_id", "role")
        .agg(pl.col("summary").n_unique())
    )
    return bool((texts["summary"] > 1).any())


def _seeds(rows: Rows) -> pl.DataFrame:
    """The summaries that others were edited from: the variant ``original``."""
    given = rows.frame.filter(pl.col("seed").is_not_null() & pl.col("system").is_not_null())
    if given.is_empty():
        return pl.DataFrame(schema=_SUMMARY_ROWS)
    return (
        given.with_columns(
            pl.lit(ORIGINAL).alias("variant"), kind=pl.lit("system"), provenance=pl.lit(None, pl.String), text="seed"
        )
        .unique(list(KEY), keep="first", maintain_order=True)
        .select(_SUMMARY_ROWS.names())
    )


def _summaries(rows: Rows) -> pl.DataFrame:
    """The summaries in the rows. A row that repeats one without rating it is a duplicate."""
    key = pl.struct(KEY)
    once = not rows.frame.select(KEY).is_duplicated().any()  # then nothing can disagree with an earlier row
    first = pl.col("summary") if once else pl.col("summary").drop_nulls().first().over(KEY)
    other = pl.col("summary").is_not_null() & (pl.col("summary") != first)
    rows.drop(other, "the text differs from an earlier row for this summary")
    named = pl.col("system").is_not_null()
    textless = named & first.is_null() & ~rows.rated()
    rows.drop(textless, "the summary has no text")
    again = pl.when(pl.col("summary").is_not_null()).then(key).is_first_distinct()
    rows.merge(named & pl.col("summary").is_not_null() & ~again & ~rows.rated())
    guessed = (
        pl.when(pl.col("system").str.contains(_REFERENCE_NAME)).then(pl.lit("reference")).otherwise(pl.lit("system"))
    )
    given = rows.frame.filter(pl.col("summary").is_not_null() & named)
    called = given.filter(pl.col("system").str.contains(_REFERENCE_NAME) & pl.col("kind").is_null())["system"].unique()
    others = [name for name in called.sort() if not re.fullmatch(r"reference(?:-\d+)?", name)]
    if others:
        rows.notes.append(f"read as references: the summaries of {', '.join(map(repr, others))}")
    wrong = pl.col("provenance").is_in(
        [text for text in given["provenance"].drop_nulls().unique() if not _is_object(text)]
    )
    rows.bad += bad_rows("summaries", given.filter(wrong), KEY, "provenance is not a JSON object and was ignored")
    given = given.with_columns(pl.when(~wrong).then("provenance"))
    if not once:
        given = given.with_columns(pl.col("kind", "provenance").drop_nulls().first().over(KEY))
        given = given.unique(list(KEY), keep="first", maintain_order=True)
    return (
        given.with_columns(pl.col("kind").fill_null(guessed)).rename({"summary": "text"}).select(_SUMMARY_ROWS.names())
    )


def _references(rows: Rows, summaries: pl.DataFrame) -> pl.DataFrame:
    """The references beside the summaries, each stored once per dialogue, role and column.

    A text that exists already as a summary of kind reference is not stored again. One reference is called
    ``reference``, several ``reference-1``, ``reference-2`` … in the order in which they appear.
    """
    columns = rows.columns("reference")
    if not columns:
        return pl.DataFrame(schema=_SUMMARY_ROWS)
    place = ["dialogue_id", "role", "text"]
    found = (
        rows.frame.unpivot(columns, index=[ROW, "dialogue_id", "role"], value_name="text", variable_name="_column")
        .filter(pl.col("text").str.strip_chars() != "")
        .sort(ROW, maintain_order=True)
        .unique([*place, "_column"], keep="first", maintain_order=True)
        .join(summaries.filter(pl.col("kind") == "reference"), on=place, how="anti", maintain_order="left")
    )
    group = ["dialogue_id", "role"]
    number = pl.int_range(1, pl.len() + 1).over(group)
    name = pl.when(pl.len().over(group) == 1).then(pl.lit("reference")).otherwise(pl.format("reference-{}", number))
    return found.with_columns(
        name.alias("system"),
        variant=pl.lit("original"),
        kind=pl.lit("reference"),
        provenance=pl.lit(None, pl.String),
    ).select(_SUMMARY_ROWS.names())
