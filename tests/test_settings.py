"""Settings are declared once: keywords, errors, options of the command line and signatures follow from that."""

import inspect
from typing import Annotated, Any, Literal

import pytest
import typer
from pydantic import ValidationError, field_validator
from typer.testing import CliRunner

from dialgauge.cli._settings import Only, Without, with_options
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.settings import Settings, Several, refusing, setting, takes


class Question(Settings):
    """A question with a field of every kind."""

    resamples: int = setting(1000, "Number of resamples.", ge=0, le=5000)
    margin: float = setting(0.25, "What counts as no change.", gt=0)
    levels: Several[Literal["system", "summary"]] = setting(
        ("system",), "Level.", flag="--level", short="-l", min_length=1
    )
    oriented: bool = setting(True, "Flip signs.", flag="--oriented/--raw-sign")
    role: str | None = setting(None, "Role.")
    pairs: dict[str, str] = setting(
        {}, "Pairs.", flag="--pair", parse=lambda given: dict(text.split("=") for text in given)
    )
    method: str = setting("mean", "Method.")

    @field_validator("method")
    @classmethod
    def _known(cls, name: str) -> str:
        with refusing():
            if name not in ("mean", "median"):
                raise UnknownNameError("method", name, ("mean", "median"))
        return name


class Other(Settings):
    """A question that shares a field."""

    resamples: int = setting(1000, "Number of resamples.", ge=0, le=5000)
    target: str = setting(..., "What to predict.")


@takes(Question)
def ask(text: str, settings: Question | None = None, *, progress: Any = None, **changes: Any) -> Question:
    """Ask it."""
    return Question.chosen(settings, changes, "ask")


def test_keywords_change_single_fields_of_given_settings() -> None:
    assert ask("x") == Question()
    assert ask("x", levels="summary", margin=1).levels == ("summary",)
    given = Question(role="agent", levels=["summary", "system", "summary"])
    assert given.levels == ("summary", "system")
    assert ask("x", given, resamples=3) == Question(role="agent", levels=("summary", "system"), resamples=3)
    assert Question(resamples=7).subset(Other, target="fluency") == Other(resamples=7, target="fluency")


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"resamples": -1}, ParameterError, "ask: parameter 'resamples' must be between 0 and 5000; got -1"),
        ({"resamples": 1.5}, ParameterError, "parameter 'resamples' must be a whole number; got 1.5"),
        ({"margin": 0}, ParameterError, "parameter 'margin' must be above 0; got 0"),
        ({"levels": ["sytem"]}, UnknownNameError, "unknown level 'sytem'; did you mean 'system'"),
        ({"levels": []}, ParameterError, "'levels' must be a list of at least one"),
        ({"oriented": "yes"}, ParameterError, "must be true or false; got 'yes'"),
        ({"method": "mena"}, UnknownNameError, "unknown method 'mena'; did you mean 'mean'"),
        ({"resmples": 5}, UnknownNameError, "unknown setting of ask 'resmples'; did you mean 'resamples'"),
    ],
)
def test_wrong_values_are_errors_that_say_what_is_allowed(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ask("x", **changes)
    with pytest.raises(error):
        Question(**changes)
    with pytest.raises(ValidationError):  # a study file wants the place of the error, which pydantic knows
        Question.model_validate(changes)


def test_signatures_show_the_keywords_with_their_defaults() -> None:
    shown = inspect.signature(ask).parameters
    assert list(shown) == ["text", "settings", "progress", *Question.model_fields]
    assert shown["resamples"].default == 1000
    assert shown["levels"].kind is inspect.Parameter.KEYWORD_ONLY


def invoke(command: Any, *arguments: str) -> Any:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_the_command_line_has_an_option_for_each_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    seen: list[tuple[Question, Other]] = []

    @with_options
    def command(text: Annotated[str, typer.Argument()], question: Question, other: Other) -> None:
        """Ask."""
        seen.append((question, other))

    assert invoke(command, "x", "--target", "t").exit_code == 0
    assert seen[-1][0].model_fields_set == set(), "what was not given is no choice"
    assert seen.pop() == (Question(), Other(target="t"))
    given = ("--level", "summary", "-l", "system", "--raw-sign", "--pair", "a=b", "--pair", "c=d", "--resamples", "5")
    assert invoke(command, "x", "--target", "t", "--role", "agent", *given).exit_code == 0
    levels, pairs = ("summary", "system"), {"a": "b", "c": "d"}
    wanted = Question(levels=levels, oriented=False, pairs=pairs, resamples=5, role="agent")
    assert seen.pop() == (wanted, Other(target="t", resamples=5))
    text = invoke(command, "--help").output
    assert "Number of resamples." in text
    assert "[system|summary]" in text
    assert "Repeatable." in text
    for option, value, message in (
        ("--level", "sytem", "--level: unknown level 'sytem'; did you mean 'system'"),
        ("--resamples", "-3", "--resamples must be between 0 and 5000; got -3"),
        ("--method", "mena", "--method: unknown method 'mena'"),
    ):
        refused = invoke(command, "x", "--target", "t", option, value).exception
        assert isinstance(refused, InputError)
        assert str(refused).startswith(message)
    assert invoke(command, "x").exit_code == 2  # --target is required


def test_some_fields_of_settings_can_be_asked_alone() -> None:
    @with_options
    def command(question: Annotated[Question, Only("resamples", "role")]) -> None:
        """Ask."""

    @with_options
    def other(question: Annotated[Question, Without("resamples")]) -> None:
        """Ask."""

    assert set(inspect.signature(command).parameters) - {"context"} == {"resamples", "role"}
    assert set(inspect.signature(other).parameters) - {"context"} == set(Question.model_fields) - {"resamples"}
    with pytest.raises(TypeError, match="no option for nothing"):

        @with_options
        def wrong(question: Annotated[Question, Only("nothing")]) -> None:
            """Ask."""
