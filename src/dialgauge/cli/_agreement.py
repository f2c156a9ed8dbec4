"""``dialgauge agreement``: inter-annotator agreement, drift of annotators and checks of the ratings."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli import _judgements
from dialgauge.cli._corpus_input import HOW_TO_ADD, Format, Map, Reading, Source, Strict, load_corpus
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar, show
from dialgauge.cli._settings import Only, with_options
from dialgauge.errors import InputError
from dialgauge.progress import Progress
from dialgauge.ratings import AgreementSettings, DriftSettings, JudgementSettings, OutlierSettings, RatingPolicy
from dialgauge.tables import interval

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.corpus import Corpus
    from dialgauge.ratings import Agreement, Cleaned, Drift, Findings, Outliers

#: Longer tables show flagged rows only, and at most this many; further rows and notes are counted.
_MOST_ROWS, _MOST_FLAGGED, _MOST_NOTES = 24, 10, 5
#: For the interval of what a perfect metric reaches.
_CEILING_RESAMPLES = 200

#: Names of the measures in tables.
_LABELS = {
    "krippendorff-alpha": "Krippendorff α",
    "cohen-kappa": "Cohen κ",
    "fleiss-kappa": "Fleiss κ",
    "percent-agreement": "equal pairs",
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "icc-1": "ICC(1)",
    "icc-a1": "ICC(A,1)",
    "icc-c1": "ICC(C,1)",
    "icc-1k": "ICC(1,k)",
    "icc-ak": "ICC(A,k)",
    "icc-ck": "ICC(C,k)",
    "gwet-ac1": "Gwet AC1",
    "gwet-ac2": "Gwet AC2",
}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("agreement")(agreement)


@with_options
def agreement(
    corpus: Source,
    settings: AgreementSettings,
    policy: RatingPolicy,
    judgements: Annotated[JudgementSettings, Only("severities", "splits")],
    drifting: Annotated[DriftSettings, Only("order")],
    reading: Reading,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Measure inter-annotator agreement, drift of annotators and the quality of the ratings.

    [bold]dialgauge agreement ratings.jsonl --dimension relevance --level interval[/]

    Prints agreement with intervals and a verdict; annotators who drift over time or differ from the others;
    and the findings of the data checks (copied columns, unset rows, values off the scale, default comments).
    """
    given = load_corpus(corpus, format, map, strict, reading)
    loaded = given.without_models()
    _judgements.note_models(given)
    _judgements.note_same_names(loaded)
    judged = _judgements.analyse(
        loaded, settings.subset(JudgementSettings, severities=judgements.severities, splits=judgements.splits)
    )
    if judged and not loaded.ratings["value"].count():
        if json:
            print_json({"corpus": loaded.info.name, **_judgements.as_json(judged)})
        else:
            _judgements.print_judgements(judged)
        return
    if not loaded.ratings["value"].count():
        raise InputError(f"{corpus}: the corpus has no ratings, so agreement cannot be measured; {HOW_TO_ADD}")
    if policy.clean != "none" and "measures" not in settings.model_fields_set:
        # Cleaning leaves units with two equal ratings: Fleiss' κ needs the same number everywhere and sees only those.
        kept = tuple(name for name in settings.measures if name != "fleiss-kappa")
        settings = settings.model_copy(update={"measures": kept})
    with progress_bar("agreement") as progress:
        report = _analyse(loaded, settings, policy, drifting, progress)
    if json:
        chosen = {"resamples": settings.resamples, "seed": settings.seed, "on_invalid": policy.on_invalid}
        print_json({**_as_json(report), **chosen, **_judgements.as_json(judged)})
    else:
        _print(report, policy.on_invalid)
        _judgements.print_judgements(judged)


@dataclass(frozen=True, slots=True)
class _Report:
    """The results that the command shows."""

    corpus: "Corpus"
    before: "Agreement"
    after: "Agreement"
    cleaned: "Cleaned | None"
    drift: "Drift"
    outliers: "Outliers"
    findings: "Findings"
    invalid: "pl.DataFrame"
    ceilings: "pl.DataFrame"


def _analyse(
    corpus: "Corpus", settings: AgreementSettings, policy: RatingPolicy, order: DriftSettings, progress: Progress
) -> _Report:
    from dialgauge import ratings as room

    progress("measuring", 0, 4)
    treated = room.treat_ratings(corpus.ratings, policy)
    nominal = corpus.dimensions_of("nominal")
    before = after = room.agreement(treated.checked, settings=settings, policy=policy, nominal=nominal)
    if treated.cleaned is not None:
        progress("cleaning", 1, 4)
        after = room.agreement(
            treated.counted, settings=settings, policy=policy, nominal=nominal, before_cleaning=treated.checked
        )
    progress("drift", 2, 4)
    drifting = room.drift(treated.checked, order, policy, nominal=nominal, confidence=settings.confidence)
    standing = settings.subset(OutlierSettings, level=settings.level or "interval")
    apart = room.outliers(treated.checked, standing, policy, nominal=nominal)
    progress("checks", 3, 4)
    findings = room.check_ratings(corpus)
    reached = _ceilings(corpus, treated.checked, settings, policy, nominal)
    return _Report(corpus, before, after, treated.cleaned, drifting, apart, findings, treated.invalid, reached)


def _ceilings(
    corpus: "Corpus", ratings: "pl.DataFrame", settings: AgreementSettings, policy: RatingPolicy, nominal: list[str]
) -> "pl.DataFrame":
    """What one rater and a perfect metric reach, for each dimension with an order at summary and system level."""
    import polars as pl

    from dialgauge.metaeval import human_ceiling

    wanted = tuple(name for name in policy.dimensions or corpus.dimensions if name not in nominal)
    if not wanted:
        return pl.DataFrame()
    try:
        return human_ceiling(
            ratings,
            policy=policy.model_copy(update={"dimensions": wanted}) if nominal else policy,
            levels=("summary", "system"),
            coefficients=("pearson",),
            resamples=min(settings.resamples, _CEILING_RESAMPLES),
            confidence=settings.confidence,
            seed=settings.seed,
            references=sorted(corpus.references["system"].unique()),
        ).frame
    except InputError as error:
        # Agreement needs no choice among several roles; what metrics can reach does.
        note(f"what metrics can reach is not shown: {error}")
        return pl.DataFrame()


def _as_json(report: _Report) -> dict[str, Any]:
    from dialgauge.ratings import class_shares

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
    result["classes"] = class_shares(report.corpus).to_dicts()
    result["ceilings"] = report.ceilings.to_dicts()
    result["outliers"] = report.outliers.frame.to_dicts()
    result["findings"] = [{**asdict(finding), "evidence": dict(finding.evidence)} for finding in report.findings]
    result["invalid"] = report.invalid.to_dicts()
    return result


def _print(report: _Report, on_invalid: str) -> None:
    from dialgauge.ratings import class_shares
    from dialgauge.report import class_tables

    title = f"{report.corpus.info.name}: inter-annotator agreement"
    if report.corpus.info.ratings_origin == "constructed":
        title += " (constructed ratings: derived by a program, not given by people)"
    named = report.corpus.dimensions_of("nominal")
    _print_agreement(title, report.before, report.after, named)
    if report.cleaned is not None:
        _print_cleaning(report.cleaned)
    if report.invalid.height:
        verb = {"drop": "skipped", "keep": "kept"}[on_invalid]
        note(f"invalid values {verb} (outside the rating scale; see --on-invalid): {report.invalid.height}")
    _print_ceilings(report.ceilings)
    for table in class_tables(class_shares(report.corpus)):
        show(table)
    _print_drift(report.drift, named)
    _print_outliers(report.outliers, named)
    _print_findings(report.findings)


def _print_agreement(title: str, before: "Agreement", after: "Agreement", named: list[str]) -> None:
    from dialgauge.tables import number_cell

    dimensions = set(after.frame["dimension"].drop_nulls())
    every = "all with an order" if dimensions.intersection(named) and dimensions.difference(named) else "all dimensions"
    cleaned = before is not after
    columns = ["dimension", "measure", *(["before"] if cleaned else []), "value", "95 % interval", "verdict", "units"]
    rows: list[list[object]] = []
    previous = None
    key = ("scope", "dimension", "group", "measure")
    earlier = {row[:4]: row[4] for row in before.frame.select(*key, "value").iter_rows()}
    for row in _without_repeats(after.frame):
        name = " · ".join(filter(None, (row["dimension"] or every, row["group"])))
        measure = _LABELS.get(row["measure"], "all measures") + (f" ({row['setting']})" if row["setting"] else "")
        verdict = "; ".join(filter(None, (row["verdict"], row["note"])))
        units = f"{row['units']}" + (f" of {row['units'] + row['units_left_out']}" if row["units_left_out"] else "")
        value: list[object] = [number_cell(earlier.get(tuple(row[part] for part in key)))] if cleaned else []
        value += [number_cell(row["value"]), interval(row["low"], row["high"])]
        rows.append([name if name != previous else "", measure, *value, verdict, units])
        previous = name
    print_table(title, columns, rows, numeric=["before", "value", "95 % interval", "units"])


def _without_repeats(found: "pl.DataFrame") -> "Iterator[dict[str, Any]]":
    """The rows without those of all dimensions where there is one; measures without a value for one reason are one."""
    alone = found["dimension"].drop_nulls().n_unique() == 1
    for (scope, *_), part in found.group_by("scope", "dimension", "group", maintain_order=True):
        if alone and scope == "overall":
            continue
        rows = part.to_dicts()
        if part["value"].is_null().all() and part["note"].n_unique() == 1 and len(rows) > 1:
            rows = [{**rows[0], "measure": None, "setting": None}]
        yield from rows


def _print_ceilings(reached: "pl.DataFrame") -> None:
    """How far a metric could correlate with these ratings; nothing where no correlation has a value."""
    if reached.is_empty() or not reached["perfect"].is_not_null().any():
        return
    from dialgauge.tables import number_cell

    rows, previous = [], None
    for row in reached.drop_nulls("perfect").iter_rows(named=True):
        shown = [number_cell(row[name]) for name in ("value", "new_rater", "perfect")]
        name = row["dimension"] if row["dimension"] != previous else ""
        rows.append([name, row["level"], *shown, interval(row["perfect_low"], row["perfect_high"])])
        previous = row["dimension"]
    columns = ("dimension", "level", "one against the rest", "new rater", "perfect metric", "95 % interval")
    print_table("what could be reached against these ratings (Pearson r)", columns, rows, numeric=columns[2:])


def _print_cleaning(cleaned: "Cleaned") -> None:
    columns = ("dimension", "ratings", "removed", "left")
    print_table(
        "ratings removed because they contradict the majority", columns, cleaned.counts.iter_rows(), numeric=columns[1:]
    )
    note("Cleaning removes disagreement, so agreement rises by construction: report both numbers.")


def _few(rows: "pl.DataFrame", flagged: "pl.DataFrame") -> tuple[list[dict[str, Any]], int]:
    """The rows to show, and how many flagged ones are left out: all rows of a small table, else the worst."""
    if rows.height <= _MOST_ROWS:
        return rows.to_dicts(), 0
    return flagged.head(_MOST_FLAGGED).to_dicts(), max(0, flagged.height - _MOST_FLAGGED)


def _print_drift(drifting: "Drift", named: list[str]) -> None:
    import polars as pl

    from dialgauge.tables import number_cell

    # Nothing rises or falls among classes without an order.
    trends = drifting.trends.filter(~pl.col("dimension").is_in(named))
    if drifting.trends.height and not trends.height:
        return
    rows, more = _few(trends, drifting.drifting)
    count = drifting.drifting.height
    if not drifting.blocks.height or not rows:
        note("No drift found." if drifting.blocks.height else "Drift needs units rated by at least two annotators.")
        return
    blocks = sorted(drifting.blocks["block"].unique())
    means = {
        (a, d, b): r for a, d, b, r in drifting.blocks.select("annotator", "dimension", "block", "residual").rows()
    }
    shown = [
        [
            row["annotator"],
            row["dimension"],
            *(number_cell(means.get((row["annotator"], row["dimension"], block)), "+.2f") for block in blocks),
            number_cell(row["change"], "+.2f"),
            interval(row["low"], row["high"], "+.2f"),
            "DRIFTS" if row["drifts"] else row["note"] or "",
        ]
        for row in rows
    ]
    parts = [f"part {block}" for block in blocks]
    title = f"drift: rating minus the mean of the others ({count} drifting; by {drifting.order})"
    columns = ["annotator", "dimension", *parts, "change", "95 % interval", "flag"]
    print_table(title, columns, shown, numeric=[*parts, "change", "95 % interval"])
    _count_more(more, "annotators who drift")


def _print_outliers(apart: "Outliers", named: list[str]) -> None:
    from dialgauge.tables import number_cell

    rows, more = _few(apart.frame.sort("annotator", "dimension"), apart.flagged)
    if not rows:
        note("No annotator is an outlier.")
        return
    shown = [
        [
            row["annotator"],
            row["dimension"],
            number_cell(row["bias"], "+.2f"),
            number_cell(row["correlation"]),
            number_cell(row["alpha"]),
            number_cell(row["alpha_without"]),
            interval(row["low"], row["high"], "+.2f"),
            "OUTLIER" if row["outlier"] else row["note"] or "",
        ]
        for row in rows
    ]
    columns = ["annotator", "dimension", "bias", "r", "α of all", "α without", "95 % of the rise", "flag"]
    level = f"{apart.level} level{'; of classes nominal' if named else ''}"
    title = f"each annotator compared with the others ({apart.flagged.height} outliers; α at {level})"
    print_table(title, columns, shown, numeric=columns[2:7])
    _count_more(more, "outliers")


def _count_more(more: int, what: str) -> None:
    if more:
        note(f"… and {more} more {what} (--json lists all)")


def _print_findings(findings: "Findings") -> None:
    if not len(findings):
        note("The data checks found no problems.")
        return
    notes = [finding for finding in findings if finding.severity == "note"]
    hidden = set(map(id, notes[_MOST_NOTES:]))
    rows: Iterable[list[object]] = [[f.severity, f.where, f.message] for f in findings if id(f) not in hidden]
    print_table("findings of the data checks", ("severity", "where", "what"), rows)
    if hidden:
        note(f"… and {len(hidden)} more notes (--json lists all)")
