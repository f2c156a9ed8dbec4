"""Whether summaries preserve the affect of the dialogues."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.affect import TAGGERS, AffectSettings, parse_spec, psent_score, shares_frame, tagger
from dialgauge.settings import Several, setting
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._specs import Specs, tagger_spec
from dialgauge.study._stage import GivenPath, Section, Stage, TableKind
from dialgauge.study._study_file import StudyFile

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

SCORES, SHARES, MADE_BY = "psentscore.parquet", "psent.parquet", "psentscore.json"
_NEEDS = "[affect] in the study file"


class AffectSection(AffectSettings):
    """``[affect]``: whether summaries preserve sentiment, by which tagger, and for which roles.

    Without ``resamples`` and ``confidence``, intervals are made as ``[correlation]`` says.
    """

    roles: Several[str] = setting((), "Role to measure separately as well.", flag="--role")


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
        spec, wanted = _tagger(context), context.section(AffectSection)
        made_by = spec.text(tagger(*spec.full).signature)
        return _asked(context).model_dump(mode="json") | {"roles": list(wanted.roles), "made_by": made_by}

    def make(self, context: Context) -> Mapping[str, Any]:
        wanted, asked, spec = context.section(AffectSection), _asked(context), _tagger(context)
        chosen = tagger(*spec.full)
        sides: list[str | None] = [None, *wanted.roles]
        tables = []
        signature = ""
        for done, side in enumerate(sides):
            context.progress(f"affect{'' if side is None else f' of {side}'}", done, len(sides))
            found = psent_score(context.corpus, chosen, asked, role=side)
            tables.append(found.frame.with_columns(pl.lit(side or "").alias("side")))
            signature = signature or spec.text(found.signature)
        context.write(SCORES, pl.concat(tables))
        context.write(SHARES, shares_frame(context.corpus, chosen, denominator=asked.denominator, tags=asked.tags))
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


def _asked(context: Context) -> AffectSettings:
    return context.asked(AffectSettings, context.section(AffectSection))


def _tagger(context: Context) -> Specs:
    return tagger_spec(context.section(AffectSection).tagger, context.home)
