"""Right and wrong summaries of each dialogue, made by rules from its right summary."""

import random
from collections.abc import Iterator, Sequence

from dialgauge.checker._errors import ERRORS, Rule
from dialgauge.checker._example import Example, lower_cased
from dialgauge.checker._material import Material, Source
from dialgauge.checker._rewrites import REWRITES, extract, misattributed

#: The share of dialogues whose summaries are all written in lower case, so that case is no sign of an error.
_LOWER = 0.25
#: What can go wrong in turns taken over word for word.
_IN_EXTRACTS = ("value", "entity", "negation", "negation-dropped", "word", "dialogue-word", "antonym")
_SEVERAL = tuple(name for name in ERRORS if name not in ("names", "other", "tail", "sentence"))


def examples_of(source: Source, material: Material, seed: int = 0, extracts: int = 2) -> list[Example]:
    """All that the rules make of one dialogue: right ones first, no text twice. The same seed gives the same ones."""
    draw = random.Random(f"{seed}:{source.key}")
    rights = _right(source, material, draw, extracts)
    wrongs = _wrong(rights, source, material, draw)
    if draw.random() < _LOWER:
        rights, wrongs = [lower_cased(one) for one in rights], [lower_cased(one) for one in wrongs]
    known = {one.text for one in rights}
    kept: list[Example] = list(rights)
    for one in wrongs:
        if one.text not in known and one.text.strip():
            known.add(one.text)
            kept.append(one)
    return kept


def _right(source: Source, material: Material, draw: random.Random, extracts: int) -> list[Example]:
    reference = Example("reference", source.summary)
    found = [reference]
    for name, rule in REWRITES.items():
        for _ in range(extracts if name == "extract" else 1):
            made = rule(reference, source, material, draw)
            # Half of the rewritten ones are rewritten once more, so that the number of edits is no sign either.
            if made and name not in ("extract", "reference") and draw.random() < 0.5:
                again = draw.choice(list(REWRITES.values())[1:-1])(made, source, material, draw)
                made = Example(made.kind, again.text) if again else made
            if made and made.text not in {one.text for one in found}:
                found.append(made)
    return found


def _wrong(rights: Sequence[Example], source: Source, material: Material, draw: random.Random) -> list[Example]:
    bases = [one for one in rights if one.kind not in ("extract", "repeated")]
    found = [made for rule in ERRORS.values() if (made := rule(_base(bases, draw), source, material, draw))]
    several = _several(_base(bases, draw), source, material, draw)
    wrong_speaker = misattributed(bases[0], source, material, draw)
    taken = extract(bases[0], source, material, draw)
    if taken:
        rules = [ERRORS[name] for name in draw.sample(_IN_EXTRACTS, k=len(_IN_EXTRACTS))]
        made = next(_made(rules, taken, source, material, draw), None)
        if made:
            found.append(Example("extract-edited", made.text, made.wrong))
    return [*found, *(one for one in (several, wrong_speaker) if one)]


def _made(
    rules: Sequence[Rule], example: Example, source: Source, material: Material, draw: random.Random
) -> Iterator[Example]:
    for rule in rules:
        made = rule(example, source, material, draw)
        if made:
            yield made


def _base(bases: Sequence[Example], draw: random.Random) -> Example:
    """What an error is put into: the reference, or half the time one of its rewritten forms."""
    return bases[0] if draw.random() < 0.5 else draw.choice(bases)


def _several(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Two or three errors in one summary."""
    made = example
    for name in draw.sample(_SEVERAL, k=draw.choice((3, 4, 5))):
        made = ERRORS[name](made, source, material, draw) or made
    return Example("several", made.text, made.wrong) if len(made.wrong) > 1 else None
