"""The ``dialgauge`` command: its commands, its exit codes, and what happens when something goes wrong.

Exit codes: 0 all well, 1 the work was done and the answer is no (a check that failed), 2 bad input or settings,
70 a fault of dialgauge itself, 130 interrupted. Commands live in modules of their own and import the rooms they need
when they run, so that ``dialgauge --help`` stays quick.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Annotated, TextIO

import typer

from dialgauge import __version__
from dialgauge.cli import (
    _affect,
    _agreement,
    _annotate,
    _attention,
    _bench,
    _cache,
    _compare,
    _compare_runs,
    _convert,
    _correlate,
    _datasets,
    _datasheet,
    _explore,
    _finetune,
    _finetune_summarizer,
    _init,
    _inspect,
    _languages,
    _metrics,
    _models,
    _paper,
    _perturb,
    _report,
    _robustness,
    _run,
    _score,
    _summarize,
    _table,
    _train,
    _train_tables,
)
from dialgauge.cli._help import add_under_headings
from dialgauge.cli._output import fail, note
from dialgauge.errors import DialgaugeError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Which automatic metric can be trusted on your dialogue summaries, for which dimension, and how much?",
    epilog="A first look: [bold]dialgauge init study.toml[/] then [bold]dialgauge run study.toml[/]",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from dialgauge.metrics import kernel_name

        typer.echo(f"dialgauge {__version__} (kernels: {kernel_name()}, Python {sys.version.split()[0]})")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass


#: In the order of the help.
_COMMANDS = {
    "A study": (_init, _run, _report, _explore, _compare_runs, _table),
    "Your data": (_inspect, _convert, _datasets),
    "Scores": (_metrics, _languages, _score, _affect),
    "Summaries, written and broken": (
        _summarize,
        _finetune_summarizer,
        _attention,
        _perturb,
        _robustness,
    ),
    "Ratings": (_annotate, _agreement, _correlate),
    "Metrics of your own": (_train, _train_tables, _finetune),
    "Published studies": (_compare, _datasheet, _paper),
    "This machine": (_bench, _models, _cache),
}
add_under_headings(app, _COMMANDS)


def _tell(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning in one line, without the place in our code that Python would add."""
    note(f"warning: {message}")


def _reasons(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it was raised for: typer makes an end of the process of some, without a word."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def main() -> None:
    """Run the command line; user errors become one clear message and exit code 2."""
    warnings.showwarning = _tell
    try:
        app(prog_name="dialgauge")
    except DialgaugeError as error:
        fail(str(error))
    except SystemExit as end:
        reasons = [type(reason) for reason in _reasons(end)]
        if KeyboardInterrupt in reasons:
            fail("interrupted", code=130)
        if BrokenPipeError in reasons:
            # The reader of our output (head, less) went away: that is its right, not an error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        raise
    except OSError as error:
        fail(f"{error.filename}: {error.strerror or error}" if error.filename else str(error))
    except Exception:
        # Not 1, which a failed check has: a job must not take a fault of ours for an answer.
        traceback.print_exc()
        fail("this is a fault of dialgauge; please report it with the lines above", code=70)
