"""Fixtures of the tests of checks: the English parser and the word vectors, which may be absent."""

import pytest

from dialgauge.checks import PARSER, VECTORS
from dialgauge.errors import DialgaugeError
from dialgauge.models import load_parser, load_vectors


@pytest.fixture(scope="session")
def models() -> None:
    """The models that checks read; their tests skip, loudly, where they are absent."""
    try:
        load_parser(PARSER)
        load_vectors(VECTORS)
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER OR VECTORS: {error}")
