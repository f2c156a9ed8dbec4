"""Sources that are scored in chunks: a table of pairs, or a corpus folder. Each defines and reads its chunks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from dialgauge.corpus import (
    DIALOGUES,
    KEY,
    ORIGINAL,
    OVERALL,
    SUMMARIES,
    Corpus,
    check_rows,
    conform,
    make_plan,
    parse_turns,
)
from dialgauge.engine import Engine
from dialgauge.errors import InputError
from dialgauge.metrics._metric import MetricRequest
from dialgauge.metrics._stream_files import ParquetTable, PartStore, is_url
from dialgauge.metrics._stream_layout import ROW, Layout, Piece, Workplace, known_layout, lay_out, read_pieces

_CARD = "corpus.toml"
_ROW = "_row"
#: Why rows are skipped, worded as by the readers of whole corpora.
_DOUBLED, _NAMELESS = "duplicate key", "the row has no dialogue_id"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows to score as part ``number``: those of a table from ``start`` to before ``stop``, or those of a bucket.

    ``doubled`` are the rows of a table whose key is in an earlier chunk; they are skipped. ``dialogues`` and
    ``summaries`` say where the rows of a bucket are.
    """

    number: int
    start: int
    stop: int
    doubled: tuple[int, ...] = ()
    dialogues: tuple[Piece, ...] = ()
    summaries: tuple[Piece, ...] = ()

    def named(self) -> str:
        """The rows, for people."""
        files = {piece.name for piece in self.summaries}
        return f"bucket {self.number}" if files else f"rows {self.start + 1:,} to {self.stop:,}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A chunk, ready to be scored.

    ``keys`` has the key of each summary to score, in the order of the file; where the corpus of the chunk knows it by
    another dialogue, that is in ``_id``. ``problems`` counts the skipped rows by reason.
    """

    corpus: Corpus
    keys: pl.DataFrame
    problems: Mapping[str, int]

    def keyed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows about summaries of the corpus of the chunk as rows about those of the file."""
        if "_id" not in self.keys.columns:
            return frame.join(self.keys, on=list(KEY), how="semi", maintain_order="left")
        known = frame.rename({"dialogue_id": "_id"}).drop("system", "variant", "role")
        return known.join(self.keys, on="_id", maintain_order="left").select(frame.columns)


class Source(Protocol):
    """Where summaries come from, chunk by chunk."""

    def chunks(self, size: int, place: Workplace) -> list[Chunk]:
        """Where to cut: ``size`` rows or a little more, so that what shares a dialogue stays together."""

    def located(self, chunks: Sequence[Chunk], size: int, place: Workplace) -> list[Chunk]:
        """These chunks with all that a worker needs to read them."""

    def load(self, chunk: Chunk) -> Loaded:
        """Read one chunk."""

    def has_references(self) -> bool:
        """Whether there are references."""

    def systems(self) -> list[str]:
        """The systems that are scored."""

    def describe(self, engine: Engine) -> dict[str, Any]:
        """What the scores depend on: a run on other data must not resume this one."""

    def check_unchanged(self) -> None:
        """Raise an error if a file is no longer what it was when the source was opened."""


def open_source(
    place: str,
    mapping: Mapping[str, str | Sequence[str]],
    output: PartStore,
    *,
    include_references: bool,
    with_sources: bool,
) -> Source:
    """A corpus folder where there is a ``corpus.toml``, else a table of pairs."""
    if PartStore(place).read(_CARD) is not None:
        if mapping:
            raise InputError(f"{place}: a mapping is not supported for a dialgauge folder")
        return FolderSource.open(place, include_references, output)
    if not is_url(place) and not Path(place).exists():
        raise InputError(f"{place}: no such file or folder")
    if include_references:
        raise InputError(f"{place}: references of a table of pairs cannot be scored as a system")
    return PairsSource.open(place, mapping, with_sources)


def check_references(place: str, source: Source, requests: Sequence[MetricRequest]) -> None:
    """Refuse metrics that need references where there are none."""
    for request in requests:
        if request.target in ("reference", "both") and not source.has_references():
            raise InputError(
                f"metric {request.column!r} needs references, but {place} has none: name their column with "
                f"reference=COLUMN, or use '{request.metric.name}@source' if the metric supports it"
            )


def stream_systems(
    place: str, mapping: Mapping[str, str | Sequence[str]], *, include_references: bool = False
) -> list[str]:
    """The systems that a stream of this source would score; one column is read."""
    chosen = {"include_references": include_references, "with_sources": False}
    return open_source(place, mapping, PartStore(place), **chosen).systems()


def _cuts(same_as_before: Any, height: int, size: int) -> list[int]:
    """The rows at which chunks begin, and the end. A run of rows of one dialogue is not cut below twice the size."""
    cuts = [0]
    while cuts[-1] < height:
        low = min(cuts[-1] + size, height)
        free = np.flatnonzero(~same_as_before[low : low + size]) if low < height else np.zeros(0)
        cuts.append(low + int(free[0]) if len(free) else min(low if low == height else low + size, height))
    return cuts


@dataclass(frozen=True, slots=True)
class PairsSource:
    """A table with a summary and its references in each row; each row is scored on its own."""

    table: ParquetTable
    uses: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str]
    with_sources: bool

    @classmethod
    def open(cls, place: str, mapping: Mapping[str, str | Sequence[str]], with_sources: bool) -> "PairsSource":
        """The rows of Parquet files."""
        return cls.of(ParquetTable.open(place), place, mapping, with_sources)

    @classmethod
    def of(
        cls, table: ParquetTable, place: str, mapping: Mapping[str, str | Sequence[str]], with_sources: bool
    ) -> "PairsSource":
        """Find out which column is which: from the mapping, from the names, from the first rows."""
        plan = make_plan(_plain(table.read(0, 1000)), mapping)
        if "summary" not in plan.uses:
            raise InputError(
                f"{place}: no summary column found; name it with summary=COLUMN; columns: {', '.join(table.columns)}"
            )
        if with_sources and "dialogue" not in plan.uses:
            raise InputError(
                f"{place}: a metric reads the source, but no dialogue column was found; name it with dialogue=COLUMN; "
                f"found: {', '.join(table.columns)}"
            )
        return cls(table, plan.uses, plan.constants, with_sources)

    def has_references(self) -> bool:
        """Whether a column holds references."""
        return "reference" in self.uses

    def systems(self) -> list[str]:
        """Those that a column names; without one, all summaries are one system's."""
        named = self._key("system", "system")
        return sorted(self.table.derive(named.unique())["system"].drop_nulls().unique())

    def describe(self, engine: Engine) -> dict[str, Any]:
        """The content of the files and the use of their columns."""
        uses = {use: list(columns) for use, columns in self.uses.items()}
        return {
            "layout": "pairs",
            "content": self.table.digest(engine),
            "uses": uses,
            "constants": dict(self.constants),
        }

    def check_unchanged(self) -> None:
        """Look at all files."""
        self.table.check_unchanged()

    def located(self, chunks: Sequence[Chunk], size: int, place: Workplace) -> list[Chunk]:
        """Rows are found by their numbers."""
        return list(chunks)

    def chunks(self, size: int, place: Workplace | None = None) -> list[Chunk]:
        """Cut between dialogues, where a column names them."""
        height = self.table.height
        same = np.zeros(height, dtype=np.bool_)
        if named := self.uses.get("dialogue_id"):
            hashed = self.table.derive(pl.col(named[0]).cast(pl.String).hash().alias("hash"))["hash"]
            same = (hashed == hashed.shift(1)).fill_null(False).to_numpy()
        cuts = _cuts(same, height, size)
        # Without a name the number of the row is the name, and no key is there twice.
        by_name = "dialogue_id" in self.uses or "dialogue_id" in self.constants
        doubled = _doubled(self.table, self._keys(), cuts) if by_name else {}
        return [Chunk(n, start, stop, doubled=doubled.get(n, ())) for n, (start, stop) in enumerate(pairwise(cuts))]

    def load(self, chunk: Chunk) -> Loaded:
        """Each row becomes a dialogue of its own, so that no row sees the references of another."""
        rows = self.table.read(chunk.start, chunk.stop).with_row_index(_ROW, offset=chunk.start + 1)
        rows = rows.with_columns(pl.col(_ROW).cast(pl.String))
        keys = rows.select(*self._keys(), pl.col(_ROW).alias("_id"))
        summaries = pl.concat([*self._references(rows), self._summaries(rows)])
        checked = check_rows(self._dialogues(rows), summaries, Corpus().ratings)
        # The rows are known to the corpus by their numbers, so doubled keys of the user's are looked for here.
        nameless = pl.col("dialogue_id").is_null()
        doubled = (~pl.struct(KEY).is_first_distinct() | _among(chunk)) & ~nameless
        found = keys.select(nameless.sum().alias(_NAMELESS), doubled.sum().alias(_DOUBLED)).row(0, named=True)
        problems = Counter(bad.reason for bad in checked.bad) + Counter(found)
        scored = checked.summaries.filter(kind="system").select(pl.col("dialogue_id").alias("_id"))
        keys = keys.filter(~doubled, ~nameless).join(scored, on="_id", how="semi", maintain_order="left")
        return Loaded(Corpus(checked.dialogues, checked.summaries), keys, problems)

    def _keys(self) -> list[pl.Expr]:
        defaults = {"dialogue_id": None, "system": "system", "variant": ORIGINAL, "role": OVERALL}
        return [self._key(use, default) for use, default in defaults.items()]

    def _key(self, use: str, default: str | None) -> pl.Expr:
        if use in self.constants:
            return pl.lit(self.constants[use]).alias(use)
        if columns := self.uses.get(use):
            filled = pl.col(columns[0]).cast(pl.String)
            return (filled if default is None else filled.fill_null(default)).alias(use)
        return (pl.col(_ROW) if default is None else pl.lit(default)).alias(use)

    def _summaries(self, rows: pl.DataFrame) -> pl.DataFrame:
        text = pl.col(self.uses["summary"][0]).cast(pl.String)
        named = rows.select(pl.col(_ROW).alias("dialogue_id"), pl.lit("system").alias("system"), text.alias("text"))
        return conform(named, SUMMARIES, "summaries")

    def _references(self, rows: pl.DataFrame) -> list[pl.DataFrame]:
        found = []
        for number, column in enumerate(self.uses.get("reference", ()), start=1):
            several = rows.select(pl.col(_ROW).alias("dialogue_id"), pl.col(column).alias("text"))
            place = pl.lit(0)
            if several.schema["text"].is_nested():
                several = several.explode("text")
                place = pl.int_range(pl.len()).over("dialogue_id")
            named = several.with_columns(
                pl.format("reference-{}-{}", pl.lit(number), place).alias("system"),
                pl.lit("reference").alias("kind"),
                pl.col("text").cast(pl.String),
            )
            found.append(conform(named.filter(pl.col("text").is_not_null()), SUMMARIES, "summaries"))
        return found

    def _dialogues(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The dialogues of the rows. Their turns are only read where a metric asks for the source."""
        columns = self.uses.get("dialogue")
        if not self.with_sources or columns is None:
            empty = pl.lit([], dtype=DIALOGUES["turns"])
            return conform(rows.select(pl.col(_ROW).alias("dialogue_id"), empty.alias("turns")), DIALOGUES, "dialogues")
        texts = rows[columns[0]]
        if texts.dtype == DIALOGUES["turns"]:
            turns = texts
        elif texts.dtype == pl.String:
            parsed = {text: _turns(text) for text in texts.unique(maintain_order=True)}
            turns = pl.Series([parsed[text] for text in texts], dtype=DIALOGUES["turns"])
        else:
            raise InputError(f"column {columns[0]!r}: a dialogue must be a text or a list of turns; got {texts.dtype}")
        return conform(pl.DataFrame({"dialogue_id": rows[_ROW], "turns": turns}), DIALOGUES, "dialogues")


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A corpus folder whose tables may stand in any order: they are laid out in buckets of whole dialogues first.

    ``store`` is where the buckets are, once they are laid out.
    """

    dialogues: ParquetTable
    summaries: ParquetTable
    include_references: bool
    store: PartStore

    @classmethod
    def open(cls, place: str, include_references: bool, output: PartStore) -> "FolderSource":
        """``dialogues`` and ``summaries`` may be a file each (``summaries.parquet``) or a folder of files."""
        tables = {}
        for name in ("dialogues", "summaries"):
            file = f"{place.rstrip('/')}/{name}.parquet"
            single = f"{name}.parquet" in PartStore(place).names()
            tables[name] = ParquetTable.open(file if single else f"{place.rstrip('/')}/{name}")
        return cls(tables["dialogues"], tables["summaries"], include_references, output)

    def has_references(self) -> bool:
        """Whether there is a summary of kind ``reference``."""
        return bool(self.summaries.derive((self._kind() == "reference").any().alias("any"))["any"].any())

    def systems(self) -> list[str]:
        """The authors of all summaries that are no references, or of all."""
        scored = pl.lit(True) if self.include_references else self._kind().ne_missing("reference")
        return sorted(self.summaries.derive(pl.col("system").filter(scored).unique())["system"].drop_nulls().unique())

    def _kind(self) -> pl.Expr:
        return pl.col("kind") if "kind" in self.summaries.columns else pl.lit("system")

    def describe(self, engine: Engine) -> dict[str, Any]:
        """The content of the files."""
        return {"layout": "buckets", "content": [self.dialogues.digest(engine), self.summaries.digest(engine)]}

    def check_unchanged(self) -> None:
        """Look at all files of both tables."""
        self.dialogues.check_unchanged()
        self.summaries.check_unchanged()

    def chunks(self, size: int, place: Workplace) -> list[Chunk]:
        """A bucket each, of those that have something to score."""
        layout = known_layout(place) or self._lay_out(size, place)
        cuts = [0, *accumulate(layout.rows["summaries"])]
        return [Chunk(number, *cut) for number, cut in enumerate(pairwise(cuts)) if cut[1] > cut[0]]

    def located(self, chunks: Sequence[Chunk], size: int, place: Workplace) -> list[Chunk]:
        """The same with the places of their rows; they are laid out again if the files of the layout are gone."""
        layout = self._lay_out(size, place)
        return [
            replace(
                chunk,
                dialogues=layout.pieces("dialogues", chunk.number),
                summaries=layout.pieces("summaries", chunk.number),
            )
            for chunk in chunks
        ]

    def _lay_out(self, size: int, place: Workplace) -> Layout:
        tables = {"dialogues": self.dialogues, "summaries": self.summaries}
        scored = pl.lit(True) if self.include_references else self._kind().ne_missing("reference")
        buckets = max(1, -(-self.summaries.height // size))
        return lay_out(tables, {"dialogues": pl.lit(True), "summaries": scored}, buckets, place)

    def load(self, chunk: Chunk) -> Loaded:
        """Everything about the dialogues of a bucket; of rows with the same key, the first in the table counts."""
        rows = self._rows(chunk.summaries, SUMMARIES, "summaries")
        rows = rows.sort(*KEY, ROW, nulls_last=True)
        items = rows if self.include_references else rows.filter(pl.col("kind").ne_missing("reference"))
        dialogues = self._rows(chunk.dialogues, DIALOGUES, "dialogues").sort("dialogue_id", ROW, nulls_last=True)
        concerned = pl.col("dialogue_id").is_in(items["dialogue_id"].unique().implode(), nulls_equal=True)
        dialogues, rows = (table.filter(concerned).drop(ROW) for table in (dialogues, rows))
        checked = check_rows(dialogues, rows, Corpus().ratings)
        keys = items.select(KEY).unique(maintain_order=True)
        keys = keys.join(checked.summaries.select(KEY), on=list(KEY), how="semi", maintain_order="left")
        return Loaded(Corpus(checked.dialogues, checked.summaries), keys, Counter(bad.reason for bad in checked.bad))

    def _rows(self, pieces: Sequence[Piece], schema: pl.Schema, name: str) -> pl.DataFrame:
        frames = list(read_pieces(self.store, pieces))
        if not frames:
            return pl.DataFrame(schema={**schema, ROW: pl.UInt32})
        rows = pl.concat(frames, how="vertical_relaxed")
        return conform(rows.drop(ROW), schema, name).with_columns(rows[ROW])


def _doubled(table: ParquetTable, keys: Sequence[pl.Expr], cuts: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """For each chunk the rows whose key is in an earlier one. Two hashes of 64 bits stand for a key.

    One hash of every row is sorted; only rows that share it with another are looked at. So a row takes 16 bytes.
    """
    key = pl.struct(keys)
    first = table.derive(key.hash(0).alias("one"))["one"].to_numpy()
    ordered = np.sort(first)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    del ordered
    rows = np.flatnonzero(np.isin(first, repeated)) if len(repeated) else np.zeros(0, dtype=np.int64)
    if not len(rows):
        return {}
    second = table.derive(key.hash(1).alias("two"))["two"].to_numpy()
    shared = pl.DataFrame({"row": rows, "one": first[rows], "two": second[rows]})
    shared = shared.with_columns(pl.Series("chunk", np.searchsorted(np.array(cuts), rows, side="right") - 1))
    late = shared.filter(pl.col("chunk") > pl.col("chunk").min().over("one", "two"))
    found = late.group_by("chunk", maintain_order=True).agg("row")
    return {number: tuple(places) for number, places in found.iter_rows()}


def _among(chunk: Chunk) -> pl.Series:
    """For each row of the chunk whether its key is in an earlier one."""
    return pl.Series(np.isin(np.arange(chunk.start, chunk.stop), chunk.doubled))


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists and structs as texts: what a column is for is guessed from texts and numbers."""
    nested = [column for column in frame if column.dtype.is_nested()]
    texts = {c.name: [None if value is None else str(value) for value in c.to_list()] for c in nested}
    return frame.with_columns(pl.Series(name, values, dtype=pl.String) for name, values in texts.items())


def _turns(text: str | None) -> list[dict[str, str | None]]:
    turns = parse_turns(text) if text is not None else ()
    return [{"speaker": turn.speaker, "role": turn.role, "text": turn.text} for turn in turns]
