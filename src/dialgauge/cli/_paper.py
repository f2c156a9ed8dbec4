"""``dialgauge paper``: recompute the tables of a published paper from its raw data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_paper
from dialgauge.cli._options import Html, RawCsv
from dialgauge.cli._output import Json, console, print_json, print_table, progress_bar, write_file
from dialgauge.tables import NOTHING, interval

if TYPE_CHECKING:
    from dialgauge.reproduce import Layout, PaperCheck, TableCheck

#: Maximum number of places listed per defect; --json and --html list all.
_PLACES = 6


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("paper")(paper)


def paper(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Paper to recompute (default: list all).",
            show_default=False,
            autocompletion=complete_paper,
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="Data to recompute the tables from: a folder or a corpus. tweak-to-trust needs none: its printed "
            "numbers are compared with each other.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[str | None, typer.Option("--table", "-t", help="Show all cells of this table.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write every cell to this CSV file.")] = None,
    raw_csv: RawCsv = False,
    html: Html = None,
    json: Json = False,
) -> None:
    """Recompute a paper's tables and compare every printed number with the data.

    [bold]dialgauge paper re-dialsummeval --data data/dialsummeval --html paper.html[/]

    Prints how many cells of each table match, the cells that differ, and the defects that
    dialgauge's checks found in the study. A cell matches when it rounds to the printed digits.
    """
    from dialgauge.reproduce import paper_csv, paper_html, paper_json, recompute_paper, table_json

    if name is None:
        _list_papers(json)
        return
    with progress_bar(name) as progress:
        check = recompute_paper(name, data, progress)
    layout = next((one for one in check.layouts if one.name == table), None)
    shown = None if table is None or layout is not None else check.table(table)
    if csv is not None:
        write_file(csv, paper_csv(check, escape_formulas=not raw_csv))
    if html is not None:
        write_file(html, paper_html(check))
    if json:
        facts = paper_json(check)
        if shown is not None:
            facts["tables"][shown.name] = table_json(shown, cells=True)
        print_json(facts)
    elif layout is not None:
        _print_layout(layout)
    elif shown is not None:
        _print_cells(shown)
    else:
        _print_paper(check)
        if data is None:
            console.print("[dim]--data CORPUS (or embedded) adds what the same procedure gives on that corpus.[/]")


def _list_papers(json: bool) -> None:
    from dialgauge.reproduce import all_papers

    papers = all_papers().values()
    if json:
        print_json({"papers": [{"name": p.name, "title": p.title, "needs": p.needs} for p in papers]})
        return
    rows = [(p.name, p.title, p.needs + ("; nothing for its print alone" if p.compare_print else "")) for p in papers]
    print_table("Papers: dialgauge paper NAME --data DATA", ("name", "title", "data"), rows)


def _print_paper(check: "PaperCheck") -> None:
    print_table(
        check.title,
        ("table", "what it shows", "match", "of", "verdict"),
        ((t.name, t.title, t.matched, t.total, t.verdict) for t in check.tables),
        numeric=("match", "of"),
    )
    _print_mismatches(check)
    for layout in check.layouts:
        if "-" not in layout.name:  # a table of the paper; what bears an addition is one more view of it
            _print_layout(layout)
    remarks = [(t.name, "", t.text, ()) for t in check.tables if t.text]
    if remarks:
        console.print("\n[bold]How the tables were computed[/]")
        _print_list(remarks)
    if check.defects:
        console.print("\n[bold]Defects found in the study[/]")
        _print_list([(d.severity, f"{d.where}: ", f"{d.message} [{d.check}]", d.keys) for d in check.defects])
    further = [layout.name for layout in check.layouts if "-" in layout.name]
    if further:
        console.print(f"\n[dim]Further views of these tables: --table {', '.join(further)}[/]", highlight=False)
    console.print("\n[dim]--table NAME shows all cells of one table, --html FILE writes all tables as a page.[/]")


def _print_layout(layout: "Layout") -> None:
    """Print a table; columns named ``top/below`` are merged into one, separated by slashes, as in papers."""
    groups: dict[str, list[int]] = {}
    for i, column in enumerate(layout.columns):
        groups.setdefault(column.split("/", 1)[0], []).append(i)
    rows = [
        (
            row.name if row.printed else f"› {row.name}",
            *(_joined([row.texts[i] for i in places]) for places in groups.values()),
        )
        for row in layout.rows
    ]
    title = f"table {layout.name}: {layout.title}{'; › computed here' if layout.ours else ''}"
    print_table(title, ("", *groups), rows, numeric=list(groups), compact=True)
    texts = [*_parts_of_cells(layout.columns, groups), layout.text]
    if any(texts):
        console.print("\n".join(filter(None, texts)) + "\n", markup=False, highlight=False)


def _parts_of_cells(columns: Sequence[str], groups: Mapping[str, Sequence[int]]) -> list[str]:
    """What the numbers of a merged cell are, in their order; nothing where no cell has several."""
    named: dict[str, list[str]] = {}
    for name, places in groups.items():
        if len(places) > 1:
            named.setdefault(" / ".join(columns[i].partition("/")[2] for i in places), []).append(name)
    alike = len(named) == 1 and len(next(iter(named.values()))) == len(groups)
    return [f"{'Each cell' if alike else ', '.join(names)}: {parts}" for parts, names in named.items()]


def _joined(texts: Sequence[str]) -> str:
    return "/".join(text or NOTHING for text in texts) if any(texts) else NOTHING


def _print_mismatches(check: "PaperCheck") -> None:
    cells = [(t.name, c) for t in check.tables if not t.corrected for c in t.mismatches]
    if not cells:
        return
    notes = list(dict.fromkeys(c.note for _, c in cells if c.note))
    columns = ("table", "row", "column", "printed", "recomputed", *(["note"] if notes else []))
    rows = []
    for name, c in cells:
        number = [str(notes.index(c.note) + 1) if c.note else ""] if notes else []
        rows.append((name, c.row, c.column, c.printed, c.exact, *number))
    print_table("cells that differ", columns, rows, numeric=columns[3:])
    if notes:
        _print_list([(f"note {number}", "", text, ()) for number, text in enumerate(notes, start=1)])


def _print_list(items: Sequence[tuple[str, str, str, Sequence[str]]]) -> None:
    """Print labelled paragraphs: (label, bold beginning, text, places to list below it)."""
    from rich.table import Table
    from rich.text import Text

    styles = {"error": "bold red", "warning": "yellow", "note": "dim"}
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for label, head, text, places in items:
        body = Text.assemble((head, "bold"), text)
        for place in places[:_PLACES]:
            body.append(f"\n· {place}", "dim")
        if len(places) > _PLACES:
            body.append(f"\n· … {len(places) - _PLACES} more", "dim")
        grid.add_row(Text(label, styles.get(label, "bold")), body)
    console.print(grid)


def _print_cells(table: "TableCheck") -> None:
    from dialgauge.tables import number_cell

    optional = {
        "95 % interval": ["" if c.interval is None else interval(*c.interval, 3) for c in table.cells],
        "note": [c.note for c in table.cells],
    }
    extra = {name: texts for name, texts in optional.items() if any(texts)}
    cells = [(c.row, c.column, c.printed, number_cell(c.recomputed, 5), "✓" if c.matches else "✗") for c in table.cells]
    print_table(
        f"table {table.name}: {table.title} ({table.matched} of {table.total} cells match)",
        ("row", "column", "printed", "recomputed", "", *extra),
        ((*cell, *more) for cell, *more in zip(cells, *extra.values(), strict=True)),
        numeric=("printed", "recomputed"),
    )
    if table.text:
        console.print(table.text, markup=False, highlight=False)
