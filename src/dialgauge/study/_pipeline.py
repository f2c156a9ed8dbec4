"""A run of a study: each stage that it asks for, after its inputs, unless it was done before."""

import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dialgauge.errors import DialgaugeError
from dialgauge.metrics import kernel_name
from dialgauge.progress import Progress
from dialgauge.study._code import code_digest
from dialgauge.study._context import Context
from dialgauge.study._graph import all_stages, run_order
from dialgauge.study._ledger import Ledger
from dialgauge.study._shown import versions
from dialgauge.study._stage import ALL, Stage
from dialgauge.study._study_file import StudyFile


def run_stages(settings: StudyFile, home: Path, folder: Path, progress: Progress | None) -> Ledger:
    """Run every stage that is not done yet into ``folder``; gives the ledger, which says what was done.

    ``home`` is where the paths of the study file start.
    """
    ledger = Ledger.open(folder, _head(settings))
    context = Context(settings, home.absolute(), folder, progress or _silent, ledger.manifest, ledger.done)
    stages = [stage for stage in run_order(all_stages()) if stage.asked(settings)]
    for stage in stages:
        if stage.needs_ratings and context.corpus.ratings.is_empty():
            continue
        if stage.needs_judgements and (context.policy.dimensions == () or context.judged.ratings.is_empty()):
            continue
        _run(stage, context, ledger)
        if stage.name == "corpus":
            for other in stages:
                other.check(context)
    return ledger


def _run(stage: Stage, context: Context, ledger: Ledger) -> None:
    inputs = [name for name in (ledger.done if ALL in stage.inputs else stage.inputs) if name in ledger.done]
    code = code_digest(stage, context)
    try:
        ledger.run(stage.name, stage.settings(context), inputs, stage.files(context), code, lambda: stage.make(context))
    except MemoryError as error:
        raise DialgaugeError(
            f"stage {stage.name}: not enough memory ({error or 'no more was given'}). Ask for fewer metrics or "
            "resamples, or run it where there is more; finished stages are kept: the same command resumes after them"
        ) from error


def _head(settings: StudyFile) -> dict[str, Any]:
    return {
        "study": settings.study.name,
        "seed": settings.study.seed,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(settings),
        "kernels": kernel_name(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _silent(what: str, done: int, total: int) -> None:
    pass
