"""Ratings made in Python, and the ratings of the study as its files have them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import RATINGS, Corpus, CorpusInfo, Dialogue, Rating, Summary, Turn, ratings_frame

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


@pytest.fixture
def rate() -> Callable[..., pl.DataFrame]:
    """A ratings frame from lists of values: a list per summary, with a value per annotator (None: missing)."""

    def make(
        rows: Iterable[Iterable[float | None]],
        dimension: str = "relevance",
        scale: str | None = "1-5",
        sentences: bool = False,
    ) -> pl.DataFrame:
        return ratings_frame(
            Rating(
                dialogue_id="d1" if sentences else f"d{unit}",
                system="s",
                annotator=f"a{annotator}",
                dimension=dimension,
                value=value,
                scale=scale,
                sentence=unit if sentences else None,
            )
            for unit, row in enumerate(rows)
            for annotator, value in enumerate(row)
        )

    return make


@pytest.fixture
def corpus_of() -> Callable[..., Corpus]:
    """A corpus around a ratings frame: with a summary, of a text of its own unless given, for each that was rated."""

    def make(ratings: pl.DataFrame, texts: dict[tuple[str, str], str] | None = None, origin: str = "human") -> Corpus:
        keys = ratings.select("dialogue_id", "system").unique(maintain_order=True).rows()
        dialogues = [Dialogue(name, (Turn("A", "Hello"),)) for name in dict.fromkeys(key[0] for key in keys)]
        summaries = [Summary(key[0], key[1], (texts or {}).get(key, f"text {key}")) for key in keys]
        info = CorpusInfo("made", ratings_origin=origin)  # type: ignore[arg-type]
        return replace(Corpus.build(dialogues, summaries, info=info), ratings=ratings)

    return make


def read_study(folder: Path, name: str, dimensions: tuple[str, ...] = DIMENSIONS) -> pl.DataFrame:
    """One of the three rating files of the study, in the order in which the dialogues were annotated."""
    order = pl.read_ndjson(folder / "dialogues.jsonl").select("dialogue_id", "pos_judgment")
    wide = pl.read_ndjson(folder / f"human_{name}.jsonl", infer_schema_length=None)
    long = (
        wide.join(order, on="dialogue_id")
        .sort("pos_judgment", "system", "annotator")
        .unpivot(dimensions, index=["dialogue_id", "system", "annotator"], variable_name="dimension")
    )
    absent = {"comment": None, "time": None, "sentence": None, "variant": "original", "role": "overall", "scale": "1-5"}
    return long.with_columns(pl.lit(value).alias(column) for column, value in absent.items()).select(
        pl.col(column).cast(dtype) for column, dtype in RATINGS.items()
    )


@pytest.fixture(scope="session")
def study(data_dir: Path) -> Callable[..., pl.DataFrame]:
    """``study("reproduction")``: the ratings of a file of the study."""
    return lambda name, dimensions=DIMENSIONS: read_study(data_dir / "dialsummeval", name, dimensions)
