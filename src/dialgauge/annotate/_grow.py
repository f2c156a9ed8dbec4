"""Growing a study: further dialogues, or summaries of further systems, without touching what was rated."""

from collections import Counter, defaultdict

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import TAKING_PART
from dialgauge.annotate._audit import log
from dialgauge.annotate._build import (
    add_stage,
    chosen_summaries,
    item_rows,
    shown_references,
    store_texts,
)
from dialgauge.annotate._planning import Bundle, share_out
from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.annotate._rows import insert
from dialgauge.corpus import KEY, Corpus


def grow(connection: Connection, corpus: Corpus, section: AnnotateSection, seed: int) -> bool:
    """Add what a corpus has more than the project; False, and nothing is added, where anything else has changed.

    New items are shared out among those who take part as at the beginning; a crowd gets them as it arrives.
    """
    if section.dialogues is not None or section.task == "write":
        return False
    numbers = _same_dialogues(connection, corpus)
    wanted = chosen_summaries(corpus, section)
    every = pl.concat([wanted, corpus.references.join(wanted, on=KEY, how="anti")])
    known = None if numbers is None else _same_summaries(connection, every)
    if numbers is None or known is None:
        return False
    new = every.filter(~pl.struct(KEY).map_elements(lambda key: tuple(key.values()) in known, pl.Boolean))
    rated = wanted.join(new, on=KEY, how="semi", maintain_order="left")
    if section.task != "rate" and rated["dialogue_id"].is_in(list(numbers)).any():
        return False  # pairs and groups of a dialogue were drawn from the systems there were
    ids = known | store_texts(connection, corpus, new, numbers)
    beside = shown_references(every.join(wanted, on=KEY, how="anti"), section)
    bundles = []
    for (dialogue_id, role), here in rated.group_by("dialogue_id", "role", maintain_order=True):
        mine = [ids[key] for key in here.select(KEY).rows()]
        reference = beside.get((str(dialogue_id), str(role)))
        number = numbers[str(dialogue_id)]
        rows = item_rows(section, number, str(role), mine, None if reference is None else ids[reference], seed)
        if rows:
            bundles.append(Bundle(number, str(role), tuple(insert(connection, t.item, rows))))
    if section.crowd is None:
        _share(connection, section, bundles, seed)
    log(connection, "lead", "study-grown", dialogues=len({one.dialogue for one in bundles}), items=rated.height)
    return True


def _same_dialogues(connection: Connection, corpus: Corpus) -> dict[str, int] | None:
    """The numbers of the stored dialogues, if the corpus still has each of them as it was."""
    have = set(corpus.dialogues["dialogue_id"])
    found = {}
    for row in connection.execute(sa.select(t.dialogue).where(sa.not_(t.dialogue.c.own))):
        if row.dialogue_id not in have:
            return None
        turns = [
            {"speaker": one.speaker, "role": one.role, "text": one.text}
            for one in corpus.dialogue(row.dialogue_id).turns
        ]
        if turns != row.turns:
            return None
        found[row.dialogue_id] = row.id
    return found


def _same_summaries(connection: Connection, every: pl.DataFrame) -> dict[tuple[str, ...], int] | None:
    """The numbers of the stored summaries, if the corpus still has each of them as it was."""
    texts = dict(zip(every.select(KEY).rows(), every["text"], strict=True))
    query = (
        sa.select(t.summary, t.dialogue.c.dialogue_id)
        .join(t.dialogue, t.dialogue.c.id == t.summary.c.dialogue)
        .where(t.summary.c.kind.in_(("system", "reference")))
    )
    found: dict[tuple[str, ...], int] = {}
    for row in connection.execute(query):
        key = (row.dialogue_id, row.system, row.variant, row.role)
        if texts.get(key) != row.text:
            return None
        found[key] = row.id
    return found


def _share(connection: Connection, section: AnnotateSection, bundles: list[Bundle], seed: int) -> None:
    people = {
        row.name: row.id
        for row in connection.execute(sa.select(t.annotator).order_by(t.annotator.c.id))
        if row.state in TAKING_PART and row.role == "annotator"
    }
    query = sa.select(t.annotator.c.name, sa.func.count()).join(t.assignment).group_by(t.annotator.c.name)
    load = Counter({name: count for name, count in connection.execute(query) if name in people})
    mine: dict[str, list[Bundle]] = defaultdict(list)
    shares = share_out(bundles, list(people), section.assignment.annotators_per_item, seed, load)
    for bundle, takers in zip(bundles, shares, strict=True):
        for name in takers:
            mine[name].append(bundle)
    for name, theirs in mine.items():
        add_stage(connection, section, name, people[name], "main", theirs, seed)
