"""The embedded corpus: dialogues and summaries written for this project, with planted errors and constructed ratings.

The texts live in ``embedded/*.toml``, the rule that turns planted errors into ratings in ``embedded/rubric.toml``.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from statistics import NormalDist
from typing import Any

from dialgauge.corpus._corpus import Corpus, CorpusInfo
from dialgauge.corpus._types import Dialogue, Rating, Summary, Turn

DOMAINS = ("banking", "insurance", "medical", "telecom", "travel", "education", "automotive", "chat")
#: The systems whose summaries are computed from the dialogue; all others are written out.
EXTRACTS = {"lead-3": Dialogue.lead, "longest-3": Dialogue.longest}
DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
_CALLERS = {"Customer", "Patient", "Student", "Parent"}
_STAFF = {"Agent", "Supervisor", "Nurse"}

INFO = CorpusInfo(
    name="embedded",
    description="Contact-centre calls and private chats written for dialgauge, with planted errors. "
    "The ratings are constructed from those errors by a rubric: no person gave them.",
    licence="Apache-2.0",
    ratings_origin="constructed",
    language="en",
)


@cache
def embedded_corpus() -> Corpus:
    """The corpus that ships with dialgauge, for demos, documentation and tests.

    Six systems: ``careful``, ``terse``, ``glib`` and ``rough`` are written, of clearly different quality; ``lead-3``
    and ``longest-3`` are computed. ``provenance`` of each summary lists its planted errors (type, severity, note). The
    ratings are *constructed*: derived from those errors by a documented rubric with seeded noise.
    """
    dialogues: list[Dialogue] = []
    summaries: list[Summary] = []
    ratings: list[Rating] = []
    rubric = _load("rubric")
    for domain in DOMAINS:
        for entry in _load(domain)["dialogue"]:
            dialogue = _dialogue(domain, entry)
            dialogues.append(dialogue)
            summaries.append(Summary(dialogue.id, "reference", _paragraph(entry["reference"]), kind="reference"))
            for system, written in entry["summary"].items():
                errors = written["errors"]
                text = EXTRACTS[system](dialogue) if system in EXTRACTS else _paragraph(written["text"])
                summaries.append(Summary(dialogue.id, system, text, provenance={"errors": errors}))
                ratings.extend(_construct_ratings(dialogue.id, system, errors, rubric))
    return Corpus.build(dialogues, summaries, ratings, INFO)


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads(files("dialgauge.corpus").joinpath("embedded", f"{name}.toml").read_text("utf-8"))


def _dialogue(domain: str, entry: Mapping[str, Any]) -> Dialogue:
    turns = []
    for line in entry["transcript"].strip().splitlines():
        speaker, _, text = line.partition(": ")
        turns.append(Turn(speaker, text.strip(), _role(speaker)))
    meta = {key: entry[key] for key in ("title", "channel", "asr")}
    return Dialogue(entry["id"], tuple(turns), domain, "en", meta)


def _role(speaker: str) -> str | None:
    if speaker in _CALLERS:
        return "customer"
    return "agent" if speaker in _STAFF else None


def _paragraph(text: str) -> str:
    """One line: the files break long paragraphs for the reader of the file only."""
    return " ".join(text.split())


def _construct_ratings(
    dialogue_id: str, system: str, errors: Sequence[Mapping[str, str]], rubric: Mapping[str, Any]
) -> Iterator[Rating]:
    for dimension in DIMENSIONS:
        quality = rubric["top"] - sum(
            rubric["penalty"][error["type"]].get(dimension, 0.0)
            * (rubric["major_factor"] if error["severity"] == "major" else 1.0)
            for error in errors
        )
        if system in EXTRACTS:
            quality -= rubric["extract"].get(dimension, 0.0)
        for annotator, leniency in rubric["leniency"].items():
            noise = rubric["noise_sd"] * _normal_draw(rubric["seed"], dialogue_id, system, dimension, annotator)
            value = min(5, max(1, round(quality + leniency + noise)))
            yield Rating(dialogue_id, system, annotator, dimension, float(value), scale=rubric["scale"])


def _normal_draw(*key: object) -> float:
    """A standard normal number that depends on the key alone: the same on every machine, in any order."""
    digest = hashlib.sha256("|".join(map(str, key)).encode()).digest()
    return NormalDist().inv_cdf((int.from_bytes(digest[:8], "big") + 0.5) / 2**64)
