"""[Re] DialSummEval (Camara et al., 2023): Tables 1 to 6 from the raw ratings and metric scores.

The study rated 100 dialogues × 14 systems again and correlated 32 metrics with the ratings, as Gao and Wan (2022) had
done. Its summary-level correlations and its ablation were computed on rows that belong to different dialogues; both are
given as published (the pairing of rows replayed) and corrected (paired by key).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from dialgauge.errors import InputError
from dialgauge.metaeval import correlate
from dialgauge.progress import Progress
from dialgauge.ratings import aggregate, agreement, majority_noise_removal
from dialgauge.reproduce._paper_figures import ranks_figure, shares_figure
from dialgauge.reproduce._papers import PAPERS, Paper
from dialgauge.reproduce._print_checks import check_stars
from dialgauge.reproduce._printed import (
    PaperCheck,
    PrintedTable,
    TableCheck,
    check_table,
    load_printed,
    round_half_up,
)
from dialgauge.reproduce.papers.re_dialsummeval_data import DIMENSIONS, Bundle, read_bundle
from dialgauge.reproduce.papers.re_dialsummeval_defects import find_defects
from dialgauge.web import Figure

_ROUGE = ("rouge-1", "rouge-2", "rouge-l")
#: Resamples and seed of the intervals beside the corrected correlations.
_RESAMPLES, _SEED = 1000, 2023
_INTERVALS = f"with 95 % intervals from {_RESAMPLES} bootstrap resamples of systems and dialogues"

#: Values of a table by row and column.
Values = dict[tuple[str, str], float | None]
Intervals = dict[tuple[str, str], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Study:
    """The bundle, and each set of ratings as one value per summary (a row) and dimension (a column)."""

    bundle: Bundle
    human: dict[str, pl.DataFrame]
    printed: dict[str, PrintedTable]


def recompute(data: str, progress: Progress) -> PaperCheck:
    """All tables, as published and corrected, and what is wrong with the study."""
    bundle = read_bundle(Path(data))
    printed = load_printed(PAPER.printed)
    _require_rows(bundle, printed)
    # A saved-but-unset 0 was averaged like a rating: "keep" is what gives the printed numbers.
    human = {
        name: aggregate(bundle.corpora[name].ratings, "majority-or-mean", on_invalid="keep").wide()
        for name in ("original", "reproduction", "ablation")
    }
    study = _Study(bundle, human, printed)
    tables: list[TableCheck] = []
    steps = (_table_1, _table_2, _table_3, _table_4, _table_5, _table_6)
    for done, step in enumerate(steps):
        progress(f"table {done + 1}", done, len(steps))
        tables += step(study)
    progress("defects", len(steps), len(steps))
    p_values = _pearson(bundle.scores, human["reproduction"], "system").p_values
    defects = find_defects(bundle, printed, {"1": check_stars(printed["1"], p_values)})
    return PaperCheck(PAPER.name, PAPER.title, tuple(tables), tuple(defects), figures=_figures(study))


def _figures(study: _Study) -> tuple[Figure, ...]:
    """How the ratings of both studies are distributed, and how the systems rank in them."""
    names = study.printed["2"].row_names
    means = {which: _means(study, which) for which in ("original", "reproduction")}
    figures = []
    for dimension in DIMENSIONS:
        given = {
            which: study.bundle.corpora[which].ratings.filter(pl.col("dimension") == dimension)["value"].drop_nulls()
            for which in means
        }
        points = sorted(set().union(*(values.round(0).to_list() for values in given.values())))
        shares = {which: [_share(values, point) for point in points] for which, values in given.items()}
        figures.append(shares_figure(f"Ratings of {dimension}", points, shares))
        found = {name: [means[which].get((key, dimension)) for which in means] for key, name in names.items()}
        values = {name: [value for value in row if value is not None] for name, row in found.items() if None not in row}
        figures.append(ranks_figure(f"Systems by {dimension}", tuple(means), values))
    return tuple(figures)


def _share(values: pl.Series, point: float) -> float:
    return int((values.round(0) == point).sum()) / max(1, values.len())


def _require_rows(bundle: Bundle, printed: dict[str, PrintedTable]) -> None:
    """The data must hold the metrics and systems of the print; a made or shortened study still needs their names."""
    for kind, wanted, present in (
        ("metric", printed["1"].rows, bundle.scores.columns),
        ("system", printed["2"].rows, bundle.scores["system"].unique().to_list()),
    ):
        absent = [name for name in wanted if name not in present]
        if absent:
            raise InputError(f"metric_scores.csv: no {kind} {', '.join(absent)}; the paper's tables need all of them")


@dataclass(frozen=True, slots=True)
class _Pearson:
    values: Values
    intervals: Intervals
    p_values: dict[tuple[str, str], float]


def _pearson(scores: pl.DataFrame, ratings: pl.DataFrame, level: str, resamples: int = 0) -> _Pearson:
    """Pearson's r of every metric (row) with every dimension, in columns named ``dimension/level``."""
    frame = correlate(
        scores, ratings, levels=level, coefficients="pearson", resamples=resamples, resample="both", seed=_SEED
    ).frame.with_columns(pl.concat_str("dimension", pl.lit(f"/{level}")).alias("column"))
    keys = list(frame.select("metric", "column").iter_rows())
    bounds = zip(keys, frame["low"], frame["high"], strict=True)
    return _Pearson(
        dict(zip(keys, frame["value"], strict=True)),
        {key: (low, high) for key, low, high in bounds if low is not None},
        {key: p for key, p in zip(keys, frame["p_value"], strict=True) if p is not None},
    )


def pair_rows(frame: pl.DataFrame, own: Sequence[str], other: Sequence[str]) -> pl.DataFrame:
    """The frame as code sees it that takes the k-th row of one file for the k-th row of another.

    The dialogue at position k of ``own`` (the order of this frame's file) takes the id of the one at k in ``other``.
    """
    return frame.with_columns(pl.col("dialogue_id").replace_strict(list(own), list(other)))


def _as_published(study: _Study) -> Values:
    """Table 1 as the study computed it: right at system level, where the order of dialogues does not matter."""
    human, scores, orders = study.human["reproduction"], study.bundle.scores, study.bundle.orders
    mispaired = pair_rows(scores, orders["metrics"], orders["ratings"])
    return _pearson(scores, human, "system").values | _pearson(mispaired, human, "summary").values


def _table_1(study: _Study) -> list[TableCheck]:
    printed = study.printed["1"]
    human, scores, orders = study.human["reproduction"], study.bundle.scores, study.bundle.orders
    published = _as_published(study)
    originals = _original_correlations(study)
    system, summary = (printed.select(columns=[f"{d}/{level}" for d in DIMENSIONS]) for level in ("system", "summary"))
    corrected = _pearson(scores, human, "summary", _RESAMPLES)
    return [
        check_table(
            system,
            published,
            name="1-system",
            title="Pearson with the ratings, system level",
            originals=originals,
        ),
        check_table(
            summary,
            published,
            name="1-summary-as-published",
            originals=originals,
            title="summary level, paired by row as printed",
            text="The k-th row of the ratings was paired with the k-th row of the metrics, though the two files list "
            f"the dialogues in different orders: {_paired_right(orders['ratings'], orders['metrics'])}.",
        ),
        _corrected(
            summary,
            corrected.values,
            corrected.intervals,
            name="1-summary-corrected",
            title="summary level, paired by key",
            why=f"Ratings and scores of the same summary, {_INTERVALS}.",
        ),
    ]


def _paired_right(one: Sequence[str], other: Sequence[str]) -> str:
    same = sum(a == b for a, b in zip(one, other, strict=True))
    return f"{same} of {len(one)} dialogues were paired with themselves"


def _corrected(
    table: PrintedTable, values: Values, intervals: Intervals, *, name: str, title: str, why: str
) -> TableCheck:
    """A table that should differ; its text says by how much."""
    check = check_table(table, values, name=name, title=title, corrected=True, intervals=intervals)
    moved = [abs(cell.recomputed - cell.value) for cell in check.cells if cell.recomputed is not None]
    text = f"{why} {check.total - check.matched} of {check.total} printed numbers change"
    return replace(check, text=text + (f", by up to {max(moved):.3f}." if moved else "."))


def _means(study: _Study, name: str) -> Values:
    """The means of each system: ratings of the named set, and ROUGE, which both studies share."""
    rouge = study.bundle.scores.select("dialogue_id", "system", *_ROUGE)
    joined = study.human[name].join(rouge, on=("dialogue_id", "system"))
    means = joined.group_by("system").agg(pl.col(*DIMENSIONS, *_ROUGE).mean())
    return {
        (row["system"], column): row[column] for row in means.iter_rows(named=True) for column in (*DIMENSIONS, *_ROUGE)
    }


def _table_2(study: _Study) -> list[TableCheck]:
    originals = {key: value for key, value in _means(study, "original").items() if key[1] in DIMENSIONS}
    return [check_table(study.printed["2"], _means(study, "reproduction"), originals=originals)]


def _table_3(study: _Study) -> list[TableCheck]:
    values: Values = {}
    for name in ("original", "reproduction"):
        ratings = study.bundle.corpora[name].ratings
        cleaned = majority_noise_removal(ratings)
        before, after = (
            agreement(r, ["krippendorff-alpha"], by=["dimension"], level="interval", resamples=0, on_invalid="keep")
            for r in (ratings, cleaned.ratings)
        )
        for row in cleaned.counts.iter_rows(named=True):
            column = f"{row['dimension']}/{name}"
            values["ratings", column] = row["ratings"]
            values["ratings_cleaned", column] = row["left"]
            values["alpha", column] = before.value("krippendorff-alpha", row["dimension"])
            values["alpha_cleaned", column] = after.value("krippendorff-alpha", row["dimension"])
    return [check_table(study.printed["3"], values)]


def _between(one: pl.DataFrame, other: pl.DataFrame, row: str, resamples: int = 0) -> tuple[Values, Intervals]:
    """Pearson's r of two sets of ratings over all summaries that both have, dimension by dimension."""
    frame = correlate(
        one, other, levels="global", coefficients="pearson", resamples=resamples, resample="both", seed=_SEED
    ).frame.filter(pl.col("metric") == pl.col("dimension"))
    values: Values = {}
    intervals: Intervals = {}
    for dimension, value, low, high in frame.select("dimension", "value", "low", "high").iter_rows():
        values[row, dimension] = value
        if low is not None:
            intervals[row, dimension] = (low, high)
    return values, intervals


def _table_4(study: _Study) -> list[TableCheck]:
    printed, human, orders = study.printed["4"], study.human, study.bundle.orders
    rated_twice = [dialogue for dialogue in orders["ratings"] if dialogue in set(orders["ablation"])]
    mispaired = pair_rows(human["ablation"], orders["ablation"], rated_twice)
    original, _ = _between(human["original"], human["reproduction"], "original")
    ablation, _ = _between(mispaired, human["reproduction"], "ablation")
    return [
        check_table(
            printed,
            original | ablation,
            text="The second row pairs the two sheets row by row, though they list the dialogues in different orders: "
            f"{_paired_right(rated_twice, orders['ablation'])}.",
        ),
        _corrected(
            printed.select(rows=["ablation"]),
            *_between(human["ablation"], human["reproduction"], "ablation", _RESAMPLES),
            name="4-corrected",
            title="its second row, paired by key",
            why=f"Ratings of the same summary with the tool and in the spreadsheet, {_INTERVALS}.",
        ),
    ]


def _original_correlations(study: _Study) -> Values:
    """Table 1 of the original study: its ratings with the same metrics, paired by dialogue."""
    scores, human = study.bundle.scores, study.human["original"]
    return _pearson(scores, human, "system").values | _pearson(scores, human, "summary").values


def _table_5(study: _Study) -> list[TableCheck]:
    """Printed minus original, both with two decimals; the original was paired by dialogue, at both levels."""
    printed, original = study.printed["1"], _original_correlations(study)
    recomputed = _as_published(study)
    values: Values = {}
    notes: dict[tuple[str, str], str] = {}
    for key, cell in printed.entries.items():
        here, there = recomputed[key], original[key]
        if here is None or there is None:
            continue
        subtracted = round_half_up(there, printed.decimals)
        values[key] = float(cell.value - subtracted)
        if printed.rounded(here) != cell.value:
            notes[key] = f"{printed.rounded(here) - subtracted} with Table 1 as recomputed"
    return [
        check_table(
            study.printed["5"],
            values,
            originals=dict.fromkeys(values, 0.0),
            notes=notes,
            text="The printed numbers of Table 1 minus those of the original ratings. The original study had paired "
            "its rows correctly, so the summary-level columns subtract right numbers from wrong ones.",
        )
    ]


def _table_6(study: _Study) -> list[TableCheck]:
    here, there = _means(study, "reproduction"), _means(study, "original")
    values: Values = {}
    for key, value in here.items():
        other = there.get(key)
        values[key] = None if value is None or other is None else value - other
    return [check_table(study.printed["6"], values, originals=dict.fromkeys(values, 0.0))]


PAPER = Paper(
    "re-dialsummeval",
    "[Re] DialSummEval (Camara et al., 2023)",
    "the folder of the DialSummEval data (dialogues, summaries, ratings, metric scores), or its parent",
    "re_dialsummeval.toml",
    recompute,
)
PAPERS.add(PAPER)
