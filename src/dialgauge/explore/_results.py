"""A page of results: for a question, summaries in its order; otherwise dialogues in the order of the corpus."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, Dialogue
from dialgauge.errors import ParameterError
from dialgauge.explore._data import PARENT, RunData
from dialgauge.explore._queries import QUESTIONS, Answer, Filter, ask, matching
from dialgauge.explore._texts import excerpt

_SYSTEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Results:
    """One page of results. A row is a plain mapping, the same for people and for programs."""

    data: RunData
    question: str
    sentence: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]
    total: int
    page: int
    size: int

    @property
    def pages(self) -> int:
        """How many pages there are; an empty result has one."""
        return max(1, math.ceil(self.total / self.size))

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        head = {name: getattr(self, name) for name in ("question", "sentence", "total", "page", "pages", "size")}
        return {**head, "columns": dict(self.columns), "rows": [plain(row) for row in self.rows]}


def results_of(data: RunData, question: str, asked: Mapping[str, str], wanted: Filter, page: int, size: int) -> Results:
    """Search, or ask a question about the results of the search."""
    if not question:
        return _dialogues(data, wanted, page, size)
    found = ask(data, question, asked, wanted)
    here = found.frame.slice((page - 1) * size, size)
    rows = answer_rows(data, Answer(found.sentence, here, found.columns))
    return Results(data, question, found.sentence, found.columns, rows, found.frame.height, page, size)


def answer_rows(data: RunData, answer: Answer) -> list[dict[str, Any]]:
    """The summaries of an answer with their texts; a variant comes with what changed in it."""
    from dialgauge.report import marked

    keys = list(KEY)
    originals = data.summaries.select(*PARENT, "domain", pl.col("text").alias("original"))
    rows = answer.frame.join(originals, on=list(PARENT), how="left", maintain_order="left")
    if data.variants is not None:
        rows = rows.join(data.variants.select(*keys, "text"), on=keys, how="left", maintain_order="left")
    found = []
    for row in rows.iter_rows(named=True):
        entry = {name: row[name] for name in (*KEY, "domain", *answer.columns)}
        entry["text"] = row["original"] or ""
        if row["variant"] != ORIGINAL:
            entry["variant_text"] = row["text"] or ""
            entry["before"], entry["after"] = marked(entry["text"], entry["variant_text"])
        found.append(entry)
    return found


def _dialogues(data: RunData, wanted: Filter, page: int, size: int) -> Results:
    keys = matching(data, wanted)
    ids = keys["dialogue_id"].unique(maintain_order=True)
    here = ids.slice((page - 1) * size, size)
    summaries: dict[str, list[dict[str, Any]]] = {}
    shown = data.summaries.filter(pl.col("dialogue_id").is_in(here.to_list()))
    for row in shown.join(keys, on=list(KEY), how="semi", maintain_order="left").iter_rows(named=True):
        summaries.setdefault(row["dialogue_id"], []).append(row)
    rows = [_dialogue_row(data.corpus.dialogue(name), summaries[name], wanted.words) for name in here]
    count = f"{ids.len()} {'dialogue' if ids.len() == 1 else 'dialogues'}"
    sentence = f"{count} with {keys.height} {'summary' if keys.height == 1 else 'summaries'}" + (
        " that fit." if wanted else "."
    )
    return Results(data, "", sentence, {}, rows, ids.len(), page, size)


def _dialogue_row(dialogue: Dialogue, rows: list[dict[str, Any]], words: list[str]) -> dict[str, Any]:
    hits = [(row["system"], row["role"], parts) for row in rows if (parts := excerpt(row["text"] or "", words))]
    text = dialogue.text
    return {
        "dialogue_id": dialogue.id,
        "domain": dialogue.domain,
        "turns": len(dialogue.turns),
        "systems": list(dict.fromkeys(row["system"] for row in rows))[:_SYSTEMS_SHOWN],
        "summaries": len(rows),
        "excerpt": excerpt(text, words) or [(text[:180] + ("…" if len(text) > 180 else ""), False)],
        "hits": hits[:3],
    }


def question_forms(data: RunData) -> list[tuple[str, str, dict[str, dict[str, str]]]]:
    """The questions that this run can answer: name, title and the choices of each parameter."""
    return [
        (question.name, question.title, question.parameters(data))
        for question in QUESTIONS.values()
        if question.missing(data) is None
    ]


def numbers(given: Mapping[str, str]) -> dict[str, float | None]:
    """Bounds from the fields of a form; an empty field is not a bound."""
    found: dict[str, float | None] = {}
    for name, text in given.items():
        try:
            value = float(text) if text.strip() else None
        except ValueError:
            value = math.nan
        if value is not None and not math.isfinite(value):
            raise ParameterError("search", name, "a number", text)
        found[name] = value
    return found


def plain(value: Any) -> Any:
    """Anything that a page shows, as JSON-compatible data."""
    if isinstance(value, Answer):
        return {"sentence": value.sentence, "columns": dict(value.columns), "rows": value.frame.to_dicts()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value
