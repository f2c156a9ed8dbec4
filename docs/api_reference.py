"""Sphinx extension of the API reference: ``.. room:: dialgauge.metrics`` documents every public name of a room.

Our docstrings are prose; the parameter list below each is made from the signature: types, defaults, allowed values, and
for settings the sentence that is declared with each field, and then an example (``api_examples``). A public name
without a docstring is a warning, which fails the build (``sphinx-build -W``).
"""

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from api_examples import examples_file, read_examples
from docutils import nodes
from pydantic.fields import FieldInfo
from sphinx.application import Sphinx
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import stringify_annotation

from dialgauge.lazy import public_names
from dialgauge.settings import Settings

_LOGGER = logging.getLogger(__name__)
_GROUPS = {"function": "Functions", "class": "Classes", "exception": "Errors", "data": "Values"}
#: Where types are defined, and how people import them.
_SHORTER = (
    (re.compile(r"polars\.(?:\w+\.)+(\w+)"), r"polars.\1"),
    (re.compile(r"numpy\.ndarray\[tuple\[Any, \.\.\.\], numpy\.dtype\[([\w.]+)\]\]"), r"numpy.ndarray[\1]"),
    (re.compile(r"\b(?:collections\.abc|typing|pathlib)\.(\w+)"), r"\1"),
)
#: A name of ours in a type, by the module that defines it.
_OURS = re.compile(r"\b(dialgauge(?:\.\w+)*)\.(\w+)")


class Room(SphinxDirective):
    """The public names of a module: a table of them all, then each with its docstring and parameters."""

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {}

    def run(self) -> list[nodes.Node]:
        """Build the text, and parse it as if it stood on the page."""
        return self.parse_text_to_nodes("\n".join(reference_lines(self.arguments[0])), allow_section_headings=False)


def reference_lines(module: str) -> Iterator[str]:
    """The page of a room as reStructuredText."""
    found = homes(module)
    kinds = {name: kind_of(getattr(import_module(module), name)) for name in found}
    yield from (f".. py:module:: {module}", "", f".. py:currentmodule:: {module}", "")
    yield from _setup_lines(module)
    yield from (".. list-table::", "   :widths: 30 70", "")
    for name in found:
        yield f"   * - :py:obj:`{name}`"
        yield f"     - {summary(module, name, found[name])}"
    yield ""
    for kind, title in _GROUPS.items():
        names = [name for name in found if kinds[name] == kind]
        if names:
            yield from (f".. rubric:: {title}", "")
        for name in names:
            yield from _entry_lines(kind, module, name, found[name])


def _setup_lines(module: str) -> Iterator[str]:
    """What stands before every example of the page; nothing on a page of names that all live elsewhere."""
    if setup := _examples(module).get(""):
        yield from ("Each example on this page begins with these lines:", "", *_console(setup), "")


def example_lines(module: str, name: str) -> Iterator[str]:
    """The example of a name, in the form of a console."""
    if example := _examples(module).get(name):
        yield from (".. rubric:: Example", "   :class: example", "", *_console(example), "")
    else:
        _LOGGER.warning("%s.%s has no example in api/examples", module, name)


def _console(text: str) -> list[str]:
    return [".. code-block:: pycon", "", *(f"   {line.replace('<BLANKLINE>', '')}" for line in text.splitlines())]


@cache
def _examples(module: str) -> dict[str, str]:
    """Examples by name; the set-up of a page under ""."""
    if not examples_file(module).is_file():
        return {}
    setup, examples = read_examples(module)
    return {"": setup.text} | {name: example.text for example in examples for name in example.names}


@cache
def homes(module: str) -> dict[str, str]:
    """The public names of a room (or of a module without a stub), sorted, each with the module that defines it."""
    loaded = import_module(module)
    stub = Path(str(loaded.__file__)).with_suffix(".pyi")
    if stub.is_file():
        return dict(sorted(public_names(stub).items()))
    own = [name for name, value in vars(loaded).items() if getattr(value, "__module__", "") == module]
    return {name: module for name in sorted(own) if not name.startswith("_")}


def kind_of(value: object) -> str:
    """What autodoc calls it."""
    if isinstance(value, type):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def _entry_lines(kind: str, module: str, name: str, home: str) -> Iterator[str]:
    elsewhere = _public_place(home, name)
    if elsewhere and elsewhere != f"{module}.{name}":
        yield from (f".. py:{kind}:: {name}", "   :no-index:", "", f"   The same as :py:obj:`{elsewhere}`.", "")
    elif kind == "data":
        comment = [f"   {line}" for line in comment_of(home, name)]
        value = getattr(import_module(module), name)
        if get_origin(value) is Literal:
            comment += ["", f"   {shown_type(value)}."]
        elif not comment:
            _LOGGER.warning("%s.%s has no comment that begins with '#:'", module, name)
        yield from (f".. py:data:: {name}", "", *comment, "")
        yield from (f"   {line}" if line else "" for line in example_lines(module, name))
    else:
        members = ["   :members:"] if kind in ("class", "exception") else []
        yield from (f".. auto{kind}:: {module}.{name}", *members, "")


def _public_place(home: str, name: str) -> str | None:
    """Where users import a name from that is defined in this module; None for one that is not public."""
    room = ".".join(home.split(".")[:2])
    has_page = (Path(__file__).parent / "api" / f"{room.rpartition('.')[2]}.rst").is_file()
    return f"{room}.{name}" if has_page and name in homes(room) else None


def summary(module: str, name: str, home: str) -> str:
    """The first sentence of the docstring, or of the comment above a value."""
    value = getattr(import_module(module), name)
    lines = comment_of(home, name) if kind_of(value) == "data" else (docstring(value) or "").splitlines()
    paragraph = " ".join(" ".join(lines).split()) if kind_of(value) == "data" else " ".join(_first_paragraph(lines))
    found = re.match(r"((?:``.+?``|[^`]|`)+?\.)(?=\s|$)", paragraph)
    return found[1] if found else paragraph


def _first_paragraph(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.strip():
            return
        yield line.strip()


def comment_of(home: str, name: str) -> list[str]:
    """The ``#:`` comment above a value; an empty list where there is none."""
    try:
        found = ModuleAnalyzer.for_module(home).find_attr_docs()
    except PycodeError:
        return []
    return [line for line in found.get(("", name), []) if line.strip()]


def docstring(value: Any) -> str | None:
    """The docstring that somebody wrote: not that of a base class, nor the signature that dataclasses put there."""
    own = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    if not own or (dataclasses.is_dataclass(value) and own.startswith(f"{getattr(value, '__name__', '')}(")):
        return None
    return inspect.cleandoc(own)


def add_parameters(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Put the list of parameters below a docstring."""
    if what not in ("function", "method", "class", "exception"):
        return
    if docstring(value) is None:
        _LOGGER.warning("%s has no docstring", name)
    lines += ["", *parameter_lines(value)]
    module, _, short = name.rpartition(".")
    if what != "method" and module in sys.modules:
        lines += ["", *example_lines(module, short)]


def parameter_lines(value: Any) -> Iterator[str]:
    """A field list: what each parameter may be, what it means if that is declared, and its default."""
    if isinstance(value, type) and issubclass(value, Settings):
        for name, field in value.model_fields.items():
            yield from _setting_lines(name, field)
        return
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # a class without a signature of its own, such as an enumeration
        return
    settings = [kind for one in signature.parameters.values() for kind in _settings_of(one.annotation)]
    declared = {name: field for kind in settings for name, field in kind.model_fields.items()}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and name in declared:
            yield from _setting_lines(name, declared[name])
        elif name not in ("self", "cls") and not name.startswith("_"):
            stars = {parameter.VAR_POSITIONAL: r"\*", parameter.VAR_KEYWORD: r"\*\*"}.get(parameter.kind, "")
            yield f":param {stars}{name}: {_default(parameter.default)}"
            if parameter.annotation is not parameter.empty:
                yield f":type {stars}{name}: {shown_type(parameter.annotation)}"
    if not isinstance(value, type) and signature.return_annotation not in (signature.empty, None):
        yield f":rtype: {shown_type(signature.return_annotation)}"


def _setting_lines(name: str, field: FieldInfo) -> Iterator[str]:
    default = inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    sentence = _escaped(" ".join((field.description or "").split()))
    yield f":param {name}: {sentence} {_default(default)}".rstrip()
    yield f":type {name}: {shown_type(field.annotation)}"


def _settings_of(annotation: object) -> Iterator[type[Settings]]:
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, Settings):
            yield one


def _default(default: object) -> str:
    if default is inspect.Parameter.empty:
        return ""
    shown = repr(default)
    if " at 0x" in shown or len(shown) > 80:
        return "Optional."
    return f"Default: ``{shown}``."


def shown_type(annotation: Any) -> str:
    """A type as a reader would write it; where a few values are allowed, these values."""
    inner = get_args(annotation)
    match get_origin(annotation):
        case origin if origin is Annotated:
            return shown_type(inner[0])
        case origin if origin is Literal:
            return _escaped(" or ".join(map(repr, inner)))
        case origin if origin in (Union, UnionType):
            return " | ".join(map(shown_type, inner))
        case origin if origin is tuple and inner[-1] is ...:
            return f"several of {shown_type(inner[0])}"
    text = stringify_annotation(annotation, "fully-qualified-except-typing")
    for pattern, shorter in _SHORTER:
        text = pattern.sub(shorter, text)
    return _OURS.sub(lambda found: _public_place(*found.groups()) or f"``{found[2]}``", text)


def _escaped(text: str) -> str:
    return re.sub(r"([*|`\\])", r"\\\1", text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the parameter lists."""
    app.add_directive("room", Room)
    app.connect("autodoc-process-docstring", add_parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
