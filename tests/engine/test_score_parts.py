"""Meta-evaluation straight from the parts of a stream: however they are cut, the answer is that of one table."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import KEY, Corpus, embedded_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.metaeval import evaluate_metrics
from dialgauge.metrics import (
    METRICS as REGISTRY,
    Job,
    Metric,
    Scores,
    Values,
    parse_requests,
    register,
    score,
    score_stream,
)
from dialgauge.study import run_study

METRICS = ["rouge-1", "ter", "corpus-bleu"]
STUDY = """\
[study]
name = "{name}"
[corpus]
source = "corpus"
[metrics]
use = ["rouge-1", "ter"]
{known}
[correlation]
resamples = 20
[verdict]
null_runs = 0
"""


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


def test_known_values_are_taken_and_the_others_computed(folder: Path, corpus: Corpus) -> None:
    wanted = ["length", *METRICS]
    expected = score(corpus, wanted)
    for size in (40, 1000):
        known = Scores.load(folder / f"scores-{size}", corpus.summaries)
        marked = replace(known, frame=known.frame.with_columns(ter=pl.lit(7.0)))
        found = score(corpus, wanted, known=known)
        assert found.frame.equals(expected.frame)
        assert (found.signatures, found.directions) == (expected.signatures, expected.directions)
        assert found.systems.equals(expected.systems)  # corpus-bleu is computed: its value is one of all summaries
        assert set(score(corpus, wanted, known=marked).frame["ter"]) == {7.0}


def test_known_values_of_a_family_with_an_extra_are_taken(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its members may turn out to lack a package, so that no worker computes them; what is known needs none."""
    monkeypatch.setattr(REGISTRY, "_entries", dict(REGISTRY.all()))
    register(Metric(
        name="known-own", family="known-family", description="fails", direction="higher", targets=("none",),
        range=(0, 1), citation="none", compute=_fails, extra="parser",
    ))  # fmt: skip
    (request,) = parse_requests(["known-family"])
    assert request.optional
    known = Scores(
        frame=corpus.summaries.select(*KEY, pl.lit(7.0).alias("known-own")),
        signatures={"known-own": request.signature},
        directions={"known-own": "higher"},
    )
    assert set(score(corpus, ["known-family"], known=known).frame["known-own"]) == {7.0}


def _fails(job: Job, parameters: Mapping[str, str]) -> Values:
    raise AssertionError("computed")


def test_known_values_of_another_computation_or_corpus_are_refused(folder: Path, corpus: Corpus) -> None:
    known = Scores.load(folder / "scores-40", corpus.summaries)
    other = replace(known, signatures={**known.signatures, "ter": "ter|v:0"})
    with pytest.raises(InputError, match=r"known values of ter were computed as ter\|v:0, .* score again"):
        score(corpus, ["ter"], known=other)
    assert score(corpus, ["rouge-1"], known=other).frame.equals(score(corpus, ["rouge-1"]).frame)
    with pytest.raises(InputError, match=r"1 summary of \d+ have no known values \(first: "):
        score(corpus, ["ter"], known=replace(known, frame=known.frame.slice(1)))
    lost = replace(known, frame=known.frame.with_columns(ter=pl.lit(None, dtype=pl.Float64)))
    assert set(score(corpus, ["ter"], known=lost).failures["reason"]) == {
        "no value among those that were computed before"
    }


def test_the_command_takes_known_values(folder: Path, tmp_path: Path, cli: Callable) -> None:
    given = ("score", "embedded", "-m", "ter", "--known", folder / "scores-40")
    assert json.loads(cli(*given, "--json").out)["seconds"] == {"ter": 0.0}
    assert "--known" in cli(*given, "--stream", "-o", tmp_path / "parts").err
    assert "no such file" in cli("score", "embedded", "-m", "ter", "--known", tmp_path / "none.parquet").err


def test_a_study_decides_from_parts_as_if_it_had_scored(folder: Path) -> None:
    """The verdict of a study from the parts of a stream is that of the study that scores."""
    (folder / "plain.toml").write_text(STUDY.format(name="plain", known=""))
    expected = run_study(folder / "plain.toml").folder
    (folder / "parts.toml").write_text(STUDY.format(name="parts", known='known = "scores-40"'))
    found = run_study(folder / "parts.toml").folder
    for name in ("scores.parquet", "correlations.parquet", "verdict.json"):
        assert (found / name).read_bytes() == (expected / name).read_bytes(), name
    (folder / "wrong.toml").write_text(STUDY.format(name="wrong", known='known = "nowhere"'))
    with pytest.raises(InputError, match=r"metrics\.known: .*nowhere does not exist"):
        run_study(folder / "wrong.toml")


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
