"""SummaQA: can a reader of the summary fill in the names that are masked in sentences of the source?

Every entity of the source makes a question (its sentence with MASKED in its place). ``summaqa-prob`` is the confidence
of the answers, ``summaqa-fscore`` their F1 with the entity; both are means over the questions. The published program
adds special tokens twice and looks for the wrong one, so that answers may come from the question itself
(``behaviour=reference``).
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.metrics._encoding import padded
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._questions import PARSER, parse, squad_words, word_f1
from dialgauge.metrics._readings import BEHAVIOUR, EMPTY_SOURCE, Pair, Pairs, Reading, blank, budget, in_parts, values
from dialgauge.metrics._registry import register
from dialgauge.models import Model, run_batched

_PAIRS_AT_ONCE = 64
_MASK = "MASKED"
_CUT = "the summary was truncated to the model's maximum length"
_CUT_QUESTION = "a sentence of the source was truncated to the model's maximum length"
_CITATION = "Scialom et al. 2019, Answers unite! Unsupervised metrics for reinforced summarization models, EMNLP"


@dataclass(frozen=True, slots=True)
class Cloze:
    """A sentence with an entity blanked out, and the entity."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Word pieces joined by spaces (none where the end comes before the beginning), and how sure the model is.

    ``notes`` say what was truncated.
    """

    text: str
    probability: float
    notes: tuple[str, ...] = ()


def clozes(texts: Sequence[str], parser: str) -> dict[str, list[Cloze]]:
    """The questions of each text."""
    found: dict[str, list[Cloze]] = {}
    for text, document in zip(texts, parse(texts, parser), strict=True):
        found[text] = [
            Cloze(
                sentence.text[: entity.start_char - sentence.start_char]
                + _MASK
                + sentence.text[entity.end_char - sentence.start_char :],
                entity.text,
            )
            for sentence in document.sents
            for entity in sentence.ents
        ]
    return found


def answers(model: Model, asked: Sequence[tuple[str, str]], behaviour: str) -> list[Answer]:
    """The answer to each (question, summary). Where both do not fit, each has half of the room or more."""
    tokenizer = model.tokenizer
    frame = 5 if behaviour == "reference" else 3
    most = model.max_length - frame
    first, separator = tokenizer.cls_token_id, tokenizer.sep_token_id
    rows: list[list[int]] = []
    begins: list[int] = []
    notes: list[tuple[str, ...]] = []
    for texts in asked:
        whole, summary = (tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] for text in texts)
        question = _around_blank(tokenizer, texts[0], whole, max(most // 2, most - len(summary)))
        room = most - len(question)
        notes.append((_CUT,) * (len(summary) > room) + (_CUT_QUESTION,) * (len(question) < len(whole)))
        row = [first, *question, separator, *summary[:room], separator]
        # The answer may begin after the question; in the published program, anywhere but at the first token.
        rows.append([first, *row, separator] if behaviour == "reference" else row)
        begins.append(1 if behaviour == "reference" else len(question) + 2)

    def call(batch: list[int]) -> list[tuple[int, int, float]]:
        ids, mask = padded(model, [rows[i] for i in batch])
        output = model.module(input_ids=ids, attention_mask=mask)
        result = []
        for row, i in enumerate(batch):
            begin, end = begins[i], len(rows[i])
            starts, ends = (
                logits[row, :end].float().softmax(-1)[begin:] for logits in (output.start_logits, output.end_logits)
            )
            start, stop = int(starts.argmax()), int(ends.argmax())
            result.append((begin + start, begin + stop, float(starts[start] * ends[stop])))
        return result

    found = run_batched(range(len(rows)), [len(row) for row in rows], call, budget(model))
    return [
        Answer(" ".join(tokenizer.convert_ids_to_tokens(row[start : stop + 1])), probability, lost)
        for row, (start, stop, probability), lost in zip(rows, found, notes, strict=True)
    ]


def _around_blank(tokenizer: Any, question: str, tokens: list[int], most: int) -> list[int]:
    """At most ``most`` tokens of a question, those around the mask."""
    if len(tokens) <= most:
        return tokens
    offsets = tokenizer(question, add_special_tokens=False, return_offsets_mapping=True, verbose=False)[
        "offset_mapping"
    ]
    place = sum(end <= question.find(_MASK) for _, end in offsets)
    begin = min(max(0, place - most // 2), len(tokens) - most)
    return tokens[begin : begin + most]


@dataclass(frozen=True, slots=True)
class Answered:
    """The questions about a source and what its summary answers."""

    questions: Sequence[Cloze]
    answers: Sequence[Answer]

    def reading(self, value: Callable[[Cloze, Answer], float], behaviour: str) -> Reading:
        """The mean of a value over the questions."""
        if not self.questions:
            if behaviour == "reference":
                return Reading(0.0)
            return Reading(reason="the parser finds no names or numbers in the source")
        notes = dict.fromkeys(note for answer in self.answers for note in answer.notes)
        return Reading(statistics.fmean(map(value, self.questions, self.answers)), note="; ".join(notes))


def probability(_: Cloze, answer: Answer) -> float:
    """How sure the model is of its answer."""
    return answer.probability


def f_score(question: Cloze, answer: Answer) -> float:
    """The overlap of the answer with the blanked-out entity."""
    return word_f1(squad_words(answer.text), squad_words(question.answer))


def _compute(value: Callable[[Cloze, Answer], float]) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        model, behaviour, parser = load_model(parameters, "qa"), parameters["behaviour"], parameters["parser"]
        key = ("summaqa", model.signature, model.device, model.dtype, behaviour, parser)
        answered = job.memo(key, lambda: _answer_all(job, model, behaviour, parser))
        readings = [
            EMPTY_SOURCE if blank(source) else one.reading(value, behaviour)
            for (_, source), one in zip(Pairs.of(job).texts, answered, strict=True)
        ]
        return values(job, readings)

    return compute


def _answer_all(job: Job, model: Model, behaviour: str, parser: str) -> list[Answered]:
    def read(part: Sequence[Pair]) -> list[Answered]:
        questions = clozes(list(dict.fromkeys(source for _, source in part)), parser)
        asked = [(cloze.question, summary) for summary, source in part for cloze in questions[source]]
        given = iter(answers(model, asked, behaviour))
        return [Answered(questions[source], [next(given) for _ in questions[source]]) for _, source in part]

    return in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read)


_PARAMETERS: Mapping[str, Parameter] = {
    "model": model_parameter(
        "google-bert/bert-large-uncased-whole-word-masking-finetuned-squad",
        "the question answering model (BERT family)",
    ),
    "parser": PARSER,
    "behaviour": BEHAVIOUR,
    **device_parameters(),
}

register(
    *(
        Metric(
            name=f"summaqa-{name}",
            family="summaqa",
            description=what,
            direction="higher",
            targets=("source",),
            range=(0, 1),
            citation=_CITATION,
            compute=_compute(value),
            parameters=_PARAMETERS,
            cost="high",
            extra="models",
            version="2",
            models={"model": "qa", "parser": "parser"},
        )
        for name, what, value in (
            (
                "prob",
                "how confident a model is in its answers from the summary about names masked in the source",
                probability,
            ),
            ("fscore", "how well answers from the summary match the names masked in the source", f_score),
        )
    )
)
