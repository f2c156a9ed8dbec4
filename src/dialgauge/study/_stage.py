"""A stage of a study, declared in one place: the pipeline, the study file, the tables and the report all read this."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel

from dialgauge.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.study._context import Context
    from dialgauge.study._finished import FinishedRun
    from dialgauge.study._study_file import StudyFile
    from dialgauge.tables import Table

#: The only input of a stage that comes after all others and depends on each of them.
ALL = "*"


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the study file. ``model`` says what is allowed in it, and is the type by which stages ask for it.

    Where the file has no such table, that is an error (``required``), or all its settings have their defaults
    (``default``), or the section is None (``optional``).
    """

    key: str
    model: type[BaseModel]
    presence: Literal["required", "default", "optional"] = "default"


@dataclass(frozen=True, slots=True)
class TableKind:
    """A kind of table for papers (``dialgauge table RUN --kind NAME``), and the options that ``make`` takes."""

    name: str
    make: "Callable[..., Table]"
    options: tuple[str, ...] = ("digits",)


class WrongKeyError(InputError):
    """What a key of the study file says is wrong, as a stage found out; ``key`` is in dotted form."""

    def __init__(self, key: str, reason: str) -> None:
        self.key = key
        super().__init__(f"{key}: {reason}")


def check_dimensions(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a dimension that nobody rated: a mistake in the study file."""
    for name in names:
        if name not in known:
            raise WrongKeyError(key, str(UnknownNameError("dimension", name, known)))


def check_path(key: str, path: Path) -> None:
    """Refuse a file or folder that is not there."""
    if not path.exists():
        raise WrongKeyError(key, f"{path} does not exist (paths are relative to the study file)")


#: A path in the study file: the key, what stands there, and where it leads.
GivenPath = tuple[tuple[str, str], str, Path]


class Stage:
    """A stage of a study. Subclasses declare ``name``, ``outputs`` and :meth:`make`, and whatever else is not as here.

    ``sections`` are the tables of the study file that belong to this stage; any stage may read the sections of others.
    ``inputs`` are the stages whose results it reads: it runs after them, and again when one of them has changed. Those
    that a study does not ask for are left out. ``outputs`` are the files and folders that it leaves in the folder of
    the run. A stage that ``needs_ratings`` is skipped where the corpus has none, one that ``needs_judgements`` where it
    has no judgements with an order. A ``quick`` stage runs before the others that could run now, so that a mistake is
    found before the long work.
    """

    name: ClassVar[str]
    sections: ClassVar[tuple[Section, ...]] = ()
    inputs: ClassVar[tuple[str, ...]] = ("corpus",)
    outputs: ClassVar[tuple[str, ...]]
    tables: ClassVar[tuple[TableKind, ...]] = ()
    needs_ratings: ClassVar[bool] = False
    needs_judgements: ClassVar[bool] = False
    quick: ClassVar[bool] = False

    def asked(self, settings: "StudyFile") -> bool:
        """Whether the study file asks for this stage: by default, whether it has the stage's optional sections."""
        return all(settings.find(one.model) is not None for one in self.sections if one.presence == "optional")

    def check(self, context: "Context") -> None:
        """Refuse what cannot be done with this corpus, as soon as the corpus is there and before any other work."""

    def settings(self, context: "Context") -> Mapping[str, Any]:
        """All that decides what the stage makes, beside its inputs and its code: it runs again when this changes."""
        found = {one.key: context.settings.find(one.model) for one in self.sections}
        return {key: section.model_dump() for key, section in found.items() if section is not None}

    def files(self, context: "Context") -> list[str]:
        """The outputs of this run: all ``outputs``, where nothing else is declared."""
        return list(self.outputs)

    def make(self, context: "Context") -> Mapping[str, Any] | None:
        """Do the work: write the outputs, and give facts for the manifest (or None)."""
        raise NotImplementedError

    def modules(self, context: "Context") -> Iterable[str]:
        """Modules that decide the result beside those that this one imports: what the study asks for by name."""
        return ()

    def paths(self, settings: "StudyFile", home: Path) -> Iterator[GivenPath]:
        """The paths in the sections of this stage, which start at ``home``; they may not lead out of it."""
        yield from ()

    def extras(self, settings: "StudyFile") -> set[str]:
        """The extras of dialgauge whose packages do work for this stage; the report names their versions."""
        return set()

    def described(self, settings: "StudyFile") -> Mapping[str, str]:
        """What the report says of the settings of this stage: label and value."""
        return {}

    def results(self, run: "FinishedRun") -> Mapping[str, Any]:
        """Fields of :class:`dialgauge.report.ReportData` that come from this stage, for the page as a whole."""
        return {}

    def panel(self, run: "FinishedRun") -> "Panel | None":
        """The section of the report that shows this stage, made from what a finished run left; None for no section."""
        return None
