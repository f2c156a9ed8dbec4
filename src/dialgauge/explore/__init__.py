"""The explorer: a finished run in the browser, read-only, with search and questions that lead to the texts.

Serving needs the extra ``annotate``, whose packages it shares; the questions do not.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__, feature="the explorer", extra="annotate")
