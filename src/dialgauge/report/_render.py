"""From results to one self-contained HTML file."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialgauge.report._affect import affect_context
from dialgauge.report._content import (
    Estimate,
    ReportData,
    agreement_rows,
    corpus_facts,
    drifting,
    headline,
    heat_maps,
    places,
    rankings,
    rated_references,
    system_table,
    verdict,
)
from dialgauge.report._corpus_figures import corpus_figures
from dialgauge.report._dose_figures import dose_figures
from dialgauge.report._figures import SMALL, forest_figure, lowest
from dialgauge.report._learned import learned_cards
from dialgauge.report._method import formulas, metric_rows
from dialgauge.report._overview import overview
from dialgauge.report._page import engine
from dialgauge.report._rating_figures import cleaning_rows, rating_figures
from dialgauge.report._relations import between_figure, cluster_sentences, significance
from dialgauge.report._reproduction import REPRODUCTION_FORMULAS, reproduction_section
from dialgauge.report._robustness import RobustnessData, context
from dialgauge.report._scatter import Texts, scatter_plots, texts_data
from dialgauge.report._times import time_rows
from dialgauge.web import PAGE_SCRIPT, Figure, figure_data, page

#: So many kinds of failures are listed, the most frequent.
_FAILURES = 500


def render_report(data: ReportData) -> str:
    """The report as HTML: no network, no script needed, light and dark. Equal results give equal bytes.

    Every text from the corpus is escaped, by the template engine or in the data of the page's one script; nothing is
    inserted as raw HTML but our own figures.
    """
    level, coefficient = headline(data.correlations)
    ranked = rankings(data, level, coefficient)
    scatters, texts, left_out = scatter_plots(data, ranked)
    between = between_figure(data)
    reproduction = reproduction_section(data.reproduction)
    first_screen = overview(data, ranked)
    drawn = [] if first_screen["too_few"] else ranked
    figures = {
        "small_forests": [forest_figure(ranking, lowest(ranked, SMALL), SMALL) for ranking in drawn],
        "forests": [forest_figure(ranking, lowest(ranked)) for ranking in drawn],
        "scatters": scatters,
        "rating_figures": rating_figures(data),
        "corpus_figures": corpus_figures(data.corpus),
        "dose_figures": dose_figures(data.robustness) if data.robustness else [],
        "reproduction_figures": reproduction.figures if reproduction else [],
    }
    systems, system_rows = system_table(data)
    shown: dict[str, Any] = {
        "data": data,
        "constructed": data.corpus.info.ratings_origin == "constructed" and not data.corpus.ratings.is_empty(),
        "rankings": ranked,
        "rated_references": rated_references(data),
        "level": level,
        "coefficient": coefficient,
        "heat_maps": heat_maps(data),
        "significance": significance(data),
        "between": between,
        "clusters": cluster_sentences(data),
        "scatters_by_dimension": _by_dimension(scatters, [ranking.dimension for ranking in ranked]),
        "left_out": left_out,
        "agreement": agreement_rows(data),
        "cleaning": cleaning_rows(data),
        "drifting": drifting(data),
        "facts": corpus_facts(data.corpus),
        "systems": systems,
        "system_rows": system_rows,
        "reproduction": reproduction,
        "learned": learned_cards(data.learned, data.corpus),
        "metric_rows": metric_rows(data),
        "formulas": formulas(data) + (REPRODUCTION_FORMULAS if reproduction else ()),
        "failures": _failures(data),
        "times": time_rows(data.times, data.scores.frame.height) if data.times else [],
        **figures,
        **first_screen,
        **context(data.robustness),
        **affect_context(data.affect),
    }
    every = [figure for group in figures.values() for figure in group]
    every += [between] if between else []
    every += [*shown["affect_figures"], *_trust_figures(shown)]
    return _page("report.html", every, texts, {**shown, "sections": _sections(shown)})


def render_robustness(data: RobustnessData, title: str) -> str:
    """The robustness of metrics as a page of its own, in the style of the report."""
    doses = dose_figures(data)
    shown = {"title": title, "dose_figures": doses, **context(data)}
    return _page("robustness_page.html", [*_trust_figures(shown), *doses], Texts((), ()), shown)


def _page(template: str, figures: Sequence[Figure], texts: Texts, shown: Mapping[str, Any]) -> str:
    data = {"figures": figure_data(figures), "texts": texts_data(texts)}
    helpers = {"verdict": verdict, "shade": _shade, "places": places}
    return page(engine(), template, {**helpers, **shown}, scripts=[PAGE_SCRIPT], data=data)


def _trust_figures(shown: Mapping[str, Any]) -> list[Figure]:
    return [card.figure for card in shown.get("robust_cards", ())]


def _by_dimension(figures: Sequence[Figure], dimensions: Sequence[str]) -> dict[str, list[Figure]]:
    """The scatter plots of each dimension, which the name of their first axis tells."""
    return {name: [one for one in figures if one.columns[1] == f"rating of {name}"] for name in dimensions}


def _failures(data: ReportData) -> list[dict[str, Any]]:
    counts = data.scores.failures.group_by("metric", "reason").len("count")
    return counts.sort(["count", "metric", "reason"], descending=[True, False, False]).head(_FAILURES).to_dicts()


def _sections(shown: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The anchors that a page has, and what they are called, in its order."""
    there = (
        ("ranking", "Rankings", shown["forests"]),
        ("tables", "All correlations", shown["rankings"]),
        ("pairwise", "Pairs of metrics", shown["significance"]),
        ("scatter", "Scatter plots", shown["scatters"]),
        ("between", "Metrics with metrics", shown["between"]),
        ("raters", "Ratings", shown["agreement"] or shown["rating_figures"]),
        ("reproduction", "Reproduction", shown["reproduction"]),
        ("robustness", "Robustness", shown["robust"]),
        ("affect", "Affect", shown["affect"]),
        ("learned", "Learned metrics", shown["learned"]),
        ("systems", "Systems", True),
        ("corpus", "Corpus", True),
        ("cost", "Cost", shown["data"].times),
        ("method", "Method", True),
    )
    return [(anchor, name) for anchor, name, present in there if present]


def _shade(estimate: Estimate) -> Mapping[str, str]:
    """Sign and strength of a cell, for the style sheet to colour."""
    value = estimate.value or 0.0
    return {"sign": "positive" if value >= 0 else "negative", "strength": f"{min(1.0, abs(value)) * 100:.0f}%"}
