"""Layout of the help: commands grouped under headings, paragraphs wrapped to the screen."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import typer
from typer.core import TyperCommand, TyperGroup


class Module(Protocol):
    """A module of commands."""

    add_to: Callable[[typer.Typer], None]


class _Flags:
    """In help, a flag is shown without the type of a value: it takes none."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the command that this is mixed into
        for one in params:
            if getattr(one, "is_flag", False):
                one.metavar = ""
        return params


class Command(_Flags, TyperCommand):
    """A command of the command line."""


class Group(_Flags, TyperGroup):
    """A command with commands of its own."""


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
    _lay_out(app)


def _lay_out(app: typer.Typer) -> None:
    """Show flags as flags, and remove line breaks within paragraphs: they follow the source code, not the screen."""
    for command in app.registered_commands:
        paragraphs = (command.help or inspect.getdoc(command.callback) or "").split("\n\n")
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        command.cls = Command
    for group in app.registered_groups:
        group.cls = Group
        if group.typer_instance is not None:
            _lay_out(group.typer_instance)
