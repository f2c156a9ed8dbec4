"""Studies: a study file combines corpus, metrics, ratings, correlation and report.

Names load on first use: reading a finished run does not load the code that runs studies.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
