"""Run by ``test_sanitizers`` in a process of its own: kernels that watch their memory, on texts of many kinds.

The argument is the library. A kernel that reads or writes where it must not ends the process with a report.
"""

import ctypes
import sys
import warnings
from random import Random

import numpy as np

from dialgauge.metrics import score_pairs, use_kernels
from dialgauge.metrics.kernels import Swaps, Transport, _native, sum_looked_up, swaps_reached, transport_costs
from tests.metrics.ngram_texts import PIECES, SEPARATORS

METRICS = ["rouge-1", "rouge-2:stem=yes", "rouge-4", "rouge-l", "rouge-lsum", "rouge-1:tok=char", "bleu-4", "chrf"]
METRICS += ["ter", "ter:norm=yes", "meteor", "corpus-bleu", "corpus-chrf", "corpus-ter"]


def draw_text(chance: Random) -> str:
    return "".join(chance.choice(PIECES) + chance.choice(SEPARATORS) for _ in range(chance.randrange(30)))


def draw_problem(chance: Random) -> Transport:
    rows, columns = chance.randrange(1, 12), chance.randrange(1, 12)
    generator = np.random.default_rng(chance.randrange(1000))
    supply, demand = generator.random(rows) * (generator.random(rows) > 0.2), generator.random(columns)
    return Transport(supply, demand, generator.random((rows, columns)))


def check_swaps(systems: int) -> None:
    generator = np.random.default_rng(systems)
    values, swaps = generator.normal(size=(systems, 11)), Swaps(generator.random((300, 11)) < 0.5)
    distances = generator.random(systems * (systems - 1) // 2) * 6
    tables, places = generator.normal(size=(systems, 4, 37)), generator.integers(0, 4, size=(9, systems))
    with use_kernels("c"):
        reached, sums = swaps_reached(values, swaps, distances), sum_looked_up(tables, places)
    with use_kernels("python"):
        np.testing.assert_array_equal(reached, swaps_reached(values, swaps, distances))
    # SciPy, which the Python twin needs, takes half a minute to load here.
    np.testing.assert_allclose(sums, sum((t[places[:, k]] for k, t in enumerate(tables)), np.zeros((9, 37))))


def main(library: str) -> None:
    warnings.simplefilter("ignore")  # of words in other scripts
    loaded, chance = ctypes.CDLL(library), Random(7)
    vars(_native)["_load"] = lambda: loaded
    texts = [draw_text(chance) for _ in range(120)]
    texts += ["", " ", "a", "a " * 600, "abc" * 900, " ".join(str(chance.randrange(9)) for _ in range(300))]
    others = [chance.choice(texts) for _ in texts]
    problems = [draw_problem(chance) for _ in range(50)]
    with use_kernels("c"):
        compiled, costs = score_pairs(texts, others, METRICS), transport_costs(problems)
    with use_kernels("python"):
        assert compiled.equals(score_pairs(texts, others, METRICS))
        np.testing.assert_allclose(costs, transport_costs(problems), atol=1e-9)
    for systems in (0, 1, 2, 9, 17):
        check_swaps(systems)
    print(f"{len(texts)} pairs, {len(METRICS)} metrics, {len(costs)} transports")


main(sys.argv[1])
