"""change_perturbation_n: exactly n entities of the summary are replaced by others of their kind."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from dialgauge.corpus import Dialogue
from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._domain_text import CITATION
from dialgauge.perturb._domain_values import invented
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._entities import (
    EntityGroup,
    draw_combination,
    entities_by_pattern,
    find_entities,
    lexicon_side,
    role_replacement,
    term_replacement,
    told_gender,
)
from dialgauge.perturb._entity_names import TITLES, is_role
from dialgauge.perturb._guards import ancestors, lemma_of, under_negation
from dialgauge.perturb._lexicon import Domain, lexicon, people, word_list
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._people import ALIKE, is_first_name, people_of
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._value_order import Values, keeps_order
from dialgauge.perturb._value_ties import is_tied
from dialgauge.perturb._word_tables import supersense, word_map, word_set

#: Number of further attempts if an invented value is already in use.
_ATTEMPTS = 24
_PLACEHOLDER = re.compile(PLACEHOLDER)
#: What is replaced, by what, and where that comes from.
_Change = tuple[EntityGroup, str, str]
#: A single quotation mark that opens something.
_SINGLE = re.compile(r"(?<!\w)['‘](?=\w)")
_NAME = re.compile(r"\b[A-Z][a-z]+")
_QUOTE = re.compile('["“”]')
_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
_NO_NAME = word_list("no_name")
#: What is asked for or needed is not told yet.
_SEEKING = word_set("seeking_verbs") | {"find", "forget", "get", "look", "lose"}
_OWNED = re.compile(r"(?:\b(?:[Hh]is|[Hh]er|[Tt]heir|[Mm]y|[Yy]our)|['’]s)\s$")


def _entities(parsed: Parsed, dialogue: Dialogue | None) -> tuple[list[EntityGroup], Domain | None]:
    """The entities, found once per text and domain."""
    domain = lexicon().domain_of(dialogue, parsed.text)
    known = people_of(dialogue)
    key = f"entities:{domain.name if domain else ''}:{' '.join(sorted(known))}"
    if key not in parsed.memo:
        parsed.memo[key] = find_entities(parsed, domain, known)
    return parsed.memo[key], domain


_COUNTED = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
#: A range of two values, or one of two.
_RANGE = re.compile(
    rf"\b{_COUNTED}\s?%? (?:or|to) {_COUNTED}\b|"
    rf"\b(?:between|from) {_COUNTED}(?: \S+){{1,3}}? (?:and|till|to|until) {_COUNTED}\b|"
    r"\b\d[\d:.,]*(?:\s?[ap]m)?\s?[–-]\s?\d[\d:.,]*|"
    r"\b(?:between|from)\s+(?:the\s|[A-Z]\w+\s)?\S*\d\S*(?:\s\S+){0,2}?\s(?:and|till|to|until)\s+"
    r"(?:the\s|[A-Z]\w+\s)?\S*\d[^\s.,;]*(?:[.,]\d+)?"
)


def _propose(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, mode: str, source: str
) -> Proposal | NotApplicable:
    groups, domain = _entities(parsed, dialogue)
    spoken = entities_by_pattern(dialogue.text) if dialogue else ()
    if dialogue:
        speakers = [turn.speaker.strip() for turn in dialogue.turns]
        spoken += tuple(("speaker", speaker) for speaker in speakers if _PLACEHOLDER.fullmatch(speaker))
        spoken += tuple(("person", speaker) for speaker in speakers if _is_elsewhere(speaker, parsed.text, dialogue))
    # Replacements for all come before the draw, so that an entity gets the same one whatever n is.
    changes: list[_Change] = []
    values = Values(parsed, groups)
    ranges = [match.span() for match in _RANGE.finditer(parsed.text)]
    for group in groups:
        if any(low < end and start < high for start, end in group.spans for low, high in ranges):
            continue  # "between $20 and $25": another one might turn the range around
        if any(_in_quotes(parsed.text, span) for span in group.spans):
            continue  # "Deadpool 2", "Friday the 13th"
        if _is_misfit(group, parsed) or is_tied(group, values):
            continue
        replacement = _replacement(group, values, spoken, domain, source, rng)
        if replacement is not None:
            changes.append((group, *replacement))
            values.given[group.surface] = replacement[0]
    if not _is_a_call(groups, dialogue):
        # Nouns of a contact centre are hardly the point of a chat, and mean other things there (*room for growth*).
        changes = [change for change in changes if change[0].kind != "term"]
    if len(changes) < level:
        return NotApplicable(f"the summary has {len(changes)} entities that can be changed, fewer than {level}")
    chosen = _drawn(changes, level, mode, rng)
    edits = [
        Edit(*span, _for_mention(new, group, parsed.text[slice(*span)]))
        for group, new, _ in chosen
        for span in group.spans
    ]
    notes = [{"kind": g.kind, "from": g.surface, "to": new, "source": origin} for g, new, origin in chosen]
    return Proposal(edits, {"entities": notes})


#: *Brought forward to nine*, *until midnight*; not *to nine people*.
_WORDED_HOUR = re.compile(
    r"\b(?:after|around|at|before|by|from|till|to|until) (?:about |around )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|midday|midnight|noon)"
    r"(?=[.,;]|$| (?:and|but|on|in|because|so|today|tomorrow|tonight|each|every|when)\b)"
)
_AT = re.compile(r"\b(?:after|around|at|before|by|from|since|till|to|until)\s$")
#: What makes a value a limit: *over 40* is true of many.
_LIMIT = re.compile(r"\b(?:above|beyond|over|under|below|at (?:least|most)|(?:less|fewer|more) than)\s$", re.IGNORECASE)
_HABIT = re.compile(
    r"\b(?:from |between )?[A-Z]\w+day (?:to|till|until|through|and) [A-Z]\w+day\b|\w+day-\w+day\b|\b[A-Z]\w+days\b"
)
_WEEKDAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")


def _is_misfit(group: EntityGroup, parsed: Parsed) -> bool:
    """Whether another value could not stand there: *James' car* (nobody knows the ending), a town beside its country, a
    country beside its town, *two days off on Monday and Tuesday*, *dial 999*, an hour beside one in words."""
    text = parsed.text
    ends = [text[end:] for _, end in group.spans]
    if group.kind == "person" and any(re.match(r"['’](?!\w)", after) for after in ends):
        return True
    if group.kind in ("time", "number") and _WORDED_HOUR.search(text):
        return True
    if group.kind == "quantity" and len({*_WEEKDAY.findall(text)}) > 1 and re.search(r"days?$|nights?$", group.surface):
        return True
    if group.kind == "role" and not re.match(r"[Tt]he\b", group.surface):
        return True  # "Customer disputed a bill": no name beside others
    if group.kind == "slot" and (_is_sought(parsed, group.spans[0][1]) or _OWNED.search(text[: group.spans[0][0]])):
        return True  # "sends his phone number": one that both know
    if group.kind == "weekday" and _HABIT.search(text):
        return True  # "school from Monday to Friday"
    if group.kind == "number" and _is_of_name(parsed, group.spans[0]):
        return True  # "the 27 club"
    if group.kind == "person" and _is_called_otherwise(group, parsed):
        return True
    if group.kind == "number" and re.search(r"\b(?:call|dial|phone|ring)s?\s$", text[: group.spans[0][0]]):
        return True
    if group.kind in ("money", "number", "percentage", "quantity") and _LIMIT.search(text[: group.spans[0][0]]):
        return True
    late = group.kind == "number" and re.fullmatch(r"1[3-9]|2[0-4]", group.surface)
    if late and _AT.search(text[: group.spans[0][0]]):
        return True  # "be home at 23"
    if group.kind == "term" and (re.search(r"\d\s$", text[: group.spans[0][0]]) or _is_one_kind(group, parsed)):
        return True  # "the 9:20 flight"
    if group.kind not in ("country", "place"):
        return False
    around = [entity for entity in parsed.entities if text[entity.start : entity.end] != group.surface]
    if any(entity.label in ("LOC", "NORP") for entity in around):
        return True  # "near Turin in the Italian Alps"
    named = {text[entity.start : entity.end] for entity in around if entity.label == "GPE"}
    countries = {*people().countries}
    if re.search(r"[a-z,] the [A-Z][a-z]", text):
        return True  # "looks forward to the Louvre"
    if re.search(r"\b(?:country|islands?|continent|province|state)\b", text):
        return True  # "a trip to Swazi. The name of the country was changed", "Japan is made up of islands"
    return bool(named - countries if group.kind == "country" else named & countries)


def _is_one_kind(group: EntityGroup, parsed: Parsed) -> bool:
    """*The credit card* beside *the debit card* and *the green card*: known by what another one would not have."""
    last = re.split(r"[\s-]", group.surface.lower())[-1].removesuffix("s")
    inside = {place for start, end in group.spans for place in range(start, end)}
    others = re.finditer(rf"(?:\w+\s)?\b{re.escape(last)}s?\b", parsed.text.lower())
    own = group.surface.lower().removesuffix("s")
    return (
        any(o.end() - 1 not in inside and not own.endswith(o[0].removesuffix("s")) and " " in o[0] for o in others)
        and " " in own
    )


def _is_of_name(parsed: Parsed, span: tuple[int, int]) -> bool:
    """Whether a number names a noun in the singular behind it (*the 27 club*), or is itself a thing (*a 20*), or counts
    what is said before (*present for 30 years, 24 on the exchange*)."""
    behind = next((t for t in parsed.tokens if t.start == span[1] + 1), None)
    if re.search(r"\b[Aa]n? $", parsed.text[: span[0]]) or (behind is not None and behind.pos == "ADP"):
        return True
    the = re.search(r"\b[Tt]he $", parsed.text[: span[0]]) is not None
    return the and behind is not None and behind.tag in ("NN", "NNP")


def _is_sought(parsed: Parsed, end: int) -> bool:
    """*Asks for her phone number*, *does not know the number*: who says it would not have to ask."""
    noun = next((t for t in parsed.tokens if t.end == end), None)
    if noun is None or under_negation(parsed, noun):
        return True
    return any(lemma_of(word) in _SEEKING or word.tag.startswith("W") for word in ancestors(parsed, noun))


def _is_called_otherwise(group: EntityGroup, parsed: Parsed) -> bool:
    """*Jules is ill. She …*: the sentence behind the one that names somebody begins with the pronoun of the other
    sex, so that the list of names is wrong about this one."""
    gender = people().gender_of(group.surface)
    behind = parsed.sentences[parsed.sentence_of(group.spans[0][0]) + 1 :][:1]
    other = {"feminine": r"He\b|His\b", "masculine": r"She\b|Her\b"}.get(gender or "")
    return other is not None and any(re.match(other, parsed.text[start:end]) is not None for start, end in behind)


def _in_quotes(text: str, span: tuple[int, int]) -> bool:
    doubled = len(_QUOTE.findall(text, 0, span[0])) % 2 == 1 and _QUOTE.search(text, span[1]) is not None
    opened, closed = _SINGLE.findall(text, 0, span[0]), re.search(r"['’](?!\w)", text[span[1] :])
    return doubled or (len(opened) % 2 == 1 and closed is not None)


def _is_a_call(groups: Sequence[EntityGroup], dialogue: Dialogue | None) -> bool:
    """Whether somebody is called by a role, in the summary or as a speaker."""
    speakers = {turn.speaker.strip().lower() for turn in dialogue.turns} if dialogue else set()
    return any(group.kind == "role" for group in groups) or any(speakers & {*pair} for pair in lexicon().pairs)


def _drawn(changes: Sequence[_Change], level: int, mode: str, rng: Random) -> list[_Change]:
    """``level`` of the changes; a noun, and a placeholder with another number, who is not there at all, only where
    there are not enough others."""

    def lesser(change: _Change) -> bool:
        return change[0].kind == "term" or (change[0].kind == "speaker" and change[2] != "intrinsic")

    if mode == "nested":
        order = list(range(len(changes)))
        rng.shuffle(order)
        order.sort(key=lambda i: lesser(changes[i]))
        return [changes[i] for i in sorted(order[:level])]
    others = [change for change in changes if not lesser(change)]
    changes = others if len(others) >= level else changes
    return [changes[i] for i in draw_combination(len(changes), level, mode, rng)]


def _replacement(
    group: EntityGroup,
    values: Values,
    spoken: Sequence[tuple[str, str]],
    domain: Domain | None,
    source: str,
    rng: Random,
) -> tuple[str, str] | None:
    """Another value of the same kind and where it comes from: elsewhere in the dialogue (intrinsic) or invented."""
    parsed, groups = values.parsed, values.groups
    said = sorted({surface for kind, surface in spoken if kind == group.kind and _same_form(surface, group.surface)})
    if group.kind == "speaker":
        said = sorted({surface for kind, surface in spoken if kind == "speaker"} - {other.surface for other in groups})
    if group.kind in ("time", "weekday", "date", "money", "year"):
        said += [o.surface for o in groups if o.kind == group.kind and _same_form(o.surface, group.surface)]
    # "Steven and Lin" must not become "Steven and Steven".
    near = " ".join(parsed.text[slice(*parsed.sentences[parsed.sentence_of(start)])] for start, _ in group.spans)
    given = {value.lower() for value in values.given.values()}
    inside = [
        s
        for s in dict.fromkeys(said)
        if s.lower() not in near.lower()
        and s.lower() not in given
        and _bare_value(s) != _bare_value(group.surface)
        and keeps_order(s, group, values)
    ]
    if group.kind == "person":
        people_here = _NAME.findall(parsed.text)
        inside = [
            surface
            for surface in inside
            if _same_gender(surface, group.surface, parsed.text)
            and not any(_is_same_name(surface, name) for name in people_here)  # "Katie" speaks, who is "Kate" here
        ]
    gender, factor = told_gender(parsed.text), values.factor(group)
    if factor is not None:
        inside = []  # "instalment rose from 128 to 171": all by the same factor
    intrinsic = rng.choice(inside) if inside else None
    if group.kind == "role":
        # A role is a value only where both are named, so that another one would be somebody else.
        both = len({lexicon_side(other.surface.lower()) for other in groups if other.kind == "role"}) == 2
        extrinsic: str | None = role_replacement(parsed.text, rng) if both else None
    elif group.kind == "term":
        extrinsic = term_replacement(group, domain, values.taken, rng) if domain else None
    else:
        made = (invented(group.kind, group.surface, rng, gender, factor) for _ in range(_ATTEMPTS))
        extrinsic = next((value for value in made if value and _is_new(value, group, values)), None)
    prefer_intrinsic = rng.random() < 0.5
    if source != "extrinsic" and intrinsic and (source == "intrinsic" or prefer_intrinsic or not extrinsic):
        return intrinsic, "intrinsic"
    return (extrinsic, "extrinsic") if extrinsic and source != "intrinsic" else None


def _is_new(value: str, group: EntityGroup, values: Values) -> bool:
    """Whether a value is not in the text yet: nobody is called Asia beside the continent."""
    if group.kind != "person":
        again = group.kind in ("country", "place") and re.search(rf"\b{re.escape(value)}\b", values.parsed.text)
        return value.lower() not in values.taken and not again and keeps_order(value, group, values)
    words = {word.lower() for word in value.split()} - {title.lower() for title in TITLES}
    named = any(re.search(rf"\b{re.escape(word)}\b", values.parsed.text.lower()) for word in words)
    used = any(words & {*one.split()} for one in values.taken)  # "Mrs. Barlow" beside "Mr. Barlow"
    names = {group.surface, *_NAME.findall(values.parsed.text)}
    return not used and not named and not any(_is_same_name(value, name) for name in names)


def _is_same_name(value: str, surface: str) -> bool:
    """Whether two names may be one person's: *Liz* is *Elizabeth*, *Phillip* is *Philip*."""
    new, old, nicknames = value.split()[-1].lower(), {w.lower() for w in surface.split()}, word_map("nicknames")
    bare = re.sub(r"(.)\1", r"\1", new)
    short = any(new.startswith(word) or word.startswith(new) or word == bare for word in old if len(word) > 1)
    alike = bool(get_close_matches(new, old, 1, ALIKE))
    return short or alike or any(new in nicknames.get(word, ()) or word in nicknames.get(new, ()) for word in old)


def _is_elsewhere(speaker: str, text: str, dialogue: Dialogue) -> bool:
    """Whether somebody speaks whom the summary does not name: the other one, where a name is needed. A label by which
    nobody is called (*Scheduler*) is a name only if it is in the list."""
    if not any(map(is_first_name, speaker.split())) and not any(speaker in turn.text for turn in dialogue.turns):
        return False
    if any(supersense(word.lower()) is not None and not is_first_name(word) for word in speaker.split()):
        return False  # "Salon"
    role = any(speaker.lower() in pair for pair in lexicon().pairs) or is_role(speaker)
    named = re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?", speaker) is not None and speaker.lower() not in _NO_NAME
    return named and not role and not any(word in text for word in speaker.split())


def _bare_value(surface: str) -> str:
    """A value without what is only spelling: *9 pm* is *9pm*."""
    return re.sub(r"[\s.,-]", "", surface.lower())


def _same_form(first: str, second: str) -> bool:
    """Whether one can stand where the other stands: both with an article, a title, a unit, or neither."""
    return _form(first) == _form(second)


def _form(surface: str) -> tuple[object, ...]:
    words = re.split(r"[\s-]", surface.lower())
    return (
        bool(re.match(r"(?:the|Mr|Mrs|Ms|Miss|Dr)\b", surface)),
        surface[0].isdigit(),
        surface[0].isdigit() and bool(re.search(r"\d\.\d", surface)),
        surface[: 1 + surface[1:2].isspace()] if surface[0] in "£$€" else "",
        re.sub(r"[\d\s.,:-]+", "", surface).lower() if surface[0].isdigit() else "",
        words[-1] if words[0] in NUMBER_WORDS else "",
    )


def _for_mention(new: str, group: EntityGroup, mention: str) -> str:
    """The new value in the form of this mention: with its capital, and only that part of a name that it uses."""
    if group.kind == "person" and mention != group.surface and " " in new:
        names = [word for word in new.split() if word not in TITLES]
        titles = [word for word in mention.split() if word in TITLES]
        return " ".join((*titles, names[-1 if mention.split()[-1] == group.surface.split()[-1] else 0]))
    if mention[0].islower() and new.split()[0].lower() in NUMBER_WORDS:
        return new[0].lower() + new[1:]  # "Ten days" opened a turn
    capital = mention[0].isupper() and not (mention.isupper() and len(mention) > 1)
    return new[0].upper() + new[1:] if capital and new[0].islower() else new


def _same_gender(first: str, second: str, text: str) -> bool:
    """Whether both are men or women; where a name does not tell, only in a text without *he* and *she*."""
    genders = {people().gender_of(first), people().gender_of(second)}
    return len(genders) == 1 if _GENDERED.search(text) else len(genders - {None}) < 2


def changed_surfaces(original: str, edits: Sequence[Edit]) -> list[str]:
    """The different things that were replaced; articles do not count, nor does a part of a replaced name."""
    surfaces = {original[edit.start : edit.end].strip() for edit in edits}
    things = {surface.lower() for surface in surfaces} - {"", "a", "an", "the"}
    things -= {thing for thing in things if f"the {thing}" in things}  # "Customer" and "the customer"
    return [
        thing
        for thing in sorted(things)
        if not (_is_name(original, thing) and any({*thing.split()} < {*other.split()} for other in things))
    ]


def _is_name(original: str, surface: str) -> bool:
    place = original.lower().find(surface)
    return original[place].isupper()


def _count(original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None) -> int:
    return len(changed_surfaces(original, edits))


def _validate(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Nothing is taken away, and what is replaced is replaced wherever it stands."""
    for edit in edits:
        if original[edit.start : edit.end].strip() and not edit.replacement.strip():
            return f"{original[edit.start : edit.end]!r} was removed, not replaced"
    for surface in changed_surfaces(original, edits):
        for match in re.finditer(rf"(?<![\w-]){re.escape(surface)}(?![\w-])", original, re.IGNORECASE):
            inside = any(e.start < match.end() and match.start() < e.end for e in edits)
            longer = any(group for group in _entities(parsed, dialogue)[0] if _covers(group, match.span()))
            if not inside and not longer:
                return f"{match.group()!r} was changed in one place and kept in another"
    return None


def _covers(group: EntityGroup, span: tuple[int, int]) -> bool:
    """Whether the span is only a part of a longer entity, as *card* is of *digital card*."""
    return any(start <= span[0] and span[1] <= end and (start, end) != span for start, end in group.spans)


CHANGE_PERTURBATION = Perturbation(
    name="change_perturbation",
    version="12",
    family="domain",
    description="Replaces exactly n entities (amounts, dates, ids, names, domain nouns) by others of their kind, and"
    " roles by names of people whom nobody mentioned",
    effects={"consistency": "degrades", "relevance": "preserves"},
    propose=_propose,
    validate=_validate,
    levels=(1, 2, 3, 4, 5),
    numbered=True,
    count=_count,
    needs=frozenset({"parse", "lexicon"}),
    citation=CITATION,
    examples=(
        (
            "Nora paid $120 on Monday.",
            "Nora paid $120 on Wednesday.",
        ),
    ),
    options={
        "mode": Option(
            ("uniform", "nested"),
            "uniform: every set of n entities is equally likely; nested: change_2 contains change_1",
        ),
        "source": Option(
            ("either", "intrinsic", "extrinsic"),
            "source of false values: elsewhere in the dialogue (intrinsic), invented (extrinsic), or either",
        ),
    },
)
register(CHANGE_PERTURBATION)
