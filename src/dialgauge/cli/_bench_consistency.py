"""``dialgauge bench consistency``: how well metrics tell right from wrong summaries."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from dialgauge.cli._output import note, print_json, print_table, progress_bar
from dialgauge.tables import estimate, number

if TYPE_CHECKING:
    from benchmarks.consistency import Measured

_HEADS = ["metric", "AUC", "within dialogues", "balanced acc.", "above control", "r", "ms each", "reads the dialogue"]


def print_consistency(
    corpora: list[str] | None, metrics: list[str] | None, dimension: str, right_from: float | None, json: bool
) -> None:
    """Measure, and print a table per corpus."""
    from benchmarks import need_peers
    from benchmarks.consistency import METRICS, OWN_SETS, PUBLISHED, PUBLISHED_SOURCE, measure

    need_peers("benchmark suite 'consistency'", "scikit-learn", "spacy")
    with progress_bar("bench consistency") as progress:
        found, notes = measure(
            corpora or OWN_SETS, metrics or METRICS, dimension=dimension, right_from=right_from, progress=progress
        )
    if json:
        published = [asdict(one) for one in PUBLISHED]
        print_json(
            {
                "results": [one.as_dict() for one in found],
                "published": {"source": PUBLISHED_SOURCE, "figures": published},
                "notes": notes,
            }
        )
        return
    for name in dict.fromkeys(one.set for one in found):
        mine = [one for one in found if one.set == name]
        rows = [_row(one) for one in mine]
        print_table(f"{name}: how well right and wrong summaries are distinguished", _HEADS, rows, numeric=_HEADS[1:-1])
        _print_categories(mine)
    heads = ["published", "set", "balanced acc."]
    figures = [(one.metric, one.set, number(one.balanced, ".2f")) for one in PUBLISHED]
    print_table(f"figures of others ({PUBLISHED_SOURCE})", heads, figures, numeric=heads[2:])
    for text in notes:
        note(text)
    note("intervals: 95 % over dialogues; the control learns from labels of other dialogues and sees no dialogue text")


def _row(one: "Measured") -> tuple[str, ...]:
    return (
        one.metric,
        estimate(one.auc, one.auc_low, one.auc_high, 2),
        estimate(one.within, one.within_low, one.within_high, 2),
        number(one.balanced, ".2f"),
        estimate(one.gain, one.gain_low, one.gain_high, 2),
        number(one.pearson, ".2f"),
        number(None if one.seconds is None else 1000 * one.seconds, ",.1f"),
        {"": "", "above the control": "yes"}.get(one.verdict, "no evidence"),
    )


def _print_categories(found: "list[Measured]") -> None:
    kinds = list(found[0].categories)
    if not kinds:
        return
    rows = [
        (f"{kind} ({found[0].categories[kind][1]})", *(number(one.categories[kind][0], ".2f") for one in found))
        for kind in kinds
    ]
    heads = ["kind of error", *(one.metric for one in found)]
    print_table("AUC of right summaries and one kind of error", heads, rows, numeric=heads[1:])
