"""From a corpus with variants and its scores to the robustness of metrics."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL, Corpus
from dialgauge.errors import InputError
from dialgauge.files import atomic_file, write_text
from dialgauge.metaeval import (
    PERTURBED_CORRELATIONS,
    PerturbedCorrelations,
    Robustness,
    RobustnessSettings,
    label_of,
    perturbed_correlations,
    robustness,
)
from dialgauge.metrics import Scores
from dialgauge.perturb import PRIORS, Perturbation, all_perturbations, parse_requests
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import RatingPolicy, treat_ratings
from dialgauge.settings import chosen_pair, takes

#: The names of the files (without ending), and of the tables in them.
TABLES = {
    "robustness": "cards",
    "robustness-changes": "changes",
    "robustness-verdicts": "verdicts",
    "robustness-doses": "doses",
    "robustness-failures": "failures",
    "robustness-unpaired": "unpaired",
    "robustness-correlations": "correlations",
}


@dataclass(frozen=True, slots=True)
class VariantAnalysis:
    """How robust the metrics are, and how far they still agree with people where variants have ratings (or None)."""

    robustness: Robustness
    correlations: PerturbedCorrelations | None


@with_bar
@takes(RobustnessSettings, RatingPolicy)
def analyse_variants(
    corpus: Corpus,
    scores: Scores,
    settings: RobustnessSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    metrics: list[str] | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> VariantAnalysis:
    """Compare the scores of a corpus with variants with what its perturbations declare.

    ``effects`` of the settings says what labels do that no perturbation declares (and overrides what one does);
    ``priors`` uses the published mean rating of each perturbation where its variants have no ratings. ``policy`` treats
    the ratings.
    """
    asked, policy = chosen_pair("analyse_variants", changes, (RobustnessSettings, settings), (RatingPolicy, policy))
    variants = scores.frame.filter(pl.col("variant") != ORIGINAL)
    labels = sorted({label_of(name) for name in variants["variant"].unique()})
    known = declared(label for label in labels if label not in asked.effects)
    expected: dict[str, Mapping[str, str]] = {label: entry.effects for label, entry in known.items()}
    references = corpus.references["system"].unique().to_list()
    found = robustness(
        scores.frame,
        expected,
        scores.directions,
        asked,
        metrics=metrics,
        references=references,
        progress=progress,
    )
    families: dict[str, str] = {label: entry.family for label, entry in known.items()}
    people = corpus.without_models()
    if not _has_ratings(people, asked):
        return VariantAnalysis(found, None)
    wide = treat_ratings(people.ratings, policy).aggregate().wide()
    dimensions = [name for name in ("consistency", "relevance") if name in wide.columns]
    if not dimensions:
        raise InputError("correlation on variants needs ratings of consistency or relevance; the corpus has neither")
    correlations = perturbed_correlations(
        scores.frame,
        wide,
        families,
        priors=published_means() if asked.priors else None,
        dimensions=dimensions,
        metrics=metrics,
        references=references,
        confidence=asked.confidence,
        progress=progress,
    )
    return VariantAnalysis(found, correlations)


def _has_ratings(corpus: Corpus, asked: RobustnessSettings) -> bool:
    """Whether there are ratings of the originals, and ratings or accepted priors of variants."""
    rated = not corpus.ratings.filter(pl.col("variant") != ORIGINAL).is_empty()
    return not corpus.ratings.is_empty() and (rated or asked.priors)


def declared(labels: Iterable[str]) -> dict[str, Perturbation]:
    """The perturbation behind each label, in the order in which perturbations are listed."""
    requests = {label: parse_requests([label])[0] for label in labels}
    order = list(all_perturbations())
    ranked = sorted(requests, key=lambda one: (order.index(requests[one].perturbation.name), requests[one].level, one))
    return {label: requests[label].perturbation for label in ranked}


def published_means() -> dict[str, dict[str, float]]:
    """Label → dimension → the mean rating that the paper printed."""
    return {label: {name: prior.mean for name, prior in known.items()} for label, known in PRIORS.items()}


def write_analysis(analysis: VariantAnalysis, folder: Path) -> None:
    """Write the tables (:data:`TABLES`) and ``robustness.json``, the settings, into ``folder``."""
    found = analysis.correlations.frame if analysis.correlations else pl.DataFrame(schema=PERTURBED_CORRELATIONS)
    tables = analysis.robustness.tables() | {"correlations": found}
    for file, name in TABLES.items():
        with atomic_file(folder / f"{file}.parquet") as temporary:
            tables[name].write_parquet(temporary)
    settings = json.dumps(dict(analysis.robustness.settings), indent=2, ensure_ascii=False)
    write_text(folder / "robustness.json", settings + "\n")
