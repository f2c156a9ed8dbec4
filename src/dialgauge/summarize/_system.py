"""The declaration of a summarizer, its tasks and its results."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dialgauge.corpus import Dialogue
from dialgauge.errors import InputError, ParameterError
from dialgauge.metrics import Parameter, signed_values
from dialgauge.models import ChatAnswer, ChatBudget, ChatUsage, Kind, check_available, model_signature
from dialgauge.registry import all_values, specification
from dialgauge.summarize._settings import SummarizeSettings

#: How a parameter names a text that lies in a file.
FILE = "file:"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one dialogue: a text, or the reason why there is none; and what a reader of it should know."""

    text: str | None
    note: str = ""
    reason: str = ""


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

    @classmethod
    def of(cls, settings: SummarizeSettings) -> "Means":
        """What these settings allow, of which nothing is used yet."""
        return cls(settings.batch_tokens, settings.parallel, settings.budget())


@dataclass(frozen=True, slots=True)
class Task:
    """Distinct dialogues to summarize, all for one role.

    Each has words, and for a role other than ``overall`` a turn of it. ``references`` holds, for each dialogue, the
    reference summaries of this role (an empty tuple where there are none). ``keep_usage`` writes down what an answer
    took, under the position of its dialogue. ``earlier`` counts the dialogues of the same work that are not among these
    because an earlier run left their texts.
    """

    dialogues: Sequence[Dialogue]
    role: str
    references: Sequence[tuple[str, ...]]
    means: Means = field(default_factory=Means)
    keep_usage: Callable[[int, ChatUsage], None] | None = None
    earlier: int = 0

    def count(self, position: int, answer: ChatAnswer) -> None:
        """Count an answer of an endpoint that the dialogue at this position took; from any thread."""
        self.means.usage.add(answer)
        if self.keep_usage:
            self.keep_usage(position, ChatUsage.of(answer))


#: Gives the outcome of each dialogue under its position, in any order, as soon as it is there.
Compute = Callable[[Task, Mapping[str, str]], Iterator[tuple[int, Outcome]]]


@dataclass(frozen=True, slots=True)
class Summarizer:
    """The declaration of a summarizer.

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
        declared = summarizer.parameters
        values = all_values(f"summarizer {summarizer.name!r}", declared, given)
        return cls(summarizer, values, system or specification(summarizer.name, declared, values))

    @property
    def signature(self) -> str:
        """Everything that changes the text, as in ``lead|n:3|units:turns|…|v:1``; models and files by fingerprint."""
        values = signed_values(self.summarizer.parameters, self.parameters)
        values |= {name: model_signature(values[name]) for name in self.summarizer.models if values[name]}
        values |= {name: _file_signature(self.summarizer.name, name, values[name]) for name in self.summarizer.files}
        parts = [*values.items(), ("v", self.summarizer.version)]
        return "|".join([self.summarizer.name, *(f"{name}:{value}" for name, value in parts)])

    def files(self) -> dict[str, Path]:
        """The files that parameters name, by parameter."""
        given = {name: self.parameters[name] for name in self.summarizer.files}
        return {name: _path(value) for name, value in given.items() if value.startswith(FILE)}

    def check(self) -> None:
        """Refuse, before any work is done, what cannot work: a model, a package or a file that is not here."""
        for parameter, kind in self.summarizer.models.items():
            check_available(kind, self.parameters[parameter], f"system {self.system!r}", parameter)
        for parameter in self.files():
            read_parameter_file(self.summarizer.name, parameter, self.parameters[parameter])


def read_parameter_file(owner: str, parameter: str, value: str) -> str:
    """The text of the file that ``file:PATH`` names."""
    try:
        return _path(value).read_text(encoding="utf-8")
    except OSError as error:
        raise _unreadable(owner, parameter, value, error) from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"summarizer {owner!r}", parameter, "a file of UTF-8 text", value) from error


def _path(value: str) -> Path:
    return Path(value.removeprefix(FILE)).expanduser()


def _file_signature(owner: str, parameter: str, value: str) -> str:
    if not value.startswith(FILE):
        return value
    path = _path(value)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _unreadable(owner, parameter, value, error) from error
    return f"{FILE}{path.name}#{hashlib.sha256(content).hexdigest()[:12]}"


def _unreadable(owner: str, parameter: str, value: str, error: OSError) -> InputError:
    return InputError(f"summarizer {owner!r}: {parameter}={value}: {error.strerror or error}")
