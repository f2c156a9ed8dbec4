"""What parts of a source are called: people, less the words that all of the names have, or only numbers and dates."""

import re
from collections.abc import Sequence

from dialgauge.corpus._names import normalised

#: What stands between the words of a name of a file.
_BETWEEN = re.compile(r"[\W_]+")


def own_parts(names: Sequence[str]) -> dict[str, str]:
    """What each name of a person says beside the words that all begin or end with (``Study 3 - Ann``).

    Names stay whole where the rest is a number or a letter: ``rater_1``.
    """
    words = [[word for word in _BETWEEN.split(name) if word] for name in names]
    first = _in_common(words)
    last = _in_common([own[first:][::-1] for own in words])
    own = [" ".join(one[first : len(one) - last]) for one in words]
    telling = all(re.search(r"[^\W\d_]{2}", rest) for rest in own) and len(set(own)) == len(names) > 1
    if not telling:
        return {name: name for name in names}
    return {name: _between(name, one, first, last) for name, one in zip(names, words, strict=True)}


def _in_common(words: Sequence[Sequence[str]]) -> int:
    """With how many words all begin."""
    return next(
        (place for place, here in enumerate(zip(*words, strict=False)) if len(set(here)) > 1), min(map(len, words))
    )


def _between(name: str, words: Sequence[str], first: int, last: int) -> str:
    """The part of a name without its first and its last words, as it is written."""
    before = r"[\W_]*".join(map(re.escape, words[:first]))
    behind = r"[\W_]*".join(map(re.escape, words[len(words) - last :]))
    end = rf"[\W_]*{behind}" if last else ""  # the dot of "Priya N." is hers
    found = re.fullmatch(rf"{before}[\W_]*(.*?){end}", name, re.DOTALL)
    return found[1] if found else name


#: What parts of a file are called that are no names: by place, by time, by use.
_PAGE = re.compile(
    r"(?:sheet|table|tabelle|blatt|feuille?|hoja|foglio|planilha|blad|batch|part|page|set|file|chunk|section|week|day|"
    r"month|q|round|wave|run|phase|version|v|no|nr|data|export|train|training|dev|test|val|valid|validation|pilot|main|"
    r"final|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|"
    r"jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|[a-z]?\d+|_)*"
)


def are_pages(names: Sequence[str]) -> bool:
    """Whether names of sheets or files only number or date them, less what they all begin or end with."""
    plain = [normalised(name).split("_") for name in names]
    shared = set.intersection(*map(set, plain))
    return all(_PAGE.fullmatch("_".join(word for word in words if word not in shared)) for words in plain)
