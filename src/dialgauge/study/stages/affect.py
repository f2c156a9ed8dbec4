"""Whether the feelings of the dialogues survive in the summaries."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
from pydantic import Field, field_validator

from dialgauge.affect import TAGGERS, parse_spec, psent_score, shares_frame, tagger
from dialgauge.metaeval import CorrelationSettings
from dialgauge.settings import refusing
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._specs import Specs, tagger_spec
from dialgauge.study._stage import GivenPath, Section, Stage, TableKind
from dialgauge.study._study_file import SectionModel, StudyFile

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

SCORES, SHARES, MADE_BY = "psentscore.parquet", "psent.parquet", "psentscore.json"
_NEEDS = "[affect] in the study file"


class AffectSection(SectionModel):
    """``[affect]``: whether feelings survive the summaries, by which tagger of words, and for which roles, too."""

    tagger: Annotated[str, Field(min_length=1)] = "vader"
    denominator: Literal["words", "pieces"] = "words"
    roles: list[str] = Field(default_factory=list)

    @field_validator("tagger")
    @classmethod
    def _known(cls, spec: str) -> str:
        with refusing():
            parse_spec(spec)
        return spec


def _table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import affect_table

    return affect_table(run.needed_table("psentscore", _NEEDS), run.scores, **options)


class AffectStage(Stage):
    """Measures PSentScore of all systems, with controls, and the shares of affective words behind it."""

    name = "affect"
    sections = (Section("affect", AffectSection, "optional"),)
    outputs = (SCORES, SHARES, MADE_BY)
    tables = (TableKind("affect", _table, ("metrics", "side", "best", "digits")),)

    def settings(self, context: Context) -> Mapping[str, Any]:
        spec = _tagger(context)
        resampled = context.section(CorrelationSettings).model_dump(include={"resamples", "confidence"})
        made_by = spec.text(tagger(*spec.full).signature)
        asked = context.section(AffectSection).model_dump()
        return asked | resampled | {"seed": context.study.seed, "made_by": made_by}

    def make(self, context: Context) -> Mapping[str, Any]:
        wanted, resampled, spec = context.section(AffectSection), context.section(CorrelationSettings), _tagger(context)
        chosen = tagger(*spec.full)
        sides: list[str | None] = [None, *wanted.roles]
        tables = []
        signature = ""
        for done, side in enumerate(sides):
            context.progress(f"affect{'' if side is None else f' of {side}'}", done, len(sides))
            found = psent_score(
                context.corpus,
                chosen,
                denominator=wanted.denominator,
                role=side,
                draws=max(1, resampled.resamples),
                level=resampled.confidence,
                seed=context.study.seed,
            )
            tables.append(found.frame.with_columns(pl.lit(side or "").alias("side")))
            signature = signature or spec.text(found.signature)
        context.write(SCORES, pl.concat(tables))
        context.write(SHARES, shares_frame(context.corpus, chosen))
        context.write_json(MADE_BY, {"signature": signature})
        return {"signature": signature}

    def paths(self, settings: StudyFile, home: Path) -> Iterator[GivenPath]:
        for place in tagger_spec(settings.section(AffectSection).tagger, home).places:
            yield ("affect", "tagger"), place.written, place.path

    def extras(self, settings: StudyFile) -> set[str]:
        runs_a_model = "device" in TAGGERS[parse_spec(settings.section(AffectSection).tagger)[0]].options
        return {"models"} if runs_a_model else set()

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        wanted = settings.section(AffectSection)
        roles = f"; roles: {', '.join(wanted.roles)}" if wanted.roles else ""
        return {"affect": f"tagger {wanted.tagger}; share of {wanted.denominator}{roles}"}

    def panel(self, run: FinishedRun) -> "Panel":
        from dialgauge.report import AffectData, affect_panel

        scores, shares = (run.needed_table(name, _NEEDS) for name in ("psentscore", "psent"))
        return affect_panel(AffectData(scores, shares, run.document(MADE_BY)["signature"]))


def _tagger(context: Context) -> Specs:
    return tagger_spec(context.section(AffectSection).tagger, context.home)
