"""One thread for the matrix products of scikit-learn: the same bits on any machine."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[object]:
    """Within this context matrices are multiplied by one thread; ours are too small to gain from more."""
    limited: AbstractContextManager[object] = _threads().limit(limits=1)
    return limited


@cache
def _threads() -> Any:
    import sklearn.ensemble  # noqa: F401  # loads the libraries whose threads are counted
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
