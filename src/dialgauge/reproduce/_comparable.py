"""What two studies are compared by, where people gave something other than points on a scale."""

from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.ratings import (
    JudgementSettings,
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
#: What is compared of each where there are no ratings.
_VALUES = {
    "preferences": "values are shares of comparisons won, ties as half",
    "choices": "values are (best − worst)/shown",
    "spans": "values are weighted errors per summary, per 100 words, and whether there is any",
}


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


def comparable_ratings(
    corpus: Corpus, name: str, policy: RatingPolicy | None = None, judgements: JudgementSettings | None = None
) -> Comparable:
    """People's ratings that have a mean; without ratings, shares of comparisons won, best-worst points and penalties.

    Those are compared too where ``dimensions`` of the policy names them alone. The numbers of classes without an order
    have no mean, so they are left out.
    """
    policy = policy or RatingPolicy()
    notes = [f"left out: what models said ({', '.join(corpus.models)})"] if corpus.models else []
    corpus = corpus.without_models()
    others = [table for table in _OTHERS if getattr(corpus, table).height]
    named = policy.dimensions is not None and not {*policy.dimensions} & {*corpus.dimensions}
    if others and (named or not corpus.ratings["value"].count()):
        judged = with_judgements_as_ratings(corpus, judgements).ratings
        fresh = judged.filter(~pl.col("dimension").is_in(corpus.dimensions))
        return Comparable(fresh, _agreed(corpus, others), (*notes, *(_VALUES[table] for table in others)))
    if not corpus.ratings["value"].count():
        raise InputError(f"study {name!r} has no ratings and no other judgements of people")
    classes = classes_without_order(corpus, policy)
    ordered = with_ordered_ratings(corpus, policy).ratings
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
