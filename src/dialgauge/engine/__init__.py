"""How work is run: in this process, in several, or on a Ray cluster. The results are the same."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
