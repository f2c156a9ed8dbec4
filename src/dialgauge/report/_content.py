"""The contents of the report, taken from result tables: rows, ranks and sentences, but no statistics of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
from markupsafe import Markup

from dialgauge.corpus import CHOICE_KEY, KEY, Corpus
from dialgauge.errors import counted
from dialgauge.metaeval import COEFFICIENT_NAMES, headline
from dialgauge.metrics import SYSTEM_KEY, Scores
from dialgauge.resampling import CONFIDENCE
from dialgauge.tables import estimate, number
from dialgauge.web import data_value

if TYPE_CHECKING:
    from dialgauge.metaeval import Verdicts
    from dialgauge.report._panel import Panel
    from dialgauge.report._times import TimesData
    from dialgauge.report._written import WrittenData

#: Explanations of problems of a rating whose name does not explain itself.
_INVALID = {"unset": "unset zeros"}
#: A list of annotators who drift or are outliers has at most this many; the others are counted.
_MOST_ANNOTATORS = 10


def places(values: Sequence[float | None]) -> int:
    """The number of decimals for a group of numbers: the same for all, by the largest."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    return 3 if largest < 10 else 2 if largest < 1000 else 1


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence: a, b and c."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A correlation with its interval, oriented so that higher means closer to the ratings."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    reason: str | None = None

    def __str__(self) -> str:
        return estimate(self.value, self.low, self.high, between=", ")


def exact(shown: "Estimate | float | None") -> Markup:
    """The attribute from which the CSV of a table has the numbers of a cell: value, low, high, with more digits."""
    return data_value((shown.value, shown.low, shown.high) if isinstance(shown, Estimate) else shown)


@dataclass(frozen=True, slots=True)
class CountedRatings:
    """The single ratings that are used, and what happened to the others.

    Of the ``given`` ones, ``invalid`` counts those with a problem (unset, off the scale …); ``keeps_invalid`` says
    that they are used nevertheless. ``noise`` is the number that cleaning removed.
    """

    frame: pl.DataFrame
    given: int
    invalid: Mapping[str, int] = field(default_factory=dict)
    keeps_invalid: bool = False
    noise: int = 0

    def sentences(self) -> list[str]:
        """What was dropped, and why; empty if every rating is used."""
        said, bad = [], sum(self.invalid.values())
        if bad:
            kinds = ", ".join(f"{count} {_INVALID.get(kind, kind)}" for kind, count in self.invalid.items())
            done = "Kept, as set in the study file" if self.keeps_invalid else "Dropped"
            said.append(f"{done}: {bad} of {self.given} ratings that are not on their scale ({kinds}).")
        if self.noise:
            said.append(
                f"Removed by cleaning: {self.noise} of {self.given} ratings that contradict the majority of their "
                f"summary. {self.frame.height} are used."
            )
        return said


@dataclass(frozen=True, slots=True)
class Ranking:
    """The metrics of one dimension, the highest correlation first."""

    dimension: str
    level: str
    coefficient: str
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Metrics × dimensions for one level and coefficient."""

    level: str
    coefficient: str
    dimensions: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Estimate, ...]], ...]

    @property
    def words(self) -> str:
        """What the coefficient is called."""
        return COEFFICIENT_NAMES[self.coefficient]


@dataclass(frozen=True, slots=True)
class ReportData:
    """The results that a report shows; ``correlations`` are oriented (larger is better), and None without ratings.

    ``verdicts`` say which metrics can be trusted: the first screen is made from them and from nothing else.

    ``between`` is the frame of :func:`dialgauge.metaeval.correlation_matrix`, ``comparisons`` that of
    :func:`dialgauge.metaeval.metric_pairs`, ``cleaning`` has per dimension how many ``ratings`` there were, how many
    were ``removed``, and the agreement afterwards; ``written`` describes the summaries that the run generated.
    ``versions`` are those of the software, ``times`` the computing times; a report with times differs from run to run.
    ``counted`` are the single ratings behind ``ratings`` (default: those of the corpus), ``confidence`` is
    that of the tests. ``panels`` are further sections, in the order in which the appendix explains them.
    ``judged`` are sentences on labels and preferences, ``classes`` those of them on which there is no verdict; ``told``
    has for a dimension and a metric what the metric does with them; ``no_verdict`` says why there are no verdicts where
    there are judgements.
    """

    title: str
    corpus: Corpus
    scores: Scores
    correlations: pl.DataFrame | None = None
    verdicts: "Verdicts | None" = None
    ratings: pl.DataFrame | None = None
    agreement: pl.DataFrame | None = None
    drift: pl.DataFrame | None = None
    outliers: pl.DataFrame | None = None
    findings: Sequence[Mapping[str, Any]] = ()
    problems: Sequence[str] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    between: pl.DataFrame | None = None
    comparisons: pl.DataFrame | None = None
    cleaning: pl.DataFrame | None = None
    written: "WrittenData | None" = None
    versions: Mapping[str, str] = field(default_factory=dict)
    times: "TimesData | None" = None
    counted: CountedRatings | None = None
    confidence: float = CONFIDENCE
    panels: "Sequence[Panel]" = ()
    judged: Sequence[str] = ()
    classes: Sequence[str] = ()
    told: Mapping[tuple[str, str], str] = field(default_factory=dict)
    no_verdict: str = ""


def rankings(data: ReportData, level: str, coefficient: str) -> list[Ranking]:
    """One ranking per dimension, of the metrics that claim to judge (higher or lower is better)."""
    if data.correlations is None:
        return []
    rows = data.correlations.filter((pl.col("level") == level) & (pl.col("coefficient") == coefficient))
    found = []
    for dimension in rows["dimension"].unique().sort():
        estimates = [
            _estimate(row)
            for row in rows.filter(pl.col("dimension") == dimension).iter_rows(named=True)
            if row["direction"] != "none"
        ]
        estimates.sort(key=lambda entry: (entry.value is None, -(entry.value or 0.0), entry.metric))
        found.append(Ranking(dimension, level, coefficient, tuple(estimates)))
    return found


def heat_maps(data: ReportData) -> list[HeatMap]:
    """Every metric × dimension, one map per level and coefficient; first the one that the verdict uses."""
    if data.correlations is None:
        return []
    maps = []
    for (level, coefficient), rows in data.correlations.group_by("level", "coefficient", maintain_order=True):
        dimensions = tuple(rows["dimension"].unique().sort())
        cells = {(row["metric"], row["dimension"]): row for row in rows.iter_rows(named=True)}
        metrics = list(dict.fromkeys(rows["metric"]))
        body = tuple(
            (metric, tuple(_estimate(cells[metric, dimension]) for dimension in dimensions)) for metric in metrics
        )
        maps.append(HeatMap(str(level), str(coefficient), dimensions, body))
    verdict_is_about = headline(data.correlations)
    return sorted(maps, key=lambda one: (one.level, one.coefficient) != verdict_is_about)


def agreement_rows(data: ReportData) -> list[tuple[str, Estimate, str]]:
    """For all dimensions together, where there are several, and each of them: name, α with interval, and verdict."""
    if data.agreement is None:
        return []
    rows = data.agreement.filter(pl.col("measure") == "krippendorff-alpha").to_dicts()
    dimensions = {row["dimension"] for row in rows} - {None}
    named = dimensions.intersection(data.corpus.dimensions_of("nominal"))
    every = "all with an order" if named and dimensions - named else "all dimensions"
    return [
        (
            row["dimension"] or every,
            Estimate("α", row["value"], row["low"], row["high"]),
            row["verdict"] or row["note"] or "",
        )
        for row in rows
        if row["dimension"] or len(dimensions) > 1
    ]


def drifting(data: ReportData) -> list[str]:
    """The annotators who drift, as sentences; at most ten, the others counted."""
    if data.drift is None:
        return []
    rows = data.drift.filter("drifts").sort(pl.col("change").abs(), descending=True)
    said = [
        f"Annotator {row['annotator']} drifts on {row['dimension']}: {number(abs(row['change']))} points "
        f"{'up' if row['change'] > 0 else 'down'} from {_along(row.get('order'))}, relative to the others."
        for row in rows.head(_MOST_ANNOTATORS).iter_rows(named=True)
    ]
    return said + _more(rows.height, "drift")


def _along(order: str | None) -> str:
    """Without times, what looks like a drift follows the order of a table, and that must be said."""
    if order is None or not order.startswith("the order of the table"):
        return "first to last rating"
    return "the first to the last row of the table (not by time: the times of the ratings are not known)"


def standing_apart(data: ReportData) -> list[str]:
    """The outliers among the annotators, as sentences; at most ten, the others counted."""
    if data.outliers is None:
        return []
    rows = data.outliers.filter("outlier").sort("rise", descending=True)
    said = [
        f"Annotator {row['annotator']} is an outlier on {row['dimension']}: without these ratings α is "
        f"{number(row['alpha_without'])} instead of {number(row['alpha'])}."
        for row in rows.head(_MOST_ANNOTATORS).iter_rows(named=True)
    ]
    return said + _more(rows.height, "are outliers")


def _more(annotators: int, what: str) -> list[str]:
    more = annotators - _MOST_ANNOTATORS
    return [f"{more} more annotators {what}."] if more > 0 else []


def system_table(data: ReportData) -> tuple[list[str], list[tuple[str, list[float | None]]]]:
    """Systems, and for each dimension and metric the mean of every system."""
    means = data.scores.means()
    keys = means.select(SYSTEM_KEY)
    frames = [means]
    if data.ratings is not None:
        rated = data.ratings.group_by(SYSTEM_KEY).agg(pl.exclude(KEY).mean())
        # Separate from the scores: a metric may have the name of a dimension.
        frames.insert(0, keys.join(rated, on=list(SYSTEM_KEY), how="left", maintain_order="left"))
    names = [" / ".join(p for p in row if p not in ("original", "overall")) for row in keys.iter_rows()]
    rows = [(column, frame[column].to_list()) for frame in frames for column in frame.columns if column not in KEY]
    return names, rows


def rated_references(data: ReportData) -> list[str]:
    """The references that count as systems: they have scores and ratings."""
    references = data.corpus.references["system"].unique().to_list()
    return rated_systems(data).filter(pl.col("system").is_in(references))["system"].unique().sort().to_list()


def rated_systems(data: ReportData) -> pl.DataFrame:
    """The dialogues and systems that are analysed: their summaries have scores and ratings."""
    if data.ratings is None:
        return data.scores.frame.select("dialogue_id", "system").clear()
    here = data.scores.frame.join(data.ratings, on=list(KEY), how="semi")
    return here.select("dialogue_id", "system").unique(maintain_order=True)


def corpus_facts(corpus: Corpus) -> list[tuple[str, str]]:
    """Facts about the corpus, as label and value."""
    turns = corpus.dialogues["turns"].list.len()
    words = corpus.summaries["text"].str.split(" ").list.len()
    facts = [
        ("dialogues", f"{corpus.dialogues.height}, of {_span(turns)} turns"),
        ("systems", ", ".join(corpus.systems)),
        ("references", f"{corpus.references.height}"),
        ("summaries", f"{corpus.summaries.height}, of {_span(words)} words"),
    ]
    domains = corpus.dialogues["domain"].drop_nulls().value_counts(sort=True)
    if not domains.is_empty():
        facts.append(("domains", ", ".join(f"{name} {count}" for name, count in domains.sort("domain").iter_rows())))
    facts += _judgement_facts(corpus)
    facts += [(f"account of {one.file}", one.sentence()) for one in corpus.accounts if one.cells]
    return facts


def _judgement_facts(corpus: Corpus) -> list[tuple[str, str]]:
    """How many judgements of each kind there are, of how many people, on which dimensions."""
    marks, read = corpus.spans.filter(pl.col("start").is_not_null()).height, pl.struct(*KEY, "annotator", "dimension")
    questions = corpus.choices.select(CHOICE_KEY[:5]).unique().height
    counts = {
        "ratings": f"{corpus.ratings.height}",
        "preferences": f"{corpus.preferences.height}",
        "choices": counted(questions, "answer"),
        "spans": f"{marks} in {counted(corpus.spans.select(read).n_unique(), 'reading')}",
    }
    names = {"choices": "best–worst choices", "spans": "marked errors"}
    facts = []
    for table, count in counts.items():
        frame: pl.DataFrame = getattr(corpus, table)
        if frame.height:
            people = counted(frame["annotator"].n_unique(), "annotator")
            on = ", ".join(sorted(frame["dimension"].unique()))
            facts.append((names.get(table, table), f"{count} by {people} on {on}"))
    return facts


def _span(counts: pl.Series) -> str:
    low, high = counts.min(), counts.max()
    return f"{low!s} to {high!s}"


def _estimate(row: Mapping[str, Any]) -> Estimate:
    return Estimate(row["metric"], row["value"], row["low"], row["high"], row["reason"])
