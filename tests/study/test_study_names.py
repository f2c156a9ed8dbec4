"""The room's names load on first use, so its file lists them three times: the lists must agree."""

import ast
from pathlib import Path

import dialgauge.study as room


def test_the_three_lists_of_names_agree() -> None:
    tree = ast.parse(Path(room.__file__).read_text("utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    declared = {
        name.name: str(line.module).removeprefix("dialgauge.study.")
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for name in line.names
    }
    assert declared == room._HOME
    assert list(room._HOME) == room.__all__
    assert dir(room) == sorted(room.__all__)


def test_every_name_is_where_it_is_said_to_be() -> None:
    for name in room.__all__:
        assert getattr(room, name) is not None, name
    assert not hasattr(room, "no_such_name")
