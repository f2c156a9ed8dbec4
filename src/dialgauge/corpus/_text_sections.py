"""Cells that hold a dialogue and its summary one below the other, each under a heading of its own."""

import re
from dataclasses import replace

import polars as pl

from dialgauge.corpus._mapping import Mapped, listed
from dialgauge.corpus._markup import has_markup, without_markup
from dialgauge.corpus._names import TELLING, USES, normalised
from dialgauge.corpus._table import Table

#: ``SUMMARY:``, ``## Summary`` or ``Summary: the text``; no line that says more than what is below it.
_HEADING = re.compile(r"^[#*\[ \t]*([^\W\d_][\w -]{2,30}?)[\]* \t]*(?::[* \t]*|$)", re.MULTILINE)
_SECTIONS = ("dialogue", "summary")
_LOOKED_AT = 50


def with_sections(table: Table, mapping: Mapped) -> Table:
    """The table with a column for the dialogues and one for the summaries that cells hold together.

    All cells of a column must do so, and nothing else may hold the dialogues. Where places in the texts are marked,
    these are counted from the beginning of the cell, which then stays whole.
    """
    frame = table.frame
    names = {normalised(column) for column in frame.columns}
    if table.further or {*_SECTIONS} & set(mapping) or names & {*USES["dialogue"]} - {"text"}:
        return table
    said = {name for given in mapping.values() for name in listed(given)}
    for column in frame.columns:
        texts = frame[column]
        if column in said or texts.dtype != pl.String:
            continue
        if texts.str.contains(r"(?i)<(?:br|p|div|h\d)\b").any() and has_markup(texts.drop_nulls().head(_LOOKED_AT)):
            texts = texts.map_elements(lambda text: without_markup(text, tags=True), pl.String)
        if not texts.str.contains("\n").any():
            continue
        if names & {"summary"} - {normalised(column)} or not all(map(sections_of, texts.drop_nulls())):
            continue
        parted = [sections_of(text or "") for text in texts]
        made = [pl.Series(use, [found[use] if found else None for found in parted], pl.String) for use in _SECTIONS]
        note = f"{column}: parted at its headings into dialogues and summaries"
        known = {name: use for name, use in table.known.items() if name != column}
        return replace(table, frame=frame.drop(column).with_columns(made), notes=(*table.notes, note), known=known)
    return table


def sections_of(text: str) -> dict[str, str] | None:
    """The dialogue and the summary in a text that begins with the heading of one of them; None for any other text."""
    found = [(use, at) for at in _HEADING.finditer(text) if (use := _use_of(at[1])) is not None]
    if sorted(use for use, _ in found) != sorted(_SECTIONS) or text[: found[0][1].start()].strip():
        return None
    ends = [found[1][1].start(), len(text)]
    parts = {use: text[at.end() : end].strip() for (use, at), end in zip(found, ends, strict=True)}
    return parts if all(parts.values()) else None


def _use_of(title: str) -> str | None:
    words = set(normalised(title).split("_"))
    said = [use for use in _SECTIONS if words & (TELLING[use] | ({"chat"} if use == "dialogue" else set()))]
    return said[0] if len(said) == 1 else None
