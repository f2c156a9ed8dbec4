"""Controls for PSentScore: texts that are not summaries."""

from collections.abc import Sequence

import numpy as np

from dialgauge.corpus import Dialogue

#: A dialogue by its number, and a text that stands for its summary.
Entry = tuple[int, str]
LEAD, LONGEST, RANDOM, SHUFFLED, CONSTANT = "lead-3", "longest-3", "random-quarter", "shuffled", "constant"
#: What each control is.
CONTROLS = {
    LEAD: "the first three turns, copied",
    LONGEST: "the three longest turns, copied",
    RANDOM: "a random quarter of the dialogue's words, in their order",
    SHUFFLED: "the systems' outputs (or the references), each paired with another dialogue",
    CONSTANT: "the median share of the dialogues as the prediction for every summary",
}
_TURNS = 3
_QUARTER = 4
_SHUFFLES = 5


def control_texts(dialogues: Sequence[Dialogue], outputs: Sequence[Entry], seed: int) -> dict[str, list[Entry]]:
    """The texts of the controls; ``outputs`` are what is shuffled. The constant guess has no text."""
    rng = np.random.default_rng(seed)
    texts: dict[str, list[Entry]] = {
        LEAD: [(i, dialogue.lead(_TURNS)) for i, dialogue in enumerate(dialogues)],
        LONGEST: [(i, dialogue.longest(_TURNS)) for i, dialogue in enumerate(dialogues)],
        RANDOM: [(i, _random_quarter(dialogue, rng)) for i, dialogue in enumerate(dialogues)],
    }
    texts[SHUFFLED] = _shuffled(outputs, rng)
    return texts


def _shuffled(outputs: Sequence[Entry], rng: np.random.Generator) -> list[Entry]:
    """One output of each dialogue, chosen at random, moved to another dialogue; several times over.

    The move goes along a random circle of the dialogues, so that nobody keeps their own.
    """
    of: dict[int, list[str]] = {}
    for i, text in outputs:
        of.setdefault(i, []).append(text)
    if len(of) < 2:
        return []
    found: list[Entry] = []
    for _ in range(_SHUFFLES):
        circle = rng.permutation(sorted(of)).tolist()
        for i, following in zip(circle, [*circle[1:], circle[0]], strict=True):
            found.append((following, of[i][int(rng.integers(len(of[i])))]))
    return found


def _random_quarter(dialogue: Dialogue, rng: np.random.Generator) -> str:
    words = [word for turn in dialogue.turns for word in turn.text.split()]
    if not words:
        return ""
    chosen = np.sort(rng.choice(len(words), max(1, len(words) // _QUARTER), replace=False))
    return " ".join(words[i] for i in chosen.tolist())
