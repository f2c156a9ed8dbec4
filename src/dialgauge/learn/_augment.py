"""Augmentation: variants added to the originals of a corpus, each with its own rating or that of its kind.

After Patel, Agrawal and Kumar 2024 ("Tweak to Trust", section 5.2). Ratings of training variants are assigned without
using held-out ratings.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, Corpus
from dialgauge.errors import InputError
from dialgauge.learn._extrapolate import extrapolate
from dialgauge.learn._finetune_data import target_ratings
from dialgauge.learn._settings import VariantSettings
from dialgauge.metaeval import label_of
from dialgauge.perturb import PRIORS, parse_requests, perturb
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy
from dialgauge.settings import chosen_pair, takes

#: What identifies an original summary; its variants share it.
ITEM = ("dialogue_id", "system", "role")
#: The families of the paper's tables: "our" and "baseline" there.
FAMILIES = ("domain", "baseline")


@dataclass(frozen=True, slots=True)
class Augmented:
    """A corpus with variants. ``families`` is label → family; ``made`` is whether the variants were made here.

    ``declined`` counts the variants that could not be made.
    """

    corpus: Corpus
    families: Mapping[str, str]
    made: bool
    declined: int = 0

    @property
    def variants(self) -> pl.DataFrame:
        """The key of each variant, its label and its family."""
        label = pl.col("variant").map_elements(label_of, return_dtype=pl.String)
        rows = self.corpus.summaries.filter(pl.col("variant") != ORIGINAL, pl.col("kind") == "system").select(KEY)
        labelled = rows.with_columns(label.alias("perturbation"))
        family = pl.col("perturbation").replace_strict(dict(self.families), return_dtype=pl.String)
        return labelled.with_columns(family.alias("family")).sort(KEY)


def add_variants(
    corpus: Corpus,
    perturbations: Sequence[str] = ("baseline", "domain"),
    *,
    needed: Sequence[str] = FAMILIES,
    include_references: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Augmented:
    """The corpus with its own variants or, if it has none, with new ones made by ``perturbations``.

    ``needed`` are the required families.
    """
    declined, made = 0, has_no_variants(corpus)
    if made:
        done = perturb(corpus, perturbations, seed=seed, include_references=include_references, progress=progress)
        corpus, declined = done.corpus, done.declined.height
        if has_no_variants(corpus):
            reason = done.declined["reason"][0] if declined else "the corpus has no summary of a system"
            raise InputError(f"no summary could be perturbed (first reason: {reason})")
    return find_families(corpus, needed, made, declined)


def find_families(corpus: Corpus, needed: Sequence[str], made: bool, declined: int = 0) -> Augmented:
    """A corpus with variants; a missing family that is needed is an error."""
    names = corpus.summaries.filter(pl.col("variant") != ORIGINAL)["variant"].unique(maintain_order=True)
    labels = dict.fromkeys(map(label_of, names))
    families: dict[str, str] = {label: parse_requests([label])[0].perturbation.family for label in labels}
    for family in needed:
        if family not in families.values():
            way = f"add some with -p, such as -p {family}" if made else "add them with 'dialgauge perturb'"
            raise InputError(f"no variants of the family {family!r}: {way}, or exclude the family")
    return Augmented(corpus, families, made, declined)


def has_no_variants(corpus: Corpus) -> bool:
    """Whether all summaries are originals."""
    return corpus.summaries.filter(pl.col("variant") != ORIGINAL).is_empty()


@takes(VariantSettings, RatingPolicy)
def assign_ratings(
    augmented: Augmented,
    dimensions: Sequence[str],
    settings: VariantSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    seed: int = 0,
    **changes: Any,
) -> Corpus:
    """The corpus with a rating for every variant that can have one, as training data for ``train``.

    Unrated variants get the class of their kind (see :func:`extrapolate`), from an annotator named
    ``extrapolated`` or ``priors``. Kinds without a rating or an accepted prior remain unrated.
    """
    asked, policy = chosen_pair("assign_ratings", changes, (VariantSettings, settings), (RatingPolicy, policy))
    corpus = augmented.corpus
    parts = []
    for name in dimensions:
        ratings, found = target_ratings(corpus, name, policy)
        made = extrapolate(
            augmented.variants,
            ratings,
            found,
            rounding=asked.rounding,
            annotated=asked.annotated,
            priors=prior_means(name) if asked.priors else None,
            seed=seed,
        )
        assigned = made.frame.join(ratings, on=list(KEY), how="anti", maintain_order="left")
        parts.append(
            assigned.select(
                *KEY, "value", annotator="origin", dimension=pl.lit(name), scale=pl.lit(found.name, dtype=pl.String)
            )
        )
    return corpus.with_ratings(pl.concat(parts), strict=True)


def prior_means(dimension: str) -> dict[str, float]:
    """The published mean rating of each kind of perturbation, on the scale 1-7."""
    found = {label: known[dimension].mean for label, known in PRIORS.items() if dimension in known}
    # The baseline of the paper was made by the published code; what imitates it has its means as well.
    found |= {f"{label}:compat=evaleval": mean for label, mean in found.items()}
    if not found:
        known = sorted({name for entry in PRIORS.values() for name in entry})
        raise InputError(f"no published priors for {dimension!r}; available: {', '.join(known)}")
    return found


def draw_most(variants: pl.DataFrame, most: int | None, seed: int) -> pl.DataFrame:
    """At most ``most`` variants of each family; the draw depends on key and seed alone. The order is kept."""
    if most is None:
        return variants
    places = [hashlib.sha256(json.dumps([seed, *key]).encode()).hexdigest() for key in variants.select(KEY).iter_rows()]
    ranked = variants.with_columns(pl.Series("place", places, dtype=pl.String))
    kept = ranked.with_columns(pl.col("place").rank("ordinal").over("family").alias("rank"))
    return kept.filter(pl.col("rank") <= most).drop("place", "rank")
