"""The numbers that the published data give: token-dict on SST3, the paper's denominator, the controls on DialogSum."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.affect import evaluate_tagger, psent, psent_score, tagger
from dialgauge.affect._lexicon import VADER_THRESHOLD
from dialgauge.corpus import Corpus, Summary, read_dataset, summaries_frame
from dialgauge.models import ASSETS

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    if not (data_dir / "psent").is_dir():
        pytest.skip(f"NO STUDY DATA: {data_dir / 'psent'} does not exist")
    return data_dir / "psent"


def sst3(folder: Path, split: str) -> list[dict[str, list[int]]]:
    return [json.loads(line) for line in (folder / "sst3" / f"{split}.jsonl").read_text("utf-8").splitlines()]


def percentages(spec: str, rows: list[dict[str, list[int]]]) -> list[float]:
    found = evaluate_tagger(tagger(spec), [row["words"] for row in rows], [row["labels"] for row in rows])  # type: ignore[misc]
    return [round(100 * value, 2) for value in (found.accuracy, found.precision, found.recall, found.f1)]


@pytest.mark.parametrize(
    ("case", "expected"), [("keep", [88.82, 73.61, 60.96, 65.64]), ("lower", [89.04, 73.78, 62.89, 67.10])]
)
def test_token_dict_on_sst3(folder: Path, case: str, expected: list[float]) -> None:
    assert percentages(f"token-dict:folder={folder / 'opinion_lexicon'},case={case}", sst3(folder, "test")) == expected


def test_the_threshold_of_vader_is_the_best_on_the_development_part(folder: Path) -> None:
    rows = sst3(folder, "dev")
    f1 = {threshold: percentages(f"vader:threshold={threshold}", rows)[3] for threshold in (0.1, 0.5, 1.0, 1.5, 2.0)}
    assert max(f1, key=lambda threshold: f1[threshold]) == VADER_THRESHOLD
    assert percentages("vader", sst3(folder, "test"))[3] == 67.48


def test_the_denominator_of_the_paper(folder: Path) -> None:
    if not ASSETS["minilm"].present:
        pytest.skip("NO VOCABULARY: 'dialgauge models get minilm' fetches it")
    rows = [
        json.loads(line) for line in (folder / "dialogsum" / "dialogsum.test.jsonl").read_text("utf-8").splitlines()
    ]
    published = json.loads((folder / "reference" / "published_numbers.json").read_text("utf-8"))["authors_rows"]
    wanted = {name: values[3] for name, values in published.items() if name.startswith("test_")}
    texts = {row["fname"]: row["dialogue"] for row in rows if row["fname"] in wanted}
    found = dict(zip(texts, psent(list(texts.values()), denominator="pieces").total.tolist(), strict=True))
    assert found == wanted
    assert len(found) == 10


@pytest.fixture(scope="module")
def dialogsum(folder: Path) -> Corpus:
    corpus = read_dataset("dialogsum:test", folder / "dialogsum")
    lines = (folder / "predictions" / "dialogsum_test.bart_large_cylnlp_baseline.txt").read_text("utf-8").splitlines()
    added = [Summary(name, "bart", text) for name, text in zip(corpus.dialogues["dialogue_id"], lines, strict=True)]
    return replace(corpus, summaries=pl.concat([corpus.summaries, summaries_frame(added)]))


@pytest.mark.parametrize("spec", ["token-dict", "vader"])
def test_the_plain_measure_is_won_by_nonsense_and_the_adjusted_one_is_not(
    folder: Path, dialogsum: Corpus, spec: str
) -> None:
    spec = f"token-dict:folder={folder / 'opinion_lexicon'}" if spec == "token-dict" else spec
    scores = psent_score(dialogsum, spec, resamples=200)
    for part in scores.parts:
        rows = {row["name"]: row for row in scores.frame.filter(pl.col("part") == part).iter_rows(named=True)}
        plain, adjusted = ({name: row[m] for name, row in rows.items()} for m in ("spearman", "adjusted"))
        assert plain["longest-3"] > max(plain["bart"], plain["references"])
        if part == "all":  # on negative words alone, the system beats the random quarter of token-dict
            assert plain["random-quarter"] > max(plain["bart"], plain["references"])
        assert plain["longest-3"] > 0.7
        assert abs(plain["shuffled"]) < 0.07
        for nonsense in ("longest-3", "lead-3", "random-quarter"):
            assert adjusted[nonsense] == 0 < adjusted["references"]
        assert abs(adjusted["shuffled"]) < 0.07 < adjusted["references"]
        assert rows["references"]["adjusted_low"] > 0
        assert rows["constant"]["mae"] < 0.6 * min(rows["bart"]["mae"], rows["references"]["mae"])
    against = scores.differences("adjusted", names=["references", "longest-3", "random-quarter"])
    assert against.filter(pl.col("a") == "references")["p_value"].max() < 0.02


def test_a_mixture_of_copied_and_foreign_words_earns_nothing(dialogsum: Corpus) -> None:
    """Half random words of the dialogue, half of the reference of another: the plain measure likes it."""
    texts = [dialogue.text.replace("\n", " ").split() for dialogue in dialogsum.iter_dialogues()]
    foreign = dialogsum.references.unique("dialogue_id", keep="first", maintain_order=True)["text"].to_list()
    mixed = [
        Summary(name, "mixed", " ".join([*words[:: max(1, len(words) // 20)], foreign[i - 1]]))
        for i, (name, words) in enumerate(zip(dialogsum.dialogues["dialogue_id"], texts, strict=True))
    ]
    corpus = replace(dialogsum, summaries=pl.concat([dialogsum.references, summaries_frame(mixed)]))
    frame = psent_score(corpus, resamples=100).frame.filter(pl.col("part") == "all")
    found = {row["name"]: row for row in frame.iter_rows(named=True)}
    assert found["mixed"]["spearman"] > found["references"]["spearman"]
    assert found["mixed"]["adjusted"] < found["references"]["adjusted_low"]
