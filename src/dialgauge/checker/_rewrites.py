"""Rules that change a right summary and leave it right: as many and as visible edits as the errors have.

Otherwise a checker could tell right from wrong by the traces of editing, without reading the dialogue.
"""

import random
import re
from collections.abc import Mapping

from dialgauge.checker._edits import plain_substitute
from dialgauge.checker._errors import Rule
from dialgauge.checker._example import Example, Replacement, joined, replaced
from dialgauge.checker._material import Material, Source
from dialgauge.checker._values import same_value, values_in

_CONTRACTIONS = (
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"),
    ("does not", "doesn't"),
    ("do not", "don't"),
    ("did not", "didn't"),
    ("will not", "won't"),
    ("cannot", "can't"),
    ("can not", "can't"),
    ("has not", "hasn't"),
    ("have not", "haven't"),
    ("could not", "couldn't"),
    ("would not", "wouldn't"),
    ("he will", "he'll"),
    ("she will", "she'll"),
    ("they will", "they'll"),
    ("they are", "they're"),
    ("he is", "he's"),
    ("she is", "she's"),
    ("it is", "it's"),
)
#: Phrases that say the same in summaries of dialogues; each may stand for the other.
_PHRASES = (
    ("is going to", "will"),
    ("are going to", "will"),
    ("wants to", "would like to"),
    ("want to", "would like to"),
    ("has to", "must"),
    ("have to", "must"),
    ("needs to", "has to"),
    ("talk about", "discuss"),
    ("talks about", "discusses"),
    ("are talking about", "are discussing"),
    ("a lot of", "many"),
    ("because", "since"),
    ("buys", "purchases"),
    ("buy", "purchase"),
    ("asks for", "requests"),
    ("helps", "assists"),
    ("help", "assist"),
    ("phone number", "telephone number"),
    ("is not able to", "cannot"),
    ("is able to", "can"),
    ("is unable to", "cannot"),
    ("tells", "informs"),
    ("thinks", "believes"),
    ("starts", "begins"),
    ("start", "begin"),
    ("ends", "finishes"),
    ("gets", "receives"),
    ("plans to", "intends to"),
    ("decides to", "makes up their mind to"),
    ("will meet", "are going to meet"),
    ("arrives", "gets there"),
    ("at home", "in the house"),
    ("photos", "pictures"),
    ("photo", "picture"),
    ("film", "movie"),
    ("mum", "mother"),
    ("mom", "mother"),
    ("dad", "father"),
    ("kids", "children"),
    ("around", "about"),
    ("immediately", "right away"),
    ("as well", "too"),
    ("recommends", "suggests"),
    ("agrees to", "accepts to"),
    ("is sick", "is ill"),
    ("though", "although"),
    ("bought", "purchased"),
    ("finished", "completed"),
    ("likes", "is fond of"),
    ("doesn't like", "dislikes"),
    ("doesn't want to", "is not willing to"),
    ("doesn't know", "is not sure"),
    ("can't", "is not able to"),
    ("is busy", "doesn't have time"),
    ("is late", "is not on time"),
    ("refuses to", "doesn't want to"),
    ("forgot to", "didn't remember to"),
    ("disagrees", "doesn't agree"),
)


def as_it_is(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Unchanged."""
    return Example("reference", example.text)


def _exchanged(example: Example, kind: str, pairs: tuple[tuple[str, str], ...], draw: random.Random) -> Example | None:
    found = []
    for pair in pairs:
        for old, new in (pair, pair[::-1]):
            found += [(m, new) for m in re.finditer(rf"\b{re.escape(old)}\b", example.text)]
    draw.shuffle(found)
    chosen: list[Replacement] = []
    for match, new in found:
        if len(chosen) < 2 and not any(match.start() < c.end and c.start < match.end() for c in chosen):
            chosen.append(Replacement(*match.span(), new, wrong=False))
    return replaced(example, kind, chosen) if chosen else None


def contract(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Short forms for long ones and long forms for short ones."""
    return _exchanged(example, "contraction", _CONTRACTIONS, draw)


def paraphrase(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Phrases that say the same."""
    return _exchanged(example, "paraphrase", _PHRASES, draw)


def synonym(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A word with the same meaning."""
    words = re.finditer(r"\b[a-z]{3,}\b", example.text)
    found = [(m, new) for m in words if (new := plain_substitute("synonyms", m[0]))]
    if not found:
        return None
    match, new = draw.choice(found)
    return replaced(example, "synonym", [Replacement(*match.span(), new, wrong=False)])


def write_value(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A number in words for one in digits, and the other way round."""
    found = [(v, new) for v in values_in(example.text) if (new := same_value(v)) is not None]
    if not found:
        return None
    value, new = draw.choice(found)
    return replaced(example, "value-form", [Replacement(value.start, value.end, new, wrong=False)])


def reorder(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """The sentences in another order; none that begins with a pronoun moves to the front."""
    own = list(Source("", (), example.text).sentences)
    if len(own) < 2:
        return None
    mixed = own[:]
    draw.shuffle(mixed)
    if mixed == own or mixed[0].split()[0].lower() in ("he", "she", "they", "it", "his", "her", "their", "this"):
        return None
    return Example("order", " ".join(mixed))


def shorten(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Only some of the sentences, or the first one up to a comma or "and"."""
    own = list(Source("", (), example.text).sentences)
    if len(own) > 1:
        kept = sorted(draw.sample(range(len(own)), k=draw.randrange(1, len(own))))
        if own[kept[0]].split()[0].lower() in ("he", "she", "they", "it", "his", "her", "their", "this"):
            kept = [0]
        return Example("short", " ".join(own[i] for i in kept))
    cuts = [
        m.start()
        for m in re.finditer(r", (?=and|but|so|because)| (?=and (?:will|is|has|wants)|because|but)", example.text)
    ]
    cuts = [cut for cut in cuts if len(example.text[:cut].split()) >= 4]
    return Example("short", example.text[: draw.choice(cuts)] + ".") if cuts else None


def repeat(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A sentence said twice."""
    own = list(Source("", (), example.text).sentences)
    return Example("repeated", " ".join([*own, draw.choice(own)])) if own else None


def exchange_joint_names(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """ "Bob and Ann" for "Ann and Bob": two names change places, and nothing becomes wrong."""
    for first in source.names:
        for second in source.names:
            match = re.search(rf"(?<![\w#]){re.escape(first)} and {re.escape(second)}(?![\w#'’])", example.text)
            if match and first != second:
                new = f"{second} and {first}"
                return replaced(example, "joint", [Replacement(*match.span(), new, wrong=False)])
    return None


def extract(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Turns of the dialogue as they stand, with their speakers."""
    turns = [i for i, (_, said) in enumerate(source.turns) if 3 <= len(said.split()) <= 40 and "<" not in said]
    if not turns:
        return None
    if draw.random() < 0.4:
        kept = turns[: draw.choice((1, 2, 3))]
    else:
        # Denials are what references rarely have and errors often: they must not give an error away.
        denied = [i for i in turns if re.search(r"n['’]t\b|\bnot\b|\bno\b|\bnever\b", source.turns[i][1], re.I)]
        pool = denied if denied and draw.random() < 0.5 else turns
        kept = sorted(draw.sample(pool, k=min(len(pool), draw.choice((1, 1, 2, 3)))))
    form = draw.choice(("{0}: {1}", "{0}: {1}", "{0} says: {1}", '{0} said "{1}"'))
    said = [form.format(source.turns[i][0], source.turns[i][1].strip()) for i in kept]
    return joined("extract", [Example("", one) for one in said])


REWRITES: Mapping[str, Rule] = {
    "reference": as_it_is,
    "contraction": contract,
    "paraphrase": paraphrase,
    "synonym": synonym,
    "value-form": write_value,
    "order": reorder,
    "short": shorten,
    "repeated": repeat,
    "joint": exchange_joint_names,
    "extract": extract,
}
