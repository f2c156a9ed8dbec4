"""The oracle: the extract nearest to the references by greedy search: an upper bound for extracts.

Pieces are added one at a time, each time the one that raises the value most, until none does or there are ``n``; this
is how extractive summarizers are given their targets (Nallapati, Zhai and Zhou 2017).
"""

import warnings
from collections.abc import Iterator, Mapping

from dialgauge.language import is_chinese_or_japanese
from dialgauge.metrics import LanguageWarning, Parameter, score_pairs
from dialgauge.summarize._extractive import LANGUAGE, NO_WORDS, PIECES, SPEAKERS, UNITS, Piece, pieces_of
from dialgauge.summarize._registry import register
from dialgauge.summarize._roles import join_pieces
from dialgauge.summarize._system import Outcome, Summarizer, Task

#: Number of dialogues searched at the same time, so that a step is one call of the kernels.
_AT_ONCE = 256
_MEASURES: Mapping[str, tuple[str, ...]] = {
    "rouge-1+2": ("rouge-1", "rouge-2"),
    "rouge-1": ("rouge-1",),
    "rouge-2": ("rouge-2",),
    "rouge-l": ("rouge-l",),
}


class _Search:
    """The search for one dialogue: what is chosen so far, and its value."""

    def __init__(self, pieces: list[Piece], references: tuple[str, ...]) -> None:
        self.pieces, self.references = pieces, references
        self.chosen: list[int] = []
        self.value = 0.0
        self.open = True

    def text(self, chosen: list[int]) -> str:
        return join_pieces([self.pieces[i].shown for i in sorted(chosen)])

    def candidates(self) -> list[list[int]]:
        if not self.open:
            return []
        return [[*self.chosen, i] for i in range(len(self.pieces)) if i not in self.chosen]

    def take(self, candidates: list[list[int]], values: list[float], most: int) -> None:
        best = max(range(len(values)), key=lambda i: (values[i], -i)) if values else -1
        if best < 0 or values[best] <= self.value:
            self.open = False
            return
        self.chosen, self.value = candidates[best], values[best]
        self.open = len(self.chosen) < most


def _compute(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
    for start in range(0, len(task.dialogues), _AT_ONCE):
        searches: dict[int, _Search] = {}
        for i in range(start, min(start + _AT_ONCE, len(task.dialogues))):
            pieces = pieces_of(task.dialogues[i].side(task.role), parameters)
            if not task.references[i]:
                yield i, Outcome(None, reason=f"no reference for the role {task.role!r}, which the oracle needs")
            elif not pieces:
                yield i, Outcome(None, reason=NO_WORDS)
            else:
                searches[i] = _Search(pieces, task.references[i])
        _search(list(searches.values()), parameters)
        for i, search in searches.items():
            if search.chosen:
                yield i, Outcome(search.text(search.chosen))
            else:
                yield i, Outcome(None, reason="no piece of the dialogue shares a word with a reference")


def _search(searches: list[_Search], parameters: Mapping[str, str]) -> None:
    """Take all searches to their end, a step of all of them at a time."""
    most = int(parameters["n"])
    while any(search.open for search in searches):
        offered = [search.candidates() for search in searches]
        texts = [search.text(chosen) for search, some in zip(searches, offered, strict=True) for chosen in some]
        targets = [search.references for search, some in zip(searches, offered, strict=True) for _ in some]
        values = iter(_values(texts, targets, parameters))
        for search, some in zip(searches, offered, strict=True):
            if search.open:
                search.take(some, [next(values) for _ in some], most)


def _values(texts: list[str], targets: list[tuple[str, ...]], parameters: Mapping[str, str]) -> list[float]:
    if not texts:
        return []
    tok = parameters["tok"]
    if tok == "auto":
        references = "".join(reference for several in targets for reference in several)
        tok = "char" if not parameters["lang"] and is_chinese_or_japanese(references) else "rouge"
    lang = f",lang={parameters['lang']}" if parameters["lang"] else ""
    metrics = [f"{name}:tok={tok}{lang}" for name in _MEASURES[parameters["measure"]]]
    # A piece without words for this tokenisation has no value; it adds nothing.
    with warnings.catch_warnings():  # a search asks often, and scoring the summaries says it once
        warnings.simplefilter("ignore", LanguageWarning)
        scores = score_pairs(texts, targets, metrics)
    values: list[float] = scores.fill_null(0.0).mean_horizontal().to_list()
    return values


register(
    Summarizer(
        name="oracle",
        description="the extract nearest to the references by greedy search: an upper bound for extracts",
        citation="Nallapati, Zhai and Zhou 2017, SummaRuNNer, AAAI",
        compute=_compute,
        parameters={
            "n": PIECES,
            "units": UNITS,
            "measure": Parameter(
                "rouge-1+2", tuple(_MEASURES), "measure that the search maximises: F1 with the best reference"
            ),
            "tok": Parameter(
                "auto",
                ("auto", "rouge", "char"),
                "the words of ROUGE; auto: char for references in Chinese where no lang is given, else rouge",
            ),
            "speakers": SPEAKERS,
            "lang": LANGUAGE,
        },
        reads_references=True,
    )
)
