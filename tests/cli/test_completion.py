"""Names are completed in the shell, with descriptions, and without importing what they name."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.cli import _completion
from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.learn import LEARNERS
from dialgauge.metrics import all_metrics
from dialgauge.registry import TABLE, read_table


def completed(words: str, **more: Any) -> tuple[list[str], float]:
    """What a shell is offered for the last of these words (it asks through the environment), and the CPU time taken."""
    asked = {"_DIALGAUGE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    code = (
        "import atexit, os, sys; atexit.register(lambda: print(sum(os.times()[:2]), file=sys.stderr)); "
        "import dialgauge.cli; sys.argv = ['dialgauge']; dialgauge.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=False, **more
    )
    return done.stdout.split(), float(done.stderr.split()[-1])


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]) -> Callable[[str], list[str]]:
    """What the command line of this process offers."""

    def ask(words: str) -> list[str]:
        monkeypatch.setenv("_DIALGAUGE_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
        return cli().out.split()

    return ask


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dialgauge score calls -m rouge-ls", ["rouge-lsum", "rouge-lsum-p", "rouge-lsum-r"]),
        ("dialgauge score calls -m roug", ["rouge-1"]),
        ("dialgauge perturb calls -p typ", ["typos"]),
        ("dialgauge robustness calls -p bas", ["baseline"]),
        ("dialgauge train calls scores --learner ri", ["ridge"]),
        ("dialgauge train calls scores --split sy", ["systems"]),
        ("dialgauge affect score calls --tagger va", ["vader"]),
        ("dialgauge summarize calls -s te", ["textrank"]),
        ("dialgauge paper re", ["re-dialsummeval"]),
        ("dialgauge correlate calls scores --level sy", ["system"]),
        ("dialgauge correlate calls scores -m chr", ["chrf"]),
        ("dialgauge agreement embedded -d co", ["coherence", "consistency"]),
        ("dialgauge compare-systems embedded -s te", ["terse"]),
        ("dialgauge score embedded -m rouge --baseline ca", ["careful"]),
        ("dialgauge score emb", ["embedded"]),
        ("dialgauge compare-s", ["compare-systems"]),
    ],
)
def test_the_command_line_completes_names(words: str, expected: list[str], offered: Any) -> None:
    assert set(expected) <= set(offered(words))


def test_systems_and_dimensions_of_files(offered: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(f"d{n}", name, "text " * 40, n % 5) for n in range(500) for name in ("first", "second", "<third>")]
    lines = [f"{one},{two},{three},{four}" for one, two, three, four in rows]
    Path("long.csv").write_text("id,model_name,summary,Fluency\n" + "\n".join(lines), encoding="utf-8")
    Path("nested.jsonl").write_text(
        '{"id": "d", "summaries": {"a-one": "x", "a-two": "y"}, "ratings": [{"dimension": "tone", "value": 1}]}\n',
        encoding="utf-8",
    )
    Path("broken.jsonl").write_text('{"id": ', encoding="utf-8")
    assert offered("dialgauge compare-systems long.csv -s ") == ["<third>", "first", "second"]
    assert offered("dialgauge agreement long.csv -d ") == ["fluency"]
    assert offered("dialgauge train long.csv -t ") == ["fluency"]
    assert offered("dialgauge compare-systems nested.jsonl -s a") == ["a-one", "a-two"]
    assert offered("dialgauge agreement nested.jsonl -d ") == ["tone"]
    assert offered("dialgauge agreement broken.jsonl -d ") == []
    assert offered("dialgauge agreement nowhere.csv -d ") == []
    write_corpus(embedded_corpus(), "folder")
    assert offered("dialgauge compare-systems folder -s te") == ["terse"]


def test_a_press_of_tab_is_quick() -> None:
    found, seconds = completed("dialgauge compare-systems embedded -s te")
    assert found == ["terse"]
    assert seconds < 1.2, "0.45 s on a quiet machine; the aim is 0.6"


def test_everything_is_offered_with_what_it_is() -> None:
    offered = dict(_completion.complete_metric(""))
    listed = read_table(TABLE)["metric"]  # another test may have registered a metric of its own in this process
    assert {row.name: all_metrics()[row.name].description for row in listed}.items() <= offered.items()
    assert offered["rouge"] == "all metrics of the family rouge"
    assert offered["all"] == "all metrics"
    assert set(dict(_completion.complete_learner(""))) == set(LEARNERS)
    assert _completion.complete_paper("x") == []


def test_no_implementation_is_imported() -> None:
    code = (
        "import sys; from dialgauge.cli import _completion as c; "
        "assert c.complete_metric('rou') and c.complete_learner('') and c.complete_paper(''); "
        "print(*sorted(name for name in sys.modules if name.startswith('dialgauge.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {row.module for rows in read_table(TABLE).values() for row in rows}
