"""The verdict in words: one line per dimension, and tables. It is read, never made, here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialgauge.errors import counted
from dialgauge.metaeval import Trust, Verdict, Verdicts
from dialgauge.report._content import Estimate, listed
from dialgauge.report._tables import chosen
from dialgauge.tables import NOTHING, Cell, Column, Row, Table, estimate_cell, number_cell, text_cell

#: For each level: a sign that differs in shape, the words, and the colour. No level is told by its colour alone.
LEVELS: dict[Trust, tuple[str, str, str]] = {
    "use": ("●", "Use", "right"),
    "care": ("◐", "Use with care", "care"),
    "do-not-use": ("○", "Do not use", "bad"),
}
#: What is said of a dimension for which no metric was shown to follow the ratings.
NONE = "Use none"
_COEFFICIENTS = {
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "kendall": "Kendall correlation",
    "mean": "mean of three correlations",
    "pairwise_accuracy": "share of pairs in the same order",
}
#: Statistics in brackets, which the first screen leaves out; the tables have them.
_NUMBERS = re.compile(r"\s\((?:p|α|r|c) [^)]*\)")
_AS_GOOD = 2
#: What the number is of a metric that follows single summaries.
_REMAINS = (
    "correlation of the differences that remain once it is known which system wrote a summary, and of which dialogue"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the first screen says of a dimension: the level, the metric, one number, one reason, one action.

    ``among`` says of which summaries the number is, where it is not that of all; ``told`` what the metric does with
    labels or preferences, in words.
    """

    dimension: str
    level: Trust
    sign: str
    words: str
    colour: str
    metric: str
    as_good: str
    estimate: Estimate | None
    bar: float | None
    reason: str
    action: str
    among: str = ""
    told: str = ""


def shown_number(row: Verdict) -> Estimate:
    """The number of a verdict: the coefficient, or what is left of it without system and dialogue for two systems."""
    if row.r is not None:
        return Estimate(row.metric, row.r, row.low, row.high)
    return Estimate(row.metric, row.c, row.c_low, row.c_high)


def shown_bar(row: Verdict) -> float | None:
    """What that number had to reach; None where there is no such limit."""
    return row.bar if row.r is not None else row.c_bar


def by_cells(verdicts: Verdicts) -> bool:
    """Whether the numbers are those without the means of systems and dialogues: two systems have no others."""
    return all(row.r is None for row in verdicts.rows) and any(row.c is not None for row in verdicts.rows)


def answers(verdicts: Verdicts, told: Mapping[tuple[str, str], str] | None = None) -> list[Answer]:
    """One per dimension; ``told`` has what a metric does with the labels or preferences of a dimension, in words."""
    found = []
    for summed in verdicts.dimensions.iter_rows(named=True):
        rows = verdicts.of(summed["dimension"])
        best, level = rows[0], summed["verdict"]
        sign, words, colour = LEVELS[level]
        named = best.named and level != "do-not-use"
        # The number that shows it: one of the order of systems would belie a metric that follows single summaries.
        single = named and best.shown_by == ("cells",) and best.r is not None and best.c is not None
        number = Estimate(best.metric, best.c, best.c_low, best.c_high) if single else shown_number(best)
        found.append(
            Answer(
                dimension=summed["dimension"],
                level=level,
                sign=sign,
                words=words if named else NONE,
                colour=colour,
                metric=best.metric if named else "",
                as_good=_as_good(rows) if named else "",
                estimate=number if named else None,
                bar=best.c_bar if single else shown_bar(best),
                reason=_reason(best),
                action=summed["action_sentence"] or "",
                among="within each system" if single else "",
                told=(told or {}).get((summed["dimension"], best.metric), "") if named else "",
            )
        )
    return found


def _as_good(rows: Sequence[Verdict]) -> str:
    others = [row.metric for row in rows[1:] if row.among_best and row.verdict == rows[0].verdict]
    if not others:
        return ""
    more = len(others) - _AS_GOOD
    return listed([*others[:_AS_GOOD], f"{more} more"] if more > 0 else others)


def _reason(row: Verdict) -> str:
    if row.reasons and row.verdict != "use":
        return plain(row.reasons[0].sentence)
    if row.shown_by == ("order",):
        return "Shown to order the systems as people do."
    return "Shown to order the systems and to distinguish single summaries as people do."


def plain(sentence: str) -> str:
    """A reason without statistics in brackets and without single letters for numbers."""
    said = _NUMBERS.sub("", sentence)
    return re.sub(r"\b[rc] is\b", "agreement is", said)


def null_sentence(verdicts: Verdicts) -> str:
    """In how many studies with shuffled ratings the page would have named a metric."""
    if not verdicts.null_runs:
        return ""
    return (
        f"Check: with the ratings shuffled, so that no metric can follow them, this page would have named a metric in "
        f"{verdicts.null_named} of {verdicts.null_runs} studies."
    )


def measured_in(found: Sequence[Answer], verdicts: Verdicts) -> str:
    """What the numbers of these lines are: of all, or of those within each system apart from the others."""
    shown = [one for one in found if one.estimate]
    if not any(one.among for one in shown):
        return measured_by(verdicts)
    within = f"within each system: {_REMAINS}"
    return within if all(one.among for one in shown) else f"{measured_by(verdicts)}; {within}"


def measured_by(verdicts: Verdicts) -> str:
    """What the coefficient of the verdict is."""
    level, coefficient = verdicts.settings.get("level", "summary"), verdicts.settings.get("coefficient", "pearson")
    what = _COEFFICIENTS.get(str(coefficient), str(coefficient))
    where = {"summary": "across the summaries of each dialogue", "system": "across systems"}.get(str(level), "overall")
    if by_cells(verdicts):
        return _REMAINS
    return f"{what} {where}"


def verdict_table(verdicts: Verdicts, *, metrics: Sequence[str] = (), digits: int = 2, signs: bool = False) -> Table:
    """Every metric of every dimension with its level, number, bar and first reason; ``signs`` are for the console."""
    names = chosen(list(dict.fromkeys(row.metric for row in verdicts.rows)), metrics)
    columns = (
        Column("verdict", numeric=False),
        Column("agreement", digits=digits),
        Column("needed", digits=digits),
        Column("p", digits=3),
        Column("why", numeric=False),
    )
    rows = tuple(
        Row(row.metric, tuple(_cells(row, digits, signs)), group=row.dimension)
        for row in verdicts.rows
        if row.metric in names
    )
    notes = [f"Agreement: {measured_by(verdicts)}, with interval; needed: what shows that a metric orders systems."]
    if said := null_sentence(verdicts):
        notes.append(said)
    return Table("verdict", "metric", columns, rows, notes=tuple(notes), grouping="dimension")


def _cells(row: Verdict, digits: int, signs: bool = True) -> list[Cell]:
    shown = shown_number(row)
    p_values = [p for p in (row.p_order, row.p_cells) if p is not None]
    return [
        text_cell(level_words(row) if signs else LEVELS[row.verdict][1].lower()),
        estimate_cell(shown.value, shown.low, shown.high, digits, between=", "),
        number_cell(shown_bar(row), digits),
        number_cell(min(p_values, default=None), ".2g"),
        text_cell(row.reasons[0].code.replace("-", " ") if row.reasons else "shown"),
    ]


def level_words(row: Verdict) -> str:
    """Sign and words of a level."""
    sign, words, _ = LEVELS[row.verdict]
    return f"{sign} {words.lower()}"


def dimension_tables(verdicts: Verdicts) -> list[tuple[str, Table]]:
    """For each dimension every metric with its level, numbers and all reasons as sentences."""
    made = []
    columns = (
        Column("verdict", numeric=False),
        Column("agreement"),
        Column("needed"),
        Column("p"),
        Column("reasons", numeric=False),
    )
    for dimension in verdicts.dimensions["dimension"]:
        rows = []
        for row in verdicts.of(dimension):
            said = " ".join(reason.sentence for reason in row.reasons) or _reason(row)
            rows.append(Row(row.metric, (*_cells(row, 2)[:-1], text_cell(said))))
        made.append((dimension, Table("verdict", "metric", columns, tuple(rows), title=f"verdicts, {dimension}")))
    return made


def answer_table(
    verdicts: Verdicts, told: Mapping[tuple[str, str], str] | None = None, *, with_reasons: bool = True
) -> Table:
    """The lines of the first screen; ``with_reasons`` adds why and what to do.

    ``told`` has what a metric does with the labels or preferences of a dimension: it takes the place of the number.
    """
    rows = []
    for one in answers(verdicts, told):
        number = one.told or f"{one.estimate or NOTHING}{f' {one.among}' if one.among else ''}"
        said = [f"{one.sign} {one.words.lower()}", one.metric or NOTHING, number]
        rows.append(Row(one.dimension, tuple(map(text_cell, said + [one.reason, one.action] * with_reasons))))
    names = ("verdict", "metric", "agreement") + ("why", "what to do") * with_reasons
    columns = tuple(Column(name, numeric=False) for name in names)
    return Table("verdict", "dimension", columns, tuple(rows), title="which metric can be trusted")


def answer_sentences(verdicts: Verdicts, told: Mapping[tuple[str, str], str] | None = None) -> list[str]:
    """Of each dimension what the metric does with labels or preferences, why, and what to do next."""
    return [
        " ".join(filter(None, (f"{one.dimension}:", one.told and f"{one.metric} {one.told}.", one.reason, one.action)))
        for one in answers(verdicts, told)
    ]


def rater_sentences(verdicts: Verdicts) -> list[str]:
    """What the verdict rests on: how many ratings, and how far raters agree; one sentence per kind of finding."""
    said = []
    for row in verdicts.dimensions.iter_rows(named=True):
        if row["summaries"] and row["rated"] < row["summaries"]:
            said.append(
                f"{row['dimension']}: rated on {row['rated']} of {counted(row['summaries'], 'summary', 'summaries')}."
            )
        if row["better"] == "lower":
            guessed = " (guessed from the name)" if row["better_said_by"] == "name" else ""
            said.append(f"{row['dimension']}: lower is better{guessed}.")
    return said
