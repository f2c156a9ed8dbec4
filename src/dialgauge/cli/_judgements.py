"""Tables for judgements that are not ratings: preferences, best-worst choices, marked spans, labels."""

from typing import TYPE_CHECKING, Any

from dialgauge.cli._corpus_input import HOW_TO_ADD
from dialgauge.cli._output import note, show
from dialgauge.errors import InputError

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.metaeval import JudgementEvaluation
    from dialgauge.ratings import JudgementSettings, RatingPolicy
    from dialgauge.tables import Table

#: What an α is called that is too low.
_LOW = "not reliable"
#: The tables of judgements that are not ratings, and what they are called.
_KINDS = {"preferences": "preferences", "choices": "best-worst choices", "spans": "marked errors"}


def has_judgements(corpus: "Corpus") -> bool:
    """Whether a corpus has judgements other than ratings."""
    return bool(corpus.preferences.height or corpus.choices.height or corpus.spans.height)


def refuse_without_ratings(corpus: "Corpus", source: str, reason: str) -> None:
    """Raise an error where there are no ratings; it names the judgements that there are, and the command for them."""
    if corpus.ratings["value"].count():
        return
    kinds = [words for table, words in _KINDS.items() if getattr(corpus, table).height]
    if kinds:
        said = f"use 'dialgauge agreement {source}' for its {' and '.join(kinds)}; the corpus has no ratings, {reason}"
        raise InputError(f"{source}: {said}")
    raise InputError(f"{source}: the corpus has no ratings, {reason}; {HOW_TO_ADD}")


def note_models(corpus: "Corpus") -> None:
    """Say whose judgements are not those of people."""
    if models := corpus.models:
        note(f"note: judgements of models take no part: {', '.join(models)}")


def note_same_names(corpus: "Corpus") -> None:
    """Say which dimensions were rated and judged otherwise under one name, and what is done with each."""
    from dialgauge.ratings import rated_and_judged

    for name in rated_and_judged(corpus):
        note(
            f"note: {name} was rated, and preferences or choices have the same name: correlations are with the "
            "ratings, the others have tables of their own"
        )


def low_agreement(corpus: "Corpus", policy: "RatingPolicy") -> list[str]:
    """A note that names the dimensions on which people agree too little to rely on; none where there is no such."""
    from dialgauge.ratings import JudgementSettings, agreement, verdict

    found: dict[str, float | None] = {}
    if corpus.ratings["value"].count():
        measured = agreement(
            corpus.ratings,
            ("krippendorff-alpha",),
            policy=policy.model_copy(update={"dimensions": None}),
            by=("dimension",),
            resamples=0,
            nominal=corpus.dimensions_of("nominal"),
        ).frame
        found |= dict(measured.select("dimension", "value").iter_rows())
    judged = analyse(corpus, JudgementSettings(resamples=0, splits=1))
    frames = {"preferences": ("facts", "alpha"), "best_worst": ("reliability", "alpha")}
    for kind, (table, column) in {**frames, "spans": ("agreement", "alpha_marked")}.items():
        if kind in judged:
            found = dict(getattr(judged[kind], table).select("dimension", column).iter_rows()) | found
    wanted = {name: value for name, value in found.items() if not policy.dimensions or name in policy.dimensions}
    low = [f"{name} {value:.2f}" for name, value in wanted.items() if verdict("krippendorff-alpha", value) == _LOW]
    return [f"people agree too little to rely on ({_LOW}; Krippendorff's α): {', '.join(low)}"] if low else []


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
        "spans": ("systems", "agreement", "labels"),
    }
    return {
        kind: {name: getattr(found[kind], name).to_dicts() for name in names}
        for kind, names in parts.items()
        if kind in found
    }


def print_judgements(found: dict[str, Any]) -> None:
    """Print the tables of each kind."""
    from dialgauge.report import best_worst_table, preferred_table, span_systems_table, span_tables

    if "preferences" in found:
        _show(preferred_table(found["preferences"].systems, found["preferences"].facts))
    if "best_worst" in found:
        _show(best_worst_table(found["best_worst"].systems, found["best_worst"].reliability))
    if "spans" in found:
        marked = found["spans"]
        for table in (span_systems_table(marked.systems), *span_tables(marked.agreement, marked.labels)):
            _show(table)


def print_evaluation(found: "JudgementEvaluation") -> None:
    """Print how metrics distinguish labels and agree with preferences, in tables and in words."""
    from dialgauge.report import accuracy_table, labels_table, thresholds_table

    if found.labels is not None:
        _show(labels_table(found.labels.frame))
        _show(thresholds_table(found.labels.frame))
    if found.preferences is not None:
        _show(accuracy_table(found.preferences.frame))
    for sentence in found.sentences():
        note(sentence)


def _show(table: "Table") -> None:
    if table.rows:  # Edited summaries are not ranked; what is said about them is.
        show(table)
    for text in table.notes:
        note(text)
