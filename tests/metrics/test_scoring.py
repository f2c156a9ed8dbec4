"""The scoring plan: keys, deduplication, missing references, groups, plain lists, and what is refused."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import KEY, Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metrics import SYSTEM_KEY, Job, Metric, TextTable, Values, register, score, score_pairs
from dialgauge.metrics._registry import METRICS


class Toys:
    """Metrics that write down what they were asked, so that a test can see the plan at work."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.answer: Any = None

    def overlap(self, job: Job, parameters: Mapping[str, str]) -> Values:
        """How many distinct words hypothesis and targets share; no number for an empty hypothesis."""
        self.jobs.append(job)
        words = [set(text.split()) for text in job.texts.strings]
        numbers, reasons = np.zeros(len(job)), {}
        for i, hypothesis in enumerate(job.hypothesis_ids.tolist()):
            targets = job.target_ids[job.offsets[i] : job.offsets[i + 1]].tolist()
            numbers[i] = max((len(words[hypothesis] & words[target]) for target in targets), default=-1)
            if not words[hypothesis]:
                numbers[i], reasons[i] = np.nan, "nothing to compare"
        return Values(numbers, reasons)

    def size(self, job: Job, parameters: Mapping[str, str]) -> Values:
        """System level: how many items the group has; no number for a group of one."""
        self.jobs.append(job)
        sizes = np.bincount(job.groups).astype(float)
        lonely = np.flatnonzero(sizes == 1).tolist()
        sizes[lonely] = np.nan
        return Values(sizes, dict.fromkeys(lonely, "one item is no system"))

    def given(self, job: Job, parameters: Mapping[str, str]) -> Values:
        return Values(self.answer)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Toys:
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS.all()))
    made = Toys()
    overlap = Metric(
        name="overlap",
        family="toys",
        description="Shared words.",
        direction="higher",
        targets=("reference", "source", "none"),
        range=(-1.0, None),
        citation="none",
        compute=made.overlap,
    )
    size = replace(overlap, name="size", level="system", direction="none", compute=made.size)
    register(overlap, size, replace(overlap, name="given", compute=made.given))
    return made


def dialogue(name: str, *lines: str) -> Dialogue:
    return Dialogue(name, tuple(Turn("A", line) for line in lines))


DIALOGUES = [dialogue("d1", "red green blue"), dialogue("d2", "one two three"), dialogue("d3", "x y")]
SUMMARIES = [
    Summary("d1", "gold", "red green", kind="reference"),
    Summary("d1", "gold-2", "blue black", kind="reference"),
    Summary("d2", "gold", "one two", kind="reference"),
    Summary("d1", "s1", "red blue black"),
    Summary("d1", "s2", "red blue black"),
    Summary("d2", "s1", "one two three"),
    Summary("d2", "s2", ""),
    Summary("d3", "s1", "x"),
    Summary("d2", "s1", "one", variant="shortened"),
    Summary("d2", "s1", "three", role="customer"),
]


def corpus(summaries: list[Summary] | None = None, dialogues: list[Dialogue] | None = None) -> Corpus:
    return Corpus.build(DIALOGUES if dialogues is None else dialogues, SUMMARIES if summaries is None else summaries)


def keyed(frame: pl.DataFrame, column: str) -> dict[tuple[str, ...], float | None]:
    return {row[:-1]: row[-1] for row in frame.select(*KEY, column).iter_rows()}


def test_values_are_keyed_and_the_best_reference_counts(toys: Toys) -> None:
    scores = score(corpus(), ["overlap"])
    assert keyed(scores.frame, "overlap") == {
        ("d1", "s1", "original", "overall"): 2,
        ("d1", "s2", "original", "overall"): 2,
        ("d2", "s1", "original", "overall"): 2,
        ("d2", "s2", "original", "overall"): None,
        ("d3", "s1", "original", "overall"): None,
        ("d2", "s1", "shortened", "overall"): 1,
        ("d2", "s1", "original", "customer"): None,
    }
    assert scores.metrics == ["overlap"]
    assert scores.signatures == {"overlap": "overlap|target:reference|v:1"}
    assert scores.directions == {"overlap": "higher"}
    assert set(scores.seconds) == {"overlap"}
    assert scores.systems.is_empty()


def test_every_null_has_its_reason(toys: Toys) -> None:
    scores = score(corpus(), ["overlap", "overlap@source"])
    reasons = {(*row[:4], row[4]): row[5] for row in scores.failures.iter_rows()}
    no_reference = "the dialogue has no reference for this role"
    assert reasons == {
        ("d2", "s2", "original", "overall", "overlap"): "nothing to compare",
        ("d3", "s1", "original", "overall", "overlap"): no_reference,
        ("d2", "s1", "original", "customer", "overlap"): no_reference,
        ("d2", "s2", "original", "overall", "overlap@source"): "nothing to compare",
    }


def test_a_nan_without_a_reason_gets_one(toys: Toys) -> None:
    toys.answer = np.array([np.nan])
    scores = score(corpus([Summary("d1", "s1", "red")]), ["given@source"])
    assert scores.failures["reason"].to_list() == ["the metric returned no number"]


def test_equal_items_are_computed_once(toys: Toys) -> None:
    score(corpus(), ["overlap"])
    (job,) = toys.jobs
    strings = job.texts.strings
    assert len(strings) == len(set(strings))
    items = [
        (strings[h], tuple(strings[t] for t in job.target_ids[job.offsets[i] : job.offsets[i + 1]]))
        for i, h in enumerate(job.hypothesis_ids.tolist())
    ]
    assert items == [
        ("red blue black", ("red green", "blue black")),
        ("one two three", ("one two",)),
        ("", ("one two",)),
        ("one", ("one two",)),
    ]


def test_equal_summaries_of_different_dialogues_stay_apart(toys: Toys) -> None:
    made = corpus([Summary("d1", "s", "red one"), Summary("d2", "s", "red one two"), *SUMMARIES[:3]])
    assert score(made, ["overlap"]).frame["overlap"].to_list() == [1, 2]


def test_metrics_with_one_target_share_a_job(toys: Toys) -> None:
    score(corpus(), ["overlap", "overlap@source", "overlap@none", "size"])
    assert [job.target for job in toys.jobs] == ["reference", "source", "none", "reference"]
    assert toys.jobs[2].target_ids.size == 0
    assert toys.jobs[2].offsets.tolist() == [0] * (len(toys.jobs[2]) + 1)


def test_the_source_is_the_transcript_with_speakers(toys: Toys) -> None:
    score(corpus(), ["overlap@source"])
    assert "A: red green blue" in toys.jobs[0].texts.strings


def test_include_references_scores_them_like_systems(toys: Toys) -> None:
    without = score(corpus(), ["overlap"])
    scores = score(corpus(), ["overlap"], include_references=True)
    assert scores.frame.height == len(SUMMARIES)
    assert keyed(scores.frame, "overlap")[("d2", "gold", "original", "overall")] == 2
    assert without.frame.height == len(SUMMARIES) - 3
    both = without.frame.join(scores.frame, on=list(KEY), suffix="_with")
    assert both["overlap"].equals(both["overlap_with"].alias("overlap"), null_equal=True)


def test_system_level_metrics_have_a_value_per_group(toys: Toys) -> None:
    scores = score(corpus(), ["size@source", "overlap@source"])
    assert scores.systems.columns == [*SYSTEM_KEY, "size@source"]
    rows = {row[:3]: row[3] for row in scores.systems.iter_rows()}
    assert rows == {
        ("s1", "original", "overall"): 3,
        ("s2", "original", "overall"): 2,
        ("s1", "shortened", "overall"): None,
        ("s1", "original", "customer"): None,
    }
    assert scores.metrics == ["overlap@source"]
    lost = scores.failures.filter(pl.col("metric") == "size@source")
    assert lost["dialogue_id"].null_count() == lost.height == 2
    assert set(lost["reason"]) == {"one item is no system"}
    means = scores.means()
    assert means.filter(pl.col("system") == "s2")["size@source"].to_list() == [2]


def test_a_group_without_any_reference_is_null_and_shifts_nobody(toys: Toys) -> None:
    # The customer's group is first in the corpus and has no reference: the others keep their own values.
    made = corpus([SUMMARIES[-1], *SUMMARIES[:-1]])
    scores = score(made, ["size"])
    assert toys.jobs[0].groups.tolist() == [0, 1, 0, 1, 2]
    rows = {row[:3]: row[3] for row in scores.systems.iter_rows()}
    assert rows[("s1", "original", "customer")] is None
    assert rows[("s1", "original", "overall")] == 2
    assert rows[("s2", "original", "overall")] == 2
    reasons = dict(scores.failures.select("role", "reason").filter(pl.col("role") == "customer").iter_rows())
    assert reasons == {"customer": "the dialogue has no reference for this role"}


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    metrics = ["statistics", "rouge-l", "rouge-2@source", "chrf"]
    expected = score(corpus(), metrics, include_references=True)
    shuffled = corpus(
        [SUMMARIES[i] for i in rng.permutation(len(SUMMARIES))],
        [DIALOGUES[i] for i in rng.permutation(len(DIALOGUES))],
    )
    scores = score(shuffled, metrics, include_references=True)
    assert scores.metrics == expected.metrics
    for column in scores.metrics:
        own, other = keyed(scores.frame, column), keyed(expected.frame, column)
        assert own.keys() == other.keys()
        assert all(own[key] == pytest.approx(other[key], abs=1e-12) for key in own)
    order = [*KEY, "metric"]
    assert scores.failures.sort(order).equals(expected.failures.sort(order), null_equal=True)


def test_no_references_at_all_is_refused_with_advice(toys: Toys) -> None:
    made = corpus([Summary("d1", "s1", "red")])
    with pytest.raises(InputError, match=r"metric 'overlap' needs references, .* use 'overlap@source'"):
        score(made, ["overlap"])
    assert score(made, ["overlap@source"]).frame["overlap@source"].to_list() == [1]


def test_a_corpus_without_summaries_gives_empty_scores() -> None:
    scores = score(corpus([]), ["statistics", "length"])
    assert scores.frame.is_empty()
    assert scores.frame.columns[: len(KEY)] == list(KEY)
    assert scores.failures.is_empty()


def test_progress_counts_to_the_end(toys: Toys) -> None:
    seen: list[tuple[str, int, int]] = []
    score(corpus(), ["overlap", "size"], progress=lambda *step: seen.append(step))
    assert seen == [("overlap", 0, 2), ("size", 1, 2), ("done", 2, 2)]


@pytest.mark.parametrize("metrics", [[], ()])
def test_no_metric_is_refused(metrics: Any) -> None:
    with pytest.raises(InputError, match="no metric was given"):
        score(corpus(), metrics)
    with pytest.raises(InputError, match="no metric was given"):
        score_pairs(["a"], ["a"], metrics)


def test_a_bare_string_is_no_list_of_metrics() -> None:
    with pytest.raises(InputError, match=r"got the string 'length': write \['length'\]"):
        score(corpus(), "length")
    with pytest.raises(InputError, match="must be a list of specifications"):
        score_pairs(["a"], None, "length")


@pytest.mark.parametrize(
    ("summaries", "targets", "message"),
    [
        ("text", ["text"], "got a string"),
        (["text"], "text", "got a string"),
        (["a", "b"], ["a"], "2 summaries but 1 targets"),
        (["a", "b"], ["a", []], r"targets\[1\] is empty"),
        (["a", None], ["a", "b"], r"summaries\[1\] must be a text; got None"),
        (["a", "b"], ["a", None], r"targets\[1\] must be a text; got None"),
        (["a"], [["b", 3]], r"targets\[0\] must be a text; got 3"),
        (["a"], None, "metric 'overlap' needs a reference: give targets"),
    ],
)
def test_pairs_refuse_what_are_no_pairs(toys: Toys, summaries: Any, targets: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score_pairs(summaries, targets, ["overlap"])


def test_pairs_keep_the_order_of_the_input(toys: Toys) -> None:
    frame = score_pairs(["a b", "", "a b"], [["a", "a b"], "b", "b c"], ["overlap", "overlap@source", "overlap@none"])
    assert frame["overlap"].to_list() == [2, None, 1]
    assert frame["overlap@source"].to_list() == [2, None, 1]
    assert frame["overlap@none"].to_list() == [-1, None, -1]
    assert [job.target for job in toys.jobs] == ["reference", "source", "none"]


def test_pairs_are_one_system_for_a_metric_of_that_level(toys: Toys) -> None:
    frame = score_pairs(["a", "b", "c"], ["a", "b", "c"], ["size", "overlap"])
    assert frame["size"].to_list() == [3, 3, 3]
    assert frame["overlap"].to_list() == [1, 1, 1]


def test_no_pairs_give_an_empty_frame(toys: Toys) -> None:
    frame = score_pairs([], [], ["overlap", "size", "length"])
    assert frame.columns == ["overlap", "size", "length"]
    assert frame.is_empty()


def test_a_metric_with_too_few_values_is_a_bug_of_the_metric(toys: Toys) -> None:
    toys.answer = np.zeros(2)
    with pytest.raises(ValueError, match="metric 'given' returned 2 values; expected 3"):
        score_pairs(["a", "b", "c"], ["a", "b", "c"], ["given"])


def test_text_table_makes_a_feature_once_per_text() -> None:
    made: list[str] = []

    def make(text: str) -> str:
        made.append(text)
        return text.upper()

    table = TextTable()
    ids = table.intern(["a", "b", "a"])
    assert ids.tolist() == [0, 1, 0]
    assert table.feature("upper", ids, make) == {0: "A", 1: "B"}
    table.feature("upper", table.intern(["b", "c"]), make)
    assert made == ["a", "b", "c"]
    assert len(table) == 3


def test_jobs_do_not_share_what_they_keep() -> None:
    table = TextTable()
    ids, offsets = table.intern(["a"]), np.array([0, 1])

    def job() -> Job:
        return Job(table, "reference", ids, ids, offsets, np.zeros(1, dtype=np.int64))

    first = job()
    assert first.memo("key", lambda: "first") == "first"
    assert first.memo("key", lambda: "again") == "first"
    # A new job may get the address of one that is gone; it must not find its results.
    assert [job().memo("key", iter([i]).__next__) for i in range(50)] == list(range(50))


def test_over_targets() -> None:
    table = TextTable()
    ids = table.intern(["a", "b"])
    job = Job(table, "reference", ids, np.array([0, 1, 0]), np.array([0, 2, 3]), np.zeros(2, dtype=np.int64))
    assert job.over_targets(np.array([1.0, 3.0, 5.0]), "best").tolist() == [3, 5]
    assert job.over_targets(np.array([1.0, 3.0, 5.0]), "mean").tolist() == [2, 5]
    assert job.pair_items.tolist() == [0, 0, 1]
    assert job.pair_hypothesis_ids.tolist() == [0, 0, 1]


def test_scores_know_their_columns(toys: Toys) -> None:
    scores = score(corpus(), ["overlap"])
    assert scores.column("overlap").columns == [*KEY, "overlap"]
    with pytest.raises(UnknownNameError, match="did you mean 'overlap'"):
        scores.column("overlapp")
