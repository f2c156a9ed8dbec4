"""What a list or an object inside a JSON record is: turns, summaries, judgements, votes, sentences."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_dimension, is_id, is_person, normalised
from dialgauge.corpus._turns import AUTHORS, SPEAKERS, TEXTS, is_pair, is_silent, said_in, split_speaker
from dialgauge.corpus._types import OVERALL
from dialgauge.corpus._values import is_answer

SUMMARIES = re.compile(
    r"(?:.*_)?(?:summaries|outputs?|predictions|candidates|hypotheses|generations|responses|completions|models|systems)"
    r"|hyps|system_summaries"
)
JUDGEMENTS = re.compile(
    r"(?:.*_)?(?:ratings?|annotations?|scores|judge?ments?|evaluations?|labels|votes|assessments|reviews|responses|rankings?)"
)
DIALOGUE = frozenset(USES["dialogue"])
REFERENCES = frozenset(USES["reference"])
#: What a nested row takes over from the row that holds it: who and what it is about and when, never judgements.
IDENTITY = frozenset(
    {*USES["system"], *USES["variant"], *USES["role"], *USES["annotator"], *USES["time"], *USES["comment"], "kind"}
)
#: More answers than this under one name are no votes of people.
_MOST_VOTES = 50
_DEEPEST = 5
#: A text that is longer than this is no answer to a question with given answers.
_LONGEST = 40
#: Under which names the objects of lists say what was asked.
ASKED = frozenset(
    {*USES["dimension"], "question", "question_name", "metric", "criteria", "name", "item", "category", "key"}
)
_SENTENCES = frozenset({"sentence", "sent", "summary_sentence", "sentence_text"})


def are_turns(value: Sequence[Any]) -> bool:
    """Whether a list holds what several speakers said."""
    if len(value) > 1 and all(isinstance(item, str) for item in value):
        speakers = [split_speaker(item) for item in value]
        return sum(found is not None for found in speakers) * 10 >= len(value) * 8
    if len(value) > 1 and all(is_pair(item) for item in value):
        return len({item[0] for item in value}) * 2 <= len(value) + 1
    value = [item for item in value if not is_silent(item)]
    return len(value) > 1 and all(
        isinstance(item, Mapping)
        and said_in(item) is not None
        and (any(isinstance(item.get(key), str | int) for key in (*SPEAKERS, "role")) or is_turn(item))
        for item in value
    )


def are_summaries(value: Any) -> bool:
    """Whether a value under a name of summaries holds some."""
    if isinstance(value, Mapping):
        texts = [v.get("text", v.get("summary")) if isinstance(v, Mapping) else v for v in value.values()]
        named = any(normalised(str(key)) in USES["summary"] for key in value)  # {"outputs": {"summary": "…"}}
        return bool(texts) and not named and all(isinstance(text, str) for text in texts)
    if not all(isinstance(item, Mapping) for item in value):
        return False
    # Responses of people have the name of responses of systems.
    return not value or not all(
        any(is_person(normalised(key)) for key in item) and not _summary_in(item) and "text" not in item
        for item in value
    )


def hold_summaries(value: Any) -> bool:
    """Whether every object has a summary, and a system or one as its key, whatever the list or object is called."""
    systems = {*USES["system"], "name"}
    if isinstance(value, Mapping):
        return (
            len(value) > 1
            and all(isinstance(item, Mapping) and (_summary_in(item) or _is_reviewed(item)) for item in value.values())
            and not any(is_dimension(normalised(key)) for key in value)
        )
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping) and _summary_in(item) and any(normalised(key) in systems for key in item)
            for item in value
        )
    )


def _is_reviewed(item: Mapping[str, Any]) -> bool:
    """Whether an object is a text with what several people say of it: then it is none of these people."""
    reviews = [inner for key, inner in item.items() if JUDGEMENTS.fullmatch(normalised(key))]
    people = [
        one
        for one in reviews
        if (isinstance(one, Mapping) and one and all(isinstance(inner, Mapping) for inner in one.values()))
        or (isinstance(one, list) and one and all(_names_person(inner) for inner in one))
    ]
    return bool(people) and text_key(item) is not None


def _names_person(item: Any) -> bool:
    return isinstance(item, Mapping) and any(is_person(normalised(key)) for key in item)


def hold_records(value: Any, depth: int = 0) -> bool:
    """Whether every object of a list holds a summary or a dialogue with its id, or such a list in turn."""
    return (
        isinstance(value, list)
        and bool(value)
        and depth < _DEEPEST
        and all(
            isinstance(item, Mapping)
            and not is_turn(item)
            and (
                (_summary_in(item) and any(normalised(key) in IDENTITY or is_id(normalised(key)) for key in item))
                or (any(is_id(normalised(key)) for key in item) and any(_is_told(*pair) for pair in item.items()))
                or any(hold_records(inner, depth + 1) for inner in item.values())
            )
            for item in value
        )
    )


def _is_told(key: str, value: Any) -> bool:
    """Whether a dialogue stands under this name."""
    return normalised(key) in DIALOGUE and (isinstance(value, list) or (isinstance(value, str) and "\n" in value))


def _summary_in(item: Mapping[str, Any]) -> bool:
    return any(normalised(key) in USES["summary"] and isinstance(item[key], str) for key in item)


def are_judgements(value: Any) -> bool:
    """Whether a value under a name of judgements holds some."""
    if isinstance(value, Mapping):
        return bool(value)
    return bool(value) and all(isinstance(item, Mapping) for item in value)


def hold_judgements(value: Any) -> bool:
    """Whether a value holds judgements, whatever it is called.

    Each object of a list names a person and an answer on a dimension; an object answers on known dimensions, or holds
    such objects under the names of people.
    """
    if isinstance(value, Mapping):
        inner = list(value.values())
        return _answer_dimensions(value) or (bool(inner) and all(_answer_dimensions(item) for item in inner))
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and (
                (
                    any(is_person(normalised(key)) for key in item)
                    and any(is_dimension(normalised(key)) or normalised(key) in USES["value"] for key in item)
                )
                or any(JUDGEMENTS.fullmatch(normalised(key)) and _are_numbers(entry) for key, entry in item.items())
            )
            for item in value
        )
    )


def hold_dimensions(value: Mapping[str, Any]) -> bool:
    """Whether all objects answer on the same known dimensions, and their names are none: people, or systems.

    ``overall`` may be what one of several questions was answered with, and objects of different dimensions are groups.
    """
    if any(is_dimension(normalised(str(name))) for name in value) or not all(map(_answer_dimensions, value.values())):
        return False
    asked = [set(map(normalised, entry)) for entry in value.values()]
    every = set().union(*asked)
    known = all(is_dimension(name) and name != OVERALL and name not in USES["value"] for name in every)
    return known and bool(asked) and bool(set.intersection(*asked))


def _are_numbers(value: Any) -> bool:
    """Whether an object holds numbers only, of which some may be missing."""
    given = [one for one in value.values() if one is not None] if isinstance(value, Mapping) else []
    return bool(given) and all(isinstance(one, bool | int | float) for one in given)


def _answer_dimensions(value: Any) -> bool:
    """Whether an object has short answers only, one of them a number on a known dimension."""
    return (
        isinstance(value, Mapping)
        and not any(isinstance(answer, dict | list) or len(str(answer)) > _LONGEST for answer in value.values())
        and any(is_dimension(normalised(key)) and isinstance(value[key], bool | int | float) for key in value)
    )


def are_short_answers(value: Any) -> bool:
    """Whether every object of a list names a person and has nothing but short answers, maybe in objects."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and len(item) > 1
            and any(is_person(normalised(key)) for key in item)
            and all(_is_short(answer) for answer in item.values())
            for item in value
        )
    )


def _is_short(value: Any, depth: int = 0) -> bool:
    """Whether a value is short, or an object of such values."""
    if isinstance(value, Mapping):
        return depth < _DEEPEST and all(_is_short(inner, depth + 1) for inner in value.values())
    return not isinstance(value, list) and len(str(value)) <= _LONGEST


def is_voted(name: str, value: Any) -> bool:
    """A dimension's name with a list of answers, or with an object of answers by annotator."""
    if not is_dimension(name) or not value:
        return False
    answers = value if isinstance(value, list) else list(value.values())
    # Words that are on no scale are labels that somebody ticked, and not one answer of each annotator.
    labels = isinstance(value, list) and any(isinstance(answer, str) and not is_answer(answer) for answer in answers)
    return not labels and not any(isinstance(answer, dict | list) for answer in answers)


def is_flat(value: Mapping[str, Any], depth: int = 0) -> bool:
    """Whether an object only groups keys that could stand in the row itself, or objects that do."""
    return any(
        is_id(normalised(key))
        or normalised(key) in IDENTITY | DIALOGUE | set(USES["summary"]) | REFERENCES
        or (isinstance(inner, Mapping) and bool(JUDGEMENTS.fullmatch(normalised(key))))
        or are_short_answers(inner)
        or (depth < _DEEPEST and isinstance(inner, Mapping) and is_flat(inner, depth + 1))
        for key, inner in value.items()
    )


def is_turn(value: Mapping[str, Any]) -> bool:
    """Whether an object is one turn: what was said, and an object about who said it."""
    return said_in(value) is not None and any(isinstance(value.get(key), Mapping) for key in AUTHORS)


def system_key(items: Sequence[Mapping[str, Any]], text: str | None) -> str | None:
    """The key under which each of several summaries has a short name of its own, where only one does."""
    if len(items) < 2:
        return None
    found = []
    for key in items[0]:
        names = [item.get(key) for item in items]
        short = all(isinstance(name, str) and 0 < len(name) <= _LONGEST for name in names)
        if key != text and short and len(set(names)) == len(names) and not is_id(normalised(key)):
            found.append(key)
    return found[0] if len(found) == 1 else None


def text_key(item: Mapping[str, Any]) -> str | None:
    """The key of the text of a summary: one of the names of summaries, or of what is said."""
    by_name = (key for key in item if normalised(key) in USES["summary"] and isinstance(item[key], str))
    return next(by_name, next((key for key in item if key in TEXTS and isinstance(item[key], str)), None))


#: What the sentences of a summary are called together, and how the place of one in it is.
SENTENCES = frozenset(["sentences", "sents", "sentence", "summary_sentences", "satze", "phrases", "frases", "frasi"])
PLACES = frozenset(["n", "nr", "no", "num", "number", "idx", "position"])


def sentence_of(item: Any) -> str | None:
    """The text of a sentence that is an object with its text and what was said about it."""
    if not isinstance(item, Mapping):
        return None
    return next((item[key] for key in item if normalised(key) in _SENTENCES and isinstance(item[key], str)), None)


def are_sentences(value: Any) -> bool:
    """Whether every object of a list is a sentence with judgements of its own."""
    return isinstance(value, list) and bool(value) and all(sentence_of(item) is not None for item in value)


def voted_keys(record: Mapping[str, Any]) -> frozenset[str]:
    """Names under which there are as many answers as under each other, beside a summary: one for each person."""
    if not _summary_in(record):
        return frozenset()
    lists = {
        key: value
        for key, value in record.items()
        if isinstance(value, list)
        and 2 <= len(value) <= _MOST_VOTES
        and any(answer is not None for answer in value)
        and all(answer is None or isinstance(answer, bool | int | float) for answer in value)
    }
    lengths = {len(value) for value in lists.values()}
    return frozenset(lists) if len(lists) > 1 and len(lengths) == 1 else frozenset()


def are_answers_of_people(value: Any) -> bool:
    """Whether every object of a list has a question, its answer, and who gave it, maybe in an object of its own."""
    if not are_questions(value) or any(normalised(key) in USES["dimension"] for item in value for key in item):
        return False  # where a column of dimensions says what was asked, rows are as they should be
    return all(
        any(
            is_person(normalised(key))
            or (isinstance(inner, Mapping) and any(is_person(normalised(deep)) for deep in inner))
            for key, inner in item.items()
        )
        for item in value
    )


def are_questions(value: Any) -> bool:
    """Whether every object of a list names a question and the answer to it."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and any(normalised(key) in ASKED and isinstance(item[key], str) for key in item)
            and any(normalised(key) in USES["value"] and not isinstance(item[key], dict | list) for key in item)
            for item in value
        )
    )


def text_alone(name: str, value: Any) -> str | None:
    """The text that an object under the name of a summary or dialogue wraps: ``{"output": {"content": "…"}}``."""
    if not isinstance(value, Mapping) or name not in {*USES["summary"], *DIALOGUE}:
        return None
    texts = [inner for key, inner in value.items() if normalised(key) in _WRAPPED and isinstance(inner, str)]
    others = [key for key, inner in value.items() if normalised(key) not in _WRAPPED and isinstance(inner, dict | list)]
    known = {*USES["summary"], *DIALOGUE, *USES["system"]} - _WRAPPED
    named = any(normalised(key) in known or is_id(normalised(key)) for key in value)
    return texts[0] if len(texts) == 1 and not others and not named else None


_WRAPPED = frozenset({"content", "text", "value", "generated_text"})


def are_marks(value: Any) -> bool:
    """Whether every object of a list is a marked place of a text."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping) and any(normalised(key) in _PLACES for key in item) and not _are_turned(item)
            for item in value
        )
    )


_PLACES = frozenset(
    {
        "start",
        "begin",
        "begin_offset",
        "start_offset",
        "span_start",
        "start_char",
        "error_span",
        "span_text",
        "char_start",
    }
)


def _are_turned(item: Mapping[str, Any]) -> bool:
    return any(key in item for key in SPEAKERS)


def turns_within(value: Any, depth: int = 0) -> list[Any] | None:
    """The first list of turns somewhere inside a value."""
    if isinstance(value, list) and are_turns(value):
        return value
    if depth < _DEEPEST and isinstance(value, Mapping):
        return next((found for inner in value.values() if (found := turns_within(inner, depth + 1))), None)
    return None
