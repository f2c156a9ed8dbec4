"""What every perturbation must do: ours, and whatever is registered beside them."""

import json

import pytest

from dialgauge.perturb import (
    Declined,
    Perturbation,
    Variant,
    all_perturbations,
    outline,
    parse,
    parse_requests,
    perturb_text,
    read_provenance,
)
from dialgauge.perturb._edits import apply_edits
from tests.perturb.perturb_cases import GOLDEN, Case, all_cases, cases_of

BASELINE = [
    "add_negation",
    "antonym_adjective",
    "contractions",
    "drop_adjectives",
    "drop_phrases",
    "drop_stopwords",
    "expansions",
    "hyponyms",
    "jumble",
    "remove_punct",
    "repeat_sentences",
    "replace_nouns_pronouns",
    "sentence_reorder",
    "subject_verb_dis",
    "synonym_adjective",
    "typos",
]
PERTURBATIONS = list(all_perturbations().values())
CASES = all_cases()


def _id(value: Perturbation | Case) -> str:
    return value.name if isinstance(value, Perturbation) else f"{value.name}-{value.text[:24]}"


@pytest.fixture
def needs_parser(request: pytest.FixtureRequest) -> None:
    """Skip where the perturbation of this test needs the parser and there is none."""
    parameter = request.node.callspec.params
    name = (parameter.get("case") or parameter.get("perturbation")).name
    if "parse" in all_perturbations()[name].needs:
        request.getfixturevalue("parser")


def test_the_baseline_family_is_complete() -> None:
    assert sorted(p.name for p in PERTURBATIONS if p.family == "baseline") == BASELINE


@pytest.mark.parametrize("perturbation", PERTURBATIONS, ids=_id)
def test_it_declares_itself(perturbation: Perturbation) -> None:
    assert {"consistency", "relevance"} <= set(perturbation.effects)
    assert set(perturbation.effects.values()) <= {"preserves", "degrades", "degrades-mildly"}
    assert perturbation.description
    assert perturbation.citation
    assert perturbation.examples
    assert perturbation.levels == tuple(sorted(set(perturbation.levels)))


@pytest.mark.parametrize("perturbation", PERTURBATIONS, ids=_id)
def test_it_has_golden_cases(perturbation: Perturbation) -> None:
    assert (GOLDEN / f"{perturbation.name}.toml").is_file()
    cases = cases_of(perturbation.name)
    assert sum(bool(case.results) for case in cases) >= 3
    assert sum(bool(case.declines) for case in cases) >= 1


def test_no_golden_file_is_orphaned() -> None:
    assert {path.stem for path in GOLDEN.glob("*.toml")} <= set(all_perturbations())


@pytest.mark.usefixtures("needs_parser")
@pytest.mark.parametrize("case", [case for case in CASES if case.results], ids=_id)
def test_golden_case_applies(case: Case) -> None:
    outcome = perturb_text(case.text, case.spec, dialogue=case.dialogue)
    assert isinstance(outcome, Variant), outcome
    assert outcome.text in case.results
    assert outcome.text != case.text
    # The edits tell the whole story: what they do not touch is as it was, byte for byte.
    assert apply_edits(case.text, outcome.edits) == outcome.text
    position = 0
    for edit in outcome.edits:
        assert position <= edit.start <= edit.end <= len(case.text)
        assert case.text[edit.start : edit.end] != edit.replacement
        position = edit.end
    assert perturb_text(case.text, case.spec, dialogue=case.dialogue) == outcome


@pytest.mark.usefixtures("needs_parser")
@pytest.mark.parametrize("case", [case for case in CASES if case.results], ids=_id)
def test_golden_case_passes_its_validator_and_is_recorded(case: Case) -> None:
    outcome = perturb_text(case.text, case.spec, dialogue=case.dialogue)
    assert isinstance(outcome, Variant)
    declared = all_perturbations()[case.name]
    parsed = parse(case.text) if "parse" in declared.needs else outline(case.text)
    assert declared.validate(case.text, outcome.text, outcome.edits, parsed, case.dialogue) is None
    record = read_provenance(json.dumps(outcome.provenance.as_dict()))
    assert record == outcome.provenance
    assert record is not None
    assert (record.name, record.version, record.generator) == (declared.name, declared.version, "rules")
    assert parse_requests([record.label])[0].level == record.level


@pytest.mark.usefixtures("needs_parser")
@pytest.mark.parametrize("case", [case for case in CASES if case.declines], ids=_id)
def test_golden_case_declines(case: Case) -> None:
    outcome = perturb_text(case.text, case.spec, dialogue=case.dialogue)
    assert isinstance(outcome, Declined), outcome
    assert case.declines in outcome.reason


@pytest.mark.usefixtures("needs_parser")
@pytest.mark.parametrize("perturbation", PERTURBATIONS, ids=_id)
def test_nothing_to_perturb_declines(perturbation: Perturbation) -> None:
    for text in ("", " \n\t", "…", "!?"):
        outcome = perturb_text(text, f"{perturbation.name}_{perturbation.levels[0]}")
        assert isinstance(outcome, Declined)
        assert outcome.reason == "the text has no words"


@pytest.mark.usefixtures("needs_parser")
@pytest.mark.parametrize("perturbation", PERTURBATIONS, ids=_id)
def test_one_word_gives_a_variant_or_a_reason(perturbation: Perturbation) -> None:
    outcome = perturb_text("Hello", f"{perturbation.name}_{perturbation.levels[0]}")
    assert outcome.text != "Hello" if isinstance(outcome, Variant) else outcome.reason


@pytest.mark.usefixtures("needs_parser")
@pytest.mark.parametrize("perturbation", PERTURBATIONS, ids=_id)
def test_what_needs_a_parser_declines_chinese_and_the_rest_does_not_crash(perturbation: Perturbation) -> None:
    outcome = perturb_text("客户要求退款。客服同意了。", f"{perturbation.name}_{perturbation.levels[0]}")
    if "parse" in perturbation.needs:
        assert outcome == Declined("the parser supports English only; the text is Chinese")
    elif isinstance(outcome, Variant):
        assert outcome.text != "客户要求退款。客服同意了。"
