"""Right and wrong summaries written by hand for whole conversations (``written_errors/*.jsonl``), as corpora.

Each conversation has three or four right and as many wrong summaries; the false words stand in ``[[…]]``. Most errors
use its own words: what was only offered, who has to do it, what was corrected later. A seventh of the conversations is
held out, by a digest of the id. ``even.txt`` names the summaries whose wording does not tell whether they are right
(``even_summaries.py``).
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Rating, Span, Summary, Turn

FOLDER = Path(__file__).with_suffix("")
EVEN_FILE = FOLDER / "even.txt"
EVEN = "written even"
#: The sets by the names under which the benchmark asks for them: held-out conversations of these files.
WRITTEN: Mapping[str, tuple[str, ...]] = {
    "written calls": ("calls", "short-calls"),
    "written chats": ("chats", "short-chats"),
    "written talks": ("talks",),
    "written business": ("business", "short"),
    "more written calls": ("calls-2",),
    "more written chats": ("chats-2",),
    "written outputs": ("outputs",),
    EVEN: (),
}
Part = Literal["training", "held out"]
_MARK = re.compile(r"\[\[(.+?)\]\]")
_HELD_OUT = 7


def is_held_out(key: str) -> bool:
    """Whether a conversation is kept back to measure."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % _HELD_OUT == 0


def read_written(files: tuple[str, ...] = (), part: Part | None = None) -> Iterator[dict[str, Any]]:
    """The conversations of these files (all, if none is named), of one part or of both."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        if not files or path.stem in files:
            for line in path.read_text("utf-8").splitlines():
                entry = json.loads(line)
                if part is None or is_held_out(entry["id"]) == (part == "held out"):
                    yield entry


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without its marks, and the spans that they held."""
    plain, spans, position = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[position : match.start()]
        spans.append((len(plain), len(plain) + len(match[1])))
        plain += match[1]
        position = match.end()
    return plain + text[position:], spans


def written_errors(name: str = "", part: Part | None = "held out") -> Corpus:
    """One of the sets, or all files. Each summary is a system of its own, with a label and its marked words."""
    dialogues, summaries, ratings, spans = [], [], [], []
    even = set(EVEN_FILE.read_text("utf-8").split()) if name == EVEN else None
    for entry in read_written(WRITTEN.get(name, ()), part):
        key = entry["id"]
        chosen = [n for n in range(1, len(entry["summaries"]) + 1) if even is None or f"{key}/{n}" in even]
        if not chosen:
            continue
        said = (turn.partition(": ") for turn in entry["dialogue"])
        dialogues.append(Dialogue(key, tuple(Turn(speaker, text) for speaker, _, text in said)))
        for number in chosen:
            one = entry["summaries"][number - 1]
            text, marks = unmarked(one["text"])
            system = f"{'right' if one['right'] else 'wrong'}-{number}"
            summaries.append(Summary(key, system, text))
            ratings.append(Rating(key, system, "author", "consistency", float(one["right"]), scale="0-1"))
            found = [Span(key, system, "author", "consistency", n, *span) for n, span in enumerate(marks, 1)]
            spans += found or [Span(key, system, "author", "consistency")]
    return Corpus.build(dialogues, summaries, ratings, CorpusInfo(name or "written", language="en"), spans=spans)
