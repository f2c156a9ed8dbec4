"""The tables of a study file for annotators who come from a platform: enrolment, consent, quiz, hidden gold items."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dialgauge.annotate._known import GoldItem
from dialgauge.annotate._table import Table

Provider = Literal["prolific", "mturk", "cloudresearch", "link"]
#: The parameters in which each platform says who comes: the person, and their session.
PARAMETERS: dict[str, tuple[str, str]] = {
    "prolific": ("PROLIFIC_PID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId"),
    "cloudresearch": ("participantId", "assignmentId"),
    "link": ("id", "session"),
}
#: Where each platform takes people back; {code} is the code of how they left.
RETURN_URLS = {"prolific": "https://app.prolific.com/submissions/complete?cc={code}"}

Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Code = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w-]+$")]
Short = Annotated[str, Field(min_length=1, max_length=300)]


class Screening(Table):
    """A question of the consent page. With ``accept``, only people who give one of these answers take part."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w -]+$")]
    question: Short
    options: Annotated[list[Short], Field(min_length=2, max_length=30)]
    accept: Annotated[list[Short], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for one in self.accept or ():
            if one not in self.options:
                raise ValueError(f"accept names {one!r}, which is not an option of {self.name!r}")
        return self


def _agreeing() -> list[str]:
    return ["I have read this, and I agree to take part."]


class ConsentTable(Table):
    """What people agree to before they begin; each statement has a box that they tick. A new version asks again."""

    text: Text
    version: Annotated[str, Field(min_length=1, max_length=40)] = "1"
    statements: Annotated[list[Short], Field(default_factory=_agreeing, min_length=1, max_length=12)]
    questions: list[Screening] = Field(default_factory=list)


class QuizQuestion(Table):
    """A question about the guidelines with one right answer."""

    question: Short
    options: Annotated[list[Short], Field(min_length=2, max_length=12)]
    answer: Short

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.answer not in self.options:
            raise ValueError(f"the answer {self.answer!r} is not an option of {self.question!r}")
        return self


class QuizTable(Table):
    """Questions after the guidelines. Who does not get ``pass_share`` of them right in ``tries`` tries has to leave."""

    questions: Annotated[list[QuizQuestion], Field(min_length=1, max_length=30)]
    pass_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    tries: Annotated[int, Field(ge=1, le=10)] = 2


class GoldTable(Table):
    """Hidden items with known ratings, on pages that look like all others, one after every ``every`` pages.

    Whoever has answered ``after`` of them and passes fewer than ``drop_below`` with 95 % confidence has to leave;
    ``keep`` says whether their ratings count nevertheless.
    """

    items: Annotated[list[GoldItem], Field(min_length=1)]
    every: Annotated[int, Field(ge=1)] = 5
    tolerance: Annotated[float, Field(ge=0)] = 1.0
    drop_below: Annotated[float, Field(gt=0, lt=1)] = 0.5
    after: Annotated[int, Field(ge=1)] = 4
    keep: bool = False


class CodesTable(Table):
    """What people take back to the platform, by how they leave. Without ``complete`` each gets a code of their own."""

    complete: Code | None = None
    failed_checks: Code | None = None
    screened_out: Code | None = None
    no_consent: Code | None = None
    full: Code | None = None


class CrowdTable(Table):
    """People enrol themselves, at one address; their pages are drawn when they arrive.

    ``per_person`` pages each; at most ``people``, and at most as many per answer as ``quotas`` says (question → answer
    → people). Who saves nothing for ``return_after`` minutes gives unfinished pages back. ``pay`` and ``bonus`` are for
    the list of payments: the bonus is for those who pass ``bonus_from`` of the gold items.
    """

    provider: Provider = "link"
    per_person: Annotated[int, Field(ge=1, le=1000)] = 10
    people: Annotated[int, Field(ge=1, le=100_000)]
    quotas: dict[str, dict[str, Annotated[int, Field(ge=0)]]] = Field(default_factory=dict)
    return_after: Annotated[float, Field(ge=1, le=10_080)] = 45.0
    codes: CodesTable = CodesTable()
    return_url: Annotated[str, Field(pattern=r"^https://\S+$", max_length=500)] | None = None
    person_parameter: Annotated[str, Field(pattern=r"^\w+$", max_length=60)] | None = None
    session_parameter: Annotated[str, Field(pattern=r"^\w+$", max_length=60)] | None = None
    pay: Annotated[float, Field(ge=0)] | None = None
    bonus: Annotated[float, Field(ge=0)] = 0.0
    bonus_from: Annotated[float, Field(ge=0, le=1)] = 0.8
    currency: Annotated[str, Field(min_length=1, max_length=5)] = "GBP"

    @property
    def parameters(self) -> tuple[str, str]:
        """The names of the parameters for the person and for their session."""
        person, session = PARAMETERS[self.provider]
        return self.person_parameter or person, self.session_parameter or session
