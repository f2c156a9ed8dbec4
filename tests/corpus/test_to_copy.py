"""The command that ``inspect`` prints reads what was read without it."""

import itertools
import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import inspect_file, read_corpus, write_corpus

Cli = Callable[..., Any]
FOLDER = Path(__file__).parent / "imports"
ENTRIES = json.loads((FOLDER / "imports.json").read_text("utf-8"))["entries"]
TABLES = ("dialogues", "summaries", "ratings", "preferences", "choices", "spans", "annotators")


def maps_of(options: Sequence[str]) -> tuple[str, ...]:
    """The options of an entry that ``inspect`` has too."""
    return tuple(word for option, value in itertools.pairwise(options) if option == "--map" for word in (option, value))


READ = sorted({(one["file"], maps_of(one["options"])) for one in ENTRIES if one["command"] != "run"})
READ += [(name, ()) for name in ("ratings_only.csv", "blind_key", "database_tables", "file_per_person", "*_layout.csv")]


def printed(cli: Cli, *words: str) -> list[str]:
    """The command at the end of what ``inspect`` prints, as the words of a shell."""
    outcome = cli("inspect", *words, "--rows", "0")
    assert outcome.code == 0, outcome.err
    command = shlex.split(outcome.out.splitlines()[-1])
    assert command[:2] == ["dialgauge", "convert"]
    return command[1:]


@pytest.mark.parametrize(("file", "maps"), READ)
def test_the_command_reads_the_same(
    file: str, maps: tuple[str, ...], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    before = cli("convert", file, tmp_path / "before", *maps, "--allow-left-out", "all")
    if before.code == 2:
        shown = cli("inspect", file, *maps)
        assert shown.code == 2 or "Nothing can be read this way" in shown.out
        return
    command = printed(cli, file, *maps)
    assert command[2] == "corpus"
    after = cli(*command[:2], tmp_path / "after", *command[3:], "--allow-left-out", "all")
    assert (before.code, after.code) == (0, 0), after.err
    first, second = (read_corpus(tmp_path / name) for name in ("before", "after"))
    assert [name for name in TABLES if not getattr(first, name).equals(getattr(second, name))] == []
    assert first.declared == second.declared
    strict = [
        cli("convert", file, tmp_path / "strict-1", *maps),
        cli(*command[:2], tmp_path / "strict-2", *command[3:]),
    ]
    assert strict[0].code == strict[1].code


@pytest.mark.parametrize("file", ["preferences.csv", "best_worst.csv", "wide_models.csv", "wide_versions.csv"])
def test_what_maps_cannot_say_is_said(file: str, cli: Cli) -> None:
    found = inspect_file(FOLDER / file)
    assert not found.map_is_whole
    assert not any("system" in option for option in found.map_options)
    assert "--map cannot say all" in cli("inspect", FOLDER / file).out
    assert inspect_file(FOLDER / "calls_base.csv").map_is_whole


def test_what_the_user_said_stays_in_the_command(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "calls.dat"
    path.write_text("call,who said,made by,words\n1,Ana: Hi | Bo: Yes,x,It is so.\n2,Ana: Ho | Bo: No,x,It is no.\n")
    maps = [
        "--map",
        "system==my system",
        "--map",
        "ignore=made by",
        "--map",
        "summary=words",
        "--map",
        "dialogue=who said",
    ]
    command = printed(cli, str(path), "--format", "csv", *maps)
    assert command[3:5] == ["--from-format", "csv"]
    assert {"system==my system", "ignore=made by", "dialogue_id=call"} <= set(command)
    assert cli(*command[:2], tmp_path / "out", *command[3:]).code == 0
    assert read_corpus(tmp_path / "out").systems == ["my system"]


def test_a_start_for_a_file_that_cannot_be_read(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "what.csv"
    path.write_text("call_id,colour\n1,red\n2,blue\n")
    outcome = cli("inspect", path)
    assert "Nothing can be read this way; a start" in outcome.out
    assert "--map dialogue_id=call_id" in outcome.out
    assert "no column holds dialogues" in outcome.err
    assert not inspect_file(path).readable


def test_a_folder_of_ours(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(read_corpus(FOLDER / "calls_base.csv"), "corpus")
    assert printed(cli, "corpus") == ["convert", "corpus", "converted"]
