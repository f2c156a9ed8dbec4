"""What two studies are compared by, where people gave something other than points on a scale."""

from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.ratings import (
    RatingPolicy,
    best_worst_results,
    classes_without_order,
    preference_results,
    span_results,
    with_judgements_as_ratings,
    with_ordered_ratings,
)
from dialgauge.reproduce._studies import Agreed, StudyResults

#: The tables of judgements that are not ratings, and what they are called.
_OTHERS = {"preferences": "preferences", "choices": "best-worst choices", "spans": "marked errors"}


@dataclass(frozen=True, slots=True)
class Comparable:
    """The ratings of a study whose means can be compared.

    ``agreement`` is that of its annotators where it is not that of the ratings; ``notes`` say what is left out.
    """

    ratings: pl.DataFrame
    agreement: tuple[Agreed, ...] | None = None
    notes: tuple[str, ...] = ()

    def add_to(self, results: StudyResults) -> StudyResults:
        """The results with what is to be said of them."""
        agreement = results.agreement if self.agreement is None else self.agreement
        return replace(results, notes=(*self.notes, *results.notes), agreement=agreement)


def comparable_ratings(corpus: Corpus, name: str, policy: RatingPolicy | None = None) -> Comparable:
    """The ratings that have a mean; without ratings, shares of comparisons won, best-worst points and penalties.

    The numbers of classes without an order have no mean, so they are left out.
    """
    others = [table for table in _OTHERS if getattr(corpus, table).height]
    if not corpus.ratings["value"].count():
        if not others:
            raise InputError(f"study {name!r} has no ratings")
        return Comparable(with_judgements_as_ratings(corpus).ratings, _agreed(corpus, others))
    notes = []
    classes = classes_without_order(corpus, policy or RatingPolicy())
    ordered = with_ordered_ratings(corpus, policy or RatingPolicy()).ratings
    if classes:
        said = f"{', '.join(classes)}: classes without an order, whose numbers have no mean"
        if not ordered["value"].count():
            raise InputError(f"study {name!r}: use 'dialgauge agreement', which shows shares of classes; {said}")
        notes.append(f"left out: {said}")
    if others:
        kinds = ", ".join(_OTHERS[table] for table in others)
        notes.append(f"not compared, since there are ratings: {kinds}; 'dialgauge agreement' shows them")
    return Comparable(ordered, notes=tuple(notes))


def _agreed(corpus: Corpus, tables: list[str]) -> tuple[Agreed, ...]:
    """Krippendorff's α of the judgements themselves; none where it would have to pool several dimensions."""
    found: list[float | None] = []
    if "preferences" in tables:
        found += preference_results(corpus.preferences, resamples=0).facts["alpha"].to_list()
    if "choices" in tables:
        found += best_worst_results(corpus.choices, resamples=0).reliability["alpha"].to_list()
    if "spans" in tables:
        found += span_results(corpus.spans, corpus.summaries, resamples=0).agreement["alpha_marked"].to_list()
    several = "several dimensions or kinds of judgement; 'dialgauge agreement' shows each"
    value, note = (found[0], "") if len(found) == 1 else (None, several)
    return (Agreed("krippendorff-alpha", value, "computed", note),)
