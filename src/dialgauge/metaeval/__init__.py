"""How far metrics agree with people: correlation, its uncertainty, tests between metrics. Numbers in, numbers out."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
