"""A fine-tuned checkpoint as a trained metric: ``learned:folder=PATH`` is the metric that it was trained for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.learn._folder import Card, Trained
from dialgauge.metrics import Values
from dialgauge.registry import quoted


def checkpoint_spec(folder: Path, settings: Mapping[str, Any]) -> str:
    """The metric with the weights of this folder, as in ``bartscore-src-hyp:model=folder:PATH``."""
    parameters = {"model": f"folder:{folder.resolve()}", **settings["parameters"]}
    written = ",".join(f"{name}={quoted(value)}" for name, value in parameters.items())
    return f"{settings['metric']}:{written}"


def load_trained_checkpoint(folder: Path, card: Card) -> Trained:
    """One feature, the metric with these weights, which is the value."""
    return Trained(card, (checkpoint_spec(folder, card.settings),), only_feature)


def only_feature(matrix: FloatArray) -> Values:
    """The value of the one feature that there is."""
    numbers = matrix[:, 0]
    lost = np.flatnonzero(np.isnan(numbers)).tolist()
    return Values(numbers, dict.fromkeys(lost, "the metric has no value for this summary"))
