"""Whose side of a dialogue a summary can be about, and how pieces of it are put together again."""

import re
from collections.abc import Iterable, Sequence

from dialgauge.corpus import OVERALL, Dialogue
from dialgauge.language import is_chinese_or_japanese

#: A text that ends so needs no stop before the next.
_STOPPED = re.compile(r"[。！？!?…；;，,.~～][”’」』）)\"']*$")


def roles_of(dialogues: Iterable[Dialogue]) -> list[str]:
    """The roles that can be asked for: those that turns carry, and ``overall``."""
    found = {turn.role for dialogue in dialogues for turn in dialogue.turns if turn.role}
    return [OVERALL, *sorted(found)]


def join_pieces(pieces: Sequence[str]) -> str:
    """Pieces of a summary as one text: with spaces, or in Chinese and Japanese with a stop where a piece has none."""
    pieces = [piece.strip() for piece in pieces if piece.strip()]
    if not is_chinese_or_japanese("".join(pieces)):
        return " ".join(pieces)
    return "".join(piece if _STOPPED.search(piece) else f"{piece}。" for piece in pieces[:-1]) + "".join(pieces[-1:])
