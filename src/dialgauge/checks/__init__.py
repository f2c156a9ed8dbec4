"""Is a summary right? Its values, names, negations and speakers compared with the dialogue, with every reason shown."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
