"""Command options from settings types, which declare help, choices and default of each option once.

A command has a settings object as a parameter::

    @with_options
    def correlate(corpus: Source, settings: CorrelationSettings, json: Json = False) -> None: ...

and the command line has an option for each field. Fields of the same name in two settings types are one option.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from dialgauge.cli._completion import complete_dimension, complete_metric, complete_system
from dialgauge.errors import InputError
from dialgauge.settings import Settings, choices_of, default_of, fault

#: What the shell completes for options that mean the same on every command.
_COMPLETED: Mapping[str, Callable[..., Any]] = {
    "--metric": complete_metric,
    "--system": complete_system,
    "--baseline": complete_system,
    "--dimension": complete_dimension,
    "--target": complete_dimension,
}
#: Choices wider than this are listed in the help text, which wraps between words.
_WIDEST = 24


@dataclass(frozen=True)
class Only:
    """In ``Annotated[SomeSettings, Only("seed")]``: only these fields have an option, the others their default."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


@dataclass(frozen=True)
class Without:
    """In ``Annotated[SomeSettings, Without("seed")]``: these fields have no option."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the settings parameters of a command by an option for each field."""
    signature = inspect.signature(command, eval_str=True)
    asked: dict[str, tuple[type[Settings], dict[str, FieldInfo]]] = {}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in signature.parameters.items():
        settings = _settings_type(parameter.annotation)
        if settings is None:
            parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        fields = _option_fields(settings, parameter.annotation)
        asked[name] = settings, fields
        for key, field in fields.items():
            if key not in signature.parameters:
                parameters.setdefault(key, _parameter(key, field))

    @wraps(command)
    def run(context: typer.Context, **values: Any) -> None:
        # Only what the user gave: settings know what was chosen from what is a default.
        chosen = [name for name in values if context.get_parameter_source(name).name != "DEFAULT"]  # type: ignore[union-attr]
        given = {name: value for name, value in values.items() if name in signature.parameters}
        for name, (settings, fields) in asked.items():
            given[name] = _made(settings, {key: (fields[key], values[key]) for key in fields if key in chosen})
        command(**given)

    # typer hands over its context to a parameter of this type, which is no option.
    parameters["context"] = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    run.__signature__ = signature.replace(parameters=_required_first(parameters.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return run


def _settings_type(annotation: Any) -> type[Settings] | None:
    kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return kind if isinstance(kind, type) and issubclass(kind, Settings) else None


def _option_fields(settings: type[Settings], annotation: Any) -> dict[str, FieldInfo]:
    fields = {name: field for name, field in settings.model_fields.items() if _shown(field)["option"]}
    for limit in get_args(annotation)[1:] if get_origin(annotation) is Annotated else ():
        unknown = [name for name in limit.names if name not in fields]
        if unknown:
            raise TypeError(f"{settings.__name__} has no option for {', '.join(unknown)}")
        fields = {name: field for name, field in fields.items() if (name in limit.names) is isinstance(limit, Only)}
    return fields


def _shown(field: FieldInfo) -> Mapping[str, Any]:
    """The command-line part of a field's declaration."""
    shown = field.json_schema_extra
    if not isinstance(shown, Mapping):
        raise TypeError("declare the fields of settings with setting(…)")
    return shown


def flag_of(name: str, field: FieldInfo) -> str:
    """The option of a field, as in ``--resamples``."""
    return str(_shown(field)["flag"]) or f"--{name.replace('_', '-')}"


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    shown = _shown(field)
    flags = [flag_of(name, field), *filter(None, [shown["short"]])]
    help = str(field.description)
    kind = _option_type(field)
    choices = choices_of(field.annotation)
    listed = f"[{'|'.join(choices)}]" if choices else None
    if listed and len(listed) > _WIDEST:
        listed, help = None, f"{help.rstrip('.')}: {', '.join(choices)}."
    if get_origin(kind) is list or list in [get_origin(part) for part in get_args(kind)]:
        help += " Repeatable."
    option = typer.Option(
        *flags,
        help=help,
        rich_help_panel=shown["panel"] or None,
        metavar=shown["metavar"] or listed,
        autocompletion=shown["complete"] or (_completion(choices) if choices else _COMPLETED.get(flags[0])),
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=_shown_default(field), annotation=Annotated[kind, option])


def _shown_default(field: FieldInfo) -> Any:
    default = default_of(field)
    return list(default) if isinstance(default, tuple) else None if isinstance(default, Mapping) else default


def _completion(choices: Sequence[str]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete


def _option_type(field: FieldInfo) -> Any:
    """The type of a value on the command line: number, text, boolean, or a list of those."""
    if _shown(field)["parse"]:
        return list[str] | None
    return _plain(field.annotation)


def _plain(annotation: Any) -> Any:
    """A type for typer: without pydantic, tuples as lists, choices as texts (the settings check them)."""
    if get_origin(annotation) is Literal:
        return str
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in (tuple, list):
        return list[_plain(get_args(annotation)[0])]  # type: ignore[misc]
    if get_origin(annotation) is not None and type(None) in get_args(annotation):
        kinds = [part for part in get_args(annotation) if part is not type(None)]
        # A number or a text is a text here; the settings type checks it.
        return (_plain(kinds[0]) if len(kinds) == 1 else str) | None
    return annotation


def _made(settings: type[Settings], given: Mapping[str, tuple[FieldInfo, Any]]) -> Settings:
    """The settings from the values of their options; an error names the option."""
    values: dict[str, Any] = {}
    for name, (field, value) in given.items():
        # typer gives an empty list for an option without a default.
        if value is None or value == []:
            continue
        parse = _shown(field)["parse"]
        values[name] = parse(value) if parse else value
    try:
        return settings.model_validate(values)
    except ValidationError as error:
        # One error per field: consequences of a wrong list element are not separate errors.
        first = {entry["loc"][:1]: entry for entry in reversed(error.errors())}
        raise InputError("\n".join(_described(settings, entry) for entry in reversed(first.values()))) from error


def _described(settings: type[Settings], error: Any) -> str:
    if not error["loc"]:
        return fault(error)
    name = str(error["loc"][0])
    field = settings.model_fields[name]
    flag, wrong = flag_of(name, field).partition("/")[0], fault(error, name, field)
    return f"{flag} {wrong}" if wrong.startswith(("must be ", "is missing")) else f"{flag}: {wrong}"


def _required_first(parameters: Any) -> list[inspect.Parameter]:
    return sorted(parameters, key=lambda one: one.default is not inspect.Parameter.empty)
