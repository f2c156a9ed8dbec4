"""``dialgauge metrics``: list the metrics."""

from typing import Annotated

import typer

from dialgauge.cli._output import Json, console, print_json, print_table


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("metrics")(metrics)


def metrics(
    name: Annotated[
        str | None,
        typer.Argument(help="Metric to show in detail, or family to list (default: list all)."),
    ] = None,
    json: Json = False,
) -> None:
    """List the metrics: direction, what each compares with, cost and citation.

    [bold]dialgauge metrics rouge-l[/]

    Specify a metric as NAME, NAME@TARGET or NAME:PARAMETER=VALUE, as in [bold]rouge-l@source:stem=yes[/]. A family name
    (rouge) stands for all its members, [bold]all[/] for everything.
    """
    from dialgauge.metrics import Metric, parse_requests

    def facts(metric: Metric) -> dict[str, object]:
        return {
            "name": metric.name,
            "family": metric.family,
            "description": metric.description,
            "direction": metric.direction,
            "targets": list(metric.targets),
            "level": metric.level,
            "range": list(metric.range),
            "parameters": {
                key: {"default": p.default, "choices": list(p.choices), "help": p.help}
                for key, p in metric.parameters.items()
            },
            "cost": metric.cost,
            "extra": metric.extra,
            "citation": metric.citation,
            "version": metric.version,
        }

    found = list({request.metric.name: request.metric for request in parse_requests([name or "all"])}.values())
    if name is not None and len(found) == 1:
        if json:
            print_json(facts(found[0]))
        else:
            _show(facts(found[0]))
        return
    if json:
        print_json({"metrics": [facts(metric) for metric in found]})
        return
    arrows = {"higher": "↑", "lower": "↓", "none": "·"}
    print_table(
        f"{len(found)} metrics (↑ higher is better, ↓ lower is better, · describes only)",
        ("metric", "", "compares with", "level", "cost", "extra", "citation"),
        (
            (m.name, arrows[m.direction], ", ".join(m.targets), m.level, m.cost, m.extra, m.citation.split(",")[0])
            for m in found
        ),
    )
    console.print("[dim]dialgauge metrics NAME shows the details and parameters of a metric.[/]")


def _show(facts: dict[str, object]) -> None:
    parameters = facts.pop("parameters")
    assert isinstance(parameters, dict)
    rows = [(key, ", ".join(map(str, v)) if isinstance(v, list) else v) for key, v in facts.items()]
    print_table(str(facts["name"]), ("field", "value"), rows)
    if parameters:
        print_table(
            "parameters",
            ("name", "default", "choices", "what it does"),
            ((key, p["default"], ", ".join(p["choices"]), p["help"]) for key, p in parameters.items()),
        )
