"""The ``dialgauge`` command: its subcommands, exit codes and error handling.

Exit codes: 0 success, 1 a check failed, 2 invalid input or settings,
70 an internal error, 130 interrupted. Commands live in modules of their own and import the packages they need
when they run, so that ``dialgauge --help`` stays quick.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Annotated, Any, NoReturn, TextIO

import typer

from dialgauge.cli._help import Group, add_under_headings
from dialgauge.cli._output import fail, note
from dialgauge.cli._threads import choose_threads
from dialgauge.errors import DialgaugeError
from dialgauge.lazy import load_when_used
from dialgauge.progress import no_bars

#: What typer raises for a command line that it cannot read. Of that kind it exports only this one.
_UsageError: Any = typer.BadParameter.__base__
_INTERRUPTED = 130


def _print_version(wanted: bool) -> None:
    if wanted:
        from dialgauge import __version__
        from dialgauge.metrics import kernel_name

        typer.echo(f"dialgauge {__version__} (kernels: {kernel_name()}, Python {sys.version.split()[0]})")
        raise typer.Exit()


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass


#: The modules of the commands under each heading, in the order of the help.
_HEADINGS = {
    "Run a study": ("_init", "_run", "_verdict", "_report", "_plot", "_explore", "_compare_runs", "_table"),
    "Prepare data": ("_inspect", "_convert", "_datasets"),
    "Score summaries": ("_metrics", "_languages", "_score", "_check", "_affect"),
    "Generate and perturb summaries": ("_summarize", "_finetune_summarizer", "_attention", "_perturb", "_robustness"),
    "Collect and analyse ratings": ("_plan", "_annotate", "_agreement", "_raters", "_correlate", "_compare_systems"),
    "Train metrics": ("_train", "_train_tables", "_finetune", "_finetune_table", "_train_checker"),
    "Reproduce and document studies": ("_compare", "_datasheet", "_paper"),
    "Benchmarks, models and cache": ("_bench", "_models", "_cache"),
}
#: Commands that are not called as their module.
_ELSEWHERE = {"summarizers": "_summarize", "perturbations": "_perturb", "finetune-metric": "_finetune"}


def module_of(command: str) -> str | None:
    """The module that registers a command; None if no command is called so."""
    module = _ELSEWHERE.get(command, "_" + command.replace("-", "_"))
    return module if any(module in modules for modules in _HEADINGS.values()) else None


@cache
def make_app(only: str | None = None) -> typer.Typer:
    """The command line with all commands, or with those of one module: the others take half a second to import."""
    made = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Which automatic metric can be trusted on your dialogue summaries, for which dimension, and how much?",
        epilog="Quick start: [bold]dialgauge init study.toml[/] then [bold]dialgauge run study.toml[/]",
    )
    made.callback()(_root)
    wanted = {
        heading: [import_module(f"dialgauge.cli.{name}") for name in modules if only in (None, name)]
        for heading, modules in _HEADINGS.items()
    }
    add_under_headings(made, wanted)
    return made


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return make_app()


def _asked() -> typer.Typer:
    """What the command line at hand needs: one command if it begins with its name, otherwise all."""
    words = sys.argv[1:]
    if "_DIALGAUGE_COMPLETE" in os.environ:
        # What was typed so far; the word under the cursor is no name of a command yet.
        typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
        words = typed.split()[1:] if len(typed.split()) > 2 or typed.endswith((" ", "\n")) else []
    return make_app(module_of(words[0]) if words else None)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning on one line, without the source location that Python adds."""
    note(f"warning: {message}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and its causes: typer turns some exceptions into a silent exit."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _without_value(context: Any) -> str | None:
    """What to say where an option took the next one for its value: only the word after that is then found wrong."""
    names = {name: option for option in context.command.params for name in option.opts} if context else {}
    for name, following in pairwise(sys.argv[1:]):
        if following in names and name in names and not getattr(names[name], "is_flag", True):
            return f"{name} needs a value; {following} follows it"
    return None


def _explain(error: Any) -> NoReturn:
    """Print what is wrong with the command line, and which help says what is right."""
    if type(error).__name__ == "NoArgsIsHelpError":
        if error.message:  # empty where the help was printed as the error was made
            typer.echo(error.message)
        sys.exit(2)
    said = _without_value(error.ctx) or error.format_message().rstrip(".")
    command = error.ctx.command_path if error.ctx else "dialgauge"
    fail(f"{said[:1].lower()}{said[1:]} ('{command} -h' shows what it takes)")


def _room(error: OSError) -> str:
    """What there is on a disk that is full, and how to go on."""
    from dialgauge.files import FULL_DISK, free_space

    if error.errno not in FULL_DISK:
        return ""
    return f" ({free_space(error.filename or '.')}): free some space, or name another place"


def _without_plugins() -> None:
    """Pydantic would look for plugins in every installed package, which takes longer than scoring some hundred pairs.

    The module that would look takes a while to load even where it may not.
    """
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        unused = sys.modules.setdefault("pydantic.plugin._loader", ModuleType("pydantic.plugin._loader"))
        vars(unused).setdefault("get_plugins", tuple)


def main() -> None:
    """Run the command line; user errors give one clear message and exit code 2 (1 where too much would be left out)."""
    warnings.showwarning = _show_warning
    _without_plugins()
    load_when_used("importlib.metadata")  # Polars imports it and does not use it here
    choose_threads(sys.argv[1:])
    no_bars()  # commands show their own
    try:
        code = _asked()(prog_name="dialgauge", standalone_mode=False)
        if code == _INTERRUPTED:
            fail("interrupted", code)
        sys.exit(code or 0)
    except DialgaugeError as error:
        fail(str(error), code=error.exit_status)
    except _UsageError as error:
        _explain(error)
    except typer.Abort:
        fail("no answer was given", code=1)
    except SystemExit as end:
        if BrokenPipeError in [type(cause) for cause in _causes(end)]:
            # The reader of our output (head, less) closed the pipe, which is not an error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        raise
    except OSError as error:
        fail((f"{error.filename}: {error.strerror or error}" if error.filename else str(error)) + _room(error))
    except MemoryError as error:
        fail(
            f"not enough memory ({error or 'no more was given'}): give it less at once (score --stream reads in chunks)"
        )
    except Exception:
        # Not 1, the code of a failed check: a job must not mistake an internal error for a result.
        traceback.print_exc()
        fail("internal error in dialgauge; please report it with the lines above", code=70)
