"""Table 7 in one go: every cell trained once, interrupted and resumed, in the layout of the paper."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import Corpus, embedded_corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.learn import ConditionSettings, TuningGrid, finetune, run_conditions, run_tuning_table
from dialgauge.models import TrainingPlan
from tests.learn.test_finetune_conditions import BERT

GRID = TuningGrid(metrics="encoder-head", models=f"encoder-head={BERT}")
CONDITIONS = ("out-of-the-box", "original")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return embedded_corpus()


def test_all_cells_stand_in_one_table_and_nothing_is_trained_twice(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ConditionSettings(conditions=CONDITIONS, epochs=1, device="cpu")
    trained: list[str] = []

    def counted(*arguments: object, **named: object) -> object:
        trained.append(str(arguments[3]))
        if len(trained) == 2:
            raise KeyboardInterrupt
        return finetune(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("dialgauge.learn._conditions.finetune", counted)
    with pytest.raises(KeyboardInterrupt):
        run_tuning_table(corpus, tmp_path, GRID, settings)
    result = run_tuning_table(corpus, tmp_path, GRID, settings)
    again = run_tuning_table(corpus, tmp_path, GRID, settings)
    parts = [Path(path).relative_to(tmp_path).parts for path in trained]
    assert parts == [
        ("encoder-head", "consistency", "original"),
        ("encoder-head", "relevance", "original"),
        ("encoder-head", "relevance", "original"),
    ]
    assert again.as_dict() == result.as_dict() == json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    table = result.table()
    assert [row.name for row in table.rows] == ["Out Of Box", "Original"]
    assert [(column.group, column.name) for column in table.columns] == [
        ("encoder-head", "consistency"),
        ("encoder-head", "relevance"),
    ]
    value = result.parts["encoder-head", "relevance"].frame.filter(condition="original", set="all")["value"][0]
    assert table.rows[1].cells[1].parts[0].value == value
    assert "Out Of Box" in (tmp_path / "table.md").read_text(encoding="utf-8")


def test_other_settings_train_anew(corpus: Corpus, tmp_path: Path) -> None:
    first = run_conditions(corpus, tmp_path, model=BERT, epochs=1, device="cpu")
    second = run_conditions(corpus, tmp_path, model=BERT, epochs=2, device="cpu")
    assert not first.frame.equals(second.frame)
    (tmp_path / "original.results.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="not a file of results; delete it"):
        run_conditions(corpus, tmp_path, model=BERT, epochs=2, device="cpu")


def test_mistakes_are_named_before_anything_is_trained(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="metric to fine-tune"):
        run_tuning_table(corpus, tmp_path, metrics=("encoder-head", "rouge"))
    with pytest.raises(ParameterError, match="METRIC=MODEL, as in bartscore="):
        TuningGrid(models="facebook/bart-base")
    with pytest.raises(InputError, match="the paper trained bartscore and unieval"):
        run_conditions(corpus, tmp_path, as_paper=True)
    assert not list(tmp_path.iterdir())


def test_the_presets_are_what_the_paper_says() -> None:
    for metric, steps, loss in (("bartscore", 20, "likelihood"), ("unieval", 36, "boolean")):
        chosen = ConditionSettings(metric=metric, as_paper=True)
        assert (chosen.epochs, chosen.learning_rate, chosen.weight_decay, chosen.warmup) == (2, 5e-5, 0.0, 0.0)
        assert (chosen.batch * chosen.accumulate, chosen.loss, chosen.dev, chosen.test) == (steps, loss, 0.0, 0.25)
        assert len(chosen.conditions) == 4
    assert ConditionSettings(metric="unieval").model == "MingZhong/unieval-sum"
    assert ConditionSettings(metric="bartscore", as_paper=True, epochs=8).epochs == 8
    assert TrainingPlan().epochs == 3  # what is chosen for one does not change another


def test_a_value_that_equals_a_default_counts_beside_the_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight epochs are the default of another metric; given by hand, they are not replaced."""
    asked: list[ConditionSettings] = []
    monkeypatch.setattr(
        "dialgauge.learn.run_conditions", lambda corpus, folder, settings, *rest, **named: asked.append(settings)
    )
    command = [
        "finetune-metric",
        "embedded",
        "-m",
        "unieval",
        "--as-paper",
        "--epochs",
        "8",
        "-o",
        str(tmp_path / "out"),
    ]
    CliRunner().invoke(app, command)
    assert (asked[0].epochs, asked[0].accumulate) == (8, 12)
