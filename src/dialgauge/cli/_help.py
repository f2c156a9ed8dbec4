"""Layout of the help: commands grouped under headings, paragraphs wrapped to the screen."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import typer


class Module(Protocol):
    """A module of commands."""

    add_to: Callable[[typer.Typer], None]


def add_under_headings(app: typer.Typer, headings: Mapping[str, Iterable[Module]]) -> None:
    """Register the commands of each module; the help of ``app`` lists them under the heading of the module."""
    for heading, modules in headings.items():
        commands, groups = len(app.registered_commands), len(app.registered_groups)
        for module in modules:
            module.add_to(app)
        for command in app.registered_commands[commands:]:
            command.rich_help_panel = heading
        for group in app.registered_groups[groups:]:
            group.rich_help_panel = heading
    _fill_paragraphs(app)


def _fill_paragraphs(app: typer.Typer) -> None:
    """Remove the line breaks within paragraphs: they follow the source code, not the width of the screen."""
    for command in app.registered_commands:
        paragraphs = (command.help or inspect.getdoc(command.callback) or "").split("\n\n")
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _fill_paragraphs(group.typer_instance)
