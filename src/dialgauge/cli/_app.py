"""The ``dialgauge`` command: its commands, its exit codes, and what happens when something goes wrong.

Exit codes: 0 all well, 1 the work was done and the answer is no (a check that failed), 2 bad input or settings,
70 a fault of dialgauge itself, 130 interrupted. Commands live in modules of their own and import the rooms they need
when they run, so that ``dialgauge --help`` stays quick.
"""

import os
import sys
import traceback
import warnings
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


#: In the order of the work, which is the order of the help.
_COMMANDS = (
    _init,
    _run,
    _report,
    _explore,
    _inspect,
    _convert,
    _datasets,
    _metrics,
    _models,
    _cache,
    _summarize,
    _finetune_summarizer,
    _attention,
    _perturb,
    _score,
    _affect,
    _annotate,
    _agreement,
    _correlate,
    _robustness,
    _train,
    _train_tables,
    _finetune,
    _compare,
    _datasheet,
    _compare_runs,
    _table,
    _paper,
    _bench,
)
for _command in _COMMANDS:
    _command.add_to(app)


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


def main() -> None:
    """Run the command line; user errors become one clear message and exit code 2."""
    warnings.showwarning = _tell
    try:
        app(prog_name="dialgauge")
    except DialgaugeError as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("interrupted", code=130)
    except BrokenPipeError:
        # The reader of our output (head, less) went away: that is its right, not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror or error}" if error.filename else str(error))
    except Exception:
        # Not 1, which a failed check has: a job must not take a fault of ours for an answer.
        traceback.print_exc()
        fail("this is a fault of dialgauge; please report it with the lines above", code=70)
