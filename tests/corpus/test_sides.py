"""Whose turn it is: the one rule by which a side of a dialogue is found, and that affect and summaries follow it."""

import pytest
from hypothesis import given, strategies as st

from dialgauge.affect import psent_score, shares_frame
from dialgauge.corpus import OVERALL, Corpus, Dialogue, Summary, Turn
from dialgauge.summarize import summarize_dialogues

labels = st.sampled_from(["agent", "Agent", "customer", "Ann", ""])
dialogues = st.builds(
    lambda turns: Dialogue("d", tuple(turns)),
    st.lists(st.builds(Turn, labels, st.sampled_from(["sad", "so good"]), st.none() | labels.filter(bool)), max_size=5),
)


def said(dialogue: Dialogue, role: str) -> list[str]:
    return [turn.text for turn in dialogue.side(role).turns]


def test_by_the_role_that_turns_carry() -> None:
    dialogue = Dialogue("d", (Turn("Ann", "a", "agent"), Turn("Bob", "b", "customer"), Turn("Ann", "c", "agent")))
    assert said(dialogue, "agent") == ["a", "c"]
    assert said(dialogue, OVERALL) == ["a", "b", "c"]
    assert said(dialogue, "driver") == []


def test_by_the_speaker_where_no_role_is_carried() -> None:
    dialogue = Dialogue("d", (Turn("Agent", "a"), Turn("Ann", "b", "customer"), Turn("Zoë", "c", "agent")))
    assert said(dialogue, "agent") == ["a", "c"]
    assert said(dialogue, "ann") == ["b"], "a speaker's name, though she has a role"
    assert said(dialogue, "ZOË") == ["c"]


def test_a_carried_role_wins_over_a_name() -> None:
    estate_agent = Turn("Agent", "I want to return it.", "customer")
    assert said(Dialogue("d", (estate_agent, Turn("Ann", "Of course.", "agent"))), "agent") == ["Of course."]


@given(dialogues, labels.filter(bool))
def test_affect_and_summaries_see_the_same_side(dialogue: Dialogue, role: str) -> None:
    mine = dialogue.side(role)
    [outcome] = summarize_dialogues([dialogue], "lead:n=9", role)
    assert (outcome.text or "") == mine.lead(9)
    shares = shares_frame(Corpus.build([dialogue], [Summary("d", "s", "x", role=role)]))
    words = [word for turn in mine.turns for word in turn.text.split()]
    expected = None if not words else words.count("sad") / len(words)
    assert shares["dialogue_negative"][0] == (None if expected is None else pytest.approx(expected))


def test_the_score_of_a_side_takes_names_in_any_case() -> None:
    built = Corpus.build(
        [Dialogue(str(i), (Turn("Customer", f"sad {'x ' * i}"), Turn("Agent", "good"))) for i in range(4)],
        [Summary(str(i), "s", "The customer is sad.") for i in range(4)],
    )
    assert psent_score(built, role="customer", resamples=20).frame.equals(
        psent_score(built, role="Customer", resamples=20).frame
    )
