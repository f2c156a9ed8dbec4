"""Which stages a change of dialgauge's own code makes run again: those whose code it is, and what follows from them."""

import os
import shutil
from pathlib import Path

import pytest

import dialgauge
from dialgauge import sources
from dialgauge.sources import Sources
from dialgauge.study import Context, read_study_file, run_study
from dialgauge.study._code import code_digest
from dialgauge.study._graph import all_stages

PACKAGE = Path(str(dialgauge.__file__)).parent
STUDY = """\
[study]
name = "code"
[corpus]
source = "embedded"
[metrics]
use = ["rouge-1", "meteor"]
[verdict]
null_runs = 0
[correlation]
resamples = 0
"""
ALL = """\
[summarize]
systems = ["lead"]
[perturbations]
use = ["jumble"]
[affect]
tagger = "vader"
[learn]
targets = ["fluency"]
"""


def copy_package(folder: Path) -> Path:
    """The files of the package in a folder of their own, as links: a test replaces those that it changes."""
    copy = folder / "dialgauge"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"), copy_function=os.symlink)
    return copy


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package whose files are taken for the code that runs."""
    copy = copy_package(tmp_path)
    monkeypatch.setattr(sources, "_sources", lambda: Sources(copy))
    return copy


def change(file: Path) -> None:
    added = {".py": "\nCHANGED = True\n", ".css": "\n/* a remark */\n", ".html": "{# a remark #}"}[file.suffix]
    rewrite(file, file.read_text("utf-8") + added)


def rewrite(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text, "utf-8")


def context(folder: Path, study: str) -> Context:
    path = folder / "study.toml"
    path.write_text(study)
    return Context(read_study_file(path), folder, folder, lambda *_: None, {}, {})


def digests(package: Path) -> dict[str, str]:
    """The code of each stage of a study that asks for all of them."""
    asked, found = context(package.parent, STUDY + ALL), Sources(package)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "_sources", lambda: found)
        return {stage.name: code_digest(stage, asked) for stage in all_stages() if stage.asked(asked.settings)}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return digests(copy_package(tmp_path_factory.mktemp("before")))


@pytest.mark.parametrize(
    ("file", "stages"),
    [
        ("annotate/_project.py", set()),
        ("explore/_data.py", set()),
        ("cli/_run.py", set()),
        ("study/_pipeline.py", set()),
        ("metrics/_bleu.py", set()),  # nobody asks for it
        ("web/static/page.css", {"report"}),
        ("report/templates/report.css", {"report"}),
        ("report/templates/affect.html", {"report"}),
        ("report/_affect.py", {"report"}),
        ("metrics/_meteor.py", {"scores"}),
        ("perturb/_baseline_order.py", {"variants", "variant-scores", "robustness", "verdict"}),
        ("summarize/_extractive.py", {"summaries"}),
        ("affect/_psentscore.py", {"affect"}),
        ("learn/_learners.py", {"learn"}),
        ("metaeval/_leaders.py", {"correlations", "relations"}),
    ],
)
def test_a_change_concerns_the_stages_that_import_it(
    package: Path, before: dict[str, str], file: str, stages: set[str]
) -> None:
    change(package / file)
    found = {name for name, digest in digests(package).items() if digest != before[name]}
    # The report has something of most stages; it is made whenever one of them was.
    assert found - {"report"} == stages - {"report"}
    assert stages != {"report"} or found == {"report"}


def test_a_remark_in_a_style_sheet_makes_the_report_again_and_nothing_else(package: Path) -> None:
    path = package.parent / "study.toml"
    path.write_text(STUDY)
    assert set(run_study(path).stages.values()) == {"done"}
    assert set(run_study(path).stages.values()) == {"unchanged"}
    change(package / "report/templates/report.css")
    assert {name for name, what in run_study(path).stages.items() if what == "done"} == {"report"}
    change(package / "annotate/_project.py")
    assert set(run_study(path).stages.values()) == {"unchanged"}
    change(package / "metaeval/_leaders.py")
    done = {name for name, what in run_study(path).stages.items() if what == "done"}
    assert done == {"correlations", "relations", "report"}


def test_source_that_cannot_be_read_is_named_by_the_version(package: Path) -> None:
    rewrite(package / "metrics/_meteor.py", "this is (not Python")
    scores = next(stage for stage in all_stages() if stage.name == "scores")
    assert code_digest(scores, context(package.parent, STUDY)) == f"dialgauge {dialgauge.__version__}"
