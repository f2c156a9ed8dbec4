"""Tables of judgements that are not ratings: labels, preferences, best-worst choices, marked spans."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.errors import counted
from dialgauge.report._panel import Panel, plain_panel
from dialgauge.tables import NOTHING, Table, estimate, estimate_cell, interval, listing, number, number_cell

#: Metrics of a dimension that are shown, the best first.
_MOST = 15


def told_by_metrics(labels: pl.DataFrame | None, accuracy: pl.DataFrame | None) -> dict[tuple[str, str], str]:
    """For each dimension and metric what it does with labels and preferences, in the words of their kind."""
    said: dict[tuple[str, str], str] = {}
    for row in () if labels is None else labels.iter_rows(named=True):
        name = "auc" if row["within_auc"] is None else "within_auc"
        if row[name] is not None:
            value = estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], between=", ")
            said[row["dimension"], row["metric"]] = f"tells right from wrong with AUC {value}"
    for row in () if accuracy is None else accuracy.iter_rows(named=True):
        if row["accuracy"] is not None:
            value = estimate(row["accuracy"], row["accuracy_low"], row["accuracy_high"], ".0%", between=", ")
            said[row["dimension"], row["metric"]] = f"agrees with {value} of the preferences"
    return said


def labels_table(frame: pl.DataFrame) -> Table:
    """How well each metric distinguishes good from bad summaries."""
    columns = ["dimension", "metric", "AUC", "95 % interval", "within", "95 % of it", "p of chance", "note"]
    rows = [
        [
            row["dimension"],
            row["metric"],
            number_cell(row["auc"]),
            interval(row["auc_low"], row["auc_high"]),
            number_cell(row["within_auc"]),
            interval(row["within_auc_low"], row["within_auc_high"]),
            number_cell(row["p_chance"], ".2g"),
            row["note"] or "",
        ]
        for row in _best(frame)
    ]
    shares = "; ".join(
        f"{row['dimension']} {row['good']} of {row['items']}"
        for row in frame.unique("dimension", keep="first", maintain_order=True).iter_rows(named=True)
    )
    note = (
        "within: two summaries of one dialogue; p of chance: at one error for all metrics and dimensions. "
        f"Summaries that are good, or of the class: {shares}"
    )
    title = "labels: does the metric tell right from wrong, or one class from the others?"
    return _without_empty_notes(title, columns, rows, [note])


def thresholds_table(frame: pl.DataFrame) -> Table:
    """What each metric does with a threshold or as a probability, both fitted on other dialogues."""
    columns = ["dimension", "metric", "threshold", "bal. acc.", "MCC", "AP", "Brier", "calibration"]
    rows = [
        [
            row["dimension"],
            row["metric"],
            number_cell(row["threshold"], ".3g"),
            *(
                estimate_cell(row[name], row[f"{name}_low"], row[f"{name}_high"], short=True)
                for name in ("balanced_accuracy", "mcc", "average_precision")
            ),
            number_cell(row["brier"]),
            _calibration(row),
        ]
        for row in _best(frame)
        if row["threshold"] is not None
    ]
    told = (
        "Brackets: 95 % intervals. Threshold: of the score, chosen on other dialogues (the median of the folds); "
        "calibration: error of probabilities fitted there, with what perfect ones would have in brackets."
    )
    title = "labels: with a threshold, and as a probability"
    return listing(title, columns, rows, numeric=columns[2:], notes=[told] if rows else [])


def _calibration(row: Mapping[str, Any]) -> str:
    if row["calibration_error"] is None:
        return NOTHING
    return f"{number(row['calibration_error'])} ({number(row['calibration_floor'])})"


def accuracy_table(frame: pl.DataFrame) -> Table:
    """How often each metric agrees with the preferences."""
    columns = ["dimension", "metric", "preferences", "agrees", "95 % interval", "with ties", "95 % of it", "note"]
    rows = [
        [
            row["dimension"],
            row["metric"],
            row["preferences"],
            number_cell(row["accuracy"]),
            interval(row["accuracy_low"], row["accuracy_high"]),
            number_cell(row["with_ties"]),
            interval(row["with_ties_low"], row["with_ties_high"]),
            row["note"] or "",
        ]
        for row in _best(frame)
    ]
    return _without_empty_notes("preferences: does the preferred summary score higher?", columns, rows, [])


def _without_empty_notes(
    title: str, columns: list[str], rows: list[list[Any]], notes: list[str], text: int = 2
) -> Table:
    """The table without its last column where no row has a note; the first ``text`` columns are no numbers."""
    numeric = columns[text:-1]
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return listing(title, columns, rows, numeric=numeric, notes=notes)


def _best(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [row for _, part in frame.group_by("dimension", maintain_order=True) for row in part.head(_MOST).to_dicts()]


def preferred_table(systems: pl.DataFrame, facts: pl.DataFrame) -> Table:
    """Systems by the strength of the preferences for them."""
    columns = ["dimension", "system", "compared", "won", "tied", "win rate", "95 % interval", "strength", "95 % of it"]
    rows = [
        [
            row["dimension"],
            row["system"],
            row["comparisons"],
            row["wins"],
            row["ties"],
            number_cell(row["win_rate"]),
            interval(row["win_rate_low"], row["win_rate_high"]),
            number_cell(row["strength"], "+.2f"),
            interval(row["strength_low"], row["strength_high"], "+.2f"),
        ]
        for row in systems.iter_rows(named=True)
    ]
    notes = [_preference_sentence(row) for row in facts.iter_rows(named=True)]
    title = "preferences: which system is preferred (Bradley–Terry strength)"
    return listing(title, columns, rows, numeric=columns[2:], notes=notes)


def _preference_sentence(row: Mapping[str, Any]) -> str:
    said = (
        f"{row['dimension']}: {counted(row['judgements'], 'preference')} by {counted(row['annotators'], 'annotator')}"
    )
    if row["alpha"] is not None:
        ends = interval(row["alpha_low"], row["alpha_high"])
        said += f", α {number(row['alpha'])} ({ends}{_in_words(row)}) on {counted(row['judged_twice'], 'pair')}"
    else:
        said += ", no agreement: no pair was judged twice, or all answers are equal"
    if row["first_wins"] is not None:
        ends = interval(row["first_wins_low"], row["first_wins_high"])
        said += f"; the summary shown first wins {row['first_wins']:.0%} of the decided ones ({ends})"
    if row["triads"]:
        said += f"; {row['circular']} of {row['triads']} triads are circular"
    return said + (f"; {row['note']}" if row["note"] else "")


def _in_words(row: Mapping[str, Any]) -> str:
    """What an α means; runs of earlier versions do not say."""
    return f": {row['verdict']}" if row.get("verdict") else ""


def best_worst_table(systems: pl.DataFrame, reliability: pl.DataFrame) -> Table:
    """Systems by their best-worst score."""
    columns = ["dimension", "system", "shown", "best", "worst", "score", "95 % interval"]
    rows = [
        [
            *(row[name] for name in columns[:5]),
            number_cell(row["score"], "+.2f"),
            interval(row["score_low"], row["score_high"], "+.2f"),
        ]
        for row in systems.iter_rows(named=True)
    ]
    notes = [_best_worst_sentence(row) for row in reliability.iter_rows(named=True)]
    return listing("best-worst choices: (best − worst) / shown", columns, rows, numeric=columns[2:], notes=notes)


def _best_worst_sentence(row: Mapping[str, Any]) -> str:
    of = f"{counted(row['questions'], 'question')}, {counted(row['annotators'], 'annotator')}"
    said = f"{row['dimension']}: no split-half reliability: {row['note']} ({of})"
    if row["correlation"] is not None:
        r, reliability = number(row["correlation"]), number(row["reliability"])
        said = f"{row['dimension']}: split-half r {r}, reliability {reliability} (halves of the {row['halves']}; {of})"
    if row["alpha"] is not None:
        said += f"; α {number(row['alpha'])} ({interval(row['alpha_low'], row['alpha_high'])}{_in_words(row)})"
    return said + (f"; {row['remark']}" if row.get("remark") else "")


def span_tables(agreement: pl.DataFrame, labels: pl.DataFrame) -> list[Table]:
    """Agreement on marked places, and what was marked."""
    columns = [
        "dimension",
        "read",
        "by two",
        "α marked",
        "95 % interval",
        "in words",
        "α label",
        "95 % of it",
        "F1 of words",
        "note",
    ]
    rows = [
        [
            row["dimension"],
            row["texts"],
            row["read_twice"],
            number_cell(row["alpha_marked"]),
            interval(row["alpha_marked_low"], row["alpha_marked_high"]),
            row.get("verdict") or "",
            number_cell(row["alpha_label"]),
            interval(row["alpha_label_low"], row["alpha_label_high"]),
            number_cell(row["token_f1"]),
            row["note"] or "",
        ]
        for row in agreement.iter_rows(named=True)
    ]
    names = ["dimension", "label", "severity", "spans", "summaries", "share"]
    listed = [
        [*(row[name] or "" for name in names[:3]), row["spans"], row["summaries"], f"{row['share']:.0%}"]
        for row in labels.iter_rows(named=True)
    ]
    return [
        _without_empty_notes("marked spans: agreement on characters and words", columns, rows, [], text=1),
        listing("what was marked (share: of the readings)", names, listed, numeric=names[3:]),
    ]


def span_systems_table(systems: pl.DataFrame) -> Table:
    """Systems by the errors that were marked in their summaries."""
    columns = ["dimension", "system", "read", "errors", "penalty", "95 % interval", "per 100 words", "any error"]
    rows = [
        [
            *(row[name] for name in ("dimension", "system", "readings")),
            number_cell(row["errors"]),
            number_cell(row["penalty"]),
            interval(row["penalty_low"], row["penalty_high"]),
            number_cell(row["per_100_words"]),
            f"{row['any']:.0%}",
        ]
        for row in systems.iter_rows(named=True)
    ]
    title = "marked errors of each system (penalty: errors of a reading, weighted by severity)"
    return listing(title, columns, rows, numeric=columns[2:])


def class_tables(shares: pl.DataFrame) -> list[Table]:
    """For each dimension of classes: how often the summaries of each system are of each class."""
    tables = []
    for (dimension,), part in shares.group_by("dimension", maintain_order=True):
        classes = part["class"].unique(maintain_order=True).to_list()
        rows = [
            [system, own["judgements"][0], *(f"{share:.0%}" for share in own["share"])]
            for (system,), own in part.group_by("system", maintain_order=True)
        ]
        columns = ["system", "judgements", *classes]
        title = f"{dimension}: classes of each system (share of the judgements)"
        tables.append(listing(title, columns, rows, numeric=columns[1:]))
    return tables


def judgements_panel(sentences: Sequence[str], tables: Sequence[Table]) -> Panel:
    """The section of the report on labels, preferences, best-worst choices and marked errors."""
    return plain_panel(
        "judgements",
        "Labels and preferences",
        "What do labels, preferences and marked errors say?",
        sentences=sentences,
        tables=tables,
        order=25,
    )
