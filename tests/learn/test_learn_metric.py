"""A trained metric is a metric: saved, checked, loaded elsewhere, refused where something differs."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import KEY, Corpus, write_corpus
from dialgauge.errors import InputError, ModelError, UnknownNameError
from dialgauge.learn import Training, find_folder, load_trained, named_folder, predict, train
from dialgauge.learn._folder import read_card, write_folder
from dialgauge.learn._metric import MODEL_FILE
from dialgauge.metrics import Scores, parse_request, score, score_pairs
from tests.learn.learn_cases import made_corpus, made_scores

FEATURES = ["rouge-1", "coverage", "length"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return made_corpus()


@pytest.fixture(scope="module")
def scores(corpus: Corpus) -> Scores:
    return score(corpus, FEATURES)


@pytest.fixture(scope="module")
def trained(corpus: Corpus, scores: Scores) -> Training:
    return train(corpus, scores, "consistency", learner="decision-tree", split="dialogues", resamples=0, inner_folds=2)


@pytest.fixture
def folder(trained: Training, tmp_path: Path) -> Path:
    trained.save(tmp_path / "mine")
    return tmp_path / "mine"


def test_the_folder_scores_as_the_metric_that_was_saved(
    corpus: Corpus, scores: Scores, trained: Training, folder: Path
) -> None:
    column = f"learned:folder={folder}"
    made = score(corpus, [column])
    expected = trained.fitted.numbers(scores.frame.select(FEATURES).to_numpy())
    assert made.frame[column].to_numpy().tolist() == expected.tolist()
    assert predict(folder, scores)["prediction"].to_list() == expected.tolist()
    assert made.signatures[column] == parse_request(column).signature
    assert str(folder) not in made.signatures[column]


def test_the_ends_of_the_interval_are_columns_of_their_own(corpus: Corpus, scores: Scores, folder: Path) -> None:
    value, low, high = (f"{name}:folder={folder}" for name in ("learned", "learned-low", "learned-high"))
    made = score(corpus, [value, f"learned-interval:folder={folder}"])
    assert made.metrics == [value, low, high]
    said = predict(folder, scores)
    assert made.frame[low].to_list() == said["low"].to_list()
    assert made.frame[high].to_list() == said["high"].to_list()
    assert (made.frame[low] < made.frame[high]).all()
    assert made.judging == [value]
    card = read_card(folder)
    bare = write_folder(
        folder.parent / "bare", replace(card, settings={**card.settings, "interval": None}), _copy(folder)
    )
    assert bare.settings["interval"] is None
    with pytest.raises(ModelError, match="no interval for single summaries"):
        score(corpus, [f"learned-low:folder={folder.parent / 'bare'}"])
    assert predict(folder.parent / "bare", scores)["low"].null_count() == scores.frame.height


def _copy(folder: Path) -> Callable[[Path], None]:
    def write(place: Path) -> None:
        (place / MODEL_FILE).write_bytes((folder / MODEL_FILE).read_bytes())

    return write


def test_a_new_process_gives_the_same_numbers(corpus: Corpus, folder: Path, tmp_path: Path) -> None:
    write_corpus(corpus, tmp_path / "corpus.jsonl")
    column = f"learned:folder={folder}"
    here = score(corpus, [column]).frame.sort(KEY)[column].to_list()
    code = (
        "import json, sys\nfrom dialgauge.corpus import KEY, open_corpus\nfrom dialgauge.metrics import score\n"
        "made = score(open_corpus(sys.argv[1]), [sys.argv[2]]).frame.sort(KEY)\n"
        "print(json.dumps(made[sys.argv[2]].to_list()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "corpus.jsonl"), column], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == here


def test_score_pairs(trained: Training, tmp_path: Path, corpus: Corpus) -> None:
    lone = score(corpus, ["length", "repetition-1"])
    made = train(corpus, lone, "consistency", learner="ridge", split="dialogues", resamples=0)
    made.save(tmp_path / "lone")
    frame = score_pairs(["the agent asks", "a a a"], None, [f"learned:folder={tmp_path / 'lone'}", "length"])
    assert frame.height == 2
    assert frame.to_series(0).null_count() == 0


def test_gaps_are_filled_and_noted(folder: Path, scores: Scores) -> None:
    holes = scores.frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise(pl.col("rouge-1")).alias("rouge-1")
    )
    numbers = predict(folder, replace(scores, frame=holes))["prediction"]
    assert numbers.null_count() == 0
    loaded = load_trained(folder)
    values = loaded.combine(np.array([[np.nan, 0.5, 3.0], [np.nan] * 3]))
    assert values.notes[0].startswith("1 of 3 features")
    assert np.isnan(values.numbers[1])
    assert values.reasons[1] == "no feature has a value"


def test_the_card_says_what_matters(folder: Path) -> None:
    card = read_card(folder)
    assert [use.name for use in card.features] == FEATURES
    assert card.features[0].signature == parse_request("rouge-1").signature
    assert card.data["summaries"] == 60
    assert card.split["name"] == "dialogues"
    assert {row["measure"] for row in card.scores} >= {"pearson", "accuracy", "quadratic kappa"}
    text = (folder / "README.md").read_text("utf-8")
    for part in ("## Trained on", "## Validated by", "## Scores", "## Features", card.data["digest"]):
        assert part in text
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "metric.json", MODEL_FILE]


def test_a_changed_model_is_refused(folder: Path) -> None:
    model = folder / MODEL_FILE
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(bytes(content))
    with pytest.raises(InputError, match="not the file that the metric was saved with"):
        load_trained(folder)
    model.unlink()
    with pytest.raises(InputError, match="is missing"):
        load_trained(folder)


def test_a_changed_card_is_refused(folder: Path) -> None:
    path = folder / "metric.json"
    card = json.loads(path.read_text("utf-8"))
    recipe = {name: value for name, value in card["settings"]["recipe"].items() if name != "levels"}
    for wrong, message in (
        ({"settings": {**card["settings"], "recipe": recipe}}, "the recipe is incomplete: KeyError: 'levels'"),
        ({"files": list(card["files"])}, "'files' is not a table"),
        ({"strange": 1}, "unexpected keyword argument 'strange'"),
    ):
        path.write_text(json.dumps({**card, **wrong}), encoding="utf-8")
        with pytest.raises(InputError, match=message):
            load_trained(folder)


def test_a_model_with_foreign_types_is_refused(folder: Path, tmp_path: Path) -> None:
    import skops.io

    card = replace(read_card(folder), name="bad")
    write_folder(tmp_path / "bad", card, lambda path: skops.io.dump(Path("x"), path / MODEL_FILE))
    with pytest.raises(InputError, match="types that a trained metric does not need"):
        load_trained(tmp_path / "bad")
    write_folder(tmp_path / "worse", card, lambda path: (path / MODEL_FILE).write_bytes(b"not a model"))
    with pytest.raises(InputError, match="cannot be read as a model"):
        load_trained(tmp_path / "worse")


def test_a_feature_with_another_signature_is_refused(folder: Path, corpus: Corpus, scores: Scores) -> None:
    path = folder / "metric.json"
    card = json.loads(path.read_text("utf-8"))
    card["features"][0]["signature"] = card["features"][0]["signature"].replace("v:", "v:0.")
    path.write_text(json.dumps(card), "utf-8")
    with pytest.raises(InputError, match="'rouge-1' differs from the training"):
        score(corpus, [f"learned:folder={folder}"])
    with pytest.raises(InputError, match="'rouge-1' differs from the training"):
        predict(folder, scores)
    with pytest.raises(InputError, match="its feature 'coverage' is missing in the scores"):
        predict(folder, replace(scores, frame=scores.frame.drop("coverage"), signatures={"rouge-1": "", "length": ""}))


def test_columns_of_a_table_cannot_be_computed(corpus: Corpus, tmp_path: Path) -> None:
    table = made_scores(corpus)
    train(corpus, table, "consistency", learner="ridge", split="dialogues", resamples=0).save(tmp_path / "table")
    assert predict(tmp_path / "table", table)["prediction"].null_count() == 0
    with pytest.raises(InputError, match="'good' came from a table"):
        score(corpus, [f"learned:folder={tmp_path / 'table'}"])


def test_by_name(trained: Training, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path))
    trained.save(named_folder("mine"))
    assert find_folder("mine") == tmp_path / "learned" / "mine"
    assert score(corpus, ["learned:folder=mine"]).frame["learned:folder=mine"].null_count() == 0
    with pytest.raises(UnknownNameError, match="did you mean 'mine'"):
        load_trained("mime")
    with pytest.raises(InputError, match="letters, digits"):
        named_folder("../mine")


def test_bad_folders(folder: Path, corpus: Corpus, tmp_path: Path, trained: Training) -> None:
    with pytest.raises(ModelError, match="learned:folder=PATH"):
        score(corpus, ["learned"])
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match=r"metric\.json is missing"):
        load_trained(tmp_path / "other")
    (tmp_path / "other" / "diary.txt").write_text("dear diary")
    with pytest.raises(InputError, match="is not a trained metric"):
        trained.save(tmp_path / "other")
    assert (tmp_path / "other" / "diary.txt").exists()
    for text, reason in (("{", "not JSON"), ("[]", "not a card of format 1"), ('{"format": 1}', "not a card")):
        (folder / "metric.json").write_text(text)
        with pytest.raises(InputError, match=reason):
            read_card(folder)


def test_a_file_outside_the_folder_is_refused(folder: Path) -> None:
    card = json.loads((folder / "metric.json").read_text("utf-8"))
    card["files"]["../x"] = "0"
    (folder / "metric.json").write_text(json.dumps(card), "utf-8")
    with pytest.raises(InputError, match="outside the folder"):
        read_card(folder)
