"""Forms of adjectives: base forms and degrees."""

from dialgauge.perturb._grammar import base_form, inflect
from dialgauge.perturb._parse import Token
from dialgauge.perturb._word_tables import takes_ending


def adjective_lemma(token: Token) -> str:
    """The adjective in the positive degree."""
    if token.tag == "JJ":
        return token.lower
    return base_form(token.lower, "ADJ") or token.lemma.lower()


def inflected(lemma: str, token: Token) -> str | None:
    """The substitute in the degree of the adjective that it stands for; *more* and *most* where it has no ending."""
    if token.tag == "JJ":
        return lemma
    ending = {"good": ("better", "best"), "bad": ("worse", "worst"), "terrible": ("worse", "worst")}.get(lemma)
    if ending:
        return ending[token.tag == "JJS"]
    if takes_ending(lemma):
        return inflect(lemma, token.tag)
    return f"{'more' if token.tag == 'JJR' else 'most'} {lemma}"
