"""Metrics based on a classifier of sentence pairs: entailment by the source (as SummaC), and FactCC."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dialgauge.errors import ModelError, ParameterError
from dialgauge.language import nltk_sentences
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._readings import (
    EMPTY,
    EMPTY_SOURCE,
    Pair,
    Pairs,
    Reading,
    blank,
    budget,
    in_parts,
    number_parameter,
    values,
)
from dialgauge.metrics._registry import register
from dialgauge.models import Model, ModelRef, run_batched, stored_config

_PAIRS_AT_ONCE = 64
_CUT = "the source was truncated to the model's maximum length"
_CUT_SENTENCE = "a sentence of the summary was truncated to the model's maximum length"


@dataclass(frozen=True, slots=True)
class Judged:
    """The classifier's logits for one pair of texts, and a note if they were truncated."""

    logits: tuple[float, ...]
    note: str

    def probability(self, label: int) -> float:
        """The probability of a label."""
        largest = max(self.logits)
        weights = [math.exp(logit - largest) for logit in self.logits]
        return weights[label] / sum(weights)

    @property
    def label(self) -> int:
        """The most likely label, the first where two are equally likely."""
        return self.logits.index(max(self.logits))


def classify(model: Model, texts: Sequence[Pair], truncation: str) -> dict[Pair, Judged]:
    """Classify each distinct pair of texts. ``truncation`` is a strategy of transformers' tokenizers.

    If the second text leaves no room for the first, both are truncated, the longer one first.
    """
    distinct = list(dict.fromkeys(texts))
    tokenizer, most = model.tokenizer, model.max_length
    room = most - tokenizer.num_special_tokens_to_add(pair=True)
    rows = []
    for first, second in distinct:
        fits = len(tokenizer(first, second, verbose=False)["input_ids"]) <= most
        alone = len(tokenizer(second, add_special_tokens=False, verbose=False)["input_ids"]) >= room
        strategy = "longest_first" if alone else truncation
        row = tokenizer(first, second, truncation=strategy, max_length=most, verbose=False)
        rows.append((row, "" if fits else _CUT_SENTENCE if alone else _CUT))

    def call(batch: list[int]) -> list[tuple[float, ...]]:
        inputs = model.tokenizer.pad([rows[i][0] for i in batch], return_tensors="pt").to(model.device)
        return [tuple(row) for row in model.module(**inputs).logits.double().tolist()]

    found = run_batched(range(len(rows)), [len(row["input_ids"]) for row, _ in rows], call, budget(model))
    return {pair: Judged(logits, note) for pair, logits, (_, note) in zip(distinct, found, rows, strict=True)}


def notes_of(judged: Iterable[Judged]) -> str:
    """The notes on these answers, each once."""
    return "; ".join(dict.fromkeys(one.note for one in judged if one.note))


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a classifier by their numbers, as its config.json names them."""

    ref: ModelRef
    names: Mapping[int, str]

    @classmethod
    def of(cls, model: Model) -> "Labels":
        return cls(model.ref, {int(i): str(name) for i, name in model.config.id2label.items()})

    def called(self, part: str, otherwise: str) -> int:
        """The label whose name holds ``part``; ``otherwise`` says what to do where there is none."""
        names = {i: name.lower() for i, name in self.names.items()}
        matching = [i for i, name in names.items() if part in name]
        if len(matching) != 1:
            raise ModelError(
                f"model '{self.ref}': config.json has no label '{part}…'; its labels are {sorted(names.values())}; "
                f"{otherwise}"
            )
        return matching[0]

    def numbered(self, name: str, given: str) -> int:
        """The label number given by a parameter."""
        if int(given) >= len(self.names):
            raise ParameterError(f"model '{self.ref}'", name, f"0 to {len(self.names) - 1}", given)
        return int(given)

    def entailment(self, parameters: Mapping[str, str]) -> tuple[int, int | None]:
        """The labels of entailment, and of contradiction where it is asked for."""
        given = parameters["entailment"]
        if given == "auto":
            entailment = self.called("entail", "give the number of the label with the parameter entailment")
        else:
            entailment = self.numbered("entailment", given)
        if parameters["measure"] == "difference":
            return entailment, self.called("contradict", "use measure=entailment, or name the label there")
        return entailment, None

    def correct(self, parameters: Mapping[str, str]) -> int:
        """The label that means correct."""
        return self.numbered("correct", parameters["correct"])


def check_labels(read: Callable[[Labels, Mapping[str, str]], object], parameters: Mapping[str, str]) -> None:
    """Refuse labels that the stored model does not have, before anything is computed."""
    stored = stored_config(parameters["model"])
    if stored.labels is not None:
        read(Labels(stored.ref, stored.labels), parameters)


def source_chunks(text: str, chunk: str, width: int) -> list[str]:
    """Parts of a source: sentences (a line break ends one), turns (lines), or all; ``width`` neighbours together."""
    if chunk == "whole":
        return [] if blank(text) else [text]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    parts = lines if chunk == "turn" else [sentence for line in lines for sentence in nltk_sentences(line)]
    return [" ".join(parts[i : i + width]) for i in range(max(1, len(parts) - width + 1))] if parts else []


def _consistency(job: Job, parameters: Mapping[str, str]) -> Values:
    model = load_model(parameters, "sequence-classifier")
    entailment, contradiction = Labels.of(model).entailment(parameters)

    def read(part: Sequence[Pair]) -> list[Reading]:
        split = [
            (nltk_sentences(summary), source_chunks(source, parameters["chunk"], int(parameters["width"])))
            for summary, source in part
        ]
        asked = [(premise, claim) for claims, premises in split for claim in claims for premise in premises]
        judged = classify(model, asked, "only_first")
        readings: list[Reading] = []
        for claims, premises in split:
            if not claims or not premises:
                readings.append(EMPTY_SOURCE if claims else EMPTY)
                continue
            table = [[judged[premise, claim] for premise in premises] for claim in claims]
            readings.append(zero_shot(table, entailment, contradiction))
        return readings

    return values(job, in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read))


def zero_shot(table: Sequence[Sequence[Judged]], entailment: int, contradiction: int | None) -> Reading:
    """The largest entailment over the chunks (less the largest contradiction, if asked), averaged over sentences."""
    rows = []
    for row in table:
        best = max(judged.probability(entailment) for judged in row)
        rows.append(best - max(j.probability(contradiction) for j in row) if contradiction is not None else best)
    return Reading(statistics.fmean(rows), note=notes_of(judged for row in table for judged in row))


def _factcc(job: Job, parameters: Mapping[str, str]) -> Values:
    model = load_model(parameters, "sequence-classifier")
    correct = Labels.of(model).correct(parameters)

    def read(part: Sequence[Pair]) -> list[Reading]:
        split = [(source, nltk_sentences(summary)) for summary, source in part]
        judged = classify(model, [(source, claim) for source, claims in split for claim in claims], "longest_first")
        readings: list[Reading] = []
        for source, claims in split:
            if not claims or blank(source):
                readings.append(EMPTY_SOURCE if claims else EMPTY)
                continue
            mine = [judged[source, claim] for claim in claims]
            share = statistics.fmean(one.label == correct for one in mine)
            readings.append(Reading(share, note=notes_of(mine)))
        return readings

    return values(job, in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read))


_LABEL = number_parameter("0", "the number of the label that means correct", r"\d+")

register(
    Metric(
        name="nli-consistency",
        family="nli",
        description="mean over the summary's sentences of the highest entailment by a part of the source (SummaC-ZS)",
        direction="higher",
        targets=("source", "reference"),
        range=(-1, 1),
        citation="Laban et al. 2022, SummaC: re-visiting NLI-based models for inconsistency detection, TACL",
        compute=_consistency,
        parameters={
            "model": model_parameter("tals/albert-xlarge-vitaminc-mnli", "the entailment classifier"),
            "chunk": Parameter(
                "sentence",
                ("sentence", "turn", "whole"),
                "units of the source: sentences (a new turn begins one), turns, or the whole text",
            ),
            "width": number_parameter("1", "number of neighbouring parts of the source read together"),
            "measure": Parameter(
                "entailment", ("entailment", "difference"), "difference: the probability of contradiction is subtracted"
            ),
            "entailment": Parameter(
                "auto",
                (),
                "the label of entailment: auto finds it by name, or give its number",
                r"auto|\d+",
                "auto or a number",
            ),
            **device_parameters(),
        },
        cost="high",
        extra="models",
        models={"model": "sequence-classifier"},
        check=partial(check_labels, Labels.entailment),
    ),
    Metric(
        name="factcc",
        family="nli",
        description="the share of the summary's sentences that a classifier trained on corrupted ones finds correct",
        direction="higher",
        targets=("source",),
        range=(0, 1),
        citation="Kryściński et al. 2020, Evaluating the factual consistency of abstractive text summarization, EMNLP",
        compute=_factcc,
        parameters={
            "model": model_parameter("manueldeprada/FactCC", "the classifier of sentences given their source"),
            "correct": _LABEL,
            **device_parameters(),
        },
        cost="high",
        extra="models",
        models={"model": "sequence-classifier"},
        check=partial(check_labels, Labels.correct),
    ),
)
