"""``dialgauge raters``: profiles of raters on the command line."""

import json
from collections.abc import Callable
from pathlib import Path


def test_profiles_and_their_notes(cli: Callable) -> None:
    said = cli("raters", "embedded", "-d", "fluency")
    assert said.code == 0, said.err
    assert "rater-2" in said.out
    assert "the mean is as good and simpler" in said.out + said.err
    assert max(map(len, said.out.splitlines())) <= 100


def test_what_is_said_of_several_dimensions_is_said_once(cli: Callable) -> None:
    said = cli("raters", "embedded", "-d", "fluency", "-d", "coherence")
    assert "coherence, fluency: the same raters rated all items" in said.err


def test_json_has_raters_items_and_notes(cli: Callable) -> None:
    found = json.loads(cli("raters", "embedded", "-d", "fluency", "--kind", "dawid-skene", "--json").out)
    assert {row["model"] for row in found["raters"]} == {"dawid-skene"}
    assert len(found["items"]) == 240
    assert all(row["probability"] > 0.2 for row in found["items"])


def test_a_corpus_without_ratings_says_what_to_do(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"dialogue_id": "a", "dialogue": "A: Hello.\\nB: Hi.", "summary": "They greet."}\n')
    said = cli("raters", path)
    assert said.code == 2
    assert "no ratings" in said.err
