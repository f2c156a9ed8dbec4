"""From results to one self-contained HTML file."""

from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

from dialgauge import __version__
from dialgauge.report._affect import affect_context
from dialgauge.report._content import (
    Estimate,
    ReportData,
    agreement_rows,
    corpus_facts,
    decimals,
    drifting,
    headline,
    heat_maps,
    rankings,
    system_table,
    verdict,
)
from dialgauge.report._figures import forest_plot, lowest
from dialgauge.report._robustness import RobustnessData, context

def render_report(data: ReportData) -> str:
    """The report as HTML: no network, no script needed, light and dark. Equal results give equal bytes.

    Every text from the corpus is escaped by the template engine; nothing is inserted as raw HTML but our own figures.
    """
    environment = _environment()
    environment.globals.update(forest_plot=forest_plot, lowest=lowest, verdict=verdict, shade=_shade)
    environment.filters["decimals"] = decimals
    systems, system_rows = system_table(data)
    level, coefficient = headline(data.correlations)
    return environment.get_template("report.html").render(
        data=data,
        version=__version__,
        constructed=data.corpus.info.ratings_origin == "constructed",
        rankings=rankings(data, level, coefficient),
        level=level,
        coefficient=coefficient,
        heat_maps=heat_maps(data),
        agreement=agreement_rows(data),
        drifting=drifting(data),
        facts=corpus_facts(data.corpus),
        systems=systems,
        system_rows=system_rows,
        failures=data.scores.failures.group_by("metric", "reason").len("count").sort("metric", "reason").to_dicts(),
        **context(data.robustness),
        **affect_context(data.affect),
    )


def render_robustness(data: RobustnessData, title: str) -> str:
    """The robustness of metrics as a page of its own, in the style of the report."""
    return _environment().get_template("robustness_page.html").render(title=title, version=__version__, **context(data))


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("dialgauge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shade(estimate: Estimate) -> Mapping[str, str]:
    """Sign and strength of a cell, for the style sheet to colour."""
    value = estimate.value or 0.0
    return {"sign": "positive" if value >= 0 else "negative", "strength": f"{min(1.0, abs(value)) * 100:.0f}%"}
