"""The hot loops of the n-gram metrics and shuffle tests: compiled C through ctypes, and Python with the same values.

Every kernel works on flat arrays of interned ids for many pairs at once, and returns integers; the floating-point
arithmetic stays in NumPy, in the order of the reference implementations.
"""

from dialgauge.metrics.kernels._arrays import TargetSets, Tokens
from dialgauge.metrics.kernels._lcs import lcs_length, lcs_union
from dialgauge.metrics.kernels._meteor import Lexicon, meteor_matches
from dialgauge.metrics.kernels._native import call, kernel_name, library, use_kernels
from dialgauge.metrics.kernels._ngram import ngram_match
from dialgauge.metrics.kernels._overlaps import overlaps
from dialgauge.metrics.kernels._shuffles import sum_looked_up
from dialgauge.metrics.kernels._split import SplitRule, split_characters, split_texts
from dialgauge.metrics.kernels._swaps import Swaps, swaps_reached
from dialgauge.metrics.kernels._ter import ter_edits
from dialgauge.metrics.kernels._transport import Transport, transport_costs

__all__ = [
    "Lexicon",
    "SplitRule",
    "Swaps",
    "TargetSets",
    "Tokens",
    "Transport",
    "call",
    "kernel_name",
    "lcs_length",
    "lcs_union",
    "library",
    "meteor_matches",
    "ngram_match",
    "overlaps",
    "split_characters",
    "split_texts",
    "sum_looked_up",
    "swaps_reached",
    "ter_edits",
    "transport_costs",
    "use_kernels",
]
