"""ROUGE, BLEU, chrF, TER and METEOR beside rouge-score, sacrebleu and nltk: one process, cold, equal values."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pairs import Pairs, load_pairs
from benchmarks.timing import (
    BenchResult,
    Timing,
    check_agreement,
    clear_caches,
    interleave,
)
from benchmarks.wordnet_peer import ABSENT, nltk_wordnet
from dialgauge.metrics import all_metrics, score_pairs
from dialgauge.progress import Progress

FloatArray = NDArray[np.float64]
Peer = Callable[[Pairs], FloatArray]

_ROUGE = {
    "rouge-1": "rouge1",
    "rouge-2": "rouge2",
    "rouge-3": "rouge3",
    "rouge-4": "rouge4",
    "rouge-l": "rougeL",
    "rouge-lsum": "rougeLsum",
}
_LARGE = 40  # × 1,400 pairs = 56,000
_LARGE_PEER_PAIRS = 700
_TER_PAIRS = 400
_CALL_ROUNDS = 21
_ROUNDS = 5
#: These hold loaded code and tables, not results; the peers' are loaded before the clock starts, too.
_LOADED = (
    "dialgauge.metrics._wordnet",
    "dialgauge.metrics.kernels",
    "dialgauge.metrics.kernels._native",
)


def run(progress: Progress | None = None) -> list[BenchResult]:
    """All benchmarks of this suite."""
    pairs = load_pairs()
    all_metrics()  # families are imported before the clock starts
    benchmarks: dict[str, Callable[[str, Pairs], BenchResult]] = {
        "rouge": _rouge,
        "rouge-100": _rouge_of_one_call,
        "rouge-large": _rouge_large,
        "chrf": _chrf,
        "ter": _ter,
        "bleu": _bleu,
        "meteor": _meteor,
    }
    results = []
    for done, (name, benchmark) in enumerate(benchmarks.items()):
        if progress:
            progress(name, done, len(benchmarks))
        results.append(benchmark(name, pairs))
    if progress:
        progress("done", len(benchmarks), len(benchmarks))
    return results


def _cold() -> None:
    clear_caches(("dialgauge.metrics", "rouge_score", "sacrebleu", "nltk.stem", "nltk.translate"), keep=_LOADED)


def _ours(pairs: Pairs, specs: Sequence[str]) -> FloatArray:
    targets = pairs.sources if specs[0].partition(":")[0].endswith("@source") else pairs.references
    return score_pairs(pairs.summaries, targets, specs).to_numpy()


def _time(
    name: str,
    pairs: Pairs,
    specs: Sequence[str],
    peer: Peer,
    *,
    rounds: int | None = None,
    peer_pairs: int | None = None,
) -> tuple[Timing, float]:
    """Time ours on all pairs and the peer on all or a seeded choice of them; check that the values are the same."""
    subset = pairs if peer_pairs is None else pairs.draw(peer_pairs)
    # A first pair on both sides: imports and tables that load on first use stay out of the clock.
    _ours(pairs.draw(1), specs)
    peer(pairs.draw(1))
    timing = interleave(
        partial(_ours, pairs, specs),
        partial(peer, subset),
        rounds=rounds or _ROUNDS,
        units=len(pairs),
        peer_units=len(subset),
        before_each=_cold,
    )
    own = timing.ours if peer_pairs is None else _ours(subset, specs)
    difference = float(np.max(np.abs(own - timing.theirs)))
    return timing, check_agreement(name, difference)


def _result(name: str, peer: str, timing: Timing, pairs: Pairs, difference: float, **more: Any) -> BenchResult:
    detail = {
        "texts": pairs.origin,
        "pairs": len(pairs),
        "ratios": [round(ratio, 2) for ratio in timing.ratios],
        "largest_difference": difference,
        **more,
    }
    return BenchResult(name, timing.ratio, peer, timing.seconds, timing.peer_seconds, detail)


def _smallest(variants: dict[str, tuple[Timing, float]]) -> tuple[str, Timing, float]:
    """The variant in which we look worst: that is the one to report."""
    name = min(variants, key=lambda variant: variants[variant][0].ratio)
    return name, variants[name][0], max(difference for _, difference in variants.values())


def _rouge_peer(pairs: Pairs, *, stemmer: bool, against: str = "references") -> FloatArray:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(_ROUGE.values()), use_stemmer=stemmer)
    scored = [
        scorer.score(target, summary) for summary, target in zip(pairs.summaries, getattr(pairs, against), strict=True)
    ]
    return np.array([[one[kind].fmeasure for kind in _ROUGE.values()] for one in scored])


def _rouge_specs(*, stemmer: bool, against: str = "references") -> list[str]:
    target = "@source" if against == "sources" else ""
    return [f"{metric}{target}{':stem=yes' if stemmer else ''}" for metric in _ROUGE]


def _rouge(name: str, pairs: Pairs) -> BenchResult:
    variants = {
        f"stemmer {'on' if stemmer else 'off'}": _time(
            name, pairs, _rouge_specs(stemmer=stemmer), partial(_rouge_peer, stemmer=stemmer)
        )
        for stemmer in (False, True)
    }
    worst, timing, difference = _smallest(variants)
    ratios = {variant: round(timed.ratio, 2) for variant, (timed, _) in variants.items()}
    return _result(name, "rouge-score", timing, pairs, difference, reported=worst, variants=ratios)


def _rouge_of_one_call(name: str, pairs: Pairs) -> BenchResult:
    """The most common call: the hundred summaries of one system, other texts in every round."""
    calls, specs = pairs.one_system_at_a_time(_CALL_ROUNDS), _rouge_specs(stemmer=False)
    _ours(pairs.draw(1), specs)
    _rouge_peer(pairs.draw(1), stemmer=False)
    own, theirs = iter(calls), iter(calls)
    timing = interleave(
        lambda: _ours(next(own), specs),
        lambda: _rouge_peer(next(theirs), stemmer=False),
        rounds=len(calls),
        before_each=_cold,
    )
    difference = check_agreement(name, float(np.max(np.abs(timing.ours - timing.theirs))))
    return _result(name, "rouge-score", timing, calls[-1], difference)


def _rouge_large(name: str, pairs: Pairs) -> BenchResult:
    large = pairs.blown_up(_LARGE)
    variants = {}
    for against in ("references", "sources"):
        for stemmer in (False, True):
            settings: dict[str, Any] = {"stemmer": stemmer, "against": against}
            variants[f"{against}, stemmer {'on' if stemmer else 'off'}"] = _time(
                name,
                large,
                _rouge_specs(**settings),
                partial(_rouge_peer, **settings),
                rounds=3,
                peer_pairs=_LARGE_PEER_PAIRS,
            )
    worst, timing, difference = _smallest(variants)
    return _result(
        name,
        "rouge-score",
        timing,
        large,
        difference,
        reported=worst,
        variants={variant: round(timed.ratio, 2) for variant, (timed, _) in variants.items()},
        peer_pairs=f"{_LARGE_PEER_PAIRS} drawn with a seed; its time is scaled per pair",
    )


def _chrf(name: str, pairs: Pairs) -> BenchResult:
    def peer(chosen: Pairs) -> FloatArray:
        from sacrebleu.metrics.chrf import CHRF

        return _each_sentence([CHRF()], chosen)

    timing, difference = _time(name, pairs, ["chrf"], peer)
    return _result(name, "sacrebleu", timing, pairs, difference)


def _ter(name: str, pairs: Pairs) -> BenchResult:
    def peer(chosen: Pairs) -> FloatArray:
        from sacrebleu.metrics.ter import TER

        return _each_sentence([TER()], chosen)

    chosen = pairs.draw(_TER_PAIRS)
    timing, difference = _time(name, chosen, ["ter"], peer, rounds=3)
    return _result(name, "sacrebleu", timing, chosen, difference)


def _bleu(name: str, pairs: Pairs) -> BenchResult:
    def peer(chosen: Pairs) -> FloatArray:
        from sacrebleu.metrics.bleu import BLEU

        return _each_sentence([BLEU(max_ngram_order=n, effective_order=True) for n in (1, 2, 3, 4)], chosen)

    timing, difference = _time(name, pairs, [f"bleu-{n}" for n in (1, 2, 3, 4)], peer)
    return _result(name, "sacrebleu", timing, pairs, difference, peer_objects="one per order, 1 to 4")


def _each_sentence(scorers: Sequence[Any], pairs: Pairs) -> FloatArray:
    return np.array(
        [
            [scorer.sentence_score(summary, [reference]).score for scorer in scorers]
            for summary, reference in zip(pairs.summaries, pairs.references, strict=True)
        ]
    )


def _meteor(name: str, pairs: Pairs) -> BenchResult:
    from nltk.translate.meteor_score import single_meteor_score

    with nltk_wordnet() as wordnet:
        if wordnet is None:
            return BenchResult.skipped(name, "nltk", ABSENT)

        def peer(chosen: Pairs) -> FloatArray:
            wordnet._synset_offset_cache.clear()  # cold, like ours
            return np.array(
                [
                    [single_meteor_score(reference.split(), summary.split(), wordnet=wordnet)]
                    for summary, reference in zip(chosen.summaries, chosen.references, strict=True)
                ]
            )

        timing, difference = _time(name, pairs, ["meteor"], peer)
    return _result(name, "nltk", timing, pairs, difference, wordnet="loaded before the clock starts on both sides")
