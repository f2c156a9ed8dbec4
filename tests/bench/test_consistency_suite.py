"""The benchmark of consistency: its measures beside their definitions, the control, and sets that cannot be used."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchmarks import SUITES, consistency, consistency_bars
from benchmarks.natural_errors import SETS, natural_errors
from benchmarks.switches import CONVERSATIONS as SWITCHES, SWITCHED, statements_of, switched_summaries, turns_of
from benchmarks.written_errors import CONVERSATIONS as ERRORS, WRITTEN, unmarked, written_errors
from dialgauge import metrics
from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Rating, Summary, Turn
from dialgauge.errors import InputError
from dialgauge.metaeval import draw_dialogues

pytest.importorskip("sklearn")


def brute_force(values: np.ndarray, right: np.ndarray, dialogue: np.ndarray, same: bool) -> float:
    found = [
        1.0 if values[i] > values[j] else 0.5 if values[i] == values[j] else 0.0
        for i in np.flatnonzero(right)
        for j in np.flatnonzero(~right)
        if not same or dialogue[i] == dialogue[j]
    ]
    return float(np.mean(found))


def test_areas_are_shares_of_pairs_in_order() -> None:
    rng = np.random.default_rng(3)
    values, right = rng.integers(0, 4, 60).astype(float), rng.random(60) < 0.5
    dialogue = rng.integers(0, 7, 60)
    everywhere, within = consistency._curves(values, right, dialogue, draw_dialogues(7, 10, 0))
    assert everywhere[0] == pytest.approx(brute_force(values, right, dialogue, same=False))
    assert within[0] == pytest.approx(brute_force(values, right, dialogue, same=True))


def test_a_resample_is_the_area_of_repeated_dialogues() -> None:
    values, right = np.array([1.0, 0.0, 0.2, 0.9]), np.array([True, False, True, False])
    dialogue = np.array([0, 0, 1, 1])
    everywhere, _ = consistency._curves(values, right, dialogue, np.array([[2.0, 0.0], [0.0, 2.0]]))
    assert everywhere[1:].tolist() == [1.0, 0.0]


def test_the_threshold_comes_from_other_dialogues() -> None:
    rng = np.random.default_rng(0)
    right = rng.random(400) < 0.5
    dialogue = rng.integers(0, 40, 400)
    assert consistency.balanced_accuracy(right.astype(float), right, dialogue) == 1
    assert abs(consistency.balanced_accuracy(rng.random(400), right, dialogue) - 0.5) < 0.08


def test_the_control_finds_what_needs_no_dialogue_and_nothing_in_noise() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(300) < 0.5
    dialogue = np.arange(300) // 3
    noise = rng.normal(size=(300, 4))
    telling = noise + right[:, None]
    blind = consistency.cross_fitted(noise, right, dialogue, 0)
    found = consistency.cross_fitted(telling, right, dialogue, 0)
    assert abs(brute_force(blind, right, dialogue, same=False) - 0.5) < 0.1
    assert brute_force(found, right, dialogue, same=False) > 0.85


def corpus(labels: list[float]) -> Corpus:
    dialogues = [Dialogue(f"d{i}", (Turn("Tom", f"I pay {i} dollars"), Turn("Ines", "ok"))) for i in range(len(labels))]
    summaries = [Summary(f"d{i}", "s", f"Tom pays {i} dollars.") for i in range(len(labels))]
    ratings = [Rating(f"d{i}", "s", "a", "consistency", value, scale="0-1") for i, value in enumerate(labels)]
    return Corpus.build(dialogues, summaries, ratings, CorpusInfo("made", "Made", "none"))


def test_sets_without_both_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="the same rating"):
        consistency.read_labelled(corpus([1.0, 1.0, 1.0]), "consistency", None, "made")
    with pytest.raises(InputError, match="no ratings of 'truth'; rated are: consistency"):
        consistency.read_labelled(corpus([1.0, 0.0]), "truth", None, "made")
    with pytest.raises(InputError, match="all summaries are of one kind"):
        consistency.read_labelled(corpus([1.0, 0.0]), "consistency", 2.0, "made")


def test_the_cost_is_that_of_computing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def score(*texts: Any, **settings: Any) -> Any:
        asked.append(settings["cache"])
        return metrics.score(*texts, **settings)

    monkeypatch.setattr(consistency, "score", score)
    labelled = consistency.read_labelled(corpus([1.0, 0.0] * 5), "consistency", None, "made")
    assert consistency.measure_set(labelled, ["length"])[-1].seconds is not None
    assert asked == [False]


def test_agreement_is_measured_within_dialogues_over_all_and_over_systems() -> None:
    values, ratings = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 5.0]), np.array([1.0, 2.0, 3.0, 1.0, 3.0, 5.0])
    dialogues, systems = ["a", "a", "b", "b", "c", "c"], ["s", "t", "s", "t", "s", "u"]
    found = consistency_bars.pearsons(values, ratings, dialogues, systems)
    assert found["within dialogues"] == pytest.approx(1)  # values of c do not vary
    assert found["over all"] == pytest.approx(np.corrcoef(values, ratings)[0, 1])
    assert found["over systems"] == pytest.approx(np.corrcoef([10 / 3, 2.5, 5], [7 / 3, 1.5, 5])[0, 1])


def test_references_are_drawn_with_a_seed(tmp_path: Path) -> None:
    rows = [{"id": i, "dialogue": "Ann: hi\r\nBen: ho\nAnn: so\nBen: no", "summary": " Ann  talks. "} for i in range(5)]
    rows.append({"id": 9, "dialogue": "Ann: too short", "summary": "Ann talks."})
    path = tmp_path / "references.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    drawn = consistency_bars.read_references(path, 1)
    assert drawn == consistency_bars.read_references(path, 1)
    assert {one.key for one in drawn} == {"0", "1", "2", "3", "4"}
    assert drawn[0].summary == "Ann talks."


def test_labels_come_from_the_ratings() -> None:
    found = consistency.read_labelled(corpus([1.0, 0.0, 1.0]), "consistency", None, "made")
    assert found.right.tolist() == [True, False, True]
    assert SUITES["consistency"].module == consistency.__name__


def test_summaries_written_by_hand_are_sets_of_their_own() -> None:
    for name in SETS:
        labelled = consistency.read_labelled(natural_errors(name), "consistency", None, name)
        assert (labelled.right.sum(), (~labelled.right).sum()) == (30, 30)
        assert labelled.notes == ()
        assert labelled.summaries["text"].n_unique() == 60
        assert {len(turn.text.split()) > 0 for one in labelled.corpus.iter_dialogues() for turn in one.turns} == {True}
    assert all(0.5 < one.balanced < 1 for one in consistency.PUBLISHED)


def test_written_conversations_are_whole_and_held_out_ones_are_apart() -> None:
    entries = list(ERRORS.read())
    ids = [entry["id"] for entry in entries]
    assert len(set(ids)) == len(ids) > 1000
    assert {name for names in WRITTEN.values() for name in names} == {
        path.stem for path in ERRORS.folder.glob("*.jsonl")
    }
    texts = ["\n".join(entry["dialogue"]) for entry in entries]
    assert len(set(texts)) == len(texts)
    for entry in entries:
        assert all(": " in turn for turn in entry["dialogue"]), entry["id"]
        for one in entry["summaries"]:
            _, marks = unmarked(one["text"])
            assert bool(marks) is not one["right"], (entry["id"], one["text"])
    learnt, kept = ({e["id"] for e in ERRORS.read(part=part)} for part in ("training", "held out"))  # type: ignore[arg-type]
    assert not learnt & kept
    assert 0.1 < len(kept) / len(ids) < 0.2
    assert all(map(ERRORS.is_held_out, kept))


def test_written_errors_are_corpora_with_labels_and_marked_words() -> None:
    assert unmarked("Ann [[will]] pay [[Ben]].") == ("Ann will pay Ben.", [(4, 8), (13, 16)])
    for name in WRITTEN:
        found = written_errors(name)
        labelled = consistency.read_labelled(found, "consistency", None, name)
        assert abs(labelled.right.mean() - 0.5) < 0.05
        wrong = found.spans.filter(found.spans["start"].is_not_null())["system"].str.starts_with("wrong")
        assert wrong.all()
        assert not found.problems


def test_conversations_with_switches_are_whole() -> None:
    ids, told = [], set()
    for entry in SWITCHES.read():
        ids.append(entry["id"])
        placed = {letter for turn in entry["turns"] if not isinstance(turn, str) for letter in turn}
        said = {letter: both for letter, both in statements_of(entry) if letter != "always"}
        assert placed == said.keys(), entry["id"]
        for letter, both in said.items():
            assert len(both["one"]) == len(both["two"]) > 0, (entry["id"], letter)
            assert not set(both["one"]) & set(both["two"]), (entry["id"], letter)
        both_ways = [turns_of(entry, dict.fromkeys(placed, version)) for version in ("one", "two")]
        assert both_ways[0] != both_ways[1]
        assert all(": " in turn for turns in both_ways for turn in turns), entry["id"]
        told.add("\n".join(both_ways[0]))
    assert len(set(ids)) == len(ids) == len(told) > 100
    assert {name for names in SWITCHED.values() for name in names} == {
        path.stem for path in SWITCHES.folder.glob("*.jsonl")
    }
    learnt, kept = ({e["id"] for e in SWITCHES.read(part=part)} for part in ("training", "held out"))  # type: ignore[arg-type]
    assert not learnt & kept
    assert 0.05 < len(kept) / len(ids) < 0.2


def test_every_summary_about_a_switch_is_right_once_and_wrong_once() -> None:
    for name in SWITCHED:
        found = switched_summaries(name)
        rated = found.summaries.join(found.ratings, on=["dialogue_id", "system", "variant", "role"])
        assert set(rated.group_by("text").agg(pl.col("value").mean())["value"]) == {0.5}
        assert found.summaries.equals(switched_summaries(name).summaries)
        assert not found.problems
