"""A corpus of given summaries, and tables to stream from."""

import random
from dataclasses import replace
from pathlib import Path

import polars as pl

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn


def made_corpus(texts: list[str]) -> Corpus:
    """A dialogue for each text, and the text as its only summary, of one of two systems."""
    dialogues = [Dialogue(f"d{i:05}", (Turn("Ann", "Hi."),)) for i in range(len(texts))]
    return Corpus.build(dialogues, [Summary(f"d{i:05}", f"s{i % 2}", text) for i, text in enumerate(texts)])


def with_references(corpus: Corpus) -> Corpus:
    """The same with the text of each summary as a reference, too."""
    rows = corpus.summaries.with_columns(pl.lit("reference").alias("kind"), pl.lit("reference").alias("system"))
    return replace(corpus, summaries=pl.concat([corpus.summaries, rows]))


def write_pairs(path: Path, count: int) -> None:
    """A table of so many summaries and references: the same random words each time."""
    rng = random.Random(20_261_115)
    words = [f"word{i}" for i in range(50)]
    texts = [" ".join(rng.choices(words, k=12)) for _ in range(2 * count)]
    pl.DataFrame({"summary": texts[:count], "reference": texts[count:]}).write_parquet(path)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """The content of every file of a folder."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
