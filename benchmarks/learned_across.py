"""How far the transfer of learned metrics can be trusted: corpora whose features are noise, and corpora that agree.

    python -m benchmarks.learned_across --studies 60

Three made corpora of 8 systems × 20 dialogues with 8 features; ratings and features have parts per system, dialogue and
summary. Printed: in what share of held-out corpora the metric is said to follow the ratings, and to be better than the
best single metric, and in what share of studies the verdict is not "do not use".
"""

import argparse

import numpy as np
import polars as pl

from benchmarks.learned_noise import layered
from dialgauge.corpus import KEY, Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.learn import RatedCorpus, train_across
from dialgauge.metrics import Scores

SYSTEMS, DIALOGUES, FEATURES, CORPORA = 8, 20, 8, 3


def made_corpus(name: str, informative: int, generator: np.random.Generator) -> RatedCorpus:
    """A corpus whose first features follow the ratings, on a scale of its own."""
    quality = layered(generator, 1, SYSTEMS, DIALOGUES)[0]
    features = layered(generator, FEATURES, SYSTEMS, DIALOGUES)
    features[:informative] = 0.6 * quality + 0.8 * features[:informative]
    heard = quality + 0.5 * generator.normal(size=(2, SYSTEMS, DIALOGUES))
    points = np.clip(np.round(3 + heard), 1, 5)
    places = [(i, j) for i in range(SYSTEMS) for j in range(DIALOGUES)]
    corpus = Corpus.build(
        [Dialogue(f"{name}{j}", (Turn("A", f"dialogue {j} of {name}"),)) for j in range(DIALOGUES)],
        [Summary(f"{name}{j}", f"{name}-s{i}", f"summary {i} of {j} of {name}") for i, j in places],
        [
            Rating(f"{name}{j}", f"{name}-s{i}", f"r{k}", "quality", float(points[k, i, j]), scale="1-5")
            for i, j in places
            for k in range(2)
        ],
    )
    keys = [(f"{name}{j}", f"{name}-s{i}", "original", "overall") for i, j in places]
    frame = pl.DataFrame(keys, schema=dict.fromkeys(KEY, pl.String), orient="row")
    names = [f"f{k}" for k in range(FEATURES)]
    frame = frame.with_columns(pl.Series(name, values.ravel()) for name, values in zip(names, features, strict=True))
    return RatedCorpus(name, corpus, Scores(frame, dict.fromkeys(names, "unsigned|made"), {}))


def measure(informative: int, studies: int, learner: str = "ridge:alpha=10") -> dict[str, float]:
    """Shares over studies and held-out corpora, and the mean correlation within dialogues."""
    follows, better, named, reached = [], [], [], []
    for seed in range(studies):
        generator = np.random.default_rng([seed, informative, 51])
        corpora = [made_corpus(name, informative, generator) for name in "abc"[:CORPORA]]
        found = train_across(corpora, "quality", learner=learner, split="systems", resamples=200, seed=seed)
        named.append(found.verdict != "do-not-use")
        for claim in found.claims:
            follows.append("it is shown to follow" in claim)
            better.append("; better than" in claim)
        reached += found.scores.filter(by="learned", measure="pearson", level="summary")["value"].to_list()
    return {
        "r": float(np.mean(reached)),
        "follows": float(np.mean(follows)),
        "better than single": float(np.mean(better)),
        "not refused": float(np.mean(named)),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=60)
    given = parser.parse_args()
    for informative in (0, 1, 4):
        found = measure(informative, given.studies)
        shown = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        print(f"{informative} of {FEATURES} features follow the ratings, {given.studies} studies: {shown}", flush=True)


if __name__ == "__main__":
    main()
