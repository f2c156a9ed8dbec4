"""The domain family: what is particular to it, and that it holds on the whole embedded corpus."""

import math
import re
from collections import Counter
from itertools import combinations, pairwise
from random import Random

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import ORIGINAL, Corpus, Dialogue, Summary, Turn, embedded_corpus
from dialgauge.perturb import (
    PRIORS,
    Declined,
    Perturbed,
    Variant,
    all_perturbations,
    parse,
    perturb,
    perturb_text,
    read_provenance,
)
from dialgauge.perturb._domain_sides import sides_of
from dialgauge.perturb._domain_text import edits_between, lost_facts, negations, numbers, overlap, support
from dialgauge.perturb._domain_values import invented
from dialgauge.perturb._edits import apply_edits
from dialgauge.perturb._entities import draw_combination, find_entities, unrank
from dialgauge.perturb._frames import frames
from dialgauge.perturb._grammar import inflect
from dialgauge.perturb._importance import important_sentences
from dialgauge.perturb._left_behind import looks_back, points_back
from dialgauge.perturb._lexicon import lexicon, people, plural, root
from dialgauge.perturb._priors import fewest_ratings, fits
from dialgauge.perturb._stories import stories, story_of

DOMAIN = (
    "writing_style speaker_switch demographic_change noise_addition length_reduction length_increase category_change "
    "change_perturbation remove_important_sentence"
)
#: Floors against regressions, a little below what was measured on the 120 summaries of careful, glib and terse. Where
#: guards refuse (both sides do the same, nobody is named, a word of the old domain would stay) a text is declined.
SHARES = {
    "writing_style": 0.95,
    "speaker_switch": 0.33,  # a pronoun is declined where somebody else is named before it whom it may mean
    "demographic_change": 0.78,
    "noise_addition": 0.85,  # a chat without a clear topic is declined
    "length_reduction": 0.6,
    "length_increase": 0.98,
    "category_change": 0.4,
    "change_perturbation_1": 0.95,
    "change_perturbation_5": 0.45,  # a value that others tell (a sum, a row, an object of the call) stays
}
BANK = Dialogue(
    "bank",
    (
        Turn("Agent", "Calder Bank, Morag speaking.", "agent"),
        Turn("Customer", "Hi, my card is stuck in your cash machine.", "customer"),
        Turn("Agent", "What is your full name please?", "agent"),
        Turn("Customer", "Owen Pritchett. My sister Tessa is with me.", "customer"),
        Turn("Agent", "Thank you Owen. I cancel the card and refund $40 by Friday.", "agent"),
    ),
    domain="banking",
)


@pytest.fixture(scope="module")
def written(parser: str) -> Corpus:
    """The summaries of the embedded corpus that somebody wrote."""
    corpus = embedded_corpus()
    return corpus.select(systems=["careful", "glib", "terse"])


@pytest.fixture(scope="module")
def perturbed(written: Corpus) -> Perturbed:
    return perturb(written, ["domain"])


def test_the_family_is_complete() -> None:
    assert [p.name for p in all_perturbations().values() if p.family == "domain"] == DOMAIN.split()


def test_no_variant_equals_its_original_and_the_edits_tell_the_whole_story(perturbed: Perturbed) -> None:
    originals = {
        (row["dialogue_id"], row["system"]): row["text"]
        for row in perturbed.corpus.summaries.filter(pl.col("variant") == ORIGINAL).iter_rows(named=True)
    }
    assert perturbed.variants.height > 1000
    for row in perturbed.variants.iter_rows(named=True):
        original = originals[row["dialogue_id"], row["system"]]
        provenance = read_provenance(row["provenance"])
        assert provenance is not None
        assert row["text"] != original
        assert apply_edits(original, provenance.edits) == row["text"]


@pytest.mark.parametrize(("label", "share"), SHARES.items())
def test_it_applies_often_enough(perturbed: Perturbed, label: str, share: float) -> None:
    made = perturbed.variants.filter(pl.col("variant") == label).height
    declined = perturbed.declined.filter(pl.col("variant") == label).height
    assert made / (made + declined) >= share


def test_one_sentence_can_be_removed_from_nearly_every_summary_that_has_two(perturbed: Perturbed) -> None:
    label = pl.col("variant") == "remove_important_sentence_1"
    reasons = Counter(perturbed.declined.filter(label)["reason"])
    pointing = reasons.pop("what is left would point back to a sentence that is gone")
    # "The error" and "the supervisor" count as well, where only the sentence before tells which.
    assert pointing < 0.28 * perturbed.variants.filter(label).height
    assert list(reasons) == ["one sentence must stay, but the summary has 1"]


@pytest.mark.parametrize(
    ("sentence", "points"),
    [
        ("He's glad that the relationship with Rachel has ended.", True),
        ("At Eva's advice, she will drink some wine.", True),
        ("Sarah confirms it's booked for 3.30.", True),
        ("Ann, Bob and Carol want to buy him a lamp.", True),
        ("Ron is surprised by that.", True),
        ("Afterwards they'll have something to eat.", True),
        ("Mandy and Jane will visit her today.", True),
        ("Ala is on her way to the meeting.", False),
        ("Charles pays 80 with no pool, which he finds expensive.", False),
        ("The agent cancels the card and sends it by post.", False),
        ("There is a crowd outside the shop.", False),
    ],
)
def test_a_sentence_that_points_back_is_recognised(sentence: str, points: bool) -> None:
    assert bool(points_back(sentence)) is points


def test_somebody_who_is_named_twice_is_not_lost_with_one_mention() -> None:
    texts = ["Ann Holm called the bank.", "Ann Holm asked for a card.", "She thanked the clerk."]
    assert not looks_back(texts, [1])
    assert looks_back([texts[0], "Eve asked for a card.", texts[2]], [1])
    assert not looks_back([texts[0], "Bob asked for a card.", texts[2]], [1])  # she cannot be Bob
    assert looks_back(texts[1:], [0])


def test_a_pronoun_is_not_left_to_somebody_else() -> None:
    assert looks_back(["Celeb plays with Nathan.", "Celeb dislikes maths.", "He likes his school."], [1])
    passed_on = ["Kofi has her clean it.", "She is handed to Agnieszka.", "Agnieszka is busy.", "She waits a week."]
    assert looks_back(passed_on, [0, 1])
    assert not looks_back(["Ann is ill.", "She sleeps.", "She will call later."], [1])


@pytest.mark.parametrize(
    ("last", "needed"),
    [
        ("However, the bank refunds it.", True),
        ("The clerk then sends a form.", True),
        ("Mia is also sending a form.", True),
        ("Mia likes the idea too.", True),
        ("Their deaths are a shock.", True),
        ("If it is, the bank pays.", True),
        ("Mia agrees and pays.", True),
        ("Mia did not know as she was ill.", True),
        ("Mia thinks that is cheap.", True),
        ("The clerk takes a form and then sends it.", False),
        ("Mia agrees to pay.", False),
    ],
)
def test_a_sentence_that_is_said_beside_another_needs_it(last: str, needed: bool) -> None:
    assert looks_back(["Mia calls the bank.", "Two robbers took cards.", last], [1]) is needed


def test_a_pronoun_may_not_mean_somebody_who_is_gone() -> None:
    told = ["Oliver reported a burst pipe.", "The kitchen is flooded.", "An assessor comes, and he must take photos."]
    assert looks_back(told, [0])
    assert not looks_back(told, [1])
    assert looks_back(["Rachel has a cat, a girl called Portia.", "Rachel is ill.", "She is sneezing."], [1])


def test_texts_of_the_whole_family_are_tidy(perturbed: Perturbed) -> None:
    for text in perturbed.variants["text"]:
        assert not re.search(r" [,.;:!?](?!\d)|\(\s|\s\)|,,|\.\.(?!\.)| {2}", text), text
        assert text == text.strip() or text.endswith("\n")
        assert not re.search(r"\b[Aa]n? (?:the|an?|his|her)\b", text), text


def test_numbered_perturbations_change_exactly_n(perturbed: Perturbed) -> None:
    for row in perturbed.variants.iter_rows(named=True):
        provenance = read_provenance(row["provenance"])
        assert provenance is not None
        if provenance.name == "change_perturbation":
            assert len(provenance.notes["entities"]) == provenance.level
            assert {entity["source"] for entity in provenance.notes["entities"]} <= {"intrinsic", "extrinsic"}


def test_the_order_and_company_of_names_does_not_matter(written: Corpus) -> None:
    one = written.select(dialogues=["banking-01", "chat-01"])
    together = perturb(one, ["change_perturbation", "noise_addition", "category_change"])
    alone = perturb(one, ["noise_addition"])
    wanted = together.variants.filter(pl.col("variant") == "noise_addition")
    assert alone.variants.equals(wanted)
    assert not perturb(one, ["noise_addition"], seed=1).variants.equals(wanted)


@given(st.integers(0, 12), st.data())
def test_unranking_gives_every_combination_once(k: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, k))
    assert [unrank(k, n, rank) for rank in range(math.comb(k, n))] == list(combinations(range(k), n))


def test_unranking_never_lists_the_subsets_and_refuses_a_rank_beyond() -> None:
    assert unrank(200, 100, math.comb(200, 100) - 1) == tuple(range(100, 200))
    with pytest.raises(ValueError, match="outside the 10 combinations of 2 out of 5"):
        unrank(5, 2, 10)


def test_combinations_are_drawn_uniformly() -> None:
    import random

    rng = random.Random(7)
    drawn = Counter(draw_combination(5, 2, "uniform", rng) for _ in range(5000))
    assert len(drawn) == 10
    assert all(400 < count < 600 for count in drawn.values())


@given(st.integers(0, 2**32), st.integers(2, 15))
def test_nested_draws_contain_one_another(seed: int, k: int) -> None:
    import random

    draws = [{*draw_combination(k, n, "nested", random.Random(seed))} for n in range(1, k + 1)]
    assert all(smaller < larger for smaller, larger in pairwise(draws))


@pytest.mark.usefixtures("parser")
def test_nested_changes_contain_one_another() -> None:
    text = "Owen Pritchett paid $120 to Morag in Leeds on Monday at 9:30 under CV4711."
    changes = []
    for n in range(1, 6):
        outcome = perturb_text(text, f"change_perturbation_{n}:mode=nested", dialogue=BANK)
        assert isinstance(outcome, Variant)
        changes.append({tuple(sorted(entity.items())) for entity in outcome.provenance.notes["entities"]})
    assert all(smaller < larger for smaller, larger in pairwise(changes))


@pytest.mark.usefixtures("parser")
def test_nested_changes_contain_one_another_where_some_are_only_taken_at_need() -> None:
    """Placeholders, which become somebody who is not there, come after names and amounts."""
    text = "Nora paid $40 and met #Person1# and #Person2#."
    for seed in range(8, 12):
        changed = []
        for n in range(1, 5):
            outcome = perturb_text(text, f"change_perturbation_{n}:mode=nested", seed=seed)
            assert isinstance(outcome, Variant)
            changed.append({entity["from"] for entity in outcome.provenance.notes["entities"]})
        assert all(smaller < larger for smaller, larger in pairwise(changed))
        assert changed[1] == {"Nora", "$40"}


def test_nested_removals_contain_one_another() -> None:
    sentences = (
        "The manager approves a voucher for the next order.",
        "Nora asks for a written confirmation by letter.",
        "He also books a technician for Thursday afternoon.",
        "The agent Paul promises a full refund of the price.",
        "Nora reports that the washing machine arrived broken on Monday.",
    )
    told = Dialogue("d", (Turn("Customer", "Nora wants a refund for the broken washing machine of Monday."),))
    pairs = 0
    for seed in range(8):
        outcomes = [
            perturb_text(" ".join(sentences), f"remove_important_sentence_{n}:mode=nested", dialogue=told, seed=seed)
            for n in (1, 2, 3)
        ]
        gone = [{one for one in sentences if one not in o.text} for o in outcomes if isinstance(o, Variant)]
        assert all(smaller < larger for smaller, larger in pairwise(gone))
        pairs += len(gone) - 1
    assert pairs > 4


@pytest.mark.usefixtures("parser")
def test_intrinsic_values_come_from_the_dialogue() -> None:
    outcome = perturb_text("The agent refunds $60.", "change_perturbation_1:source=intrinsic", dialogue=BANK)
    assert isinstance(outcome, Variant)
    assert outcome.text == "The agent refunds $40."
    assert outcome.provenance.notes["entities"][0]["source"] == "intrinsic"


@pytest.mark.usefixtures("parser")
def test_no_two_entities_become_the_same_and_none_its_neighbour() -> None:
    text = "Anna and Emma flew from Oslo to Vienna, then from Porto to Dublin on an ATM trip."
    for seed in range(40):
        outcome = perturb_text(text, "change_perturbation_5", seed=seed)
        assert isinstance(outcome, Variant)
        names = re.findall(r"[A-Z]\w+", outcome.text)
        assert len(names) == len(set(names)), outcome.text


@pytest.mark.usefixtures("parser")
def test_placeholder_speakers_are_entities() -> None:
    outcome = perturb_text("#Person1# thanks #Person2#.", "change_perturbation_1")
    assert isinstance(outcome, Variant)
    assert re.fullmatch(r"#Person\d# thanks #Person\d#\.", outcome.text)
    assert len({*re.findall(r"#Person\d#", outcome.text)}) == 2


@pytest.mark.usefixtures("parser")
def test_entities_are_typed_and_mentions_of_one_belong_together() -> None:
    text = (
        "Mrs Hallam paid £1,500 and £250 (12%) on Thursday 3 July at 9:30; claim 552086, phone 020 555 0147. The "
        "customer waits three weeks. Hallam called from Leeds."
    )
    found = {group.surface: group.kind for group in find_entities(parse(text), lexicon().domains["insurance"])}
    assert found["Mrs Hallam"] == "person"
    assert found["£1,500"] == found["£250"] == "money"
    assert found["12%"] == "percentage"
    assert found["Thursday"] == "weekday"
    assert found["3 July"] == "date"
    assert found["9:30"] == "time"
    assert found["552086"] == "id"
    assert found["020 555 0147"] == "phone"
    assert found["claim"] == "term"
    assert found["The customer"] == "role"
    assert found["three weeks"] == "quantity"
    assert found["Leeds"] == "place"
    hallam = next(g for g in find_entities(parse(text), None) if g.surface == "Mrs Hallam")
    assert len(hallam.spans) == 2


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("She turned down a raise from Gloria because she had other plans.", "Gloria"),
        ("He hides that the information came from Ulli.", "Ulli"),
        ("The customer paid by card and upgraded the router over the phone.", "phone"),
    ],
)
def test_who_tells_something_and_by_what_means_is_no_place_and_no_thing(text: str, kept: str) -> None:
    found = find_entities(parse(text), lexicon().domains["telecom"])
    assert not [group for group in found if group.surface == kept and group.kind in ("place", "term")]


@pytest.mark.usefixtures("parser")
def test_nobody_gets_a_role_for_a_name() -> None:
    turns = [Turn("Clerk", "Council, Imogen speaking."), Turn("Resident", "The bins are full again.")]
    for seed in range(10):
        outcome = perturb_text(
            "Imogen promised to send a lorry.", "change_perturbation_1", dialogue=Dialogue("d", tuple(turns)), seed=seed
        )
        assert isinstance(outcome, Variant)
        assert not {"Resident", "Clerk"} & {*outcome.text.split()}


@given(
    st.sampled_from([
        *(("money", surface) for surface in ("£120", "$1,480", "€0.50", "$131.46", "3k pounds")),
        *(("percentage", "12%"), ("number", "7"), ("quantity", "three weeks"), ("quantity", "2 days")),
        *(("date", "the 27th"), ("date", "3 July"), ("date", "March 1"), ("weekday", "Friday"), ("month", "May")),
        *(("time", "9:30"), ("time", "14:52"), ("time", "4 p.m"), ("id", "CV4711"), ("phone", "020 555 0147")),
        *(("person", "Mrs Hallam"), ("person", "Owen Pritchett"), ("place", "Leeds"), ("organisation", "Acme")),
    ]),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_invented_values_differ_and_keep_their_form(entity: tuple[str, str], rng: object) -> None:
    kind, surface = entity
    made = invented(kind, surface, rng)  # type: ignore[arg-type]
    assert made is not None
    assert made != surface
    if kind in ("money", "percentage", "id", "phone", "time"):
        letters = re.sub(r"[\d.,]", "", surface)
        assert re.sub(r"[\d.,]", "", made) == letters


def test_speakers_are_found_by_how_they_are_addressed() -> None:
    text = "Owen Pritchett called the bank with Tessa; Morag helped."
    sides = sides_of(BANK, text)
    assert [(mention.text, mention.side) for mention in sides.mentions(text)] == [("Owen Pritchett", 0), ("Morag", 1)]
    assert "tessa" not in sides.names[0] | sides.names[1]


@pytest.mark.parametrize(
    "text",
    [
        "The customer asked the agent for help, and the agent helped the customer.",
        "Owen Pritchett called. Morag cancelled the card.",
        "Customers and agents met; one agent left.",
    ],
)
def test_switching_twice_gives_the_original(text: str) -> None:
    once = perturb_text(text, "speaker_switch", dialogue=BANK)
    assert isinstance(once, Variant)
    twice = perturb_text(once.text, "speaker_switch", dialogue=BANK)
    assert isinstance(twice, Variant)
    assert twice.text == text


def test_placeholder_speakers_are_switched() -> None:
    dialogue = Dialogue("p", (Turn("#Person1#", "Hi."), Turn("#Person2#", "Hello.")))
    outcome = perturb_text("#Person1# greets #Person2#.", "speaker_switch", dialogue=dialogue)
    assert isinstance(outcome, Variant)
    assert outcome.text == "#Person2# greets #Person1#."


def test_a_placeholder_is_not_switched_alone_beside_somebody_with_a_full_name() -> None:
    dialogue = Dialogue("p", (Turn("#Person1#", "Hi."), Turn("#Person2#", "Hello.")))
    outcome = perturb_text("Tiang Had shows #Person2# around the factory.", "speaker_switch", dialogue=dialogue)
    assert isinstance(outcome, Declined)
    assert "may be the other one" in outcome.reason


def test_a_town_does_not_become_itself_in_another_spelling() -> None:
    assert {invented("place", "Cracow", Random(seed)) for seed in range(60)}.isdisjoint({"Krakow", "Cracow", None})


def test_a_card_beside_other_cards_and_islands_of_a_country_stay() -> None:
    for text in ("The credit card is lost; the debit card is blocked.", "Japan is made up of islands."):
        outcome = perturb_text(f"The customer called. {text}", "change_perturbation_1")
        assert isinstance(outcome, Declined) or text in outcome.text


@pytest.mark.parametrize("label", ["Office", "Bakery"])
def test_labels_of_turns_are_no_names(label: str) -> None:
    dialogue = Dialogue("l", (Turn(label, "This is the bakery."), Turn("Irina", "Hello."), Turn(label, "Yes?")))
    outcome = perturb_text("Irina would rather pay for the delivery.", "speaker_switch", dialogue=dialogue)
    assert isinstance(outcome, Declined)
    assert "no name" in outcome.reason


def test_unknown_roles_are_declined() -> None:
    outcome = perturb_text("The wizard met the dragon.", "speaker_switch")
    assert isinstance(outcome, Declined)
    assert "neither side" in outcome.reason


@pytest.mark.usefixtures("parser")
def test_what_is_added_is_unknown_to_the_transcript() -> None:
    for n in (1, 2, 3):
        outcome = perturb_text("The customer's card was stuck.", f"noise_addition_{n}", dialogue=BANK)
        assert isinstance(outcome, Variant)
        added = "".join(edit.replacement for edit in outcome.edits)
        assert added.count(".") == n
        assert support(added, BANK.text) < 0.6
        assert outcome.provenance.notes["domain"] == "banking"


def test_importance_follows_the_categories_and_falls_back_on_the_transcript() -> None:
    from dialgauge.perturb import outline

    text = "The card was stuck in the cash machine. The agent was friendly. A refund of the payment follows."
    by_category = important_sentences(outline(text), BANK)
    assert (by_category.sentences, by_category.method) == ((0, 2), "categories")
    chat = Dialogue("c", (Turn("Mia", "I baked a plum cake for gran."), Turn("Tom", "Gran loves plum cake!")))
    by_cosine = important_sentences(outline("Plum cake is baked for gran. Nothing else happens."), chat)
    assert (by_cosine.sentences, by_cosine.method) == ((0,), "tf-idf")


def test_one_sentence_always_stays() -> None:
    text = "The card was stuck. The card was cancelled. The card was sent."
    for n in range(1, 7):
        outcome = perturb_text(text, f"remove_important_sentence_{n}", dialogue=BANK)
        assert isinstance(outcome, Variant) == (n <= 2)


@given(st.text(alphabet="ab c.,", max_size=40), st.text(alphabet="ab c.,", max_size=40))
def test_edits_between_two_texts_turn_the_one_into_the_other(first: str, second: str) -> None:
    assert apply_edits(first, edits_between(first, second)) == second


def test_numbers_and_negations_are_read_in_all_their_forms() -> None:
    assert numbers("Three of 1,480 on Friday 3.5% twenty-one") == {"3", "1480", "fri", "3.5", "21"}
    assert numbers("no one, one more") == frozenset()
    assert negations("He didn't, cannot and never will; no.") == 4
    assert overlap("a b c", "A b c") == 1
    assert overlap("a b", "c d") == 0


@pytest.mark.usefixtures("parser")
def test_a_lost_name_is_noticed() -> None:
    parsed = parse("Nora met Mr Smith in Leeds.")
    assert lost_facts(parsed.text, "Nora met Smith in York.", parsed) == "the name 'leeds' is lost"
    assert lost_facts(parsed.text, parsed.text, parsed) is None


def test_another_word_for_the_same_thing_is_no_change() -> None:
    summaries = [Summary("bank", f"s{n}", "The ATM swallowed it.") for n in range(12)]
    made = perturb(Corpus.build([BANK], summaries), ["change_perturbation_1"])
    assert set(made.variants["text"]) == {"The card reader swallowed it."}


def test_a_span_of_time_does_not_become_a_sum() -> None:
    turns = (Turn("Agent", "It costs ninety dollars, for twelve months.", "agent"),)
    summaries = [Summary("d", f"s{n}", "There is a pause of three months.") for n in range(12)]
    made = perturb(Corpus.build([Dialogue("d", turns)], summaries), ["change_perturbation_1"])
    assert made.variants.height == 12
    assert all("months" in text for text in made.variants["text"])


@pytest.mark.usefixtures("parser")
def test_the_object_of_the_request_is_exchanged_for_one_of_its_frame() -> None:
    text = "The customer wants to cancel the gym membership, and the agent renews the gym membership."
    nouns = {member.noun for frame in frames().frames for member in frame.members if frame.name == "agreement"}
    for seed in range(12):
        outcome = perturb_text(text, "category_change", seed=seed)
        assert isinstance(outcome, Variant)
        new = outcome.provenance.notes["to"]
        assert new in nouns
        assert outcome.text == text.replace("gym membership", new)


@pytest.mark.usefixtures("parser")
def test_the_trip_of_the_paper_is_a_trip_and_the_doctor_stays() -> None:
    text = "The customer wants to cancel the trip due to a doctor's appointment change."
    outcome = perturb_text(text, "category_change")
    assert isinstance(outcome, Variant)
    assert "trip" not in outcome.text
    assert "doctor's appointment change" in outcome.text


def test_the_reason_of_a_request_is_not_its_domain() -> None:
    text = "They find the trip. The customer wants to cancel it due to a doctor's appointment at the clinic."
    found = lexicon().domain_of(None, text)
    assert found is None or found.name == "travel"
    assert lexicon().domain_of(None, "The patient asked the doctor for a prescription at the clinic.") is not None


@pytest.mark.usefixtures("parser")
def test_people_keep_their_places_in_another_story() -> None:
    text = "Nora baked a cake. Ivo will bring the candles, and she thanks him. They meet at 6."
    outcome = perturb_text(text, "category_change")
    assert isinstance(outcome, Variant)
    sentences = outcome.text.split(". ")
    assert [sentence.split()[0] for sentence in sentences] == ["Nora", "Ivo", "They"]
    told = next(story for story in stories() if story.domain == outcome.provenance.notes["to"])
    assert any(sentences[0].endswith(line.split(" ", 1)[1]) for line in told.predicates["opening"])
    assert not {"cake", "candles", "6"} & {word.strip(".") for word in outcome.text.split()}


def test_every_domain_has_a_story_that_can_be_told_of_anybody() -> None:
    assert {story.domain for story in stories()} > set(lexicon().domains)
    assert len(stories()) == 13
    for story in stories():
        lines = [line for lines in story.predicates.values() for line in lines]
        assert len(set(lines)) == len(lines) == 11
        for line in lines:
            verb, _, rest = line.partition(" ")
            assert inflect(verb, "VBZ")
            assert inflect(verb, "VBD")
            assert not {"he", "she", "his", "her", "is", "was", "has", "will"} & {*rest.split()}


@pytest.mark.usefixtures("parser")
def test_three_values_of_the_entity_example_of_the_paper_can_change() -> None:
    text = (
        "The reason for the agent to call is to inform the customer that their life insurance policy payment has "
        "declined and to provide them with the phone number to call in order to keep the policy in place."
    )
    outcome = perturb_text(text, "change_perturbation_3")
    assert isinstance(outcome, Variant)
    assert len(outcome.provenance.notes["entities"]) == 3


_TURNS = "Agent: Patient billing, this is Dwight, how can I help Customer: Hi Dwight, my card is stuck in the machine."


@pytest.mark.usefixtures("parser")
def test_turns_of_a_dialogue_are_not_rewritten_as_sentences() -> None:
    assert perturb_text(_TURNS, "category_change") == Declined("turns of the dialogue, not sentences of a summary")
    switched = perturb_text(_TURNS, "speaker_switch")
    assert isinstance(switched, Variant)
    assert switched.text.startswith("Customer: Patient billing, this is Dwight, how can I help Agent: Hi")
    invented = perturb_text(_TURNS, "demographic_change")
    assert isinstance(invented, Variant)
    assert re.search(r"help Customer \([^)]+\): Hi Dwight, my card", invented.text)
    noisy = perturb_text(_TURNS, "noise_addition_2", dialogue=BANK)
    assert isinstance(noisy, Variant)
    assert noisy.text.startswith(_TURNS)


def test_the_label_of_the_next_turn_is_no_surname() -> None:
    talk = Dialogue("d", (Turn("Agent", "This is Nia. Can I help?", "agent"), Turn("Patient", "Hi Nia, thanks Nia.")))
    text = "Agent: This is Nia Patient: Hi Nia, thanks Nia."
    named = [(m.text, m.side, m.kind) for m in sides_of(talk, text).mentions(text)]
    assert named[:3] == [("Agent", 1, "role"), ("Nia", 1, "name"), ("Patient", 0, "role")]


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("The customer wants to cancel the trip due to a doctor's appointment change.", "travel"),
        ("The agent told the customer about solar panels and asked for utility bills.", "energy"),
        ("The customer wants to return a jacket that is too small.", "retail"),
        ("The caller wants a ticket for the concert.", "entertainment"),
        ("The member wants to cancel the gym membership.", "fitness"),
        ("The customer complains about the rent of the flat.", "housing"),
        ("The customer asks the agent for a table and a menu.", "restaurant"),
    ],
)
def test_noise_fits_what_a_call_is_about(text: str, domain: str) -> None:
    story = story_of(None, text)
    assert story is not None
    assert story.domain == domain


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    ["The customer called about an issue. The agent resolved it.", "The customer gave the agent a phone number."],
)
def test_a_call_about_nothing_known_gets_a_sentence_that_fits_any(text: str) -> None:
    assert story_of(None, text) is None
    made = perturb_text(text, "noise_addition")
    assert isinstance(made, Variant)
    added = made.text.removeprefix(text).split()[-1]
    assert any(template.endswith(added) for template in lexicon().business_noise)


def test_the_lexicon_is_sound() -> None:
    words = lexicon()
    assert list(words.domains) == [
        *("banking", "insurance", "medical", "telecom", "travel", "education", "automotive"),
    ]
    shared = {"organisation", "agreement", "item", "document", "booking", "check", "specialist", "place", "charge"}
    for domain in words.domains.values():
        assert set(domain.terms) >= shared
        listed = [term for terms in domain.terms.values() for term in terms]
        assert len(listed) == len(set(listed)), "a noun has one slot"
    everything = {term for domain in words.domains.values() for terms in domain.terms.values() for term in terms}
    assert all(group <= everything for group in words.same)
    assert words.mass <= everything
    for domain in words.domains.values():
        assert len(domain.noise) >= 9
        assert len(domain.categories) >= 5
        assert all(len(category.keywords) >= 8 for category in domain.categories)
    assert all(len(story.noise) >= 9 for story in stories())
    pools = (words.chat_noise, *(topic.noise for topic in words.topics), *(story.noise for story in stories()))
    for template in (template for pool in pools for template in pool):
        assert template.endswith(".")
        assert {*re.findall(r"\{(\w+)\}", template)} <= {"Customer", "customer", "Agent", "agent"}
        assert template.count("[") == template.count("|") == template.count("]")
    assert not {*people().feminine} & {*people().masculine}
    assert people().gender_of("Mrs. Hallam") == "feminine"
    assert people().gender_of("Owen Pritchett") == "masculine"
    assert people().gender_of("Acme") is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("payments", "payment"),
        ("cancelled", "cancel"),
        ("cancelling", "cancel"),
        ("policies", "policy"),
        ("bus", "bus"),
    ],
)
def test_roots(word: str, expected: str) -> None:
    assert root(word) == expected == root(expected)


def test_plurals() -> None:
    assert [plural(noun) for noun in ("card", "policy", "branch", "survey")] == [
        "cards",
        "policies",
        "branches",
        "surveys",
    ]


def test_priors_are_the_printed_numbers_with_their_doubts() -> None:
    assert len(PRIORS) == 34
    assert PRIORS["change_perturbation_2"]["consistency"].mean > PRIORS["change_perturbation_1"]["consistency"].mean
    known = {"expansions": 2, "contractions": 4, "hyponyms": 4, "antonym_adjective": 9, "synonym_adjective": 13}
    known |= dict.fromkeys(("add_negation", "drop_adjectives", "replace_nouns_pronouns", "speaker_switch"), 19)
    for label, n in known.items():
        assert PRIORS[label]["consistency"].n == PRIORS[label]["relevance"].n == n
        assert "cannot come from the 25 whole ratings" in PRIORS[label]["relevance"].caveat
    for label, prior in PRIORS.items():
        assert fits(prior["consistency"].n, prior["consistency"].mean, prior["relevance"].mean), label
        assert re.sub(r"_\d$", "", label) in all_perturbations()


@given(st.lists(st.integers(1, 7), min_size=1, max_size=40))
def test_the_inferred_number_of_ratings_is_never_too_large(ratings: list[int]) -> None:
    mean = round(sum(ratings) / len(ratings), 2)
    assert fewest_ratings(mean) <= len(ratings)


def test_a_turn_without_a_speaker_stops_nothing() -> None:
    dialogue = Dialogue("d", (Turn("", "Hello."), Turn("Mia", "Anna pays $40 on Monday.")))
    assert isinstance(perturb_text("Anna pays $40 on Monday.", "change_perturbation_1", dialogue=dialogue), Variant)


@pytest.mark.usefixtures("parser")
def test_where_business_is_done_nobody_speaks_of_private_life() -> None:
    turns = (Turn("Ida", "Shall we start?"), Turn("Otto", "Yes."))
    private = {template.partition("} ")[2].partition("]")[2] for template in lexicon().chat_noise[5:]}
    for number in range(12):
        made = perturb_text(
            "Ida asks Otto about the contract.", "noise_addition_1", dialogue=Dialogue(str(number), turns)
        )
        assert isinstance(made, Variant)
        assert not any(made.text.endswith(ending) for ending in private)
