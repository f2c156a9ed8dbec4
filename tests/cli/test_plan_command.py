"""``dialgauge plan``: from a pilot, from assumed components, from numbers."""

import json
from collections.abc import Callable

import pytest


def test_from_assumed_components(cli: Callable) -> None:
    said = cli("plan", "--assume", "coherence", "--difference", "0.3", "--minutes", "2", "--wage", "15")
    assert said.code == 0, said.err
    assert "82 dialogues with 1 rater per summary (164 ratings)" in said.out + said.err
    assert max(map(len, said.out.splitlines())) <= 100
    found = json.loads(cli("plan", "--variance", "sd=0.138", "--variance", "e=0.316", "--json").out)
    assert [row["dialogues"] for row in found["needed"]] == [82, 54, 45, 38]


def test_from_a_pilot(cli: Callable) -> None:
    said = cli("plan", "embedded", "-d", "fluency", "--claim", "new-raters", "--raters", "3", "--dialogues", "40")
    assert said.code == 0, said.err
    assert "more than the pilot's" in said.out
    assert "systems × raters" in said.out
    assert max(map(len, said.out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "one of them; got none"),
        (("embedded", "--assume", "fluency"), "got a pilot and --assume"),
        (("embedded",), "several dimensions"),
        (("--variance", "sd"), "write SOURCE=NUMBER"),
    ],
)
def test_what_is_refused(cli: Callable, words: tuple[str, ...], message: str) -> None:
    said = cli("plan", *words)
    assert said.code == 2
    assert message in said.err
