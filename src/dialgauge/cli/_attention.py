"""``dialgauge attention``: where summarizers look in a dialogue, as a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._options import Device
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar, write_file
from dialgauge.errors import InputError, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dialgauge.summarize import AttentionMap, AttentionShare

Models = Annotated[
    list[str],
    typer.Option("--model", "-m", help="A sequence-to-sequence model; repeat it to see several side by side."),
]
Summary = Annotated[str | None, typer.Option(help="Follow this summary instead of one that the model writes.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("attention")(attention)


def attention(
    corpus: Source,
    dialogue: Annotated[str, typer.Option("--dialogue", "-d", help="The id of the dialogue.")],
    models: Models,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML page to write.")],
    layer: Annotated[int | None, typer.Option(help="Layer of the decoder, from 1. Default: the last.")] = None,
    head: Annotated[int | None, typer.Option(help="Head of that layer, from 1. Default: the last.")] = None,
    tagger: Annotated[str, typer.Option(help="Whose words are marked as positive and negative.")] = "vader",
    summary: Summary = None,
    role: Annotated[str, typer.Option(help="Whose turns are read, for a model of one role.")] = "overall",
    prefix: Annotated[str, typer.Option(help='What leads the dialogue, as in "summarize: " for T5.')] = "",
    window: Annotated[int | None, typer.Option(min=4, help="Tokens read at a time. Default: all it can.")] = None,
    beams: Annotated[int, typer.Option(min=1, help="Beams of the model when it writes.")] = 4,
    device: Device = "auto",
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Show where summarizers look in a dialogue: cross-attention as a heat map, with the sentiment words marked.

    [bold]dialgauge attention calls.jsonl -d call-7 -m folder:runs/affect/full/checkpoint -m
    folder:runs/affect/filtered/checkpoint -o attention.html[/]

    The page is one file that needs no network. Beside each map stands how much of the attention the positive and
    negative words got, and how much their number alone would give them.
    """
    from dialgauge.affect import tagger as make_tagger
    from dialgauge.corpus import OVERALL
    from dialgauge.models import load
    from dialgauge.summarize import GenerationSettings, attention_map, attention_shares, render_attention

    loaded = load_corpus(corpus, format, map)
    side = loaded.dialogue(dialogue).side(role)
    if role != OVERALL and not side.turns:
        raise InputError(f"dialogue {dialogue!r}: nobody in it has the role {role!r}")
    chosen = make_tagger(tagger)
    settings = GenerationSettings(beams=beams)
    maps = []
    with progress_bar("attention") as progress:
        for done, name in enumerate(models):
            progress(name, done, len(models))
            model = load("seq2seq", name, device)
            maps.append(
                attention_map(
                    model,
                    side.text,
                    summary,
                    layer=layer,
                    head=head,
                    settings=settings,
                    prefix=prefix,
                    window=window,
                )
            )
    references = loaded.references.filter(dialogue_id=dialogue, role=role)["text"].to_list()
    page = render_attention(maps, chosen, title=f"Attention over {dialogue}", references=references)
    _say_what_was_read(maps)
    write_file(output, page)
    shares = {mapped.model: attention_shares(mapped, chosen) for mapped in maps}
    if json:
        print_json([_as_json(mapped, shares[mapped.model]) for mapped in maps])
    else:
        _print(maps, shares)


def _say_what_was_read(maps: "Sequence[AttentionMap]") -> None:
    for mapped in maps:
        if mapped.unread:
            note(f"{mapped.model}: beyond what it can read: the last {counted(mapped.unread, 'word')} of the dialogue")
        if mapped.parts > 1:
            note(f"{mapped.model}: longer than its window: read in {mapped.parts} parts, whose summaries were joined")


def _as_json(mapped: "AttentionMap", shares: "Sequence[AttentionShare]") -> dict[str, Any]:
    return {
        "model": mapped.model,
        "layer": mapped.layer,
        "head": mapped.head,
        "summary": mapped.summary.text,
        "unread_words": mapped.unread,
        "parts": mapped.parts,
        "elsewhere": mapped.elsewhere,
        "shares": {
            share.label: {
                "words": share.words,
                "word_share": share.word_share,
                "attention_share": share.attention_share,
            }
            for share in shares
        },
    }


def _print(maps: "Sequence[AttentionMap]", shares: "Mapping[str, Sequence[AttentionShare]]") -> None:
    from dialgauge.tables import number_cell

    places = {f"layer {mapped.layer}, head {mapped.head}" for mapped in maps}
    alike = len(places) == 1
    rows = [
        (
            mapped.model if alike else f"{mapped.model}, layer {mapped.layer}, head {mapped.head}",
            share.label,
            share.words,
            f"{share.word_share:.1%}",
            f"{share.attention_share:.1%}",
            number_cell(share.lift),
        )
        for mapped in maps
        for share in shares[mapped.model]
    ]
    heads = ("model", "words", "count", "of words", "of attention", "ratio")
    print_table(f"attention of {places.pop() if alike else 'each model'}", heads, rows, numeric=heads[2:])
