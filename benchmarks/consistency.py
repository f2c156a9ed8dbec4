"""How well metrics tell right summaries from wrong ones, beside what can be told without reading the dialogue.

For each metric: the area under the curve (AUC; ties count half) over all pairs of a right and a wrong summary and over
pairs of one dialogue, balanced accuracy with a threshold from other dialogues, intervals over dialogues, and the
difference to a control that sees the summary alone. A metric that is not above the control may not read the dialogue.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.natural_errors import SETS, natural_errors
from benchmarks.switches import SWITCHED, switched_summaries
from benchmarks.timing import BenchResult
from benchmarks.written_errors import WRITTEN, written_errors
from dialgauge.checks import CONTROL_FEATURES, control_features, used_in_training
from dialgauge.corpus import KEY, Corpus, open_corpus
from dialgauge.errors import InputError
from dialgauge.metaeval import Labelled as Items, area, auc, best_threshold, draw_dialogues, within_auc
from dialgauge.metrics import parse_requests, score
from dialgauge.progress import Progress
from dialgauge.ratings import aggregate

Array = NDArray[np.float64]
METRICS = ("checks", "checks-numbers", "checks-names", "checks-negation", "checks-speakers")
#: What is measured without a corpus of the user's: summaries written by hand, and the embedded corpus.
_MADE = (*SETS, *WRITTEN, *SWITCHED)
OWN_SETS = (*_MADE, "embedded")
CONTROL, LENGTH = "control (no dialogue)", "length alone"
_DRAWS, _FOLDS = 1000, 5
#: More variants than this are numbered edits, not kinds of error; a kind of fewer summaries is not shown.
_MOST_VARIANTS, _FEWEST = 30, 10


@dataclass(frozen=True)
class Published:
    """A figure from a paper, to stand beside measured ones: balanced accuracy on a part of a public set."""

    metric: str
    set: str
    balanced: float


#: Balanced accuracy on two parts of SummEdits (Laban et al., EMNLP 2023).
#: How their thresholds were chosen was not checked.
PUBLISHED_SOURCE = "SummEdits, Laban et al. 2023"
PUBLISHED = tuple(
    Published(metric, part, value)
    for metric, values in {
        "QAFactEval": (0.684, 0.662),
        "SummaC-Conv": (0.590, 0.531),
        "GPT-4": (0.879, 0.831),
    }.items()
    for part, value in zip(("SummEdits sales_call", "SummEdits samsum"), values, strict=True)
)


@dataclass(frozen=True)
class Labelled:
    """Summaries that people called right or wrong, and the dialogue of each."""

    name: str
    corpus: Corpus
    summaries: pl.DataFrame
    right: NDArray[np.bool_]
    dialogue: NDArray[np.intp]
    ratings: Array
    categories: Mapping[str, NDArray[np.bool_]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What one metric reaches on one set; intervals are 95 % over dialogues."""

    set: str
    metric: str
    auc: float
    auc_low: float
    auc_high: float
    within: float
    within_low: float
    within_high: float
    balanced: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    seconds: float | None
    pearson: float | None
    unscored: int
    categories: Mapping[str, tuple[float, int]] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Whether the metric is above the control."""
        if self.gain_low is None:
            return ""
        return "above the control" if self.gain_low > 0 else "no evidence that it reads the dialogue"

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {**asdict(self), "verdict": self.verdict}


def run(progress: Progress | None = None) -> list[BenchResult]:
    """The suite as ``dialgauge bench`` runs it without a corpus: what was written by hand, and the embedded one."""
    found, _ = measure(OWN_SETS, METRICS, progress=progress)
    return [
        BenchResult(f"{one.set}: {one.metric}", one.auc, CONTROL, one.seconds, None, {"measured": one.as_dict()})
        for one in found
    ]


def measure(
    corpora: Sequence[str],
    metrics: Sequence[str],
    *,
    dimension: str = "consistency",
    right_from: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[list[Measured], list[str]]:
    """Every metric on every corpus, and notes about the sets."""
    found: list[Measured] = []
    notes: list[str] = []
    for done, name in enumerate(corpora):
        if progress:
            progress(name, done, len(corpora))
        corpus = _own(name) if name in _MADE else open_corpus(name)
        labelled = read_labelled(corpus, dimension, right_from, name)
        notes += [f"{name}: {note}" for note in labelled.notes]
        found += measure_set(labelled, metrics, seed)
    return found, notes


def _own(name: str) -> Corpus:
    if name in SWITCHED:
        return switched_summaries(name)
    return natural_errors(name) if name in SETS else written_errors(name)


def read_labelled(corpus: Corpus, dimension: str, right_from: float | None, name: str) -> Labelled:
    """The rated summaries of a corpus. Ratings of single sentences count as one: the worst."""
    known = corpus.ratings["dimension"].unique().sort().to_list()
    if dimension not in known:
        raise InputError(f"{name}: no ratings of {dimension!r}; rated are: {', '.join(known) or 'none'} (--dimension)")
    values = aggregate(corpus.ratings, dimensions=(dimension,)).frame
    values = values.filter(pl.col("value").is_not_null()).group_by(KEY, maintain_order=True).agg(pl.col("value").min())
    rated = corpus.summaries.join(values, on=list(KEY), how="inner", maintain_order="left")
    levels = rated["value"].unique().sort()
    if levels.len() < 2:
        raise InputError(f"{name}: all summaries have the same rating of {dimension!r}; both kinds are needed")
    limit = right_from if right_from is not None else (float(levels[0]) + float(levels[-1])) / 2
    notes = [] if levels.len() == 2 else [f"graded ratings: right from {limit:g} on (--right-from)"]
    texts = {dialogue.id: dialogue for dialogue in corpus.iter_dialogues()}
    seen = [one for one in rated["dialogue_id"].unique().sort() if used_in_training(texts[one])]
    if seen:
        notes.append(f"{len(seen)} dialogues were used to learn the weights of the checks and are left out")
        rated = rated.filter(~pl.col("dialogue_id").is_in(seen))
    right = (rated["value"] >= limit).to_numpy()
    if right.all() or not right.any():
        raise InputError(f"{name}: with {limit:g} as the limit all summaries are of one kind; set --right-from")
    places = {one: i for i, one in enumerate(rated["dialogue_id"].unique(maintain_order=True))}
    return Labelled(
        name,
        corpus.restricted(corpus.dialogues.filter(pl.col("dialogue_id").is_in(list(places))), rated.drop("value")),
        rated,
        right,
        np.array([places[one] for one in rated["dialogue_id"]], dtype=np.intp),
        rated["value"].to_numpy().astype(np.float64),
        _categories(corpus, rated, dimension, right),
        tuple(notes),
    )


def _categories(corpus: Corpus, rated: pl.DataFrame, dimension: str, right: NDArray[np.bool_]) -> dict[str, Any]:
    """Kinds of error: other yes-or-no dimensions, kinds of edit in the provenance, and named variants."""
    found: dict[str, NDArray[np.bool_]] = {}
    others = corpus.ratings.filter((pl.col("dimension") != dimension) & (pl.col("scale") == "0-1"))
    for (name,), several in others.group_by(["dimension"], maintain_order=True):
        marked = several.filter(pl.col("value") == 1).select(KEY).unique().with_columns(pl.lit(True).alias("marked"))
        column = rated.join(marked, on=list(KEY), how="left", maintain_order="left")["marked"]
        found[str(name)] = column.fill_null(False).to_numpy()
    made = [json.loads(one) if one else {} for one in rated["provenance"]]
    for kind in sorted({kind for one in made for kind in one.get("edit_types", ())}):
        found[kind] = np.array([kind in one.get("edit_types", ()) for one in made])
    variants = rated.filter(pl.Series(~right))["variant"].unique().sort().to_list()
    if 1 < len(variants) <= _MOST_VARIANTS:
        found |= {name: (rated["variant"] == name).to_numpy() for name in variants}
    return {name: mask & ~right for name, mask in found.items() if (mask & ~right).sum() >= _FEWEST}


def measure_set(labelled: Labelled, metrics: Sequence[str], seed: int = 0) -> list[Measured]:
    """The control, length, and every metric on one set."""
    requests = parse_requests(metrics)
    # What is kept from an earlier run costs nothing, and would be shown as the cost of the metric.
    scored = score(labelled.corpus, [request.column for request in requests], include_references=True, cache=False)
    frame = labelled.summaries.select(KEY).join(scored.frame, on=list(KEY), how="left", maintain_order="left")
    features = np.array([control_features(text) for text in labelled.summaries["text"]])
    control = cross_fitted(features, labelled.right, labelled.dialogue, seed)
    length = -features[:, CONTROL_FEATURES.index("words")]
    draws = draw_dialogues(int(labelled.dialogue.max()) + 1, _DRAWS, seed)
    found = [_measured(labelled, CONTROL, control, None, draws), _measured(labelled, LENGTH, length, None, draws)]
    for request in requests:
        sign = -1 if request.metric.direction == "lower" else 1
        values = sign * frame[request.column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        cost = scored.seconds.get(request.column)
        one = _measured(labelled, request.column, values, control, draws)
        found.append(replace(one, seconds=None if cost is None else cost / len(values)))
    return found


def cross_fitted(features: Array, right: NDArray[np.bool_], dialogue: NDArray[np.intp], seed: int) -> Array:
    """The control: logistic regression on features of the summary alone, learnt on the labels of other dialogues."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    fold = _folds(dialogue, seed)
    result = np.zeros(len(right))
    for number in range(_FOLDS):
        train, test = fold != number, fold == number
        if test.any() and len(set(right[train])) == 2:
            model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, class_weight="balanced"))
            result[test] = model.fit(features[train], right[train]).decision_function(features[test])
    return result


def _curves(values: Array, right: NDArray[np.bool_], dialogue: NDArray[np.intp], draws: Array) -> tuple[Array, Array]:
    """AUC over all pairs and over pairs of one dialogue: the value first, then those of the resamples."""
    items = Items(values, right, dialogue)
    counts = np.vstack([items.once(), draws])
    return auc(items, counts), within_auc(items, counts)


def _measured(labelled: Labelled, name: str, values: Array, control: Array | None, draws: Array) -> Measured:
    known = ~np.isnan(values)
    if not (known & labelled.right).any() or not (known & ~labelled.right).any():
        raise InputError(f"{labelled.name}: {name} has no value for one of the two kinds of summaries")
    # What has no value stands in the middle: it is neither right nor wrong for the metric.
    filled = np.where(known, values, np.median(values[known]))
    right, dialogue = labelled.right, labelled.dialogue
    everywhere, within = _curves(filled, right, dialogue, draws)
    gain = None if control is None else everywhere - _curves(control, right, dialogue, draws)[0]
    overall, low, high = _interval(everywhere)
    inside, inside_low, inside_high = _interval(within)
    more, more_low, more_high = (None, None, None) if gain is None else _interval(gain)
    return Measured(
        set=labelled.name,
        metric=name,
        auc=overall,
        auc_low=low,
        auc_high=high,
        within=inside,
        within_low=inside_low,
        within_high=inside_high,
        balanced=balanced_accuracy(filled, right, dialogue),
        gain=more,
        gain_low=more_low,
        gain_high=more_high,
        seconds=None,
        pearson=_pearson(filled, labelled),
        unscored=int((~known).sum()),
        categories={
            kind: (area(filled[right], filled[mask]), int(mask.sum())) for kind, mask in labelled.categories.items()
        },
    )


def _interval(values: Array) -> tuple[float, float, float]:
    drawn = values[1:][~np.isnan(values[1:])]
    if np.isnan(values[0]) or not len(drawn):
        return float("nan"), float("nan"), float("nan")
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(values[0]), float(low), float(high)


def balanced_accuracy(values: Array, right: NDArray[np.bool_], dialogue: NDArray[np.intp], seed: int = 0) -> float:
    """Mean of the shares of right and of wrong summaries that are recognised, by a threshold from other dialogues."""
    fold = _folds(dialogue, seed)
    called = np.zeros(len(values), dtype=bool)
    for number in range(_FOLDS):
        train, test = fold != number, fold == number
        if test.any():
            called[test] = values[test] >= best_threshold(values[train], right[train])
    return float((called[right].mean() + (~called[~right]).mean()) / 2)


def _folds(dialogue: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """The fold of each summary; those of one dialogue are together."""
    order = np.random.default_rng(seed).permutation(int(dialogue.max()) + 1)
    result: NDArray[np.intp] = (order % _FOLDS)[dialogue]
    return result


def _pearson(values: Array, labelled: Labelled) -> float | None:
    """Mean over dialogues of the correlation with graded ratings; None for yes-or-no labels."""
    if len(np.unique(labelled.ratings)) == 2:
        return None
    found = []
    for one in range(int(labelled.dialogue.max()) + 1):
        mine = labelled.dialogue == one
        if values[mine].std() > 0 and labelled.ratings[mine].std() > 0:
            found.append(np.corrcoef(values[mine], labelled.ratings[mine])[0, 1])
    return float(np.mean(found)) if found else None
