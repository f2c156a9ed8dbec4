"""The language model as a generator, against a real HTTP server: right answers, wrong ones, none, and no money left."""

import json
import threading
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import ORIGINAL, OVERALL, Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError, ModelError, ParameterError, UnknownNameError
from dialgauge.models import ChatBudget, ChatEndpoint, TokenPrice
from dialgauge.perturb import (
    Declined,
    LlmGenerator,
    LlmSettings,
    Task,
    Variant,
    parse_requests,
    perturb,
    read_provenance,
)
from dialgauge.study import run_study
from tests.perturb.chat_server import ChatServer, Reply, serving

SUMMARY = (
    "The customer called about a card that a machine kept at Leeds on Monday. The agent cancelled the card and "
    "refunded $120. The agent was polite."
)
DIALOGUE = Dialogue(
    "d1",
    (
        Turn("Customer", "A cash machine at Leeds kept my card on Monday.", "customer"),
        Turn("Agent", "I have cancelled the card and refunded $120.", "agent"),
    ),
    domain="banking",
)
SWAPPED = SUMMARY.replace("customer", "@").replace("agent", "customer").replace("@", "agent")
NOISE = " The customer also praised the marble staircase."
#: For a word of each prompt, the answer that a model which understood it would give.
RIGHT: dict[str, Any] = {
    "in this style": {
        "summary": "Cust. called re card kept by machine at Leeds on Monday. Agent cancelled card, refunded $120. "
        "Agent polite."
    },
    "Swap the two sides": {"summary": SWAPPED},
    "demographic": {"summary": SUMMARY.replace("customer called", "customer (Jane Doe, born 4 May 1971) called", 1)},
    "plausible in a call": {"summary": SUMMARY + NOISE},
    "Shorten": {
        "summary": "The customer called about a card that a machine kept at Leeds on Monday. The agent cancelled it "
        "and refunded $120."
    },
    "a third longer": {
        "summary": "In this conversation, the customer called about a card that a machine had kept at Leeds on Monday. "
        "In response to this, the agent cancelled the card in question and refunded $120. The agent was polite "
        "all along."
    },
    "another industry": {
        "summary": "The customer called about a router that a depot kept at Leeds on Monday. The agent cancelled the "
        "router and refunded $120. The agent was polite."
    },
    "List the entities": {
        "entities": [
            {"text": "$120", "kind": "money", "replacement": "$90", "source": "extrinsic"},
            {"text": "Leeds", "kind": "place", "replacement": "York", "source": "extrinsic"},
            {"text": "Monday", "kind": "date", "replacement": "Friday", "source": "extrinsic"},
            {"text": "agent", "kind": "role", "replacement": "manager", "source": "extrinsic"},
            {"text": "card", "kind": "product", "replacement": "ticket", "source": "extrinsic"},
            {"text": "Manchester", "kind": "place", "replacement": "Hull", "source": "extrinsic"},
        ]
    },
    "Describe this industry": {
        "description": "Money.",
        "categories": [{"name": "cards", "description": "c"}, {"name": "manners", "description": "m"}],
    },
    "does the call belong": {"categories": ["Cards"]},
    "each numbered sentence": {"sentences": [["cards"], ["cards"], ["manners"]]},
}
LABELS = [
    *("writing_style:style=shorthand", "speaker_switch", "demographic_change", "noise_addition", "length_reduction"),
    *("length_increase", "category_change", *(f"change_perturbation_{n}" for n in range(1, 6))),
    *("remove_important_sentence_1", "remove_important_sentence_2"),
]

pytestmark = pytest.mark.usefixtures("parser")


def right(body: dict[str, Any]) -> str:
    """The answer of a model that understands."""
    asked = body["messages"][1]["content"]
    return next(json.dumps(answer) for words, answer in RIGHT.items() if words in asked)


def task(label: str, text: str = SUMMARY, draw: int = 1) -> Task:
    return Task(parse_requests([label])[0], text, DIALOGUE, ("d1", "s", ORIGINAL, OVERALL), 0, draw)


def endpoint(server: ChatServer, **settings: Any) -> ChatEndpoint:
    return ChatEndpoint.open(f"chat:m@{server.address}", **({"first_pause": 0.01, "cache": None} | settings))


def run(
    answer: Callable[[dict[str, Any]], Reply | str],
    *labels: str,
    settings: LlmSettings | None = None,
    **chat: Any,
) -> tuple[dict[str, Variant | Declined], ChatServer, LlmGenerator]:
    with serving(answer) as server:
        generator = LlmGenerator(endpoint(server, **chat), settings)
        outcomes = {t.request.label: outcome for t, outcome in generator([task(label) for label in labels])}
    return outcomes, server, generator


@pytest.mark.parametrize("label", LABELS)
def test_every_domain_perturbation_works_with_a_model(label: str) -> None:
    outcomes, server, _ = run(right, label)
    outcome = outcomes[label]
    assert isinstance(outcome, Variant), outcome
    assert outcome.text != SUMMARY
    assert outcome.provenance.generator == "llm:m"
    assert outcome.provenance.notes["calls"] >= 1
    assert server.requests[0]["response_format"]["type"] == "json_schema"


def test_entities_are_drawn_by_us_from_what_the_model_names() -> None:
    outcomes, _, _ = run(right, *(f"change_perturbation_{n}:mode=nested" for n in range(1, 6)))
    changed = []
    for n, outcome in enumerate(outcomes.values(), 1):
        assert isinstance(outcome, Variant)
        entities = outcome.provenance.notes["entities"]
        assert len(entities) == n
        changed.append({entity["from"] for entity in entities})
        assert all(entity["to"] in outcome.text for entity in entities)
    assert all(smaller < larger for smaller, larger in pairwise(changed))
    assert "Manchester" not in changed[-1]
    both = [outcome for outcome in outcomes.values() if isinstance(outcome, Variant)][-1]
    assert both.text.count("manager") == 2


def test_important_sentences_come_from_the_two_stages() -> None:
    outcomes, server, _ = run(right, "remove_important_sentence_2", "remove_important_sentence_3")
    removed = outcomes["remove_important_sentence_2"]
    assert isinstance(removed, Variant)
    assert removed.text == "The agent was polite."
    assert removed.provenance.notes["categories"] == ["Cards"]
    three = outcomes["remove_important_sentence_3"]
    assert isinstance(three, Declined)
    # The questions are shared: categories, call, sentences; the domain is known from the dialogue.
    assert len(server.requests) == 3


def test_the_prompts_of_the_paper_are_asked_word_for_word_and_answered_in_plain_text() -> None:
    def plain(body: dict[str, Any]) -> str:
        return f'Here is the rewritten summary:\n"{SWAPPED}"'

    outcomes, server, _ = run(plain, "speaker_switch", settings=LlmSettings(prompts="paper"))
    outcome = outcomes["speaker_switch"]
    assert isinstance(outcome, Variant)
    assert outcome.text == SWAPPED
    asked = server.requests[0]["messages"]
    assert asked == [
        {
            "role": "user",
            "content": "Rewrite the summary, after randomly change the speaker 'customer' and 'agent' from the summary."
            f"\n\n{SUMMARY}",
        }
    ]
    assert "response_format" not in server.requests[0]


def test_a_server_that_knows_no_schema_is_asked_for_json_and_then_for_text() -> None:
    def picky(body: dict[str, Any]) -> Reply | str:
        if "response_format" in body:
            return Reply("response_format is not supported", status=400)
        return f"Sure!\n```json\n{right(body)}\n```"

    outcomes, server, generator = run(picky, "speaker_switch", "category_change", parallel=1)
    assert all(isinstance(outcome, Variant) for outcome in outcomes.values())
    forms = [body.get("response_format", {}).get("type", "text") for body in server.requests]
    assert forms == ["json_schema", "json_object", "text", "text"]
    assert generator.account()["form"] == "text"


def test_broken_json_is_sent_back_with_the_complaint() -> None:
    def better_at_last(body: dict[str, Any]) -> str:
        wrong = {2: '{"summary": "The agent', 4: '{"text": "no"}'}
        return wrong.get(len(body["messages"])) or right(body)

    outcomes, server, _ = run(better_at_last, "speaker_switch")
    outcome = outcomes["speaker_switch"]
    assert isinstance(outcome, Variant)
    assert outcome.text == SWAPPED
    assert outcome.provenance.notes["calls"] == 3
    complaints = [body["messages"][-1]["content"] for body in server.requests[1:]]
    assert "contains no JSON object" in complaints[0]
    assert "does not fit: summary" in complaints[1]


def test_a_cut_answer_is_sent_back_unless_its_json_is_whole() -> None:
    cut = Reply(json.dumps({"summary": SWAPPED})[:-4], finish="length")
    outcomes, server, generator = run(lambda body: cut if len(body["messages"]) == 2 else right(body), "speaker_switch")
    outcome = outcomes["speaker_switch"]
    assert isinstance(outcome, Variant)
    assert (outcome.text, outcome.provenance.notes["calls"]) == (SWAPPED, 2)
    assert "cut off by the token limit" in server.requests[1]["messages"][-1]["content"]
    assert generator.account()["cut"] == 1
    whole = Reply(json.dumps({"summary": SWAPPED}) + " I hope", finish="length")
    outcomes, server, _ = run(lambda body: whole, "speaker_switch")
    assert isinstance(outcomes["speaker_switch"], Variant)
    assert len(server.requests) == 1


def test_a_cut_answer_in_plain_words_never_passes() -> None:
    settings = LlmSettings(prompts="paper", fallback="reject")
    outcomes, _, _ = run(lambda body: Reply(SWAPPED, finish="length"), "speaker_switch", settings=settings)
    assert outcomes["speaker_switch"] == Declined("rejected: the answer was cut off by the token limit")
    outcomes, _, _ = run(lambda body: Reply(SWAPPED), "speaker_switch", settings=settings)
    assert isinstance(outcomes["speaker_switch"], Variant)


def test_unchanged_text_never_passes() -> None:
    def lazy(body: dict[str, Any]) -> str:
        return json.dumps({"summary": SUMMARY})

    outcomes, server, generator = run(lazy, "speaker_switch")
    outcome = outcomes["speaker_switch"]
    assert isinstance(outcome, Variant)
    assert outcome.text == SWAPPED  # by the rules
    assert outcome.provenance.generator == "rules"
    assert "equals the input" in outcome.provenance.notes["llm"]
    assert len(server.requests) == 3
    assert "equals the input" in server.requests[1]["messages"][-1]["content"]
    assert generator.account()["outcomes"] == {"llm": 0, "rules": 1, "declined": 0}

    outcomes, _, _ = run(lazy, "speaker_switch", settings=LlmSettings(fallback="reject"))
    assert outcomes["speaker_switch"] == Declined("rejected: the result equals the input")


@pytest.mark.parametrize(
    ("label", "wrong", "complaint"),
    [
        ("speaker_switch", SWAPPED.replace("card", "coat"), "more than the speakers"),
        ("speaker_switch", SUMMARY.replace("customer", "agent"), "swapped order"),
        ("length_reduction", SUMMARY.replace("$120", "$210"), "of the words"),
        ("length_increase", f"{SUMMARY} {SUMMARY}".replace("$120", "$210"), "number"),
        ("length_reduction", "The customer called.", "is lost"),
        ("noise_addition", SUMMARY + " The agent cancelled the card.", "nothing was added"),
        ("noise_addition", SUMMARY.replace("polite", "rude") + NOISE, "was removed"),
        ("demographic_change", SUMMARY.replace("customer called", "customer (Leeds) called", 1), "no detail was added"),
        ("category_change", SUMMARY.replace("The agent was polite", "The agent was kind"), "still mentions banking"),
        ("writing_style:style=shorthand", SUMMARY.replace("was polite", "was not polite"), "negations, the result"),
        ("writing_style:style=shorthand", SUMMARY.replace("Leeds", "York"), "'leeds' is lost"),
    ],
)
def test_each_validator_sees_what_is_wrong(label: str, wrong: str, complaint: str) -> None:
    def answer(body: dict[str, Any]) -> str:
        return json.dumps({"summary": wrong})

    outcomes, _, _ = run(answer, label, settings=LlmSettings(fallback="reject", content_retries=0))
    outcome = outcomes[label]
    assert isinstance(outcome, Declined)
    assert complaint in outcome.reason


def test_a_busy_server_is_asked_again_and_a_slow_one_is_waited_for() -> None:
    seen: list[int] = []

    def busy(body: dict[str, Any]) -> Reply | str:
        seen.append(1)
        return Reply("slow down", status=429, headers={"Retry-After": "0.01"}) if len(seen) == 1 else right(body)

    outcomes, _, _ = run(busy, "speaker_switch")
    assert isinstance(outcomes["speaker_switch"], Variant)
    assert len(seen) == 2

    arrived, together = count(), threading.Barrier(4)

    def patient(body: dict[str, Any]) -> str:
        if next(arrived) < 4:  # nobody is answered before there are four
            together.wait(60)
        return right(body)

    outcomes, server, _ = run(patient, *LABELS[:7], parallel=4)
    assert all(isinstance(outcome, Variant) for outcome in outcomes.values())
    assert server.most_at_once == 4


def test_a_spent_budget_keeps_what_is_done_and_the_next_run_goes_on(tmp_path: Path) -> None:
    corpus = Corpus.build([DIALOGUE], [Summary("d1", f"s{n}", SUMMARY) for n in range(4)])
    progress: list[tuple[str, int, int]] = []
    with serving(right) as server:
        first = endpoint(server, budget=ChatBudget(requests=3), cache=tmp_path, parallel=1)
        generator = LlmGenerator(first)
        made = perturb(
            corpus,
            ["category_change"],
            generator=generator,
            progress=lambda *step: progress.append(step),
        )
        assert made.variants.height == 3
        assert made.declined.height == 1
        assert "budget spent: the budget of 3 requests is used up" in made.declined["reason"][0]
        assert [step[1:] for step in progress] == [(n, 4) for n in range(1, 5)]
        assert generator.account()["calls"] == 3
        assert len(server.requests) == 3

        again = LlmGenerator(endpoint(server, cache=tmp_path))
        whole = perturb(corpus, ["category_change"], generator=again)
        assert whole.variants.height == 4
        assert len(server.requests) == 4
        assert again.account() == {
            "model": "m",
            "prompts": "own",
            "form": "json_schema",
            "calls": 1,
            "cached": 3,
            "tokens": 50,
            "unmetered": 0,
            "cut": 0,
            "outcomes": {"llm": 4, "rules": 0, "declined": 0},
        }
    provenance = read_provenance(whole.variants["provenance"][0])
    assert provenance is not None
    assert provenance.generator == "llm:m"


def test_a_token_budget_holds_too(tmp_path: Path) -> None:
    outcomes, server, _ = run(right, *LABELS[:4], budget=ChatBudget(tokens=100), parallel=1)
    assert [isinstance(outcome, Variant) for outcome in outcomes.values()].count(True) == 2
    assert len(server.requests) == 2


def test_the_estimate_asks_nothing_and_bounds_what_is_asked() -> None:
    with serving(right) as server:
        generator = LlmGenerator(endpoint(server), price=TokenPrice(2.0, 2.0))
        tasks = [task(label) for label in [*LABELS, "jumble"]]
        estimate = generator.estimate(tasks)
        assert server.requests == []
        list(generator(tasks))
        assert len(server.requests) == estimate.calls
    assert estimate.tasks == len(LABELS) + 1
    # Seven rewrites, one question for all entity levels, three for all sentence levels, as the domain is known.
    assert estimate.calls == 7 + 1 + 3
    assert estimate.most_calls == 33
    assert estimate.cost == pytest.approx(estimate.tokens * 2e-6)
    assert generator.account()["cost"] == pytest.approx(generator.account()["tokens"] * 2e-6)
    assert generator.estimate([]).calls == 0


def test_what_has_no_prompt_is_done_by_rules_and_what_cannot_be_tried_is_declined() -> None:
    outcomes, server, _ = run(right, "jumble")
    assert isinstance(outcomes["jumble"], Variant)
    assert server.requests == []
    with serving(right) as server:
        generator = LlmGenerator(endpoint(server))
        tasks = [task("length_increase", "客户要求退款。"), task("speaker_switch", " ")]
        reasons = [outcome.reason for _, outcome in generator(tasks) if isinstance(outcome, Declined)]
    assert sorted(reasons) == [
        "the parser supports English only; the text is Chinese",
        "the text has no words",
    ]
    assert server.requests == []


def test_several_draws_are_different_questions_and_different_texts() -> None:
    def varied(body: dict[str, Any]) -> str:
        return json.dumps({"summary": f"{SUMMARY} Somebody whistled number {body['seed']} loudly."})

    with serving(varied) as server:
        generator = LlmGenerator(endpoint(server))
        outcomes = [outcome for _, outcome in generator([task("noise_addition", draw=n) for n in (1, 2, 3)])]
    assert all(isinstance(outcome, Variant) for outcome in outcomes)
    assert len({outcome.text for outcome in outcomes if isinstance(outcome, Variant)}) == 3


def test_an_endpoint_that_is_down_or_wants_a_key_says_so() -> None:
    with serving(right) as server:
        pass
    gone = LlmGenerator(endpoint(server, retries=1))
    with pytest.raises(ModelError, match="did not answer as 'm' in 2 tries"):
        list(gone([task("speaker_switch")]))
    with serving(lambda body: Reply("no key given", status=401)) as closed:
        generator = LlmGenerator(endpoint(closed))
        with pytest.raises(ModelError, match="401 Unauthorized: no key given"):
            list(generator([task("speaker_switch")]))
    assert len(closed.requests) == 1


def test_settings_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="unknown prompt 'mine'; known: own, paper"):
        LlmSettings(prompts="mine")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown fallback 'hope'; known: reject, rules"):
        LlmSettings(fallback="hope")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="0 or more"):
        LlmSettings(content_retries=-1)


def test_the_command_asks_counts_and_can_be_tried_dry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from dialgauge.cli._app import app
    from dialgauge.corpus import read_corpus, write_corpus

    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    corpus = tmp_path / "calls.jsonl"
    write_corpus(Corpus.build([DIALOGUE], [Summary("d1", "s", SUMMARY)]), corpus)
    with serving(right) as server:
        command = ["perturb", str(corpus), "-p", "category_change", "-o", str(tmp_path / "out.jsonl"), "--json"]
        llm = ["--llm", f"chat:m@{server.address}"]
        dry = CliRunner().invoke(app, [*command, *llm, "--dry-run", "--price", "1"])
        assert dry.exit_code == 0, dry.output
        assert json.loads(dry.stdout)["calls"] == 1
        assert server.requests == []
        assert not (tmp_path / "out.jsonl").exists()
        done = CliRunner().invoke(app, [*command, *llm])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["llm"]["calls"] == 1
        plain = CliRunner().invoke(app, [*(word for word in command if word != "--json"), *llm, "--price", "1"])
        assert "m: 0 calls, 1 from cache, 0 tokens, cost 0.0000" in plain.stderr
    made = read_corpus(tmp_path / "out.jsonl").summaries
    assert made.filter(made["variant"] == "category_change")["text"].to_list() == [RIGHT["another industry"]["summary"]]


STUDY = """\
[study]
name = "asked"
[corpus]
source = "calls.jsonl"
[metrics]
use = ["rouge-1", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
[perturbations]
use = ["category_change", "speaker_switch"]
generator = "llm"
model = "m"
base_url = "{address}"
fallback = "reject"
price = 2.0
{more}
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    from dialgauge.corpus import write_corpus

    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-the-test")
    other = SUMMARY.replace("polite", "friendly")
    summaries = [Summary("d1", "a", SUMMARY), Summary("d1", "b", other), Summary("d1", "r", SUMMARY, kind="reference")]
    write_corpus(Corpus.build([DIALOGUE], summaries), tmp_path / "calls.jsonl")

    def write(server: ChatServer, more: str = "") -> Path:
        (tmp_path / "study.toml").write_text(STUDY.format(address=server.address, more=more))
        return tmp_path / "study.toml"

    return write


def of_the_summary(body: dict[str, Any]) -> str:
    """The right answer, for either of the two summaries."""
    friendly = "friendly" in body["messages"][1]["content"]
    return right(body).replace("polite", "friendly") if friendly else right(body)


def test_a_study_asks_the_model_once_and_accounts_for_it(study: Callable[..., Path]) -> None:
    with serving(of_the_summary) as server:
        finished = run_study(study(server))
        facts = json.loads((finished.folder / "manifest.json").read_text())["stages"]["variants"]
        assert facts["llm"] == {
            "model": "m",
            "prompts": "own",
            "form": "json_schema",
            "calls": 4,
            "cached": 0,
            "tokens": 200,
            "unmetered": 0,
            "cut": 0,
            "outcomes": {"llm": 4, "rules": 0, "declined": 0},
            "cost": pytest.approx(0.0004),
        }
        assert facts["settings"]["base_url"] == server.address
        # Neither the price nor the number of threads changes a variant.
        again = run_study(study(server, "parallel = 2\nmax_calls = 9"))
        assert set(again.stages.values()) == {"unchanged"}
    assert len(server.requests) == 4
    written = [path.read_bytes() for path in finished.folder.parent.parent.rglob("*") if path.is_file()]
    assert all(b"key-for-the-test" not in content for content in written)


def test_a_study_with_a_spent_budget_stops_and_goes_on(study: Callable[..., Path]) -> None:
    with serving(of_the_summary) as server:
        path = study(server, "max_calls = 3\nparallel = 1")
        with pytest.raises(InputError, match="the budget is spent: 3 variants are made and 1 are missing; rerun"):
            run_study(path)
        finished = run_study(path)
    facts = json.loads((finished.folder / "manifest.json").read_text())["stages"]["variants"]
    assert (facts["made"], facts["llm"]["calls"], facts["llm"]["cached"]) == (4, 1, 3)
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('generator = "llm"', 'generator = "llm" needs a model'),
        ('model = "m"\nmax_calls = 3', 'max_calls, model: only with generator = "llm"'),
        ('generator = "gpt"', "perturbations.generator"),
        ('generator = "llm"\nmodel = "m"\nbase_url = "http://me:secret@host/v1"', "put a key into OPENAI_API_KEY"),
        ('generator = "llm"\nmodel = "m"\nbase_url = "host/v1"', "must look like https://host/v1"),
        ('generator = "llm"\nmodel = "m"\napi_key = "x"', "perturbations.api_key: unknown key"),
        ('generator = "llm"\nmodel = "m"\nmax_calls = -1', "perturbations.max_calls"),
    ],
)
def test_mistakes_in_the_settings_of_the_model_are_named(tmp_path: Path, lines: str, message: str) -> None:
    head = STUDY.partition("generator")[0]
    (tmp_path / "study.toml").write_text(f"{head}{lines}\n")
    with pytest.raises(InputError, match=r"study\.toml:\d+: perturbations") as caught:
        run_study(tmp_path / "study.toml")
    assert message in str(caught.value)
