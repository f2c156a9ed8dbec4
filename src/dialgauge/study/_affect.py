"""The stage of a study that measures whether the feelings of the dialogues survive in the summaries."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.affect import psent_score, shares_frame, tagger
from dialgauge.corpus import Corpus
from dialgauge.files import atomic_file, write_text
from dialgauge.progress import Progress
from dialgauge.report import AffectData
from dialgauge.study._file import AffectSection, StudyFile
from dialgauge.study._stages import Ledger

SCORES, SHARES, MADE_BY = "psentscore.parquet", "psent.parquet", "psentscore.json"


@dataclass(frozen=True, slots=True)
class AffectStage:
    """What this stage needs of a pipeline."""

    settings: StudyFile
    wanted: AffectSection
    folder: Path
    ledger: Ledger
    progress: Progress
    load_corpus: Callable[[], Corpus]

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        chosen = tagger(self.wanted.tagger)
        correlation = self.settings.correlation.model_dump(include={"resamples", "confidence"})
        made = self.wanted.model_dump() | correlation | {"seed": self.settings.study.seed, "made_by": chosen.signature}
        self.ledger.run("affect", made, ["corpus"], [SCORES, SHARES, MADE_BY], self._make)
        return ["affect"]

    def _make(self) -> dict[str, Any]:
        corpus, wanted, correlation = self.load_corpus(), self.wanted, self.settings.correlation
        chosen = tagger(wanted.tagger)
        sides: list[str | None] = [None, *wanted.roles]
        tables = []
        signature = ""
        for done, side in enumerate(sides):
            self.progress(f"affect{'' if side is None else f' of {side}'}", done, len(sides))
            found = psent_score(
                corpus,
                chosen,
                denominator=wanted.denominator,
                role=side,
                draws=max(1, correlation.resamples),
                level=correlation.confidence,
                seed=self.settings.study.seed,
            )
            tables.append(found.frame.with_columns(pl.lit(side or "").alias("side")))
            signature = signature or found.signature
        for name, frame in ((SCORES, pl.concat(tables)), (SHARES, shares_frame(corpus, chosen))):
            with atomic_file(self.folder / name) as temporary:
                frame.write_parquet(temporary)
        write_text(self.folder / MADE_BY, json.dumps({"signature": signature}, indent=2) + "\n")
        return {"signature": signature}


def affect_results(folder: Path) -> AffectData:
    """What the report shows of this stage, from the folder of a run."""
    return AffectData(
        scores=pl.read_parquet(folder / SCORES),
        shares=pl.read_parquet(folder / SHARES),
        signature=json.loads((folder / MADE_BY).read_text("utf-8"))["signature"],
    )
