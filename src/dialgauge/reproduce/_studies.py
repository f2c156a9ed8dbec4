"""The results of one human evaluation, whether printed in a paper or computed from ratings."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL, OVERALL, USES, read_text
from dialgauge.errors import InputError, ParameterError, counted
from dialgauge.ratings import MEASURES, OnInvalid, RatingPolicy, Scale, aggregate, agreement, find_scale, verdict
from dialgauge.reproduce._intervals import half_step
from dialgauge.reproduce._printed import Printed, parse_printed
from dialgauge.settings import takes

#: What identifies a result within a study.
CELL = ("dimension", "role", "system")
RESULTS = pl.Schema(
    {
        "dimension": pl.String,
        "role": pl.String,
        "system": pl.String,
        "value": pl.Float64,
        "n": pl.Int64,  # summaries behind the value, where known
        "stars": pl.Int64,  # significance as printed; null where values are computed
        "scale": pl.String,
        "half_width": pl.Float64,  # half the rounding step of a printed value; 0 for one that was computed
    }
)
#: The dimension that is the mean of all others.
OVERALL_DIMENSION = "overall"
_COLUMNS = ("system", "dimension", "role", "value", "n", "scale")
_NEEDED = ("system", "dimension", "value")
#: Columns of a file with ratings of single summaries, which a table of results does not have.
_CORPUS_USES = ("dialogue_id", "dialogue", "summary", "reference", "annotator", "variant", "sentence")


@dataclass(frozen=True, slots=True)
class Agreed:
    """The agreement of a study's annotators: the measure, its value, and whether it is computed or reported."""

    measure: str
    value: float | None
    origin: str
    note: str = ""

    @property
    def verdict(self) -> str | None:
        """In words, where the measure has a convention for it."""
        return verdict(self.measure, self.value) if self.measure in MEASURES else None


@dataclass(frozen=True, slots=True)
class StudyResults:
    """A value for every system, dimension and role of one study.

    ``frame`` has the columns of ``RESULTS``, in the order of the study. Where the results were computed from
    ``ratings``, ``summaries`` has a value per summary and dimension, "overall" (the mean of the dimensions) among them.
    ``setting_of`` names the study where these results are one of several ways to treat its ratings. ``invalid`` counts
    the ratings that were left out because their scale does not allow them, by problem ("unset", "off the scale",
    "between two points"); ``notes`` say what had to be assumed when the file was read, and how many such ratings count
    all the same. ``adds_overall`` says that "overall" was not rated but added as the mean of the other dimensions.
    """

    name: str
    frame: pl.DataFrame
    agreement: tuple[Agreed, ...] = ()
    ratings: pl.DataFrame | None = None
    summaries: pl.DataFrame | None = None
    setting_of: str | None = None
    invalid: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    adds_overall: bool = False

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the results must know, in words: the notes, and how many ratings were left out and why."""
        return (*self.notes, *((_left_out(self.invalid),) if self.invalid else ()))

    @property
    def systems(self) -> list[str]:
        """The systems in the order of the study."""
        return self.frame["system"].unique(maintain_order=True).to_list()

    @property
    def dimensions(self) -> list[str]:
        """The dimensions in the order of the study."""
        return self.frame["dimension"].unique(maintain_order=True).to_list()

    @property
    def roles(self) -> list[str]:
        """The roles in the order of the study."""
        return self.frame["role"].unique(maintain_order=True).to_list()

    def value(self, dimension: str, role: str, system: str) -> float | None:
        """One value; None where the study has none."""
        return self.values().get((dimension, role, system))

    def values(self) -> dict[tuple[str, str, str], float]:
        """All values by (dimension, role, system)."""
        return {(row[0], row[1], row[2]): row[3] for row in self.frame.select(*CELL, "value").iter_rows()}

    def scale(self, dimension: str) -> Scale | None:
        """The scale of a dimension; None if it is not named."""
        names = self.frame.filter(pl.col("dimension") == dimension)["scale"].drop_nulls().unique(maintain_order=True)
        if names.len() > 1:
            raise InputError(f"study {self.name!r}: dimension {dimension!r} is on several scales: {', '.join(names)}")
        return find_scale(names[0]) if names.len() else None

    def with_scale(self, scale: str) -> "StudyResults":
        """The same results, all on this scale."""
        return _checked(replace(self, frame=self.frame.with_columns(pl.lit(find_scale(scale).name).alias("scale"))))

    def with_agreement(self, value: float, measure: str = "as reported") -> "StudyResults":
        """The same results with an agreement that the study reports."""
        return replace(self, agreement=(*self.agreement, Agreed(measure, value, "reported")))

    def normalised(self) -> "StudyResults":
        """Every value from 0 (lowest point of its scale) to 1 (highest point)."""
        if self.ratings is not None:
            raise ParameterError(
                "normalised", "study", "printed results; pass normalised=True to rated_results", self.name
            )
        lows: dict[str, float] = {}
        widths: dict[str, float] = {}
        for dimension in self.dimensions:
            scale = self.scale(dimension)
            if scale is None:
                raise InputError(
                    f"study {self.name!r}: dimension {dimension!r} has no scale, so it cannot be normalised to 0–1"
                )
            lows[dimension], widths[dimension] = scale.minimum, scale.maximum - scale.minimum
        low = pl.col("dimension").replace_strict(lows, return_dtype=pl.Float64)
        width = pl.col("dimension").replace_strict(widths, return_dtype=pl.Float64)
        return replace(
            self,
            frame=self.frame.with_columns(
                ((pl.col("value") - low) / width).alias("value"),
                (pl.col("half_width") / width).alias("half_width"),
                pl.lit("0-1").alias("scale"),
            ),
        )


def printed_results(rows: Iterable[Mapping[str, object]], name: str, *, decimals: int | None = None) -> StudyResults:
    """Results as a paper prints them.

    Each row has ``system``, ``dimension``, ``value`` and, if need be, ``role``, ``n`` (summaries) and ``scale``. A
    value is a text as printed (``"0.59*"``: the star is kept) or a number. The rounding step of a dimension follows
    from the most decimals that one of its numbers has, since spreadsheets cut trailing zeros; ``decimals`` sets it.
    """
    return _from_rows(((f"study {name!r}, row {i}", row) for i, row in enumerate(rows, start=1)), name, decimals)


def _from_rows(
    rows: Iterable[tuple[str, Mapping[str, object]]], name: str, decimals: int | None = None
) -> StudyResults:
    cells: dict[tuple[str, str, str], dict[str, object]] = {}
    places: dict[tuple[str, str, str], int] = {}
    seen: dict[tuple[str, str, str], str] = {}
    for where, row in rows:
        cell, number = _cell(row, where)
        key = (str(cell["dimension"]), str(cell["role"]), str(cell["system"]))
        if key in cells:
            raise InputError(f"two rows for one cell, {' / '.join(key)}: {seen[key]} and {where}")
        cells[key], places[key], seen[key] = cell, number.decimals, where
    if not cells:
        raise InputError(f"study {name!r} has no rows; expected the columns {', '.join(_COLUMNS)}")
    if decimals is not None and decimals < max(places.values()):
        raise ParameterError(f"study {name!r}", "decimals", "at least those of the printed numbers", decimals)
    for (dimension, *_), cell in cells.items():
        most = max(number for key, number in places.items() if key[0] == dimension)
        cell["half_width"] = half_step(most if decimals is None else decimals)
    return _checked(StudyResults(name, pl.DataFrame(list(cells.values()), schema=RESULTS)))


def _cell(row: Mapping[str, object], where: str) -> tuple[dict[str, object], Printed]:
    for column in _NEEDED:
        if row.get(column) is None or not str(row[column]).strip():
            raise InputError(f"{where}: no {column}")
    printed = parse_printed(str(row["value"]), f"{where}, {row['dimension']} / {row['system']}")
    n = str(row.get("n") or "").strip()
    if n and not n.isdigit():
        raise InputError(f"{where}: n must be a whole number; got {n!r}")
    scale = str(row.get("scale") or "").strip()
    cell = {
        "dimension": str(row["dimension"]).strip(),
        "role": str(row.get("role") or OVERALL).strip(),
        "system": str(row["system"]).strip(),
        "value": float(printed.value),
        "n": int(n) if n else None,
        "stars": printed.stars,
        "scale": find_scale(scale).name if scale else None,
    }
    return cell, printed


def _checked(results: StudyResults) -> StudyResults:
    """Refuse values that their scale does not allow."""
    for dimension in results.dimensions:
        scale = results.scale(dimension)
        if scale is None:
            continue
        part = results.frame.filter(pl.col("dimension") == dimension)
        # A printed number may stand for one that lies on the scale though its rounding does not.
        slack = pl.col("half_width")
        bad = part.filter(~pl.col("value").is_between(scale.minimum - slack, scale.maximum + slack))
        if bad.height:
            row = bad.row(0, named=True)
            key = " / ".join(row[column] for column in CELL)
            raise InputError(f"study {results.name!r}: {key} is {row['value']:g}, off its scale {scale.name}")
    return results


@takes(RatingPolicy)
def rated_results(
    ratings: pl.DataFrame,
    name: str,
    policy: RatingPolicy | None = None,
    *,
    normalised: bool = False,
    scales: Iterable[Scale] = (),
    **changes: Any,
) -> StudyResults:
    """Results computed from ratings: per sentence, then per summary, then the mean of each system's summaries.

    The policy says how several annotators of one unit become one value (see :func:`dialgauge.ratings.aggregate`).
    Where there are several dimensions on one scale, "overall" is added: the mean of the dimensions of each summary.
    Ratings that their scale does not allow are left out and counted in ``invalid``; with ``on_invalid="keep"`` they
    count, and a note says so.
    """
    asked = RatingPolicy.chosen(policy, changes, "rated_results")
    scales = tuple(scales)
    if ratings.is_empty():
        raise InputError(f"study {name!r} has no ratings")
    on_scales = {None if s is None else find_scale(s, scales) for s in ratings["scale"].unique()}
    dimensions = ratings["dimension"].unique()
    add_overall = dimensions.len() > 1 and OVERALL_DIMENSION not in dimensions and (normalised or len(on_scales) == 1)
    values = aggregate(ratings, settings=asked, normalised=normalised, overall=add_overall, scales=scales)
    counts = values.invalid["problem"].value_counts().sort("count", "problem", descending=[True, False])
    invalid = dict(counts.iter_rows())
    summaries = values.frame.drop_nulls("value").with_columns(_system_label())
    if summaries.is_empty():
        raise InputError(f"study {name!r} has no valid rating" + (f": {_left_out(invalid)}" if invalid else ""))
    names = dict(ratings.select("dimension", "scale").unique(maintain_order=True).drop_nulls().iter_rows())
    if add_overall and None not in on_scales:
        names[OVERALL_DIMENSION] = "0-1" if normalised else next(iter(names.values()))
    frame = (
        summaries.group_by(CELL, maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().cast(pl.Int64).alias("n"))
        .with_columns(
            pl.lit(None, dtype=pl.Int64).alias("stars"),
            pl.col("dimension")
            .replace_strict(dict.fromkeys(names, "0-1") if normalised else names, default=None, return_dtype=pl.String)
            .alias("scale"),
            pl.lit(0.0).alias("half_width"),
        )
        .select(RESULTS.names())
        # The overall mean comes last, as in the papers.
        .sort(pl.col("dimension") == OVERALL_DIMENSION, *CELL)
    )
    keeps = asked.on_invalid == "keep"
    return StudyResults(
        name,
        frame,
        agreement_of(ratings, scales, asked.on_invalid),
        ratings,
        summaries,
        invalid={} if keeps else invalid,
        notes=(_kept(invalid),) if keeps and invalid else (),
        adds_overall=add_overall,
    )


def _left_out(invalid: Mapping[str, int]) -> str:
    return f"{counted(sum(invalid.values()), 'rating')} left out, not allowed by the scale: {_reasons(invalid)}"


def _kept(invalid: Mapping[str, int]) -> str:
    return f"{counted(sum(invalid.values()), 'rating')} kept, though not allowed by the scale: {_reasons(invalid)}"


def _reasons(invalid: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {problem}" for problem, count in invalid.items())


def _system_label() -> pl.Expr:
    """Variants of a system's summaries are systems of their own."""
    label = pl.when(pl.col("variant") == ORIGINAL).then("system").otherwise(pl.format("{}/{}", "system", "variant"))
    return label.alias("system")


def agreement_of(
    ratings: pl.DataFrame, scales: Sequence[Scale] = (), on_invalid: OnInvalid = "drop"
) -> tuple[Agreed, ...]:
    """Over all dimensions pooled, as the studies report it: κ is unweighted, the mean over pairs of annotators."""
    measures = ("cohen-kappa", "krippendorff-alpha")
    by_scale = ratings["scale"].drop_nulls().n_unique() > 1
    if by_scale:
        return (Agreed("cohen-kappa", None, "computed", "dimensions on different scales cannot be pooled"),)
    options: dict[str, Any] = {"weights": "none", "resamples": 0, "on_invalid": on_invalid, "scales": scales}
    table = agreement(ratings, measures, by=("overall",), **options).frame
    return tuple(
        Agreed(row["measure"], row["value"], "computed", row["note"] or "") for row in table.iter_rows(named=True)
    )


def read_printed(
    path: Path | str,
    *,
    name: str | None = None,
    decimals: int | None = None,
    scale: str | None = None,
    normalised: bool = False,
) -> StudyResults:
    """Printed results from a CSV file with the columns system, dimension, value and optionally role, n, scale.

    The encoding is recognised; where it had to be guessed, the results have a note. ``scale`` is the scale of all
    values, ``normalised`` maps them to 0–1.
    """
    path = Path(path)
    found = read_text(path)
    reader = csv.DictReader(io.StringIO(found.text, newline=""))
    columns = [column.strip() for column in reader.fieldnames or ()]
    _check_columns(columns, path)
    reader.fieldnames = columns
    rows = []
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        if None in row or None in row.values():
            raise InputError(f"{where}: {'too many' if None in row else 'too few'} columns")
        rows.append((where, row))
    results = replace(_from_rows(rows, name or path.stem, decimals), notes=found.notes)
    results = results if scale is None else results.with_scale(scale)
    return results.normalised() if normalised else results


def _check_columns(columns: Sequence[str], path: Path) -> None:
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    unknown = [column for column in columns if column not in _COLUMNS]
    missing = [column for column in _NEEDED if column not in columns]
    if repeated:
        raise InputError(f"{path}: column {repeated[0]!r} occurs twice")
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; found: {', '.join(columns) or 'none'}")
    if unknown:
        raise InputError(f"{path}: unknown column {unknown[0]!r}; allowed: {', '.join(_COLUMNS)}")


def is_printed_table(path: Path) -> bool:
    """Whether a file is a table of results rather than a corpus.

    A table of results is a CSV with the columns system, dimension and value and none of those that a corpus has for
    dialogues, summaries or annotators.
    """
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    header = next(csv.reader(read_text(path).text.splitlines()[:1]), [])
    columns = {column.strip().lower() for column in header}
    of_a_corpus = {name for use in _CORPUS_USES for name in USES[use]}
    return columns.issuperset(_NEEDED) and columns.isdisjoint(of_a_corpus)
