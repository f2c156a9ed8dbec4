"""The section with the summaries that metrics doubt most, and the turns that speak against them."""

from typing import Any

import polars as pl

from dialgauge.checks import DOUBTED, evidence_sentences, read_evidence
from dialgauge.corpus import KEY, ORIGINAL, OVERALL, Corpus
from dialgauge.errors import counted
from dialgauge.metrics import EVIDENCE_BEGINS, Scores
from dialgauge.report._panel import Panel

#: Number of summaries that are shown, those least likely right first.
_SHOWN = 10


def evidence_panel(scores: Scores, corpus: Corpus) -> Panel | None:
    """The section, or None if no metric of the run gives reasons."""
    found = scores.notes.filter(pl.col("note").str.starts_with(EVIDENCE_BEGINS))
    if found.is_empty():
        return None
    items: list[dict[str, Any]] = []
    for (metric,), notes in found.group_by(["metric"], maintain_order=True):
        valued = scores.frame.select(*KEY, pl.col(str(metric)).alias("value"))
        texts = corpus.summaries.select(*KEY, "text")
        rows = notes.join(valued, on=list(KEY)).join(texts, on=list(KEY)).sort("value", *KEY).head(_SHOWN)
        items += [_item(row, len(items) + i, corpus) for i, row in enumerate(rows.iter_rows(named=True))]
    summaries = found.select(KEY).unique().height
    many = counted(summaries, "summary", "summaries")
    told = f"{many} of {scores.frame.height:,} have reasons; those least likely right are here."
    return Panel(
        (("evidence", "Evidence"),),
        "evidence_panel.html",
        55,
        {"evidence_told": told, "evidence_items": items},
        package="dialgauge.checks",
    )


def _item(row: dict[str, Any], number: int, corpus: Corpus) -> dict[str, Any]:
    checked = read_evidence(row["note"], row["text"], corpus.dialogue(row["dialogue_id"]))
    sentences = [one for one in evidence_sentences(checked) if one["verdict"] in DOUBTED]
    cited = sorted({turn for one in sentences for turn in one["evidence"]})
    return {
        "name": ", ".join(row[part] for part in KEY if row[part] not in (ORIGINAL, OVERALL)),
        "metric": row["metric"],
        "p_right": row["value"],
        "anchor": f"evidence-{number + 1}",
        "sentences": sentences,
        "turns": [{"number": turn, "text": str(checked.turns[turn - 1])} for turn in cited],
    }
