"""``compat=evaleval``: the sixteen baseline perturbations as the published code makes them, faults and all.

After Sai, Dixit, Sheth, Mohan and Khapra 2021 (EvalEval) and Table 9 of Patel, Agrawal and Kumar 2024. The human means
of Table 2 were given to such texts, so comparisons with them need the like. Most join their tokens with blanks, so
every metric also sees another tokenisation. Whoever wants good variants uses the rules instead.
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dialgauge.perturb._edits import Draft
from dialgauge.perturb._parse import Parsed, Token, parse
from dialgauge.perturb._perturbation import NotApplicable, Option, Proposal, Random
from dialgauge.perturb._word_tables import published_pairs

if TYPE_CHECKING:
    from dialgauge.perturb._apply import Task

COMPAT = Option(
    ("none", "evaleval"),
    "evaleval: what the published code does, with its faults, for comparison with human ratings of its results",
)
_AGREEMENT = {"was": "were", "is": "are", "has": "have", "does": "do"}
_OTHER_NUMBER = {**_AGREEMENT, **{other: one for one, other in _AGREEMENT.items()}}
_ADJECTIVES, _NOUNS = ("JJ", "JJR", "JJS"), ("NN", "NNP", "NNS", "NNPS")
#: The published code asks WordNet and, which of its words fits, a masked language model; these are the exchanges that
#: Table 9 prints, and the words that it leaves. Everywhere else the most frequent word of WordNet stands in.
_PRINTED_HYPONYMS = {
    "customer": "buyer", "agent": "carrier", "are": "begin", "food": "meat", "base": "plate", "bring": "carry",
    "take": "prepare", "money": "savings", "receive": "get", "situation": "urgency",
    **{word: word for word in ("chicken", "concern", "home", "lot", "price", "time")},
}  # fmt: skip
_WINDOW = 0.2

Made = str | NotApplicable


def published(task: "Task", attempt: int) -> Made:
    """The text that the published code makes of this one."""
    name = task.request.perturbation.name
    parsed, rng = parse(task.text), task.random(attempt)
    return _MAKERS[name](parsed, rng) if name in _MAKERS else _shortened_or_spelt_out(task, parsed, rng)


def _joined(tokens: "list[str]") -> str:
    return " ".join(tokens)


def _shortened_or_spelt_out(task: "Task", parsed: Parsed, rng: Random) -> Made:
    """Contractions and expansions by our own rules: the published tables are other people's."""
    request = task.request
    options = {key: value for key, value in request.options.items() if key != "compat"}
    proposal = request.perturbation.propose(parsed, task.dialogue, rng, request.level, **options)
    if isinstance(proposal, NotApplicable):
        return proposal
    return Draft(parsed.text, proposal.edits if isinstance(proposal, Proposal) else proposal).result


def _exchanged(parsed: Parsed, what: str, table: Callable[[Token], Mapping[str, str]]) -> Made:
    """Every word that the table for it has, in its base form and whether it fits or not."""
    found = [(known := table(token)).get(token.lower) or known.get(token.lemma.lower()) for token in parsed.tokens]
    if not any(found):
        return NotApplicable(f"WordNet has no {what} of any word")
    return _joined([other or token.text for token, other in zip(parsed.tokens, found, strict=True)])


def _synonym_adjective(parsed: Parsed, rng: Random) -> Made:
    return _exchanged(parsed, "synonym", lambda t: published_pairs("synonyms") if t.tag in _ADJECTIVES else {})


def _antonym_adjective(parsed: Parsed, rng: Random) -> Made:
    return _exchanged(parsed, "antonym", lambda t: published_pairs("antonyms") if t.tag in _ADJECTIVES else {})


def _hyponyms(parsed: Parsed, rng: Random) -> Made:
    """Nouns in the singular and verbs without an ending."""
    tables = {
        tag: {**published_pairs(name), **_PRINTED_HYPONYMS}
        for name, tags in (("nouns", ("NN", "NNP")), ("verbs", ("VB", "VBP")))
        for tag in tags
    }
    return _exchanged(parsed, "hyponym", lambda t: tables.get(t.tag, {}))


def _remove_punct(parsed: Parsed, rng: Random) -> Made:
    """Every mark becomes a blank, also within sums and short forms."""
    return _joined(re.sub(r"[^\w\s]", " ", parsed.text).split())


def _typos(parsed: Parsed, rng: Random) -> Made:
    """Two neighbouring characters swapped, anywhere."""
    text = parsed.text
    if len(text) < 2:
        return NotApplicable("the text has one character")
    place = rng.randrange(len(text) - 1)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def _jumble(parsed: Parsed, rng: Random) -> Made:
    tokens = [token.text for token in parsed.tokens]
    rng.shuffle(tokens)
    return _joined(tokens)


def _drop_stopwords(parsed: Parsed, rng: Random) -> Made:
    """spaCy's list, with regard to case: *not* goes, *The* stays."""
    from spacy.lang.en.stop_words import STOP_WORDS

    return _joined([token.text for token in parsed.tokens if token.text not in STOP_WORDS])


def _add_negation(parsed: Parsed, rng: Random) -> Made:
    """*not* in the first sentence whose main verb can have one."""
    for token in parsed.tokens:
        if token.dep != "ROOT":
            continue
        carrier = token if token.lemma == "be" else parsed.child(token, "aux", "auxpass")
        if carrier is not None and not parsed.child(token, "neg"):
            return f"{parsed.text[: carrier.end]} not{parsed.text[carrier.end :]}"
        if token.tag in ("VBZ", "VBD", "VBP") and not parsed.child(token, "neg"):
            support = {"VBZ": "does", "VBD": "did", "VBP": "do"}[token.tag]
            return f"{parsed.text[: token.start]}{support} not {token.lemma}{parsed.text[token.end :]}"
    return NotApplicable("no sentence has a verb that can be negated")


def _subject_verb_dis(parsed: Parsed, rng: Random) -> Made:
    """All auxiliaries of eight forms; everything is joined with blanks."""
    return _joined(
        [_OTHER_NUMBER.get(token.text, token.text) if token.pos == "AUX" else token.text for token in parsed.tokens]
    )


def _drop_adjectives(parsed: Parsed, rng: Random) -> Made:
    """Whatever is tagged as an adjective right before a noun; *more home* counts, as in the tagger that was used."""
    tokens = parsed.tokens
    kept = [
        token.text
        for token, after in zip(tokens, [*tokens[1:], None], strict=True)
        if not (after is not None and _adjective(token) and (after.tag in _NOUNS or after.lower == "home"))
    ]
    return _joined(kept) if len(kept) < len(tokens) else NotApplicable("no adjective stands right before a noun")


def _adjective(token: Token) -> bool:
    return token.tag in _ADJECTIVES or token.lower == "more"


def _sentences(parsed: Parsed) -> list[str]:
    return [parsed.text[start:end] for start, end in parsed.sentences]


def _sentence_reorder(parsed: Parsed, rng: Random) -> Made:
    found = _sentences(parsed)
    rng.shuffle(found)
    return _joined(found)


def _repeat_sentences(parsed: Parsed, rng: Random) -> Made:
    """The first sentence once more, at the end."""
    found = _sentences(parsed)
    return _joined([*found, found[0]])


def _drop_phrases(parsed: Parsed, rng: Random) -> Made:
    """A fifth of the tokens in one piece, from somewhere in the first fifth, across sentences."""
    tokens = [token.text for token in parsed.tokens]
    length = round(len(tokens) * _WINDOW)
    if length < 1 or len(tokens) - length < 1:
        return NotApplicable("the text is too short for the published code")
    start = rng.randrange(length)
    return _joined([*tokens[:start], *tokens[start + length :]])


def _replace_nouns_pronouns(parsed: Parsed, rng: Random) -> Made:
    """A pronoun before each sentence that begins with a noun (or an article and a noun), and then the whole sentence
    once for every token that is left. Table 9 prints fewer copies than the code makes."""
    parts: list[str] = []
    led = False
    for number, sentence in enumerate(_sentences(parsed)):
        tokens = [token for token in parsed.tokens if token.sentence == number]
        pronoun, used = _leading_pronoun(tokens)
        led = led or bool(pronoun)
        parts += [*filter(None, [pronoun]), *[sentence] * (len(tokens) - used)]
    return _joined(parts) if led else NotApplicable("no sentence begins with a noun that the published code replaces")


def _leading_pronoun(tokens: "list[Token]") -> tuple[str, int]:
    if tokens and tokens[0].tag in ("NNS", "NNPS"):
        return "They", 1
    if len(tokens) > 1 and tokens[0].tag == "DT":
        if tokens[1].tag in ("NNS", "NNPS"):
            return "They", 2
        if tokens[1].tag == "NN":
            return "It", 2
    return "", 0


_MAKERS: Mapping[str, Callable[[Parsed, Random], Made]] = {
    "add_negation": _add_negation,
    "antonym_adjective": _antonym_adjective,
    "drop_adjectives": _drop_adjectives,
    "drop_phrases": _drop_phrases,
    "drop_stopwords": _drop_stopwords,
    "hyponyms": _hyponyms,
    "jumble": _jumble,
    "remove_punct": _remove_punct,
    "repeat_sentences": _repeat_sentences,
    "replace_nouns_pronouns": _replace_nouns_pronouns,
    "sentence_reorder": _sentence_reorder,
    "subject_verb_dis": _subject_verb_dis,
    "synonym_adjective": _synonym_adjective,
    "typos": _typos,
}
#: All that the published code has.
PUBLISHED = frozenset((*_MAKERS, "contractions", "expansions"))
