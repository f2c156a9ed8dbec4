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
from dialgauge.report._content import CountedRatings, ReportData, decimals, headline, places
from dialgauge.report._learned import LearnedData
from dialgauge.report._render import render_report, render_robustness
from dialgauge.report._reproduction import ReproductionData
from dialgauge.report._robustness import RobustnessData, card_sentences, marked
from dialgauge.report._tables import agreement_table, correlation_table, system_table
from dialgauge.report._tables_model import PaperTable
from dialgauge.report._tables_more import (
    affect_table,
    learned_table,
    perturbation_table,
    perturbed_correlation_table,
    reproduction_table,
    robustness_table,
)
from dialgauge.report._tables_render import FORMATS, escape_latex, render_table
from dialgauge.report._times import TimesData
from dialgauge.report._written import WrittenData

__all__ = [
    "FORMATS",
    "NO_DOMAIN",
    "SPREAD_COLUMNS",
    "AffectData",
    "CountedRatings",
    "LearnedData",
    "PaperTable",
    "ReportData",
    "ReproductionData",
    "RobustnessData",
    "SpreadRow",
    "TimesData",
    "WrittenData",
    "affect_table",
    "agreement_table",
    "card_sentences",
    "correlation_table",
    "decimals",
    "escape_latex",
    "headline",
    "learned_table",
    "marked",
    "perturbation_table",
    "perturbed_correlation_table",
    "places",
    "render_affect_corpus",
    "render_affect_examples",
    "render_report",
    "render_robustness",
    "render_table",
    "reproduction_table",
    "robustness_table",
    "spread_rows",
    "system_table",
]
