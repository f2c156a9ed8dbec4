"""demographic_change and noise_addition: invented content is added."""

import re
from collections.abc import Callable, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._bank import Bank
from dialgauge.perturb._domain_sides import Side, sides_of
from dialgauge.perturb._domain_text import CITATION, numbers, source_of, support, tells_past
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._entities import MONTHS
from dialgauge.perturb._lexicon import lexicon, people, roots
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import copies_turns
from dialgauge.perturb._stories import Story, story_of

#: Maximum number of places of a summary that get invented details.
_MOST_PARTICULARS = 3
#: So many words of a transcript say what a call is about.
_CLEAR = 3
#: Of the sentences that fit best, one of so many is borrowed.
_NEAREST = 3
_FORMAL = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof)\b|\b[Ii]nterview|[£$€]\s?\d|"
    r"\b(?:appl(?:y|ies)|bills?|boss|buys?|clerk|client|colleagues?|company|conference|contract|customer|job|manager|meeting"
    r"|factory|flights?|hotel|insurance|loan|market|office|orders?|passport|patient|production|proposes|pays?|prices?|products?|professor|project|recommends|rents?|reserv\w+|salary|sales?|shipment"
    r"|staff|team)\b"
)
#: A sentence counts as unsupported if less than this share of its content words is known.
_SUPPORTED = 0.6


def _full_name(rng: Random, text: str = "") -> str:
    """A name that fits the pronouns of the text."""
    table = people()
    feminine, masculine = (len(re.findall(rf"\b(?:{words})\b", text)) for words in ("she|her|She|Her", "he|his|He|His"))
    firsts = table.feminine if feminine > masculine else table.masculine
    if feminine == masculine:
        firsts = (*table.feminine, *table.masculine)
    return f"{rng.choice(firsts)} {rng.choice(table.surnames)}"


def _birth_date(rng: Random) -> str:
    return f"{rng.choice(MONTHS)} {rng.randint(1, 28)}, {rng.randint(1948, 2003)}"


def _phone(rng: Random) -> str:
    # Numbers 555-0100 to 555-0199 are kept free for use in fiction.
    return f"{rng.randint(201, 989)}-555-01{rng.randint(0, 99):02d}"


def _address(rng: Random) -> str:
    table = people()
    return f"{rng.randint(2, 198)} {rng.choice(table.streets)}, {rng.choice(table.towns)}"


def _identifier(rng: Random) -> str:
    return "".join(str(rng.randint(0, 9)) for _ in range(9))


def _email(rng: Random) -> str:
    table = people()
    return f"{rng.choice(table.feminine).lower()}.{rng.choice(table.surnames).lower()}@{rng.choice(table.email_hosts)}"


#: Nouns that name a slot, and what is put in brackets behind them. The first pattern that matches a place has it.
_SLOTS: tuple[tuple[str, re.Pattern[str], Callable[[Random], str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{pattern})\b(?!['’]s|\s+(?:is|was)\b|\s*[(:#]|\s+[A-Z\d])", re.IGNORECASE), make)
    for kind, pattern, make in (
        ("birth date", r"date of birth|birth date|birthday|dob", _birth_date),
        (
            "phone",
            r"(?:phone|telephone|contact|mobile|cell|landline|call-?back)\s+number|her number|his number",
            _phone,
        ),
        ("email", r"e-?mail address", _email),
        ("address", r"(?:home |postal |billing |delivery |registered |new |old )?address(?!es)", _address),
        (
            "identifier",
            r"(?:policy|account|member|membership|customer|claim|reference|case|order|booking|confirmation|tracking"
            r"|medicaid|student|insurance|id|ticket)\s+(?:number|id|reference)|medicaid id",
            _identifier,
        ),
        ("name", r"(?:full |first |last )?name(?!\s+of)|surname", _full_name),
    )
)


#: A possessive, a further name or an opened apposition leaves no room for a remark; nor does a second name in a pair.
_ROOM = re.compile(r"(?! (?:and|or) )(?: (?![A-Z(])|,? [a-z])")
_LABELLED = re.compile(r":\s")
_AGE = re.compile(r"\b(?:aged|years? old|year-old)\b|\d(?:st|nd|rd|th) birthday", re.IGNORECASE)


def _propose_demographic(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Proposal | NotApplicable:
    text = parsed.text
    places: dict[int, tuple[str, str]] = {}
    # What somebody says stays as it is: "For the name (Petra Ingleby), please upload …" is nobody's turn.
    for kind, pattern, make in () if copies_turns(text) else _SLOTS:
        for match in pattern.finditer(text):
            if match.end() not in places and not any(abs(match.end() - place) < 12 for place in places):
                places[match.end()] = (kind, f" ({_full_name(rng, text) if kind == 'name' else make(rng)})")
                break
    if len(places) < _MOST_PARTICULARS and (person := _person_place(text, dialogue, rng)) is not None:
        places.setdefault(person[0], ("person", person[1]))
    if not places:
        return NotApplicable("neither a side of the conversation nor a particular of somebody is named")
    chosen = sorted(rng.sample(sorted(places), min(len(places), _MOST_PARTICULARS)))
    edits = [Edit(place, place, places[place][1]) for place in chosen]
    return Proposal(edits, {"particulars": [places[place][0] for place in chosen]})


def _person_place(text: str, dialogue: Dialogue | None, rng: Random) -> tuple[int, str] | None:
    """The first mention of a side (the one that wants something first) where a remark on that person can follow; in
    turns of the dialogue only where their labels end."""
    sides, room = sides_of(dialogue, text), _LABELLED if copies_turns(text) else _ROOM
    mentions = sides.mentions(text)
    for mention in sorted(mentions, key=lambda one: one.side):
        if not room.match(text, mention.end):
            continue
        born = f"born on {_birth_date(rng)}"
        aged = _AGE.search(text) is not None  # a second age would not be one
        named = any(other.side == mention.side and other.kind == "name" for other in mentions)
        if mention.kind == "role" and mention.text.endswith("s"):
            continue
        if mention.kind == "role" and not named:
            name = _full_name(rng, text)
            remarks = [f"{name}, {born}", f"{name} of {_address(rng)}"]
        else:
            remarks = [born, f"of {_address(rng)}", f"phone {_phone(rng)}"]
        remark = rng.choice(remarks[1:] if aged else remarks)
        return mention.end, f" ({remark})"
    return None


def _validate_demographic(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    if complaint := _kept(original, edits, parsed):
        return complaint
    known = source_of(original, dialogue)
    for edit in edits:
        if numbers(edit.replacement) - numbers(known):
            return None
        if any(name not in known for name in re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+", edit.replacement)):
            return None
    return "no detail was added that is not in the transcript"


def _propose_noise(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, bank: Bank
) -> Proposal | NotApplicable:
    """Sentences of the lexicon for calls between a customer and somebody who serves; for everything else sentences that
    summaries of similar conversations have."""
    text, past, sides = parsed.text, tells_past(parsed), sides_of(dialogue, parsed.text)
    chat = bool(sides.display[0] and sides.display[1] and not sides.words[0])
    story = None if chat else _clear_story(dialogue, text)
    about = story.domain if story else ""
    pool: Sequence[str] = story.noise if story else ()
    near = [] if story else bank.fitting(dialogue, text, past)[: max(_NEAREST, level)]
    if not story and len(near) < level:
        about, pool = (
            _of_the_topic(dialogue, text) if chat or not sides.mentions(text) else ("", lexicon().business_noise)
        )
    notes: dict[str, object] = {"domain": about}
    if pool:
        known = source_of(text, dialogue)
        unsaid = [t for t in rng.sample(pool, len(pool)) if support(_without_people(t), known) < _SUPPORTED]
        called = _called(text, dialogue)
        sentences = list(dict.fromkeys(_filled(template, called, past) for template in unsaid))[:level]
    else:
        chosen = rng.sample(near, min(level, len(near)))
        notes = {"borrowed_from": sorted({sentence.dialogue_id for sentence in chosen})}
        sentences = _with_names([sentence.template for sentence in chosen], dialogue, text)
    if len(sentences) < level:
        return NotApplicable("too few sentences fit the conversation without being said in it")
    # Among turns a sentence of a summary stands behind the last one.
    ends = [end for _, end in (parsed.sentences[-1:] if copies_turns(text) else parsed.sentences)]
    behind: dict[int, list[str]] = {}
    for sentence, place in zip(sentences, rng.choices(ends, k=level), strict=True):
        behind.setdefault(place, []).append(sentence)
    edits = [Edit(place, place, _joined(text, place, added)) for place, added in sorted(behind.items())]
    return Proposal(edits, notes)


def _of_the_topic(dialogue: Dialogue | None, text: str) -> tuple[str, Sequence[str]]:
    """The topic of a conversation that both the summary and the transcript show clearly, and the lexicon's sentences
    for it; where none is clear, sentences that fit a conversation about anything, if the summary names who talks."""
    clear = lexicon().topics_of(dialogue, text)[:1]
    if clear:
        return clear[0].name, clear[0].noise
    # Nobody speaks of a headache where business is done.
    general = lexicon().business_noise if _is_formal(dialogue, text) else lexicon().chat_noise
    named = {m.side for m in sides_of(dialogue, text).mentions(text) if m.kind == "name"}
    if len(named) == 2:
        return "", general
    return "", _of_one(general, min(named)) if named else ()


def _clear_story(dialogue: Dialogue | None, text: str) -> Story | None:
    """The story of a call whose domain is declared, that the summary shows by two words, or that the transcript shows
    by more: boots that fall apart on a mountain are no matter for a garage."""
    story = story_of(dialogue, text)
    declared = story is not None and dialogue is not None and (dialogue.domain or "").lower() == story.domain
    told, said = roots(text).keys(), roots(dialogue.text).keys() if dialogue else set[str]()
    sure = story is not None and (len(story.known_by & told) > 1 or len(story.known_by & said) >= _CLEAR)
    return story if declared or sure else None


def _is_formal(dialogue: Dialogue | None, text: str) -> bool:
    """Whether somebody is called by title, or it is about work or trade."""
    return _FORMAL.search(text) is not None or lexicon().domain_of(dialogue, text) is not None


def _of_one(templates: Sequence[str], side: Side) -> Sequence[str]:
    """The sentences about one person, all about this side."""
    slots = ("{Customer}", "{Agent}")
    alone = [t for t in templates if "{customer}" not in t and "{agent}" not in t]
    return [t.replace(slots[1 - side], slots[side]) for t in alone]


def _with_names(templates: Sequence[str], dialogue: Dialogue | None, text: str) -> list[str]:
    """Borrowed sentences with those who talk here, the one who is named most first. None where a sentence needs two
    and the summary does not say what one of them is called."""
    sides = sides_of(dialogue, text)
    mentions = sides.mentions(text)
    called: list[str] = []
    for side in (0, 1):
        names = [m.text for m in mentions if m.side == side and m.kind == "name"]
        roles = [m.text.lower() for m in mentions if m.side == side and m.kind == "role" and not m.text.endswith("s")]
        called.append(next(filter(None, (*names, sides.display[side], *(f"the {role}" for role in roles))), ""))
    if sum(m.side for m in mentions) * 2 > len(mentions):
        called.reverse()
    if not called[0]:
        return []
    filled = [t.format(*called) for t in templates if called[1] or "{1}" not in t]
    return [sentence[0].upper() + sentence[1:] for sentence in filled]


def _joined(text: str, place: int, sentences: Sequence[str]) -> str:
    """Sentences to stand behind a place, with the full stop that the sentence before may lack."""
    stop = "" if text[place - 1] in '.!?…"”)' else "."
    return f"{stop} {' '.join(sentences)}"


def _called(text: str, dialogue: Dialogue | None) -> tuple[str, str]:
    """What the summary calls customer and agent."""
    sides = sides_of(dialogue, text)
    mentions = sides.mentions(text)

    def call(side: Side) -> str:
        roles = [m.text.lower() for m in mentions if m.side == side and m.kind == "role" and not m.text.endswith("s")]
        if roles:
            return f"the {roles[0]}"
        names = [m.text for m in mentions if m.side == side and m.kind == "name"]
        if names or (sides.display[side] and sides.names[side]):
            return names[0] if names else sides.display[side]
        return f"the {lexicon().pairs[0][side]}"

    return call(0), call(1)


def _filled(template: str, called: tuple[str, str], past: bool) -> str:
    """A template with the sides called as the summary calls them, in its tense."""
    filled = re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda m: m[1] if past else m[2], template)
    customer, agent = called
    return (
        filled.replace("{Customer}", customer[0].upper() + customer[1:])
        .replace("{Agent}", agent[0].upper() + agent[1:])
        .replace("{customer}", customer)
        .replace("{agent}", agent)
    )


def _without_people(template: str) -> str:
    return re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", template)


def _validate_noise(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    if complaint := _kept(original, edits, parsed):
        return complaint
    sides = {word.lower() for m in sides_of(dialogue, original).mentions(original) for word in m.text.split()}
    known = source_of(original, dialogue)
    for edit in edits:
        added = " ".join(word for word in edit.replacement.split() if word.lower() not in sides)
        if support(added, known) < _SUPPORTED:
            return None
    return "nothing was added that is not in the transcript"


def _kept(original: str, edits: Sequence[Edit], parsed: Parsed) -> str | None:
    """A complaint where words of the original were taken away."""
    for edit in edits:
        removed = re.findall(r"[^\W_]+", original[edit.start : edit.end])
        if removed and not {*removed} <= {*re.findall(r"[^\W_]+", edit.replacement)}:
            return f"{original[edit.start : edit.end]!r} was removed from the original"
    return None


DEMOGRAPHIC_CHANGE = Perturbation(
    name="demographic_change",
    version="4",
    family="domain",
    description="Adds invented details (name, birth date, number, address) where the summary mentions them",
    effects={"consistency": "degrades", "relevance": "preserves"},
    propose=_propose_demographic,
    validate=_validate_demographic,
    needs=frozenset({"parse", "lexicon"}),
    citation=CITATION,
    examples=(
        (
            "The agent asked for the customer's date of birth and address.",
            "The agent (Sam Abernathy of 3 Harbour View, Kestrel Bay) asked for the customer's date of birth "
            "and address (95 Juniper Drive, Larchmont).",
        ),
    ),
)
NOISE_ADDITION = Perturbation(
    name="noise_addition",
    version="8",
    family="domain",
    description="Adds sentences that fit the domain but are not supported by the transcript",
    effects={"consistency": "degrades", "relevance": "degrades"},
    propose=_propose_noise,
    validate=_validate_noise,
    levels=(1, 2, 3),
    needs=frozenset({"parse", "lexicon", "corpus"}),
    citation=CITATION,
    examples=(
        (
            "The customer's card was kept by a cash machine, and the bank sent a new card. The payment is on the "
            "account.",
            "The customer's card was kept by a cash machine, and the bank sent a new card. The payment is on the "
            "account. The customer considered switching to paper statements.",
        ),
    ),
)
register(DEMOGRAPHIC_CHANGE, NOISE_ADDITION)
