"""Whose side of a dialogue a summary is about, and how pieces of it are put together again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from dialgauge.corpus import OVERALL, Dialogue, Turn

#: Characters of scripts that are written without spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
#: A text that ends so needs no stop before the next.
_STOPPED = re.compile(r"[。！？!?…；;，,.~～][”’」』）)\"']*$")


def has_role(turn: Turn, role: str) -> bool:
    """Whether a turn is of this role: by the role it carries, or by its speaker's name where it carries none."""
    return turn.role == role if turn.role is not None else turn.speaker.casefold() == role.casefold()


def roles_of(dialogues: Iterable[Dialogue]) -> list[str]:
    """The roles that can be asked for: those that turns carry, and ``overall``."""
    found = {turn.role for dialogue in dialogues for turn in dialogue.turns if turn.role}
    return [OVERALL, *sorted(found)]


def side(dialogue: Dialogue, role: str) -> Dialogue:
    """The dialogue with the turns of this role alone; all of them for ``overall``."""
    if role == OVERALL:
        return dialogue
    return replace(dialogue, turns=tuple(turn for turn in dialogue.turns if has_role(turn, role)))


def is_unspaced(text: str) -> bool:
    """Whether a text is mostly written in Chinese or Japanese characters."""
    letters = sum(map(str.isalpha, text))
    return 2 * len(_UNSPACED.findall(text)) > letters


def join_pieces(pieces: Sequence[str]) -> str:
    """Pieces of a summary as one text: with spaces, or in Chinese and Japanese with a stop where a piece has none."""
    pieces = [piece.strip() for piece in pieces if piece.strip()]
    if not is_unspaced("".join(pieces)):
        return " ".join(pieces)
    return "".join(piece if _STOPPED.search(piece) else f"{piece}。" for piece in pieces[:-1]) + "".join(pieces[-1:])
