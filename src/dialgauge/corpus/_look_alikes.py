"""What the fields of a file look like, by their names and values alone: judgements, texts, or something else."""

import re
from collections import Counter
from collections.abc import Container, Sequence, Set

from dialgauge.corpus._better import better_of
from dialgauge.corpus._fields import ANY_KEY, ANY_PLACE, Field
from dialgauge.corpus._guess import MOST_POINTS
from dialgauge.corpus._names import (
    AGGREGATES,
    COMMENT_WORDS,
    TIME_WORDS,
    USES,
    averaged,
    heading,
    is_dimension,
    is_housekeeping,
    is_id,
    is_metric,
    is_of_conversation,
    is_other_id,
    is_person,
    normalised,
    says_how_sure,
)
from dialgauge.corpus._pairs import asks_for_winner, asks_which_is_preferred
from dialgauge.corpus._shapes import JUDGEMENTS
from dialgauge.corpus._turns import SPEAKERS
from dialgauge.corpus._values import MOSTLY, Reading, in_words, is_answer, is_not_given, read_values

#: A text has at least this many words on average.
_WORDS = 8
#: So many of the answers are yes or no where some are neither.
_HALF = 0.5
#: A text that is longer than this is no answer to a question with given answers.
_LONGEST = 40
#: What models say about the data, and what the data say about themselves, are no judgements of people.
_OF_PROGRAMS = frozenset(
    [
        *("predictions", "prediction", "suggestions", "suggestion", "metrics", "automatic"),
        *("stats", "statistics", "analytics", "telemetry"),
    ]
)
_NOT_PEOPLE = frozenset(["metadata", "meta", "config", "settings"])
#: What was shown to people, or says where things are.
_SHOWN = frozenset(
    [
        "prompt",
        "instruction",
        "instructions",
        "question",
        "guideline",
        "guidelines",
        "title",
        "url",
        "link",
        "path",
        "file",
        "description",
        "system_prompt",
        "template",
        "html",
        "style",
        "layout",
        "address",
        "consent",
        "header",
        "subject",
    ]
)
#: What models say of what they heard or wrote.
_OF_MODELS = frozenset(["confidence", "probability", "prob", "stability", "sentiment", "loudness"])
#: Words in the names of what is the same in every row because of how the work was done, not of what people thought.
_OF_WORK = frozenset(
    [
        *("done", "finished", "complete", "completed", "submitted", "approved", "accepted", "checked", "valid", "is"),
        *("consent", "agreed", "native", "active", "enabled", "draft", "deleted", "archived", "locked", "public"),
        *("test", "training", "gold", "golden", "trusted", "flag", "flagged", "has", "was", "channel", "type", "mode"),
        *("state", "stage", "phase", "source", "origin", "set", "pass", "wave", "group", "priority", "level", "mobile"),
        *("start", "end", "begin", "offset", "check", "attention", "turn", "weight", "status"),
    ]
)
_LISTS = ("_labels", "_list", "_votes", "_scores", "_ratings", "_values", "s")


def _own_name(one: Field) -> str:
    named = [name for name in one.names if name != ANY_KEY]
    return normalised(heading(named[-1])[0]) if named else ""


def says_judged(one: Field) -> bool:
    """Whether the names on the way say that these are judgements."""
    names = [normalised(name) for name in one.names]
    return is_named(one) or any(JUDGEMENTS.fullmatch(name) or name in USES["value"] for name in names)


def is_named(one: Field) -> bool:
    """Whether its own name is that of judgements."""
    return is_dimension(_own_name(one)) or _own_name(one) in USES["value"]


def may_be_judged(one: Field, has_judgements: bool) -> bool:
    """Whether nothing in its names says that a field is something else."""
    name = (None if has_judgements else averaged(_own_name(one))) or _own_name(one)
    above = {normalised(part) for part in one.names[:-1]}
    if above & _OF_PROGRAMS or (above & _NOT_PEOPLE and not is_named(one)):
        return False
    words = set(name.split("_"))
    computed = AGGREGATES.fullmatch(name) and has_judgements
    return bool(name) and not (
        (is_housekeeping(name) and is_housekeeping(name, in_words=in_words(read_values(one.counts))))
        or is_id(name)
        or is_other_id(name)
        or is_person(name)
        or is_metric(name)
        or says_how_sure(name)
        or name in SPEAKERS
        or words & (TIME_WORDS | _OF_MODELS)
        or computed
        or (has_judgements and any(is_of_conversation(part) for part in (*above, name)))
        or (any(is_metric(part) for part in above) and (has_judgements or not is_named(one)))
    )


def is_of_program(one: Field) -> bool:
    """Whether a field stands among what programs compute, and nothing on the way to it is of people."""
    above = [normalised(part) for part in one.names[:-1]]
    computed = any(part in _OF_PROGRAMS or is_metric(part) for part in above)
    return computed and not any(_OF_PEOPLE & set(part.split("_")) or is_person(part) for part in above)


_OF_PEOPLE = frozenset(["human", "humans", "people", "manual", "expert", "experts", "crowd"])


def is_no_metric(one: Field, found: Reading) -> bool:
    """Whether a field that is called like a program's score (``R1``) holds points that people give."""
    few = found.share >= MOSTLY and 1 < found.distinct <= MOST_POINTS
    whole = found.kind != "number" or all(value % 1 == 0 <= value <= MOST_POINTS for value in found.values.values())
    return is_metric(_own_name(one)) and few and whole


def speaks_in_words(one: Field, found: Reading) -> bool:
    """Whether the values are words of praise and blame: ``Status`` with pass and fail is a judgement all the same."""
    words = {text.strip().lower() for text in found.values}
    plain = found.kind == "yes/no" and bool(words & _PLAIN_ANSWERS)
    judged = found.kind in ("yes/no", "ordered") and found.share >= MOSTLY and found.distinct > 1 and not plain
    return judged and not (set(_own_name(one).split("_")) & _OF_MODELS or says_how_sure(_own_name(one)))


_PLAIN_ANSWERS = frozenset(["yes", "no", "y", "n", "true", "false", "t", "f", "1", "0", "1.0", "0.0", "ja", "nein"])


def looks_judged(one: Field, found: Reading, beside_people: bool = False) -> bool:
    """Whether the values are those of a scale: few numbers, yes and no, or the words of one.

    ``beside_people`` says that somebody judged in this file: then one answer that everybody gave may be a judgement.
    """
    if is_named(one) and found.given > 1 and found.distinct > 1 and all(len(text) <= _LONGEST for text in one.counts):
        return True
    if found.given < 2 or found.distinct > (MOST_POINTS if found.share >= MOSTLY else 2 * MOST_POINTS):
        return False
    if found.kind == "yes/no" and len(set(found.values.values())) == 2 and found.share >= _HALF:
        return True  # beside yes and no, a few people may have said something else
    if found.share < MOSTLY:  # several scales in one field, as where a column holds the answers to all questions
        return sum(n for text, n in one.counts.items() if is_answer(text)) >= MOSTLY * one.filled
    if found.distinct < 2:
        return is_named(one) or (beside_people and _is_said_by_all(one, found))
    if found.kind != "number":
        return True
    values = sorted(found.values.values())
    counted_up = found.given == found.distinct > 3 and values == list(
        range(int(values[0]), int(values[0]) + len(values))
    )
    return values[0] >= -10 and values[-1] <= 100 and not counted_up


def _is_said_by_all(one: Field, found: Reading) -> bool:
    """Whether the one value of a field may be everybody's answer: neither it nor its name says how the work stood."""
    words = set(_own_name(one).split("_"))
    if words & _OF_WORK or any(normalised(text) in _OF_WORK for text in one.counts):
        return False
    return found.kind != "number" or all(0 <= value <= 100 for value in found.values.values())


def names_sides(one: Field) -> bool:
    """Whether the values say which of two is better: both sides occur, and its name asks for one, or some are as good.

    Letters alone are the two groups of a test, or the channels of a recording.
    """
    said = {better_of(text) for text in one.counts} if len(one.counts) <= MOST_WORDS else {None}
    return {"a", "b"} <= said and None not in said and ("tie" in said or asks_for_winner(_own_name(one)))


def unread_preferences(fields: Sequence[Field], names: Container[str], read: int) -> list[str]:
    """Fields that nothing was made of, whose headings ask which is better, and whose answers name sides or systems.

    ``names`` are those of systems and the like that were stored, and ``read`` such answers were.
    """
    asked = [one for one in fields if one.names and asks_which_is_preferred(normalised(one.names[-1]))]
    asked = [one for one in asked if one.counts and all(_names_one(text, names) for text in one.counts)]
    if len({text for one in asked for text in one.counts}) < 2 or sum(one.filled for one in asked) <= read:
        return []
    listed = ", ".join(repr(one.names[-1]) for one in asked[:3])
    look, were = ("look", "were") if len(asked) > 1 else ("looks", "was")
    return [
        f"{listed} {look} like preferences and {were} not read: give each answer a row with the columns dialogue_id, "
        "annotator, system_a, system_b and winner, or leave out what is none "
        f"({' '.join(f'--map {_quoted(one.path)}' for one in asked)})"
    ]


def _quoted(path: str) -> str:
    return f"'ignore={path}'" if re.search(r"[^\w.=-]", path) else f"ignore={path}"


def _names_one(text: str, names: Container[str]) -> bool:
    """Whether a cell names a side ("Note A"), a system, or none of them."""
    plain = normalised(text)
    of_side = len(plain.split("_")) <= _LONGEST_LABEL and _SIDE.fullmatch(plain.rpartition("_")[2]) is not None
    return of_side or better_of(text) is not None or plain in names or is_not_given(text)


_SIDE = re.compile(r"[a-h]|[1-9]|left|right|first|second|links|rechts")


def lists_labels(one: Field) -> bool:
    """Whether cells hold one or several of a few labels ("Omission; Wrong name"), and nothing says of what else."""
    if set(_own_name(one).split("_")) & _LISTED or len(one.counts) > 2 * MOST_POINTS:
        return False
    between = _SPACES if all(map(_SLUGS.fullmatch, one.counts)) else _BETWEEN
    parts: Counter[str] = Counter()
    for text, times in one.counts.items():
        parts.update({part: times for part in between.split(text.strip()) if part})
    several = sum(times for text, times in one.counts.items() if between.search(text.strip()))
    short = all(len(part) <= _LONGEST and len(part.split()) <= _LONGEST_LABEL for part in parts)
    return 2 <= len(parts) <= MOST_WORDS and several > 1 and short and parts.total() >= 2 * len(parts)


_BETWEEN = re.compile(r"\s*[;,|\n]\s*")
#: "missing_info wrong_fact", as help desks write the options of a field.
_SPACES, _SLUGS = re.compile(r"\s+"), re.compile(r"\s*[a-z0-9]+(?:_[a-z0-9]+)+(?:\s+[a-z0-9]+(?:_[a-z0-9]+)+)*\s*")
_LONGEST_LABEL = 4
#: Words in the names of lists that say something of a talk or a person.
_LISTED = frozenset(
    [
        *("tag", "tags", "topic", "topics", "keyword", "keywords", "product", "products", "language", "languages"),
        *(
            "skill",
            "skills",
            "device",
            "devices",
            "participant",
            "participants",
            "speaker",
            "speakers",
            "name",
            "names",
        ),
        *("person", "people", "attendees", "options", "labels", "date", "dates", "place", "places", "turns"),
    ]
)


def share_words(fields: Sequence[Field], answers: Set[str] = frozenset()) -> list[Field]:
    """The fields in which the same few words recur, whatever they mean: answers of several people, or to questions.

    ``answers`` are words that were read as such in other fields.
    """
    worded = [one for one in fields if _are_few_words(one)]
    return [
        one
        for one in worded
        if speaks_like(one, answers)
        or any(len(set(one.counts) & set(other.counts)) * 2 > len(one.counts) for other in worded if other is not one)
    ]


def speaks_like(one: Field, answers: Set[str]) -> bool:
    """Whether all words of a field are answers elsewhere, and not those of everyday: then its name says nothing."""
    said = set(one.counts)
    return _are_few_words(one) and said <= answers and not {text.strip().lower() for text in said} & _PLAIN_ANSWERS


def _are_few_words(one: Field) -> bool:
    words = list(one.counts)
    few = 2 <= len(words) <= MOST_WORDS and one.filled >= 3 * len(words)
    return few and all(len(word) <= _LONGEST and not word.startswith(("http", "{", "[")) for word in words)


#: More different words than this are names.
MOST_WORDS = 12


def is_summed_up(one: Field, paths: set[str]) -> bool:
    """Whether one number beside a list of answers sums it up: ``acu`` beside ``acu_labels``."""
    plain = one.path.removesuffix(ANY_PLACE)
    return one.path != plain and any(plain.removesuffix(end) in paths - {plain} for end in _LISTS)


def summed_up_by(name: str, names: Container[str]) -> str | None:
    """Which of these names is that of one number which sums up the list under another name; None where none is."""
    return next(
        (name.removesuffix(end) for end in _LISTS if name.endswith(end) and name.removesuffix(end) in names), None
    )


def looks_like_texts(one: Field) -> bool:
    words = set(_own_name(one).split("_"))
    above = {normalised(part) for part in one.names}
    if words & (COMMENT_WORDS | _SHOWN | TIME_WORDS) or above & _NOT_PEOPLE or is_housekeeping(_own_name(one)):
        return False
    shown = list(one.counts)[:40]
    mean = sum(len(text.split()) for text in shown) / len(shown)
    return len(one.counts) > 2 and mean >= _WORDS and not any(text.startswith("http") for text in shown)
