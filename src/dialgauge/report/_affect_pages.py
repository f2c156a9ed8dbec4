"""Pages about sentiment in a corpus: how affective words are distributed, and where summaries keep or lose them."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.affect import Faithful, affective, describe_shares
from dialgauge.report._affect_figures import paper_box_plot, scatter_plots, system_box_plot
from dialgauge.report._page import engine
from dialgauge.tables import estimate
from dialgauge.web import PAGE_SCRIPT, page

#: What a group of summaries without a domain is called.
NO_DOMAIN = "(no domain)"


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """A group of pairs: how many, how many without affective words, and medians with quartiles."""

    name: str
    pairs: int
    zero_dialogues: int
    zero_summaries: int
    cells: tuple[str, ...]


#: The heads of :attr:`SpreadRow.cells`.
SPREAD_COLUMNS = ("PSentDial, full", "PSentSumm, full", "PSentDial, filtered", "PSentSumm, filtered")


def spread_rows(shares: pl.DataFrame, by: str) -> list[SpreadRow]:
    """A row per value of a column: medians and quartiles of dialogue and summary, in per cent, full and filtered."""
    found = []
    named = shares.with_columns(pl.col(by).fill_null(NO_DOMAIN))
    described = describe_shares(named, [by]).filter(part="all")
    for (name,), group in named.group_by([by], maintain_order=True):
        rows = described.filter(pl.col(by) == name).iter_rows(named=True)
        cells = {(row["set"], row["series"]): _spread(row["median"], row["first"], row["third"]) for row in rows}
        found.append(
            SpreadRow(
                name=str(name),
                pairs=group.height,
                zero_dialogues=group.filter(pl.col("dialogue_all") == 0).height,
                zero_summaries=group.filter(pl.col("summary_all") == 0).height,
                cells=tuple(
                    cells[which, series] for which in ("full", "filtered") for series in ("dialogue", "summary")
                ),
            )
        )
    return found


def _spread(*quartiles: float | None) -> str:
    """Median, first and third quartile in per cent."""
    median, first, third = (None if value is None else 100 * value for value in quartiles)
    return estimate(median, first, third, 1, between=", ")


def render_affect_corpus(shares: pl.DataFrame, title: str, signature: str, notes: Sequence[str] = ()) -> str:
    """The distribution of affective words in a corpus as one self-contained page."""
    references = shares.filter(pl.col("kind") == "reference")
    shown = shares if references.is_empty() else references
    told = {
        "title": title,
        "signature": signature,
        "notes": notes,
        "of_whom": "all summaries" if references.is_empty() else "the references",
        "pairs": shown.height,
        "kept": affective(shown).height,
        "paper_plot": paper_box_plot(shown),
        "polarity_plots": [(part, system_box_plot(shares, part)) for part in ("all", "positive", "negative")],
        "scatter_plots": scatter_plots(shares),
        "columns": SPREAD_COLUMNS,
        "systems": spread_rows(shares, "system"),
        "domains": spread_rows(shown, "domain") if shown["domain"].null_count() < shown.height else [],
    }
    return page(engine(), "affect_corpus_page.html", told, scripts=[PAGE_SCRIPT])


def render_affect_examples(found: Faithful, title: str) -> str:
    """The most and least faithful summaries next to their dialogues, with affective words marked, as one page."""
    return page(engine(), "affect_examples_page.html", {"title": title, "found": found})
