"""The explorer: a finished run in the browser, read-only, with search and questions that lead to the very texts.

Serving needs the extra ``annotate``, whose packages, templates and style sheets it shares; the questions do not.
"""

from typing import TYPE_CHECKING

from dialgauge.explore._data import RunData
from dialgauge.explore._profiles import MetricView, SystemView, metric_view, system_view
from dialgauge.explore._queries import (
    QUESTIONS,
    Answer,
    Filter,
    Question,
    ask,
    disagreements,
    divided,
    extremes,
    feelings_lost,
    matching,
    unnoticed,
)
from dialgauge.lazy import lazy_names

if TYPE_CHECKING:
    from dialgauge.explore._app import create_app
    from dialgauge.explore._dialogue import DialogueView, dialogue_view
    from dialgauge.explore._server import serve

__all__ = [
    "QUESTIONS",
    "Answer",
    "DialogueView",
    "Filter",
    "MetricView",
    "Question",
    "RunData",
    "SystemView",
    "ask",
    "create_app",
    "dialogue_view",
    "disagreements",
    "divided",
    "extremes",
    "feelings_lost",
    "matching",
    "metric_view",
    "serve",
    "system_view",
    "unnoticed",
]

#: Where the names live that need the extra, or rooms that the first page does without.
_LAZY = {"DialogueView": "_dialogue", "create_app": "_app", "dialogue_view": "_dialogue", "serve": "_server"}
__getattr__ = lazy_names(__name__, _LAZY, feature="the explorer", extra="annotate")
