"""Words with known labels: the Stanford Sentiment Treebank, as SST3 lines or as the trees it is published in."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from dialgauge.affect._tagger import LABELS, NEUTRAL
from dialgauge.affect._taggers import LookupTagger
from dialgauge.errors import InputError
from dialgauge.files import check_folder
from dialgauge.models import digest_of

#: From the five labels of the trees (0 very negative to 4 very positive) to the three of SST3.
_MERGED = (0, 0, 1, 2, 2)
_PARTS = ("train", "dev", "test")
_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """The words of a sentence, the label of each (0 negative, 1 neutral, 2 positive), and that of the whole.

    ``root`` goes from 0 (very negative) to 4 (very positive); None where it is not known.
    """

    words: tuple[str, ...]
    labels: tuple[int, ...]
    root: int | None = None


@dataclass(frozen=True, eq=False)
class Treebank:
    """Sentences for training, development and testing."""

    train: tuple[LabelledSentence, ...]
    dev: tuple[LabelledSentence, ...]
    test: tuple[LabelledSentence, ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all words and labels in their order."""
        lines = (
            f"{name}\t{' '.join(sentence.words)}\t{sentence.labels}\t{sentence.root}"
            for name in _PARTS
            for sentence in getattr(self, name)
        )
        return digest_of(lines)


def read_treebank(folder: str | PathLike[str]) -> Treebank:
    """The treebank in a folder: ``train``, ``dev`` and ``test``, either ``.jsonl`` or ``.txt``.

    A line of JSON has ``words`` and ``labels`` (0 negative, 1 neutral, 2 positive), and may have ``root5`` (0 to 4).
    A line of text is a tree in brackets, ``(3 (2 It) (4 works))``; the labels 0 to 4 of its leaves are merged to three.
    """
    place = Path(folder)
    check_folder(place, "; give the folder with train.jsonl (or train.txt), dev and test")
    found = {}
    for name in _PARTS:
        lines, trees = place / f"{name}.jsonl", place / f"{name}.txt"
        if not lines.is_file() and not trees.is_file():
            raise InputError(
                f"{place}: neither {lines.name} nor {trees.name} was found; train, dev and test are needed"
            )
        found[name] = _read(lines, _from_json) if lines.is_file() else _read(trees, _from_tree)
    return Treebank(**found)


def learn_table(sentences: tuple[LabelledSentence, ...]) -> dict[str, int]:
    """The label that each word has most often, case kept; of equally frequent ones the neutral, else the first."""
    counts: dict[str, list[int]] = {}
    for sentence in sentences:
        for word, label in zip(sentence.words, sentence.labels, strict=True):
            counts.setdefault(word, [0] * len(LABELS))[label] += 1
    return {word: NEUTRAL if seen[NEUTRAL] == max(seen) else seen.index(max(seen)) for word, seen in counts.items()}


def lookup_of(treebank: Treebank, name: str = "lookup") -> LookupTagger:
    """The look-up table of the training words: the baseline of every trained tagger."""
    table = learn_table(treebank.train)
    return LookupTagger(table, digest_of(f"{word}\t{label}" for word, label in sorted(table.items())), name=name)


def _read(path: Path, parse: Callable[[str], LabelledSentence]) -> tuple[LabelledSentence, ...]:
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    sentences = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sentences.append(parse(line))
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
    if not sentences:
        raise InputError(f"{path}: the file has no sentences")
    return tuple(sentences)


def _from_json(line: str) -> LabelledSentence:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError("must be an object with 'words' and 'labels'")
    words, labels, root = row.get("words"), row.get("labels"), row.get("root5")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise ValueError("'words' must be a list of words, none of them empty")
    if not isinstance(labels, list) or not all(_is_label(label, len(LABELS)) for label in labels):
        raise ValueError("'labels' must be a list of 0 (negative), 1 (neutral) and 2 (positive)")
    if len(words) != len(labels):
        raise ValueError(f"{len(words)} words but {len(labels)} labels")
    if root is not None and not _is_label(root, len(_MERGED)):
        raise ValueError(f"'root5' must be 0 to {len(_MERGED) - 1}; got {root!r}")
    return LabelledSentence(tuple(words), tuple(labels), root)


def _is_label(value: Any, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def _from_tree(line: str) -> LabelledSentence:
    """Leaves with their labels; unmatched brackets and a node without a label raise an error."""
    words: list[str] = []
    labels: list[int] = []
    root: int | None = None
    depth = 0
    tokens = _TOKEN.findall(line)
    following = iter(tokens)
    for token in following:
        if root is not None and not depth:
            raise ValueError(f"unexpected text after the end of the tree: {token!r}")
        if token == "(":
            label = _node_label(following)
            root = label if root is None else root
            depth += 1
        elif token == ")":
            depth -= 1
            if depth < 0:
                raise ValueError("a closing bracket has no opening bracket")
        elif depth:
            words.append(token)
            labels.append(_MERGED[label])
        else:
            raise ValueError(f"a tree must begin with a bracket; got {token!r}")
    if depth or not words:
        raise ValueError(f"{depth} brackets are not closed" if depth else "a tree without words")
    return LabelledSentence(tuple(words), tuple(labels), root)


def _node_label(tokens: Iterator[str]) -> int:
    label = next(tokens, "")
    if not re.fullmatch(r"[0-4]", label):
        raise ValueError(f"each node must begin with a label from 0 to 4; got {label!r}")
    return int(label)
