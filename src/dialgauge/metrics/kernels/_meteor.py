"""METEOR's alignment of words, for many pairs of texts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics.kernels._arrays import IdArray, Tokens
from dialgauge.metrics.kernels._native import call, kernel_name


@dataclass(frozen=True, eq=False, slots=True)
class Lexicon:
    """Word ``w`` has the stem ``stems[w]``, and stem ``s`` the synonyms ``synonyms[offsets[s] : offsets[s + 1]]``.

    Synonyms are stems too. There are no more stems than words.
    """

    stems: NDArray[np.int32]
    offsets: IdArray
    synonyms: NDArray[np.int32]


def meteor_matches(tokens: Tokens, lexicon: Lexicon, hypotheses: IdArray, targets: IdArray) -> tuple[IdArray, IdArray]:
    """How many words of each hypothesis are aligned with its target, and in how many chunks.

    Three rounds: equal words, equal stems, synonyms of the stem. In every round the words of the hypothesis choose from
    the last to the first, and each takes the last target word that is still free. A chunk is a run of aligned words
    that stand side by side in both texts.
    """
    matches, chunks = np.zeros(len(hypotheses), dtype=np.int64), np.zeros(len(hypotheses), dtype=np.int64)
    if kernel_name() == "python":
        stems, synonyms = lexicon.stems.tolist(), lexicon.synonyms.tolist()
        cuts = lexicon.offsets.tolist()
        for pair, (hypothesis, target) in enumerate(zip(hypotheses.tolist(), targets.tolist(), strict=True)):
            words, target_words = tokens.of(hypothesis), tokens.of(target)
            chosen = _match({}, dict(enumerate(words)), dict(enumerate(target_words)), {})
            left = {i: stems[word] for i, word in enumerate(words) if i not in chosen}
            taken = set(chosen.values())
            target_left = {j: stems[word] for j, word in enumerate(target_words) if j not in taken}
            near = {stem: synonyms[cuts[stem] : cuts[stem + 1]] for stem in left.values()}
            chosen = _match(chosen, left, target_left, near)
            matches[pair] = len(chosen)
            chunks[pair] = sum(chosen.get(i - 1, -2) != j - 1 for i, j in chosen.items())
    else:
        call(
            "dg_meteor",
            tokens.ids,
            tokens.starts,
            tokens.lengths,
            tokens.size,
            lexicon.stems,
            lexicon.offsets,
            lexicon.synonyms,
            np.ascontiguousarray(hypotheses),
            np.ascontiguousarray(targets),
            len(hypotheses),
            matches,
            chunks,
        )
    return matches, chunks


def _match(
    chosen: dict[int, int], words: dict[int, int], target_words: dict[int, int], near: dict[int, list[int]]
) -> dict[int, int]:
    """Add to the alignment: first equal words, then those that are near each other."""
    free: dict[int, list[int]] = {}
    for j, word in target_words.items():
        free.setdefault(word, []).append(j)
    for i in reversed(words):
        if free.get(words[i]):
            chosen[i] = free[words[i]].pop()
    for i in reversed(words):
        candidates = [] if i in chosen else [free[word] for word in near.get(words[i], ()) if free.get(word)]
        if candidates:
            chosen[i] = max(candidates, key=lambda positions: positions[-1]).pop()
    return chosen
