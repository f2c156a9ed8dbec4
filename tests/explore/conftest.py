"""A small run of the embedded corpus, made once, and clients that read it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from starlette.testclient import TestClient

from dialgauge.corpus import Corpus, Rating, Summary, embedded_corpus, ratings_frame, summaries_frame, write_corpus
from dialgauge.explore import RunData, create_app
from dialgauge.study import run_study

#: Nothing of it may ever become an element of a page.
NASTY = "</script><img src=x onerror=alert(1)> <b>bold</b> & \"quoted\" 'too' {{ 7 * 7 }} happy"
STUDY = """\
[study]
name = "explored"
seed = 3
[corpus]
source = "corpus"
[metrics]
use = ["rouge-1", "rouge-l@source", "ter", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
[perturbations]
use = ["jumble", "typos", "remove_punct"]
effects = { typos = { consistency = "preserves", relevance = "preserves" } }
dimensions = ["consistency", "relevance"]
margin = 0.02
[affect]
tagger = "vader"
"""


def small_corpus(dialogues: int = 6) -> Corpus:
    """A few dialogues of the embedded corpus, and a system whose name and texts are an attack."""
    whole = embedded_corpus()
    corpus = whole.select(dialogues=whole.dialogues["dialogue_id"].head(dialogues))
    ids = corpus.dialogues["dialogue_id"].to_list()
    added = summaries_frame(Summary(name, "<i>sly</i>", f"{NASTY} in {name}. A second sentence.") for name in ids)
    ratings = ratings_frame(
        Rating(
            name, "<i>sly</i>", who, dimension, value, scale="1-5", comment="<u>why</u>" if who == "rater-1" else None
        )
        for name in ids
        for who, value in (("rater-1", 5.0), ("rater-2", 1.0))
        for dimension in ("consistency", "relevance")
    )
    return Corpus(
        corpus.dialogues,
        pl.concat([corpus.summaries, added]),
        pl.concat([corpus.ratings, ratings]),
        info=corpus.info,
    )


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run with ratings, variants and affect."""
    home = tmp_path_factory.mktemp("explore")
    write_corpus(small_corpus(), home / "corpus")
    (home / "study.toml").write_text(STUDY)
    return run_study(home / "study.toml").folder


@pytest.fixture(scope="session")
def bare_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has scores alone."""
    home = tmp_path_factory.mktemp("bare")
    whole = embedded_corpus()
    few = whole.select(dialogues=whole.dialogues["dialogue_id"].head(3))
    write_corpus(Corpus(few.dialogues, few.summaries), home / "corpus")
    (home / "study.toml").write_text(
        '[study]\nname = "bare"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["rouge-1", "length"]\n'
    )
    return run_study(home / "study.toml").folder


@pytest.fixture(scope="session")
def data(run_folder: Path) -> RunData:
    return RunData.open(run_folder)


@pytest.fixture(scope="session")
def client(data: RunData) -> Iterator[TestClient]:
    with TestClient(create_app(data), base_url="http://127.0.0.1") as client:  # entered, it has one event loop for all
        yield client


@pytest.fixture(scope="session")
def bare(bare_folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(RunData.open(bare_folder)), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture(scope="session")
def served(run_folder: Path) -> Iterator[str]:
    """The address of the run, served by the command as a user starts it."""
    start = "from dialgauge.cli import main; main()"
    command = [sys.executable, "-c", start, "explore", str(run_folder), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = "".join(process.stdout.readline() for _ in range(3))
    try:
        yield json.loads(printed)["address"]
    finally:
        process.terminate()
        process.communicate(timeout=60)
