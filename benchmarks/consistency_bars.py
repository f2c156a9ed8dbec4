"""The figures that the metric ``consistency`` must keep: agreement with DialSummEval, and held-out rule-made errors.

    python benchmarks/consistency_bars.py --data DIALSUMMEVAL --references samsum.validation.jsonl.gz

judges the 1,400 summaries of DialSummEval and prints Pearson's r with the mean rating of consistency (all ratings of a
summary, no other aggregation): mean of the r within each dialogue, over all summaries, and over the means of systems.
Then it makes right and wrong summaries from references that were not trained on, and prints the area under the curve
by kind of error; ``names`` and ``roles`` exchange speakers. Five minutes each on two cores; nothing is cached.
"""

import argparse
import gzip
import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.checker import Material, Source, groups_of, judge_many
from dialgauge.corpus import KEY, Corpus, read_dataset
from dialgauge.metaeval import area

Array = NDArray[np.float64]
_RATINGS = ("reproduction", "original")
_VECTORS = "embedded:glove-50d"
#: Shorter dialogues have too little that could be told wrongly.
_FEWEST_TURNS = 4


def pearsons(values: Array, ratings: Array, dialogues: Sequence[str], systems: Sequence[str]) -> dict[str, float]:
    """Pearson's r within dialogues (mean of those that vary), over all, and over the means of systems."""
    frame = pl.DataFrame({"value": values, "rating": ratings, "dialogue": dialogues, "system": systems})
    inside = frame.group_by("dialogue").agg(pl.corr("value", "rating"))["value"].drop_nans().drop_nulls()
    means = frame.group_by("system").agg(pl.col("value").mean(), pl.col("rating").mean())
    return {
        "within dialogues": float(np.mean(inside.to_numpy())),
        "over all": float(np.corrcoef(values, ratings)[0, 1]),
        "over systems": float(np.corrcoef(means["value"], means["rating"])[0, 1]),
    }


def judged_values(corpus: Corpus) -> Mapping[str, Array]:
    """The probabilities of ``consistency`` and of ``checks``, in the order of the summaries."""
    sources = {dialogue.id: dialogue.text for dialogue in corpus.iter_dialogues()}
    texts: dict[str, list[str]] = {}
    for dialogue, text in corpus.summaries.select("dialogue_id", "text").iter_rows():
        texts.setdefault(dialogue, []).append(text)
    judged = judge_many([(sources[dialogue], mine) for dialogue, mine in texts.items()])
    found = {dialogue: iter(mine) for dialogue, mine in zip(texts, judged, strict=True)}
    ordered = [next(found[dialogue]) for dialogue in corpus.summaries["dialogue_id"]]
    rules = [one.checked.p_right if one.checked else np.nan for one in ordered]
    return {"consistency": np.array([one.p_right for one in ordered]), "checks": np.array(rules)}


def print_agreement(folder: Path) -> None:
    """Both metrics against both sets of ratings."""
    values: Mapping[str, Array] = {}
    for name in _RATINGS:
        corpus = read_dataset(f"dialsummeval:{name}", folder)
        values = values or judged_values(corpus)
        mean = corpus.ratings.filter(dimension="consistency").group_by(KEY).agg(pl.col("value").mean())
        rated = corpus.summaries.join(mean, on=list(KEY), how="left", maintain_order="left")
        for metric, mine in values.items():
            found = pearsons(mine, rated["value"].to_numpy(), rated["dialogue_id"].to_list(), rated["system"].to_list())
            print(f"{metric}, {name}: {', '.join(f'{level} {r:.3f}' for level, r in found.items())}", flush=True)


def read_references(path: Path, seed: int) -> list[Source]:
    """Dialogues with their references, in an order drawn with a seed."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    sources = []
    for row in rows:
        said = [line.partition(": ") for line in row["dialogue"].replace("\r", "").split("\n") if ": " in line]
        if len(said) >= _FEWEST_TURNS:
            turns = tuple((speaker, text) for speaker, _, text in said)
            sources.append(Source(str(row["id"]), turns, " ".join(row["summary"].split())))
    random.Random(seed).shuffle(sources)
    return sources


def print_held_out(path: Path, count: int, seed: int) -> None:
    """The area under the curve of right against wrong summaries: all of them, and each kind of error."""
    known = read_references(path, seed)
    sources, material = known[:count], Material(known, _VECTORS)  # foreign words come from all of them
    groups = [group for source in sources for group in groups_of(source, material, seed)]
    judged = judge_many([(group.dialogue, [one.text for one in group.examples]) for group in groups])
    pairs = [
        pair for group, mine in zip(groups, judged, strict=True) for pair in zip(group.examples, mine, strict=True)
    ]
    for part in ("worst", "consistency"):
        value = [one.p_right if part == "consistency" else one.parts[part] for _, one in pairs]
        right = np.array([v for v, (example, _) in zip(value, pairs, strict=True) if example.right])
        wrong = {"all": [v for v, (example, _) in zip(value, pairs, strict=True) if not example.right]}
        for kind in sorted({example.kind for example, _ in pairs if not example.right}):
            wrong[kind] = [
                v for v, (example, _) in zip(value, pairs, strict=True) if not example.right and example.kind == kind
            ]
        shown = ", ".join(f"{kind} {area(right, np.array(mine)):.3f} ({len(mine)})" for kind, mine in wrong.items())
        print(f"{part}, {len(sources)} dialogues, {len(right)} right: {shown}", flush=True)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of DialSummEval")
    parser.add_argument("--references", type=Path, help="a .jsonl.gz with id, dialogue and summary, not trained on")
    parser.add_argument("--dialogues", type=int, default=40, help="number of references that are drawn")
    parser.add_argument("--seed", type=int, default=0, help="of the drawing and of the errors")
    arguments = parser.parse_args()
    if not (arguments.data or arguments.references):
        sys.exit("give --data, --references, or both")
    if arguments.data:
        print_agreement(arguments.data)
    if arguments.references:
        print_held_out(arguments.references, arguments.dialogues, arguments.seed)


if __name__ == "__main__":
    main()
