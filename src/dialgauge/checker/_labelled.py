"""Summaries that people called right or wrong, or marked errors in, as couples that a checker learns from."""

from collections.abc import Mapping, Sequence

import polars as pl

from dialgauge.checker._example import LABELLED, Couple, Example, Span
from dialgauge.corpus import KEY, Corpus

Spans = tuple[Span, ...]

#: Where readers differ, a summary is called right or wrong if more than this share of them says so.
_MAJORITY = 0.5


def labelled_couples(corpus: Corpus, dimension: str) -> dict[str, tuple[Couple, ...]]:
    """For each dialogue couples of a right and a wrong summary; no summary is left out where there are both.

    Marked errors say which words are wrong. Labels (0 or 1) say only that something is.
    """
    judged: dict[tuple[str, ...], tuple[float, Spans | None]] = {
        **{key: (1 - share, None) for key, share in _labels(corpus, dimension).items()},
        **_marked(corpus, dimension),
    }
    right: dict[str, list[Example]] = {}
    wrong: dict[str, list[Example]] = {}
    for row in corpus.summaries.iter_rows(named=True):
        key, text = tuple(row[name] for name in KEY), row["text"]
        if key not in judged or not text.strip():
            continue
        share, spans = judged[key]
        if share > _MAJORITY:
            found = Example(LABELLED, text, spans or ((0, len(text)),), marked=bool(spans))
            wrong.setdefault(row["dialogue_id"], []).append(found)
        elif share < _MAJORITY and not spans:  # what only some readers marked is neither right nor wrong
            right.setdefault(row["dialogue_id"], []).append(Example(LABELLED, text))
    return {key: _paired(mine, wrong[key]) for key, mine in right.items() if key in wrong}


def _paired(right: Sequence[Example], wrong: Sequence[Example]) -> tuple[Couple, ...]:
    """Every summary in one couple at least."""
    count = max(len(right), len(wrong))
    return tuple(Couple(right[place % len(right)], wrong[place % len(wrong)]) for place in range(count))


def _marked(corpus: Corpus, dimension: str) -> Mapping[tuple[str, ...], tuple[float, Spans]]:
    """For each summary that was read for errors: the share of readers who marked one, and all marks."""
    spans = corpus.spans.filter((pl.col("dimension") == dimension) & (pl.col("side") == "summary"))
    found: dict[tuple[str, ...], dict[str, list[Span]]] = {}
    for row in spans.iter_rows(named=True):
        mine = found.setdefault(tuple(row[name] for name in KEY), {}).setdefault(row["annotator"], [])
        if row["start"] is not None and row["end"] is not None:
            mine.append((row["start"], row["end"]))
    return {
        key: (
            sum(map(bool, readers.values())) / len(readers),
            tuple(sorted({span for marks in readers.values() for span in marks})),
        )
        for key, readers in found.items()
    }


def _labels(corpus: Corpus, dimension: str) -> Mapping[tuple[str, ...], float]:
    """For each summary the share of people who called it right; none if the dimension has values beside 0 and 1."""
    rated = corpus.ratings.filter((pl.col("dimension") == dimension) & pl.col("value").is_not_null())
    if not rated["value"].is_in([0.0, 1.0]).all():
        return {}
    means = rated.group_by(KEY).agg(pl.col("value").mean())
    return {tuple(row[name] for name in KEY): row["value"] for row in means.iter_rows(named=True)}
