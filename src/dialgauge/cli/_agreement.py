"""``dialgauge agreement``: how far the annotators agree, who drifts, and what is wrong with the ratings."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dialgauge.cli._corpus_input import HOW_TO_ADD, Format, Map, Source, Strict, load_corpus
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar
from dialgauge.errors import InputError
from dialgauge.progress import Progress

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.corpus import Corpus
    from dialgauge.ratings import Agreement, Cleaned, Drift, Findings, Outliers

#: Longer tables show what is flagged only; notes beyond these are counted.
_MOST_ROWS, _MOST_NOTES = 24, 5

#: What is shown unless asked for otherwise, and how it is called in tables.
_LABELS = {
    "krippendorff-alpha": "Krippendorff α",
    "cohen-kappa": "Cohen κ",
    "fleiss-kappa": "Fleiss κ",
    "percent-agreement": "equal pairs",
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
}
_DEFAULT_MEASURES = ["krippendorff-alpha", "cohen-kappa", "fleiss-kappa", "percent-agreement", "spearman"]

Dimensions = Annotated[
    list[str] | None, typer.Option("--dimension", "-d", help="A dimension; repeat for several. All by default.")
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        help="krippendorff-alpha, cohen-kappa, fleiss-kappa, percent-agreement, pearson or spearman; repeat.",
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--by", help="overall, dimension, pair (of annotators) or system; repeat. The first two by default."),
]
Clean = Annotated[
    bool, typer.Option("--clean", help="Take out what a majority contradicts, and show agreement before and after.")
]
Level = Annotated[
    str | None,
    typer.Option("--level", help="Level of α: nominal, ordinal, interval or ratio. By the scale if unset."),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", help="Weights of Cohen's κ: none, linear or quadratic. By the scale if unset."),
]
OnInvalid = Annotated[
    str, typer.Option("--on-invalid", help="What to do with values off their scale: drop, keep or error.")
]
Order = Annotated[
    str | None, typer.Option("--order", help="Order of work for drift: time or frame (the order of the file).")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the bootstrap: the same seed gives the same interval.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("agreement")(agreement)


def agreement(
    corpus: Source,
    dimension: Dimensions = None,
    measure: Measures = None,
    by: Groups = None,
    clean: Clean = False,
    level: Level = None,
    weights: Weights = None,
    on_invalid: OnInvalid = "drop",
    order: Order = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples for the intervals.")] = 1000,
    seed: Seed = 0,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """How far do the annotators agree, does one of them drift, and can the ratings be trusted?

    [bold]dialgauge agreement ratings.jsonl --dimension relevance --level interval[/]

    Prints agreement with intervals and a verdict in words; who changes while working or stands apart;
    and what the data checks found (copied columns, unset rows, values off the scale, default comments).
    """
    loaded = load_corpus(corpus, format, map, strict)
    if not loaded.ratings["value"].count():
        raise InputError(f"{corpus}: the corpus has no ratings, so there is no agreement to measure; {HOW_TO_ADD}")
    chosen: dict[str, Any] = {"dimensions": dimension or None, "on_invalid": "keep"}
    bootstrap: dict[str, Any] = {"resamples": resamples, "seed": seed}
    # Cleaning leaves units of two equal ratings: Fleiss' κ, which wants equally many everywhere, would see only those.
    usual = [name for name in _DEFAULT_MEASURES if not (clean and name == "fleiss-kappa")]
    measuring: dict[str, Any] = {"measures": measure or usual, "by": by or ["overall", "dimension"]}
    measuring |= {"level": level, "weights": weights, **chosen, **bootstrap}
    with progress_bar("agreement") as progress:
        report = _analyse(loaded, measuring, clean=clean, on_invalid=on_invalid, order=order, progress=progress)
    if json:
        print_json({**_as_json(report), **bootstrap, "on_invalid": on_invalid})
    else:
        _print(report, on_invalid)


@dataclass(frozen=True, slots=True)
class _Report:
    """Everything that the command shows."""

    corpus: "Corpus"
    before: "Agreement"
    after: "Agreement"
    cleaned: "Cleaned | None"
    drift: "Drift"
    outliers: "Outliers"
    findings: "Findings"
    invalid: "pl.DataFrame"


def _analyse(
    corpus: "Corpus",
    measuring: dict[str, Any],
    *,
    clean: bool,
    on_invalid: Any,
    order: Any,
    progress: Progress,
) -> _Report:
    from dialgauge import ratings as room

    progress("measuring", 0, 4)
    checked = room.validate(corpus.ratings, on_invalid=on_invalid)
    before = room.agreement(checked.ratings, **measuring)
    cleaned, after = None, before
    if clean:
        progress("cleaning", 1, 4)
        cleaned = room.majority_noise_removal(checked.ratings)
        after = room.agreement(cleaned.ratings, **measuring)
    progress("drift", 2, 4)
    chosen = {key: measuring[key] for key in ("dimensions", "on_invalid")}
    drifting = room.drift(checked.ratings, order=order, **chosen)
    bootstrap = {key: measuring[key] for key in ("resamples", "seed")}
    apart = room.outliers(checked.ratings, level=measuring["level"] or "interval", **chosen, **bootstrap)
    progress("checks", 3, 4)
    findings = room.check_ratings(corpus)
    return _Report(corpus, before, after, cleaned, drifting, apart, findings, checked.invalid)


def _as_json(report: _Report) -> dict[str, Any]:
    result: dict[str, Any] = {
        "corpus": report.corpus.info.name,
        "ratings_origin": report.corpus.info.ratings_origin,
        "agreement": report.after.frame.to_dicts(),
    }
    if report.cleaned is not None:
        result["agreement_before_cleaning"] = report.before.frame.to_dicts()
        result["cleaning"] = report.cleaned.counts.to_dicts()
    result["drift"] = {
        "order": report.drift.order,
        "blocks": report.drift.blocks.to_dicts(),
        "trends": report.drift.trends.to_dicts(),
    }
    result["outliers"] = report.outliers.frame.to_dicts()
    result["findings"] = [{**asdict(finding), "evidence": dict(finding.evidence)} for finding in report.findings]
    result["invalid"] = report.invalid.to_dicts()
    return result


def _print(report: _Report, on_invalid: str) -> None:
    title = f"{report.corpus.info.name}: agreement of annotators"
    if report.corpus.info.ratings_origin == "constructed":
        title += " (constructed ratings: a program derived them, no person gave them)"
    _print_agreement(title, report.before, report.after)
    if report.cleaned is not None:
        _print_cleaning(report.cleaned)
    if report.invalid.height:
        verb = {"drop": "left out", "keep": "kept"}[on_invalid]
        note(f"values that their scale does not allow, {verb} (--on-invalid): {report.invalid.height}")
    _print_drift(report.drift)
    _print_outliers(report.outliers)
    _print_findings(report.findings)


def _number(value: float | None, sign: Literal["", "+"] = "") -> str:
    return "–" if value is None else f"{value:{sign}.2f}"


def _interval(low: float | None, high: float | None, sign: Literal["", "+"] = "") -> str:
    return "–" if low is None else f"{_number(low, sign)} … {_number(high, sign)}"


def _print_agreement(title: str, before: "Agreement", after: "Agreement") -> None:
    cleaned = before is not after
    columns = ["dimension", "measure", *(["before"] if cleaned else []), "value", "95 % interval", "verdict", "units"]
    rows: list[list[object]] = []
    previous = None
    key = ("scope", "dimension", "group", "measure")
    earlier = {row[:4]: row[4] for row in before.frame.select(*key, "value").iter_rows()}
    for row in after.frame.iter_rows(named=True):
        name = " · ".join(filter(None, (row["dimension"] or "all dimensions", row["group"])))
        measure = _LABELS[row["measure"]] + (f" ({row['setting']})" if row["setting"] else "")
        verdict = "; ".join(filter(None, (row["verdict"], row["note"])))
        units = f"{row['units']}" + (f" of {row['units'] + row['units_left_out']}" if row["units_left_out"] else "")
        value = [_number(earlier[tuple(row[part] for part in key)])] if cleaned else []
        value += [_number(row["value"]), _interval(row["low"], row["high"])]
        rows.append([name if name != previous else "", measure, *value, verdict, units])
        previous = name
    print_table(title, columns, rows, numeric=["before", "value", "95 % interval", "units"])


def _print_cleaning(cleaned: "Cleaned") -> None:
    columns = ("dimension", "ratings", "removed", "left")
    print_table("taken out by the majority", columns, cleaned.counts.iter_rows(), numeric=columns[1:])
    note("Cleaning deletes disagreement, so agreement rises by construction: report both numbers.")


def _few(rows: list[dict[str, Any]], flag: str) -> list[dict[str, Any]]:
    return rows if len(rows) <= _MOST_ROWS else [row for row in rows if row[flag]]


def _print_drift(drifting: "Drift") -> None:
    rows = _few(drifting.trends.to_dicts(), "drifts")
    count = drifting.drifting.height
    if not drifting.blocks.height or not rows:
        note("No drift to show." if drifting.blocks.height else "Drift needs units that two annotators rated.")
        return
    blocks = sorted(drifting.blocks["block"].unique())
    means = {
        (a, d, b): r for a, d, b, r in drifting.blocks.select("annotator", "dimension", "block", "residual").rows()
    }
    shown = [
        [
            row["annotator"],
            row["dimension"],
            *(_number(means.get((row["annotator"], row["dimension"], block)), "+") for block in blocks),
            _number(row["change"], "+"),
            _interval(row["low"], row["high"], "+"),
            "DRIFTS" if row["drifts"] else row["note"] or "",
        ]
        for row in rows
    ]
    parts = [f"part {block}" for block in blocks]
    title = f"drift: rating less the mean of the others ({count} drifting; along {drifting.order})"
    columns = ["annotator", "dimension", *parts, "change", "95 % interval", "flag"]
    print_table(title, columns, shown, numeric=[*parts, "change", "95 % interval"])


def _print_outliers(apart: "Outliers") -> None:
    rows = _few(apart.frame.sort("annotator", "dimension").to_dicts(), "outlier")
    if not rows:
        return
    shown = [
        [
            row["annotator"],
            row["dimension"],
            _number(row["bias"], "+"),
            _number(row["correlation"]),
            _number(row["alpha"]),
            _number(row["alpha_without"]),
            _interval(row["low"], row["high"], "+"),
            "OUTLIER" if row["outlier"] else row["note"] or "",
        ]
        for row in rows
    ]
    columns = ["annotator", "dimension", "bias", "r", "α of all", "α without", "95 % of the rise", "flag"]
    title = f"each annotator against the others ({apart.flagged.height} standing apart; α at {apart.level} level)"
    print_table(title, columns, shown, numeric=columns[2:7])


def _print_findings(findings: "Findings") -> None:
    if not len(findings):
        note("The data checks found nothing.")
        return
    notes = [finding for finding in findings if finding.severity == "note"]
    hidden = set(map(id, notes[_MOST_NOTES:]))
    rows: Iterable[list[object]] = [[f.severity, f.where, f.message] for f in findings if id(f) not in hidden]
    print_table("what the data checks found", ("severity", "where", "what"), rows)
    if hidden:
        note(f"… and {len(hidden)} more notes (all of them with --json)")
