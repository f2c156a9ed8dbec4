"""Tables of marked places: by offsets, or by the words that were marked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import COMMENT_WORDS, TIME_WORDS, USES, is_id, is_person, normalised
from dialgauge.corpus._sides import rows_without, taken_out
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import ORIGINAL, OVERALL
from dialgauge.corpus._values import NOT_GIVEN
from dialgauge.corpus._words import said_words
from dialgauge.corpus.layouts._base import ROW

_START = re.compile(r"(?:(.*)_)?(?:start|begin|start_offset|start_char|char_start|start_index|offset_start|start_pos)")
_END = re.compile(r"(?:(.*)_)?(?:end|stop|end_offset|end_char|char_end|end_index|offset_end|end_pos)")
_LABEL = re.compile(
    r"(?:error_|span_|hallucination_|mistake_)?(?:type|label|category|class|tag|kind)|error|error_class|label"
)
_SEVERITY = frozenset(["severity", "error_severity"])
_SPAN_TEXT = re.compile(
    r"(?:.*_)?(?:span|spans|quote|marked|highlight|highlighted|fragment|phrase)(?:_text)?|text_span|error_text|marked_text"
)


#: What is chosen of the kinds of errors where there is none: "no error", "None", "keine Fehler", "error-free".
_NOTHING = re.compile(
    r"(?:no|not_any|none|nothing|without|zero|kein|keine|aucun|aucune|sin|nessun|nenhum|geen)"
    r"(?:_(?:an|a|any))?(?:_(?:errors?|mistakes?|issues?|problems?|faults?|findings?|marks?|found|hallucinations?|fehler|"
    r"erreurs?|errores|errore|errori|erros?|fouten))*|(?:error|fehler)_?(?:free|frei)|ok|okay|correct|clean|all_good"
)


@dataclass(frozen=True, slots=True)
class Marks:
    """The columns of marks: where each starts and ends, or its words, with its label and how severe it is."""

    start: str | None
    end: str | None
    words: str | None
    label: str | None
    severity: str | None

    def columns(self) -> list[str]:
        """Those that are there."""
        return [column for column in (self.start, self.end, self.words, self.label, self.severity) if column]


def find_marks(frame: pl.DataFrame, names: Mapping[str, str]) -> Marks | None:
    """The columns of marks in a table that has some; None in all others."""
    summary = next((c for c, name in names.items() if name in USES["summary"] or name == "text"), None)
    if summary is None:
        return None
    start, end = _offsets(frame, names) or (None, None)
    words = next(
        (c for c, name in names.items() if _SPAN_TEXT.fullmatch(name) and _in_summary(frame, c, summary, bool(start))),
        None,
    )
    if words is None and start is not None and end is not None:  # {"start": 3, "end": 7, "text": "Rome"}
        texts = [column for column, name in names.items() if name == "text" and column != summary]
        words = next((column for column in texts if _are_as_long(frame, column, start, end)), None)
    words = words or (_quoted(frame, names, summary) if start is None else None)
    if start is None and words is None:
        return None
    rest = {column: name for column, name in names.items() if column not in (start, end, words, summary)}
    label = next((c for c, name in rest.items() if _LABEL.fullmatch(name)), None)
    label = label or (_kinds(frame, rest, words) if words else None)
    return Marks(start, end, words, label, next((c for c, name in rest.items() if name in _SEVERITY), None))


def _quoted(frame: pl.DataFrame, names: Mapping[str, str], summary: str) -> str | None:
    """The column whose every cell is a part of the summary of its row, where another says what is wrong with it."""
    frame = frame.head(_LOOKED_AT)
    for column, name in names.items():
        if column == summary or _is_of_rows(name):
            continue
        cells = pl.DataFrame({"w": _given(frame[column]), "s": frame[summary].cast(pl.String)}).drop_nulls()
        rest = {other: known for other, known in names.items() if other not in (column, summary)}
        named = any(known in _SEVERITY or _OF_ERRORS.match(known) for known in rest.values())
        if cells["w"].n_unique() < _FEWEST_QUOTES or (cells.height == frame.height and not named):
            continue
        told = named or _kinds(frame, rest, column)
        if told and all(words.lower() in text.lower() and words != text for words, text in cells.iter_rows()):
            return column
    return None


def _kinds(frame: pl.DataFrame, names: Mapping[str, str], words: str) -> str | None:
    """The column of a few kinds that is filled beside every quotation, and elsewhere empty or says that it is none."""
    marked = _given(frame[words]).is_not_null()
    for column, name in names.items():
        given = _given(frame[column])
        beside, apart = given.filter(marked), given.filter(~marked)
        few = 1 < beside.n_unique() <= _MOST_KINDS and not beside.null_count() and len(apart) > 0
        if few and not _is_of_rows(name) and name not in _SEVERITY and not answers(beside).share:
            rest = {normalised(text) for text in apart.drop_nulls()}
            if all(map(_NOTHING.fullmatch, rest)):
                return column
    return None


def _is_of_rows(name: str) -> bool:
    """Whether a name is that of what a row is about, of who wrote or judged it, or of what was remarked."""
    used = any(name in known for use, known in USES.items() if use not in ("value", "dimension"))
    words = set(name.split("_"))
    return used or is_id(name) or is_person(name) or bool(words & (COMMENT_WORDS | TIME_WORDS))


#: A column that says what is wrong, whatever stands beside it.
_OF_ERRORS = re.compile(r"(?:error|mistake|hallucination|issue|fault)_(?:type|label|category|class|kind|severity)")
#: Fewer different quotations may stand in the texts by chance.
_FEWEST_QUOTES = 3
_MOST_KINDS = 12
#: So many rows show what a column holds.
_LOOKED_AT = 2_000


def _offsets(frame: pl.DataFrame, names: Mapping[str, str]) -> tuple[str, str] | None:
    """Two columns of whole numbers, called start and end of the same thing, of which the second is not smaller."""
    for start, name in names.items():
        opening = _START.fullmatch(name)
        if not opening:
            continue
        for end, other in names.items():
            closing = _END.fullmatch(other)
            if closing and closing[1] == opening[1] and _are_ordered(frame, start, end):
                return start, end
    return None


def _given(values: pl.Series) -> pl.Series:
    """The cells as texts, without the words for nothing."""
    texts = values.cast(pl.String).str.strip_chars()
    blank = texts.str.to_lowercase().is_in(sorted(NOT_GIVEN | said_words().not_given))
    return texts.to_frame("v").select(pl.when(~blank).then("v").alias(values.name)).to_series()


#: No text that people mark is longer.
_LONGEST_TEXT = 100_000_000


def _are_ordered(frame: pl.DataFrame, start: str, end: str) -> bool:
    places = pl.DataFrame(
        {
            "s": _given(frame[start]).cast(pl.Float64, strict=False),
            "e": _given(frame[end]).cast(pl.Float64, strict=False),
        }
    )
    filled = _given(frame[start]).drop_nulls().len()
    within = pl.col("e").is_between(pl.col("s"), _LONGEST_TEXT)  # seconds since 1970 are times
    whole = places.filter(within & (pl.col("s") == pl.col("s").floor()))
    return filled > 0 and whole.height * 10 >= filled * 9


def _in_summary(frame: pl.DataFrame, words: str, summary: str, sure: bool) -> bool:
    """Whether the marked words stand in the summary of their row, nearly always; ``sure`` where offsets are there."""
    cells = pl.DataFrame({"w": _given(frame[words]), "s": frame[summary].cast(pl.String)}).drop_nulls()
    if cells.is_empty():
        return False
    inside = sum(word.lower() in text.lower() and word != text for word, text in cells.iter_rows())
    return sure or inside * 10 >= cells.height * 7


def _are_as_long(frame: pl.DataFrame, words: str, start: str, end: str) -> bool:
    """Whether texts are as long as the places that are marked, nearly always: then they are the words there."""
    cells = pl.DataFrame(
        {
            "length": _given(frame[words]).str.len_chars(),
            "place": _given(frame[end]).cast(pl.Float64, strict=False)
            - _given(frame[start]).cast(pl.Float64, strict=False),
        }
    ).drop_nulls()
    return cells.height > 0 and int((cells["length"] == cells["place"]).sum()) * 10 >= cells.height * 9


def spans(table: Table, mapping: Mapped, marks: Marks) -> Table:
    """The table with a row per summary, and the marks taken out of the rows."""
    keyed, plan = taken_out(table, mapping, marks.columns())
    made = rows_without(table, keyed, plan)
    empty = pl.Series([None] * table.frame.height, dtype=pl.String)
    cells = {
        use: _given(table.frame[column]) if column else empty
        for use, column in (
            ("start", marks.start),
            ("end", marks.end),
            ("text", marks.words),
            ("label", marks.label),
            ("severity", marks.severity),
        )
    }
    frame = keyed.with_columns(values.alias(f"_{use}") for use, values in cells.items())
    frame = _with_readings(frame)
    if "annotator" in plan.uses:
        # A row that names nobody and marks nothing is one of a summary.
        frame = frame.filter(
            pl.col("@annotator").is_not_null() | pl.col("_start").is_not_null() | pl.col("_text").is_not_null()
        )
    frame = _found(frame, plan.uses.get("summary", (None,))[0]) if marks.start is None else _as_offsets(frame)
    return replace(made, further={**table.further, "spans": _as_spans(frame, made.frame.height)})


def _with_readings(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows without a label where it says that nothing was found: such a label never stands beside a mark."""
    marked = pl.col("_text").is_not_null() | pl.col("_start").is_not_null()
    beside = set(frame.filter(marked)["_label"].drop_nulls())
    nothing = [
        label
        for label in frame["_label"].drop_nulls().unique()
        if label not in beside and _NOTHING.fullmatch(normalised(label))
    ]
    read = pl.col("_label").is_in(nothing) & ~marked
    return frame.with_columns(
        pl.when(~read.fill_null(False)).then(pl.col(column)).alias(column) for column in ("_label", "_severity")
    )


def _as_offsets(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(
        pl.col(column).cast(pl.Float64, strict=False).cast(pl.Int64, strict=False) for column in ("_start", "_end")
    )


def _place_of(words: str, text: str) -> int:
    """Where words first stand in a text, best as whole words and in the same letters; -1 where they do not."""
    ends = ("(?<!\\w)" if words[0].isalnum() else "", "(?!\\w)" if words[-1].isalnum() else "")
    exact = re.escape(words)
    patterns = ((exact.join(ends), 0), (exact, 0), (exact.join(ends), re.IGNORECASE), (exact, re.IGNORECASE))
    return next((at.start() for pattern, how in patterns if (at := re.search(pattern, text, how))), -1)


def _found(frame: pl.DataFrame, summary: str | None) -> pl.DataFrame:
    """The offsets of marked words in the summary."""
    starts: list[int | None] = []
    ends: list[int | None] = []
    texts = frame[summary].cast(pl.String) if summary else pl.Series([None] * frame.height, dtype=pl.String)
    for words, text in zip(frame["_text"], texts, strict=True):
        at = _place_of(words, text) if words and text else -1
        starts.append(at if at >= 0 else None)
        ends.append(at + len(words) if at >= 0 else None)
    missing = pl.col("_text").is_not_null() & pl.col("_start").is_null()
    return frame.with_columns(pl.Series("_start", starts, pl.Int64), pl.Series("_end", ends, pl.Int64)).with_columns(
        # Words that the summary does not have are reported as a mark without a place.
        pl.when(missing).then(pl.coalesce("_label", pl.lit("marked"))).otherwise("_label").alias("_label")
    )


def _as_spans(frame: pl.DataFrame, height: int) -> pl.DataFrame:
    return frame.select(
        pl.col("@dialogue_id").alias("dialogue_id"),
        pl.col("@system").fill_null("system").alias("system"),
        pl.col("@variant").fill_null(ORIGINAL).alias("variant"),
        pl.col("@role").fill_null(OVERALL).alias("role"),
        pl.col("@annotator").fill_null("1").alias("annotator"),
        pl.col("@dimension").fill_null("errors").alias("dimension"),
        pl.col("_start").alias("start"),
        pl.col("_end").alias("end"),
        pl.col("_text").alias("text"),
        pl.col("_label").alias("label"),
        pl.col("_severity").alias("severity"),
        pl.col("@comment").alias("comment"),
        pl.col("@time").alias("time"),
        (pl.col(ROW) + height).alias(ROW),
    )
