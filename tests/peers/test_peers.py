"""The peers' own tests, measured on dialgauge by small adapters (``as_….py``), and the table of them in the docs.

Each runs in a process of its own, where the adapter takes the place of the peer's functions. A test that is not
applicable is skipped by the adapter with a reason; one that fails must be a difference that is documented.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "peers.md"


@dataclass(frozen=True)
class Suite:
    """Tests of a peer: where they are, the adapter, and which tests fail for a documented reason."""

    peer: str
    adapter: str
    files: tuple[str, ...]
    differences: frozenset[str] = frozenset()
    chosen: str = ""
    options: tuple[str, ...] = ()


#: Texts without words have no value here; the peers say 0, and sacrebleu 100 for a translation edit rate.
_EMPTY_BLEU_CHRF_TER = frozenset(
    {
        "test_corpus_bleu[hypotheses1-references1-kwargs1-0.0]",
        *(f"test_chrf[hypotheses{n}-references{n}-0.0]" for n in (2, 3, 4)),
        *(f"test_chrf_eff_order[hypotheses{n}-references{n}-0.0]" for n in (1, 4)),
        *(f"test_ter[hypotheses{n}-references{n}-{value}]" for n, value in ((2, 1), (3, 1), (4, 0))),
    }
)
SUITES = {
    "rouge-score": Suite(
        "rouge-score",
        "as_rouge_score",
        ("rouge_score/rouge_scorer_test.py",),
        frozenset({"testRougeEmpty0", "testRougeEmpty1", "testRougeEmpty2", "testRougeEmpty3", "testRougeLsum"}),
        # The texts of the others are not in the package.
        "not Rouge155 and not Large",
    ),
    "sacrebleu": Suite(
        "sacrebleu",
        "as_sacrebleu",
        ("test/test_bleu.py", "test/test_sentence_bleu.py", "test/test_chrf.py", "test/test_ter.py"),
        _EMPTY_BLEU_CHRF_TER,
    ),
    "statsmodels": Suite(
        "statsmodels",
        "as_statsmodels",
        ("statsmodels/stats/tests/test_multi.py", "statsmodels/stats/tests/test_inter_rater.py"),
        chosen="TestMultiTests or issorted or floating_precision or fleiss",
    ),
    "nltk": Suite("nltk", "as_nltk", ("nltk/test/meteor.doctest",), options=("--doctest-glob=*.doctest",)),
}


@cache
def _unpacked(peer: str) -> Path | None:
    """The source distribution of a peer whose wheel has no tests; None where the package index cannot be reached."""
    folder = Path(tempfile.gettempdir()) / "dialgauge-peers"
    name = f"{peer}-{version(peer)}"
    if not (folder / name).is_dir():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", peer, "-d", str(folder)]
        done = subprocess.run([*command, f"{peer}=={version(peer)}"], capture_output=True, text=True)
        if done.returncode:
            return None
        with tarfile.open(folder / f"{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return folder / name


def _path(peer: str, file: str) -> Path:
    found = find_spec(file.split("/")[0])
    if found is not None and found.origin and (Path(found.origin).parents[1] / file).is_file():
        return Path(found.origin).parents[1] / file
    folder = _unpacked(peer)
    if folder is None:
        pytest.skip(f"NO TESTS OF {peer}: its source distribution could not be fetched")
    return folder / file


def outcomes(suite: Suite, folder: Path) -> dict[str, str]:
    """``passed``, ``skipped`` or ``failed`` for each test."""
    report, settings = folder / "report.xml", folder / "pytest.ini"
    settings.write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(settings), "--rootdir", str(folder), "--noconftest"]
    command += ["-p", "no:cacheprovider", "--disable-plugin-autoload", "-p", f"tests.peers.{suite.adapter}"]
    command += ["--junitxml", str(report), "-k", suite.chosen, *suite.options]
    command += [*(str(_path(suite.peer, file)) for file in suite.files)]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=os.environ | {"PYTHONPATH": paths, "COLUMNS": "100"}
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = {}
    for case in ET.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        found[f"{case.get('classname')}::{case.get('name')}"] = outcome
    return found


@pytest.mark.parametrize("name", SUITES)
def test_what_peers_assert_holds_here_too(name: str, tmp_path: Path) -> None:
    suite = SUITES[name]
    found = outcomes(suite, tmp_path)
    failed = {test.partition("::")[2] for test, outcome in found.items() if outcome == "failed"}
    assert failed == suite.differences
    counts = {kind: list(found.values()).count(kind) for kind in ("passed", "skipped", "failed")}
    row = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert row, f"docs/peers.md has no row for {name}"
    cells = [cell.strip() for cell in row[1].split("|")]
    assert cells[:3] == [str(counts[kind]) for kind in ("passed", "skipped", "failed")], counts
