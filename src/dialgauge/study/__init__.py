"""A study file ties the rooms together: corpus, metrics, ratings, correlation, report.

Names load on first use: who only reads a finished run does not wait for what makes one.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
