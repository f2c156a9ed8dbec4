"""N-gram matches and longest common subsequences of the same pairs of texts, behind ROUGE."""

import numpy as np

from dialgauge.metrics.kernels._arrays import IdArray, TargetSets, Tokens
from dialgauge.metrics.kernels._lcs import lcs_length
from dialgauge.metrics.kernels._native import call, has_kernel
from dialgauge.metrics.kernels._ngram import ngram_match

#: The positions of a target fit into a machine word up to this length, which makes counting many times as fast.
_SHORT = 64


def overlaps(tokens: Tokens, hypotheses: IdArray, targets: IdArray, orders: int) -> IdArray:
    """For each (hypothesis, target) pair of texts the matches of :func:`ngram_match`, and then :func:`lcs_length`."""
    longest = _SHORT if has_kernel("dg_short_overlaps") else -1
    lengths = tokens.lengths[targets]
    if lengths.max(initial=0) <= longest:
        return _of_short(tokens, hypotheses, targets, orders)
    counts, long = np.empty((len(hypotheses), orders + 1), dtype=np.int64), lengths > longest
    short = ~long
    if short.any():
        counts[short] = _of_short(tokens, hypotheses[short], targets[short], orders)
    sets = TargetSets.single(targets[long], len(tokens.lengths))
    counts[long, :orders] = ngram_match(tokens, hypotheses[long], sets, orders)
    counts[long, orders] = lcs_length(tokens, hypotheses[long], targets[long])
    return counts


def _of_short(tokens: Tokens, hypotheses: IdArray, targets: IdArray, orders: int) -> IdArray:
    counts = np.empty((len(hypotheses), orders + 1), dtype=np.int64)
    call(
        "dg_short_overlaps",
        tokens.ids,
        tokens.starts,
        tokens.lengths,
        np.ascontiguousarray(hypotheses),
        np.ascontiguousarray(targets),
        len(hypotheses),
        tokens.size,
        orders,
        counts,
    )
    return counts
