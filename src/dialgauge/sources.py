"""Which source code a result depends on: the import closure of a module, read from the files without importing any.

The digest of a closure changes with every module that the first one imports, directly or through others, also inside
functions, and with the data files that these read. Nothing else changes it, and no comment or docstring does. These
lead from a module to another one or to a file:

- ``from dialgauge.metaeval import correlate``, to the one module that the stub of the package names for ``correlate``.
- A string with the dotted name of a module, also before a colon (``module:function``); and
  ``f"dialgauge.room.{name}"``, to all modules of the room.
- A ``Registry``, to the modules of its entries; but not for metrics and other kinds that a user asks for by name: there
  the modules of those that are asked for are to be given (:meth:`dialgauge.registry.Registry.modules`). A string that
  is such a name leads to its module from modules that import from its room.
- The name of a data file or folder in a string, where it is beside the module or in a package named in another string.
- ``import ctypes``, to the C files beside the module.
"""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dialgauge.errors import DialgaugeError
from dialgauge.files import cache_folder, write_text
from dialgauge.lazy import room_names
from dialgauge.registry import TABLE, read_table

#: A string, which stays as it is, or the end of a line with all comments and empty lines that follow.
_STRING_OR_LINE_END = re.compile(
    r'("""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?:[ \t]*(?:#[^\n]*)?\n)+",
    re.DOTALL,
)
#: Kinds of entries that are asked for by name, so that nothing depends on all of them.
_BY_NAME = {"metric", "perturbation", "summarizer", "stage"}
_IMPORTABLE = {".py", ".pyi", ".pyc", ".so", ".pyd"}
_C_FILES = {".c", ".h"}
#: Texts of modules whose statements are kept: several versions of the package.
_MOST_KNOWN = 5_000


class NoSourceError(DialgaugeError):
    """The source of a module cannot be read: it is in an archive, was compiled, or was typed at a prompt."""


def source_digest(*modules: str, without: Sequence[str] = ()) -> str:
    """A digest of the code that these modules depend on, themselves included. It is the same on every machine.

    Imports of the packages ``without`` are not followed: what they hold plays no part in the result.
    Modules of other packages are followed within their own package and into this one. Raises :class:`NoSourceError`
    for a module without a readable source file.
    """
    return _sources().digest(*modules, without=without)


@cache
def _sources() -> "Sources":
    return Sources(Path(__file__).parent)


class Sources:
    """The source files of a package, each read once; those of other packages are added when they are needed."""

    def __init__(self, package: Path) -> None:
        self._files = _module_files(package.name, package / "__init__.py")
        table = package / TABLE.name
        self._table = read_table(table) if table.is_file() else {}
        self._by_name = {row.name: row for kind in _BY_NAME for row in self._table.get(kind, ())}
        self._source = cache(lambda name: _Source.read(name, self._files[name]))
        self._imports = cache(self._find_imports)
        self._data_of = cache(lambda name: frozenset(self._data_files(self._source(name))))
        self._stub_names, self._data_entries = cache(_stub_names), cache(_data_entries)
        self._file_digest = cache(lambda path: hashlib.sha256(path.read_bytes()).hexdigest())

    def digest(self, *modules: str, without: Sequence[str] = ()) -> str:
        """A digest of the modules of the closure and of the data files that these read."""
        closure = self.closure(*modules, without=without)
        lines = [f"{name} {self._source(name).said.digest}" for name in sorted(closure)]
        lines += sorted(f"{path.parent.name}/{path.name} {self._file_digest(path)}" for path in self._data(closure))
        _known().keep()
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def closure(self, *modules: str, without: Sequence[str] = ()) -> frozenset[str]:
        """The names of these modules and of all that they import, but for the packages ``without``."""
        for module in modules:
            if module not in self._files:
                self._files |= _module_files(module, _file_of(module))
        found: set[str] = set()
        waiting = set(modules)
        while waiting:
            found |= waiting
            waiting = {to for name in waiting for to in self._imports(name)} - found
            waiting = {name for name in waiting if not any(f"{name}.".startswith(f"{one}.") for one in without)}
        return frozenset(found)

    def data(self, *modules: str) -> frozenset[Path]:
        """The files, other than modules, that the modules of the closure read."""
        return self._data(self.closure(*modules))

    def _data(self, closure: Iterable[str]) -> frozenset[Path]:
        return frozenset[Path]().union(*map(self._data_of, closure))

    def _find_imports(self, module: str) -> frozenset[str]:
        """The modules that a module leads to, the packages around each included, as these are imported first."""
        found = set()
        for name in self._named_modules(self._source(module)):
            parts = name.split(".")
            found |= {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
        return frozenset(found & self._files.keys())

    def _named_modules(self, source: "_Source") -> Iterator[str]:
        yield source.name
        for package in (name for name in source.said.modules if name in self._files):
            yield from (self._home(package, name) for name in self._public(package))
        yield from source.said.modules
        yield from (self._home(module, name) for module, name in source.said.names if module in self._files)
        strings = {text.partition(":")[0] for text in source.said.strings}
        yield from (text for text in strings if text in self._files and not self._is_package(text))
        for kind in source.said.kinds - _BY_NAME:
            yield from (row.module for row in self._table.get(kind, ()))
        imported = source.said.modules | {module for module, _ in source.said.names}
        heads = {re.split("[:@]", text, maxsplit=1)[0] for text in source.said.strings}
        for row in (self._by_name[name] for name in heads & self._by_name.keys()):
            room = row.module.rpartition(".")[0]
            if any(module == room or module.startswith(f"{room}.") for module in imported):
                yield row.module
        for package in source.said.prefixes:
            yield from (name for name in self._files if name.rpartition(".")[0] == package)

    def _home(self, module: str, name: str) -> str:
        """The module behind a name that is imported from a module: a submodule, where the stub says, or itself."""
        if f"{module}.{name}" in self._files:
            return f"{module}.{name}"
        home = self._public(module).get(name)
        return module if home is None else self._home(home, name)

    def _public(self, module: str) -> dict[str, str]:
        return self._stub_names(self._files[module].with_suffix(".pyi")) if self._is_package(module) else {}

    def _is_package(self, name: str) -> bool:
        return self._files[name].name == "__init__.py"

    def _data_files(self, source: "_Source") -> Iterator[Path]:
        packages = (
            self._files[text].parent for text in source.said.strings if text in self._files and self._is_package(text)
        )
        mentioned = {text.partition("/")[0] for text in source.said.strings}
        for folder in {source.path.parent, *packages}:
            entries = self._data_entries(folder)
            for entry in (entries[name] for name in mentioned & set(entries)):
                inside = [entry] if entry.is_file() else entry.rglob("*")
                yield from (path for path in inside if path.is_file() and path.suffix not in _IMPORTABLE)
        if "ctypes" in source.said.modules:
            yield from (path for path in source.path.parent.iterdir() if path.suffix in _C_FILES)


@dataclass(frozen=True, slots=True)
class _Source:
    """A module and what its text says."""

    name: str
    path: Path
    said: "_Statements"

    @classmethod
    def read(cls, name: str, path: Path) -> "_Source":
        try:
            said = _known().find(name, path.name == "__init__.py", path.read_text("utf-8"))
        except (OSError, ValueError, SyntaxError) as error:
            raise NoSourceError(f"the source of module {name!r} cannot be read: {path}: {error}") from error
        return cls(name, path, said)


class _Known:
    """What the texts of modules say, kept in the user's cache, as parsing a package takes seconds.

    An entry is found by module and text, so a changed module is read again and copies of a package share theirs. Where
    the cache cannot be read or written, everything is parsed.
    """

    def __init__(self) -> None:
        self._file = cache_folder() / "sources" / "statements.json"
        self._reader = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
        self._before = self._stored()
        self._used: dict[str, list[Any]] = {}
        self._is_new = False

    def find(self, module: str, is_package: bool, text: str) -> "_Statements":
        key = hashlib.sha256(f"{module}\0{is_package}\0{text}".encode()).hexdigest()
        entry = self._used.get(key) or self._before.get(key)
        if entry is None:
            entry = _Statements(module, is_package, text).entry()
            self._is_new = True
        self._used[key] = entry
        return _Statements.of(entry)

    def keep(self) -> None:
        """Write what was parsed since; of other entries, those that were there, unless they are too many."""
        if self._is_new:
            entries = self._before | self._used
            entries = self._used if len(entries) > _MOST_KNOWN else entries
            with suppress(OSError, DialgaugeError):
                write_text(self._file, json.dumps({"reader": self._reader, "entries": entries}))
            self._is_new = False

    def _stored(self) -> dict[str, list[Any]]:
        try:
            stored = json.loads(self._file.read_bytes())
            entries: dict[str, list[Any]] = stored["entries"] if stored["reader"] == self._reader else {}
        except (OSError, ValueError, TypeError, KeyError):
            return {}
        return entries


@cache
def _known() -> _Known:
    return _Known()


class _Statements:
    """What the text of a module says: the modules and names that it imports, and strings that may name others."""

    def __init__(self, module: str, is_package: bool, text: str) -> None:
        self._module, self._is_package = module, is_package
        #: Modules that are imported as such; names that are imported, each with the module.
        self.modules: set[str] = set()
        self.names: set[tuple[str, str]] = set()
        self.strings: set[str] = set()
        #: Packages whose modules are named by strings that are put together.
        self.prefixes: set[str] = set()
        #: What the registries in it are of.
        self.kinds: set[str] = set()
        lines = text.splitlines(keepends=True)
        self._read(ast.parse(text), lines)
        code = _STRING_OR_LINE_END.sub(lambda found: found[1] or "\n", "".join(lines))
        self.digest = hashlib.sha256(code.strip().encode()).hexdigest()

    def entry(self) -> list[Any]:
        """For JSON."""
        sets: tuple[Collection[Any], ...] = (self.modules, self.names, self.strings, self.prefixes, self.kinds)
        return [self.digest, *(list(one) for one in sets)]

    @classmethod
    def of(cls, entry: list[Any]) -> "_Statements":
        said = cls.__new__(cls)
        said.digest = entry[0]
        said.modules, said.strings, said.prefixes, said.kinds = (set(entry[n]) for n in (1, 3, 4, 5))
        said.names = {(module, name) for module, name in entry[2]}
        return said

    def _read(self, tree: ast.Module, lines: list[str]) -> None:
        """Note what the statements say, and remove docstrings from the lines."""
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                _blank(lines, node)
            elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                waiting += node.orelse
            elif not self._note(node):
                for value in vars(node).values():
                    if isinstance(value, ast.AST):
                        waiting.append(value)
                    elif isinstance(value, list):
                        waiting += [part for part in value if isinstance(part, ast.AST)]

    def _note(self, node: ast.AST) -> bool:
        """Record what a node says; returns whether its children need not be visited."""
        kind = type(node)
        if kind is ast.Name or kind is ast.Load:
            return True
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                self.strings.add(node.value)
            return True
        if isinstance(node, ast.ImportFrom):
            module = self._absolute(node)
            self.names.update((module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            self.modules.update(alias.name for alias in node.names)
        else:
            match node:
                case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                    if text.endswith(".") and text.count(".") > 1:
                        self.prefixes.add(text[:-1])
                case ast.Call(func=ast.Name(id="Registry"), args=[ast.Constant(value=str(text)), *_]):
                    self.kinds.add(text)
        return False

    def _absolute(self, node: ast.ImportFrom) -> str:
        """The module of an import, in full where it is relative."""
        if not node.level:
            return node.module or ""
        parts = self._module.split(".")
        base = parts[: len(parts) - node.level + self._is_package]
        return ".".join([*base, *filter(None, [node.module])])


def _blank(lines: list[str], statement: ast.Expr) -> None:
    """Remove a docstring that is alone on its lines."""
    first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
    before = lines[first].encode()[: statement.col_offset]
    after = lines[last - 1].encode()[statement.end_col_offset :]
    if not before.strip() and not after.strip():
        lines[first:last] = [""] * (last - first)


def _file_of(module: str) -> Path:
    """The source file of a module of another package."""
    loaded = sys.modules.get(module)
    try:
        found = loaded.__file__ if loaded is not None else getattr(find_spec(module), "origin", None)
    except (AttributeError, ImportError, ValueError):
        found = None
    if not found or not Path(found).is_file() or Path(found).suffix != ".py":
        raise NoSourceError(f"module {module!r} has no source file that can be read")
    return Path(found)


def _module_files(module: str, file: Path) -> dict[str, Path]:
    """The files of all modules in the outermost package of a module, or its own file where it is in none."""
    levels = module.count(".") + (file.name == "__init__.py")
    if not levels:
        return {module: file}
    root = file.parents[levels - 1]
    found = {}
    for path in root.rglob("*.py"):
        parts = [root.name, *path.relative_to(root).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _stub_names(stub: Path) -> dict[str, str]:
    return room_names(stub) if stub.is_file() else {}


def _data_entries(folder: Path) -> dict[str, Path]:
    """The files beside modules that are not modules themselves, and the folders, by name."""
    return {path.name: path for path in folder.iterdir() if path.suffix not in _IMPORTABLE}
