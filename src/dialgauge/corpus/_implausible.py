"""What was read that people do not give: by the judgements and texts alone, however the file was read.

Each check asks for something that would not be seen if the values were those of people who judge one summary after the
other: one judgement for all systems, numbers of summaries, means of the others, one summary under many dialogues.
"""

import math
import re
from collections.abc import Callable, Container
from functools import partial
from typing import Any

import polars as pl

from dialgauge.corpus._model_names import is_named_like_model
from dialgauge.corpus._names import is_dimension, normalised
from dialgauge.errors import counted

#: Who gave judgements that name nobody.
NOBODY = "1"
#: Chance agreement below this is none. People who judge several systems of a dialogue alike are far above it.
_BY_CHANCE = 1e-8
_JUDGED = ("ratings", "preferences", "choices", "spans")
_SUMMARY = ("dialogue_id", "system", "variant", "role")
#: Fewer summaries than this prove nothing.
_FEWEST = 8
_MOSTLY = 0.9
#: Half of the last place of a mean that was rounded to one or two places.
_ROUNDED = 0.051


def implausible(parts: Any, known: bool = False, said: Container[str] = frozenset()) -> list[str]:
    """Why judgements or texts were read wrongly, each as a sentence. A ``known`` layout says which texts recur.

    The user has ``said`` that these are dimensions.
    """
    mapped = [name for name in parts.ratings["dimension"].unique() if name in said]
    ratings = parts.ratings.filter(pl.col("value").is_not_null() & ~pl.col("dimension").is_in(mapped))
    # Most files have no judgements: none of the queries is needed to say that nothing is wrong with them.
    checks: tuple[Callable[[pl.DataFrame], list[str]], ...] = (
        _copied,
        _numbered,
        _means,
        partial(_told_by_less, known=known),
        _computed,
        _of_nobody,
    )
    found = [] if ratings.is_empty() else [sentence for check in checks for sentence in check(ratings)]
    found += _whole_texts_marked(parts)
    if known:
        return found
    judged = any(getattr(parts, name).height for name in _JUDGED if hasattr(parts, name))
    few = [*_a_few_names(parts), *_same_dialogues(parts)] if judged else []
    return [*found, *_same_texts(parts), *_names_as_texts(parts), *_same_writers(parts), *few]


def _copied(ratings: pl.DataFrame) -> list[str]:
    """The dimensions whose every value is that of all systems of its dialogue."""
    groups = (
        ratings.group_by("dimension", "dialogue_id", "role", "annotator", "sentence")
        .agg(pl.struct("system", "variant").n_unique().alias("systems"), pl.col("value").n_unique().alias("values"))
        .filter(pl.col("systems") > 1)
        .group_by("dimension")
        .agg(pl.col("values").max(), (pl.col("systems") - 1).sum().alias("again"))
        .filter(pl.col("values") == 1)
    )
    chances = dict(ratings.group_by("dimension").agg(_same_by_chance()).iter_rows())
    found = [name for name, _, again in groups.iter_rows() if again * math.log(chances[name]) < math.log(_BY_CHANCE)]
    return [
        f"{name!r} has the same value for every system of a dialogue: one judgement was given to all of them. Give "
        f"each system a column of its own, or leave it out (--map ignore={name})"
        for name in sorted(found)
    ]


def _of_nobody(ratings: pl.DataFrame) -> list[str]:
    """Judgements of nobody, who are counted as those of ``1``, where others have names."""
    people = {name for name in ratings["annotator"].unique() if not is_named_like_model(name)}
    named = sorted(name for name in people if re.search(r"[^\W\d_]", name))
    if NOBODY not in people or len(named) != len(people) - 1 or not named:
        return []
    count = ratings.filter(pl.col("annotator") == NOBODY).height
    such = ", ".join(map(repr, named[:3]))
    return [
        f"{counted(count, 'judgement')} of nobody (stored as those of {NOBODY!r}) beside those of {such}: they may be "
        "means, a consensus or a program's. Give each its annotator, or leave the field out (--map ignore=PATH)"
    ]


def _same_by_chance() -> pl.Expr:
    """The probability that two values of a dimension are the same."""
    counts = pl.col("value").value_counts().struct.field("count")
    return ((counts / counts.sum()) ** 2).sum()


#: What alone would decide a value that is no judgement, and how to say so.
_LESS = {
    ("system",): "each system",
    ("annotator",): "each annotator",
    ("system", "annotator"): "each system, whatever the dialogue, as each annotator sees it",
}
#: So many judgements show what decides them.
_MOST_ROWS = 20_000


def _told_by_less(ratings: pl.DataFrame, known: bool) -> list[str]:
    """The dimensions whose values are decided by less than a summary and who judges it: facts, and no judgements.

    A tool that is ``known`` says of each answer that somebody gave it: then a known name may be the same throughout.
    """
    ratings = ratings.head(_MOST_ROWS)
    chances = dict(ratings.group_by("dimension").agg(_same_by_chance()).iter_rows())
    found: dict[str, str] = {}
    for key, said in _LESS.items():
        decided = _decided(ratings, key, chances, apart="dialogue_id")
        if len(key) == 1 or len(decided) < len(chances):
            found = {**dict.fromkeys(decided, said), **found}
    item = (*_SUMMARY, "sentence")
    # People may well agree on what a known name says, as on the fluency of a few summaries.
    unanimous = [
        name for name in _decided(ratings, item, chances, apart="annotator") if not is_dimension(normalised(name))
    ]
    if known:
        found = {name: said for name, said in found.items() if not is_dimension(normalised(name))}
    differing = set(chances) - set(unanimous) if unanimous else set()
    if any(_has_several(ratings, name) for name in differing):
        found = {**dict.fromkeys(unanimous, "each summary, whoever judges it, and others are not"), **found}
    return [
        f"{name!r} is the same for {said}: a fact, and no judgement. Leave it out (--map ignore={name}), or map it "
        f"(--map dimension:NAME=COLUMN)"
        for name, said in sorted(found.items())
    ]


def _decided(ratings: pl.DataFrame, key: tuple[str, ...], chances: dict[str, float], apart: str) -> list[str]:
    """The dimensions with one value for each ``key`` over several of what is ``apart``, beyond chance."""
    groups = (
        ratings.group_by("dimension", *key)
        .agg(pl.col(apart).n_unique().alias("apart"), pl.len(), pl.col("value").n_unique().alias("values"))
        .group_by("dimension")
        .agg(pl.col("values").max(), (pl.col("len") - 1).filter(pl.col("apart") > 1).sum())
        .filter(pl.col("values") == 1)
    )
    return [name for name, _, again in groups.iter_rows() if again * math.log(chances[name]) < math.log(_BY_CHANCE)]


def _has_several(ratings: pl.DataFrame, name: str) -> bool:
    """Whether several people judged most summaries on a dimension."""
    sizes = ratings.filter(pl.col("dimension") == name).group_by(*_SUMMARY, "sentence").len()["len"]
    return int((sizes > 1).sum()) * 2 > len(sizes)


def _computed(ratings: pl.DataFrame) -> list[str]:
    """Dimensions of unknown names whose values have more places than answers of people, or means of a few, have."""
    found = []
    for (name,), given in ratings.head(_MOST_ROWS).group_by("dimension", maintain_order=True):
        values = given["value"].unique()
        if len(values) < _FEWEST or is_dimension(normalised(str(name))):
            continue
        parts = pl.DataFrame([(values * people).alias(str(people)) for people in range(1, _MOST_PEOPLE + 1)])
        off = parts.select((pl.all() - pl.all().round()).abs())
        near = off.select(
            pl.any_horizontal(pl.col(str(n)) < n * _LAST_PLACE for n in range(1, _MOST_PEOPLE + 1))
        ).to_series()
        if int((~near).sum()) * 2 > len(values):
            found.append(
                f"{name!r} has values such as {values[0]:g}, which programs compute: leave it out (--map "
                f"ignore={name}), or say that people gave them (--map dimension:NAME=COLUMN)"
            )
    return found


#: Means of more people than this are as fine as what programs compute; what is half of the third place is rounding.
_MOST_PEOPLE, _LAST_PLACE = 10, 0.0006


def _numbered(ratings: pl.DataFrame) -> list[str]:
    """The dimensions whose values count up: a number of its own for every summary, or for every judgement."""
    found = []
    for (name,), given in ratings.group_by("dimension", maintain_order=True):
        numbers = given["value"].unique().sort()
        counting = (
            len(numbers) >= _FEWEST and numbers.round().equals(numbers) and numbers[-1] - numbers[0] < len(numbers)
        )
        each = len(numbers) in (given.height, given.select(_SUMMARY).n_unique())
        if counting and each and given["dialogue_id"].n_unique() > 1:
            found.append(
                f"{name!r} counts up from {numbers[0]:g} to {numbers[-1]:g}, which numbers rows and judges nothing: "
                f"leave it out (--map ignore={name})"
            )
    return found


def _means(ratings: pl.DataFrame) -> list[str]:
    """The annotators whose values are the means of all others."""
    item = ("dimension", *_SUMMARY, "sentence")
    others = (
        ratings.with_columns(pl.len().over(item).alias("people"), pl.col("value").sum().over(item).alias("sum"))
        .filter(pl.col("people") > 2)
        .with_columns(((pl.col("sum") - pl.col("value")) / (pl.col("people") - 1)).alias("mean"))
        .group_by("annotator")
        .agg(
            pl.len().alias("items"),
            ((pl.col("value") - pl.col("mean")).abs() <= _ROUNDED).mean().alias("same"),
            (pl.col("value") % 1 > 0).any().alias("parts"),
        )
    )
    found = others.filter((pl.col("items") >= _FEWEST) & (pl.col("same") >= _MOSTLY) & pl.col("parts"))
    return [
        f"the judgements of {name!r} are the means of the others': leave the column out (--map ignore={name})"
        for name in sorted(map(str, found["annotator"]))
    ]


def _same_texts(parts: Any) -> list[str]:
    """Whether most summaries occur word for word under several dialogues, of which nothing was said."""
    texts = getattr(parts, "summaries", None)
    if texts is None or parts.dialogues["turns"].list.len().fill_null(0).sum():
        return []
    texts = texts.filter(pl.col("text").str.len_chars() > 0)
    different = texts.select("system", "text").n_unique() if texts.height else 0
    if texts.height < _FEWEST or different * 2 > texts.height or texts["dialogue_id"].n_unique() * 2 < texts.height:
        return []
    return [
        f"{counted(texts.height, 'summary', 'summaries')}, of which only {different:,} are different: name the column "
        "that says which dialogue each is of (--map dialogue_id=COLUMN)"
    ]


def _whole_texts_marked(parts: Any) -> list[str]:
    """Whether nearly all marked places are whole summaries: then nobody has marked a place in them."""
    spans = getattr(parts, "spans", None)
    marked = spans.filter(pl.col("start").is_not_null() & (pl.col("side") == "summary")) if spans is not None else None
    if marked is None or marked.height < _FEWEST:
        return []
    key = list(_SUMMARY)
    texts = parts.summaries.select(*key, pl.col("text").str.strip_chars().str.len_chars().alias("_size"))
    places = marked.join(texts, on=key, how="inner")
    whole = int(((places["end"] - places["start"]) >= places["_size"]).sum())
    if whole < _MOSTLY * marked.height:
        return []
    return [
        f"{whole:,} of {counted(marked.height, 'marked place')} are whole summaries: give the offsets as start and "
        "end, or take the marks out of the texts if they mark no errors"
    ]


def _a_few_names(parts: Any) -> list[str]:
    """Whether the summaries are names that recur under the dialogues: those of the systems, rather than texts."""
    texts = getattr(parts, "summaries", None)
    if texts is None:
        return []
    given = texts.filter(pl.col("text").str.len_chars() > 0)["text"]
    words = given.head(_MOST_TEXTS).str.count_matches(r"\S+").mean() if len(given) >= _FEWEST else None
    if not isinstance(words, float) or words >= _WORDS or given.n_unique() * 3 > len(given):
        return []
    such = ", ".join(map(repr, given.unique(maintain_order=True)[:3]))
    return [
        f"the summaries are a few names ({such}) that recur: if they name the systems, --map system=COLUMN, and map "
        "the column of the texts (--map summary=COLUMN), or ignore it"
    ]


def _names_as_texts(parts: Any) -> list[str]:
    """The systems whose summaries are names of systems: those are votes, and no texts."""
    texts = getattr(parts, "summaries", None)
    if texts is None or texts.is_empty():
        return []
    names = {_plain(name) for name in texts["system"].unique()}
    found = []
    short = texts.filter(pl.col("text").str.len_chars().is_between(1, _LONGEST_VOTE))
    for (system,), own in short.group_by("system", maintain_order=True):
        words = [[_plain(word) for word in _VOTES.split(text) if _plain(word)] for text in own["text"].head(_FEWEST)]
        if own.height > 1 and all(said and names >= set(said) for said in words):
            found.append(
                f"the summaries of {system!r} are names of systems, such as {own['text'][0]!r}: if it holds votes, "
                "give each its annotator in a row of its own, or leave it out (--map ignore=COLUMN)"
            )
    return found


#: Texts of fewer words on average are names.
_WORDS = 3
_LONGEST_VOTE = 200
_VOTES = re.compile(r"[\[\],;|\"\n]+")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", str(name).lower())


def _same_dialogues(parts: Any) -> list[str]:
    """Whether most dialogues are the same word for word: then their ids are those of something else."""
    texts = parts.dialogues.filter(pl.col("turns").list.len() > 0)["turns"] if hasattr(parts, "dialogues") else []
    if not _FEWEST <= len(texts) <= _MOST_TEXTS:
        return []
    different = len({tuple(turn["text"] for turn in turns) for turns in texts})
    written = parts.summaries.filter(pl.col("kind") == "system")
    alone = written["system"].n_unique() > 1 and written["dialogue_id"].n_unique() == written.height
    again = written.select("system", "text").n_unique() * 2 <= written.height
    if different * 2 > len(texts) or not (alone or again):
        return []
    return [
        f"{len(texts):,} dialogues, of which only {different:,} are different: name the column that says which "
        "dialogue each row is of (--map dialogue_id=COLUMN)"
    ]


_MOST_TEXTS = 5_000


def _same_writers(parts: Any) -> list[str]:
    """Whether systems write the same texts word for word: then they are people who judge, or batches."""
    texts = getattr(parts, "summaries", None)
    if texts is None or parts.ratings.is_empty():
        return []
    written = texts.filter((pl.col("text").str.len_chars() > 0) & (pl.col("kind") == "system"))
    groups = written.group_by("dialogue_id", "role", "text").agg(pl.col("system").n_unique().alias("n"), pl.len())
    same = int(groups.filter(pl.col("n") > 1)["len"].sum())
    if written.height < _FEWEST or same < _MOSTLY * written.height:
        return []
    names = ", ".join(map(repr, written["system"].unique(maintain_order=True)[:3]))
    return [
        f"the systems ({names}) have the same summaries word for word: if they are annotators, name them as such "
        "(--map annotator=COLUMN); name the column that says who wrote each summary (--map system=COLUMN)"
    ]
