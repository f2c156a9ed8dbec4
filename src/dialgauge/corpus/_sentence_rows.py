"""Tables with a row per sentence of a summary: the summary is made of its sentences, in their order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._guess_ratings import numbers_rows
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._table import Table

_TEXT = frozenset(["sentence", "sent", "summary_sentence", "sentence_text", "summ_sent", "satz", "phrase", "frase"])
_ONE, _NR = "sentence|sent|satz|phrase|frase", "no|nr|num|number|numero|nummer|id|idx|index"
_NUMBER = re.compile(rf"(?:{_ONE})_?(?:{_NR})|(?:{_NR}|n)_(?:(?:de|da|of|des)_)?(?:la_)?(?:{_ONE})|index|idx|position")


def with_summaries(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table with the summary of each row's sentence and the sentence's number; unchanged where it has no such."""
    frame = table.frame
    names = {column: normalised(column) for column in frame.columns}
    text = next((column for column, name in names.items() if name in _TEXT and _are_texts(frame[column])), None)
    written = any(name in USES["summary"] for name in names.values())
    if text is None or {"summary", "sentence"} & set(mapping):
        return table
    if written:
        return _with_numbers(table, text, names)
    rest = frame.drop(text)
    plan = make_plan(rest, mapping, table.known)
    key = [plan.uses[use][0] for use in ("dialogue_id", "system", "variant", "role") if use in plan.uses]
    if "dialogue_id" not in plan.uses:
        return table
    number = next((c for c, name in names.items() if _NUMBER.fullmatch(name) and _are_numbers(frame[c])), None)
    counting = {}
    if number is None:
        within = [*key, *plan.uses.get("annotator", ())]
        number = next((c for c in rest.columns if c not in within and numbers_rows(frame, c, within)), None)
        counting = {} if number is None else {number: "the place of each sentence in its summary"}
    place = pl.col(number).cast(pl.String).str.strip_chars().cast(pl.Float64) if number else pl.col("_row")
    parts = (
        frame.with_row_index("_row")
        .filter(pl.col(text).is_not_null())
        .select(*key, pl.col(text).str.strip_chars().alias("_text"), place.alias("_place"))
        .group_by([*key, "_text"] if number is None else [*key, "_text", "_place"], maintain_order=True)
        .agg(*([pl.col("_place").min()] if number is None else []))
        .sort("_place", maintain_order=True)
        .with_columns((pl.col("_place").rank("dense").over(key) - 1).cast(pl.Int64).alias("_number"))
    )
    whole = parts.group_by(key, maintain_order=True).agg(pl.col("_text").str.join(" ").alias("summary"))
    own = [*key, "_text", "_number", *(["_place"] if number else [])]
    numbered = frame.with_columns(
        pl.col(text).str.strip_chars().alias("_text"), *([place.alias("_place")] * bool(number))
    )
    on = [column for column in own if column != "_number"]
    made = (
        numbered.join(parts.select(own), on=on, how="left", nulls_equal=True, maintain_order="left")
        .join(whole, on=key, how="left", nulls_equal=True, maintain_order="left")
        .drop(text, "_text", *(["_place", number] if number else []))
        .rename({"_number": "sentence"})
        .with_columns(pl.col("sentence").cast(pl.String))
    )
    note = f"a row per sentence: the summaries are made of {text!r}"
    return replace(
        table,
        frame=made,
        notes=(*table.notes, note),
        known={**table.known, "sentence": "sentence"},
        ignored={**table.ignored, **counting},
    )


def _with_numbers(table: Table, text: str, names: Mapping[str, str]) -> Table:
    """The table with the number of each row's sentence, where other rows have the summary that it is in."""
    frame = table.frame
    given = frame[text].is_not_null()
    number = next((c for c, n in names.items() if _NUMBER.fullmatch(n) and _are_numbers(frame.filter(given)[c])), None)
    summary = next(column for column, name in names.items() if name in USES["summary"])
    plan = make_plan(frame.drop(text), {}, table.known)
    key = [plan.uses[use][0] for use in ("dialogue_id", "system", "variant", "role") if use in plan.uses]
    if number is None or frame[number].is_not_null().ne(given).any() or frame.filter(given)[summary].drop_nulls().len():
        return table
    whole = "\n".join(frame[summary].drop_nulls().cast(pl.String))
    if not all(one.strip() in whole for one in frame[text].drop_nulls()):
        return table
    place = pl.col(number).cast(pl.String).str.strip_chars().cast(pl.Float64)
    again = frame.filter(given).group_by(number).agg(pl.struct(key).n_unique().alias("n"))["n"].max() > 1  # type: ignore[operator]
    first = place.min() if again else place.min().over(key)  # or they count on through all summaries
    counted = frame.with_columns((place - first).cast(pl.Int64).cast(pl.String).alias("_number"))
    return replace(
        table,
        frame=counted.drop(text, number).rename({"_number": "sentence"}),
        notes=(*table.notes, f"a row per sentence: {number!r} is its place in the summary, {text!r} its text"),
        known={**table.known, "sentence": "sentence"},
        settled=table.settled | {text, number},
    )


def _are_texts(values: pl.Series) -> bool:
    shown = values.drop_nulls().head(200).cast(pl.String)
    return bool(len(shown)) and int(shown.str.contains(r"\S\s+\S+\s+\S").sum()) * 2 > len(shown)


def _are_numbers(values: pl.Series) -> bool:
    numbers = values.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return numbers.null_count() == 0
