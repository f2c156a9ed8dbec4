"""A project from a corpus: its texts, its items, and every annotator's pages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._known_items import add_check, add_training, gold_dialogues, gold_rows, training_dialogues
from dialgauge.annotate._planning import Bundle, choose_groups, choose_pairs, share_out, shuffled
from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.annotate._rows import fresh_assignment, insert, opaque
from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Built:
    """What the corpus became: bundles in the study's order, and the bundles for training."""

    bundles: tuple[Bundle, ...]
    training: tuple[Bundle, ...]


def add_texts(connection: Connection, corpus: Corpus, section: AnnotateSection, seed: int) -> Built:
    """Store dialogues, summaries and items of the corpus."""
    summaries = chosen_summaries(corpus, section)
    order = _dialogue_order(corpus, summaries, section, seed)
    numbers = _store_dialogues(connection, corpus, order)
    wanted = summaries.filter(pl.col("dialogue_id").is_in(order))
    training = add_training(connection, corpus, section, numbers)
    # References are stored even if they are not shown: the exported corpus has them.
    unused = corpus.references.filter(pl.col("dialogue_id").is_in(order)).join(wanted, on=KEY, how="anti")
    ids = _store_summaries(connection, pl.concat([wanted, unused]), numbers)
    shown = shown_references(unused, section)
    bundles: list[Bundle] = []
    for dialogue_id in order:
        if dialogue_id in training_dialogues(section):
            continue
        here = wanted.filter(pl.col("dialogue_id") == dialogue_id)
        roles = [section.roles[0] if section.roles else "overall"] if section.task == "write" else None
        for role in roles or here["role"].unique(maintain_order=True).to_list():
            mine = [ids[key] for key in here.filter(pl.col("role") == role).select(KEY).rows()]
            reference = shown.get((dialogue_id, role))
            beside = None if reference is None else ids[reference]
            rows = item_rows(section, numbers[dialogue_id], role, mine, beside, seed)
            if dialogue_id in gold_dialogues(section):
                systems = here.filter(pl.col("role") == role)["system"].to_list()
                insert(connection, t.item, gold_rows(section, dialogue_id, rows, dict(zip(mine, systems, strict=True))))
            elif rows:
                bundles.append(Bundle(numbers[dialogue_id], role, tuple(insert(connection, t.item, rows))))
    if not bundles:
        raise InputError("annotate: the corpus has no summaries of the systems and roles that the study file names")
    return Built(tuple(bundles), training)


def chosen_summaries(corpus: Corpus, section: AnnotateSection) -> pl.DataFrame:
    """The summaries that are rated."""
    frame = corpus.summaries
    if section.systems is not None:
        known = set(frame["system"])
        for name in section.systems:
            if name not in known:
                raise UnknownNameError("system", name, known)
        frame = frame.filter(pl.col("system").is_in(section.systems))
    if not section.include_references:
        frame = frame.filter(pl.col("kind") == "system")
    if section.roles is not None:
        frame = frame.filter(pl.col("role").is_in(section.roles))
    return frame


def _dialogue_order(corpus: Corpus, summaries: pl.DataFrame, section: AnnotateSection, seed: int) -> list[str]:
    with_summaries = set(corpus.dialogues["dialogue_id"] if section.task == "write" else summaries["dialogue_id"])
    order = [name for name in corpus.dialogues["dialogue_id"] if name in with_summaries]
    # A part of the corpus is sampled, not cut off its top: corpora are often sorted by domain.
    if section.dialogues is not None and section.dialogues < len(order):
        drawn = set(shuffled(order, seed, "dialogues")[: section.dialogues])
        order = [name for name in order if name in drawn]
    return order + [name for name in training_dialogues(section) + gold_dialogues(section) if name not in order]


def store_texts(
    connection: Connection, corpus: Corpus, summaries: pl.DataFrame, numbers: dict[str, int]
) -> dict[tuple[str, ...], int]:
    """Store summaries, and dialogues of theirs that are not in ``numbers`` yet, where they are added."""
    new = [name for name in summaries["dialogue_id"].unique(maintain_order=True) if name not in numbers]
    numbers.update(_store_dialogues(connection, corpus, new))
    return _store_summaries(connection, summaries, numbers)


def _store_dialogues(connection: Connection, corpus: Corpus, order: Sequence[str]) -> dict[str, int]:
    rows = []
    for dialogue_id in order:
        found = corpus.dialogue(dialogue_id)
        turns = [{"speaker": turn.speaker, "role": turn.role, "text": turn.text} for turn in found.turns]
        rows.append({"dialogue_id": found.id, "language": found.language, "turns": turns, "own": False})
    return dict(zip(order, insert(connection, t.dialogue, rows), strict=True))


def shown_references(frame: pl.DataFrame, section: AnnotateSection) -> dict[tuple[str, str], tuple[str, ...]]:
    """The key of the reference that is shown with each dialogue and role: the first of several."""
    if "reference" not in section.show:
        return {}
    first = frame.unique(["dialogue_id", "role"], keep="first", maintain_order=True)
    return {(key[0], key[3]): key for key in first.select(KEY).rows()}


def _store_summaries(
    connection: Connection, frame: pl.DataFrame, numbers: Mapping[str, int]
) -> dict[tuple[str, ...], int]:
    rows = [
        {
            "dialogue": numbers[row["dialogue_id"]],
            **{column: row[column] for column in ("system", "variant", "role", "kind", "text")},
        }
        for row in frame.iter_rows(named=True)
    ]
    return dict(zip(frame.select(KEY).rows(), insert(connection, t.summary, rows), strict=True))


def item_rows(
    section: AnnotateSection, dialogue: int, role: str, summaries: list[int], reference: int | None, seed: int
) -> list[dict[str, Any]]:
    """The items about one dialogue and role."""
    groups: Iterable[Sequence[int]]
    if section.task == "write":
        groups = [()]
    elif section.task == "rate":
        groups = [(one,) for one in summaries]
    elif section.task == "compare":
        groups = choose_pairs(summaries, section.pairs_per_dialogue, seed, "pairs", dialogue, role)
    else:
        groups = choose_groups(summaries, section.candidates, seed, "groups", dialogue, role)
        groups = [group for group in groups if len(group) > 1]
    if any(dimension.on == "reference-sentences" for dimension in section.dimensions) and reference is None:
        raise InputError(f"annotate: a dialogue has no reference for the role {role!r}, which a dimension asks about")
    base = {"kind": section.task, "purpose": "main", "dialogue": dialogue, "role": role, "reference": reference}
    return [{**base, "summaries": list(group)} for group in groups]


def stored_bundles(connection: Connection, purpose: str) -> list[Bundle]:
    """The items of a purpose as bundles: of one dialogue and role; each training item by itself."""
    query = sa.select(t.item.c.id, t.item.c.dialogue, t.item.c.role).where(t.item.c.purpose == purpose)
    found: dict[tuple[int, str, int | None], list[int]] = {}
    for row in connection.execute(query.order_by(t.item.c.id)):
        found.setdefault((row.dialogue, row.role, row.id if purpose == "training" else None), []).append(row.id)
    return [Bundle(dialogue, role, tuple(items)) for (dialogue, role, _), items in found.items()]


def split_pilot(bundles: Sequence[Bundle], section: AnnotateSection) -> tuple[list[Bundle], list[Bundle]]:
    """The bundles of the pilot, and the rest."""
    if section.pilot is None:
        return [], list(bundles)
    dialogues = list(dict.fromkeys(bundle.dialogue for bundle in bundles))
    chosen = set(dialogues[: section.pilot.dialogues])
    if len(chosen) == len(dialogues):
        raise InputError(
            f"annotate.pilot.dialogues is {section.pilot.dialogues}, but there are only {len(dialogues)} dialogues"
        )
    return (
        [bundle for bundle in bundles if bundle.dialogue in chosen],
        [bundle for bundle in bundles if bundle.dialogue not in chosen],
    )


def add_pages(
    connection: Connection, section: AnnotateSection, built: Built, people: Mapping[str, int], seed: int
) -> None:
    """Give every annotator their pages for training, pilot and main part."""
    pilot, main = split_pilot(built.bundles, section)
    names = list(people)
    per_item = section.assignment.annotators_per_item if section.task != "write" else 1
    shares = share_out(main, names, per_item, seed)
    mine: dict[str, list[Bundle]] = defaultdict(list)
    for bundle, takers in zip(main, shares, strict=True):
        for name in takers:
            mine[name].append(bundle)
    for name, number in people.items():
        add_stage(connection, section, name, number, "training", built.training, seed)
        add_stage(connection, section, name, number, "pilot", pilot, seed)
        add_stage(connection, section, name, number, "main", mine[name], seed)


def add_stage(
    connection: Connection,
    section: AnnotateSection,
    name: str,
    annotator: int,
    stage: str,
    bundles: Sequence[Bundle],
    seed: int,
) -> None:
    """Pages for one annotator and stage, after those that are there."""
    if not bundles:
        return
    last = connection.execute(sa.select(sa.func.max(t.page.c.position)).where(t.page.c.annotator == annotator)).scalar()
    order = list(bundles)
    if section.dialogue_order == "shuffled" and stage != "training":
        order = shuffled(order, seed, name, stage, "pages")
    passes = _passes(section, stage)
    contents = _contents(connection, order)
    pages: list[dict[str, Any]] = []
    assignments: list[dict[str, Any]] = []
    counter = 0
    for number_of_pass in passes:
        for bundle in order:
            page = opaque()
            row = {"id": page, "annotator": annotator, "dialogue": bundle.dialogue, "role": bundle.role}
            place = (last or 0) + len(pages) + 1
            pages.append({**row, "stage": stage, "number_of_pass": number_of_pass, "position": place})
            items = shuffled(bundle.items, seed, name, bundle.dialogue, bundle.role, number_of_pass)
            counter += len(items)
            if section.checks and stage in ("pilot", "main") and counter >= section.checks.every:
                counter = 0
                check, summaries = add_check(connection, section, bundle, seed, name, number_of_pass)
                contents[check] = summaries
                items.insert(shuffled(range(len(items) + 1), seed, name, "place", len(pages))[0], check)
            for position, item in enumerate(items, 1):
                shown = shuffled(contents[item], seed, name, "shown", item)
                assignments.append(fresh_assignment(page, annotator, item, position, shown))
    connection.execute(sa.insert(t.page), pages)
    connection.execute(sa.insert(t.assignment), assignments)


def _passes(section: AnnotateSection, stage: str) -> Sequence[int]:
    if section.passes == "one-dimension" and stage in ("pilot", "main"):
        return range(1, len(section.dimensions) + 1)
    return (0,)


def _contents(connection: Connection, bundles: Iterable[Bundle]) -> dict[int, list[int]]:
    wanted = [item for bundle in bundles for item in bundle.items]
    found: dict[int, list[int]] = {}
    for part in _parts(wanted, 500):
        query = sa.select(t.item.c.id, t.item.c.summaries).where(t.item.c.id.in_(part))
        found.update((number, summaries) for number, summaries in connection.execute(query))
    return found


def _parts(things: list[int], size: int) -> Iterator[list[int]]:
    return (things[start : start + size] for start in range(0, len(things), size))
