"""Learners, taggers, splits, judges and languages are found by name as metrics are, also those of other packages."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge import registry as registry_module
from dialgauge.affect import TAGGERS, tagger
from dialgauge.errors import DialgaugeError, InputError, ParameterError, UnknownNameError
from dialgauge.language import find_language
from dialgauge.language._language import LANGUAGES
from dialgauge.learn import LEARNERS, SPLITS, Recipe, Target, find_learner, find_split
from dialgauge.learn._learners import candidates
from dialgauge.learn._splits import make_folds
from dialgauge.metrics import JUDGES, METRICS, parse_request
from dialgauge.metrics._judge import messages
from dialgauge.perturb import PERTURBATIONS
from dialgauge.ratings import RatingPolicy
from dialgauge.registry import Registry
from dialgauge.summarize import SUMMARIZERS

ALL: dict[str, tuple[Registry[Any], str]] = {
    "metric": (METRICS, "rouge-1"),
    "perturbation": (PERTURBATIONS, "typos"),
    "summarizer": (SUMMARIZERS, "lead"),
    "learner": (LEARNERS, "ridge"),
    "tagger": (TAGGERS, "vader"),
    "split": (SPLITS, "both"),
    "judge": (JUDGES, "fluency"),
    "language": (LANGUAGES, "fr"),
}
kinds = pytest.mark.parametrize("kind", ALL)


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Another package that is installed, with a copy of one entry of each kind under the name ``theirs``."""
    name = "their_entries"
    (tmp_path / f"{name}.py").write_text("entries = {}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    points = []
    for kind, (known, ours) in ALL.items():
        points.append(EntryPoint("theirs", f"{name}:{kind}", f"dialgauge.{kind}s"))
        monkeypatch.setattr(known, "_entries", dict(known.all()))
        monkeypatch.setattr(known, "_origins", {})
        monkeypatch.setattr(known, "_complete", False)
        changed = {"code": "theirs"} if kind == "language" else {"name": "theirs"}
        module = __import__(name)
        setattr(module, kind, replace(known[ours], **changed))
    monkeypatch.setattr(registry_module, "entry_points", lambda group: [p for p in points if p.group == group])
    yield
    sys.modules.pop(name, None)


@kinds
def test_entries_of_other_packages_are_found(kind: str, theirs: None) -> None:
    known, _ = ALL[kind]
    assert known.find("theirs").name == "theirs"
    assert list(known)[-1] == "theirs"
    assert "their_entries" in known.modules(known["theirs"])


@kinds
def test_misspelt_names_get_the_nearest(kind: str) -> None:
    known, name = ALL[kind]
    with pytest.raises(UnknownNameError, match=rf"unknown {kind} '{name}s'; did you mean .*'{name}'"):
        known.find(f"{name}s")


@kinds
def test_a_name_that_is_taken_is_refused(kind: str) -> None:
    known, name = ALL[kind]
    field = (
        "title" if kind == "language" else "hides" if kind == "split" else "about" if kind == "judge" else "description"
    )
    with pytest.raises(DialgaugeError, match=f"two {kind}s are called '{name}'"):
        known.add(replace(known[name], **{field: "another one"}))


def test_learners_take_settings() -> None:
    assert find_learner("ridge:alpha=3").grid == ({"alpha": 3.0},)
    assert [values["trees"] for values in find_learner("extra-trees:trees=50").grid] == [50, 50, 50]
    assert find_learner("decision-tree:depth=none,leaf=2").grid == ({"depth": None, "leaf": 2},)
    assert [values["gamma"] for values in find_learner("svm:gamma=0.1").grid] == [0.1, 0.1]
    assert find_learner("svm:gamma=scale").grid[0]["gamma"] == "scale"
    goal = Target("overall", pl.DataFrame(), "numbers", (1.0, 2.0), None, None, RatingPolicy())
    assert [recipe.settings for recipe in candidates("ridge:alpha=3", goal, 0)] == [{"alpha": 3.0}]
    assert Recipe.build("ridge:alpha=3", goal).learner == "ridge"
    with pytest.raises(UnknownNameError, match=r"unknown setting of learner 'ridge' 'alfa'; did you mean 'alpha'\?"):
        find_learner("ridge:alfa=3")
    with pytest.raises(
        ParameterError, match=r"learner 'ridge': parameter 'alpha' must be a value such as 10\.0 or 1\.0"
    ):
        find_learner("ridge:alpha=much")
    with pytest.raises(UnknownNameError, match=r"unknown learner 'aut'; did you mean 'auto'\?"):
        find_learner("aut")


def test_taggers_take_their_argument_with_or_without_its_name(tmp_path: Path) -> None:
    path = tmp_path / "my, words=1.tsv"
    path.write_text("glad\tpositive\n", encoding="utf-8")
    given = [f"lexicon:{path}", f'lexicon:"{path}"', f'lexicon:case=lower,file="{path}"', f"lexicon:{path},case=lower"]
    assert len({tagger(spec).signature for spec in given}) == 1
    with pytest.raises(InputError, match="option 'file' is given twice"):
        tagger(f"lexicon:file=a.tsv,{path}")


def test_a_split_of_another_package_makes_folds(theirs: None) -> None:
    keys = pl.DataFrame({"dialogue_id": ["a", "a", "b", "b"], "system": ["x", "y", "x", "y"]})
    ours, other = (make_folds(split, keys, folds=2) for split in ("both", "theirs"))
    assert [fold.test.tolist() for fold in ours] == [fold.test.tolist() for fold in other]
    assert find_split("theirs").hides == find_split("both").hides


def test_a_judge_of_another_package_rates_and_signs(theirs: None) -> None:
    assert parse_request("judge:dimension=theirs").signature.split("|")[3].startswith("dimension:theirs#")
    assert JUDGES["fluency"].about in messages("theirs", "summary", "dialogue")[1]["content"]
    with pytest.raises(UnknownNameError, match=r"unknown judge 'fluencey'; did you mean 'fluency'\?"):
        parse_request("judge:dimension=fluencey")


def test_a_language_of_another_package(theirs: None) -> None:
    assert find_language("theirs").title == "French"
