"""Comparisons and ratings as they are published for training from human feedback."""

import hashlib
from collections.abc import Mapping
from typing import Any

from dialgauge.corpus._types import ORIGINAL
from dialgauge.corpus.layouts._base import Builder, Layout, Record, as_dialogue, hash_id

_SUMMARY = "summary"


def _is_chosen(keys: frozenset[str], first: Record) -> bool:
    return {"chosen", "rejected"} <= keys


def _chosen(builder: Builder) -> None:
    """The better and the worse of two texts: without names of systems, each text is a variant of its own."""
    for line, record in builder.records:
        source = builder.pick({k: v for k, v in record.items() if k not in ("chosen", "rejected")}, "dialogue")
        source = source if source is not None else record.get("prompt", record.get("instruction"))
        given = builder.pick(record, "dialogue_id")
        dialogue_id = str(given if given is not None else hash_id(as_dialogue(source) or ""))
        sides: dict[str, tuple[str, str]] = {}
        for side in ("chosen", "rejected"):
            text = _last_said(record[side])
            named = record.get(f"{side}_model", record.get(f"{side}-model"))
            variant = ORIGINAL if named else f"v-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
            sides[side] = (str(named or _SUMMARY), variant)
            row = {"dialogue_id": dialogue_id, "system": sides[side][0], "variant": variant, "summary": text}
            builder.add(line, row | ({"dialogue": as_dialogue(source)} if source is not None else {}))
        who = builder.pick(record, "annotator")
        builder.judge(
            "preferences",
            line,
            {
                "dialogue_id": dialogue_id,
                **{f"system_{code}": sides[side][0] for code, side in zip("ab", sides, strict=True)},
                **{f"variant_{code}": sides[side][1] for code, side in zip("ab", sides, strict=True)},
                "annotator": "1" if who is None else str(who),
                "dimension": "preference",
                "winner": "a",
            },
        )


def _last_said(value: Any) -> str:
    """The text of an answer: as it is, or the last message of a conversation."""
    if isinstance(value, list) and value and isinstance(value[-1], Mapping):
        return str(value[-1].get("content") or "")
    return str(value or "")


def _is_comparison(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("summaries")
    return (
        "choice" in keys
        and isinstance(listed, list)
        and bool(listed)
        and all(isinstance(one, Mapping) and {"text", "policy"} <= set(one) for one in listed)
    )


def _comparison(builder: Builder) -> None:
    """Summaries of policies and the number of the better one, from 0; 1 to 9 for how much confidence in it."""
    for line, record in builder.records:
        dialogue_id, source = _source(record)
        systems = _distinct([str(one["policy"]) for one in record["summaries"]])
        for (system, variant), one in zip(systems, record["summaries"], strict=True):
            row = {
                "dialogue_id": dialogue_id,
                "system": system,
                "variant": variant,
                "summary": str(one["text"]).strip(),
            }
            builder.add(line, row | ({"dialogue": source} if source else {}))
        chosen = record.get("choice")
        if len(systems) != 2 or chosen not in (0, 1):
            builder.dropped["the choice names neither of two summaries"] += 1
            continue
        pair = {f"{part}_{code}": one[place] for code, one in zip("ab", systems, strict=True) for place, part in _PARTS}
        judged = {"annotator": str(record.get("worker") or "1"), "dimension": "preference", "winner": "ab"[chosen]}
        builder.judge("preferences", line, {"dialogue_id": dialogue_id} | pair | judged | {"shown_first": "a"})


_PARTS = ((0, "system"), (1, "variant"))


def _distinct(policies: list[str]) -> list[tuple[str, str]]:
    """System and variant of each summary: two of one policy are two variants."""
    return [
        (name, ORIGINAL if name not in policies[:place] else f"sample-{policies[:place].count(name) + 1}")
        for place, name in enumerate(policies)
    ]


def _is_axes(keys: frozenset[str], first: Record) -> bool:
    one = first.get("summary")
    return isinstance(one, Mapping) and isinstance(one.get("axes"), Mapping)


def _axes(builder: Builder) -> None:
    """One summary of a policy with a rating on each axis; null where it was not asked for."""
    for line, record in builder.records:
        dialogue_id, source = _source(record)
        one = record["summary"]
        key = {"dialogue_id": dialogue_id, "system": str(one.get("policy") or "system")}
        row = key | {"summary": str(one["text"]).strip()}
        builder.add(line, row | ({"dialogue": source} if source else {}))
        for axis, value in one["axes"].items():
            if value is not None:
                judged = {"annotator": str(record.get("worker") or "1"), "dimension": axis, "value": value}
                builder.add(line, key | judged)


def _source(record: Record) -> tuple[str, str | None]:
    """The id of the text that was summarised, and the text."""
    info = record.get("info") or {}
    text = next((info[k] for k in ("post", "article", "text", "dialogue") if info.get(k)), None)
    return str(info.get("id") or hash_id(str(text))), text


FEEDBACK = (
    Layout("feedback-comparisons", "comparisons of summaries from human feedback", _is_comparison, _comparison),
    Layout("feedback-axes", "summaries rated on axes, from human feedback", _is_axes, _axes),
    Layout("chosen-rejected", "pairs of a chosen and a rejected text", _is_chosen, _chosen),
)
