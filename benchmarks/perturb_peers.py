"""Perturbations beside those of nlpaug and TextAttack: the same texts, about the same share of their words changed."""

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from benchmarks.pairs import load_pairs
from benchmarks.timing import BenchResult, Timing, interleave
from dialgauge.corpus import Corpus, Dialogue, Summary, embedded_corpus
from dialgauge.perturb import outline, parse, parse_requests, perturb
from dialgauge.perturb._grammar import base_form, inflect

#: Turns texts into as many perturbed ones.
Perturb = Callable[[Sequence[str]], list[str]]

_SEED = 20_261_115
_ROUNDS = 5
_TEXTS = 300
_WORD = re.compile(r"\w+")
#: What to install where a package is absent.
_INSTALL = {
    "nlpaug": "pip install nlpaug",
    "textattack": "pip install textattack (it needs transformers below 5, so keep it apart from the extra 'models')",
}


@dataclass(frozen=True, slots=True)
class Contest:
    """One of our perturbations beside the nearest one of another package.

    ``make`` is given the share of the words that ours changes, and gives the other side set to that share. ``marks``
    is true where spaces and punctuation are meant to stay. A slow one gets no more than ``most`` texts, and its time is
    scaled.
    """

    ours: str
    package: str
    theirs: str
    make: Callable[[float], Perturb]
    marks: bool = True
    most: int = _TEXTS

    @property
    def name(self) -> str:
        """Both perturbations, ours first."""
        return f"{self.ours} / {self.theirs}"


def _nlpaug(kind: str, **settings: Any) -> Perturb:
    folder = "word" if "Word" in kind else "char"
    made = getattr(import_module(f"nlpaug.augmenter.{folder}"), kind)(**settings)
    return lambda texts: list(made.augment(list(texts)))


def _nlpaug_letters(share: float, kind: str, **settings: Any) -> Perturb:
    once = {"aug_char_min": 1, "aug_char_max": 1, "min_char": 4}
    return _nlpaug(kind, aug_word_p=share, aug_word_max=None, **once, **settings)


def _nlpaug_words(share: float, action: str) -> Perturb:
    return _nlpaug("RandomWordAug", action=action, aug_p=share, aug_max=None)


def _textattack(share: float, kind: str, **settings: Any) -> Perturb:
    augmenter = import_module("textattack.augmentation").Augmenter
    transformation = getattr(import_module("textattack.transformations"), kind)(**settings)
    # Its usual constraints refuse changes of stop words, which would leave less than the share.
    made = augmenter(transformation, constraints=[], pct_words_to_swap=share)
    return lambda texts: [made.augment(text)[0] for text in texts]


_LETTERS = {"include_special_char": False, "include_numeric": False, "include_upper_case": False}
_INNER = {"skip_first_char": True, "skip_last_char": True}
CONTESTS = (
    Contest("typos_2", "nlpaug", "RandomCharAug", partial(_nlpaug_letters, kind="RandomCharAug", action="swap")),
    Contest("typos_2", "nlpaug", "KeyboardAug", partial(_nlpaug_letters, kind="KeyboardAug", **_LETTERS)),
    Contest("jumble", "nlpaug", "RandomWordAug swap", partial(_nlpaug_words, action="swap")),
    Contest("drop_phrases", "nlpaug", "RandomWordAug delete", partial(_nlpaug_words, action="delete"), marks=False),
    Contest(
        "typos_2",
        "textattack",
        "WordSwapNeighboringCharacterSwap",
        partial(_textattack, kind="WordSwapNeighboringCharacterSwap", **_INNER),
        most=15,
    ),
    Contest("typos_2", "textattack", "WordSwapQWERTY", partial(_textattack, kind="WordSwapQWERTY", **_INNER), most=15),
    Contest(
        "drop_phrases", "textattack", "WordDeletion", partial(_textattack, kind="WordDeletion"), marks=False, most=15
    ),
)


def shared_texts() -> dict[str, list[str]]:
    """What both sides perturb, by where it is from: the embedded summaries, and up to 300 others."""
    pairs = load_pairs().draw(_TEXTS)
    found = {"the embedded corpus": embedded_corpus().summaries["text"].to_list(), pairs.origin: pairs.summaries}
    return {origin: list(dict.fromkeys(texts)) for origin, texts in found.items()}


def beside_peer(contest: Contest, texts: Mapping[str, Sequence[str]]) -> list[BenchResult]:
    """A result for each set of texts; one that is skipped where the other package cannot run here."""
    try:
        peer = f"{contest.package} {version(contest.package)}"
    except PackageNotFoundError:
        reason = f"not installed: {_INSTALL[contest.package]}"
        return [BenchResult.skipped(contest.name, contest.package, reason)]
    try:
        contest.make(0.1)
    except LookupError:  # TextAttack reads that list when it is imported
        reason = "it reads a word list of nltk: python -m nltk.downloader stopwords"
        return [BenchResult.skipped(contest.name, peer, reason)]
    except ImportError as error:  # it wants another version of what it stands on
        return [BenchResult.skipped(contest.name, peer, f"cannot be imported here: {error}")]
    return [_measured(contest, peer, list(several), origin) for origin, several in texts.items()]


def _measured(contest: Contest, peer: str, texts: list[str], origin: str) -> BenchResult:
    ours = partial(_ours, contest.ours)
    corpus = _corpus(texts)
    made = ours(corpus)  # loads what loads on first use, and shows which share the peer has to change
    share = changed_share(texts, made)
    fewer = random.Random(_SEED).sample(texts, min(contest.most, len(texts)))
    theirs = partial(_seeded, contest.make(share))
    answers = theirs(fewer)

    def time(*caches: Any) -> Timing:
        return interleave(
            lambda: ours(corpus),
            lambda: theirs(fewer),
            rounds=_ROUNDS,
            units=len(texts),
            peer_units=len(fewer),
            before_each=lambda: [cache.cache_clear() for cache in (outline, inflect, base_form, *caches)],
        )

    timings = {"parse in the clock": time(parse), "parse shared": time()} if _parses(contest.ours) else {"": time()}
    timing = next(iter(timings.values()))
    speeds = [round(len(texts) / seconds, 1) for seconds in (timing.seconds, timing.peer_seconds)]
    shares = [round(share, 3), round(changed_share(fewer, answers), 3)]
    backwards = ours(_corpus(texts[::-1]))[::-1], theirs(fewer[::-1])[::-1]
    detail = {
        "texts": f"{len(texts)} from {origin}",
        "text_count": len(texts),
        "peer_text_count": len(fewer),
        "texts_per_second": speeds,
        "words_changed": shares,
        "marks_kept": [round(kept_marks(texts, made), 3), round(kept_marks(fewer, answers), 3)]
        if contest.marks
        else None,
        "same_with_seed": [made == ours(corpus), answers == theirs(fewer)],
        "same_in_any_order": [made == backwards[0], answers == backwards[1]],
        "ratios": [float(f"{ratio:.3g}") for ratio in timing.ratios],
        "with_parse": {name: float(f"{one.ratio:.3g}") for name, one in timings.items() if name},
    }
    detail["workload"] = _in_words(detail)
    return BenchResult(contest.name, timing.ratio, peer, timing.seconds, timing.peer_seconds, detail)


def _in_words(detail: Mapping[str, Any]) -> str:
    """What the table says about one contest; of two values ours is the first."""
    parts = [
        "{} texts, {:,.0f} and {:,.0f} a second".format(detail["text_count"], *detail["texts_per_second"]),
        *(f"{name} {ratio:.3g}" for name, ratio in detail["with_parse"].items()),
        "words changed {:.0%} and {:.0%}".format(*detail["words_changed"]),
    ]
    if detail["marks_kept"]:
        parts.append("marks kept in {:.0%} and {:.0%}".format(*detail["marks_kept"]))
    seeded = zip(detail["same_with_seed"], detail["same_in_any_order"], strict=True)
    promises = ["any order" if free else "one order" if same else "nothing" for same, free in seeded]
    parts.append("a seed fixes {} and {}".format(*promises))
    return "; ".join(parts)


def _corpus(texts: Sequence[str]) -> Corpus:
    """The texts as summaries, each under a key that tells nothing of its place."""
    keys = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts]
    summaries = [Summary(key, "bench", text) for key, text in zip(keys, texts, strict=True)]
    return Corpus.build([Dialogue(key, ()) for key in keys], summaries)


def _parses(spec: str) -> bool:
    return any("parse" in request.perturbation.needs for request in parse_requests([spec]))


def _ours(spec: str, corpus: Corpus) -> list[str]:
    """As a person would call it, provenance and checks included; what is declined stays as it was."""
    found = dict(perturb(corpus, [spec], seed=_SEED).variants.select("dialogue_id", "text").iter_rows())
    return [found.get(key, text) for key, text in corpus.summaries.select("dialogue_id", "text").iter_rows()]


def _seeded(theirs: Perturb, texts: Sequence[str]) -> list[str]:
    """Both packages draw from the global random states, so these are what a person has to seed."""
    random.seed(_SEED)
    np.random.seed(_SEED)  # noqa: NPY002
    return theirs(texts)


def changed_share(texts: Sequence[str], perturbed: Sequence[str]) -> float:
    """How many of the words were changed, moved, left out or added, on average over the texts (spaces do not count)."""
    shares = []
    for before, after in zip(texts, perturbed, strict=True):
        words = _WORD.findall(before)
        shares.append(min(1.0, Levenshtein.distance(words, _WORD.findall(after)) / max(1, len(words))))
    return float(np.mean(shares))


def kept_marks(texts: Sequence[str], perturbed: Sequence[str]) -> float:
    """The share of the texts that hold as many of each space and mark as before: nothing but words was changed."""
    return float(np.mean([_marks(before) == _marks(after) for before, after in zip(texts, perturbed, strict=True)]))


def _marks(text: str) -> Counter[str]:
    return Counter(character for character in text if not character.isalnum())
