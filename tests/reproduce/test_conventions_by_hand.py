"""The conventions of quantified reproducibility, from Python, the command line and a study file, against hand counts.

Four systems in three studies on a scale from 1 to 5, with two ties; what is expected follows from the definitions.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, write_corpus
from dialgauge.reproduce import ComparisonReport, compare, comparison_json, read_printed
from dialgauge.study import FinishedRun, run_study

RESULTS = {
    "orig": {"A": 4.0, "B": 3.0, "C": 2.0, "D": 2.0},
    "rep1": {"A": 4.4, "B": 3.1, "C": 2.5, "D": 2.0},
    "rep2": {"A": 3.6, "B": 3.6, "C": 2.2, "D": 1.9},
}
#: Sums of ranks 3.5, 5.5, 9.5 and 11.5 with mean 7.5: their squared distances.
RANKED_APART = 4.0**2 + 2.0**2 + 2.0**2 + 4.0**2


def _cv(values: list[float], *, twice: bool) -> float:
    """CV* of values on a scale from 1: s / c4 in per cent of the mean above the lowest point."""
    n, mean = len(values), sum(values) / len(values)
    spread = math.sqrt(sum((one - mean) ** 2 for one in values) / (n - 1))
    c4 = math.sqrt(2 / (n - 1)) * math.gamma(n / 2) / math.gamma((n - 1) / 2)
    return (1 + 1 / (4 * n) if twice else 1) * 100 * spread / c4 / (mean - 1)


def _pearson(one: str, other: str) -> float:
    x, y = list(RESULTS[one].values()), list(RESULTS[other].values())
    dx, dy = [a - sum(x) / 4 for a in x], [b - sum(y) / 4 for b in y]
    return sum(a * b for a, b in zip(dx, dy, strict=True)) / math.sqrt(sum(a * a for a in dx) * sum(b * b for b in dy))


def _tables(folder: Path) -> list[Path]:
    for name, results in RESULTS.items():
        rows = "".join(f"{system},quality,{value},1-5\n" for system, value in results.items())
        (folder / f"{name}.csv").write_text("system,dimension,value,scale\n" + rows, "utf-8")
    return [folder / f"{name}.csv" for name in RESULTS]


def _check(found: dict[str, Any], *, twice: bool) -> None:
    whole = {row["system"]: row for row in found["cells"] if row["studies"] == "all studies"}
    for system in "ABCD":
        values = [results[system] for results in RESULTS.values()]
        assert whole[system]["cv_star"] == pytest.approx(_cv(values, twice=twice), abs=1e-9)
    measures = {row["measure"]: row["value"] for row in found["qra"]}
    against = [_pearson("orig", name) for name in ("rep1", "rep2")]
    assert measures["mean Pearson r"] == pytest.approx(sum(against) / 2)
    every = [*against, _pearson("rep1", "rep2")]
    assert measures["mean Pearson r, all pairs of studies"] == pytest.approx(sum(every) / 3)
    # Of five orders of the original that are no ties, the first repetition keeps all and the second ties A with B.
    assert measures["share of orders confirmed"] == pytest.approx(9 / 10)
    (block,) = found["concordance"]
    assert block["w_without_ties"] == pytest.approx(12 * RANKED_APART / (3**2 * (4**3 - 4)))
    # Two studies have one pair of equal systems each: 2³ − 2 = 6.
    assert block["kendall_w"] == pytest.approx(12 * RANKED_APART / (3**2 * (4**3 - 4) - 3 * (6 + 6)))


@pytest.mark.parametrize("twice", [True, False])
def test_from_python(tmp_path: Path, twice: bool) -> None:
    studies = [read_printed(path) for path in _tables(tmp_path)]
    found = comparison_json(ComparisonReport(compare(studies, over_correction=twice)))
    _check(json.loads(json.dumps(found)), twice=twice)


@pytest.mark.parametrize("twice", [True, False])
def test_from_the_command_line(tmp_path: Path, cli: Callable[..., Any], twice: bool) -> None:
    convention = [] if twice else ["--uncorrected"]
    done = cli("compare", *map(str, _tables(tmp_path)), *convention, "--json")
    assert done.code == 0, done.err
    _check(json.loads(done.out), twice=twice)


@pytest.mark.parametrize("twice", [True, False])
def test_from_a_study_file(tmp_path: Path, twice: bool) -> None:
    """The ratings of the study are the second of two studies; its systems were rated on different dialogues."""
    _tables(tmp_path)
    values = {"A": (5, 4, 4), "B": (3, 3, 4), "C": (2, 3, 2), "D": (2, 2, 2)}
    names = {(system, n): f"{system}-{n}" for system in values for n in range(3)}
    corpus = Corpus.build(
        [Dialogue(one, ()) for one in names.values()],
        [Summary(one, system, "Text.") for (system, _), one in names.items()],
        [
            Rating(one, system, "ann", "quality", float(values[system][n]), scale="1-5")
            for (system, n), one in names.items()
        ],
    )
    write_corpus(corpus, tmp_path / "corpus")
    section = f'original = "orig.csv"\nover_correction = {str(twice).lower()}\ntests = ["A,B"]\n'
    text = f'[study]\nname = "s"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["length"]\n[reproduction]\n{section}'
    (tmp_path / "study.toml").write_text(text, "utf-8")
    found = FinishedRun.open(run_study(tmp_path / "study.toml").folder).document("reproduction.json")
    means = {system: sum(given) / 3 for system, given in values.items()}
    for row in found["cells"]:
        expected = _cv([RESULTS["orig"][row["system"]], means[row["system"]]], twice=twice)
        assert row["cv_star"] == pytest.approx(expected, abs=1e-9)
    (tested,) = next(iter(found["systems"].values()))
    assert (tested["design"], tested["n"], tested["n_baseline"]) == ("unpaired", 3, 3)
    # Means 13/3 and 10/3 with variance 1/3 each: Cohen's d is 1 / √(1/3); Welch has t = 1 / √(2/9) and 4 degrees.
    assert tested["effect"] == pytest.approx(math.sqrt(3))
    assert tested["p_t"] == pytest.approx(2 * stats.t.sf(1 / math.sqrt(2 / 9), 4))
