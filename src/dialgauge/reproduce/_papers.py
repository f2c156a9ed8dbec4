"""The papers whose tables dialgauge recomputes: each is one module with ``recompute(data, progress)``."""

from importlib import import_module
from pathlib import Path
from typing import cast

from dialgauge.errors import UnknownNameError
from dialgauge.progress import Progress
from dialgauge.reproduce._printed import PaperCheck

#: The name on the command line and the module that answers to it; loaded when it is asked for.
PAPERS = {
    "re-dialsummeval": "_re_dialsummeval",
    "csds-repro": "_csds",
    "psentscore": "_psentscore",
}


def recompute_paper(name: str, data: Path | str, progress: Progress = lambda what, done, total: None) -> PaperCheck:
    """Recompute every table of a paper from the raw data in ``data`` (its folder, or the folder that holds it)."""
    if name not in PAPERS:
        raise UnknownNameError("paper", name, PAPERS)
    module = import_module(f"dialgauge.reproduce.{PAPERS[name]}")
    return cast(PaperCheck, module.recompute(Path(data), progress))
