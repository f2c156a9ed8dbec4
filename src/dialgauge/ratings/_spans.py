"""Marked spans: do people mark the same places, what did they find, and which score does a summary get from it?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.ratings._alpha import from_counts
from dialgauge.ratings._bootstrap import bootstrap_interval
from dialgauge.ratings._measures import verdict
from dialgauge.ratings._settings import JudgementSettings
from dialgauge.ratings._span_scores import span_scores, span_systems
from dialgauge.ratings._values import Statistic, sparse
from dialgauge.settings import takes

AGREEMENT = pl.Schema(
    {
        "dimension": pl.String,
        "texts": pl.Int64,
        "annotators": pl.Int64,
        "read_twice": pl.Int64,
        "alpha_marked": pl.Float64,
        "alpha_marked_low": pl.Float64,
        "alpha_marked_high": pl.Float64,
        "verdict": pl.String,
        "alpha_label": pl.Float64,
        "alpha_label_low": pl.Float64,
        "alpha_label_high": pl.Float64,
        "token_f1": pl.Float64,
        "pairs": pl.Int64,
        "pairs_without_marks": pl.Int64,
        "note": pl.String,
    }
)
LABELS = pl.Schema(
    {
        "dimension": pl.String,
        "label": pl.String,
        "severity": pl.String,
        "spans": pl.Int64,
        "summaries": pl.Int64,
        "share": pl.Float64,
    }
)
_READING = (*KEY, "dimension", "annotator")
_NONE = ""

#: A marked place: start, end, label.
Mark = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class MarkedSpans:
    """Agreement on marked places, and what was marked.

    ``agreement``, a row per dimension: Krippendorff's α over the characters of the summaries, of which each is marked
    or not (``alpha_marked``; ``verdict`` says what it means), or has a label or none (``alpha_label``), with intervals
    over dialogues; and the F1 of marked words, over all pairs of readers of a summary that marked anything
    (``pairs_without_marks`` did not).

    ``labels``: how often each label and severity was marked, in how many summaries, and in what ``share`` of the
    readings. Marks in the dialogue do not count for agreement.

    ``systems``: the mean penalty of a reading of each system's summaries, which weighs marks by their severity, the
    same per 100 words, and the share of readings with any error; the fewest first, with intervals over dialogues.
    """

    agreement: pl.DataFrame
    labels: pl.DataFrame
    systems: pl.DataFrame


@takes(JudgementSettings)
def span_results(
    spans: pl.DataFrame, summaries: pl.DataFrame, settings: JudgementSettings | None = None, **changes: Any
) -> MarkedSpans:
    """Agreement and counts of the marked spans of a corpus (``corpus.spans``, ``corpus.summaries``)."""
    asked = JudgementSettings.chosen(settings, changes, "span_results")
    if spans.is_empty():
        raise InputError("there are no marked spans")
    texts = {row[:4]: row[4] for row in summaries.select(*KEY, "text").iter_rows()}
    rows = []
    for (dimension,), part in spans.sort("dimension", *_READING, "span").group_by("dimension", maintain_order=True):
        readings = _readings(part)
        rows.append({"dimension": dimension, **_agreement(readings, texts, asked)})
    systems = span_systems(span_scores(spans, summaries, asked.severities), asked)
    return MarkedSpans(pl.DataFrame(rows, schema=AGREEMENT), _labels(spans), systems)


def _labels(spans: pl.DataFrame) -> pl.DataFrame:
    readings = spans.group_by("dimension").agg(pl.struct(*KEY, "annotator").n_unique().alias("readings"))
    found = (
        spans.drop_nulls("start")
        .group_by("dimension", "label", "severity")
        .agg(
            pl.len().cast(pl.Int64).alias("spans"),
            pl.struct(*KEY).n_unique().cast(pl.Int64).alias("summaries"),
            pl.struct(*KEY, "annotator").n_unique().alias("marked"),
        )
        .join(readings, on="dimension")
        .with_columns((pl.col("marked") / pl.col("readings")).alias("share"))
    )
    return found.sort("dimension", "spans", "label", "severity", descending=[False, True, False, False]).select(
        pl.col(name).cast(dtype) for name, dtype in LABELS.items()
    )


def _readings(part: pl.DataFrame) -> dict[tuple[str, ...], dict[str, list[Mark]]]:
    """For each summary and each of its readers the places they marked in it; none for a reading without a finding."""
    found: dict[tuple[str, ...], dict[str, list[Mark]]] = {}
    for *key, annotator, side, start, end, label in part.select(
        *KEY, "annotator", "side", "start", "end", "label"
    ).iter_rows():
        marks = found.setdefault(tuple(key), {}).setdefault(annotator, [])
        if start is not None and side == "summary":
            marks.append((start, end, label or "unlabelled"))
    return found


def _agreement(
    readings: Mapping[tuple[str, ...], Mapping[str, list[Mark]]],
    texts: Mapping[tuple[str, ...], str],
    asked: JudgementSettings,
) -> dict[str, Any]:
    several = {key: people for key, people in readings.items() if len(people) > 1 and texts.get(key)}
    everyone = {name for people in readings.values() for name in people}
    facts: dict[str, Any] = {"texts": len(readings), "annotators": len(everyone), "read_twice": len(several)}
    if not several:
        return facts | {"note": "no summary was read by two annotators"}
    dialogues = {name: i for i, name in enumerate(sorted({key[0] for key in several}))}
    clusters = np.array([dialogues[key[0]] for key in several])
    for name, with_labels in (("alpha_marked", False), ("alpha_label", True)):
        statistic = _alpha([_segments(people, len(texts[key]), with_labels) for key, people in several.items()])
        if not np.isnan(statistic.value):
            interval = bootstrap_interval(statistic, clusters, asked)
            facts |= {name: statistic.value, f"{name}_low": interval.low, f"{name}_high": interval.high}
    note = None if "alpha_marked" in facts else "nobody marked anything in summaries that two annotators read"
    said = verdict("krippendorff-alpha", facts.get("alpha_marked"))
    return facts | _token_f1(several, texts) | {"note": note, "verdict": said}


def _segments(
    people: Mapping[str, list[Mark]], length: int, with_labels: bool
) -> tuple[int, list[tuple[int, list[str]]]]:
    """The number of readers, and the stretches of a text in which nothing changes: their length and everyone's label.

    Where marks of one reader overlap, the first one counts.
    """
    marks = {
        name: [(s, min(e, length), label if with_labels else "marked") for s, e, label in own]
        for name, own in people.items()
    }
    edges = sorted(
        {0, length, *(edge for own in marks.values() for s, e, _ in own for edge in (s, e) if edge < length)}
    )
    found = []
    for start, end in pairwise(edges):
        said = [next((label for s, e, label in own if s <= start < e), _NONE) for own in marks.values()]
        found.append((end - start, said))
    return len(people), found


def _alpha(texts: Iterable[tuple[int, list[tuple[int, list[str]]]]]) -> Statistic:
    """Nominal α in which each character is a unit, and a text adds the sums over its characters."""
    texts = list(texts)
    names = sorted({label for _, stretches in texts for _, said in stretches for label in said})
    place, width = {name: i for i, name in enumerate(names)}, len(names)
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for text, (readers, stretches) in enumerate(texts):
        total, disagreement = np.zeros(width), 0.0
        for length, said in stretches:
            counts = np.bincount([place[label] for label in said], minlength=width)
            total += length * counts
            disagreement += length * (readers**2 - (counts**2).sum()) / (readers - 1)
        rows += [text] * (width + 1)
        columns += range(width + 1)
        values += [*total, disagreement]
    shape = (len(texts), width + 1)
    return Statistic(
        sparse(values, rows, columns, shape), partial(from_counts, np.arange(width, dtype=float), "nominal")
    )


def _token_f1(
    several: Mapping[tuple[str, ...], Mapping[str, list[Mark]]], texts: Mapping[tuple[str, ...], str]
) -> dict[str, Any]:
    """F1 of marked words over all pairs of readers together."""
    shared = marked = pairs = silent = 0
    for key, people in several.items():
        words = _word_places(texts[key])
        found = {
            name: {i for i, (s, e) in enumerate(words) if any(start < e and s < end for start, end, _ in own)}
            for name, own in people.items()
        }
        for one, other in combinations(found.values(), 2):
            if one or other:
                pairs += 1
                shared += len(one & other)
                marked += len(one) + len(other)
            else:
                silent += 1
    return {"token_f1": 2 * shared / marked if marked else None, "pairs": pairs, "pairs_without_marks": silent}


def _word_places(text: str) -> list[tuple[int, int]]:
    places, start = [], None
    for i, char in enumerate(f"{text} "):
        if char.isspace() and start is not None:
            places.append((start, i))
            start = None
        elif not char.isspace() and start is None:
            start = i
    return places
