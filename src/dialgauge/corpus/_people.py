"""What a crowd platform knows about its participants, joined to the annotators of a corpus."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._names import normalised
from dialgauge.corpus._schema import ANNOTATORS
from dialgauge.corpus._table import Table
from dialgauge.errors import InputError, counted

#: Keys of Prolific's export of its participants.
_PERSON, _CODE = "participant_id", "completion_code"
#: Columns about one submission, or by which a person could be found elsewhere: not kept.
_NOT_KEPT = frozenset({_PERSON, _CODE, "submission_id", "session_id", "archived_at", "ip", "ip_address"})


def people_in(table: Table) -> dict[str, dict[str, Any]] | None:
    """What is said about each participant, by id; None where the table is something else."""
    names = {normalised(column): column for column in table.frame.columns}
    if not {_PERSON, _CODE} <= set(names):
        return None
    kept = [column for name, column in names.items() if name not in _NOT_KEPT]
    return {
        str(row[names[_PERSON]]): {column: row[column] for column in kept if row[column] is not None}
        for row in table.frame.iter_rows(named=True)
        if row[names[_PERSON]] is not None
    }


def with_people(corpus: Corpus, people: Mapping[str, Mapping[str, Any]]) -> Corpus:
    """The corpus with what is known about its annotators; people who judged nothing here are counted in a note."""
    judged = {
        who for table in ("ratings", "preferences", "choices", "spans") for who in getattr(corpus, table)["annotator"]
    }
    known = judged & set(people)
    if not known:
        raise InputError(
            "this is an export of participants, and none of them is an annotator of the corpus "
            f"(participants: {', '.join(sorted(people)[:3])} …; annotators: {', '.join(sorted(judged)[:3]) or 'none'})"
        )
    before = {row["annotator"]: row for row in corpus.annotators.iter_rows(named=True)}
    rows = []
    for who in sorted(known | set(before)):
        one = before.get(who, {"annotator": who, "group": "crowd", "meta": None})
        meta = {**json.loads(one["meta"] or "{}"), **people.get(who, {})}
        rows.append((who, one["group"], json.dumps(meta, ensure_ascii=False, sort_keys=True) if meta else None))
    rest = len(set(people) - judged)
    said = f"{counted(len(known), 'participant')} joined to the annotators"
    said += f"; {rest} judged nothing here" if rest else ""
    return replace(corpus, annotators=pl.DataFrame(rows, schema=ANNOTATORS, orient="row"), notes=(*corpus.notes, said))
