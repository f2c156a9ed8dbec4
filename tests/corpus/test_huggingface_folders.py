"""Folders as ``datasets`` writes them, and as the hub serves them."""

import json
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import inspect_file, read_corpus
from dialgauge.errors import InputError

ROWS = pl.DataFrame({"id": ["1", "2"], "dialogue": ["A: x\r\nB: y", "A: z"], "summary": ["s1", "s2"]})


def save_to_disk(folder: Path, *frames: pl.DataFrame, split: str | None = None) -> None:
    """The layout of ``Dataset.save_to_disk``."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"data-{number:05}-of-{len(frames):05}.arrow" for number in range(len(frames))]
    for name, frame in zip(names, frames, strict=True):
        frame.write_ipc_stream(folder / name)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": n} for n in names], "_split": split}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": {}}))


def test_one_saved_split_in_two_files(tmp_path: Path) -> None:
    save_to_disk(tmp_path / "d", ROWS.head(1), ROWS.tail(1), split="test")
    corpus = read_corpus(tmp_path / "d", strict=True)
    assert corpus.dialogue("2").meta == {"split": "test"}
    assert corpus.references["text"].to_list() == ["s1", "s2"]
    assert inspect_file(tmp_path / "d").format == "huggingface"


def test_a_dictionary_of_splits(tmp_path: Path) -> None:
    save_to_disk(tmp_path / "d" / "train", ROWS.head(1))
    save_to_disk(tmp_path / "d" / "test", ROWS.tail(1))
    (tmp_path / "d" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    corpus = read_corpus(tmp_path / "d", strict=True)
    assert [dialogue.meta["split"] for dialogue in corpus.iter_dialogues()] == ["train", "test"]


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"),
        ("train/0000.parquet", "test/0000.parquet"),
        ("train.parquet", "test.parquet"),
    ],
)
def test_hub_snapshots(tmp_path: Path, train: str, test: str) -> None:
    for name, frame in ((train, ROWS.head(1)), (test, ROWS.tail(1))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        frame.write_parquet(tmp_path / name)
    corpus = read_corpus(tmp_path, strict=True)
    assert {dialogue.id: dialogue.meta["split"] for dialogue in corpus.iter_dialogues()} == {"1": "train", "2": "test"}


def test_the_packages_own_cache(tmp_path: Path) -> None:
    ROWS.write_ipc_stream(tmp_path / "samsum-validation.arrow")
    (tmp_path / "dataset_info.json").write_text("{}")
    assert read_corpus(tmp_path).dialogue("1").meta == {"split": "validation"}


def test_nested_columns(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "id": ["1", "2"],
            "dialogue": [[{"speaker": "A", "text": "x"}], [{"speaker": "B", "text": None}]],
            "references": [["r", "s"], ["t", "u"]],
        }
    )
    save_to_disk(tmp_path / "d", frame)
    corpus = read_corpus(tmp_path / "d")
    assert corpus.references["text"].to_list() == ["r", "s"]
    (problem,) = corpus.problems
    assert (problem.line, problem.reason) == (2, "turn 1 has no text")


def test_bad_rows_name_their_own_file(tmp_path: Path) -> None:
    pairs = pl.DataFrame({"id": ["1", "1"], "system": ["s", "t"], "summary": ["x", None]})
    save_to_disk(tmp_path / "d", pairs.head(1), pairs)
    problems = read_corpus(tmp_path / "d").problems
    assert [(Path(problem.file).name, problem.line, problem.reason) for problem in problems] == [
        ("data-00001-of-00002.arrow", 2, "the summary has no text"),
    ]


def test_rows_that_cannot_be_read_name_their_own_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": ["1", "2"], "dialogue": ["A: x", "A: y"], "references": [["r"], [None]]})
    save_to_disk(tmp_path / "d", frame.head(1), frame.tail(1))
    (problem,) = read_corpus(tmp_path / "d").problems
    assert (Path(problem.file).name, problem.line) == ("data-00001-of-00002.arrow", 1)


def test_a_panic_of_the_arrow_reader_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_to_disk(tmp_path / "d", ROWS)

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(pl, "read_ipc_stream", panic)
    with pytest.raises(InputError, match=r"\.arrow: cannot be read as an Arrow stream: assertion failed"):
        read_corpus(tmp_path / "d")


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "a JSON object is expected"),
        ("{}", "the list of data files is missing"),
        ('{"_data_files": [{"filename": "../../etc/passwd"}]}', "not the name of a file in this folder"),
        ('{"_data_files": [{"filename": "gone.arrow"}]}', "no such file, though"),
        ('{"_data_files": [{"filename": "state.json"}]}', "cannot be read as an Arrow stream"),
    ],
)
def test_broken_folders(tmp_path: Path, state: str, reason: str) -> None:
    (tmp_path / "state.json").write_text(state)
    with pytest.raises(InputError, match=reason):
        read_corpus(tmp_path)


def test_broken_listing(tmp_path: Path) -> None:
    (tmp_path / "dataset_dict.json").write_text('{"splits": 3}')
    with pytest.raises(InputError, match="the list of splits is missing"):
        read_corpus(tmp_path)
