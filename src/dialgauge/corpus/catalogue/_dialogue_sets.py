"""Readers of data sets of dialogues with references: SAMSum, DialogSum, TweetSumm, CSDS."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dialgauge.corpus._corpus import Corpus, CorpusInfo
from dialgauge.corpus._jsonl import read_objects
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus._types import OVERALL, Dialogue, Summary, Turn
from dialgauge.corpus.catalogue._entry import find_file, need_file
from dialgauge.errors import InputError

_SAMSUM = {
    "train": ("samsum.train.jsonl.gz", "samsum.train.jsonl", "train.json", "train.jsonl"),
    "validation": ("samsum.validation.jsonl.gz", "samsum.validation.jsonl", "val.json", "validation.jsonl"),
    "test": ("samsum.test.jsonl.gz", "samsum.test.jsonl", "test.json", "test.jsonl"),
}
_DIALOGSUM = {
    "train": ("dialogsum.train.jsonl", "dialogsum.train.may2021.jsonl.gz"),
    "dev": ("dialogsum.dev.jsonl",),
    "test": ("dialogsum.test.jsonl",),
    "hiddentest": ("dialogsum.hiddentest.dialogue.jsonl",),
}
_TWEETSUMM = {
    "train": "final_train_tweetsum.jsonl",
    "valid": "final_valid_tweetsum.jsonl",
    "test": "final_test_tweetsum.jsonl",
}


def read_samsum(folder: Path, part: str) -> Corpus:
    """SAMSum: messenger chats, one reference each. ``part`` is a split, or ``all``."""
    dialogues, summaries = [], []
    for split, path in _splits(folder, _SAMSUM, part):
        for row in read_objects(path):
            dialogues.append(Dialogue(row["id"], parse_turns(row["dialogue"]), language="en", meta={"split": split}))
            summaries.append(_reference(row["id"], row["summary"]))
    return Corpus.build(dialogues, summaries, info=CorpusInfo("samsum", "SAMSum", "CC BY-NC-ND 4.0"))


def read_dialogsum(folder: Path, part: str) -> Corpus:
    """DialogSum: face-to-face dialogues; one reference, three on test, none on the hidden test. Topics are in meta."""
    dialogues, summaries = [], []
    for split, path in _splits(folder, _DIALOGSUM, part):
        topics = find_file(folder, "dialogsum.hiddentest.topic.jsonl") if split == "hiddentest" else None
        topic_of = {row["fname"]: row["topic"] for row in read_objects(topics)} if topics else {}
        for row in read_objects(path):
            dialogue_id = row["fname"]
            numbers = [key.removeprefix("summary") for key in row if key.startswith("summary")]
            found = [row.get(f"topic{number}") for number in numbers] or [topic_of.get(dialogue_id)]
            meta = {"split": split, "topics": [topic for topic in found if topic]}
            dialogues.append(Dialogue(dialogue_id, parse_turns(row["dialogue"]), language="en", meta=meta))
            summaries += [_reference(dialogue_id, row[f"summary{number}"], number) for number in numbers]
    return Corpus.build(dialogues, summaries, info=CorpusInfo("dialogsum", "DialogSum", "CC BY-NC-SA 4.0"))


def read_tweetsumm(folder: Path, part: str) -> Corpus:
    """TweetSumm: customer care on Twitter. The tweets themselves are in Kaggle's ``twcs.csv``, which must be there too.

    The abstractive summaries are references; the extractive ones, which people chose as well, are summaries of the
    systems ``extractive-1`` …
    """
    tweets = _read_tweets(need_file(folder, "twcs.csv"))
    dialogues, summaries = [], []
    for split, path in _splits(folder, {split: (name,) for split, name in _TWEETSUMM.items()}, part):
        for row in read_objects(path):
            dialogue_id = row["conversation_id"]
            turns = tuple(_tweet_turn(tweets, entry, path) for entry in row["tweet_ids_sentence_offset"])
            dialogues.append(Dialogue(dialogue_id, turns, "customer care", "en", {"split": split}))
            abstractive = [note["abstractive"] for note in row["annotations"] if note.get("abstractive")]
            extractive = [note["extractive"] for note in row["annotations"] if note.get("extractive")]
            for number, sentences in enumerate(abstractive, start=1):
                name = str(number) if len(abstractive) > 1 else ""
                summaries.append(_reference(dialogue_id, " ".join(sentences), name))
            for number, chosen in enumerate(extractive, start=1):
                text = " ".join(_tweet_turn(tweets, entry, path).text for entry in chosen)
                made = {"by": "annotator", "method": "extractive"}
                summaries.append(Summary(dialogue_id, f"extractive-{number}", text, provenance=made))
    return Corpus.build(dialogues, summaries, info=CorpusInfo("tweetsumm", "TweetSumm", "CDLA-Sharing-1.0"))


def _read_tweets(path: Path) -> dict[str, tuple[bool, str]]:
    """Whether a customer wrote it, and the text, by tweet id."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["tweet_id"]: (row["inbound"].lower() == "true", row["text"]) for row in csv.DictReader(stream)}


def _tweet_turn(tweets: dict[str, tuple[bool, str]], entry: dict[str, Any], path: Path) -> Turn:
    tweet_id = str(entry["tweet_id"])
    if tweet_id not in tweets:
        raise InputError(f"{path}: tweet {tweet_id} is not in twcs.csv")
    by_customer, text = tweets[tweet_id]
    offsets = entry.get("sentence_offsets") or [entry["sentence_offset"]]
    spans = [[int(edge) for edge in offset.strip("[]").split(",")] for offset in offsets]
    words = " ".join(text[start:end] for start, end in spans)
    return Turn("Customer", words, "customer") if by_customer else Turn("Agent", words, "agent")


def read_csds(folder: Path, part: str) -> Corpus:
    """CSDS: Chinese customer service, a reference for the user's side, the agent's side and the whole.

    With the outputs of RODS beside it, these are systems with a summary for each side. The published
    ``train/val/test.json`` are read as well.
    """
    if find_file(folder, "csds_test_dialogues.jsonl") is None:
        return _read_published_csds(folder, part)
    if part not in ("all", "test"):
        raise InputError(f"{folder}: has only the test part of csds, not {part!r}")
    dialogues, summaries = [], []
    for row in read_objects(need_file(folder, "csds_test_dialogues.jsonl")):
        dialogue_id = str(row["idx"])
        turns = [(turn["speaker"], turn["text"]) for turn in row["utterances"]]
        dialogues.append(_csds_dialogue(dialogue_id, row["q_role"], turns, "test"))
        for role in ("user", "agent", OVERALL):
            summaries.append(Summary(dialogue_id, "reference", row[f"{role}_ref"], role=role, kind="reference"))
    for name in ("rods_csds_4models.jsonl", "rods_csds_other6models.jsonl"):
        outputs = find_file(folder, name)
        for row in read_objects(outputs) if outputs else ():
            for role in ("user", "agent"):
                summaries += [
                    Summary(str(row["idx"]), system, text, role=role) for system, text in row[role]["pred"].items()
                ]
    return Corpus.build(dialogues, summaries, info=CorpusInfo("csds", "CSDS with the outputs of RODS", "none stated"))


def _read_published_csds(folder: Path, part: str) -> Corpus:
    files = {split: (f"{split}.json",) for split in ("train", "val", "test")}
    dialogues, summaries = [], []
    for split, path in _splits(folder, files, part):
        for row in read_objects(path):
            dialogue_id = f"{split}-{row['DialogueID']}"
            # The published utterances are cut into words by spaces; Chinese is written without.
            turns = [(turn["speaker"], turn["utterance"].replace(" ", "")) for turn in row["Dialogue"]]
            dialogues.append(_csds_dialogue(dialogue_id, row["QRole"], turns, split))
            for role, key in (("user", "UserSumm"), ("agent", "AgentSumm"), (OVERALL, "FinalSumm")):
                text = "".join(row[key]).replace(" ", "")
                summaries.append(Summary(dialogue_id, "reference", text, role=role, kind="reference"))
    return Corpus.build(dialogues, summaries, info=CorpusInfo("csds", "CSDS", "none stated"))


def _csds_dialogue(dialogue_id: str, asker: str, turns: list[tuple[str, str]], split: str) -> Dialogue:
    """The asker is a customer, a merchant or a courier; whoever it is has the role of the user."""
    spoken = tuple(
        Turn(asker, text, "user") if speaker == "Q" else Turn("客服", text, "agent") for speaker, text in turns
    )
    return Dialogue(dialogue_id, spoken, "customer service", "zh", {"split": split, "asker": asker})


def _reference(dialogue_id: str, text: str, number: str = "") -> Summary:
    return Summary(dialogue_id, f"reference-{number}" if number else "reference", text, kind="reference")


def _splits(folder: Path, files: Mapping[str, tuple[str, ...]], part: str) -> Iterator[tuple[str, Path]]:
    """The requested splits; for ``all``, those that exist."""
    found = {split: find_file(folder, *names) for split, names in files.items()}
    if part != "all":
        yield part, need_file(folder, *files[part])
        return
    if not any(found.values()):
        raise InputError(
            f"{folder}: none of these files is in it: {', '.join(n for names in files.values() for n in names)}"
        )
    yield from ((split, path) for split, path in found.items() if path)
