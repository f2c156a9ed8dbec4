"""Adjectives: antonym_adjective, synonym_adjective and drop_adjectives."""

from collections.abc import Callable, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import base_form, hyphenated, inflect, like
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._word_tables import Table, substitutes, word_set

#: A noun phrase needs these (``next week``, ``the same one``, ``many people``).
_NEEDED = word_set("needed_adjectives")
_LONGEST_PHRASE = 5
#: What an adjective is in a sentence, unless it stands for a noun (*the same*).
_ROLES = ("amod", "acomp", "conj", "oprd", "ROOT", "ccomp", "advcl", "relcl", "acl", "xcomp", "attr")


def _is_adjective(parsed: Parsed, token: Token) -> bool:
    return (
        token.pos == "ADJ"
        and token.tag in ("JJ", "JJR", "JJS")
        and token.dep in _ROLES
        and token.text.isalpha()
        and not token.entity
        and not hyphenated(parsed, token)
        and (token.text.islower() or parsed.sentences[token.sentence][0] == token.start)
    )


def _replace(table: Table) -> Callable[[Parsed, Dialogue | None, Random, int], Sequence[Edit] | NotApplicable]:
    def propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
        adjectives = [token for token in parsed.tokens if _is_adjective(parsed, token)]
        if not adjectives:
            return NotApplicable("no adjective")
        chosen: dict[str, str] = {}
        edits: list[Edit] = []
        for token in adjectives:
            lemma = _lemma(token)
            options = substitutes(table).get(lemma, ())
            if not options or _fixed(parsed, token) or _balanced(parsed, token, options):
                continue
            # The same adjective gets the same substitute throughout the text.
            other = chosen.setdefault(lemma, rng.choice(options))
            if (lemma, other) == ("old", "new") and names_person(parsed.tokens[token.head]):
                other = "young"
            if form := _inflected(other, token):
                edits.append(Edit(token.start, token.end, like(token.text, form)))
        return edits or NotApplicable(f"no adjective with known {table[:-1]}s")

    return propose


def _fixed(parsed: Parsed, token: Token) -> bool:
    """Whether the adjective is part of a fixed phrase: measured (``two years old``), of a name, *good at*,
    *than usual*, *in full*, *I'm afraid*."""
    before = parsed.tokens[token.i - 1] if token.i else None
    if before is not None and (
        before.lower == "than" or (token.dep != "amod" and (before.pos == "ADP" or before.lower in ("as", "'m", "am")))
    ):
        return True
    measured = any(parsed.tokens[c].dep == "npadvmod" for c in token.children)
    compound = token.dep in ("amod", "compound") and parsed.tokens[token.head].pos == "PROPN"
    skill = token.lower in ("good", "better", "best", "bad") and any(
        parsed.tokens[c].lower in ("at", "for", "with") for c in token.children
    )
    return measured or compound or skill or (before is not None and before.tag in ("RBR", "RBS") and token.tag != "JJ")


def _balanced(parsed: Parsed, token: Token, options: Sequence[str]) -> bool:
    """Whether a substitute is there already, side by side: *big and small* would only turn round."""
    around = [*token.children, token.head]
    return any(parsed.tokens[place].lower in options for place in around)


def _lemma(token: Token) -> str:
    if token.tag == "JJ":
        return token.lower
    return base_form(token.lower, "ADJ") or token.lemma.lower()


def _inflected(lemma: str, token: Token) -> str | None:
    """The substitute in the degree of the adjective that it stands for; *more* and *most* where it has no ending."""
    if token.tag == "JJ":
        return lemma
    ending = {"good": ("better", "best"), "bad": ("worse", "worst")}.get(lemma)
    if ending:
        return ending[token.tag == "JJS"]
    if _takes_ending(lemma):
        return inflect(lemma, token.tag)
    return f"{'more' if token.tag == 'JJR' else 'most'} {lemma}"


def _takes_ending(lemma: str) -> bool:
    """Short adjectives compare with -er and -est: one syllable, or two that end in -y (but not participles)."""
    groups = sum(letter in "aeiouy" and (i == 0 or lemma[i - 1] not in "aeiouy") for i, letter in enumerate(lemma))
    syllables = groups - (lemma.endswith("e") and groups > 1 and not lemma.endswith("le"))
    if lemma.endswith(("ed", "ing")):
        return False
    return (
        syllables == 1 or (syllables == 2 and lemma.endswith("y")) or lemma in ("simple", "quiet", "narrow", "clever")
    )


def check_replaced(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Every changed stretch must hold an adjective, or the article before one."""
    adjectives = [token for token in parsed.tokens if token.pos == "ADJ"]
    for edit in edits:
        touched = any(token.start < edit.end and edit.start < token.end for token in adjectives)
        if not touched and original[edit.start : edit.end].lower() not in ("a", "an"):
            return f"{original[edit.start : edit.end]!r} is not an adjective"
    return None


def propose_drop(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    """Delete every adjective before a noun, with the adverbs and adjectives that depend on it."""
    edits: list[Edit] = []
    for token in parsed.tokens:
        if token.dep != "amod" or not _is_adjective(parsed, token) or token.lower in _NEEDED:
            continue
        noun, phrase = parsed.tokens[token.head], parsed.subtree(token)
        if noun.pos != "NOUN" or token.right >= noun.i or not token.unbroken or len(phrase) > _LONGEST_PHRASE:
            continue
        if any(hyphenated(parsed, part) for part in phrase):
            continue
        end = phrase[-1].end
        following = parsed.tokens[phrase[-1].i + 1]
        if following.text == "," and following.i < noun.i:
            end = following.end
        if not edits or edits[-1].end <= phrase[0].start:
            edits.append(Edit(phrase[0].start, end))
    return edits or NotApplicable("no adjective before a noun that can be removed")


def check_dropped(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """What is left must be words of the original in their order (an article may have changed with its neighbour)."""
    return None if is_subsequence(result, original) else "words were changed, not only removed"


def is_subsequence(result: str, original: str) -> bool:
    """Whether the words of one text are words of the other in the same order, whatever the case; a counts as an."""
    from dialgauge.perturb._spans import word_spans

    def words(text: str) -> list[str]:
        lowered = (text[start:end].lower() for start, end in word_spans(text))
        return ["a" if word == "an" else word for word in lowered]

    rest = iter(words(original))
    return all(word in rest for word in words(result))


register(
    Perturbation(
        name="antonym_adjective",
        family="baseline",
        description="replaces adjectives by their antonyms, in the same degree",
        effects={"consistency": "degrades", "relevance": "preserves"},
        propose=_replace("antonyms"),
        validate=check_replaced,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer bought an expensive phone.", "The customer bought a cheap phone."),),
    ),
    Perturbation(
        name="synonym_adjective",
        family="baseline",
        description="replaces adjectives by synonyms, in the same degree",
        effects={"consistency": "preserves", "relevance": "preserves"},
        propose=_replace("synonyms"),
        validate=check_replaced,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer is angry about a long delay.", "The customer is furious about a lengthy delay."),),
    ),
    Perturbation(
        name="drop_adjectives",
        family="baseline",
        description="removes adjectives before nouns",
        effects={"consistency": "preserves", "relevance": "degrades-mildly"},
        propose=propose_drop,
        validate=check_dropped,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer bought an expensive phone.", "The customer bought a phone."),),
    ),
)
