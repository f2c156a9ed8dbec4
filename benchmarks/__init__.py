"""How fast dialgauge is compared with the packages that people use today, measured on your machine.

``dialgauge bench SUITE`` runs one suite of this folder; RESULTS.md has what we measured. The folder is not part
of the installed package.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from benchmarks.timing import (
    BenchResult,
    Timing,
    check_agreement,
    clear_caches,
    interleave,
    machine,
    need_peers,
    now,
)
from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.progress import Progress

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
    """A group of benchmarks: the module that runs it (imported on demand), and the packages that it needs.

    ``devices`` is true of a suite that can run on a card. ``unit`` and ``digits`` say how its ratio is printed.
    """

    module: str
    description: str
    peers: tuple[str, ...]
    devices: bool = False
    unit: str = "×"
    digits: int = 1


SUITES: Mapping[str, Suite] = {
    "ngram": Suite(
        "benchmarks.ngram",
        "ROUGE, BLEU, chrF, TER and METEOR on 14 systems that share references",
        ("rouge-score", "sacrebleu", "nltk"),
    ),
    "metaeval": Suite(
        "benchmarks.metaeval",
        "bootstrap intervals and permutation tests of correlations",
        ("nlpstats",),
    ),
    "models": Suite(
        "benchmarks.models",
        "BERTScore, BARTScore, MoverScore and word vectors on 14 systems that share references and sources",
        ("torch", "transformers"),
        devices=True,
    ),
    "perturb": Suite(
        "benchmarks.perturb",
        "the 16 baseline perturbations of a summary over one parse of it (there a lower ratio is better), and typos, "
        "jumble and drop_phrases beside nlpaug and TextAttack where they are installed",
        ("spacy", "lemminflect"),
        digits=2,
    ),
    "affect": Suite(
        "benchmarks.affect",
        "counting affective words by a lexicon and by an encoder, beside the loop over pairs and words",
        ("torch", "transformers"),
    ),
    "learned": Suite(
        "benchmarks.learned",
        "the summary-level Pearson of metrics trained on DialSummEval's ratings, each system held out (no time)",
        ("scikit-learn",),
        unit="",
        digits=3,
    ),
    "learned-consistency": Suite(
        "benchmarks.learned_consistency",
        "the same for consistency, with and without the parts of the metric 'consistency' (minutes on a processor)",
        ("scikit-learn", "torch", "transformers", "spacy"),
        unit="",
        digits=3,
    ),
    "consistency": Suite(
        "benchmarks.consistency",
        "how well metrics tell right from wrong summaries: AUC beside a control that sees no dialogue (no time)",
        ("scikit-learn", "spacy"),
        unit="",
        digits=3,
    ),
    "consistency-cost": Suite(
        "benchmarks.consistency_cost",
        "summaries that 'checks' and 'consistency' judge in a second, in one thread or on a card (higher is better)",
        ("torch", "transformers", "spacy"),
        devices=True,
        unit="/s",
    ),
    "report": Suite(
        "benchmarks.report",
        "CPU time and size of the page of a study of 100 dialogues × 14 systems × 32 metrics (here lower is better)",
        (),
        digits=2,
    ),
    "scale": Suite(
        "benchmarks.scale",
        "memory and CPU per pair of 10³ to 10⁶ pairs, streamed by one worker and by two (here lower is better)",
        (),
    ),
}


def run_suite(name: str, progress: Progress | None = None, device: str = "cpu") -> list[BenchResult]:
    """Run one suite and give its results. The packages it compares with come with the extra ``bench``."""
    if name not in SUITES:
        raise UnknownNameError("benchmark suite", name, SUITES)
    suite = SUITES[name]
    need_peers(f"benchmark suite {name!r}", *suite.peers)
    if device != "cpu" and not suite.devices:
        raise ParameterError(f"benchmark suite {name!r}", "device", "'cpu': it has nothing for a card to do", device)
    run: Callable[..., list[BenchResult]] = import_module(suite.module).run
    return run(progress, device) if suite.devices else run(progress)
