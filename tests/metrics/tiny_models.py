"""Settings with which metrics that need a model can be computed anywhere: tiny models and a table of made-up vectors.

The tests of all metrics run on them. Their values mean nothing, but they must be the same each time, for each company.
"""

import importlib.util
import json
import random
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dialgauge.metrics import Metric

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
#: Held while the tests run; removed when they end.
_FOLDER = tempfile.TemporaryDirectory(prefix="dialgauge-vectors-")
_VECTORS = Path(_FOLDER.name) / "vectors.json"
#: The model of each family of metrics, by parameter. A family that is not here is not computed in the common tests.
_MODELS = {
    "vectors": {"model": f"folder:{_VECTORS}"},
    "sms": {"model": f"folder:{_VECTORS}"},
    "bertscore": {"model": f"folder:{GOLDEN}/models/tiny-bert"},
    "moverscore": {"model": f"folder:{GOLDEN}/models/tiny-bert"},
    "bartscore": {"model": f"folder:{GOLDEN}/models/tiny-bart"},
    "lmscore": {"model": f"folder:{GOLDEN}/models/tiny-gpt2"},
    "perplexity": {"model": f"folder:{GOLDEN}/models/tiny-gpt2"},
}
#: Values of a model depend on how texts are batched in the last digits of single precision.
MODEL_TOLERANCE = 2e-5


def write_vectors(texts: Iterable[str]) -> None:
    """Vectors for the words of these texts, and for ``word1`` to ``word1200``."""
    rng = random.Random(5)
    words = {word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())}
    words |= {f"word{number}" for number in range(1, 1201)}
    table = {word: [round(rng.gauss(0, 1), 4) for _ in range(8)] for word in sorted(words)}
    _VECTORS.write_text(json.dumps(table), encoding="utf-8")


def computable(metric: Metric) -> bool:
    """Whether the common tests can compute this metric."""
    if not metric.models:
        return metric.extra is None
    return metric.family in _MODELS and (metric.extra is None or importlib.util.find_spec("torch") is not None)


def tiny_parameters(metric: Metric) -> dict[str, str]:
    """What to set so that a metric runs on tiny models; nothing for one that needs none."""
    if not metric.models:
        return {}
    return _MODELS[metric.family] | ({"device": "cpu"} if "device" in metric.parameters else {})


def tolerance(metric: Metric) -> float:
    """How far two computations of the same value may lie apart."""
    return MODEL_TOLERANCE if metric.extra == "models" else 0.0
