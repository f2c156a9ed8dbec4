"""Runs of one study before and after a change, made once for all who compare them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import RATINGS, Corpus, embedded_corpus, write_corpus
from dialgauge.study import RunComparison, compare_runs, run_study

METRICS = '"rouge-1", "ter", "length", "corpus-bleu"'
STUDY = """\
[study]
name = "{name}"
[corpus]
source = "{name}"
[metrics]
use = [{metrics}]
[verdict]
null_runs = 0
[correlation]
resamples = 20
coefficients = ["pearson"]
"""
Runs = Callable[[str], Path]


def _worse(corpus: Corpus) -> Corpus:
    """A release in which one system says half of it, and people like it less."""
    short = pl.col("text").str.split(" ").list.head(10).list.join(" ")
    careful = pl.col("system") == "careful"
    lower = careful & (pl.col("dimension") == "consistency")
    return replace(
        corpus,
        summaries=corpus.summaries.with_columns(text=pl.when(careful).then(short).otherwise("text")),
        ratings=corpus.ratings.with_columns(
            value=pl.when(lower).then((pl.col("value") - 1).clip(1)).otherwise("value")
        ),
    )


def _renamed(corpus: Corpus) -> Corpus:
    named = pl.col("system").replace("careful", "careful-2")
    return replace(corpus, summaries=corpus.summaries.with_columns(named), ratings=corpus.ratings.with_columns(named))


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The folder of a run by its name, made when it is asked for the first time."""
    folder = tmp_path_factory.mktemp("runs")
    whole = embedded_corpus()
    names = whole.dialogues["dialogue_id"]
    small = whole.select(dialogues=names.head(12))
    made: dict[str, Callable[[], Corpus]] = {
        "old": lambda: small,
        "new": lambda: _worse(small),
        "stemmed": lambda: small,
        "renamed": lambda: _renamed(_worse(whole.select(dialogues=names.head(9)))),
        "elsewhere": lambda: whole.select(dialogues=names.tail(4)),
        "unrated": lambda: replace(small, ratings=pl.DataFrame(schema=RATINGS)),
        "few": lambda: _worse(whole.select(dialogues=names.head(3))),
        "holes": lambda: replace(
            small,
            summaries=small.summaries.filter(~((pl.col("system") == "terse") & (pl.col("dialogue_id") == names[0]))),
            ratings=small.ratings.filter(~((pl.col("system") == "terse") & (pl.col("dialogue_id") == names[0]))),
        ),
        "scaled": lambda: replace(
            small,
            ratings=small.ratings.with_columns(
                scale=pl.when(pl.col("dimension") == "fluency").then(pl.lit("1-7")).otherwise("scale")
            ),
        ),
        "rejudged": lambda: replace(_worse(small), summaries=small.summaries),
        "only": lambda: small.select(systems=["careful"]),
    }

    def make(name: str) -> Path:
        run = folder / "runs" / name
        if not run.exists():
            write_corpus(made[name](), folder / name)
            metrics = METRICS.replace('"rouge-1"', '"rouge-1:stem=yes"') if name == "stemmed" else METRICS
            (folder / f"{name}.toml").write_text(STUDY.format(name=name, metrics=metrics))
            run_study(folder / f"{name}.toml")
        return run

    return make


@pytest.fixture(scope="session")
def compared(runs: Runs) -> RunComparison:
    """The runs ``old`` and ``new``, in which one system is worse."""
    return compare_runs(runs("old"), runs("new"), resamples=4096)
