"""BLANC: how much a summary helps a masked language model to predict masked words of the source.

BLANC-help puts the summary before each sentence and compares with a filler of the same length; BLANC-tune fine-tunes a
copy of the model on the summary. ``relative`` is (S01 − S10) / ΣS, ``improve`` S01 / (S00 + S11 + S01), where S01
counts words that are right only with the summary and S10 those that are right only without.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dialgauge.language import nltk_sentences
from dialgauge.metrics._blanc_tune import Tuning, tuned
from dialgauge.metrics._job import Job
from dialgauge.metrics._masking import CONTINUATION, check_word_pieces, clean, framed, guesses, piece_ids, word_pieces
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._readings import (
    BEHAVIOUR,
    EMPTY_SOURCE,
    Pair,
    Pairs,
    Reading,
    blank,
    in_parts,
    number_parameter,
    values,
)
from dialgauge.metrics._registry import register
from dialgauge.models import Model, watching_part

_CITATION = "Vasilyev et al. 2020, Fill in the BLANC: human-free quality estimation of document summaries, Eval4NLP"
#: Minimum length of a masked piece: a whole word, the beginning of a longer word. Continuations are never masked.
_SHORTEST_WORD, _SHORTEST_BEGINNING = 4, 2
#: A sentence is truncated to this length before the summary is.
_SENTENCE_KEPT = 100
_PAIRS_AT_ONCE = 32
_FILLER = "."


@dataclass(slots=True)
class Counts:
    """How often the model was wrong (0) or right (1) without (first) and with the summary (second)."""

    table: list[list[int]] = field(default_factory=lambda: [[0, 0], [0, 0]])
    cut: bool = False

    def add(self, answers: Sequence[int], without: Sequence[int], assisted: Sequence[int]) -> None:
        """Compare both guesses with the answers."""
        for answer, base, helped in zip(answers, without, assisted, strict=True):
            self.table[base == answer][helped == answer] += 1

    def reading(self, measure: str, behaviour: str) -> Reading:
        """The measure, with a note if something was truncated."""
        (neither, gained), (lost, both) = self.table
        total = neither + both + gained + (lost if measure == "relative" else 0)
        note = "truncated to the model's maximum length" if self.cut else ""
        if total == 0 and behaviour == "intended":
            return Reading(reason="the source has no word long enough to be masked", note=note)
        gain = gained - lost if measure == "relative" else gained
        return Reading(gain / total if total else 0.0, note=note)


def maskings(pieces: Sequence[str], gap: int) -> Iterator[list[int]]:
    """The sets of positions that are masked together: every ``gap``-th, where the piece is long enough."""
    step = min(gap, len(pieces))
    usable = [_usable(piece, following) for piece, following in itertools.pairwise([*pieces, ""])]
    for first in range(step):
        if places := [i for i in range(first, len(pieces), step) if usable[i]]:
            yield places


def _usable(piece: str, following: str) -> bool:
    if piece.startswith(CONTINUATION):
        return False
    return len(piece) >= (_SHORTEST_BEGINNING if following.startswith(CONTINUATION) else _SHORTEST_WORD)


def _fit(sentence: list[str], summary: list[list[str]], limit: int, from_top: bool) -> tuple[list[str], list[str]]:
    """Fit sentence and summary into the limit: truncate the sentence first, then drop sentences of the summary."""
    room = limit - 2
    whole = [piece for part in summary for piece in part]
    if len(sentence) + len(whole) <= room:
        return sentence, whole
    sentence = sentence[: max(min(_SENTENCE_KEPT, len(sentence)), room - len(whole))][:room]
    room -= len(sentence)
    if len(whole) <= room:
        return sentence, whole
    kept: list[list[str]] = []
    for part in reversed(summary) if from_top else summary:
        if sum(map(len, kept)) + len(part) > room:
            break
        kept.insert(0, part) if from_top else kept.append(part)
    if not kept:  # not even one sentence fits: its end is kept
        return sentence, (summary[-1] if from_top else summary[0])[-room:] if room else []
    return sentence, [piece for part in kept for piece in part]


@dataclass(slots=True)
class _Work:
    """Inputs of many pairs, each distinct one once (summaries of one length share their filler)."""

    inputs: dict[tuple[int, ...], int] = field(default_factory=dict)
    places: list[list[int]] = field(default_factory=list)

    def add(self, ids: list[int], places: list[int]) -> int:
        key = tuple(ids)
        if key not in self.inputs:
            self.inputs[key] = len(self.places)
            self.places.append(places)
        return self.inputs[key]

    def guesses(self, model: Model) -> list[list[int]]:
        return guesses(model, list(self.inputs), self.places)


#: The answers of one masking, and the positions of its two inputs (without and with the summary) in the work.
_Question = tuple[list[int], int, int]


def _help_questions(
    model: Model, pair: Pair, gap: int, behaviour: str, work: _Work, counts: Counts
) -> Iterator[_Question]:
    sentences = [word_pieces(model, sentence) for sentence in nltk_sentences(clean(pair[1]))]
    summary = [word_pieces(model, sentence) for sentence in nltk_sentences(clean(pair[0]))]
    filler = piece_ids(model, [_FILLER])
    for number, sentence in enumerate(sentences):
        # The published program intends to keep the end of a long summary for later sentences, but never does.
        from_top = behaviour == "intended" and number > len(sentences) / 2
        kept, helping = _fit(sentence, summary, model.max_length, from_top)
        counts.cut |= len(kept) < len(sentence) or len(helping) < sum(map(len, summary))
        before = piece_ids(model, helping)
        for places in maskings(kept, gap):
            yield _question(model, kept, places, filler * len(before), before, work)


def _question(
    model: Model, sentence: Sequence[str], places: Sequence[int], filler: list[int], summary: list[int], work: _Work
) -> _Question:
    ids = piece_ids(model, sentence)
    masked = list(ids)
    for place in places:
        masked[place] = model.tokenizer.mask_token_id
    shifted = [place + 1 + len(summary) for place in places]
    without = work.add(framed(model, [*filler, *masked]), shifted)
    assisted = work.add(framed(model, [*summary, *masked]), shifted)
    return [ids[place] for place in places], without, assisted


def help_counts(model: Model, pairs: Sequence[Pair], gap: int, behaviour: str) -> list[Counts]:
    """The counts of BLANC-help for each pair."""

    def read(part: Sequence[Pair]) -> list[Counts]:
        work = _Work()
        asked = []
        for pair in part:
            counts = Counts()
            asked.append((counts, list(_help_questions(model, pair, gap, behaviour, work, counts))))
        found = work.guesses(model)
        for counts, questions in asked:
            for answers, without, assisted in questions:
                counts.add(answers, found[without], found[assisted])
        return [counts for counts, _ in asked]

    return in_parts(pairs, _PAIRS_AT_ONCE, read)


def tune_counts(model: Model, pairs: Sequence[Pair], gap: int, tuning: Tuning) -> list[Counts]:
    """The counts of BLANC-tune for each pair. Pairs of one source query the original model only once."""
    result: list[Counts] = []
    source, work, questions, found = None, _Work(), list[_Question](), list[list[int]]()
    cut = False
    for number, (summary, text) in enumerate(pairs):
        with watching_part(number, 1, len(pairs)):
            if text != source:
                source, work, cut = text, _Work(), False
                questions = []
                for pieces in (word_pieces(model, sentence) for sentence in nltk_sentences(clean(text))):
                    kept = pieces[: model.max_length - 2]
                    cut |= len(kept) < len(pieces)
                    questions += [_question(model, kept, places, [], [], work) for places in maskings(kept, gap)]
                found = work.guesses(model)
            counts = Counts(cut=cut)
            changed = tuned(model, word_pieces(model, summary), tuning, lambda pieces: maskings(pieces, gap))
            after = work.guesses(changed) if changed is not model else found
        for answers, without, assisted in questions:
            counts.add(answers, found[without], after[assisted])
        result.append(counts)
    return result


def _compute(count: Callable[[Model, Sequence[Pair], Mapping[str, str]], list[Counts]]) -> Callable[..., Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        model = load_model(parameters, "masked-lm")
        check_word_pieces(model, "BLANC")
        pairs = Pairs.of(job).texts
        readings = [
            EMPTY_SOURCE if blank(source) else counts.reading(parameters["measure"], parameters["behaviour"])
            for (_, source), counts in zip(pairs, count(model, pairs, parameters), strict=True)
        ]
        return values(job, readings)

    return compute


def _help(model: Model, pairs: Sequence[Pair], parameters: Mapping[str, str]) -> list[Counts]:
    return help_counts(model, pairs, int(parameters["gap"]), parameters["behaviour"])


def _tune(model: Model, pairs: Sequence[Pair], parameters: Mapping[str, str]) -> list[Counts]:
    return tune_counts(model, pairs, int(parameters["gap"]), Tuning.of(parameters))


_PARAMETERS: Mapping[str, Parameter] = {
    "model": model_parameter("google-bert/bert-base-uncased", "the masked language model (BERT family)"),
    "gap": number_parameter("2", "mask every N-th piece; 6 in the first paper, 2 in its current program"),
    "measure": Parameter(
        "relative", ("relative", "improve"), "relative: gained minus lost words; improve: gained only"
    ),
    "behaviour": BEHAVIOUR,
    **device_parameters(),
}

register(
    Metric(
        name="blanc-help",
        family="blanc",
        description="how many more masked words of the source a masked LM predicts with the summary as context",
        direction="higher",
        targets=("source",),
        range=(-1, 1),
        citation=_CITATION,
        compute=_compute(_help),
        parameters=_PARAMETERS,
        cost="high",
        extra="models",
        models={"model": "masked-lm"},
    ),
    Metric(
        name="blanc-tune",
        family="blanc",
        description="how many more masked words of the source a masked LM predicts after fine-tuning on the summary",
        direction="higher",
        targets=("source",),
        range=(-1, 1),
        citation=_CITATION,
        compute=_compute(_tune),
        parameters={**_PARAMETERS, **Tuning.PARAMETERS},
        cost="high",
        extra="models",
        models={"model": "masked-lm"},
    ),
)
