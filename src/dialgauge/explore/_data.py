"""The results of a finished run, each loaded once and only when it is needed.

So are the rooms that only some pages need, so that the first page loads faster.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, Corpus, read_corpus
from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.metrics import Scores
from dialgauge.study import FinishedRun

if TYPE_CHECKING:
    from dialgauge.affect import Tagger
    from dialgauge.metaeval import Verdicts

#: What a summary and its variants have in common.
PARENT = ("dialogue_id", "system", "role")
_VARIANTS, _VARIANT_SCORES = "variants", "variant-scores"
#: Taggers that are a table of words in the package: others read files or models, which would be too slow for a page.
_QUICK_TAGGERS = frozenset({"vader"})
#: Values beyond this many times the height of the box count as outliers, as in Tukey's box plot.
_FENCE = 1.5


class RunData:
    """A run as the explorer sees it. Summaries are found by their key; what the run does not have is None."""

    def __init__(self, run: FinishedRun) -> None:
        self.run = run

    @classmethod
    def open(cls, folder: Path | str) -> "RunData":
        """Open the folder of a run; only its manifest is read yet."""
        return cls(FinishedRun.open(folder))

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.run.name

    @cached_property
    def corpus(self) -> Corpus:
        """Dialogues, summaries and ratings as the study saw them."""
        return self.run.corpus

    @cached_property
    def scores(self) -> Scores:
        """The scores of the summaries."""
        return self.run.scores

    @cached_property
    def ratings(self) -> pl.DataFrame | None:
        """A row per rated summary and a column per dimension, aggregated as in the study."""
        return self.run.table("ratings")

    @cached_property
    def correlations(self) -> pl.DataFrame | None:
        """Metrics × dimensions at each level."""
        return self.run.table("correlations")

    @cached_property
    def trust(self) -> "Verdicts | None":
        """The verdict of the run: which metrics can be trusted; None where it has none."""
        from dialgauge.study import verdicts_of

        return verdicts_of(self.run)

    def trust_sign(self, metric: str, dimension: str) -> str:
        """Sign and words of the verdict on a metric; empty where there is none."""
        from dialgauge.report import level_words

        rows = [] if self.trust is None else [row for row in self.trust.rows if row.dimension == dimension]
        return next((level_words(row) for row in rows if row.metric == metric), "")

    @cached_property
    def shares(self) -> pl.DataFrame | None:
        """The shares of affective words in each summary and in its dialogue."""
        return self.run.table("psent")

    @cached_property
    def changes(self) -> pl.DataFrame | None:
        """The effect of each perturbation on each metric; None where the run made no variants."""
        return self.run.table("robustness-changes")

    @cached_property
    def expected(self) -> dict[str, str]:
        """What each perturbation does to a summary: it degrades it (perhaps mildly), or it preserves its meaning."""
        known = self._overall.filter(pl.col("expected").is_not_null())
        return dict(known.select("perturbation", "expected").unique(maintain_order=True).iter_rows())

    @cached_property
    def verdicts(self) -> dict[tuple[str, str], str | None]:
        """Metric and perturbation → the verdict of the run."""
        return {(row["metric"], row["perturbation"]): row["verdict"] for row in self._overall.iter_rows(named=True)}

    @cached_property
    def _overall(self) -> pl.DataFrame:
        verdicts = self.run.table("robustness-verdicts")
        if verdicts is None:
            return pl.DataFrame(schema=dict.fromkeys(("metric", "perturbation", "expected", "verdict"), pl.String))
        from dialgauge.metaeval import ANY_DIMENSION

        return verdicts.filter(pl.col("dimension") == ANY_DIMENSION)

    @cached_property
    def margin(self) -> float:
        """What counts as no change, in units of a metric."""
        settings = self.run.document("robustness.json")
        if settings is None:
            raise InputError(f"{self.run.folder}: the run did not measure robustness, so it has no margin")
        return float(settings["margin"])

    @cached_property
    def variants(self) -> pl.DataFrame | None:
        """The perturbed summaries, of the corpus and of the run, with the ``label`` of their perturbation."""
        frames = [self.corpus.summaries]
        if self._perturbed:
            frames.append(read_corpus(self.run.folder / _VARIANTS).summaries)
        found = _variants_of(frames)
        if found.is_empty():
            return None
        from dialgauge.metaeval import label_of

        return found.with_columns(pl.col("variant").map_elements(label_of, pl.String).alias("label"))

    @cached_property
    def variant_scores(self) -> pl.DataFrame:
        """The scores of the variants; empty where there are none."""
        frames = [self.scores.frame]
        if self._perturbed:
            frames.append(Scores.load(self.run.folder / f"{_VARIANT_SCORES}.parquet").frame)
        return _variants_of(frames)

    @property
    def _perturbed(self) -> bool:
        return bool(self.run.stage(_VARIANT_SCORES))

    @cached_property
    def originals(self) -> pl.DataFrame:
        """The scores of the original summaries."""
        return self.scores.frame.filter(pl.col("variant") == ORIGINAL)

    @cached_property
    def units(self) -> dict[tuple[str, str], float]:
        """Metric and perturbation → a change of 1 in the metric's own numbers, negative where lower is better."""
        if self.changes is None:
            return {}
        rows = self.changes.filter(pl.col("unit").is_finite(), pl.col("unit") > 0)
        return {
            (row["metric"], row["perturbation"]): -row["unit"] if row["direction"] == "lower" else row["unit"]
            for row in rows.iter_rows(named=True)
        }

    @cached_property
    def unit_of(self) -> str:
        """Whether the unit is the standard deviation between systems or between summaries."""
        known = [] if self.changes is None else self.changes["unit_of"].drop_nulls().to_list()
        return str(known[0]) if known else "systems"

    @cached_property
    def summaries(self) -> pl.DataFrame:
        """The original summaries, with the domain of their dialogue."""
        domains = self.corpus.dialogues.select("dialogue_id", "domain")
        originals = self.corpus.summaries.filter(pl.col("variant") == ORIGINAL)
        return originals.join(domains, on="dialogue_id", how="left", maintain_order="left")

    @cached_property
    def searched(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Dialogues and summaries in lower case, by their keys."""
        said = pl.col("turns").list.eval(
            pl.concat_str(
                pl.element().struct.field("speaker"),
                pl.element().struct.field("text"),
                separator=": ",
                ignore_nulls=True,
            )
        )
        dialogues = self.corpus.dialogues.select("dialogue_id", said.list.join("\n").str.to_lowercase().alias("text"))
        return dialogues, self.summaries.select(*KEY, pl.col("text").fill_null("").str.to_lowercase())

    @cached_property
    def domains(self) -> list[str]:
        """The domains of the dialogues, sorted."""
        return sorted(self.corpus.dialogues["domain"].drop_nulls().unique())

    @cached_property
    def systems(self) -> list[str]:
        """The authors of summaries: systems first, then references."""
        names = self.summaries["system"].unique().to_list()
        return [*self.corpus.systems, *sorted(set(names) - set(self.corpus.systems))]

    @cached_property
    def roles(self) -> list[str]:
        """The sides of a dialogue that summaries were written for."""
        return sorted(self.summaries["role"].unique())

    @property
    def metrics(self) -> list[str]:
        """The metrics with a value per summary."""
        return self.scores.metrics

    @cached_property
    def judging(self) -> list[str]:
        """The metrics that say which summary is better; the others are descriptive."""
        return [name for name in self.metrics if self.scores.directions.get(name, "none") != "none"]

    @cached_property
    def dimensions(self) -> list[str]:
        """The rated dimensions that the study used."""
        return [] if self.ratings is None else [name for name in self.ratings.columns if name not in KEY]

    @cached_property
    def fences(self) -> dict[str, tuple[float, float]]:
        """Metric → the values below and above which a summary is an outlier."""
        found = {}
        for name in self.metrics:
            low, high = (self.originals[name].quantile(share, "linear") for share in (0.25, 0.75))
            if low is not None and high is not None:
                found[name] = (low - _FENCE * (high - low), high + _FENCE * (high - low))
        return found

    @cached_property
    def feelings(self) -> "tuple[Tagger, str]":
        """The tagger that marks affective words on the pages, and a note about it."""
        from dialgauge.affect import DEFAULT, parse_spec, tagger

        wanted = str(self.run.stage("affect").get("settings", {}).get("tagger", DEFAULT))
        try:
            name, _, _ = parse_spec(wanted)
            if name in _QUICK_TAGGERS:
                return tagger(wanted), f"marked by the tagger {wanted}"
        except DialgaugeError as error:
            return tagger(DEFAULT), f"marked by the tagger {DEFAULT}; that of the run cannot be used here: {error}"
        return tagger(DEFAULT), f"marked by the tagger {DEFAULT}, which is fast; the run used {wanted}"

    def require(self, kind: str, name: str, known: "list[str] | Mapping[str, Any]") -> str:
        """The name, if it is one of those that are known here."""
        if name not in known:
            raise UnknownNameError(f"{kind} in this run", name, known)
        return name


def _variants_of(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """The rows that are not originals; those of the corpus come first, without duplicates."""
    every = pl.concat([frame.filter(pl.col("variant") != ORIGINAL) for frame in frames], how="diagonal_relaxed")
    return every.unique(KEY, keep="first", maintain_order=True)
