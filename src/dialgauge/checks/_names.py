"""Names of a summary that no turn has, each one once: "New York" is one name, and "nyc" mentions it."""

from collections.abc import Iterator, Sequence

from dialgauge.checks._claims import Token
from dialgauge.checks._compare import Comparison
from dialgauge.checks._people import found_in, plain
from dialgauge.checks._types import Reason
from dialgauge.checks._words import person_nouns

_NO_NAMES = frozenset(("mr", "mrs", "ms", "miss", "dr", "i", "ok", "tv", "pm", "am"))
#: Words inside a name: "World of Warcraft". Hyphens stand alone for the parser: "Wi-Fi".
_JOINED = frozenset(("of", "the", "and", "&", "-", "de", "la", "van"))
_LONGEST_SHORT = 5


def absent_names(compared: Comparison, sentence: int) -> Iterator[Reason]:
    """A reason for each name, and each capitalised word, of which the dialogue has nothing."""
    for run in _runs(compared, sentence):
        unknown = [token for token in run if not _known(compared, token)]
        if not unknown or _shortened(compared, [token for token in run if plain(token.text) not in _NO_NAMES]):
            continue
        # A name that begins with known words ("Dana Kellner") is as wrong as its others.
        place = (unknown[0].start, unknown[-1].end)
        check = "name_absent" if any(token.pos == "PROPN" for token in unknown) else "new_capital"
        yield Reason(check, place, compared.claims.text[slice(*place)])


def _runs(compared: Comparison, sentence: int) -> Iterator[list[Token]]:
    """The words of each name in a sentence; what joins them is left out."""
    tokens = compared.claims.tokens
    taken = {i for value in compared.values for i in range(value.start, value.end)}
    run: list[Token] = []
    for token in tokens:
        if token.sentence != sentence:
            continue
        if token.start not in taken and token.i not in compared.claims.mentions and _is_name(compared, token):
            if run and any(plain(t.text) not in _JOINED for t in tokens[run[-1].i + 1 : token.i]):
                yield run
                run = []
            run.append(token)
    if run:
        yield run


def _is_name(compared: Comparison, token: Token) -> bool:
    name = plain(token.text)
    if len(name) < 2 or not name[0].isalpha():
        return False
    first = token.start == compared.claims.sentences[token.sentence][0]
    # After a full stop that ends no sentence for the parser ("4 p.m. Because …") a capital says nothing.
    capital = token.text[0].isupper() and not first and not compared.claims.tokens[token.i - 1].text.endswith(".")
    return capital or token.pos == "PROPN"


def _known(compared: Comparison, token: Token) -> bool:
    source, name = compared.source, plain(token.text)
    if name in source.lowers or name in _NO_NAMES:
        return True
    if token.start == compared.claims.sentences[token.sentence][0] and name in person_nouns():
        return True
    short = name.replace(".", "")
    if token.text.isupper() and len(short) <= _LONGEST_SHORT and (short in source.lowers or short in source.initials):
        return True
    nameless = token.text[0] == "#" and not any(letter.isdigit() for letter in token.text)  # "#Person#": a slip
    return nameless or found_in(name, source.lowers)


def _shortened(compared: Comparison, run: Sequence[Token]) -> bool:
    """Whether the dialogue has a name in short: its first letters ("nyc", "wow"), consonants ("fb"), or as one word."""
    source = compared.source
    if not run:
        return False
    words = [plain(token.text) for token in run]
    if len(words) > 1:
        between = compared.claims.text[run[0].start : run[-1].end].lower()
        letters = "".join(word[0] for word in between.replace("-", " ").split())
        first = "".join(word[0] for word in words)
        if {"".join(words), letters, first, first + "c"} & source.lowers:  # "nyc" ends in "city"
            return True
    return len(words) == 1 and any(_is_skeleton(short, words[0]) for short in source.lowers)


def _is_skeleton(short: str, name: str) -> bool:
    """Whether a word without vowels has only letters of a name, in their order and from its first."""
    if not 1 < len(short) < _LONGEST_SHORT or not short.isalpha() or short[0] != name[0] or set(short) & set("aeiouy"):
        return False
    letters = iter(name)
    return all(letter in letters for letter in short)
