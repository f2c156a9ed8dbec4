"""Pairwise comparison of systems within one study: paired tests on the same dialogues, corrected, with effect sizes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval import adjust_p_values
from dialgauge.progress import Progress
from dialgauge.reproduce._studies import StudyResults
from dialgauge.reproduce._unpaired import noncentral_interval, unpaired_test
from dialgauge.resampling import CONFIDENCE

FloatArray = NDArray[np.float64]

#: Values that differ by less are equal.
_DUST = 1e-12

TESTS = ("t", "wilcoxon", "permutation")
COMPARISONS = pl.Schema(
    {
        "dimension": pl.String,
        "role": pl.String,
        "system": pl.String,
        "baseline": pl.String,
        "design": pl.String,
        "n": pl.Int64,
        "n_baseline": pl.Int64,
        "mean": pl.Float64,
        "baseline_mean": pl.Float64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "effect": pl.Float64,
        "effect_low": pl.Float64,
        "effect_high": pl.Float64,
        **{f"p_{test}": pl.Float64 for test in TESTS},
        **{f"corrected_{test}": pl.Float64 for test in TESTS},
        "stars": pl.String,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """Pairs of systems, a row per dimension and role.

    ``design`` is "paired" where systems were rated on the same dialogues. Where fewer than half of the dialogues of one
    are shared it is "unpaired": ``n`` and ``n_baseline`` dialogues, Welch's t-test, the Mann–Whitney test (in place of
    Wilcoxon's), a permutation of the systems' names, and Cohen's d over the pooled standard deviation.

    ``difference`` is system minus baseline with its interval ``low``–``high`` (Student's t); ``effect`` is Cohen's d
    of the paired differences (their mean over their standard deviation) with an exact interval from the noncentral t.
    ``p_`` columns are two-sided p-values of the paired t-test, Wilcoxon's signed-rank test and the sign-flip
    permutation test; ``corrected_`` ones are Benjamini–Hochberg corrected over all rows of a test. ``stars`` follow the
    corrected t-test: ``*`` below .05, ``**`` below .01, ``***`` below .001. Where a test has no answer, ``note`` says
    why.
    """

    study: str
    frame: pl.DataFrame
    permutations: int
    confidence: float
    seed: int


def system_pairs(texts: Sequence[str]) -> list[tuple[str, str]] | None:
    """The pairs (system, baseline) that texts such as "A,B" name; None, for all pairs, where one of them is "all"."""
    pairs = []
    for text in texts:
        if text == "all":
            return None
        system, comma, baseline = (part.strip() for part in text.partition(","))
        if not (system and comma and baseline):
            raise InputError(f"{text!r}: write it as SYSTEM,BASELINE or all")
        pairs.append((system, baseline))
    return pairs


def compare_systems(
    study: StudyResults,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    permutations: int = 10_000,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    progress: Progress = lambda what, done, total: None,
) -> SystemComparison:
    """Test pairs (system, baseline) of one study, by default all pairs, on the dialogues that both were rated on.

    "overall" is the mean of the dimensions of each summary, tested like a dimension. All 2**n sign flips are used if
    there are at most ``permutations`` of them; else that many are drawn.
    """
    if study.summaries is None:
        raise InputError(f"study {study.name!r} has no ratings, only printed results: systems cannot be tested")
    if permutations < 100:
        raise ParameterError("compare_systems", "permutations", "at least 100", permutations)
    if not 0 < confidence < 1:
        raise ParameterError("compare_systems", "confidence", "between 0 and 1", confidence)
    wanted = list(combinations(study.systems, 2)) if pairs is None else list(pairs)
    for name in (name for pair in wanted for name in pair):
        if name not in study.systems:
            raise UnknownNameError("system", name, study.systems)
    rows: list[dict[str, object]] = []
    blocks = study.frame.select("dimension", "role").unique(maintain_order=True).rows()
    for dimension, role in blocks:
        for system, baseline in wanted:
            progress(f"{study.name}: {dimension}, {role}", len(rows), len(blocks) * len(wanted))
            ours, theirs = paired_values(study, dimension, role, system, baseline)
            one, other = (_values_of(study, dimension, role, name) for name in (system, baseline))
            if 2 * len(ours) < min(len(one), len(other)):
                tested = unpaired_test(one, other, permutations, confidence, seed)
            else:
                tested = {"design": "paired", **_test(ours, theirs, permutations, confidence, seed)}
            rows.append({"dimension": dimension, "role": role, "system": system, "baseline": baseline, **tested})
    frame = _corrected(pl.DataFrame(rows, schema=COMPARISONS))
    return SystemComparison(study.name, frame, permutations, confidence, seed)


def paired_values(
    study: StudyResults, dimension: str, role: str, system: str, baseline: str
) -> tuple[list[float], list[float]]:
    """The values of two systems on the dialogues that both were rated on, in the order of the dialogues."""
    assert study.summaries is not None
    part = study.summaries.filter((pl.col("dimension") == dimension) & (pl.col("role") == role))
    one, other = (part.filter(pl.col("system") == name).select("dialogue_id", "value") for name in (system, baseline))
    both = one.join(other, on="dialogue_id", suffix="_of_baseline").sort("dialogue_id")
    return both["value"].to_list(), both["value_of_baseline"].to_list()


def _values_of(study: StudyResults, dimension: str, role: str, system: str) -> list[float]:
    """All values of one system, in the order of the dialogues."""
    assert study.summaries is not None
    part = study.summaries.filter(
        (pl.col("dimension") == dimension) & (pl.col("role") == role) & (pl.col("system") == system)
    )
    return part.sort("dialogue_id")["value"].to_list()


def _differences(ours: Sequence[float], theirs: Sequence[float]) -> FloatArray:
    """The differences, with 0 for values that are equal up to rounding errors in the last digits."""
    difference: FloatArray = np.array(ours, dtype=np.float64) - np.array(theirs, dtype=np.float64)
    difference[np.abs(difference) < _DUST] = 0.0
    return difference


def paired_t_p_value(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    """Two-sided p-value of the paired t-test; None where the differences do not vary (or there are not two of them)."""
    difference = _differences(ours, theirs)
    n = len(difference)
    if n < 2 or np.ptp(difference) < _DUST:
        return None
    from scipy.special import stdtr

    t = float(difference.mean() / difference.std(ddof=1) * math.sqrt(n))
    return float(2 * stdtr(n - 1, -abs(t)))


def _test(
    ours: Sequence[float], theirs: Sequence[float], permutations: int, confidence: float, seed: int
) -> dict[str, object]:
    n = len(ours)
    if n == 0:
        return {"n": 0, "note": "no dialogue was rated for both systems"}
    difference = _differences(ours, theirs)
    mean = float(difference.mean())
    facts: dict[str, object] = {
        "n": n,
        "mean": float(np.mean(ours)),
        "baseline_mean": float(np.mean(theirs)),
        "difference": mean,
    }
    if n == 1:
        return facts | {"note": "only one dialogue: cannot be tested"}
    if not difference.any():
        return facts | {"note": "the two systems are equal on every dialogue"}
    from scipy import stats

    facts["p_permutation"] = sign_flip_p_value(difference, permutations, seed)
    facts["p_wilcoxon"] = float(stats.wilcoxon(difference).pvalue)
    facts["p_t"] = paired_t_p_value(ours, theirs)
    if facts["p_t"] is None:
        return facts | {"note": "the difference is the same on every dialogue: no t-test"}
    error = float(difference.std(ddof=1)) / math.sqrt(n)
    reach = float(stats.t.ppf((1 + confidence) / 2, n - 1)) * error
    low, high = (end / math.sqrt(n) for end in noncentral_interval(mean / error, n - 1, confidence))
    return facts | {
        "low": mean - reach,
        "high": mean + reach,
        "effect": mean / error / math.sqrt(n),
        "effect_low": low,
        "effect_high": high,
    }


def sign_flip_p_value(difference: FloatArray, permutations: int, seed: int) -> float:
    """Two-sided p-value of the mean difference when the sign of each difference is random.

    Exact over all 2**n sign flips where that is at most ``permutations``; else the share among that many random ones,
    the observed one counted in.
    """
    n = len(difference)
    observed = abs(difference.sum()) - _DUST
    if 2**n <= permutations:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ difference) >= observed).mean())
    generator = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, permutations, 1000):
        signs = generator.integers(0, 2, size=(min(1000, permutations - start), n), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ difference) >= observed).sum())
    return (extreme + 1) / (permutations + 1)


def _corrected(frame: pl.DataFrame) -> pl.DataFrame:
    for test in TESTS:
        p_values = frame[f"p_{test}"].fill_null(math.nan).to_list()
        corrected = pl.Series(f"corrected_{test}", adjust_p_values(p_values, "benjamini-hochberg")).fill_nan(None)
        frame = frame.with_columns(corrected)
    p = pl.col("corrected_t")
    stars = pl.when(p < 0.001).then(pl.lit("***")).when(p < 0.01).then(pl.lit("**")).when(p < 0.05).then(pl.lit("*"))
    return frame.with_columns(stars.otherwise(pl.lit("")).alias("stars"), pl.col("note").fill_null(""))
