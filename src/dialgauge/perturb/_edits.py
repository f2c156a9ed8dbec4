"""Span edits on a text: everything outside the edits stays as it is, byte for byte."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace ``text[start:end]`` by ``replacement``; an insertion if ``start == end``, a deletion if
    ``replacement`` is empty."""

    start: int
    end: int
    replacement: str = ""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made. Edits must lie inside the text and must not overlap."""
    parts: list[str] = []
    position = 0
    for edit in checked(text, edits):
        parts += (text[position : edit.start], edit.replacement)
        position = edit.end
    parts.append(text[position:])
    return "".join(parts)


def checked(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """The edits in order, without those that change nothing; ValueError if they overlap or are outside the text."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    position = 0
    for edit in ordered:
        if not position <= edit.start <= edit.end <= len(text):
            raise ValueError(f"{edit} overlaps another edit or lies outside a text of {len(text)} characters")
        position = edit.end
    return [edit for edit in ordered if text[edit.start : edit.end] != edit.replacement]


@dataclass(slots=True)
class _Piece:
    """A stretch ``start:end`` of the original and what stands there now; ``kept`` where nothing was changed."""

    start: int
    end: int
    text: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Seam:
    """A replaced stretch: where it stands in the result, what stood there before, and what stands there now."""

    start: int
    end: int
    before: str
    after: str


class Draft:
    """A text with edits applied that can be changed further while the record of the edits stays exact."""

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        self.original = text
        self._pieces: list[_Piece] = []
        position = 0
        for edit in checked(text, edits):
            self._keep(position, edit.start)
            self._pieces.append(_Piece(edit.start, edit.end, edit.replacement, kept=False))
            position = edit.end
        self._keep(position, len(text))
        # Read at every seam, while most seams need no repair: recomputed only after a change.
        self._result: str | None = None
        self._seams: list[Seam] | None = None

    def _keep(self, start: int, end: int) -> None:
        if end > start:
            self._pieces.append(_Piece(start, end, self.original[start:end], kept=True))

    @property
    def result(self) -> str:
        """The text as it is now."""
        if self._result is None:
            self._result = "".join(piece.text for piece in self._pieces)
        return self._result

    @property
    def edits(self) -> list[Edit]:
        """What turns the original into the result; neighbours that touch are one edit."""
        found: list[Edit] = []
        for piece in self._pieces:
            if piece.kept or self.original[piece.start : piece.end] == piece.text:
                continue
            if found and found[-1].end == piece.start:
                found[-1] = Edit(found[-1].start, piece.end, found[-1].replacement + piece.text)
            else:
                found.append(Edit(piece.start, piece.end, piece.text))
        return [edit for edit in found if self.original[edit.start : edit.end] != edit.replacement]

    @property
    def seams(self) -> list[Seam]:
        """Where the result differs from the original, in order."""
        if self._seams is not None:
            return self._seams
        found: list[Seam] = []
        position = 0
        for piece in self._pieces:
            if not piece.kept:
                before = self.original[piece.start : piece.end]
                found.append(Seam(position, position + len(piece.text), before, piece.text))
            position += len(piece.text)
        self._seams = found
        return found

    def edited_at(self, position: int) -> int | None:
        """Where the edit at this place of the original stands in the result, or None where nothing was edited."""
        length = 0
        for piece in self._pieces:
            if not piece.kept and (piece.start <= position < piece.end or piece.start == piece.end == position):
                return length
            length += len(piece.text)
        return None

    def change(self, start: int, end: int, replacement: str) -> None:
        """Replace ``result[start:end]`` by ``replacement``."""
        before, touched, after = self._cut(start, end)
        if not touched:  # an insertion between two pieces
            place = before[-1].end if before else 0
            touched = [(_Piece(place, place, "", kept=False), 0, 0)]
        (first, cut_first, _), (last, _, cut_last) = touched[0], touched[-1]
        changed: list[_Piece] = []
        text = replacement
        start_original, end_original = first.start, last.end
        if first.kept:
            start_original = first.start + cut_first
            if cut_first:
                changed.append(_Piece(first.start, start_original, first.text[:cut_first], kept=True))
        else:
            text = first.text[:cut_first] + text
        tail: list[_Piece] = []
        if last.kept:
            end_original = last.start + cut_last
            if cut_last < len(last.text):
                tail.append(_Piece(end_original, last.end, last.text[cut_last:], kept=True))
        else:
            text += last.text[cut_last:]
        changed.append(_Piece(start_original, end_original, text, kept=False))
        self._pieces = [*before, *changed, *tail, *after]
        self._result = self._seams = None

    def _cut(self, start: int, end: int) -> tuple[list[_Piece], list[tuple[_Piece, int, int]], list[_Piece]]:
        """The pieces before, those that ``start:end`` touches (with the stretch of each that it covers), and after."""
        before: list[_Piece] = []
        touched: list[tuple[_Piece, int, int]] = []
        after: list[_Piece] = []
        position = 0
        for piece in self._pieces:
            stop = position + len(piece.text)
            if stop < start or (stop == start and (piece.kept or end > start)):
                before.append(piece)
            elif position > end or (position == end and (piece.kept or end > start)):
                after.append(piece)
            else:
                touched.append((piece, max(start - position, 0), min(end, stop) - position))
            position = stop
        return before, touched, after
