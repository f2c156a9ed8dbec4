"""What an annotator sees. Nothing here names a system, a dialogue's id, or another annotator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._answers import LONGEST_COMMENT, LONGEST_TEXT, default_of
from dialgauge.annotate._known import failures, right_answers
from dialgauge.annotate._library import ItemText, Library, dimensions_of_pass
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._protocol import AnnotateSection, Dimension
from dialgauge.annotate._texts import direction, sentences

#: Stages in the order in which they are worked through.
STAGES = ("training", "pilot", "main", "review", "adjudication")


def protocol_view(section: AnnotateSection) -> dict[str, Any]:
    """The protocol as the browser needs it. It names no system and no annotator."""
    spans = section.spans
    return {
        "name": section.protocol,
        "task": section.task,
        "show": section.show,
        "arrange": section.arrange,
        "comments": section.comments,
        "guidelines": section.guidelines,
        "instructions": section.instructions,
        "dimensions": [_dimension_view(dimension) for dimension in section.dimensions],
        "answers": section.pair_answers,
        "review": section.review,
        "limits": {"comment": LONGEST_COMMENT, "text": LONGEST_TEXT},
        "spans": spans
        and {
            "types": [
                {"name": kind.name, "title": kind.title or kind.name, "description": kind.description}
                for kind in spans.types
            ],
            "in": spans.where,
            "severities": spans.severities,
        },
    }


def _dimension_view(dimension: Dimension) -> dict[str, Any]:
    scale = dimension.points()
    return {
        "name": dimension.name,
        "title": dimension.title or dimension.name.capitalize(),
        "question": dimension.question,
        "on": dimension.on,
        "scale": {
            "name": scale.name,
            "kind": scale.kind,
            "minimum": scale.minimum,
            "maximum": scale.maximum,
            "step": scale.step,
            "points": list(scale.points),
            "labels": list(scale.labels),
        },
        "default": dimension.default and dimension.default.model_dump(),
    }


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of an annotator: the pages they may see, and what they wait for."""

    pages: tuple[Any, ...]  # rows: id, stage, number_of_pass, items, complete, active_ms
    stage: str | None
    waiting: str | None
    open: str


def situation(connection: Connection, project: Project, visitor: Visitor) -> Situation:
    """The state of an annotator."""
    opened = get_setting(connection, "stage")["open"]
    rows = _page_rows(connection, visitor.annotator)
    if visitor.state == "paused":
        return Situation((), None, "paused", opened)
    if opened == "stopped":
        return Situation((), None, "stopped", opened)
    by_stage = {stage: [row for row in rows if row.stage == stage] for stage in STAGES}
    training = by_stage["training"]
    if any(row.complete < row.items for row in training):
        return Situation(tuple(training), "training", None, opened)
    if training and not _passed(connection, project, visitor):
        return Situation(tuple(training), None, "training-failed", opened)
    visible = training + by_stage["pilot"]
    if opened == "pilot" and visitor.role == "annotator":
        done = all(row.complete == row.items for row in by_stage["pilot"])
        return Situation(tuple(visible), None if done else "pilot", "pilot" if done else None, opened)
    visible += by_stage["main"] + by_stage["review"] + by_stage["adjudication"]
    unfinished = next((row.stage for row in visible if row.stage != "pilot" and row.complete < row.items), None)
    return Situation(tuple(visible), unfinished, None if unfinished else "done", opened)


def _page_rows(connection: Connection, annotator: int | None) -> list[Any]:
    done = sa.func.sum(sa.cast(t.assignment.c.complete, sa.Integer))
    query = (
        sa.select(
            t.page.c.id,
            t.page.c.stage,
            t.page.c.number_of_pass,
            sa.func.count().label("items"),
            done.label("complete"),
            sa.func.sum(t.assignment.c.active_ms).label("active_ms"),
        )
        .join(t.assignment, t.assignment.c.page == t.page.c.id)
        .where(t.page.c.annotator == annotator)
        .group_by(t.page.c.id)
        .order_by(t.page.c.position)
    )
    return list(connection.execute(query))


def _passed(connection: Connection, project: Project, visitor: Visitor) -> bool:
    share = training_share(connection, project, visitor.annotator)
    table = project.section.training
    if table is None or share is None or share >= table.pass_share - 1e-9:
        return True
    admitted = sa.select(t.annotator.c.admitted).where(t.annotator.c.id == visitor.annotator)
    return bool(connection.execute(admitted).scalar())


def training_share(connection: Connection, project: Project, annotator: int | None) -> float | None:
    """The share of the answered training items that were answered right, in the last try; None where none was."""
    tries = t.page.alias()
    last = sa.select(sa.func.max(tries.c.round)).where(tries.c.annotator == annotator, tries.c.stage == "training")
    query = (
        sa.select(t.assignment.c.answer, t.assignment.c.shown, t.item.c.expected)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .join(t.page, t.page.c.id == t.assignment.c.page)
        .where(t.assignment.c.annotator == annotator, t.item.c.purpose == "training", t.assignment.c.complete)
        .where(t.page.c.round == last.scalar_subquery())
    )
    tolerance = project.section.training.tolerance if project.section.training else 0.0
    right = [
        not failures(row.expected, row.answer["values"], tolerance, row.shown) for row in connection.execute(query)
    ]
    return sum(right) / len(right) if right else None


def pages_view(connection: Connection, project: Project, visitor: Visitor) -> dict[str, Any]:
    """All pages of an annotator and how far they are."""
    where = situation(connection, project, visitor)
    passes = _number_of_passes(project.section)
    pages = [
        {
            "id": row.id,
            "number": number,
            "stage": row.stage,
            "pass": max(1, row.number_of_pass),
            "passes": passes if row.number_of_pass else 1,
            "dimensions": [one.name for one in dimensions_of_pass(project.section, row.number_of_pass)],
            "items": row.items,
            "complete": row.complete,
        }
        for number, row in enumerate(where.pages, 1)
    ]
    unfinished = [page["id"] for page in pages if page["stage"] == where.stage and page["complete"] < page["items"]]
    return {
        "stage": where.stage,
        "waiting": where.waiting,
        "next": unfinished[0] if unfinished else None,
        "pages": pages,
        "progress": progress(where),
    }


def _number_of_passes(section: AnnotateSection) -> int:
    return len(section.dimensions) if section.passes == "one-dimension" else 1


def progress(where: Situation) -> dict[str, Any]:
    """How much is done, and how long the rest will take at the current pace."""
    items, complete = sum(row.items for row in where.pages), sum(row.complete for row in where.pages)
    spent = sum(row.active_ms for row in where.pages)
    remaining = round(spent / complete * (items - complete)) if complete else None
    return {"items": items, "complete": complete, "active_ms": spent, "remaining_ms": remaining}


def page_view(
    connection: Connection, project: Project, library: Library, visitor: Visitor, page_id: str
) -> dict[str, Any]:
    """One page: the dialogue, the reference where the protocol shows it, and the items with their answers."""
    where = situation(connection, project, visitor)
    place = next((number for number, row in enumerate(where.pages) if row.id == page_id), None)
    if place is None:
        raise RefusedError(404, "not-found", "This page does not exist, or it is not open to you now.")
    page = connection.execute(sa.select(t.page).where(t.page.c.id == page_id)).one()
    rows = connection.execute(
        sa.select(t.assignment).where(t.assignment.c.page == page_id).order_by(t.assignment.c.position)
    ).all()
    section = project.section
    dimensions = dimensions_of_pass(section, page.number_of_pass)
    texts = library.items(connection, [row.item for row in rows])
    late = _late_reasons(connection, [row.id for row in rows])
    reference = next((item.reference for item in texts if item.reference is not None), None)
    return {
        "id": page_id,
        "number": place + 1,
        "pages": len(where.pages),
        "stage": page.stage,
        "pass": max(1, page.number_of_pass),
        "passes": _number_of_passes(section) if page.number_of_pass else 1,
        "previous": where.pages[place - 1].id if place else None,
        "following": where.pages[place + 1].id if place + 1 < len(where.pages) else None,
        "editable": is_editable(page.stage, where.open),
        "dimensions": [dimension.name for dimension in dimensions],
        "dialogue": _dialogue_view(connection, library, section, page.dialogue, page.stage),
        "reference": None if reference is None else _text_view(library.summaries(connection, [reference])[0].text),
        "items": [
            {**_item_view(connection, project, library, row, item, dimensions), "late": late.get(row.id)}
            for row, item in zip(rows, texts, strict=True)
        ],
    }


def _late_reasons(connection: Connection, assignments: list[str]) -> dict[str, str]:
    """Why changes of these assignments are kept beside their answers, where any wait for a decision."""
    query = sa.select(t.late.c.assignment, t.late.c.reason)
    rows = connection.execute(query.where(t.late.c.assignment.in_(assignments), t.late.c.outcome.is_(None)))
    return {row.assignment: row.reason for row in rows}


def is_editable(stage: str, opened: str) -> bool:
    """Whether answers of a stage can still change."""
    return opened != "stopped" and (stage == "training" or (stage == "pilot") == (opened == "pilot"))


def _dialogue_view(
    connection: Connection, library: Library, section: AnnotateSection, number: int, stage: str
) -> dict[str, Any] | None:
    if "dialogue" not in section.show and stage != "training":
        return None
    found = library.dialogue(connection, number)
    speakers = list(dict.fromkeys(turn["speaker"] for turn in found.turns))
    turns = [{**turn, "side": speakers.index(turn["speaker"])} for turn in found.turns]
    return {
        "language": found.language,
        "direction": direction(turn["text"] for turn in found.turns),
        "turns": turns,
    }


def _text_view(text: str) -> dict[str, Any]:
    return {"text": text, "sentences": sentences(text), "direction": direction([text])}


def _item_view(
    connection: Connection,
    project: Project,
    library: Library,
    row: Any,
    item: ItemText,
    dimensions: tuple[Dimension, ...],
) -> dict[str, Any]:
    subject = library.subject(connection, item, row.shown, dimensions)
    texts: Sequence[str] = subject.summaries
    if item.kind == "review":
        written = connection.execute(sa.select(t.assignment.c.answer).where(t.assignment.c.id == item.subject)).scalar()
        texts = [str(written["text"] or "")] if written else []
    presets = {
        dimension.name: {"value": preset, "note": dimension.default.note if dimension.default else ""}
        for dimension in dimensions
        if item.purpose in ("main", "gold") and (preset := default_of(dimension, subject)) is not None
    }
    return {
        "id": row.id,
        "number": row.position,
        "summaries": [_text_view(text) for text in texts],
        "defaults": presets,
        "answer": answer_view(row.rev, row.answer, row.complete),
        "feedback": feedback_view(project.section, item, row.answer, row.shown) if row.complete else None,
        "others": [{"values": other} for other in item.expected or ()] if item.purpose == "adjudication" else [],
        "review": _review_of(connection, row.id) if item.kind == "write" else None,
    }


def answer_view(rev: int, answer: dict[str, Any], complete: bool) -> dict[str, Any]:
    """An answer as the browser gets it."""
    return {"rev": rev, **answer, "complete": complete}


def feedback_view(
    section: AnnotateSection, item: ItemText, answer: dict[str, Any], shown: Sequence[int]
) -> dict[str, Any] | None:
    """The right answer, after a training item was answered. Never for a check: it would be recognised at once."""
    if item.purpose != "training" or item.expected is None or section.training is None:
        return None
    failed = failures(item.expected, answer["values"], section.training.tolerance, shown)
    right = right_answers(item.expected, item.kind, shown)
    return {"passed": not failed, "expected": right, "text": item.feedback or ""}


def _review_of(connection: Connection, assignment: str) -> dict[str, Any] | None:
    query = (
        sa.select(t.assignment.c.answer)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .where(t.item.c.subject == assignment, t.assignment.c.rev > 0)
    )
    answer = connection.execute(query).scalar()
    if answer is None:
        return None
    return {"accept": answer["values"].get("accept"), "comment": answer["comment"], "text": answer["text"]}
