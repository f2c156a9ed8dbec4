"""What a summarizer declares about itself, what it is given, and what it gives back."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dialgauge.corpus import Dialogue
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metrics import Parameter, quoted
from dialgauge.models import ChatAnswer, ChatBudget, Kind, check_available, model_signature

#: How a parameter names a text that lies in a file.
FILE = "file:"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one dialogue: a text, or the reason why there is none; and what a reader of it should know."""

    text: str | None
    note: str = ""
    reason: str = ""


@dataclass(slots=True)
class ChatUsage:
    """What chat endpoints were asked. ``calls`` counts answers that were paid for, ``cached`` those that were not."""

    calls: int = 0
    cached: int = 0
    tokens: int = 0

    def add(self, answer: ChatAnswer) -> None:
        """Count an answer."""
        self.calls += not answer.cached
        self.cached += answer.cached
        self.tokens += 0 if answer.cached else answer.tokens


@dataclass(frozen=True, slots=True)
class Means:
    """With what the work is done; none of it changes what is written, so none of it is in a signature.

    ``batch_tokens`` bounds a batch of a model (default: what suits the device), ``parallel`` the questions that an
    endpoint is asked at a time, ``budget`` what all of them may cost together. ``usage`` is counted up as they answer.
    """

    batch_tokens: int | None = None
    parallel: int = 4
    budget: ChatBudget = field(default_factory=ChatBudget)
    usage: ChatUsage = field(default_factory=ChatUsage)


@dataclass(frozen=True, slots=True)
class Task:
    """Distinct dialogues to summarize, all for one role.

    Each has words, and for a role other than ``overall`` a turn of it. ``references`` holds, for each dialogue, the
    reference summaries of this role (an empty tuple where there are none).
    """

    dialogues: Sequence[Dialogue]
    role: str
    references: Sequence[tuple[str, ...]]
    means: Means = field(default_factory=Means)


#: Gives the outcome of each dialogue under its position, in any order, as soon as it is there.
Compute = Callable[[Task, Mapping[str, str]], Iterator[tuple[int, Outcome]]]


@dataclass(frozen=True, slots=True)
class Summarizer:
    """A way to write summaries, declared.

    ``compute`` maps a task and parameter values to outcomes, one by one, so that what is done is kept when the work
    stops half-way. ``reads_references`` is true of an oracle. ``models`` maps each parameter that names a model to the
    kind of that model, ``files`` lists parameters that may name a file (``file:PATH``), whose content is then part of
    the signature. ``version`` goes up whenever a text can change.
    """

    name: str
    description: str
    citation: str
    compute: Compute
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    reads_references: bool = False
    models: Mapping[str, Kind] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    version: str = "1"


@dataclass(frozen=True, slots=True)
class SummarizerRequest:
    """A summarizer with its parameter values, and the name that its summaries get in the corpus."""

    summarizer: Summarizer
    parameters: Mapping[str, str]
    system: str

    @classmethod
    def build(cls, summarizer: Summarizer, given: Mapping[str, str], system: str = "") -> "SummarizerRequest":
        """Check the parameters against what the summarizer declares. The default name is the specification."""
        owner = f"summarizer {summarizer.name!r}"
        for name, value in given.items():
            if name not in summarizer.parameters:
                raise UnknownNameError(f"parameter of {owner}", name, summarizer.parameters)
            summarizer.parameters[name].check(owner, name, value)
        values = {name: given.get(name, parameter.default) for name, parameter in summarizer.parameters.items()}
        return cls(summarizer, values, system or _specification(summarizer, values))

    @property
    def signature(self) -> str:
        """Everything that changes the text, as in ``lead|n:3|units:turns|…|v:1``; models and files by fingerprint."""
        values = dict(self.parameters)
        values |= {name: model_signature(values[name]) for name in self.summarizer.models if values[name]}
        values |= {name: _file_signature(values[name]) for name in self.summarizer.files}
        parts = [*values.items(), ("v", self.summarizer.version)]
        return "|".join([self.summarizer.name, *(f"{name}:{value}" for name, value in parts)])

    def check(self) -> None:
        """Refuse, before any work is done, what cannot work: a model, a package or a file that is not here."""
        for parameter, kind in self.summarizer.models.items():
            check_available(kind, self.parameters[parameter], f"system {self.system!r}", parameter)
        for parameter in self.summarizer.files:
            if self.parameters[parameter].startswith(FILE):
                read_parameter_file(self.summarizer.name, parameter, self.parameters[parameter])


def read_parameter_file(owner: str, parameter: str, value: str) -> str:
    """The text of the file that ``file:PATH`` names."""
    path = Path(value.removeprefix(FILE)).expanduser()
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"summarizer {owner!r}: {parameter}={value}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"summarizer {owner!r}", parameter, "a file of UTF-8 text", value) from error


def _specification(summarizer: Summarizer, values: Mapping[str, str]) -> str:
    """The shortest specification that gives these values."""
    changed = [
        f"{name}={quoted(value)}" for name, value in values.items() if value != summarizer.parameters[name].default
    ]
    return f"{summarizer.name}:{','.join(changed)}" if changed else summarizer.name


def _file_signature(value: str) -> str:
    if not value.startswith(FILE):
        return value
    path = Path(value.removeprefix(FILE)).expanduser()
    return f"{FILE}{path.name}#{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
