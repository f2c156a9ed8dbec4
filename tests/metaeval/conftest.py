"""Made data for this room."""

from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture
def made() -> Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Two metrics and ratings that correlate; ratings are whole numbers, so that ties and constant columns occur."""

    def make(m: int = 8, n: int = 15, seed: int = 0, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        generator = np.random.default_rng(seed)
        quality = generator.normal(size=(m, 1)) + generator.normal(size=(m, n))
        x = quality + generator.normal(size=(m, n))
        y = np.round(quality + 2 * generator.normal(size=(m, n)))
        z = np.clip(np.round(3 + quality), 1, 5)
        z[:, 0] = 3.0
        for matrix in (x, y, z):
            matrix[generator.random((m, n)) < missing] = np.nan
        return x, y, z

    return make
