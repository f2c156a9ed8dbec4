"""What holds for every import: nothing unexplained, round trips, and the order and names of columns do not matter."""

import random
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import KEY, RATING_KEY, Corpus, read_corpus, write_corpus
from dialgauge.corpus._account import UNEXPLAINED
from dialgauge.corpus._xlsx import xlsx_cannot_hold
from dialgauge.errors import DialgaugeError

FOLDER = Path(__file__).parent / "imports"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix not in (".toml", ".md") and path.name != "imports.json")
#: Other names that people give to the columns of these files.
SYNONYMS = {
    "call_id": "conversationId",
    "dialogue_id": "Case Number",
    "id": "contact_id",
    "model": "system_name",
    "system": "Summarizer",
    "transcript": "Dialogue text",
    "dialogue": "conversation",
    "summary": "Generated Summary",
    "annotator": "RaterID",
    "PROLIFIC_PID": "worker_id",
}
RATED = ("prolific_ratings.csv", "half_blank.csv", "yes_no.csv", "worded_scale.csv", "bad_times.csv", "html_texts.csv")


def _read(path: Path) -> Corpus:
    try:
        return read_corpus(path)
    except DialgaugeError as error:
        pytest.skip(f"is not a corpus of its own: {str(error)[:60]}")


def _rows(corpus: Corpus) -> list[tuple[object, ...]]:
    ratings = corpus.ratings.select(*RATING_KEY, "value").sort(RATING_KEY)
    return [*corpus.summaries.select(*KEY, "text").sort(KEY).rows(), *ratings.rows()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_judgement_is_explained_and_every_writer_keeps_it(path: Path, tmp_path: Path) -> None:
    corpus = _read(path)
    for account in corpus.accounts:  # the equation itself is checked when an account is made
        assert UNEXPLAINED not in account.left_out
    for name in ("folder", "c.jsonl", "c.csv", "c.parquet", "c.xlsx"):
        if name == "c.xlsx" and xlsx_cannot_hold(corpus):
            continue  # a cell cannot distinguish an empty comment from none
        write_corpus(corpus, tmp_path / name)
        back = read_corpus(tmp_path / name, strict=True)
        assert _rows(back) == _rows(corpus), name
        for table in ("preferences", "choices", "spans", "annotators"):
            assert getattr(back, table).equals(getattr(corpus, table)), (name, table)
        assert back.declared == corpus.declared
        if name == "folder":
            assert back.accounts == corpus.accounts


@pytest.mark.parametrize("name", RATED)
@pytest.mark.parametrize("seed", range(3))
def test_order_and_names_of_columns_do_not_matter(name: str, seed: int, tmp_path: Path) -> None:
    frame = pl.read_csv(FOLDER / name, infer_schema=False)
    columns = list(frame.columns)
    random.Random(seed).shuffle(columns)
    shuffled = frame.select(columns)
    if seed:
        shuffled = shuffled.rename({old: new for old, new in SYNONYMS.items() if old in columns})
    shuffled.write_csv(tmp_path / "c.csv")
    assert _rows(read_corpus(tmp_path / "c.csv")) == _rows(read_corpus(FOLDER / name))


@pytest.mark.parametrize("name", RATED)
def test_a_column_that_is_mostly_empty_is_still_read(name: str, tmp_path: Path) -> None:
    frame = pl.read_csv(FOLDER / name, infer_schema=False)
    dimension = next(c for c in frame.columns if c in ("fluency", "factual", "quality"))
    kept = pl.Series([random.Random(f"{name}{row}").random() < 0.3 for row in range(frame.height)])
    thinned = frame.with_columns(pl.when(kept).then(dimension).alias(dimension))
    thinned.write_csv(tmp_path / "c.csv")
    whole = read_corpus(FOLDER / name).ratings.filter(dimension=dimension)
    corpus = read_corpus(tmp_path / "c.csv")
    found = corpus.ratings.filter(dimension=dimension)
    words = sum(n for word, n in corpus.accounts[0].not_given.items())
    others = sum(n for word, n in read_corpus(FOLDER / name).accounts[0].not_given.items())
    assert corpus.problems == ()
    assert 0 < found["value"].count() <= int(kept.sum())
    assert found["value"].count() + words >= int(kept.sum()) - others
    assert found.drop_nulls("value").join(whole, on=[*KEY, "annotator", "value"], how="anti").is_empty()
