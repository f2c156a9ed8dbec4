"""A summary compared with its dialogue: every kind of reason, its evidence, and what is right stays right."""

import json

import pytest

from dialgauge.checks import (
    CheckedSummary,
    check,
    check_many,
    evidence_sentences,
    explain,
    read_evidence,
    with_error_rate,
)
from dialgauge.checks._introductions import names_of
from dialgauge.checks._source import turns_of
from dialgauge.corpus import Dialogue, Turn
from dialgauge.errors import InputError

pytestmark = pytest.mark.usefixtures("models")

CALL = """Tom: Hi Ines, can you book the room for Friday at half past three?
Ines: Sure, I'll book it for you. How many people?
Tom: About twenty. Do you want to join us for dinner?
Ines: No, sorry, I have to pick up my son. It costs 45 dollars.
Tom: ok, thanks!"""


def reasons(summary: str, call: str = CALL) -> dict[str, str]:
    """What fired, and what the dialogue says instead."""
    return {reason.check: reason.dialogue_says for reason in check(call, summary).reasons}


def test_a_right_summary_has_no_reason() -> None:
    checked = check(CALL, "Ines will book the room for Friday at 3:30 for twenty people. It costs $45.")
    assert checked.reasons == ()
    assert [sentence.verdict for sentence in checked.sentences] == ["no doubt found", "no doubt found"]
    assert checked.sentences[1].evidence[0] == 3


@pytest.mark.parametrize(
    ("summary", "fires", "instead"),
    [
        ("Ines will book the room for Friday at 5:00.", "value_conflict", "half past three"),
        ("Ines will book the room for thirty people.", "value_conflict", "twenty"),
        ("Ines will book the room with 60% off.", "value_absent", ""),
        ("Martin will book the room.", "name_absent", ""),
        (
            "Ines doesn't book the room for Tom.",
            "clause_negated",
            "Hi Ines, can you book the room for Friday at half past three?",
        ),
        ("Ines will join them for dinner.", "declined", "No, sorry, I have to pick up my son."),
        ("Tom has to pick up his son.", "attribution", "No, sorry, I have to pick up my son."),
    ],
)
def test_each_check_fires_and_shows_the_turn(summary: str, fires: str, instead: str) -> None:
    found = reasons(summary)
    assert fires in found
    assert found[fires] == instead
    assert (
        check(CALL, summary).p_right < check(CALL, "Ines will book the room for Friday.").p_right or fires == "declined"
    )


def test_spans_are_of_the_summary_and_of_the_turn() -> None:
    summary = "Ines will book the room for Friday at 5:00."
    (reason,) = (one for one in check(CALL, summary).reasons if one.check == "value_conflict")
    assert summary[slice(*reason.summary)] == "5:00"
    assert reason.turn == 0
    assert reason.turn_span is not None
    assert turns_of(CALL)[0].text[slice(*reason.turn_span)] == "half past three"


def test_records_count_from_one_and_are_json() -> None:
    record = check(CALL, "Ines will book the room. It costs $60.").records(dialogue_id="d", system="s")[1]
    assert (record["dialogue_id"], record["sentence"], record["text"]) == ("d", 2, "It costs $60.")
    assert record["verdict"] == "contradicted"
    assert record["evidence"][0] == record["reasons"][0]["turn"] == 4
    assert record["parts"] == {"checks": record["p_right"]}


def test_a_reason_never_raises_the_score() -> None:
    base = check(CALL, "Ines will book the room for Friday.").p_right
    for added in (" It costs $60.", " Martin pays.", " Ines does not have a son.", " Tom has to pick up his son."):
        assert check(CALL, "Ines will book the room for Friday." + added).p_right <= base


def test_nicknames_possessives_roles_and_case_are_no_errors() -> None:
    call = "Michael Brown: I lost my card.\nAgent: I'll block it now, Mr Brown.\nMichael Brown: thx"
    for summary in (
        "Mike lost his card.",
        "Michael's card is lost and the representative will block it.",
        "michael brown lost his card .",
        "Brown lost the card.",
    ):
        assert "name_absent" not in reasons(summary, call)


BANK = """Agent: Calder Bank, this is Morag Reid, can I take your full name?
Customer: Owen Pritchett. My aunt sends us a cheque, and my card is gone.
Agent: Thank you, Owen. I'll cancel the card now. My supervisor will ring you.
Supervisor: Hello Mr Pritchett, Ritu Fenn here. I've spoken to the branch, they've found the cheque.
Customer: Thanks Ritu."""


def test_speakers_with_roles_for_labels_have_the_names_that_the_talk_gives_them() -> None:
    assert names_of(turns_of(BANK)) == {
        "Agent": {"morag", "reid"},
        "Customer": {"owen", "pritchett"},
        "Supervisor": {"ritu", "fenn"},
    }
    assert "attribution" in reasons("Ritu will cancel the card.", BANK)
    assert "attribution" not in reasons("Morag will cancel the card.", BANK)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (
            "Sales: This is Marcus, am I speaking with Dana Whitfield?\nClient: I ask my boss, Mr Kessler.\nSales: ok",
            {"Sales": {"marcus"}, "Client": {"dana", "whitfield"}},
        ),
        ("Seller: You're speaking with Ann Bell.\nBuyer: Hi.", {"Seller": {"ann", "bell"}}),
        ("Clerk: What name is it, please?\nPatient: Helen Marsh.", {"Patient": {"helen", "marsh"}}),
    ],
)
def test_names_of_those_who_call_and_are_called(call: str, names: dict[str, set[str]]) -> None:
    assert names_of(turns_of(call)) == names


@pytest.mark.parametrize(
    "said",
    [
        "Agent: Good day Calder Vale Bank.\nCustomer: Hi, it's about my bill.",  # nobody is greeted by a company
        "Agent: And your daughter's name?\nCustomer: Isla. Thanks, Saturday is fine.\nAgent: Okay, That's all.",
        "Tom: Hi Ines, this is Ritu, my sister.\nInes: Hello Ritu.",  # who has a name needs none
    ],
)
def test_other_capitals_name_no_speaker(said: str) -> None:
    assert names_of(turns_of(said)) == {}


@pytest.mark.parametrize(
    ("summary", "wrong"),
    [
        ("Morag's card is gone.", True),
        ("Owen's card is gone.", False),
        ("Ritu's aunt sends a cheque.", True),
        ("Morag's supervisor will ring Owen.", False),
        ("Owen's supervisor will ring him.", True),
        ("Owen's branch has the cheque.", False),  # nobody says whose branch it is
    ],
)
def test_what_one_speaker_calls_their_own_is_nobody_elses(summary: str, wrong: bool) -> None:
    assert ("owner" in reasons(summary, BANK)) is wrong


def test_what_is_the_other_ones_as_well_is_no_reason() -> None:
    call = "Tom: I sold my car.\nInes: I saw your car. Where's her bike?\nTom: My bike is here too."
    assert "owner" in reasons("Ines's car is sold.", call)
    assert "owner" not in reasons("Ines's car is sold.", call.replace("I saw your car", "Is it like our car"))
    assert "owner" not in reasons("Ines's bike is here.", call)


def test_placeholders_are_speakers_however_they_are_written() -> None:
    call = "#Person1#: I lost my card.\n#Person2#: I'll block it."
    for summary in ("#Person1# lost a card.", "person1 lost a card .", "#Person 1# lost a card."):
        checked = check(call, summary)
        assert not {"name_absent", "value_absent", "attribution"} & {reason.check for reason in checked.reasons}
    assert "attribution" in reasons("#Person2# lost a card.", call)


@pytest.mark.parametrize(
    "written",
    [
        "| Tom: I lost my card | Ines: I'll block it | Tom: thanks",
        "Tom: I lost my card . Ines: I'll block it . Tom: thanks",
        "Tom: I lost my card\nInes: I'll block it\nTom: thanks",
    ],
)
def test_turns_in_one_line_are_split(written: str) -> None:
    assert [(turn.speaker, turn.text) for turn in turns_of(written)] == [
        ("Tom", "I lost my card"),
        ("Ines", "I'll block it"),
        ("Tom", "thanks"),
    ]


def test_a_colon_inside_a_turn_is_no_speaker() -> None:
    turns = (Turn("Tom", "Note: the room is booked"), Turn("Ines", "ok"))
    assert turns_of(turns) == turns


def test_many_give_what_each_gives_alone() -> None:
    texts = ["Ines will book the room.", "Tom has to pick up his son.", "It costs $60."]
    together: list[CheckedSummary] = list(check_many((CALL, text) for text in texts))
    assert together == [check(CALL, text) for text in texts]


def test_a_dialogue_its_turns_and_its_text_give_the_same() -> None:
    turns = turns_of(CALL)
    asked = [CALL, turns, Dialogue("d", turns)]
    assert len({repr(check(one, "It costs $60.")) for one in asked}) == 1


@pytest.mark.parametrize(("call", "summary", "word"), [("", "It costs $60.", "dialogue"), (CALL, " \n", "summary")])
def test_nothing_to_check_is_an_error(call: str, summary: str, word: str) -> None:
    with pytest.raises(InputError, match=f"the {word} is empty"):
        check(call, summary)


@pytest.mark.parametrize("summary", ["?! ...", "🙂🎉", "a", "x" * 5000, "\x00\u200b.", "5", "#", "Tom"])
def test_odd_summaries_get_a_number(summary: str) -> None:
    assert 0 <= check(CALL, summary).p_right <= 1


@pytest.mark.parametrize(
    ("call", "summary", "what"),
    [
        ("Tom: Kannst du den Raum für Freitag buchen, weil ich nicht da bin?\nInes: Ja.", "Ines books.", "dialogue"),
        (CALL, "Ines bucht den Raum für Tom, weil er nicht da ist und es will.", "summary"),
        (CALL, "客户要求退款。", "summary"),
    ],
)
def test_other_languages_are_refused(call: str, summary: str, what: str) -> None:
    with pytest.raises(InputError, match=f"English only: the {what} is likely in another language"):
        check(call, summary)


def test_chat_words_that_other_languages_have_are_english() -> None:
    chat = "Louis: Gotta go, my mom's calling me\nFabian: Ok, see ya\nLouis: See ya"
    assert 0 < check(chat, "Louis: Gotta go, my mom's calling me Fabian: Ok, see ya Louis: See ya").p_right < 1


@pytest.mark.parametrize(
    ("said", "summary", "absent"),
    [
        ("see you in nyc", "They meet in New York.", None),
        ("it is nearly xmas", "It is nearly Christmas.", None),
        ("i play wow", "Ann plays World of Warcraft.", None),
        ("found it on fb", "Ann found it on Facebook.", None),
        ("the wifi is off", "The Wi-Fi is off.", None),
        ("this is Jo's place", "It is the place of Jo.", None),
        ("see you in la", "They meet in New York.", "New York"),
        ("it is on fb", "It is on Flickr.", "Flickr"),
    ],
)
def test_a_name_counts_once_and_its_short_forms_mention_it(said: str, summary: str, absent: str | None) -> None:
    found = [r.says for r in check(f"Ann: {said}\nBen: ok, see you then", summary).reasons if not r.hint]
    assert found == ([] if absent is None else [absent])


def test_the_answer_to_a_question_or_an_offer_is_shown_beside_it() -> None:
    call = (
        "Agent: I could also move you to a fixed tariff.\nCustomer: I am moving out in June.\nAgent: A new line then?"
    )
    assert check(call, "The agent moves the customer to a fixed tariff.").sentences[0].evidence[:2] == (0, 1)


@pytest.mark.parametrize("call", ["hello", "...", "Tom:\nInes: 5", "A: 1 | B: 2", "🙂"])
def test_odd_dialogues_get_a_number(call: str) -> None:
    assert 0 <= check(call, "Tom will pay 5 dollars. He doesn't know Ines.").p_right <= 1


def test_an_expected_share_of_errors_moves_the_probability() -> None:
    assert with_error_rate(0.5, 0.5) == pytest.approx(0.5)
    assert with_error_rate(0.5, 0.1) == pytest.approx(0.9)
    assert with_error_rate(0.2, 0.8) < 0.2


def test_ids_that_are_read_out_are_found() -> None:
    call = "Agent: It is P F two seven, uh, seventy four.\nCaller: And my phone is five five five oh one nine nine."
    for summary in ("The caller has the number PF2774.", "The phone number is 555 0199."):
        assert "value_absent" not in reasons(summary, call)
    assert "value_absent" in reasons("The caller has the number PF2775.", call)
    corrected = "Agent: Your number?\nCaller: It's P F four five six, no, it's 4-5-7."
    assert "value_absent" not in reasons("The number is PF457.", corrected)
    assert "value_absent" in reasons("The number is PF458.", corrected)


def test_capitals_after_a_full_stop_and_adverbs_are_no_reasons() -> None:
    call = "Ann: It is ready at 4 p.m.\nBen: I'm away on Monday, and at home on Tuesday."
    assert "new_capital" not in reasons("It is ready at 4 p.m. Because Ben is away, it stays there.", call)
    assert "antonym" not in reasons("Ben stays away on Tuesday.", "Ben: I'll be home on Tuesday.\nAnn: Good to know.")


def test_a_negation_from_another_turn_is_no_error() -> None:
    call = (
        "Ann: Is there a waiting period for accidents?\nBen: No, accidents have no waiting period.\nAnn: Great.\n"
        "Ben: The plan pays ninety percent after the deductible.\nAnn: And the clinic?\nBen: They take direct payment."
    )
    summary = (
        "Accidents have no waiting period, and the plan pays ninety percent after the deductible by direct payment."
    )
    assert not {"negation_added", "clause_negated"} & reasons(summary, call).keys()


SHOP = """Agent: It is twelve dollars a month, and the first month is free.
Customer: I like that.
Agent: I could also move you to a fixed tariff.
Customer: I move out in June, but I like the letters for free, not on paper. I'm at work until one.
Agent: Anything else?
Customer: My internet's been down since Monday."""


@pytest.mark.parametrize(
    ("summary", "fires"),
    [
        ("The first month is not free.", True),  # a negation of something else is no excuse
        ("The customer has no internet.", False),  # it is down
        ("His internet has not worked for days.", False),  # "at work" is another matter
        ("The customer did not get any letter from the agent.", False),
    ],
)
def test_a_negation_is_compared_with_what_it_denies(summary: str, fires: bool) -> None:
    assert bool({"negation_added", "clause_negated"} & reasons(summary, SHOP).keys()) is fires


def test_what_somebody_does_not_want_is_from_the_other() -> None:
    assert "attribution" not in reasons("The customer does not want a fixed tariff.", SHOP)


def test_evidence_comes_back_from_its_json() -> None:
    dialogue = Dialogue("d", turns_of(CALL))
    checked = check(dialogue, "Tom has to pick up his son. It costs $60. Martin pays.")
    kept = [sentence for sentence in checked.records() if sentence["reasons"]]
    found = read_evidence(json.dumps(kept), checked.text, dialogue)
    assert [r.as_dict() for r in found.reasons] == [r.as_dict() for r in checked.reasons]
    assert evidence_sentences(found)[1]["reasons"][0]["turn"] == 4
    with pytest.raises(InputError, match="not evidence"):
        read_evidence('[{"sentence": 1}]', "x", dialogue)


def test_every_reason_is_explained_with_its_turn() -> None:
    summary = (
        "Tom doesn't book the room for 5:00. Martin pays $60. Ines will join them for dinner. It is an aardvark. "
        "Tom's son waits."
    )
    checked = check(CALL, summary)
    for reason in checked.reasons:
        told = explain(reason, checked)
        assert "“" in told
        assert (reason.turn is None) is ("turn " + str((reason.turn or 0) + 1) not in told)
        assert told.endswith("(a hint, it does not count)") is reason.hint
