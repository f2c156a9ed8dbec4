"""A first draft of the Human Evaluation Datasheet (HEDS 3.0), filled from a corpus with ratings.

What the data cannot know (who was paid, who approved it) is listed as open questions, never guessed.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import parse_toml, read_utf8
from dialgauge.ratings import Scale, agreement, find_scale, with_judgements_as_ratings
from dialgauge.reproduce._heds_kinds import CLASSES, Described, other_criteria

_ELICITATION = "heds-criteria-criterion-response_elicitation-"
_MODE = "heds-criteria-criterion-evaluation_mode-"
_ITEMS = "heds-sample_evaluators_design-"
#: The numbers of languages in the form, as far as known.
_LANGUAGES = {"en": (41, "English"), "de": (55, "German")}


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the sheet; ``each``: asked for every criterion."""

    key: str
    text: str
    section: str
    each: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known: for one criterion, or for the study ("" as criterion). ``option`` is a ticked option's number."""

    key: str
    criterion: str
    text: str
    option: int | None = None


@dataclass(frozen=True, slots=True)
class Datasheet:
    """Answers in the order of the sheet, and the questions that are still open: (question, criterion or "")."""

    name: str
    criteria: tuple[str, ...]
    answers: tuple[Answer, ...]
    open: tuple[tuple[Question, str], ...]

    def to_json(self) -> dict[str, dict[str, dict[str, bool | str]]]:
        """The flat object of the HEDS web form: free text in ``data``; ticked options are true, with their label."""
        sheet: dict[str, dict[str, dict[str, bool | str]]] = {}
        for answer in self.answers:
            key = answer.key if answer.option is None else f"{answer.key}-{answer.option}"
            entry = sheet.setdefault(key, {"data": {}, "control": {}, "text": {}})
            entry["data"][answer.criterion] = answer.text if answer.option is None else True
            if answer.option is not None:
                entry["text"][answer.criterion] = answer.text
        return sheet

    def to_markdown(self) -> str:
        """The same for people: answered questions by section, then everything that is still open."""
        questions = {question.key: question for question in heds_questions()}
        lines = [f"# Human Evaluation Datasheet (HEDS 3.0): {self.name}", ""]
        lines += [f"A draft by dialgauge: {len(self.answers)} answers, {len(self.open)} open questions.", ""]
        section = ""
        for answer in self.answers:
            question = questions[answer.key]
            title = f"{question.section}: {answer.criterion}" if answer.criterion else question.section
            if title != section:
                lines += [f"## {title}", ""]
                section = title
            lines += [f"**{question.text}**", "", _one_line(answer.text), ""]
        lines += ["## Open questions", ""]
        for question, criterion in self.open:
            lines.append(f"- [ ] {f'{criterion}: ' if criterion else ''}{question.text} (`{question.key}`)")
        return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def heds_questions() -> tuple[Question, ...]:
    """All questions of the sheet in its order."""
    text = (files("dialgauge.reproduce") / "heds.toml").read_text(encoding="utf-8")
    return tuple(
        Question(key, ask, section["title"], section.get("each", False))
        for section in tomllib.loads(text)["sections"]
        for key, ask in section["questions"].items()
    )


def draft_datasheet(
    corpus: Corpus, *, answers: Mapping[str, Any] | None = None, scales: Iterable[Scale] = ()
) -> Datasheet:
    """The sheet, filled as far as possible from the corpus.

    ``answers`` are your own: by key a text, or for questions that are asked of every criterion a text for all of them
    or a table criterion → text. They replace what the corpus says.
    """
    criteria = corpus.dimensions_of()
    if not criteria:
        raise InputError(f"corpus {corpus.info.name!r} has no ratings, so there is no evaluation to describe")
    questions = heds_questions()
    given = _given(answers or {}, questions, criteria)
    known = [*_about_study(corpus), *_about_criteria(corpus, tuple(scales)), *_about_other_criteria(corpus)]
    found = {(a.key, a.criterion): a for a in known}
    found |= {(a.key, a.criterion): a for a in given}
    answered, still_open = [], []
    # Criterion by criterion, each with all its questions, as the form is laid out.
    for question, criterion in _places(questions, criteria):
        answer = found.get((question.key, criterion))
        if answer is None:
            still_open.append((question, criterion))
        else:
            answered.append(answer)
    return Datasheet(corpus.info.name, tuple(criteria), tuple(answered), tuple(still_open))


def _places(questions: Iterable[Question], criteria: Iterable[str]) -> list[tuple[Question, str]]:
    places: list[tuple[Question, str]] = []
    for section in dict.fromkeys(question.section for question in questions):
        members = [question for question in questions if question.section == section]
        each = list(criteria) if members[0].each else [""]
        places += [(question, criterion) for criterion in each for question in members]
    return places


def read_answers(path: Path | str) -> dict[str, Any]:
    """Your own answers from a TOML file: ``"heds-…" = "text"``, or a table criterion → text."""
    path = Path(path)
    return parse_toml(read_utf8(path), str(path))


def _given(answers: Mapping[str, Any], questions: Iterable[Question], criteria: list[str]) -> list[Answer]:
    known = {question.key: question for question in questions}
    result = []
    for key, value in answers.items():
        if key not in known:
            raise UnknownNameError("question of the datasheet", key, known)
        if isinstance(value, str):
            result += [Answer(key, criterion, value) for criterion in (criteria if known[key].each else [""])]
            continue
        if not isinstance(value, Mapping) or not known[key].each:
            raise InputError(f"answer to {key}: expected a text; got {value!r}")
        for criterion, text in value.items():
            if criterion not in criteria:
                raise UnknownNameError("criterion", criterion, criteria)
            result.append(Answer(key, criterion, str(text)))
    return result


def _about_study(corpus: Corpus) -> list[Answer]:
    ratings = with_judgements_as_ratings(corpus).ratings
    items = ratings.select(KEY).unique()
    systems, dialogues = items["system"].n_unique(), items["dialogue_id"].n_unique()
    outputs = f"{items.height} summaries by {systems} systems of {dialogues} dialogues"
    origin = "" if corpus.info.ratings_origin == "human" else " (these ratings were constructed by a program)"
    answers = [
        Answer("heds-system-input_types", "", "8. text: dialogue", 8),
        Answer("heds-system-output_types", "", "6. text: multiple sentences", 6),
        Answer("heds-system-tasks", "", "16. summarisation (text-to-text)", 16),
        Answer(f"{_ITEMS}sample-number_of_system_outputs", "", outputs),
        Answer(
            f"{_ITEMS}evaluators-number_of_evaluators",
            "",
            f"{ratings['annotator'].n_unique()}{origin}",
        ),
    ]
    languages = corpus.dialogues["language"].drop_nulls().unique().to_list()
    if len(languages) == 1 and languages[0] in _LANGUAGES:
        number, name = _LANGUAGES[languages[0]]
        for side in ("input", "output"):
            answers.append(Answer(f"heds-system-{side}_languages", "", f"{number}. {name}", number))
    return answers


def _about_criteria(corpus: Corpus, scales: tuple[Scale, ...]) -> list[Answer]:
    answers: list[Answer] = []
    classes = corpus.dimensions_of("nominal")
    for dimension in corpus.dimensions:
        part = corpus.ratings.filter(pl.col("dimension") == dimension)
        if dimension in classes:
            answers += _about_kind(dimension, CLASSES)
            answers += _about_agreement(part, dimension, scales, nominal=True)
            continue
        answers += [
            Answer(f"{_MODE}objective_or_subjective", dimension, "2. Subjective", 2),
            Answer(f"{_MODE}absolute_or_relative", dimension, "1. Absolute", 1),
            Answer(f"{_MODE}intrinsic_or_extrinsic", dimension, "1. Intrinsic", 1),
            Answer(f"{_ELICITATION}participant_criterion_name", dimension, dimension),
            Answer(f"{_ELICITATION}form_of_response", dimension, "2. direct quality estimation", 2),
            Answer(f"{_ELICITATION}response_aggregation", dimension, _aggregation(part)),
            Answer(
                f"{_ELICITATION}effect_size_method",
                dimension,
                "Cohen's d of paired differences with its confidence interval; paired t-test, Wilcoxon signed-rank and "
                "sign-flip permutation test, Benjamini–Hochberg corrected",
            ),
            *_about_scale(part, dimension, scales),
            *_about_agreement(part, dimension, scales),
        ]
    return answers


def _about_other_criteria(corpus: Corpus) -> list[Answer]:
    """Answers on dimensions that are no ratings; one that was rated as well is described by its ratings."""
    answers: list[Answer] = []
    for dimension, described in other_criteria(corpus).items():
        answers += _about_kind(dimension, described)
        key = f"{_ELICITATION}inter_annotator-agreement"
        if described.agreement:
            answers += [Answer(key, dimension, "1. yes", 1), Answer(f"{key}_score", dimension, described.agreement)]
        else:
            answers.append(Answer(key, dimension, "2. no", 2))
    return answers


def _about_kind(dimension: str, described: Described) -> list[Answer]:
    return [
        Answer(f"{_MODE}objective_or_subjective", dimension, "2. Subjective", 2),
        Answer(f"{_MODE}absolute_or_relative", dimension, *described.mode),
        Answer(f"{_MODE}intrinsic_or_extrinsic", dimension, "1. Intrinsic", 1),
        Answer(f"{_ELICITATION}participant_criterion_name", dimension, dimension),
        Answer(f"{_ELICITATION}form_of_response", dimension, *described.form),
        Answer(f"{_ELICITATION}response_aggregation", dimension, described.aggregation),
        Answer(f"{_ELICITATION}effect_size_method", dimension, described.statistics),
    ]


def _aggregation(part: pl.DataFrame) -> str:
    steps = ["mean over annotators"] if part["annotator"].n_unique() > 1 else []
    if part["sentence"].is_not_null().any():
        steps.append("mean over the sentences of a summary")
    return ", then ".join([*steps, "mean over the summaries of a system"])


def _about_scale(part: pl.DataFrame, dimension: str, scales: tuple[Scale, ...]) -> list[Answer]:
    names = part["scale"].drop_nulls().unique().to_list()
    if len(names) != 1:
        return []
    scale = find_scale(names[0], scales)
    if not scale.points:
        size, values = (2, "2. Continuous"), f"{scale.minimum:g} to {scale.maximum:g}"
    else:
        size = (1, f"1. Discrete ({len(scale.points)} points)")
        values = ", ".join(
            f"{point:g}" + (f" ({scale.label(point)})" if scale.label(point) else "") for point in scale.points
        )
    return [
        Answer(f"{_ELICITATION}size_of_scale", dimension, size[1], size[0]),
        Answer(f"{_ELICITATION}list_or_range", dimension, values),
    ]


def _about_agreement(
    part: pl.DataFrame, dimension: str, scales: tuple[Scale, ...], *, nominal: bool = False
) -> list[Answer]:
    key = f"{_ELICITATION}inter_annotator-agreement"
    if part["annotator"].n_unique() < 2:
        return [Answer(key, dimension, "2. no", 2)]
    measures = ("krippendorff-alpha", "cohen-kappa")
    classes = [dimension] if nominal else []
    found = agreement(part, measures, by=("dimension",), resamples=200, scales=scales, nominal=classes)
    rows = found.frame.iter_rows(named=True)
    values = [
        f"{row['measure']} ({row['setting']}) {row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        for row in rows
        if row["value"] is not None and row["low"] is not None
    ]
    if not values:
        return []
    return [Answer(key, dimension, "1. yes", 1), Answer(f"{key}_score", dimension, "; ".join(values))]
