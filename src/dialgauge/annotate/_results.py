"""What annotators answered, as frames: ratings with true keys, comparisons, marked spans, written texts.

Systems are named, or have codes while the lead is blinded too.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._library import ItemText, Library, SummaryText
from dialgauge.annotate._pair_answers import BOTH_BAD, BOTH_GOOD, better_of, strength_of
from dialgauge.annotate._planning import shuffled
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.corpus import KEY, ORIGINAL, RATINGS

#: Ratings as the corpus has them, and how they came about.
RATED = pl.Schema(
    {
        **RATINGS,
        "stage": pl.String(),
        "by_default": pl.Boolean(),
        "active_ms": pl.Int64(),
        "item": pl.Int64(),
        "round": pl.Int64(),
    }
)
COMPARED = pl.Schema(
    {
        **dict.fromkeys(("dialogue_id", "role", "annotator", "dimension"), pl.String()),
        "systems": pl.List(pl.String()),  # in the order shown
        "variants": pl.List(pl.String()),  # of these systems, in the same order
        **dict.fromkeys(("best", "worst"), pl.String()),  # SYSTEM, or SYSTEM/VARIANT of an edited summary
        "tie": pl.Boolean(),
        "both": pl.String(),  # of a tie: good | bad, where people could say so
        "strength": pl.Float64(),  # how much better, from 1 for the least
        "comment": pl.String(),
        "time": pl.Datetime("us"),
        "stage": pl.String(),
        "round": pl.Int64(),
    }
)
MARKED = pl.Schema(
    {
        **dict.fromkeys((*KEY, "annotator", "type", "in"), pl.String()),
        **dict.fromkeys(("turn", "start", "end"), pl.Int64()),
        **dict.fromkeys(("marked", "note", "severity"), pl.String()),
        "time": pl.Datetime("us"),
        "stage": pl.String(),
    }
)
WRITTEN = pl.Schema(
    {
        **dict.fromkeys(("dialogue_id", "role", "annotator", "text", "final_text", "reviewer"), pl.String()),
        "accepted": pl.Boolean(),
        "review_comment": pl.String(),
        "time": pl.Datetime("us"),
    }
)
#: Who has read which summary to its end: without it nobody can tell "no error" from "not read".
READ = pl.Schema({**dict.fromkeys((*KEY, "annotator"), pl.String()), "time": pl.Datetime("us"), "stage": pl.String()})
#: What the name of an annotator begins with who settled what others disagreed on.
ADJUDICATION = "adjudication"
#: The system of texts that annotators write.
WRITER = "written"


@dataclass(slots=True)
class Results:
    """All answers of a project as frames."""

    ratings: pl.DataFrame
    comparisons: pl.DataFrame
    spans: pl.DataFrame
    texts: pl.DataFrame
    #: Complete readings, where the protocol asks for errors to be marked.
    readings: pl.DataFrame

    def tables(self) -> dict[str, pl.DataFrame]:
        """The frames by name, without those that this protocol does not fill."""
        named = {"ratings": self.ratings, "comparisons": self.comparisons, "spans": self.spans, "texts": self.texts}
        named["readings"] = self.readings
        return {name: frame for name, frame in named.items() if name == "ratings" or frame.height}


@dataclass(slots=True)
class _Rows:
    ratings: list[dict[str, Any]] = field(default_factory=list)
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)
    texts: list[dict[str, Any]] = field(default_factory=list)
    readings: list[dict[str, Any]] = field(default_factory=list)


def system_codes(connection: Connection, project: Project, *, always: bool = False) -> dict[str, str]:
    """For each system its code while the lead is blinded (or ``always``), its name afterwards."""
    query = sa.select(t.summary.c.system).where(t.summary.c.kind.in_(("system", "reference"))).distinct()
    names = sorted(connection.execute(query).scalars())
    if not (always or get_setting(connection, "blinded")):
        return {name: name for name in names}
    codes = [f"S{number:0{len(str(len(names)))}d}" for number in range(1, len(names) + 1)]
    return dict(zip(shuffled(names, project.secret, "codes"), codes, strict=True))


def results(connection: Connection, project: Project, library: Library, codes: Mapping[str, str]) -> Results:
    """All answers to real items so far."""
    rows = _Rows()
    answers = _answers(connection)
    library.items(connection, [answered.item for answered in answers])
    library.summaries(connection, [number for answered in answers for number in answered.shown])
    for answered in answers:
        (item,) = library.items(connection, [answered.item])
        if item.purpose not in ("main", ADJUDICATION):
            continue
        shown = library.summaries(connection, answered.shown)
        dialogue_id = library.dialogue(connection, item.dialogue).dialogue_id
        base = {
            "dialogue_id": dialogue_id,
            "role": item.role,
            "annotator": f"{ADJUDICATION}:{answered.name}" if item.purpose == ADJUDICATION else answered.name,
            "comment": answered.answer["comment"] or None,
            "time": moment(answered.saved),
            "stage": answered.stage,
        }
        if item.kind != "review":
            rows.spans += _span_rows(connection, library, answered, item, shown, base, codes)
            if project.section.spans and answered.complete:
                rows.readings += _reading_rows(shown, base, codes)
        if item.kind == "rate":
            rows.ratings += _rating_rows(project.section, answered, item, shown[0], base, codes)
        elif item.kind in ("compare", "best-worst"):
            rows.comparisons += _comparison_rows(project.section, answered, item, shown, base, codes)
        elif item.kind == "write":
            rows.texts.append(_text_row(connection, answered, base))
    ratings = pl.DataFrame(rows.ratings, schema=RATED)
    comparisons = pl.DataFrame(rows.comparisons, schema=COMPARED)
    spans = pl.DataFrame(rows.spans, schema=MARKED)
    readings = pl.DataFrame(rows.readings, schema=READ).unique([*KEY, "annotator"], keep="last", maintain_order=True)
    texts = pl.DataFrame(rows.texts, schema=WRITTEN)
    return Results(pl.concat([ratings, _from_comparisons(comparisons)]), comparisons, spans, texts, readings)


def _answers(connection: Connection) -> list[Any]:
    query = (
        sa.select(t.assignment, t.annotator.c.name, t.page.c.stage, t.page.c.round)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .join(t.page, t.page.c.id == t.assignment.c.page)
        .where(t.assignment.c.rev > 0, t.annotator.c.counts)
        .order_by(t.annotator.c.id, t.page.c.position, t.assignment.c.position)
    )
    return list(connection.execute(query))


def moment(seconds: float | None) -> datetime | None:
    """A stored time as the corpus keeps times: UTC without a zone."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def _rating_rows(
    section: AnnotateSection,
    answered: Any,
    item: ItemText,
    summary: SummaryText,
    base: Mapping[str, Any],
    codes: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    by_default = answered.answer["by_default"]
    for name, value in answered.answer["values"].items():
        common = {
            **base,
            "system": codes[summary.system],
            "variant": summary.variant,
            "dimension": name,
            "scale": section.dimension(name).points().name,
            "by_default": name in by_default,
            "active_ms": answered.active_ms,
            "item": item.id,
            "round": answered.round,
        }
        if isinstance(value, list):
            for sentence, one in enumerate(value, 1):
                if one is not None:
                    yield {**common, "sentence": sentence, "value": float(one)}
        else:
            yield {**common, "sentence": None, "value": float(value)}


def _span_rows(
    connection: Connection,
    library: Library,
    answered: Any,
    item: ItemText,
    shown: list[SummaryText],
    base: Mapping[str, Any],
    codes: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """Marked errors by the summary that has them: the one shown, the one named in a comparison, or one's own."""
    turns = library.dialogue(connection, item.dialogue).turns
    shared = {name: base[name] for name in ("dialogue_id", "role", "annotator", "time", "stage")}
    for span in answered.answer["spans"]:
        summary = shown[span.get("summary", 1) - 1] if shown else None
        whose = {"system": WRITER, "variant": "original"}
        if summary is not None:
            whose = {"system": codes[summary.system], "variant": summary.variant}
        text = summary.text if summary and span["in"] == "summary" else turns[span["turn"]]["text"]
        told = {name: value for name, value in span.items() if name != "summary"}
        yield {**shared, **whose, **told, "marked": text[span["start"] : span["end"]]}


def _reading_rows(
    shown: list[SummaryText], base: Mapping[str, Any], codes: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    shared = {name: base[name] for name in ("dialogue_id", "role", "annotator", "time", "stage")}
    for summary in shown:
        yield {**shared, "system": codes[summary.system], "variant": summary.variant}


def candidate_name(system: str, variant: str) -> str:
    """What a candidate is called among others: by its system, an edited summary by its variant too."""
    return system if variant == ORIGINAL else f"{system}/{variant}"


def _comparison_rows(
    section: AnnotateSection,
    answered: Any,
    item: ItemText,
    shown: list[SummaryText],
    base: Mapping[str, Any],
    codes: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    systems, variants = [codes[summary.system] for summary in shown], [summary.variant for summary in shown]
    names = [candidate_name(*one) for one in zip(systems, variants, strict=True)]
    for name, value in answered.answer["values"].items():
        told = _chosen_pair(section, value, names) if item.kind == "compare" else _chosen_ends(value, names)
        yield {**base, "dimension": name, "systems": systems, "variants": variants, **told, "round": answered.round}


_BOTH = {BOTH_GOOD: "good", BOTH_BAD: "bad"}


def _chosen_pair(section: AnnotateSection, value: str, names: list[str]) -> dict[str, Any]:
    better = better_of(value)
    if better is None:
        return {"tie": True, "both": _BOTH.get(value)}
    best, worst = names if better == 1 else reversed(names)
    return {"best": best, "worst": worst, "tie": False, "strength": strength_of(value, section.strengths)}


def _chosen_ends(value: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    ends = {end: None if value[end] is None else names[value[end] - 1] for end in ("best", "worst")}
    return {**ends, "tie": False}


def _from_comparisons(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Comparisons as ratings from 0 to 1, for tables that have a row per summary.

    The value of a summary is (1 + (times best − times worst) / times shown) / 2: for pairs that is the share of pairs
    won, a tie counting half.
    """
    tally: dict[tuple[str, ...], list[float]] = defaultdict(list)
    stages: dict[tuple[str, ...], tuple[str, int]] = {}
    for row in comparisons.iter_rows(named=True):
        for system, variant in zip(row["systems"], row["variants"], strict=True):
            key = (row["dialogue_id"], system, variant, row["role"], row["annotator"], row["dimension"])
            name = candidate_name(system, variant)
            tally[key].append(float(row["best"] == name) - float(row["worst"] == name))
            stages[key] = (row["stage"], row["round"])
    names = (*KEY, "annotator", "dimension")
    rows = [
        {
            **dict(zip(names, key, strict=True)),
            "value": (1 + sum(points) / len(points)) / 2,
            "scale": "0-1",
            "stage": stages[key][0],
            "round": stages[key][1],
            "by_default": False,
        }
        for key, points in tally.items()
    ]
    return pl.DataFrame(rows, schema=RATED)


def _text_row(connection: Connection, answered: Any, base: Mapping[str, Any]) -> dict[str, Any]:
    query = (
        sa.select(t.assignment.c.answer, t.annotator.c.name)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .where(t.item.c.subject == answered.id, t.assignment.c.rev > 0)
    )
    review = connection.execute(query).first()
    text = answered.answer["text"] or ""
    shared = {name: base[name] for name in ("dialogue_id", "role", "annotator", "time")}
    if review is None:
        return {**shared, "text": text, "final_text": text}
    verdict = review.answer["values"].get("accept")
    return {
        **shared,
        "text": text,
        "final_text": review.answer["text"] or text,
        "reviewer": review.name,
        "accepted": None if verdict is None else bool(verdict),
        "review_comment": review.answer["comment"] or None,
    }


def plain_ratings(rated: pl.DataFrame) -> pl.DataFrame:
    """The ratings as the functions of the ratings room expect them, without adjudications."""
    own = ~pl.col("annotator").str.starts_with(f"{ADJUDICATION}:")
    return rated.filter(own).select(RATINGS.names())
