"""Copies: the same text by several systems, which must not be on both sides of a split."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.learn._splits import Fold, find_split, folds_inside, make_folds

#: Systems that share at least this share of their texts are held out together.
SHARED = 0.5
#: Fewer groups of systems than these, and nothing is left to choose settings on once one is held out.
FEWEST = 3
#: One row of the copies of a validation.
COPIES = pl.Schema({"dialogue_id": pl.String(), "systems": pl.List(pl.String()), "text": pl.String()})
_BETWEEN_WORDS = re.compile(r"\W+")


def text_marks(corpus: Corpus) -> pl.DataFrame:
    """The key of every summary and a mark that is the same for equal texts of a dialogue, whatever their case."""
    rows = corpus.summaries.select(*KEY, "text")
    marks = [text_mark(row[-1] or "", row[0]) for row in rows.iter_rows()]
    return rows.select(KEY).with_columns(pl.Series("mark", marks, dtype=pl.String))


def text_mark(text: str, dialogue: str = "") -> str:
    """The same for texts of a dialogue that differ in case and punctuation only."""
    words = _BETWEEN_WORDS.sub(" ", text.casefold()).strip()
    return hashlib.sha256(f"{dialogue}\0{words}".encode()).hexdigest()[:16]


def find_copies(keys: pl.DataFrame, marks: Sequence[str]) -> pl.DataFrame:
    """Texts that several systems wrote for a dialogue, with these systems."""
    if not marks:
        return pl.DataFrame(schema=COPIES)
    return (
        keys.select("dialogue_id", "system")
        .with_columns(pl.Series("text", marks, dtype=pl.String))
        .group_by("dialogue_id", "text")
        .agg(pl.col("system").unique().sort().alias("systems"))
        .filter(pl.col("systems").list.len() > 1)
        .sort("dialogue_id", "text")
        .select(pl.col(name).cast(kind) for name, kind in COPIES.items())
    )


def system_families(keys: pl.DataFrame, marks: Sequence[str]) -> dict[str, str]:
    """Of each system the family that it belongs to: those that share at least half of their texts, and theirs."""
    systems = keys["system"].unique().sort().to_list()
    family = {name: name for name in systems}
    sizes = Counter(keys["system"].to_list())
    shared: Counter[tuple[str, str]] = Counter()
    for row in find_copies(keys, marks).iter_rows(named=True):
        shared.update(combinations(row["systems"], 2))
    for (one, other), count in sorted(shared.items()):
        if count >= SHARED * min(sizes[one], sizes[other]):
            kept, gone = sorted((family[one], family[other]))
            family = {name: kept if of == gone else of for name, of in family.items()}
    members: dict[str, list[str]] = {}
    for name, of in family.items():
        members.setdefault(of, []).append(name)
    return {name: " + ".join(members[of]) for name, of in family.items()}


def family_keys(keys: pl.DataFrame, marks: Sequence[str]) -> pl.DataFrame:
    """The keys with the family of each system in its place: what a split keeps apart."""
    if not marks:
        return keys
    return keys.with_columns(pl.col("system").replace_strict(system_families(keys, marks), return_dtype=pl.String))


def purged(fold: Fold, marks: Sequence[str]) -> Fold:
    """The fold without training rows whose text is that of a test row."""
    if not marks:
        return fold
    known = np.array(marks)
    copied = np.isin(known[fold.train], known[fold.test])
    return Fold(fold.name, fold.train[~copied], fold.test)


def apart_folds(split: str, keys: pl.DataFrame, marks: Sequence[str], *, folds: int, seed: int) -> list[Fold]:
    """The folds of a split, systems with the same texts held out together and copies of test rows not trained on."""
    grouped = family_keys(keys, marks)
    if "system" in find_split(split).apart and grouped["system"].n_unique() < FEWEST:
        names = ", ".join(grouped["system"].unique().sort())
        alike = (
            " that do not share most of their texts" if grouped["system"].n_unique() < keys["system"].n_unique() else ""
        )
        raise InputError(
            f"split {split!r} needs at least {FEWEST} systems{alike}; found {grouped['system'].n_unique()} ({names}): "
            "use the split 'dialogues'"
        )
    return [purged(fold, marks) for fold in make_folds(split, grouped, folds=folds, seed=seed)]


def apart_inside(split: str, keys: pl.DataFrame, marks: Sequence[str], folds: int, seed: int) -> list[Fold]:
    """The same inside the training rows, in few groups."""
    return [purged(fold, marks) for fold in folds_inside(split, family_keys(keys, marks), folds, seed)]
