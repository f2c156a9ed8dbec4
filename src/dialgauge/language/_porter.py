"""Porter's stemmer, in the variant of NLTK that rouge-score and METEOR use.

After M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the changes of NLTK's default mode:
a short list of irregular words, ``ies``/``ied`` of four-letter words, ``y`` to ``i`` after any consonant, ``alli``
before the other endings of step 2, ``fulli`` and ``logi``. Words of one or two characters stay as they are.
"""

from typing import Final

_IRREGULAR: Final = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

# Endings by their last two letters, the longer before the shorter that it contains.
_Rules = dict[str, tuple[tuple[str, str], ...]]
_STEP_2: Final[_Rules] = {
    "al": (("ational", "ate"), ("tional", "tion")),
    "ci": (("enci", "ence"), ("anci", "ance")),
    "er": (("izer", "ize"),),
    "li": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("fulli", "ful")),
    "on": (("ization", "ize"), ("ation", "ate")),
    "or": (("ator", "ate"),),
    "sm": (("alism", "al"),),
    "ss": (("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "ti": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
}
_STEP_3: Final[_Rules] = {
    "te": (("icate", "ic"),),
    "ve": (("ative", ""),),
    "ze": (("alize", "al"),),
    "ti": (("iciti", "ic"),),
    "al": (("ical", "ic"),),
    "ul": (("ful", ""),),
    "ss": (("ness", ""),),
}
_STEP_4: Final[dict[str, tuple[str, ...]]] = {
    "al": ("al",),
    "ce": ("ance", "ence"),
    "er": ("er",),
    "ic": ("ic",),
    "le": ("able", "ible"),
    "nt": ("ant", "ement", "ment", "ent"),
    "on": ("ion",),
    "ou": ("ou",),
    "sm": ("ism",),
    "te": ("ate",),
    "ti": ("iti",),
    "us": ("ous",),
    "ve": ("ive",),
    "ze": ("ize",),
}

_KINDS: Final = bytes(ord("v") if chr(i) in "aeiou" else ord("y") if chr(i) == "y" else ord("c") for i in range(256))


def porter_stem(word: str) -> str:
    """The stem of a word, lower-cased. It costs some microseconds: keep the stems of a vocabulary."""
    lower = word.lower()
    irregular = _IRREGULAR.get(lower)
    if irregular is not None:
        return irregular
    if len(word) <= 2:
        return lower
    result = lower
    if result.endswith("s"):
        result = _plural(result)
    if result.endswith(("ed", "ing")):
        result = _past_or_participle(result)
    if result.endswith("y") and len(result) > 2 and _shape(result[:-1]).endswith(b"c"):
        result = result[:-1] + "i"
    result = _derivation(result)
    for suffix, replacement in _STEP_3.get(result[-2:], ()):
        if result.endswith(suffix):
            if _measure(result[: -len(suffix)]) > 0:
                result = result[: -len(suffix)] + replacement
            break
    for suffix in _STEP_4.get(result[-2:], ()):
        if result.endswith(suffix):
            rest = result[: -len(suffix)]
            if _measure(rest) > 1 and (suffix != "ion" or rest.endswith(("s", "t"))):
                result = rest
            break
    return _final_letter(result)


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") else word[:-1]


def _past_or_participle(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    rest = word[: -2 if word.endswith("ed") else -3]
    shape = _shape(rest)
    if b"v" not in shape:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) >= 2 and rest[-1] == rest[-2] and shape.endswith(b"c"):
        return rest if rest[-1] in "lsz" else rest[:-1]
    if rest.endswith("*d"):  # NLTK's name for a double consonant, which it also takes literally
        return rest[:-2] + "d"
    return rest + "e" if shape.count(b"vc") == 1 and _ends_short(rest, shape) else rest


def _derivation(word: str) -> str:
    """Step 2. What ``alli`` leaves may end in another of its endings."""
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    for suffix, replacement in _STEP_2.get(word[-2:], ()):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _measure(rest) > 0 else word
    # The l of logi counts as part of what remains, so that short stems such as geo- are served too.
    return word[:-1] if word.endswith("logi") and _measure(word[:-3]) > 0 else word


def _final_letter(word: str) -> str:
    """Steps 5a and 5b."""
    if word.endswith("e"):
        rest = word[:-1]
        shape = _shape(rest)
        measure = shape.count(b"vc")
        if measure > 1 or (measure == 1 and not _ends_short(rest, shape)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _ends_short(word: str, shape: bytes) -> bool:
    """Consonant, vowel, consonant other than w, x, y at the end; or a word that is just vowel and consonant."""
    return (shape.endswith(b"cvc") and word[-1] not in "wxy") or shape == b"vc"


def _measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    return _shape(word).count(b"vc")


def _shape(word: str) -> bytes:
    """A ``v`` per vowel and a ``c`` per other character; y is a vowel after a consonant."""
    kinds = word.encode("ascii", "replace").translate(_KINDS)
    if b"y" not in kinds:
        return kinds
    shape = bytearray(kinds)
    before = ord("v")
    for i, kind in enumerate(shape):
        if kind == ord("y"):
            shape[i] = ord("v") if before == ord("c") else ord("c")
        before = shape[i]
    return bytes(shape)
