"""Tables of word vectors in their three forms."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.errors import ModelError
from dialgauge.models import load_vectors

WORDS = ["the", "cat", "new york"]
NUMBERS = np.array([[1.0, 0.5], [0.25, -1.0], [2.0, 3.0]])


@pytest.fixture(params=["json", "glove", "word2vec", "folder"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    lines = [" ".join([word, *map(str, row)]) for word, row in zip(WORDS, NUMBERS.tolist(), strict=True)]
    if request.param == "json":
        path = tmp_path / "table.json"
        path.write_text(json.dumps(dict(zip(WORDS, NUMBERS.tolist(), strict=True))), encoding="utf-8")
    elif request.param == "folder":
        path = tmp_path / "vectors"
        path.mkdir()
        np.save(path / "matrix.npy", NUMBERS.astype(np.float32))
        pl.DataFrame({"index": WORDS}).write_parquet(path / "words.parquet")
    else:
        path = tmp_path / "table.txt"
        head = ["3 2"] if request.param == "word2vec" else []
        # The first line tells how many numbers there are, so it must be a word without a space.
        path.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    return path


def test_every_form_reads_the_same(table: Path) -> None:
    vectors = load_vectors(f"folder:{table}")
    assert load_vectors(f"folder:{table}") is vectors
    assert vectors.dimensions == 2
    assert "cat" in vectors
    assert "dog" not in vectors
    np.testing.assert_array_equal(vectors.of(["cat", "dog", "new york", "cat"]), NUMBERS[[1, 2, 1]])
    assert vectors.of(["dog"]).shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "cat 1 2\ndog 1 x\n"),
        ("b.txt", ""),
        ("c.json", '{"cat": [1, 2], "dog": [1]}'),
        ("d.json", "[1, 2]"),
        ("e.json", "{"),
        ("f.json", "{}"),
    ],
)
def test_bad_tables(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=name):
        load_vectors(f"folder:{tmp_path / name}")


def test_a_folder_with_the_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"must hold one \.npy matrix and one \.parquet"):
        load_vectors(f"folder:{tmp_path}")
