"""The page that people open: results as words, pictures and tables. It shows; it does not compute."""

from dialgauge.report._affect import AffectData
from dialgauge.report._content import ReportData
from dialgauge.report._render import render_report, render_robustness
from dialgauge.report._robustness import RobustnessData, card_sentences

__all__ = ["AffectData", "ReportData", "RobustnessData", "card_sentences", "render_report", "render_robustness"]
