"""Charts by name: of a run folder, or of a result."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dialgauge.errors import InputError, MissingExtraError, UnknownNameError
from dialgauge.plots._marks import chart_of
from dialgauge.plots._results import figures_of_result
from dialgauge.study import FinishedRun, StudyRun, figures_of_run
from dialgauge.web import Figure

if TYPE_CHECKING:
    import altair as alt

#: Formats that charts are written in: pictures, a page that needs no network, and the specification itself.
FORMATS = ("svg", "png", "html", "json")
#: Whoever shows an SVG sets its words, maybe in a wider font than they were measured in: this is a wide one.
_WIDE_FONT = "DejaVu Sans, Verdana, Arial, sans-serif"


def chart_names(source: object) -> list[str]:
    """The names of the charts that there are of a run folder or a result."""
    return [figure.name for figure in _figures(source)]


def charts(source: object, names: Sequence[str] = ()) -> "dict[str, alt.Chart | alt.LayerChart]":
    """Altair charts by name: every figure of the report of a run (its folder, or what ``run_study`` returned), or of a
    result: Corpus, Scores, Correlations, Agreement, Verdicts, SystemComparison, Robustness.

    A name may be the beginning of several: ``ranking`` stands for those of all dimensions.
    """
    figures = _figures(source)
    wanted = _chosen(figures, names)
    return {figure.name: chart_of(figure) for figure in wanted}


def chart(source: object, name: str = "") -> "alt.Chart | alt.LayerChart":
    """One chart: the first of those that :func:`charts` gives for a name, or of all."""
    wanted = _chosen(_figures(source), [name] if name else [])
    return chart_of(wanted[0])


def save_charts(
    source: object, folder: str | PathLike[str], names: Sequence[str] = (), *, format: str = "svg"
) -> list[Path]:
    """Write charts into a folder, a file for each: ``svg``, ``png``, ``html`` (needs no network) or ``json``."""
    if format not in FORMATS:
        raise UnknownNameError("format of charts", format, FORMATS)
    made = charts(source, names)
    target = Path(folder)
    target.mkdir(exist_ok=True)
    return [save_chart(one, target / f"{name}.{format}") for name, one in made.items()]


def save_chart(chart: "alt.Chart | alt.LayerChart", path: Path) -> Path:
    """Write a chart in the format that the name ends in."""
    format = path.suffix.removeprefix(".")
    if format not in FORMATS:
        raise InputError(f"{path}: a chart is written as {', '.join('.' + one for one in FORMATS)}")
    options: dict[str, dict[str, Any]] = {"html": {"inline": True}, "png": {"ppi": 144}}
    try:
        (with_wide_font(chart) if format == "svg" else chart).save(str(path), **options.get(format, {}))
    except (ModuleNotFoundError, ImportError, ValueError) as error:
        if "vl-convert" in str(error) or "vl_convert" in str(error):
            raise MissingExtraError(f"a chart as {format}", "plots") from error
        raise
    return path


def with_wide_font(chart: Any) -> Any:
    """The chart as it should be measured for an SVG, unless it names a font itself."""
    config = chart.to_dict().get("config", {})
    return chart if "font" in config else chart.configure(**config, font=_WIDE_FONT)


def _figures(source: object) -> list[Figure]:
    if isinstance(source, StudyRun | FinishedRun):
        source = source.folder
    if isinstance(source, str | PathLike):
        return figures_of_run(Path(source))
    return figures_of_result(source)


def _chosen(figures: Sequence[Figure], names: Sequence[str]) -> list[Figure]:
    if not figures:
        raise InputError("there is nothing to draw: the result is empty")
    known = [figure.name for figure in figures]
    for name in names:
        if not any(one.startswith(name) for one in known):
            raise UnknownNameError("chart", name, known)
    return [one for one in figures if not names or any(one.name.startswith(name) for name in names)]
