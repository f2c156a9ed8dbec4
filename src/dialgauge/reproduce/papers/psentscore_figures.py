"""Figures of PSentScore: shares of affective words in dialogues and summaries, and how systems rank by two measures."""

from collections.abc import Sequence

import numpy as np

from dialgauge.affect import PSent
from dialgauge.reproduce._paper_figures import Box, boxes_figure, ranks_figure
from dialgauge.reproduce._printed import PrintedTable
from dialgauge.web import Figure


def make_figures(shares: Sequence[tuple[PSent, PSent]], printed: PrintedTable) -> tuple[Figure, ...]:
    """Figure 1 of the paper by our look-up, and the printed Table 5 by ROUGE-1 and by PSentScore.

    ``shares`` are those of the dialogues and of their references, of which there is one each.
    """
    return (_shares_of_words(shares), _by_two_measures(printed))


def _shares_of_words(shares: Sequence[tuple[PSent, PSent]]) -> Figure:
    """Box plots on all pairs, and without those where one side has no affective word."""
    dialogue, summary = (np.concatenate([one.share() for one in side]) for side in zip(*shares, strict=True))
    known = np.isfinite(dialogue) & np.isfinite(summary)
    both = known & (dialogue > 0) & (summary > 0)
    boxes = [
        Box.of(f"{side}, {name}", side, values[kept].tolist())
        for name, kept in (("full", known), ("filtered", both))
        for side, values in (("dialogue", dialogue), ("summary", summary))
        if kept.sum() > 1
    ]
    return boxes_figure(
        "Share of affective words in dialogues and summaries",
        boxes,
        "Training and validation part of DialogSum, by the look-up of training words; the paper's Figure 1 uses a "
        "tagger that is not public.",
    )


def _by_two_measures(printed: PrintedTable) -> Figure:
    columns = ("R1", "PSentScore/Spearman")
    cells = {label: [printed.entries.get((row, column)) for column in columns] for row, label in printed.labels.items()}
    values = {
        label: [float(cell.value) for cell in row if cell is not None]
        for label, row in cells.items()
        if None not in row
    }
    return ranks_figure("Systems by ROUGE-1 and by PSentScore", columns, values, "By the numbers printed in Table 5.")
