"""Whether metrics read the language of the texts: said once per scoring run, before the work.

ROUGE's own words are runs of a–z and 0–9: an accent cuts a word in two, another script is lost altogether.
"""

import re
import sys
import warnings
from collections.abc import Sequence
from itertools import filterfalse

import numpy as np
import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.language import LANGUAGES, UNSPACED, language_of, likely_language
from dialgauge.metrics._metric import MetricRequest

_ENGLISH = "en"
_WORD = r"\p{L}\p{M}\p{N}"
_IN_WORD = f"[[{_WORD}]--[{UNSPACED}]]"
#: A word, or a character of a script without spaces; and one that ROUGE's own words would split or lose.
_ANY_WORD = f"[{UNSPACED}]|{_IN_WORD}+"
_HARMED_WORD = f"[{UNSPACED}]|[A-Za-z0-9]*[[{_WORD}]--[{UNSPACED}A-Za-z0-9]]{_IN_WORD}*"
#: Every harmed word has such a character (dashes and curly quotes are none).
_HARMED_LETTER = re.compile(r"[^\x00-\x7f\u2000-\u206f]")
#: For each byte, whether it is a letter or digit of ASCII.
_IN_ASCII_WORD = bytes(chr(byte).isascii() and chr(byte).isalnum() for byte in range(256))
#: In DialSummEval, which is English, 0.04 % of the words have an accent; in German and Italian it is 7 %, in French and
#: Spanish 11 to 17 %, in Russian and Chinese 99 %. A small English corpus about one Zoë has few distinct ones.
_SHARE, _DISTINCT, _CLEAR_SHARE = 0.01, 10, 0.1
#: The words of so many texts, evenly spread, are counted: it takes 0.1 s at most.
_COUNTED = 5_000
#: So many texts tell the language.
_SAMPLE = 200
#: Metrics that split at white space: family and setting with which they do, and what to use instead.
_SPLIT_AT_SPACES = {
    "bleu tok=13a": "tok=char",
    "chrf tok=chrf": "tok=word",
    "ter norm=no": "norm=yes,asian=yes",
}


class LanguageWarning(UserWarning):
    """A metric reads texts by the rules of another language than theirs."""


def warn_of_language(requests: Sequence[MetricRequest], corpus: Corpus) -> None:
    """Warn once of all requests that do not fit the language of the corpus, declared or seen in its letters."""
    texts = [corpus.summaries["text"]]
    if any(request.target in ("source", "both") and _reads_latin(request) for request in requests):
        texts.append(corpus.dialogues["turns"].explode(empty_as_null=False).struct.field("text"))
    _warn(requests, pl.concat(texts).drop_nulls(), corpus.language)


def warn_of_letters(requests: Sequence[MetricRequest], texts: Sequence[str]) -> None:
    """The same for plain texts, all distinct, whose language nobody declared."""
    if not any(_reads_latin(request) or _reads_chinese(request) for request in requests):
        return
    some = texts if len(texts) <= _COUNTED else texts[:: 1 + len(texts) // _COUNTED]
    letters = sum(len(_HARMED_LETTER.findall(text)) for text in filterfalse(str.isascii, some))
    if letters and not _surely_few(letters, some):
        # Half a surrogate pair is no text for Polars.
        _warn(requests, pl.Series([text.encode(errors="replace").decode() for text in some], dtype=pl.String), None)


def _warn(requests: Sequence[MetricRequest], texts: pl.Series, declared: str | None) -> None:
    latin = [request for request in requests if _reads_latin(request)]
    chinese = [request for request in requests if _reads_chinese(request)]
    share = _harmed_share(texts) if latin or chinese else 0.0
    if not share or texts.str.contains(f"[{UNSPACED}]").any():
        chinese = []
    language = language_of(declared) if declared else None
    unfit = [r for r in requests if language and (_reads_other(r, language) or _needs_spaces(r, language))]
    concerned = [r for r in requests if (share and r in latin) or r in unfit or r in chinese]
    if not concerned:
        return
    if language is None or (language == _ENGLISH and share):
        language = likely_language("\n".join(texts.filter(_is_beyond_ascii(texts)).head(_SAMPLE)))
    parts = []
    if share and latin:
        reason = "because only the letters a–z and 0–9 are read"
        parts.append(f"{_named(latin)}: {share:.0%} of the words are split or lost, {reason}")
    if chinese:
        parts.append(f"{_named(chinese)}: tok=word looks for Chinese words, and these texts have none")
    rest = [request for request in unfit if not (share and request in latin)]
    if rest:
        parts.append(f"{_named(rest)}: the rules are not those of the texts' language ({declared})")
    warnings.warn(
        f"{'; '.join(parts)}; use {_instead(concerned, language)}", LanguageWarning, stacklevel=_callers_level()
    )


def _callers_level() -> int:
    """How many frames above the one that asks the first lies that is not ours: the line that the user wrote."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("dialgauge."):
        level, frame = level + 1, frame.f_back
    return level


def _reads_latin(request: MetricRequest) -> bool:
    return request.metric.family == "rouge" and request.parameters["tok"] == "rouge" and _is_english(request)


def _reads_chinese(request: MetricRequest) -> bool:
    """Whether words are looked for in a Chinese dictionary, which cuts accented words to pieces."""
    return request.parameters.get("tok") == "word" and request.parameters.get("lang", _ENGLISH) == _ENGLISH


def _is_english(request: MetricRequest) -> bool:
    return request.parameters.get("lang") == _ENGLISH


def _reads_other(request: MetricRequest, language: str) -> bool:
    """Whether words, stems or synonyms are those of another language; characters and words by tok are nobody's."""
    chosen = request.parameters.get("lang")
    return bool(chosen) and chosen != language and request.parameters.get("tok") not in ("char", "word")


def _needs_spaces(request: MetricRequest, language: str) -> bool:
    known = LANGUAGES.get(language)
    return known is not None and not known.spaced and bool(_for_unspaced(request))


def _for_unspaced(request: MetricRequest) -> str:
    """What to set for texts without spaces; empty for a metric that does not split at them."""
    settings = [f"{request.metric.family} {name}={value}" for name, value in request.parameters.items()]
    return next((_SPLIT_AT_SPACES[one] for one in settings if one in _SPLIT_AT_SPACES), "")


def _harmed_share(texts: pl.Series) -> float:
    """The share of words that a–z and 0–9 split or lose; 0 where it is that of a few names in English text."""
    if not _is_beyond_ascii(texts).any():
        return 0.0
    texts = texts.gather_every(1 + len(texts) // _COUNTED).unique()
    beyond = texts.filter(_is_beyond_ascii(texts))
    share = int(beyond.str.count_matches(_HARMED_WORD).sum()) / max(1, int(texts.str.count_matches(_ANY_WORD).sum()))
    if share < _SHARE or share >= _CLEAR_SHARE:
        return share if share >= _CLEAR_SHARE else 0.0
    distinct = beyond.str.extract_all(_HARMED_WORD).explode(empty_as_null=False).str.to_lowercase().n_unique()
    return share if distinct >= _DISTINCT else 0.0


def _surely_few(letters: int, texts: Sequence[str]) -> bool:
    """Whether so few letters of these distinct texts lie beyond a–z that no count of the words can reach the share
    worth a warning; to count them exactly takes longer than ROUGE over a hundred pairs."""
    # A letter beyond a–z cuts a word into two runs at most. Ten texts for each have enough words as a rule.
    return any(letters < _SHARE * (_ascii_runs(some) - letters) for some in (texts[: 10 * letters], texts))


def _ascii_runs(texts: Sequence[str]) -> int:
    """How many runs of letters and digits of ASCII there are."""
    marks = " ".join(["", *texts]).encode("utf-8", "replace").translate(_IN_ASCII_WORD)
    inside = np.frombuffer(marks, dtype=np.uint8)
    return int(np.count_nonzero(inside[1:] > inside[:-1]))


def _is_beyond_ascii(texts: pl.Series) -> pl.Series:
    return texts.str.contains(r"[^\x00-\x7f]")


def _named(requests: Sequence[MetricRequest]) -> str:
    names = [request.column for request in requests]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _instead(requests: Sequence[MetricRequest], language: str | None) -> str:
    """What to write instead, for the first metric of each family."""
    known = LANGUAGES.get(language or "")
    found: dict[str, str] = {}
    for request in requests:
        name, family = request.metric.name, request.metric.family
        if "lang" in request.parameters:
            code = known.code if known else "tok=char" if language == "ja" else "CODE"
            advice = f"{name}:{code}" if code.startswith("tok") else f"{name}:lang={code}"
        else:
            settings = _for_unspaced(request)
            advice = f"{name}:{settings}" if settings else name
        found.setdefault(family, advice)
    hint = "" if known else " ('dialgauge languages' lists the codes; chrf reads characters of any language)"
    return f"{', '.join(found.values())}{hint}"
