"""Preferences between two summaries: win rates, strengths, agreement, and what the order of showing does."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import ORIGINAL
from dialgauge.errors import InputError
from dialgauge.ratings._alpha import alpha_statistic
from dialgauge.ratings._bootstrap import bootstrap_interval
from dialgauge.ratings._bradley_terry import RIDGE, fit_many, fit_strengths, is_connected
from dialgauge.ratings._judgement_frames import alpha_of_answers, recurs
from dialgauge.ratings._measures import verdict
from dialgauge.ratings._settings import JudgementSettings
from dialgauge.ratings._shares import ratio_share, share_interval
from dialgauge.settings import takes

STRENGTHS = pl.Schema(
    {
        "dimension": pl.String,
        "system": pl.String,
        "comparisons": pl.Int64,
        "wins": pl.Int64,
        "losses": pl.Int64,
        "ties": pl.Int64,
        **{f"{name}{end}": pl.Float64 for name in ("win_rate", "strength") for end in ("", "_low", "_high")},
    }
)
PAIRS = pl.Schema(
    {
        "dimension": pl.String,
        "system": pl.String,
        "other": pl.String,
        "comparisons": pl.Int64,
        "wins": pl.Int64,
        "losses": pl.Int64,
        "ties": pl.Int64,
        "win_rate": pl.Float64,
    }
)
FACTS = pl.Schema(
    {
        "dimension": pl.String,
        "judgements": pl.Int64,
        "annotators": pl.Int64,
        "dialogues": pl.Int64,
        "ties": pl.Int64,
        "both_bad": pl.Int64,
        "alpha": pl.Float64,
        "alpha_low": pl.Float64,
        "alpha_high": pl.Float64,
        "verdict": pl.String,
        "judged_twice": pl.Int64,
        "first_wins": pl.Float64,
        "first_wins_low": pl.Float64,
        "first_wins_high": pl.Float64,
        "first_known": pl.Int64,
        "triads": pl.Int64,
        "circular": pl.Int64,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Preferences:
    """What preferences say about systems.

    ``systems``, the best first: ``win_rate`` is (wins + half of the ties) over comparisons; ``strength`` is that of
    Bradley and Terry with Davidson's ties, on a scale whose mean is 0 and on which a difference of 1 means odds of e.
    ``pairs`` has the same counts for each two systems. ``facts``, a row per dimension: agreement (α over a, b and tie,
    on pairs that several people judged), ``first_wins`` (the share of decided preferences that the summary shown first
    won: .5 without a bias of position), what α means in words (``verdict``), and ``circular`` of the ``triads`` of one
    annotator in one dialogue (A beats B beats C beats A). Intervals of strengths draw dialogues, those of shares are
    Wilson's for as many trials as vary like dialogues do. ``note`` says where strengths needed a ridge to be finite, or
    where their intervals are points.
    """

    systems: pl.DataFrame
    pairs: pl.DataFrame
    facts: pl.DataFrame


@takes(JudgementSettings)
def preference_results(
    preferences: pl.DataFrame, settings: JudgementSettings | None = None, **changes: Any
) -> Preferences:
    """Win rates and strengths of systems from the preferences of a corpus (``corpus.preferences``)."""
    asked = JudgementSettings.chosen(settings, changes, "preference_results")
    if preferences.is_empty():
        raise InputError("there are no preferences")
    named = preferences.with_columns(item_name("a"), item_name("b"))
    systems, pairs, facts = [], [], []
    for (dimension,), part in named.sort("dimension").group_by("dimension", maintain_order=True):
        ranked = _of_systems(part)
        table = _Counts(ranked)
        rows = _systems(table, asked)
        systems += [{"dimension": dimension, **row} for row in rows]
        pairs += [{"dimension": dimension, **row} for row in table.pair_rows()]
        facts.append({"dimension": dimension, **_facts(part, table, part.height - ranked.height, rows, asked)})
    return Preferences(
        pl.DataFrame(systems, schema=STRENGTHS), pl.DataFrame(pairs, schema=PAIRS), pl.DataFrame(facts, schema=FACTS)
    )


def item_name(side: str) -> pl.Expr:
    """The name of the summary (a) or (b): its system, with the variant where that is not the original."""
    system, variant = pl.col(f"system_{side}"), pl.col(f"variant_{side}")
    return pl.when(variant == ORIGINAL).then(system).otherwise(pl.format("{}/{}", system, variant)).alias(side)


def _of_systems(part: pl.DataFrame) -> pl.DataFrame:
    """The comparisons of items that several dialogues have: nobody can rank edited summaries of one dialogue each."""
    shown = pl.concat(
        part.select("dialogue_id", pl.col(f"variant_{side}").alias("variant"), pl.col(side).alias("item"))
        for side in "ab"
    )
    single = shown.filter((pl.col("variant") != ORIGINAL) & ~recurs("item"))["item"].unique().to_list()
    return part.filter(~pl.col("a").is_in(single), ~pl.col("b").is_in(single))


class _Counts:
    """Wins and ties of each two systems, dialogue by dialogue."""

    def __init__(self, part: pl.DataFrame) -> None:
        self.names = sorted({*part["a"], *part["b"]})
        dialogues = sorted(part["dialogue_id"].unique())
        place, row = {name: i for i, name in enumerate(self.names)}, {name: i for i, name in enumerate(dialogues)}
        n = len(self.names)
        # [dialogue, i, j]: how often i beat j; ties are symmetric.
        self.wins, self.ties = np.zeros((len(dialogues), n, n)), np.zeros((len(dialogues), n, n))
        for dialogue, a, b, winner in part.select("dialogue_id", "a", "b", "winner").iter_rows():
            d, i, j = row[dialogue], place[a], place[b]
            if winner == "tie":
                self.ties[d, i, j] += 1
                self.ties[d, j, i] += 1
            else:
                self.wins[(d, i, j) if winner == "a" else (d, j, i)] += 1

    def drawn(self, asked: JudgementSettings) -> tuple[FloatArray, FloatArray]:
        """The two tables over drawn dialogues (resamples × systems × systems)."""
        dialogues, n, _ = self.wins.shape
        generator = np.random.default_rng(asked.seed)
        weights = generator.multinomial(dialogues, np.full(dialogues, 1 / dialogues), size=asked.resamples)
        return tuple((weights @ table.reshape(dialogues, -1)).reshape(-1, n, n) for table in (self.wins, self.ties))  # type: ignore[return-value]

    def pair_rows(self) -> list[dict[str, Any]]:
        """A row for each two systems that were compared."""
        wins, ties = self.wins.sum(axis=0), self.ties.sum(axis=0)
        rows = []
        for i, j in combinations(range(len(self.names)), 2):
            won, lost, even = int(wins[i, j]), int(wins[j, i]), int(ties[i, j])
            total = won + lost + even
            if total:
                rate = (won + even / 2) / total
                told = {"comparisons": total, "wins": won, "losses": lost, "ties": even, "win_rate": rate}
                rows.append({"system": self.names[i], "other": self.names[j], **told})
        return rows


def _rates(wins: FloatArray, ties: FloatArray) -> FloatArray:
    won, even = wins.sum(axis=-1), ties.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((won + even / 2) / (won + wins.sum(axis=-2) + even))


def _rate_intervals(table: _Counts, confidence: float) -> FloatArray:
    """Both ends (rows) of the interval of each system's win rate."""
    won = table.wins.sum(axis=2) + table.ties.sum(axis=2) / 2
    compared = table.wins.sum(axis=2) + table.wins.sum(axis=1) + table.ties.sum(axis=2)
    shares = [ratio_share(won[:, i], compared[:, i]) for i in range(len(table.names))]
    return np.array([share_interval(share, confidence) for share in shares], dtype=np.float64).T


def _systems(table: _Counts, asked: JudgementSettings) -> list[dict[str, Any]]:
    if not table.names:
        return []
    wins, ties = table.wins.sum(axis=0), table.ties.sum(axis=0)
    fitted = fit_strengths(wins, ties)
    ends: dict[str, FloatArray] = {}
    if asked.resamples and len(table.wins) > 1:
        drawn_wins, drawn_ties = table.drawn(asked)
        tail = [50 * (1 - asked.confidence), 50 * (1 + asked.confidence)]
        # A draw can lack the one comparison that keeps a strength finite, so draws always have the ridge.
        ends["strength"] = np.percentile(fit_many(drawn_wins, drawn_ties, RIDGE), tail, axis=0)
        ends["win_rate"] = _rate_intervals(table, asked.confidence)
    values = {"win_rate": _rates(wins, ties), "strength": fitted.strength}
    rows = []
    for i, name in enumerate(table.names):
        won, lost, even = int(wins[i].sum()), int(wins[:, i].sum()), int(ties[i].sum())
        row: dict[str, Any] = {
            "system": name,
            "comparisons": won + lost + even,
            "wins": won,
            "losses": lost,
            "ties": even,
        }
        for key, value in values.items():
            row |= {key: float(value[i])}
            if key in ends and not np.isnan(ends[key][0, i]):
                row |= {f"{key}_low": float(ends[key][0, i]), f"{key}_high": float(ends[key][1, i])}
        rows.append(row)
    return sorted(rows, key=lambda row: (-row["strength"], row["system"]))


def _facts(
    part: pl.DataFrame, table: _Counts, unranked: int, rows: Sequence[Mapping[str, Any]], asked: JudgementSettings
) -> dict[str, Any]:
    answers = part.select(
        "dialogue_id",
        "annotator",
        pl.format("{} {} {}", "role", "a", "b").alias("unit"),
        pl.col("winner").replace_strict({"a": 0.0, "b": 1.0, "tie": 2.0}).alias("value"),
    )
    given = alpha_of_answers(answers, two_sided=True)
    statistic = alpha_statistic(given, "nominal")
    alpha = statistic.value
    interval = bootstrap_interval(statistic, given.clusters(("dialogue_id",)), asked)
    known = not np.isnan(alpha)
    triads, circular = _triads(part)
    ridge = bool(table.names) and not is_connected(table.wins.sum(axis=0), table.ties.sum(axis=0))
    return {
        "judgements": part.height,
        "annotators": part["annotator"].n_unique(),
        "dialogues": part["dialogue_id"].n_unique(),
        "ties": part.filter(pl.col("winner") == "tie").height,
        "both_bad": int(part["both_bad"].fill_null(False).sum()),
        "alpha": alpha if known else None,
        "alpha_low": interval.low if known else None,
        "alpha_high": interval.high if known else None,
        "verdict": verdict("krippendorff-alpha", alpha if known else None),
        "judged_twice": int((given.sizes >= 2).sum()),
        **_position(part, asked),
        "triads": triads,
        "circular": circular,
        "note": "; ".join(
            text
            for said, text in (
                (bool((part["winner"] == "tie").all()), "every answer is a tie: no system is preferred"),
                (ridge, "a system won or lost everything, or was never compared with some: strengths have a ridge"),
                (
                    any("strength_low" in row and row["strength_low"] == row["strength_high"] for row in rows),
                    "all dialogues say the same, so intervals of strengths are points and say nothing of others",
                ),
                (unranked, f"{unranked} with edited summaries that one dialogue has rank no systems"),
            )
            if said
        )
        or None,
    }


def _position(part: pl.DataFrame, asked: JudgementSettings) -> dict[str, Any]:
    """The share of decided preferences that went to the summary shown first, with its interval over dialogues."""
    decided = part.filter(pl.col("shown_first").is_not_null() & (pl.col("winner") != "tie"))
    if decided.is_empty():
        return {"first_known": 0}
    by_dialogue = (
        decided.group_by("dialogue_id")
        .agg((pl.col("winner") == pl.col("shown_first")).sum().alias("first"), pl.len())
        .sort("dialogue_id")
    )
    first, total = by_dialogue["first"].to_numpy(), by_dialogue["len"].to_numpy()
    facts: dict[str, Any] = {"first_known": decided.height, "first_wins": float(first.sum() / total.sum())}
    if asked.resamples and len(first) > 1:
        low, high = share_interval(ratio_share(first.astype(np.float64), total.astype(np.float64)), asked.confidence)
        facts |= {"first_wins_low": low, "first_wins_high": high}
    return facts


def _triads(part: pl.DataFrame) -> tuple[int, int]:
    """Three summaries of a dialogue that one annotator compared with each other, and how many of these are circular."""
    judged: dict[tuple[str, str, str], dict[tuple[str, str], str]] = defaultdict(dict)
    for row in part.select("dialogue_id", "role", "annotator", "a", "b", "winner").iter_rows():
        judged[row[:3]][row[3], row[4]] = row[5]
    triads = circular = 0
    for answers in judged.values():
        names = sorted({name for pair in answers for name in pair})
        for x, y, z in combinations(names, 3):
            if {(x, y), (y, z), (x, z)} <= answers.keys():
                triads += 1
                found = (answers[x, y], answers[y, z], answers[x, z])
                circular += found in (("a", "a", "b"), ("b", "b", "a"))
    return triads, circular
