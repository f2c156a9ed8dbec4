"""change_perturbation_n: exactly n entities of the summary are replaced by others of their kind."""

import math
import re
from collections.abc import Sequence

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
)
from dialgauge.perturb._lexicon import Domain, lexicon, people, word_list
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._people import people_of
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import word_map

#: Number of further attempts if an invented value is already in use.
_ATTEMPTS = 24
_PLACEHOLDER = re.compile(PLACEHOLDER)
#: What is replaced, by what, and where that comes from.
_Change = tuple[EntityGroup, str, str]
_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
_NO_NAME = word_list("no_name")
#: Kinds of amounts.
_CLOCK = re.compile(r"\b(?:at|around|about|before|by|until) $")
_ORDERED = frozenset(["money", "number", "percentage", "quantity"])


def _entities(parsed: Parsed, dialogue: Dialogue | None) -> tuple[list[EntityGroup], Domain | None]:
    """The entities, found once per text and domain."""
    domain = lexicon().domain_of(dialogue, parsed.text)
    known = people_of(dialogue)
    key = f"entities:{domain.name if domain else ''}:{' '.join(sorted(known))}"
    if key not in parsed.memo:
        parsed.memo[key] = find_entities(parsed, domain, known)
    return parsed.memo[key], domain


#: A range of two values, or one of two.
_RANGE = re.compile(
    rf"\b(?:\d+|{'|'.join(NUMBER_WORDS)}) (?:or|to) (?:\d+|{'|'.join(NUMBER_WORDS)})\b|"
    r"\b(?:between|from)\s+(?:the\s|[A-Z]\w+\s)?\S*\d\S*(?:\s\S+){0,2}?\s(?:and|to|until)\s+"
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
        spoken += tuple(("person", speaker) for speaker in speakers if _is_elsewhere(speaker, parsed.text))
    # Replacements for all come before the draw, so that an entity gets the same one whatever n is.
    changes: list[_Change] = []
    taken = {group.surface.lower() for group in groups}
    ranges = [match.span() for match in _RANGE.finditer(parsed.text)]
    for group in groups:
        if any(low < end and start < high for start, end in group.spans for low, high in ranges):
            continue  # "between $20 and $25": another one might turn the range around
        replacement = _replacement(group, parsed, groups, spoken, domain, taken, source, rng)
        if replacement is not None:
            changes.append((group, *replacement))
            taken.add(replacement[0].lower())
    if len(changes) < level:
        return NotApplicable(f"the summary has {len(changes)} entities that can be changed, fewer than {level}")
    chosen = _drawn(changes, level, mode, rng, in_chat=not any(group.kind == "role" for group in groups))
    edits = [
        Edit(*span, _for_mention(new, group, parsed.text[slice(*span)]))
        for group, new, _ in chosen
        for span in group.spans
    ]
    notes = [{"kind": g.kind, "from": g.surface, "to": new, "source": origin} for g, new, origin in chosen]
    return Proposal(edits, {"entities": notes})


def _drawn(changes: Sequence[_Change], level: int, mode: str, rng: Random, *, in_chat: bool) -> list[_Change]:
    """``level`` of the changes, the lesser ones only where there are not enough others.

    A placeholder with another number is somebody who is not there at all. Nouns of a contact centre are hardly the
    point of a chat, where nobody is called by a role.
    """

    def lesser(change: _Change) -> tuple[bool, bool]:
        return change[0].kind == "speaker" and change[2] != "intrinsic", in_chat and change[0].kind == "term"

    if mode == "nested":
        order = list(range(len(changes)))
        rng.shuffle(order)
        order.sort(key=lambda i: lesser(changes[i]))
        return [changes[i] for i in sorted(order[:level])]
    for kind in (0, 1):
        others = [change for change in changes if not lesser(change)[kind]]
        changes = others if len(others) >= level else changes
    return [changes[i] for i in draw_combination(len(changes), level, mode, rng)]


def _replacement(
    group: EntityGroup,
    parsed: Parsed,
    groups: Sequence[EntityGroup],
    spoken: Sequence[tuple[str, str]],
    domain: Domain | None,
    taken: set[str],
    source: str,
    rng: Random,
) -> tuple[str, str] | None:
    """Another value of the same kind and where it comes from: elsewhere in the dialogue (intrinsic) or invented."""
    said = sorted({surface for kind, surface in spoken if kind == group.kind and _same_form(surface, group.surface)})
    if group.kind == "speaker":
        said = sorted({surface for kind, surface in spoken if kind == "speaker"} - {other.surface for other in groups})
    if group.kind in ("time", "weekday", "date", "money"):
        said += [o.surface for o in groups if o.kind == group.kind and _same_form(o.surface, group.surface)]
    # "Steven and Lin" must not become "Steven and Steven".
    near = " ".join(parsed.text[slice(*parsed.sentences[parsed.sentence_of(start)])] for start, _ in group.spans)
    given = taken - {other.surface.lower() for other in groups}
    inside = [
        s
        for s in dict.fromkeys(said)
        if s.lower() not in near.lower()
        and s.lower() not in given
        and _bare_value(s) != _bare_value(group.surface)
        and _keeps_order(s, group, parsed, groups)
    ]
    if group.kind == "person":
        inside = [surface for surface in inside if _same_gender(surface, group.surface, parsed.text)]
    intrinsic = rng.choice(inside) if inside else None
    if group.kind == "role":
        # A role is a value only where both are named, so that another one would be somebody else.
        both = len({lexicon_side(other.surface.lower()) for other in groups if other.kind == "role"}) == 2
        extrinsic: str | None = role_replacement(parsed.text, rng) if both else None
    elif group.kind == "term":
        extrinsic = term_replacement(group, domain, taken, rng) if domain else None
    else:
        made = (invented(group.kind, group.surface, rng) for _ in range(_ATTEMPTS))
        extrinsic = next((value for value in made if value and _is_new(value, group, parsed, groups, taken)), None)
    prefer_intrinsic = rng.random() < 0.5
    if source != "extrinsic" and intrinsic and (source == "intrinsic" or prefer_intrinsic or not extrinsic):
        return intrinsic, "intrinsic"
    return (extrinsic, "extrinsic") if extrinsic and source != "intrinsic" else None


def _is_new(value: str, group: EntityGroup, parsed: Parsed, groups: Sequence[EntityGroup], taken: set[str]) -> bool:
    """Whether a value is not in the text yet: nobody is called Asia beside the continent."""
    if group.kind != "person":
        return value.lower() not in taken and _keeps_order(value, group, parsed, groups)
    new, old, nicknames = value.split()[-1].lower(), {w.lower() for w in group.surface.split()}, word_map("nicknames")
    named = re.search(rf"\b{re.escape(new)}\b", parsed.text.lower()) is not None
    bare = re.sub(r"(.)\1", r"\1", new)  # Phillip is Philip
    short = any(len(word) > 2 and (word in new or new in word or word == bare) for word in old)  # Liz is Elizabeth
    short = short or any(new in nicknames.get(word, ()) or word in nicknames.get(new, ()) for word in old)
    used = any(new in one.split() for one in taken)  # "Mrs. Barlow" beside "Mr. Barlow"
    return not used and not named and not short


def _keeps_order(value: str, group: EntityGroup, parsed: Parsed, groups: Sequence[EntityGroup]) -> bool:
    """Whether an amount stays above and below those that it stood above and below: *a quote of £500 instead of £300,
    cut to £400* makes no sense in another order."""
    if group.kind not in _ORDERED:
        return True
    if _CLOCK.search(parsed.text[: group.spans[0][0]]) and _amount(group.surface) <= 12:
        return 1 <= _amount(value) <= 12  # "meet at 9"
    old, new = _amount(group.surface), _amount(value)
    others = [_amount(other.surface) for other in groups if other.kind == group.kind and other is not group]
    return all((new - one) * (old - one) > 0 for one in others if one != old and not math.isnan(one))


def _amount(surface: str) -> float:
    """The number in a value, in digits or words; not a number where it has none."""
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", surface)
    if digits:
        return float(digits.group().replace(",", ""))
    words = [NUMBER_WORDS[word] for word in re.split(r"[\s-]", surface.lower()) if word in NUMBER_WORDS]
    return float(sum(words)) if words else math.nan


def _is_elsewhere(speaker: str, text: str) -> bool:
    """Whether somebody speaks whom the summary does not name: the other one, where a name is needed."""
    role = any(speaker.lower() in pair for pair in lexicon().pairs)
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
        return new.split()[-1 if mention.split()[-1] == group.surface.split()[-1] else 0]
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
    version="5",
    family="domain",
    description="Replaces exactly n entities (amounts, dates, ids, names, roles, domain nouns) by others of their kind",
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
            "Fiona paid $120 on Monday.",
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
