"""Turns from text and back: the ways in which a transcript is written in one string."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from dialgauge.corpus._types import Turn

#: Names of speakers in transcripts, and the role of each.
_ROLES = {
    "agent": "agent",
    "assistant": "agent",
    "operator": "agent",
    "representative": "agent",
    "support": "agent",
    "客服": "agent",
    "customer": "customer",
    "client": "customer",
    "caller": "customer",
    "user": "user",
    "用户": "user",
}
#: Under which names the objects of transcripts hold what was said, and who said it.
TEXTS = (
    "text",
    "utterance",
    "content",
    "message",
    "transcript",
    "body",
    "utt",
    "display",
    "msg",
    "txt",
    "said",
    "line",
    "t",
    "plain_body",
)
SPEAKERS = (
    "speaker",
    "name",
    "author",
    "participant",
    "sender",
    "from",
    "speaker_label",
    "speakerId",
    "channel",
    "author_id",
    "spk",
    "who",
    "nick",
)
#: Under which names turns have an object about who said them.
AUTHORS = ("author", "from", "sender")
#: Under which names speech recognition lists the readings of what was said, the likeliest first.
_READINGS = ("nBest", "alternatives")
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s+"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[APap]\.?[Mm]\.?)?"
#: "[10:01:05]", "(0:05)", and the dates and times of chats: "[14/11/2026, 10:00]", "14/11/2026, 10:00 - ".
_TIME = rf"(?:[\[(](?:{_DATE})?{_CLOCK}[\])]\s*|{_DATE}{_CLOCK}\s+-\s+)?"
_SPEAKER = re.compile(rf"^\s*{_TIME}([^\s:：|][^:：|\n]{{0,39}})[:：]\s?(.*)$", re.DOTALL)
_SUBJECT, _FROM = frozenset({"subject", "betreff", "objet", "asunto"}), frozenset({"from", "von", "de"})
_MAIL = re.compile(
    r"^\s*(from|to|cc|bcc|sent|date|subject|reply-to|von|an|datum|gesendet|betreff|de|à|objet|envoyé|para|asunto)\s*:\s*(.*)$",
    re.IGNORECASE,
)
_SUBJECT_LINE = re.compile(r"^\s*(?:subject|betreff|objet|asunto)\s*:", re.IGNORECASE | re.MULTILINE)
#: Marks that data sets for models put between turns.
_BETWEEN = re.compile(r"<(?:turn|sep|eot|utt|utterance)/?>|\[(?:SEP|TURN|EOT)\]", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"[\s_#-]*\d*$")
_LONGEST_ROLE = 100


@lru_cache(maxsize=4096)
def role_of(speaker: str) -> str | None:
    """The role in a speaker's name (``Agent``, ``Customer 2`` …), if there is one."""
    if len(speaker) > _LONGEST_ROLE:  # the pattern needs time quadratic in the length
        return None
    return _ROLES.get(_NUMBER.sub("", speaker).strip().lower())


def parse_turns(text: str) -> tuple[Turn, ...]:
    """The turns of a dialogue written in one string.

    Understands a JSON list of turns, turns joined by ``|`` (``| Elena: Hi | Tom: Hello``), slashes or marks such as
    ``<turn>``, and a line per turn (``Agent: …``, ``#Person1#: …``, ``客服：…``). A line without a speaker continues
    the turn before it. A text in which nobody is named is one turn of a nameless speaker.
    """
    return tuple(Turn(*parts) for parts in split_turns(text))


def split_turns(text: str) -> list[tuple[str, str, str | None]]:
    """Speaker, text and role of each turn of :func:`parse_turns`: what a table of many dialogues is made from."""
    stripped = text.strip()
    if stripped.startswith("["):
        turns = _from_json_text(stripped)
        if turns is not None:
            return [(turn.speaker, turn.text, turn.role) for turn in turns]
    marked = [piece.strip() for piece in _BETWEEN.split(stripped) if piece.strip()]
    if len(marked) > 1 and "\n" not in stripped and sum(map(_names_speaker, marked)) * 2 > len(marked):
        return _gather(marked, joint=" ")
    for joint in (" | ", " / ") if "\n" not in stripped else ():
        bare = joint.strip() if joint == " | " else joint
        pieces = [piece.strip() for piece in stripped.split(bare) if piece.strip()] if bare in stripped else []
        named = sum(map(_names_speaker, pieces))
        if len(pieces) > 1 and named * 2 > len(pieces):
            return _gather(pieces, joint=joint)
    return _gather([line for line in _LINE_BREAK.split(text) if line.strip()], joint="\n")


def _names_speaker(piece: str) -> bool:
    return split_speaker(piece) is not None


def split_speaker(line: str) -> tuple[str, str] | None:
    """``("Agent", "Hello")`` from ``"Agent: Hello"``, or None where no speaker is named.

    A speaker has at most five words and forty characters before the colon; times and web addresses are not speakers.
    """
    found = _SPEAKER.match(line)
    if not found:
        return None
    speaker, text = found[1].strip(), found[2].strip()
    clock = speaker[-1].isdigit() and line[found.end(1) + 1 : found.end(1) + 2].isdigit()
    if clock or speaker.isdigit() or text.startswith("//") or len(speaker.split()) > 5:
        return None
    return speaker, text


def _gather(lines: Sequence[str], joint: str) -> list[tuple[str, str, str | None]]:
    turns: list[tuple[str, list[str]]] = []
    heads = _mail_heads(lines) if _SUBJECT_LINE.search("\n".join(lines)) else {}
    for number, piece in enumerate(lines):
        if number in heads:
            if number - 1 not in heads:
                turns.append((heads[number], []))
            turns[-1][1].append(piece.strip())
            continue
        found = split_speaker(piece)
        if found:
            turns.append((found[0], [found[1]]))
        elif turns:
            turns[-1][1].append(piece.strip())
        else:
            turns.append(("", [piece.strip()]))
    return [(speaker, joint.join(parts), role_of(speaker)) for speaker, parts in turns]


def _mail_heads(lines: Sequence[str]) -> dict[int, str]:
    """The lines that are the head of an e-mail (From, To, Subject …), each with the name of the sender."""
    found: dict[int, str] = {}
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and _MAIL.match(lines[end]):
            end += 1
        block = [(match[1].lower(), match[2].strip()) for line in lines[start:end] if (match := _MAIL.match(line))]
        if any(name in _SUBJECT for name, _ in block):
            sender = next((re.sub(r"\s*<[^<>]*>\s*$", "", text) for name, text in block if name in _FROM), "")
            found |= dict.fromkeys(range(start, end), sender.strip(' "'))
        start = max(end, start + 1)
    return found


def write_turns(turns: Iterable[Turn]) -> str:
    """The turns in one string that :func:`parse_turns` reads back: lines if these lose nothing, else JSON."""
    turns = tuple(turns)
    lines = "\n".join(str(turn) for turn in turns)
    if turns and parse_turns(lines) == turns:
        return lines
    return json.dumps([turn_to_json(turn) for turn in turns], ensure_ascii=False)


def turn_to_json(turn: Turn) -> dict[str, str]:
    """A turn as a JSON object; the role is left out where it is unknown."""
    result = {"speaker": turn.speaker, "text": turn.text}
    return result if turn.role is None else {**result, "role": turn.role}


def turns_from_json(value: object) -> tuple[Turn, ...]:
    """Turns from decoded JSON: objects with ``text`` and ``speaker``, or strings like ``"Agent: Hello"``.

    Raises ValueError with the reason where it is neither.
    """
    if not isinstance(value, list):
        raise ValueError("turns must be a list")
    return tuple(_turn(item, number) for number, item in enumerate(value, start=1) if not is_silent(item))


def _turn(item: object, number: int) -> Turn:
    if isinstance(item, str):
        found = split_speaker(item)
        return Turn(found[0], found[1], role_of(found[0])) if found else Turn("", item)
    if is_pair(item):
        return Turn(item[0], item[1], role_of(item[0]))  # type: ignore[index]
    if not isinstance(item, Mapping):
        raise ValueError(f"turn {number} is neither an object nor a string")
    text = said_in(item)
    speaker = _first(item, *SPEAKERS)
    who = _first(item, *AUTHORS)
    if isinstance(who, Mapping):  # {"author": {"type": "user", "name": "Ana"}}
        speaker = _first(who, "name", "display_name", "email", "id", "type")
    role = item.get("role")
    if not isinstance(text, str):
        raise ValueError(f"turn {number} has no text")
    if not isinstance(speaker, str | int | None) or not isinstance(role, str | None):
        raise ValueError(f"turn {number}: speaker and role must be strings")
    if speaker is None:
        # Chat logs of assistants name the role only: {"role": "user", "content": …}.
        return Turn(role or "", text, role_of(role) if role else None)
    return Turn(str(speaker), text, role)


def said_in(item: Mapping[str, Any]) -> str | None:
    """What was said in a turn: its text, the likeliest of several readings, or its sentences together."""
    text = _first(item, *TEXTS)
    if text is not None:
        return text if isinstance(text, str) else None
    readings = next((item[key] for key in _READINGS if isinstance(item.get(key), list) and item[key]), None)
    if readings is not None and isinstance(readings[0], Mapping):
        return said_in(readings[0])
    for inner in item.values():
        if isinstance(inner, list) and inner and all(isinstance(one, Mapping) for one in inner):
            parts = [said_in(one) for one in inner]
            if all(part is not None for part in parts):
                return " ".join(part.strip() for part in parts if part)
    return None


def is_silent(item: Any) -> bool:
    """Whether an object among turns is one in which somebody did something without a word: it was assigned, closed."""
    if not isinstance(item, Mapping) or not any(isinstance(item.get(key), Mapping) for key in AUTHORS):
        return False
    return any(key in item for key in TEXTS) and said_in(item) is None


def is_pair(item: object) -> bool:
    """Whether this is a speaker and what was said, as in ``["Agent", "Hello."]``."""
    return isinstance(item, list | tuple) and len(item) == 2 and all(isinstance(part, str) for part in item)


def _first(item: Mapping[str, Any], *keys: str) -> object:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def _from_json_text(text: str) -> tuple[Turn, ...] | None:
    """Turns, if the text is a JSON list of them; None if it is just a text that starts with a bracket."""
    try:
        value = json.loads(text)
        return turns_from_json(value)
    except (ValueError, RecursionError):
        return None
