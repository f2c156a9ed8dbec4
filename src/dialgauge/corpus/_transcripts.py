"""Plain transcripts: lines of speakers, turns joined by bars, and subtitles (WebVTT, SRT)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from dialgauge.corpus._delimited import is_table, load_delimited
from dialgauge.corpus._files import Text, read_text
from dialgauge.corpus._table import Table
from dialgauge.corpus._turns import parse_turns, role_of, split_speaker, write_turns
from dialgauge.corpus._types import Turn
from dialgauge.errors import InputError

SUFFIXES = (".txt", ".vtt", ".srt")
_TIMING = re.compile(r"^\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}")
# What ends at the next "<" or never goes back is read in linear time, whatever a file is made of.
_VOICE = re.compile(r"<v(?:\.[^\s<>.]++)*+\s++([^\s<>][^<>]*+)>")
_TAG = re.compile(r"</?[a-z][^<>]*+>|<\d[\d:.]*+>")


def load_transcripts(path: Path) -> Table:
    """A dialogue from a file (named after it), or one from each transcript in a folder.

    A file in which every line joins its turns with bars holds a dialogue per line.
    """
    if path.suffix.lower() == ".txt" and path.is_file() and is_table(read_text(path).text):
        return load_delimited(path)
    inside = sorted(path.iterdir()) if path.is_dir() else [path]
    files = [file for file in inside if file == path or file.suffix.lower() in SUFFIXES]
    dialogues: list[tuple[str, str]] = []
    places: list[tuple[str, int]] = []
    notes: list[str] = []
    encodings: list[str] = []
    for file in files:
        text = read_text(file)
        if file != path and file.suffix.lower() == ".txt" and is_table(text.text):
            raise InputError(f"{file}: a table and no transcript; call it .csv, so that it is read as one")
        encodings.append(text.encoding)
        notes += [note if len(files) == 1 else f"{file.name}: {note}" for note in text.notes]
        for line, dialogue_id, turns in _dialogues(file, text):
            dialogues.append((dialogue_id, write_turns(turns)))
            places.append((str(file), line))
    frame = pl.DataFrame(dialogues, schema={"dialogue_id": pl.String, "dialogue": pl.String}, orient="row")
    encoding = encodings[0] if len(set(encodings)) == 1 else None
    return Table(frame, lambda row: places[row], encoding, tuple(notes))


def _dialogues(file: Path, text: Text) -> Iterator[tuple[int, str, tuple[Turn, ...]]]:
    """Line, id and turns of each dialogue in a file."""
    if file.suffix.lower() in (".vtt", ".srt") or text.text.startswith("WEBVTT"):
        yield 1, file.stem, _subtitles(text.text, file)
        return
    lines = [(number, line) for number, line in enumerate(text.text.splitlines(), start=1) if line.strip()]
    if len(lines) > 1 and all(_is_joined(line) for _, line in lines):
        for count, (number, line) in enumerate(lines, start=1):
            yield number, f"{file.stem}-{count}", parse_turns(line)
    elif lines:
        yield lines[0][0], file.stem, parse_turns(text.text)


def _is_joined(line: str) -> bool:
    return "|" in line and sum(bool(turn.speaker) for turn in parse_turns(line)) > 1


def _subtitles(text: str, file: Path) -> tuple[Turn, ...]:
    """The turns of WebVTT or SRT. Consecutive cues of one speaker are one turn; times are dropped."""
    cues = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.strip("\n").split("\n")
        timing = next((number for number, line in enumerate(lines) if _TIMING.match(line)), None)
        if timing is not None:  # others are the header, a comment or a style block
            cues.append([line.strip() for line in lines[timing + 1 :] if line.strip()])
    speakers = _speakers(cues)
    turns: list[tuple[str, list[str]]] = []
    for cue in cues:
        for speaker, words in _cue(cue, speakers):
            if turns and speaker in ("", turns[-1][0]):
                turns[-1][1].append(words)
            else:
                turns.append((speaker, [words]))
    if not turns:
        raise InputError(f"{file}: no cues found; subtitles have lines like 00:00:01.000 --> 00:00:03.000")
    return tuple(Turn(speaker, " ".join(words), role_of(speaker)) for speaker, words in turns)


def _speakers(cues: Sequence[Sequence[str]]) -> frozenset[str]:
    """Who speaks: names before a colon, and whatever else stands there several times ("It was due:" is no name)."""
    found = Counter(named[0] for cue in cues for line in cue if (named := split_speaker(_TAG.sub("", line))))
    return frozenset(name for name, times in found.items() if times > 1 or _is_name(name))


def _is_name(text: str) -> bool:
    """Whether every word starts like one of a name: no small letter, unless the text is one word."""
    words = re.sub(r"\([^()]*\)", "", text).split()
    return len(words) == 1 or (bool(words) and not any(word[0].islower() for word in words))


def _cue(lines: Sequence[str], speakers: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The speakers and words of one cue: ``<v Agent>Hello</v>`` or ``Agent: Hello``, on one or several lines."""
    pieces = _VOICE.split(" ".join(lines))
    if len(pieces) > 1:
        for speaker, words in zip(["", *pieces[1::2]], pieces[::2], strict=True):
            plain = _TAG.sub("", words).strip()
            if plain:
                yield speaker.strip(), plain
        return
    said: list[tuple[str, list[str]]] = []
    for line in lines:
        plain = _TAG.sub("", line).strip()
        found = split_speaker(plain)
        if found and found[0] in speakers:
            said.append((found[0], [found[1]] if found[1] else []))
        elif plain:
            said = said or [("", [])]
            said[-1][1].append(plain)
    yield from ((speaker, " ".join(words)) for speaker, words in said if words)
