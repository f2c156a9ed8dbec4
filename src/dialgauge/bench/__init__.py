"""How quick dialgauge is beside the packages that people use today, measured on your machine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from dialgauge.bench._timing import (
    BenchResult,
    Progress,
    Timing,
    check_agreement,
    clear_caches,
    interleave,
    machine,
    need_peers,
    now,
)
from dialgauge.errors import UnknownNameError

__all__ = [
    "SUITES",
    "BenchResult",
    "Progress",
    "Suite",
    "Timing",
    "check_agreement",
    "clear_caches",
    "interleave",
    "machine",
    "need_peers",
    "now",
    "run_suite",
]


@dataclass(frozen=True, slots=True)
class Suite:
    """A group of benchmarks: the module that runs it (imported on demand), and the packages it is measured beside."""

    module: str
    description: str
    peers: tuple[str, ...]


SUITES: Mapping[str, Suite] = {
    "ngram": Suite(
        "dialgauge.bench._ngram",
        "ROUGE, BLEU, chrF, TER and METEOR on 14 systems that share references",
        ("rouge-score", "sacrebleu", "nltk"),
    ),
    "metaeval": Suite(
        "dialgauge.bench._metaeval",
        "bootstrap intervals and permutation tests of correlations",
        ("nlpstats",),
    ),
}


def run_suite(name: str, progress: Progress | None = None) -> list[BenchResult]:
    """Run one suite and give its results. The packages it compares with come with the extra ``bench``."""
    if name not in SUITES:
        raise UnknownNameError("benchmark suite", name, SUITES)
    suite = SUITES[name]
    need_peers(f"benchmark suite {name!r}", *suite.peers)
    run: Callable[[Progress | None], list[BenchResult]] = import_module(suite.module).run
    return run(progress)
