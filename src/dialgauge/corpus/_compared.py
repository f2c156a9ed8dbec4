"""Tables of comparisons and of marks: pairs with a winner, best-worst tuples, spans by offsets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import USES, heading, is_housekeeping, normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import ORIGINAL, OVERALL
from dialgauge.corpus._values import MOSTLY
from dialgauge.corpus.layouts._base import ROW, hash_id

_SYSTEM = "system|model|summarizer|candidate|option|name"
_TEXT = "summary|output|response|text|hypothesis|candidate|answer|option|item"
_SIDE = r"[a-h]|\d{1,2}|left|right|first|second"
_WINNER = frozenset(
    [
        "winner",
        "preferred",
        "preference",
        "choice",
        "vote",
        "better",
        "better_summary",
        "preferred_summary",
        "preferred_system",
        "which_is_better",
        "selected",
        "chosen",
        "pick",
        "favorite",
        "favourite",
        "winning_system",
        "winner_system",
        "label",
    ]
)
#: Words of longer headings that ask for a winner: "Which summary is better?".
_PREFERRING = frozenset(["winner", "preferred", "prefer", "preference", "better"])
#: What stands in brackets at the end of a heading: "Preferred (1/2/equal)".
_NOTE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_BEST = frozenset(["best", "best_system", "best_summary", "most_preferred", "best_choice"])
_WORST = frozenset(["worst", "worst_system", "worst_summary", "least_preferred", "worst_choice"])
_TIE = re.compile(
    r"(?:it_?s_)?(?:a_)?(?:tie|draw|equal|same|both|neither|none|no_preference|no_difference|either|0)(?:_.*)?"
)
_FIRST = frozenset(["a", "left", "first", "1", "model_a", "system_a", "summary_a", "option_a", "response_a"])
_SECOND = frozenset(["b", "right", "second", "2", "model_b", "system_b", "summary_b", "option_b", "response_b"])
_START = frozenset(
    ["start", "start_offset", "span_start", "begin", "start_char", "char_start", "start_index", "offset_start"]
)
_END = frozenset(["end", "end_offset", "span_end", "stop", "end_char", "char_end", "end_index", "offset_end"])
_LABEL = frozenset(
    ["error_type", "label", "category", "type", "error_category", "tag", "span_label", "error", "error_label", "class"]
)
_SEVERITY = frozenset(["severity", "error_severity"])
_SPAN_TEXT = frozenset(["span_text", "marked", "text_span", "span", "error_text", "quote"])

Mapped = Mapping[str, str | Sequence[str]]


def with_comparisons(table: Table, mapping: Mapped) -> Table:
    """The table with its comparisons or marks taken out of the rows; unchanged where there are none."""
    names = {column: normalised(_NOTE.sub("", column)) for column in table.frame.columns}
    options = _options(names)
    best = next((c for c, name in names.items() if name in _BEST), None)
    worst = next((c for c, name in names.items() if name in _WORST), None)
    if len(options) >= 2 and best and worst:
        return _choices(table, mapping, options, best, worst)
    taken = {column for uses in options.values() for column in uses.values()}
    asked = (c for c, name in names.items() if set(name.split("_")) & _PREFERRING and c not in taken)
    winner = next((c for c, name in names.items() if name in _WINNER), None) or next(asked, None)
    if len(options) == 2 and winner and _names_winners(table.frame, winner, options):
        return _preferences(table, mapping, options, winner)
    start = next((c for c, name in names.items() if name in _START), None)
    end = next((c for c, name in names.items() if name in _END), None)
    if start and end and _are_offsets(table.frame, start, end) and not table.further:
        return _spans(table, mapping, names, start, end)
    return table


def _options(names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The columns of each option by its side: ``{"a": {"system": "system_a", "summary": "summary_a"}}``."""
    found: dict[str, dict[str, str]] = {}
    for column, name in names.items():
        for use, stems in (("system", _SYSTEM), ("summary", _TEXT)):
            at = re.fullmatch(rf"(?:{stems})_?({_SIDE})(?:_(?:text|name))?|({_SIDE})_(?:{stems})", name)
            if at and use not in found.get(side := at[1] or at[2], {}):
                found.setdefault(side, {})[use] = column
                break
    whole = {side: uses for side, uses in found.items() if "system" in uses or "summary" in uses}
    shapes = {frozenset(uses) for uses in whole.values()}
    return whole if len(shapes) == 1 else {side: uses for side, uses in whole.items() if "summary" in uses}


def _names_winners(frame: pl.DataFrame, winner: str, options: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether most of the filled cells name one of the two, or a tie."""
    rows = frame.filter(pl.col(winner).is_not_null()).head(500)
    if rows.is_empty():
        return False
    understood = sum(_code(row, winner, options) is not None for row in rows.iter_rows(named=True))
    return understood * 2 >= rows.height


def _code(row: Mapping[str, object], winner: str, options: Mapping[str, Mapping[str, str]]) -> str | None:
    said = str(row[winner]).strip()
    sides = list(options)
    for side, code in zip(sides, "ab", strict=True):
        named = options[side].get("system")
        if (
            named and row[named] is not None and str(row[named]).strip().lower() == said.lower()
        ) or said.lower() == side:
            return code
    plain = normalised(said)
    if plain in _FIRST or plain in _SECOND:
        return "a" if plain in _FIRST else "b"
    return "tie" if _TIE.fullmatch(plain) else None


def _taken_out(table: Table, mapping: Mapped, columns: Sequence[str]) -> tuple[pl.DataFrame, Plan]:
    """The frame under our own names without these columns, each row with its number and the id of its dialogue."""
    rest = table.frame.drop(columns)
    plan = make_plan(rest, mapping, table.known)
    uses = {
        use: names[0]
        for use, names in plan.uses.items()
        if use in ("dialogue_id", "dialogue", "annotator", "dimension", "time", "comment", "role", "variant", "system")
    }
    columns_of = [
        pl.col(uses[use]).cast(pl.String).alias(f"@{use}")
        if use in uses
        else pl.lit(plan.constants.get(use), pl.String).alias(f"@{use}")
        for use in ("dialogue_id", "dialogue", "annotator", "dimension", "time", "comment", "role", "variant", "system")
    ]
    keyed = rest.with_row_index(ROW).with_columns(pl.col(ROW).cast(pl.Int64), *columns_of)
    if "dialogue_id" not in uses and "dialogue_id" not in plan.constants:
        hashes = {text: hash_id(text) for text in keyed["@dialogue"].drop_nulls().unique()}
        hashed = pl.col("@dialogue").replace_strict(hashes, default=None, return_dtype=pl.String)
        keyed = keyed.with_columns(pl.coalesce(hashed, pl.format("row-{}", pl.col(ROW) + 1)).alias("@dialogue_id"))
    return keyed.with_columns(pl.col("@annotator").fill_null("1")), plan


def _unmade(plan: Plan) -> list[str]:
    """The columns of the rest that are about judgements, which go into their own table."""
    uses = ("annotator", "dimension", "time", "comment")
    return [column for use in uses for column in plan.uses.get(use, ())]


def _option_rows(table: Table, keyed: pl.DataFrame, plan: Plan, options: Mapping[str, Mapping[str, str]]) -> Table:
    """A row per option with its summary, and with the ratings of that option where each has some."""
    own = [c for c in keyed.columns if not c.startswith("@") and c != ROW]
    rated = _rated(table.frame, own, list(options))
    taken = {*(column for columns in rated.values() for column in columns.values()), *([] if rated else _unmade(plan))}
    rest = [column for column in own if column not in taken]
    named = any(use == "dialogue_id" for use in plan.uses)
    whole = table.frame.with_row_index("_origin").with_columns(keyed["@dialogue_id"])
    parts = []
    for side, uses in options.items():
        system = pl.col(uses["system"]).cast(pl.String) if "system" in uses else pl.lit(side)
        text = pl.col(uses["summary"]).cast(pl.String) if "summary" in uses else pl.lit(None, pl.String)
        made = [] if named else [pl.col("@dialogue_id").alias("dialogue_id")]
        scored = [pl.col(columns[side]).alias(dimension) for dimension, columns in rated.items()]
        parts.append(whole.select("_origin", *made, *rest, system.alias("system"), text.alias("summary"), *scored))
    rows = pl.concat(parts).sort("_origin", maintain_order=True)
    rows = rows.filter(pl.struct(pl.exclude("_origin")).is_first_distinct())
    origin, place, height = rows["_origin"].to_list(), table.place, rows.height
    frame = rows.drop("_origin")
    return replace(
        table,
        frame=frame,
        # Rows after those of the frame are those of the file, for the judgements taken out of them.
        place=lambda row: place(origin[row]) if row < height else place(row - height),
        known={
            **table.known,
            "system": "system",
            "summary": "summary",
            **({} if named else {"dialogue_id": "dialogue_id"}),
        },
        notes=table.notes,
    )


def _rated(frame: pl.DataFrame, columns: Sequence[str], sides: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns of ratings that each option has, by dimension: ``{"Coherence": {"a": "Coherence A", "b": …}}``."""
    found: dict[str, dict[str, str]] = {}
    for column in columns:
        name = normalised(heading(column)[0])
        side = next((one for one in sides if name.endswith(f"_{one}") or name.startswith(f"{one}_")), None)
        if side is None:
            continue
        stem = name.removesuffix(f"_{side}").removeprefix(f"{side}_")
        reading = answers(frame[column])
        if not is_housekeeping(stem) and reading.share >= MOSTLY and reading.kind in ("number", "yes/no", "ordered"):
            found.setdefault(stem, {})[side] = column
    return {stem: of for stem, of in found.items() if len(of) == len(sides)}


def _preferences(table: Table, mapping: Mapped, options: Mapping[str, Mapping[str, str]], winner: str) -> Table:
    keyed, plan = _taken_out(table, mapping, [winner, *(c for uses in options.values() for c in uses.values())])
    made = _option_rows(table, keyed, plan, options)
    sides = list(options)
    codes = [None if row[winner] is None else _code(row, winner, options) for row in table.frame.iter_rows(named=True)]
    bad = pl.col("_said").str.to_lowercase().str.contains("both.?bad|neither|both are bad").fill_null(False)
    frame = keyed.with_columns(
        pl.Series("winner", codes, pl.String),
        table.frame[winner].cast(pl.String).alias("_said"),
        *(
            (
                table.frame[uses["system"]].cast(pl.String)
                if "system" in uses
                else pl.Series([side] * table.frame.height)
            ).alias(f"system_{letter}")
            for letter, (side, uses) in zip("ab", options.items(), strict=True)
        ),
    ).filter(pl.col("_said").is_not_null())
    dimension = normalised(winner) if normalised(winner) not in ("winner", "label", "vote", "choice") else "preference"
    preferences = frame.select(
        pl.col("@dialogue_id").alias("dialogue_id"),
        pl.col("@role").fill_null(OVERALL).alias("role"),
        "system_a",
        "system_b",
        pl.col("@annotator").alias("annotator"),
        pl.col("@dimension").fill_null(dimension).alias("dimension"),
        "winner",
        (bad & (pl.col("winner") == "tie")).alias("both_bad"),
        pl.lit("a" if sides[0] in ("a", "1", "left", "first") else None, pl.String).alias("shown_first"),
        pl.col("@comment").alias("comment"),
        pl.col("@time").alias("time"),
        pl.col("_said").alias("_given"),
        (pl.col(ROW) + made.frame.height).alias(ROW),
    )
    return replace(made, further={**made.further, "preferences": preferences})


def _choices(table: Table, mapping: Mapped, options: Mapping[str, Mapping[str, str]], best: str, worst: str) -> Table:
    keyed, plan = _taken_out(table, mapping, [best, worst, *(c for uses in options.values() for c in uses.values())])
    made = _option_rows(table, keyed, plan, options)
    rows = []
    for number, row in enumerate(table.frame.iter_rows(named=True)):
        names = {side: str(row[uses["system"]]) if "system" in uses else side for side, uses in options.items()}
        chosen = {
            word: next((side for side, name in names.items() if str(row[column]).strip() in (name, side)), None)
            for word, column in (("best", best), ("worst", worst))
        }
        given = keyed.row(number, named=True)
        rows += [
            {
                "dialogue_id": given["@dialogue_id"],
                "role": given["@role"] or OVERALL,
                "tuple": "+".join(sorted(names.values())),
                "annotator": given["@annotator"],
                "dimension": given["@dimension"] or "best-worst",
                "system": name,
                "choice": next((word for word, at in chosen.items() if at == side), "neither"),
                "_given": f"best {row[best]}, worst {row[worst]}",
                "_lost": None in chosen.values(),
                ROW: number + made.frame.height,
            }
            for side, name in names.items()
        ]
    return replace(made, further={**made.further, "choices": pl.DataFrame(rows, infer_schema_length=None)})


def _are_offsets(frame: pl.DataFrame, start: str, end: str) -> bool:
    places = frame.select(
        pl.col(start).cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False).alias("s"),
        pl.col(end).cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False).alias("e"),
    )
    filled = frame.filter(pl.col(start).is_not_null()).height
    ordered = places.filter(pl.col("e") >= pl.col("s")).height
    return (
        filled > 0
        and ordered * 10 >= filled * 9
        and any(normalised(column) in USES["summary"] or normalised(column) == "text" for column in frame.columns)
    )


def _spans(table: Table, mapping: Mapped, names: Mapping[str, str], start: str, end: str) -> Table:
    found = {
        use: next((c for c, name in names.items() if name in words and c not in (start, end)), None)
        for use, words in (("label", _LABEL), ("severity", _SEVERITY), ("text", _SPAN_TEXT))
    }
    own = [start, end, *(column for column in found.values() if column)]
    keyed, plan = _taken_out(table, mapping, own)
    rest = [c for c in keyed.columns if not c.startswith("@") and c != ROW and c not in _unmade(plan)]
    rows = table.frame.with_row_index("_origin").select("_origin", *rest)
    rows = rows.filter(pl.struct(rest).is_first_distinct())
    origin, place, height = rows["_origin"].to_list(), table.place, rows.height
    spans = keyed.with_columns(
        table.frame[start].cast(pl.String).str.strip_chars().alias("_start"),
        table.frame[end].cast(pl.String).str.strip_chars().alias("_end"),
        *(
            (
                table.frame[column].cast(pl.String)
                if column
                else pl.Series([None] * table.frame.height, dtype=pl.String)
            ).alias(f"_{use}")
            for use, column in found.items()
        ),
    ).select(
        pl.col("@dialogue_id").alias("dialogue_id"),
        pl.col("@system").fill_null("system").alias("system"),
        pl.col("@variant").fill_null(ORIGINAL).alias("variant"),
        pl.col("@role").fill_null(OVERALL).alias("role"),
        pl.col("@annotator").alias("annotator"),
        pl.col("@dimension").fill_null("errors").alias("dimension"),
        pl.col("_start").cast(pl.Int64, strict=False).alias("start"),
        pl.col("_end").cast(pl.Int64, strict=False).alias("end"),
        pl.col("_text").alias("text"),
        pl.col("_label").alias("label"),
        pl.col("_severity").alias("severity"),
        pl.col("@comment").alias("comment"),
        pl.col("@time").alias("time"),
        (pl.col(ROW) + height).alias(ROW),
    )
    return replace(
        table,
        frame=rows.drop("_origin"),
        place=lambda row: place(origin[row]) if row < height else place(row - height),
        further={**table.further, "spans": spans},
    )
