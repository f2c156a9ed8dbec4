"""Repair spacing, capitals and a/an around edits. Text away from edits is never changed."""

import re
from collections.abc import Callable

from dialgauge.perturb._edits import Draft, Seam
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._spans import PLACEHOLDER

_ARTICLE = re.compile(r"(?<![\w'’.-])([Aa]n?)([ \t]+)([^\W_][\w'’.&-]*|[$£€¥]?\d[\d.,]*)")
_PLACEHOLDER = re.compile(PLACEHOLDER)
_SPACES = " \t"
_CLOSING = ".,;:!?)]}%…"
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))\b")
#: A comma that a deletion left without anything before or after it.
_STRAY = re.compile(r"[,;:]([ \t]*)(?=[.,;:!?)])")
_VOWEL = re.compile(r"[aeiou]", re.IGNORECASE)
#: Written with a vowel, spoken with a consonant, and the other way round.
_CONSONANT_SOUND = re.compile(
    r"(?:uni(?!n|m[^o])|us(?:e|u|a[bg])|eu|ew|one\b|once\b|ubiq|ut[ei]|ura|o(?:ui)|u-)", re.IGNORECASE
)
_VOWEL_SOUND = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
#: Eight, eighty, eight hundred, eleven, eighteen; with thousands it is the first group that is read first (18,000).
_VOWEL_NUMBER = re.compile(r"[$£€¥]?(?:8\d*|(?:11|18)(?:\d{3})*(?!\d))")
_SPELT_WITH_VOWEL = frozenset("AEFHILMNORSX")
#: Abbreviations that are read as words, short as they are.
_SPOKEN = frozenset(("FAT", "HUD", "LAN", "MAC", "RAM", "ROM", "SAP", "SIM", "SWAT", "SWIFT"))


def tidy(draft: Draft, parsed: Parsed) -> None:
    """Repair the text around edits: first spaces and commas, then capitals, then articles."""
    _each_seam(draft, _repair_spacing)
    _restore_capitals(draft, parsed)
    if any(_has_letters(draft.original[e.start : e.end] + e.replacement) for e in draft.edits):
        _each_seam(draft, _repair_article)


def _has_letters(text: str) -> bool:
    return any(character.isalnum() for character in text)


def takes_an(word: str) -> bool:
    """Whether ``an`` stands before this word, as far as its spelling tells."""
    if word[:1].isdigit() or word[:1] in "$£€¥":
        return bool(_VOWEL_NUMBER.match(word))
    letters = re.split(r"['’-]", word)[0]
    letters = letters[:-1] if letters.endswith("s") and letters[:-1].isupper() else letters
    spelt = len(letters) <= 4 or not _VOWEL.search(letters)
    if len(letters) > 1 and letters.isupper() and spelt and not _looks_spoken(letters):
        return letters[0] in _SPELT_WITH_VOWEL
    if len(letters) == 1:
        return letters.upper() in _SPELT_WITH_VOWEL
    if _VOWEL_SOUND.match(word):
        return True
    return bool(_VOWEL.match(word)) and not _CONSONANT_SOUND.match(word)


def _looks_spoken(letters: str) -> bool:
    """Capitals that are read as a word (NASA, SIM), not letter by letter (FBI): those in the table, and those of four
    with a vowel after a consonant."""
    return letters in _SPOKEN or (len(letters) >= 4 and bool(re.match(r"[^AEIOU][AEIOU]", letters)))


def _each_seam(draft: Draft, repair: Callable[[Draft, Seam], None]) -> None:
    """From the last seam to the first, so that what is repaired moves none that is still to come."""
    for index in reversed(range(len(draft.seams))):
        seams = draft.seams
        if index < len(seams):
            repair(draft, seams[index])


def _repair_spacing(draft: Draft, seam: Seam) -> None:
    """Both sides of a seam, unless a word stands there where a word stood: then the spaces are as they were."""
    if not (_is_word(seam.before[-1:]) and _is_word(seam.after[-1:])):
        _repair_gap(draft, seam.end)
    if seam.after and not (_is_word(seam.before[:1]) and _is_word(seam.after[:1])):
        _repair_gap(draft, seam.start)


def _is_word(character: str) -> bool:
    return bool(character) and not character.isspace()


def _repair_gap(draft: Draft, position: int) -> None:
    """The spaces around one place of the result: none at either end of the text, none before a mark, else one."""
    text = draft.result
    position = left = min(position, len(text))
    while left > 0 and text[left - 1] in _SPACES:
        left -= 1
    right = position
    while right < len(text) and text[right] in _SPACES:
        right += 1
    before, after = text[left - 1 : left], text[right : right + 1]
    width = right - left
    if before in ("", "\n") or after in ("", "\n") or before in "([{":
        wanted = ""
    elif after in _CLOSING or _CLITIC.match(text, right):
        # A text whose marks stand apart ("home .") is left so.
        wanted = " " if width and _apart(draft.original, after) else ""
    else:
        wanted = text[left:right] if width == 1 else " " * bool(width)
    if before in ",;:" and before and _STRAY.match(text, left - 1):
        left, wanted = left - 1, ""
        while left > 0 and text[left - 1] in _SPACES:
            left -= 1
        if left == 0:
            return
    elif after and after in ",;:" and (before in ("", "\n") or (before in ".!?" and width)):
        wanted = " " if before.strip() else wanted  # "Then, they talk" without its first word
        right += 1
        while right < len(text) and text[right] in _SPACES:
            right += 1
    if text[left:right] != wanted:
        draft.change(left, right, wanted)


def _apart(original: str, mark: str) -> bool:
    return f" {mark}" in original


def _restore_capitals(draft: Draft, parsed: Parsed) -> None:
    """A sentence that began with a capital still does, where its beginning was edited."""
    original = draft.original
    for start, _ in reversed(parsed.sentences):
        if not original[start].isupper() and not _PLACEHOLDER.match(original, start):
            continue
        place = draft.edited_at(start)
        if place is None:
            continue
        text = draft.result
        while place < len(text) and not text[place].isalnum() and not _PLACEHOLDER.match(text, place):
            place += 1
        if place < len(text) and text[place].islower():
            draft.change(place, place + 1, text[place].upper())


def _repair_article(draft: Draft, seam: Seam) -> None:
    """Every a/an of a pair (article, word) that the seam touches, the last one first."""
    text, start, end = draft.result, seam.start, seam.end
    pairs = [m for m in _ARTICLE.finditer(text, max(0, start - 4), end + 40) if m.start() < max(end, start)]
    for match in reversed(pairs):
        article, word = match[1], match[3]
        right = "an" if takes_an(word) else "a"
        if article == "A" and not _begins(text, match.start()):
            continue  # a letter, as in "grade A pupils"
        if match.start(3) == start and _is_word(seam.before[:1]) and takes_an(seam.before) == takes_an(word):
            continue  # whatever stood there, it was not the edit that made it wrong
        if match.end() > start and article.lower() != right:
            draft.change(match.start(1), match.end(1), right.capitalize() if article[0].isupper() else right)


def _begins(text: str, position: int) -> bool:
    """Whether a sentence begins here: nothing stands before but a mark, or nothing at all."""
    before = text[:position].rstrip()
    return not before or not (before[-1].isalnum() or before[-1] in ",;")
