"""The help of every command: under a heading, with a line to copy, in paragraphs that fill the screen."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import typer

from dialgauge.cli._app import app

Cli = Callable[..., Any]


def commands(root: typer.Typer, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command with the group it is in."""
    found = [(*before, str(command.name)) for command in root.registered_commands]
    for group in root.registered_groups:
        assert group.typer_instance is not None
        found += commands(group.typer_instance, (*before, str(group.name)))
    return found


def test_every_command_is_listed_once_under_a_heading(cli: Cli) -> None:
    shown = cli("--help").out
    listed = re.findall(r"^│ ([a-z][a-z-]+) ", shown, re.MULTILINE)
    assert sorted(listed) == sorted({names[0] for names in commands(app)})
    headings = re.findall(r"^╭─ (.+?) ─", shown, re.MULTILINE)
    assert headings[:3] == ["Options", "Run a study", "Prepare data"]
    assert "Commands" not in headings


@pytest.mark.parametrize("names", commands(app), ids=" ".join)
def test_every_help_has_a_line_to_copy(cli: Cli, names: tuple[str, ...]) -> None:
    outcome = cli(*names, "--help")
    assert outcome.code == 0
    text, _, _ = outcome.out.partition("╭─")
    assert text.count(f"dialgauge {' '.join(names)}") >= 2, "the usage, and one call as a person would write it"


@pytest.mark.parametrize("names", commands(app), ids=" ".join)
def test_paragraphs_fill_the_screen(cli: Cli, names: tuple[str, ...]) -> None:
    text, _, _ = cli(*names, "--help").out.partition("╭─")
    lines = text.splitlines()
    width = max(map(len, lines))
    for line, following in pairwise(lines):
        if line.strip() and following.strip():
            first = following.split()[0]
            assert len(line.rstrip()) + 1 + len(first) > width - 3, (line, following)


@pytest.mark.parametrize("names", commands(app), ids=" ".join)
def test_nothing_is_cut_on_a_narrow_screen(cli: Cli, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    cut = re.findall(r".*\w…(?: .*|$)", cli(*names, "--help").out, re.MULTILINE)
    assert cut == []


def test_a_group_without_a_command_explains_itself(cli: Cli) -> None:
    said = cli("cache").out
    assert "Clear the cached values" in said
    assert said.count("Usage:") == 1
