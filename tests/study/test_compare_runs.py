"""Two runs side by side: paired by key, tested, and what only one of them has."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import KEY
from dialgauge.errors import DialgaugeError, InputError, ParameterError, UnknownNameError
from dialgauge.study import FinishedRun, RunComparison, compare_runs
from dialgauge.study._compare_runs_render import method_line

Runs = Callable[[str], Path]


def test_numbers_are_those_of_the_shared_summaries(runs: Runs, compared: RunComparison) -> None:
    before, after = (FinishedRun.open(runs(name)).scores.frame for name in ("old", "new"))
    pairs = before.join(after, on=list(KEY), suffix=":new").filter(system="careful")
    change = (pairs["rouge-1:new"] - pairs["rouge-1"]).to_numpy()
    row = compared.changes.row(by_predicate=(pl.col("name") == "rouge-1") & (pl.col("system") == "careful"), named=True)
    assert row["difference"] == pytest.approx(change.mean(), abs=1e-15)
    assert row["first"] == pytest.approx(pairs["rouge-1"].mean(), abs=1e-15)
    assert row["low"] < row["difference"] < row["high"] < 0
    assert (row["dialogues"], row["summaries"], row["verdict"]) == (12, 12, "worse")
    # All twelve dropped, so only the two ways with equal signs reach it.
    assert (change < 0).all()
    assert row["p_value"] == 2 / 4096


def test_all_systems_together_and_each_of_them(compared: RunComparison) -> None:
    assert compared.systems == ["careful", "terse", "glib", "rough", "lead-3", "longest-3"]
    together = dict(compared.together.select("name", "verdict").iter_rows())
    assert together == {
        "rouge-1": "worse",
        "ter": together["ter"],
        "length": "lower",
        "coherence": "same",
        "consistency": "worse",
        "fluency": "same",
        "relevance": "same",
    }
    others = compared.changes.filter(~pl.col("system").is_in(["careful", "all systems"]))
    assert set(others["verdict"]) == {"same"}
    assert set(others["difference"]) == {0.0}


def test_correction_is_holm_over_the_table(compared: RunComparison) -> None:
    from dialgauge.metaeval import adjust_p_values

    part = compared.changes.filter(pl.col("system") == "all systems")
    assert part["p_corrected"].to_list() == pytest.approx(list(adjust_p_values(part["p_value"].to_list(), "holm")))
    other = compare_runs(compared.first, compared.second, resamples=500, correction="benjamini-hochberg")
    assert other.settings["correction"] == "benjamini-hochberg"
    assert (other.together["p_corrected"] <= 1).all()


def test_one_value_per_system_is_shown_and_not_tested(compared: RunComparison) -> None:
    rows = compared.changes.filter(name="corpus-bleu")
    assert rows.height == 6
    assert rows["p_value"].null_count() == 6
    assert rows.filter(system="careful")["verdict"].to_list() == ["not tested"]
    assert rows.filter(system="careful")["difference"][0] < 0


def test_places_of_systems(compared: RunComparison) -> None:
    ranks = compared.ranks.filter(name="rouge-1", system="careful").row(0, named=True)
    assert ranks["first"] < ranks["second"] == 6
    ter = compared.ranks.filter(name="ter").join(
        compared.changes.select("name", "system", mean="first"), on=["name", "system"]
    )
    assert ter.sort("mean")["first"].to_list() == [1, 2, 3, 4, 5, 6]


def test_the_same_seed_gives_the_same_numbers(runs: Runs) -> None:
    one, other = (compare_runs(runs("old"), runs("new"), resamples=100, seed=4) for _ in range(2))
    assert one.changes.equals(other.changes)
    assert not one.changes.equals(compare_runs(runs("old"), runs("new"), resamples=100, seed=5).changes)


def test_a_run_against_itself_has_not_changed(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("old"), resamples=50)
    assert set(found.changes["verdict"]) == {"same"}
    assert found.signatures.is_empty()
    assert found.overlap.texts_changed == 0
    assert set(found.largest["changed"]) == {0}


def test_another_version_of_a_metric(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("stemmed"), names={"rouge-1:stem=yes": "rouge-1"}, resamples=200)
    assert found.signatures["metric"].to_list() == ["rouge-1"]
    assert "stem:no" in found.signatures["first"][0]
    assert "stem:yes" in found.signatures["second"][0]
    largest = found.largest.filter(metric="rouge-1").row(0, named=True)
    before, after = (FinishedRun.open(runs(name)).scores.frame for name in ("old", "stemmed"))
    pairs = before.join(after, on=list(KEY))
    change = (pairs["rouge-1:stem=yes"] - pairs["rouge-1"]).to_numpy()
    assert largest["change"] == change[np.abs(change).argmax()]
    assert largest["changed"] == (np.abs(change) > 1e-9).sum()
    # Another ruler is neither better nor worse.
    assert found.together.filter(name="rouge-1")["verdict"].to_list() == ["higher"]
    moved = found.correlations.filter(metric="rouge-1", level="summary", dimension="relevance").row(0, named=True)
    saved = FinishedRun.open(runs("stemmed")).table("correlations")
    assert saved is not None
    there = saved.filter(metric="rouge-1:stem=yes", level="summary", dimension="relevance")["value"][0]
    assert moved["second"] == pytest.approx(there, abs=1e-12)
    assert moved["difference"] == pytest.approx(moved["second"] - moved["first"], abs=1e-12)
    assert 0 < moved["p_value"] <= moved["p_corrected"] <= 1
    assert found.correlations.filter(metric="ter")["p_value"].null_count() == 8


def test_other_corpora_and_other_names(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("renamed"), names={"careful-2": "careful"}, resamples=50)
    assert found.overlap.common["dialogues"] == 9
    assert len(found.overlap.only_first["dialogues"]) == 3
    assert found.overlap.only_second == {kind: [] for kind in found.overlap.only_second}
    assert found.changes.filter(system="careful", name="consistency")["verdict"].to_list() == ["no difference shown"]
    assert found.changes.filter(name="corpus-bleu").is_empty()
    assert any("differ between the runs" in note for note in found.notes)
    apart = compare_runs(runs("old"), runs("renamed"), resamples=50)
    assert apart.overlap.only_first["systems"] == ["careful"]
    assert apart.overlap.only_second["systems"] == ["careful-2"]
    assert "careful" not in apart.systems


def test_holes_are_named(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("holes"), resamples=50)
    assert len(found.overlap.only_first["summaries"]) == 1
    assert found.overlap.only_first["summaries"][0].split(" / ")[1] == "terse"
    assert found.changes.filter(system="terse", name="rouge-1")["dialogues"].to_list() == [11]


def test_one_system_is_all_systems(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("only"), resamples=50)
    assert found.systems == ["careful"]
    assert set(found.changes["system"]) == {"careful"}
    assert found.together.height == found.changes.height


def test_ratings_of_one_run_only(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("unrated"), resamples=50)
    assert set(found.changes["kind"]) == {"metric"}
    assert found.correlations.is_empty()
    assert any("no ratings" in note for note in found.notes)
    assert found.overlap.only_first["dimensions"] == ["coherence", "consistency", "fluency", "relevance"]


def test_ratings_on_another_scale_are_not_compared(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("scaled"), resamples=50)
    assert "fluency" not in found.overlap.dimensions
    assert "consistency" in found.overlap.dimensions
    assert any("fluency" in note and "1-7" in note for note in found.notes)


def test_other_ratings_of_the_same_texts_are_other_judgements(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("rejudged"), resamples=4096)
    assert found.together.filter(name="consistency")["verdict"].to_list() == ["lower"]
    assert any("different judgements" in note for note in found.notes)


def test_few_dialogues_are_said_to_be_few(runs: Runs) -> None:
    found = compare_runs(runs("old"), runs("few"), resamples=50)
    assert any("no difference can be significant" in note for note in found.notes)


@pytest.mark.parametrize(
    ("second", "settings", "error", "says"),
    [
        ("elsewhere", {}, InputError, "no dialogue in common"),
        ("new", {"names": {"carefull": "careful"}}, UnknownNameError, "did you mean 'careful'"),
        ("new", {"names": {"careful": "trese"}}, UnknownNameError, "did you mean 'terse'"),
        ("new", {"names": {"careful": "terse"}}, InputError, "two systems"),
        ("new", {"names": {"ter": "rouge-1"}}, InputError, "two metrics"),
        ("new", {"names": {"ter": "careful"}}, InputError, "one is a system"),
        ("new", {"correction": "bonferroni"}, UnknownNameError, "holm"),
        ("new", {"alpha": 0.0}, ParameterError, "alpha"),
        ("new", {"resamples": 3}, ParameterError, "resamples"),
    ],
)
def test_refusals(runs: Runs, second: str, settings: dict[str, object], error: type[DialgaugeError], says: str) -> None:
    with pytest.raises(error, match=says):
        compare_runs(runs("old"), runs(second), **settings)  # type: ignore[arg-type]


def test_no_run_folder(runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        compare_runs(runs("old"), tmp_path / "nothing")
    with pytest.raises(InputError, match=r"not a dialgauge run folder \(manifest.json is missing\)"):
        compare_runs(runs("old"), tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"stages": []}', '{"stages": {"scores": {}}}', '{"stages": {"scores": {"outputs": 1}}}'],
)
def test_damaged_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match="damaged"):
        FinishedRun.open(tmp_path)


def test_a_run_that_stopped_early(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"stages": {"corpus": {"outputs": {}}}}))
    with pytest.raises(InputError, match="stopped before scoring"):
        FinishedRun.open(tmp_path)


def test_files_that_changed_since_are_refused(runs: Runs, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(runs("old"), copy)
    (copy / "ratings.parquet").write_bytes((copy / "correlations.parquet").read_bytes())
    with pytest.raises(InputError, match=r"ratings\.parquet: changed since"):
        compare_runs(runs("old"), copy)
    (copy / "ratings.parquet").unlink()
    with pytest.raises(InputError, match=r"ratings\.parquet: missing"):
        compare_runs(runs("old"), copy)


def test_the_method_counts_the_permutations_there_are(compared: RunComparison) -> None:
    assert "all 4096 permutations" in method_line(compared), "12 dialogues change sides in 4096 ways"
    fewer = replace(compared, settings={**compared.settings, "permutations": 4095})
    assert "4095 random permutations" in method_line(fewer)
