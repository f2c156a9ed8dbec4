"""Gates: checks of a finished variant, asked for by ``gate``. What a gate stops is drawn again, then declined."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dialgauge.perturb._grammar import is_finite, subject
from dialgauge.perturb._parse import Parsed, parse
from dialgauge.perturb._settings import Gate

if TYPE_CHECKING:
    from dialgauge.perturb._apply import Task, Variant

#: (task, variant) → the reason for stopping it (empty if it passes) and what to record.
Judge = Callable[["Task", "Variant"], tuple[str, Mapping[str, Any]]]
#: How reasons for declining begin where a gate stopped every draw.
STOPPED = "stopped by the gate"

_ODD_MARKS = re.compile(r",\s*,|,\s*[.;:!?]|\(\s*\)|,\s*(?:and|but|or)\s*,")
_TWICE = re.compile(r"\b([^\W\d_]+)\s+\1\b", re.IGNORECASE)
#: Subjects that a verb with -s cannot have.
_PLURAL = frozenset(["they", "we", "you", "these", "those"])


def stopped(task: "Task", variant: "Variant") -> tuple[str, Mapping[str, Any]]:
    """Why one of the gates of a task stops a variant, or what they found. Texts as published code makes them, and kinds
    that declare a loss of fluency, pass the gates of grammar as they are."""
    found: dict[str, Any] = {}
    for name in task.gates:
        reason, record = _judge(name)(task, variant)
        if reason:
            return f"{STOPPED} {name}: {reason}", {}
        found[name] = dict(record) or "passed"
    return "", {"gates": found} if found else {}


def _judge(name: Gate) -> Judge:
    if name == "model":
        from dialgauge.perturb._gate_model import judge_likelihood

        return judge_likelihood
    if name == "checks":
        from dialgauge.perturb._gate_checks import judge_consistency

        return judge_consistency
    return judge_grammar


def judge_grammar(task: "Task", variant: "Variant") -> tuple[str, Mapping[str, Any]]:
    """Parse the variant, and compare what is broken in it with what was broken before. Notes in shorthand need no
    verb."""
    if task.as_published or not task.claims_fluency or not task.needs_parser:
        return "", {}
    before, after = parse(task.text), parse(variant.text)
    for complaint, count in _FAULTS:
        if count is _without_verb and is_shorthand(variant):
            continue
        if count(after) > count(before):
            return complaint, {}
    return "", {}


def is_shorthand(variant: "Variant") -> bool:
    """Whether a variant is written as notes are: *Cust. angry b/c acct. locked*."""
    return variant.provenance.notes.get("style") == "shorthand"


def _without_verb(parsed: Parsed) -> int:
    """Sentences without a finite verb."""
    finite = {t.sentence for t in parsed.tokens if is_finite(t)}
    return sum(place not in finite for place in range(len(parsed.sentences)))


def _disagreeing(parsed: Parsed) -> int:
    """Verbs with -s whose subject is *they*, *we* or *you*."""
    verbs = [t for t in parsed.tokens if t.tag == "VBZ"]
    return sum((found := subject(parsed, verb)) is not None and found.lower in _PLURAL for verb in verbs)


def _dangling(parsed: Parsed) -> int:
    """Prepositions before a mark that have lost their noun."""
    tokens = parsed.tokens
    return sum(
        t.dep == "prep"
        and t.pos == "ADP"
        and not t.children
        and (t.i + 1 == len(tokens) or tokens[t.i + 1].pos == "PUNCT")
        for t in tokens
    )


def _unbalanced(parsed: Parsed) -> int:
    text = parsed.text
    pairs = (("(", ")"), ("[", "]"), ("“", "”"))
    return sum(text.count(a) != text.count(b) for a, b in pairs) + text.count('"') % 2


def _stray_marks(parsed: Parsed) -> int:
    return len(_ODD_MARKS.findall(parsed.text))


def _doubled_words(parsed: Parsed) -> int:
    return len(_TWICE.findall(parsed.text))


_FAULTS: Sequence[tuple[str, Callable[[Parsed], int]]] = (
    ("a sentence lost its verb", _without_verb),
    ("a verb disagrees with its subject", _disagreeing),
    ("a preposition lost its noun", _dangling),
    ("brackets or quotes are cut", _unbalanced),
    ("marks without words between them", _stray_marks),
    ("a word stands twice", _doubled_words),
)
