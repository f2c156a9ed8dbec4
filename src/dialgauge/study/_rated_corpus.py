"""A further rated corpus by what stands for it: a finished run, or ``CORPUS=SCORES``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dialgauge.corpus import open_corpus, source_folder
from dialgauge.errors import InputError
from dialgauge.metrics import Scores
from dialgauge.study._digest import file_digest
from dialgauge.study._finished import FinishedRun

if TYPE_CHECKING:
    from dialgauge.learn import RatedCorpus


def rated_corpus(given: str, home: Path | None = None) -> "RatedCorpus":
    """The corpus and scores of a finished run, or of a corpus and a file of its scores, as in ``b.jsonl=b.parquet``."""
    from dialgauge.learn import RatedCorpus

    source, scores = parted(given)
    base = home or Path()
    if not scores:
        run = FinishedRun.open(base / source)
        return RatedCorpus(run.name, run.corpus, run.scores)
    return RatedCorpus(Path(source).stem, open_corpus(source, home=home), Scores.load(base / scores))


def parted(given: str) -> tuple[str, str]:
    """The corpus and its scores; the second is empty for a run."""
    source, mark, scores = given.rpartition("=")
    if not mark:
        return given, ""
    if not source or not scores:
        raise InputError(f"write the folder of a finished run, or CORPUS=SCORES as in b.jsonl=b.parquet; got {given!r}")
    return source, scores


def rated_paths(given: str, home: Path) -> Iterator[Path]:
    """The files that it leads to."""
    source, scores = parted(given)
    if not scores:
        yield home / source
        return
    folder = source_folder(source, home)
    if folder is not None:
        yield folder
    yield home / scores


def rated_digest(given: str, home: Path) -> list[str]:
    """Of what it leads to, without the times of a run."""
    source, scores = parted(given)
    if scores:
        return [file_digest(path) for path in rated_paths(given, home)]
    run = FinishedRun.open(home / source)
    return [str(run.stage(name)["outputs"]) for name in ("corpus", "scores")]
