"""The template engine of the report and of the pages in its style."""

from functools import cache

from jinja2 import Environment

from dialgauge.report._content import exact
from dialgauge.report._panel import REPORT
from dialgauge.tables import number
from dialgauge.web import environment


@cache
def engine(package: str = REPORT) -> Environment:
    """Made once: templates are compiled on first use. Those of another ``package`` come before those of the report."""
    folders = [(name, "templates") for name in dict.fromkeys((package, REPORT))]
    return environment(*folders, filters={"decimals": number, "exact": exact})
