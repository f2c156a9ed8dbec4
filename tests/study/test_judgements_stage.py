"""A study with preferences, labels and marked errors: files, panel, and edited summaries without systems."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import (
    Corpus,
    Dialogue,
    Dimension,
    Preference,
    Rating,
    Span,
    Summary,
    Turn,
    read_corpus,
    write_corpus,
)
from dialgauge.errors import InputError
from dialgauge.study import FinishedRun, run_study

STUDY = """
[study]
name = "kinds"
[corpus]
source = "made"
[metrics]
use = ["length", "rouge-1"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Edited summaries of one system with labels and marks, and preferences between two of them."""
    generator = np.random.default_rng(0)
    ids = [f"d{n}" for n in range(8)]
    dialogues = [Dialogue(d, (Turn("A", "The bill is wrong and the agent will call back tomorrow."),)) for d in ids]
    summaries = [Summary(d, "reference", "The agent calls back tomorrow.", kind="reference") for d in ids]
    ratings, spans, preferences = [], [], []
    for d in ids:
        for v in range(4):
            text = "The agent calls back " + " ".join(["tomorrow"] * (v + 1)) + "."
            summaries.append(Summary(d, "summary", text, variant=f"v{v}"))
            good = float(generator.random() < (v + 1) / 5)
            ratings += [Rating(d, "summary", who, "correct", good, f"v{v}", scale="yes/no") for who in ("a", "b")]
            start, end = (None, None) if good else (4, 9)
            spans.append(Span(d, "summary", "a", "errors", 1, start, end, severity="major", variant=f"v{v}"))
        winner = "a" if generator.random() < 0.3 else "b"
        preferences.append(Preference(d, "summary", "summary", "a", "better", winner, "v0", "v3", shown_first="a"))
    corpus = Corpus.build(dialogues, summaries, ratings, preferences=preferences, spans=spans)
    write_corpus(corpus, tmp_path / "made")
    (tmp_path / "study.toml").write_text(STUDY, "utf-8")
    return tmp_path / "study.toml"


def test_every_kind_has_its_tables_and_its_words(made: Path) -> None:
    done = run_study(made)
    run = FinishedRun.open(done.folder)
    for name in ("label-measures", "preference-accuracy", "preferred-systems", "span-agreement", "span-labels"):
        table = run.table(name)
        assert table is not None
        assert table.height
    assert run.table("best-worst") is None
    levels = run.table("correlations")
    assert levels is not None
    assert set(levels["level"]) == {"summary", "global"}
    page = done.report.read_text("utf-8")
    assert "What do labels, preferences and marked errors say?" in page
    assert "does the metric tell right from wrong, or one class from the others?" in page
    assert "labels: with a threshold, and as a probability" in page


def test_thresholds_and_calibration_of_labels_are_shown_and_fit_a_screen(made: Path, cli: Callable[..., Any]) -> None:
    done = run_study(made)
    stored = FinishedRun.open(done.folder).table("label-measures")
    assert stored is not None
    row = stored.row(0, named=True)
    said = cli("table", done.folder, "-k", "label-thresholds", "-f", "text")
    assert said.code == 0, said.err
    assert f"{row['calibration_error']:.2f} ({row['calibration_floor']:.2f})" in said.out
    assert f"{row['brier']:.2f}" in said.out
    ends = f"[{row['balanced_accuracy_low']:.2f} {row['balanced_accuracy_high']:.2f}]".replace("0.", ".")
    assert ends in said.out
    assert max(map(len, said.out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("wanted", "there", "not_there"),
    [
        ("better", ("preference-accuracy", "correlations"), ("agreement", "label-measures")),
        ("correct", ("agreement", "label-measures"), ("preference-accuracy",)),
    ],
)
def test_a_study_may_ask_for_a_dimension_of_any_judgement(
    made: Path, wanted: str, there: tuple[str, ...], not_there: tuple[str, ...]
) -> None:
    """``dialgauge correlate --dimension`` takes those of preferences and marks, too."""
    made.write_text(STUDY + f'[ratings]\ndimensions = ["{wanted}"]\n')
    run = FinishedRun.open(run_study(made).folder)
    for name in there:
        assert run.table(name) is not None, name
    for name in not_there:
        assert run.table(name) is None, name
    made.write_text(STUDY + '[ratings]\ndimensions = ["bettr"]\n')
    with pytest.raises(InputError, match=r"ratings\.dimensions: unknown dimension 'bettr'; did you mean 'better'"):
        run_study(made)


def test_rated_edits_say_why_there_is_no_verdict(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Points and classes of edited summaries: no systems to choose for, and classes of sentences stop nothing."""
    ids = [f"d{n}" for n in range(6)]
    texts = {f"{d}-{v}": "The agent calls back " + "tomorrow " * (v + 1) + ". Good." for d in ids for v in range(3)}
    names = [(d, f"{d}-{v}", v) for d in ids for v in range(3)]
    key = [(d, "summary", variant, v) for d, variant, v in names]
    corpus = Corpus.build(
        [Dialogue(d, (Turn("A", "The agent calls back tomorrow."),)) for d in ids],
        [Summary(d, "summary", texts[variant], variant=variant) for d, variant, _ in names]
        + [Summary(d, "reference", "The agent calls back.", kind="reference") for d in ids],
        [Rating(d, s, "a", "quality", float(v + 1), variant, scale="1-5") for d, s, variant, v in key]
        + [
            Rating(d, s, "a", "type", float(1 + (v == 2 and place)), variant, scale="1-2", sentence=place)
            for d, s, variant, v in key
            for place in (0, 1)
        ],
        declared=[Dimension("type", "nominal", "1-2", ("supported", "invented"), "none")],
    )
    write_corpus(corpus, tmp_path / "made")
    (tmp_path / "study.toml").write_text(STUDY, "utf-8")
    done = cli("run", tmp_path / "study.toml")
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "type: only supported: no metric is shown to tell this class from the others" in said
    assert "type: invented: no metric is shown" in said, "six dialogues are too few"
    assert "no verdict on metrics for comparing systems: the rated summaries are variants of one system" in said
    page = (tmp_path / "runs" / "kinds" / "report.html").read_text("utf-8")
    assert "type: classes of each system" in page.lower()
    assert "No metric of this study has a value per summary" not in page


@pytest.mark.parametrize("dimensions", ['["kind"]', '["kind", "correct"]'])
def test_a_study_may_ask_for_classes_beside_ratings(made: Path, dimensions: str) -> None:
    """Classes that ``[ratings] dimensions`` names have labels; only what has an order is correlated."""
    corpus = read_corpus(made.parent / "made")
    classes = corpus.ratings.with_columns(
        pl.lit("kind").alias("dimension"), (pl.int_range(pl.len()) // 2 % 3 + 1.0).alias("value"), scale=pl.lit("1-3")
    )
    about = Dimension("kind", "nominal", "1-3", ("name", "number", "none"), "none", "file")
    both = replace(corpus, ratings=pl.concat([corpus.ratings, classes]), declared=(*corpus.declared, about))
    write_corpus(both, made.parent / "mixed")
    asked = STUDY.replace('"made"', '"mixed"') + f"[ratings]\ndimensions = {dimensions}\n"
    made.write_text(asked, "utf-8")
    run = FinishedRun.open(run_study(made).folder)
    labels, correlated = run.table("label-measures"), run.table("correlations")
    assert labels is not None
    assert {"kind: name", "kind: number", "kind: none"} <= set(labels["dimension"])
    assert (set() if correlated is None else set(correlated["dimension"])) == (
        {"correct"} if "correct" in dimensions else set()
    )
