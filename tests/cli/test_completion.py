"""Names are completed in the shell, with descriptions, and without importing what they name."""

import os
import subprocess
import sys

import pytest

from dialgauge.cli import _completion
from dialgauge.learn import LEARNERS
from dialgauge.metrics import all_metrics
from dialgauge.registry import TABLE, read_table


def completed(words: str) -> list[str]:
    """What the command line offers a shell, which asks through the environment, for the last of these words."""
    asked = {"_DIALGAUGE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    code = "import dialgauge.cli, sys; sys.argv = ['dialgauge']; dialgauge.cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    return done.stdout.split()


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
    ],
)
def test_the_command_line_completes_names(words: str, expected: list[str]) -> None:
    assert set(expected) <= set(completed(words))


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
