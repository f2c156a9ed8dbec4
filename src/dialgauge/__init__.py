"""dialgauge measures the measures: which metric of dialogue summaries can be trusted, for what, and how much.

The package is a house of rooms (``corpus``, ``metrics``, ``ratings``, ``metaeval`` …), each with its own small face.
The names below are the ones a first script needs; they load on first use, so ``import dialgauge`` stays quick.
"""

from importlib.metadata import version as _distribution_version

from dialgauge.lazy import lazy_room

__version__ = _distribution_version("dialgauge")
__all__, __getattr__, __dir__ = lazy_room(__name__)
