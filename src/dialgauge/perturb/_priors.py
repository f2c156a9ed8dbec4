"""Human means from Tables 2 and 3 of Patel, Agrawal and Kumar 2024: evidence to show, not truth to assume.

The paper says that 25 calls were rated per perturbation on a scale of 1 to 7. Nearly all of the printed means cannot
come from 25 whole ratings; ``n`` is the smallest number of whole ratings from which both means of a row can come. And
they are not monotone: ``change_perturbation_2`` is rated above ``change_perturbation_1``. So what a perturbation is
*meant* to do is in its ``effects``; these numbers are additional evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_TABLE_2 = "Patel, Agrawal, Kumar 2024, Tweak to Trust, Table 2"
_TABLE_3 = "Patel, Agrawal, Kumar 2024, Tweak to Trust, Table 3"
_REPORTED = 25


@dataclass(frozen=True, slots=True)
class Prior:
    """The mean rating (1 to 7) that people gave to summaries perturbed in one way, on one dimension.

    ``n`` is inferred: the fewest whole ratings that give this mean and that of the other dimension, to two decimals.
    """

    mean: float
    n: int
    source: str
    caveat: str


_BASELINE: Mapping[str, tuple[float, float]] = {
    "add_negation": (2.95, 5.21),
    "antonym_adjective": (4.22, 5.00),
    "contractions": (5.50, 6.25),
    "drop_adjectives": (4.74, 5.37),
    "drop_phrases": (4.30, 4.80),
    "drop_stopwords": (3.35, 4.20),
    "expansions": (4.00, 5.50),
    "hyponyms": (3.50, 5.25),
    "jumble": (2.40, 2.90),
    "remove_punct": (4.85, 5.50),
    "repeat_sentences": (4.50, 5.35),
    "replace_nouns_pronouns": (4.32, 1.58),
    "sentence_reorder": (4.10, 5.30),
    "subject_verb_dis": (4.65, 5.55),
    "synonym_adjective": (4.38, 5.08),
    "typos": (4.80, 5.50),
}
_DOMAIN: Mapping[str, tuple[float, float]] = {
    "writing_style": (5.36, 5.84),
    "speaker_switch": (3.05, 3.47),
    "demographic_change": (4.81, 5.53),
    "noise_addition": (4.77, 5.61),
    "length_reduction": (5.49, 5.53),
    "length_increase": (5.60, 5.91),
    "category_change": (4.42, 4.95),
    "change_perturbation_1": (5.20, 5.71),
    "change_perturbation_2": (5.31, 5.94),
    "change_perturbation_3": (4.78, 5.46),
    "change_perturbation_4": (5.02, 5.71),
    "change_perturbation_5": (4.58, 5.36),
    "remove_important_sentence_1": (5.95, 5.67),
    "remove_important_sentence_2": (5.78, 4.71),
    "remove_important_sentence_3": (5.71, 4.53),
    "remove_important_sentence_4": (5.29, 4.19),
    "remove_important_sentence_5": (5.13, 4.21),
    "remove_important_sentence_6": (3.93, 4.20),
}
_CAVEATS = {
    "replace_nouns_pronouns": "rated on the published code's output, which repeats whole sentences",
    "change_perturbation_2": "rated above change_perturbation_1, which has fewer errors",
    "change_perturbation_4": "rated above change_perturbation_3, which has fewer errors",
    "remove_important_sentence_5": "relevance rated above remove_important_sentence_4, which keeps more",
}


def fits(n: int, *means: float) -> bool:
    """Whether each mean, printed with two decimals, can be that of n whole ratings."""
    return all(
        any(abs(total / n - mean) <= 0.005 + 1e-9 for total in (int(mean * n), int(mean * n) + 1)) for mean in means
    )


def fewest_ratings(*means: float) -> int:
    """The smallest n that fits all means. With 100 ratings every mean of two decimals is possible."""
    return next(n for n in range(1, 101) if fits(n, *means))


def _caveat(label: str, n: int, *means: float) -> str:
    count = "fits the 25 ratings that the paper reports" if fits(_REPORTED, *means) else (
        f"cannot come from the 25 whole ratings that the paper reports; the fewest that fit are {n}"
    )  # fmt: skip
    return f"{_CAVEATS[label]}; {count}" if label in _CAVEATS else count


def _priors() -> dict[str, Mapping[str, Prior]]:
    found: dict[str, Mapping[str, Prior]] = {}
    for table, source in ((_BASELINE, _TABLE_2), (_DOMAIN, _TABLE_3)):
        for label, (consistency, relevance) in table.items():
            n = fewest_ratings(consistency, relevance)
            caveat = _caveat(label, n, consistency, relevance)
            found[label] = {
                "consistency": Prior(consistency, n, source, caveat),
                "relevance": Prior(relevance, n, source, caveat),
            }
    return found


#: By label (as in the paper: ``change_perturbation_2``) and dimension.
PRIORS: Mapping[str, Mapping[str, Prior]] = _priors()
