"""Variants and their scores in a folder, so that a rerun computes only what is missing."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge import __version__
from dialgauge.corpus import KEY, ORIGINAL, RATINGS, Corpus, read_corpus, write_corpus
from dialgauge.errors import InputError, counted
from dialgauge.files import write_text
from dialgauge.learn._augment import Augmented, add_variants, find_families, has_no_variants
from dialgauge.metrics import MetricRequest, Scores, parse_requests, score
from dialgauge.perturb import parse_requests as parse_perturbations, parser_name
from dialgauge.progress import Progress

STATE, VARIANTS, SCORES = "state.json", "variants", "scores.parquet"


class TablesFolder:
    """The folder of ``dialgauge train-tables``: what was made there, from what.

    A folder with other files raises an error. Without a path nothing is stored.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.state: dict[str, dict[str, Any]] = {}
        self.reused: list[str] = []
        if self.path is None or not self.path.exists():
            return
        file = self.path / STATE
        if file.is_file():
            self.state = _read_state(file)
        elif not self.path.is_dir() or any(self.path.iterdir()):
            raise InputError(
                f"{self.path}: {STATE} is missing, so this is not a folder of train-tables; choose another output"
            )

    def variants(
        self,
        corpus: Corpus,
        perturbations: Sequence[str],
        *,
        needed: Sequence[str],
        include_references: bool = False,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Augmented:
        """The corpus with variants: its own, those in the folder if made from the same corpus, or new ones."""
        made_from = {
            "texts": texts_digest(corpus),
            "perturbations": [request.label for request in parse_perturbations(perturbations)],
            "references": include_references,
            "seed": seed,
            "parser": parser_name(),
            "dialgauge": __version__,
        }
        known = self.state.get("variants", {})
        if has_no_variants(corpus) and self.path and known.get("from") == made_from:
            kept = read_corpus(self.path / VARIANTS).summaries.filter(pl.col("variant") != ORIGINAL)
            whole = replace(corpus, summaries=pl.concat([corpus.summaries, kept]))
            if texts_digest(whole) == known.get("result"):
                self.reused.append(counted(len(kept), "variant"))
                return find_families(whole, needed, True, int(known.get("declined", 0)))
        found = add_variants(
            corpus, perturbations, needed=needed, include_references=include_references, seed=seed, progress=progress
        )
        if self.path and found.made:
            added = found.corpus.summaries.filter(pl.col("variant") != ORIGINAL)
            # References are needed for scoring; ratings belong to the corpus.
            kept_corpus = replace(
                found.corpus,
                summaries=pl.concat([corpus.references, added]),
                ratings=pl.DataFrame(schema=RATINGS),
                problems=(),
            )
            write_corpus(kept_corpus, self.path / VARIANTS)
            self._keep(
                "variants", {"from": made_from, "result": texts_digest(found.corpus), "declined": found.declined}
            )
        return found

    def scores(
        self,
        corpus: Corpus,
        metrics: Iterable[str],
        *,
        include_references: bool = False,
        progress: Progress | None = None,
    ) -> Scores:
        """Scores of originals and variants; columns in the folder are reused if texts and signature are the same."""
        specs = list(metrics)
        texts = {"texts": texts_digest(corpus), "references": include_references}
        kept = self._kept_scores(texts)
        missing = [spec for spec in specs if not all(_has(kept, request) for request in _of_summaries([spec]))]
        found = kept
        if missing or found is None:
            made = score(corpus, missing, include_references=include_references, progress=progress)
            found = made if kept is None else _joined(kept, made)
            if self.path:
                found.save(self.path / SCORES)
                self._keep("scores", texts)
        if len(missing) < len(specs):
            self.reused.append("scores of " + ", ".join(spec for spec in specs if spec not in missing))
        wanted = [request.column for request in _of_summaries(specs) if request.column in found.metrics]
        return replace(found, frame=found.frame.select(*KEY, *wanted))

    def _kept_scores(self, texts: Mapping[str, Any]) -> Scores | None:
        if self.path is None or self.state.get("scores") != texts or not (self.path / SCORES).is_file():
            return None
        return Scores.load(self.path / SCORES)

    def _keep(self, name: str, entry: Mapping[str, Any]) -> None:
        self.state[name] = dict(entry)
        assert self.path is not None
        write_text(self.path / STATE, json.dumps(self.state, ensure_ascii=False, indent=2) + "\n")


def _read_state(file: Path) -> dict[str, dict[str, Any]]:
    try:
        state = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError):
        state = None
    if not isinstance(state, dict) or not all(isinstance(entry, dict) for entry in state.values()):
        raise InputError(f"{file}: not a state file of dialgauge; choose another output folder")
    return state


def texts_digest(corpus: Corpus) -> str:
    """A fingerprint of all dialogues and summaries, whatever was rated."""
    sha = hashlib.sha256()
    for frame in (corpus.dialogues, corpus.summaries):
        sha.update(frame.write_ndjson().encode())
    return sha.hexdigest()


def _of_summaries(specs: Sequence[str]) -> list[MetricRequest]:
    """The metrics with a value per summary. A system-level metric raises an error; within a family it is skipped."""
    requests = parse_requests(specs)
    for request in requests:
        if request.metric.level == "system" and not request.optional:
            raise InputError(f"metric {request.column!r} is a system-level metric and cannot be a feature")
    return [request for request in requests if request.metric.level != "system"]


def _has(kept: Scores | None, request: MetricRequest) -> bool:
    return kept is not None and kept.signatures.get(request.column) == request.signature


def _joined(kept: Scores, made: Scores) -> Scores:
    """Columns of both; new columns replace stored ones of the same name."""
    old = kept.frame.drop(made.metrics, strict=False)
    return replace(
        kept,
        frame=old.join(made.frame, on=list(KEY), how="left", maintain_order="left"),
        signatures={**kept.signatures, **made.signatures},
        directions={**kept.directions, **made.directions},
        seconds={**kept.seconds, **made.seconds},
        failures=pl.concat([kept.failures, made.failures]),
        notes=pl.concat([kept.notes, made.notes]),
    )
