"""A comparison of studies as a web page."""

from dialgauge.reproduce._compare_render import ComparisonReport, comparison_json
from dialgauge.reproduce._compare_tables import (
    cells_table,
    concordance_table,
    ranks_table,
    studies_table,
)
from dialgauge.reproduce._section import comparison_section
from dialgauge.tables import number
from dialgauge.web import PAGE_SCRIPT, environment, figure_data, page


def comparison_html(report: ComparisonReport) -> str:
    """One self-contained page, for light and dark screens, with the tables of the terminal."""
    data = comparison_json(report)
    section = comparison_section(data)
    # The section shows each reproduction beside the original: what is left is what three and more studies say together.
    pairs = {" vs ".join(block.names) for block in section.blocks}
    shown = {
        "names": section.names,
        "reproduction": section,
        "studies": studies_table(report),
        "concordance": concordance_table(report),
        "ranks": ranks_table(report) if section.several else None,
        "cells": {group: cells_table(report, group) for group in report.comparison.groups if group not in pairs},
        "whole": {row["studies"]: row for row in data["spread"] if row["dimension"] is None},
    }
    engine = environment(("dialgauge.reproduce", "templates"), filters={"number": number})
    figures = {"figures": figure_data(section.figures), "texts": {"columns": [], "rows": []}}
    return page(engine, "compare.html", shown, scripts=[PAGE_SCRIPT], data=figures)
