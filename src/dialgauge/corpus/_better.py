"""Which of two a cell calls the better one: by name, by side or in words, with how much better it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dialgauge.corpus._names import TIE, normalised

_Options = Mapping[str, Mapping[str, str]]
_FIRST = frozenset(
    [
        *("a", "left", "first", "1", "links", "linke", "erste", "ersten"),
        *("izquierda", "izquierdo", "primero", "primera", "primer", "gauche", "premier", "premiere"),
    ]
)
_SECOND = frozenset(
    [
        *("b", "right", "second", "2", "rechts", "rechte", "zweite", "zweiten"),
        *("derecha", "derecho", "segundo", "segunda", "droite", "second", "deuxieme", "seconde"),
    ]
)
_MUCH = (
    "much|significantly|strongly|far|clearly|definitely|considerably|a_lot|substantially|way|viel|deutlich|eindeutig|"
    "klar|mucho|claramente|bastante|beaucoup|nettement|clairement"
)
_LITTLE = (
    "slightly|somewhat|a_bit|a_little|marginally|barely|weakly|etwas|leicht|ein_wenig|un_poco|algo|ligeramente|un_peu|"
    "legerement"
)
_THING = (
    "summary|model|system|response|option|candidate|output|text|answer|assistant|zusammenfassung|modell|antwort|"
    "resumen|modelo|sistema|respuesta|opcion|resume|modele|reponse"
)
_ENDS = (
    "better|best|preferred|wins|win|won|good|besser|bevorzugt|gewinnt|mejor|preferido|preferida|gana|meilleure?|prefere"
)
_PREFER = "i_prefer|i_preferred|prefer|preferred|ich_bevorzuge|bevorzuge|prefiero|yo_prefiero|je_prefere|prefere"
_IS = "one|is|was|looks|seems|ist|war|es|est"
#: "A", "summary B is much better", "strongly prefer the left one".
_WORDS = re.compile(
    rf"(?:(?P<early>{_MUCH}|{_LITTLE})_)?(?:(?:{_PREFER})_)?(?:(?:the|die|der|das|el|la|le)_)?(?:{_THING})?_?(?P<side>[a-z0-9]+?)"
    rf"(?:_(?:{_THING}|{_IS}))*(?:_(?P<late>{_MUCH}|{_LITTLE}))?(?:_(?:{_ENDS}))?"
)
#: "A>>B", "[[B>A]]", "A=B".
_SIGNS = re.compile(r"\[*\s*([abAB])\s*(>{1,2}|<{1,2}|=)\s*([abAB])\s*\]*")


@dataclass(frozen=True, slots=True)
class Said:
    """What a cell says: the better one (``a``, ``b``, ``tie``) and by how much, where words tell."""

    winner: str
    degree: str = "plain"


def say_better(row: Mapping[str, object], winner: str, options: _Options) -> Said | None:
    """What the cell ``winner`` of a row says about the two options of the row; None where it is not understood."""
    said = str(row[winner]).strip()
    for side, code in zip(options, "ab", strict=True):
        named = options[side].get("system")
        name = str(row[named]).strip().lower() if named and row[named] is not None else None
        if said.lower() in (name, side):
            return Said(code)
    signs = _SIGNS.fullmatch(said)
    if signs and signs[1].lower() != signs[3].lower():
        if signs[2] == "=":
            return Said("tie")
        better = signs[1] if ">" in signs[2] else signs[3]
        return Said(better.lower(), "much" if len(signs[2]) == 2 else "plain")
    plain = normalised(said)
    if TIE.fullmatch(plain):
        return Said("tie")
    return _in_words(plain, row, options)


def better_of(text: str) -> str | None:
    """Which of two a text calls the better one (``a``, ``b`` or ``tie``), by its side; None where it says nothing."""
    said = say_better({"": text}, "", {"a": {}, "b": {}})
    return None if said is None else said.winner


def _in_words(plain: str, row: Mapping[str, object], options: _Options) -> Said | None:
    found = _WORDS.fullmatch(plain)
    if not found:
        return None
    degree = found["early"] or found["late"]
    much = "plain" if degree is None else "much" if re.fullmatch(_MUCH, degree) else "little"
    for (side, uses), code, known in zip(options.items(), "ab", (_FIRST, _SECOND), strict=True):
        named = uses.get("system")
        name = normalised(str(row[named])) if named and row[named] is not None else None
        if found["side"] in (side, name) or found["side"] in known:
            return Said(code, much)
    return None
