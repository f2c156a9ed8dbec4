"""``dialgauge train-tables``: the folder that it goes on from, the files that it writes, and its errors."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import ORIGINAL, Corpus, embedded_corpus, read_corpus, read_dataset, write_corpus
from dialgauge.errors import InputError
from dialgauge.learn import (
    TableSettings,
    TablesFolder,
    _tables_store as store,
    add_variants,
    assign_ratings,
    augmentation_tables,
    train,
)
from dialgauge.metrics import score
from dialgauge.perturb import perturb

KINDS = ("jumble", "speaker_switch")
NEEDED = ("domain", "baseline")


@pytest.fixture(scope="module")
def part() -> Corpus:
    corpus = embedded_corpus()
    return corpus.select(dialogues=corpus.dialogues["dialogue_id"].to_list()[:8])


def refuse(*arguments: object, **options: object) -> None:
    raise AssertionError("this was done before")


def test_a_second_call_makes_and_scores_nothing(part: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = TablesFolder(tmp_path / "t")
    made = first.variants(part, KINDS, needed=NEEDED)
    scores = first.scores(made.corpus, ["rouge-1", "length"])
    assert first.reused == []
    monkeypatch.setattr(store, "add_variants", refuse)
    monkeypatch.setattr(store, "score", refuse)
    second = TablesFolder(tmp_path / "t")
    again = second.variants(part, KINDS, needed=NEEDED)
    assert again.corpus.summaries.equals(made.corpus.summaries)
    assert (again.families, again.declined, again.made) == (made.families, made.declined, True)
    found = second.scores(again.corpus, ["rouge-1", "length"])
    assert found.frame.equals(scores.frame)
    assert found.signatures == scores.signatures
    assert len(second.reused) == 2


def test_only_what_is_missing_is_scored(part: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = TablesFolder(tmp_path / "t")
    made = folder.variants(part, KINDS, needed=NEEDED)
    folder.scores(made.corpus, ["rouge-1"])
    asked = []

    def spy(corpus: Corpus, metrics: list[str], **options: bool) -> object:
        asked.extend(metrics)
        return score(corpus, metrics)

    monkeypatch.setattr(store, "score", spy)
    found = TablesFolder(tmp_path / "t").scores(made.corpus, ["length", "rouge-1"])
    assert asked == ["length"]
    assert found.metrics == ["length", "rouge-1"]
    assert found.frame.equals(score(made.corpus, ["length", "rouge-1"]).frame)


def test_what_was_made_from_other_things_is_made_anew(part: Corpus, tmp_path: Path) -> None:
    folder = TablesFolder(tmp_path / "t")
    made = folder.variants(part, KINDS, needed=NEEDED)
    folder.scores(made.corpus, ["rouge-1"])
    for corpus, kinds, seed in (
        (part, KINDS, 1),
        (part, ("typos", "speaker_switch"), 0),
        (part.select(systems=part.systems[:4]), KINDS, 0),
    ):
        again = TablesFolder(tmp_path / "t")
        found = again.variants(corpus, kinds, needed=NEEDED, seed=seed)
        again.scores(found.corpus, ["rouge-1"])
        assert again.reused == []
        assert found.corpus.summaries.equals(add_variants(corpus, kinds, seed=seed).corpus.summaries)


def test_variants_that_were_changed_by_hand_are_made_anew(part: Corpus, tmp_path: Path) -> None:
    made = TablesFolder(tmp_path / "t").variants(part, KINDS, needed=NEEDED)
    kept = read_corpus(tmp_path / "t" / "variants")
    text = pl.when(pl.col("variant") == "jumble").then(pl.lit("All is well.")).otherwise("text")
    write_corpus(replace(kept, summaries=kept.summaries.with_columns(text.alias("text"))), tmp_path / "t" / "variants")
    again = TablesFolder(tmp_path / "t")
    assert again.variants(part, KINDS, needed=NEEDED).corpus.summaries.equals(made.corpus.summaries)
    assert again.reused == []


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match=r"state\.json is missing"):
        TablesFolder(tmp_path)
    for text in ("{", "[]", "[" * 100_000, '{"variants": 3}', "\ufffe"):
        (tmp_path / "state.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="not a state file of dialgauge"):
            TablesFolder(tmp_path)


def test_a_state_of_another_form_is_made_anew(part: Corpus, tmp_path: Path) -> None:
    made = TablesFolder(tmp_path / "t").variants(part, KINDS, needed=NEEDED)
    state = json.loads((tmp_path / "t" / "state.json").read_text("utf-8"))
    for key in ("from", "result"):
        spoilt = {"variants": {name: value for name, value in state["variants"].items() if name != key}}
        (tmp_path / "t" / "state.json").write_text(json.dumps(spoilt), encoding="utf-8")
        again = TablesFolder(tmp_path / "t")
        assert again.variants(part, KINDS, needed=NEEDED).corpus.summaries.equals(made.corpus.summaries)
        assert again.reused == []


def test_a_metric_of_systems_is_no_feature(part: Corpus) -> None:
    made = add_variants(part, KINDS)
    with pytest.raises(InputError, match="corpus-bleu' is a system-level metric"):
        TablesFolder().scores(made.corpus, ["corpus-bleu"])


def test_the_command_from_corpus_to_files(part: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    write_corpus(part, "calls")
    arguments = ["train-tables", "calls", "--priors", "-o", "out", "-p", "jumble", "-p", "speaker_switch"]
    arguments += ["-m", "rouge-1", "-m", "length", "--resamples", "50"]
    files = ["--csv", "t.csv", "--markdown", "t.md", "--latex", "t.tex"]
    shown = CliRunner().invoke(app, [*arguments, *files], catch_exceptions=False)
    assert shown.exit_code == 0, shown.output
    assert max(map(len, shown.stdout.splitlines())) <= 100
    for text in ("Table 5: accuracy in %, trained on original", "Table 6", "most frequent", "the paper"):
        assert text in shown.stdout
    assert "published means of another corpus" in shown.stderr
    assert "constructed by a program" in shown.stderr
    again = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    document = json.loads(again.stdout)
    assert document == json.loads(Path("out/tables.json").read_text("utf-8"))
    rows = pl.read_csv("t.csv")
    assert rows.height == len(document["rows"]) == 2 * 2 * 6 * 3
    assert rows["accuracy"].to_list() == pytest.approx([row["accuracy"] for row in document["rows"]])
    assert document["settings"]["recipes"]["logistic"] == {"c": 0.1}
    assert "| consistency | decision-tree |" in Path("t.md").read_text("utf-8")
    assert r"\toprule" in Path("t.tex").read_text("utf-8")


def test_variants_of_the_corpus_and_scores_of_a_file(
    part: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = perturb(part, KINDS, seed=3).corpus
    write_corpus(whole, "calls")
    score(whole, ["rouge-1", "length"]).save("scores.parquet")
    arguments = ["train-tables", "calls", "--priors", "--scores", "scores.parquet", "--classifier", "logistic"]
    found = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    settings = json.loads(found.stdout)["settings"]
    assert settings["features"] == ["rouge-1", "length"]
    assert settings["variants_made_here"] is False
    with pytest.raises(InputError, match="--metric or --scores"):
        CliRunner().invoke(app, [*arguments, "-m", "length"], catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "--priors"),
        (["--priors", "-p", "jumble"], "no variants of the family 'domain'"),
        (["--priors", "-t", "fluency"], "no published priors for 'fluency'"),
        (["--priors", "--rounding", "none"], "classifiers learn classes"),
        (["--priors", "--rounding", "up"], "half-up"),
        (["--priors", "-m", "rouge-11"], "rouge-11"),
        (["--priors", "--condition", "original+ours"], "original\\+ours"),
    ],
)
def test_errors_name_what_to_do(arguments: list[str], text: str) -> None:
    with pytest.raises(Exception, match=text) as caught:
        CliRunner().invoke(app, ["train-tables", "embedded", *arguments], catch_exceptions=False)
    assert type(caught.value).__module__ == "dialgauge.errors"


def test_a_metric_is_trained_on_assigned_ratings(part: Corpus, tmp_path: Path) -> None:
    made = add_variants(part, KINDS)
    corpus = assign_ratings(made, ("consistency", "relevance"), priors=True)
    added = corpus.ratings.filter(pl.col("variant") != ORIGINAL)
    assert set(added["annotator"]) == {"priors"}
    assert added.height == 2 * made.variants.height
    assert corpus.ratings.filter(pl.col("variant") == ORIGINAL).equals(part.ratings)
    write_corpus(corpus, tmp_path / "augmented")
    read = read_corpus(tmp_path / "augmented")
    trained = train(
        read, score(read, ["rouge-1", "length"]), "relevance", learner="ridge", split="dialogues", resamples=0
    )
    assert trained.card.data["summaries"] == 48 + made.variants.height


def test_own_ratings_are_never_overwritten(part: Corpus) -> None:
    made = add_variants(part, KINDS)
    row = made.variants.filter(pl.col("perturbation") == "jumble").head(1)
    rating = row.select("dialogue_id", "system", "variant", "role").with_columns(
        annotator=pl.lit("a"), dimension=pl.lit("relevance"), scale=pl.lit("1-5"), value=pl.lit(2.0)
    )
    known = replace(made, corpus=made.corpus.with_ratings(rating, strict=True))
    corpus = assign_ratings(known, ("relevance",))
    found = corpus.ratings.filter(pl.col("variant") == "jumble").group_by("annotator", "value").len().sort("annotator")
    assert found.rows() == [("a", 2.0, 1), ("extrapolated", 2.0, 47)]
    assert "speaker_switch" not in corpus.ratings["variant"]


@pytest.mark.data
def test_dialsummeval(data_dir: Path) -> None:
    """Real ratings, our perturbations: a classifier of originals fails on variants, and learns the kinds from them."""
    corpus = read_dataset("dialsummeval:reproduction", data_dir / "dialsummeval")
    corpus = corpus.select(dialogues=corpus.dialogues["dialogue_id"].to_list()[:20])
    made = add_variants(corpus, ("jumble", "typos", "speaker_switch", "length_increase"))
    options = TableSettings(classifiers=("logistic",), priors=True, resamples=0)
    result = augmentation_tables(made, score(made.corpus, ["rouge-1", "chrf@source", "length"]), options)
    assert result.settings["summaries"]["relevance"]["originals"] == 260
    assert (result.gaps["before"] < 0).all()
    assert result.gaps["higher"].sum() >= 3
