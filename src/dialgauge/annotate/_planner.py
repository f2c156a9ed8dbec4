"""Sample size planning: designs are tested on simulated ratings that behave like those of the pilot.

A rating is modelled as the mean of its system plus random effects of dialogue, of summary (system in dialogue), of
annotator, and of the single rating, then rounded to the nearest point of the scale. The sizes of the effects are
estimated from the pilot by the method of moments. The power is that of :func:`dialgauge.ratings.plan`.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings import Scale, find_scale, krippendorff_alpha, plan, variance_components

#: One row per design.
PLANNED = pl.Schema(
    {
        "dialogues": pl.Int64,
        "annotators_per_item": pl.Int64,
        "items_per_annotator": pl.Float64,
        "ratings": pl.Int64,
        "alpha": pl.Float64,
        "alpha_width": pl.Float64,
        "mean_width": pl.Float64,
        "power": pl.Float64,
    }
)
_LARGEST = 200_000

Size = Annotated[int, Field(ge=2, le=5000)]


class Design(BaseModel):
    """The input of the planner."""

    model_config = ConfigDict(extra="forbid")

    dimension: Annotated[str, Field(max_length=60)]
    dialogues: Annotated[list[Size], Field(min_length=1, max_length=12)] = [25, 50, 100]
    annotators_per_item: Annotated[list[Annotated[int, Field(ge=1, le=20)]], Field(min_length=1, max_length=6)] = [2, 3]
    annotators: Annotated[int, Field(ge=1, le=200)] | None = None
    width: Annotated[float, Field(gt=0, le=2)] | None = None
    effect: Annotated[float, Field(gt=0, le=100)] | None = None
    power: Annotated[float, Field(gt=0, lt=1)] = 0.8
    simulations: Annotated[int, Field(ge=20, le=500)] = 100


@dataclass(frozen=True, slots=True)
class Components:
    """Sizes (standard deviations) of the random effects in the pilot, and the mean of each system."""

    scale: Scale
    systems: tuple[float, ...]
    dialogue: float
    summary: float
    annotator: float
    rating: float


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Designs and their expected results.

    ``alpha`` is the mean Krippendorff α (interval), ``alpha_width`` the width of the range that holds 95 % of the
    simulated αs, ``mean_width`` the same of a system's mean rating, ``power`` the probability that a paired t test
    (two-sided, 5 %) over dialogues finds a true difference of ``effect`` between two systems, for these annotators.
    ``recommended`` is the design with the fewest ratings that meets the targets, None if none does.
    """

    frame: pl.DataFrame
    components: Components
    recommended: dict[str, Any] | None


def plan_study(
    ratings: pl.DataFrame,
    dimension: str,
    *,
    dialogues: Sequence[int] = (25, 50, 100),
    annotators_per_item: Sequence[int] = (2, 3),
    annotators: int | None = None,
    width: float | None = None,
    effect: float | None = None,
    power: float = 0.8,
    simulations: int = 100,
    seed: int = 0,
) -> StudyPlan:
    """Test designs on ratings simulated from a pilot: for a target width of α's interval, a target power, or both.

    ``annotators`` is how many share the work (default: as many as rate each item); ``effect`` is a difference of two
    systems' means in points of the scale.
    """
    if simulations < 2:
        raise ParameterError("plan_study", "simulations", "2 or more", simulations)
    components = estimate_components(ratings, dimension)
    variances = _variances(ratings, dimension, components)
    rows = []
    for size in dialogues:
        for per_item in annotators_per_item:
            people = max(annotators or per_item, per_item)
            if size * len(components.systems) * per_item > _LARGEST:
                raise ParameterError("plan_study", "dialogues", f"designs of up to {_LARGEST:,} ratings", size)
            generator = np.random.default_rng([seed, size, per_item])
            row = _try_design(components, size, per_item, people, simulations, generator)
            rows.append(row | {"power": None if effect is None else _power(variances, size, per_item, people, effect)})
    frame = pl.DataFrame(rows, schema=PLANNED)
    good = frame
    if width is not None:
        good = good.filter(pl.col("alpha_width") <= width)
    if effect is not None:
        good = good.filter(pl.col("power") >= power)
    asked = width is not None or effect is not None
    recommended = good.sort("ratings", "dialogues").row(0, named=True) if asked and good.height else None
    return StudyPlan(frame, components, recommended)


def plan_view(ratings: pl.DataFrame, design: Design, *, seed: int) -> dict[str, Any]:
    """The plan as JSON."""
    asked = design.model_dump(exclude={"dimension"})
    found = plan_study(ratings, design.dimension, **asked, seed=seed)
    components = {name: value for name, value in asdict(found.components).items() if name != "scale"}
    rows = [_finite(row) for row in found.frame.to_dicts()]
    return {"rows": rows, "components": components, "recommended": found.recommended and _finite(found.recommended)}


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


def estimate_components(ratings: pl.DataFrame, dimension: str) -> Components:
    """The sizes of the random effects in these ratings of one dimension."""
    here = ratings.filter(pl.col("dimension") == dimension).drop_nulls("value")
    if here.is_empty():
        raise UnknownNameError("rated dimension", dimension, ratings["dimension"].unique())
    names = here["scale"].drop_nulls().unique().to_list()
    if len(names) != 1:
        raise InputError(f"plan: the ratings of {dimension!r} must name one scale; they name {len(names)}")
    # Ratings of sentences count as their summary's mean, as they do everywhere else.
    flat = here.sort(*KEY, "annotator").group_by(*KEY, "annotator", maintain_order=True).agg(pl.col("value").mean())
    if flat["annotator"].n_unique() < 2 or flat["dialogue_id"].n_unique() < 2:
        raise InputError("plan: a pilot with at least two annotators and two dialogues is needed")
    centred = pl.col("value") - pl.col("value").mean().over(KEY)
    shared = flat.filter(pl.len().over(KEY) > 1).with_columns(centred.alias("off"))
    if shared.is_empty():
        raise InputError("plan: no summary was rated by two annotators")
    per_item = shared.height / shared.select(KEY).n_unique()
    leaning = shared.group_by("annotator", maintain_order=True).agg(pl.col("off").mean(), pl.len())
    own = shared.join(leaning.select("annotator", pl.col("off").alias("lean")), on="annotator", maintain_order="left")
    single = max(1.0, shared.height - shared.select(KEY).n_unique() - leaning.height + 1)
    rating = float(((own["off"] - own["lean"]) ** 2).sum()) / single
    annotator = _positive(_variance(leaning["off"]) - rating / float(leaning["len"].mean() or 1))  # type: ignore[arg-type]
    means = flat.group_by(KEY, maintain_order=True).agg(pl.col("value").mean())
    systems = means.group_by("system", maintain_order=True).agg(pl.col("value").mean()).sort("system")
    rest = means.join(systems.rename({"value": "of_system"}), on="system", maintain_order="left").with_columns(
        (pl.col("value") - pl.col("of_system")).alias("rest")
    )
    by_dialogue = rest.group_by("dialogue_id", maintain_order=True).agg(pl.col("rest").mean())["rest"]
    off = rest["rest"] - rest.select(pl.col("rest").mean().over("dialogue_id"))["rest"]
    # With one system, summary and dialogue cannot be separated: the whole effect counts as the dialogue's.
    freedom = rest.height - len(by_dialogue) - systems.height + 1
    within = float((off**2).sum()) / freedom if freedom > 0 else 0.0
    summary = _positive(within - rating / per_item)
    dialogue = _positive(_variance(by_dialogue) - within / max(1, systems.height))
    sizes = [math.sqrt(size) for size in (dialogue, summary, annotator, rating)]
    return Components(find_scale(names[0]), tuple(systems["value"]), *sizes)


def _variance(values: pl.Series) -> float:
    found = values.var() if len(values) > 1 else 0.0
    return float(found or 0.0)  # type: ignore[arg-type]


def _positive(value: float) -> float:
    return max(0.0, value)


def _variances(ratings: pl.DataFrame, dimension: str, components: Components) -> dict[str, float]:
    """What the power depends on; with one system, as far as its ratings tell."""
    if len(components.systems) > 1:
        return variance_components(ratings, dimension, resamples=0).values
    return {"sd": components.summary**2, "e": components.rating**2}


def _power(variances: dict[str, float], dialogues: int, per_item: int, people: int, effect: float) -> float:
    """Annotators get dialogues with all their summaries, as they do here."""
    found = plan(variances, difference=effect, dialogues=(dialogues,), raters=(per_item,), pool=people).frame
    return float(found["power"][0])


def _try_design(
    components: Components,
    dialogues: int,
    per_item: int,
    people: int,
    simulations: int,
    generator: np.random.Generator,
) -> dict[str, Any]:
    systems = len(components.systems)
    alphas, means = [], []
    for _ in range(simulations):
        ratings = _simulate(components, np.array(components.systems), dialogues, per_item, people, generator)
        matrix = _as_matrix(ratings, per_item, people)
        alpha = krippendorff_alpha(matrix, "interval").value
        if alpha is not None:
            alphas.append(alpha)
        means.append(ratings.mean(axis=(1, 2))[0])
    return {
        "dialogues": dialogues,
        "annotators_per_item": per_item,
        "items_per_annotator": dialogues * systems * per_item / people,
        "ratings": dialogues * systems * per_item,
        "alpha": float(np.mean(alphas)) if alphas else None,
        "alpha_width": _width(alphas) if alphas and per_item > 1 else None,
        "mean_width": _width(means),
    }


def _width(values: Sequence[float]) -> float:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(high - low)


def _simulate(
    components: Components,
    systems: NDArray[np.float64],
    dialogues: int,
    per_item: int,
    people: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Ratings of systems × dialogues × the annotators of each dialogue, on the points of the scale."""
    draw = generator.standard_normal
    leaning = components.annotator * draw(people)
    who = (np.arange(dialogues)[:, None] * per_item + np.arange(per_item)) % people
    value = systems[:, None, None] + components.dialogue * draw(dialogues)[None, :, None]
    value = value + components.summary * draw((len(systems), dialogues))[:, :, None] + leaning[who][None]
    value = value + components.rating * draw((len(systems), dialogues, per_item))
    scale = components.scale
    clipped = np.clip(value, scale.minimum, scale.maximum)
    result: NDArray[np.float64] = clipped
    if scale.step is not None:
        result = scale.minimum + np.round((clipped - scale.minimum) / scale.step) * scale.step
    return result


def _as_matrix(ratings: NDArray[np.float64], per_item: int, people: int) -> NDArray[np.float64]:
    """Units × annotators with gaps where somebody did not rate."""
    systems, dialogues, _ = ratings.shape
    matrix = np.full((systems, dialogues, people), np.nan)
    who = (np.arange(dialogues)[:, None] * per_item + np.arange(per_item)) % people
    np.put_along_axis(matrix, np.broadcast_to(who, ratings.shape), ratings, axis=2)
    return matrix.reshape(-1, people)
