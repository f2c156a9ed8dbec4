"""From results to one self-contained HTML file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from dialgauge import __version__
from dialgauge.metaeval import headline
from dialgauge.report._content import (
    Estimate,
    ReportData,
    agreement_rows,
    corpus_facts,
    drifting,
    heat_maps,
    places,
    rankings,
    rated_references,
    standing_apart,
    system_table,
)
from dialgauge.report._corpus_figures import corpus_figures
from dialgauge.report._figures import SMALL, Forest, forest_figure, forests, lowest
from dialgauge.report._method import formulas, metric_rows
from dialgauge.report._overview import overview
from dialgauge.report._page import engine
from dialgauge.report._panel import Panel
from dialgauge.report._rating_figures import cleaning_rows, rating_figures
from dialgauge.report._relations import between_figure, cluster_sentences, significance
from dialgauge.report._robustness import RobustnessData
from dialgauge.report._robustness_panel import robustness_panel
from dialgauge.report._scatter import Texts, scatter_plots, texts_data
from dialgauge.report._times import time_rows
from dialgauge.report._verdict import by_cells, dimension_tables
from dialgauge.web import PAGE_SCRIPT, Figure, figure_data, page

if TYPE_CHECKING:
    from dialgauge.metaeval import Verdicts

#: Most kinds of failures that are listed, the most frequent first.
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
    first_screen = overview(data)
    drawn = forests(data.verdicts) if data.verdicts else []
    figures = _figures(data, drawn, scatters)
    systems, system_rows = system_table(data)
    shared: dict[str, Any] = {
        "data": data,
        "constructed": data.corpus.info.ratings_origin == "constructed" and not data.corpus.ratings.is_empty(),
        "rankings": ranked,
        "forest_kinds": {entry.kind for one in drawn for entry in one.shown(SMALL)},
        "controls": sorted({entry.estimate.metric for one in drawn for entry in one.controls[: SMALL.controls]}),
        "perfect_metric": any(one.perfect is not None for one in drawn),
        "one_rater": any(one.ceiling is not None for one in drawn),
        "needed_for": "follow the ratings" if data.verdicts and by_cells(data.verdicts) else "order systems",
        "verdict_tables": dimension_tables(data.verdicts) if data.verdicts else [],
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
        "drifting": [*drifting(data), *standing_apart(data)],
        "facts": corpus_facts(data.corpus),
        "systems": systems,
        "system_rows": system_rows,
        "metric_rows": metric_rows(data),
        "formulas": formulas(data),
        "failures": _failures(data),
        "times": time_rows(data.times, data.scores.frame.height) if data.times else [],
        **figures,
        **first_screen,
    }
    panels = sorted([*_own_panels(shared), *data.panels], key=lambda panel: panel.order)
    every = _all_figures(data, figures, between)
    bodies = [_body(panel, shared) for panel in panels]
    sections = [anchor for panel in panels for anchor in panel.anchors]
    return _page("report.html", every, texts, {**shared, "bodies": bodies, "sections": sections})


def report_figures(data: ReportData) -> list[Figure]:
    """Every figure of the report, with the data behind it; of the verdict those with all metrics."""
    drawn = forests(data.verdicts) if data.verdicts else []
    scatters, _, _ = scatter_plots(data, rankings(data, *headline(data.correlations)))
    figures = _figures(data, drawn, scatters)
    del figures["small_forests"]
    return _all_figures(data, figures, between_figure(data))


def verdict_figures(verdicts: "Verdicts") -> list[Figure]:
    """A forest plot for each dimension."""
    drawn = forests(verdicts)
    return [forest_figure(one, lowest(drawn)) for one in drawn]


def _figures(data: ReportData, drawn: Sequence[Forest], scatters: list[Figure]) -> dict[str, list[Figure]]:
    return {
        "small_forests": [forest_figure(one, lowest(drawn, SMALL), SMALL) for one in drawn],
        "forests": [forest_figure(one, lowest(drawn)) for one in drawn],
        "scatters": scatters,
        "rating_figures": rating_figures(data),
        "corpus_figures": corpus_figures(data.corpus),
    }


def _all_figures(data: ReportData, figures: Mapping[str, list[Figure]], between: Figure | None) -> list[Figure]:
    every = [figure for group in figures.values() for figure in group] + ([between] if between else [])
    return every + [figure for panel in data.panels for figure in panel.figures]


def _body(panel: Panel, shared: Mapping[str, Any]) -> Markup:
    template = engine(panel.package).get_template(panel.template)
    return Markup(template.render(version=__version__, **_HELPERS, **{**shared, **panel.shown}))


def render_robustness(data: RobustnessData, title: str) -> str:
    """The robustness of metrics as a separate page, in the style of the report."""
    panel = robustness_panel(data)
    return _page("robustness_page.html", panel.figures, Texts((), ()), {"title": title, **panel.shown})


def _page(template: str, figures: Sequence[Figure], texts: Texts, shown: Mapping[str, Any]) -> str:
    data = {"figures": figure_data(figures), "texts": texts_data(texts)}
    return page(engine(), template, {**_HELPERS, **shown}, scripts=[PAGE_SCRIPT], data=data)


def _own_panels(shared: Mapping[str, Any]) -> list[Panel]:
    """The panels of every report, without those that would be empty."""
    ranked = [
        ("ranking", "Every verdict", shared["forests"]),
        ("tables", "All correlations", shared["rankings"]),
        ("pairwise", "Pairs of metrics", shared["significance"]),
        ("scatter", "Scatter plots", shared["scatters"]),
    ]
    anchors = [(anchor, name) for anchor, name, present in ranked if present]
    found = (
        (Panel(anchors, "correlations.html", 10), shared["rankings"]),
        (Panel([("between", "Metrics with metrics")], "between.html", 20), shared["between"]),
        (Panel([("raters", "Ratings")], "ratings.html", 30), shared["agreement"] or shared["rating_figures"]),
        (Panel([("systems", "Systems")], "systems.html", 80), True),
        (Panel([("corpus", "Corpus")], "corpus.html", 90), True),
        (Panel([("cost", "Computing time")], "times.html", 100), shared["data"].times),
        (Panel([("method", "Method")], "method.html", 110), True),
    )
    return [panel for panel, present in found if present]


def _by_dimension(figures: Sequence[Figure], dimensions: Sequence[str]) -> dict[str, list[Figure]]:
    """The scatter plots of each dimension, found by the name of their first axis."""
    return {name: [one for one in figures if one.columns[1] == f"rating of {name}"] for name in dimensions}


def _failures(data: ReportData) -> list[dict[str, Any]]:
    counts = data.scores.failures.group_by("metric", "reason").len("count")
    return counts.sort(["count", "metric", "reason"], descending=[True, False, False]).head(_FAILURES).to_dicts()


def _shade(estimate: Estimate) -> Mapping[str, str]:
    """Sign and strength of a cell, for the style sheet to colour."""
    value = estimate.value or 0.0
    return {"sign": "positive" if value >= 0 else "negative", "strength": f"{min(1.0, abs(value)) * 100:.0f}%"}


#: What templates may call.
_HELPERS = {"shade": _shade, "places": places}
