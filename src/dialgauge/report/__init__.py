"""The page that people open: results as words, pictures and tables. It shows; it does not compute."""

from dialgauge.report._content import ReportData
from dialgauge.report._render import render_report

__all__ = ["ReportData", "render_report"]
