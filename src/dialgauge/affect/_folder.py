"""A trained tagger as a folder: ``tagger.json`` says what it is, beside it lie the table of words and the model.

``words.tsv`` holds a word and its label per line (kinds ``lookup`` and ``combined``); ``model`` is a checkpoint with
its tokenizer (kinds ``contextual`` and ``combined``): a token classifier, or where a combined tagger reads single words
an encoder, with ``reader.safetensors`` beside it.
"""

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from dialgauge.affect._tagger import LABELS, Reads, Tagger
from dialgauge.affect._taggers import Case, CombinedTagger, ContextualTagger, LookupTagger
from dialgauge.affect._word_reader import load_word_reader
from dialgauge.errors import InputError
from dialgauge.files import check_folder, read_utf8, write_text
from dialgauge.models import contents, load

Kind = Literal["lookup", "contextual", "combined"]
_FORMAT = 1
_DESCRIPTION, _WORDS, MODEL, READER = "tagger.json", "words.tsv", "model", "reader.safetensors"


def save_tagger(
    folder: str | PathLike[str],
    kind: Kind,
    name: str,
    *,
    table: Mapping[str, int] | None = None,
    case: Case = "keep",
    reads: Reads = "sentence",
    notes: Mapping[str, Any] | None = None,
) -> Path:
    """Make a folder a tagger that :func:`load_tagger` reads.

    Write the checkpoint into ``folder/model`` first (kinds contextual and combined), and the reader beside it where a
    combined tagger reads single words; ``table`` gives the words of a look-up (kinds lookup and combined), ``reads``
    what a combined tagger looks at to label a word that is not in its table. ``notes`` go into
    ``tagger.json`` as they are: data, seeds, settings, results.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if kind != "contextual":
        if table is None:
            raise InputError(f"tagger {place}: a {kind} tagger needs its table of words")
        bad = [word for word in table if not word or any(c in word for c in "\t\n\r")]
        if bad:
            raise InputError(f"tagger {place}: the word {bad[0]!r} cannot be kept in a table")
        write_text(place / _WORDS, "".join(f"{word}\t{LABELS[label]}\n" for word, label in sorted(table.items())))
    if kind != "lookup" and not (place / MODEL / "config.json").is_file():
        raise InputError(f"tagger {place}: write the checkpoint into {place / MODEL} first")
    description = {
        "format": _FORMAT,
        "kind": kind,
        "name": name,
        "labels": list(LABELS),
        "case": case,
        "reads": "word" if kind == "lookup" else reads,
        "fingerprint": _fingerprint(place, kind, reads),
        "notes": dict(notes or {}),
    }
    write_text(place / _DESCRIPTION, json.dumps(description, ensure_ascii=False, indent=2) + "\n")
    return place


def describe_tagger(folder: str | PathLike[str]) -> dict[str, Any]:
    """What ``tagger.json`` says, checked."""
    hint = "; a trained tagger is a folder that 'dialgauge affect train' wrote"
    path = Path(folder) / _DESCRIPTION
    if path.parent.exists():
        check_folder(path.parent, hint)
    try:
        description = json.loads(read_utf8(path, hint))
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(description, dict) or description.get("format") != _FORMAT:
        raise InputError(f"{path}: 'format' must be {_FORMAT}")
    rules = {"kind": get_args(Kind), "case": get_args(Case), "reads": get_args(Reads), "labels": (list(LABELS),)}
    for key, allowed in rules.items():
        if description.get(key) not in allowed:
            raise InputError(f"{path}: {key!r} must be {' or '.join(map(repr, allowed))}; got {description.get(key)!r}")
    return description


def load_tagger(folder: str | PathLike[str], device: str = "auto") -> Tagger:
    """The tagger in a folder; refused where its files are not those that ``tagger.json`` was written for."""
    place = Path(folder)
    description = describe_tagger(place)
    kind: Kind = description["kind"]
    reads: Reads = description["reads"]
    found = _fingerprint(place, kind, reads)
    if found != description.get("fingerprint"):
        raise InputError(
            f"{place / _DESCRIPTION}: the files beside it have changed since it was written ({found[:12]}…)"
        )
    name = str(description.get("name") or kind)
    if kind == "contextual":
        return _contextual(place, name, device)
    lookup = LookupTagger(_read_table(place / _WORDS), contents(place / _WORDS), description["case"], name)
    if kind == "lookup":
        return lookup
    if reads == "sentence":
        return CombinedTagger(lookup, _contextual(place, f"{name}-encoder", device), name, reads)
    encoder = load("encoder", f"folder:{place / MODEL}", device)
    return CombinedTagger(lookup, load_word_reader(place / READER, lookup, encoder, f"{name}-reader"), name, reads)


def _contextual(folder: Path, name: str, device: str) -> ContextualTagger:
    return ContextualTagger.of(load("token-classifier", f"folder:{folder / MODEL}", device), name)


def _read_table(path: Path) -> dict[str, int]:
    table = {}
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if not line:
            continue
        word, _, label = line.partition("\t")
        if label not in LABELS:
            raise InputError(f"{path}, line {number}: the label must be {', '.join(LABELS)}; got {label!r}")
        table[word] = LABELS.index(label)
    return table


def _fingerprint(folder: Path, kind: Kind, reads: Reads) -> str:
    beside = (READER,) if reads == "word" else ()
    parts = {"lookup": (_WORDS,), "contextual": (MODEL,), "combined": (_WORDS, MODEL, *beside)}[kind]
    missing = [part for part in parts if not (folder / part).exists()]
    if missing:
        raise InputError(f"tagger {folder}: {missing[0]} is not in it; train it again")
    found = [contents(folder / part) for part in parts]
    return found[0] if len(found) == 1 else "+".join(found)
