"""The section on metrics that were trained on the ratings: validation, importance and explained predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.corpus import KEY, Corpus
from dialgauge.report._panel import Panel
from dialgauge.tables import Cell, Table, estimate_cell, listing, number, number_cell


@dataclass(frozen=True, slots=True)
class LearnedData:
    """A mapping per trained metric: ``card`` (the content of its ``metric.json``), ``scores`` (rows of validation,
    baselines included), ``importance`` (rows of permutation importance) and ``contributions`` (parts
    of single predictions)."""

    targets: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class LearnedCard:
    """A trained metric as the page shows it."""

    name: str
    target: str
    use: str
    hides: str
    facts: tuple[tuple[str, str], ...]
    validation: Table
    importance: Table | None
    explained: tuple["Explained", ...]
    verdict: str = ""
    claims: tuple[str, ...] = ()
    across: "AcrossCard | None" = None


@dataclass(frozen=True, slots=True)
class AcrossCard:
    """The same for a metric that learnt from several corpora: what it reaches in each when that one is held out."""

    verdict: str
    claims: tuple[str, ...]
    hides: str
    reached: Table
    curve: Table | None


@dataclass(frozen=True, slots=True)
class Explained:
    """One prediction: whose summary, what was rated and predicted, and the features that moved it most."""

    where: str
    rated: str
    predicted: str
    text: str
    parts: tuple[tuple[str, str], ...]


#: The measures that are shown, with their level.
_MEASURES = (
    ("pearson", "summary"),
    ("spearman", "summary"),
    ("pearson", "system"),
    ("spearman", "system"),
    ("mean absolute error", "summary"),
)
#: What is shown of each corpus that was held out.
_ACROSS = {
    ("learned", "summary"): "trained on the others, within dialogues",
    ("best single metric", "summary"): "best single metric of the others",
    ("trained on its own ratings", "summary"): "trained on its own ratings",
    ("human ceiling", "summary"): "one rater",
    ("learned", "system"): "trained on the others, of systems",
}
#: How the verdicts are said.
_LEVELS = {"use": "Use", "care": "Use with care", "do-not-use": "Do not use"}
_PARTS = 6
#: For the appendix.
_FORMULAS: tuple[tuple[str, str, str], ...] = (
    (
        "learned metrics",
        "A learner predicts the rating from metric scores; its settings are searched in the training folds only. All "
        "numbers are on held-out folds; texts of held-out summaries are not trained on under another name, and "
        "predictions are taken minus the mean rating of their training rows. Intervals resample systems and dialogues. "
        "Better than the best single metric: the intervals of the difference and of the learned metric are above zero.",
        "",
    ),
    (
        "importance",
        "How much worse held-out predictions get when one feature is shuffled.",
        "Breiman 2001",
    ),
)


def learned_panel(data: LearnedData, corpus: Corpus) -> Panel:
    """The section on trained metrics, with a card for each."""
    cards = [_card(entry, corpus) for entry in data.targets]
    return Panel((("learned", "Learned metrics"),), "learned.html", 70, {"learned": cards}, formulas=_FORMULAS)


def _card(entry: Mapping[str, Any], corpus: Corpus) -> LearnedCard:
    card = entry["card"]
    split, trained_on = card.get("split", {}), card.get("data", {})
    facts = [("kind", str(card["kind"])), ("features", f"{len(card.get('features', ()))}")]
    facts += [(f"data: {name}", str(value)) for name, value in trained_on.items() if isinstance(value, str | int)]
    facts += [(f"split: {name}", str(value)) for name, value in split.items() if isinstance(value, str | int)]
    return LearnedCard(
        str(card["name"]),
        str(card["target"]),
        str(card.get("intended_use", "")),
        str(split.get("hides", "")),
        tuple(fact for fact in facts if fact[0] != "split: hides"),
        _validation(entry),
        _importance(entry) if entry.get("importance") else None,
        tuple(_explained(entry.get("contributions", ()), corpus)),
        _LEVELS.get(str(entry.get("verdict")), ""),
        tuple(entry.get("claims", ())),
        _across(entry["across"]) if entry.get("across") else None,
    )


def _across(entry: Mapping[str, Any]) -> AcrossCard:
    shown = [row for row in entry["scores"] if row["measure"] == "pearson"]
    found = {(row["corpus"], row["by"], row["level"]): row for row in shown}
    names = list(dict.fromkeys(row["corpus"] for row in shown))
    rows = [
        (name, *(_estimate(found.get((name, by, level))) for by, level in _ACROSS), _named(found, name))
        for name in names
    ]
    heads = [f"{head}" for head in _ACROSS.values()]
    reached = listing(
        "in corpora that were held out", ("held out", *heads, "best single metric is"), rows, numeric=heads
    )
    counts = sorted({row["own"] for row in entry["curve"]})
    values = {(row["corpus"], row["own"]): row["value"] for row in entry["curve"]}
    own = [f"{count} own ratings" for count in counts]
    curve = [(name, *(number_cell(values.get((name, count))) for count in counts)) for name in names]
    title = "with ratings of the held-out corpus added"
    return AcrossCard(
        _LEVELS.get(str(entry["verdict"]), ""),
        tuple(entry["claims"]),
        str(entry["card"]["split"]["hides"]),
        reached,
        listing(title, ("held out", *own), curve, numeric=own) if counts else None,
    )


def _named(found: Mapping[tuple[str, str, str], Mapping[str, Any]], corpus: str) -> str:
    row = found.get((corpus, "best single metric", "summary"))
    return str(row["name"]) if row else ""


def _validation(entry: Mapping[str, Any]) -> Table:
    """The metric on held-out summaries, next to the baselines."""
    found = {(row["by"], row["name"], row["measure"], row["level"]): row for row in entry["scores"]}
    rows: list[tuple[object, ...]] = []
    for by, name in dict.fromkeys((by, name) for by, name, *_ in found):
        cells = [found.get((by, name, *measure)) for measure in _MEASURES]
        if any(cell and cell["value"] is not None for cell in cells):
            rows.append((by, name if name and name != by else "", *map(_estimate, cells)))
    heads = [f"{measure.capitalize()}, {level} level" for measure, level in _MEASURES]
    return listing(f"validation of {entry['card']['name']}", ("by", "name", *heads), rows, numeric=heads)


def _estimate(row: Mapping[str, Any] | None) -> Cell:
    if row is None:
        return number_cell(None)
    return estimate_cell(row["value"], row["low"], row["high"], between=", ", reason=row.get("reason"))


def _importance(entry: Mapping[str, Any]) -> Table:
    rows = ((row["feature"], number_cell(row["drop"]), number_cell(row["deviation"])) for row in entry["importance"])
    heads = ("feature", "loss", "standard deviation")
    note = (
        "How much worse held-out predictions get when a feature is shuffled. Of two redundant features, each alone "
        "seems unimportant."
    )
    return listing(f"importance in {entry['card']['name']}", heads, rows, numeric=heads[1:], notes=[note])


def _explained(rows: Sequence[Mapping[str, Any]], corpus: Corpus) -> list[Explained]:
    by_item: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_item.setdefault(tuple(row[part] for part in KEY), []).append(row)
    texts = {row[:-1]: row[-1] for row in corpus.summaries.select(*KEY, "text").iter_rows() if row[:-1] in by_item}
    found = []
    for key, parts in by_item.items():
        moved = sorted(
            (row for row in parts if row["contribution"] is not None), key=lambda row: -abs(row["contribution"])
        )
        found.append(
            Explained(
                f"{key[0]} / {key[1]}",
                number(parts[0]["rating"]),
                number(parts[0]["prediction"]),
                texts.get(key, ""),
                tuple((row["feature"], number(row["contribution"], "+.2f")) for row in moved[:_PARTS]),
            )
        )
    return found
