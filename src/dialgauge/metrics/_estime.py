"""ESTIME: are the words of a summary used in the same contexts as in the source?

Each word is masked for a masked language model, once in the summary and once in the source; the state that the model
has in its place represents the context. For each word of the summary the most similar context of the source is looked
up: a different word there is an alarm.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ModelError, ParameterError
from dialgauge.metrics._encoding import padded
from dialgauge.metrics._job import Job
from dialgauge.metrics._masking import check_word_pieces, clean, framed, piece_ids, word_pieces
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._readings import (
    EMPTY,
    EMPTY_SOURCE,
    Pair,
    Pairs,
    Reading,
    budget,
    in_parts,
    number_parameter,
    values,
)
from dialgauge.metrics._registry import register
from dialgauge.metrics._treebank import treebank_words
from dialgauge.models import Model, ModelRef, load, run_batched, stored_config

_PAIRS_AT_ONCE = 64
_CITATION = "Vasilyev & Bohannon 2021, ESTIME: estimation of summary-to-text inconsistency by mismatched embeddings"
_CITATION_SOFT = "Vasilyev & Bohannon 2022, Consistency and coherence from points of contextual similarity"


@dataclass(frozen=True, slots=True)
class _Settings:
    layer: int
    distance: int
    window: int
    margin: int

    @classmethod
    def of(cls, parameters: Mapping[str, str], ref: ModelRef, layers: int | None) -> "_Settings":
        """The settings, checked against the number of the model's layers if it is known."""
        made = cls(*(int(parameters[name]) for name in ("layer", "distance", "window", "margin")))
        if layers is not None and made.layer > layers:
            raise ParameterError("estime", "layer", f"0 to {layers} for '{ref}'", made.layer)
        if 2 * made.margin >= made.window:
            raise ParameterError("estime", "margin", f"less than half of window={made.window}", made.margin)
        return made

    def check_window(self, model: Model) -> None:
        if self.window + 2 > model.max_length:
            raise ModelError(
                f"estime reads windows of window={self.window} pieces, but '{model.ref}' reads only "
                f"{model.max_length} including "
                f"two special tokens: set window={model.max_length - 2} or less"
            )


@dataclass(frozen=True, eq=False)
class _Text:
    """The words of a text, all its pieces, and the piece that begins each word (words without pieces are left out)."""

    words: Sequence[str]
    pieces: Sequence[str]
    spans: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, text: str, model: Model) -> "_Text":
        words, pieces, spans = [], list[str](), []
        for word in treebank_words(clean(text)):
            if made := word_pieces(model, word):
                words.append(word)
                spans.append((len(pieces), len(pieces) + len(made)))
                pieces += made
        return cls(words, pieces, spans)


@dataclass(frozen=True, eq=False)
class _Contexts:
    """A text with the state in the place of each of its words, in the order in which they were hidden."""

    text: _Text
    order: Sequence[int]
    states: NDArray[np.float32]

    @property
    def firsts(self) -> list[int]:
        """The first piece of each word, in the same order."""
        return [self.text.spans[word][0] for word in self.order]


def _groups(count: int, distance: int) -> Iterator[list[int]]:
    """Words that are hidden together: at least ``distance`` apart."""
    for first in range(min(count, distance)):
        yield list(range(first, count, distance))


def _windows(text: _Text, group: Sequence[int], settings: _Settings) -> Iterator[tuple[int, int, list[int]]]:
    """Parts of a text that cover the words of a group: begin, end, and the words that are read in it."""
    left = list(group)
    while left:
        begin = max(0, text.spans[left[0]][0] - settings.margin)
        last = begin + settings.window - settings.margin
        inside = [word for word in left if text.spans[word][1] - 1 <= last]
        taken = inside or left[:1]  # a word longer than the window is read in part
        left = left[len(taken) :]
        yield begin, min(len(text.pieces), begin + settings.window), taken


def _contexts(model: Model, texts: Sequence[_Text], settings: _Settings) -> list[_Contexts]:
    """The contexts of the words of several texts."""
    inputs: list[list[int]] = []
    places: list[list[int]] = []
    owners: list[tuple[int, list[int]]] = []
    for number, text in enumerate(texts):
        ids = piece_ids(model, text.pieces)
        for group in _groups(len(text.words), settings.distance):
            for begin, end, words in _windows(text, group, settings):
                part = ids[begin:end]
                for word in words:
                    first, last = text.spans[word]
                    part[first - begin : last - begin] = [model.tokenizer.mask_token_id] * (min(last, end) - first)
                inputs.append(framed(model, part))
                places.append([text.spans[word][0] - begin + 1 for word in words])
                owners.append((number, words))

    def call(batch: list[int]) -> list[NDArray[np.float32]]:
        ids, mask = padded(model, [inputs[i] for i in batch])
        states = model.module(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        layer = states[settings.layer].float().cpu().numpy()
        return [layer[row, places[i]] for row, i in enumerate(batch)]

    found = run_batched(range(len(inputs)), [len(row) for row in inputs], call, budget(model))
    order: list[list[int]] = [[] for _ in texts]
    states: list[list[NDArray[np.float32]]] = [[] for _ in texts]
    for (number, words), state in zip(owners, found, strict=True):
        order[number] += words
        states[number].append(state)
    return [
        _Contexts(text, order[i], np.concatenate(states[i]) if states[i] else np.zeros((0, 0), np.float32))
        for i, text in enumerate(texts)
    ]


@dataclass(frozen=True, eq=False)
class Match:
    """The words of a summary, each with the word of the source whose context is most similar.

    ``pieces`` holds the first piece of both words, ``places`` where those stand, ``shared`` whether the word of the
    summary occurs in the source at all.
    """

    pieces: Sequence[tuple[str, str]]
    places: Sequence[tuple[int, int]]
    shared: Sequence[bool]

    @classmethod
    def of(cls, summary: _Contexts, source: _Contexts) -> "Match":
        """Match by the largest product of states."""
        best = (summary.states @ source.states.T).argmax(axis=1)
        places = [(first, source.firsts[other]) for first, other in zip(summary.firsts, best.tolist(), strict=True)]
        known = set(source.text.words)
        return cls(
            [(summary.text.pieces[own], source.text.pieces[other]) for own, other in places],
            places,
            [summary.text.words[word] in known for word in summary.order],
        )

    @property
    def alarms_all(self) -> int:
        """How many words were matched with another."""
        return sum(own != other for own, other in self.pieces)

    @property
    def alarms(self) -> int:
        """The same for words that occur in the source; for all, where none does."""
        anyone = not any(self.shared)
        return sum(
            own != other and (anyone or shared) for (own, other), shared in zip(self.pieces, self.shared, strict=True)
        )

    @property
    def alarms_adjusted(self) -> float:
        """The alarms among shared words, extrapolated to all words."""
        shared = sum(self.shared)
        return self.alarms * len(self.pieces) / shared if shared else float(len(self.pieces))

    @property
    def coherence(self) -> float:
        """Kendall's τ-c between the order of the words in the summary and that of their matches in the source."""
        from scipy.stats import kendalltau

        own, other = zip(*self.places, strict=True)
        return float(kendalltau(own, other, variant="c").statistic)


def _matches(job: Job, parameters: Mapping[str, str]) -> Sequence[Match | Reading]:
    """A match per distinct pair, or why there is none."""
    model = load_model(parameters, "masked-lm")
    check_word_pieces(model, "ESTIME")
    settings = _Settings.of(parameters, model.ref, model.config.num_hidden_layers)
    settings.check_window(model)
    key = ("estime", model.signature, model.device, model.dtype, settings)
    return job.memo(key, lambda: _match_all(job, model, settings))


def _check(parameters: Mapping[str, str]) -> None:
    stored = stored_config(parameters["model"])
    _Settings.of(parameters, stored.ref, stored.layers)


def _match_all(job: Job, model: Model, settings: _Settings) -> list[Match | Reading]:
    def read(part: Sequence[Pair]) -> list[Match | Reading]:
        strings = list(dict.fromkeys(text for pair in part for text in pair))
        texts = [_Text.of(text, model) for text in strings]
        contexts = dict(zip(strings, _contexts(model, texts, settings), strict=True))
        result: list[Match | Reading] = []
        for summary, source in part:
            if not contexts[summary].order:
                result.append(EMPTY)
            elif not contexts[source].order:
                result.append(EMPTY_SOURCE)
            else:
                result.append(Match.of(contexts[summary], contexts[source]))
        return result

    return in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read)


def _compute(read: Callable[[Match, Mapping[str, str]], Reading]) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        found = _matches(job, parameters)
        return values(job, [read(match, parameters) if isinstance(match, Match) else match for match in found])

    return compute


def _soft(match: Match, parameters: Mapping[str, str]) -> Reading:
    """The mean cosine between the input embeddings of the matched pieces."""
    import torch

    raw = load("encoder", parameters["embeddings"], parameters["device"], parameters["dtype"])
    with torch.inference_mode():
        table = raw.module.get_input_embeddings()
        own, other = (
            table(torch.tensor(piece_ids(raw, side), device=raw.device)).float()
            for side in zip(*match.pieces, strict=True)
        )
        return Reading(float(torch.nn.functional.cosine_similarity(own, other, dim=1).double().mean()))


def _coherence(match: Match, _: Mapping[str, str]) -> Reading:
    if len(match.places) < 2:
        return Reading(reason="the summary has one word, so it has no order")
    number = match.coherence
    if np.isnan(number):
        return Reading(
            reason="all words of the summary match the same word of the source, so there is no order to compare"
        )
    return Reading(number)


_PARAMETERS: Mapping[str, Parameter] = {
    "model": model_parameter("google-bert/bert-large-uncased-whole-word-masking", "the masked language model"),
    "layer": number_parameter("21", "the layer whose states are compared; 0 is the embeddings", r"\d+"),
    "distance": number_parameter("8", "minimum distance in words between words masked at the same time"),
    "window": number_parameter("450", "number of pieces of a long text read at once"),
    "margin": number_parameter("50", "number of pieces at the edge of a window that serve as context only", r"\d+"),
    **device_parameters(),
}


def _declare(
    name: str,
    what: str,
    read: Callable[[Match, Mapping[str, str]], Reading],
    *,
    lower: bool = False,
    soft: bool = False,
) -> Metric:
    embeddings = {
        "embeddings": model_parameter("google-bert/bert-base-uncased", "the model whose input embeddings are compared")
    }
    return Metric(
        name=f"estime-{name}",
        family="estime",
        version="2",
        description=what,
        direction="lower" if lower else "higher",
        targets=("source",),
        range=(0, None) if lower else (-1, 1),
        citation=_CITATION if lower else _CITATION_SOFT,
        compute=_compute(read),
        parameters={**_PARAMETERS, **(embeddings if soft else {})},
        cost="high",
        extra="models",
        models={"model": "masked-lm", "embeddings": "encoder"} if soft else {"model": "masked-lm"},
        check=_check,
    )


register(
    _declare(
        "alarms",
        "number of words of the summary that occur in the source but match the context of a different word there",
        lambda match, _: Reading(match.alarms),
        lower=True,
    ),
    _declare(
        "alarms-adjusted",
        "the alarms of ESTIME, extrapolated to words that do not occur in the source",
        lambda match, _: Reading(match.alarms_adjusted),
        lower=True,
    ),
    _declare(
        "alarms-all",
        "number of words of the summary, in the source or not, that match the context of a different word there",
        lambda match, _: Reading(match.alarms_all),
        lower=True,
    ),
    _declare(
        "soft", "how similar the words of the summary are to those in the same contexts of the source", _soft, soft=True
    ),
    _declare(
        "coherence", "whether the words of the summary come in the order of their contexts in the source", _coherence
    ),
)
