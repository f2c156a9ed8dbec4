"""dialgauge's own folder: ``corpus.toml`` and a Parquet file each for dialogues, summaries and ratings."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from dialgauge.corpus._assemble import Parts
from dialgauge.corpus._checks import ROW, check_rows
from dialgauge.corpus._columnar import read_parquet
from dialgauge.corpus._corpus import Corpus, CorpusInfo, conform
from dialgauge.corpus._files import read_text
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._schema import DIALOGUES, RATINGS, SUMMARIES
from dialgauge.errors import InputError
from dialgauge.files import parse_toml

CARD = "corpus.toml"
#: The version of the folder's layout. A newer one is refused, not guessed at.
VERSION = 1
_TABLES = {"dialogues": DIALOGUES, "summaries": SUMMARIES, "ratings": RATINGS}


def is_dialgauge(path: Path) -> bool:
    """Whether this is a folder that dialgauge wrote."""
    return (path / CARD).is_file()


def read_folder(path: Path, mapping: Mapping[str, str | Sequence[str]]) -> tuple[Parts, CorpusInfo]:
    """The tables and the card of a dialgauge folder."""
    if mapping:
        raise InputError(f"{path}: a dialgauge folder needs no mapping")
    info = _read_card(path / CARD)
    frames = {}
    for name, schema in _TABLES.items():
        file = path / f"{name}.parquet"
        if not file.is_file() and name != "dialogues":
            frames[name] = pl.DataFrame(schema=schema).with_row_index(ROW)
            continue
        try:
            frames[name] = conform(read_parquet(file), schema, name).with_row_index(ROW)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    checked = check_rows(frames["dialogues"], frames["summaries"], frames["ratings"])
    problems = tuple(
        Problem(str(path / f"{bad.table}.parquet"), None if bad.row is None else bad.row + 1, bad.key, bad.reason)
        for bad in checked.bad
    )
    parts = Parts(checked.dialogues.drop(ROW), checked.summaries.drop(ROW), checked.ratings.drop(ROW), problems)
    return parts, info


def _read_card(path: Path) -> CorpusInfo:
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
        return CorpusInfo(**texts, ratings_origin=origin, language=language)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def write_folder(corpus: Corpus, path: Path) -> None:
    """The card and the three tables into an empty folder."""
    info = corpus.info
    card = [
        *(f"{key} = {_toml(getattr(info, key))}" for key in ("name", "description", "licence", "ratings_origin")),
        *([f"language = {_toml(info.language)}"] if info.language else []),
        *("", "[format]", f"version = {VERSION}"),
        *("", "[rows]", *(f"{name} = {getattr(corpus, name).height}" for name in _TABLES)),
    ]
    (path / CARD).write_text("\n".join(card) + "\n", encoding="utf-8", newline="\n")
    for name in _TABLES:
        getattr(corpus, name).write_parquet(path / f"{name}.parquet")


def _toml(text: str) -> str:
    """A TOML string: JSON's escapes are TOML's, except that TOML also requires the delete character to be escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
