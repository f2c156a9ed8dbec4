"""Metrics with models beside the published ways: same weights, same values.

On a card, the two that a model dominates are timed at the sizes that people use (RoBERTa large, BART large, random
weights) by the clock on the wall: with the numbers of the peer (fp32), with bf16x3, whose values are the same within
the tolerance, and with bf16.
"""

import importlib.util
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.made_models import make_bart, make_encoder
from benchmarks.model_peers import bart_score_loop, bert_score_loop, mover_score_loop, vector_loop
from benchmarks.pairs import Pairs, load_pairs
from benchmarks.timing import BenchResult, Timing, check_agreement, clear_caches, interleave, interleave_variants
from dialgauge.language import nltk_sentences
from dialgauge.metrics import Job, MetricRequest, TextTable, _moverscore as room, find_metric, score_pairs
from dialgauge.metrics._encoding import encode, tokenise
from dialgauge.metrics._layers import layer_states
from dialgauge.models import ASSETS, DTYPES, choose_device, load, load_vectors, quiet_loading, resolve, unload
from dialgauge.progress import Progress

FloatArray = NDArray[np.float64]
#: How many dialogues (with all their summaries) each benchmark reads, on the processor and on a card.
_DIALOGUES = {"bertscore": 20, "bartscore": 3, "moverscore": 100, "vectors": 100}
_DIALOGUES_ON_CARD = {"bertscore": 100, "bartscore": 100}
#: A card is through the texts of the study in a blink: it gets this many times as many.
_TIMES_ON_CARD = {"bertscore": 10, "bartscore": 1}
_TOLERANCE = 1e-4
#: Modules whose caches hold loaded code, not results.
_LOADED = ("dialgauge.metrics.kernels", "dialgauge.metrics.kernels._native")
#: The published matching is slow: it gets so many pairs, and its time is scaled.
_MOVER_PAIRS = 140
_ROUNDS = 3
_ROUNDS_ON_CARD = 2
#: bf16 without sparsity, in operations a second, as the makers state it.
_PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12}


def run(progress: Progress | None = None, device: str = "cpu") -> list[BenchResult]:
    """All benchmarks of this suite on a device."""
    place = choose_device(device)
    everything = load_pairs()
    sizes = _DIALOGUES if place == "cpu" else _DIALOGUES_ON_CARD
    benchmarks: dict[str, Callable[[str, Pairs, Path, str], BenchResult]] = {
        "bertscore": _bertscore,
        "bartscore": _bartscore,
        "moverscore": _moverscore,
        "vectors": _vectors,
    }
    results = []
    with tempfile.TemporaryDirectory(prefix="dialgauge-bench-") as folder, one_thread():
        for done, (name, count) in enumerate(sizes.items()):
            if progress:
                progress(name, done, len(sizes))
            pairs = _dialogues(everything, count)
            if place != "cpu" and _TIMES_ON_CARD[name] > 1:
                pairs = pairs.blown_up(_TIMES_ON_CARD[name])
            results.append(benchmarks[name](name, pairs, Path(folder), place))
            unload()
    if progress:
        progress("done", len(sizes), len(sizes))
    return results


def _minilm(folder: Path) -> str:
    """The embedded encoder, or one of its size."""
    return "embedded:minilm" if ASSETS["minilm"].present else make_encoder("minilm", _texts(), folder)


def _texts() -> list[str]:
    """What the tokenizers of made models are trained on."""
    pairs = load_pairs()
    return [*pairs.summaries, *dict.fromkeys(pairs.references), *dict.fromkeys(pairs.sources)]


def _dialogues(pairs: Pairs, count: int) -> Pairs:
    """So many dialogues, evenly spread over the corpus, with all their summaries."""
    distinct = list(dict.fromkeys(pairs.sources))
    chosen = {distinct[i] for i in np.linspace(0, len(distinct) - 1, min(count, len(distinct))).astype(int).tolist()}
    kept = [i for i, source in enumerate(pairs.sources) if source in chosen]
    return Pairs(
        [pairs.summaries[i] for i in kept],
        [pairs.references[i] for i in kept],
        [pairs.sources[i] for i in kept],
        pairs.origin,
    )


def _systems(pairs: Pairs) -> list[list[int]]:
    """The positions of the first summaries of all dialogues, of the second ones, and so on: a system each."""
    seen: dict[str, int] = {}
    systems: list[list[int]] = []
    for i, source in enumerate(pairs.sources):
        number = seen[source] = seen.get(source, -1) + 1
        if number == len(systems):
            systems.append([])
        systems[number].append(i)
    return systems


def _by_system(pairs: Pairs, score: Callable[[list[str], list[str]], FloatArray], targets: Sequence[str]) -> FloatArray:
    """A call per system, as people do it; the values in the order of the pairs."""
    values: FloatArray | None = None
    for positions in _systems(pairs):
        found = score([pairs.summaries[i] for i in positions], [targets[i] for i in positions])
        if values is None:
            values = np.empty((len(pairs), *found.shape[1:]))
        values[positions] = found
    assert values is not None
    return values


def _bertscore(name: str, pairs: Pairs, folder: Path, device: str) -> BenchResult:
    ref, layer = (_minilm(folder), 5) if device == "cpu" else (make_encoder("roberta-large", _texts(), folder), 17)
    model = load("encoder", ref, device)
    # The package treats tokenizers by their class, so it must have a published one.
    if importlib.util.find_spec("bert_score") is not None and ref == "embedded:minilm":
        peer_name, peer = "bert-score, a call per system", _bert_score_package(model, layer)
    else:
        peer_name, peer = (
            "bert-score's way, a call per system",
            partial(bert_score_loop, model, layer_states(model, layer)),
        )

    def ours(dtype: str = "fp32") -> FloatArray:
        specs = [f"bertscore-{m}:model={ref},layer={layer},device={device},dtype={dtype}" for m in ("p", "r", "f1")]
        return score_pairs(pairs.summaries, pairs.references, specs).to_numpy()

    def theirs() -> FloatArray:
        return _by_system(pairs, peer, pairs.references)

    more: dict[str, Any] = {"model": ref if ref.startswith("embedded") else f"random weights, {Path(ref).name}"}
    if device != "cpu":
        more |= _encoder_throughput(pairs, ref, layer, device)
    return _measure(name, peer_name, pairs, ours, theirs, device, more)


def _bert_score_package(model: Any, layer: int) -> Callable[[list[str], list[str]], FloatArray]:
    from bert_score import BERTScorer

    with quiet_loading():
        scorer = BERTScorer(
            model_type=str(resolve(model.ref).path), num_layers=layer, device=model.device, batch_size=64
        )

    def score(summaries: list[str], references: list[str]) -> FloatArray:
        return np.stack([values.numpy() for values in scorer.score(summaries, references)], 1).astype(np.float64)

    return score


def _bartscore(name: str, pairs: Pairs, folder: Path, device: str) -> BenchResult:
    size = "bart-large"
    ref = make_bart(size, _texts(), folder)
    model = load("seq2seq", ref, device)

    def ours(dtype: str = "fp32") -> FloatArray:
        spec = f"bartscore-src-hyp:model={ref},device={device},dtype={dtype}"
        return score_pairs(pairs.summaries, pairs.sources, [spec]).to_numpy()[:, 0]

    def theirs() -> FloatArray:
        return _by_system(pairs, lambda summaries, sources: bart_score_loop(model, sources, summaries), pairs.sources)

    more = {"model": f"random weights, {size}", "pairs_per_source": 14}
    return _measure(name, "BARTScore's way, batches of 4", pairs, ours, theirs, device, more)


def _measure(
    name: str,
    peer: str,
    pairs: Pairs,
    ours: Callable[..., FloatArray],
    theirs: Callable[[], FloatArray],
    device: str,
    more: dict[str, Any],
) -> BenchResult:
    """Time both and compare; on a card, the reported ratio is that of the quickest numbers with equal values."""
    if device == "cpu":
        timing = interleave(ours, theirs, rounds=_ROUNDS)
        difference = check_agreement(name, float(np.nanmax(np.abs(timing.ours - timing.theirs))), _TOLERANCE)
        return _result(name, peer, timing, pairs, difference, **more)
    variants: dict[str, Callable[[], Any]] = {dtype: _waited(partial(ours, dtype)) for dtype in DTYPES}
    for warm in (*variants.values(), theirs):
        warm()  # kernels are chosen on the first call
    timings = interleave_variants(variants, _waited(theirs), rounds=_ROUNDS_ON_CARD)
    differences = {dtype: float(np.nanmax(np.abs(t.ours - t.theirs))) for dtype, t in timings.items()}
    equal = [dtype for dtype in DTYPES if differences[dtype] <= _TOLERANCE]
    check_agreement(name, differences["fp32"], _TOLERANCE)
    chosen = max(equal, key=lambda dtype: timings[dtype].ratio)
    more |= {
        "dtype": chosen,
        "variants": {dtype: round(timing.ratio, 2) for dtype, timing in timings.items()},
        "largest_differences": differences,
        "pairs_per_second": {dtype: round(len(pairs) / timing.seconds) for dtype, timing in timings.items()},
        "card": _card(),
    }
    return _result(name, peer, timings[chosen], pairs, differences[chosen], **more)


def _encoder_throughput(pairs: Pairs, ref: str, layer: int, device: str) -> dict[str, Any]:
    """Real tokens a second through the encoder with bf16, and the share of the card's peak that this is."""
    model = load("encoder", ref, device, "bf16")
    texts = TextTable()
    ids = texts.intern([*pairs.summaries, *pairs.references, *pairs.sources])
    tokenised = tokenise(model, texts, ids, model.max_length)
    forward = layer_states(model, layer)
    best = np.inf
    for _ in range(_ROUNDS + 1):
        start = time.perf_counter()
        _waited(lambda: encode(model, tokenised, ids, forward))()
        best = min(best, time.perf_counter() - start)
    lengths = np.array([len(tokens) for tokens in tokenised.ids.values()], dtype=np.float64)
    width, inner = model.config.hidden_size, model.config.intermediate_size
    # Four projections and two inner layers for each token, and two products with all tokens of its text.
    operations = layer * (lengths.sum() * 2 * (4 * width**2 + 2 * width * inner) + 4 * width * (lengths**2).sum())
    peak = next((value for card, value in _PEAKS.items() if card in _card()), None)
    return {
        "encoder_tokens_per_second": round(float(lengths.sum() / best)),
        "encoder_teraflops": round(float(operations / best / 1e12), 1),
        "share_of_bf16_peak": round(float(operations / best / peak), 3) if peak else None,
    }


def _moverscore(name: str, pairs: Pairs, folder: Path, device: str) -> BenchResult:
    if importlib.util.find_spec("pyemd") is None:
        return BenchResult.skipped(name, "pyemd", "pyemd is not installed")
    ref = _minilm(folder)
    model = load("encoder", ref, device)
    texts = TextTable()
    hypotheses, targets = texts.intern(pairs.summaries), texts.intern(pairs.references)
    count = np.arange(len(pairs) + 1, dtype=np.int64)
    order = np.argsort(targets, kind="stable")
    job = Job(texts, "reference", hypotheses[order], targets[order], count, np.zeros(len(pairs), dtype=np.int64))
    parameters = MetricRequest.build(find_metric("moverscore"), None, {"model": ref, "device": device}).parameters
    tokenised = tokenise(model, texts, np.concatenate([hypotheses, targets]), model.max_length)
    sides = [room._side(model, tokenised, ids, parameters) for ids in (job.hypothesis_ids, job.target_ids)]
    states = room._states(model, tokenised, job.hypothesis_ids, job.target_ids, False)
    states = {text_id: state.clone() for text_id, state in states.items()}
    both = list(zip(job.hypothesis_ids.tolist(), job.target_ids.tolist(), strict=True))
    few = both[:: max(1, len(both) // _MOVER_PAIRS)]
    full = [_mover_text(states[text_id], sides, text_id) for text_id in range(len(texts))]
    mover_score_loop(full, few[:2])  # imports are not timed
    timing = interleave(
        lambda: room._match_version_2(states, sides, job.hypothesis_ids, job.target_ids),
        lambda: mover_score_loop(full, few),
        rounds=_ROUNDS,
        units=len(both),
        peer_units=len(few),
    )
    own = timing.ours[:: max(1, len(both) // _MOVER_PAIRS)]
    difference = check_agreement(name, float(np.nanmax(np.abs(own - timing.theirs))), _TOLERANCE)
    peer_pairs = f"{len(few)} of them; its time is scaled per pair"
    return _result(name, "pyemd on padded matrices", timing, pairs, difference, model=ref, peer_pairs=peer_pairs)


def _mover_text(states: Any, sides: Sequence[Any], text_id: int) -> tuple[Any, FloatArray]:
    """All tokens of a text as the published program has them: zero vectors and weights where they do not count."""
    import torch

    side = next(side for side in sides if text_id in side.windows)
    rows, weights = side.windows[text_id][:, 0], side.weights[text_id][:, 0]
    vectors, masses = torch.zeros_like(states), np.zeros(len(states))
    vectors[rows] = states[rows]
    masses[rows] = weights
    return vectors, masses


def _vectors(name: str, pairs: Pairs, folder: Path, device: str) -> BenchResult:
    if not ASSETS["glove-50d"].present:
        return BenchResult.skipped(name, "nlg-eval's way", "get the vectors first: dialgauge models get glove-50d")
    if importlib.util.find_spec("nltk") is None or importlib.util.find_spec("sklearn") is None:
        return BenchResult.skipped(name, "nlg-eval's way", "nltk and scikit-learn, which it uses, are not installed")
    table = load_vectors("embedded:glove-50d")

    def ours() -> FloatArray:
        specs = ["embedding-average", "vector-extrema", "greedy-matching"]
        return score_pairs(pairs.summaries, pairs.references, specs).to_numpy()

    def theirs() -> FloatArray:
        return vector_loop(table, nltk_sentences, pairs.summaries, pairs.references)

    ours()
    theirs()  # imports and the table's pages are not timed
    cold = partial(clear_caches, ("dialgauge.metrics", "nltk"), _LOADED)
    timing = interleave(ours, theirs, rounds=_ROUNDS, before_each=cold)
    difference = check_agreement(name, float(np.nanmax(np.abs(timing.ours - timing.theirs))), _TOLERANCE)
    return _result(name, "nlg-eval's way, pair by pair", timing, pairs, difference, model="embedded:glove-50d")


def _result(name: str, peer: str, timing: Timing, pairs: Pairs, difference: float, **more: Any) -> BenchResult:
    detail = {
        "texts": pairs.origin,
        "pairs": len(pairs),
        "ratios": [round(ratio, 2) for ratio in timing.ratios],
        "largest_difference": difference,
        **more,
    }
    return BenchResult(name, timing.ratio, peer, timing.seconds, timing.peer_seconds, detail)


def _waited(function: Callable[[], Any]) -> Callable[[], Any]:
    """The function, and then until the card has done all that it was asked for."""

    def wait() -> Any:
        import torch

        result = function()
        torch.cuda.synchronize()
        return result

    return wait


def _card() -> str:
    import torch

    return str(torch.cuda.get_device_name())


@contextmanager
def one_thread() -> Iterator[None]:
    """Both sides on one thread, so that CPU time tells how much work was done."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
