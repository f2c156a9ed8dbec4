"""Tables for judgements that are not ratings: preferences, best-worst choices, marked spans, labels."""

from typing import TYPE_CHECKING, Any

from dialgauge.cli._output import note, print_table
from dialgauge.tables import interval, number_cell

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.corpus import Corpus
    from dialgauge.metaeval import JudgementEvaluation
    from dialgauge.ratings import BestWorst, JudgementSettings, MarkedSpans, Preferences

#: Metrics of a dimension that are shown, the best first; --json lists all.
_MOST = 15


def has_judgements(corpus: "Corpus") -> bool:
    """Whether a corpus has judgements other than ratings."""
    return bool(corpus.preferences.height or corpus.choices.height or corpus.spans.height)


def analyse(corpus: "Corpus", settings: "JudgementSettings") -> dict[str, Any]:
    """The results for each kind that the corpus has."""
    from dialgauge.ratings import best_worst_results, preference_results, span_results

    found: dict[str, Any] = {}
    if corpus.preferences.height:
        found["preferences"] = preference_results(corpus.preferences, settings)
    if corpus.choices.height:
        found["best_worst"] = best_worst_results(corpus.choices, settings)
    if corpus.spans.height:
        found["spans"] = span_results(corpus.spans, corpus.summaries, settings)
    return found


def as_json(found: dict[str, Any]) -> dict[str, Any]:
    """The same as plain data."""
    parts = {
        "preferences": ("systems", "pairs", "facts"),
        "best_worst": ("systems", "reliability"),
        "spans": ("agreement", "labels"),
    }
    return {
        kind: {name: getattr(found[kind], name).to_dicts() for name in names}
        for kind, names in parts.items()
        if kind in found
    }


def print_judgements(found: dict[str, Any]) -> None:
    """Print the tables of each kind."""
    if "preferences" in found:
        _print_preferences(found["preferences"])
    if "best_worst" in found:
        _print_best_worst(found["best_worst"])
    if "spans" in found:
        _print_spans(found["spans"])


def _print_preferences(found: "Preferences") -> None:
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
        for row in found.systems.iter_rows(named=True)
    ]
    print_table("preferences: which system is preferred (Bradley–Terry strength)", columns, rows, numeric=columns[2:])
    for row in found.facts.iter_rows(named=True):
        note(_preference_sentence(row))


def _preference_sentence(row: dict[str, Any]) -> str:
    said = f"{row['dimension']}: {row['judgements']} preferences by {row['annotators']} annotators"
    if row["alpha"] is not None:
        said += f", α {row['alpha']:.2f} {interval(row['alpha_low'], row['alpha_high'])} on {row['judged_twice']} pairs"
    else:
        said += ", no agreement: no pair was judged twice, or all answers are equal"
    if row["first_wins"] is not None:
        ends = interval(row["first_wins_low"], row["first_wins_high"])
        said += f"; the summary shown first wins {row['first_wins']:.0%} {ends}"
    if row["triads"]:
        said += f"; {row['circular']} of {row['triads']} triads are circular"
    return said + (f"; {row['note']}" if row["note"] else "")


def _print_best_worst(found: "BestWorst") -> None:
    columns = ["dimension", "system", "shown", "best", "worst", "score", "95 % interval"]
    rows = [
        [
            *(row[name] for name in columns[:5]),
            number_cell(row["score"], "+.2f"),
            interval(row["score_low"], row["score_high"], "+.2f"),
        ]
        for row in found.systems.iter_rows(named=True)
    ]
    print_table("best-worst choices: (best − worst) / shown", columns, rows, numeric=columns[2:])
    for row in found.reliability.iter_rows(named=True):
        if row["correlation"] is None:
            note(f"{row['dimension']}: no split-half reliability: {row['note']}")
            continue
        note(
            f"{row['dimension']}: split-half r {row['correlation']:.2f}, reliability {row['reliability']:.2f} "
            f"(halves of the {row['halves']}; {row['questions']} questions, {row['annotators']} annotators)"
        )


def _print_spans(found: "MarkedSpans") -> None:
    columns = [
        "dimension",
        "read",
        "by two",
        "α marked",
        "95 % interval",
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
            number_cell(row["alpha_label"]),
            interval(row["alpha_label_low"], row["alpha_label_high"]),
            number_cell(row["token_f1"]),
            row["note"] or "",
        ]
        for row in found.agreement.iter_rows(named=True)
    ]
    print_table("marked spans: agreement on characters and words", columns, rows, numeric=columns[1:-1])
    names = ["dimension", "label", "severity", "spans", "summaries", "share"]
    listed = [
        [*(row[name] or "" for name in names[:3]), row["spans"], row["summaries"], f"{row['share']:.0%}"]
        for row in found.labels.iter_rows(named=True)
    ]
    print_table("what was marked (share: of the readings)", names, listed, numeric=names[3:])


def print_evaluation(found: "JudgementEvaluation") -> None:
    """Print how metrics distinguish labels and agree with preferences, in tables and in words."""
    if found.labels is not None:
        _print_labels(found.labels.frame)
    if found.preferences is not None:
        _print_accuracy(found.preferences.frame)
    for sentence in found.sentences():
        note(sentence)


def _print_labels(frame: "pl.DataFrame") -> None:
    columns = ["dimension", "metric", "AUC", "95 % interval", "within", "95 % of it", "bal. acc.", "MCC", "AP", "note"]
    rows = [
        [
            row["dimension"],
            row["metric"],
            number_cell(row["auc"]),
            interval(row["auc_low"], row["auc_high"]),
            number_cell(row["within_auc"]),
            interval(row["within_auc_low"], row["within_auc_high"]),
            *(number_cell(row[name]) for name in ("balanced_accuracy", "mcc", "average_precision")),
            row["note"] or "",
        ]
        for _, part in frame.group_by("dimension", maintain_order=True)
        for row in part.head(_MOST).iter_rows(named=True)
    ]
    print_table("labels: does the metric tell right from wrong?", columns, rows, numeric=columns[2:-1])
    first = frame.row(0, named=True)
    note(
        f"within: two summaries of one dialogue; thresholds are chosen on other dialogues; "
        f"{first['good']} of {first['items']} summaries are good on {first['dimension']}"
    )


def _print_accuracy(frame: "pl.DataFrame") -> None:
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
        for _, part in frame.group_by("dimension", maintain_order=True)
        for row in part.head(_MOST).iter_rows(named=True)
    ]
    print_table("preferences: does the preferred summary score higher?", columns, rows, numeric=columns[2:-1])
