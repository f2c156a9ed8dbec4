"""Fixtures of the perturbation tests: the parser, and golden cases."""

import pytest

from dialgauge.errors import DialgaugeError
from dialgauge.perturb import parser_name


@pytest.fixture(scope="session")
def parser() -> str:
    """The name of the English parser; its tests skip, loudly, where it is absent."""
    try:
        return parser_name()
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER: {error}")
