"""Systems and metrics from parts of a table: the same bits however it is cut, and what a table in memory gives."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import PartComparison, compare_parts
from dialgauge.metaeval._part_sums import PartSums, dialogue_weights, merged_sums
from dialgauge.metaeval._system_draws import ACROSS_SYSTEMS

SYSTEMS, METRICS, DIALOGUES = ("a", "b", "c", "d"), ("rouge-1", "ter", "perplexity"), 400
ASKED = {"resamples": 200, "seed": 3}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    """Scores with gaps, large and negative values; system a is better than b by rouge-1, c and d are alike."""
    generator = np.random.default_rng(0)
    hard = generator.normal(size=(DIALOGUES, 1, 1))
    values = hard + generator.normal(size=(DIALOGUES, len(SYSTEMS), len(METRICS))) * 0.5
    values[:, 0, 0] += 0.3
    values[:, :, 2] = np.exp(values[:, :, 2]) * 1e4
    values[generator.random(values.shape) < 0.05] = np.nan
    rows = [(f"d{i}", name, "original", "overall") for i in range(DIALOGUES) for name in SYSTEMS]
    keys = pl.DataFrame(rows, schema=dict.fromkeys(KEY, pl.String), orient="row")
    flat = values.reshape(-1, len(METRICS))
    return keys.with_columns(pl.Series(name, flat[:, i]) for i, name in enumerate(METRICS))


def cut(table: pl.DataFrame, folder: Path, parts: int, seed: int) -> list[Path]:
    """Rows in any order, in parts of any size: a dialogue may be in several of them."""
    rows = table.sample(fraction=1.0, shuffle=True, seed=seed)
    folder.mkdir()
    ends = np.sort(np.random.default_rng(seed).integers(0, len(rows), parts - 1))
    files = []
    for i, (start, stop) in enumerate(zip((0, *ends), (*ends, len(rows)), strict=True)):
        files.append(folder / f"part-{i}.parquet")
        rows[int(start) : int(stop)].write_parquet(files[-1])
    return files


def from_the_last(task: Callable[[str], PartSums], files: Iterable[str]) -> list[PartSums]:
    """As workers may finish."""
    return [task(file) for file in reversed(list(files))]


@pytest.fixture(scope="module")
def whole(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> PartComparison:
    file = tmp_path_factory.mktemp("whole") / "part.parquet"
    table.write_parquet(file)
    return compare_parts([file], directions={"rouge-1": "higher", "ter": "lower"}, **ASKED)


@pytest.mark.parametrize("parts", [2, 20])
def test_any_cut_gives_the_same_bits(table: pl.DataFrame, whole: PartComparison, tmp_path: Path, parts: int) -> None:
    files = cut(table, tmp_path / "parts", parts, parts)
    directions = {"rouge-1": "higher", "ter": "lower"}
    made = compare_parts(files, directions=directions, run=from_the_last, **ASKED)
    for name in ("systems", "frame", "correlations"):
        assert getattr(made, name).equals(getattr(whole, name)), name
    assert made.settings == whole.settings
    assert made.settings["draws"] == "poisson"


def test_sums_are_exact_whichever_way_they_are_made(table: pl.DataFrame) -> None:
    large = table.with_columns(pl.col("rouge-1") * 1e6, pl.col("ter") / 1e6)
    everything = PartSums.of(large, METRICS, 50, 0)
    made = merged_sums(PartSums.of(large[i : i + 37], METRICS, 50, 0) for i in range(0, len(large), 37))
    assert made is not None
    for name in ("high", "low", "count"):
        np.testing.assert_array_equal(getattr(made, name), getattr(everything, name))
    wanted = large.group_by("system").agg(pl.col(METRICS).fill_nan(None).mean()).sort("system").select(METRICS)
    np.testing.assert_allclose(everything.means[0], wanted.to_numpy(), rtol=1e-7, atol=1e-9)


def test_draws_depend_on_seed_name_and_resample_alone() -> None:
    names = [f"d{i}" for i in range(2000)]
    drawn = dialogue_weights(names, 403, 5)
    np.testing.assert_array_equal(dialogue_weights(names[7:9], 403, 5), drawn[:, 7:9])
    np.testing.assert_array_equal(dialogue_weights(names, 100, 5), drawn[:100])
    assert drawn.mean() == pytest.approx(1, abs=0.005)
    assert drawn.var() == pytest.approx(1, abs=0.01)
    for shift, axis in ((1, 0), (4, 0), (1, 1)):
        other = np.roll(drawn, shift, axis)
        assert abs(np.corrcoef(drawn.ravel(), other.ravel())[0, 1]) < 0.005, "neighbours know nothing of each other"
    assert (dialogue_weights(names, 403, 6) != drawn).mean() > 0.5


def test_the_numbers_are_those_of_a_table_in_memory(table: pl.DataFrame, whole: PartComparison) -> None:
    wide = {name: table.filter(system=name)["rouge-1"].to_numpy() for name in SYSTEMS}
    row = whole.systems.row(by_predicate=(pl.col("metric") == "rouge-1") & (pl.col("system") == "a"), named=True)
    known = wide["a"][~np.isnan(wide["a"])]
    assert row["dialogues"] == len(known)
    assert row["mean"] == pytest.approx(known.mean(), abs=1e-8)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(1.96 * known.std() / np.sqrt(len(known)), rel=0.2)
    pairs = whole.frame.filter(name="rouge-1")
    first = pairs.row(by_predicate=(pl.col("system") == "a") & (pl.col("other") == "b"), named=True)
    assert (first["better"], first["low"] > 0, first["p_corrected"] < 0.01) == ("a", True, True)
    alike = pairs.row(by_predicate=(pl.col("system") == "c") & (pl.col("other") == "d"), named=True)
    assert (alike["better"], alike["low"] < 0 < alike["high"]) == ("neither", True)
    # Paired: hard dialogues are hard for both, so that differences vary less than means.
    assert alike["high"] - alike["low"] < (row["high"] - row["low"])
    assert whole.frame.filter(name="perplexity")["better"].null_count() == 6, "nothing is known of its direction"
    means = whole.systems.pivot("metric", index="system", values="mean")
    between = whole.correlations.filter(metric="rouge-1", other="ter")
    expected = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}
    for coefficient, peer in expected.items():
        row = between.row(by_predicate=pl.col("coefficient") == coefficient, named=True)
        assert row["value"] == pytest.approx(peer(means["rouge-1"], means["ter"])[0])
        assert -1 <= row["low"] <= row["high"] <= 1
    assert whole.correlations.height == 3 * 3


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_coefficients_of_a_sample_are_those_of_its_systems_written_out(coefficient: str) -> None:
    """A system that was drawn twice is there twice; ties, gaps and samples of too few systems are among them."""
    generator = np.random.default_rng(4)
    x, y = generator.integers(0, 4, (60, 7)).astype(float), generator.normal(size=(60, 7))
    x[generator.random(x.shape) < 0.1] = np.nan
    weights = generator.multinomial(7, np.full(7, 1 / 7), size=60).astype(float)
    peer = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}[coefficient]
    found = ACROSS_SYSTEMS[coefficient](x, y, weights)
    for i in range(60):
        there = np.repeat(np.flatnonzero(~np.isnan(x[i])), weights[i][~np.isnan(x[i])].astype(int))
        if len(set(there)) < 3 or len(set(x[i, there])) < 2:
            assert np.isnan(found[i])
        else:
            assert found[i] == pytest.approx(peer(x[i, there], y[i, there])[0])


def test_what_cannot_be_compared_is_said(table: pl.DataFrame, tmp_path: Path) -> None:
    file = tmp_path / "part.parquet"
    table.head(40).write_parquet(file)
    with pytest.raises(InputError, match="no parts"):
        compare_parts([])
    with pytest.raises(UnknownNameError, match="rouge-1"):
        compare_parts([file], metrics=["rouge-9"])
    with pytest.raises(UnknownNameError, match="system"):
        compare_parts([file], baseline="e", resamples=20)
    with pytest.raises(InputError, match="needs two systems; found: a"):
        compare_parts([file], systems=["a"], resamples=20)
    with pytest.raises(InputError, match=r"'perplexity': .* too large for sums of parts"):
        PartSums.of(table.with_columns(pl.col("perplexity") * 1e6), METRICS, 20, 0)
    based = compare_parts([file], baseline="b", resamples=20)
    assert set(based.frame["system"]) | set(based.frame["other"]) == set(SYSTEMS)
    assert based.frame.height == 3 * 3
    table.head(40).with_columns(role=pl.Series(["agent", "user"] * 20)).write_parquet(file)
    with pytest.raises(InputError, match="several roles"):
        compare_parts([file])
