"""Affect beside the loop that people write: a pair at a time, a word or a sentence at a time. Equal values."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import one_thread
from benchmarks.pairs import Pairs, load_pairs
from benchmarks.timing import BenchResult, check_agreement, interleave
from dialgauge.affect import (
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    ContextualTagger,
    LexiconTagger,
    _words as words_module,
    psent,
    vader_lexicon,
)
from dialgauge.affect._words import WORD, sentences, split_words
from dialgauge.models import Model, load, quiet_loading, resolve, unload
from dialgauge.progress import Progress

Counts = NDArray[np.int64]
_LOOP = "naive loop"
_ROUNDS = 3
_LARGE = 3  # × 1,400 pairs
_CONTEXTUAL_PAIRS = 14
_ENCODER = "embedded:minilm"


def run(progress: Progress | None = None) -> list[BenchResult]:
    """All benchmarks of this suite."""
    pairs = load_pairs()
    benchmarks = {"lexicon": _lexicon, "contextual": _contextual}
    results = []
    for done, (name, benchmark) in enumerate(benchmarks.items()):
        if progress:
            progress(name, done, len(benchmarks))
        results.append(benchmark(name, pairs))
    if progress:
        progress("done", len(benchmarks), len(benchmarks))
    return results


def _ours(pairs: Pairs, tagger: Any) -> Counts:
    """Positive and negative words and all words of each summary, then of each source."""
    found = [psent(pairs.summaries, tagger), psent(pairs.sources, tagger, speakers=True)]
    return np.concatenate([np.column_stack([one.counts[:, 1:3], one.total]) for one in found])


def _lexicon(name: str, pairs: Pairs) -> BenchResult:
    large = pairs.blown_up(_LARGE)
    lexicon = vader_lexicon()
    timing = interleave(
        # A new tagger each time: what it remembers of words is made within the clock.
        lambda: _ours(large, LexiconTagger(lexicon)),
        partial(_lexicon_loop, large, dict(lexicon.labels)),
        rounds=_ROUNDS,
        before_each=words_module._kinds.cache_clear,
    )
    difference = check_agreement(name, float(np.abs(timing.ours - timing.theirs).max()), 0)
    distinct = len({*large.summaries, *large.sources})
    # Each distinct text is read once; the rate counts the words that were read, not those of repeated texts.
    read = int(psent(list({*large.summaries, *large.sources}), LexiconTagger(lexicon)).total.sum())
    return _result(name, timing, large, difference, texts_read=distinct, words_per_second=round(read / timing.seconds))


def _lexicon_loop(pairs: Pairs, labels: dict[str, int]) -> Counts:
    table = {word.lower(): label for word, label in labels.items()}
    rows = []
    for speakers, texts in ((False, pairs.summaries), (True, pairs.sources)):
        for text in texts:
            positive = negative = total = 0
            for token, kind in _tokens(text, speakers):
                if kind == WORD:
                    label = table.get(token.replace("’", "'").lower(), NEUTRAL)
                    positive += label == POSITIVE
                    negative += label == NEGATIVE
                    total += 1
            rows.append((positive, negative, total))
    return np.array(rows, dtype=np.int64)


def _tokens(text: str, speakers: bool) -> list[tuple[str, int]]:
    """Each token with its kind, which is found anew each time."""
    kind_of = words_module._Kinds().__missing__
    return [(match[0], kind_of(match[0])) for match in words_module._token_pattern(speakers).finditer(text)]


def _contextual(name: str, pairs: Pairs) -> BenchResult:
    from dialgauge.models import ASSETS

    if not ASSETS["minilm"].present:
        return BenchResult.skipped(name, _LOOP, f"{_ENCODER} is not here; get it with 'dialgauge models get minilm'")
    size = _CONTEXTUAL_PAIRS  # the summaries of one dialogue
    chosen = Pairs(pairs.summaries[:size], pairs.references[:size], pairs.sources[:size], pairs.origin)
    with tempfile.TemporaryDirectory(prefix="dialgauge-bench-") as folder, one_thread():
        model = _classifier(Path(folder))
        timing = interleave(
            lambda: _ours(chosen, ContextualTagger.of(model)), partial(_contextual_loop, chosen, model), rounds=3
        )
        unload()
    # Words whose two best labels are equally likely but for rounding may differ: a count in a thousand is allowed.
    difference = float(np.count_nonzero(timing.ours != timing.theirs) / timing.ours.size)
    check_agreement(name, difference, 1e-3)
    return _result(name, timing, chosen, difference, model="MiniLM with a head of random weights")


def _classifier(folder: Path) -> Model:
    """The embedded encoder with a head of random weights: as quick as a trained one."""
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    torch.manual_seed(0)
    place = str(resolve(_ENCODER).path)
    names = dict(enumerate(("negative", "neutral", "positive")))
    with quiet_loading():
        made = AutoModelForTokenClassification.from_pretrained(place, num_labels=3, id2label=names)
        made.save_pretrained(folder)
        AutoTokenizer.from_pretrained(place).save_pretrained(folder)
    return load("token-classifier", f"folder:{folder}", "cpu")


def _contextual_loop(pairs: Pairs, model: Model) -> Counts:
    import torch

    rows = []
    for speakers, texts in ((False, pairs.summaries), (True, pairs.sources)):
        for text in texts:
            found = split_words(text, speakers=speakers)
            labels: list[int] = []
            for sentence in sentences(found):
                encoded = model.tokenizer(
                    list(sentence),
                    is_split_into_words=True,
                    truncation=True,
                    max_length=model.max_length,
                    return_tensors="pt",
                )
                with torch.inference_mode():
                    best = model.module(**encoded.to(model.device)).logits[0].argmax(-1).tolist()
                first: dict[int, int] = {}
                for piece, word in enumerate(encoded.word_ids(0)):
                    if word is not None:
                        first.setdefault(word, best[piece])
                labels += [first.get(word, NEUTRAL) for word in range(len(sentence))]
            said = [label for label, kind in zip(labels, found.kinds.tolist(), strict=True) if kind == WORD]
            rows.append((said.count(POSITIVE), said.count(NEGATIVE), len(said)))
    return np.array(rows, dtype=np.int64)


def _result(name: str, timing: Any, pairs: Pairs, difference: float, **more: Any) -> BenchResult:
    detail = {
        "texts": pairs.origin,
        "pairs": len(pairs),
        "ratios": [round(ratio, 2) for ratio in timing.ratios],
        "largest_difference": difference,
        **more,
    }
    return BenchResult(name, timing.ratio, _LOOP, timing.seconds, timing.peer_seconds, detail)
