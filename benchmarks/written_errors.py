"""Right and wrong summaries written by hand for whole conversations (``written_errors/*.jsonl``), as corpora.

Each conversation has three or four right and as many wrong summaries; the false words stand in ``[[…]]``. Most errors
use its own words: what was only offered, who has to do it, what was corrected later. A seventh of the conversations is
held out, by a digest of the id. ``even.txt`` names the summaries whose wording does not tell whether they are right
(``even_summaries.py``).
"""

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.conversations import Conversations, Part
from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Rating, Span, Summary, Turn

CONVERSATIONS = Conversations(Path(__file__).with_suffix(""), held_out=7)
EVEN_FILE = CONVERSATIONS.folder / "even.txt"
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
_MARK = re.compile(r"\[\[(.+?)\]\]")


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
    for entry in CONVERSATIONS.read(WRITTEN.get(name, ()), part):
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
