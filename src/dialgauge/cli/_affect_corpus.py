"""``dialgauge affect filter``, ``describe`` and ``examples``: affective words in a corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.affect import FilterSettings, TaggerSettings
from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._options import Html, output_option
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar, write_file
from dialgauge.cli._settings import Only, with_options
from dialgauge.errors import counted
from dialgauge.tables import NOTHING, harmless

if TYPE_CHECKING:
    import polars as pl
    from rich.text import Text

    from dialgauge.affect import FaithfulPair, Segment, Spread

#: Marks that do not rely on colour alone: bold with a plus, underlined with a minus.
_STYLES = {"positive": ("+", "bold cyan"), "negative": ("−", "underline yellow")}
_BOX = 36


def add_to(app: typer.Typer) -> None:
    """Register the commands with the group ``affect``."""
    app.command("filter")(filter)
    app.command("describe")(describe)
    app.command("examples")(examples)


@with_options
def filter(
    corpus: Source,
    output: Annotated[
        Path,
        output_option(
            "Filtered corpus to write: a file, or a name without a suffix for a folder.",
            pipe=".jsonl",
            show_default=False,
        ),
    ],
    by: Annotated[TaggerSettings, Only("tagger")],
    settings: FilterSettings,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Remove the pairs of dialogue and reference without affective words.

    [bold]dialgauge affect filter train.jsonl -o filtered.jsonl[/]

    Prints the counts in the layout of Table 4 of Zhou et al. (2024).
    """
    from dialgauge.affect import filter_corpus, tagger as make_tagger
    from dialgauge.corpus import write_corpus

    read = load_corpus(corpus, format, map, strict)
    chosen = make_tagger(by.tagger)
    with progress_bar("affect") as progress:
        progress("tagging", 0, 1)
        found = filter_corpus(read, chosen, settings)
        write_corpus(found.corpus, output)
    if json:
        asked = {"keep": settings.keep, "seed": settings.seed if settings.subsample else None}
        print_json({"written": str(output), **found.as_dict(), **asked, "tagger": chosen.signature})
        return
    kept = "drawn at random" if settings.subsample else f"filtered by {chosen.name}"
    columns = ["corpus", "full", kept, "kept", "zero: dialogue", "zero: summary"]
    counts = [found.full, found.kept, f"{100 * (found.share or 0):.1f} %", found.zero_dialogues, found.zero_summaries]
    row = [number if isinstance(number, str) else f"{number:,}" for number in counts]
    print_table("Pairs of dialogue and reference", columns, [(read.info.name, *row)], numeric=columns[1:])
    note(f"wrote {counted(found.corpus.dialogues.height, 'dialogue')} to {output}")
    note(chosen.signature)


@with_options
def describe(
    corpus: Source,
    settings: TaggerSettings,
    html: Html = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Show the share of affective words in the dialogues of a corpus and in their summaries.

    [bold]dialgauge affect describe calls.jsonl --html affect.html[/]

    Box plots of PSentDial and PSentSumm, for all pairs (full) and for those with affective words on both sides
    (filtered); tables per system and per domain.
    """
    from dialgauge.affect import describe_shares, shares_frame, tagger as make_tagger
    from dialgauge.errors import InputError
    from dialgauge.report import render_affect_corpus

    read = load_corpus(corpus, format, map, strict)
    if read.summaries.is_empty():
        raise InputError(f"corpus {read.info.name!r} has no summaries to compare the dialogues with")
    chosen = make_tagger(settings.tagger)
    with progress_bar("affect") as progress:
        progress("tagging", 0, 1)
        shares = shares_frame(read, chosen, denominator=settings.denominator)
    signature = f"{chosen.signature}|denominator:{settings.denominator}"
    nothing = not (shares["dialogue_all"].fill_null(0) > 0).any()
    warning = f"no dialogue has an affective word by {chosen.name!r}: every share is 0"
    if html is not None:
        title = f"Affect in {read.info.name}"
        write_file(html, render_affect_corpus(shares, title, signature, [warning.capitalize()] if nothing else []))
    if json:
        print_json(
            {
                "signature": signature,
                "pairs": shares.height,
                "groups": describe_shares(shares).to_dicts(),
                "domains": describe_shares(shares, ["kind", "domain"]).to_dicts(),
                "warnings": [warning] if nothing else [],
            }
        )
        return
    _print_spreads(shares)
    if nothing:
        note(warning)
    note(signature)


def _print_spreads(shares: "pl.DataFrame") -> None:
    import polars as pl

    from dialgauge.affect import SERIES, Spread, affective
    from dialgauge.report import spread_rows

    references = shares.filter(pl.col("kind") == "reference")
    shown = shares if references.is_empty() else references
    spreads = [
        (f"{name}, {which}", Spread.of(chosen[f"{series}_all"]))
        for which, chosen in (("full", shown), ("filtered", affective(shown)))
        for series, name in SERIES.items()
    ]
    highest = max((spread.high for _, spread in spreads if spread), default=0.0) or 1.0
    whom = "all summaries" if references.is_empty() else "the references"
    rows = [(name, NOTHING if spread is None else spread.count, *_boxed(spread, highest)) for name, spread in spreads]
    columns = ["", "pairs", f"0 to {100 * highest:.0f} %", "median"]
    print_table(f"Share of affective words: dialogues and {whom}", columns, rows, numeric=["pairs", "median"])
    heads = ["pairs", "0 dial.", "0 summ.", "dialogue", "summary", "dial., filt.", "summ., filt."]
    tables = [("system", shares, "system")]
    if shown["domain"].null_count() < shown.height:
        tables.append(("domain", shown, f"domain ({whom})"))
    for by, frame, title in tables:
        lines = [
            (
                *(row.name, row.pairs, row.zero_dialogues, row.zero_summaries, *row.cells[:2]),
                *(cell.partition(" [")[0] for cell in row.cells[2:]),
            )
            for row in spread_rows(frame, by)
        ]
        print_table(f"By {title}: median [quartiles] in per cent", [by, *heads], lines, numeric=heads, compact=True)


def _boxed(spread: "Spread | None", highest: float) -> tuple[str, str]:
    """A box plot in characters, and the median in per cent."""
    if spread is None:
        return "no pair", NOTHING

    def at(value: float) -> int:
        return round((_BOX - 1) * value / highest)

    line = [" "] * _BOX
    for places, mark in (((spread.low, spread.high), "─"), ((spread.first, spread.third), "█")):
        for i in range(at(places[0]), at(places[1]) + 1):
            line[i] = mark
    line[at(spread.median)] = "│" if spread.third > spread.first else "█"
    return "".join(line), f"{100 * spread.median:.1f} %"


@with_options
def examples(
    corpus: Source,
    settings: Annotated[TaggerSettings, Only("tagger")],
    count: Annotated[int, typer.Option("--count", "-n", help="Number of examples of each kind.")] = 3,
    system: Annotated[str | None, typer.Option("--system", help="Show only summaries of this system.")] = None,
    html: Html = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Show the summaries whose shares of affective words are closest to their dialogues, and the most distant ones.

    [bold]dialgauge affect examples calls.jsonl --html examples.html[/]

    Affective words are marked in both texts: +positive+ in bold, −negative− underlined.
    """
    from dialgauge.affect import faithful_summaries
    from dialgauge.report import render_affect_examples

    read = load_corpus(corpus, format, map, strict)
    with progress_bar("affect") as progress:
        progress("tagging", 0, 1)
        found = faithful_summaries(read, settings.tagger, count=count, system=system)
    if html is not None:
        write_file(
            html, render_affect_examples(found, f"Most and least faithful summaries by affect: {read.info.name}")
        )
    if json:
        lists = {name: [pair.as_dict() for pair in getattr(found, name)] for name in ("most", "least")}
        print_json(
            {"signature": found.signature, "pairs": found.pairs, "zero": found.zero, "empty": found.empty, **lists}
        )
        return
    for title, pairs in (("Most faithful", found.most), ("Least faithful", found.least)):
        if pairs:
            console.print(f"{title}\n", style="bold", highlight=False)
        for pair in pairs:
            _print_pair(pair)
    compared = counted(found.pairs, "summary", "summaries")
    note(f"{compared} compared; {found.zero:,} skipped because the dialogue has no affective words")
    note(found.signature)


def _print_pair(pair: "FaithfulPair") -> None:
    from rich.padding import Padding
    from rich.text import Text

    head = Text(harmless(f"{pair.dialogue_id}, {pair.system}"), "bold")
    head.append(f"   distance {100 * pair.distance:.1f} points", "dim")
    console.print(head)
    for name, segments in (("dialogue", pair.dialogue), ("summary", pair.summary)):
        shares = getattr(pair, f"{name}_shares")
        shown = f"{name}: +{100 * shares['positive']:.1f} %, −{100 * shares['negative']:.1f} %"
        console.print(f"  {shown}", style="dim", highlight=False)
        console.print(Padding(_marked(segments), (0, 0, 0, 4)), highlight=False)
    console.print()


def _marked(segments: "tuple[Segment, ...]") -> "Text":
    from rich.text import Text

    shown = Text()
    for text, label in segments:
        sign, style = _STYLES.get(label, ("", ""))
        shown.append(f"{sign}{harmless(text)}{sign}", style=style or None)
    return shown
