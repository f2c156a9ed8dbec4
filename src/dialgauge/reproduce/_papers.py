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
    ``compare_print`` is what can be said where no data are given, None if nothing can.
    """

    name: str
    title: str
    needs: str
    printed: str
    recompute: Callable[[str, Progress], PaperCheck]
    compare_print: Callable[[], PaperCheck] | None = None

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
    """Recompute every table of a paper that can be recomputed from ``data``: what :attr:`Paper.needs` says.

    Without data, the printed numbers are compared with each other, where the paper has enough of them for that.
    """
    paper = find_paper(name)
    if data is not None:
        return paper.recompute(str(data), progress)
    if paper.compare_print is None:
        raise InputError(f"paper {name!r}: the data are missing; give {paper.needs}")
    return paper.compare_print()
