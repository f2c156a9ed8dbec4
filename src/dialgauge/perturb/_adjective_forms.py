"""Forms of adjectives: base forms, degrees, negative prefixes."""

from dialgauge.perturb._grammar import base_form, inflect
from dialgauge.perturb._parse import Token


def adjective_lemma(token: Token) -> str:
    """The adjective in the positive degree."""
    if token.tag == "JJ":
        return token.lower
    return base_form(token.lower, "ADJ") or token.lemma.lower()


def inflected(lemma: str, token: Token) -> str | None:
    """The substitute in the degree of the adjective that it stands for; *more* and *most* where it has no ending."""
    if token.tag == "JJ":
        return lemma
    ending = {"good": ("better", "best"), "bad": ("worse", "worst")}.get(lemma)
    if ending:
        return ending[token.tag == "JJS"]
    if takes_ending(lemma):
        return inflect(lemma, token.tag)
    return f"{'more' if token.tag == 'JJR' else 'most'} {lemma}"


def takes_ending(lemma: str) -> bool:
    """Short adjectives compare with -er and -est: one syllable, or two that end in -y (but not participles)."""
    groups = sum(letter in "aeiouy" and (i == 0 or lemma[i - 1] not in "aeiouy") for i, letter in enumerate(lemma))
    syllables = groups - (lemma.endswith("e") and groups > 1 and not lemma.endswith("le"))
    if lemma.endswith(("ed", "ing")):
        return False
    return (
        syllables == 1 or (syllables == 2 and lemma.endswith("y")) or lemma in ("simple", "quiet", "narrow", "clever")
    )


def negates(first: str, second: str) -> bool:
    """Whether one of two words is the other with a negative prefix (*interested*, *uninterested*)."""
    return any(first == prefix + second or second == prefix + first for prefix in ("un", "in", "im", "dis", "ir", "il"))
