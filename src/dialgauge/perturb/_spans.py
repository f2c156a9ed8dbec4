"""Words and sentences of a text in any language, as spans; no parser needed."""

import re

from dialgauge.language import SENTENCE_END, UNSPACED

Span = tuple[int, int]

#: Names that stand for speakers or hidden details: ``#Person1#``, ``<NAME>``, ``[PHONE_2]``.
PLACEHOLDER = r"#[^\W_]\w*#|<[A-Z][A-Z_]*\d*>|\[[A-Z][A-Z_]*\d*\]"
#: The label of a turn: *Agent:*, *Dana Cole:*.
_TURN = re.compile(r"(?:^|(?<=\s))[A-Z][\w'’]*(?: [A-Z][\w'’]*)?:\s")
#: Why what rewrites sentences declines a text of which :func:`copies_turns` is true.
TURNS = "turns of the dialogue, not sentences of a summary"
#: Titles and abbreviations with their points.
ABBREVIATED = re.compile(r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|etc|vs)\.|(?:[^\W\d_]\.){2,})")
#: In scripts that are written without spaces a character is a word.
_WORD = re.compile(rf"{PLACEHOLDER}|[{UNSPACED}]|[^\W{UNSPACED}]+(?:(?:['’]|(?<=\d)[.,:](?=\d))[^\W{UNSPACED}]+)*")
#: Those that rarely end a sentence ("etc." often does, so it is not here).
_ABBREVIATIONS = frozenset(
    (
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "vs",
        "e.g",
        "i.e",
        "cf",
        "approx",
        "capt",
        "gen",
        "sgt",
        "lt",
        "u.s",
        "u.k",
    )
)


def word_spans(text: str) -> tuple[Span, ...]:
    """The words: runs of letters and digits with inner apostrophes and points between digits, and placeholders."""
    return tuple(map(re.Match.span, _WORD.finditer(text)))


def has_words(text: str) -> bool:
    """Whether there is any word in a text."""
    return _WORD.search(text) is not None


def copies_turns(text: str) -> bool:
    """Whether a text is made of turns with the names of those who speak: no summary in sentences of its own."""
    return len(_TURN.findall(text)) > 1


def sentence_spans(text: str) -> tuple[Span, ...]:
    """The sentences that hold a word, without the white space around them.

    A sentence ends at a line break, after ``. ! ? …`` (and closing quotes or brackets) before white space, or after
    their full-width forms. A full stop after a single letter or a frequent abbreviation ends none.
    """
    spans: list[Span] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        if match.group() == "." and _is_abbreviation(text, start, match):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return tuple(_stripped(text, span) for span in spans if _WORD.search(text, *span))


def _is_abbreviation(text: str, start: int, match: re.Match[str]) -> bool:
    last = text[max(start, match.start() - 12) : match.start()].rpartition(" ")[2].lstrip("(\"'").lower()
    if last in ("no", "nos", "ref", "ext"):
        return bool(re.match(r"\s+#?[A-Z]{0,4}-?\d", text[match.end() :]))
    if last in ("a.m", "p.m"):
        return text[match.end() : match.end() + 2].strip()[:1].islower()
    if last in ("u.s", "u.k"):
        following = text[match.end() : match.end() + 2].strip()
        return not (following[:1].isupper() or following[:1] in ("#", "<", "["))
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i")


def _stripped(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
