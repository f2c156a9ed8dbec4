"""``dialgauge train --also``: one metric from several rated corpora, each held out once."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dialgauge.cli._corpus_input import given_by
from dialgauge.cli._output import note, print_json, print_table, progress_bar
from dialgauge.tables import interval

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.learn import Across, LearnSettings, RatedCorpus
    from dialgauge.metrics import Scores
    from dialgauge.ratings import RatingPolicy

#: The rows that are shown of each corpus.
_ROWS = ("learned", "best single metric", "trained on its own ratings", "human ceiling")


def further_corpora(also: Sequence[str]) -> "list[RatedCorpus]":
    """The corpora of ``--also``."""
    from dialgauge.study import rated_corpus

    with given_by("--also"):
        return [rated_corpus(given) for given in also]


def train_on_several(
    first: "tuple[str, Corpus, Scores]",
    others: "list[RatedCorpus]",
    target: str,
    settings: "LearnSettings",
    policy: "RatingPolicy",
    folder: Path | None,
    name: str | None,
    json: bool,
) -> None:
    """Train, save and show."""
    from dialgauge.learn import RatedCorpus, train_across

    corpora = [RatedCorpus(*first), *others]
    with progress_bar("training") as progress:
        made = train_across(corpora, target, settings, policy, name=name, progress=progress)
    if folder is not None:
        made = made.save(folder)
    if json:
        print_json(_as_json(made, folder))
        return
    show_across(made)
    if folder is not None:
        note(f"wrote {folder}; score with it: dialgauge score CORPUS -m learned:folder={folder}")


def _as_json(made: "Across", folder: Path | None) -> dict[str, Any]:
    from dialgauge.cli._train import metric_as_json

    return {
        **metric_as_json(made, folder),
        "left_out": list(made.left_out),
        "verdict": made.verdict,
        "claims": list(made.claims),
        "scores": made.scores.to_dicts(),
        "curve": made.curve.to_dicts(),
    }


def show_across(made: "Across") -> None:
    """What transfers to each corpus, what own ratings would add, and what may be said of it."""
    from dialgauge.cli._train import LEVELS
    from dialgauge.tables import number_cell

    shown = made.scores.filter(made.scores["measure"] == "pearson", made.scores["by"].is_in(_ROWS))
    rows = [
        (
            row["corpus"],
            row["by"] if row["by"] in (row["name"], _ROWS[3]) else f"{row['by']} ({row['name']})",
            row["level"],
            number_cell(row["value"], 3),
            "" if row["low"] is None else interval(row["low"], row["high"], 3, between=" – "),
        )
        for row in shown.iter_rows(named=True)
        if row["value"] is not None
    ]
    level = f"{100 * made.settings['confidence']:g} %"
    title = f"{made.card.name}: {made.card.target}, trained on the other corpora (Pearson)"
    print_table(title, ("held out", "by", "level", "value", level), rows, numeric=["value", level])
    if made.curve.height:
        counts = sorted(set(made.curve["own"]))
        found = {(row["corpus"], row["own"]): row["value"] for row in made.curve.iter_rows(named=True)}
        curve = [(name, *(number_cell(found.get((name, count)), 3) for count in counts)) for name in made.corpora]
        heads = [f"{count} own" for count in counts]
        print_table("with own ratings added (Pearson within dialogues)", ("held out", *heads), curve, numeric=heads)
    for claim in made.claims:
        note(claim)
    note(f"verdict: {LEVELS[made.verdict]}")
    if any(made.settings["purged"].values()):
        parts = ", ".join(f"{count} for {name}" for name, count in made.settings["purged"].items() if count)
        note(f"rows not trained on, because the held-out corpus has their dialogue or text: {parts}")
    if made.left_out:
        note(f"not computed alike in all corpora, and left out: {', '.join(made.left_out)}")
    note(str(made.card.split["hides"]))
