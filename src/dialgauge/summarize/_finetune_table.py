"""Table 5 of Zhou, Ringeval and Portet (2024): the effect of training sets on overlap with references and on affect."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.affect import PSentScores, Tagger, psent_score
from dialgauge.corpus import OVERALL, Corpus, Summary, summaries_frame
from dialgauge.errors import InputError, MissingExtraError, ModelError
from dialgauge.metrics import score_pairs
from dialgauge.registry import quoted
from dialgauge.summarize._training_sets import reference_pairs
from dialgauge.tables import Cell, Table, matrix, number_cell, render_table

#: The overlap of stems with each reference, averaged over the references: as in the paper, which triples its test set.
ROUGE = tuple(f"rouge-{kind}:stem=yes,refs=mean" for kind in "12l")
#: The system that stands for people: each reference against the others.
HUMAN = "human"
#: What :func:`dialgauge.affect.psent_score` calls the references.
_REFERENCES = "references"
_RESAMPLES = 1000
_CORNER = ("system", "measure")
_OVERLAP, _AFFECT = ("R1", "R2", "RL", "BERTScore"), ("PSentScore", "PSentScore_P", "PSentScore_N")


@dataclass(frozen=True, slots=True)
class Preserved:
    """PSentScore: how far the share of affective words in summaries follows that in their dialogues.

    A value is None where one side never varies or fewer than three dialogues are left. ``adjusted`` is the variant that
    copying does not win (:func:`dialgauge.affect.psent_score`). ``dialogues`` counts those with such words; the others
    are left out, as in the paper.
    """

    spearman: float | None
    ccc: float | None
    mae: float | None
    adjusted: float | None
    dialogues: int


@dataclass(frozen=True, slots=True)
class AffectDifference:
    """The PSentScore (Spearman) of one system less that of another, by the paired bootstrap over dialogues."""

    one: str
    other: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


def affect_scores(
    test: Corpus,
    outputs: Mapping[str, Mapping[str, str]],
    tagger: Tagger,
    *,
    role: str = OVERALL,
    resamples: int = 0,
) -> PSentScores:
    """PSentScore of what systems wrote, and of the references: ``outputs[system][dialogue_id]`` is a text."""
    wanted = {dialogue_id for texts in outputs.values() for dialogue_id in texts}
    references = test.references.filter(pl.col("role") == role, pl.col("dialogue_id").is_in(list(wanted)))
    written = summaries_frame(
        Summary(dialogue_id, system, text, role=role)
        for system, texts in outputs.items()
        for dialogue_id, text in texts.items()
    )
    dialogues = test.dialogues.filter(pl.col("dialogue_id").is_in(list(wanted)))
    corpus = Corpus(dialogues, pl.concat([references, written]), info=test.info)
    return psent_score(corpus, tagger, role=None if role == OVERALL else role, resamples=resamples)


def preserved(scores: PSentScores, name: str, part: str = "all") -> Preserved:
    """One row and part of the scores."""
    found = scores.frame.filter(pl.col("name") == name, pl.col("part") == part).row(0, named=True)
    return Preserved(found["spearman"], found["ccc"], found["mae"], found["adjusted"], found["dialogues"])


@dataclass(frozen=True, slots=True)
class TableRow:
    """One system: means in per cent (BERTScore None where it is left out), affect, and how many texts are empty."""

    system: str
    rouge_1: float
    rouge_2: float
    rouge_l: float
    bertscore: float | None
    psentscore: Preserved
    psentscore_positive: Preserved
    psentscore_negative: Preserved
    empty: int = 0


@dataclass(frozen=True, slots=True)
class AffectTable:
    """The rows, over how many dialogues and references, and what a reader should know."""

    rows: tuple[TableRow, ...]
    dialogues: int
    references: int
    tagger: str
    differences: tuple[AffectDifference, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def table(self, title: str = "") -> Table:
        """Overlap and affect side by side, in the layout of the paper."""
        parts = zip(self.overlap_table().rows, self.affect_table().rows, strict=True)
        cells = [[*overlap.cells, *affect.cells] for overlap, affect in parts]
        return matrix(title, _CORNER, [row.system for row in self.rows], _OVERLAP + _AFFECT, cells)

    def overlap_table(self, title: str = "") -> Table:
        """What the texts share with the references."""
        cells = [(row.rouge_1, row.rouge_2, row.rouge_l, row.bertscore) for row in self.rows]
        shown = [[number_cell(value) for value in line] for line in cells]
        return matrix(title, _CORNER, [row.system for row in self.rows], _OVERLAP, shown)

    def affect_table(self, title: str = "") -> Table:
        """How much of the affect is kept: Spearman / CCC / MAE."""
        cells = [(row.psentscore, row.psentscore_positive, row.psentscore_negative) for row in self.rows]
        shown = [[_triple(part) for part in line] for line in cells]
        return matrix(title, _CORNER, [row.system for row in self.rows], _AFFECT, shown)

    def to_markdown(self) -> str:
        """The table with its notes."""
        return render_table(self.table(), "markdown") + "\n" + "".join(f"- {text}\n" for text in self.remarks())

    def remarks(self) -> list[str]:
        """What a reader should know: what the numbers are, how the systems differ, and what is missing."""
        kept = (part for row in self.affect_table().rows for cell in row.cells for part in cell.parts)
        undefined = any(part.value is None for part in kept)
        return [
            f"{self.dialogues:,} dialogues, {self.references:,} references; ROUGE is F1 of stems, the mean over the "
            f"references; PSentScore is Spearman / CCC / MAE by the tagger {self.tagger}.",
            *map(_difference_text, self.differences),
            *(
                ["– : not defined, because values are constant or fewer than three dialogues have such words."]
                if undefined
                else []
            ),
            *(f"{row.empty:,} texts of {row.system} are empty." for row in self.rows if row.empty),
            *self.notes,
        ]


def _triple(found: Preserved) -> Cell:
    numbers = (found.spearman, found.ccc, found.mae)
    return Cell(tuple(part for value in numbers for part in number_cell(value, 3).parts), " / ")


def _difference_text(found: AffectDifference) -> str:
    named = f"PSentScore (Spearman) of {found.one} minus that of {found.other}"
    if found.difference is None or found.low is None or found.high is None:
        return f"{named}: not defined."
    interval = f"95 % interval {found.low:+.3f} to {found.high:+.3f}"
    return f"{named}: {found.difference:+.3f}, {interval}, p = {found.p_value:.3f}."


def affect_table(
    test: Corpus,
    outputs: Mapping[str, Mapping[str, str]],
    tagger: Tagger,
    *,
    bertscore: str | None = "embedded:minilm",
    role: str = OVERALL,
) -> AffectTable:
    """The table for what systems wrote: ``outputs[system][dialogue_id]`` is a text.

    ROUGE and BERTScore (precision, as in the paper) are means over all references and all dialogues; an empty text
    counts as 0. PSentScore leaves out dialogues without affect, as the paper does, and empty texts; each two systems
    are compared. If a dialogue has several references, the row ``human`` compares each with the others.
    ``bertscore`` names the encoder; None, or one that is not here, leaves the column empty, and the notes say so.
    """
    pairs = reference_pairs(test, role)
    references: dict[str, list[str]] = {}
    for pair in pairs:
        references.setdefault(pair.dialogue_id, []).append(pair.target)
    for system, texts in outputs.items():
        if missing := [dialogue_id for dialogue_id in references if dialogue_id not in texts]:
            raise InputError(f"system {system!r}: no summary of dialogue {missing[0]!r} ({len(missing):,} are missing)")
    measure, notes = _bertscore(bertscore)
    metrics = [*ROUGE, *measure]
    rows = []
    ids = list(references)
    written = {system: {i: texts[i] for i in ids} for system, texts in outputs.items()}
    affect = affect_scores(test, written, tagger, role=role, resamples=_RESAMPLES)
    several = {dialogue_id: texts for dialogue_id, texts in references.items() if len(texts) > 1}
    if several:
        people, others = _against_others(several)
        rows.append(TableRow(HUMAN, *_overlap(people, others, metrics), *_by_part(affect, _REFERENCES)))
    for system, texts in written.items():
        overlap = _overlap(list(texts.values()), [references[i] for i in texts], metrics)
        empty = sum(not text.strip() for text in texts.values())
        rows.append(TableRow(system, *overlap, *_by_part(affect, system), empty))
    differences = affect.differences("spearman", "all", list(written)).iter_rows()
    compared = tuple(AffectDifference(*row[:6]) for row in differences)
    return AffectTable(tuple(rows), len(ids), len(pairs), tagger.name, compared, tuple(notes))


def _by_part(affect: PSentScores, name: str) -> tuple[Preserved, Preserved, Preserved]:
    return preserved(affect, name), preserved(affect, name, "positive"), preserved(affect, name, "negative")


def _against_others(references: Mapping[str, Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    texts, others = [], []
    for several in references.values():
        for i, text in enumerate(several):
            texts.append(text)
            others.append([other for j, other in enumerate(several) if j != i])
    return texts, others


def _overlap(
    texts: Sequence[str], references: Sequence[Sequence[str]], metrics: Sequence[str]
) -> tuple[float, float, float, float | None]:
    """The means in per cent: R1, R2, RL, BERTScore."""
    scores = score_pairs(texts, references, metrics[: len(ROUGE)])
    means = [100 * float(scores[column].fill_null(0.0).to_numpy().mean()) for column in scores.columns]
    return means[0], means[1], means[2], _mean_bertscore(texts, references, metrics[len(ROUGE) :])


def _mean_bertscore(texts: Sequence[str], references: Sequence[Sequence[str]], metrics: Sequence[str]) -> float | None:
    """BERTScore takes the best of several references; the table wants the mean, so each pair stands for itself."""
    if not metrics:
        return None
    alone = [(text, other) for text, several in zip(texts, references, strict=True) for other in several]
    [column] = score_pairs([text for text, _ in alone], [other for _, other in alone], metrics)
    counts = np.array([len(several) for several in references])
    values = column.fill_null(0.0).to_numpy()
    by_text = np.add.reduceat(values, np.cumsum(counts) - counts) / counts
    return 100 * float(by_text.mean())


def _bertscore(model: str | None) -> tuple[list[str], list[str]]:
    """The metric where its encoder is here, and what to say where it is not."""
    from dialgauge.models import check_available

    if model is None:
        return [], ["BERTScore was not requested."]
    try:
        check_available("encoder", model, "the table", "bertscore")
    except (MissingExtraError, ModelError) as error:
        return [], [f"BERTScore is omitted: {error}"]
    return [f"bertscore-p:model={quoted(model)}"], [f"BERTScore is precision by {model}."]
