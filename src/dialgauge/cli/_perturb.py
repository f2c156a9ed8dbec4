"""``dialgauge perturbations`` and ``dialgauge perturb``: list perturbations and apply them."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._completion import complete_perturbation
from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.cli._perturb_llm import DryRun, Llm, open_llm, planned, print_estimate
from dialgauge.cli._settings import Without, with_options
from dialgauge.errors import InputError, counted
from dialgauge.models import ChatSettings
from dialgauge.perturb import LlmSettings, PerturbSettings
from dialgauge.tables import group_alike

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from dialgauge.perturb import Perturbation, Perturbed

Names = Annotated[
    list[str],
    typer.Option(
        "--perturbation",
        "-p",
        help="Perturbation, family or [bold]all[/] (repeatable).",
        autocompletion=complete_perturbation,
    ),
]

_SIGNS = {"preserves": "=", "degrades": "−", "degrades-mildly": "~"}
_SHORT = {"consistency": "C", "relevance": "R", "fluency": "F", "coherence": "K"}


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("perturbations")(perturbations)
    app.command("perturb")(perturb)


@with_options
def perturbations(
    settings: Annotated[PerturbSettings, Without("per_item", "seed", "include_references")],
    name: Annotated[
        str | None,
        typer.Argument(help="Perturbation to show in detail, or family to list (default: list all)."),
    ] = None,
    declined: Annotated[
        str | None,
        typer.Option(help="Corpus: show which of its summaries are declined, and why.", metavar="CORPUS"),
    ] = None,
    json: Json = False,
) -> None:
    """List the perturbations: what each does, its intended effect on each dimension, and an example.

    [bold]dialgauge perturbations add_negation[/]
    [bold]dialgauge perturbations drop_phrases --declined calls.jsonl[/]

    Specify one as NAME, NAME_LEVEL or NAME:OPTION=VALUE, as in [bold]typos_2[/] or [bold]jumble:scope=sentence[/]. A
    family name (baseline, domain) means all its members, [bold]all[/] everything.
    """
    from dialgauge.perturb import parse_requests

    requests = parse_requests([name or "all"])
    if declined is not None:
        _show_declined(declined, name or "all", settings, json)
        return
    if settings.gate:
        raise InputError("--gate needs --declined CORPUS: it says what the gates stop there")
    found = list({request.perturbation.name: request.perturbation for request in requests}.values())
    if name is not None and len(found) == 1:
        if json:
            print_json(_facts(found[0]))
        else:
            _show(found[0])
        return
    if json:
        print_json({"perturbations": [_facts(entry) for entry in found]})
        return
    for family in dict.fromkeys(entry.family for entry in found):
        members = [entry for entry in found if entry.family == family]
        print_table(
            f"{family}: {len(members)} perturbations",
            ("perturbation", "effect", "levels", "what it does, and an example"),
            ((entry.name, _effects(entry), _levels(entry), _teach(entry)) for entry in members),
        )
    console.print(
        "[dim]effect on C consistency, R relevance, F fluency, K coherence: = preserves, − degrades, ~ degrades "
        "mildly. dialgauge perturbations NAME shows the details of one.[/]"
    )


def _show_declined(corpus: str, name: str, settings: PerturbSettings, json: bool) -> None:
    """Why summaries of a corpus are declined, with the first of them; nothing is written."""
    import polars as pl

    from dialgauge.perturb import perturb as perturb_corpus

    loaded = load_corpus(corpus, None, None, False)
    with progress_bar("perturbing") as progress:
        result = perturb_corpus(loaded, [name], settings, progress=progress)
    rows = _summary(result)
    if json:
        reasons = (
            result.declined.group_by("perturbation", "reason", maintain_order=True)
            .agg(pl.len().alias("count"), pl.format("{} {}", "dialogue_id", "system").first().alias("first"))
            .sort("perturbation", "count", "reason", descending=[False, True, False])
        )
        print_json({"perturbations": rows, "declined": reasons.to_dicts()})
        return
    _print_summary(loaded.info.name, rows, [], gated=bool(settings.gate))
    found = sorted(_alike(result), key=lambda row: row[0])
    print_table("declined", ("perturbation", "reason", "count", "first"), found, numeric=["count"])


@with_options
def perturb(
    corpus: Source,
    names: Names,
    output: Annotated[Path, output_option("File or folder for the corpus with the variants.", pipe=".jsonl")],
    settings: PerturbSettings,
    asked: LlmSettings,
    chat: ChatSettings,
    llm: Llm = None,
    dry_run: DryRun = False,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Perturb summaries: write a corpus with perturbed variants of every summary.

    [bold]dialgauge perturb calls.jsonl -p add_negation -p typos_2 -n 2 -o perturbed[/]

    The output is a folder of Parquet files, or a file by its suffix (.jsonl, .csv, .xlsx …). Each variant records how
    it was made. Summaries that cannot be perturbed are declined with a reason: a variant never equals its original.
    """
    from dialgauge.corpus import check_target, write_corpus
    from dialgauge.perturb import perturb as perturb_corpus

    if llm and settings.gate:
        raise InputError("--gate is for variants made by rules; answers of a model are checked by their own validators")
    if dry_run and llm is None:
        raise InputError("--dry-run needs --llm: it estimates the requests to a language model")
    check_target(output)
    generator = open_llm(llm, asked, chat) if llm else None
    loaded = load_corpus(corpus, format, map, strict)
    run = partial(perturb_corpus, loaded, names, settings)
    if generator and dry_run:
        print_estimate(generator.estimate(planned(run)), json)
        return
    with progress_bar("perturbing") as progress:
        result = run(generator=generator, progress=progress)
    account = generator.account() if generator else None
    write_corpus(result.corpus, output)
    rows = _summary(result)
    made = sum(row["applied"] for row in rows)
    if json:
        facts = {"output": str(output), "seed": settings.seed, "variants": made, "perturbations": rows}
        print_json({**facts, "declined": _reasons(result).to_dicts(), **({"llm": account} if account else {})})
        return
    shown = [(kind, reason, count) for kind, reason, count, _ in _alike(result)]
    _print_summary(loaded.info.name, rows, shown, gated=bool(settings.gate))
    if generator and account:
        note(f"{account['model']}: {generator.usage.line(chat.token_price)}")
    note(f"wrote {counted(made, 'variant')} to {output}")


def _summary(result: "Perturbed") -> list[dict[str, Any]]:
    """Number of variants made and declined per kind."""
    from dialgauge.perturb import DRAW_MARK, STOPPED

    def label(variant: str) -> str:
        return variant.rpartition(DRAW_MARK)[0] if DRAW_MARK in variant else variant

    applied = [label(variant) for variant in result.variants["variant"]]
    declined = [label(variant) for variant in result.declined["variant"]]
    gates = result.declined.filter(result.declined["reason"].str.starts_with(STOPPED))
    held = [label(variant) for variant in gates["variant"]]
    rows = []
    for name in result.labels:
        yes, no, stopped = applied.count(name), declined.count(name), held.count(name)
        row = {"perturbation": name, "applied": yes, "declined": no, "share": yes / max(yes + no, 1)}
        rows.append(row | {"stopped": stopped, "let_through": yes / max(yes + stopped, 1)})
    return rows


def _reasons(result: "Perturbed") -> "pl.DataFrame":
    """Why variants were declined, most frequent first."""
    counts = result.declined.group_by("perturbation", "reason").len("count")
    return counts.sort("count", "perturbation", "reason", descending=[True, False, False])


def _alike(result: "Perturbed") -> list[tuple[str, str, int, str]]:
    """Kind, reason, how often and where first, for people: reasons that differ only in numbers as one, the most
    frequent first."""
    counts: dict[str, Counter[str]] = {}
    place: dict[tuple[str, str], tuple[int, str]] = {}
    declined = result.declined.select("perturbation", "reason", "dialogue_id", "system")
    for number, (kind, reason, dialogue, system) in enumerate(declined.iter_rows()):
        counts.setdefault(kind, Counter())[reason] += 1
        place.setdefault((kind, reason), (number, f"{dialogue} {system}"))
    rows = [
        (kind, alike.text, alike.count, min(place[kind, reason] for reason in alike.texts)[1])
        for kind in sorted(counts)
        for alike in group_alike(counts[kind])
    ]
    return sorted(rows, key=lambda row: -row[2])


def _print_summary(
    name: str, rows: "Sequence[Mapping[str, Any]]", reasons: "Sequence[tuple[str, str, int]]", *, gated: bool
) -> None:
    """``gated``: also how many of the variants that were made the gates let through."""
    numbers = ["applied", "declined", "share applied", *(["let through by the gates"] if gated else [])]
    print_table(
        f"{name}: variants by perturbation",
        ("perturbation", *numbers),
        (
            (
                r["perturbation"],
                r["applied"],
                r["declined"],
                f"{r['share']:.0%}",
                *([f"{r['let_through']:.0%}"] * gated),
            )
            for r in rows
        ),
        numeric=numbers,
    )
    if reasons:
        print_table("declined", ("perturbation", "reason", "count"), reasons, numeric=["count"])


def _facts(entry: "Perturbation") -> dict[str, Any]:
    return {
        "name": entry.name,
        "family": entry.family,
        "description": entry.description,
        "effects": dict(entry.effects),
        "levels": list(entry.levels),
        "needs": sorted(entry.needs),
        "options": {key: {"choices": list(o.choices), "help": o.help} for key, o in entry.options.items()},
        "examples": [{"before": before, "after": after} for before, after in entry.examples],
        "citation": entry.citation,
        "version": entry.version,
        "measured": [reading.line() for reading in entry.measured],
    }


def _effects(entry: "Perturbation") -> str:
    return " ".join(f"{_SHORT.get(name, name)}{_SIGNS[effect]}" for name, effect in entry.effects.items())


def _levels(entry: "Perturbation") -> str:
    return f"{entry.levels[0]}–{entry.levels[-1]}" if len(entry.levels) > 1 else ""


def _teach(entry: "Perturbation") -> str:
    shown = "".join(f"\n  {before}\n→ {after}" for before, after in entry.examples[:1])
    read = "".join(f"\n{line}" for line in _last_readings(entry))
    return f"{entry.description}{shown}{read}"


def _last_readings(entry: "Perturbation") -> list[str]:
    """The last reading of each level or style: earlier ones were of earlier rules."""
    return [reading.line() for reading in {reading.label: reading for reading in entry.measured}.values()]


def _show(entry: "Perturbation") -> None:
    facts = _facts(entry)
    options, examples = facts.pop("options"), facts.pop("examples")
    last = _last_readings(entry)
    earlier = len(entry.measured) - len(last)
    facts["measured"] = "\n".join([*last, *([f"and {earlier} earlier readings (--json)"] if earlier else [])])
    facts["effects"] = ", ".join(f"{effect} {name}" for name, effect in facts["effects"].items())
    rows = [(key, ", ".join(map(str, v)) if isinstance(v, list) else v) for key, v in facts.items()]
    print_table(str(facts["name"]), ("field", "value"), rows)
    if examples:
        print_table("examples", ("before", "after"), ((e["before"], e["after"]) for e in examples))
    if options:
        print_table(
            "options",
            ("name", "choices (default first)", "what it does"),
            ((key, ", ".join(o["choices"]), o["help"]) for key, o in options.items()),
        )
