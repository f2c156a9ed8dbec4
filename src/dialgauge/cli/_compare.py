"""``dialgauge compare`` and ``dialgauge datasheet``: studies against each other, and the sheet that describes one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.errors import InputError

if TYPE_CHECKING:
    from dialgauge.reproduce import ComparisonReport, Conclusions, StudyResults


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("compare")(compare)
    app.command("datasheet")(datasheet)


def compare(
    studies: Annotated[
        list[str],
        typer.Argument(
            help="The original, then its reproductions: CSV tables of results (system, dimension, value and optionally "
            "role, n, scale) or corpora with ratings. [bold]NAME=PATH[/] gives a study a name.",
            show_default=False,
        ),
    ],
    scale: Annotated[
        list[str] | None,
        typer.Option(help="The scale of results that name none, as in [bold]1-5[/] or [bold]STUDY=1-5[/]."),
    ] = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="Bring all results to 0–1 by their scales.")] = False,
    method: Annotated[
        str, typer.Option(help="How several ratings of one item are merged: mean, median, annotator:NAME …")
    ] = "mean",
    settings: Annotated[
        bool,
        typer.Option(
            "--settings", help="Merge the reproductions' shared items in every way: each annotator, mean, median."
        ),
    ] = False,
    agreement: Annotated[
        list[str] | None, typer.Option(help="An agreement that a study reports: [bold]STUDY=0.48[/].")
    ] = None,
    claims: Annotated[
        Path | None, typer.Option(help="A TOML file of claims to hold against every study.", show_default=False)
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option(help="Test systems within studies that have ratings: [bold]A,B[/] (A against B) or [bold]all[/]."),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained web page.")] = None,
    json: Json = False,
) -> None:
    """Does the reproduction confirm the original? CV*, correlation, rank changes, agreement, conclusions.

    [bold]dialgauge compare original.csv reproduction.csv --scale 1-5 --html comparison.html[/]

    CV* is the spread of a result over studies in per cent of its mean: 0 is a perfect repetition.
    Scales that do not begin at 0 are shifted there first, and what the rounding of printed numbers
    leaves open is shown as a range.
    """
    from dialgauge.files import write_text
    from dialgauge.reproduce import (
        ComparisonReport,
        check_claims,
        compare_systems,
        comparison_html,
        comparison_json,
        read_claims,
    )
    from dialgauge.reproduce import compare as compare_studies

    results = _load(studies, _by_study(scale, "--scale"), normalise, method, settings)
    results = _with_agreement(results, agreement)
    pairs = _pairs(test)
    rated = [study for study in results if study.summaries is not None] if test else []
    if test and not rated:
        raise InputError("--test needs a study with ratings; these have printed results only")
    with progress_bar("testing systems") as progress:
        tested = [compare_systems(study, pairs or None, progress=progress) for study in rated]
    comparison = compare_studies(results)
    conclusions = check_claims(read_claims(claims), results) if claims is not None else None
    report = ComparisonReport(comparison, conclusions, tested)
    if html is not None:
        write_text(html, comparison_html(report))
        note(f"wrote {html}")
    if json:
        print_json(comparison_json(report))
    else:
        _print_report(report)


def datasheet(
    corpus: Annotated[str, typer.Argument(help="A corpus with ratings, or [bold]embedded[/].", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the sheet: .json (as the HEDS form) or .md.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Your own answers: TOML, a text for each key of the sheet.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Draft the Human Evaluation Datasheet (HEDS 3.0) of a study, with its open questions.

    [bold]dialgauge datasheet ratings.jsonl --answers answers.toml -o heds.json[/]
    """
    import json as json_module

    from dialgauge.cli._corpus_input import load_corpus
    from dialgauge.files import write_text
    from dialgauge.reproduce import draft_datasheet, read_answers

    given = read_answers(answers) if answers is not None else None
    sheet = draft_datasheet(load_corpus(corpus), answers=given)
    if output is not None:
        if output.suffix not in (".json", ".md"):
            raise InputError(f"--output {output}: the sheet is written as .json or .md")
        is_json = output.suffix == ".json"
        text = (
            json_module.dumps(sheet.to_json(), ensure_ascii=False, indent=2) + "\n" if is_json else sheet.to_markdown()
        )
        write_text(output, text)
        note(f"wrote {output}: {len(sheet.answers)} answers, {len(sheet.open)} open questions")
    if json:
        print_json(
            {
                "sheet": sheet.to_json(),
                "open": [{"key": q.key, "criterion": criterion, "question": q.text} for q, criterion in sheet.open],
            }
        )
    elif output is None:
        console.print(sheet.to_markdown(), markup=False, highlight=False, soft_wrap=True)


def _by_study(options: list[str] | None, flag: str) -> dict[str | None, str]:
    """``STUDY=VALUE`` by study; a bare value stands for all studies (None)."""
    found: dict[str | None, str] = {}
    for option in options or ():
        study, equals, value = option.rpartition("=")
        if not value or (equals and not study):
            raise InputError(f"{flag} {option!r}: write it as VALUE or STUDY=VALUE")
        found[study if equals else None] = value
    return found


def _pairs(tests: list[str] | None) -> list[tuple[str, str]]:
    """The pairs asked for; none stands for all of them."""
    pairs = []
    for text in tests or ():
        if text == "all":
            return []
        system, comma, baseline = (part.strip() for part in text.partition(","))
        if not (system and comma and baseline):
            raise InputError(f"--test {text!r}: write it as SYSTEM,BASELINE or all")
        pairs.append((system, baseline))
    return pairs


def _load(
    sources: list[str], scales: dict[str | None, str], normalise: bool, method: str, settings: bool
) -> list["StudyResults"]:
    from dialgauge.reproduce import is_printed_table, read_printed

    named: list[tuple[str, Path]] = []
    for source in sources:
        given, equals, place = source.partition("=")
        has_name = bool(equals) and not Path(source).exists()
        named.append((given, Path(place)) if has_name else (Path(source).stem, Path(source)))
    for study in scales:
        if study is not None and study not in [name for name, _ in named]:
            raise InputError(
                f"--scale {study}=…: there is no study of that name; there are {', '.join(n for n, _ in named)}"
            )
    results: list[StudyResults] = []
    for position, (name, path) in enumerate(named):
        scale = scales.get(name, scales.get(None))
        if is_printed_table(path):
            printed = read_printed(path, name=name)
            printed = printed.with_scale(scale) if scale is not None else printed
            results.append(printed.normalised() if normalise else printed)
        else:
            # The original stays as it was published; alone on the line, a study is compared with itself.
            sweep = settings and (position > 0 or len(named) == 1)
            results += _rated(name, path, scale, normalise, method, sweep)
    return results


def _rated(
    name: str, path: Path, scale: str | None, normalise: bool, method: str, settings: bool
) -> list["StudyResults"]:
    import polars as pl

    from dialgauge.cli._corpus_input import load_corpus
    from dialgauge.ratings import find_scale
    from dialgauge.reproduce import rated_results, shared_annotators, sweep_settings

    corpus = load_corpus(str(path))
    if corpus.info.ratings_origin == "constructed":
        note(f"{name}: the ratings of this corpus were constructed by a program, not given by people")
    ratings = corpus.ratings
    if scale is not None:
        ratings = ratings.with_columns(pl.col("scale").fill_null(find_scale(scale).name))
    if settings and shared_annotators(ratings):
        return list(sweep_settings(ratings, name, normalised=normalise))
    return [rated_results(ratings, name, method=method, normalised=normalise)]


def _with_agreement(results: list["StudyResults"], options: list[str] | None) -> list["StudyResults"]:
    reported: dict[str, float] = {}
    for study, text in _by_study(options, "--agreement").items():
        if study not in [result.name for result in results]:
            raise InputError(f"--agreement {text}: name the study, as in {results[0].name}={text}")
        try:
            reported[study] = float(text)
        except ValueError as error:
            raise InputError(f"--agreement {study}={text}: not a number") from error
    return [r.with_agreement(reported[r.name]) if r.name in reported else r for r in results]


def _print_report(report: "ComparisonReport") -> None:
    _print_studies(report)
    print_table(
        "How far they agree (QRA)",
        ("type", "what is compared", "measure", "value", "in words"),
        ((line.type, line.what, line.measure, _number(line.value), line.text) for line in report.qra),
        numeric=("value",),
    )
    if report.conclusions is not None:
        _print_conclusions(report.conclusions)
    _print_order(report)
    _print_together(report)
    _print_ranks(report)
    _print_cells(report)
    _print_tests(report)


def _number(value: float | None, places: int = 2) -> str:
    from dialgauge.reproduce import show_number

    return show_number(value, places)


def _span(low: float | None, high: float | None, places: int = 2) -> str:
    if low is None or high is None or high - low < 1e-9:
        return ""
    return f"{_number(low, places)} … {_number(high, places)}"


def _print_used(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], numeric: Sequence[str]) -> None:
    """A table without the columns that no row uses."""
    used = [i for i in range(len(columns)) if any(row[i] not in ("", None) for row in rows)]
    print_table(title, [columns[i] for i in used], [[row[i] for i in used] for row in rows], numeric=numeric)


def _print_studies(report: "ComparisonReport") -> None:
    comparison = report.comparison
    rows = []
    for study in comparison.studies:
        agreed = "; ".join(
            f"{a.measure} {_number(a.value)}" + (f" ({a.verdict})" if a.verdict else "") for a in study.agreement
        )
        source = "printed" if study.summaries is None else "ratings"
        rows.append((study.name, source, len(study.systems), ", ".join(study.dimensions), agreed or "not reported"))
    columns = ("study", "results", "systems", "dimensions", "agreement of its annotators")
    print_table(f"{len(rows)} studies, the original first", columns, rows, numeric=("systems",))
    for study in comparison.studies:
        for line in study.remarks:
            _say(f"{study.name}: {line}")
    assumed = [shift.dimension for shift in comparison.shifts if shift.assumed]
    if assumed:
        _say(f"No scale is named for {', '.join(assumed)}: taken to begin at 0 (--scale says otherwise).")
    shifted = {(shift.scale, shift.lowest): list[str]() for shift in comparison.shifts if shift.lowest}
    for shift in comparison.shifts:
        if shift.lowest:
            shifted[shift.scale, shift.lowest].append(shift.dimension)
    for (scale, lowest), dimensions in shifted.items():
        _say(f"{', '.join(dimensions)}: the scale {scale} begins at {lowest:g}, taken off before CV*.")
    for line in comparison.left_out:
        _say(f"left out: {line}")


def _say(text: str) -> None:
    console.print(text, style="yellow", markup=False, highlight=False)


def _print_cells(report: "ComparisonReport") -> None:
    """The cells over all studies; with many studies, the pairs in one line each."""
    comparison = report.comparison
    group, names = comparison.groups[0], comparison.names
    wide = sum(max(4, len(name)) for name in names) <= 30  # what a terminal of 100 columns has room for
    rows = []
    for row in comparison.cells.iter_rows(named=True):
        if row["studies"] != group:
            continue
        values = [_number(v) for v in row["values"]]
        shown = values if wide else [f"{_number(min(row['values']))} … {_number(max(row['values']))}"]
        spread = row["note"] or _span(row["low"], row["high"])
        rows.append((row["dimension"], row["role"], row["system"], *shown, _number(row["cv_star"]), spread))
    columns = ["dimension", "role", "system", *(names if wide else ["values"]), "CV*", "rounding leaves"]
    _print_used(f"CV* of each result: {group}", columns, rows, (*names, "values", "CV*"))
    spread_rows = [
        (
            row["studies"],
            row["dimension"] or "all",
            row["role"] or "all",
            *(_number(row[k]) for k in ("mean", "median", "largest")),
        )
        for row in comparison.spread.iter_rows(named=True)
        if row["studies"] == group or row["dimension"] is None
    ]
    columns = ["studies", "dimension", "role", "mean", "median", "largest"]
    print_table("CV* in summary", columns, spread_rows, numeric=columns[3:])


def _print_order(report: "ComparisonReport") -> None:
    comparison = report.comparison
    rows = []
    for row in comparison.correlations.iter_rows(named=True):
        remark = row["note"] or ("sign open" if row["sign_open"] else "open" if row["open"] else "")
        order = f"{row['kept']} / {row['reversed']} / {row['tied']}"
        span = _span(row["low"], row["high"])
        values = (_number(row["pearson"]), _number(row["spearman"]), span, order, remark)
        rows.append((row["study"], row["dimension"], row["role"], *values))
    columns = ["study", "dimension", "role", "Pearson", "Spearman", "rounding leaves", "order", ""]
    _print_used(f"Order of the systems against {comparison.names[0]}", columns, rows, ("Pearson", "Spearman"))
    console.print("[dim]order: pairs of systems whose order is kept / reversed / tied in one of the studies[/]")


def _print_together(report: "ComparisonReport") -> None:
    """Kendall's W, and α where studies rated the same summaries; where none has ratings, one line says so."""
    concordance = report.comparison.concordance
    rated = concordance["items"].is_not_null().any()
    rows = []
    for row in concordance.iter_rows(named=True):
        items = "–" if row["items"] is None else row["items"]
        alpha = (items, _number(row["alpha"])) if rated else ()
        remarks = (row["w_note"], row["alpha_note"] if rated else "")
        remark = "; ".join(text for text in remarks if text)
        rows.append((row["dimension"], row["role"], row["systems"], _number(row["kendall_w"]), *alpha, remark))
    columns = ["dimension", "role", "systems", "Kendall's W", *(("shared summaries", "α") if rated else ()), ""]
    _print_used("All studies together", columns, rows, columns[2:-1])
    if not rated:
        _say(f"Krippendorff's α over studies: {concordance['alpha_note'][0]}.")


def _print_ranks(report: "ComparisonReport") -> None:
    comparison = report.comparison
    changed = [row for row in comparison.ranks.iter_rows(named=True) if len(set(row["ranks"])) > 1]
    if not changed:
        _say("Every system has the same rank in every study.")
        return
    rows = [
        (row["dimension"], row["role"], row["system"], " → ".join(f"{rank:g}" for rank in row["ranks"]))
        for row in changed
    ]
    title = f"Systems that change rank (1 is the best; {' → '.join(comparison.names)})"
    print_table(title, ("dimension", "role", "system", "ranks"), rows)


def _print_conclusions(conclusions: "Conclusions") -> None:
    marks = {"confirmed": "✓", "partly": "◐", "not confirmed": "✗"}
    rows = []
    for claim in conclusions.claims:
        found = {row["study"]: row for row in conclusions.frame.iter_rows(named=True) if row["claim"] == claim.id}
        cells = [marks[found[name]["verdict"]] + ("?" if found[name]["open"] else "") for name in conclusions.studies]
        rows.append((f"{claim.id}. {claim.text}", *cells, conclusions.overall(claim.id)))
    columns = ("claim", *conclusions.studies, "reproductions")
    print_table(f"Conclusions: {conclusions.confirmed} of {len(rows)} confirmed", columns, rows)
    console.print("[dim]✓ confirmed  ◐ partly  ✗ not confirmed  ? rounding or an unknown test could change it[/]")


def _print_tests(report: "ComparisonReport") -> None:
    from dialgauge.reproduce import show_p_value

    for tested in report.systems:
        rows = []
        for row in tested.frame.iter_rows(named=True):
            effect = _number(row["effect"])
            span = _span(row["effect_low"], row["effect_high"]).replace(" ", "")
            p_values = (show_p_value(row[f"corrected_{name}"]) for name in ("t", "wilcoxon", "permutation"))
            pair = f"{row['system']} − {row['baseline']}"
            difference = f"{_number(row['difference'], 3)}{row['stars']}"
            rows.append(
                (row["dimension"], row["role"], pair, row["n"], difference, effect, row["note"] or span, *p_values)
            )
        columns = ("dimension", "role", "pair", "n", "diff.", "d", "95 % of d", "p t", "p Wilcoxon", "p perm.")
        print_table(
            f"Systems within {tested.study}: paired differences; p-values corrected (Benjamini–Hochberg)",
            columns,
            rows,
            numeric=("n", "diff.", "d", "p t", "p Wilcoxon", "p perm."),
        )
