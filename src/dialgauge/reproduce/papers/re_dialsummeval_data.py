"""The raw data of [Re] DialSummEval: three sets of ratings, the metric scores, and the row orders of the source files.

Everything is keyed by dialogue and system. The row orders are kept beside the keys because the published numbers can be
had only by pairing rows as the authors' code did.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from dialgauge.corpus import Corpus, CorpusInfo, Problem, raise_if_any, read_dataset
from dialgauge.errors import InputError
from dialgauge.reproduce._printed import study_folder
from dialgauge.reproduce.papers.json_lines import json_lines

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
_FILES = (
    "dialogues.jsonl",
    "summaries.jsonl",
    "metric_scores.csv",
    "human_original.jsonl",
    "human_reproduction.jsonl",
    "human_ablation.jsonl",
)
#: The coherence ratings of the authors' repository before they were corrected.
_UPSTREAM = "coherence_upstream_head"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What the tables are computed from.

    ``corpora`` holds the same summaries with four sets of ratings: "original", "reproduction", "ablation", and
    "upstream" (the original's, with coherence as it was first published). ``orders`` has the dialogues in the row order
    of the files that the authors' code read: "ratings", "metrics" and "ablation".
    """

    corpora: Mapping[str, Corpus]
    scores: pl.DataFrame
    orders: Mapping[str, Sequence[str]]


def read_bundle(data: Path) -> Bundle:
    """Read and check the folder. Every bad row is named with file, line and key; nothing is left out."""
    folder = study_folder(data, "dialsummeval", _FILES)
    orders = _read_orders(folder / "dialogues.jsonl")
    corpora = {}
    for name in ("original", "reproduction", "ablation"):
        upstream = (_UPSTREAM,) if name == "original" else ()
        _require_ratings(folder / f"human_{name}.jsonl", (*DIMENSIONS, *upstream))
        corpora[name] = read_dataset(f"dialsummeval:{name}", folder)
    corpora["upstream"] = _with_upstream(corpora["original"], folder / "human_original.jsonl")
    unplaced = set(corpora["ablation"].ratings["dialogue_id"]) - set(orders["ablation"])
    if unplaced:
        raise InputError(
            f"{folder / 'dialogues.jsonl'}: [{min(unplaced)}] rated in the ablation, but has no pos_ablation"
        )
    scores = _read_scores(folder / "metric_scores.csv", orders["metrics"])
    unscored = corpora["original"].summaries.join(scores, on=("dialogue_id", "system"), how="anti")
    if unscored.height:
        key = " / ".join(unscored.select("dialogue_id", "system").row(0))
        raise InputError(f"{folder / 'metric_scores.csv'}: no scores for {unscored.height} summaries (first: {key})")
    return Bundle(corpora, scores, orders)


def _read_orders(path: Path) -> dict[str, list[str]]:
    """The dialogues in the row order of each source file."""
    fields = {"ratings": "pos_judgment", "metrics": "pos_metrics", "ablation": "pos_ablation"}
    problems: list[Problem] = []
    found: dict[str, dict[int, str]] = {name: {} for name in fields}
    for number, row in json_lines(path, problems):
        key = row.get("dialogue_id")
        if not isinstance(key, str):
            problems.append(Problem(path.name, number, None, f"dialogue_id must be a text; got {key!r}"))
            continue
        for name, field in fields.items():
            position = row.get(field)
            if position is None and name == "ablation":
                continue
            if not isinstance(position, int) or isinstance(position, bool) or position < 0:
                reason = f"{field} must be a row number from 0; got {position!r}"
            elif position in found[name]:
                reason = f"{field} {position} is also that of dialogue {found[name][position]}"
            else:
                found[name][position] = key
                continue
            problems.append(Problem(path.name, number, key, reason))
    raise_if_any(problems, str(path))
    return {name: [places[position] for position in sorted(places)] for name, places in found.items()}


def _read_scores(path: Path, dialogues: Sequence[str]) -> pl.DataFrame:
    try:
        frame = pl.read_csv(path, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path}: not a CSV file: {error}") from error
    for column in ("dialogue_id", "system"):
        if column not in frame.columns:
            raise InputError(f"{path}: missing column {column!r}; found: {', '.join(frame.columns) or 'none'}")
    metrics = [column for column in frame.columns if column not in ("dialogue_id", "system")]
    numbers = frame.with_columns(pl.col(metrics).cast(pl.Float64, strict=False))
    problems = []
    known, seen = set(dialogues), set()
    for number, (text, row) in enumerate(
        zip(frame.iter_rows(named=True), numbers.iter_rows(named=True), strict=True), start=2
    ):
        key = (row["dialogue_id"], row["system"])
        shown = " / ".join(map(str, key))
        if key[0] not in known:
            problems.append(Problem(path.name, number, shown, "the dialogue is not in dialogues.jsonl"))
        if key in seen:
            problems.append(Problem(path.name, number, shown, "duplicate key"))
        seen.add(key)
        for metric in metrics:
            value = row[metric]
            if value is None or not math.isfinite(value):
                problems.append(Problem(path.name, number, shown, f"{metric}: not a finite number: {text[metric]!r}"))
    raise_if_any(problems, str(path))
    return numbers


def _require_ratings(path: Path, fields: Sequence[str]) -> None:
    """Refuse rows without an annotator and values that are not numbers, by line. Keys are checked with the corpus."""
    problems: list[Problem] = []
    for number, row in json_lines(path, problems):
        shown = " / ".join(str(row.get(part)) for part in ("dialogue_id", "system", "annotator"))
        if row.get("annotator") is None:
            problems.append(Problem(path.name, number, shown, "no annotator"))
        for field in fields:
            if field not in row:
                problems.append(Problem(path.name, number, shown, f"no {field}"))
            elif not _is_rating(row[field]):
                reason = f"{field} must be a number or null; got {row[field]!r}"
                problems.append(Problem(path.name, number, shown, reason))
    raise_if_any(problems, str(path))


def _is_rating(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value))


def _with_upstream(original: Corpus, path: Path) -> Corpus:
    """The original's corpus with the coherence ratings as they were first published."""
    rows = [
        (row["dialogue_id"], row["system"], str(row["annotator"]), "coherence", row[_UPSTREAM])
        for _, row in json_lines(path, [])
    ]
    key = ["dialogue_id", "system", "annotator", "dimension"]
    schema = {**dict.fromkeys(key, pl.String), "upstream": pl.Float64}
    joined = original.ratings.join(pl.DataFrame(rows, schema=schema, orient="row"), on=key, how="left")
    value = pl.when(pl.col("dimension") == "coherence").then("upstream").otherwise("value").alias("value")
    ratings = joined.with_columns(value).drop("upstream")
    return replace(original, ratings=ratings, info=CorpusInfo("dialsummeval-upstream"))
