"""The Shannon score: how much of the information in a source its summary provides to a language model.

With ll the log-likelihood of the source, sentence by sentence: (ll(after the summary) − ll(alone)) / (ll(after the
sentence itself) − ll(alone)). The published program looks the first token of every sentence up behind the start token,
whatever stands between (``behaviour=reference``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.language import nltk_sentences
from dialgauge.metrics._causal import Continuations, log_probabilities, start_id
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._readings import BEHAVIOUR, EMPTY_SOURCE, Pair, Pairs, Reading, in_parts, values
from dialgauge.metrics._registry import register
from dialgauge.models import Model

_PAIRS_AT_ONCE = 32
_CITATION = "Egan et al. 2022, Play the Shannon game with language models: a human-free approach to summary evaluation"


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """The log-likelihood of a source alone, after the summary, and after its own sentences; or why there is none."""

    base: float = 0.0
    helped: float = 0.0
    full: float = 0.0
    reason: str = ""
    note: str = ""


#: A prompt and what is read after it.
_Span = tuple[tuple[int, ...], tuple[int, ...]]


def _log_likelihoods(model: Model, spans: Iterable[_Span]) -> dict[_Span, list[float]]:
    """The log-probability of each token of each span, given the start token, the prompt and the tokens before it.

    A prompt is read once for all sentences that follow it.
    """
    by_prompt: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for prompt, tokens in dict.fromkeys(spans):
        by_prompt.setdefault(prompt, []).append(tokens)
    start = start_id(model)
    groups = [Continuations([start, *prompt], list(map(list, several))) for prompt, several in by_prompt.items()]
    return {
        (prompt, tokens): chances.tolist()
        for (prompt, several), found in zip(by_prompt.items(), log_probabilities(model, groups), strict=True)
        for tokens, chances in zip(several, found, strict=True)
    }


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The summary's and the sentences' tokens, as far as they fit; or why they cannot be read."""

    summary: tuple[int, ...] = ()
    sentences: tuple[tuple[int, ...], ...] = ()
    reason: str = ""
    note: str = ""

    @classmethod
    def of(cls, model: Model, pair: Pair, behaviour: str) -> "_Prepared":
        def encode(text: str) -> tuple[int, ...]:
            return tuple(model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

        summary = encode(pair[0])
        sentences = [tokens for tokens in map(encode, nltk_sentences(pair[1])) if tokens]
        room = model.max_length - 1 - len(summary)
        if not sentences:
            return cls(reason=EMPTY_SOURCE.reason)
        if room < 1:
            return cls(reason=f"the summary has {len(summary)} tokens, too many for the model's {model.max_length}")
        kept = [tokens[:room] for tokens in sentences]
        half = (model.max_length - 1) // 2  # the sentence stands there twice, after itself
        if behaviour == "reference" and any(len(tokens) > half for tokens in kept):
            return cls(reason="a sentence is too long to fit into the model twice; the published program fails on it")
        kept = [tokens[:half] for tokens in kept]
        note = "sentences of the source were truncated to the model's maximum length" if kept != sentences else ""
        return cls(summary, tuple(kept), note=note)


def likelihoods(model: Model, pairs: Sequence[Pair], behaviour: str) -> list[Likelihoods]:
    """The three log-likelihoods of each pair. What a sentence has alone and after itself is computed once."""

    def read(part: Sequence[Pair]) -> list[Likelihoods]:
        prepared = [_Prepared.of(model, pair, behaviour) for pair in part]
        found = _log_likelihoods(
            model,
            (
                (prompt, tokens)
                for entry in prepared
                for tokens in entry.sentences
                for prompt in ((), entry.summary, tokens)
            ),
        )
        result: list[Likelihoods] = []
        for entry in prepared:
            alone = [((), tokens) for tokens in entry.sentences]
            helped = [(entry.summary, tokens) for tokens in entry.sentences]
            full = [(tokens, tokens) for tokens in entry.sentences]
            base, after, itself = (_total(found, asked, behaviour) for asked in (alone, helped, full))
            result.append(Likelihoods(base, after, itself, entry.reason, entry.note))
        return result

    return in_parts(pairs, _PAIRS_AT_ONCE, read)


def _total(found: Mapping[_Span, Sequence[float]], asked: Sequence[_Span], behaviour: str) -> float:
    """The log-likelihood of all sentences. The published program takes that of a first token from the start token."""
    if behaviour == "intended":
        return sum(sum(found[span]) for span in asked)
    return sum(found[(), tokens][0] + sum(found[prompt, tokens][1:]) for prompt, tokens in asked)


def _score(found: Likelihoods) -> Reading:
    span = found.full - found.base
    if found.reason or span == 0:
        return Reading(reason=found.reason or "the source is not more likely after itself, so there is nothing to gain")
    return Reading((found.helped - found.base) / span, note=found.note)


def _gain(found: Likelihoods) -> Reading:
    return Reading(reason=found.reason) if found.reason else Reading(found.helped - found.base, note=found.note)


def _compute(read: Callable[[Likelihoods], Reading]) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        model, behaviour = load_model(parameters, "causal-lm"), parameters["behaviour"]
        key = ("shannon", model.signature, model.device, model.dtype, behaviour)
        found = job.memo(key, lambda: likelihoods(model, Pairs.of(job).texts, behaviour))
        return values(job, [read(entry) for entry in found])

    return compute


_PARAMETERS: Mapping[str, Parameter] = {
    "model": model_parameter(
        "embedded:smollm2", "the causal language model (openai-community/gpt2 in the paper)", "openai-community/gpt2"
    ),
    "behaviour": BEHAVIOUR,
    **device_parameters(),
}

register(
    Metric(
        name="shannon",
        family="shannon",
        description="the share of the source's information that the summary gives to a language model",
        direction="higher",
        targets=("source",),
        range=(None, None),
        citation=_CITATION,
        compute=_compute(_score),
        parameters=_PARAMETERS,
        cost="high",
        extra="models",
        models={"model": "causal-lm"},
    ),
    Metric(
        name="shannon-difference",
        family="shannon",
        description="increase in the log-likelihood of the source under a language model given the summary, in nats",
        direction="higher",
        targets=("source",),
        range=(None, None),
        citation=_CITATION,
        compute=_compute(_gain),
        parameters=_PARAMETERS,
        cost="high",
        extra="models",
        models={"model": "causal-lm"},
    ),
)
