"""The stage of a study that measures whether the feelings of the dialogues survive in the summaries."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.affect import psent_score, shares_frame, tagger
from dialgauge.files import write_text
from dialgauge.report import AffectData
from dialgauge.study._context import Context
from dialgauge.study._sections import AffectSection
from dialgauge.study._specs import Specs, tagger_spec

SCORES, SHARES, MADE_BY = "psentscore.parquet", "psent.parquet", "psentscore.json"


@dataclass(frozen=True, slots=True)
class AffectStage:
    """The stage, of a run under way."""

    context: Context
    wanted: AffectSection

    @property
    def _tagger(self) -> Specs:
        return tagger_spec(self.wanted.tagger, self.context.home)

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        settings, spec = self.context.settings, self._tagger
        correlation = settings.correlation.model_dump(include={"resamples", "confidence"})
        made_by = spec.text(tagger(*spec.full).signature)
        made = self.wanted.model_dump() | correlation | {"seed": settings.study.seed, "made_by": made_by}
        self.context.ledger.run("affect", made, ["corpus"], [SCORES, SHARES, MADE_BY], self._make)
        return ["affect"]

    def _make(self) -> dict[str, Any]:
        context, wanted, spec = self.context, self.wanted, self._tagger
        corpus, correlation = context.corpus, context.settings.correlation
        chosen = tagger(*spec.full)
        sides: list[str | None] = [None, *wanted.roles]
        tables = []
        signature = ""
        for done, side in enumerate(sides):
            context.progress(f"affect{'' if side is None else f' of {side}'}", done, len(sides))
            found = psent_score(
                corpus,
                chosen,
                denominator=wanted.denominator,
                role=side,
                draws=max(1, correlation.resamples),
                level=correlation.confidence,
                seed=context.settings.study.seed,
            )
            tables.append(found.frame.with_columns(pl.lit(side or "").alias("side")))
            signature = signature or spec.text(found.signature)
        context.write(SCORES, pl.concat(tables))
        context.write(SHARES, shares_frame(corpus, chosen))
        write_text(context.folder / MADE_BY, json.dumps({"signature": signature}, indent=2) + "\n")
        return {"signature": signature}


def affect_results(folder: Path) -> AffectData:
    """What the report shows of this stage, from the folder of a run."""
    return AffectData(
        scores=pl.read_parquet(folder / SCORES),
        shares=pl.read_parquet(folder / SHARES),
        signature=json.loads((folder / MADE_BY).read_text("utf-8"))["signature"],
    )
