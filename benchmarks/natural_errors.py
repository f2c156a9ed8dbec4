"""Right and wrong summaries written by hand (``natural_errors.toml``), as corpora with a rating of 1 or 0."""

import tomllib
from pathlib import Path

from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Rating, Summary, Turn

FILE = Path(__file__).with_suffix(".toml")
#: The sets, by the names under which the benchmark asks for them.
SETS = {"natural calls": "call", "natural chats": "chat"}


def natural_errors(name: str) -> Corpus:
    """One of the sets; each summary is a system of its own."""
    dialogues, summaries, ratings = [], [], []
    for entry in tomllib.loads(FILE.read_text("utf-8"))["dialogue"]:
        if entry["kind"] != SETS[name]:
            continue
        lines = (line.partition(": ") for line in entry["transcript"].strip().splitlines())
        dialogues.append(Dialogue(entry["id"], tuple(Turn(speaker, said) for speaker, _, said in lines)))
        for label, value in (("right", 1.0), ("wrong", 0.0)):
            for number, text in enumerate(entry[label], 1):
                system = f"{label}-{number}"
                summaries.append(Summary(entry["id"], system, text))
                ratings.append(Rating(entry["id"], system, "author", "consistency", value, scale="0-1"))
    return Corpus.build(dialogues, summaries, ratings, CorpusInfo(name, language="en"))
