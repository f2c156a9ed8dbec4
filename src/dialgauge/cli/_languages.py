"""``dialgauge languages``: the languages with rules for splitting texts."""

import typer

from dialgauge.cli._output import Json, console, print_json, print_table


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("languages")(languages)


def languages(json: Json = False) -> None:
    """List the supported languages of metrics and summarizers: codes, stemmers and stop words.

    [bold]dialgauge languages[/]

    Use a code as a parameter: [bold]dialgauge score calls.jsonl -m rouge-1:lang=fr,stem=yes[/].

    [bold]dialgauge languages --json[/]
    """
    from dialgauge.language import all_languages, language_signature

    found = all_languages().values()
    if json:
        print_json(
            {
                "languages": [
                    {
                        "code": one.code,
                        "title": one.title,
                        "stems": one.stem is not None,
                        "stop_words": len(one.stop_words),
                        "spaced": one.spaced,
                        "signature": language_signature(one.code),
                    }
                    for one in found
                ]
            }
        )
        return
    print_table(
        "Languages",
        ("code", "language", "stems", "stop words", "spaces between words"),
        (
            (one.code, one.title, "yes" if one.stem else "no", len(one.stop_words), "yes" if one.spaced else "no")
            for one in found
        ),
        numeric=["stop words"],
    )
    console.print("[dim]Use a language: dialgauge score CORPUS -m rouge-1:lang=CODE[/]")
