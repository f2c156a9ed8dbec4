"""Published checkers of facts, each with its own rule: AlignScore, MiniCheck, SummaC-ZS and SummaC-Conv.

All compare each sentence of a summary with parts of the source and keep the best part; they differ in how the source is
cut, in what the classifier reads and in how its answers become one number.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.errors import ModelError
from dialgauge.language import nltk_sentences
from dialgauge.metrics._encoding import padded
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._nli import Judged, Labels, check_labels, classify, notes_of, zero_shot
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
from dialgauge.models import Model, run_batched

_PAIRS_AT_ONCE = 64
_CUT = "a part of the source was truncated to the model's maximum length"
#: SummaC leaves out sentences of at most this many characters, and reads this many sentences of a source.
_SHORT, _MOST_SENTENCES = 10, 100
#: SummaC-Conv counts at most this many sentences of a summary, by these limits of the probability.
_ROWS = 10
_LOW = (0.0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.90, 0.91, 0.92, 0.93, 0.94)
BINS = (*_LOW, 0.95, 0.955, 0.96, 0.965, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 1.0)
#: The first tokens of the two answers of MiniCheck's T5 model, "0" and "1".
_ANSWERS = (3, 209)

Read = Callable[[Sequence[Pair]], list[Reading]]
#: From a table of answers, the label of entailment and that of contradiction to a value.
Score = Callable[[list[list[Judged]], int, int | None], Reading]


def even_chunks(source: str, words: int = 350) -> list[str]:
    """AlignScore's parts: as many sentences each as make about ``words`` words."""
    sentences = nltk_sentences(source)
    size = max(len(sentences) // (len(source.split()) // words + 1), 1)
    return [" ".join(sentences[i : i + size]) for i in range(0, len(sentences), size)]


def filled_chunks(source: str, limit: int, length: Callable[[str], int]) -> list[str]:
    """MiniCheck's parts: sentences (a line break is one, too) until the next one would exceed the limit."""
    pieces: list[str] = []
    for line in source.split("\n"):
        pieces += [*nltk_sentences(line), "\n"]
    parts: list[list[str]] = [[]]
    size = 0
    for piece in pieces[:-1]:
        own = length(piece)
        if size + own > limit:
            parts.append([])
            size = 0
        parts[-1].append(piece)
        size += own
    texts = (" ".join(part).replace(" \n ", "\n").strip() for part in parts)
    return [text for text in texts if text]


def long_sentences(text: str) -> list[str]:
    """SummaC's parts: sentences, but for very short ones."""
    return [sentence for sentence in nltk_sentences(text) if len(sentence) > _SHORT]


def _scored(job: Job, read: Read) -> Values:
    def guarded(part: Sequence[Pair]) -> list[Reading]:
        asked = [pair for pair in part if not any(map(blank, pair))]
        found = dict(zip(asked, read(asked), strict=True))
        return [found.get(pair) or (EMPTY if blank(pair[0]) else EMPTY_SOURCE) for pair in part]

    return values(job, in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, guarded))


def _tables(model: Model, split: Sequence[tuple[list[str], list[str]]]) -> list[list[list[Judged]]]:
    """For each pair of a summary's and a source's parts what the classifier says: sentences × parts."""
    asked = [(premise, claim) for claims, premises in split for claim in claims for premise in premises]
    judged = classify(model, asked, "only_first")
    return [[[judged[premise, claim] for premise in premises] for claim in claims] for claims, premises in split]


def _alignscore(job: Job, parameters: Mapping[str, str]) -> Values:
    model = load_model(parameters, "sequence-classifier")
    aligned = Labels.of(model).numbered("aligned", parameters["aligned"])

    def read(part: Sequence[Pair]) -> list[Reading]:
        split = [(nltk_sentences(summary), even_chunks(source)) for summary, source in part]
        return [zero_shot(table, aligned, None) for table in _tables(model, split)]

    return _scored(job, read)


def _over_sentences(parameters: Mapping[str, str], found: Sequence[float], cut: bool) -> Reading:
    value = min(found) if parameters["over"] == "min" else statistics.fmean(found)
    return Reading(value, note=_CUT if cut else "")


def _minicheck(seq2seq: bool, job: Job, parameters: Mapping[str, str]) -> Values:
    model = load_model(parameters, "seq2seq" if seq2seq else "sequence-classifier")
    tokenizer = model.tokenizer
    most = min(int(parameters["max-length"]), model.max_length) if not seq2seq else int(parameters["max-length"])
    end = tokenizer.eos_token or tokenizer.sep_token or ""

    def length(piece: str) -> int:
        return (
            len(piece.split())
            if seq2seq
            else len(tokenizer(piece, add_special_tokens=False, verbose=False)["input_ids"])
        )

    def read(part: Sequence[Pair]) -> list[Reading]:
        split = [
            (nltk_sentences(summary), filled_chunks(source, int(parameters["chunk"]), length))
            for summary, source in part
        ]
        prompt = "predict: " if seq2seq else ""
        asked = [[[f"{prompt}{chunk}{end}{claim}" for chunk in parts] for claim in claims] for claims, parts in split]
        texts = list(dict.fromkeys(text for claims in asked for parts in claims for text in parts))
        rows = [tokenizer(text, verbose=False)["input_ids"] for text in texts]
        kept = [[*row[: most - 1], row[-1]] if len(row) > most else row for row in rows]
        call = partial(_supported, model, seq2seq)
        shares = dict(zip(texts, run_batched(kept, [len(row) for row in kept], call, budget(model)), strict=True))
        cut = {text for text, row in zip(texts, rows, strict=True) if len(row) > most}
        readings = []
        for claims in asked:
            best = [max(shares[text] for text in parts) for parts in claims]
            readings.append(_over_sentences(parameters, best, any(text in cut for parts in claims for text in parts)))
        return readings

    return _scored(job, read)


def _supported(model: Model, seq2seq: bool, rows: list[list[int]]) -> list[float]:
    """The probability of support: of the second label, or of the answer "1" of a T5 model."""
    import torch

    ids, mask = padded(model, rows)
    if not seq2seq:
        logits = model.module(input_ids=ids, attention_mask=mask).logits.double()
        found: list[float] = logits.softmax(-1)[:, 1].tolist()
        return found
    start = torch.zeros((len(rows), 1), dtype=torch.int64, device=ids.device)
    answers = model.module(input_ids=ids, attention_mask=mask, decoder_input_ids=start).logits[:, 0].double()
    no, yes = _ANSWERS
    answered: list[float] = torch.sigmoid(answers[:, yes] - answers[:, no]).tolist()
    return answered


def _summac(job: Job, parameters: Mapping[str, str], score: Score, measure: str) -> Values:
    model = load_model(parameters, "sequence-classifier")
    entailment, contradiction = Labels.of(model).entailment({**parameters, "measure": measure})

    def read(part: Sequence[Pair]) -> list[Reading]:
        split = [(long_sentences(summary), long_sentences(source)[:_MOST_SENTENCES]) for summary, source in part]
        found = []
        for (claims, premises), table in zip(split, _tables(model, split), strict=True):
            short = Reading(
                reason=f"no sentence of the {'source' if claims else 'summary'} has over {_SHORT} characters"
            )
            found.append(score(table, entailment, contradiction) if claims and premises else short)
        return found

    return _scored(job, read)


def _summac_zs(job: Job, parameters: Mapping[str, str]) -> Values:
    return _summac(job, parameters, zero_shot, "difference")


@lru_cache(maxsize=4)
def _convolution(path: str) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """The weights of SummaC-Conv: of the histogram, its constant, of the two labels and theirs."""
    file = Path(path)
    if not path or not file.is_file():
        raise ModelError(
            f"summac-conv: no file of weights {path!r}; take summac_conv_vitc_sent_perc_e.bin from the repository of "
            "SummaC (tingofurro/summac), or your own, and give weights=FILE"
        )
    if file.suffix == ".safetensors":
        from safetensors.torch import load_file

        tensors = load_file(file)
    else:
        import torch

        tensors = torch.load(file, map_location="cpu", weights_only=True)
    try:
        mlp, constant, final, labels = (
            np.asarray(tensors[name].double().numpy())
            for name in ("mlp.weight", "mlp.bias", "layer_final.weight", "layer_final.bias")
        )
    except (KeyError, AttributeError, TypeError) as error:
        raise ModelError(f"{file}: not the weights of SummaC-Conv: {error} is missing") from error
    if mlp.shape != (1, len(BINS) - 1) or final.shape != (2, 3):
        raise ModelError(f"{file}: not the weights of SummaC-Conv for {len(BINS) - 1} bins of entailment")
    return mlp[0], float(constant[0]), final, labels


def convolved(table: FloatArray, weights: tuple[FloatArray, float, FloatArray, FloatArray]) -> float:
    """SummaC-Conv of probabilities of entailment (sentences × parts of the source)."""
    mlp, constant, final, labels = weights
    histograms = np.stack([np.histogram(row, bins=BINS)[0] for row in table[:_ROWS]])
    mean = float((histograms @ mlp + constant).mean())
    wrong, right = final @ np.full(3, mean) + labels
    return float(1 / (1 + math.exp(min(max(wrong - right, -700), 700))))


def _summac_conv(job: Job, parameters: Mapping[str, str]) -> Values:
    weights = _convolution(parameters["weights"])

    def score(table: list[list[Judged]], entailment: int, contradiction: int | None) -> Reading:
        probabilities = np.array([[one.probability(entailment) for one in row] for row in table])
        return Reading(convolved(probabilities, weights), note=notes_of(one for row in table for one in row))

    return _summac(job, parameters, score, "entailment")


def _weights_signature(path: str) -> str:
    import hashlib

    if not path:
        return ""
    _convolution(path)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def _labels_for(measure: str) -> Callable[[Labels, Mapping[str, str]], object]:
    return lambda labels, parameters: labels.entailment({**parameters, "measure": measure})


_ENTAILMENT = Parameter(
    "auto", (), "the label of entailment: auto finds it by name, or give its number", r"auto|\d+", "auto or a number"
)
_VITC = model_parameter("tals/albert-xlarge-vitaminc-mnli", "the entailment classifier")
_OVER = Parameter("mean", ("mean", "min"), "how the sentences of a summary are taken together")
_LABAN = "Laban et al. 2022, SummaC: re-visiting NLI-based models for inconsistency detection, TACL"
_TANG = "Tang et al. 2024, MiniCheck: efficient fact-checking of LLMs on grounding documents, EMNLP"


def _minicheck_parameters(model: Parameter, chunk: str, most: str) -> dict[str, Parameter]:
    unit = "words" if chunk == "500" else "tokens"
    return {
        "model": model,
        "chunk": number_parameter(chunk, f"{unit} in a part of the source"),
        "max-length": number_parameter(most, "maximum number of tokens read at once; the rest is truncated"),
        "over": _OVER,
        **device_parameters(),
    }


def _declared(
    name: str, description: str, citation: str, compute: Callable[[Job, Mapping[str, str]], Values],
    parameters: Mapping[str, Parameter], kind: str = "sequence-classifier", lowest: float = 0.0,
    **more: object,
) -> Metric:  # fmt: skip
    return Metric(
        name=name, family="fact-checkers", description=description, direction="higher", targets=("source", "reference"),
        range=(lowest, 1), citation=citation, compute=compute, parameters=parameters, cost="high", extra="models",
        models={"model": kind}, **more,  # type: ignore[dict-item, arg-type]
    )  # fmt: skip


register(
    _declared(
        "alignscore",
        "mean over the summary's sentences of the highest probability of being aligned with a part of the source",
        "Zha et al. 2023, AlignScore: evaluating factual consistency with a unified alignment function, ACL",
        _alignscore,
        {
            "model": model_parameter("", "the classifier of three labels", "yzha/AlignScore, converted"),
            "aligned": number_parameter("0", "the number of the label that means aligned", r"\d+"),
            **device_parameters(),
        },
        check=partial(check_labels, lambda labels, parameters: labels.numbered("aligned", parameters["aligned"])),
    ),
    _declared(
        "minicheck",
        "mean over the summary's sentences of the highest probability of being supported by a part of the source",
        _TANG,
        partial(_minicheck, False),
        _minicheck_parameters(model_parameter("lytang/MiniCheck-RoBERTa-Large", "the classifier"), "400", "512"),
    ),
    _declared(
        "minicheck-t5",
        "MiniCheck by a T5 model that answers 1 (supported) or 0",
        _TANG,
        partial(_minicheck, True),
        _minicheck_parameters(model_parameter("lytang/MiniCheck-Flan-T5-Large", "the T5 model"), "500", "2048"),
        kind="seq2seq",
    ),
    _declared(
        "summac-zs",
        "mean over the summary's sentences of the highest entailment less the highest contradiction by a sentence",
        _LABAN,
        _summac_zs,
        {"model": _VITC, "entailment": _ENTAILMENT, **device_parameters()},
        lowest=-1,
        check=partial(check_labels, _labels_for("difference")),
    ),
    _declared(
        "summac-conv",
        "the probability of consistency by learnt weights of a histogram of entailment over the source's sentences",
        _LABAN,
        _summac_conv,
        {
            "model": _VITC,
            "weights": Parameter(
                "", (), "file of the learnt weights: .safetensors or .bin", path=lambda value: value or None
            ),
            "entailment": _ENTAILMENT,
            **device_parameters(),
        },
        signatures={"weights": _weights_signature},
        check=partial(check_labels, _labels_for("entailment")),
    ),
)
