"""Controls: values of a summary that know nothing of its quality, measured like metrics."""

from hashlib import blake2b

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, Corpus
from dialgauge.language import unicode_words
from dialgauge.metaeval._names import FloatArray

LENGTH = "length"
SYSTEM_MEAN = "system-oracle"
#: Each control with what it is.
CONTROL_NAMES = {
    LENGTH: "number of words of the summary",
    "length-difference": "how close the length is to that of the reference",
    "shared-words": "number of words that the summary shares with the dialogue",
    "random": "a number drawn from the text",
    SYSTEM_MEAN: "mean rating of the system on the other dialogues",
}
#: Columns of controls begin with this, so that no metric has their name.
PREFIX = "control:"


def control_frame(corpus: Corpus, systems: list[str], role: str, variant: str) -> pl.DataFrame:
    """The key and a column per control that is made from texts, for the summaries of these systems."""
    kept = corpus.summaries.filter(
        pl.col("system").is_in(systems), pl.col("role") == role, pl.col("variant") == variant
    )
    dialogues = {
        row["dialogue_id"]: {word.lower() for turn in row["turns"] for word in unicode_words(turn["text"])}
        for row in corpus.dialogues.join(kept, on="dialogue_id", how="semi").iter_rows(named=True)
    }
    wanted = _reference_lengths(corpus, role)
    rows = []
    for key in kept.select(*KEY, "text").iter_rows(named=True):
        words = unicode_words(key.pop("text") or "")
        text = " ".join(words)
        length, aim = len(words), wanted.get(key["dialogue_id"])
        shared = len({word.lower() for word in words} & dialogues.get(key["dialogue_id"], set()))
        drawn = int.from_bytes(blake2b(text.encode(), digest_size=6).digest()) / 2**48
        rows.append((*key.values(), length, None if aim is None else -abs(length - aim), shared, drawn))
    names = [f"{PREFIX}{name}" for name in CONTROL_NAMES if name != SYSTEM_MEAN]
    schema = dict.fromkeys(KEY, pl.String) | dict.fromkeys(names, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _reference_lengths(corpus: Corpus, role: str) -> dict[str, float]:
    """The mean number of words of the references of each dialogue."""
    references = corpus.references.filter(pl.col("role") == role, pl.col("variant") == ORIGINAL)
    lengths: dict[str, list[int]] = {}
    for dialogue, text in references.select("dialogue_id", "text").iter_rows():
        lengths.setdefault(dialogue, []).append(len(unicode_words(text or "")))
    return {dialogue: float(np.mean(each)) for dialogue, each in lengths.items()}


def dialogue_covariates(corpus: Corpus, dialogues: tuple[str, ...]) -> FloatArray:
    """Per dialogue the logarithm of its words, and its turns: what systems may react to differently."""
    found = {
        row["dialogue_id"]: (sum(len(unicode_words(turn["text"])) for turn in row["turns"]), len(row["turns"]))
        for row in corpus.dialogues.filter(pl.col("dialogue_id").is_in(dialogues)).iter_rows(named=True)
    }
    words, turns = np.array([found[name] for name in dialogues], dtype=np.float64).reshape(-1, 2).T
    return np.stack([np.log1p(words), turns])


def system_means(ratings: FloatArray) -> FloatArray:
    """For each rating the mean of the same system on the other dialogues: what knowing the author alone reaches."""
    present = ~np.isnan(ratings)
    total = np.where(present, ratings, 0.0).sum(axis=2, keepdims=True)
    count = present.sum(axis=2, keepdims=True)
    others = np.where(present, total - np.where(present, ratings, 0.0), np.nan)
    known = present & (count > 1)
    return np.asarray(np.divide(others, count - 1, out=np.full(ratings.shape, np.nan), where=known))
