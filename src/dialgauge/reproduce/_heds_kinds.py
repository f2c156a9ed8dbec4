"""What the datasheet says of criteria on which people gave no points: classes, preferences, choices, marked errors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dialgauge.corpus import Corpus
from dialgauge.ratings import best_worst_results, preference_results, span_results
from dialgauge.tables import interval, number

_ABSOLUTE, _RELATIVE = ("1. Absolute", 1), ("2. Relative", 2)
_RANKED = ("3. relative quality estimation (including ranking)", 3)
_OVER_DIALOGUES = "with 95 % intervals over dialogues"


@dataclass(frozen=True, slots=True)
class Described:
    """A kind of judgement in the words and options of the form; ``agreement`` where it was measured."""

    mode: tuple[str, int]
    form: tuple[str, int]
    aggregation: str
    statistics: str
    agreement: str = ""


CLASSES = Described(
    _ABSOLUTE,
    ("7. output classification or labelling", 7),
    "share of each class among the judgements of a system",
    "shares of classes; classes without an order are not tested",
)
_PREFERENCES = Described(
    _RELATIVE,
    _RANKED,
    "win rate of each system: (wins + half of the ties) / comparisons",
    f"win rates and Bradley–Terry strengths with Davidson's ties, {_OVER_DIALOGUES}",
)
_CHOICES = Described(
    _RELATIVE, _RANKED, "(best − worst) / times shown of each system", f"the same scores, {_OVER_DIALOGUES}"
)
_SPANS = Described(
    _ABSOLUTE,
    ("6. evaluation through post-editing/annotation", 6),
    "errors of a reading, weighted by severity, then the mean over the readings of a system",
    f"mean penalties, {_OVER_DIALOGUES}",
)


def other_criteria(corpus: Corpus) -> dict[str, Described]:
    """The dimensions that are no ratings, each with its kind and agreement."""
    found: dict[str, Described] = {}
    if corpus.preferences.height:
        for row in preference_results(corpus.preferences, resamples=200).facts.iter_rows(named=True):
            found[row["dimension"]] = _with_alpha(_PREFERENCES, row, "alpha", "nominal, over a, b and tie")
    if corpus.choices.height:
        for row in best_worst_results(corpus.choices, resamples=200).reliability.iter_rows(named=True):
            found[row["dimension"]] = _with_alpha(_CHOICES, row, "alpha", "nominal, over best, worst and neither")
    if corpus.spans.height:
        for row in span_results(corpus.spans, corpus.summaries, resamples=200).agreement.iter_rows(named=True):
            found[row["dimension"]] = _with_alpha(_SPANS, row, "alpha_marked", "nominal, over characters")
    return {name: described for name, described in found.items() if name not in corpus.dimensions}


def _with_alpha(kind: Described, row: Mapping[str, Any], name: str, how: str) -> Described:
    if row[name] is None:
        return kind
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    ends = "" if low is None else f" [{interval(low, high, between=', ')}]"
    return replace(kind, agreement=f"krippendorff-alpha ({how}) {number(row[name])}{ends}")
