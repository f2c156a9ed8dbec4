"""``dialgauge attention``: where summarizers look in a dialogue, as a page."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("attention")(attention)


def attention(
    corpus: Source,
    dialogue: Annotated[str, typer.Option("--dialogue", "-d", help="The id of the dialogue.")],
    models: Annotated[
        list[str],
        typer.Option("--model", "-m", help="A sequence-to-sequence model; repeat it to see several side by side."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML page to write.")],
    layer: Annotated[int | None, typer.Option(help="Layer of the decoder, from 1. Default: the last.")] = None,
    head: Annotated[int | None, typer.Option(help="Head of that layer, from 1. Default: the last.")] = None,
    tagger: Annotated[str, typer.Option(help="Whose words are marked as positive and negative.")] = "vader",
    summary: Annotated[
        str | None, typer.Option(help="Follow this summary instead of one that the model writes.")
    ] = None,
    beams: Annotated[int, typer.Option(min=1, help="Beams of the model when it writes.")] = 4,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
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
    import polars as pl

    from dialgauge.affect import tagger as make_tagger
    from dialgauge.files import write_text
    from dialgauge.models import load
    from dialgauge.summarize import GenerationSettings, attention_map, attention_shares, render_attention

    loaded = load_corpus(corpus, format, map)
    text = loaded.dialogue(dialogue).text
    chosen = make_tagger(tagger)
    maps = []
    with progress_bar("attention") as progress:
        for done, name in enumerate(models):
            progress(name, done, len(models))
            model = load("seq2seq", name, device)
            settings = GenerationSettings(beams=beams)
            maps.append(attention_map(model, text, summary, layer=layer, head=head, settings=settings))
    references = loaded.references.filter(pl.col("dialogue_id") == dialogue)["text"].to_list()
    write_text(output, render_attention(maps, chosen, title=f"Attention over {dialogue}", references=references))
    for mapped in maps:
        if mapped.unread:
            note(f"{mapped.model}: the last {mapped.unread:,} words of the dialogue are beyond what it can read")
    note(f"wrote {output}")
    shares = {mapped.model: attention_shares(mapped, chosen) for mapped in maps}
    if json:
        print_json(
            [
                {
                    "model": mapped.model,
                    "layer": mapped.layer,
                    "head": mapped.head,
                    "summary": mapped.summary.text,
                    "unread_words": mapped.unread,
                    "elsewhere": mapped.elsewhere,
                    "shares": {
                        share.label: {
                            "words": share.words,
                            "word_share": share.word_share,
                            "attention_share": share.attention_share,
                        }
                        for share in shares[mapped.model]
                    },
                }
                for mapped in maps
            ]
        )
        return
    rows = [
        (
            mapped.model,
            share.label,
            share.words,
            f"{share.word_share:.1%}",
            f"{share.attention_share:.1%}",
            "–" if share.lift is None else f"{share.lift:.2f}",
        )
        for mapped in maps
        for share in shares[mapped.model]
    ]
    heads = ("model", "words", "count", "of words", "of attention", "ratio")
    first = maps[0]
    print_table(f"attention of layer {first.layer}, head {first.head}", heads, rows, numeric=heads[2:])
