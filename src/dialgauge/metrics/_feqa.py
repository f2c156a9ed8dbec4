"""FEQA: does the source answer questions about the summary as the summary itself does?

Names and noun phrases of the summary are the expected answers; a model writes a question for each, an extractive reader
answers it from the source, and the answers are compared word by word. The published program takes noun phrases from a
constituency parser; here they come from spaCy.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._questions import PARSER, encoder_limit, generate, need_phrases, parse, word_f1
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
from dialgauge.metrics._treebank import treebank_words
from dialgauge.models import Model, run_batched

_PAIRS_AT_ONCE = 32
#: Reading of the source: tokens per window with the question, stride of the windows, longest answer.
_WINDOW, _STRIDE, _LONGEST_ANSWER = 384, 128, 30
_LONGEST_QUESTION = 100
_CUT = "the summary was truncated to the maximum length of the question generator"


def phrases(document: Any) -> list[str]:
    """The names and noun phrases of a summary, each once, in the order of the text."""
    found = [*document.ents, *(chunk for chunk in document.noun_chunks if not all(token.is_stop for token in chunk))]
    return list(dict.fromkeys(span.text for span in sorted(found, key=lambda span: (span.start, span.end))))


def plain(text: str) -> str:
    """Lower-case words and marks with a space between, as the models of FEQA were trained on."""
    return " ".join(treebank_words(text.lower()))


@dataclass(frozen=True, slots=True)
class Prompt:
    """The input of the generator for a phrase, and whether the summary in it was truncated."""

    text: str
    cut: bool = False

    @classmethod
    def of(cls, model: Model, summary: str, phrase: str, limit: int) -> "Prompt":
        """The summary, as many words of it as fit, and the phrase: without that, there is nothing to ask about."""
        whole, tail = f"{summary} [SEP] {phrase}", f" [SEP] {phrase}"
        if len(model.tokenizer(whole, verbose=False)["input_ids"]) <= limit:
            return cls(whole)
        room = max(0, limit - len(model.tokenizer(tail, verbose=False)["input_ids"]))
        tokens = model.tokenizer(summary, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        begun = next((start for start, _ in tokens["offset_mapping"][room:]), len(summary))
        return cls(summary[:begun].rpartition(" ")[0] + tail, cut=True)


@dataclass(frozen=True, slots=True)
class _Window:
    """Token ids of a question with a part of a text, and for each token of that part where it stands in the text."""

    inputs: Mapping[str, list[int]]
    begin: int
    offsets: Sequence[tuple[int, int]]


def _windows(model: Model, question: str, text: str) -> list[_Window]:
    size = min(_WINDOW, model.max_length)
    encoded = model.tokenizer(
        question,
        text,
        truncation="only_second",
        max_length=size,
        stride=min(_STRIDE, size // 3),
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        verbose=False,
    )
    result = []
    for i, offsets in enumerate(encoded["offset_mapping"]):
        places = [place for place, part in enumerate(encoded.sequence_ids(i)) if part == 1]
        inputs = {name: encoded[name][i] for name in model.tokenizer.model_input_names if name in encoded}
        begin = places[0] if places else 0
        result.append(_Window(inputs, begin, [offsets[place] for place in places]))
    return result


def best_span(starts: Sequence[float], ends: Sequence[float], longest: int) -> tuple[int, int, float]:
    """The pair of positions with the largest sum, the end at most ``longest`` tokens after the beginning."""
    best = (0, 0, float("-inf"))
    for first, start in enumerate(starts):
        for last in range(first, min(first + longest, len(ends))):
            if start + ends[last] > best[2]:
                best = (first, last, start + ends[last])
    return best


def extract(model: Model, asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The span of a text that answers a question best, over all windows of the text."""
    distinct = list(dict.fromkeys(asked))
    windows = [(pair, window) for pair in distinct for window in _windows(model, *_short(model, pair))]

    def call(batch: list[int]) -> list[tuple[int, int, float]]:
        inputs = model.tokenizer.pad([windows[i][1].inputs for i in batch], return_tensors="pt").to(model.device)
        output = model.module(**inputs)
        result = []
        for row, i in enumerate(batch):
            part = slice(windows[i][1].begin, windows[i][1].begin + len(windows[i][1].offsets))
            starts, ends = (logits[row, part].tolist() for logits in (output.start_logits, output.end_logits))
            result.append(best_span(starts, ends, _LONGEST_ANSWER))
        return result

    lengths = [len(window.inputs["input_ids"]) for _, window in windows]
    found = run_batched(range(len(windows)), lengths, call, budget(model))
    best: dict[tuple[str, str], tuple[float, str]] = {}
    for (pair, window), (first, last, value) in zip(windows, found, strict=True):
        if window.offsets and value > best.get(pair, (float("-inf"), ""))[0]:
            best[pair] = value, pair[1][window.offsets[first][0] : window.offsets[last][1]]
    return {pair: best.get(pair, (0.0, ""))[1] for pair in distinct}


def _short(model: Model, pair: tuple[str, str]) -> tuple[str, str]:
    """Truncate a question to 64 tokens, to leave room for the text."""
    tokens = model.tokenizer(pair[0], add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    most = min(64, model.max_length // 2)
    offsets = tokens["offset_mapping"]
    return (pair[0][: offsets[most - 1][1]] if len(offsets) > most else pair[0]), pair[1]


def _compute(job: Job, parameters: Mapping[str, str]) -> Values:
    generator, reader = load_model(parameters, "seq2seq", "generator"), load_model(parameters, "qa", "reader")
    parser = parameters["parser"]

    def read(part: Sequence[Pair]) -> list[Reading]:
        summaries = list(dict.fromkeys(summary.strip() for summary, _ in part))
        found = {
            summary: [plain(phrase) for phrase in phrases(need_phrases(document, parser))]
            for summary, document in zip(summaries, parse(summaries, parser), strict=True)
        }
        limit = encoder_limit(generator)
        prompts = {
            (summary, one): Prompt.of(generator, plain(summary), one, limit)
            for summary, several in found.items()
            for one in several
        }
        written = generate(
            generator,
            [prompt.text for prompt in prompts.values()],
            limit,
            longest=_LONGEST_QUESTION,
            num_beams=int(parameters["beams"]),
            no_repeat_ngram_size=3,
        )
        asked = {
            (summary.strip(), source): [
                (written[prompts[summary.strip(), one].text].text, one) for one in found[summary.strip()]
            ]
            for summary, source in part
        }
        texts = {source: plain(source) for _, source in part}
        answers = extract(
            reader, [(question, texts[source]) for (_, source), pairs in asked.items() for question, _ in pairs]
        )
        return [
            reading(
                summary,
                source,
                [(answers[question, texts[source]], one) for question, one in asked[summary.strip(), source]],
                _CUT if any(prompts[summary.strip(), one].cut for one in found[summary.strip()]) else "",
            )
            for summary, source in part
        ]

    return values(job, in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read))


def reading(summary: str, source: str, pairs: Sequence[tuple[str, str]], note: str = "") -> Reading:
    """The mean overlap of (answer from the source, phrase of the summary)."""
    if blank(summary) or blank(source):
        return EMPTY if blank(summary) else EMPTY_SOURCE
    if not pairs:
        return Reading(reason="the parser finds no names or noun phrases in the summary")
    overlaps = [word_f1(treebank_words(given), treebank_words(wanted)) for given, wanted in pairs]
    return Reading(statistics.fmean(overlaps), note=note)


register(
    Metric(
        name="feqa",
        family="feqa",
        description="whether source and summary give the same answers to questions about the summary",
        direction="higher",
        targets=("source",),
        range=(0, 1),
        citation="Durmus et al. 2020, FEQA: a question answering evaluation framework for faithfulness assessment, ACL",
        compute=_compute,
        parameters={
            "generator": model_parameter(
                "",
                "the question generator (BART, trained on 'summary [SEP] answer')",
                "github.com/esdurmus/feqa, not on the hub",
            ),
            "reader": model_parameter(
                "google-bert/bert-large-uncased-whole-word-masking-finetuned-squad",
                "the extractive question answering model",
            ),
            "parser": PARSER,
            "beams": number_parameter("10", "beam size of the generator"),
            **device_parameters(),
        },
        cost="high",
        extra="models",
        version="2",
        models={"generator": "seq2seq", "reader": "qa", "parser": "parser"},
    )
)
