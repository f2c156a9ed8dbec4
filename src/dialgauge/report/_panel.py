"""A section of the report, as a stage of a study hands it over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from dialgauge.tables import Table, render_table
from dialgauge.web import Figure

#: The package with the templates of the report, in the folder ``templates``.
REPORT = "dialgauge.report"


@dataclass(frozen=True, slots=True)
class Panel:
    """A section of the report: a template, and what that is given.

    ``anchors`` are the ids of its headings with their names in the navigation. Panels stand in the order of ``order``:
    correlations 10, metrics with metrics 20, ratings 30, reproduction 40, robustness 50, affect 60, learned metrics 70,
    systems 80, corpus 90, cost 100, method 110. The template (in ``templates`` of ``package``) gets ``shown``
    beside the names that all panels share. ``figures`` are those whose data the page offers for download, ``formulas``
    rows for the appendix: a name, formula or rule, and source.

    ``facts`` has a label and a value for the card of a metric on the first screen.
    """

    anchors: Sequence[tuple[str, str]]
    template: str
    order: int = 75
    shown: Mapping[str, Any] = field(default_factory=dict)
    figures: Sequence[Figure] = ()
    formulas: Sequence[tuple[str, str, str]] = ()
    facts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    package: str = REPORT


def plain_panel(
    anchor: str,
    name: str,
    heading: str,
    *,
    sentences: Sequence[str] = (),
    tables: Sequence[Table] = (),
    figures: Sequence[Figure] = (),
    order: int = 75,
) -> Panel:
    """A panel that needs no template of its own: sentences, tables and figures under a heading.

    ``name`` is what the navigation calls it. All texts are escaped.
    """
    shown = {
        "anchor": anchor,
        "heading": heading,
        "sentences": sentences,
        "tables": [(table.title or heading, Markup(render_table(table, "html"))) for table in tables],
        "figures": figures,
    }
    return Panel(((anchor, name),), "panel.html", order, shown, figures)
