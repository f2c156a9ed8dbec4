"""Dumps of databases as SQL (of MySQL, MariaDB, SQLite and PostgreSQL): each table is read like a sheet of a workbook.

Nothing in a dump is run: the rows of its INSERT statements and COPY blocks are read as texts and numbers.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from dialgauge.corpus._files import read_text
from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._table import Sheet, Table, place_in, refuse_width
from dialgauge.errors import InputError

_EXPORT = "export each table as CSV, and convert the folder of these files"
#: What is escaped behind a backslash, where it is not the character itself.
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "0": "", "b": "\b", "Z": "\x1a"}
_BACKSLASHES = re.compile(r"MySQL|MariaDB|phpMyAdmin|(?:INTO|TABLE) `", re.IGNORECASE)
_COPY = re.compile(r"^COPY\s+(\S+)\s*\(([^)]*)\)\s+FROM\s+stdin;\r?\n(.*?)^\\\.\r?$", re.DOTALL | re.MULTILINE)
_TOKENS = (
    r"(?P<skipped>\s+|--[^\n]*|/\*.*?\*/|\#[^\n]*)"
    r"|(?P<text>{text})"
    r'|(?P<name>`[^`]*`|"(?:[^"]|"")*"|\[\w[^\]\n]*\])'
    r"|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w))"
    r"|(?P<word>\w[\w$]*)|(?P<sign>.)"
)
#: What begins a line of a table's definition that is no column.
_NO_COLUMNS = frozenset(
    ["primary", "key", "unique", "constraint", "foreign", "index", "fulltext", "check", "spatial", "exclude"]
)
_VALUES = {"null": None, "true": True, "false": False}


class _Token(NamedTuple):
    kind: str
    value: str


def load_dump(path: Path) -> Table:
    """The rows of all tables of a dump that hold data of a corpus; a row's place is its number in its table."""
    text = read_text(path).text
    columns: dict[str, list[str]] = {}
    rows: dict[str, list[Sequence[Any]]] = {}
    for name, named, block in _COPY.findall(text):
        table = _own_name(name)
        columns[table] = [_own_name(column) for column in named.split(",")]
        rows.setdefault(table, []).extend(_copied(line) for line in block.splitlines())
    for statement in _statements(_tokens(_COPY.sub("", text))):
        words = [token.value.lower() for token in statement[:6] if token.kind == "word"]
        if words[:2] == ["create", "table"]:
            table, inside = _opened(statement)
            columns[table] = [part[0].value for part in _parts(inside) if part and not _is_rule(part[0])]
        elif words[:1] in (["insert"], ["replace"]) and "into" in words:
            table, listed, made = _inserted(statement, path)
            before = columns.setdefault(table, listed or [f"column_{place + 1}" for place in range(len(made[0]))])
            order = listed or before
            columns[table] = [*before, *(name for name in order if name not in before)]
            rows.setdefault(table, []).extend(_ordered(row, order, columns[table], table, path) for row in made)
    if not any(rows.values()):
        raise InputError(f"{path}: no rows (INSERT INTO … VALUES, COPY … FROM stdin) in this dump; {_EXPORT}")
    return one_table([_sheet(name, columns[name], rows[name], path) for name in rows if rows[name]], what="table")


def _sheet(name: str, columns: list[str], rows: list[Sequence[Any]], path: Path) -> Sheet:
    refuse_width(len(columns), str(path))
    cells = {
        column: pl.Series(column, [row[place] if place < len(row) else None for row in rows], strict=False)
        for place, column in enumerate(columns)
    }
    return Sheet(name, pl.DataFrame(cells), place_in(f"{path} [{name}]", range(1, len(rows) + 1)))


def _tokens(text: str) -> Iterator[_Token]:
    escaping = bool(_BACKSLASHES.search(text[:20_000]))
    strings = r"'(?:[^'\\]|\\.|'')*'" if escaping else r"'(?:[^']|'')*'"
    for found in re.finditer(_TOKENS.replace("{text}", strings), text, re.DOTALL):
        kind, value = str(found.lastgroup), found[0]
        if kind == "text":
            plain = value[1:-1].replace("''", "'")
            yield _Token(kind, _unescaped(plain) if escaping else plain)
        elif kind != "skipped":
            yield _Token(kind, value[1:-1].replace('""', '"') if kind == "name" else value)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text, flags=re.DOTALL)


def _statements(tokens: Iterable[_Token]) -> Iterator[list[_Token]]:
    statement: list[_Token] = []
    for token in tokens:
        if token == _Token("sign", ";"):
            yield statement
            statement = []
        else:
            statement.append(token)
    yield statement


def _own_name(name: str) -> str:
    """The name of a table or column without quotes and without that of its schema."""
    return name.strip().rpartition(".")[2].strip('`"[]')


def _opened(statement: Sequence[_Token]) -> tuple[str, Sequence[_Token]]:
    """The name before the first bracket of a statement, and what is inside the brackets."""
    start = next((place for place, token in enumerate(statement) if token == _Token("sign", "(")), len(statement))
    return statement[start - 1].value, statement[start + 1 : _closing(statement, start)]


def _closing(tokens: Sequence[_Token], start: int) -> int:
    depth = 0
    for place in range(start, len(tokens)):
        if tokens[place].kind == "sign":
            depth += {"(": 1, ")": -1}.get(tokens[place].value, 0)
            if not depth:
                return place
    return len(tokens)


def _parts(tokens: Sequence[_Token]) -> list[list[_Token]]:
    """What commas part, outside of brackets."""
    parts: list[list[_Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.value, 0) if token.kind == "sign" else 0
        if token == _Token("sign", ",") and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _is_rule(first: _Token) -> bool:
    return first.kind == "word" and first.value.lower() in _NO_COLUMNS


def _inserted(statement: Sequence[_Token], path: Path) -> tuple[str, list[str], list[list[Any]]]:
    """The table of an INSERT, the columns that it names, and its rows."""
    words = [token.value.lower() if token.kind == "word" else "" for token in statement]
    into = words.index("into")
    if "values" not in words:
        raise InputError(f"{path}: an INSERT into {statement[into + 1].value!r} has no VALUES; {_EXPORT}")
    values = words.index("values")
    before, behind = statement[into + 1 : values], statement[values + 1 :]
    listed: list[str] = []
    if any(token == _Token("sign", "(") for token in before):
        table, inside = _opened(before)
        listed = [part[0].value for part in _parts(inside) if part]
    else:
        table = before[-1].value
    rows = []
    place = 0
    while place < len(behind) and behind[place] == _Token("sign", "("):
        end = _closing(behind, place)
        rows.append([_value(part, table, path) for part in _parts(behind[place + 1 : end])])
        place = end + 2  # the bracket and a comma
    if not rows:
        raise InputError(f"{path}: the rows of the table {table!r} cannot be read; {_EXPORT}")
    return table, listed, rows


def _value(tokens: Sequence[_Token], table: str, path: Path) -> Any:
    """A value of a row; ``_binary 'x'``, ``E'x'`` and ``'x'::text`` are texts."""
    texts = [token.value for token in tokens if token.kind == "text"]
    if len(texts) == 1 and all(token.kind in ("text", "word") or token.value == ":" for token in tokens):
        return texts[0]
    if len(tokens) == 1 and tokens[0].kind == "number":
        number = float(tokens[0].value)
        return int(number) if re.fullmatch(r"[-+]?\d{1,18}", tokens[0].value) else number
    if len(tokens) == 1 and tokens[0].value.lower() in _VALUES:
        return _VALUES[tokens[0].value.lower()]
    shown = " ".join(token.value for token in tokens)[:40]
    raise InputError(f"{path}: a value of the table {table!r} cannot be read without a database: {shown!r}; {_EXPORT}")


def _ordered(row: Sequence[Any], order: Sequence[str], columns: Sequence[str], table: str, path: Path) -> list[Any]:
    if len(row) != len(order):
        raise InputError(
            f"{path}: a row of the table {table!r} has {len(row)} values for {len(order)} columns; {_EXPORT}"
        )
    given = dict(zip(order, row, strict=True))
    return [given.get(column) for column in columns]


def _copied(line: str) -> list[str | None]:
    return [None if cell == r"\N" else _unescaped(cell) for cell in line.split("\t")]
