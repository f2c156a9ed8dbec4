"""A whole stage of a study in one module: how much of each summary repeats itself."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

import polars as pl
from pydantic import Field

from dialgauge.report import Panel, plain_panel
from dialgauge.study import Context, FinishedRun, Section, SectionModel, Stage, StudyFile, TableKind
from dialgauge.tables import Table, listing, number_cell


class RepetitionSection(SectionModel):
    """``[repetition]``: sequences of so many ``words`` count as repeated where a summary has them twice."""

    words: Annotated[int, Field(ge=1, le=10)] = 2


def repetition_table(run: FinishedRun, *, digits: int = 3) -> Table:
    """The mean of each system, the most repetitive first: for papers and for the report."""
    shares = run.needed_table("repetition", "[repetition] in the study file")
    means = (
        shares.group_by("system").agg(pl.col("repeated").mean()).sort("repeated", "system", descending=[True, False])
    )
    rows = [(system, number_cell(mean, digits)) for system, mean in means.iter_rows()]
    return listing("repetition", ["system", "repeated"], rows, numeric=["repeated"], kind="repetition")


class RepetitionStage(Stage):
    """Writes the share of repeated sequences in each summary."""

    name = "repetition"
    sections = (Section("repetition", RepetitionSection, "optional"),)
    inputs = ("corpus",)
    outputs = ("repetition.parquet",)
    tables = (TableKind("repetition", repetition_table, ("digits",)),)

    def make(self, context: Context) -> Mapping[str, object]:
        words = context.section(RepetitionSection).words
        summaries = context.corpus.summaries.select("dialogue_id", "system", "variant", "role", "text")
        repeated = [repeated_share(text.split(), words) for text in summaries["text"]]
        context.write("repetition.parquet", summaries.drop("text").with_columns(repeated=pl.Series(repeated)))
        return {"summaries": len(repeated)}

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        return {"repetition": f"sequences of {settings.section(RepetitionSection).words} words"}

    def panel(self, run: FinishedRun) -> Panel:
        table = repetition_table(run)
        first = f"{table.rows[0].name} repeats itself most."
        return plain_panel("repetition", "Repetition", "Who repeats themselves?", sentences=[first], tables=[table])


def repeated_share(words: list[str], length: int) -> float:
    """The share of the sequences of this length that a text has more than once."""
    sequences = Counter(tuple(words[start : start + length]) for start in range(len(words) - length + 1))
    return sum(count for count in sequences.values() if count > 1) / max(1, sequences.total())


REPETITION = RepetitionStage()
