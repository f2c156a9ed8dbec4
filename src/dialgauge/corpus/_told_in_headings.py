"""Headings that hold what was judged: survey tools export the whole question, with the conversation and the summary."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._names import TELLING, USES, normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus._wide_headings import VALUE, is_judged
from dialgauge.errors import counted

#: "Conversation W-201:" or "Summary by Larch:", alone in a line above a text.
_LABEL = re.compile(r"^[ \t]*([^\n:]{1,60}):[ \t]*$", re.MULTILINE)
_QUESTION = re.compile(r"(.*?)\s*(?:\[\s*([^\[\]\n]{1,60}?)\s*\])?\s*", re.DOTALL)
_DIALOGUES, _SUMMARIES = ({*TELLING[use], *USES[use]} for use in ("dialogue", "summary"))
#: Words between what a text is and its name: "Summary by Larch", "Conversation no. 7".
_JOINING = frozenset(["by", "of", "from", "no", "nr", "number", "id", "the", "system", "model"])
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class _Item:
    """What a heading shows: the name and the text of a dialogue, and the system and the text of a summary."""

    dialogue_id: str
    dialogue: str
    system: str
    summary: str


def with_told_items(table: Table) -> Table:
    """The table with a row for each summary that a heading shows; unchanged where headings show none."""
    found = {column: cell for column in table.frame.columns if (cell := _shown(table.frame, column)) is not None}
    items = dict.fromkeys(item for item, _ in found.values())
    if len(items) < _FEWEST or len(set(found.values())) < len(found) or not _are_named(items):
        return table
    rest = [column for column in table.frame.columns if column not in found]
    asked = dict.fromkeys(question for _, question in found.values())
    if {"_origin", *_as_row(next(iter(items)))} & {*rest, *asked} or set(rest) & set(asked):
        return table
    column_of = {cell: column for column, cell in found.items()}
    numbered = table.frame.with_row_index("_origin")
    parts = []
    for item in items:
        told = [pl.lit(text or None, pl.String).alias(use) for use, text in _as_row(item).items()]
        given = [
            (pl.col(column) if column else pl.lit(None, pl.String)).cast(pl.String).alias(question)
            for question in asked
            for column in [column_of.get((item, question))]
        ]
        parts.append(numbered.select("_origin", *rest, *told, *given))
    long = pl.concat(parts).sort("_origin", maintain_order=True)
    origin, place = long["_origin"].to_list(), table.place
    filled = [use for use in _as_row(next(iter(items))) if long[use].null_count() < long.height]
    return replace(
        table,
        frame=long.drop("_origin", *(use for use in ("dialogue_id", "system") if use not in filled)),
        place=lambda row: place(origin[row] if row < len(origin) else row),
        notes=(*table.notes, f"{counted(len(items), 'summary', 'summaries')} read from the headings that show them"),
        known={
            **table.known,
            **{use: use for use in filled},
            **{question: f"dimension:{question}" for question in asked},
        },
    )


def _as_row(item: _Item) -> dict[str, str]:
    return {
        "dialogue_id": item.dialogue_id,
        "dialogue": item.dialogue,
        "system": item.system,
        "summary": item.summary,
    }


def _are_named(items: Mapping[_Item, None]) -> bool:
    """Whether no two texts have one name, which would be that of something else."""
    dialogues = {item.dialogue_id or item.dialogue: item.dialogue for item in items}
    summaries = {(item.dialogue_id or item.dialogue, item.system) for item in items}
    return len(summaries) == len(items) and all(dialogues[i.dialogue_id or i.dialogue] == i.dialogue for i in items)


def _shown(frame: pl.DataFrame, column: str) -> tuple[_Item, str] | None:
    """The item that a heading shows, and what is asked about it; None where it shows none."""
    if "\n" not in column or not is_judged(frame, column):
        return None
    whole = _QUESTION.fullmatch(column)
    assert whole is not None
    pieces = _LABEL.split(whole[1])
    texts: dict[str, tuple[str, str]] = {}
    for label, text in zip(pieces[1::2], pieces[2::2], strict=True):
        words = normalised(label).split("_")
        use = "dialogue" if words[0] in _DIALOGUES else "summary" if _SUMMARIES & set(words) else None
        if use is None or use in texts or not text.strip():
            return None
        texts[use] = (_name_in(label, _DIALOGUES | _SUMMARIES), text.strip())
    if set(texts) != {"dialogue", "summary"}:
        return None
    return _Item(*texts["dialogue"], *texts["summary"]), whole[2] or VALUE


def _name_in(label: str, words: set[str]) -> str:
    """What a label says beside what kind of text follows: ``W-201`` of "Conversation W-201"."""
    rest = [word for word in label.split() if normalised(word) not in words and normalised(word) not in _JOINING]
    return " ".join(rest).strip(" ()[]#.")


def texts_in_headings(columns: list[str]) -> list[str]:
    """What is wrong where headings hold dialogues that were not read from them."""
    shown = [column for column in columns if "\n" in column and _speaks(column)]
    if len(shown) < _FEWEST:
        return []
    return [
        f"the headings of {counted(len(shown), 'column')} hold dialogues, which were not read: write each summary into "
        "a row of a second file (Item, Dialogue, System, Summary), and its name into the headings (Item 1 [Clarity])"
    ]


def _speaks(column: str) -> bool:
    return sum(bool(turn.speaker) and bool(turn.text) for turn in parse_turns(column)) >= _FEWEST
