"""Keys that stand at several levels of nested records: a path hits its own, a short name of several is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, inspect_file, read_corpus
from dialgauge.errors import InputError, UnknownNameError

Cli = Callable[..., Any]


def drafts(number: int) -> dict[str, Any]:
    """A record with ``text`` and ``id`` at three levels, and a title that is called a summary."""
    return {
        "id": f"c{number}",
        "summary": f"Ticket {number}",
        "talk": {"lines": [{"who": "Agent", "text": f"Hello {number}."}, {"who": "Ana", "text": "My card is gone."}]},
        "drafts": [
            {
                "id": f"{name}-{number}",
                "engine_x": name,
                "body": f"The card of caller {number} is lost, says {name}.",
                "text": f"prompt of {name}",
                "checks": [
                    {"id": who, "text": f"so says {who}", "q1": value} for who, value in (("ann", 4), ("bob", 2))
                ],
            }
            for name in ("bart", "t5")
        ],
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "drafts.jsonl"
    path.write_text("".join(json.dumps(drafts(number)) + "\n" for number in range(3)), encoding="utf-8")
    return path


PATHS = {
    "dialogue_id": "id",
    "dialogue": "talk.lines.text",
    "system": "drafts.engine_x",
    "summary": "drafts.body",
    "annotator": "drafts.checks.id",
    "dimension:clarity": "drafts.checks.q1",
    "comment": "drafts.checks.text",
}


def is_whole(corpus: Corpus) -> bool:
    rated = corpus.ratings.select("dialogue_id", "system", "annotator", "dimension", "value", "comment").rows()
    return (
        corpus.summaries["text"].to_list()[:2] == [drafts(0)["drafts"][n]["body"] for n in (0, 1)]
        and corpus.systems == ["bart", "t5"]
        and [str(turn) for turn in corpus.dialogue("c2").turns] == ["Agent: Hello 2.", "Ana: My card is gone."]
        and rated[:2] == [("c0", "bart", who, "clarity", n, f"so says {who}") for who, n in (("ann", 4), ("bob", 2))]
        and corpus.ratings.height == 12
        and corpus.problems == ()
    )


def test_paths_hit_their_levels(path: Path, tmp_path: Path, cli: Cli) -> None:
    assert is_whole(read_corpus(path, mapping=PATHS, strict=True))
    maps = [word for use, name in PATHS.items() for word in ("--map", f"{use}={name}")]
    assert cli("convert", path, tmp_path / "out", *maps).code == 0
    assert is_whole(read_corpus(tmp_path / "out"))


@pytest.mark.parametrize(
    "mapping",
    [
        {use: name.replace("drafts.", "drafts[].").replace("lines.", "lines[].") for use, name in PATHS.items()},
        {**PATHS, "dialogue": "lines", "system": "engine_x", "annotator": "checks.id", "dimension:clarity": "q1"},
    ],
    ids=["brackets", "short names that only one level has"],
)
def test_other_ways_to_name_a_level(path: Path, mapping: dict[str, str]) -> None:
    assert is_whole(read_corpus(path, mapping=mapping, strict=True))


def test_records_inside_one_object(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"export": "v2", "items": [drafts(number) for number in range(3)]}), encoding="utf-8")
    assert is_whole(read_corpus(path, mapping=PATHS))
    assert is_whole(read_corpus(path, mapping={use: f"items.{name}" for use, name in PATHS.items()}))


def test_records_in_memory() -> None:
    assert is_whole(read_corpus([drafts(number) for number in range(3)], mapping=PATHS))


def test_a_level_that_is_not_the_one_guessed(path: Path) -> None:
    corpus = read_corpus(path, mapping={**PATHS, "summary": "drafts.text"})
    assert corpus.summaries["text"].to_list()[:2] == ["prompt of bart", "prompt of t5"]
    columns = {one.name: one.use for one in inspect_file(path, mapping=PATHS).columns}
    assert columns["summary"] == "summary"
    assert columns["other.summary"] is None


def test_a_short_name_of_several_levels_is_refused_with_their_paths(path: Path, tmp_path: Path, cli: Cli) -> None:
    with pytest.raises(
        InputError, match=r"summary=text: several levels.*: drafts.checks.text, drafts.text, talk.lines"
    ):
        read_corpus(path, mapping={**PATHS, "summary": "text"})
    outcome = cli("convert", path, tmp_path / "out", "--map", "comment=text")
    assert outcome.code == 2
    assert "give one of their paths" in outcome.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["talk.text", "drafts.txt", "lines.body", "drafts.checks.text.text"])
def test_a_path_that_is_not_there(path: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown column in the mapping"):
        read_corpus(path, mapping={**PATHS, "summary": name})


def test_what_rows_inherit_may_stand_at_several_levels(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    record = {
        "call": "c1",
        "dialogue": "Ana: Hi | Bo: Ho",
        "summaries": [{"model": name, "text": f"It is {name}."} for name in ("x", "y")],
        "ratings": [{"model": name, "annotator": "ann", "fluency": 4} for name in ("x", "y")],
    }
    path.write_text(json.dumps(record) + "\n" + json.dumps({**record, "call": "c2"}) + "\n")
    corpus = read_corpus(path, mapping={"system": "model", "dialogue_id": "call"}, strict=True)
    assert corpus.ratings.select("dialogue_id", "system").rows() == [(c, s) for c in ("c1", "c2") for s in ("x", "y")]


def test_columns_of_a_table_that_end_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,in.text,out.text\n1,Ana: Hi | Bo: Ho,They greet.\n")
    with pytest.raises(InputError, match=r"several columns end in 'text'; give .* paths: in\.text, out\.text"):
        read_corpus(path, mapping={"summary": "text"})
    assert read_corpus(path, mapping={"summary": "out.text", "dialogue": "in.text"}).summaries.height == 1


def test_a_level_that_only_groups_keys() -> None:
    path = Path(__file__).parent / "imports" / "text_at_levels.jsonl"
    corpus = read_corpus(path, mapping={"summary": "outputs.reply.text"}, strict=True)
    assert corpus.summaries["text"][0] == "Ana has lost a card."
    assert [turn.speaker for turn in corpus.dialogue("c1").turns] == ["Agent", "Ana"]
    assert read_corpus(path, mapping={"summary": "outputs.text"}).summaries["text"][0] == "prompt bart-1"
