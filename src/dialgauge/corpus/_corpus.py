"""``Corpus``: dialogues, their summaries and the judgements of those, as checked Polars frames."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from dialgauge.corpus._account import Account
from dialgauge.corpus._checks import ROW, BadRow, check_rows
from dialgauge.corpus._dimensions import check_declared, describe_ratings, dimension_frame
from dialgauge.corpus._judgement_checks import check_judgements, in_name_order
from dialgauge.corpus._model_names import is_named_like_model
from dialgauge.corpus._problems import Problem, raise_if_any
from dialgauge.corpus._schema import ANNOTATORS, CHOICES, DIALOGUES, KEY, PREFERENCES, RATINGS, SPANS, SUMMARIES
from dialgauge.corpus._types import (
    ORIGINAL,
    OVERALL,
    Choice,
    Dialogue,
    Dimension,
    JudgementKind,
    Preference,
    Rating,
    Span,
    Summary,
    Turn,
)
from dialgauge.errors import InputError, UnknownNameError, counted

if TYPE_CHECKING:
    from dialgauge.corpus._settings import ReadingSettings

#: A language tag: the code of the language, and subtags for scripts and regions.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
#: The tables that every corpus has, and those that only some have.
MAIN_TABLES = {"dialogues": DIALOGUES, "summaries": SUMMARIES, "ratings": RATINGS}
FURTHER_TABLES = {"preferences": PREFERENCES, "choices": CHOICES, "spans": SPANS, "annotators": ANNOTATORS}
#: The kind of judgement that each of these tables holds.
_KINDS: Mapping[str, JudgementKind] = {"preferences": "preference", "choices": "best-worst", "spans": "span"}


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What is known about the corpus as a whole.

    ``ratings_origin`` says who made the ratings: ``"human"``, or ``"constructed"`` where a program derived them (as in
    the embedded corpus). Everything that shows ratings says so when they are constructed. ``language`` is the code of
    the language of all dialogues that do not declare their own, as in ``"fr"``; None where it is not known.
    """

    name: str = "corpus"
    description: str = ""
    licence: str = ""
    ratings_origin: Literal["human", "constructed"] = "human"
    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None and not _LANGUAGE.fullmatch(self.language):
            raise InputError(
                f"corpus {self.name!r}: language must be a code such as 'fr' or 'pt-BR'; got {self.language!r}"
            )


def _empty(schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame(schema=schema)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Frames (schemas in :mod:`dialgauge.corpus`) with checked keys, one for each kind of thing.

    Build one with :meth:`build` from objects, :func:`read_corpus` from a file, or directly from frames; each way ends
    in the same checks. ``problems`` lists the rows that a reader skipped, ``notes`` what it had to assume.

    ``ratings`` are judgements of one summary by a number; ``preferences`` choose between two, ``choices`` are options
    of best-worst questions, ``spans`` marked places. ``annotators`` says what is known about the people, ``declared``
    what is declared about dimensions; :meth:`dimension` answers for every dimension, declared or not. ``accounts`` say
    what became of the judgements of each file that was read.
    """

    dialogues: pl.DataFrame = field(default_factory=lambda: _empty(DIALOGUES))
    summaries: pl.DataFrame = field(default_factory=lambda: _empty(SUMMARIES))
    ratings: pl.DataFrame = field(default_factory=lambda: _empty(RATINGS))
    info: CorpusInfo = CorpusInfo()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    preferences: pl.DataFrame = field(default_factory=lambda: _empty(PREFERENCES))
    choices: pl.DataFrame = field(default_factory=lambda: _empty(CHOICES))
    spans: pl.DataFrame = field(default_factory=lambda: _empty(SPANS))
    annotators: pl.DataFrame = field(default_factory=lambda: _empty(ANNOTATORS))
    declared: tuple[Dimension, ...] = ()
    accounts: tuple[Account, ...] = ()

    def __post_init__(self) -> None:
        for name, schema in (MAIN_TABLES | FURTHER_TABLES).items():
            object.__setattr__(self, name, conform(getattr(self, name), schema, name))
        if self.info.language:
            declared = self.dialogues.with_columns(pl.col("language").fill_null(self.info.language))
            object.__setattr__(self, "dialogues", declared)
        object.__setattr__(self, "preferences", in_name_order(self.preferences))
        check_declared(self.declared, self.info.name)
        broken = [
            *check_rows(self.dialogues, self.summaries, self.ratings).bad,
            *check_judgements(self.dialogues, self.summaries, self.preferences, self.choices, self.spans).bad,
        ]
        raise_if_any([_as_problem(bad) for bad in broken], f"corpus {self.info.name!r}")

    def _repr_html_(self) -> str:
        from dialgauge.tables import listing

        tables = [(name, getattr(self, name).height) for name in MAIN_TABLES | FURTHER_TABLES]
        rows = [(name, f"{height:,}") for name, height in tables if height or name in MAIN_TABLES]
        left_out = [f"{counted(len(self.problems), 'row')} left out."] if self.problems else []
        return listing(
            self.info.name, ["table", "rows"], rows, numeric=["rows"], notes=[f"Corpus {self.info.name}.", *left_out]
        )._repr_html_()

    @classmethod
    def build(
        cls,
        dialogues: Iterable[Dialogue],
        summaries: Iterable[Summary] = (),
        ratings: Iterable[Rating] = (),
        info: CorpusInfo | None = None,
        problems: Sequence[Problem] = (),
        *,
        preferences: Iterable[Preference] = (),
        choices: Iterable[Choice] = (),
        spans: Iterable[Span] = (),
        declared: Iterable[Dimension] = (),
    ) -> "Corpus":
        """A corpus from plain objects."""
        return cls(
            dialogues_frame(dialogues),
            summaries_frame(summaries),
            ratings_frame(ratings),
            info or CorpusInfo(),
            tuple(problems),
            preferences=_frame(preferences, PREFERENCES),
            choices=_frame(choices, CHOICES),
            spans=_frame(spans, SPANS),
            declared=tuple(declared),
        )

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        ratings: object = None,
        mapping: Mapping[str, str | Sequence[str]] | None = None,
        system: str | None = None,
        language: str | None = None,
        strict: bool = False,
        reading: "ReadingSettings | None" = None,
    ) -> "Corpus":
        """A corpus from a table in memory: pandas, Polars, Arrow, ``datasets`` or a list of dicts.

        Columns are understood as those of a file (:func:`read_corpus`), and what was left out is in ``problems`` and
        ``accounts``. ``ratings`` is a second table with ratings of these summaries.
        """
        from dialgauge.corpus._rating_files import add_ratings
        from dialgauge.corpus._reading import read_corpus

        corpus = read_corpus(frame, mapping=mapping, system=system, language=language, strict=strict, reading=reading)
        return corpus if ratings is None else add_ratings(corpus, ratings, strict=strict, reading=reading)

    @property
    def language(self) -> str | None:
        """The language that all dialogues declare, or None where they declare none or several."""
        declared = self.dialogues["language"].unique().to_list()
        return declared[0] if len(declared) == 1 else None

    def with_language(self, language: str) -> "Corpus":
        """The corpus with this language, which all dialogues get that declare none."""
        return replace(self, info=replace(self.info, language=language))

    @property
    def systems(self) -> list[str]:
        """The systems that wrote summaries, sorted; references are not among them."""
        return sorted(self.summaries.filter(pl.col("kind") == "system")["system"].unique())

    @property
    def dimensions(self) -> list[str]:
        """The dimensions that were rated, sorted. Those of other judgements are in :meth:`dimension_table`."""
        return sorted(self.ratings["dimension"].unique())

    def dimension(self, name: str) -> Dimension:
        """What is known about a dimension: as declared, else from its name and its values.

        ``corpus.dimension("redundancy").direction`` is ``"lower"``: less of it is better.
        """
        declared = next((one for one in self.declared if one.name == name), None)
        if declared is not None:
            return declared
        rated = self.ratings.filter(pl.col("dimension") == name)
        if rated.height:
            return describe_ratings(name, rated)
        for table, kind in _KINDS.items():
            if (getattr(self, table)["dimension"] == name).any():
                return Dimension(name, kind, direction="none")
        raise UnknownNameError("dimension", name, self.dimensions_of())

    def dimensions_of(self, *kinds: JudgementKind) -> list[str]:
        """The dimensions of these kinds of judgement (of all kinds where none is named), sorted."""
        tables = ["ratings", *_KINDS]
        names = sorted({name for table in tables for name in getattr(self, table)["dimension"].unique()})
        return [name for name in names if not kinds or self.dimension(name).kind in kinds]

    def dimension_table(self) -> pl.DataFrame:
        """A row for each judged dimension: its kind, scale, labels and direction, and how these are known."""
        return dimension_frame(self.dimension(name) for name in self.dimensions_of())

    @property
    def references(self) -> pl.DataFrame:
        """The reference summaries."""
        return self.summaries.filter(pl.col("kind") == "reference")

    def dialogue(self, dialogue_id: str) -> Dialogue:
        """One dialogue as an object."""
        rows = self.dialogues.filter(pl.col("dialogue_id") == dialogue_id)
        if rows.is_empty():
            raise UnknownNameError("dialogue", dialogue_id, self.dialogues["dialogue_id"])
        return _dialogue(rows.row(0, named=True))

    def iter_dialogues(self) -> Iterator[Dialogue]:
        """All dialogues as objects, in the order of the frame."""
        return (_dialogue(row) for row in self.dialogues.iter_rows(named=True))

    def select(
        self,
        *,
        dialogues: Iterable[str] | None = None,
        systems: Iterable[str] | None = None,
        role: str | None = None,
    ) -> "Corpus":
        """The part of the corpus with these dialogues, systems or this role. References of kept dialogues stay."""
        kept_dialogues, kept_summaries = self.dialogues, self.summaries
        if dialogues is not None:
            kept_dialogues = kept_dialogues.filter(pl.col("dialogue_id").is_in(list(dialogues)))
            kept_summaries = kept_summaries.join(kept_dialogues, on="dialogue_id", how="semi")
        if systems is not None:
            wanted = list(systems)
            for name in wanted:
                if name not in self.systems:
                    raise UnknownNameError("system", name, self.systems)
            kept_summaries = kept_summaries.filter(pl.col("system").is_in(wanted) | (pl.col("kind") == "reference"))
        if role is not None:
            kept_summaries = kept_summaries.filter(pl.col("role") == role)
        return self.restricted(kept_dialogues, kept_summaries)

    def restricted(self, dialogues: pl.DataFrame, summaries: pl.DataFrame) -> "Corpus":
        """The corpus with these of its dialogues and summaries, and with the judgements of those alone.

        A preference stays if both of its summaries do; a best-worst question if all of its options do.
        """
        key = list(KEY)

        def of_kept(frame: pl.DataFrame, columns: Sequence[str] = key) -> pl.DataFrame:
            known = summaries.select(pl.col(own).alias(theirs) for own, theirs in zip(KEY, columns, strict=True))
            return frame.join(known, on=list(columns), how="semi", maintain_order="left")

        preferences = self.preferences
        for side in "ab":
            preferences = of_kept(preferences, ("dialogue_id", f"system_{side}", f"variant_{side}", "role"))
        question = ["dialogue_id", "role", "tuple", "annotator", "dimension"]
        gone = self.choices.join(summaries, on=key, how="anti")
        return replace(
            self,
            dialogues=dialogues,
            summaries=summaries,
            ratings=of_kept(self.ratings),
            preferences=preferences,
            choices=self.choices.join(gone, on=question, how="anti", maintain_order="left"),
            spans=of_kept(self.spans),
        )

    def with_system_names(self, names: Mapping[str, str]) -> "Corpus":
        """The corpus with other names for these systems, in every table."""
        renamed = {
            table: frame.with_columns(
                pl.col(column).replace(dict(names)) for column in frame.columns if column.startswith("system")
            )
            for table in ("summaries", "ratings", *_KINDS)
            if (frame := getattr(self, table)).height
        }
        return replace(self, **renamed)

    @property
    def models(self) -> list[str]:
        """The annotators that are models and not people, sorted: as the table ``annotators`` says, else by their names.

        Names like ``gpt-4`` count beside those of people alone: where all are models, they are who was asked.
        """
        groups = dict(self.annotators.drop_nulls("group").select("annotator", "group").iter_rows())
        judged = {name for table in ("ratings", *_KINDS) for name in getattr(self, table)["annotator"].unique()}
        said = {name for name, group in groups.items() if group == "model"}
        alike = {name for name in judged - groups.keys() if is_named_like_model(name)}
        return sorted(said | alike if judged - said - alike else said)

    def without_models(self) -> "Corpus":
        """The corpus with the judgements of people alone; itself where no annotator is a model."""
        models = self.models
        if not models:
            return self
        return replace(
            self,
            **{
                table: getattr(self, table).filter(~pl.col("annotator").is_in(models)) for table in ("ratings", *_KINDS)
            },
        )

    def with_ratings(self, ratings: pl.DataFrame, *, strict: bool = False) -> "Corpus":
        """The corpus with further ratings, as a frame (:func:`add_ratings` takes a file).

        Ratings of summaries that are not here, and ratings that are here already, are skipped and reported in
        ``problems`` with their row in the frame; ``strict`` raises instead.
        """
        added = conform(ratings, RATINGS, "ratings").with_row_index(ROW)
        known = self.ratings.with_columns(pl.lit(None, pl.UInt32).alias(ROW))
        everything = pl.concat([known.select(added.columns), added])
        checked = check_rows(self.dialogues, self.summaries, everything)
        problems = [Problem("ratings", (bad.row or 0) + 1, bad.key, bad.reason) for bad in checked.bad]
        if strict:
            raise_if_any(problems, "ratings", limit=None)
        return replace(self, ratings=checked.ratings.drop(ROW), problems=(*self.problems, *problems))

    def __repr__(self) -> str:
        return (
            f"Corpus({self.info.name!r}: {counted(self.dialogues.height, 'dialogue')}, "
            f"{counted(self.summaries.height, 'summary', 'summaries')} of {counted(len(self.systems), 'system')}, "
            f"{counted(self.ratings.height, 'rating')}, {self._further()}{counted(len(self.problems), 'problem')})"
        )

    def _further(self) -> str:
        found = {table: getattr(self, table).height for table in _KINDS}
        return "".join(f"{counted(number, table.removesuffix('s'))}, " for table, number in found.items() if number)


def dialogues_frame(dialogues: Iterable[Dialogue]) -> pl.DataFrame:
    """Dialogues as a frame of the dialogue schema."""
    rows = [
        {
            "dialogue_id": d.id,
            "domain": d.domain,
            "language": d.language,
            "turns": [{"speaker": t.speaker, "role": t.role, "text": t.text} for t in d.turns],
            "meta": _to_json(d.meta),
        }
        for d in dialogues
    ]
    return pl.DataFrame(rows, schema=DIALOGUES)


def summaries_frame(summaries: Iterable[Summary]) -> pl.DataFrame:
    """Summaries as a frame of the summary schema."""
    rows = [(s.dialogue_id, s.system, s.variant, s.role, s.kind, s.text, _to_json(s.provenance)) for s in summaries]
    return pl.DataFrame(rows, schema=SUMMARIES, orient="row")


def ratings_frame(ratings: Iterable[Rating]) -> pl.DataFrame:
    """Ratings as a frame of the rating schema."""
    return _frame(ratings, RATINGS)


def _frame(objects: Iterable[object], schema: pl.Schema) -> pl.DataFrame:
    """Objects whose attributes are the columns of a schema as a frame of it."""
    rows = [tuple(getattr(one, column) for column in schema) for one in objects]
    return pl.DataFrame(rows, schema=schema, orient="row")


#: What a column that is not given means.
DEFAULTS: Mapping[str, object] = {
    "variant": ORIGINAL,
    "variant_a": ORIGINAL,
    "variant_b": ORIGINAL,
    "role": OVERALL,
    "kind": "system",
    "both_bad": False,
    "span": 1,
    "side": "summary",
}
_REQUIRED = {
    "dialogues": ("dialogue_id", "turns"),
    "summaries": ("dialogue_id", "system", "text"),
    "ratings": ("dialogue_id", "system", "annotator", "dimension", "value"),
    "preferences": ("dialogue_id", "system_a", "system_b", "annotator", "dimension", "winner"),
    "choices": ("dialogue_id", "tuple", "annotator", "dimension", "system", "choice"),
    "spans": ("dialogue_id", "system", "annotator", "dimension", "start", "end"),
    "annotators": ("annotator",),
}


def conform(frame: pl.DataFrame, schema: pl.Schema, name: str) -> pl.DataFrame:
    """The frame with the columns of the schema in its order; optional ones are filled with nulls or defaults."""
    absent = [column for column in _REQUIRED[name] if column not in frame.columns]
    if absent:
        raise InputError(f"{name}: missing column {absent[0]!r}; found: {', '.join(frame.columns) or 'none'}")
    unknown = [column for column in frame.columns if column not in schema]
    if unknown:
        raise InputError(f"{name}: unknown column {unknown[0]!r}; allowed: {', '.join(schema)}")
    try:
        return frame.with_columns(
            pl.lit(DEFAULTS.get(column)).cast(dtype).alias(column)
            for column, dtype in schema.items()
            if column not in frame.columns
        ).select(pl.col(column).cast(dtype, strict=True) for column, dtype in schema.items())
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{name}: a column has the wrong type: {error}") from error


def _dialogue(row: Mapping[str, Any]) -> Dialogue:
    turns = tuple(Turn(t["speaker"] or "", t["text"] or "", t["role"]) for t in row["turns"] or ())
    meta = json.loads(row["meta"]) if row["meta"] else {}
    return Dialogue(row["dialogue_id"], turns, row["domain"], row["language"], meta)


def _to_json(value: Mapping[str, Any]) -> str | None:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True) if value else None


def _as_problem(bad: BadRow) -> Problem:
    return Problem(bad.table, bad.row, bad.key, bad.reason, bad.given)
