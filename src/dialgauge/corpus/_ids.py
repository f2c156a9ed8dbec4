"""Which column identifies dialogues: by its name, and by what its values do."""

from collections.abc import Mapping, Sequence

import polars as pl

from dialgauge.corpus._names import USES, is_bare_id, is_id, is_other_id

_LONGEST = 80


def choose_id(
    frame: pl.DataFrame, free: Sequence[str], names: Mapping[str, str], text: str | None
) -> tuple[str | None, str]:
    """The column that identifies dialogues, and why; None where there is none.

    Of several, the one whose values each have one text comes first, and of those the one with the fewest values: an id
    of edits or of tasks is finer than that of dialogues. One that is different in every row is the last resort.
    """
    session_of_person = {"session_id", "study_id"} if "prolific_pid" in names.values() else set()
    candidates = [
        column
        for column in free
        if frame[column].null_count() < frame.height
        and names[column] not in session_of_person
        and not is_other_id(names[column])
        and (is_id(names[column]) or (is_bare_id(names[column]) and _is_short(frame[column])))
        and (is_id(names[column]) or not names[column].endswith("id") or _has_digits(frame[column]))
    ]
    # A name that may be that of many things ("source") is no id where its values have several texts each.
    candidates = [c for c in candidates if is_id(names[c]) or not _evidence(frame, c, text)[0]]
    if any(is_id(names[column]) for column in candidates):  # nor where it never stands beside a text
        candidates = [c for c in candidates if is_id(names[c]) or text is None or _is_beside(frame, c, text)]
    if not candidates:
        return _by_uniqueness(frame, free, names, text)
    ranked = sorted(candidates, key=lambda column: (*_evidence(frame, column, text), _rank(names[column])))
    best = ranked[0]
    why = f"columns named {best!r} usually are"
    return best, why if len(candidates) == 1 else f"{why}, and its values fit best"


def _is_beside(frame: pl.DataFrame, column: str, text: str) -> bool:
    return bool((frame[column].is_not_null() & frame[text].is_not_null()).any())


def _rank(name: str) -> int:
    known = USES["dialogue_id"]
    if name in known:
        return known.index(name)
    return len(known) + (0 if is_id(name) else 1)


def _is_short(values: pl.Series) -> bool:
    shown = values.drop_nulls().head(500).cast(pl.String)
    return (
        bool(len(shown))
        and bool((shown.str.len_chars() <= _LONGEST).all())
        and not bool(shown.str.contains(r"\S\s+\S+\s+\S").any())
    )


def _has_digits(values: pl.Series) -> bool:
    """Whether most values have a digit, as numbers of something do and words that end in "id" do not."""
    shown = values.drop_nulls().head(500).cast(pl.String)
    return int(shown.str.contains(r"\d").sum()) * 2 > len(shown)


def _evidence(frame: pl.DataFrame, column: str, text: str | None) -> tuple[int, int, int]:
    """Whether a value has several texts, whether every row has its own value, and how many values there are."""
    if text is None:
        return 0, 0, 0
    rows = frame.select(pl.col(column).cast(pl.String).alias("id"), pl.col(text).cast(pl.String).alias("text"))
    rows = rows.drop_nulls()
    if rows.is_empty():
        return 0, 0, 0
    texts = rows.unique().group_by("id").len()["len"]
    torn = int((texts > 1).sum() * 10 > len(texts))
    filled = frame[column].drop_nulls()
    distinct = filled.n_unique()
    alone = int(distinct == len(filled) and rows["text"].n_unique() < rows.height)
    return torn, alone, distinct


def _by_uniqueness(
    frame: pl.DataFrame, free: Sequence[str], names: Mapping[str, str], text: str | None
) -> tuple[str | None, str]:
    """A column of short values of which each has one text and each text one value, whatever its name."""
    if text is None:
        return None, ""
    for column in free:
        if is_other_id(names[column]) or not _is_short(frame[column]):
            continue
        rows = frame.select(pl.col(column).cast(pl.String).alias("id"), pl.col(text).cast(pl.String).alias("text"))
        pairs = rows.drop_nulls().unique()
        if pairs.height > 1 and pairs["id"].n_unique() == pairs["text"].n_unique() == pairs.height:
            return column, "each of its values belongs to one dialogue, and each dialogue to one value"
    return None, ""
