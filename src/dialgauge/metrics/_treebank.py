"""Words by the rules of the Penn Treebank, as NLTK applies them to each sentence of an English text."""

import re

from dialgauge.metrics._sentences import nltk_sentences

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


def treebank_words(text: str) -> list[str]:
    """The words and punctuation marks of a text, sentence by sentence; straight double quotes become `` and ''."""
    return [word for sentence in nltk_sentences(text) for word in _words(sentence)]


def _words(sentence: str) -> list[str]:
    for pattern, replacement in _RULES:
        sentence = pattern.sub(replacement, sentence)
    sentence = f" {sentence} "
    for pattern, replacement in _AFTER_PADDING:
        sentence = pattern.sub(replacement, sentence)
    return sentence.split()
