"""Tables 2 to 7 of Tweak to Trust from one study file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import KEY, embedded_corpus, write_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.learn._folder import read_card
from dialgauge.perturb import parser_name, perturb
from dialgauge.study import run_study

pytestmark = pytest.mark.usefixtures("parser")

MODELS = Path(__file__).parents[1] / "golden" / "models"
STUDY = """
[study]
name = "tweak"
[corpus]
source = "{source}"
[metrics]
use = ["rouge-l", "ter@source", "bleu-4@source", "coverage"]
[verdict]
null_runs = 0
[correlation]
resamples = 0
[perturbations]
use = ["typos", "speaker_switch", "noise_addition"]
[tweak_to_trust]
{section}
"""


@pytest.fixture
def parser() -> str:
    try:
        return parser_name()
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER: {error}")


def test_tables_in_the_layout_of_the_paper(tmp_path: Path, cli: Callable[..., Any]) -> None:
    corpus = embedded_corpus().select(dialogues=[f"banking-0{n}" for n in range(1, 7)])
    made = perturb(corpus, ["jumble"]).corpus
    keys = made.summaries.filter(pl.col("variant") == "jumble").head(8).select(KEY).with_row_index()
    given = pl.concat(
        keys.select(
            *KEY,
            annotator=pl.lit("ada"),
            dimension=pl.lit(dimension),
            value=2.0 + pl.col("index") % 2,
            scale=pl.lit("1-5"),
        )
        for dimension in ("consistency", "relevance")
    )
    write_corpus(made.with_ratings(given, strict=True), tmp_path / "corpus")
    study = tmp_path / "study.toml"
    section = "priors = true\nresamples = 0\nclassifiers = ['decision-tree']"
    study.write_text(STUDY.format(source="corpus", section=section))
    run_study(study)
    folder = tmp_path / "runs" / "tweak"
    tables = (folder / "tweak-tables.md").read_text(encoding="utf-8")
    assert "| jumble | 2.50 | 2.50 | 3 / 3 | 8 |" in tables
    assert "| typos | (" in tables
    assert "BLEU Inp | TER Inp | ROUGE L f1 Ref | coverage" in tables  # as printed, what is not printed last
    assert "| Consistency | DecisionTreeClassifier |" in tables
    assert "Table 7" not in tables
    shown = cli("table", folder, "--kind", "tweak-4", "--format", "latex").out
    assert "our - orig" in shown
    assert "no metric was fine-tuned" in cli("table", folder, "--kind", "tweak-7").err
    assert "Tables 2 to 7 of Tweak to Trust" in (folder / "report.html").read_text(encoding="utf-8")
    facts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["stages"]["tweak-to-trust"]
    assert "tweak-tables.md" in facts["outputs"]


@pytest.mark.slow
def test_table_7_stands_beside_the_others_with_small_settings(tmp_path: Path, cli: Callable[..., Any]) -> None:
    corpus = embedded_corpus()
    corpus = corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(7))
    write_corpus(corpus, tmp_path / "corpus")
    models = [
        f"{metric}=folder:{MODELS / name}" for metric, name in (("unieval", "tiny-t5"), ("bartscore", "tiny-bart"))
    ]
    section = "\n".join(
        (
            "priors = true",
            "resamples = 0",
            "folds = 2",
            "classifiers = ['decision-tree']",
            "tuned = ['unieval', 'bartscore']",
            f"models = {models}",
            "epochs = 1",
            "limit = 24",
        )
    )
    study = tmp_path / "study.toml"
    study.write_text(STUDY.replace(', "noise_addition"', "").format(source="corpus", section=section))
    run_study(study)
    folder = tmp_path / "runs" / "tweak"
    tables = (folder / "tweak-tables.md").read_text(encoding="utf-8")
    assert [n for n in range(2, 8) if f"Table {n}" in tables] == [2, 3, 4, 5, 6, 7]
    made = pl.read_parquet(folder / "tweak-tuned.parquet")
    assert made.select("metric", "target", "condition").unique().height == 2 * 2 * 4
    card = read_card(folder / "tuned" / "unieval" / "relevance" / "original+domain")
    assert len(card.settings["epochs"]) == 1
    assert '"limit": 24' in (folder / "manifest.json").read_text(encoding="utf-8")
    assert "Out Of Box" in cli("table", folder, "--kind", "tweak-7").out


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("priors = true\nperturbations = ['typos']", r"name them in \[perturbations\]"),
        ("dimensions = ['consistancy']\npriors = true", "consistancy"),
        ("priors = false", "no variant of the family"),
    ],
)
def test_mistakes_are_found_before_the_work(tmp_path: Path, section: str, said: str) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(source="embedded", section=section))
    with pytest.raises(DialgaugeError, match=said):
        run_study(study)
    assert not (tmp_path / "runs" / "tweak" / "scores.parquet").exists()
