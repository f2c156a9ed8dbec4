"""``dialgauge robustness``: which metric notices what was broken, and which one minds a mere rewrite."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer

from dialgauge.cli._corpus_input import Format, Map, load_corpus
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.metrics import Scores
    from dialgauge.report import RobustnessData
    from dialgauge.study import VariantAnalysis

#: How a verdict is shown in the matrix.
_MARKS = {
    "noticed": "✓",
    "faint": "~",
    "blind": "○",
    "wrong": "✗",
    "stable": "✓",
    "lowered": "✗",
    "raised": "✗",
    "unclear": "?",
}
#: The widest cell of the matrix: −12.3✓
_CELL = 6
_HEADINGS = {
    "degrades": "should fall",
    "degrades-mildly": "should fall a little",
    "preserves": "should stay",
}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("robustness")(robustness)


def robustness(
    corpus: Annotated[str, typer.Argument(help="A corpus file or folder, or [bold]embedded[/].")],
    scores: Annotated[
        Path | None,
        typer.Argument(help="Scores of originals and variants, if you have them ([bold]dialgauge score -o[/])."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="A metric, a family or [bold]all[/]; repeat. With SCORES: only these."),
    ] = None,
    perturbation: Annotated[
        list[str] | None,
        typer.Option(
            "--perturbation",
            "-p",
            help="What to do to the summaries: a name, [bold]baseline[/], [bold]domain[/] or [bold]all[/]; repeat. "
            "Leave out where the corpus has variants.",
        ),
    ] = None,
    dimension: Annotated[
        list[str] | None,
        typer.Option("--dimension", "-d", help="Expect what this dimension expects; repeat. Default: all together."),
    ] = None,
    effect: Annotated[
        list[str] | None,
        typer.Option(help="What variants of your own do: [bold]--effect my_label:consistency=degrades[/]; repeat."),
    ] = None,
    margin: Annotated[
        float, typer.Option(help="What counts as no change, in standard deviations between systems.")
    ] = 0.25,
    priors: Annotated[
        bool,
        typer.Option(
            "--priors", help="Let published mean ratings stand in for ratings of variants, for the last table."
        ),
    ] = False,
    texts: Annotated[bool, typer.Option("--texts", help="Show the texts of the worst failures.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write corpus, scores, tables and robustness.html into this folder."),
    ] = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples of the dialogues; 0 for no intervals.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="The same seed gives the same variants and numbers.")] = 0,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Break summaries on purpose, and see which metric notices: a matrix of verdicts and a trust card per metric.

    [bold]dialgauge robustness embedded -m rouge -m chrf -m ter -p baseline --seed 1[/]

    A metric that deserves trust lowers its score when a summary is made wrong and keeps it when the summary is merely
    rewritten. Perturbs, scores and analyses in one go; or takes a corpus that has variants, with or without scores.
    """
    from dialgauge.report import RobustnessData
    from dialgauge.study import analyse_variants

    loaded = load_corpus(corpus, format, map)
    with progress_bar("robustness") as progress:
        perturbed, declined, table = _variants_and_scores(loaded, scores, metric, perturbation, seed, progress)
        analysis = analyse_variants(
            perturbed,
            table,
            effects=_effects(effect or ()),
            metrics=_columns(table, metric) if scores else None,
            accept_priors=priors,
            progress=progress,
            dimensions=dimension,
            margin=margin,
            seed=seed,
            resamples=resamples,
            confidence=confidence,
        )
    found = analysis.correlations.frame if analysis.correlations else None
    data = RobustnessData(perturbed, analysis.robustness.tables(), analysis.robustness.settings, found, declined)
    if output is not None:
        _write(data, analysis, table, output)
    if json:
        print_json(_document(data))
        return
    _print_matrix(data)
    _print_cards(data, texts)
    _print_doses(data)
    _print_correlations(data)
    _print_notes(data)


def _variants_and_scores(
    corpus: "Corpus",
    scores: Path | None,
    metrics: list[str] | None,
    perturbations: list[str] | None,
    seed: int,
    progress: Any,
) -> "tuple[Corpus, pl.DataFrame | None, Scores]":
    """The corpus with variants, what could not be perturbed, and the scores, of which what is not given is made."""
    from dialgauge.corpus import ORIGINAL
    from dialgauge.errors import InputError
    from dialgauge.metrics import Scores, score
    from dialgauge.perturb import perturb

    if scores is not None:
        if perturbations:
            raise InputError("give SCORES of variants that exist, or -p for new ones; not both")
        return corpus, None, Scores.load(scores)
    if not metrics:
        raise InputError("nothing to score with: name metrics with -m ('dialgauge metrics' lists them), or give SCORES")
    declined = None
    if perturbations:
        made = perturb(corpus, perturbations, seed=seed, progress=progress)
        corpus, declined = made.corpus, made.declined
    if corpus.summaries.filter(pl.col("variant") != ORIGINAL).is_empty():
        raise InputError(
            f"corpus {corpus.info.name!r} has no variants: name perturbations with -p ('dialgauge perturbations' "
            "lists them)" + (f"; all {declined.height} that were tried were declined" if declined is not None else "")
        )
    return corpus, declined, score(corpus, metrics, progress=progress)


def _columns(scores: "Scores", wanted: Sequence[str] | None) -> list[str] | None:
    from dialgauge.errors import UnknownNameError

    for name in wanted or ():
        if name not in scores.metrics:
            raise UnknownNameError("metric in these scores", name, scores.metrics)
    return list(wanted) if wanted else None


def _effects(given: Sequence[str]) -> dict[str, dict[str, str]]:
    from dialgauge.errors import InputError

    effects: dict[str, dict[str, str]] = {}
    for text in given:
        target, equals, value = text.rpartition("=")
        label, colon, dimension = target.rpartition(":")
        if not (equals and colon and label and dimension):
            raise InputError(
                f"--effect: write LABEL:DIMENSION=EFFECT, as in my_label:consistency=degrades; got {text!r}"
            )
        effects.setdefault(label, {})[dimension] = value
    return effects


def _write(data: "RobustnessData", analysis: "VariantAnalysis", scores: "Scores", folder: Path) -> None:
    from dialgauge.corpus import write_corpus
    from dialgauge.files import atomic_file, write_text
    from dialgauge.report import render_robustness
    from dialgauge.study import write_analysis

    folder.mkdir(parents=True, exist_ok=True)
    write_corpus(data.corpus, folder / "corpus")
    scores.save(folder / "scores.parquet")
    write_analysis(analysis, folder)
    if data.declined is not None:
        with atomic_file(folder / "declined.parquet") as temporary:
            data.declined.write_parquet(temporary)
    write_text(folder / "robustness.html", render_robustness(data, f"Robustness of metrics on {data.corpus.info.name}"))
    note(f"wrote corpus, scores, tables and page: {folder / 'robustness.html'}")


def _print_matrix(data: "RobustnessData") -> None:
    cards = data.tables["cards"].filter(pl.col("dimension") == "overall", pl.col("direction") != "none")
    metrics = cards.sort("robustness", descending=True, nulls_last=True, maintain_order=True)["metric"].to_list()
    changes = {(row["metric"], row["perturbation"]): row for row in data.tables["changes"].iter_rows(named=True)}
    verdicts = data.tables["verdicts"].filter(pl.col("dimension") == "overall")
    said = {(row["metric"], row["perturbation"]): row["verdict"] for row in verdicts.iter_rows(named=True)}
    width = max((len(label) for label in verdicts["perturbation"]), default=0)
    per_block = max(1, (console.width - width - 2) // (_CELL + 1))
    for start in range(0, len(metrics), per_block):
        block = metrics[start : start + per_block]
        heads = [_fold(metric) for metric in block]
        rows: list[tuple[object, ...]] = []
        for expected, heading in _HEADINGS.items():
            labels = verdicts.filter(pl.col("expected") == expected)["perturbation"].unique(maintain_order=True)
            if labels.len():
                rows.append((f"— {heading} —", *("" for _ in block)))
            rows += [
                (label, *(_cell(changes[metric, label], said[metric, label]) for metric in block)) for label in labels
            ]
        title = "change under each perturbation" if not start else "change, continued"
        print_table(title, ("perturbation", *heads), rows, numeric=heads, compact=True)


def _fold(metric: str) -> str:
    """A name over several lines, broken where its parts end."""
    lines = [""]
    for part in metric.replace("@source", " @src").replace("@", " @").replace(":", " :").replace("-", "- ").split():
        if len(lines[-1]) + len(part) > _CELL and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _cell(row: Mapping[str, Any], verdict: str | None) -> str:
    if row["change"] is None:
        return "–"
    return _short(row["change"]) + _MARKS.get(verdict or "", " ")


def _short(value: float) -> str:
    """At most five characters: −12.3, −1.23, −.07."""
    text = f"{abs(value):.2f}" if abs(value) < 9.995 else f"{abs(value):.1f}"
    sign = "−" if value < 0 and text != "0.00" else ""
    return sign + (text[1:] if text.startswith("0") else text)


def _print_cards(data: "RobustnessData", with_texts: bool) -> None:
    from dialgauge.report import card_sentences

    cards = data.tables["cards"].filter(pl.col("dimension") == "overall")
    texts = {row[:-1]: row[-1] for row in data.corpus.summaries.select(*_KEY, "text").iter_rows()} if with_texts else {}
    console.print("trust cards", style="bold")
    for row in cards.sort("robustness", descending=True, nulls_last=True, maintain_order=True).iter_rows(named=True):
        if row["direction"] == "none":
            continue
        numbers = "   ".join(f"{name} {_estimate(row, name)}" for name in ("robustness", "sensitivity", "stability"))
        _say(f"{row['metric']}", style="bold")
        _say(f"  {numbers}")
        if row["reason"]:
            _say(f"  {row['reason']}")
        _say("  " + " ".join(card_sentences(data, row["metric"])))
        for failure in _failures(data, row["metric"]):
            _say(
                f"  worst: {failure['variant']} of {failure['dialogue_id']} / {failure['system']}: "
                f"{failure['original_score']:.4g} → {failure['variant_score']:.4g} ({_short(failure['change'])})"
            )
            if with_texts:
                key = tuple(failure[part] for part in _KEY)
                parent = tuple("original" if part == "variant" else failure[part] for part in _KEY)
                _say(f"    original:  {texts.get(parent, '(not in the corpus)')}")
                _say(f"    perturbed: {texts.get(key, '(not in the corpus)')}")
        console.print()


_KEY = ("dialogue_id", "system", "variant", "role")


def _failures(data: "RobustnessData", metric: str) -> Iterator[Mapping[str, Any]]:
    return data.tables["failures"].filter(pl.col("metric") == metric).iter_rows(named=True)


def _say(text: str, style: str = "") -> None:
    from rich.padding import Padding
    from rich.text import Text

    indent = len(text) - len(text.lstrip())
    console.print(Padding(Text(text.lstrip(), style=style), (0, 0, 0, indent), expand=False))


def _estimate(row: Mapping[str, Any], name: str) -> str:
    if row[name] is None:
        return "–"
    text = _short(row[name])
    if row[f"{name}_low"] is not None:
        text += f" [{_short(row[f'{name}_low'])} {_short(row[f'{name}_high'])}]"
    return text


def _print_doses(data: "RobustnessData") -> None:
    frame = data.tables["doses"]
    if frame.is_empty():
        return
    series = list(frame.select("series", "levels").unique(maintain_order=True).iter_rows())
    columns = [f"{name}\n{levels}" for name, levels in series]
    cells = {(row["metric"], row["series"]): row for row in frame.iter_rows(named=True)}
    rows = [(metric, *(_dose(cells[metric, name]) for name, _ in series)) for metric in dict.fromkeys(frame["metric"])]
    print_table("change per level, and levels in order", ("metric", *columns), rows, numeric=columns)


def _dose(row: Mapping[str, Any]) -> str:
    if row["slope"] is None:
        return "–"
    sure = row["slope_low"] is not None and (row["slope_low"] > 0 or row["slope_high"] < 0)
    return f"{_short(row['slope'])}{'*' if sure else ' '} {row['monotone']:.0%}".rjust(11)


def _print_correlations(data: "RobustnessData") -> None:
    if data.correlations is None:
        return
    frame = data.correlations
    sets = list(dict.fromkeys(frame["set"]))
    cells = {(row["metric"], row["dimension"], row["set"]): row for row in frame.iter_rows(named=True)}
    columns = [name if name == "original" else f"{name} − original" for name in sets]
    for dimension in dict.fromkeys(frame["dimension"]):
        rows = [
            (metric, *(_correlation(cells[metric, dimension, name]) for name in sets))
            for metric in dict.fromkeys(frame["metric"])
        ]
        title = f"{dimension}: mean correlation with the ratings"
        print_table(title, ("metric", *columns), rows, numeric=columns)
    note("mean of Pearson, Spearman and Kendall over all summaries, raw sign; [jackknife interval of the difference]")
    if data.corpus.info.ratings_origin == "constructed":
        note("the ratings of the originals were constructed by a program, not given by people")
    if frame["ratings"].str.contains("priors").any():
        note(
            "ratings of variants are published means of their kind of perturbation (--priors), from another corpus: "
            "they differ between kinds, never within one"
        )


def _correlation(row: Mapping[str, Any]) -> str:
    value = row["value"] if row["set"] == "original" else row["difference"]
    if value is None:
        return "–"
    return _short(value) + (f" [{_short(row['low'])} {_short(row['high'])}]" if row["low"] is not None else "")


def _print_notes(data: "RobustnessData") -> None:
    settings = data.settings
    note(
        f"{settings['items']} summaries of {settings['dialogues']} dialogues; changes in standard deviations between "
        f"{settings['spread']}, negative is worse; dimensions: {', '.join(settings['dimensions'])}"
    )
    note(
        f"✓ as it should; ~ falls by less than {settings['margin']:g}; ○ blind (within ±{settings['margin']:g}); "
        "✗ wrong way, or moved though the meaning is kept; ? undecided (sign and equivalence tests over dialogues, "
        f"Benjamini–Hochberg, {1 - settings['confidence']:.2g})"
    )
    note(
        "robustness: how often a broken version scores below a rewritten one of the same summary (.5 is chance); "
        "sensitivity: broken ones that fall; stability: rewritten ones that stay"
    )
    if not data.tables["doses"].is_empty():
        note("within a summary: change per level, * interval excludes 0; share of levels of which the higher is lower")
    if data.declined is not None and data.declined.height:
        note(f"{data.declined.height} variants could not be made; --json and -o say which and why")
    if data.tables["unpaired"].height:
        note(f"{data.tables['unpaired'].height} variants without the original of their summary were left out")
    silent = data.tables["cards"].filter(pl.col("direction") == "none")["metric"].unique(maintain_order=True)
    if silent.len():
        note(f"no verdict for metrics that only describe, or whose direction is unknown: {', '.join(silent)}")


def _document(data: "RobustnessData") -> dict[str, Any]:
    return {
        "corpus": data.corpus.info.name,
        "settings": dict(data.settings),
        **{name: table.to_dicts() for name, table in data.tables.items()},
        "correlations": data.correlations.to_dicts() if data.correlations is not None else [],
        "declined": data.declined.to_dicts() if data.declined is not None else [],
    }
