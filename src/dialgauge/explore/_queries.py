"""The queries of a run: a search that filters summaries, and questions that rank them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.explore._data import PARENT, RunData

_KEYS = list(KEY)
#: The values of the parameter ``side`` and what they mean.
_SIDES = {
    "either": "both ways",
    "metric": "high by the metric, low by people",
    "people": "high by people, low by the metric",
}
#: What the parameters of questions are called on the page.
LABELS: Mapping[str, str] = {
    "metric": "Metric",
    "dimension": "Dimension",
    "perturbation": "Perturbation",
    "side": "Which way",
    "end": "Order",
    "part": "Affect",
    "way": "Which way",
}
_ENDS = {"lowest": "lowest first", "highest": "highest first"}
_PARTS = {"all": "all affective words", "positive": "positive words", "negative": "negative words"}
_WAYS = {"lost": "lost", "added": "added"}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which summaries to show: those that match all criteria.

    ``text`` is searched in summary and dialogue, ignoring case: all of its words must be in one of the two.
    ``least`` and ``most`` bound the values of ``measure``, a metric.
    """

    text: str = ""
    domain: str | None = None
    system: str | None = None
    role: str | None = None
    measure: str | None = None
    least: float | None = None
    most: float | None = None

    @property
    def words(self) -> list[str]:
        """The words that are looked for, in lower case."""
        return self.text.lower().split()

    def __bool__(self) -> bool:
        return self != Filter()


@dataclass(frozen=True, slots=True)
class Answer:
    """Ranked summaries: ``frame`` has their keys and the values of ``columns``; ``sentence`` describes them."""

    sentence: str
    frame: pl.DataFrame
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its parameters (name → choices) for one run, or the reason why it cannot be answered."""

    name: str
    title: str
    parameters: Callable[[RunData], dict[str, dict[str, str]]]
    missing: Callable[[RunData], str | None]
    ask: Callable[..., Answer]

    def answer(self, data: RunData, given: Mapping[str, str]) -> Answer:
        """Ask it. A parameter that is not given takes its first value."""
        reason = self.missing(data)
        if reason is not None:
            raise InputError(f"the question {self.name!r} cannot be answered for this run: {reason}")
        chosen = {}
        for name, choices in self.parameters(data).items():
            value = given.get(name) or next(iter(choices))
            if value not in choices:
                raise UnknownNameError(f"{name} for the question {self.name!r}", value, choices)
            chosen[name] = value
        return self.ask(data, **chosen)


def matching(data: RunData, wanted: Filter) -> pl.DataFrame:
    """The keys of the summaries that match a filter, in the order of the corpus."""
    found = data.summaries
    for column, value, known in (
        ("domain", wanted.domain, data.domains),
        ("system", wanted.system, data.systems),
        ("role", wanted.role, data.roles),
    ):
        if value is not None:
            data.require(column, value, known)
            found = found.filter(pl.col(column) == value)
    keys = found.select(_KEYS)
    if wanted.words:
        keys = _containing(data, keys, wanted.words)
    if wanted.measure is not None:
        values = data.scores.column(data.require("metric", wanted.measure, data.metrics)).rename(
            {wanted.measure: "value"}
        )
        bounds = values.filter(
            pl.col("value").is_not_null(),
            pl.lit(True) if wanted.least is None else pl.col("value") >= wanted.least,
            pl.lit(True) if wanted.most is None else pl.col("value") <= wanted.most,
        )
        keys = keys.join(bounds, on=_KEYS, how="semi", maintain_order="left")
    elif wanted.least is not None or wanted.most is not None:
        raise ParameterError("search", "measure", "a metric, where 'least' or 'most' is given", "nothing")
    return keys


def _containing(data: RunData, keys: pl.DataFrame, words: list[str]) -> pl.DataFrame:
    dialogues, summaries = data.searched
    has_all = pl.all_horizontal(pl.col("text").str.contains(word, literal=True) for word in words)
    talked, written = dialogues.filter(has_all), summaries.filter(has_all)
    ordered = keys.with_row_index("_order")
    found = [ordered.join(talked, on="dialogue_id", how="semi"), ordered.join(written, on=_KEYS, how="semi")]
    return pl.concat(found).unique("_order").sort("_order").drop("_order")


def disagreements(data: RunData, metric: str, dimension: str, side: str = "either") -> Answer:
    """Where a metric and people disagree most: the difference of the two percentiles of a summary within the corpus."""
    if data.ratings is None:
        raise InputError(NO_RATINGS)
    data.require("metric", metric, data.judging)
    data.require("dimension", dimension, data.dimensions)
    _choose("disagreements", "side", side, _SIDES)
    sign = -1 if data.scores.directions[metric] == "lower" else 1
    scores = data.originals.select(*_KEYS, pl.col(metric).alias("score"))
    rated = data.ratings.select(*_KEYS, pl.col(dimension).alias("rating"))
    both = scores.join(rated, on=_KEYS).drop_nulls(["score", "rating"])
    ranked = both.with_columns(
        _percentile(pl.col("score") * sign).alias("metric_percentile"),
        _percentile(pl.col("rating")).alias("people_percentile"),
    ).with_columns((pl.col("metric_percentile") - pl.col("people_percentile")).alias("difference"))
    by = {"either": -pl.col("difference").abs(), "metric": -pl.col("difference"), "people": pl.col("difference")}
    kept = {"either": pl.col("difference") != 0, "metric": pl.col("difference") > 0, "people": pl.col("difference") < 0}
    sentence = (
        f"Where {metric} and people disagree most on {dimension} ({_SIDES[side]}). Both are percentiles among all "
        "rated summaries, larger is better; the difference is the metric's minus people's."
    )
    return Answer(
        sentence,
        ranked.filter(kept[side]).sort(by[side], *_KEYS),
        {
            "score": metric,
            "rating": dimension,
            "metric_percentile": "percentile by metric",
            "people_percentile": "percentile by people",
            "difference": "difference",
        },
    )


def _percentile(values: pl.Expr) -> pl.Expr:
    """The share of summaries of the same role below each value, ties counted half, in per cent."""
    return ((values.rank("average") - 0.5) / pl.len() * 100).over("role")


def unnoticed(data: RunData, perturbation: str, metric: str) -> Answer:
    """Variants to which a metric reacted wrongly: it should fall where they were degraded, and stay where not."""
    if data.variants is None:
        raise InputError(NO_VARIANTS)
    data.require("perturbation", perturbation, data.expected)
    data.require("metric", metric, data.judging)
    if (metric, perturbation) not in data.units:
        raise InputError(f"the run did not measure the change of {metric} under {perturbation}")
    labels = data.variants.filter(pl.col("label") == perturbation).select(_KEYS)
    after = data.variant_scores.select(*_KEYS, pl.col(metric).alias("variant_score")).join(labels, on=_KEYS, how="semi")
    before = data.originals.select(*PARENT, pl.col(metric).alias("original_score"))
    both = after.join(before, on=list(PARENT)).drop_nulls(["variant_score", "original_score"])
    change = (pl.col("variant_score") - pl.col("original_score")) / data.units[metric, perturbation]
    both = both.with_columns(change.alias("change"))
    preserves = data.expected[perturbation] == "preserves"
    if preserves:
        wrong, order = pl.col("change").abs() > data.margin, -pl.col("change").abs()
        said = f"Where {metric} changed although {perturbation} keeps the meaning"
    else:
        wrong, order = pl.col("change") >= -data.margin, -pl.col("change")
        said = f"Where {perturbation} degraded the summary and {metric} did not fall"
    found = both.filter(wrong).sort(order, *_KEYS)
    sentence = (
        f"{said}: {found.height} of {both.height} variants. A change of 1 is the standard deviation between "
        f"{data.unit_of}, negative is worse; changes up to {data.margin:g} do not count."
    )
    columns = {
        "original_score": f"{metric}, original",
        "variant_score": f"{metric}, variant",
        "change": "change in units",
    }
    return Answer(sentence, found, columns)


def extremes(data: RunData, metric: str, end: str = "lowest") -> Answer:
    """The summaries with the lowest or highest values of a metric."""
    data.require("metric", metric, data.metrics)
    _choose("extremes", "end", end, _ENDS)
    order = pl.col("score") if end == "lowest" else -pl.col("score")
    frame = data.originals.select(*_KEYS, pl.col(metric).alias("score")).drop_nulls("score").sort(order, *_KEYS)
    direction = data.scores.directions.get(metric, "none")
    better = "descriptive" if direction == "none" else f"{direction} is better"
    return Answer(f"Summaries by {metric}, {_ENDS[end]} ({better}).", frame, {"score": metric})


def divided(data: RunData, dimension: str) -> Answer:
    """The summaries on which annotators disagree most on a dimension."""
    data.require("dimension", dimension, data.corpus.dimensions)
    rows = data.corpus.ratings.filter(
        pl.col("dimension") == dimension, pl.col("variant") == ORIGINAL, pl.col("value").is_not_null()
    )
    # Annotators who rated sentences count by their mean.
    persons = rows.group_by(*_KEYS, "annotator").agg(pl.col("value").mean())
    found = persons.group_by(_KEYS).agg(
        pl.col("value").min().alias("smallest"),
        pl.col("value").max().alias("largest"),
        pl.col("value").std().alias("deviation"),
        pl.len().alias("annotators"),
    )
    found = found.filter(pl.col("annotators") > 1, pl.col("largest") > pl.col("smallest"))
    found = found.with_columns((pl.col("largest") - pl.col("smallest")).alias("spread"))
    sentence = f"Where raters disagree most on {dimension}, by the range of their ratings."
    columns = {"smallest": "smallest", "largest": "largest", "deviation": "standard deviation", "annotators": "raters"}
    return Answer(sentence, found.sort(-pl.col("spread"), -pl.col("deviation"), *_KEYS), columns)


def affect_lost(data: RunData, part: str = "all", way: str = "lost") -> Answer:
    """The summaries whose share of affective words is furthest from that of their dialogue."""
    if data.shares is None:
        raise InputError(NO_AFFECT)
    _choose("affect_lost", "part", part, _PARTS)
    _choose("affect_lost", "way", way, _WAYS)
    shares = data.shares.filter(pl.col("variant") == ORIGINAL).select(
        *_KEYS,
        pl.col(f"dialogue_{part}").alias("dialogue_share") * 100,
        pl.col(f"summary_{part}").alias("summary_share") * 100,
    )
    lost = shares.drop_nulls().with_columns((pl.col("dialogue_share") - pl.col("summary_share")).alias("difference"))
    found = lost.filter(pl.col("difference") > 0 if way == "lost" else pl.col("difference") < 0)
    order = -pl.col("difference") if way == "lost" else pl.col("difference")
    sentence = (
        f"Where affect was {_WAYS[way]} ({_PARTS[part]}): the percentage of affective words in the dialogue and in "
        "its summary."
    )
    columns = {"dialogue_share": "% in dialogue", "summary_share": "% in summary", "difference": "difference"}
    return Answer(sentence, found.sort(order, *_KEYS), columns)


def _choose(owner: str, parameter: str, given: str, allowed: Mapping[str, str]) -> None:
    if given not in allowed:
        raise ParameterError(owner, parameter, " or ".join(map(repr, allowed)), given)


#: Why a question has no answer.
NO_RATINGS = "the corpus has no ratings, so metrics cannot be compared with people"
NO_VARIANTS = "the study has no [perturbations], so there are no variants"
NO_AFFECT = "the study has no [affect] table, so affect was not measured"


def _same(names: list[str] | Mapping[str, Any]) -> dict[str, str]:
    return {name: name for name in names}


#: What can be asked, by name.
QUESTIONS: Mapping[str, Question] = {
    question.name: question
    for question in (
        Question(
            "disagree",
            "Where do a metric and people disagree most?",
            lambda data: {"metric": _same(data.judging), "dimension": _same(data.dimensions), "side": _SIDES},
            lambda data: None if data.ratings is not None and data.judging else NO_RATINGS,
            disagreements,
        ),
        Question(
            "unnoticed",
            "Which perturbations did a metric miss?",
            lambda data: {
                "perturbation": {
                    name: f"{name} ({effect.replace('-', ' ')})" for name, effect in data.expected.items()
                },
                "metric": _same(data.judging),
            },
            lambda data: None if data.expected and data.judging else NO_VARIANTS,
            unnoticed,
        ),
        Question(
            "extremes",
            "Which summaries are lowest or highest?",
            lambda data: {"metric": _same(data.metrics), "end": _ENDS},
            lambda data: None if data.metrics else "no metric has a value per summary",
            extremes,
        ),
        Question(
            "divided",
            "Where do raters disagree most?",
            lambda data: {"dimension": _same(data.corpus.dimensions)},
            lambda data: None if data.corpus.dimensions else NO_RATINGS,
            divided,
        ),
        Question(
            "feelings",
            "Where was affect lost?",
            lambda data: {"part": _PARTS, "way": _WAYS},
            lambda data: None if data.shares is not None else NO_AFFECT,
            affect_lost,
        ),
    )
}


def ask(data: RunData, name: str, given: Mapping[str, str] | None = None, wanted: Filter | None = None) -> Answer:
    """Ask a question of a run, for the summaries that match a filter.

    Variants belong to their summary: a filter that keeps it keeps them.
    """
    if name not in QUESTIONS:
        raise UnknownNameError("question", name, QUESTIONS)
    found = QUESTIONS[name].answer(data, given or {})
    if not wanted:
        return found
    kept = matching(data, wanted)
    return Answer(
        found.sentence, found.frame.join(kept, on=list(PARENT), how="semi", maintain_order="left"), found.columns
    )
