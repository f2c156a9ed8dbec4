"""Scales whose lowest number is the best, as their headings, their answers or school grades say."""

import re
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._dimensions import describe_ratings
from dialgauge.corpus._names import heading, is_dimension, normalised, says_how_sure
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._types import Dimension, Direction
from dialgauge.language import likely_language

#: Words for the good and the bad end of any scale, without accents.
_GOOD = re.compile(
    r"(?:the_)?(?:best|excellent|perfect|outstanding|very_good|great|good|highest_quality|bestens|am_besten|sehr_gut|gut"
    r"|beste[rs]?|ausgezeichnet|hervorragend|(?:le_)?meilleure?|tres_bon(?:ne)?|bon(?:ne)?|muy_bueno|bueno|mejor|optimo"
    r"|excelente|ottimo|migliore|(?:strongly|fully|completely|totally)_agree|agree|stimme_(?:voll(?:_und_ganz)?_)?zu"
    r"|trifft_(?:voll(?:_und_ganz)?_)?zu)"
)
_BAD = re.compile(
    r"(?:the_)?(?:worst|terrible|awful|very_bad|very_poor|bad|poor|unacceptable|ungenugend|mangelhaft|am_schlechtesten"
    r"|(?:sehr_)?schlecht|schlechteste[rs]?|(?:le_)?pire|tres_mauvais|mauvais|muy_malo|malo|peor|pessimo|peggiore"
    r"|(?:strongly|fully|completely|totally)_disagree|disagree|stimme_(?:gar_|uberhaupt_)?nicht_zu"
    r"|trifft_(?:gar_|uberhaupt_)?nicht_zu)"
)
#: "1 = best", "6: ungenügend", "1 (sehr gut)", "5 - excellent"; and "best (1)".
_NUMBER_FIRST = re.compile(r"(?<![\d.,])(\d{1,2})\s*(?:[=:(]|[-–—]\s)\s*([^\W\d][^\d=:()\[\],;…]*)")
_NUMBER_LAST = re.compile(r"([^\W\d][^\d=:()\[\],;…]*?)\s*[(=]\s*(\d{1,2})(?!\d)")
#: What stands behind the word for an end: "1 = best to", "1=sehr gut ...", "1 (sehr gut) bis".
_BEHIND = re.compile(r"_(?:to|bis|a|and|und|et|y)$")
#: Words for grades at school; "Note" alone is one in German, and a mark where more is better in French.
_SCHOOL = frozenset(["schulnote", "schulnoten", "gesamtnote", "teilnote", "einzelnote", "zensur", "zensuren"])
_GRADE = frozenset(["note", "noten"])
#: Words in the headings of German tables.
_GERMAN = frozenset(
    [
        *(
            "bewerter",
            "bewerterin",
            "gesprach",
            "anruf",
            "zusammenfassung",
            "modell",
            "kommentar",
            "bemerkung",
            "prufer",
        ),
        *("anmerkung", "koharenz", "gutachter", "transkript", "vorgang", "bewertung", "verstandlichkeit", "lesbarkeit"),
        *("vollstandigkeit", "flussigkeit", "korrektheit", "sprache", "inhalt", "prufer", "und", "der", "die", "wie"),
    ]
)
_BEST_GRADE, _WORST_GRADE = 1, 6
#: So many texts show in which language a file is.
_READ = 20


def best_end(text: str) -> Direction | None:
    """Which way is better, as the ends of a scale say that are explained in a text; None where they do not."""
    said = [(int(found[1]), found[2]) for found in _NUMBER_FIRST.finditer(text)]
    said = said or [(int(found[2]), found[1]) for found in _NUMBER_LAST.finditer(text)]
    return _best_of((number, _praise(words)) for number, words in said)


def _best_of(said: Iterable[tuple[float, int]]) -> Direction | None:
    points = sorted((number, praise) for number, praise in said if praise)
    good = [number for number, praise in points if praise > 0]
    bad = [number for number, praise in points if praise < 0]
    if good and bad:
        if max(good) < min(bad):
            return "lower"
        return "higher" if max(bad) < min(good) else None
    if len(points) != 1:
        return None
    number, praise = points[0]  # the lowest point of nearly all scales is 0 or 1
    return "lower" if (number <= 1) == (praise > 0) else "higher"


def _praise(words: str) -> int:
    plain = _BEHIND.sub("", normalised(words))
    return 1 if _GOOD.fullmatch(plain) else -1 if _BAD.fullmatch(plain) else 0


@dataclass(frozen=True, slots=True)
class Legend:
    """A part of a file that explains the points of a scale: from where to where they go, and which end is better."""

    name: str
    lowest: float
    highest: float
    better: Direction
    words: frozenset[str]

    def fits(self, name: str, values: pl.Series, names: Set[str]) -> bool:
        """Whether ratings may be on this scale; a legend that names some of the dimensions is about these alone."""
        given = values.drop_nulls()
        inside = bool(len(given)) and bool(given.is_between(self.lowest, self.highest).all())
        named = self.words & names
        return inside and (not named or normalised(name) in named)


def legends_in(parts: Iterable[Sheet]) -> list[Legend]:
    """The parts of a file in which every point of a scale stands beside what it means: 1, very good; 2, good."""
    found = []
    for part in parts:
        if not _FEWEST_COLUMNS <= part.frame.width <= _MOST_COLUMNS:
            continue
        first, second = ([str(cell or "").strip() for cell in part.frame[c]] for c in part.frame.columns[:2])
        rows = [(first[row], second[row]) for row in range(part.frame.height)]
        rows.insert(0, (part.frame.columns[0], part.frame.columns[1]))  # where no headings are above the points
        points = [(float(one.replace(",", ".")), words) for one, words in rows if _POINT.fullmatch(one) and words]
        better = _best_of((number, _praise(words)) for number, words in points)
        if len({number for number, _ in points}) == len(points) >= _FEWEST_POINTS and better is not None:
            numbers = [number for number, _ in points]
            named = {normalised(cell) for row in rows for cell in row} | set(normalised(part.name).split("_"))
            found.append(Legend(part.name, min(numbers), max(numbers), better, frozenset(named)))
    return found


#: The points of a scale, how many a legend must have, and how many columns: a point, what it means, an example.
_POINT, _FEWEST_POINTS, _FEWEST_COLUMNS, _MOST_COLUMNS = re.compile(r"\d{1,3}(?:[.,]\d)?"), 3, 2, 3


def with_ends(
    declared: Iterable[Dimension],
    plan: Plan,
    frame: pl.DataFrame,
    ratings: pl.DataFrame,
    notes: list[str],
    parts: Iterable[Sheet] = (),
) -> tuple[Dimension, ...]:
    """The dimensions with those whose best end something else than their name tells; what is assumed is noted."""
    found = {one.name: one for one in declared}
    legends = legends_in(parts)
    names = {normalised(name) for name in ratings["dimension"].drop_nulls().unique()}
    columns = plan.named("dimension")
    for name in ratings["dimension"].drop_nulls().unique().sort():
        if name in found:  # words have an order of their own
            continue
        column = columns.get(name)
        of_it = ratings.filter(pl.col("dimension") == name)
        told = _said_direction(name, column, frame)
        if told is not None:
            described = describe_ratings(name, of_it)
            if told != described.direction:
                found[name] = replace(described, direction=told, said_by="file")
                notes.append(f"{name}: {told} is better, as the ends of its scale say")
        elif says_how_sure(normalised(heading(name)[0])):
            found[name] = replace(describe_ratings(name, of_it), direction="none", said_by="name")
            notes.append(f"{name}: says how sure people were, so neither more nor less of it is better")
        elif len(legends) == 1 and legends[0].fits(name, of_it["value"], names) and legends[0].better == "lower":
            found[name] = replace(describe_ratings(name, of_it), direction="lower", said_by="file")
            notes.append(f"{name}: lower is better, as {legends[0].name!r} explains the points")
        elif _is_school_grade(name, of_it["value"]) and _is_german(name, plan, frame):
            found[name] = replace(describe_ratings(name, of_it), direction="lower", said_by="name")
            notes.append(
                f"{name}: {_BEST_GRADE} is the best, as German school grades are; --direction {name}=higher says "
                "otherwise"
            )
    return tuple(found.values())


def unsaid_ranks(ratings: pl.DataFrame, declared: Iterable[Dimension], said: Container[str]) -> list[str]:
    """The dimensions on which people gave each system of a dialogue another place, and nothing says which is the best.

    ``said`` are those of which the user says so. Names of qualities and of ranks tell it themselves.
    """
    known = {one.name for one in declared if one.direction != "higher" or one.said_by in ("file", "user")}
    found = []
    for name in sorted(set(ratings["dimension"].drop_nulls()) - known):
        if name in said or is_dimension(normalised(name)) or describe_ratings(name, ratings).direction != "higher":
            continue
        given = ratings.filter((pl.col("dimension") == name) & pl.col("value").is_not_null())
        groups = given.group_by("dialogue_id", "role", "annotator", "sentence").agg(
            pl.col("value").sort().alias("places"), pl.len().alias("count")
        )
        several = groups.filter(pl.col("count") >= _FEWEST_RANKED)
        whole = sum(row == [float(place + 1) for place in range(len(row))] for row in several["places"].to_list())
        if several.height >= _FEWEST_GROUPS and whole * 10 >= several.height * 8:
            found.append(
                f"{name!r} has each number from 1 on once in every dialogue of a person, as places in a ranking have: "
                f"say which end is better (--direction '{name}=lower' if 1 is the best, '{name}=higher' if it is the "
                "worst)"
            )
    return found


_FEWEST_RANKED, _FEWEST_GROUPS = 3, 5


def _said_direction(name: str, column: str | None, frame: pl.DataFrame) -> Direction | None:
    said = best_end(column or name)
    if said is not None or column is None or column not in frame.columns:
        return said
    answers = frame[column].drop_nulls().cast(pl.String, strict=False).unique().drop_nulls()
    if len(answers) > _READ:
        return None
    pairs = [found for text in answers if (found := _NUMBER_FIRST.match(text.strip()))]
    return _best_of((int(found[1]), _praise(found[2])) for found in pairs) if len(pairs) > 1 else None


def _is_school_grade(name: str, values: pl.Series) -> bool:
    words = set(normalised(heading(name)[0]).split("_"))
    given = values.drop_nulls()
    return bool(words & (_SCHOOL | _GRADE)) and bool(given.is_between(_BEST_GRADE, _WORST_GRADE).all())


def _is_german(name: str, plan: Plan, frame: pl.DataFrame) -> bool:
    if _SCHOOL & set(normalised(heading(name)[0]).split("_")):
        return True
    if any(_GERMAN & set(normalised(column.name).split("_")) for column in plan.columns):
        return True
    return likely_language(" ".join(_shown(plan.uses, frame))) == "de"


def _shown(uses: Mapping[str, tuple[str, ...]], frame: pl.DataFrame) -> Iterable[str]:
    for use in ("summary", "dialogue", "comment"):
        for column in uses.get(use, ()):
            yield from frame[column].drop_nulls().cast(pl.String, strict=False).head(_READ)
