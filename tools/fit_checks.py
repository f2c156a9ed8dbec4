"""Learn the weights of the checks from references, without human labels.

    python tools/fit_checks.py DATA --leave-out DIALOGUES.jsonl --references 3000

DATA holds ``samsum/samsum.train.jsonl.gz`` and ``dialogsum/dialogsum.train.may2021.jsonl.gz``, with ``dialogue`` and
``summary`` in each line. Dialogues of the --leave-out files, and any with the same words, are not used. A quarter of
the dialogues is held out to say how well the checks do. Writes ``src/dialgauge/checks/weights.toml``.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dialgauge.checks import CHECKS, CheckedSummary, Weights, check
from dialgauge.checks._attribution import FEATURES as ATTRIBUTION
from dialgauge.checks._check import PARSER
from dialgauge.checks._claims import read_claims
from dialgauge.checks._fit import attribution_features, fit_attribution, fit_weights
from dialgauge.checks._people import Speakers
from dialgauge.checks._source import turns_of
from dialgauge.checks._training import dialogue_digest
from dialgauge.checks._values import Value, stated, values_of
from dialgauge.corpus import Turn
from dialgauge.metaeval import area
from dialgauge.perturb import Variant, perturb_text

TABLE = Path(__file__).resolve().parent.parent / "src" / "dialgauge" / "checks" / "weights.toml"
USED = TABLE.with_name("trained_on.txt")
FILES = ("samsum/samsum.train.jsonl.gz", "dialogsum/dialogsum.train.may2021.jsonl.gz")


@dataclass(frozen=True)
class Reference:
    """A dialogue with its reference."""

    id: str
    turns: tuple[Turn, ...]
    summary: str


@dataclass(frozen=True)
class Example:
    """A right or wrong summary, and how it was made."""

    dialogue: Reference
    text: str
    kind: str
    right: bool


def read(paths: Iterable[Path], left_out: set[str]) -> list[Reference]:
    """The references of the files, in their order."""
    found = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                row = json.loads(line)
                dialogue, summary = row["dialogue"].replace("\r", ""), " ".join(row["summary"].split())
                turns = turns_of(dialogue)
                if summary and len(turns) >= 3 and dialogue_digest(dialogue) not in left_out:
                    found.append(Reference(f"{path.name.partition('.')[0]}-{number}", turns, summary))
    return found


def examples(one: Reference, others: Sequence[Reference], rng: random.Random) -> Iterator[Example]:
    """Right and wrong summaries from one reference; the right ones are edited as well."""
    for kind, text in {**dict(right(one, rng))}.items():
        yield Example(one, text, kind, True)
    for kind, text in {**dict(wrong(one, others, rng))}.items():
        if text != one.summary:
            yield Example(one, text, kind, False)


def right(one: Reference, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Rewritings that keep the facts."""
    yield "reference", one.summary
    sentences = re.findall(r"[^.!?]+[.!?]+|[^.!?]+$", one.summary)
    if len(sentences) > 1:
        dropped = rng.randrange(len(sentences))
        yield "shortened", "".join(s for i, s in enumerate(sentences) if i != dropped).strip()
        yield "reordered", " ".join(s.strip() for s in [*sentences[1:], sentences[0]])
    for name in ("contractions", "expansions", "synonym_adjective"):
        made = perturb_text(one.summary, name, seed=rng.randrange(1 << 30))
        if isinstance(made, Variant):
            yield name, made.text
    spoken = [turn for turn in one.turns if len(turn.text.split()) >= 4]
    if len(spoken) >= 2:
        chosen = sorted(rng.sample(range(len(spoken)), min(3, len(spoken))))
        yield "extract", " ".join(str(spoken[i]) for i in chosen)
    yield "lower", re.sub(r"([.,!?])", r" \1", one.summary.lower())


def wrong(one: Reference, others: Sequence[Reference], rng: random.Random) -> Iterator[tuple[str, str]]:
    """One edit each that makes the reference wrong."""
    text, speakers = one.summary, Speakers.of(one.turns)
    values = [value for value in values_of(text) if stated(value)]
    if values:
        value = rng.choice(values)
        yield "value", text[: value.start] + other_value(value, text, others, rng) + text[value.end :]
    claims = read_claims(text, speakers, PARSER)
    if claims.mentions and len(speakers.names) == 2:
        chosen = rng.choice(sorted(claims.mentions))
        yield "name", exchanged(text, claims, speakers, {chosen})
        yield "all names", exchanged(text, claims, speakers, set(claims.mentions))
        token = claims.tokens[chosen]
        stranger = rng.choice([n for o in rng.sample(list(others), 5) for n in Speakers.of(o.turns).names])
        yield "foreign name", text[: token.start] + stranger + text[token.end :]
    for name in ("add_negation", "antonym_adjective"):
        made = perturb_text(text, name, seed=rng.randrange(1 << 30))
        if isinstance(made, Variant):
            yield name, made.text
    foreign = rng.choice(list(others))
    borrowed = renamed(foreign, speakers)
    sentences = re.findall(r"[^.!?]+[.!?]+|[^.!?]+$", borrowed)
    yield "foreign sentence", f"{text} {rng.choice(sentences).strip()}"
    yield "foreign summary", borrowed
    nouns = [t for t in claims.tokens if t.pos in ("NOUN", "VERB") and t.i not in claims.mentions and len(t.text) > 3]
    said = [w for turn in one.turns for w in re.findall(r"[a-z]{4,}", turn.text) if w not in text.lower()]
    if nouns and said:
        token = rng.choice(nouns)
        yield "word of the dialogue", text[: token.start] + rng.choice(said) + text[token.end :]


def exchanged(text: str, claims: object, speakers: Speakers, chosen: set[int]) -> str:
    """The text with the other speaker's name in these places."""
    parts, position = [], 0
    for i in sorted(chosen):
        token = claims.tokens[i]  # type: ignore[attr-defined]
        place = claims.mentions[i]  # type: ignore[attr-defined]
        parts += [text[position : token.start], speakers.names[1 - place]]
        position = token.end
    return "".join(parts) + text[position:]


def other_value(value: Value, text: str, others: Sequence[Reference], rng: random.Random) -> str:
    """Another value of the same kind: from another reference where one has it, else a changed number."""
    for other in rng.sample(list(others), 200):
        for found in values_of(other.summary):
            if found.kind == value.kind and found.form != value.form and stated(found):
                return other.summary[found.start : found.end]
    return re.sub(r"\d", lambda m: str((int(m[0]) + rng.randint(1, 8)) % 10), text[value.start : value.end])


def renamed(foreign: Reference, speakers: Speakers) -> str:
    """A summary of another dialogue with the names of this one."""
    text = foreign.summary
    for place, name in enumerate(Speakers.of(foreign.turns).names):
        text = text.replace(name, speakers.names[place % len(speakers.names)] if speakers.names else name)
    return text


def write(weights: Weights, about: dict[str, object]) -> None:
    """The table with its provenance."""
    lines = [f'version = "{weights.version}"', f"intercept = {weights.intercept}", "", "[about]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in about.items()]
    lines += ["", "[features]", *(f'"{name}" = {value}' for name, value in weights.features.items())]
    lines += ["", "[attribution]"]
    lines += [f'"{name}" = {value:.3f}' for name, value in zip(ATTRIBUTION, weights.attribution, strict=True)]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")


def checked_all(made: Sequence[Example], weights: Weights) -> list[CheckedSummary]:
    """The examples, checked with these weights of who did what."""
    return [check(one.dialogue.turns, one.text, weights=weights) for one in made]


def fitted(train: Sequence[Reference], seed: int) -> tuple[Weights, list[Example], list[CheckedSummary]]:
    """Weights from these references: who did what first, the rest with it."""
    rng = random.Random(seed)
    half = len(train) // 2
    weights = fit_attribution(attribution_features((one.turns, one.summary) for one in train[:half]))
    made = [example for one in train[half:] for example in examples(one, train, rng)]
    checked = checked_all(made, weights)
    counts = Counter(one.kind for one in made)
    weight = [counts[one.kind] ** -0.5 for one in made]
    return (
        fit_weights([one.features for one in checked], [e.right for e in made], weight, start=weights),
        made,
        checked,
    )


def report(weights: Weights, held_out: Sequence[Reference], seed: int) -> dict[str, object]:
    """How well the checks do on references that were not used."""
    rng = random.Random(seed)
    clauses = attribution_features((one.turns, one.summary) for one in held_out)
    fits = clauses @ weights.attribution
    made = [example for one in held_out for example in examples(one, held_out, rng)]
    scores = [one.logit for one in checked_all(made, weights)]
    by_kind: dict[str, list[float]] = defaultdict(list)
    for one, score in zip(made, scores, strict=True):
        by_kind[one.kind].append(score)
    positive = [score for one, score in zip(made, scores, strict=True) if one.right]
    return {
        "clauses": len(clauses),
        "attribution_accuracy": round(float((fits > 0).mean() + (fits == 0).mean() / 2), 3),
        "sure_accuracy": round(float((fits[np.abs(fits) > 1] > 0).mean()), 3),
        "sure_share": round(float((np.abs(fits) > 1).mean()), 3),
        "name_swap_auc_by_attribution": round(area(fits, -fits), 3),
        **{
            f"auc_{kind.replace(' ', '_')}": round(area(np.array(positive), np.array(found)), 3)
            for kind, found in sorted(by_kind.items())
            if not next(one.right for one in made if one.kind == kind)
        },
    }


def main() -> None:
    """Read, fit, report, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--leave-out", type=Path, action="append", default=[])
    parser.add_argument("--references", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--version", default="1")
    given = parser.parse_args()
    rows = [json.loads(line) for path in given.leave_out for line in path.read_text("utf-8").splitlines()]
    left_out = {dialogue_digest(row["dialogue"]) for row in rows}
    references = read([given.data / name for name in FILES], left_out)
    random.Random(given.seed).shuffle(references)
    used = references[: given.references]
    digest = hashlib.sha256("\n".join(one.id + one.summary for one in used).encode()).hexdigest()[:16]
    cut = len(used) * 3 // 4
    weights, made, checked = fitted(used[:cut], given.seed)
    measured = report(weights, used[cut:], given.seed + 1)
    rates = {
        name: [
            round(
                float(
                    np.mean(
                        [f"{name}:worst" in c.features for c, e in zip(checked, made, strict=True) if e.right == side]
                    )
                ),
                3,
            )
            for side in (False, True)
        ]
        for name in CHECKS
    }
    print(json.dumps({"held out": measured, "fires on wrong, right": rates}, indent=1))
    about = {
        "data": "SAMSum and DialogSum, training parts",
        "digest": digest,
        "references": len(used),
        "examples": len(made),
        "left_out": len(left_out),
        **{f"held_out_{name}": value for name, value in measured.items()},
        **{f"fires_{name}": rate for name, rate in rates.items()},
    }
    USED.write_text("\n".join(sorted({dialogue_digest(one.turns) for one in used})) + "\n", "ascii")
    write(Weights(given.version, weights.intercept, weights.features, weights.attribution), about)


if __name__ == "__main__":
    main()
