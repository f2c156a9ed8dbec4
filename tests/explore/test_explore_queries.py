"""The questions, checked against counting by hand."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.explore import Filter, RunData, ask
from dialgauge.explore._queries import QUESTIONS, affect_lost, disagreements, divided, extremes, matching, unnoticed


def test_nothing_is_read_before_it_is_asked_for(run_folder: Path) -> None:
    opened = RunData.open(run_folder)
    assert "corpus" not in vars(opened)
    assert "scores" not in vars(opened)
    assert opened.corpus is opened.corpus


def test_disagreement_is_the_difference_of_percentiles(data: RunData) -> None:
    assert data.ratings is not None
    rows = disagreements(data, "ter", "consistency").frame
    both = data.scores.frame.join(data.ratings, on=list(KEY)).drop_nulls(["ter", "consistency"])
    assert rows.height <= both.height
    first = rows.row(0, named=True)
    scores, ratings = both["ter"].to_list(), both["consistency"].to_list()

    def percentile(values: list[float], own: float) -> float:
        below, equal = sum(value < own for value in values), sum(value == own for value in values)
        return 100 * (below + equal / 2) / len(values)

    # TER is an error rate: the smaller it is, the better.
    by_metric = percentile([-value for value in scores], -first["score"])
    assert first["metric_percentile"] == pytest.approx(by_metric)
    assert first["people_percentile"] == pytest.approx(percentile(ratings, first["rating"]))
    assert first["difference"] == pytest.approx(first["metric_percentile"] - first["people_percentile"])
    distances = rows["difference"].abs().to_list()
    assert distances == sorted(distances, reverse=True)


def test_the_two_sides_are_apart(data: RunData) -> None:
    metric = disagreements(data, "rouge-1", "consistency", "metric").frame
    people = disagreements(data, "rouge-1", "consistency", "people").frame
    either = disagreements(data, "rouge-1", "consistency").frame
    assert (metric["difference"] > 0).all()
    assert (people["difference"] < 0).all()
    assert metric.height + people.height == either.height
    assert metric["difference"].is_sorted(descending=True)
    assert people["difference"].is_sorted()


def test_unnoticed_is_what_the_run_counts_as_kept_or_raised(data: RunData) -> None:
    # Jumbled words are the same words: ROUGE-1 cannot notice.
    found = unnoticed(data, "jumble", "rouge-1")
    assert found.frame.height == data.variants.filter(pl.col("label") == "jumble").height  # type: ignore[union-attr]
    assert found.frame["change"].abs().max() == pytest.approx(0, abs=1e-9)
    noticed = unnoticed(data, "jumble", "ter").frame
    assert (noticed["change"] >= -data.margin).all()
    assert (noticed["variant"] == "jumble").all()
    worse = noticed.filter(pl.col("change") < 0)
    assert (worse["variant_score"] > worse["original_score"]).all(), "a larger TER is worse"


def test_a_preserving_perturbation_is_asked_the_other_way_round(data: RunData) -> None:
    assert data.expected["typos"] == "preserves"
    found = unnoticed(data, "typos", "rouge-1")
    assert "changed although typos keeps the meaning" in found.sentence
    assert found.frame.height > 0
    assert (found.frame["change"].abs() > data.margin).all()


def test_changes_agree_with_the_means_of_the_run(data: RunData) -> None:
    """The explorer's changes of single variants average to what the robustness table says."""
    assert data.changes is not None
    unit = data.units["ter", "remove_punct"]
    after = data.variant_scores.filter(pl.col("variant") == "remove_punct")
    before = data.scores.frame.select("dialogue_id", "system", "role", pl.col("ter").alias("before"))
    both = after.join(before, on=["dialogue_id", "system", "role"])
    row = data.changes.filter(pl.col("metric") == "ter", pl.col("perturbation") == "remove_punct").row(0, named=True)
    assert ((both["ter"] - both["before"]) / unit).mean() == pytest.approx(row["change"], abs=1e-6)


def test_extremes(data: RunData) -> None:
    low, high = extremes(data, "length", "lowest").frame, extremes(data, "length", "highest").frame
    assert low["score"].is_sorted()
    assert high["score"].is_sorted(descending=True)
    assert low["score"][0] == data.scores.frame["length"].min()


def test_raters_who_disagree(data: RunData) -> None:
    rows = divided(data, "relevance").frame
    first = rows.row(0, named=True)
    assert first["system"] == "<i>sly</i>"
    assert (first["smallest"], first["largest"], first["annotators"]) == (1.0, 5.0, 2)
    assert (rows["largest"] > rows["smallest"]).all()


def test_affect_lost_and_added(data: RunData) -> None:
    lost, added = affect_lost(data, "negative").frame, affect_lost(data, "negative", "added").frame
    assert (lost["difference"] > 0).all()
    assert (added["difference"] < 0).all()
    assert lost["difference"].is_sorted(descending=True)
    assert ((lost["dialogue_share"] - lost["summary_share"]) - lost["difference"]).abs().max() == pytest.approx(0)


def test_search_finds_words_in_summary_or_dialogue(data: RunData) -> None:
    found = matching(data, Filter(text="A SECOND sentence"))
    assert set(found["system"]) == {"<i>sly</i>"}
    assert found.height == data.corpus.dialogues.height
    said = data.corpus.dialogue("banking-01").turns[0].text.split()[-3:]
    assert "banking-01" in set(matching(data, Filter(text=" ".join(said)))["dialogue_id"])
    assert matching(data, Filter(text="xyzzy")).is_empty()
    assert matching(data, Filter(text=".*")).is_empty(), "words are words, not patterns"


def test_filters_work_together(data: RunData) -> None:
    wanted = Filter(domain="banking", system="glib", measure="rouge-1", least=0.3, most=0.9)
    found = matching(data, wanted)
    values = data.scores.frame.join(found, on=list(KEY), how="semi")["rouge-1"]
    assert found.height > 0
    assert values.is_between(0.3, 0.9).all()
    assert set(found["system"]) == {"glib"}
    narrowed = ask(data, "unnoticed", {"perturbation": "jumble", "metric": "rouge-1"}, Filter(system="glib")).frame
    assert set(narrowed["system"]) == {"glib"}
    assert narrowed.height == data.corpus.dialogues.height


@given(st.text(max_size=20))
@settings(max_examples=40, deadline=None)
def test_any_text_can_be_looked_for(data: RunData, text: str) -> None:
    found = matching(data, Filter(text=text))
    for row in found.head(3).iter_rows(named=True):
        own = data.summaries.filter(pl.all_horizontal(pl.col(part) == row[part] for part in KEY))["text"][0].lower()
        said = data.corpus.dialogue(row["dialogue_id"]).text.lower()
        assert all(word in own for word in text.lower().split()) or all(word in said for word in text.lower().split())


def test_wrong_names_say_what_is_known(data: RunData) -> None:
    with pytest.raises(UnknownNameError, match="unknown metric in this run 'rouge-7'; did you mean"):
        disagreements(data, "rouge-7", "consistency")
    with pytest.raises(UnknownNameError, match="'length'"):
        disagreements(data, "length", "consistency")
    with pytest.raises(UnknownNameError, match="dimension"):
        divided(data, "beauty")
    with pytest.raises(UnknownNameError, match="perturbation"):
        unnoticed(data, "negation", "rouge-1")
    with pytest.raises(UnknownNameError, match="system"):
        matching(data, Filter(system="nobody"))
    with pytest.raises(UnknownNameError, match="question"):
        ask(data, "why")
    with pytest.raises(ParameterError, match="'side' must be 'either' or 'metric' or 'people'"):
        disagreements(data, "rouge-1", "consistency", "left")
    with pytest.raises(ParameterError, match="'measure'"):
        matching(data, Filter(least=0.1))


def test_a_run_without_ratings_says_which_questions_it_cannot_answer(bare_folder: Path) -> None:
    bare = RunData.open(bare_folder)
    missing = {name for name, question in QUESTIONS.items() if question.missing(bare)}
    assert missing == {"disagree", "unnoticed", "divided", "feelings"}
    for name in missing:
        with pytest.raises(InputError, match="cannot be answered for this run"):
            ask(bare, name)
    assert ask(bare, "extremes", {"metric": "length"}).frame.height > 0


@pytest.mark.parametrize("content", [None, "{", '{"stages": {}}'])
def test_not_a_run(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError, match=str(tmp_path)):
        RunData.open(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        RunData.open(tmp_path / "absent")
