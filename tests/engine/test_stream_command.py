"""``dialgauge score --stream`` and ``--engine``: what a person sees, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.cli import main
from dialgauge.corpus import open_corpus, write_corpus
from dialgauge.metrics import Scores
from tests.engine.toy_corpora import write_pairs

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: Any) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["dialgauge", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        said = capsys.readouterr()
        return code, said.out, " ".join(said.err.split())

    return run


def test_a_stream_is_scored_and_resumed(command: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_pairs(source, 50)
    arguments = ["score", source, "-m", "rouge-1", "-m", "bleu", "--stream", "-o", out, "--chunk-size", 20]
    code, said, noted = command(*arguments, "--engine", "serial")
    assert code == 0
    assert "mean of each system" in " ".join(said.split())
    assert "50 rows × 6 metrics" in noted
    assert "3 parts" in noted
    (out / "part-00000001.parquet").unlink()
    code, said, noted = command(*arguments, "--engine", "serial", "--json")
    result = json.loads(said)
    assert (code, result["parts"], result["resumed"], result["summaries"]) == (0, 3, 2, 50)
    assert result["systems"][0]["rouge-1"] == pytest.approx(
        pl.read_parquet(out / "part-*.parquet")["rouge-1"].mean(), abs=1e-12
    )


def test_columns_are_named_as_elsewhere(command: Command, tmp_path: Path) -> None:
    source = tmp_path / "pairs.parquet"
    write_pairs(source, 10)
    pl.read_parquet(source).rename({"summary": "answer"}).write_parquet(source)
    arguments = ["score", source, "-m", "rouge-1", "--stream", "-o", tmp_path / "out", "--engine", "serial"]
    code, _, noted = command(*arguments)
    assert code == 2
    assert "no summary column found; name it with summary=COLUMN; columns: answer, reference" in noted
    assert command(*arguments, "--map", "summary=answer")[0] == 0


def test_engines_give_the_same_file(command: Command, tmp_path: Path) -> None:
    files = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    assert command("score", "embedded", "-m", "rouge", "-o", files[0])[0] == 0
    assert command("score", "embedded", "-m", "rouge", "-o", files[1], "--workers", 2)[0] == 0
    one, two = map(Scores.load, files)
    assert one.frame.equals(two.frame)
    assert one.signatures == two.signatures


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stream"], "--stream needs a folder for the parts: -o FOLDER"),
        (["--stream", "-o", "out", "--strict"], "'--strict' must be omitted with --stream"),
        (["--stream", "-o", "out", "--format", "csv"], "'--format' must be omitted with --stream"),
        (["--engine", "clusters"], "unknown engine 'clusters'"),
        (["--workers", "0"], "--workers must be 1 or more; got 0"),
        (["--ray-address", "auto"], "'ray_address' must be left out; only the engine 'ray' takes it; got 'auto'"),
        (["--engine", "ray", "--ray-address", "127.0.0.1:9"], "nothing answers at 127.0.0.1:9"),
    ],
)
def test_what_is_refused(command: Command, arguments: list[str], message: str) -> None:
    pytest.importorskip("ray")
    code, _, noted = command("score", "embedded", "-m", "rouge-1", *arguments)
    assert code == 2
    assert message in noted


@pytest.mark.parametrize("references", [False, True])
def test_a_stream_compares_the_systems_that_a_corpus_in_memory_does(
    command: Command, tmp_path: Path, references: bool
) -> None:
    write_corpus(open_corpus("embedded"), tmp_path / "corpus")
    arguments = ["score", tmp_path / "corpus", "-m", "length", "--resamples", 20, "--engine", "serial", "--json"]
    arguments += ["--paired", *(["--include-references"] if references else [])]
    found = []
    for more in ([], ["--stream", "-o", tmp_path / "out"]):
        code, out, _ = command(*arguments, *more)
        assert code == 0
        rows = json.loads(out)["comparisons"]
        found.append({(row["system"], row["other"]): row["difference"] for row in rows})
    assert found[0] == pytest.approx(found[1])
    assert len(found[0]) == (21 if references else 15)
    _, _, noted = command(*arguments, "--baseline", "reference")
    assert ("unknown system 'reference'" in noted) is not references


def test_systems_of_a_stream_are_compared_in_whatever_parts(command: Command, tmp_path: Path) -> None:
    source = tmp_path / "pairs.parquet"
    write_pairs(source, 60)
    named = {"dialogue_id": [f"d{i // 2}" for i in range(60)], "system": ["one", "two"] * 30}
    pl.read_parquet(source).with_columns(**{name: pl.Series(of) for name, of in named.items()}).write_parquet(source)
    said = []
    for size in (20, 60):
        arguments = ["score", source, "-m", "rouge-1", "--stream", "-o", tmp_path / f"out-{size}", "--chunk-size", size]
        code, out, _ = command(*arguments, "--engine", "serial", "--paired", "--resamples", 50, "--json")
        assert code == 0
        said.append(json.loads(out)["comparisons"])
    assert said[0] == said[1]
    first = said[0][0]
    assert (first["kind"], first["name"], first["wins"]) == ("metric", "rouge-1", None)
    assert first["low"] < first["difference"] < first["high"]
    _, shown, noted = command(*arguments, "--engine", "serial", "--paired", "--resamples", 50)
    assert "p: from 50 resamples of the dialogues, the same for both" in noted
    assert "won/tied/lost" not in shown
    remote = ["score", source, "-m", "rouge-1", "--stream", "-o", "memory://compared", "--engine", "serial"]
    code, out, _ = command(*remote, "--paired", "--resamples", 50, "--json")
    assert code == 0
    assert json.loads(out)["comparisons"] == said[0], "parts behind a URL are read as well"
    arguments[6] = tmp_path / "unknown"
    code, _, noted = command(*arguments, "--engine", "serial", "--baseline", "tow")
    assert code == 2
    assert "did you mean 'two'" in noted
    assert not (tmp_path / "unknown").exists(), "nothing is scored before"
