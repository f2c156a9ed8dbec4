"""The entities of a summary, typed: money, dates, numbers, names, roles and the nouns of contact centres.

What is changed by ``change_perturbation_n`` is drawn from these without ever listing the 2^k subsets.
"""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._entity_names import LABELS, TITLES, named
from dialgauge.perturb._grammar import hyphenated
from dialgauge.perturb._lexicon import Domain, Gender, alternatives, lexicon, people, plural
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._people import is_first_name
from dialgauge.perturb._perturbation import Random
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import is_term

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_AMOUNT = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_MONTH = f"(?:{'|'.join(MONTHS)})"
#: What can follow a date; *the 1st class* is none.
_DATE_ENDS = "(?:and|at|because|but|for|from|if|in|of|on|or|since|so|that|to|until|when|with)"
_COUNT_WORDS = sorted((word for word in NUMBER_WORDS if word not in ("zero", "one")), key=len, reverse=True)
_COUNT = rf"(?:\d+(?:\.\d+)?|{'|'.join(_COUNT_WORDS)})"
_UNIT = (
    r"(?:minute|hour|day|week|month|year|night|mile|kilometre|kilometer|km|mbit|tablet|milligram|mg|ml|gigabyte|gb|euro"
    r"|dollar|pound|time|degree|working day|business day|chapter|piece|ticket)s?"
)
#: Tried in this order; of two that overlap the longer wins, and the earlier kind among equals.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE if kind in ("quantity", "percentage", "time", "year") else 0))
    for kind, pattern in (
        ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
        ("money", rf"[£$€]\s?{_AMOUNT}(?:[km]\b)?(?!,\d)"),
        ("money", rf"(?<!\d[.,])\b{_AMOUNT}\s?(?:dollars|pounds|euros|USD|GBP|EUR)\b"),
        ("percentage", r"(?<!\d[.,])\b\d+(?:\.\d+)?\s?(?:%|per ?cent\b)"),
        ("phone", r"(?<![\w-])\+?\(?\d{1,4}\)?(?:[\s-]\d{2,4}){2,4}(?![\w-])"),
        ("id", r"(?<![\w-])(?!\d+[AP]M\b)(?=[A-Z\d-]*\d)(?=[A-Z\d-]*[A-Z])[A-Z\d][A-Z\d-]{3,}(?![\w-])"),
        ("id", r"(?<![\w,.-])\d{2,}-\d{3,}(?![\w-])"),
        ("id", r"(?<![\w,.£$€-])(?!\d+00\b)\d{5,}(?![\w,.-]*\d)"),
        ("date", rf"(?<![–-])\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+\d{{4}})?\b"),
        ("date", rf"\b{_MONTH}\s+{_DAY}\b(?!\s?[–-])(?:,\s+\d{{4}})?"),
        ("date", rf"\bthe\s+{_DAY}\b(?<=[a-z])(?!\s+(?!{_DATE_ENDS}\b)[a-z])"),
        ("month", rf"\b(?:in|by|since|until|from|of|for|next|last)\s+(?P<value>{_MONTH})\b"),
        ("year", r"\b(?:after|before|by|in|since|until)\s+(?P<value>1\d{3}|20\d\d)\b(?!\s+[a-z]+s\b)"),
        ("weekday", rf"\b(?:{'|'.join(WEEKDAYS)})\b"),
        ("time", r"(?<![–-])\b\d{1,2}[:.]\d{2}(?:\s?(?:[ap]m\b|[ap]\.m\b\.?))?(?!\d|\s?(?:%|ml|mg|km))"),
        ("time", r"(?<![–-])(?<!\d[.,])\b\d{1,2}\s?[ap]\.?m\b"),
        ("quantity", rf"(?<![–/-])(?<!\d[.,])\b{_COUNT}(?:[\s-](?:working|business|further|more))?[\s-]{_UNIT}\b"),
        ("number", r"(?<![\w.,:£$€#–/+-])\d+(?:[.,]\d+)*(?![\w%–/-]|[.,:]\d)"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """All mentions of one thing: its kind, its (fullest) surface, its spans, and for lexicon nouns the slot."""

    kind: str
    surface: str
    spans: tuple[tuple[int, int], ...]
    slot: str = ""


def find_entities(parsed: Parsed, domain: Domain | None, known: frozenset[str] = frozenset()) -> list[EntityGroup]:
    """The entities of a text in order of their first mention; mentions with the same surface belong together. ``known``
    are the names (in lower case) of those who speak."""
    found: list[tuple[int, int, str, str]] = [
        (*span, kind, "")
        for span, kind in _by_pattern(parsed.text)
        if kind != "weekday" or not _in_name(parsed, span[0])
    ]
    for entity in parsed.entities:
        if entity.label in LABELS:
            names = named(parsed, entity.start, entity.end, LABELS[entity.label], known)
            days = {*MONTHS, *WEEKDAYS}
            found += [(*span, kind, "") for span, kind in names if not days & {*parsed.text[slice(*span)].split()}]
    found += [(*match.span(), "slot", "") for match in _SLOT.finditer(parsed.text)]
    found += [(*match.span(), "speaker", "") for match in re.finditer(PLACEHOLDER, parsed.text)]
    roles = [match for match in _role_pattern().finditer(parsed.text) if _is_somebody(parsed, match)]
    found += [(_with_article(parsed.text, match.start()), match.end(), "role", "") for match in roles]
    if domain is not None:
        from dialgauge.perturb._domain_category import find_terms

        alone = [
            term
            for term in find_terms(parsed, domain)
            if not _in_compound(parsed, term.start, term.end)
            and not _is_told_of(parsed, term.end)
            and not _is_means(parsed.text, term.start, term.end)
            and not (term.text[0].isupper() and term.text.lower() in known)
        ]
        found += [(term.start, term.end, "term", term.slot) for term in alone]
    groups: dict[str, tuple[str, str, str, list[tuple[int, int]]]] = {}
    for start, end, kind, slot in _everywhere(parsed.text, _longest_first(found)):
        surface = parsed.text[start:end]
        key = surface.lower().removeprefix("the ") if kind == "role" else surface.lower()
        groups.setdefault(key, (kind, surface, slot, []))[3].append((start, end))
    return _joined_people(
        [EntityGroup(kind, surface, tuple(spans), slot) for kind, surface, slot, spans in groups.values()]
    )


def _in_name(parsed: Parsed, start: int) -> bool:
    """Whether another name stands before a day (*Black Friday*)."""
    before = next((t for t in parsed.tokens if t.end == start - 1), None)
    begins = before is not None and before.start == parsed.sentences[before.sentence][0]
    return before is not None and not begins and before.text[0].isupper() and before.head == before.i + 1


def lexicon_side(role: str) -> int:
    """The side that a role word (with or without its article) belongs to."""
    return 0 if any(role.removeprefix("the ") == pair[0] for pair in lexicon().pairs) else 1


def _is_somebody(parsed: Parsed, role: re.Match[str]) -> bool:
    """Whether a role stands by itself, so that a name can stand there: not *a client*, *an angry client*."""
    before = next((t for t in parsed.tokens if t.end < role.start() <= t.end + 1), None)
    described = before is not None and before.lower != "the" and before.pos in ("DET", "ADJ", "NUM", "PRON")
    speaks = parsed.text[role.end() : role.end() + 1] == ":"  # "Agent: How can I help?"
    return not described and not speaks and not _in_compound(parsed, *role.span())


def _with_article(text: str, start: int) -> int:
    """Where a role begins: *the agent* is one name for somebody."""
    article = re.search(r"\b[Tt]he\s$", text[:start])
    return article.start() if article else start


def _in_compound(parsed: Parsed, start: int, end: int) -> bool:
    """Whether a noun stands beside another noun, of which it is a part (*air ticket*, *ticket office*)."""
    inside = [t.i for t in parsed.tokens if start <= t.start and t.end <= end]
    if not inside:
        return True
    sentence = parsed.tokens[inside[0]].sentence
    beside = [t for t in parsed.tokens if t.i in (inside[0] - 1, inside[-1] + 1) and t.sentence == sentence]
    after = [t for t in beside if t.i == inside[-1] + 1]
    if any(t.pos == "NUM" and t.text.isalpha() for t in after):
        return True  # "chapters four and five" are these, not others
    before = [t for t in beside if t.i == inside[0] - 1]
    if any(t.pos == "ADJ" and is_term(t.lower, parsed.text[start:end].lower()) for t in before):
        return True  # "high school"
    return any(t.pos in ("NOUN", "PROPN") and t.tag in ("NN", "NNS", "NNP", "NNPS") for t in beside) or hyphenated(
        parsed, parsed.tokens[inside[0]]
    )


def _everywhere(text: str, kept: list[tuple[int, int, str, str]]) -> list[tuple[int, int, str, str]]:
    """With further mentions of each name that the parser has missed."""
    further = [
        (*match.span(), kind, slot)
        for start, end, kind, slot in kept
        if kind in ("person", "organisation", "place")
        for name in {text[start:end], *_surname(text[start:end], kind)}
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    ]
    return _longest_first([*kept, *further])


def _surname(surface: str, kind: str) -> list[str]:
    """The name without its title or first name: *Mr. London* is *London* later, and *James Harden* is *Harden*."""
    words = surface.split()
    alone = kind == "person" and len(words) > 1 and (words[0] in TITLES or not is_first_name(words[-1]))
    return words[-1:] if alone else []


def _joined_people(groups: list[EntityGroup]) -> list[EntityGroup]:
    """Mentions of one person by the full name and by a part of it are one entity, under the fullest form."""
    joined: list[EntityGroup] = []
    for group in sorted(groups, key=lambda g: -len(g.surface.split())):
        whole = next((o for o in joined if o.kind == group.kind == "person" and _words(group) <= _words(o)), None)
        if whole is None:
            joined.append(group)
        else:
            both = EntityGroup("person", whole.surface, tuple(sorted((*whole.spans, *group.spans))))
            joined[joined.index(whole)] = both
    return sorted(joined, key=lambda group: group.spans[0])


def _words(group: EntityGroup) -> set[str]:
    return {word for word in group.surface.split() if word not in TITLES}


@lru_cache(maxsize=256)
def entities_by_pattern(text: str) -> tuple[tuple[str, str], ...]:
    """Kind and surface of what patterns alone find: enough for transcripts, which all their summaries share."""
    return tuple((kind, text[slice(*span)]) for span, kind in _by_pattern(text))


def _by_pattern(text: str) -> list[tuple[tuple[int, int], str]]:
    return [
        (match.span("value") if "value" in pattern.groupindex else match.span(), kind)
        for kind, pattern in _PATTERNS
        for match in pattern.finditer(text)
    ]


def _is_told_of(parsed: Parsed, end: int) -> bool:
    """Whether a clause says more of a noun (*the hotel they are staying in*), which another would not fit."""
    noun = next((t for t in parsed.tokens if t.end == end), None)
    return noun is not None and parsed.child(noun, "relcl", "acl") is not None


def _is_means(text: str, start: int, end: int) -> bool:
    """Whether a noun says by what means something is done (*by card*, *over the phone*), not which thing is meant."""
    before = text[:start]
    called = text[start:end].lower() in ("phone", "telephone") and re.search(r"\bon\s(?:the\s)?$", before)
    return bool(called or re.search(r"\b(?:by|via)\s$|\bover\s(?:the\s)?$", before))


def _role_pattern() -> re.Pattern[str]:
    return alternatives(word for pair in lexicon().pairs[:4] for word in pair)


def _longest_first(found: list[tuple[int, int, str, str]]) -> list[tuple[int, int, str, str]]:
    """Of overlapping ones the longest (at equal length the first found), in the order of the text."""
    kept: list[tuple[int, int, str, str]] = []
    for entry in sorted(found, key=lambda entry: -(entry[1] - entry[0])):
        if all(entry[1] <= other[0] or other[1] <= entry[0] for other in kept):
            kept.append(entry)
    return sorted(kept)


def unrank(k: int, n: int, rank: int) -> tuple[int, ...]:
    """The ``rank``-th of the C(k, n) combinations of 0 … k-1 in lexicographic order, without listing the others."""
    if not 0 <= rank < math.comb(k, n):
        raise ValueError(f"rank {rank} is outside the {math.comb(k, n)} combinations of {n} out of {k}")
    chosen: list[int] = []
    item = 0
    while len(chosen) < n:
        with_item = math.comb(k - item - 1, n - len(chosen) - 1)
        if rank < with_item:
            chosen.append(item)
        else:
            rank -= with_item
        item += 1
    return tuple(chosen)


def draw_combination(k: int, n: int, mode: str, rng: Random) -> tuple[int, ...]:
    """``n`` of ``k`` items: ``uniform`` over all combinations, or ``nested``: the first n of one shuffled order, so
    that with the same random state a larger n adds to a smaller one."""
    if mode == "nested":
        order = list(range(k))
        rng.shuffle(order)
        return tuple(sorted(order[:n]))
    return unrank(k, n, rng.randrange(math.comb(k, n)))


#: What a slot of the summary can be filled with, which the call never said.
_SLOT = re.compile(
    r"\b(?:phone|telephone|policy|account|reference|order|claim|booking|case|tracking|contact)\s+number"
    r"(?!\s*[\d#:(])\b"
)


def told_gender(text: str) -> Gender | None:
    """The gender of all pronouns of a text, if they have one: a new name has to fit them."""
    women, men = (re.search(rf"\b(?:{words})\b", text, re.IGNORECASE) for words in ("she|hers?", "he|his|him"))
    return None if bool(women) == bool(men) else "feminine" if women else "masculine"


def role_replacement(text: str, rng: Random) -> str:
    """A name that nobody mentioned in place of a role, as in the paper (*the agent* becomes *Sarah Johnson*)."""
    table = people()
    fitting = {"feminine": table.feminine, "masculine": table.masculine}.get(told_gender(text) or "")
    firsts = [name for name in fitting or (*table.feminine, *table.masculine) if name not in text]
    return f"{rng.choice(firsts)} {rng.choice([name for name in table.surnames if name not in text])}"


def term_replacement(group: EntityGroup, domain: Domain, taken: set[str], rng: Random) -> str | None:
    """Another noun of the same slot, in the same number."""
    if group.surface.lower() in lexicon().mass:
        return None
    words = [term for term in domain.terms[group.slot] if term not in lexicon().mass]
    singular = group.surface.lower() in {term.lower() for term in domain.terms[group.slot]}
    forms = words if singular else [plural(term) for term in words]
    own = next((t for t in domain.terms[group.slot] if group.surface.lower() in (t.lower(), plural(t).lower())), "")
    options = [
        form
        for word, form in zip(words, forms, strict=True)
        if word not in lexicon().general  # a test is what a scan is, too
        and form.lower() not in taken
        and not any(_related(form, value) for value in taken)  # "a withdrawal and a cash withdrawal"
        and not _related(form, group.surface)
        and not _related(word, own)
    ]
    return rng.choice(options) if options else None


def _related(first: str, second: str) -> bool:
    """Whether one noun phrase contains the other (card and debit card) or is another word for it (ATM and cash
    machine): a change that would be no error."""
    a, b = {*first.lower().split()}, {*second.lower().split()}
    return a <= b or b <= a or any({first, second} <= group for group in lexicon().same)
