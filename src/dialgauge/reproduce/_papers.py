"""The papers whose tables dialgauge recomputes, found by name."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from dialgauge.errors import InputError
from dialgauge.progress import Progress
from dialgauge.registry import Registry
from dialgauge.reproduce._printed import PaperCheck


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

    @property
    def description(self) -> str:
        """The title, which listings show."""
        return self.title


PAPERS = Registry("paper", Paper, attrgetter("recompute"), hint="'dialgauge paper' lists them")
find_paper = PAPERS.find
all_papers = PAPERS.all


def recompute_paper(
    name: str, data: Path | str | None = None, progress: Progress = lambda what, done, total: None
) -> PaperCheck:
    """Recompute every table of a paper that can be recomputed from ``data``: what :attr:`Paper.needs` says."""
    paper = find_paper(name)
    chosen = paper.default if data is None else str(data)
    if chosen is None:
        raise InputError(f"paper {name!r}: the data are missing; give {paper.needs}")
    return paper.recompute(chosen, progress)
