"""Words and sentences of a text in any script, for the statistics of summaries.

Words (``tok=words``) are runs of Unicode letters, digits and their combining marks, without punctuation; an apostrophe
inside a word and a point, comma or colon between digits belong to it (``don't``, ``3.5``, ``10:30``). In scripts that
are written without spaces (Chinese, Japanese kana, Thai, Lao, Khmer, Burmese) every character with its marks is a word
of its own. ``tok=space`` splits at white space alone, for texts that are tokenised already.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Parameter
from dialgauge.metrics._texts import IdArray

#: The parameters of every metric that counts words.
WORD_PARAMETERS: Mapping[str, Parameter] = {
    "tok": Parameter(
        "words",
        ("words", "space"),
        "words: Unicode words without punctuation, a character each in scripts without spaces; space: split at white "
        "space only, punctuation stays, for texts that are tokenised already",
    ),
    "case": Parameter("lower", ("lower", "keep"), "lower: compare words without regard to case; keep: as written"),
}

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
)
#: The planes of rare Han characters, taken as a whole: asking for each of 131,072 code points would cost 0.1 s.
_HAN_PLANES = "\\U00020000-\\U0003ffff"
#: Those that rarely end a sentence ("etc." and "no." often do, so they are not here).
_ABBREVIATIONS = {"mr", "mrs", "ms", "dr", "prof", "vs", "e.g", "i.e", "cf", "approx", "z.b", "bzw"}
_SENTENCE_END = re.compile(r"[.!?…؟।]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[”’」』）]*|\n+")


def split_words(text: str, tok: str, case: str) -> list[str]:
    """The words of a text."""
    if case == "lower":
        text = text.lower()
    if tok == "space":
        return text.split()
    text = unicodedata.normalize("NFC", text).replace("’", "'")
    words: list[str] = _word_pattern().findall(text)
    return words


def split_sentences(text: str) -> list[str]:
    """The sentences of a text that hold at least one word.

    A sentence ends at a line break, after ``. ! ? …`` (and closing quotes or brackets) before white space, or after
    their full-width forms. A full stop after a single letter or a frequent abbreviation ends none.
    """
    sentences: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match.group() == "." and _is_abbreviation(text[start : match.start()]):
            continue
        sentences.append(text[start : match.end()])
        start = match.end()
    sentences.append(text[start:])
    has_word = _word_pattern().search
    return [sentence.strip() for sentence in sentences if has_word(sentence)]


def _is_abbreviation(before: str) -> bool:
    last = before[-12:].rpartition(" ")[2].lstrip("(\"'").lower()
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i")


@cache
def _word_pattern() -> re.Pattern[str]:
    letters: list[int] = []
    marks: list[int] = []
    unspaced: list[int] = []
    for code in range(0x20000):
        character = chr(code)
        if character.isalnum():
            alone = any(first <= code <= last for first, last in _UNSPACED) and not character.isdecimal()
            (unspaced if alone else letters).append(code)
        elif unicodedata.category(character) in ("Mn", "Mc", "Me"):
            marks.append(code)
    letter, mark, single = _ranges(letters), _ranges(marks), _ranges(unspaced) + _HAN_PLANES
    run = f"[{letter}][{letter}{mark}]*"
    return re.compile(rf"{run}(?:(?:'|(?<=\d)[.,:](?=\d)){run})*|[{single}][{mark}]*")


def _ranges(codes: list[int]) -> str:
    """Sorted code points as the inside of a character class."""
    numbers = np.array(codes)
    breaks = np.flatnonzero(np.diff(numbers) != 1)
    firsts = numbers[np.concatenate([[0], breaks + 1])].tolist()
    lasts = numbers[np.concatenate([breaks, [len(numbers) - 1]])].tolist()
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in zip(firsts, lasts, strict=True))


@dataclass(frozen=True, eq=False)
class JobWords:
    """The words of all texts of a job as one flat array of word ids.

    Row ``r`` is a distinct text with the words ``flat[starts[r]:starts[r] + lengths[r]]``. ``hypothesis_rows`` and
    ``target_rows`` give the row of each item's hypothesis and of each target.
    """

    flat: IdArray
    starts: IdArray
    lengths: IdArray
    hypothesis_rows: IdArray
    target_rows: IdArray
    _grams: dict[int, IdArray] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job, tok: str, case: str) -> "JobWords":
        """The words of this job, made once per scoring run and tokenisation."""
        return job.memo(("statistics", tok, case), lambda: cls._build(job, tok, case))

    @classmethod
    def _build(cls, job: Job, tok: str, case: str) -> "JobWords":
        vocabulary: dict[str, int] = job.texts.memo(("statistics vocabulary",), dict)

        def number(text: str) -> IdArray:
            words = split_words(text, tok, case)
            return np.array([vocabulary.setdefault(word, len(vocabulary)) for word in words], dtype=np.int64)

        used = np.unique(np.concatenate([job.hypothesis_ids, job.target_ids]))
        words = job.texts.feature(("statistics words", tok, case), used, number)
        arrays = [words[text_id] for text_id in used.tolist()]
        lengths = np.array([len(array) for array in arrays], dtype=np.int64)
        return cls(
            flat=np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64),
            starts=np.cumsum(lengths) - lengths,
            lengths=lengths,
            hypothesis_rows=np.searchsorted(used, job.hypothesis_ids),
            target_rows=np.searchsorted(used, job.target_ids),
        )

    def row(self, row: int) -> list[int]:
        """The word ids of one text."""
        start = int(self.starts[row])
        ids: list[int] = self.flat[start : start + int(self.lengths[row])].tolist()
        return ids

    def grams(self, n: int) -> IdArray:
        """For each position of ``flat`` the id of the n-gram that begins there; -1 where the text ends too early."""
        if n == 1:
            return self.flat
        if n not in self._grams:
            shorter = self.grams(n - 1)
            left = np.repeat(self.starts + self.lengths, self.lengths) - np.arange(len(self.flat))
            begins = np.flatnonzero(left >= n)
            # Ids stay below the number of words, so the product of two fits 64 bits for any text that fits memory.
            width = int(self.flat.max(initial=0)) + 1
            keys = shorter[begins] * width + self.flat[begins + n - 1]
            result = np.full(len(self.flat), -1, dtype=np.int64)
            result[begins] = np.unique(keys, return_inverse=True)[1]
            self._grams[n] = result
        return self._grams[n]

    def rows_of_words(self) -> IdArray:
        """The row that each position of ``flat`` belongs to."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)
