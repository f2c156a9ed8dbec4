"""The grammar of an English text: parsed once per distinct text, shared by every perturbation.

spaCy does the analysis (extra ``parser``); what the perturbations see are plain frozen objects with offsets into the
original text. Sentences are split by our own rules, in any language, and the parser uses them.
"""

import os
import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from dialgauge.errors import DialgaugeError, MissingExtraError, ModelError
from dialgauge.perturb._spans import PLACEHOLDER, Span, sentence_spans, word_spans

#: Selects a parser other than the embedded one: a model reference (``folder:/path``) or an installed spaCy package.
PARSER_VARIABLE = "DIALGAUGE_PARSER"
_EMBEDDED = "embedded:spacy-en"
_PLACEHOLDER = re.compile(PLACEHOLDER)
#: What the parser reads in place of a placeholder: names it knows, so that it finds subjects and objects.
_NAMES = ("Alice", "Robert", "Maria", "George", "Helen", "Peter", "Susan", "Frank")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark with its grammar (Penn tag, universal part of speech, dependency and the place of its head)."""

    i: int
    start: int
    end: int
    text: str
    lemma: str
    tag: str
    pos: str
    dep: str
    head: int
    sentence: int
    entity: str
    children: tuple[int, ...]
    #: The first and last token of the subtree of this one, and whether it is contiguous.
    left: int
    right: int
    unbroken: bool

    @property
    def lower(self) -> str:
        """The text in lower case, with a straight apostrophe."""
        return self.text.lower().replace("’", "'")


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity: its span and spaCy's label (PERSON, ORG, DATE, MONEY …)."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A base noun phrase: its span, its tokens ``first`` to ``last`` and the place of its ``root`` token."""

    start: int
    end: int
    first: int
    last: int
    root: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with its words and sentences, and (where it was parsed) tokens, entities and noun chunks."""

    text: str
    words: tuple[Span, ...]
    sentences: tuple[Span, ...]
    tokens: tuple[Token, ...] = ()
    entities: tuple[Entity, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    parser: str = ""
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def subtree(self, token: Token) -> tuple[Token, ...]:
        """The tokens from the first to the last of the subtree of this one, itself included."""
        return self.tokens[token.left : token.right + 1]

    def child(self, token: Token, *deps: str) -> Token | None:
        """The first child with one of these dependencies."""
        return next((self.tokens[c] for c in token.children if self.tokens[c].dep in deps), None)

    def sentence_of(self, position: int) -> int:
        """The place of the sentence that holds this offset (or the last one that begins before it)."""
        before = [i for i, (start, _) in enumerate(self.sentences) if start <= position]
        return before[-1] if before else 0


@lru_cache(maxsize=8192)
def outline(text: str) -> Parsed:
    """Words and sentences only: what perturbations that need no parser read, in any language."""
    return Parsed(text, word_spans(text), sentence_spans(text))


@lru_cache(maxsize=4096)
def parse(text: str) -> Parsed:
    """The full analysis of an English text. Texts are parsed one by one, so that no other text can change a result."""
    base = outline(text)
    nlp = _pipeline()
    readable, starts = _mask(text)
    document = nlp.make_doc(readable)
    sentence_starts = {start for start, _ in base.sentences}
    for token in document:
        token.is_sent_start = token.i == 0 or _original(starts, token.idx) in sentence_starts
    document = nlp(document)
    tokens = tuple(_token(token, base, starts) for token in document if not token.is_space)
    return _assemble(base, document, tokens, starts)


def _assemble(base: Parsed, document: Any, tokens: tuple[Token, ...], starts: list[tuple[int, int, int]]) -> Parsed:
    """Renumber the tokens (without white space) and add entities and chunks."""
    place = {token.i: new for new, token in enumerate(tokens)}
    heads = [place.get(token.head, place[token.i]) for token in tokens]
    children: list[list[int]] = [[] for _ in tokens]
    for i, head in enumerate(heads):
        if head != i:
            children[head].append(i)
    left, right, sizes = _extents(heads)
    renumbered = tuple(
        replace(
            token,
            i=i,
            head=heads[i],
            children=tuple(children[i]),
            left=left[i],
            right=right[i],
            unbroken=sizes[i] == right[i] - left[i] + 1,
        )
        for i, token in enumerate(tokens)
    )
    entities = tuple(
        Entity(_original(starts, e.start_char), _original_end(starts, e.end_char), e.label_) for e in document.ents
    )
    chunks = []
    for chunk in document.noun_chunks:
        inside = [place[token.i] for token in chunk if token.i in place]
        if inside and chunk.root.i in place:
            first, last = renumbered[inside[0]], renumbered[inside[-1]]
            chunks.append(Chunk(first.start, last.end, first.i, last.i, place[chunk.root.i]))
    return replace(base, tokens=renumbered, entities=entities, chunks=tuple(chunks), parser=parser_name(), memo={})


def _extents(heads: list[int]) -> tuple[list[int], list[int], list[int]]:
    """For each token the first, the last and the number of all tokens below it."""
    left, right, sizes = list(range(len(heads))), list(range(len(heads))), [1] * len(heads)
    for i in range(len(heads)):
        current, steps = i, 0
        while heads[current] != current and steps <= len(heads):
            current, steps = heads[current], steps + 1
            left[current], right[current] = min(left[current], i), max(right[current], i)
            sizes[current] += 1
    return left, right, sizes


def _token(token: Any, base: Parsed, starts: list[tuple[int, int, int]]) -> Token:
    start, end = _original(starts, token.idx), _original_end(starts, token.idx + len(token))
    return Token(
        i=token.i,
        start=start,
        end=end,
        text=base.text[start:end],
        lemma=token.lemma_,
        tag=token.tag_,
        pos=token.pos_,
        dep=token.dep_,
        head=token.head.i,
        sentence=base.sentence_of(start),
        entity=token.ent_type_,
        children=(),
        left=token.i,
        right=token.i,
        unbroken=True,
    )


def masked(text: str) -> str:
    """The text with a name in place of each placeholder, as a model can read it."""
    return _mask(text)[0]


def _mask(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text with a name in place of each placeholder, and the stretches (masked start, masked end, shift)."""
    names: dict[str, str] = {}
    parts: list[str] = []
    shifts: list[tuple[int, int, int]] = []
    position = length = 0
    for match in _PLACEHOLDER.finditer(text):
        name = names.setdefault(match.group(), _NAMES[len(names) % len(_NAMES)])
        parts += (text[position : match.start()], name)
        length += match.start() - position
        shifts.append((length, length + len(name), match.end() - (length + len(name))))
        length += len(name)
        position = match.end()
    parts.append(text[position:])
    return "".join(parts), shifts


def _original(shifts: list[tuple[int, int, int]], position: int) -> int:
    """Where a position of the masked text (the start of a token) is in the original."""
    shift = 0
    for start, end, following in shifts:
        if position <= start:
            break
        if position < end:  # inside a name: a token that a tokenizer cut oddly begins with the placeholder
            return start + shift
        shift = following
    return position + shift


def _original_end(shifts: list[tuple[int, int, int]], position: int) -> int:
    shift = 0
    for start, end, following in shifts:
        if position <= start:
            break
        shift = following
        if position < end:
            return end + shift
    return position + shift


def missing_parser() -> str | None:
    """Why parsing is not possible, or None if a parser is found; the parser is not loaded."""
    try:
        _found()
    except DialgaugeError as error:
        return str(error)
    return None


def parser_identity() -> str | None:
    """The parser that would be used, by its version or its files, without loading it; None if there is none."""
    try:
        return _found()[1]
    except DialgaugeError:
        return None


def _found() -> tuple[Any, str]:
    """What spaCy is to load, and its identity: the parser that DIALGAUGE_PARSER names, or the embedded one, or an
    installed English package."""
    if find_spec("spacy") is None:
        raise MissingExtraError("a perturbation that needs grammar", "parser")
    from dialgauge.models import find_asset, resolve

    named = os.environ.get(PARSER_VARIABLE, "")
    if not named and not find_asset("spacy-en").present:
        import spacy

        named = min((name for name in spacy.util.get_installed_models() if name.startswith("en_core_web_")), default="")
    if not named or ":" in named:
        resolved = resolve(named or _EMBEDDED)
        return resolved.path, resolved.fingerprint
    if find_spec(named) is None:
        raise ModelError(f"parser {named!r} ({PARSER_VARIABLE}): no such spaCy package; for a folder, use folder:/path")
    return named, f"{named} {version(named)}"


@cache
def _pipeline() -> Any:
    target, _ = _found()
    import spacy

    try:
        nlp: Any = spacy.load(target)
    except OSError as error:
        raise ModelError(f"parser {str(target)!r} cannot be loaded: {error}") from error
    # spaCy splits the short forms of pronouns (he'd) but not those of names (Tom'd).
    suffixes = [*nlp.Defaults.suffixes, r"(?<=[A-Za-z])['’](?:d|ll|ve|re|m)"]
    nlp.tokenizer.suffix_search = spacy.util.compile_suffix_regex(suffixes).search
    return nlp


@cache
def parser_name() -> str:
    """The parser with its version, as recorded in the provenance."""
    meta = _pipeline().meta
    return f"{meta['lang']}_{meta['name']} {meta['version']}"
