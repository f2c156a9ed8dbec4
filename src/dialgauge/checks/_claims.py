"""A summary as claims: its sentences, and in each the clauses with their subjects, content words and negations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dialgauge.checks._negation import WORDS as NEGATIONS
from dialgauge.checks._people import Speakers
from dialgauge.checks._words import WORD
from dialgauge.models import load_parser

#: What the parser reads in place of ``#Person1#``: a name of the same length, so that every place stays where it was.
_STAND_INS = {
    length: names.split()
    for length, names in enumerate(
        (
            "Ann Tom Eva",
            "Anna Mark Lisa Paul",
            "Alice Peter Maria James",
            "Robert Helena Thomas Sandra",
            "Michael Barbara William Rebecca",
            "Benjamin Patricia Jonathan Victoria",
            "Alexander Elizabeth Frederick Charlotte",
            "Maximilian Alexandria Evangeline Bernadette",
            "Christopher Constantine Clementina Wilhelmina",
        ),
        3,
    )
}
PLACEHOLDER = re.compile(r"#\s?[^\W\d_]+\s?#?\s?\d*\s?#|<[A-Z][A-Z_]*\d*>|\[[A-Z][A-Z_]*\d*\]")
_QUOTED = re.compile(r"(?:^|(?<=\s))(#\w+#|\w[\w.'-]*) ?:(?=\s)")
_CONTENT = frozenset(("NOUN", "VERB", "ADJ", "ADV", "NUM", "PROPN"))
_CLAUSES = frozenset(("ROOT", "conj", "ccomp", "advcl", "relcl", "acl", "parataxis", "xcomp", "pcomp", "csubj"))
_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "expl"))
SAYING = frozenset(
    [
        "ask",
        "tell",
        "say",
        "suggest",
        "offer",
        "invite",
        "inform",
        "explain",
        "remind",
        "recommend",
        "advise",
        "mention",
        "warn",
        "promise",
        "answer",
        "reply",
        "claim",
        "complain",
        "admit",
        "confirm",
        "propose",
        "describe",
        "report",
        "think",
        "believe",
        "hope",
        "want",
        "know",
        "like",
        "agree",
        "request",
    ]
)
ASKING = frozenset(("ask", "request", "want", "wonder", "inquire", "enquire"))
_PRONOUNS = frozenset(("he", "she"))
AGREEING = frozenset(("agree", "accept", "confirm", "promise", "approve"))


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a summary with what checks need of its grammar."""

    i: int
    start: int
    end: int
    text: str
    lemma: str
    pos: str
    dep: str
    head: int
    sentence: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb with its words. ``subject`` is a speaker's place, or None; ``words`` are places of content tokens.

    ``guessed``: the subject is a "he" or "she" that may mean somebody else.
    """

    head: int
    sentence: int
    span: tuple[int, int]
    subject: int | None
    words: tuple[int, ...]
    saying: bool
    asking: bool
    negated: bool
    guessed: bool = False


#: A text as the parser gets it, and where sentences begin in any case; its tokens and the spans of its sentences.
_Text = tuple[str, tuple[int, ...]]
_Parse = tuple[tuple[Token, ...], tuple[tuple[int, int], ...]]
_PARSES_KEPT = 4096
_parses: dict[tuple[str, str, tuple[int, ...]], _Parse] = {}


@dataclass(frozen=True, slots=True)
class Claims:
    """A parsed summary: ``mentions`` says which speaker each token means."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    clauses: tuple[Clause, ...]
    mentions: dict[int, int]

    def content(self, sentence: int) -> list[int]:
        """The content words of a sentence that are no speakers."""
        return [t.i for t in self.tokens if t.sentence == sentence and t.pos in _CONTENT and t.i not in self.mentions]


def read_claims(text: str, speakers: Speakers, parser: str) -> Claims:
    """The claims of a summary of a dialogue with these speakers."""
    tokens, sentences = _parsed([_readable(text, speakers)], parser)[0]
    tokens = tuple(_original(token, text) for token in tokens)
    mentions = {
        token.i: place
        for token in tokens
        if token.pos in ("PROPN", "NOUN", "X", "NUM") and (place := speakers.meant_by(token.text)) is not None
    }
    return Claims(text, tokens, sentences, tuple(_clauses(tokens, mentions, len(speakers.names))), mentions)


def read_ahead(texts: Sequence[tuple[str, Speakers]], parser: str) -> None:
    """Parse summaries that are going to be read, which takes half the time if many are parsed together."""
    _parsed([_readable(text, speakers) for text, speakers in texts], parser)


def _readable(text: str, speakers: Speakers) -> _Text:
    return _stand_ins(_truecased(text, speakers), speakers), _spoken(text, speakers)


def _original(token: Token, text: str) -> Token:
    shown = text[token.start : token.end]
    if shown == token.text:
        return token
    return Token(token.i, token.start, token.end, shown, token.lemma, token.pos, token.dep, token.head, token.sentence)


def _truecased(text: str, speakers: Speakers) -> str:
    """A text without capitals, with those of the speakers' names and of the beginnings of sentences."""
    if any(letter.isupper() for letter in text):
        return text
    known = set(speakers.aliases)
    cased = WORD.sub(lambda m: m[0][0].upper() + m[0][1:] if m[0].removesuffix("'s") in known else m[0], text)
    return re.sub(r"(^|[.!?]\s+)([a-z])", lambda m: m[1] + m[2].upper(), cased)


def _stand_ins(text: str, speakers: Speakers) -> str:
    order: dict[str, int] = {}

    def name(match: re.Match[str]) -> str:
        length = len(match[0])
        several = _STAND_INS.get(length)
        place = order.setdefault(match[0].lower(), len(order))
        return several[place % len(several)] if several else f"P{'erson' * length}"[:length]

    return PLACEHOLDER.sub(name, text)


def _spoken(text: str, speakers: Speakers) -> tuple[int, ...]:
    """Where a summary quotes a turn with its speaker ("Tom: …"), as extracts do: a sentence begins there."""
    return tuple(m.start() for m in _QUOTED.finditer(text) if speakers.meant_by(m[1]) is not None)


def _parsed(texts: Sequence[_Text], parser: str) -> list[_Parse]:
    """Tokens and sentences of each text. Other texts in a batch do not change a bit of what the parser computes."""
    found = {text: parse for text in texts if (parse := _parses.get((parser, *text))) is not None}
    unknown = [text for text in dict.fromkeys(texts) if text not in found]
    for text, document in zip(unknown, _pipeline(parser)([text for text, _ in unknown]), strict=True):
        found[text] = _parses[parser, *text] = _parse_of(document, *text)
    for oldest in list(_parses)[: max(len(_parses) - _PARSES_KEPT, 0)]:
        _parses.pop(oldest, None)
    return [found[text] for text in texts]


def _parse_of(document: Any, text: str, begins: tuple[int, ...]) -> _Parse:
    """Tokens and sentences, which also begin at ``begins``."""
    tokens: list[Token] = []
    spans: list[tuple[int, int]] = []
    places: dict[int, int] = {}
    kept = [token for token in document if not token.is_space]
    for place, token in enumerate(kept):
        places[token.i] = place
    number = -1
    for token in kept:
        if number < 0 or token.idx in begins or _begins(token, kept[places[token.i] - 1], text):
            number += 1
            spans.append((token.idx, token.idx + len(token)))
        spans[number] = (spans[number][0], token.idx + len(token))
        head = places.get(token.head.i, places[token.i])
        lemma = token.lemma_.lower() or token.lower_
        tokens.append(
            Token(
                places[token.i],
                token.idx,
                token.idx + len(token),
                token.text,
                lemma,
                token.pos_,
                token.dep_,
                head,
                number,
            )
        )
    return tuple(tokens), tuple(spans)


def _begins(token: Any, before: Any, text: str) -> bool:
    """A sentence begins where the parser says so and the text too: after an end mark, or in a new line."""
    between = text[before.idx + len(before) : token.idx]
    return "\n" in between or (token.is_sent_start and before.text[-1:] in ".!?…\"”')")


@lru_cache(maxsize=2)
def _pipeline(parser: str) -> Any:
    """The parser without what checks do not read: entities cost a third of the time."""
    nlp = load_parser(parser)
    wanted = [name for name, _ in nlp.pipeline if name not in ("ner", "entity_linker", "textcat")]

    def run(texts: Sequence[str]) -> list[Any]:
        documents = [nlp.make_doc(text) for text in texts]
        for name in wanted:
            pipe = nlp.get_pipe(name)
            documents = list(pipe.pipe(documents)) if hasattr(pipe, "pipe") else [pipe(one) for one in documents]
        return documents

    return run


def _clauses(tokens: tuple[Token, ...], mentions: dict[int, int], speakers: int) -> Iterator[Clause]:
    children: list[list[int]] = [[] for _ in tokens]
    for token in tokens:
        if token.head != token.i:
            children[token.head].append(token.i)
    heads = [t for t in tokens if t.pos in ("VERB", "AUX") and t.dep in _CLAUSES]
    subjects: dict[int, int | None] = {}
    guessed: set[int] = set()
    last: int | None = None
    for head in heads:
        subject = _subject(head, tokens, children, mentions, subjects, last)
        subjects[head.i] = subject
        if _guessed(head, tokens, children, guessed):
            guessed.add(head.i)
        last = subject if subject is not None else last
        words = _clause_words(head, tokens, children, {h.i for h in heads})
        if head.dep == "xcomp" and not _object(tokens[head.head], tokens, children, mentions):
            continue  # "wants to go" is one clause; "asks Ines to go" has one of Ines inside
        named = [c for c in children[head.i] if tokens[c].dep in _SUBJECTS]
        shown = [i for i in (head.i, *named, *words) if tokens[i].pos != "PUNCT"]
        yield Clause(
            head.i,
            head.sentence,
            (tokens[min(shown)].start, tokens[max(shown)].end),
            subject,
            tuple(i for i in words if tokens[i].pos in _CONTENT and i not in mentions),
            head.lemma in SAYING,
            head.lemma in ASKING,
            any(tokens[c].dep == "neg" or tokens[c].text.lower() in NEGATIONS for c in children[head.i]),
            head.i in guessed,
        )


def _subject(
    head: Token,
    tokens: tuple[Token, ...],
    children: list[list[int]],
    mentions: dict[int, int],
    subjects: dict[int, int | None],
    last: int | None,
) -> int | None:
    """The speaker who is the subject of a verb: named, as a pronoun, or shared with the verb that it is joined to."""
    own = [tokens[c] for c in children[head.i] if tokens[c].dep in _SUBJECTS]
    if not own:
        if head.dep == "xcomp" and (objects := _object(tokens[head.head], tokens, children, mentions)):
            return mentions[objects[0]]
        return subjects.get(head.head) if head.dep in ("conj", "xcomp") else None
    subject = own[0]
    if subject.dep == "nsubjpass":
        agents = [tokens[c] for c in children[head.i] if tokens[c].dep == "agent"]
        named = [c for agent in agents for c in children[agent.i] if c in mentions]
        return mentions[named[0]] if named else None
    if any(tokens[c].dep == "conj" for c in children[subject.i]):
        return None  # "Tom and Ines": nobody alone
    if subject.i in mentions:
        return mentions[subject.i]
    return last if subject.text.lower() in _PRONOUNS else None


def _guessed(head: Token, tokens: tuple[Token, ...], children: list[list[int]], guessed: set[int]) -> bool:
    """Whether the subject of a verb is a pronoun, its own or that of the verb that it is joined to."""
    own = [tokens[c].text.lower() for c in children[head.i] if tokens[c].dep in _SUBJECTS]
    return own[0] in _PRONOUNS if own else head.head in guessed


def _object(verb: Token, tokens: tuple[Token, ...], children: list[list[int]], mentions: dict[int, int]) -> list[int]:
    """The speakers that are objects of a verb, as in "asks Ines to …"."""
    return [c for c in children[verb.i] if tokens[c].dep in ("dobj", "dative") and c in mentions]


def _clause_words(head: Token, tokens: tuple[Token, ...], children: list[list[int]], heads: set[int]) -> list[int]:
    """The tokens below a verb without its subject and without clauses of their own."""
    found: list[int] = [] if head.lemma in SAYING else [head.i]
    waiting = list(children[head.i])
    while waiting:
        i = waiting.pop()
        token = tokens[i]
        if token.head == head.i and token.dep in _SUBJECTS:
            continue
        if token.dep in ("conj", "parataxis") and i in heads:
            continue
        if i in heads and head.lemma not in SAYING and token.dep in ("ccomp", "advcl"):
            continue
        found.append(i)
        waiting += children[i]
    return sorted(found)
