"""UniEval: ask a sequence-to-sequence model whether a summary is fluent, coherent, consistent and relevant.

The value is p(Yes) / (p(Yes) + p(No)) for the first token of the answer. Fluency and consistency are asked for each
sentence and averaged.
"""

import hashlib
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.errors import ModelError
from dialgauge.language import nltk_sentences
from dialgauge.metrics._encoding import first_token, padded, readable
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Target, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._readings import (
    EMPTY,
    Pair,
    Pairs,
    Reading,
    blank,
    budget,
    in_parts,
    item_values,
    number_parameter,
    values,
)
from dialgauge.metrics._registry import register
from dialgauge.models import Model, run_batched

_CITATION = "Zhong et al. 2022, Towards a unified multi-dimensional evaluator for text generation, EMNLP"
_AT_ONCE = 256
_YES, _NO = "Yes", "No"
_CUT = "truncated to the {} tokens that the model reads"


@dataclass(frozen=True, slots=True)
class _Question:
    """The question of one dimension, about the whole summary or each sentence, with or without another text."""

    asked: str
    named: str
    beside: str = ""
    by_sentence: bool = False

    def prompts(self, summary: str, other: str) -> list[str]:
        """The prompts of one pair; ``</s>`` is the model's own end token."""
        parts = nltk_sentences(summary) if self.by_sentence else [summary]
        tail = f" </s> {self.beside}: {other}" if self.beside else ""
        return [f"question: {self.asked} </s> {self.named}: {part}{tail}" for part in parts]


QUESTIONS: Mapping[str, _Question] = {
    "coherence": _Question("Is this a coherent summary to the document?", "summary", "document"),
    "consistency": _Question("Is this claim consistent with the document?", "claim", "document", by_sentence=True),
    "fluency": _Question("Is this a fluent paragraph?", "paragraph", by_sentence=True),
    "relevance": _Question("Is this summary relevant to the reference?", "summary", "reference"),
}
_TARGETS: Mapping[str, Target] = {
    "coherence": "source",
    "consistency": "source",
    "fluency": "none",
    "relevance": "reference",
    "overall": "both",
}
_ABOUT = {
    "coherence": "the model's probability that the summary is coherent with the source",
    "consistency": "the model's probability that the sentences of the summary are consistent with the source",
    "fluency": "the model's probability that the sentences of the summary are fluent",
    "relevance": "the model's probability that the summary is relevant, given the reference",
    "overall": "the mean of UniEval's coherence, consistency, fluency and relevance",
}


def answer_tokens(model: Model) -> tuple[int, int]:
    """The first tokens of Yes and No. A model that does not distinguish them is rejected: all its answers are 0.5."""
    yes, no = (first_token(model, word) for word in (_YES, _NO))
    if yes == no:
        raise ModelError(
            f"model '{model.ref}' ({model.config.model_type}): its tokenizer begins 'Yes' and 'No' with the same "
            "token, so it cannot answer UniEval's questions; use a T5 model"
        )
    return yes, no


def readable_tokens(model: Model, limit: int) -> int:
    """At most ``limit`` tokens of a question, or as many as the model has positions (T5 has no table of those)."""
    positions = getattr(model.config, "max_position_embeddings", None)
    return min(limit, positions) if isinstance(positions, int) else limit


class Answers:
    """The answers of one model, each prompt asked once in a scoring run, whichever dimension asks."""

    def __init__(self, model: Model, limit: int) -> None:
        self.model, self.limit = model, readable_tokens(model, limit)
        self._yes_no = answer_tokens(model)
        self._known: dict[bytes, tuple[float, bool]] = {}

    @classmethod
    def of(cls, job: Job, parameters: Mapping[str, str]) -> "Answers":
        model, limit = load_model(parameters, "seq2seq"), int(parameters["max-length"])
        return job.texts.memo(("unieval", model.signature, model.device, model.dtype, limit), lambda: cls(model, limit))

    def ask(self, prompts: Iterable[str]) -> None:
        """Put those prompts to the model that were not yet."""
        missing = {self._key(prompt): prompt for prompt in prompts}
        missing = {key: prompt for key, prompt in missing.items() if key not in self._known}
        rows = [self.model.tokenizer(prompt, verbose=False)["input_ids"] for prompt in missing.values()]
        kept = [[*row[: self.limit - 1], row[-1]] if len(row) > self.limit else row for row in rows]
        shares = run_batched(kept, [len(row) for row in kept], self._shares, budget(self.model))
        for key, share, row in zip(missing, shares, rows, strict=True):
            self._known[key] = share, len(row) > self.limit

    def mean(self, prompts: Sequence[str]) -> Reading:
        """The mean over prompts that have been asked."""
        if not prompts:
            return EMPTY
        known = [self._known[self._key(prompt)] for prompt in prompts]
        note = _CUT.format(self.limit) if any(cut for _, cut in known) else ""
        return Reading(statistics.fmean(share for share, _ in known), note=note)

    def _shares(self, rows: list[list[int]]) -> list[float]:
        import torch

        model = self.model
        yes, no = self._yes_no
        ids, mask = padded(model, rows)
        start = torch.full((len(rows), 1), model.config.decoder_start_token_id, device=ids.device)
        logits = model.module(input_ids=ids, attention_mask=mask, decoder_input_ids=start).logits[:, 0].double()
        shares: list[float] = torch.sigmoid(logits[:, yes] - logits[:, no]).tolist()
        return shares

    @staticmethod
    def _key(prompt: str) -> bytes:
        # The prompts of a large corpus would fill the memory.
        return hashlib.blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _compute(dimension: str) -> Callable[[Job, Mapping[str, str]], Values]:
    question = QUESTIONS[dimension]

    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        answers = Answers.of(job, parameters)

        def read(part: Sequence[Pair]) -> list[Reading]:
            asked = [_prompts(question, pair) for pair in part]
            answers.ask(prompt for prompts in asked for prompt in prompts)
            return [answers.mean(prompts) for prompts in asked]

        return values(job, in_parts(Pairs.of(job).texts, _AT_ONCE, read))

    return compute


def _prompts(question: _Question, pair: Pair) -> list[str]:
    summary, other = pair
    return [] if blank(summary) else question.prompts(summary, other)


def _overall(job: Job, parameters: Mapping[str, str]) -> Values:
    """The mean of the four dimensions; relevance is that of the best reference."""
    answers = Answers.of(job, parameters)

    def read(part: Sequence[int]) -> list[Reading]:
        asked = [_all_prompts(job, item) for item in part]
        answers.ask(prompt for lists in asked for prompts in lists for prompt in prompts)
        return [_mean_of_four(_with_best([answers.mean(prompts) for prompts in lists])) for lists in asked]

    return item_values(in_parts(range(len(job)), _AT_ONCE, read))


def _mean_of_four(four: Sequence[Reading]) -> Reading:
    missing = next((reading for reading in four if reading.reason), None)
    note = next((reading.note for reading in four if reading.note), "")
    return missing or Reading(statistics.fmean(reading.number for reading in four), note=note)


def _all_prompts(job: Job, item: int) -> list[list[str]]:
    """The prompts of three dimensions, then those of relevance for each reference."""
    ids = [job.hypothesis_ids[item], *job.target_ids[job.offsets[item] : job.offsets[item + 1]]]
    summary, source, *references = (readable(job.texts.strings[i]) for i in ids)
    fixed = [_prompts(QUESTIONS[name], (summary, source)) for name in QUESTIONS if name != "relevance"]
    return fixed + [_prompts(QUESTIONS["relevance"], (summary, reference)) for reference in references]


def _with_best(readings: Sequence[Reading]) -> list[Reading]:
    fixed, relevance = readings[: len(QUESTIONS) - 1], readings[len(QUESTIONS) - 1 :]
    return [*fixed, max(relevance, key=lambda reading: reading.number)]


_PARAMETERS: Mapping[str, Parameter] = {
    "model": model_parameter("MingZhong/unieval-sum", "the T5 model that answers Yes or No"),
    "max-length": number_parameter("1024", "maximum number of tokens read per question; the rest is truncated"),
    **device_parameters(),
}

register(
    *(
        Metric(
            name=f"unieval-{dimension}",
            family="unieval",
            description=_ABOUT[dimension],
            direction="higher",
            targets=(target,),
            range=(0, 1),
            citation=_CITATION,
            compute=_overall if dimension == "overall" else _compute(dimension),
            parameters=_PARAMETERS,
            cost="high",
            extra="models",
            models={"model": "seq2seq"},
        )
        for dimension, target in _TARGETS.items()
    )
)
