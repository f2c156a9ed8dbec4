"""What two runs share, and what only one of them has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, OVERALL, Corpus
from dialgauge.errors import InputError, UnknownNameError, counted
from dialgauge.metrics import SYSTEM_KEY, Scores
from dialgauge.study._finished import FinishedRun

#: What can be in one run only, in the order of the report.
KINDS = ("dialogues", "systems", "summaries", "metrics", "dimensions")
SIGNATURES = pl.Schema(dict.fromkeys(("metric", "first", "second"), pl.String))


def shown_system(parts: Sequence[str]) -> str:
    """A system with its variant and role, where those say anything."""
    system, *rest = parts
    return " / ".join((system, *(part for part in rest if part not in (ORIGINAL, OVERALL))))


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs, read."""

    run: FinishedRun
    corpus: Corpus
    scores: Scores
    ratings: pl.DataFrame | None
    correlations: pl.DataFrame | None

    @classmethod
    def read(cls, run: FinishedRun) -> "Side":
        """Read what is compared."""
        return cls(run, run.corpus, run.scores, run.table("ratings"), run.table("correlations"))

    def renamed(self, names: Mapping[str, str], other: "Side") -> "Side":
        """This side with its systems and metrics called as on the other one (``names``: name here → name there)."""
        side = self
        for new, old in names.items():
            if new in self.all_systems and old in other.all_systems:
                side = side._with_system(new, old)
            elif new in self.all_metrics and old in other.all_metrics:
                side = side._with_metric(new, old)
            else:
                for of, name in ((self, new), (other, old)):
                    known = [*of.all_systems, *of.all_metrics]
                    if name not in known:
                        raise UnknownNameError(f"system or metric of {of.run.folder}", name, known)
                raise InputError(f"{new!r} and {old!r}: one is a system, the other a metric")
        return side

    def _with_system(self, new: str, old: str) -> "Side":
        if old in self.all_systems and old != new:
            raise InputError(f"two systems of {self.run.folder} would be called {old!r}")

        def called(frame: pl.DataFrame) -> pl.DataFrame:
            return frame.with_columns(pl.col("system").replace(new, old)) if "system" in frame.columns else frame

        return replace(
            self,
            corpus=self.corpus.with_system_names({new: old}),
            scores=replace(self.scores, frame=called(self.scores.frame), systems=called(self.scores.systems)),
            ratings=None if self.ratings is None else called(self.ratings),
        )

    def _with_metric(self, new: str, old: str) -> "Side":
        if old in self.all_metrics and old != new:
            raise InputError(f"two metrics of {self.run.folder} would be called {old!r}; remove one from the study")
        found = self.correlations
        scores = replace(
            self.scores,
            frame=self.scores.frame.rename({new: old}, strict=False),
            systems=self.scores.systems.rename({new: old}, strict=False),
            signatures={old if name == new else name: one for name, one in self.scores.signatures.items()},
            directions={old if name == new else name: one for name, one in self.scores.directions.items()},
        )
        return replace(
            self,
            scores=scores,
            correlations=None if found is None else found.with_columns(pl.col("metric").replace(new, old)),
        )

    @property
    def all_systems(self) -> list[str]:
        """Every system with a summary or a score."""
        return sorted(set(self.scores.frame["system"]) | set(self.corpus.summaries["system"]))

    @property
    def all_metrics(self) -> list[str]:
        """Every metric, also those of the system level."""
        return [*self.scores.metrics, *self.system_metrics]

    @property
    def references(self) -> set[str]:
        """The systems whose summaries are references."""
        return set(self.corpus.references["system"])

    @property
    def dimensions(self) -> list[str]:
        """What people rated."""
        return [] if self.ratings is None else [name for name in self.ratings.columns if name not in KEY]

    def values(self, kind: str) -> pl.DataFrame:
        """The frame of metrics or of dimensions."""
        if kind == "metric":
            return self.scores.frame
        return self.ratings if self.ratings is not None else pl.DataFrame(schema=dict.fromkeys(KEY, pl.String))

    @property
    def system_metrics(self) -> list[str]:
        """The metrics that exist for a whole system only."""
        return [name for name in self.scores.systems.columns if name not in SYSTEM_KEY]

    def scales(self) -> dict[str, set[str]]:
        """The scales that each dimension was rated on."""
        known = self.corpus.ratings.select("dimension", "scale").drop_nulls().unique()
        found: dict[str, set[str]] = {}
        for dimension, scale in known.iter_rows():
            found.setdefault(dimension, set()).add(scale)
        return found


@dataclass(frozen=True, slots=True)
class Overlap:
    """What both runs have, and what is only in the first or the second.

    ``common`` counts by kind, ``only_first`` and ``only_second`` list (of the summaries those of shared dialogues and
    systems: the holes). ``texts_same`` and ``texts_changed`` count the shared summaries, ``signatures`` are the metrics
    whose signature differs in the second run, ``complete`` the systems that have the same summaries in both.
    """

    metrics: list[str]
    system_metrics: list[str]
    dimensions: list[str]
    directions: Mapping[str, str]
    common: Mapping[str, int]
    only_first: Mapping[str, list[str]]
    only_second: Mapping[str, list[str]]
    texts_same: int
    texts_changed: int
    references_changed: int
    dialogues_changed: list[str]
    signatures: pl.DataFrame
    complete: set[tuple[str, ...]]
    notes: tuple[str, ...] = field(default=())


def find_overlap(old: Side, new: Side) -> Overlap:
    """Compare the contents of two runs; an error if there is nothing to compare."""
    keys = [side.scores.frame.select(KEY) for side in (old, new)]
    shared = keys[0].join(keys[1], on=list(KEY), how="semi")
    if shared.is_empty():
        raise InputError(_nothing_shared(old, new))
    # The summaries of a dialogue or system that only one run has go without saying.
    inner = [
        frame.filter(pl.all_horizontal(pl.col(part).is_in(other[part].unique().implode()) for part in KEY[:2]))
        for frame, other in (keys, keys[::-1])
    ]
    both = [name for name in old.scores.metrics if name in new.scores.metrics]
    whole = [name for name in old.system_metrics if name in new.system_metrics]
    if not (both or whole):
        raise InputError(
            f"no metric in common: {old.run.folder} has {_some(old.scores.metrics)}, {new.run.folder} has "
            f"{_some(new.scores.metrics)}"
        )
    dimensions, notes = _comparable_dimensions(old, new)
    directions = {}
    for name in (*both, *whole):
        ways = {side.scores.directions.get(name, "none") for side in (old, new)}
        directions[name] = ways.pop() if len(ways) == 1 else "none"
    parts = {
        "dialogues": [_names(side.corpus.dialogues["dialogue_id"]) for side in (old, new)],
        "systems": [_names(side.scores.frame["system"]) for side in (old, new)],
        "summaries": [[" / ".join(row) for row in frame.sort(KEY).iter_rows()] for frame in inner],
        "metrics": [side.all_metrics for side in (old, new)],
        "dimensions": [side.dimensions for side in (old, new)],
    }
    same, changed, references = _texts(old.corpus, new.corpus)
    dialogues = _changed_dialogues(old.corpus, new.corpus)
    made = [
        (name, old.scores.signatures.get(name, ""), new.scores.signatures.get(name, "")) for name in (*both, *whole)
    ]
    signatures = pl.DataFrame([row for row in made if row[1] != row[2]], schema=SIGNATURES, orient="row")
    notes += _notes(signatures, changed, references, dialogues)
    complete = _complete_systems(*keys)
    if whole and len(complete) < shared.select(SYSTEM_KEY).n_unique():
        notes.append(
            f"{_some(whole)}: system-level values over all dialogues, which differ between the runs: not compared"
        )
    return Overlap(
        metrics=both,
        system_metrics=whole,
        dimensions=dimensions,
        directions=directions,
        common={kind: len(set(one) & set(other)) for kind, (one, other) in parts.items()},
        only_first={kind: _without(one, other) for kind, (one, other) in parts.items()},
        only_second={kind: _without(other, one) for kind, (one, other) in parts.items()},
        texts_same=same,
        texts_changed=changed,
        references_changed=references,
        dialogues_changed=dialogues,
        signatures=signatures,
        complete=complete,
        notes=tuple(notes),
    )


def _complete_systems(before: pl.DataFrame, after: pl.DataFrame) -> set[tuple[str, ...]]:
    """The systems, variants and roles whose summaries are there for the same dialogues in both runs."""
    groups = [{key: set(part["dialogue_id"]) for key, part in frame.group_by(SYSTEM_KEY)} for frame in (before, after)]
    return {key for key, dialogues in groups[0].items() if groups[1].get(key) == dialogues}


def _nothing_shared(old: Side, new: Side) -> str:
    dialogues = [_names(side.corpus.dialogues["dialogue_id"]) for side in (old, new)]
    systems = [_names(side.scores.frame["system"]) for side in (old, new)]
    if not set(dialogues[0]) & set(dialogues[1]):
        return (
            f"no dialogue in common: {old.run.folder} has {_some(dialogues[0])}, {new.run.folder} has "
            f"{_some(dialogues[1])}"
        )
    return (
        f"no summary in common: {old.run.folder} has the systems {_some(systems[0])}, {new.run.folder} has "
        f"{_some(systems[1])}; map names with '--map NEW=OLD'"
    )


def _comparable_dimensions(old: Side, new: Side) -> tuple[list[str], list[str]]:
    """Dimensions with ratings in both runs, on one scale; and why others are not compared."""
    for side, other in ((old, new), (new, old)):
        if side.ratings is None and other.ratings is not None:
            return [], [f"{side.run.folder} has no ratings: dimensions are not compared"]
    kept, notes = [], []
    scales = old.scales(), new.scales()
    for name in old.dimensions:
        if name not in new.dimensions:
            continue
        before, after = (side.get(name, set()) for side in scales)
        if before != after:
            notes.append(
                f"{name}: rated on different scales ({_some(sorted(before))}; {_some(sorted(after))}): not compared"
            )
            continue
        kept.append(name)
    ways = [side.run.setting("correlations", "ratings", "aggregate") for side in (old, new)]
    if kept and ways[0] != ways[1]:
        notes.append(f"annotators were aggregated in different ways ({ways[0]}; {ways[1]}): this also changes ratings")
    return kept, notes


def _notes(signatures: pl.DataFrame, changed: int, references: int, dialogues: list[str]) -> list[str]:
    notes = []
    if changed and not signatures.is_empty():
        notes.append(
            f"different version: {counted(signatures.height, 'metric')}; summaries changed as well, so differences "
            f"come from both ({_some(signatures['metric'].to_list())})"
        )
    if references:
        notes.append(
            f"{counted(references, 'reference')} with a different text: this changes metrics that read references"
        )
    if dialogues:
        notes.append(
            f"{counted(len(dialogues), 'dialogue')} with different turns under the same ID ({_some(dialogues)})"
        )
    return notes


def _texts(old: Corpus, new: Corpus) -> tuple[int, int, int]:
    """How many shared summaries have the same text, how many another; and how many references have another."""
    joined = old.summaries.join(new.summaries, on=list(KEY), how="inner", suffix=":new")
    same = pl.col("text") == pl.col("text:new")
    reference = pl.col("kind") == "reference"
    counts = joined.select(
        (same & ~reference).sum().alias("same"),
        (~same & ~reference).sum().alias("changed"),
        (~same & reference).sum().alias("references"),
    ).row(0)
    return int(counts[0]), int(counts[1]), int(counts[2])


def _changed_dialogues(old: Corpus, new: Corpus) -> list[str]:
    before, after = (
        dict(zip(corpus.dialogues["dialogue_id"].to_list(), corpus.dialogues["turns"].to_list(), strict=True))
        for corpus in (old, new)
    )
    return [name for name, turns in before.items() if name in after and after[name] != turns]


def _names(column: pl.Series) -> list[str]:
    return sorted(column.unique())


def _without(some: Iterable[str], others: Iterable[str]) -> list[str]:
    known = set(others)
    return [name for name in some if name not in known]


def _some(names: Sequence[str], most: int = 4) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:most]) or "none"
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
