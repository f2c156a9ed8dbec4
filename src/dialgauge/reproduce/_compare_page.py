"""A comparison of studies as a web page."""

from collections.abc import Mapping
from typing import Any

from dialgauge.reproduce._compare_render import ComparisonReport, comparison_json
from dialgauge.reproduce._qra import show_p_value, show_span
from dialgauge.reproduce._section import comparison_section
from dialgauge.tables import estimate, interval, number
from dialgauge.web import PAGE_SCRIPT, environment, figure_data, page


def comparison_html(report: ComparisonReport) -> str:
    """One self-contained page, for light and dark screens."""
    data = comparison_json(report)
    section = comparison_section(data)
    # The section shows each reproduction beside the original: what is left is what three and more studies say together.
    pairs = {" vs ".join(block.names) for block in section.blocks}
    groups = {
        group: [row for row in data["cells"] if row["studies"] == group]
        for group in report.comparison.groups
        if group not in pairs
    }
    shown = {
        "data": data,
        "names": section.names,
        "reproduction": section,
        "groups": groups,
        "whole": {row["studies"]: row for row in data["spread"] if row["dimension"] is None},
        "changed": [row for row in data["ranks"] if section.several and len(set(row["ranks"].values())) > 1],
    }
    engine = environment(
        ("dialgauge.reproduce", "templates"),
        filters={"number": number, "interval": interval, "p_value": show_p_value, "cv_star": _cv_star},
    )
    figures = {"figures": figure_data(section.figures), "texts": {"columns": [], "rows": []}}
    return page(engine, "compare.html", shown, scripts=[PAGE_SCRIPT], data=figures)


def _cv_star(row: Mapping[str, Any]) -> str:
    """CV* of a cell with the range that rounding leaves."""
    ends = (row["low"], row["high"]) if show_span(row["low"], row["high"]) else (None, None)
    return estimate(row["cv_star"], *ends, between=", ")
