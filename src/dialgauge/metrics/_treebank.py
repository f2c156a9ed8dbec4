"""Words by the rules of the Penn Treebank, as NLTK applies them to each sentence of an English text."""

import re
from functools import lru_cache
from itertools import chain

from dialgauge.language import nltk_sentences

#: Applied in this order; a rule that sets something apart puts spaces around it.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([«“‘„]|[`]+)", r" \1 "),
        (r"^\"", "``"),
        (r"(``)", r" \1 "),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
        (r"(?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b", r"\1 \2"),
        (r"([^.])(\.)([\]\)}>\"'»”’ ]*)\s*$", r"\1 \2 \3 "),
        (r"([:,])([^\d])", r" \1 \2"),
        (r"([:,])$", r" \1 "),
        (r"\.{2,}", r" \g<0> "),
        (r"[;@#$%&]", r" \g<0> "),
        (r"[?!]", r" \g<0> "),
        (r"([^'])' ", r"\1 ' "),
        (r"[*]", r" \g<0> "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", r" -- "),
    )
)
_AFTER_PADDING: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([»”’])", r" \1 "),
        (r"''", " '' "),
        (r'"', " '' "),
        (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
        (r"(?i)\b(can)(not)\b", r" \1 \2 "),
        (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim|lem)(me)\b", r" \1 \2 "),
        (r"(?i)\b(gon|wan)(na)\b", r" \1 \2 "),
        (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(more)('n)\b", r" \1 \2 "),
        (r"(?i)\b(wan)(na)\s", r" \1 \2 "),
        (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
    )
)


#: What may stand after the full stop of a sentence.
_CLOSERS = frozenset("])}>\"'»”’")
#: Plain words that the rules take apart.
_CONTRACTIONS = frozenset(("cannot", "gimme", "lemme", "gonna", "wanna", "gotta"))
#: What the rules set apart from the plain word before it, wherever it stands.
_ENDING = re.compile(r"([A-Za-z0-9]+?)([,:;?!]|\.{2,}|'(?:[sSmMdD]|ll|LL|re|RE|ve|VE)|n't|N'T)")


def treebank_words(text: str) -> list[str]:
    """The words and punctuation marks of a text, sentence by sentence; straight double quotes become `` and ''."""
    words: list[str] = []
    for sentence in nltk_sentences(text):
        *chunks, last = sentence.split()
        # Quotes at the very beginning have rules of their own; the full stop may stand before the last white space.
        if sentence.lstrip().startswith(('"', "''")) or (chunks and _CLOSERS.issuperset(last)):
            words += split_by_rules(" ".join((*chunks, last)))
            continue
        words += chain.from_iterable(map(_inside, chunks))
        words += _at_the_end(last)
    return words


def split_by_rules(sentence: str) -> list[str]:
    """The words of one sentence by all rules in turn; :func:`treebank_words` gives the same with less work."""
    for pattern, replacement in _RULES:
        sentence = pattern.sub(replacement, sentence)
    sentence = f" {sentence} "
    for pattern, replacement in _AFTER_PADDING:
        sentence = pattern.sub(replacement, sentence)
    return sentence.split()


def _is_plain(chunk: str) -> bool:
    """Whether no rule applies: they look for marks and for these contractions (in any case, and "ı" counts as "i")."""
    return chunk.isascii() and chunk.isalnum() and chunk.lower() not in _CONTRACTIONS


def _plain_parts(chunk: str) -> tuple[str, ...] | None:
    """A plain word with one mark, an ellipsis or a contracted ending, cut; None where the rules must say."""
    found = _ENDING.fullmatch(chunk)
    return found.groups() if found and found[1].lower() not in _CONTRACTIONS else None


# No rule but that of the last full stop looks beyond white space, so words of earlier texts need no second look.
@lru_cache(maxsize=1 << 16)
def _inside(chunk: str) -> tuple[str, ...]:
    if _is_plain(chunk):
        return (chunk,)
    return _plain_parts(chunk) or tuple(split_by_rules(f"a {chunk} a")[1:-1])


@lru_cache(maxsize=1 << 14)
def _at_the_end(chunk: str) -> tuple[str, ...]:
    if _is_plain(chunk):
        return (chunk,)
    if chunk[-1] == "." and _is_plain(chunk[:-1]):
        return chunk[:-1], "."
    return _plain_parts(chunk) or tuple(split_by_rules(f"a {chunk}")[1:])
