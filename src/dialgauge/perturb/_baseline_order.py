"""Order: jumble, sentence_reorder and repeat_sentences. They work in any language."""

import re
from collections import Counter
from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._left_behind import is_tied, may_mean_others, speaks_of_several
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import ABBREVIATED, Span, copies_turns

_JOINING = re.compile(r"[-./@_&:'’$€£+*]+")
_ENDS = ".!?…。！？｡؟।"
_CLOSING = "\"'”’»)]」』）"
_TRIES = 64
#: A text that begins so says whom it is about.
_INTRODUCING = re.compile(r"An?\b|Some(?:one|body)\b")


def propose_jumble(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, scope: str = "text"
) -> Sequence[Edit] | NotApplicable:
    """Shuffle the words; punctuation marks keep their positions."""
    units = _units(parsed)
    groups = [units] if scope == "text" else _by_sentence(parsed, units)
    edits: list[Edit] = []
    for group in groups:
        words = [parsed.text[start:end] for start, end in group]
        if len(set(words)) > 1:
            shuffled = _shuffled(words, rng)
            edits += [Edit(*span, word) for span, word in zip(group, shuffled, strict=True)]
    return edits or NotApplicable("fewer than two different words to shuffle")


def _units(parsed: Parsed) -> list[Span]:
    """The words, where those that a hyphen, a point or the like joins are one, and a title keeps its point."""
    units: list[Span] = []
    for start, end in parsed.words:
        if units and start < units[-1][1]:
            continue
        if title := ABBREVIATED.match(parsed.text, start):
            end = title.end()
        if units and start > units[-1][1] and _JOINING.fullmatch(parsed.text, units[-1][1], start):
            units[-1] = (units[-1][0], end)
        else:
            units.append((start, end))
    return units


def _by_sentence(parsed: Parsed, units: Sequence[Span]) -> list[list[Span]]:
    return [[u for u in units if start <= u[0] and u[1] <= end] for start, end in parsed.sentences]


def _shuffled(words: Sequence[str], rng: Random) -> list[str]:
    """Another order; there is one, because two words differ."""
    shuffled = list(words)
    while shuffled == list(words):
        rng.shuffle(shuffled)
    return shuffled


def check_jumble(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """The characters must be the same ones."""
    return None if Counter(original) == Counter(result) else "the words are not those of the original"


def propose_reorder(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Move every sentence to another position."""
    spans = parsed.sentences
    if len(spans) < 2:
        return NotApplicable("fewer than two sentences")
    texts = [parsed.text[start:end] for start, end in spans]
    if copies_turns(parsed.text):
        return NotApplicable("turns of the dialogue: in another order others would say them")
    if len(set(texts)) < 2:
        return NotApplicable("all sentences are the same")
    first, second = (text.split()[0] for text in (texts[0], texts[-1]))
    if len(texts) == 2 and first == second and first not in ("The", "A", "An"):
        return NotApplicable("the two sentences begin alike: no order is lost")
    blocks = _blocks(texts)
    if len(blocks) < 2:
        return NotApplicable("a sentence would come before the one that says what it speaks of")
    order = _order_of(blocks, rng)
    edits: list[Edit] = []
    for place, (span, source) in enumerate(zip(spans, order, strict=True)):
        last_in_line = place == len(spans) - 1 or "\n" in parsed.text[span[1] : spans[place + 1][0]]
        edits.append(Edit(*span, texts[source] if last_in_line else _closed(texts[source])))
    return edits


def _blocks(texts: Sequence[str]) -> list[list[int]]:
    """The sentences, each with those behind it that look back at it: these move together."""
    blocks = [[0]]
    introduced = _INTRODUCING.match(texts[0]) is not None
    for place, text in enumerate(texts[1:], start=1):
        others = may_mean_others(text, texts[place - 1])
        if others or is_tied(text, introduced):
            if (others or speaks_of_several(text)) and len(blocks) > 1:
                blocks[-2:] = [[*blocks[-2], *blocks[-1]]]  # "Max is late. Karin waits. They will talk."
            blocks[-1].append(place)
        else:
            blocks.append([place])
    return blocks


def _order_of(blocks: Sequence[list[int]], rng: Random) -> list[int]:
    """The blocks in another order, in which no sentence keeps its place."""
    for _ in range(_TRIES):
        order = [place for one in _derangement(len(blocks), rng) for place in blocks[one]]
        if all(source != place for place, source in enumerate(order)):
            return order
    return [place for block in (*blocks[1:], blocks[0]) for place in block]


def _derangement(size: int, rng: Random) -> list[int]:
    """An order in which nothing stays in place: drawn until there is one (more than one of three is), else a turn."""
    order = list(range(size))
    for _ in range(_TRIES):
        rng.shuffle(order)
        if all(i != place for place, i in enumerate(order)):
            return order
    return [*range(1, size), 0]


def _closed(sentence: str) -> str:
    """The sentence with a full stop, if it had no mark at its end: another follows now."""
    return sentence if sentence.rstrip(_CLOSING)[-1:] in tuple(_ENDS) else f"{sentence}."


def check_reorder(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """The words must be the same ones."""
    return None if _letters(original) == _letters(result) else "the sentences are not those of the original"


def _letters(text: str) -> Counter[str]:
    return Counter(character for character in text if character.isalnum())


def propose_repeat(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Repeat ``level`` sentences, each at a random later position."""
    spans = parsed.sentences
    if len(spans) < level:
        return NotApplicable(f"fewer than {level} sentences")
    chosen = list(range(len(spans)))
    rng.shuffle(chosen)
    inserted: dict[int, list[int]] = {}
    for sentence in chosen[:level]:
        inserted.setdefault(rng.randrange(sentence, len(spans)), []).append(sentence)
    return [_insertion(parsed, place, sentences) for place, sentences in inserted.items()]


def _insertion(parsed: Parsed, place: int, sentences: Sequence[int]) -> Edit:
    text, spans = parsed.text, parsed.sentences
    end = spans[place][1]
    before = text[spans[place][0] : end]
    gap = "" if before.rstrip(_CLOSING)[-1:] in ("。", "！", "？", "｡") else " "
    opening = "" if _closed(before) == before else "."
    copies = [text[slice(*spans[sentence])] for sentence in sentences]
    last = copies[-1] if place == len(spans) - 1 else _closed(copies[-1])
    return Edit(end, end, opening + "".join(gap + copy for copy in [*map(_closed, copies[:-1]), last]))


def check_repeat(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Only sentences of the original may have been added."""
    known = sorted({_bare(original[start:end]) for start, end in parsed.sentences}, key=len, reverse=True)
    sentences = re.compile(f"(?:{'|'.join(map(re.escape, known))})+")
    added = [edit for edit in edits if edit.start != edit.end or not sentences.fullmatch(_bare(edit.replacement))]
    return f"{added[0].replacement!r} is not a sentence of the original" if added else None


def _bare(sentence: str) -> str:
    return "".join(character for character in sentence if character.isalnum())


register(
    Perturbation(
        name="jumble",
        family="baseline",
        description="shuffles the words",
        effects={"consistency": "degrades", "relevance": "degrades", "fluency": "degrades"},
        propose=propose_jumble,
        validate=check_jumble,
        citation=CITATION,
        tidy=False,
        options={"scope": Option(("text", "sentence"), "text, or sentence: words stay in their sentence")},
        examples=(("The agent refunds the order.", "refunds order The the agent."),),
    ),
    Perturbation(
        name="sentence_reorder",
        version="3",
        family="baseline",
        description="moves every sentence to another position, one that looks back behind the one before it; what is "
        "meant may be told later only",
        # Independent sentences read as well in another order.
        effects={"consistency": "preserves", "relevance": "preserves", "coherence": "degrades-mildly"},
        propose=propose_reorder,
        validate=check_reorder,
        citation=CITATION,
        tidy=False,
        examples=(("The customer called. The agent answered.", "The agent answered. The customer called."),),
    ),
    Perturbation(
        name="repeat_sentences",
        family="baseline",
        description="repeats sentences",
        effects={"consistency": "preserves", "relevance": "degrades-mildly", "fluency": "degrades"},
        propose=propose_repeat,
        validate=check_repeat,
        levels=(1, 2, 3),
        citation=CITATION,
        tidy=False,
        examples=(("The agent refunds the order.", "The agent refunds the order. The agent refunds the order."),),
    ),
)
