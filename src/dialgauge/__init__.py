"""dialgauge measures the measures: which metric of dialogue summaries can be trusted, for what, and how much.

The package is a house of rooms (``corpus``, ``metrics``, ``ratings``, ``metaeval`` …), each with its own small face.
The names below are the ones a first script needs; they load on first use, so ``import dialgauge`` stays quick.
"""

from typing import Any as _Any

from dialgauge.lazy import lazy_room

__all__, _load, __dir__ = lazy_room(__name__)


def __getattr__(name: str) -> _Any:
    if name != "__version__":
        return _load(name)
    # To read the version takes as long as all other modules that the package starts with.
    from importlib.metadata import version

    globals()[name] = version("dialgauge")
    return globals()[name]
