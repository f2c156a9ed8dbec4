"""``dialgauge raters``: how severe and how reliable each rater is, and who rates without looking."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._judgements import refuse_without_ratings
from dialgauge.cli._output import Json, note, print_json, print_table
from dialgauge.cli._settings import with_options
from dialgauge.ratings import RaterModelSettings, RatingPolicy

if TYPE_CHECKING:
    from dialgauge.ratings import RaterModel

#: More raters than these are a crowd: the flagged ones are shown, 20 at most.
_MOST_ROWS, _MOST_FLAGGED = 40, 20


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("raters")(raters)


@with_options
def raters(
    corpus: Source,
    settings: RaterModelSettings,
    policy: RatingPolicy,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Model the raters: severity, discrimination, use of the scale's ends, and the probability of being a spammer.

    [bold]dialgauge raters ratings.jsonl --dimension relevance[/]

    A spammer's ratings do not depend on what is rated. [bold]--aggregate model[/] of the other commands counts raters
    by what this model finds; with the same few honest raters for all items, the mean is as good.
    """
    from dialgauge.ratings import classes_without_order, rater_model, treat_ratings

    loaded = load_corpus(corpus, format, map, strict)
    refuse_without_ratings(loaded, corpus, "so its raters cannot be modelled")
    treated = treat_ratings(loaded.ratings, policy)
    found = rater_model(treated.checked, settings, policy, nominal=classes_without_order(loaded, policy))
    if json:
        document = {"raters": found.raters.to_dicts(), "items": found.items.to_dicts(), "notes": list(found.notes)}
        print_json({"corpus": loaded.info.name, "ratings_origin": loaded.info.ratings_origin, **document})
        return
    _print(loaded.info.name, found)


def _print(name: str, found: "RaterModel") -> None:
    from dialgauge.tables import number_cell

    rows = found.raters
    if rows.height > _MOST_ROWS:
        # What all dimensions say together comes first: it is what the list is read for.
        flagged = rows.drop_nulls("flag")
        rows = flagged.sort(flagged["dimension"].is_not_null(), maintain_order=True).head(_MOST_FLAGGED)
    shown = [
        [
            row["annotator"],
            row["dimension"] or "all dimensions",
            row["ratings"],
            _with_error(row["severity"], row["severity_error"], "+.2f"),
            _with_error(row["discrimination"], row["discrimination_error"], ".2f"),
            number_cell(row["ends"]),
            number_cell(row["reliability"]),
            number_cell(row["spammer"]),
            row["flag"] or "",
        ]
        for row in rows.iter_rows(named=True)
    ]
    columns = ("rater", "dimension", "ratings", "severity", "discrimination", "ends", "reliability", "spammer", "flag")
    print_table(f"{name}: raters", columns, shown, numeric=columns[2:8])
    if rows.height < found.raters.height:
        note(f"{found.raters.height} rows; those with a flag are shown, {_MOST_FLAGGED} at most (--json lists all)")
    note("severity: above 0, fewer points than others give; discrimination: near 0, ratings do not depend on the item;")
    note("ends: below 1, more ratings at the ends of the scale; reliability: of one rating (of labels: how often it is")
    note("right); spammer: a probability.")
    for text in _without_repeats(found.notes):
        note(text)


def _without_repeats(notes: Sequence[str]) -> list[str]:
    """The notes, those that say the same of several dimensions as one."""
    said: dict[str, list[str]] = {}
    for text in notes:
        dimension, _, rest = text.partition(": ")
        said.setdefault(rest, []).append(dimension)
    return [f"{', '.join(dimensions)}: {rest}" for rest, dimensions in said.items()]


def _with_error(value: float | None, error: float | None, form: str) -> str:
    return "" if value is None else f"{value:{form}} ± {error:.2f}".replace("-", "−")
