"""The template engine of the report and of the pages in its style."""

from functools import cache

from jinja2 import Environment

from dialgauge.report._content import exact
from dialgauge.tables import number
from dialgauge.web import environment


@cache
def engine() -> Environment:
    """Made once: templates are compiled on first use."""
    return environment(("dialgauge.report", "templates"), filters={"decimals": number, "exact": exact})
