"""Contents of the section on perturbed summaries: expected and observed changes, trust cards, failures."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
from markupsafe import Markup, escape

from dialgauge.corpus import KEY, ORIGINAL, Corpus
from dialgauge.errors import counted
from dialgauge.report._content import Estimate, HeatMap
from dialgauge.tables import NOTHING, number
from dialgauge.web import Figure, box, drawing, line, linear, rounded, slug, text

#: What a verdict means, in the words of the page, and how it is coloured.
VERDICTS: Mapping[str, tuple[str, str]] = {
    "noticed": ("right", "scores it worse, as it should"),
    "faint": ("faint", "scores it worse, but significantly less than the margin"),
    "blind": ("bad", "does not react: the change is significantly within the margin and not significantly worse"),
    "wrong": ("bad", "scores a degraded summary better"),
    "stable": ("right", "keeps the score, as it should: the change is significantly within the margin"),
    "lowered": ("bad", "scores it worse although the meaning is the same"),
    "raised": ("bad", "scores it better although it did not improve"),
    "unclear": ("open", "not decided: too few summaries"),
}
#: The expected effects, in the order of the page, with their headings.
EXPECTED: Mapping[str, str] = {
    "degrades": "Makes the summary wrong: it should score worse",
    "degrades-mildly": "Makes it slightly worse: it should score worse",
    "preserves": "Preserves the meaning: the score should not change",
}
#: Short forms, for the heads of narrow columns.
_EXPECTED_BRIEFLY: Mapping[str, str] = {
    "degrades": "should score worse",
    "degrades-mildly": "slightly worse",
    "preserves": "should not change",
}
OVERALL = "overall"
_WORD = re.compile(r"\s+|\S+")


@dataclass(frozen=True, slots=True)
class RobustnessData:
    """The tables of :func:`dialgauge.metaeval.robustness`, the corpus with the variants, and the settings.

    ``correlations`` are those on variants (None without ratings of them), ``declined`` has a row per variant that could
    not be made.
    """

    corpus: Corpus
    tables: Mapping[str, pl.DataFrame]
    settings: Mapping[str, Any] = field(default_factory=dict)
    correlations: pl.DataFrame | None = None
    declined: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric and perturbation: the change in units, the verdict, and both as a sentence."""

    change: str
    verdict: str
    kind: str
    title: str
    exact: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The perturbations of one expected effect: a row each, a cell per metric; ``brief`` is a short heading."""

    heading: str
    brief: str
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A variant that a metric got wrong, and its original; parts of the texts that differ are marked True."""

    perturbation: str
    sentence: str
    where: str
    original: tuple[tuple[str, bool], ...]
    variant: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A trust card; its figure has robustness, sensitivity and stability."""

    metric: str
    figure: Figure
    sentences: tuple[str, ...]
    failures: tuple[Failure, ...]
    reason: str | None


def metrics_shown(data: RobustnessData) -> list[str]:
    """The metrics with a direction, those first that notice most; descriptive metrics are not shown.

    Then those first that change fewer rewrites, and last by robustness.
    """
    overall = pl.col("dimension") == OVERALL
    cards = data.tables["cards"].filter(overall, pl.col("direction") != "none")
    said = data.tables["verdicts"].filter(overall)
    noticed = said.filter(pl.col("verdict") == "noticed").group_by("metric").len("noticed")
    moved = said.filter(pl.col("verdict").is_in(["raised", "lowered", "wrong"])).group_by("metric").len("moved")
    ranked = cards.join(noticed, on="metric", how="left", maintain_order="left").join(
        moved, on="metric", how="left", maintain_order="left"
    )
    keys = [pl.col("noticed").fill_null(0), -pl.col("moved").fill_null(0).cast(pl.Int64), pl.col("robustness")]
    return ranked.sort(keys, descending=True, nulls_last=True, maintain_order=True)["metric"].to_list()


def observed(data: RobustnessData) -> list[Group]:
    """Perturbations × metrics, grouped by what is expected."""
    metrics = metrics_shown(data)
    changes = {(row["metric"], row["perturbation"]): row for row in data.tables["changes"].iter_rows(named=True)}
    overall = data.tables["verdicts"].filter(pl.col("dimension") == OVERALL)
    verdicts = {(row["metric"], row["perturbation"]): row["verdict"] for row in overall.iter_rows(named=True)}
    groups = []
    for effect, heading in EXPECTED.items():
        labels = overall.filter(pl.col("expected") == effect)["perturbation"].unique(maintain_order=True)
        rows = tuple(
            (label, tuple(_cell(changes[metric, label], verdicts[metric, label]) for metric in metrics))
            for label in labels
        )
        if rows:
            groups.append(Group(heading, _EXPECTED_BRIEFLY[effect], rows))
    return groups


def profiles(groups: Sequence[Group], metrics: Sequence[str]) -> list[tuple[str, tuple[Cell, ...]]]:
    """The same cells with a row per metric, if there are more metrics than perturbations; else empty.

    The longer list is in rows, because wide tables must be scrolled sideways.
    """
    rows = [cells for group in groups for _, cells in group.rows]
    return list(zip(metrics, zip(*rows, strict=True), strict=True)) if len(metrics) > len(rows) > 0 else []


def _cell(row: Mapping[str, Any], verdict: str | None) -> Cell:
    if row["change"] is None or verdict is None:
        return Cell(NOTHING, "", "open", row["reason"] or "no verdict")
    kind, meaning = VERDICTS[verdict]
    shown = Estimate(row["metric"], row["change"], row["low"], row["high"])
    title = (
        f"{row['metric']}, {row['perturbation']}: {meaning}. Change {shown} units; worse {row['lowered']:.0%}, "
        f"better {row['raised']:.0%} of {row['items']} summaries."
    )
    return Cell(number(row["change"]), verdict, kind, title, shown)


def trust_cards(data: RobustnessData) -> list[Card]:
    """A card per metric with a direction, those first that notice most."""
    overall = data.tables["cards"].filter(pl.col("dimension") == OVERALL)
    by_metric = {row["metric"]: row for row in overall.iter_rows(named=True)}
    texts = _texts(data)
    cards = []
    for metric in metrics_shown(data):
        row = by_metric[metric]
        numbers = tuple(
            Estimate(name, row[name], row[f"{name}_low"], row[f"{name}_high"])
            for name in ("robustness", "sensitivity", "stability")
        )
        found = data.tables["failures"].filter(pl.col("metric") == metric).iter_rows(named=True)
        failures = tuple(_failure(entry, texts) for entry in found)
        rows = [(one.metric, *map(rounded, (one.value, one.low, one.high))) for one in numbers]
        columns = ("measure", "value", "low", "high")
        figure = Figure(f"trust-{slug(metric)}", metric, gauge(numbers), columns, rows, kind="points")
        cards.append(Card(metric, figure, tuple(card_sentences(data, metric)), failures, row["reason"]))
    return cards


def card_sentences(data: RobustnessData, metric: str) -> list[str]:
    """The verdicts of one metric as sentences."""
    verdicts = data.tables["verdicts"].filter(pl.col("dimension") == OVERALL, pl.col("metric") == metric)
    degrading = verdicts.filter(pl.col("expected").str.starts_with("degrades"))
    preserving = verdicts.filter(pl.col("expected") == "preserves")
    sentences = []
    if degrading.height:
        clearly, faintly = (degrading.filter(pl.col("verdict") == name).height for name in ("noticed", "faint"))
        also = f", and {faintly} faintly" if faintly else ""
        sentences.append(f"Detects {clearly} of {counted(degrading.height, 'degrading perturbation')}{also}.")
    for verdict, said in (("wrong", "Rewards"), ("blind", "Does not detect")):
        names = degrading.filter(pl.col("verdict") == verdict)["perturbation"].to_list()
        if names:
            sentences.append(f"{said}: {', '.join(names)}.")
    if preserving.height:
        kept = preserving.filter(pl.col("verdict") == "stable").height
        sentences.append(f"Stable under {kept} of {counted(preserving.height, 'preserving one')}.")
        moved = preserving.filter(pl.col("verdict").is_in(["lowered", "raised"]))
        if not moved.is_empty():
            sentences.append(f"Changes unexpectedly: {', '.join(moved['perturbation'])}.")
        if (moved["verdict"] == "raised").any():
            sentences.append("Scoring rewrites better also raises robustness: see sensitivity for what it detects.")
    if undecided := verdicts.filter(pl.col("verdict") == "unclear")["perturbation"].to_list():
        sentences.append(f"Not decided: {', '.join(undecided)}.")
    return sentences


def by_dimension(data: RobustnessData) -> HeatMap:
    """Robustness per metric and dimension, for the style of the other heat maps."""
    cards = data.tables["cards"]
    names = tuple(dict.fromkeys(cards["dimension"]))
    cells = {(row["metric"], row["dimension"]): row for row in cards.iter_rows(named=True)}
    rows = []
    for metric in metrics_shown(data):
        found = [cells[metric, name] for name in names]
        rows.append(
            (
                metric,
                tuple(
                    Estimate(metric, row["robustness"], row["robustness_low"], row["robustness_high"], row["reason"])
                    for row in found
                ),
            )
        )
    return HeatMap("robustness", "dimension", names, tuple(rows))


def doses(data: RobustnessData) -> list[tuple[str, str, list[tuple[str, Estimate, Estimate]]]]:
    """For each series: its name and levels, and per metric the change per level and the share of levels in order."""
    frame, shown = data.tables["doses"], metrics_shown(data)
    found = []
    for (series, levels), part in frame.group_by("series", "levels", maintain_order=True):
        rows = {row["metric"]: row for row in part.iter_rows(named=True)}
        estimates = [
            (
                metric,
                Estimate(metric, row["slope"], row["slope_low"], row["slope_high"], row["reason"]),
                Estimate(metric, row["monotone"], row["monotone_low"], row["monotone_high"], row["reason"]),
            )
            for metric in shown
            if (row := rows.get(metric)) is not None
        ]
        found.append((str(series), str(levels), estimates))
    return found


def correlation_rows(data: RobustnessData) -> tuple[list[str], list[tuple[str, str, list[Estimate]]]]:
    """The columns (originals, then each family minus them) and a row per dimension and metric."""
    if data.correlations is None:
        return [], []
    frame = data.correlations
    sets = list(dict.fromkeys(frame["set"]))
    cells = {(row["metric"], row["dimension"], row["set"]): row for row in frame.iter_rows(named=True)}
    rows = []
    for metric, dimension in frame.select("metric", "dimension").unique(maintain_order=True).iter_rows():
        estimates = []
        for name in sets:
            row = cells[metric, dimension, name]
            value = row["value"] if name == ORIGINAL else row["difference"]
            estimates.append(Estimate(metric, value, row["low"], row["high"]))
        rows.append((dimension, metric, estimates))
    rows.sort(key=lambda row: row[0])
    return [name if name == ORIGINAL else f"{name} − {ORIGINAL}" for name in sets], rows


def _texts(data: RobustnessData) -> dict[tuple[str, ...], str]:
    wanted = data.tables["failures"].select(KEY)
    originals = wanted.with_columns(pl.lit(ORIGINAL).alias("variant"))
    keys = pl.concat([wanted, originals]).unique()
    rows = data.corpus.summaries.join(keys, on=list(KEY), how="semi")
    return {row[:-1]: row[-1] for row in rows.select(*KEY, "text").iter_rows()}


def _failure(row: Mapping[str, Any], texts: Mapping[tuple[str, ...], str]) -> Failure:
    key = tuple(row[part] for part in KEY)
    parent = tuple(ORIGINAL if part == "variant" else row[part] for part in KEY)
    before, after = marked(texts.get(parent, ""), texts.get(key, ""))
    should = "should not change" if row["expected"] == "preserves" else "should get worse"
    went = f"{number(abs(row['change']))} units {'better' if row['change'] > 0 else 'worse'}"
    moved = went if row["change"] else "unchanged"
    sentence = f"{row['original_score']:.4g} → {row['variant_score']:.4g} ({moved}; {should})"
    return Failure(row["variant"], sentence, f"{row['dialogue_id']} / {row['system']}", before, after)


def marked(one: str, other: str) -> tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]:
    """Both texts in parts, True for those that the other does not have."""
    left, right = _WORD.findall(one), _WORD.findall(other)
    before: list[tuple[str, bool]] = []
    after: list[tuple[str, bool]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for parts, words in ((before, left[a:b]), (after, right[c:d])):
            if words:
                parts.append(("".join(words), kind != "equal"))
    return tuple(before), tuple(after)


def breakable(name: str) -> Markup:
    """A name that may be broken after each underscore and before an @, for narrow columns."""
    return Markup("_<wbr>").join(Markup("<wbr>@").join(map(escape, part.split("@"))) for part in name.split("_"))


def gauge(numbers: Sequence[Estimate]) -> Markup:
    """The three numbers of a card as bars from 0 to 1 with their intervals; a line at one half (chance)."""
    labels, plot, row = 84, 190, 22
    width, height = labels + plot + 108, row * len(numbers) + 4
    x = linear(0.0, 1.0, labels, labels + plot)
    parts: list[Markup] = []
    for i, entry in enumerate(numbers):
        y = row * i + row / 2 + 2
        parts += [text(0, y + 4, entry.metric), box(labels, y - 4, plot, 8, "track")]
        if entry.value is not None:
            parts.append(box(labels, y - 4, plot * entry.value, 8, "bar"))
        if entry.low is not None and entry.high is not None:
            parts.append(line(x(entry.low), y, x(entry.high), y, "whisker"))
        parts.append(text(width, y + 4, entry, "number", "end"))
    parts.append(line(x(0.5), 0, x(0.5), row, "half"))
    label = ", ".join(f"{entry.metric} {entry}" for entry in numbers)
    return drawing("gauge", width, height, label, parts)
