"""A study that repeats another one: its ratings beside those of the original."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
from pydantic import Field, field_validator

from dialgauge.corpus import open_corpus, source_folder
from dialgauge.errors import DialgaugeError, InputError, counted
from dialgauge.files import write_text
from dialgauge.ratings import JudgementSettings, RatingPolicy, treat_ratings, with_default_scale
from dialgauge.reproduce import (
    Comparison,
    ComparisonReport,
    ComparisonSettings,
    StudyResults,
    check_claims,
    comparable_ratings,
    compare,
    compare_systems,
    comparison_json,
    is_printed_table,
    rated_results,
    read_claims,
    read_printed,
    system_pairs,
)
from dialgauge.settings import refusing
from dialgauge.study._context import Context
from dialgauge.study._digest import file_digest
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import GivenPath, Section, Stage, TableKind, check_path
from dialgauge.study._study_file import SectionModel, StudyFile

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

RESULTS, FACTS = "reproduction.parquet", "reproduction.json"
_NEEDS = "[reproduction] in the study file"


class ReproductionSection(SectionModel):
    """``[reproduction]``: the study that this one repeats. Its results are compared with the ratings of this study.

    ``original`` is a CSV table of results (system, dimension, value and optionally role, n, scale) or a corpus with
    ratings, as ``dialgauge compare`` takes them; ``name`` is what the page calls it. ``claims`` is a TOML file of what
    it concluded. ``scale`` is that of results that name none, ``normalise`` brings both studies to 0–1, ``method``
    merges ratings of the original (default: as in ``[ratings]``), ``agreement`` is what the original reports.
    ``over_correction = false`` leaves out CV*'s factor 1 + 1/(4n), as recent tables do. ``tests`` names pairs of
    systems to test within each study that has ratings (``["A,B"]``, or ``["all"]``).
    """

    original: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(min_length=1)] | None = None
    claims: Annotated[str, Field(min_length=1)] | None = None
    scale: str | None = None
    normalise: bool = False
    method: str | None = None
    agreement: Annotated[float, Field(ge=-1, le=1)] | None = None
    over_correction: bool = True
    tests: list[str] = Field(default_factory=list)

    @field_validator("tests")
    @classmethod
    def _pairs_of_systems(cls, tests: list[str]) -> list[str]:
        with refusing():
            system_pairs(tests)
        return tests

    @field_validator("scale")
    @classmethod
    def _known_scale(cls, name: str | None) -> str | None:
        with refusing():
            return RatingPolicy(scale=name).scale

    @field_validator("method")
    @classmethod
    def _known_method(cls, method: str | None) -> str | None:
        with refusing():
            return method and RatingPolicy(aggregate=method).aggregate


def _table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import reproduction_table

    found = run.needed_table("reproduction", _NEEDS)
    first, second = (study["name"] for study in run.document(FACTS)["studies"])
    return reproduction_table(found, (first, second), **options)


class ReproductionStage(Stage):
    """Compares the results of this study with those of the original. It needs no score, so it runs early."""

    name = "reproduction"
    sections = (Section("reproduction", ReproductionSection, "optional"),)
    outputs = (RESULTS, FACTS)
    tables = (TableKind("reproduction", _table),)
    quick = True

    def settings(self, context: Context) -> Mapping[str, Any]:
        wanted = context.section(ReproductionSection)
        return wanted.model_dump() | {
            "study": context.study.name,
            "conventions": context.asked(ComparisonSettings, wanted).model_dump(mode="json"),
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
            "severities": context.section(JudgementSettings).severities,
            "content": [
                _digest("original", source_folder(wanted.original, context.home)),
                _digest("claims", context.home / wanted.claims if wanted.claims else None),
            ],
        }

    def make(self, context: Context) -> Mapping[str, Any]:
        context.progress("comparing with the original", 0, 1)
        wanted = context.section(ReproductionSection)
        studies = [_original(context), _repeated(context)]
        with _named("reproduction"):
            comparison = compare(studies, context.asked(ComparisonSettings, wanted))
            pairs = system_pairs(wanted.tests)
            rated = [study for study in studies if study.summaries is not None] if wanted.tests else []
            tested = [compare_systems(study, pairs, seed=context.study.seed) for study in rated]
        conclusions = None
        if wanted.claims is not None:
            with _named("reproduction.claims"):
                conclusions = check_claims(read_claims(context.home / wanted.claims), studies)
        report = ComparisonReport(comparison, conclusions, tested)
        context.write(RESULTS, side_by_side(comparison))
        facts = json.dumps(comparison_json(report), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(context.folder / FACTS, facts + "\n")
        return {"original": studies[0].name}

    def paths(self, settings: StudyFile, home: Path) -> Iterator[GivenPath]:
        wanted = settings.section(ReproductionSection)
        if wanted.original != "embedded" and not wanted.original.startswith("dataset:"):
            yield ("reproduction", "original"), wanted.original, home / wanted.original
        if wanted.claims is not None:
            yield ("reproduction", "claims"), wanted.claims, home / wanted.claims

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        wanted = settings.section(ReproductionSection)
        merged = f"single ratings aggregated by {wanted.method or settings.section(RatingPolicy).aggregate}"
        scales = "both studies normalized to 0–1" if wanted.normalise else "values as they are"
        return {"reproduction": f"original {wanted.original}; {merged}; {scales}"}

    def panel(self, run: FinishedRun) -> "Panel":
        from dialgauge.report import reproduction_panel

        return reproduction_panel(run.document(FACTS))


def _digest(key: str, path: Path | None) -> str | None:
    """Of what a key leads to; None for no file and for the embedded corpus, which is part of the code."""
    if path is None:
        return None
    check_path(f"reproduction.{key}", path)
    return file_digest(path)


def _original(context: Context) -> StudyResults:
    wanted = context.section(ReproductionSection)
    name = wanted.name or Path(wanted.original).stem
    if name == context.study.name:
        raise InputError(f"reproduction.name: the original must not have the name of the study itself, {name!r}")
    with _named("reproduction.original"):
        results = _results_of_original(context, name, source_folder(wanted.original, context.home))
    return results if wanted.agreement is None else results.with_agreement(wanted.agreement)


def _results_of_original(context: Context, name: str, path: Path | None) -> StudyResults:
    """As printed, or from its ratings; None is the path of the embedded corpus."""
    wanted = context.section(ReproductionSection)
    if path is not None and is_printed_table(path):
        return read_printed(path, name=name, scale=wanted.scale, normalised=wanted.normalise)
    if path is not None and (path / "corpus" / "corpus.toml").is_file():
        raise InputError(f'{wanted.original} is a run folder; its ratings are in "{wanted.original}/corpus"')
    corpus = open_corpus(wanted.original, home=context.home)
    found = comparable_ratings(corpus, name, judgements=context.section(JudgementSettings))
    ratings = with_default_scale(found.ratings, wanted.scale)
    method = wanted.method or context.section(RatingPolicy).aggregate
    results = found.add_to(rated_results(ratings, name, aggregate=method, normalised=wanted.normalise))
    if not corpus.problems:
        return results
    left_out = f"{counted(len(corpus.problems), 'row')} of its file could not be used"
    return replace(results, notes=(*results.notes, left_out))


def _repeated(context: Context) -> StudyResults:
    """The results of the study itself, from its ratings as ``[ratings]`` says they are treated."""
    asked = context.section(RatingPolicy)
    with _named("reproduction"):
        usable = comparable_ratings(context.corpus, context.study.name, asked, context.section(JudgementSettings))
    ratings = usable.ratings
    if asked.dimensions is not None:
        ratings = ratings.filter(pl.col("dimension").is_in(asked.dimensions))
    ratings = with_default_scale(ratings, context.section(ReproductionSection).scale)
    used = treat_ratings(ratings, asked).counted
    found = usable.add_to(_rated(context, ratings))
    if asked.clean == "none":
        return found
    # Results are those of what is left; agreement is that of people as they rated.
    return replace(usable.add_to(_rated(context, used)), agreement=found.agreement, invalid=found.invalid)


def _rated(context: Context, ratings: pl.DataFrame) -> StudyResults:
    policy = context.section(RatingPolicy).model_copy(update={"dimensions": None})
    with _named("reproduction"):
        normalised = context.section(ReproductionSection).normalise
        return rated_results(ratings, context.study.name, policy, normalised=normalised)


@contextmanager
def _named(key: str) -> Iterator[None]:
    """Name the key of the study file in errors about what it leads to."""
    try:
        yield
    except DialgaugeError as error:
        raise InputError(f"{key}: {error}") from error


def side_by_side(comparison: Comparison) -> pl.DataFrame:
    """A row per dimension, role and system of two studies: both results, their difference, CV* with the range that
    rounding leaves and its interval over dialogues, and both ranks; ``rank_change`` is above 0 where a system came out
    better than in the original."""
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
        "interval_low",
        "interval_high",
        rank.get(0).alias("rank_original"),
        rank.get(1).alias("rank_reproduction"),
        (rank.get(0) - rank.get(1)).alias("rank_change"),
        "note",
    )
