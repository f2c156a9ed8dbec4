"""Meta-evaluation of metrics: correlation with human ratings, its uncertainty, tests between metrics."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
