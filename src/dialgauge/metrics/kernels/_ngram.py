"""Clipped n-gram matches, behind ROUGE-N, BLEU and chrF."""

from collections import Counter

import numpy as np

from dialgauge.metrics.kernels._arrays import IdArray, TargetSets, Tokens
from dialgauge.metrics.kernels._native import call, kernel_name


def ngram_match(tokens: Tokens, hypotheses: IdArray, targets: TargetSets, orders: int) -> IdArray:
    """How many n-grams of each hypothesis its targets have, for n = 1 … ``orders``: an array items × orders.

    An n-gram counts at most as often as it occurs in one of the targets (the one that has it most often).
    """
    matches = np.zeros((len(hypotheses), orders), dtype=np.int64)
    order = np.argsort(targets.of_item, kind="stable")
    if kernel_name() == "python":
        _match_in_python(tokens, hypotheses, targets, order, matches)
    else:
        call(
            "dg_ngram_match",
            tokens.ids,
            tokens.starts,
            tokens.lengths,
            np.ascontiguousarray(hypotheses),
            np.ascontiguousarray(targets.of_item),
            order,
            len(hypotheses),
            targets.offsets,
            targets.texts,
            orders,
            matches,
        )
    return matches


_Ngrams = list[Counter[tuple[int, ...]]]


def _match_in_python(
    tokens: Tokens, hypotheses: IdArray, targets: TargetSets, order: IdArray, matches: IdArray
) -> None:
    orders = matches.shape[1]
    present, allowed = -1, list[Counter[tuple[int, ...]]]()
    for item in order.tolist():
        target_set = int(targets.of_item[item])
        if target_set != present:
            begin, end = targets.offsets[target_set : target_set + 2].tolist()
            allowed = _ngrams(tokens.of(int(targets.texts[begin])), orders)
            for text in targets.texts[begin + 1 : end].tolist():
                # Counter's union keeps the larger count.
                allowed = [one | other for one, other in zip(allowed, _ngrams(tokens.of(text), orders), strict=True)]
            present = target_set
        for n, counts in enumerate(_ngrams(tokens.of(int(hypotheses[item])), orders)):
            limit = allowed[n]
            matches[item, n] = sum(min(count, limit[gram]) for gram, count in counts.items() if gram in limit)


def _ngrams(ids: list[int], orders: int) -> _Ngrams:
    return [Counter(zip(*(ids[k:] for k in range(n)), strict=False)) for n in range(1, orders + 1)]
