"""The examples that "Tweak to Trust" prints: its language model's answers are accepted, its baseline is imitated."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import ORIGINAL, OVERALL
from dialgauge.models import ChatEndpoint
from dialgauge.perturb import Declined, LlmGenerator, LlmSettings, Task, Variant, parse_requests, perturb_text
from dialgauge.perturb._llm_prompts import PAPER, rewrite_messages
from tests.perturb.chat_server import serving

EXAMPLES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("tweak_to_trust_examples.toml").read_text(encoding="utf-8")
)
TABLE_8, TABLE_9 = EXAMPLES["table_8"], EXAMPLES["table_9"]
PRINTED = LlmSettings(prompts="paper", fallback="reject", content_retries=0)


pytestmark = pytest.mark.usefixtures("parser")


def task(name: str, text: str) -> Task:
    return Task(parse_requests([name])[0], text, None, ("d", "s", ORIGINAL, OVERALL), 0)


def answered(asked: Task, answer: str) -> Variant | Declined:
    """What becomes of an answer to the paper's prompt."""
    with serving(lambda body: answer) as server:
        chat = ChatEndpoint.open(f"chat:m@{server.address}", first_pause=0.01, cache=None)
        ((_, outcome),) = LlmGenerator(chat, PRINTED)([asked])
    return outcome


@pytest.mark.parametrize("name", list(PAPER))
def test_the_answers_that_the_paper_prints_are_accepted(name: str) -> None:
    example = TABLE_8[name]
    outcome = answered(task(name, example["summary"]), example["result"])
    assert isinstance(outcome, Variant), outcome
    assert outcome.text == example["result"]


@pytest.mark.parametrize(
    ("name", "answer", "complaint"),
    [
        ("demographic_change", "The customer phoned for permission to move a patient.", "no detail was added"),
        ("demographic_change", "Jane Doe (555-123-4567) rang.", "most of the summary is gone"),
        ("noise_addition", "The customer wants to cancel the trip.", "nothing was added"),
        ("noise_addition", "Bees build hexagonal combs from wax.", "no sentence of the summary is left"),
        ("category_change", "Bees build hexagonal combs from wax.", "about another call"),
        (
            "category_change",
            "The customer wants to cancel the trip due to a doctor's appointment change. The agent confirms it.",
            "nothing that is done in the call has another object",
        ),
    ],
)
def test_answers_that_do_not_do_it_are_refused(name: str, answer: str, complaint: str) -> None:
    outcome = answered(task(name, TABLE_8[name]["summary"]), answer)
    assert isinstance(outcome, Declined)
    assert complaint in outcome.reason


def test_the_style_prompt_has_its_braces() -> None:
    (asked,) = rewrite_messages(task("writing_style", "Hello there."), "paper", "shorthand")
    assert asked["content"].startswith(
        "Rewrite the summary and change the style to one of {shorthand, passive voice, active voice}, keeping"
    )
    (asked,) = rewrite_messages(task("writing_style:style=passive", "Hello there."), "paper", "passive")
    assert "one of {passive voice}, keeping" in asked["content"]


#: What does not depend on a draw, and on no table of words that we do not have.
EXACT = (
    "add_negation", "drop_adjectives", "drop_stopwords", "hyponyms", "remove_punct", "repeat_sentences",
    "subject_verb_dis",
)  # fmt: skip


def imitated(name: str, draw: int = 1) -> str:
    outcome = perturb_text(TABLE_9["summary"], f"{name}:compat=evaleval", draw=draw)
    assert isinstance(outcome, Variant), outcome
    return outcome.text


@pytest.mark.parametrize("name", EXACT)
def test_the_baseline_as_printed(name: str) -> None:
    assert imitated(name) == TABLE_9["results"][name]


def test_the_baseline_as_printed_but_for_the_draw() -> None:
    printed = TABLE_9["results"]
    assert Counter(imitated("jumble").split()) == Counter(printed["jumble"].split())
    reordered = {imitated("sentence_reorder", draw) for draw in range(1, 6)}
    assert all(len(text) == len(printed["sentence_reorder"]) for text in reordered)
    dropped = {imitated("drop_phrases", draw) for draw in range(1, 60)}
    assert printed["drop_phrases"] in dropped
    assert sorted(imitated("typos")) == sorted(printed["typos"])


def test_pronouns_follow_the_code_where_the_print_does_not() -> None:
    """The paper prints 2, 3, 4, 4, 5, 3 and 2 copies of the sentences; the published code makes one per token."""
    made, printed = imitated("replace_nouns_pronouns"), TABLE_9["results"]["replace_nouns_pronouns"]
    first = "The customer and agent are discussing food options."
    assert printed.count(first) == 2
    assert made.startswith(f"It {first} {first}")
    assert made.count(first) == 7


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("synonym_adjective", "It is a good, rather new car.", "It is a full , rather fresh car ."),
        ("antonym_adjective", "No good deed is too hard to do.", "No bad deed is too soft to do ."),
        ("hyponyms", "They have no food.", "They hold no meat ."),
    ],
)
def test_words_are_exchanged_without_guards_for_what_wordnet_has(name: str, text: str, result: str) -> None:
    outcome = perturb_text(text, f"{name}:compat=evaleval")
    assert isinstance(outcome, Variant)
    assert outcome.text == result
    assert perturb_text("They went there.", f"{name}:compat=evaleval") == Declined(
        f"WordNet has no {name.split('_')[0].removesuffix('s')} of any word"
    )


def test_all_sixteen_can_imitate_and_nothing_else_can() -> None:
    requests = parse_requests(["baseline:compat=evaleval"])
    assert len(requests) == 16
    assert all(request.label.endswith(":compat=evaleval") for request in requests)
    assert all("compat" not in request.perturbation.options for request in parse_requests(["domain"]))
