"""QuestEval: summary and source should give the same answers to questions about each other.

Names and noun phrases of the first sentences of one text are the answers; a model writes the questions, another answers
them from the other text. A question counts with its answerability, the overlap of the answers (SQuAD's F1) and their
similarity (BERTScore), all averaged; the value is the mean of both directions.
"""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialgauge.metrics._encoding import first_token
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, MetricRequest, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._questions import PARSER, encoder_limit, generate, need_phrases, parse, squad_words, word_f1
from dialgauge.metrics._readings import (
    BEHAVIOUR,
    EMPTY,
    EMPTY_SOURCE,
    Pair,
    Pairs,
    Reading,
    blank,
    in_parts,
    number_parameter,
    values,
)
from dialgauge.metrics._registry import find_metric, register
from dialgauge.metrics._texts import TextTable

_PAIRS_AT_ONCE = 32
_CITATION = "Scialom et al. 2021, QuestEval: summarization asks for fact-based evaluation, EMNLP"
#: The word that the published answering model was trained to write where a text has no answer.
_UNANSWERABLE = "unanswerable"
_LONGEST = 64
_CUT = "texts were truncated to the models' maximum length"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the answer that it was made from, and whether the sentence around that had to be cut."""

    text: str
    answer: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """What one answered question counts: three numbers from 0 to 1."""

    answerability: float
    overlap: float
    similarity: float | None

    @property
    def numbers(self) -> list[float]:
        """Those that were asked for, within their bounds (a BERTScore may lie outside)."""
        given = [self.answerability, self.overlap, *([] if self.similarity is None else [self.similarity])]
        return [min(1.0, max(0.0, number)) for number in given]


def sentences(document: Any) -> Iterator[str]:
    """Sentences as the published program cuts them: after a full stop, question or exclamation mark."""
    start, ended = 0, False
    for token in document:
        if ended and not token.is_punct:
            yield document[start : token.i].text
            start, ended = token.i, False
        elif token.text in (".", "!", "?"):
            ended = True
    if start < len(document):
        yield document[start:].text


def answers(document: Any) -> list[str]:
    """The names and the noun phrases of a sentence."""
    return [entity.text for entity in document.ents] + [chunk.text for chunk in document.noun_chunks]


@dataclass(frozen=True, slots=True)
class _Asking:
    """The models and settings of one request."""

    parameters: Mapping[str, str]

    def questions(self, texts: Sequence[str]) -> dict[str, list[Question]]:
        """The questions about each text."""
        model = load_model(self.parameters, "seq2seq", "generator")
        prefix = self.parameters["prefix"]
        wanted = self._wanted(texts)
        prompts = {
            text: [(f"{prefix} </s> {answer} </s> {sentence}", answer) for sentence, answer in pairs]
            for text, pairs in wanted.items()
        }
        flat = [prompt for pairs in prompts.values() for prompt, _ in pairs]
        written = generate(model, flat, encoder_limit(model), longest=_LONGEST)
        return {
            text: [Question(written[prompt].text, answer, written[prompt].cut) for prompt, answer in pairs]
            for text, pairs in prompts.items()
        }

    def _wanted(self, texts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """The sentences and answers of each text."""
        parser, most = self.parameters["parser"], int(self.parameters["sentences"])
        cut = {
            text: list(sentences(document))[:most] for text, document in zip(texts, parse(texts, parser), strict=True)
        }
        flat = [(text, sentence) for text, several in cut.items() for sentence in several]
        found: dict[str, list[tuple[str, str]]] = {text: [] for text in texts}
        for (text, sentence), document in zip(flat, parse([sentence for _, sentence in flat], parser), strict=True):
            found[text] += [(sentence, answer) for answer in answers(need_phrases(document, parser))]
        return found

    def marks(self, asked: Sequence[tuple[Question, str]]) -> tuple[list[Marks], list[bool]]:
        """How each question is answered from its text, and whether anything had to be cut for it."""
        model = load_model(self.parameters, "seq2seq", "answerer")
        watched = first_token(model, _UNANSWERABLE)
        prompts = [f"{question.text} </s> {text}" for question, text in asked]
        written = generate(model, prompts, encoder_limit(model), longest=_LONGEST, watched=watched)
        given = [written[prompt] for prompt in prompts]
        similar = self._similarities(
            [(one.text, question.answer) for one, (question, _) in zip(given, asked, strict=True)]
        )
        marks = [
            Marks(1 - one.first, word_f1(squad_words(one.text), squad_words(question.answer)), similarity)
            for one, (question, _), similarity in zip(given, asked, similar, strict=True)
        ]
        return marks, [one.cut or question.cut for one, (question, _) in zip(given, asked, strict=True)]

    def _similarities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        if self.parameters["similarity"] == "no":
            return [None] * len(pairs)
        texts = TextTable()
        count = len(pairs)
        job = Job(
            texts,
            "reference",
            texts.intern(given for given, _ in pairs),
            texts.intern(wanted for _, wanted in pairs),
            np.arange(count + 1),
            np.zeros(count, dtype=np.int64),
        )
        settings = {name: self.parameters[name] for name in ("device", "dtype")}
        request = MetricRequest.build(
            find_metric("bertscore-f1"), "reference", {"model": self.parameters["encoder"], "empty": "zero", **settings}
        )
        numbers: list[float] = request.metric.compute(job, request.parameters).numbers.tolist()
        return numbers


@dataclass(frozen=True, slots=True)
class Directions:
    """The marks of the questions about the source (recall) and about the summary (precision)."""

    recall: Sequence[Marks]
    precision: Sequence[Marks]
    cut: bool = False

    def reading(self, behaviour: str, which: Sequence[str]) -> Reading:
        """The mean over directions; the published program counts 0 for one without questions, we leave it out."""
        numbers = []
        for name in which:
            marks: Sequence[Marks] = getattr(self, name)
            if marks:
                numbers.append(statistics.fmean(number for mark in marks for number in mark.numbers))
            elif behaviour == "reference":
                numbers.append(0.0)
        if not numbers:
            return Reading(reason="the parser finds no names or noun phrases")
        notes = [_CUT] if self.cut else []
        if len(numbers) < len(which):
            notes.append("no questions about one of the texts: the value is from the other direction alone")
        return Reading(statistics.fmean(numbers), note="; ".join(notes))


def _directions(job: Job, parameters: Mapping[str, str]) -> list[Directions]:
    asking = _Asking(parameters)

    def read(part: Sequence[Pair]) -> list[Directions]:
        questions = asking.questions(list(dict.fromkeys(text for pair in part for text in pair)))
        asked: list[tuple[Question, str]] = []
        for summary, target in part:
            asked += [(question, summary) for question in questions[target]]
            asked += [(question, target) for question in questions[summary]]
        marks, cut = asking.marks(asked)
        result: list[Directions] = []
        start = 0
        for summary, target in part:
            middle = start + len(questions[target])
            end = middle + len(questions[summary])
            result.append(Directions(marks[start:middle], marks[middle:end], any(cut[start:end])))
            start = end
        return result

    return in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read)


def _compute(*which: str) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        behaviour = parameters["behaviour"]
        shared = tuple(value for name, value in parameters.items() if name != "behaviour")
        found = job.memo(("questeval", shared), lambda: _directions(job, parameters))
        readings = []
        for (summary, target), directions in zip(Pairs.of(job).texts, found, strict=True):
            if blank(summary) or blank(target):
                readings.append(EMPTY if blank(summary) else EMPTY_SOURCE)
            else:
                readings.append(directions.reading(behaviour, which))
        return values(job, readings)

    return compute


_PARAMETERS: Mapping[str, Parameter] = {
    "generator": model_parameter("ThomasNLG/t5-qg_squad1-en", "the question generator (T5)"),
    "answerer": model_parameter("ThomasNLG/t5-qa_squad2neg-en", "the question answering model (T5)"),
    "encoder": model_parameter("google-bert/bert-base-multilingual-cased", "the encoder that compares answers"),
    "parser": PARSER,
    "similarity": Parameter("bertscore", ("bertscore", "no"), "similarity of answers: bertscore, or no to omit it"),
    "sentences": number_parameter("5", "number of sentences of each text used for questions"),
    "prefix": Parameter("sv1", (), "prefix of the generator's input"),
    "behaviour": BEHAVIOUR,
    **device_parameters(),
}

register(
    *(
        Metric(
            name=name,
            family="questeval",
            description=what,
            direction="higher",
            targets=("source", "reference"),
            range=(0, 1),
            citation=_CITATION,
            compute=_compute(*which),
            parameters=_PARAMETERS,
            cost="high",
            extra="models",
            models={"generator": "seq2seq", "answerer": "seq2seq", "encoder": "encoder", "parser": "parser"},
        )
        for name, what, which in (
            (
                "questeval",
                "whether summary and source give the same answers to questions about each other",
                ("recall", "precision"),
            ),
            ("questeval-recall", "whether the summary answers questions about the source", ("recall",)),
            ("questeval-precision", "whether the source answers questions about the summary", ("precision",)),
        )
    )
)
