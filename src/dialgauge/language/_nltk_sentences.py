"""Sentences as the reference implementations of model-based metrics cut them, by rule.

Those programs use NLTK with its English Punkt data. :func:`nltk_sentences` needs no data: what Punkt learnt is put into
a few rules and short lists, and it cuts the texts of summaries in the same places, oddities included ("!!!" at the end
of a text loses its last mark to a sentence of its own). Unlike :func:`dialgauge.language.split_sentences` it
does not end a sentence at a line break or a full-width full stop, because Punkt does not.
"""

import re
from collections.abc import Iterator


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: A mark that can end a sentence: what follows is another mark, a quote or a bracket, or white space and a word.
_MARK = re.compile(r"""[.?!](?=[?!)";}\]*:@'({\[]|\s+(\S+))""")
#: Quotes and brackets that close a sentence, though they stand after its mark.
_CLOSING = re.compile(r"""["')\]}]+(?=\s|--|$)""")
#: Never the last word of a sentence: a name or a number follows.
_TITLES = _listed(
    "mr mrs ms dr prof rev gen col lt sgt capt sen rep gov pres st mt messrs hon jr sr vs e.g i.e cf fig al"
)
#: May be the last word, if a word follows that sentences like to begin with.
_ABBREVIATIONS = _listed(
    "u.s u.k u.n u.s.a d.c l.a n.y ph.d m.d b.a m.a inc corp co ltd bros dept est ave blvd rd jan feb aug "
    "sept oct nov dec approx"
)
#: The last word of a sentence, if a capital follows.
_TIMES = frozenset(("a.m", "p.m"))
_STARTERS = _listed(
    "the this that these those he she it they we you his her its their our there here in on at if when while "
    "after before as but and so however although also since because for some many most what who how why "
    "where then now according a an to"
)
#: Capitals that Punkt has met within sentences (in titles): after "OK." or an ellipsis they begin no sentence.
_TITLE_WORDS = _listed(
    "how what you why let shall can could do should and here where when who by oh is are will would well yes no so "
    "that this the ok okay but see mr mrs one two now then if my we"
)
_INITIAL = re.compile(r"[^\W\d]")
_NUMBER = re.compile(r"-?[\d.,]*\d[\d.,]*")
_LETTERS = re.compile(r"[^\W\d_]+")
_MARK_INSIDE = re.compile(r"[?!].")


def nltk_sentences(text: str, *, talk: bool = False) -> list[str]:
    """The sentences of an English text, as NLTK's Punkt gives them; none for a text of white space.

    ``talk`` adds what shows in transcripts only: "OK." and an ellipsis end a sentence before some capitals, not before
    others.
    """
    cuts = []
    for end, word, following in _candidates(text):
        if (_ends_talk if talk else _ends)(text[end - 1], word, following):
            closing = _CLOSING.match(text, end)
            cuts.append(closing.end() if closing else end)
    parts = [text[begin:end].strip() for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [part for part in parts if part]


def _candidates(text: str) -> Iterator[tuple[int, str, str]]:
    """Where each mark ends, the word before it and the word after it. Of the marks of one word only the last counts."""
    previous: re.Match[str] | None = None
    begin = stop = 0  # of the word before the previous mark
    for match in _MARK.finditer(text):
        space = _last_space(text, stop, match.start())
        word_begin = space + 1 if space > stop else begin
        if previous and stop <= word_begin:
            yield previous.end(), text[begin:stop], previous[1] or ""
        previous, begin, stop = match, word_begin, match.start()
    if previous:
        yield previous.end(), text[begin:stop], previous[1] or ""


def _last_space(text: str, begin: int, end: int) -> int:
    """The position of the last white space between these, or -1."""
    for i in range(end - 1, begin - 1, -1):
        if text[i].isspace():
            return i
    return -1


def _ends_talk(mark: str, word: str, following: str) -> bool:
    word_before = word.lstrip("\"'([{`")
    if mark != "." or not (word_before.lower() == "ok" or re.search(r"(^|\.)\.$", word_before)):
        return _ends(mark, word, following)
    if _MARK_INSIDE.search(following):
        return True
    head = following.lstrip("\"'([{`")
    return head[:1].isupper() and not head.endswith(":") and _LETTERS.findall(head)[0].lower() not in _TITLE_WORDS


def _ends(mark: str, word: str, following: str) -> bool:
    if mark in "?!" or _MARK_INSIDE.search(following):
        return True
    word = word.lstrip("\"'([{`")
    head = following.lstrip("\"'([{`").rstrip(".,;:!?)\"'")
    capital = head[:1].isupper()
    starts = capital and head.lower() in _STARTERS
    if word.endswith(".") or _INITIAL.fullmatch(word):  # several points, or an initial
        return starts
    if _NUMBER.fullmatch(word):
        return not head[:1].islower()
    kind = word.lower().rpartition("-")[2]
    if kind in _TIMES:
        return capital
    if kind in _ABBREVIATIONS:
        return starts
    return kind not in _TITLES
