"""Meta-evaluation straight from the parts of a stream: however they are cut, the answer is that of one table."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import KEY, Corpus, embedded_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.metaeval import evaluate_metrics
from dialgauge.metrics import Scores, score, score_stream

METRICS = ["rouge-1", "ter", "corpus-bleu"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("parts")
    write_corpus(embedded_corpus(), here / "corpus")
    for size in (40, 1000):
        score_stream(here / "corpus", METRICS, here / f"scores-{size}", chunk_size=size)
    return here


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return embedded_corpus()


def test_correlations_from_parts_are_those_of_one_table(folder: Path, corpus: Corpus) -> None:
    whole = score(corpus, METRICS)
    expected = evaluate_metrics(corpus, whole, resamples=50)
    for size in (40, 1000):
        parts = Scores.load(folder / f"scores-{size}", only=corpus.ratings)
        assert parts.frame.height == corpus.ratings.select(KEY).n_unique()
        assert (parts.signatures, parts.directions) == (whole.signatures, whole.directions)
        found = evaluate_metrics(corpus, parts, resamples=50)
        assert found.correlations.frame.equals(expected.correlations.frame)
        assert found.leaders.equals(expected.leaders)
    assert len(list((folder / "scores-40").glob("part-*.parquet"))) > 3


def test_the_command_takes_the_folder_of_a_stream(folder: Path, cli: Callable) -> None:
    said = [
        json.loads(cli("correlate", "embedded", folder / f"scores-{size}", "--resamples", 0, "--json").out)
        for size in (40, 1000)
    ]
    assert said[0] == said[1]


def test_of_a_file_only_the_rows_of_these_keys_are_kept(tmp_path: Path, corpus: Corpus) -> None:
    score(corpus, ["rouge-1"]).save(tmp_path / "scores.parquet")
    one = corpus.summaries.filter(pl.col("kind") == "system").head(1)
    assert Scores.load(tmp_path / "scores.parquet", only=one).frame.select(KEY).equals(one.select(KEY))


def test_unfinished_and_damaged_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, not a file of scores; if a stream writes it, repeat"):
        Scores.load(tmp_path)
    manifest = {"signatures": {}, "means": [], "parts": [{"part": "part-00000000.parquet"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"part-00000000\.parquet is missing; repeat the command"):
        Scores.load(tmp_path)
    (tmp_path / "part-00000000.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError, match="cannot be read as the scores of a stream"):
        Scores.load(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be read as the scores of a stream"):
        Scores.load(tmp_path)
