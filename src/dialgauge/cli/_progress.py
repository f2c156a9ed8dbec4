"""The progress bar of commands. Without a terminal nobody sees one: then this is not imported."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
from rich.text import Text


class _Count(MofNCompleteColumn):
    """Completed and total steps; empty while the total is unknown."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


@contextmanager
def bar_on(console: Console, description: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar that disappears when done; yields a function of (current step, number done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(escape(description), total=None)

        def update(what: str, done: int, total: int) -> None:
            bar.update(task, description=escape(f"{description}: {what}"), completed=done, total=total)

        yield update
