"""Names in ratings that the corpus does not have, and what they probably mean."""

import difflib

import polars as pl

from dialgauge.errors import counted

#: How many names of each kind are written out (the others are counted), and how many of the corpus are listed.
_MOST, _LISTED = 5, 12
_KINDS = {"dialogue_id": "dialogue", "system": "system", "variant": "variant", "role": "role"}


def likely_names(ratings: pl.DataFrame, summaries: pl.DataFrame) -> list[str]:
    """A sentence for each name in the keys of ``ratings`` that no summary has, with the name it is close to.

    Numbered dialogues are all close to each other, so those are only considered the same where nothing but case and
    spaces differs; the others are not listed here, since every rating that is skipped names its dialogue.
    """
    sentences = []
    for column, kind in _KINDS.items():
        known = sorted(summaries[column].unique())
        alike = {_plain(name): name for name in known}
        listed = [*known[:_LISTED], *(["…"] if len(known) > _LISTED else [])]
        strange = sorted(set(ratings[column].unique()) - set(known))
        if column == "dialogue_id":
            strange = [name for name in strange if _plain(name) in alike]
        for name in strange[:_MOST]:
            close = [alike[_plain(name)]] if _plain(name) in alike else difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(listed)}"
            sentences.append(f"{kind} {name!r} is not in the corpus; {hint}")
        if len(strange) > _MOST:
            sentences.append(f"not in the corpus either: {counted(len(strange) - _MOST, f'more {kind}')}")
    return sentences


def _plain(name: str) -> str:
    """A name without what is easily typed differently."""
    return " ".join(name.casefold().split())
