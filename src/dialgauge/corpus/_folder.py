"""dialgauge's own folder: ``corpus.toml`` and a Parquet file for each table; empty further tables have none."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from dialgauge.corpus._account import Account, account_from_json
from dialgauge.corpus._assemble import Parts
from dialgauge.corpus._checks import ROW, check_rows
from dialgauge.corpus._columnar import read_parquet
from dialgauge.corpus._corpus import FURTHER_TABLES, MAIN_TABLES, Corpus, CorpusInfo, conform
from dialgauge.corpus._files import read_text
from dialgauge.corpus._judgement_checks import check_judgements, in_name_order
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._types import Dimension
from dialgauge.errors import InputError
from dialgauge.files import parse_toml

CARD = "corpus.toml"
#: The version of the folder's layout. A newer one is refused, not guessed at.
VERSION = 1
#: What became of the judgements of the files that the corpus was read from.
ACCOUNT = "account.json"
_ABOUT = ("kind", "scale", "labels", "direction", "said_by")


def is_dialgauge(path: Path) -> bool:
    """Whether this is a folder that dialgauge wrote."""
    return (path / CARD).is_file()


def read_folder(path: Path, mapping: Mapping[str, str | Sequence[str]]) -> tuple[Parts, CorpusInfo]:
    """The tables and the card of a dialgauge folder."""
    if mapping:
        raise InputError(f"{path}: a dialgauge folder needs no mapping")
    info, declared = _read_card(path / CARD)
    frames = {}
    for name, schema in (MAIN_TABLES | FURTHER_TABLES).items():
        file = path / f"{name}.parquet"
        if not file.is_file() and name != "dialogues":
            frames[name] = pl.DataFrame(schema=schema).with_row_index(ROW)
            continue
        try:
            frames[name] = conform(read_parquet(file), schema, name).with_row_index(ROW)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    checked = check_rows(frames["dialogues"], frames["summaries"], frames["ratings"])
    further = check_judgements(
        checked.dialogues,
        checked.summaries,
        in_name_order(frames["preferences"]),
        frames["choices"],
        frames["spans"],
    )
    problems = tuple(
        Problem(
            str(path / f"{bad.table}.parquet"), None if bad.row is None else bad.row + 1, bad.key, bad.reason, bad.given
        )
        for bad in (*checked.bad, *further.bad)
    )
    accounts = _read_accounts(path / ACCOUNT)
    parts = Parts(
        checked.dialogues.drop(ROW),
        checked.summaries.drop(ROW),
        checked.ratings.drop(ROW),
        problems,
        preferences=further.preferences.drop(ROW),
        choices=further.choices.drop(ROW),
        spans=further.spans.drop(ROW),
        annotators=frames["annotators"].drop(ROW),
        declared=declared,
        notes=tuple(_left_out_before(accounts)),
        accounts=accounts,
    )
    return parts, info


def _read_card(path: Path) -> tuple[CorpusInfo, tuple[Dimension, ...]]:
    card = parse_toml(read_text(path).text, str(path))
    version = card.get("format", {}).get("version") if isinstance(card.get("format"), dict) else None
    if version != VERSION:
        raise InputError(f"{path}: format.version is {version!r}; this dialgauge reads version {VERSION}")
    texts = {key: card.get(key, "") for key in ("name", "description", "licence")}
    wrong = [key for key, value in texts.items() if not isinstance(value, str)]
    if wrong:
        raise InputError(f"{path}: {wrong[0]} must be a string")
    origin = card.get("ratings_origin", "human")
    if origin not in ("human", "constructed"):
        raise InputError(f"{path}: ratings_origin must be 'human' or 'constructed'; got {origin!r}")
    language = card.get("language")
    if language is not None and not isinstance(language, str):
        raise InputError(f"{path}: language must be a string")
    try:
        info = CorpusInfo(**texts, ratings_origin=origin, language=language)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return info, tuple(_read_dimensions(path, card.get("dimensions", {})))


def _read_accounts(path: Path) -> tuple[Account, ...]:
    if not path.is_file():
        return ()
    try:
        return tuple(account_from_json(one) for one in json.loads(read_text(path).text))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: not the account of an import: {error}") from error


def _left_out_before(accounts: Iterable[Account]) -> Iterator[str]:
    for account in accounts:
        if waived := account.waived():
            yield f"{account.file}: {'; '.join(waived)}, as was allowed when this corpus was made"


def _read_dimensions(path: Path, given: object) -> Iterator[Dimension]:
    """The tables ``[dimensions.NAME]`` of the card; :class:`Corpus` checks their values."""
    if not isinstance(given, dict) or not all(isinstance(table, dict) for table in given.values()):
        raise InputError(f"{path}: dimensions must be tables, as in [dimensions.fluency]")
    for name, table in given.items():
        unknown = [key for key in table if key not in _ABOUT]
        if unknown:
            raise InputError(f"{path}: dimensions.{name}: unknown key {unknown[0]!r}; allowed: {', '.join(_ABOUT)}")
        if "kind" not in table:
            raise InputError(f"{path}: dimensions.{name}: kind is missing")
        labels = table.get("labels", [])
        texts = [value for key, value in table.items() if key != "labels"]
        if not isinstance(labels, list) or not all(isinstance(text, str) for text in [*labels, *texts]):
            raise InputError(f"{path}: dimensions.{name}: labels must be a list of strings, all other keys strings")
        yield Dimension(name, **{"said_by": "file", **table, "labels": tuple(labels)})


def write_folder(corpus: Corpus, path: Path) -> None:
    """The card and the tables into an empty folder."""
    info = corpus.info
    tables = [*MAIN_TABLES, *(name for name in FURTHER_TABLES if getattr(corpus, name).height)]
    card = [
        *(f"{key} = {_toml(getattr(info, key))}" for key in ("name", "description", "licence", "ratings_origin")),
        *([f"language = {_toml(info.language)}"] if info.language else []),
        *("", "[format]", f"version = {VERSION}"),
        *("", "[rows]", *(f"{name} = {getattr(corpus, name).height}" for name in tables)),
        *(line for dimension in corpus.declared for line in _dimension_lines(dimension)),
    ]
    (path / CARD).write_text("\n".join(card) + "\n", encoding="utf-8", newline="\n")
    if corpus.accounts:
        text = json.dumps([account.as_json() for account in corpus.accounts], ensure_ascii=False, indent=1)
        (path / ACCOUNT).write_text(text + "\n", encoding="utf-8", newline="\n")
    for name in tables:
        getattr(corpus, name).write_parquet(path / f"{name}.parquet")


def _dimension_lines(dimension: Dimension) -> Iterator[str]:
    yield from ("", f"[dimensions.{_toml(dimension.name)}]", f"kind = {_toml(dimension.kind)}")
    if dimension.scale is not None:
        yield f"scale = {_toml(dimension.scale)}"
    if dimension.labels:
        yield f"labels = [{', '.join(map(_toml, dimension.labels))}]"
    yield from (f"direction = {_toml(dimension.direction)}", f"said_by = {_toml(dimension.said_by)}")


def _toml(text: str) -> str:
    """A TOML string: JSON's escapes are TOML's, except that TOML also requires the delete character to be escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
