"""Readers of data sets with human ratings: DialSummEval, SummEval, TofuEval, FacEval, SummEdits."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dialgauge.corpus._corpus import Corpus, CorpusInfo
from dialgauge.corpus._files import read_text
from dialgauge.corpus._jsonl import read_objects
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus._types import ORIGINAL, Dialogue, Rating, Summary, Turn
from dialgauge.corpus.catalogue._entry import find_file, need_file
from dialgauge.errors import InputError

_FOUR = ("coherence", "consistency", "fluency", "relevance")


def read_dialsummeval(folder: Path, part: str) -> Corpus:
    """DialSummEval: 100 SAMSum dialogues, 14 systems (A is the reference), three annotators, four dimensions.

    ``part`` picks the ratings: ``original``, ``reproduction`` or ``ablation`` (ten dialogues). The four rows that the
    reproduction's tool never saved keep their zeros, which are outside of the scale 1-5.
    """
    info = CorpusInfo(f"dialsummeval-{part}", f"DialSummEval, ratings: {part}", "none stated; SAMSum: CC BY-NC-ND 4.0")
    ratings_file = find_file(folder, f"human_{part}.jsonl")
    if ratings_file is None:
        if part == "original" and find_file(folder, "human_judgment.jsonl"):
            return _published_dialsummeval(need_file(folder, "human_judgment.jsonl"), info)
        raise InputError(f"{folder}: human_{part}.jsonl is not in it")
    place = ratings_file.parent
    dialogues = [
        Dialogue(row["dialogue_id"], parse_turns(row["dialogue"]), language="en")
        for row in read_objects(need_file(place, "dialogues.jsonl"))
    ]
    summaries = [
        _lettered(row["dialogue_id"], row["system"], row["summary"], {"system_name": row["system_name"]})
        for row in read_objects(need_file(place, "summaries.jsonl"))
    ]
    ratings = [
        Rating(
            *(row["dialogue_id"], row["system"], str(row["annotator"]), dimension),
            value=row[dimension],
            scale="1-5",
            comment=row.get("comment"),
        )
        for row in read_objects(ratings_file)
        for dimension in _FOUR
    ]
    return Corpus.build(dialogues, summaries, ratings, info)


def _published_dialsummeval(path: Path, info: CorpusInfo) -> Corpus:
    dialogues: dict[str, Dialogue] = {}
    summaries, ratings = [], []
    for row in read_objects(path):
        dialogue_id, system = row["id"], row["model_id"]
        dialogues.setdefault(dialogue_id, Dialogue(dialogue_id, parse_turns(row["dialogue"]), language="en"))
        summaries.append(_lettered(dialogue_id, system, row["summary"], {}))
        for annotator, given in enumerate(row["annotations"], start=1):
            ratings += [
                Rating(dialogue_id, system, str(annotator), dimension, given[dimension], scale="1-5")
                for dimension in _FOUR
            ]
    return Corpus.build(dialogues.values(), summaries, ratings, info)


def _lettered(dialogue_id: str, letter: str, text: str, provenance: dict[str, str]) -> Summary:
    kind = "reference" if letter == "A" else "system"
    return Summary(dialogue_id, letter, text, kind=kind, provenance=provenance)  # type: ignore[arg-type]


def read_summeval(folder: Path, part: str) -> Corpus:
    """SummEval: 100 news articles, 16 systems. ``part`` picks the raters: ``expert`` (three) or ``crowd`` (five).

    Articles are single turns; they are there only after pairing with CNN/DailyMail (the field ``text``).
    """
    path = need_file(folder, "model_annotations.aligned.paired.jsonl", "model_annotations.aligned.jsonl")
    key = {"expert": "expert_annotations", "crowd": "turker_annotations"}[part]
    dialogues: dict[str, Dialogue] = {}
    summaries, ratings = [], []
    for row in read_objects(path):
        article, system = str(row["id"]), row["model_id"]
        if article not in dialogues:
            turns = (Turn("", row["text"]),) if row.get("text") else ()
            dialogues[article] = Dialogue(article, turns, "news", "en")
            summaries += [
                Summary(article, f"reference-{number}", text, kind="reference")
                for number, text in enumerate(row["references"], start=1)
            ]
        summaries.append(Summary(article, system, row["decoded"]))
        for annotator, given in enumerate(row[key], start=1):
            ratings += [
                Rating(article, system, f"{part}-{annotator}", dimension, given[dimension], scale="1-5")
                for dimension in _FOUR
            ]
    return Corpus.build(dialogues.values(), summaries, ratings, CorpusInfo(f"summeval-{part}", "SummEval", "MIT"))


def read_tofueval(folder: Path, part: str) -> Corpus:
    """TofuEval: topic-focused summaries of interviews and meetings; linguists judged every sentence.

    A dialogue here is a document with a topic (``NPR-5615#Topic``), since each topic has summaries of its own. The
    documents are read from ``{mediasum,meetingbank}_{dev,test}_doc.csv`` where these were made as the authors say.
    """
    wanted = ("mediasum", "meetingbank") if part == "all" else (part,)
    dialogues: dict[str, Dialogue] = {}
    sentences: dict[tuple[str, str], dict[int, str]] = {}
    # The published meetingbank file has a row twice, letter for letter: a rating is kept once.
    ratings: dict[Rating, None] = {}
    for source in wanted:
        for split in ("dev", "test"):
            path = find_file(folder, f"{source}_factual_eval_{split}.csv")
            if path is None:
                continue
            documents = _documents(find_file(folder, f"{source}_{split}_doc.csv"))
            for row in _csv(path):
                key = f"{row['doc_id']}#{row['topic']}"
                meta = {"document": row["doc_id"], "topic": row["topic"], "split": split}
                turns = parse_turns(documents.get(row["doc_id"], ""))
                dialogues.setdefault(key, Dialogue(key, turns, source, "en", meta))
                number = int(row["sent_idx"])
                sentences.setdefault((key, row["model_name"]), {})[number] = row["summ_sent"]
                remark = ": ".join(text for text in (row["type"], row["exp"]) if text)
                rating = Rating(
                    *(key, row["model_name"], "expert", "consistency", _yes(row["sent_label"], path)),
                    sentence=number,
                    scale="0-1",
                    comment=remark or None,
                )
                ratings[rating] = None
    if not dialogues:
        raise InputError(f"{folder}: no file like {wanted[0]}_factual_eval_dev.csv is in it")
    summaries = [
        Summary(key, system, " ".join(text for _, text in sorted(found.items())))
        for (key, system), found in sentences.items()
    ]
    return Corpus.build(dialogues.values(), summaries, ratings, CorpusInfo("tofueval", "TofuEval", "not verified"))


def _documents(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    return {row.get("doc_id") or row["meeting_id"]: row["source"] for row in _csv(path)}


def read_faceval(folder: Path, part: str) -> Corpus:
    """FacEval: 150 SAMSum dialogues, four systems and the reference, six kinds of factual error.

    ``consistency`` is 1 for a summary without error; each kind of error is a dimension that is 1 where it occurs.
    """
    del part
    kinds = ("SubObjE", "ProE", "NegE", "ParE", "HalE", "OtherE")
    path = need_file(folder, "FacEval_human_result.csv")
    dialogues: dict[str, Dialogue] = {}
    summaries, ratings = [], []
    for row in _csv(path):
        dialogue_id, system = row["DocID"], row["Model"]
        dialogues.setdefault(dialogue_id, Dialogue(dialogue_id, parse_turns(row["Dialogue"]), language="en"))
        by_human = system == "human_ref"
        summaries.append(Summary(dialogue_id, system, row["Summary"], kind="reference" if by_human else "system"))
        values = {"consistency": 1 - _yes(row["w/ Error"], path), **{kind: _yes(row[kind], path) for kind in kinds}}
        ratings += [
            Rating(dialogue_id, system, "published", dimension, value, scale="0-1")
            for dimension, value in values.items()
        ]
    info = CorpusInfo("faceval", "FacEval", "none stated; SAMSum: CC BY-NC-ND 4.0")
    return Corpus.build(dialogues.values(), summaries, ratings, info)


def read_summedits(folder: Path, part: str) -> Corpus:
    """SummEdits: summaries edited by a model, each judged consistent (1) or not (0). ``part`` is a domain, or ``all``.

    All are of the system ``seed``; the edits are its variants, with the kinds of edit as provenance.
    """
    pattern = "summedits_*.json" if part == "all" else f"summedits_{part}.json"
    files = sorted({path for depth in ("", "*/", "*/*/") for path in folder.glob(depth + pattern)})
    rows = (
        (row, row.get("domain") or path.stem.removeprefix("summedits_"))
        for path in files or [need_file(folder, pattern, "summedits.json")]
        for row in read_objects(path)
    )
    dialogues: dict[str, Dialogue] = {}
    summaries, ratings = [], []
    for row, domain in rows:
        if part not in ("all", domain):
            continue
        dialogue_id, _, edit = str(row["id"]).rpartition("_")
        variant = ORIGINAL if edit == "og" else f"edit-{edit}"
        dialogues.setdefault(dialogue_id, Dialogue(dialogue_id, _summedits_turns(row["doc"], domain), domain, "en"))
        made = {"edit_types": row["edit_types"]} if row.get("edit_types") else {}
        summaries.append(Summary(dialogue_id, "seed", row["summary"], variant, provenance=made))
        value = float(row["label"])
        ratings.append(Rating(dialogue_id, "seed", "published", "consistency", value, variant=variant, scale="0-1"))
    return Corpus.build(dialogues.values(), summaries, ratings, CorpusInfo("summedits", "SummEdits", "CC BY 4.0"))


def _summedits_turns(text: str, domain: str) -> tuple[Turn, ...]:
    """The chats of the SAMSum part are published with a lone full stop between turns."""
    if domain == "samsum":
        text = re.sub(r" \. (?=[^.:]{1,40}: )", "\n", text)
    return parse_turns(text)


def _csv(path: Path) -> Iterator[dict[str, Any]]:
    return csv.DictReader(io.StringIO(read_text(path).text, newline=""))


def _yes(text: str, path: Path) -> float:
    values = {"yes": 1.0, "no": 0.0}
    if text.strip().lower() not in values:
        raise InputError(f"{path}: a label is {text!r}, not yes or no")
    return values[text.strip().lower()]
