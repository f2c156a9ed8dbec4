"""``dialgauge affect``: affective words, and whether summaries preserve their share.

Commands that live in modules of their own (training, corpora) are added to :data:`group` in :func:`add_to`.
"""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.affect import AffectSettings, TaggerSettings
from dialgauge.cli import _affect_corpus, _affect_train
from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._options import From
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.cli._settings import Only, with_options
from dialgauge.errors import counted
from dialgauge.tables import estimate, harmless, interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from dialgauge.affect import PSentScores, TaggedText

group = typer.Typer(
    help="Tag affective words and measure whether summaries preserve their share.",
    invoke_without_command=True,
)
Role = Annotated[str | None, typer.Option("--role", help="Compare one side only: a role or speaker, such as customer.")]
Measure = Annotated[
    str,
    typer.Option(
        "--measure",
        help="Measure to compare systems by: [bold]spearman[/], [bold]ccc[/], [bold]mae[/] or [bold]adjusted[/].",
    ),
]
_STYLES = {0: "bold red", 2: "bold green"}


def add_to(app: typer.Typer) -> None:
    """Register the group of commands."""
    _affect_train.add_to(group)
    _affect_corpus.add_to(group)
    app.add_typer(group, name="affect")


@group.callback()
def taggers(context: typer.Context, json: Json = False) -> None:
    """List the sentiment taggers.

    [bold]dialgauge affect[/]
    """
    if context.invoked_subcommand is not None:
        return
    from dialgauge.affect import TAGGERS

    if json:
        print_json(
            [
                {"name": name, "argument": kind.argument, "options": list(kind.options), "what": kind.description}
                for name, kind in TAGGERS.items()
            ]
        )
        return
    rows = [
        (f"{name}:{kind.argument}" if kind.argument else name, ", ".join((*kind.options, "negation")), kind.description)
        for name, kind in TAGGERS.items()
    ]
    print_table("Taggers", ["name", "options", "what"], rows)


@group.command("get")
def get(
    name: Annotated[str, typer.Argument(help="[bold]opinion-lexicon[/]: Hu & Liu's word lists.")],
    source: From = None,
    json: Json = False,
) -> None:
    """Download a lexicon that cannot be shipped with dialgauge into the cache.

    [bold]dialgauge affect get opinion-lexicon[/]
    """
    from dialgauge.affect import OPINION_LEXICON, fetch_opinion_lexicon
    from dialgauge.errors import UnknownNameError

    if name != OPINION_LEXICON.name:
        raise UnknownNameError("lexicon", name, [OPINION_LEXICON.name])
    with progress_bar(name) as progress:
        folder = fetch_opinion_lexicon(source, progress)
    if json:
        print_json({"name": name, "folder": str(folder), "licence": OPINION_LEXICON.licence})
        return
    console.print(f"{name} is in {folder}", highlight=False, markup=False)
    note(f"licence: {OPINION_LEXICON.licence}")


@group.command("tag")
@with_options
def tag(
    text: Annotated[str, typer.Argument(help="A text, or [bold]-[/] to read it from standard input.")],
    settings: Annotated[TaggerSettings, Only("tagger")],
    transcript: Annotated[
        bool,
        typer.Option(
            "--transcript",
            help="Treat the text as a dialogue: a name before a colon at the start of a line is a speaker tag.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Tag the words of a text and count them.

    [bold]dialgauge affect tag "The agent was helpful, but I am still angry."[/]

    Positive words are green, negative ones red; without colour they are shown as +word+ and -word-.
    """
    from dialgauge.affect import count_parts, parts_of, tag_texts, tagger as make_tagger
    from dialgauge.tables import number_cell

    given = sys.stdin.read() if text == "-" else text
    chosen = make_tagger(settings.tagger)
    tagged = tag_texts([given], chosen, speakers=transcript)
    counts = count_parts(tagged, parts_of(chosen))
    reason = None if counts.total[0] else "the text has no words (speaker tags, markup and punctuation do not count)"
    shares = {part: None if reason else float(counts.share(part)[0]) for part in counts.parts}
    if json:
        print_json(
            {
                "tagger": chosen.signature,
                "words": int(counts.total[0]),
                "counts": {part: int(counts.count(part)[0]) for part in counts.parts},
                "psent": shares,
                "reason": reason,
                "tokens": _tokens(tagged[0]),
            }
        )
        return
    _print_tagged(tagged[0])
    rows = [(part, int(counts.count(part)[0]), number_cell(shares[part], 4)) for part in counts.parts]
    print_table(f"PSent over {counts.total[0]:,} words", ["part", "words", "share"], rows, numeric=["words", "share"])
    if reason:
        note(f"no share: {reason}")


def _tokens(tagged: "TaggedText") -> list[dict[str, Any]]:
    from dialgauge.affect import LABELS

    words = zip(tagged.words.tokens, tagged.words.spans.tolist(), tagged.labels.tolist(), strict=True)
    return [
        {
            "text": token,
            "start": begin,
            "end": end,
            "label": LABELS[label],
            "emotions": list(tagged.emotions.get(i, ())),
        }
        for i, (token, (begin, end), label) in enumerate(words)
    ]


@group.command("score")
@with_options
def score(
    corpus: Source,
    settings: AffectSettings,
    role: Role = None,
    measure: Measure = "adjusted",
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """PSentScore: do summaries preserve the share of affective words of their dialogues?

    [bold]dialgauge affect score calls.jsonl --tagger token-dict[/]

    Controls that are not summaries are shown next to the systems, in brackets, because copied text scores best.
    The column [bold]adjusted[/] counts only affective words that do not occur in the dialogue, given the lengths of
    both texts: it is zero for copies and shuffled outputs.
    """
    from dialgauge.affect import psent_score

    read = load_corpus(corpus, format, map, strict)
    with progress_bar("affect") as progress:
        progress("tagging and comparing", 0, 1)
        scores = psent_score(read, settings=settings, role=role)
        differences = scores.differences(measure)  # type: ignore[arg-type]
    if json:
        print_json(
            {
                "signature": scores.signature,
                "level": scores.level,
                "scores": scores.frame.to_dicts(),
                "differences": {"measure": measure, "part": "all", "rows": differences.to_dicts()},
            }
        )
        return
    for part in scores.parts:
        _print_part(scores, part, role)
    if differences.height:
        _print_differences(differences, measure)
    note(scores.signature)


def _print_differences(differences: "pl.DataFrame", measure: str) -> None:
    from dialgauge.tables import number_cell

    rows = [
        (
            f"{row['a']} - {row['b']}",
            number_cell(row["difference"], 3),
            interval(row["low"], row["high"], 3, between=" to "),
            number_cell(row["p_value"], 4),
            row["dialogues"],
        )
        for row in differences.iter_rows(named=True)
    ]
    columns = ["difference of", measure, "interval", "p", "dialogues"]
    print_table("Paired bootstrap over dialogues, all affective words", columns, rows, numeric=columns[1:])


def _print_part(scores: "PSentScores", part: str, role: str | None) -> None:
    from dialgauge.tables import number_cell

    called = "all affective words" if part == "all" else f"{part} words"
    chosen = scores.frame.filter(part=part)
    rows = [
        (
            f"({row['name'].removesuffix(' (control)')})" if row["kind"] == "control" else row["name"],
            _with_ends(row, "spearman"),
            number_cell(row["ccc"], 3),
            number_cell(row["mae"], 4),
            _with_ends(row, "adjusted"),
            row["pairs"],
        )
        for row in chosen.iter_rows(named=True)
    ]
    level = f"[{100 * scores.level:g} %]"
    columns = ["system", f"spearman {level}", "ccc", "mae", f"adjusted {level}", "pairs"]
    print_table(f"PSentScore, {called}", columns, rows, numeric=columns[1:])
    _note_skipped(chosen, called, role)
    for reason, names in _reasons(chosen).items():
        note(f"undefined for {', '.join(names)}: {reason}")


def _note_skipped(rows: "pl.DataFrame", called: str, role: str | None) -> None:
    zero = max(rows["zero"].to_list(), default=0)
    empty = sum(rows.filter(rows["kind"] != "control")["empty"].to_list())
    left_out = [f"{counted(zero, 'dialogue')} without {called.removeprefix('all ')}"] if zero else []
    lacking = "without words" if role is None else f"without words about {role}"
    left_out += [f"{counted(empty, 'summary', 'summaries')} {lacking}"] if empty else []
    if left_out:
        note(f"skipped: {'; '.join(left_out)}")


def _reasons(rows: "pl.DataFrame") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, reason in rows.select("name", "reason").iter_rows():
        if reason is not None:
            found.setdefault(reason, []).append(name)
    return found


def _print_tagged(tagged: "TaggedText") -> None:
    from rich.text import Text

    shown, place = Text(), 0
    for (begin, end), label in zip(tagged.words.spans.tolist(), tagged.labels.tolist(), strict=True):
        shown.append(harmless(tagged.words.text[place:begin]))
        piece = harmless(tagged.words.text[begin:end])
        sign = {0: "-", 2: "+"}.get(label, "") if not console.is_terminal else ""
        shown.append(f"{sign}{piece}{sign}", style=_STYLES.get(label))
        place = end
    shown.append(harmless(tagged.words.text[place:]))
    console.print(shown, soft_wrap=True, highlight=False)


def _with_ends(row: "Mapping[str, Any]", measure: str) -> str:
    return estimate(row[measure], row[f"{measure}_low"], row[f"{measure}_high"], 3, ends=2)
