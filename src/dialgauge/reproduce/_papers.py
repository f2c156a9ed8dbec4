"""The papers whose tables dialgauge recomputes, found by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.progress import Progress
from dialgauge.reproduce._printed import PaperCheck

#: The name on the command line and the module that declares the paper; imported when it is asked for.
_MODULES: Mapping[str, str] = {
    "re-dialsummeval": "re_dialsummeval",
    "csds-repro": "csds_repro",
    "psentscore": "psentscore",
    "tweak-to-trust": "tweak_to_trust",
}


@dataclass(frozen=True, slots=True)
class Paper:
    """A published paper: where its printed numbers are, what its tables are recomputed from, and by what.

    ``printed`` names the data file, for :func:`load_printed`. ``needs`` says in words what ``data`` must be;
    ``default`` is what is taken where nothing is given, None if something must be.
    """

    name: str
    title: str
    needs: str
    printed: str
    recompute: Callable[[str, Progress], PaperCheck]
    default: str | None = None


def find_paper(name: str) -> Paper:
    """The paper of this name; an unknown one is an error that offers the nearest."""
    if name not in _MODULES:
        raise UnknownNameError("paper", name, _MODULES)
    return cast(Paper, import_module(f"dialgauge.reproduce.papers.{_MODULES[name]}").PAPER)


def all_papers() -> dict[str, Paper]:
    """Every paper by its name."""
    return {name: find_paper(name) for name in _MODULES}


def recompute_paper(
    name: str, data: Path | str | None = None, progress: Progress = lambda what, done, total: None
) -> PaperCheck:
    """Recompute every table of a paper that can be recomputed from ``data``: what :attr:`Paper.needs` says."""
    paper = find_paper(name)
    chosen = paper.default if data is None else str(data)
    if chosen is None:
        raise InputError(f"paper {name!r}: the data are missing; give {paper.needs}")
    return paper.recompute(chosen, progress)
