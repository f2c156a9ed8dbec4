"""The HTML report: results as text, figures and tables. It computes nothing itself."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
