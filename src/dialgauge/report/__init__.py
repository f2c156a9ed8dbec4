"""The page that people open: results as words, pictures and tables. It shows; it does not compute."""

from dialgauge.report._affect import AffectData
from dialgauge.report._affect_pages import (
    NO_DOMAIN,
    SPREAD_COLUMNS,
    SpreadRow,
    render_affect_corpus,
    render_affect_examples,
    spread_rows,
)
from dialgauge.report._content import ReportData, headline
from dialgauge.report._learned import LearnedData
from dialgauge.report._render import render_report, render_robustness
from dialgauge.report._robustness import RobustnessData, card_sentences, marked
from dialgauge.report._times import TimesData

__all__ = [
    "NO_DOMAIN",
    "SPREAD_COLUMNS",
    "AffectData",
    "LearnedData",
    "ReportData",
    "RobustnessData",
    "SpreadRow",
    "TimesData",
    "card_sentences",
    "headline",
    "marked",
    "render_affect_corpus",
    "render_affect_examples",
    "render_report",
    "render_robustness",
    "spread_rows",
]
