"""Affective words in dialogues and summaries: shares of every pair, their distribution, and the filtered corpus."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.affect._filter import affective_pairs
from dialgauge.affect._psent import PARTS, as_tagger, psent
from dialgauge.affect._settings import DENOMINATOR, SPEAKER_TAGS, TAGGER, Denominator, FilterSettings, Tags
from dialgauge.affect._tagger import Tagger
from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.settings import takes

#: The two series whose distributions are compared, as the paper calls them.
SERIES = {"dialogue": "PSentDial", "summary": "PSentSumm"}


def shares_frame(
    corpus: Corpus, tagger: Tagger | str = TAGGER, *, denominator: Denominator = DENOMINATOR, tags: Tags = SPEAKER_TAGS
) -> pl.DataFrame:
    """A row per summary with PSent of its dialogue and of itself, for all, positive and negative words.

    The columns are the key of the summary, ``kind``, ``domain``, ``dialogue_all``, ``dialogue_positive``,
    ``dialogue_negative``, ``summary_all``, ``summary_positive`` and ``summary_negative``. A summary of one role stands
    beside the turns of that role. A share is null where a text has no words.
    """
    chosen = as_tagger(tagger)
    summaries = corpus.summaries.select(*KEY, "kind", pl.col("text").fill_null(""))
    dialogues = list(corpus.iter_dialogues())
    roles = summaries["role"].unique().to_list()
    keys = [(dialogue.id, role) for role in roles for dialogue in dialogues]
    said = [dialogue.side(role).text for role in roles for dialogue in dialogues]
    sides = [
        psent(said, chosen, denominator=denominator, tags=tags, speakers=True),
        psent(summaries["text"].to_list(), chosen, denominator=denominator, tags=tags),
    ]
    of_dialogue, of_summary = (
        {f"{name}_{part}": pl.Series(side.share(part), dtype=pl.Float64, nan_to_null=True) for part in PARTS}
        for name, side in zip(SERIES, sides, strict=True)
    )
    names = {"dialogue_id": [name for name, _ in keys], "role": [role for _, role in keys]}
    by_dialogue = pl.DataFrame(
        {column: pl.Series(values, dtype=pl.String) for column, values in names.items()} | of_dialogue
    ).join(corpus.dialogues.select("dialogue_id", "domain"), on="dialogue_id")
    found = summaries.drop("text").with_columns(**of_summary)
    return found.join(by_dialogue, on=["dialogue_id", "role"], how="left", maintain_order="left").select(
        *KEY, "kind", "domain", *of_dialogue, *of_summary
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of shares: quartiles, whiskers as in Tukey's box plot, and the number of values beyond them.

    A whisker ends at the outermost value within one and a half times the height of the box.
    """

    count: int
    mean: float
    low: float
    first: float
    median: float
    third: float
    high: float
    outside: int

    @classmethod
    def of(cls, values: pl.Series) -> "Spread | None":
        """The spread of the values that are not null; None without any."""
        known = values.drop_nulls().to_numpy()
        if not len(known):
            return None
        first, median, third = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
        reach = 1.5 * (third - first)
        inside = known[(known >= first - reach) & (known <= third + reach)]
        return cls(
            count=len(known),
            mean=float(known.mean()),
            low=float(inside.min()),
            first=first,
            median=median,
            third=third,
            high=float(inside.max()),
            outside=len(known) - len(inside),
        )


def affective(shares: pl.DataFrame) -> pl.DataFrame:
    """The pairs whose dialogue and summary both have an affective word: the filtered set of the paper's Figure 1."""
    return shares.filter((pl.col("dialogue_all") > 0) & (pl.col("summary_all") > 0))


def describe_shares(shares: pl.DataFrame, by: Sequence[str] = ("kind", "system")) -> pl.DataFrame:
    """The distribution of shares in groups of summaries, in the full and in the filtered set.

    A row per group, set (``full``, ``filtered``), series (``dialogue``, ``summary``) and part, with the number of
    pairs, mean, quartiles and whiskers; null in all of them where a group has no pair.
    """
    rows: list[dict[str, Any]] = []
    groups: Iterable[tuple[tuple[object, ...], pl.DataFrame]] = (
        shares.group_by(by, maintain_order=True) if by else [((), shares)]
    )
    empty = dict.fromkeys(Spread.__dataclass_fields__, None) | {"count": 0, "outside": 0}
    for key, group in groups:
        for name, chosen in (("full", group), ("filtered", affective(group))):
            for series in SERIES:
                for part in PARTS:
                    spread = Spread.of(chosen[f"{series}_{part}"])
                    numbers = {f: getattr(spread, f) for f in empty} if spread else empty
                    rows.append(
                        dict(zip(by, key, strict=True)) | {"set": name, "series": series, "part": part} | numbers
                    )
    numeric = {name: pl.Int64 if name in ("count", "outside") else pl.Float64 for name in empty}
    texts = dict.fromkeys([*by, "set", "series", "part"], pl.String)
    return pl.DataFrame(rows, schema=pl.Schema({**texts, **numeric}))


@dataclass(frozen=True, slots=True)
class Filtered:
    """A corpus without the pairs that have no affective word, and the counts of the paper's Table 4.

    ``full`` and ``kept`` count pairs of a dialogue and a reference; ``zero_dialogues`` and ``zero_summaries`` are those
    whose dialogue, or whose reference, has no affective word (a pair may be in both).
    """

    corpus: Corpus
    full: int
    kept: int
    zero_dialogues: int
    zero_summaries: int
    subsampled: bool = False

    @property
    def share(self) -> float | None:
        """The share of pairs that are kept; None where there were none."""
        return self.kept / self.full if self.full else None

    def as_dict(self) -> dict[str, Any]:
        """The counts, for JSON."""
        counts = {name: getattr(self, name) for name in ("full", "kept", "share", "zero_dialogues", "zero_summaries")}
        return counts | {"subsampled": self.subsampled, "dialogues": self.corpus.dialogues.height}


@takes(FilterSettings)
def filter_corpus(
    corpus: Corpus, tagger: Tagger | str = TAGGER, settings: FilterSettings | None = None, **changes: Any
) -> Filtered:
    """Remove pairs of dialogue and reference without affective words (Zhou, Ringeval and Portet 2024, section 5.1).

    ``keep`` says where affective words must be: in ``both`` texts, or in the ``dialogue`` or the ``summary`` alone. A
    dialogue stays while one of its references does, and with it the summaries of all systems. ``subsample`` keeps as
    many pairs, drawn at random from all: what a filtered set must be compared with, because size alone has effects.
    """
    asked = FilterSettings.chosen(settings, changes, "filter_corpus")
    pairs = affective_pairs(corpus, tagger)
    if pairs.is_empty():
        raise InputError(f"corpus {corpus.info.name!r} has no references, so there are no pairs to filter")
    wanted = {
        "both": pl.col("kept"),
        "dialogue": pl.col("dialogue_affective"),
        "summary": pl.col("summary_affective"),
    }[asked.keep]
    kept = pairs.filter(wanted)
    if kept.is_empty():
        raise InputError(
            f"corpus {corpus.info.name!r} has no pair with affective words (keep={asked.keep!r}), so no pairs are left"
        )
    if asked.subsample:
        drawn = np.random.default_rng(asked.seed).choice(pairs.height, kept.height, replace=False)
        kept = pairs[np.sort(drawn).tolist()]
    return Filtered(
        corpus=_restricted(corpus, kept),
        full=pairs.height,
        kept=kept.height,
        zero_dialogues=pairs.filter(~pl.col("dialogue_affective")).height,
        zero_summaries=pairs.filter(~pl.col("summary_affective")).height,
        subsampled=asked.subsample,
    )


def _restricted(corpus: Corpus, kept: pl.DataFrame) -> Corpus:
    dialogues = corpus.dialogues.join(kept, on="dialogue_id", how="semi", maintain_order="left")
    present = corpus.summaries.join(dialogues, on="dialogue_id", how="semi", maintain_order="left")
    chosen = pl.struct(KEY).is_in(kept.select(pl.struct(KEY)).to_series().implode())
    summaries = present.filter((pl.col("kind") == "system") | chosen)
    return corpus.restricted(dialogues, summaries)
