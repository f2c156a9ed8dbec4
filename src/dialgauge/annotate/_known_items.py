"""Items whose right answers are known: for training, hidden among the others (gold), and attention checks."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._check_texts import CHECKS
from dialgauge.annotate._known import GoldItem, TrainingItem, stored_answer
from dialgauge.annotate._planning import Bundle, shuffled
from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.annotate._rows import insert
from dialgauge.corpus import Corpus
from dialgauge.errors import InputError, UnknownNameError


def training_dialogues(section: AnnotateSection) -> list[str]:
    """The dialogues of the corpus that training uses."""
    items = section.training.items if section.training else []
    return list(dict.fromkeys(item.dialogue for item in items if item.dialogue is not None))


def gold_dialogues(section: AnnotateSection) -> list[str]:
    """The dialogues of the corpus with gold items."""
    return list(dict.fromkeys(item.dialogue for item in section.gold.items)) if section.gold else []


def add_training(
    connection: Connection, corpus: Corpus, section: AnnotateSection, numbers: Mapping[str, int]
) -> tuple[Bundle, ...]:
    """Store the training items, each a page by itself; ``numbers`` are those of the stored dialogues."""
    bundles = []
    for position, given in enumerate(section.training.items if section.training else []):
        dialogue, texts, role = _training_texts(connection, corpus, given, numbers, position)
        row = {"dialogue": dialogue, "system": "training", "variant": "original", "role": role, "kind": "training"}
        summaries = insert(connection, t.summary, [{**row, "text": text} for text in texts])
        item: dict[str, Any] = {"kind": section.task, "purpose": "training", "dialogue": dialogue, "role": role}
        item |= {"summaries": summaries, "reference": None}
        item |= {"expected": stored_answer(given, summaries), "feedback": given.feedback}
        bundles.append(Bundle(dialogue, role, tuple(insert(connection, t.item, [item]))))
    return tuple(bundles)


def _training_texts(
    connection: Connection, corpus: Corpus, given: TrainingItem, numbers: Mapping[str, int], position: int
) -> tuple[int, list[str], str]:
    if given.dialogue is not None:
        here = corpus.summaries.filter(pl.col("dialogue_id") == given.dialogue)
        found = {row["system"]: row for row in reversed(here.to_dicts())}
        for name in given.texts:
            if name not in found:
                raise UnknownNameError(f"training item {position + 1}: system", name, here["system"])
        chosen = [found[name] for name in given.texts]
        return numbers[given.dialogue], [str(row["text"]) for row in chosen], str(chosen[0]["role"])
    turns = []
    for line in (given.transcript or "").strip().splitlines():
        speaker, colon, text = line.partition(": ")
        turns.append({"speaker": speaker if colon else "", "role": None, "text": text if colon else line})
    row = {"dialogue_id": f"training {position + 1}", "language": None, "turns": turns, "own": True}
    (number,) = insert(connection, t.dialogue, [row])
    return number, [text.strip() for text in given.texts], "overall"


def gold_rows(
    section: AnnotateSection, dialogue_id: str, rows: list[dict[str, Any]], systems: Mapping[int, str]
) -> list[dict[str, Any]]:
    """All items of a dialogue with gold items: with what is expected, where it is known.

    ``rows`` are the items as they would be without gold, ``systems`` the names of its summaries. Where what a gold item
    compares was not drawn it takes the place of another comparison, so that the page is like all others.
    """
    made = [{**row, "purpose": "gold", "expected": None} for row in rows]
    for gold in section.gold.items if section.gold else []:
        if gold.dialogue != dialogue_id:
            continue
        wanted = _summaries_of(gold, systems)
        if section.task == "rate":
            for row in made:
                if systems[row["summaries"][0]] == gold.system:
                    row["expected"] = stored_answer(gold, wanted)
        else:
            _row_for(gold, made, wanted).update(summaries=wanted, expected=stored_answer(gold, wanted))
    return made


def _summaries_of(gold: GoldItem, systems: Mapping[int, str]) -> list[int]:
    ids = {name: number for number, name in reversed([*systems.items()])}
    unknown = next((name for name in gold.texts if name not in ids), None)
    if unknown is not None:
        raise UnknownNameError(f"gold item of {gold.dialogue}: system", unknown, systems.values())
    return [ids[name] for name in gold.texts]


def _row_for(gold: GoldItem, rows: Sequence[dict[str, Any]], wanted: list[int]) -> dict[str, Any]:
    """The item that compares these summaries, else one whose place they can take."""
    same = [row for row in rows if set(row["summaries"]) == set(wanted)]
    free = [row for row in rows if row["expected"] is None]
    if same:
        return same[0]
    if not free:
        raise InputError(f"gold items of {gold.dialogue}: more than the {len(rows)} comparisons of a page")
    if len(free[0]["summaries"]) != len(wanted):
        shown = len(free[0]["summaries"])
        raise InputError(f"gold item of {gold.dialogue}: names {len(wanted)} systems; other pages show {shown} at once")
    return free[0]


def add_check(
    connection: Connection, section: AnnotateSection, bundle: Bundle, seed: int, name: str, number_of_pass: int
) -> tuple[int, list[int]]:
    """Store an attention check for somebody on a page: the item and its summaries."""
    query = sa.select(t.item.c.reference, t.item.c.summaries).where(t.item.c.id == bundle.items[0])
    beside = connection.execute(query).one()
    summaries, expected = (_check_of_scales if section.task == "rate" else _check_among)(
        connection, section, bundle, (seed, name, bundle.dialogue, number_of_pass, "check"), beside.summaries
    )
    item: dict[str, Any] = {"kind": section.task, "purpose": "check", "dialogue": bundle.dialogue, "role": bundle.role}
    item |= {"summaries": summaries, "reference": beside.reference, "expected": expected}
    return insert(connection, t.item, [item])[0], summaries


def _check_summary(connection: Connection, section: AnnotateSection, bundle: Bundle, end: str) -> int:
    row = {"dialogue": bundle.dialogue, "system": "attention check", "variant": "original", "role": bundle.role}
    return insert(connection, t.summary, [{**row, "kind": "check", "text": CHECKS[section.language][end]}])[0]


def _check_of_scales(
    connection: Connection, section: AnnotateSection, bundle: Bundle, key: tuple[object, ...], _: Sequence[int]
) -> tuple[list[int], dict[str, Any]]:
    """A text instead of a summary that asks for one end of every scale."""
    end = shuffled(("lowest", "highest"), *key)[0]
    expected = {
        dimension.name: dimension.points().minimum if end == "lowest" else dimension.points().maximum
        for dimension in section.dimensions
        if dimension.kind != "nominal"  # classes have no ends
    }
    return [_check_summary(connection, section, bundle, end)], expected


def _check_among(
    connection: Connection, section: AnnotateSection, bundle: Bundle, key: tuple[object, ...], others: Sequence[int]
) -> tuple[list[int], dict[str, Any]]:
    """Texts that ask to be chosen, among real summaries: of two the better one, of several the best and the worst."""
    best = _check_summary(connection, section, bundle, "best")
    if section.task == "compare":
        other = shuffled(others, *key)[0]
        return [best, other], {one.name: {"best": best, "worst": other} for one in section.dimensions}
    worst = _check_summary(connection, section, bundle, "worst")
    real = shuffled(others, *key)[: max(0, len(others) - 2)]
    return [best, worst, *real], {one.name: {"best": best, "worst": worst} for one in section.dimensions}
