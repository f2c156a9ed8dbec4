"""Right and wrong summaries of each dialogue, made by rules from its right summary.

They come in couples of a right and a wrong one, and dialogues come with changed twins, so that nearly every text is
right for one dialogue and wrong for another: a checker can only tell which by reading the dialogue.
"""

import random
from collections.abc import Sequence

from dialgauge.checker._errors import ERRORS, foreign_source
from dialgauge.checker._example import Couple, Example, Group, joined, lower_cased
from dialgauge.checker._material import Material, Source
from dialgauge.checker._rewrites import REWRITES
from dialgauge.checker._twins import CHANGES, Change

#: The share of dialogues whose summaries are all written in lower case, so that case is no sign of an error.
_LOWER = 0.25
#: Changed twins of a dialogue, beside the one whose speakers change their parts.
_TWINS = 3
#: The share of dialogues with a twin that another dialogue was added to, and how long both may be together.
_LONGER, _LONGEST = 0.4, 2400
#: How often an error is made that no twin makes right: some can be seen without the dialogue, so they must be few.
#: A negation is put in about as often as one can be taken out.
_ALONE = {"name": 0.6, "roles": 0.6, "negation": 0.2, "negation-dropped": 1.0, "tail": 0.2}
#: The same for errors that are made where a twin could not be.
_INSTEAD = {"value": 0.4, "word": 0.3, "entity": 0.3}


def groups_of(source: Source, material: Material, seed: int = 0) -> list[Group]:
    """The dialogue and its changed twins with their summaries. The same seed gives the same ones."""
    draw = random.Random(f"{seed}:{source.key}")
    rights = right_summaries(source, material, draw)
    own: list[Couple] = []
    twins: list[Group] = []
    kinds = ["names", *draw.sample([kind for kind in CHANGES if kind != "names"], k=len(CHANGES) - 1)]
    for kind in kinds:
        change = CHANGES[kind]([one.text for one in rights], source, material, draw)
        chosen = _touched(change, rights, draw) if change and len(twins) <= _TWINS else []
        if change and chosen:
            own += [Couple(one, change.applied(one.text)) for one in chosen]
            back = [Couple(_right(one, change), _undone(one, change)) for one in chosen]
            twins.append(Group(change.dialogue(source).text, tuple(back)))
    own += _alone(rights, {one.wrong.kind for one in own}, source, material, draw)
    if draw.random() < _LONGER:
        couple, added = _longer(rights, source, material, draw)
        own += couple
        twins += added
    # Two names that are joined ("Ann and Ben") may change places without an error.
    groups = [Group(g.dialogue, tuple(c for c in g.couples if c.wrong.wrong)) for g in twins]
    groups = [Group(source.text, tuple(c for c in own if c.wrong.wrong)), *(g for g in groups if g.couples)]
    return [_lower_cased(one) for one in groups] if draw.random() < _LOWER else groups


def examples_of(source: Source, material: Material, seed: int = 0) -> list[Example]:
    """The summaries of the dialogue itself: right ones first, no text twice."""
    return groups_of(source, material, seed)[0].examples


def right_summaries(source: Source, material: Material, draw: random.Random, extracts: int = 2) -> list[Example]:
    """The right summary, rewritten forms of it, and turns quoted word by word."""
    reference = Example("reference", source.summary)
    found = [reference]
    for name, rule in REWRITES.items():
        for _ in range(extracts if name == "extract" else 1):
            made = rule(reference, source, material, draw)
            # Half of the rewritten ones are rewritten once more, so that the number of edits is no sign either.
            if made and name not in ("extract", "reference") and draw.random() < 0.5:
                again = draw.choice(list(REWRITES.values())[1:-1])(made, source, material, draw)
                made = Example(made.kind, again.text) if again else made
            if made and made.text.strip() and made.text not in {one.text for one in found}:
                found.append(made)
    return found


def _touched(change: Change, rights: Sequence[Example], draw: random.Random) -> list[Example]:
    """A summary, and a quotation if there is one, that the change makes wrong; of speakers two summaries."""
    able = [one for one in rights if change.applied(one.text).wrong and change.places(one.text)]
    quoted = [one for one in able if one.kind == "extract"]
    others = [one for one in able if one.kind != "extract"]
    first = [one for one in others if one.kind == "reference" and draw.random() < 0.4]
    rest = [one for one in others if one not in first]
    count = 2 if change.kind == "names" else 1
    chosen = [*first, *draw.sample(rest, k=min(len(rest), count))][:count]
    return chosen + (draw.sample(quoted, k=1) if quoted and draw.random() < 0.5 else [])


def _right(one: Example, change: Change) -> Example:
    return Example(one.kind, change.applied(one.text).text)


def _undone(one: Example, change: Change) -> Example:
    return Example(change.kind, one.text, change.places(one.text))


def _alone(
    rights: Sequence[Example], made: set[str], source: Source, material: Material, draw: random.Random
) -> list[Couple]:
    """Errors in this dialogue only, beside the summary that they were put into."""
    able = [one for one in rights if one.kind not in ("extract", "repeated")]
    found = []
    for kind, share in {**_ALONE, **{k: s for k, s in _INSTEAD.items() if k not in made}}.items():
        base = able[0] if draw.random() < 0.5 else draw.choice(able)
        wrong = ERRORS[kind](base, source, material, draw) if draw.random() < share else None
        if wrong:
            found.append(Couple(base, wrong))
    return found


def _longer(
    rights: Sequence[Example], source: Source, material: Material, draw: random.Random
) -> tuple[list[Couple], list[Group]]:
    """A foreign statement, which is wrong until the dialogue that it comes from is added.

    A third dialogue, the longer one with speakers in each other's place, makes every text right once and wrong once.
    """
    other = foreign_source(source, material, draw)
    swap = CHANGES["names"]([one.text for one in rights], source, material, draw)
    able = [one for one in rights if one.kind != "extract" and swap and swap.places(one.text)]
    if other is None or swap is None or not able or len(source.text) + len(other.text) > _LONGEST:
        return [], []
    base = draw.choice(able)
    wrong = _with_foreign(base, other, draw)
    turns = (*source.turns, *other.turns) if draw.random() < 0.5 else (*other.turns, *source.turns)
    longer = Source(f"{source.key}+", turns, wrong.text)
    right = Example(wrong.kind, wrong.text)
    groups = [
        Group(longer.text, (Couple(right, swap.applied(wrong.text)),)),
        Group(swap.dialogue(longer).text, (Couple(_right(right, swap), _undone(base, swap)),)),
    ]
    return [Couple(base, wrong)], groups


def _with_foreign(base: Example, other: Source, draw: random.Random) -> Example:
    """The summary with a foreign sentence or clause, or the foreign summary alone."""
    form = draw.choice(("sentence", "sentence", "clause", "other"))
    text = other.summary if form == "other" else draw.choice(other.sentences)
    foreign = Example(form, text, ((0, len(text)),))
    if form == "other":
        return foreign
    if form == "clause" and base.text.endswith(".") and text.endswith("."):
        own = Example("", base.text.rstrip(". ") + draw.choice((" and", ", and", ", while")))
        return joined("clause", [own, foreign])
    parts = [Example("", one) for one in Source("", (), base.text).sentences]
    parts.insert(draw.randrange(len(parts) + 1), foreign)
    return joined(form, parts)


def _lower_cased(group: Group) -> Group:
    couples = tuple(Couple(lower_cased(one.right), lower_cased(one.wrong)) for one in group.couples)
    return Group(group.dialogue, couples)
