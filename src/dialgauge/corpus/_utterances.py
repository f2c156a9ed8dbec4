"""Tables with a row per utterance, and tables with rows that sum up the others."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import role_of, turn_to_json
from dialgauge.corpus._types import Turn
from dialgauge.errors import counted

_SPEAKER = (
    "speaker",
    "speaker_name",
    "speaker_role",
    "sender",
    "author",
    "participant",
    "from",
    "who",
    "name",
    "user",
    "username",
    "role",
)
_SAID = ("utterance", "utterances", "text", "message", "content", "turn", "turn_text", "body", "sentence", "msg")
_ORDER = re.compile(
    r"(?:turn|utterance|utt|message|msg|line|sentence|seq|sequence|order|position)?_?(?:no|nr|num|number|id|idx|index|order)"
    r"|turn|order|position|seq|sequence"
)
#: Rows below a table that say something about all of it.
_TOTAL = re.compile(
    r"(?:over_?all_|grand_)?(?:averages?|avg|means?|medians?|totals?|sum|std|sd|std_dev|stdev|st_dev|standard_deviation|"
    r"variance|min|max|minimum|maximum|count|n|n_\d+|mittelwert|durchschnitt|summe|moyenne|somme|ecart_type|media|promedio|"
    r"standardabweichung)(?:_(?:scores?|ratings?|overall|\d+))?"
)
_OWN = ("dialogue", "summary", "reference", "annotator")


def is_total(text: str) -> bool:
    """Whether a text says that a row sums up others."""
    return bool(_TOTAL.fullmatch(normalised(text)))


def without_totals(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table without rows at its end that sum up the others (``Average``, ``Total``, ``n = 16``)."""
    frame = table.frame
    if frame.height < 2:
        return table
    texts = [column for column, dtype in frame.schema.items() if dtype == pl.String]
    end, words = frame.height, []
    while end > 1:
        row = frame.row(end - 1, named=True)
        said = [str(row[column]).strip() for column in texts if row[column] is not None and str(row[column]).strip()]
        word = next(filter(is_total, said), None)
        if said and word is None:
            break
        end -= 1
        words += [word] if word else []
    if not words:
        return table
    uses = make_plan(frame.head(end), mapping, table.known).uses
    own = [column for use in _OWN for column in uses.get(use, ())]
    if own and frame.slice(end).select(pl.any_horizontal(pl.col(own).is_not_null()).any()).item():
        return table  # a row with a text or a person is data, whatever it is called
    listed = ", ".join(repr(word) for word in reversed(words))
    note = f"{counted(len(words), 'row')} at the end that only sum up the others: {listed}"
    return replace(table, frame=frame.head(end), notes=(*table.notes, note))


def with_dialogues(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table with a row per dialogue where it has one per utterance; unchanged otherwise."""
    names = {column: normalised(column) for column in table.frame.columns}
    speaker, said = _named(names, _SPEAKER), _named(names, _SAID)
    if not speaker or not said or any(use in mapping for use in ("dialogue", "summary")):
        return table
    others = {name for column, name in names.items() if column != said}
    if others & {*USES["dialogue"], *USES["summary"], *USES["value"]} or not _is_spoken(table.frame, speaker, said):
        return table
    order = next((c for c, name in names.items() if _ORDER.fullmatch(name) and _counts(table.frame[c])), None)
    rest = [column for column in table.frame.columns if column not in (speaker, said, order)]
    plan = make_plan(table.frame.select(rest), mapping, table.known)
    given = plan.uses.get("dialogue_id")
    if given and table.frame[given[0]].n_unique() == table.frame.height:
        given = None  # a number of its own for every utterance
    file = table.place(0)[0]
    made: dict[str, tuple[int, list[Turn], dict[str, object]]] = {}
    for row in _in_order(table.frame, given[0] if given else None, order).iter_rows(named=True):
        key = str(row[given[0]]) if given else Path(file).stem
        who, text = str(row[speaker] or "").strip(), str(row[said] or "")
        first, turns, cells = made.setdefault(key, (int(row["_origin"]), [], {}))
        turns.append(Turn(who, text, role_of(who)))
        for column in rest:
            cells.setdefault(column, row[column])
        made[key] = (min(first, int(row["_origin"])), turns, cells)
    rows = [
        {
            **cells,
            **({} if given else {"dialogue_id": key}),
            "dialogue": json.dumps([turn_to_json(t) for t in turns], ensure_ascii=False),
        }
        for key, (_, turns, cells) in made.items()
    ]
    starts, place = [first for first, _, _ in made.values()], table.place
    note = f"a row per utterance: {counted(table.frame.height, 'row')} are {counted(len(rows), 'dialogue')}"
    return replace(
        table,
        frame=pl.DataFrame(rows, infer_schema_length=None),
        place=lambda row: place(starts[row]) if row < len(starts) else (file, None),
        notes=(*table.notes, note),
    )


def _named(names: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((column for name in wanted for column, own in names.items() if own == name), None)


def _is_spoken(frame: pl.DataFrame, speaker: str, said: str) -> bool:
    """Few speakers, many of whose rows are texts of their own without speakers in them."""
    who = frame[speaker].drop_nulls().cast(pl.String)
    texts = frame[said].drop_nulls().cast(pl.String)
    if not len(who) or len(who) * 10 < frame.height * 9 or not len(texts):
        return False
    spaced = int(texts.str.contains(r"\s").sum()) * 2 > len(texts)
    return spaced and bool((who.str.len_chars() <= 60).all()) and who.n_unique() * 2 <= len(who) + 1


def _counts(values: pl.Series) -> bool:
    numbers = values.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and numbers.n_unique() > 1


def _in_order(frame: pl.DataFrame, given: str | None, order: str | None) -> pl.DataFrame:
    rows = frame.with_row_index("_origin")
    if order is None:
        return rows
    place = pl.col(order).cast(pl.String).str.strip_chars().cast(pl.Float64)
    first = pl.col("_origin").min().over(given) if given else pl.lit(0)
    return rows.sort(first, place, maintain_order=True)
