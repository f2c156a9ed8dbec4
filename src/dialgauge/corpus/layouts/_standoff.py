"""Stand-off annotations as brat, WebAnno and INCEpTION keep them: a text, and marks in it."""

from dialgauge.corpus._standoff import ANNOTATOR, DIALOGUE, DOCUMENT, MARKS, SYSTEM, TEXT
from dialgauge.corpus.layouts._base import Builder, Layout, Record


def _is_standoff(keys: frozenset[str], first: Record) -> bool:
    return {DOCUMENT, TEXT, MARKS} <= keys


def _standoff(builder: Builder) -> None:
    """The texts are summaries; a document that somebody read without marking anything has one row without a place."""
    for line, record in builder.records:
        data = {"dialogue_id": record[DOCUMENT], "summary": str(record[TEXT]).strip()}
        data |= {use: record[key] for use, key in (("system", SYSTEM), ("dialogue", DIALOGUE)) if record.get(key)}
        shift = len(str(record[TEXT])) - len(str(record[TEXT]).lstrip())
        builder.item(line, data)
        judged = builder.key(data) | {"annotator": record[ANNOTATOR] or "1", "dimension": "errors"}
        for mark in record[MARKS]:
            place = {"start": mark["start"] - shift, "end": mark["end"] - shift}
            builder.judge("spans", line, judged | mark | place)
        if not record[MARKS]:
            builder.judge("spans", line, judged | {"start": None, "end": None})


STANDOFF = (Layout("standoff", "stand-off annotations", _is_standoff, _standoff),)
