"""``dialgauge summarizers`` and ``dialgauge summarize``: which systems there are, and summaries written by them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.errors import InputError

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.summarize import Summarized, Summarizer

#: So many different remarks are shown.
_SHOWN = 5
_MODELS, _CHAT = "With models", "With a chat model"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("summarizers")(summarizers)
    app.command("summarize")(summarize)


def summarizers(
    name: Annotated[
        str | None, typer.Argument(help="One summarizer to show in full; without it, all are listed.")
    ] = None,
    json: Json = False,
) -> None:
    """List the systems that can write summaries, with their parameters.

    Name one as NAME or NAME:PARAMETER=VALUE,…, as in [bold]longest:n=2,units=sentences[/].
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
    console.print("[dim]dialgauge summarizers NAME shows one in full.[/]")


def summarize(
    corpus: Source,
    systems: Annotated[
        list[str],
        typer.Option("--system", "-s", help="A summarizer: [bold][SYSTEM=]NAME[:PARAMETER=VALUE,…][/]; repeatable."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the corpus with the summaries is written.")],
    roles: Annotated[
        list[str] | None,
        typer.Option("--role", help="Whose side is summarized: overall (the default), agent, user …; repeatable."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write summaries anew that the corpus has of a system already.")
    ] = False,
    batch_tokens: Annotated[
        int | None,
        typer.Option("--batch-tokens", min=1, help="Tokens per batch of a model.", rich_help_panel=_MODELS),
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option("--max-calls", min=0, help="Ask no more often than this.", rich_help_panel=_CHAT)
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", min=0, help="Ask no more once so many tokens are spent.", rich_help_panel=_CHAT),
    ] = None,
    parallel: Annotated[int, typer.Option("--parallel", min=1, help="Questions at a time.", rich_help_panel=_CHAT)] = 4,
    price: Annotated[
        float | None, typer.Option("--price", min=0, help="Price of a million tokens.", rich_help_panel=_CHAT)
    ] = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Write summaries of all dialogues with one or more systems, and a corpus that holds them.

    [bold]dialgauge summarize calls.jsonl -s lead -s bart=seq2seq:model=folder:/models/bart -o summarized[/]

    The output is a folder of Parquet, or a file by its ending (.jsonl, .csv …). Finished summaries are kept in
    OUTPUT.journal.jsonl until all are there: after a crash, a kill or a spent budget the same command goes on. A
    dialogue longer than a model's window is read in parts and noted, never cut.
    """
    from dialgauge.corpus import OVERALL, write_corpus
    from dialgauge.models import ChatBudget
    from dialgauge.summarize import Means
    from dialgauge.summarize import summarize as summarize_corpus

    loaded = load_corpus(corpus, format, map, strict)
    _check_output(loaded, output, roles or [OVERALL])
    journal = output.resolve().with_name(f"{output.resolve().name}.journal.jsonl")
    means = Means(batch_tokens, parallel, ChatBudget(requests=max_calls, tokens=max_tokens))
    with progress_bar("summarizing") as progress:
        result = summarize_corpus(
            loaded,
            systems,
            roles=roles or [OVERALL],
            replace_existing=replace,
            means=means,
            journal=journal,
            progress=progress,
        )
    write_corpus(result.corpus, output)
    journal.unlink(missing_ok=True)
    rows = _rows(result)
    account = _account(result, price)
    if json:
        print_json(
            {
                "output": str(output),
                "summaries": result.added.height,
                "resumed": result.resumed,
                "systems": rows,
                "signatures": dict(result.signatures),
                "failures": result.failures.to_dicts(),
                "notes": result.notes.to_dicts(),
            }
            | ({"chat": account} if account else {})
        )
        return
    print_table(
        f"{loaded.info.name}: summaries written",
        ("system", "role", "summaries", "without", "with a note", "words"),
        ((r["system"], r["role"], r["summaries"], r["failures"], r["notes"], _words(r["words"])) for r in rows),
        numeric=["summaries", "without", "with a note", "words"],
    )
    _say_remarks("no summary", result.failures, "reason")
    _say_remarks("note", result.notes, "note")
    if account:
        cost = f", cost {account['cost']:.4f}" if "cost" in account else ""
        note(f"chat: {account['calls']} calls, {account['cached']} from cache, {account['tokens']} tokens{cost}")
    if result.resumed:
        note(f"{result.resumed} summaries were there from an earlier run")
    note(f"wrote {result.added.height} summaries to {output}")


def _check_output(corpus: "Corpus", output: Path, roles: list[str]) -> None:
    """Refuse, before hours of work, an output that could not be written after them."""
    from dialgauge.corpus import Corpus, Summary, write_corpus

    if output.is_dir() and any(output.iterdir()) and not (output / "corpus.toml").is_file():
        raise InputError(f"{output}: exists and is no dialgauge folder; it will not be overwritten")
    dialogues = list(corpus.select(dialogues=corpus.dialogues["dialogue_id"][:1]).iter_dialogues())
    written = [Summary(d.id, "s", "t", role=role, provenance={"note": "n"}) for d in dialogues for role in roles]
    with TemporaryDirectory() as folder:
        try:
            write_corpus(Corpus.build(dialogues, written), Path(folder) / output.resolve().name)
        except InputError as error:
            raise InputError(str(error).replace(folder, str(output.resolve().parent))) from error


def _rows(result: "Summarized") -> list[dict[str, Any]]:
    """Per system and role: how many summaries there are, of how many words, and how many are not."""
    import polars as pl

    keys = ["system", "role"]
    counts = [
        result.added.group_by(keys).agg(
            pl.len().alias("summaries"), pl.col("text").str.count_matches(r"\S+").mean().alias("words")
        ),
        result.failures.group_by(keys).agg(pl.len().alias("failures")),
        result.notes.group_by(keys).agg(pl.len().alias("notes")),
    ]
    table = pl.concat([count.select(keys) for count in counts]).unique()
    for count in counts:
        table = table.join(count, on=keys, how="left")
    table = table.with_columns(pl.col("summaries", "failures", "notes").fill_null(0)).sort(keys)
    return table.select(*keys, "summaries", "failures", "notes", "words").to_dicts()


def _words(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.1f}"


def _account(result: "Summarized", price: float | None) -> dict[str, Any] | None:
    usage = result.usage
    if not usage.calls and not usage.cached:
        return None
    entry: dict[str, Any] = {"calls": usage.calls, "cached": usage.cached, "tokens": usage.tokens}
    return entry if price is None else entry | {"cost": usage.tokens * price / 1e6}


def _say_remarks(what: str, remarks: Any, column: str) -> None:
    """On stderr, the most frequent remarks, each with how many summaries it is about."""
    counts = remarks.group_by(column).len().sort(["len", column], descending=[True, False]).rows()
    for text, count in counts[:_SHOWN]:
        note(f"{what} ({count}): {text}")
    if len(counts) > _SHOWN:
        rest = sum(count for _, count in counts[_SHOWN:])
        note(f"{what} ({rest}): … {len(counts) - _SHOWN} more kinds; --json has them all")


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
        [("description", entry.description), ("citation", entry.citation or "–"), ("version", entry.version)],
    )
    print_table(
        "parameters",
        ("name", "default", "what it does"),
        (
            (name, p.default or "–", f"{p.help} ({' | '.join(p.choices)})" if p.choices else p.help)
            for name, p in entry.parameters.items()
        ),
    )
