"""The stage of a study that holds its ratings against those of the study that it repeats."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import Corpus, open_corpus, source_folder
from dialgauge.errors import InputError
from dialgauge.files import atomic_file, write_text
from dialgauge.progress import Progress
from dialgauge.ratings import find_scale
from dialgauge.report import ReproductionData
from dialgauge.reproduce import (
    Comparison,
    ComparisonReport,
    StudyResults,
    check_claims,
    compare,
    comparison_json,
    is_printed_table,
    rated_results,
    read_claims,
    read_printed,
)
from dialgauge.study._counted import sift
from dialgauge.study._file import ReproductionSection, StudyFile
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stages import Ledger, file_digest

RESULTS, FACTS = "reproduction.parquet", "reproduction.json"


@dataclass(frozen=True, slots=True)
class ReproductionStage:
    """What this stage needs of a pipeline. ``home`` is where the paths of the study file start."""

    settings: StudyFile
    wanted: ReproductionSection
    home: Path
    folder: Path
    ledger: Ledger
    progress: Progress
    load_corpus: Callable[[], Corpus]

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        made = self.wanted.model_dump() | {
            "study": self.settings.study.name,
            "ratings": self.settings.ratings.model_dump(),
            "content": [
                self._digest("original", source_folder(self.wanted.original, self.home)),
                self._digest("claims", self.home / self.wanted.claims if self.wanted.claims else None),
            ],
        }
        self.ledger.run("reproduction", made, ["corpus"], [RESULTS, FACTS], self._make)
        return ["reproduction"]

    def _digest(self, key: str, path: Path | None) -> str | None:
        """Of what a key leads to; None for no file and for the embedded corpus, which is part of the code."""
        if path is not None and not path.exists():
            raise InputError(f"reproduction.{key}: {path} does not exist (paths are relative to the study file)")
        return None if path is None else file_digest(path)

    def _make(self) -> dict[str, Any]:
        self.progress("comparing with the original", 0, 1)
        studies = [self._original(), self._repeated()]
        comparison = compare(studies)
        claims = None if self.wanted.claims is None else read_claims(self.home / self.wanted.claims)
        report = ComparisonReport(comparison, None if claims is None else check_claims(claims, studies))
        with atomic_file(self.folder / RESULTS) as temporary:
            side_by_side(comparison).write_parquet(temporary)
        facts = json.dumps(comparison_json(report), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(self.folder / FACTS, facts + "\n")
        return {"original": studies[0].name}

    def _original(self) -> StudyResults:
        wanted = self.wanted
        name, path = wanted.name or Path(wanted.original).stem, source_folder(wanted.original, self.home)
        if name == self.settings.study.name:
            raise InputError(f"reproduction.name: the original must not be called {name!r} like the study itself")
        if path is not None and is_printed_table(path):
            results = read_printed(path, name=name)
            results = results.with_scale(wanted.scale) if wanted.scale else results
            results = results.normalised() if wanted.normalise else results
        else:
            corpus = open_corpus(wanted.original, home=self.home)
            if corpus.ratings.is_empty():
                raise InputError(
                    f"reproduction.original: {wanted.original} holds no ratings and is no table of results"
                )
            results = self._rated(corpus.ratings, name, wanted.method or self.settings.ratings.aggregate)
            results = replace(results, notes=(*results.notes, *_left_out(corpus)))
        return results if wanted.agreement is None else results.with_agreement(wanted.agreement)

    def _repeated(self) -> StudyResults:
        """The results of the study itself, from its ratings as ``[ratings]`` says they are treated."""
        wanted, ratings = self.settings.ratings, self.load_corpus().ratings
        if ratings.is_empty():
            raise InputError("reproduction: the corpus of this study has no ratings to hold against the original's")
        if wanted.dimensions is not None:
            ratings = ratings.filter(pl.col("dimension").is_in(wanted.dimensions))
        found = self._rated(ratings, self.settings.study.name, wanted.aggregate)
        if wanted.clean == "none":
            return found
        # Results are those of what is left; agreement is that of people as they rated.
        counted = sift(ratings, "drop", wanted.clean).counted
        results = self._rated(counted, self.settings.study.name, wanted.aggregate)
        return replace(results, agreement=found.agreement, invalid=found.invalid)

    def _rated(self, ratings: pl.DataFrame, name: str, method: str) -> StudyResults:
        if self.wanted.scale is not None:
            ratings = ratings.with_columns(pl.col("scale").fill_null(find_scale(self.wanted.scale).name))
        return rated_results(ratings, name, method=method, normalised=self.wanted.normalise)


def _left_out(corpus: Corpus) -> list[str]:
    count = len(corpus.problems)
    return [f"{count} {'row' if count == 1 else 'rows'} of its file could not be used"] if count else []


def side_by_side(comparison: Comparison) -> pl.DataFrame:
    """A row per dimension, role and system of two studies: both results, their difference, CV* with the range that
    rounding leaves, and both ranks; ``rank_change`` is above 0 where a system came out better than in the original."""
    value, rank = pl.col("values").list, pl.col("ranks").list
    return comparison.cells.join(
        comparison.ranks, on=["dimension", "role", "system"], how="left", maintain_order="left"
    ).select(
        "dimension",
        "role",
        "system",
        value.get(0).alias("original"),
        value.get(1).alias("reproduction"),
        (value.get(1) - value.get(0)).alias("difference"),
        "cv_star",
        pl.col("low").alias("cv_star_low"),
        pl.col("high").alias("cv_star_high"),
        rank.get(0).alias("rank_original"),
        rank.get(1).alias("rank_reproduction"),
        (rank.get(0) - rank.get(1)).alias("rank_change"),
        "note",
    )


def reproduction_results(run: FinishedRun) -> ReproductionData:
    """What the report shows of this stage, from the folder of a run."""
    table, facts = run.table(RESULTS.removesuffix(".parquet")), run.document(FACTS)
    assert table is not None
    return ReproductionData(table, facts)
