"""A comparison of studies as tables, the general ones first. Nothing is computed here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from dialgauge.reproduce._compare_render import ComparisonReport
from dialgauge.reproduce._conclusions import Conclusions
from dialgauge.reproduce._qra import show_p_value, show_span
from dialgauge.tables import NOTHING, Table, interval, listing, number, number_cell

_VERDICTS = {"confirmed": "✓", "partly": "◐", "not confirmed": "✗"}


def comparison_tables(report: ComparisonReport) -> Iterator[Table]:
    """The studies, how far they agree, conclusions, order and ranks of systems, single results, tests of systems."""
    yield studies_table(report)
    yield agreement_table([asdict(line) for line in report.qra])
    if report.conclusions is not None:
        yield _conclusions(report.conclusions)
    yield _order(report)
    yield concordance_table(report)
    if (ranks := ranks_table(report)) is not None:
        yield ranks
    # A terminal of 100 columns has room for so many names; where there are more, each result has a range of values.
    wide = sum(max(4, len(name)) for name in report.comparison.names) <= 30
    yield cells_table(report, report.comparison.groups[0], wide=wide)
    yield _spread(report)
    yield from test_tables({tested.study: tested.frame.to_dicts() for tested in report.systems})


def _used(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], numeric: Sequence[str], *notes: str
) -> Table:
    """A table without the columns that no row uses."""
    used = [i for i in range(len(columns)) if any(row[i] not in ("", None) for row in rows)]
    chosen = [[row[i] for i in used] for row in rows]
    return listing(title, [columns[i] for i in used], chosen, numeric=numeric, notes=notes)


def studies_table(report: ComparisonReport) -> Table:
    """Where the results of each study come from, and how far its annotators agreed."""
    rows = []
    for study in report.comparison.studies:
        agreed = "; ".join(
            f"{a.measure} {number(a.value)}" + (f" ({a.verdict})" if a.verdict else "") for a in study.agreement
        )
        source = "printed" if study.summaries is None else "ratings"
        rows.append((study.name, source, len(study.systems), ", ".join(study.dimensions), agreed or "not reported"))
    columns = ("study", "results", "systems", "dimensions", "agreement of its annotators")
    return listing(f"{len(rows)} studies, the original first", columns, rows, numeric=("systems",))


def agreement_table(lines: Sequence[Mapping[str, Any]]) -> Table:
    """Agreement by type of result, from what :func:`comparison_json` gives."""
    rows = ((line["type"], line["what"], line["measure"], number_cell(line["value"]), line["text"]) for line in lines)
    columns = ("type", "what is compared", "measure", "value", "in words")
    return listing("How far they agree (QRA)", columns, rows, numeric=("value",))


def _conclusions(conclusions: Conclusions) -> Table:
    rows = []
    for claim in conclusions.claims:
        found = {row["study"]: row for row in conclusions.frame.iter_rows(named=True) if row["claim"] == claim.id}
        marks = [
            _VERDICTS[found[name]["verdict"]] + ("?" if found[name]["open"] else "") for name in conclusions.studies
        ]
        rows.append((f"{claim.id}. {claim.text}", *marks, conclusions.overall(claim.id)))
    columns = ("claim", *conclusions.studies, "reproductions")
    note = "✓ confirmed  ◐ partly  ✗ not confirmed  ? rounding or an unknown test could change it"
    title = f"Conclusions: {conclusions.confirmed} of {len(rows)} confirmed"
    return listing(title, columns, rows, notes=[note])


def _order(report: ComparisonReport) -> Table:
    rows = []
    for row in report.comparison.correlations.iter_rows(named=True):
        remark = row["note"] or ("sign open" if row["sign_open"] else "open" if row["open"] else "")
        order = f"{row['kept']} / {row['reversed']} / {row['tied']}"
        values = (
            number_cell(row["pearson"]),
            show_span(row["pearson_low"], row["pearson_high"]),
            number_cell(row["spearman"]),
            show_span(row["spearman_low"], row["spearman_high"]),
            show_span(row["low"], row["high"]),
        )
        rows.append((row["study"], row["dimension"], row["role"], *values, order, remark))
    columns = [
        "study",
        "dimension",
        "role",
        "Pearson",
        "95 % of r",
        "Spearman",
        "95 % of ρ",
        "rounding leaves",
        "order",
        "",
    ]
    title = f"Order of the systems compared with {report.comparison.names[0]}"
    note = "order: pairs of systems whose order is kept / reversed / tied in one of the studies"
    return _used(title, columns, rows, ("Pearson", "Spearman"), note)


def concordance_table(report: ComparisonReport) -> Table:
    """Kendall's W, and α where studies rated the same summaries; where none has ratings, a note says so."""
    concordance = report.comparison.concordance
    rated = concordance["items"].is_not_null().any()
    # Corrected for ties, W is a share of what ties leave possible; the other number only says more where there are any.
    gap = (concordance["kendall_w"] - concordance["w_without_ties"]).abs().max()
    tied = isinstance(gap, float) and gap > 1e-9
    rows = []
    for row in concordance.iter_rows(named=True):
        items = NOTHING if row["items"] is None else row["items"]
        alpha = (items, number_cell(row["alpha"])) if rated else ()
        remarks = (row["w_note"], row["alpha_note"] if rated else "")
        remark = "; ".join(text for text in remarks if text)
        w = (number_cell(row["kendall_w"]), show_span(row["w_low"], row["w_high"]))
        uncorrected = (number_cell(row["w_without_ties"]),) if tied else ()
        rows.append((row["dimension"], row["role"], row["systems"], *w, *uncorrected, *alpha, remark))
    w_columns = ("Kendall's W", "95 % of W", *(("W, ties as they are",) if tied else ()))
    columns = ["dimension", "role", "systems", *w_columns, *(("shared summaries", "α") if rated else ()), ""]
    notes = [] if rated else [f"Krippendorff's α over studies: {concordance['alpha_note'][0]}."]
    if tied:
        notes.append("Kendall's W is corrected for ties; beside it W without the correction.")
    if not _changed_ranks(report):
        notes.append("Every system has the same rank in every study.")
    return _used("Concordance of all studies", columns, rows, columns[2:-1], *notes)


def _changed_ranks(report: ComparisonReport) -> list[tuple[str, str, str, str]]:
    return [
        (row["dimension"], row["role"], row["system"], " → ".join(f"{rank:g}" for rank in row["ranks"]))
        for row in report.comparison.ranks.iter_rows(named=True)
        if len(set(row["ranks"])) > 1
    ]


def ranks_table(report: ComparisonReport) -> Table | None:
    """The systems that have another rank in another study, if there are any."""
    rows = _changed_ranks(report)
    title = f"Systems that change rank (1 is the best; {' → '.join(report.comparison.names)})"
    return listing(title, ("dimension", "role", "system", "ranks"), rows) if rows else None


def cells_table(report: ComparisonReport, group: str, *, wide: bool = True) -> Table:
    """Each result of a group of studies with its CV*; ``wide`` has a column for each study, not the range of values."""
    comparison = report.comparison
    names = comparison.members(group)
    rows = []
    for row in comparison.cells.iter_rows(named=True):
        if row["studies"] != group:
            continue
        values: list[object] = [interval(min(row["values"]), max(row["values"]))]
        if wide:
            values = [number_cell(value) for value in row["values"]]
        spread = row["note"] or show_span(row["low"], row["high"])
        drawn = show_span(row["interval_low"], row["interval_high"])
        rows.append((row["dimension"], row["role"], row["system"], *values, number_cell(row["cv_star"]), drawn, spread))
    shown = (*names, "CV*") if wide else ("values", "CV*")
    columns = ["dimension", "role", "system", *shown, "95 % interval", "rounding leaves"]
    return _used(f"CV* of each result: {group}", columns, rows, shown)


def _spread(report: ComparisonReport) -> Table:
    rows = (
        (
            row["studies"],
            row["dimension"] or "all",
            row["role"] or "all",
            *(number_cell(row[name]) for name in ("mean", "median", "largest")),
        )
        for row in report.comparison.spread.iter_rows(named=True)
        if row["studies"] == report.comparison.groups[0] or row["dimension"] is None
    )
    columns = ["studies", "dimension", "role", "mean", "median", "largest"]
    return listing("CV* in summary", columns, rows, numeric=columns[3:])


def test_tables(systems: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Table]:
    """Tests of the systems within each study, from what :func:`comparison_json` gives."""
    columns = ("dimension", "role", "pair", "n", "diff.", "d", "95 % of d", "p t", "p ranks", "p perm.")
    for study, tests in systems.items():
        rows = (
            (
                row["dimension"],
                row["role"],
                f"{row['system']} − {row['baseline']}",
                row["n"] if row["design"] == "paired" else f"{row['n']} + {row['n_baseline']}",
                number_cell(row["difference"], 3, stars=row["stars"]),
                number_cell(row["effect"]),
                row["note"] or show_span(row["effect_low"], row["effect_high"]).replace(" ", ""),
                *(show_p_value(row[f"corrected_{name}"]) for name in ("t", "wilcoxon", "permutation")),
            )
            for row in tests
        )
        title = f"Systems within {study}: differences; p-values corrected (Benjamini–Hochberg)"
        yield listing(
            title, columns, rows, numeric=("n", "diff.", "d", "p t", "p ranks", "p perm."), notes=_designs(tests)
        )


def _designs(tests: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which tests were made: those of pairs, those of independent groups, or both."""
    kinds = {
        "paired": "n: the same dialogues for both systems; paired t-test, Wilcoxon's signed-rank test, sign flips.",
        "unpaired": "n as in 30 + 28: different dialogues; Welch's t-test, Mann–Whitney test, permuted names.",
    }
    return [text for kind, text in kinds.items() if any(row["design"] == kind for row in tests)]
