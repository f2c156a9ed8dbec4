"""The panel of the report on a study that repeats another."""

from collections.abc import Mapping
from typing import Any

from dialgauge.report._panel import Panel
from dialgauge.reproduce import comparison_section

#: For the appendix: name, formula or rule, and source.
_FORMULAS: tuple[tuple[str, str, str], ...] = (
    (
        "CV*",
        "100 · {factor}(s / c₄(n)) / x̄ of the results of n studies, after subtracting the lowest point of the scale; 0 "
        "for identical results.",
        "Belz, Popović and Mille 2022",
    ),
    (
        "α between studies",
        "Krippendorff's α (interval) with each study as one annotator of the summaries that both rated.",
        "Krippendorff 2011",
    ),
)


def reproduction_panel(found: Mapping[str, Any]) -> Panel:
    """The section on the study that this one repeats, from what :func:`dialgauge.reproduce.comparison_json` gives."""
    section = comparison_section(found)
    factor = "(1 + 1/4n) · " if found["over_correction"] else ""
    return Panel(
        (("reproduction", "Reproduction"),),
        "reproduction.html",
        40,
        {"reproduction": section},
        section.figures,
        package="dialgauge.reproduce",
        formulas=tuple((name, rule.format(factor=factor), source) for name, rule, source in _FORMULAS),
    )
