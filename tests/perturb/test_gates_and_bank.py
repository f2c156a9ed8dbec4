"""Gates stop what is broken, unlikely or belied; noise is borrowed from conversations about the same thing."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.checks import check
from dialgauge.cli._app import app
from dialgauge.corpus import ORIGINAL, Corpus, Dialogue, Summary, Turn, embedded_corpus, read_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.perturb import (
    Declined,
    Edit,
    Task,
    Variant,
    _gate_model as by_model,
    parse_requests,
    perturb,
    read_provenance,
    run_rules,
)
from dialgauge.perturb._apply import finish
from dialgauge.perturb._bank import Bank, bank_of
from dialgauge.perturb._gate_checks import judge_consistency
from dialgauge.perturb._gates import judge_grammar, stopped

pytestmark = pytest.mark.usefixtures("parser")


def _made(label: str, text: str, edits: list[Edit], dialogue: Dialogue | None = None) -> tuple[Task, Variant]:
    task = Task(parse_requests([label])[0], text, dialogue, ("d", "s", "original", "overall"), 0)
    made = finish(task, edits, validate=lambda *_: None, tidied=False)
    assert isinstance(made, Variant)
    return task, made


@pytest.mark.parametrize(
    ("text", "edits", "reason"),
    [
        ("Nora calls. She left.", [Edit(5, 10)], "lost its verb"),
        ("Nora calls Ivo.", [Edit(0, 4, "They")], "disagrees"),
        ("Nora waited (for Ivo) there.", [Edit(12, 17)], "brackets"),
        ("Nora waits at home.", [Edit(13, 18)], "lost its noun"),
        ("Nora sings, dances, and left.", [Edit(12, 18)], "marks"),
        ("Nora likes the red car.", [Edit(11, 18, "the the ")], "twice"),
    ],
)
def test_the_second_parse_sees_what_an_edit_broke(text: str, edits: list[Edit], reason: str) -> None:
    assert reason in judge_grammar(*_made("drop_phrases", text, edits))[0]


def test_kinds_that_declare_broken_language_pass() -> None:
    assert judge_grammar(*_made("drop_stopwords", "Nora calls. She left.", [Edit(5, 10)])) == ("", {})


def test_notes_in_shorthand_need_no_verb_and_abbreviations_are_no_names() -> None:
    text = "The customer was angry with the agent. The payment was late."
    for gate in ("parse", "checks"):
        request = parse_requests(["writing_style:style=shorthand"])[0]
        passed = run_rules(Task(request, text, None, ("d", "", "original", "overall"), 0, gates=(gate,)))
        assert isinstance(passed, Variant)
        assert passed.text == "Cust. angry w/ agt. Pmt late."
    task, made = _made("writing_style:style=passive", "Nora calls. She left.", [Edit(5, 10)])
    assert "lost its verb" in judge_grammar(task, made)[0]


def test_a_preserving_kind_answers_only_for_what_is_new() -> None:
    """What a text of several speakers says against itself is not the variant's doing."""
    corpus = embedded_corpus().select(dialogues=["telecom-03"], systems=["longest-3"])
    text = corpus.summaries.filter(system="longest-3")["text"][0]
    own = [reason for sentence in check((Turn("", text),), text).sentences for reason in sentence.reasons]
    assert any(reason.check == "attribution" for reason in own)
    assert perturb(corpus, ["length_increase"], gate=["checks"]).variants.height == 1
    task, made = _made("length_increase", text, [Edit(len(text), len(text), " They owe 4711 euros.")])
    assert "4711" in judge_consistency(task, made)[0]


@pytest.mark.slow
def test_nearly_every_rewrite_of_the_embedded_corpus_passes_the_second_parse() -> None:
    made = perturb(embedded_corpus(), ["writing_style"], gate=["parse"])
    stopped_ones = made.declined.filter(made.declined["reason"].str.starts_with("stopped by the gate"))
    assert made.variants.height / (made.variants.height + stopped_ones.height) >= 0.95


def test_checks_belie_a_kind_that_is_said_to_preserve() -> None:
    text = "The customer owes 20 euros and did not pay."
    assert judge_consistency(*_made("drop_phrases", text, [Edit(26, 42)]))[0] == ""
    assert "value" in judge_consistency(*_made("drop_phrases", text, [Edit(18, 20, "90")]))[0]


def test_the_model_judges_what_follows_the_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that knows one bigram: everything else is unlikely."""
    words = {"Nora": 0, "looks": 1, "at": 2, "birds": 3, ".": 4}

    def chances(text: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
        ids = [words[w] for w in text.replace(".", " .").split()]
        return tuple(ids), tuple(-1.0 if b == a + 1 else -9.0 for a, b in pairwise([-1, *ids]))

    by_model._scored.cache_clear()
    monkeypatch.setattr(by_model, "_chances", chances)
    monkeypatch.setattr(by_model, "_model", lambda: SimpleNamespace(signature="tiny#1"))
    cut = _made("drop_phrases", "Nora looks at birds.", [Edit(10, 13)])
    reason, record = by_model.judge_likelihood(*cut)
    assert "unlikely (-8.0, at least -2.6)" in reason
    assert record["model"] == "tiny#1"
    task = replace(cut[0], gates=("model",))
    assert stopped(task, cut[1])[0].startswith("stopped by the gate model")
    by_model._scored.cache_clear()


def test_what_a_gate_stops_is_declined_and_what_passes_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(
        parse_requests(["antonym_adjective"])[0], "The room is cheap.", None, ("d", "", "original", "overall"), 0
    )
    passed = run_rules(replace(task, gates=("parse",)))
    assert isinstance(passed, Variant)
    assert passed.provenance.notes["gates"] == {"parse": "passed"}
    monkeypatch.setattr("dialgauge.perturb._gates._FAULTS", (("broken", len),))
    monkeypatch.setattr("dialgauge.perturb._gates.parse", lambda text: [0] * len(text))
    refused = run_rules(replace(task, gates=("parse",)))
    assert refused == Declined("stopped by the gate parse: broken")


def test_what_the_checks_cannot_read_is_stopped_with_a_reason() -> None:
    turns = (Turn("A", "Wann kommt der Zug und wer holt ihn ab?"), Turn("I", "Ich weiß es nicht, wohl um 3 Uhr."))
    task, variant = _made("change_number", "Der Zug kommt um 3 Uhr.", [Edit(17, 18, "5")], Dialogue("d", turns))
    reason, _ = judge_consistency(task, variant)
    assert "English only" in reason


def _corpus() -> Bank:
    talk = (
        Turn("Ann", "The computer battery and the charger are broken."),
        Turn("Bob", "Ask the shop about the warranty."),
    )
    corpus = Corpus.build(
        [Dialogue("a", talk), Dialogue("b", (Turn("Ann", "I feed the horse."), Turn("Bob", "Nice pony.")))],
        [
            Summary(
                "a",
                "reference",
                "Ann wants a refund for the broken computer from the shop. It is late.",
                kind="reference",
            ),
            Summary("b", "ann", "Bob gives the horse an apple in the stable.", kind="reference"),
        ],
    )
    return bank_of(corpus)


def test_borrowed_sentences_stand_alone_and_fit() -> None:
    bank = _corpus()
    assert [s.template for s in bank.sentences] == [
        "{0} gives the horse an apple in the stable.",
        "{0} wants a refund for the broken computer from the shop.",
    ]
    here = Dialogue(
        "c", (Turn("Eve", "My computer charger and battery failed."), Turn("Tom", "The shop has a warranty."))
    )
    near = bank.fitting(here, "Eve has a broken computer.", past=False)
    assert [s.dialogue_id for s in near] == ["a"]
    assert not bank.fitting(here, "Eve has a horse.", past=True)


def test_the_commands_show_reasons_and_shares(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    write_corpus(Corpus.build([Dialogue("d", (Turn("A", "Hello."),))], [Summary("d", "s", "Nora left.")]), file)
    shown = CliRunner().invoke(app, ["perturbations", "antonym_adjective", "--declined", str(file), "--json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["declined"][0]["reason"] == "no adjective"
    text = "Nora calls Ivo about the car. Ivo likes it."
    write_corpus(Corpus.build([Dialogue("d", (Turn("A", "Hello."),))], [Summary("d", "s", text)]), file)
    command = ["perturbations", "length_increase", "--declined", str(file), "--gate", "parse"]
    gated = CliRunner().invoke(app, command)
    assert gated.exit_code == 0, gated.output
    assert "let through by the gates" in " ".join(gated.stdout.split())
    lonely = CliRunner().invoke(app, ["perturbations", "--gate", "parse"])
    assert isinstance(lonely.exception, InputError)
    assert "--gate needs --declined CORPUS" in str(lonely.exception)


def test_reasons_that_differ_in_numbers_are_listed_once(tmp_path: Path) -> None:
    texts = ["Nora left. Ivo sang.", "Nora left. Ivo sang. Eve ate."]
    dialogues = [Dialogue(f"d{i}", (Turn("A", "Hello."),)) for i in range(2)]
    corpus = Corpus.build(dialogues, [Summary(f"d{i}", "s", text) for i, text in enumerate(texts)])
    write_corpus(corpus, tmp_path / "two.jsonl")
    command = ["perturb", str(tmp_path / "two.jsonl"), "-p", "remove_important_sentence_6", "-o", str(tmp_path / "out")]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert "has 2 to 3" in shown.stdout


def test_robustness_uses_what_passed_the_gates(tmp_path: Path) -> None:
    corpus = embedded_corpus()
    write_corpus(corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(3)), tmp_path / "few")
    command = ["robustness", str(tmp_path / "few"), "-m", "length", "-m", "rouge-l", "-p", "writing_style"]
    outcome = CliRunner().invoke(app, [*command, "-d", "consistency", "--gate", "parse", "-o", str(tmp_path / "out")])
    assert outcome.exit_code == 0, outcome.output
    written = read_corpus(tmp_path / "out" / "corpus").summaries.filter(pl.col("variant") != ORIGINAL)
    assert written.height
    made = [read_provenance(text) for text in written["provenance"]]
    assert all(one is not None and one.notes["gates"] == {"parse": "passed"} for one in made)
