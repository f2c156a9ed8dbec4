"""``dialgauge plan``: how many dialogues, raters and ratings it takes to distinguish two systems."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, Strict, load_corpus
from dialgauge.cli._judgements import note_models, refuse_without_ratings
from dialgauge.cli._output import Json, note, print_json, print_table
from dialgauge.cli._settings import with_options
from dialgauge.errors import InputError
from dialgauge.ratings import PlanSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dialgauge.ratings import Plan, VarianceComponents

#: Further pairs of systems are counted.
_MOST_PAIRS = 15

Pilot = Annotated[
    str | None, typer.Argument(help="Ratings of a pilot: a corpus with ratings; not needed for assumed components.")
]
Dimension = Annotated[str | None, typer.Option("--dimension", "-d", help="Dimension of the pilot.")]
Assume = Annotated[
    str | None,
    typer.Option("--assume", help="Components of DialSummEval: coherence, consistency, fluency or relevance."),
]
Variance = Annotated[
    list[str] | None,
    typer.Option("--variance", help="Variance of a source, as in sd=0.3; sources: s, d, r, sd, sr, dr, e."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("plan")(plan)


@with_options
def plan(
    settings: PlanSettings,
    pilot: Pilot = None,
    dimension: Dimension = None,
    assume: Assume = None,
    variance: Variance = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Plan a study: interval, power, time and cost for numbers of systems, dialogues and raters.

    [bold]dialgauge plan pilot.jsonl --dimension relevance --difference 0.3[/]

    [bold]dialgauge plan --assume coherence --difference 0.2 --claim new-raters --raters 5 --raters 10[/]

    From a pilot it also says how many more dialogues would distinguish each two of its systems.
    """
    from dialgauge.ratings import plan as make_plan

    given = [name for name, value in (("a pilot", pilot), ("--assume", assume), ("--variance", variance)) if value]
    if len(given) != 1:
        raise InputError(
            f"plan: give a pilot, --assume or --variance, one of them; got {' and '.join(given) or 'none'}"
        )
    if pilot is not None:
        components = _from_pilot(pilot, dimension, format, map, strict)
        made, frame = make_plan(components, settings), components.frame.to_dicts()
    else:
        values = assume or _parsed(variance or [])
        made, frame = make_plan(values, settings), []
    if json:
        print_json(
            {
                "settings": settings.model_dump(mode="json"),
                "components": frame,
                "designs": made.frame.to_dicts(),
                "needed": made.needed.to_dicts(),
                "pairs": made.pairs.to_dicts(),
                "answer": str(made),
                "notes": list(made.notes),
            }
        )
        return
    if frame:
        _print_components(frame)
    _print(made)


def _parsed(given: list[str]) -> "Mapping[str, float]":
    result = {}
    for text in given:
        name, equals, value = text.partition("=")
        try:
            result[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"--variance: write SOURCE=NUMBER, as in sd=0.3; got {text!r}")
    return result


def _from_pilot(pilot: str, dimension: str | None, format: Any, map: Any, strict: bool) -> "VarianceComponents":
    from dialgauge.ratings import RatingPolicy, classes_without_order, variance_components, with_judgements_as_ratings

    given = load_corpus(pilot, format, map, strict)
    note_models(given)
    loaded = given.without_models()
    if loaded.spans.height and not loaded.ratings["value"].count():
        # Penalties of readings vary as ratings do; shares of comparisons of one dialogue depend on each other.
        loaded = with_judgements_as_ratings(
            replace(loaded, preferences=loaded.preferences.clear(), choices=loaded.choices.clear())
        )
    refuse_without_ratings(loaded, pilot, "so there is nothing to plan from")
    rated, classes = loaded.ratings.drop_nulls("value"), classes_without_order(loaded, RatingPolicy())
    names = sorted(set(rated["dimension"]).difference(classes))
    if dimension in classes or not names:
        raise InputError(
            f"plan: choose a dimension with an order; {', '.join(classes)}: classes without an order have no variance"
        )
    if dimension is None and len(names) > 1:
        raise InputError(f"plan: the pilot has several dimensions; choose one with --dimension: {', '.join(names)}")
    references = loaded.references["system"].unique()
    return variance_components(rated.filter(~rated["system"].is_in(references.implode())), dimension or names[0])


def _print_components(rows: list[dict[str, Any]]) -> None:
    from dialgauge.tables import interval, number_cell

    shown = [
        [
            row["name"],
            number_cell(row["variance"], ".3f"),
            f"{row['share']:.0%}",
            interval(row["low"], row["high"], ".3f"),
        ]
        for row in rows
    ]
    columns = ("source", "variance", "share", "90 % interval")
    print_table("variance of the pilot's ratings", columns, shown, numeric=columns[1:])


def _print(made: "Plan") -> None:
    from dialgauge.tables import interval, number_cell

    asked = made.settings
    extra = {
        "hours": asked.minutes is not None,
        "cost": asked.minutes is not None and asked.wage is not None,
        "careful power": made.frame["careful_power"].is_not_null().any(),
        "metric's r": made.frame["metric_r"].is_not_null().any(),
    }
    columns = ["systems", "dialogues", "raters", "pool", "ratings", "hours", "cost", "half-width", "power"]
    columns += ["careful power", "metric's r"]
    columns = [name for name in columns if extra.get(name, True)]
    rows = []
    for row in made.frame.iter_rows(named=True):
        cells: dict[str, object] = {name: row[name] for name in ("systems", "dialogues", "raters", "pool", "ratings")}
        cells |= {"hours": number_cell(row["hours"], ".1f"), "cost": number_cell(row["cost"], ".0f")}
        cells |= {"half-width": number_cell(row["half_width"]), "power": number_cell(row["power"])}
        cells["careful power"] = number_cell(row["careful_power"])
        cells["metric's r"] = interval(row["metric_low"], row["metric_high"]) if row["metric_r"] is not None else ""
        rows.append([cells[name] for name in columns])
    claim = asked.claim.replace("-", " ")
    print_table(f"a difference of {asked.difference:g}, for {claim}", columns, rows, numeric=columns)
    _print_needed(made)
    _print_pairs(made)
    note(str(made))
    for text in made.notes:
        note(text)


def _print_needed(made: "Plan") -> None:
    from dialgauge.tables import number_cell

    pilot = made.needed["careful_dialogues"].is_not_null().any()
    columns = ["systems", "raters", "pool", "dialogues", *(["careful"] if pilot else []), "ratings", "hours", "cost"]
    columns = [name for name in columns if name not in ("hours", "cost") or made.needed[name].is_not_null().any()]
    rows = []
    for row in made.needed.iter_rows(named=True):
        cells = {name: row[name] if row[name] is not None else "–" for name in ("systems", "raters", "pool", "ratings")}
        cells["dialogues"] = row["dialogues"] or "none is enough"
        cells["careful"] = row["careful_dialogues"] or "–"
        cells |= {"hours": number_cell(row["hours"], ".1f"), "cost": number_cell(row["cost"], ".0f")}
        rows.append([cells[name] for name in columns])
    print_table(f"dialogues for power {made.settings.power:g}", columns, rows, numeric=columns)


def _print_pairs(made: "Plan") -> None:
    if made.pairs.is_empty():
        return
    ranked = made.pairs.sort("more", "system", "other", nulls_last=True)
    rows = [
        [row["system"], row["other"], _give_or_take(row), *_how_many(row)]
        for row in ranked.head(_MOST_PAIRS).iter_rows(named=True)
    ]
    columns = ("system", "other", "difference ±", "dialogues", "more than the pilot's")
    print_table("to distinguish the pilot's systems, if they differ as they did", columns, rows, numeric=columns[2:])
    if ranked.height > _MOST_PAIRS:
        note(f"… and {ranked.height - _MOST_PAIRS} more pairs (--json lists all)")


def _give_or_take(row: dict[str, Any]) -> str:
    """The pilot's difference with the half-width of its interval: one that is smaller may be none."""
    width = row["half_width"]
    return f"{row['difference']:+.2f}".replace("-", "−") + ("" if width is None else f" ± {width:.2f}")


def _how_many(row: dict[str, Any]) -> tuple[object, object]:
    return (row["dialogues"], row["more"]) if row["dialogues"] else ("none is enough", "–")
