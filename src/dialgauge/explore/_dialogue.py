"""What the page of a dialogue shows: turns, summaries with ratings and scores, and the variants of one of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.affect import Segment
from dialgauge.checks import evidence_sentences, read_evidence
from dialgauge.corpus import KEY, Dialogue
from dialgauge.errors import UnknownNameError
from dialgauge.explore._data import PARENT, RunData
from dialgauge.explore._texts import label_words
from dialgauge.metrics import EVIDENCE_BEGINS
from dialgauge.report import marked

#: A text in parts, True for those that the other text does not have.
Parts = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn with its affective words; ``side`` numbers the speakers."""

    speaker: str
    role: str | None
    side: int
    said: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A value; ``outlier`` is ``low`` or ``high`` if it is an outlier among all summaries, else empty."""

    value: float | None
    outlier: str = ""


@dataclass(frozen=True, slots=True)
class VariantView:
    """A perturbed summary beside its original, and how the metrics react to the difference.

    A row of ``changes`` is a metric, its two scores, the change in units (negative is worse) and whether that is what
    the perturbation should do (None where nothing is expected or nothing is known).
    """

    variant: str
    role: str
    label: str
    expected: str | None
    before: Parts
    after: Parts
    changes: tuple[tuple[str, float | None, float | None, float | None, bool | None], ...]


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A summary: its affective words, scores by metric, ratings by dimension, and problems with it.

    ``evidence`` has the doubtful sentences by each metric that says why, with the turns that they were compared with.
    """

    system: str
    role: str
    kind: str
    text: str
    words: tuple[Segment, ...]
    provenance: Mapping[str, Any]
    scores: Mapping[str, Score]
    means: Mapping[str, float | None]
    ratings: tuple[Mapping[str, Any], ...]
    remarks: tuple[tuple[str, str, str], ...]
    evidence: tuple[tuple[str, list[dict[str, Any]]], ...]
    labels: tuple[str, ...]

    @property
    def annotators(self) -> list[str]:
        """Who rated it."""
        return sorted({row["annotator"] for row in self.ratings})

    def rated(self) -> list[tuple[str, list[float | None], float | None]]:
        """A row per dimension (and sentence): its name, each annotator's rating, and the aggregated rating."""
        cells: dict[tuple[str, int | None], dict[str, float | None]] = {}
        for row in self.ratings:
            cells.setdefault((row["dimension"], row["sentence"]), {})[row["annotator"]] = row["value"]
        return [
            (
                dimension if sentence is None else f"{dimension}, sentence {sentence}",
                [given.get(name) for name in self.annotators],
                self.means.get(dimension) if sentence is None else None,
            )
            for (dimension, sentence), given in sorted(cells.items(), key=lambda cell: (cell[0][0], cell[0][1] or -1))
        ]

    def comments(self) -> list[tuple[str, str, str]]:
        """Annotator, dimensions and comment; a comment on several dimensions is listed once."""
        found: dict[tuple[str, str], list[str]] = {}
        for row in self.ratings:
            if row["comment"]:
                found.setdefault((row["annotator"], row["comment"]), []).append(row["dimension"])
        return [(who, ", ".join(dict.fromkeys(names)), comment) for (who, comment), names in found.items()]


@dataclass(frozen=True, slots=True)
class DialogueView:
    """A dialogue with its summaries; ``variants`` are those of the one summary that was chosen."""

    dialogue: Dialogue
    before: str | None
    after: str | None
    turns: tuple[SpokenTurn, ...]
    summaries: tuple[SummaryView, ...]
    variants: tuple[VariantView, ...]


def dialogue_view(
    data: RunData,
    dialogue_id: str,
    *,
    system: str | None = None,
    role: str | None = None,
    sort: str | None = None,
    descending: bool = False,
    mark_feelings: bool = True,
) -> DialogueView:
    """Everything about a dialogue, or about one system's summaries of it, which come with their variants.

    ``sort`` names a metric or a dimension to sort summaries by; those without a value come last.
    """
    dialogue = data.corpus.dialogue(dialogue_id)
    chosen = [pl.col(name) == value for name, value in (("system", system), ("role", role)) if value is not None]
    rows = data.summaries.filter(pl.col("dialogue_id") == dialogue_id, *chosen)
    if rows.is_empty() and chosen:
        known = data.summaries.filter(pl.col("dialogue_id") == dialogue_id)
        if system is not None and system not in known["system"]:
            raise UnknownNameError(f"system with a summary of {dialogue_id}", system, known["system"].unique())
        theirs = known if system is None else known.filter(pl.col("system") == system)
        by = "" if system is None else f" by {system}"
        raise UnknownNameError(f"role of a summary of {dialogue_id}{by}", role or "", theirs["role"].unique())
    tagger = data.feelings[0] if mark_feelings else None
    views = _summaries(data, rows, label_words(rows["text"].fill_null("").to_list(), tagger))
    if sort is not None:
        views = _sorted(data, views, sort, descending)
    names = data.corpus.dialogues["dialogue_id"].to_list()
    place = names.index(dialogue_id)
    said = label_words([turn.text for turn in dialogue.turns], tagger)
    sides = {name: side for side, name in enumerate(dict.fromkeys(turn.speaker for turn in dialogue.turns))}
    return DialogueView(
        dialogue,
        names[place - 1] if place else None,
        names[place + 1] if place + 1 < len(names) else None,
        tuple(
            SpokenTurn(turn.speaker, turn.role, sides[turn.speaker], parts)
            for turn, parts in zip(dialogue.turns, said, strict=True)
        ),
        tuple(views),
        _variants(data, dialogue_id, views) if system is not None else (),
    )


def _summaries(data: RunData, rows: pl.DataFrame, texts: list[tuple[Segment, ...]]) -> list[SummaryView]:
    keys = rows.select(KEY)
    ratings = _grouped(data.corpus.ratings, keys)
    means = {} if data.ratings is None else _grouped(data.ratings, keys)
    scores = _grouped(data.scores.frame, keys)
    remarks: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for kind, frame, column in (("no value", data.scores.failures, "reason"), ("note", data.scores.notes, "note")):
        for key, found in _grouped(frame, keys).items():
            remarks.setdefault(key, []).extend((kind, row["metric"], row[column]) for row in found)
    labels = {} if data.variants is None else _labels(data.variants, keys)
    dialogues = {name: data.corpus.dialogue(name) for name in rows["dialogue_id"].unique()}
    views = []
    for row, words in zip(rows.iter_rows(named=True), texts, strict=True):
        key = tuple(row[part] for part in KEY)
        values = scores.get(key, [{}])[0]
        averages = means.get(key, [{}])[0]
        said = remarks.get(key, [])
        views.append(
            SummaryView(
                row["system"],
                row["role"],
                row["kind"],
                row["text"] or "",
                words,
                json.loads(row["provenance"]) if row["provenance"] else {},
                {name: _score(data, name, values.get(name)) for name in data.metrics} if values else {},
                {name: averages.get(name) for name in data.dimensions},
                tuple(ratings.get(key, ())),
                tuple(remark for remark in said if not remark[2].startswith(EVIDENCE_BEGINS)),
                tuple(
                    (metric, evidence_sentences(read_evidence(note, row["text"], dialogues[row["dialogue_id"]])))
                    for _, metric, note in said
                    if note.startswith(EVIDENCE_BEGINS)
                ),
                labels.get((row["system"], row["role"]), ()),
            )
        )
    return views


def _grouped(frame: pl.DataFrame, keys: pl.DataFrame) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in frame.join(keys, on=list(KEY), how="semi", maintain_order="left").iter_rows(named=True):
        found.setdefault(tuple(row[part] for part in KEY), []).append(row)
    return found


def _labels(variants: pl.DataFrame, keys: pl.DataFrame) -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], list[str]] = {}
    here = variants.join(keys, on=list(PARENT), how="semi", maintain_order="left")
    for system, role, variant in here.select("system", "role", "variant").iter_rows():
        found.setdefault((system, role), []).append(variant)
    return {key: tuple(names) for key, names in found.items()}


def _score(data: RunData, metric: str, value: float | None) -> Score:
    if value is None or metric not in data.fences:
        return Score(value)
    low, high = data.fences[metric]
    return Score(value, "low" if value < low else "high" if value > high else "")


def _sorted(data: RunData, views: list[SummaryView], name: str, descending: bool) -> list[SummaryView]:
    if name != "system":
        data.require("metric or dimension", name, [*data.metrics, *data.dimensions])
    known = [view for view in views if _value(view, name) is not None]
    known.sort(key=lambda view: _value(view, name), reverse=descending)
    return known + [view for view in views if _value(view, name) is None]


def _value(view: SummaryView, name: str) -> Any:
    if name == "system":
        return view.system
    return view.scores[name].value if name in view.scores else view.means.get(name)


def _variants(data: RunData, dialogue_id: str, views: list[SummaryView]) -> tuple[VariantView, ...]:
    if data.variants is None:
        return ()
    parents = {(view.system, view.role): view for view in views}
    here = pl.col("dialogue_id") == dialogue_id, pl.col("system").is_in([system for system, _ in parents])
    scores = _grouped(data.variant_scores.filter(*here), data.variants.select(KEY))
    found = []
    for row in data.variants.filter(*here).iter_rows(named=True):
        parent = parents.get((row["system"], row["role"]))
        if parent is None:
            continue
        before, after = marked(parent.text, row["text"] or "")
        values = scores.get(tuple(row[part] for part in KEY), [{}])[0]
        changes = tuple(_change(data, metric, row["label"], parent, values.get(metric)) for metric in data.metrics)
        expected = data.expected.get(row["label"])
        found.append(VariantView(row["variant"], row["role"], row["label"], expected, before, after, changes))
    return tuple(found)


def _change(
    data: RunData, metric: str, label: str, parent: SummaryView, after: float | None
) -> tuple[str, float | None, float | None, float | None, bool | None]:
    before = parent.scores[metric].value if metric in parent.scores else None
    unit = data.units.get((metric, label))
    if before is None or after is None or unit is None:
        return metric, before, after, None, None
    change = (after - before) / unit
    expected = data.expected.get(label)
    if expected is None or metric not in data.judging:
        return metric, before, after, change, None
    right = abs(change) <= data.margin if expected == "preserves" else change < -data.margin
    return metric, before, after, change, right
