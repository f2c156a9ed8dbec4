"""What ``dialgauge compare`` shows: how far studies agree, in tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dialgauge.cli._output import console, print_table

if TYPE_CHECKING:
    from dialgauge.reproduce import ComparisonReport, Conclusions


def print_report(report: "ComparisonReport") -> None:
    """Every table of a comparison, the general ones first."""
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


def _span(low: float | None, high: float | None) -> str:
    from dialgauge.reproduce import show_span

    return show_span(low, high)


def _print_used(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], numeric: Sequence[str]) -> None:
    """A table without the columns that no row uses."""
    used = [i for i in range(len(columns)) if any(row[i] not in ("", None) for row in rows)]
    print_table(title, [columns[i] for i in used], [[row[i] for i in used] for row in rows], numeric=numeric)


def _print_studies(report: "ComparisonReport") -> None:
    from dialgauge.reproduce import comparison_json, comparison_remarks

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
    for line in comparison_remarks(comparison_json(report), " (--scale says otherwise)"):
        _say(line)


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
