"""``dialgauge check``: is this summary right? What is doubtful, and the turns that say otherwise."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from dialgauge.checks import CheckSettings
from dialgauge.cli._corpus_input import Format, Map, Strict, load_corpus
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar, write_file
from dialgauge.cli._settings import with_options
from dialgauge.errors import InputError, counted
from dialgauge.tables import harmless

if TYPE_CHECKING:
    from dialgauge.checks import CheckedSummary
    from dialgauge.corpus import Dialogue

#: Number of the least likely summaries of a corpus that are shown; --json and --html have all of them.
_SHOWN = 10
_STYLES = {"contradicted": "bold red", "not found": "bold red", "doubtful": "yellow", "cannot tell": "dim"}


@dataclass(frozen=True)
class _Checked:
    """A checked summary with its key and its probability at the expected share of errors."""

    key: dict[str, str]
    found: "CheckedSummary"
    p_right: float

    @property
    def name(self) -> str:
        return ", ".join(part for part in self.key.values() if part not in ("original", "overall")) or "summary"


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("check")(check)


@with_options
def check(
    dialogue: Annotated[
        str,
        typer.Argument(
            help="A transcript (with --summary), [bold]-[/] to read one from standard input, or a corpus.",
            show_default=False,
        ),
    ],
    settings: CheckSettings,
    summary: Annotated[
        str | None, typer.Option("--summary", "-s", help="The summary of the transcript; [bold]-[/]: standard input.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with summaries and turns side by side.")
    ] = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Check whether summaries are right, and show what is doubtful beside the turns that say otherwise.

    [bold]dialgauge check call.txt --summary "Ines will book the room for 5 pm."[/]

    Compares amounts, times, names, negations and who did what with the dialogue; needs no reference and no rating. A
    corpus is checked whole: [bold]dialgauge check calls.jsonl --html checks.html[/]. With [bold]--fail-under 0.3[/] the
    exit status is 1 if any summary is less likely right than that. With [bold]--model[/] a language model marks
    doubtful words as well.
    """
    if summary is None:
        found = _of_corpus(dialogue, (format, map, strict), settings)
    else:
        found = [_of_transcript(dialogue, summary, settings)]
    if html is not None:
        _write_page(html, dialogue, found, settings)
    if json:
        print_json({"error_rate": settings.error_rate, "summaries": [_as_json(one) for one in found]})
    elif summary is not None:
        _print_summary(found[0])
    else:
        _print_corpus(found)
    limit = settings.fail_under
    low = [one for one in found if limit is not None and one.p_right < limit]
    for one in low[:_SHOWN]:
        note(f"{one.name}: {one.p_right:.2f} likely right, below {limit:g}")
    if low:
        raise typer.Exit(1)


def _of_transcript(source: str, summary: str, settings: CheckSettings) -> _Checked:
    from dialgauge.checks import with_error_rate
    from dialgauge.corpus import read_text

    if source == summary == "-":
        raise InputError("only one of the transcript and the summary can come from standard input")
    given = sys.stdin.read() if "-" in (source, summary) else ""
    if source != "-" and not Path(source).is_file():
        raise InputError(f"{source}: no such file; with --summary, give a transcript: a line per turn, 'Name: text'")
    transcript = given if source == "-" else read_text(Path(source)).text
    checked = next(_results(transcript, [given if summary == "-" else summary], settings))
    if isinstance(checked, InputError):
        raise checked
    if len(checked.turns) < 2:
        note("note: only one turn was found; a transcript has a line per turn, 'Name: text'")
    return _Checked({}, checked, with_error_rate(checked.p_right, settings.error_rate))


def _of_corpus(
    source: str, reading: tuple[str | None, list[str] | None, bool], settings: CheckSettings
) -> list[_Checked]:
    if source == "-":
        raise InputError("a transcript from standard input needs its summary: --summary TEXT")
    corpus = load_corpus(source, *reading)
    total = corpus.summaries.filter(kind="system").height
    if not total:
        raise InputError(
            f"{source}: no summaries to check. For a transcript, give its summary: "
            f'dialgauge check {source} --summary "…"'
        )
    with progress_bar("checking") as progress:
        found = []
        for number, one in enumerate(_checked(corpus, settings), 1):
            found.append(one)
            progress("summaries", number, total)
    return found


def _checked(corpus: Any, settings: CheckSettings) -> Iterator[_Checked]:
    from dialgauge.checks import with_error_rate
    from dialgauge.corpus import KEY

    dialogues = {dialogue.id: dialogue for dialogue in corpus.iter_dialogues()}
    summaries = corpus.summaries.filter(kind="system").iter_rows(named=True)
    for (dialogue, role), several in groupby(summaries, lambda row: (row["dialogue_id"], row["role"])):
        rows = list(several)
        results = _results(dialogues[dialogue].side(role), [row["text"] for row in rows], settings)
        for row, checked in zip(rows, results, strict=True):
            key = {name: row[name] for name in KEY}
            if isinstance(checked, InputError):
                note(f"skipped {', '.join(key.values())}: {checked}")
            else:
                yield _Checked(key, checked, with_error_rate(checked.p_right, settings.error_rate))


def _results(
    dialogue: "Dialogue | str", summaries: list[str], settings: CheckSettings
) -> "Iterator[CheckedSummary | InputError]":
    """Each summary of a dialogue checked, or why it cannot be."""
    from dialgauge.checks import check as check_summary

    found: dict[int, CheckedSummary | InputError] = {}
    for place, summary in enumerate(summaries):
        try:
            found[place] = check_summary(dialogue, summary)
        except InputError as error:
            found[place] = error
    if settings.model:
        from dialgauge.checker import check_with_model

        able = [place for place, one in found.items() if not isinstance(one, InputError)]
        found |= dict(zip(able, check_with_model(dialogue, [summaries[i] for i in able]), strict=True)) if able else {}
    yield from found.values()


def _as_json(one: _Checked) -> dict[str, Any]:
    return {**one.key, "p_right": round(one.p_right, 4), "sentences": one.found.records(**one.key)}


def _write_page(path: Path, source: str, found: list[_Checked], settings: CheckSettings) -> None:
    from dialgauge.checks import Named, check_page

    ordered = sorted(found, key=lambda one: (one.p_right, one.name))
    rate = f"Probabilities are for {settings.error_rate:.0%} wrong summaries."
    named = [Named(one.name, one.found, one.p_right) for one in ordered]
    write_file(path, check_page(named, f"Checked: {source}", notes=[rate]))


def _print_summary(one: _Checked) -> None:
    counts = Counter(sentence.verdict for sentence in one.found.sentences)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    console.print(Text(f"{one.p_right:.0%} likely right; sentences: {told}", style="bold"))
    for sentence in one.found.sentences:
        _print_sentence(one.found, sentence)


def _print_sentence(checked: "CheckedSummary", sentence: Any) -> None:
    from dialgauge.checks import explain, pieces

    line = Text()
    for piece in pieces(checked.text, sentence.span, sentence.reasons):
        style = "" if not piece.reasons else "dim underline" if piece.hint else "bold underline"
        line.append(harmless(piece.text), style)
    console.print()
    console.print(line)
    verdict = Text(f"{sentence.verdict} ({sentence.p_right:.0%} likely right)", _STYLES.get(sentence.verdict, "green"))
    console.print(Padding(verdict, (0, 0, 0, 2)))
    for reason in sentence.reasons:
        console.print(Padding(Text(harmless(f"· {explain(reason, checked)}")), (0, 0, 0, 4)))
    for turn in sentence.evidence[:2]:
        said = f"turn {turn + 1}  {checked.turns[turn]}"
        console.print(Padding(Text(harmless(said), "dim"), (0, 0, 0, 4)))


def _print_corpus(found: list[_Checked]) -> None:
    from dialgauge.checks import DOUBTED

    verdicts = (*DOUBTED, "no doubt found", "cannot tell")
    systems: dict[str, list[_Checked]] = {}
    for one in found:
        systems.setdefault(one.key["system"], []).append(one)
    rows = [
        (
            system,
            len(several),
            f"{sum(one.p_right for one in several) / len(several):.2f}",
            *(
                sum(sentence.verdict == verdict for one in several for sentence in one.found.sentences)
                for verdict in verdicts
            ),
        )
        for system, several in systems.items()
    ]
    heads = ["system", "summaries", "likely right", *verdicts]
    print_table("Sentences of each system by verdict", heads, rows, numeric=heads[1:])
    worst = sorted((one for one in found if one.found.reasons), key=lambda one: (one.p_right, one.name))
    for one in worst[:_SHOWN]:
        console.print()
        console.print(Text(harmless(f"{one.name}: {one.p_right:.0%} likely right"), style="bold"))
        for sentence in one.found.sentences:
            if sentence.verdict in DOUBTED:
                _print_sentence(one.found, sentence)
    if len(worst) > _SHOWN:
        note(f"… and {counted(len(worst) - _SHOWN, 'more summary', 'more summaries')} with reasons (--html, --json)")
