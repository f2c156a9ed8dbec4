"""Settings: each question that dialgauge answers is declared once, and asked everywhere the same way.

A room declares the settings of a question as a subclass of :class:`Settings` in its ``_settings.py``, with a default,
the allowed values and a sentence for each field. The keyword arguments in Python, the options of the command line
(``cli/_settings.py``), the table of the study file and the entry in the manifest all come from that declaration.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic._internal._model_construction import ModelMetaclass
from pydantic.fields import FieldInfo

from dialgauge.errors import DialgaugeError, InputError, ParameterError, UnknownNameError

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


def setting(
    default: Any,
    help: str,
    *,
    flag: str = "",
    short: str = "",
    panel: str = "",
    metavar: str = "",
    option: bool = True,
    parse: Callable[[Sequence[str]], Any] | None = None,
    complete: Callable[[str], Iterable[Any]] | None = None,
    **limits: Any,
) -> Any:
    """Declare a field of a settings type: its default (``...`` for none), a sentence for users, and its limits.

    The other arguments are for the command line: the ``flag`` where it is not ``--field-name`` (a list is given by
    repeating a flag in the singular, and a yes-or-no question may have a flag for each answer: ``--a/--b``), a
    ``short`` flag, the ``panel`` of the help, a ``metavar``, ``option=False`` for what is not asked there, ``parse``
    for a field that strings cannot be converted to, and ``complete`` for the shell. ``limits`` are those of pydantic
    (``ge``, ``gt``, ``le``, ``lt``, ``min_length``, ``pattern``).
    """
    shown: dict[str, Any] = {
        "flag": flag,
        "short": short,
        "panel": panel,
        "metavar": metavar,
        "option": option,
        "parse": parse,
        "complete": complete,
    }
    return Field(default, description=help, json_schema_extra=shown, **limits)


def _as_tuple(value: Any) -> Any:
    """A single name becomes a tuple of one; duplicates are removed."""
    if isinstance(value, str):
        return (value,)
    return tuple(dict.fromkeys(value)) if isinstance(value, Sequence) else value


#: Several values in the order given, as in ``Several[str]``: a list or a tuple, or a bare string for one of them.
Several = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]


class _Checked(ModelMetaclass):
    """Settings made in Python raise our errors; those inside a study file raise pydantic's, which know their line."""

    def __call__(self: Callable[..., T], *arguments: Any, **values: Any) -> T:
        try:
            return super().__call__(*arguments, **values)  # type: ignore[misc, no-any-return]
        except ValidationError as error:
            raise described(self, error.errors()[0], self.__name__) from error


class Settings(BaseModel, metaclass=_Checked):
    """The base of all settings: frozen, no unknown names, values are never silently converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    #: The values of a publication, used where ``as_paper`` is set and nothing else is given; see :func:`paper_setting`.
    published: ClassVar[Mapping[str, Any]] = {}

    @model_validator(mode="before")
    @classmethod
    def _as_published(cls, values: Any) -> Any:
        return {**cls.published, **values} if isinstance(values, dict) and values.get("as_paper") else values

    @classmethod
    def chosen(cls, settings: Self | None, changes: Mapping[str, Any], owner: str = "") -> Self:
        """These settings (the defaults where None) with some fields changed, as functions take them.

        Errors name ``owner``, the function whose keywords they are.
        """
        values = {name: getattr(settings, name) for name in settings.model_fields_set} if settings else {}
        try:
            return cls.model_validate({**values, **changes})
        except ValidationError as error:
            raise described(cls, error.errors()[0], owner or cls.__name__) from error

    def subset(self, kind: "type[S]", **changes: Any) -> "S":
        """The fields that another settings type shares with this one, in an object of that type."""
        return kind(
            **{name: getattr(self, name) for name in kind.model_fields if name in type(self).model_fields} | changes
        )


def paper_setting(help: str) -> Any:
    """Declare the field ``as_paper``: the ``published`` values of the settings type instead of our defaults."""
    return setting(False, f"{help} Values given as well replace them.")


S = TypeVar("S", bound=Settings)
R = TypeVar("R", bound=Settings)


def chosen_pair(
    owner: str, changes: Mapping[str, Any], first: tuple[type[S], S | None], second: tuple[type[R], R | None]
) -> tuple[S, R]:
    """Two settings objects from the keywords of one function: each takes the fields that it declares."""
    fields = {**first[0].model_fields, **second[0].model_fields}
    for name in changes:
        if name not in fields:
            raise UnknownNameError(f"setting of {owner}", name, fields)
    own, other = (
        {name: value for name, value in changes.items() if name in kind.model_fields} for kind in (first[0], second[0])
    )
    return first[0].chosen(first[1], own, owner), second[0].chosen(second[1], other, owner)


def described(kind: Any, error: Mapping[str, Any], owner: str) -> DialgaugeError:
    """An error of pydantic, as one of ours."""
    name = str(error["loc"][0]) if error["loc"] else ""
    field = kind.model_fields.get(name)
    if error["type"] == "extra_forbidden":
        return UnknownNameError(f"setting of {owner}", name, kind.model_fields)
    if error["type"] == "missing":
        return ParameterError(owner, name, "given", None)
    if known := _own_error(error, name, field):
        return known
    allowed = requirement(error, field)
    return ParameterError(owner, name, allowed, error["input"]) if allowed else InputError(f"{owner}: {_said(error)}")


def fault(error: Mapping[str, Any], name: str = "", field: FieldInfo | None = None) -> str:
    """What is wrong with the value of a field, in words that follow the option or key it was given by.

    Options and keys of study files share these words, and :func:`described` says the same in Python.
    """
    if error["type"] == "missing":
        return "is missing"
    if known := _own_error(error, name, field):
        return str(known)
    allowed, given = requirement(error, field), error["input"]
    shown = "" if isinstance(given, dict | list | tuple) else f"; got {given!r}"
    return f"must be {allowed}{shown}" if allowed else _said(error)


def _own_error(error: Mapping[str, Any], name: str, field: FieldInfo | None) -> DialgaugeError | None:
    """The error that a room raised about a value, or that of a value that is not among the choices."""
    raised = error.get("ctx", {}).get("error")
    if isinstance(raised, RefusedError):
        return raised.error
    if error["type"] == "literal_error" and isinstance(error["input"], str) and field is not None:
        return UnknownNameError(_one_of(name, field), error["input"], choices_of(field.annotation))
    return None


def _one_of(name: str, field: FieldInfo) -> str:
    """What a value of a field is called: the option is more telling than the name where the two differ."""
    shown = field.json_schema_extra
    flag = str(shown["flag"]).partition("/")[0] if isinstance(shown, Mapping) else ""
    return singular(flag.removeprefix("--").replace("-", "_") or name)


def _said(error: Mapping[str, Any]) -> str:
    return str(error["msg"]).removeprefix("Value error, ")


class RefusedError(ValueError):
    """An error of ours inside a validator, in the only form that pydantic accepts."""

    def __init__(self, error: DialgaugeError) -> None:
        self.error = error
        super().__init__(str(error))


@contextmanager
def refusing() -> Iterator[None]:
    """In a validator: an error that a room raises about a value becomes an error of that field."""
    try:
        yield
    except DialgaugeError as error:
        raise RefusedError(error) from error


def requirement(error: Mapping[str, Any], field: FieldInfo | None = None) -> str | None:
    """What a value must be, in words that follow "must be"; None where the error is a sentence of its own."""
    kind, said = error["type"], _said(error)
    if kind == "value_error":
        return said.removeprefix("must be ") if said.startswith("must be ") else None
    if kind in _LIMITS:
        limits = {
            name: getattr(each, name)
            for each in (field.metadata if field else ())
            for name in _WORDS
            if hasattr(each, name)
        }
        low, high = limits.get("ge", limits.get("gt")), limits.get("le", limits.get("lt"))
        if low is not None and high is not None:
            return f"between {low} and {high}"
        (name, value), *_ = limits.items() or error["ctx"].items()
        return _WORDS[name].format(value)
    if kind == "literal_error":
        return f"one of {error['ctx']['expected']}"
    if kind in _TYPES:
        least = error.get("ctx", {}).get("min_length")
        return _TYPES[kind].format(**error.get("ctx", {}), least={1: "one", 2: "two"}.get(least, least))
    return said.removeprefix("Input should be ") if said.startswith("Input should be ") else None


_WORDS = {"ge": "{} or more", "gt": "above {}", "le": "at most {}", "lt": "below {}"}
_LIMITS = {"greater_than_equal", "greater_than", "less_than_equal", "less_than"}
_TYPES = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "string_too_short": "not empty",
    "string_too_long": "at most {max_length} characters long",
    "too_short": "a list of at least {least}",
    "too_long": "a list of at most {max_length}",
}


def choices_of(annotation: Any) -> tuple[str, ...]:
    """The allowed values of a field with a fixed choice; empty for others."""
    if get_origin(annotation) is Literal:
        return tuple(str(value) for value in get_args(annotation))
    return next((found for part in get_args(annotation) if (found := choices_of(part))), ())


def singular(name: str) -> str:
    """The name of a field for one of its values, in words: ``levels`` → ``level``."""
    return name.removesuffix("s").replace("_", " ")


def takes(*kinds: type[Settings]) -> Callable[[F], F]:
    """Document a function whose ``**changes`` are fields of these settings: the keywords are in its signature.

    Notebooks, ``help()`` and the API reference then show them with their defaults; nothing else changes.
    """

    def document(function: F) -> F:
        signature = inspect.signature(function)
        fields = {name: field for kind in kinds for name, field in kind.model_fields.items()}
        named = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default_of(field), annotation=field.annotation
            )
            for name, field in fields.items()
            if name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=[*named, *added])  # type: ignore[attr-defined]
        function.__settings__ = kinds  # type: ignore[attr-defined]
        return function

    return document


def default_of(field: FieldInfo) -> Any:
    """The default of a field; ``inspect.Parameter.empty`` where one must be given."""
    return inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
