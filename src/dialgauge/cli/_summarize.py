"""``dialgauge summarizers`` and ``dialgauge summarize``: list summarizers and generate summaries."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._completion import complete_summarizer
from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.cli._settings import with_options
from dialgauge.errors import DialgaugeError, InputError, counted
from dialgauge.summarize import SummarizeSettings
from dialgauge.tables import NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dialgauge.corpus import Corpus
    from dialgauge.models import ChatUsage, TokenPrice
    from dialgauge.summarize import Summarized, Summarizer

#: Maximum number of different remarks shown.
_SHOWN = 5

Systems = Annotated[
    list[str],
    typer.Option(
        "--system",
        "-s",
        help="Summarizer: [bold][SYSTEM=]NAME[:PARAMETER=VALUE,…][/] (repeatable).",
        autocompletion=complete_summarizer,
    ),
]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("summarizers")(summarizers)
    app.command("summarize")(summarize)


def summarizers(
    name: Annotated[str | None, typer.Argument(help="Summarizer to show in detail (default: list all).")] = None,
    json: Json = False,
) -> None:
    """List the summarizers and their parameters.

    [bold]dialgauge summarizers longest[/]

    Specify one as NAME or NAME:PARAMETER=VALUE,…, as in [bold]longest:n=2,units=sentences[/].
    """
    from dialgauge.summarize import all_summarizers, find_summarizer

    if name is not None:
        entry = find_summarizer(name)
        if json:
            print_json(_facts(entry))
        else:
            _show(entry)
        return
    known = all_summarizers().values()
    if json:
        print_json({"summarizers": [_facts(entry) for entry in known]})
        return
    print_table(
        "summarizers",
        ("name", "what it writes", "parameters"),
        ((entry.name, entry.description, ", ".join(entry.parameters)) for entry in known),
    )
    console.print("[dim]dialgauge summarizers NAME shows the details of one.[/]")


@with_options
def summarize(
    corpus: Source,
    systems: Systems,
    output: Annotated[Path, output_option("File or folder for the corpus with the summaries.", pipe=".jsonl")],
    settings: SummarizeSettings,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Generate summaries of all dialogues with one or more systems, and write a corpus with them.

    [bold]dialgauge summarize calls.jsonl -s lead -s bart=seq2seq:model=folder:/models/bart -o summarized[/]

    The output is a folder of Parquet files, or a file by its suffix (.jsonl, .csv …). Finished summaries are kept in
    OUTPUT.journal.jsonl until all are there: after a crash, a kill or a spent budget, rerun to resume. A
    dialogue longer than a model's window is read in parts and noted, never truncated.
    """
    from dialgauge.corpus import write_corpus
    from dialgauge.summarize import Means, summarize as summarize_corpus

    tokens_cost = settings.token_price
    loaded = load_corpus(corpus, format, map, strict)
    _check_output(loaded, output, settings.roles)
    journal = output.resolve().with_name(f"{output.resolve().name}.journal.jsonl")
    means = Means.of(settings)
    try:
        with progress_bar("summarizing") as progress:
            result = summarize_corpus(loaded, systems, settings, means=means, journal=journal, progress=progress)
    except (DialgaugeError, KeyboardInterrupt) as stop:
        _report_usage(means.usage, tokens_cost)
        if isinstance(stop, KeyboardInterrupt) and journal.exists():
            note(f"interrupted: finished summaries are kept in {journal}; rerun the command to resume")
        raise
    write_corpus(result.corpus, output)
    journal.unlink(missing_ok=True)
    if json:
        print_json(_as_json(result, output, tokens_cost))
    else:
        _print(loaded.info.name, result)
        _report_usage(result.usage, tokens_cost)
        for text in result.corpus.notes[len(loaded.notes) :]:
            note(f"note: {text}")
        if result.resumed:
            note(f"reused from an earlier run: {counted(result.resumed, 'summary', 'summaries')}")
        note(f"wrote {counted(result.added.height, 'summary', 'summaries')} to {output}")


def _as_json(result: "Summarized", output: Path, price: "TokenPrice | None") -> dict[str, Any]:
    return {
        "output": str(output),
        "summaries": result.added.height,
        "resumed": result.resumed,
        "ratings_dropped": result.ratings_dropped,
        "systems": result.counts(),
        "signatures": dict(result.signatures),
        "failures": result.failures.to_dicts(),
        "notes": result.notes.to_dicts(),
        **({"chat": result.usage.account(price)} if result.usage.asked else {}),
    }


def _print(name: str, result: "Summarized") -> None:
    print_table(
        f"{name}: summaries written",
        ("system", "role", "summaries", "without", "with a note", "words"),
        (
            (row["system"], row["role"], row["summaries"], row["failures"], row["notes"], _words(row["words"]))
            for row in result.counts()
        ),
        numeric=["summaries", "without", "with a note", "words"],
    )
    _report_remarks("no summary", result.failures, "reason")
    _report_remarks("note", result.notes, "note")


def _report_usage(usage: "ChatUsage", price: "TokenPrice | None") -> None:
    """Report the usage of chat endpoints on stderr, if any."""
    if usage.asked:
        note(f"chat: {usage.line(price)}")


def _check_output(corpus: "Corpus", output: Path, roles: "Sequence[str]") -> None:
    """Fail before hours of work if the output cannot be written."""
    from dialgauge.corpus import Corpus, Summary, write_corpus

    if output.is_dir() and any(output.iterdir()) and not (output / "corpus.toml").is_file():
        raise InputError(f"{output}: exists and is not a dialgauge folder; it will not be overwritten")
    dialogues = list(corpus.select(dialogues=corpus.dialogues["dialogue_id"][:1]).iter_dialogues())
    written = [Summary(d.id, "s", "t", role=role, provenance={"note": "n"}) for d in dialogues for role in roles]
    with TemporaryDirectory() as folder:
        try:
            write_corpus(Corpus.build(dialogues, written), Path(folder) / output.resolve().name)
        except InputError as error:
            raise InputError(str(error).replace(folder, str(output.resolve().parent))) from error


def _words(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.1f}"


def _report_remarks(what: str, remarks: Any, column: str) -> None:
    """Report the most frequent remarks on stderr, each with its number of summaries."""
    counts = remarks.group_by(column).len().sort(["len", column], descending=[True, False]).rows()
    for text, count in counts[:_SHOWN]:
        note(f"{what} ({count}): {text}")
    if len(counts) > _SHOWN:
        rest = sum(count for _, count in counts[_SHOWN:])
        note(f"{what} ({rest}): … {len(counts) - _SHOWN} more kinds; --json lists all")


def _facts(entry: "Summarizer") -> dict[str, Any]:
    return {
        "name": entry.name,
        "description": entry.description,
        "citation": entry.citation,
        "reads_references": entry.reads_references,
        "parameters": {
            name: {"default": p.default, "choices": list(p.choices), "help": p.help}
            for name, p in entry.parameters.items()
        },
        "version": entry.version,
    }


def _show(entry: "Summarizer") -> None:
    print_table(
        entry.name,
        ("field", "value"),
        [("description", entry.description), ("citation", entry.citation or NOTHING), ("version", entry.version)],
    )
    print_table(
        "parameters",
        ("name", "default", "what it does"),
        (
            (name, p.default or NOTHING, f"{p.help} ({' | '.join(p.choices)})" if p.choices else p.help)
            for name, p in entry.parameters.items()
        ),
    )
