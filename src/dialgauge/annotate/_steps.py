"""What comes before the first item: consent, guidelines that were read, a quiz; and training that may be repeated."""

import time
from collections.abc import Mapping
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor, annotator_actor
from dialgauge.annotate._audit import log
from dialgauge.annotate._build import add_stage, stored_bundles
from dialgauge.annotate._crowd import leave, text_digest
from dialgauge.annotate._project import Project
from dialgauge.annotate._views import training_share

Step = Literal["consent", "guidelines", "quiz", "quiz-failed"]


def participation_of(connection: Connection, annotator: int | None) -> Any:
    """The row of an annotator's participation, None where there is none yet."""
    return connection.execute(sa.select(t.participation).where(t.participation.c.annotator == annotator)).first()


def next_step(connection: Connection, project: Project, visitor: Visitor) -> Step | None:
    """What an annotator has to do before the first item; None for nothing."""
    section, row = project.section, participation_of(connection, visitor.annotator)
    if visitor.role != "annotator":
        return None
    if section.consent and (row is None or row.consent_digest != text_digest(section.consent.text)):
        return "consent"
    if section.guidelines.strip() and (row is None or row.guidelines_digest != text_digest(section.guidelines)):
        return "guidelines"
    if section.quiz is None or (row is not None and row.quiz_passed is not None):
        return None
    admitted = sa.select(t.annotator.c.admitted).where(t.annotator.c.id == visitor.annotator)
    if connection.execute(admitted).scalar():
        return None
    return "quiz-failed" if row is not None and row.quiz_tries >= section.quiz.tries else "quiz"


def agree(connection: Connection, project: Project, annotator: int) -> None:
    """Somebody has agreed to the consent text as it is now."""
    consent = project.section.consent
    if consent is None:
        raise RefusedError(409, "conflict", "This study asks for no consent.")
    digest = text_digest(consent.text)
    now = time.time()
    _note(connection, annotator, consent_version=consent.version, consent_digest=digest, consented=now)
    log(connection, annotator_actor(annotator), "consent", version=consent.version, text=digest)


def read_guidelines(connection: Connection, project: Project, annotator: int) -> None:
    """Somebody has read the guidelines as they are now."""
    digest = text_digest(project.section.guidelines)
    _note(connection, annotator, guidelines_digest=digest, guidelines_read=time.time())
    log(connection, annotator_actor(annotator), "guidelines-read", text=digest)


def take_quiz(connection: Connection, project: Project, annotator: int, given: Mapping[str, str]) -> list[int]:
    """Somebody answers the quiz; the numbers of the questions that are wrong, none where they have passed."""
    quiz = project.section.quiz
    row = participation_of(connection, annotator)
    if quiz is None or (row is not None and row.quiz_tries >= quiz.tries and row.quiz_passed is None):
        raise RefusedError(409, "conflict", "The quiz is closed.")
    wrong = [number for number, one in enumerate(quiz.questions) if given.get(str(number)) != one.answer]
    tries = (0 if row is None else row.quiz_tries) + 1
    passed = 1 - len(wrong) / len(quiz.questions) >= quiz.pass_share - 1e-9
    _note(connection, annotator, quiz_tries=tries, quiz_passed=time.time() if passed else None)
    log(connection, annotator_actor(annotator), "quiz", right=len(quiz.questions) - len(wrong), passed=passed)
    if not passed and tries >= quiz.tries and project.section.crowd:
        leave(connection, annotator, "screened_out", counts=False)
    return [] if passed else wrong


def settle_training(connection: Connection, project: Project, annotator: int) -> None:
    """After the last training item: who has not passed tries again, or has to leave a crowd."""
    training = project.section.training
    share = training_share(connection, project, annotator)
    mine = (t.page.c.annotator == annotator, t.page.c.stage == "training")
    unfinished = sa.select(t.assignment.c.id).join(t.page).where(*mine, sa.not_(t.assignment.c.complete)).limit(1)
    if training is None or share is None or connection.execute(unfinished).first():
        return
    if share >= training.pass_share - 1e-9:
        return
    rounds = connection.execute(sa.select(sa.func.max(t.page.c.round)).where(*mine)).scalar() or 1
    name = str(connection.execute(sa.select(t.annotator.c.name).where(t.annotator.c.id == annotator)).scalar())
    if rounds < training.tries:
        before = list(connection.execute(sa.select(t.page.c.id).where(*mine)).scalars())
        bundles = stored_bundles(connection, "training")
        add_stage(connection, project.section, name, annotator, "training", bundles, project.seed)
        again = sa.update(t.page).where(*mine, t.page.c.id.not_in(before)).values(round=rounds + 1)
        connection.execute(again)
        log(connection, annotator_actor(annotator), "training-again", share=share)
    elif project.section.crowd:
        leave(connection, annotator, "failed_checks", counts=False, actor="protocol")


def _note(connection: Connection, annotator: int, **values: Any) -> None:
    changed = connection.execute(
        sa.update(t.participation).where(t.participation.c.annotator == annotator).values(**values)
    )
    if changed.rowcount == 0:
        connection.execute(sa.insert(t.participation).values(annotator=annotator, arrived=time.time(), **values))
