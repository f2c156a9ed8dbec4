"""Longest common subsequences, behind ROUGE-L and ROUGE-Lsum."""

from collections import Counter
from math import isqrt

import numpy as np

from dialgauge.metrics.kernels._arrays import IdArray, Tokens
from dialgauge.metrics.kernels._native import call, kernel_name


def lcs_length(tokens: Tokens, hypotheses: IdArray, targets: IdArray) -> IdArray:
    """The length of the longest common subsequence of tokens of each (hypothesis, target) pair of texts."""
    lengths = np.zeros(len(hypotheses), dtype=np.int64)
    if kernel_name() == "python":
        from rapidfuzz.distance import LCSseq

        for pair, (hypothesis, target) in enumerate(zip(hypotheses.tolist(), targets.tolist(), strict=True)):
            lengths[pair] = LCSseq.similarity(tokens.of(hypothesis), tokens.of(target))
    else:
        call(
            "dg_lcs_length",
            tokens.ids,
            tokens.starts,
            tokens.lengths,
            np.ascontiguousarray(hypotheses),
            np.ascontiguousarray(targets),
            len(hypotheses),
            tokens.size,
            lengths,
        )
    return lengths


def lcs_union(tokens: Tokens, hypotheses: IdArray, targets: IdArray) -> IdArray:
    """The hits of summary-level LCS of each (hypothesis, target) pair of texts (Lin 2004, section 3.2).

    For each line of the target: its tokens that lie on its LCS with any line of the hypothesis, each counted at most as
    often as the hypothesis has it. Which LCS is taken where several are longest changes the number; this takes the same
    as the package rouge-score.
    """
    hits = np.zeros(len(hypotheses), dtype=np.int64)
    if kernel_name() == "python":
        for pair, (hypothesis, target) in enumerate(zip(hypotheses.tolist(), targets.tolist(), strict=True)):
            hits[pair] = _union_hits(tokens.lines(hypothesis), tokens.lines(target))
    else:
        call(
            "dg_lcs_union",
            tokens.ids,
            tokens.breaks,
            tokens.starts,
            tokens.lengths,
            np.ascontiguousarray(hypotheses),
            np.ascontiguousarray(targets),
            len(hypotheses),
            tokens.size,
            hits,
        )
    return hits


def _union_hits(hypothesis: list[list[int]], target: list[list[int]]) -> int:
    unspent = Counter(token for line in hypothesis for token in line)
    available = set(unspent)
    hits = 0
    for line in target:
        reachable = sum(token in available for token in line)
        union: set[int] = set()
        for other in hypothesis:
            if len(union) == reachable:
                break
            union |= _lcs_positions(line, other)
        for position in union:
            if unspent[line[position]] > 0:
                unspent[line[position]] -= 1
                hits += 1
    return hits


def _lcs_positions(line: list[int], other: list[int]) -> set[int]:
    """Where in ``line`` the LCS with ``other`` lies, on the path that rouge-score's backtracking takes.

    A column of the table is a big integer: bit i is 0 where the LCS of ``line[:i + 1]`` is longer than that of
    ``line[:i]``. Only every k-th column is kept, and the columns between are made again on the way back, so that long
    texts do not need the whole table.
    """
    masks = dict.fromkeys(other, 0)
    for i, token in enumerate(line):
        if token in masks:
            masks[token] |= 1 << i
    full = (1 << len(line)) - 1
    stride = isqrt(len(other)) + 1
    kept, column = [full], full
    for j, token in enumerate(other, start=1):
        column = _next_column(column, masks[token], full)
        if j % stride == 0:
            kept.append(column)
    if column == full:
        return set()
    positions: set[int] = set()
    i, j, section, columns = len(line), len(other), -1, list[int]()
    while i > 0 and j > 0:
        if line[i - 1] == other[j - 1]:
            positions.add(i - 1)
            i, j = i - 1, j - 1
            continue
        if j // stride != section:
            section = j // stride
            columns = [kept[section]]
            for token in other[section * stride : (section + 1) * stride - 1]:
                columns.append(_next_column(columns[-1], masks[token], full))
        if columns[j - section * stride] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
    return positions


def _next_column(column: int, mask: int, full: int) -> int:
    return (column + (column & mask) | column & ~mask) & full
