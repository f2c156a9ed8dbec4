"""Commands that take ratings, given other judgements: no number of a class is averaged, and nothing is said untruly."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Choice, Corpus, Dialogue, Dimension, Preference, Rating, Span, Summary, Turn, write_corpus

SYSTEMS, PEOPLE = ("bart", "gpt", "lead"), ("ann", "bob", "cid")
DIALOGUES = [f"d{n:02}" for n in range(24)]


def folder(path: Path, **judgements: object) -> Path:
    summaries = [Summary(d, s, f"{s} sums up call {d} here.") for d in DIALOGUES for s in SYSTEMS]
    write_corpus(Corpus.build([Dialogue(d, (Turn("A", "Hi"),)) for d in DIALOGUES], summaries, **judgements), path)  # type: ignore[arg-type]
    return path


def classes() -> dict[str, object]:
    generator = np.random.default_rng(0)
    truth = {(d, s): generator.integers(1, 4) for d in DIALOGUES for s in SYSTEMS}
    ratings = [
        Rating(
            d, s, who, "error type", float(kind if generator.random() < 0.7 else generator.integers(1, 4)), scale="1-3"
        )
        for (d, s), kind in truth.items()
        for who in PEOPLE
    ]
    about = Dimension("error type", "nominal", "1-3", labels=("none", "wrong name", "wrong number"))
    return {"ratings": ratings, "declared": [about]}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("kinds")
    judged = [
        Preference(d, a, b, who, "better", ("a", "b", "tie")[(n + k) % 3])  # type: ignore[arg-type]
        for n, d in enumerate(DIALOGUES)
        for a, b in combinations(SYSTEMS, 2)
        for k, who in enumerate(PEOPLE)
    ]
    picked = [
        Choice(d, "q", who, "quality", s, ("best", "neither", "worst")[(n + k + place) % 3])  # type: ignore[arg-type]
        for n, d in enumerate(DIALOGUES)
        for place, s in enumerate(SYSTEMS)
        for k, who in enumerate(PEOPLE)
    ]
    marks = [
        Span(d, s, who, "errors", start=0, end=4, label="name", severity="minor")
        if (n + k + len(s)) % 3
        else Span(d, s, who, "errors")
        for n, d in enumerate(DIALOGUES)
        for s in SYSTEMS
        for k, who in enumerate(PEOPLE)
    ]
    made = {
        "nominal": classes(),
        "preferences": {"preferences": judged},
        "choices": {"choices": picked},
        "spans": {"spans": marks},
    }
    for name, judgements in made.items():
        folder(home / name, **judgements)
    keys = pl.DataFrame({"dialogue_id": DIALOGUES}).join(pl.DataFrame({"system": SYSTEMS}), how="cross")
    scores = keys.with_columns(
        variant=pl.lit("original"), role=pl.lit("overall"), mine=pl.int_range(pl.len()) % 7 + 0.0
    )
    scores.write_parquet(home / "scores.parquet")
    return {name: home / name for name in (*made, "scores.parquet")}


REFUSED = {
    "compare": ("use 'dialgauge agreement'", "error type: classes without an order"),
    "plan": ("choose a dimension with an order", "error type"),
    "train": ("choose a dimension with an order", "classes without an order"),
    "compare-systems": ("give scores to compare systems by", "error type: classes without an order"),
}


@pytest.mark.parametrize("command", REFUSED)
def test_numbers_of_classes_are_not_averaged(cli: Callable, corpora: dict[str, Path], command: str) -> None:
    nominal = corpora["nominal"]
    given = {
        "compare": (f"a={nominal}", f"b={nominal}"),
        "train": (nominal, corpora["scores.parquet"], "-t", "error type"),
    }
    said = cli(command, *given.get(command, (nominal,)))
    assert said.code == 2
    for words in REFUSED[command]:
        assert words in said.err
    assert "no ratings" not in said.err


def test_raters_of_classes_have_no_severity(cli: Callable, corpora: dict[str, Path]) -> None:
    found = json.loads(cli("raters", corpora["nominal"], "--json").out)
    assert {row["model"] for row in found["raters"]} == {"dawid-skene"}
    assert {row["severity"] for row in found["raters"]} == {None}
    assert all(row["reliability"] > 0.6 and row["spammer"] < 0.1 for row in found["raters"])
    assert {row["value"] for row in found["items"]} <= {1.0, 2.0, 3.0}
    assert {row["sd"] for row in found["items"]} == {None}
    refused = cli("raters", corpora["nominal"], "--kind", "ordinal")
    assert refused.code == 2
    assert "classes without an order" in refused.err


def test_classes_beside_ratings_are_left_out_of_a_comparison(cli: Callable, tmp_path: Path) -> None:
    both = classes()
    points = [Rating(d, s, "ann", "fluency", 1.0 + len(s) % 4, scale="1-5") for d in DIALOGUES for s in SYSTEMS]
    path = folder(tmp_path / "both", ratings=[*both["ratings"], *points], declared=both["declared"])  # type: ignore[misc]
    said = cli("compare", f"a={path}", f"b={path}")
    assert said.code == 0, said.err
    assert "left out: error type: classes without an order" in " ".join(said.out.split())
    found = json.loads(cli("compare", f"a={path}", f"b={path}", "--json").out)
    assert {row["dimension"] for row in found["cells"]} == {"fluency"}


@pytest.mark.parametrize("kind", ["preferences", "choices", "spans"])
def test_other_judgements_are_compared_and_described(cli: Callable, corpora: dict[str, Path], kind: str) -> None:
    path = corpora[kind]
    said = cli("compare", f"a={path}", f"b={path}", "--json")
    assert said.code == 0, said.err
    assert {row["cv_star"] for row in json.loads(said.out)["cells"]} == {0.0}
    sheet = json.loads(cli("datasheet", path, "--json").out)["sheet"]
    form = "heds-criteria-criterion-response_elicitation-form_of_response-"
    assert f"{form}{6 if kind == 'spans' else 3}" in sheet


@pytest.mark.parametrize("kind", ["preferences", "choices", "spans"])
@pytest.mark.parametrize("command", ["raters", "plan"])
def test_commands_for_ratings_name_what_there_is(
    cli: Callable, corpora: dict[str, Path], command: str, kind: str
) -> None:
    if (command, kind) == ("plan", "spans"):
        said = cli("plan", corpora[kind], "-d", "errors penalty", "--json")
        assert said.code == 0, said.err
        return
    said = cli(command, corpora[kind])
    assert said.code == 2
    words = {"preferences": "preferences", "choices": "best-worst choices", "spans": "marked errors"}[kind]
    assert f"use 'dialgauge agreement {corpora[kind]}' for its {words}" in said.err


def test_datasheets_describe_classes_as_classes(cli: Callable, corpora: dict[str, Path]) -> None:
    sheet = json.loads(cli("datasheet", corpora["nominal"], "--json").out)["sheet"]
    elicitation = "heds-criteria-criterion-response_elicitation"
    assert f"{elicitation}-form_of_response-7" in sheet
    score = sheet[f"{elicitation}-inter_annotator-agreement_score"]["data"]["error type"]
    assert "krippendorff-alpha (nominal)" in score


def test_one_name_for_ratings_and_preferences_is_said(cli: Callable, tmp_path: Path) -> None:
    points = [Rating(d, s, "ann", "better", 1.0 + len(s) % 4, scale="1-5") for d in DIALOGUES for s in SYSTEMS]
    judged = [Preference(d, "bart", "gpt", "ann", "better", "a") for d in DIALOGUES]
    path = folder(tmp_path / "both", ratings=points, preferences=judged)
    assert "better was rated, and preferences or choices have the same name" in cli("agreement", path).err


@pytest.mark.parametrize(("kind", "dimension"), [("nominal", "error type"), ("preferences", "better")])
def test_correlations_say_where_people_agree_too_little(
    cli: Callable, corpora: dict[str, Path], kind: str, dimension: str
) -> None:
    said = cli("correlate", corpora[kind], corpora["scores.parquet"], "--resamples", "20")
    assert said.code == 0, said.err
    assert f"people agree too little to rely on (not reliable; Krippendorff's α): {dimension}" in said.err


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, corpora: dict[str, Path]) -> tuple[Path, Path]:
    """Classes beside ratings and yes/no answers, and scores of the same summaries."""
    generator = np.random.default_rng(3)
    both = classes()
    further = [
        Rating(d, s, who, name, float(generator.integers(low, high + 1)), scale=scale)
        for d in DIALOGUES
        for s in SYSTEMS
        for who in PEOPLE
        for name, low, high, scale in (("fluency", 1, 5, "1-5"), ("ok", 0, 1, "yes/no"))
    ]
    both["ratings"] = [*both["ratings"], *further]  # type: ignore[misc]
    return folder(tmp_path_factory.mktemp("mixed") / "corpus", **both), corpora["scores.parquet"]


def test_a_named_dimension_of_classes_has_labels(cli: Callable, mixed: tuple[Path, Path]) -> None:
    """``correlate --dimension`` of classes gives what tells them apart, whatever else was rated."""
    few = ("--resamples", "50", "--json")
    alone = json.loads(cli("correlate", *mixed, "-d", "error type", *few).out)
    names = {f"error type: {one}" for one in ("none", "wrong name", "wrong number")}
    assert {row["dimension"] for row in alone["judgements"]["labels"]} == names
    assert all(row["auc"] is not None for row in alone["judgements"]["labels"])
    assert "correlations" not in alone
    assert {row["dimension"] for row in _labels(cli, mixed, "-d", "ok")} == {"ok"}
    both = _labels(cli, mixed, "-d", "error type", "-d", "fluency")
    assert {row["dimension"] for row in both} == names
    said = cli("correlate", *mixed, "-d", "eror type")
    assert said.code == 2
    assert "did you mean 'error type'" in said.err
    assert "classes without an order (error type)" in cli("correlate", *mixed, "-d", "error type", *few).err


def _labels(cli: Callable, mixed: tuple[Path, Path], *named: str) -> list[dict[str, object]]:
    found = json.loads(cli("correlate", *mixed, *named, "--resamples", "50", "--json").out)
    assert found["correlations"], "what has an order is correlated"
    return list(found["judgements"]["labels"])


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two people who agree, and a model that guesses."""
    generator = np.random.default_rng(5)
    ratings = []
    for d in DIALOGUES:
        for s in SYSTEMS:
            value, guess = generator.integers(1, 6, 2)
            given = {"ann": value, "bob": value, "gpt-4o": guess}
            ratings += [Rating(d, s, who, "fluency", float(one), scale="1-5") for who, one in given.items()]
    return folder(tmp_path_factory.mktemp("models") / "corpus", ratings=ratings)


@pytest.mark.parametrize("command", ["agreement", "correlate", "compare-systems", "plan"])
def test_models_among_the_annotators_are_named_and_left_out(
    cli: Callable, with_model: Path, corpora: dict[str, Path], command: str
) -> None:
    scores = corpora["scores.parquet"]
    few = ("--resamples", "50")
    given = {
        "agreement": (with_model, *few, "--json"),
        "correlate": (with_model, scores, *few),
        "compare-systems": (with_model, scores),
        "plan": (with_model, "--difference", "0.5"),
    }
    said = cli(command, *given[command])
    assert said.code == 0, said.err
    assert "judgements of models take no part: gpt-4o" in said.err
    if command == "agreement":
        rows = json.loads(said.out)["agreement"]
        assert {row["value"] for row in rows if row["measure"] == "krippendorff-alpha"} == {1.0}
