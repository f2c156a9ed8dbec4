"""The stage of a study that holds its ratings against those of the study that it repeats."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import open_corpus, source_folder
from dialgauge.errors import DialgaugeError, InputError, counted
from dialgauge.files import write_text
from dialgauge.ratings import with_default_scale
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
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._sections import ReproductionSection
from dialgauge.study._sifted_ratings import sift
from dialgauge.study._stages import file_digest

RESULTS, FACTS = "reproduction.parquet", "reproduction.json"


@dataclass(frozen=True, slots=True)
class ReproductionStage:
    """The stage, of a run under way."""

    context: Context
    wanted: ReproductionSection

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        made = self.wanted.model_dump() | {
            "study": self.context.settings.study.name,
            "ratings": self.context.settings.ratings.model_dump(),
            "content": [
                self._digest("original", source_folder(self.wanted.original, self.context.home)),
                self._digest("claims", self.context.home / self.wanted.claims if self.wanted.claims else None),
            ],
        }
        self.context.ledger.run("reproduction", made, ["corpus"], [RESULTS, FACTS], self._make)
        return ["reproduction"]

    def _digest(self, key: str, path: Path | None) -> str | None:
        """Of what a key leads to; None for no file and for the embedded corpus, which is part of the code."""
        if path is not None and not path.exists():
            raise InputError(f"reproduction.{key}: {path} does not exist (paths are relative to the study file)")
        return None if path is None else file_digest(path)

    def _make(self) -> dict[str, Any]:
        self.context.progress("comparing with the original", 0, 1)
        studies = [self._original(), self._repeated()]
        with _named("reproduction"):
            comparison = compare(studies)
        conclusions = None
        if self.wanted.claims is not None:
            with _named("reproduction.claims"):
                conclusions = check_claims(read_claims(self.context.home / self.wanted.claims), studies)
        report = ComparisonReport(comparison, conclusions)
        self.context.write(RESULTS, side_by_side(comparison))
        facts = json.dumps(comparison_json(report), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(self.context.folder / FACTS, facts + "\n")
        return {"original": studies[0].name}

    def _original(self) -> StudyResults:
        wanted = self.wanted
        name = wanted.name or Path(wanted.original).stem
        if name == self.context.settings.study.name:
            raise InputError(f"reproduction.name: the original must not be called {name!r} like the study itself")
        with _named("reproduction.original"):
            results = self._results_of_original(name, source_folder(wanted.original, self.context.home))
        return results if wanted.agreement is None else results.with_agreement(wanted.agreement)

    def _results_of_original(self, name: str, path: Path | None) -> StudyResults:
        """As printed, or from its ratings; None is the path of the embedded corpus."""
        wanted = self.wanted
        if path is not None and is_printed_table(path):
            return read_printed(path, name=name, scale=wanted.scale, normalised=wanted.normalise)
        if path is not None and (path / "corpus" / "corpus.toml").is_file():
            raise InputError(f'{wanted.original} is the folder of a run; its ratings are in "{wanted.original}/corpus"')
        corpus = open_corpus(wanted.original, home=self.context.home)
        if corpus.ratings.is_empty():
            raise InputError(f"{wanted.original} holds no ratings and is no table of results")
        ratings = with_default_scale(corpus.ratings, wanted.scale)
        method = wanted.method or self.context.settings.ratings.aggregate
        results = rated_results(ratings, name, aggregate=method, normalised=wanted.normalise)
        if not corpus.problems:
            return results
        left_out = f"{counted(len(corpus.problems), 'row')} of its file could not be used"
        return replace(results, notes=(*results.notes, left_out))

    def _repeated(self) -> StudyResults:
        """The results of the study itself, from its ratings as ``[ratings]`` says they are treated."""
        wanted, ratings = self.context.settings.ratings, self.context.corpus.ratings
        if ratings.is_empty():
            raise InputError("reproduction: the corpus of this study has no ratings to hold against the original's")
        if wanted.dimensions is not None:
            ratings = ratings.filter(pl.col("dimension").is_in(wanted.dimensions))
        ratings = with_default_scale(ratings, self.wanted.scale)
        sifted = sift(ratings, wanted.on_invalid, wanted.clean)
        found = self._rated(ratings)
        if wanted.clean == "none":
            return found
        # Results are those of what is left; agreement is that of people as they rated.
        return replace(self._rated(sifted.counted), agreement=found.agreement, invalid=found.invalid)

    def _rated(self, ratings: pl.DataFrame) -> StudyResults:
        wanted = self.context.settings.ratings
        with _named("reproduction"):
            return rated_results(
                ratings,
                self.context.settings.study.name,
                aggregate=wanted.aggregate,
                normalised=self.wanted.normalise,
                on_invalid=wanted.on_invalid,
            )


@contextmanager
def _named(key: str) -> Iterator[None]:
    """Name the key of the study file in errors about what it leads to."""
    try:
        yield
    except DialgaugeError as error:
        raise InputError(f"{key}: {error}") from error


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
