"""The public data behind the PSentScore paper: the treebank, DialogSum, and outputs of systems on its test part."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialgauge.affect import Treebank, read_treebank
from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Summary, parse_turns
from dialgauge.errors import InputError
from dialgauge.reproduce._printed import study_folder
from dialgauge.reproduce.papers.json_lines import read_json_lines

_DIALOGUES = {
    "train": "dialogsum/dialogsum.train.may2021.jsonl.gz",
    "dev": "dialogsum/dialogsum.dev.jsonl",
    "test": "dialogsum/dialogsum.test.jsonl",
}
_BART = "predictions/dialogsum_test.bart_large_cylnlp_baseline.txt"
_FOUR = "predictions/dialogsum_test100.four_systems.jsonl"
_NEEDED = (
    *(f"sst3/{name}.jsonl" for name in ("train", "dev", "test")),
    "opinion_lexicon/positive-words.txt",
    "opinion_lexicon/negative-words.txt",
    *_DIALOGUES.values(),
    _BART,
    _FOUR,
)
#: The outputs of the first of the four systems are those of the file of its own.
_SAME = "bart_large_cylnlp"
BART = "BART large, public"
_NAMES = {"sysB_lowercased": "system B (96)", "sysC": "system C (96)", "sysD": "system D (96)"}


@dataclass(frozen=True, slots=True)
class Pair:
    """A dialogue as DialogSum writes it, and its references: one, or three in the test part."""

    id: str
    dialogue: str
    summaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """All of it; ``outputs`` are summaries of the test part by system and dialogue, ``corpus`` is that part as one."""

    folder: Path
    treebank: Treebank
    pairs: Mapping[str, tuple[Pair, ...]]
    outputs: Mapping[str, Mapping[str, str]]
    corpus: Corpus


def read_bundle(data: Path) -> Bundle:
    """Read the bundle in ``data`` or in its folder ``psent``; a missing file is named."""
    folder = study_folder(data, "psent", _NEEDED)
    pairs = {
        split: tuple(_pair(row, folder / name) for row in read_json_lines(folder / name))
        for split, name in _DIALOGUES.items()
    }
    outputs = _outputs(folder, pairs["test"])
    summaries = [
        Summary(pair.id, f"reference-{i}", text, kind="reference")
        for pair in pairs["test"]
        for i, text in enumerate(pair.summaries, start=1)
    ]
    summaries += [Summary(key, system, text) for system, texts in outputs.items() for key, text in texts.items()]
    dialogues = [Dialogue(pair.id, parse_turns(pair.dialogue)) for pair in pairs["test"]]
    corpus = Corpus.build(dialogues, summaries, info=CorpusInfo("DialogSum, test"))
    return Bundle(folder, read_treebank(folder / "sst3"), pairs, outputs, corpus)


def _pair(row: Mapping[str, Any], path: Path) -> Pair:
    texts = [text for key in ("summary", "summary1", "summary2", "summary3") if (text := row.get(key)) is not None]
    if not texts or not isinstance(row.get("fname"), str) or not isinstance(row.get("dialogue"), str):
        raise InputError(f"{path}: each line needs 'fname', 'dialogue' and 'summary' (or 'summary1' to 'summary3')")
    return Pair(row["fname"], row["dialogue"], tuple(texts))


def _outputs(folder: Path, test: tuple[Pair, ...]) -> dict[str, dict[str, str]]:
    lines = (folder / _BART).read_text(encoding="utf-8").splitlines()
    if len(lines) != len(test):
        raise InputError(f"{folder / _BART}: {len(lines)} outputs for {len(test)} dialogues")
    outputs = {BART: {pair.id: line for pair, line in zip(test, lines, strict=True)}}
    known = set(outputs[BART])
    for row in read_json_lines(folder / _FOUR):
        dialogue, systems = row.get("fname"), row.get("systems")
        if not isinstance(dialogue, str) or not isinstance(systems, dict):
            raise InputError(f"{folder / _FOUR}: each line needs 'fname' and 'systems'")
        if dialogue not in known:
            raise InputError(f"{folder / _FOUR}: no dialogue {dialogue!r} in the test part")
        for system, text in systems.items():
            if system != _SAME:
                # Four dialogues stand there twice, with the same outputs.
                outputs.setdefault(_NAMES.get(str(system), str(system)), {}).setdefault(dialogue, text)
    return outputs
