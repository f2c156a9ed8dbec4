"""Ratings from rows: one per row (dimension and value), or a column for each dimension."""

import re
from collections.abc import Mapping
from typing import Literal

import polars as pl

from dialgauge.corpus._account import MOST_LEFT_OUT
from dialgauge.corpus._checks import ROW, BadRow, bad_rows
from dialgauge.corpus._dimensions import direction_by_name, is_lower_better
from dialgauge.corpus._far_off import FarOff, far_off
from dialgauge.corpus._names import is_dimension, normalised
from dialgauge.corpus._rows import Rows
from dialgauge.corpus._schema import KEY, RATING_KEY, RATINGS
from dialgauge.corpus._times import day_first, parse_time
from dialgauge.corpus._types import Dimension
from dialgauge.corpus._values import MOSTLY, TICKS, Reading, is_not_given, read_names, read_values
from dialgauge.corpus._words import said_words
from dialgauge.errors import InputError, counted

#: The word for "not given" in a cell, for the account.
WORD = "_word"
_ROWS = pl.Schema({**RATINGS, ROW: pl.Int64(), WORD: pl.String()})
_COMMA = "the value has a decimal comma; write it with a point, as in 2.5"
_UNREAD = {"yes/no": "the value is neither yes nor no", "ordered": "the value is no word of the scale"}
_SHOWN = (*KEY, "annotator", "dimension")
_MOST_NAMES = 12
#: What to do where the same rating is there twice, with different values.
REPEATS = ("refuse", "first", "last", "mean")
#: Grades in letters, in columns that are called so.
_GRADED, _GRADE = re.compile(r"(?:^|_)grades?(?:_|$)"), re.compile(r"[A-F][+-]?")
CONFLICT = "rated twice with different values"
#: The row of which a merged one is a copy, and whether it has another value that the user settled.
KEPT, SETTLED = "_kept_row", "_settled"
#: Ratings that are there again and are not stored a second time.
REPEATED = pl.Schema(
    {ROW: pl.Int64(), "dimension": pl.String(), KEPT: pl.Int64(), SETTLED: pl.Boolean(), WORD: pl.String()}
)


def judged_cells(rows: Rows) -> pl.DataFrame:
    """Row, dimension, annotator and system of every filled cell of ratings, before any row is left out."""
    wide = rows.columns("dimension")
    index = [ROW, "annotator", "system"]
    parts = []
    if rows.plan.has("value"):
        parts.append(rows.frame.select(*index, pl.col("dimension").fill_null(""), "value"))
    if wide:
        columns = rows.frame.filter(pl.col("dimension").is_null()).select(*index, *wide)
        spread = columns.unpivot(wide, index=index, variable_name="dimension", value_name="value")
        parts.append(
            spread.with_columns(pl.col("dimension").str.strip_prefix("dimension:")).select(*index, "dimension", "value")
        )
    if not parts:
        return pl.DataFrame(schema={ROW: pl.Int64, "annotator": pl.String, "system": pl.String, "dimension": pl.String})
    return pl.concat(parts).filter(pl.col("value").str.strip_chars() != "").drop("value")


def rating_rows(rows: Rows, repeats: str = "refuse") -> pl.DataFrame:
    """The ratings of these rows; values that cannot be read are reported and skipped."""
    wide = rows.columns("dimension")
    if rows.plan.has("value") and not rows.plan.has("dimension"):
        raise InputError("ratings have a value but no dimension; map dimension=COLUMN, or dimension==NAME for all")
    if not wide and not rows.plan.has("value"):
        if rows.plan.has("annotator"):
            rows.notes.append("a column names annotators, but no column holds ratings; map dimension:NAME=COLUMN")
        return pl.DataFrame(schema=_ROWS)
    rated = rows.frame.filter(rows.rated())
    if not rows.plan.has("annotator") and not rated.is_empty():
        rated = _numbered(rows, rated)
    index = [ROW, *KEY, "annotator", "sentence", "scale", "comment", "time"]
    parts = []
    if rows.plan.has("value"):
        long = rated.filter(pl.any_horizontal(pl.col("dimension", "value").is_not_null()))
        parts.append(long.select(*index, "dimension", "value"))
    if wide:
        columns = rated.filter(pl.col("dimension").is_null())
        remarks = _remarks(rows, columns)
        spread = columns.select(*index, *wide).unpivot(wide, index=index, variable_name="dimension", value_name="value")
        # A row that names nobody and judges nothing is one of a summary.
        spread = spread.filter(pl.col("annotator").is_not_null() | pl.col("value").is_not_null())
        named = pl.col("dimension").str.strip_prefix("dimension:")
        spread = spread.with_columns(named).sort(ROW, maintain_order=True)
        if remarks is not None:
            own = spread.join(remarks, on=[ROW, "dimension"], how="left", maintain_order="left")
            spread = own.with_columns(pl.coalesce("_remark", "comment").alias("comment"))
        parts.append(spread.select(*index, "dimension", "value"))
    valued = _values(rows, pl.concat(parts))
    timed = _times(rows, _sentences(rows, valued))
    return _without_repeats(rows, timed.select(_ROWS.names()), repeats)


def _numbered(rows: Rows, rated: pl.DataFrame) -> pl.DataFrame:
    """Ratings of nobody in particular: of one annotator, or of as many as most summaries have rows."""
    item = [*KEY, "sentence", "dimension"]
    sizes = rated.group_by(item).agg(pl.len().alias("n"), pl.struct(pl.exclude(ROW, *item)).n_unique().alias("other"))
    repeated = int((sizes["n"] > 1).sum())
    if repeated * 2 > sizes.height and (sizes["other"] > 1).any():
        number = (pl.int_range(pl.len()).over(item) + 1).cast(pl.String)
        rows.notes.append(
            f"no column names the annotators, and most summaries have several rows: these are numbered as annotators, "
            f"1 to {sizes['n'].max()!r}"
        )
        return rated.with_columns(annotator=number)
    rows.notes.append("no column names the annotators: all ratings are assigned to the annotator '1'")
    return rated.with_columns(annotator=pl.lit("1"))


def _remarks(rows: Rows, rated: pl.DataFrame) -> pl.DataFrame | None:
    """What was written about single dimensions: row, dimension and text; None where no column is for that."""
    columns = rows.columns("comment")
    if not columns:
        return None
    spread = rated.select(ROW, *columns).unpivot(columns, index=ROW, variable_name="dimension", value_name="_remark")
    filled = spread.filter(pl.col("_remark").str.strip_chars() != "")
    return filled.with_columns(pl.col("dimension").str.strip_prefix("comment:"))


def _values(rows: Rows, ratings: pl.DataFrame) -> pl.DataFrame:
    """The texts of values as numbers, dimension by dimension."""
    done = []
    for (name,), part in ratings.group_by(["dimension"], maintain_order=True):
        part = _with_unchecked(rows, str(name), part)
        reading = _reading(rows, str(name), part)
        scale = rows.plan.scales.get(str(name)) or reading.scale
        off = _far_off(rows, str(name), part, reading) if scale is None else None
        text = pl.col("value")
        blank = text.is_null() | (text.str.strip_chars() == "") | text.is_in(list(_skipped(part["value"], reading)))
        values = pl.col("value").replace_strict(dict(reading.values), default=None, return_dtype=pl.Float64)
        word = pl.when(blank & (text.str.strip_chars() != "")).then(text.str.strip_chars())
        read = part.with_columns(
            pl.when(~blank).then(values).alias("_value"),
            (~blank & (values.is_null() | text.is_in(sorted(off.texts) if off else []))).alias("_wrong"),
            word.alias(WORD),
        )
        _report_wrong(rows, read.filter("_wrong"), reading, off)
        done.append(
            read.filter(~pl.col("_wrong"))
            .drop("value", "_wrong")
            .rename({"_value": "value"})
            .with_columns(pl.col("scale").fill_null(pl.lit(scale, pl.String)))
        )
    named = [name for name, _ in said_words().by_dimension]
    known = ratings["dimension"].drop_nulls().unique().sort().to_list()
    rows.notes += [
        f"scale words of {name!r} were not needed: the dimensions are {', '.join(known)}"
        for name in named
        if done and name not in known
    ]
    if not done:
        return ratings.with_columns(pl.col("value").cast(pl.Float64), pl.lit(None, pl.String).alias(WORD))
    return pl.concat(done).sort(ROW, maintain_order=True)


def _far_off(rows: Rows, name: str, part: pl.DataFrame, reading: Reading) -> FarOff | None:
    """The values of a dimension without a scale that are far off all others, of which a note says what to type."""
    if reading.kind != "number" or part["scale"].null_count() < part.height:
        return None
    counts = dict(part["value"].drop_nulls().value_counts().iter_rows())
    off = far_off(name, reading.values, counts)
    if off is not None:
        rows.notes.append(off.note(name, {reading.values[text] for text in off.texts}))
    return off


def _report_wrong(rows: Rows, wrong: pl.DataFrame, reading: Reading, off: FarOff | None) -> None:
    """Say of each value that is left out why it is."""
    away = pl.col("value").is_in(sorted(off.texts) if off else [])
    with_comma = ~away & pl.col("value").str.strip_chars().str.contains(r"^[+-]?\d+,\d+$")
    unread = _UNREAD.get(reading.kind, "the value is not a number")
    reasons = ((_COMMA, with_comma), (unread, ~with_comma & ~away), (off.reason if off else "", away))
    for reason, which in reasons:
        found = wrong.filter(which).with_columns(pl.col("value").str.strip_chars())
        rows.bad += bad_rows("ratings", found, _SHOWN, reason, "value")


def _with_unchecked(rows: Rows, name: str, part: pl.DataFrame) -> pl.DataFrame:
    """Boxes that people ticked or left empty: no where a person judged and did not tick."""
    given = {text.strip().lower() for text in part["value"].drop_nulls().unique()} - {""}
    if not given or not given <= TICKS:
        return part
    rows.notes.append(f"{name}: boxes that were ticked or not: empty ones are read as no")
    empty = pl.col("value").is_null() | (pl.col("value").str.strip_chars() == "")
    judged = pl.when(pl.col("annotator").is_not_null()).then(pl.lit("no"))
    return part.with_columns(pl.when(empty).then(judged).otherwise(pl.lit("yes")).alias("value"))


def _skipped(values: pl.Series, reading: Reading) -> set[str]:
    words = set(reading.not_given)
    return {text for text in values.drop_nulls().unique() if text.strip() in words}


def _reading(rows: Rows, name: str, part: pl.DataFrame) -> Reading:
    """How the values of one dimension are read; what is not plain numbers is said."""
    counts = part["value"].drop_nulls().value_counts()
    texts = dict(zip(counts["value"].to_list(), counts["count"].to_list(), strict=True))
    order = said_words().of(name)
    reading = read_values(texts, commas=rows.commas, order=order)
    said = f"dimension:{name}" in rows.plan.uses or rows.plan.has("value")
    judged = is_dimension(normalised(name)) or said
    names = read_names(texts)
    few = not order and 2 <= names.distinct <= _MOST_NAMES and names.given >= 2 * names.distinct
    if not order and _GRADED.search(normalised(name)) and (letters := _grades(texts)):
        reading = read_values(texts, order=letters)
    if (
        (reading.share < 0.5 or _is_one_sided(texts, reading) or _has_more_classes(texts, reading))
        and judged
        and few
        and not _hold_digits(texts)
    ):
        reading = names
        rows.notes.append(
            f"{name}: {counted(len(reading.labels), 'class', 'classes')} without an order "
            f"({', '.join(reading.labels)}); if they have one, say it: "
            f"--scale-words {name}:{'<'.join(reading.labels)} (the lowest first)"
        )
        rows.declared.append(Dimension(name, "nominal", reading.scale, reading.labels, "none", "values"))
    elif reading.kind == "ordered":
        rows.notes.append(f"{name}: words read as {reading.scale}: {' < '.join(reading.labels)}")
        said_by: Literal["user", "values"] = "user" if reading.labels in said_words().all_scales() else "values"
        rows.declared.append(
            Dimension(name, "ordinal", reading.scale, reading.labels, direction_by_name(name), said_by)
        )
    if reading.commas:
        rows.notes.append(f"{name}: decimal commas were read as points")
    if reading.not_given:
        listed = ", ".join(f"{number} × {word!r}" for word, number in sorted(reading.not_given.items()))
        rows.notes.append(f"{name}: read as not given: {listed}")
    if is_lower_better(name) and reading.kind != "names":
        rows.notes.append(f"{name}: lower is better, by its name; --direction {name}=higher says otherwise")
    return reading


def _is_one_sided(texts: Mapping[str, int], reading: Reading) -> bool:
    """Whether only one of yes and no is there, beside other words that come again: one class of several."""
    others = [n for text, n in texts.items() if text not in reading.values and not is_not_given(text)]
    alone = reading.kind == "yes/no" and len(set(reading.values.values())) == 1
    return alone and reading.share < MOSTLY and min(others, default=0) > 1


def _has_more_classes(texts: Mapping[str, int], reading: Reading) -> bool:
    """Whether other words come again beside yes and no, in more cells than may be left out: a class of their own."""
    unread = {text: n for text, n in texts.items() if text not in reading.values and not is_not_given(text)}
    others = [n if re.search(r"[^\W\d_]", text) else 0 for text, n in unread.items()]
    return reading.kind == "yes/no" and sum(others) > MOST_LEFT_OUT * sum(texts.values()) and min(others) > 1


def _hold_digits(texts: Mapping[str, int]) -> bool:
    """Whether most answers have a number in them: then they are no names, and a number that is not understood."""
    return sum(n for text, n in texts.items() if re.search(r"\d", text)) * 2 > sum(texts.values())


def _grades(texts: Mapping[str, int]) -> tuple[str, ...]:
    """The grades in letters among these texts, the worst first; empty where others are among them."""
    given = {text.strip().upper() for text in texts if not is_not_given(text)}
    if len(given) < 2 or not all(_GRADE.fullmatch(text) for text in given):
        return ()
    return tuple(sorted(given, key=lambda text: (-ord(text[0]), "- +".index(text[1:] or " "))))


def _sentences(rows: Rows, ratings: pl.DataFrame) -> pl.DataFrame:
    text = pl.col("sentence").str.strip_chars()
    ratings = ratings.with_columns(pl.when(text != "").then(text).alias("sentence"))
    parsed = ratings.with_columns(pl.col("sentence").cast(pl.Int32, strict=False).alias("_parsed"))
    wrong = pl.col("sentence").is_not_null() & pl.col("_parsed").is_null()
    rows.bad += bad_rows("ratings", parsed.filter(wrong), _SHOWN, "the sentence is not a whole number", "sentence")
    return parsed.filter(~wrong).drop("sentence").rename({"_parsed": "sentence"})


def _times(rows: Rows, ratings: pl.DataFrame) -> pl.DataFrame:
    """Times as UTC; one that is not understood is left empty, and never costs a rating."""
    frame, wrong = with_times(ratings)
    if wrong:
        rows.notes.append(
            f"{counted(sum(wrong.values()), 'time')} not understood and left empty, such as {next(iter(wrong))!r}"
        )
    return frame


def with_times(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """The frame with its column ``time`` parsed, and the texts that could not be, with how often each occurs."""
    texts = frame["time"].cast(pl.String)
    given = texts.drop_nulls().unique().to_list()
    first = day_first(given)
    times = {text: parse_time(text, first) for text in given}
    parsed = texts.replace_strict(times, default=None, return_dtype=pl.Datetime("us"))
    wrong = texts.filter(texts.is_not_null() & parsed.is_null() & (texts.str.strip_chars() != ""))
    counts = wrong.value_counts()
    listed = dict(zip(counts[wrong.name].to_list(), counts["count"].to_list(), strict=True))
    return frame.with_columns(parsed.alias("time")), listed


def _kept_apart(rows: Rows, ratings: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Every rating, a second one of the same person under the name ``ann#2``: agreement with ``ann`` is test-retest."""
    given = pl.col("value").is_not_null()
    first = pl.int_range(pl.len()).over(key) == 0
    whole = pl.col("annotator", "dimension").is_not_null()
    kept = ratings.filter(given | (first & ~given.any().over(key)) | ~pl.all_horizontal(whole))
    _count_repeated(rows, ratings.join(kept.select(ROW, *key), on=[ROW, *key], how="anti", nulls_equal=True), kept, key)
    number = pl.int_range(1, pl.len() + 1).over(key)
    named = pl.when(number > 1).then(pl.format("{}#{}", "annotator", number)).otherwise("annotator")
    numbered = kept.with_columns(named.alias("annotator"))
    second = int((numbered["annotator"] != kept["annotator"]).sum())
    rows.notes.append(f"{counted(second, 'repeated rating')} kept, as those of annotators with '#2' behind their name")
    return numbered


def _count_repeated(rows: Rows, others: pl.DataFrame, kept: pl.DataFrame, key: list[str]) -> None:
    """Keep for the account which ratings are there again, and whether they have another value; blank cells have none.

    ``kept`` has the ratings that are stored.
    """
    of = kept.select(*key, pl.col(ROW).alias(KEPT), pl.col("value").alias("_stored")).unique(key, maintain_order=True)
    said = others.filter(pl.col("value").is_not_null() | pl.col(WORD).is_not_null())
    again = said.join(of, on=key, how="left", nulls_equal=True, maintain_order="left")
    other = (pl.col("value") != pl.col("_stored")).fill_null(False)
    rows.merged.append(again.with_columns(other.alias(SETTLED)).select(REPEATED.names()))


def _without_repeats(rows: Rows, ratings: pl.DataFrame, repeats: str) -> pl.DataFrame:
    """Each rating once: identical ones are merged and counted, different ones reported with both places."""
    key = list(RATING_KEY)
    whole = pl.all_horizontal(pl.col(column).is_not_null() for column in key if column != "sentence")
    again = pl.struct(key).is_duplicated() & whole
    marked = ratings.with_columns(again.alias("_again"))
    if not marked["_again"].any():
        return ratings
    if repeats == "keep":
        return _kept_apart(rows, ratings, key)
    several = marked.filter("_again").drop("_again")
    several = several.with_columns(
        pl.col("value").drop_nulls().n_unique().over(key).alias("_values"),
        pl.col("value").drop_nulls().first().over(key).alias("_first"),
    )
    chosen = several.sort(pl.col("value").is_null(), maintain_order=True)
    chosen = chosen.filter(pl.int_range(pl.len()).over(key) == 0)
    if repeats == "last":
        chosen = several.filter(pl.col("value").is_not_null() | (pl.col("_values") == 0))
        chosen = chosen.filter(pl.int_range(pl.len()).over(key) == pl.len().over(key) - 1)
    if repeats == "mean":
        means = several.group_by(key, maintain_order=True).agg(pl.col("value").mean().alias("_mean"))
        chosen = (
            chosen.join(means, on=key, how="left", nulls_equal=True, maintain_order="left")
            .with_columns(value="_mean")
            .drop("_mean")
        )
    kept = chosen.select(ROW, *key).with_columns(_kept=pl.lit(True))
    others = several.join(kept, on=[ROW, *key], how="left", nulls_equal=True, maintain_order="left").filter(
        pl.col("_kept").is_null()
    )
    conflict = (pl.col("_values") > 1) & pl.col("value").is_not_null() & (pl.col("value") != pl.col("_first"))
    if repeats == "refuse":
        bad = others.filter(conflict)
        rows.conflicts += bad.height
        rows.bad += [
            BadRow("ratings", one.row, one.key, CONFLICT, f"{value:g}, and {first:g} before")
            for one, value, first in zip(
                bad_rows("ratings", bad, _SHOWN, CONFLICT), bad["value"], bad["_first"], strict=True
            )
        ]
        others = others.filter(~conflict)
    _count_repeated(rows, others, chosen, key)
    valued = rows.merged[-1].filter(pl.col(WORD).is_null())
    if settled := int(valued[SETTLED].sum()):
        rows.notes.append(f"{counted(settled, 'repeated rating')} with another value: the {repeats} counts")
    if same := valued.height - settled:
        rows.notes.append(f"{counted(same, 'rating')} there twice, identical: duplicates merged")
    single = marked.filter(~pl.col("_again")).drop("_again")
    return pl.concat([single, chosen.select(single.columns)]).sort(ROW, maintain_order=True)
