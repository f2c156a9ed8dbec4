"""Words of a text for the statistics of summaries: in any script, or by the rules of one language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dialgauge.language import find_language, unicode_words
from dialgauge.metrics._job import Job
from dialgauge.metrics._language_parameter import language_parameter
from dialgauge.metrics._metric import Parameter
from dialgauge.metrics._texts import IdArray

#: By default the rules are those of no language in particular.
LANGUAGE = language_parameter(
    "", "the language whose rules split words and sentences, such as fr; none: language-independent rules"
)
#: The parameters of every metric that counts words.
WORD_PARAMETERS: Mapping[str, Parameter] = {
    "tok": Parameter(
        "words",
        ("words", "space"),
        "words: Unicode words without punctuation, a character each in scripts without spaces, or the words of lang; "
        "space: split at white space only and keep punctuation, for tokenised texts",
    ),
    "case": Parameter("lower", ("lower", "keep"), "lower: ignore case; keep: compare words as written"),
    "lang": LANGUAGE,
}


def split_words(text: str, tok: str, case: str, lang: str = "") -> list[str]:
    """The words of a text, by the rules of a language if one is given; what holds no letter or digit is none."""
    if case == "lower":
        text = text.lower()
    if tok == "space":
        return text.split()
    if lang:
        return [word for word in find_language(lang).words(text) if any(map(str.isalnum, word))]
    return unicode_words(text)


def count_words(job: Job, parameters: Mapping[str, str]) -> "JobWords":
    """The words of this job as ``WORD_PARAMETERS`` want them, made once per scoring run."""
    settings = parameters["tok"], parameters["case"], parameters["lang"]
    return job.memo(("statistics", *settings), lambda: JobWords.build(job, *settings))


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
    def build(cls, job: Job, tok: str, case: str, lang: str) -> "JobWords":
        """The words of this job, numbered as those of all jobs with its texts."""
        vocabulary: dict[str, int] = job.texts.memo(("statistics vocabulary",), dict)

        def number(text: str) -> IdArray:
            words = split_words(text, tok, case, lang)
            return np.array([vocabulary.setdefault(word, len(vocabulary)) for word in words], dtype=np.int64)

        used = np.unique(np.concatenate([job.hypothesis_ids, job.target_ids]))
        words = job.texts.feature(("statistics words", tok, case, lang), used, number)
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
