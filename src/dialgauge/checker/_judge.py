"""Summaries compared with their dialogues by a checker: marks, parts and the probability of being right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from dialgauge.checker._combination import PARTS, Combination, parts_of
from dialgauge.checker._folder import load_checker
from dialgauge.checker._layout import Encoded, Tree
from dialgauge.checker._network import Marks, Network
from dialgauge.language import nltk_sentences

if TYPE_CHECKING:
    from dialgauge.checks import CheckedSummary, Weights

#: A token with at least this probability of being wrong is shown as doubtful.
DOUBTFUL = 0.5
#: Where a dialogue exceeds what the model reads, this many of its last lines open the next window, too.
_SHARED_LINES = 2


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of a summary that the dialogue does not seem to support, and how likely they are wrong."""

    start: int
    end: int
    p_wrong: float


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence of a summary and the probability that it is right."""

    start: int
    end: int
    p_right: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A summary: the probability that all of it is right, the parts it comes from, its sentences and its doubts.

    ``checked`` is what the rules found, where they count.
    """

    p_right: float
    parts: dict[str, float]
    sentences: tuple[JudgedSentence, ...]
    doubts: tuple[Doubt, ...]
    windows: int = 1
    checked: "CheckedSummary | None" = None


def judge(
    dialogue: str,
    summaries: Sequence[str],
    *,
    checks: bool = True,
    folder: str = "",
    device: str = "auto",
    dtype: str = "auto",
) -> list[Judged]:
    """Judge summaries of one dialogue (a line per turn, "Name: text"). The dialogue is read once for all of them.

    ``checks`` adds the rule-based checks, which need the parser. ``folder`` names a checker of your own.
    """
    return judge_many([(dialogue, summaries)], checks=checks, folder=folder, device=device, dtype=dtype)[0]


def judge_many(
    groups: Sequence[tuple[str, Sequence[str]]],
    *,
    checks: bool = True,
    folder: str = "",
    device: str = "auto",
    dtype: str = "auto",
    parts: Sequence[str] = (),
) -> list[list[Judged]]:
    """Judge the summaries of several dialogues; ``parts`` are computed even if the checker does not weigh them."""
    card, network = load_checker(folder, device, dtype)
    marked = read_marks(network, groups, (*card.combination.weighed, *parts))
    checked = _checked(groups, card.weights) if checks else repeat(None)
    return [
        [
            _judged(summary, marks, windows, next(checked), card.combination)
            for summary, (marks, windows) in zip(summaries, found, strict=True)
        ]
        for (_, summaries), found in zip(groups, marked, strict=True)
    ]


def _checked(groups: Sequence[tuple[str, Sequence[str]]], weights: "Weights") -> "Iterator[CheckedSummary]":
    from dialgauge.checks import check_many

    pairs = ((dialogue, summary) for dialogue, summaries in groups for summary in summaries)
    return check_many(pairs, weights=weights)


def _judged(
    summary: str, marks: Marks, windows: int, checked: "CheckedSummary | None", combination: Combination
) -> Judged:
    parts = parts_of(marks)
    if checked is not None:
        parts["checks"] = checked.logit
    # A foreign name or value is seen by rules or not at all: nothing that the model likes makes up for it.
    ceiling = 1.0 if checked is None else checked.ceiling
    return Judged(
        min(combination.p_right(parts), ceiling),
        parts,
        _sentences(summary, marks, checked, combination),
        _doubts(summary, marks),
        windows,
        checked,
    )


def _sentences(
    summary: str, marks: Marks, checked: "CheckedSummary | None", combination: Combination
) -> tuple[JudgedSentence, ...]:
    from dialgauge.checks import logit

    if checked is not None:
        spans = [(one.span, one.p_right, one.ceiling) for one in checked.sentences]
    else:
        spans, position = [], 0
        for sentence in nltk_sentences(summary):
            start = summary.find(sentence, position)
            start = position if start < 0 else start
            position = start + len(sentence)
            spans.append(((start, position), 0.0, 1.0))
    found = []
    for (start, end), p_right, ceiling in spans:
        chosen = np.array([start <= a < end for a, _ in marks.spans])
        if not chosen.any():
            continue
        parts = parts_of(marks, chosen)
        if checked is not None:
            parts["checks"] = logit(p_right)
        found.append(JudgedSentence(start, end, min(combination.p_right(parts), ceiling)))
    return tuple(found)


def _doubts(summary: str, marks: Marks) -> tuple[Doubt, ...]:
    """Neighbouring doubtful tokens taken together, as whole words."""
    p_wrong = 1 / (1 + np.exp(-marks.wrong))
    found: list[Doubt] = []
    for (start, end), p in zip(marks.spans, p_wrong.tolist(), strict=True):
        if p < DOUBTFUL or start >= end or not any(c.isalnum() for c in summary[start:end]):
            continue
        while start > 0 and summary[start - 1].isalnum() and summary[start].isalnum():
            start -= 1
        while end < len(summary) and summary[end].isalnum() and summary[end - 1].isalnum():
            end += 1
        if found and not summary[found[-1].end : start].strip():
            found[-1] = Doubt(found[-1].start, max(end, found[-1].end), max(p, found[-1].p_wrong))
        else:
            found.append(Doubt(start, end, p))
    return tuple(found)


def read_marks(
    network: Network, groups: Sequence[tuple[str, Sequence[str]]], parts: Sequence[str] = PARTS
) -> list[list[tuple[Marks, int]]]:
    """The marks of every summary of every dialogue, and in how many windows its dialogue was read.

    Likelihoods are computed only if one of the ``parts`` needs them.
    """
    alone = "contrast" in parts
    encoded = [[network.words.summary(summary) for summary in summaries] for _, summaries in groups]
    trees, owners = [], []
    for owner, ((dialogue, _), mine) in enumerate(zip(groups, encoded, strict=True)):
        longest = max((network.words.size(summary) for summary in mine), default=0)
        # A summary that takes nearly all of the room must leave some for the dialogue.
        for window in _windows(network, dialogue, max(network.room - longest, network.room // 4)):
            trees.append(Tree(network.words.context(window), tuple(mine)))
            owners.append(owner)
    found = network.read(trees, likelihood=alone or "likelihood" in parts)
    free = network.read([Tree(network.words.context(""), tuple(mine)) for mine in encoded]) if alone else []
    results = []
    for owner, mine in enumerate(encoded):
        windows = [found[i] for i, of in enumerate(owners) if of == owner]
        results.append(
            [
                (_merged(summary, [w[i] for w in windows], free[owner][i][1] if alone else np.zeros(0)), len(windows))
                for i, summary in enumerate(mine)
            ]
        )
    return results


def _merged(summary: Encoded, windows: Sequence[tuple[np.ndarray, np.ndarray]], alone: np.ndarray) -> Marks:
    """A token is as right as in the window that supports it best."""
    wrong = np.min([one[0] for one in windows], axis=0)
    given = np.max([one[1] for one in windows], axis=0)
    return Marks(summary.spans, wrong, given, alone)


def _windows(network: Network, dialogue: str, room: int) -> list[str]:
    """The whole dialogue if it fits; else windows of whole lines that share their border lines."""
    if len(network.words.context(dialogue)) <= room:
        return [dialogue]
    lines = [part for line in dialogue.splitlines() for part in _cut(network, line, room)]
    sizes = [len(network.words.context(line)) for line in lines]
    windows: list[str] = []
    start = 0
    while start < len(lines):
        end, size = start, 0
        while end < len(lines) and (end == start or size + sizes[end] <= room):
            size += sizes[end]
            end += 1
        windows.append("\n".join(lines[start:end]))
        if end == len(lines):
            break
        start = max(start + 1, end - _SHARED_LINES)
    return windows


def _cut(network: Network, line: str, room: int) -> list[str]:
    """A line that exceeds a window by itself, cut between words."""
    size = len(network.words.context(line))
    if size <= room:
        return [line]
    words = line.split()
    count = -(-size * 5 // (room * 4))
    step = max(1, -(-len(words) // count))
    return [" ".join(words[i : i + step]) for i in range(0, len(words), step)]
