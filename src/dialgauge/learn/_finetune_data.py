"""Training data of neural metrics: rated summaries with their texts, and splits that share no dialogue."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, Corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings import RatingPolicy, Scale, find_scale, treat_ratings
from dialgauge.settings import takes

#: Minimum number of rated summaries for training.
LEAST = 20


@dataclass(frozen=True, slots=True)
class RatedSummary:
    """A summary, the texts that a metric can compare it with, and its rating.

    ``rating`` is on the scale of the corpus, ``share`` the same from 0 (lowest point) to 1 (highest). ``family`` is
    ``original`` or that of the perturbation; ``origin`` says where the rating comes from.
    """

    key: tuple[str, str, str, str]
    summary: str
    source: str
    references: tuple[str, ...]
    rating: float
    share: float
    family: str = ORIGINAL
    origin: str = "given"

    @property
    def dialogue_id(self) -> str:
        """The dialogue that it summarizes."""
        return self.key[0]


@dataclass(frozen=True, slots=True)
class RatedSplit:
    """Rated summaries in parts that share no dialogue."""

    train: tuple[RatedSummary, ...]
    dev: tuple[RatedSummary, ...]
    test: tuple[RatedSummary, ...] = ()

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for name in ("train", "dev", "test"):
            for dialogue in {item.dialogue_id for item in getattr(self, name)}:
                if dialogue in seen:
                    raise InputError(f"split: dialogue {dialogue!r} is in {seen[dialogue]} and in {name}")
                seen[dialogue] = name


@takes(RatingPolicy)
def target_ratings(
    corpus: Corpus, target: str, policy: RatingPolicy | None = None, **changes: Any
) -> tuple[pl.DataFrame, Scale]:
    """One rating per summary (key, ``value``) on the dimension ``target``, and the scale they are on."""
    policy = RatingPolicy.chosen(policy, {**changes, "dimensions": None}, "target_ratings")
    if target not in corpus.dimensions:
        raise UnknownNameError("dimension", target, corpus.dimensions)
    ratings = corpus.ratings.filter(pl.col("dimension") == target, pl.col("value").is_not_null())
    treated = treat_ratings(ratings, policy)
    names = treated.checked["scale"].unique().sort().to_list()
    if None in names:
        raise InputError(f"ratings of {target!r} declare no scale: give one, such as --scale 1-5")
    if len(names) > 1:
        raise InputError(
            f"ratings of {target!r} are on several scales ({', '.join(names)}): convert them to one scale first"
        )
    if not names:
        raise InputError(f"ratings of {target!r}: none has a value")
    return treated.aggregate().frame.drop_nulls("value").select(*KEY, "value"), find_scale(names[0])


def rated_summaries(
    corpus: Corpus, ratings: pl.DataFrame, scale: Scale, *, include_references: bool = False
) -> list[RatedSummary]:
    """The summaries of systems (with ``include_references`` those of kind reference too) that ``ratings`` has.

    ``ratings`` has the key and ``value``, and may have ``family`` and ``origin``. In the order of the corpus.
    """
    sources = {dialogue.id: dialogue.text for dialogue in corpus.iter_dialogues()}
    references: dict[tuple[str, str], list[str]] = {}
    for dialogue_id, role, text in corpus.references.select("dialogue_id", "role", "text").iter_rows():
        references.setdefault((dialogue_id, role), []).append(text or "")
    rows = corpus.summaries if include_references else corpus.summaries.filter(pl.col("kind") == "system")
    joined = rows.join(ratings, on=list(KEY), how="inner", maintain_order="left")
    width = scale.maximum - scale.minimum
    return [
        RatedSummary(
            tuple(row[name] for name in KEY),
            row["text"] or "",
            sources[row["dialogue_id"]],
            tuple(references.get((row["dialogue_id"], row["role"]), ())),
            row["value"],
            (row["value"] - scale.minimum) / width,
            row.get("family", ORIGINAL),
            row.get("origin", "given"),
        )
        for row in joined.iter_rows(named=True)
        if (row["text"] or "").strip()
    ]


def check_enough(items: Sequence[RatedSummary], what: str) -> None:
    """Raise an error if there are too few summaries to learn from, or all have the same rating."""
    if len(items) < LEAST:
        raise InputError(f"{what}: {len(items)} rated summaries; at least {LEAST} are needed")
    if len({item.rating for item in items}) == 1:
        raise InputError(f"{what}: all {len(items)} ratings are {items[0].rating:g}, so there is nothing to learn")


def split_dialogues(
    items: Iterable[RatedSummary], *, dev: float = 0.15, test: float = 0.0, seed: int = 0
) -> RatedSplit:
    """Train, development and test summaries; all of a dialogue, its variants included, on one side.

    Which side a dialogue goes to depends on its id and the seed, so further summaries of it follow it there.
    """
    for name, share in (("dev", dev), ("test", test)):
        if not 0 <= share < 1:
            raise ParameterError("split", name, "from 0 to below 1", share)
    if dev + test >= 1:
        raise ParameterError("split", "dev, test", "together below 1", f"{dev:g} and {test:g}")
    every = list(items)
    order = sorted({item.dialogue_id for item in every}, key=lambda name: _place(seed, name))
    held = max(1, math.floor(len(order) * test + 0.5)) if test else 0
    watched = max(1, math.floor((len(order) - held) * dev + 0.5)) if dev else 0
    if held + watched >= len(order):
        raise InputError(f"split: {len(order)} dialogues are too few for a training part and test parts")
    side = {name: "test" if i < held else "dev" if i < held + watched else "train" for i, name in enumerate(order)}
    parts = {name: tuple(i for i in every if side[i.dialogue_id] == name) for name in ("train", "dev", "test")}
    return RatedSplit(**parts)


def _place(seed: int, dialogue_id: str) -> str:
    return hashlib.sha256(f"{seed}:{dialogue_id}".encode()).hexdigest()


def with_families(items: Iterable[RatedSummary], families: Iterable[str]) -> tuple[RatedSummary, ...]:
    """Those of these families."""
    wanted = set(families)
    return tuple(item for item in items if item.family in wanted)
