"""Sheets and files whose own names say that they do not count: a pilot, a practice, an outdated copy of another."""

import re
from collections.abc import Iterable, Sequence

from dialgauge.corpus._names import normalised
from dialgauge.corpus._table import Sheet

#: Words that say so of any part.
_TRIED = re.compile(
    r"(?:.*_)?(?:practice|pilot|pilotstudie|pilote|piloto|probelauf|warm_?up|outdated|obsolete|deprecated|superseded"
    r"|unused|veraltet|obsoleto|perime|do_not_use|dont_use|don_t_use|not_used|not_to_be_used|ignore"
    r"|nicht_(?:mehr_)?(?:verwenden|benutzen)|no_usar|nao_usar|non_usare|ne_pas_utiliser)(?:_.*)?"
)
#: Words that say so of a part that is otherwise called as another one is.
_COPIED = frozenset(
    ["old", "copy", "of", "backup", "bak", "alt", "kopie", "von", "copia", "de", "copie", "ancien", "viejo", "antigo"]
)


def put_aside(sheets: Sequence[Sheet], what: str) -> tuple[list[Sheet], dict[str, str]]:
    """The parts that count, and what to do about each other one, by name."""
    names = {sheet.name: normalised(sheet.name) for sheet in sheets}
    aside = {sheet.name for sheet in sheets if _is_aside(names[sheet.name], names.values())}
    kept = [sheet for sheet in sheets if sheet.name not in aside]
    if not kept:
        return list(sheets), {}
    return kept, {
        sheet.name: f"the {what} {sheet.name!r} says by its name that it does not count, and was not read: leave it "
        f"out (--map 'ignore={sheet.name}'), or give it another name"
        for sheet in sheets
        if sheet.name in aside and sheet.frame.height
    }


def says_it_does_not_count(name: str) -> bool:
    """Whether a name, of a folder for example, says so of any part: a pilot, a practice."""
    return bool(_TRIED.fullmatch(normalised(name)))


def _is_aside(name: str, others: Iterable[str]) -> bool:
    if _TRIED.fullmatch(name):
        return True
    words = name.split("_")
    rest = [word for word in words if word not in _COPIED]
    copied = 0 < len(rest) < len(words)
    return copied and any(other != name and other.split("_") == rest for other in others)
