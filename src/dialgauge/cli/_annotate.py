"""``dialgauge annotate``: the web application for human evaluation."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._options import refuse_file
from dialgauge.cli._output import Json, console, note, print_json
from dialgauge.errors import InputError, UnknownNameError, counted

if TYPE_CHECKING:
    from dialgauge.annotate import Link, Project

_POSTGRESQL = ("postgresql://", "postgres://")
#: Exports that are one file; the others are folders, which no name of a file should make.
_WORKBOOKS = ("xlsx", "sheets")
_FILES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx", ".zip")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("annotate")(annotate)


def annotate(
    study: Annotated[Path, typer.Argument(help="A study file with a table \\[annotate]; see docs/annotate.md.")],
    database: Annotated[
        str | None, typer.Option(help="postgresql://… for teams; default: a SQLite file in the study's output folder.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 opens it to the network.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8321,
    public_url: Annotated[
        str | None, typer.Option(help="How people reach the server, where a proxy stands before it: https://…")
    ] = None,
    links_only: Annotated[bool, typer.Option("--links", help="Print the links and leave, without serving.")] = False,
    export: Annotated[
        Path | None, typer.Option(help="Write all ratings here with the systems' names (unblinds) and leave.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help="Of --export: corpus (default), jsonl, csv, parquet, xlsx (default for .xlsx) or sheets."),
    ] = None,
    import_file: Annotated[
        Path | None,
        typer.Option("--import", help="Take in a filled workbook or Label Studio's JSON, and leave."),
    ] = None,
    annotator: Annotated[str, typer.Option(help="Of --import: whose ratings these are.")] = "",
    backup: Annotated[Path | None, typer.Option(help="Copy the SQLite database here and leave.")] = None,
    json: Json = False,
) -> None:
    """Collect human ratings in the browser: a link for you, a link for each annotator.

    [bold]dialgauge annotate study.toml[/]

    Creates the project, or goes on with it. Every change is on the disk before it is acknowledged.

    Systems are hidden from annotators, and agreement is measured while they work.
    """
    from dialgauge.annotate import AnnotateSection, Project, serve
    from dialgauge.corpus import open_corpus
    from dialgauge.study import CorpusSection, SummarizeSection, read_annotation_file

    chosen = _export_format(export, format)
    if database and "://" in database and not database.startswith(_POSTGRESQL):
        raise InputError(f"--database {database}: write postgresql://…, or the name of a file for SQLite")
    settings, folder = read_annotation_file(study)
    section = settings.section(CorpusSection)
    corpus = open_corpus(section.source, home=folder, format=section.format, mapping=section.map, strict=section.strict)
    output = folder / (settings.study.output or f"runs/{settings.study.name}")
    if written := settings.find(SummarizeSection):
        _say_what_is_not_in(written.systems, study, output)
    where = database or output / "annotation.db"
    name, seed = settings.study.name, settings.study.seed
    with Project.open(where, settings.section(AnnotateSection), corpus, name=name, seed=seed) as project:
        if export or import_file or backup:
            _work_on_files(project, export, chosen, import_file, annotator, backup, json)
        elif links_only:
            _print_links((public_url or f"http://{host}:{port}").rstrip("/"), project.links(), json, serving=False)
        else:
            announce = partial(_print_links, json=json, serving=True)
            serve(project, host=host, port=port, public_url=public_url, announce=announce)


def _export_format(export: Path | None, format: str | None) -> str:
    """What to export; a path where it cannot go is refused here, before the export unblinds the study."""
    from dialgauge.annotate import FORMATS

    if export is None:
        return "corpus"
    if format is not None and format not in FORMATS:
        raise UnknownNameError("export format", format, FORMATS)
    ending = export.suffix.lower()
    chosen = format or ("xlsx" if ending == ".xlsx" else "corpus")
    if chosen in _WORKBOOKS:
        if export.is_dir():
            raise InputError(f"--export {export}: is a folder; name a file to write")
        return chosen
    refuse_file(export, "--export")
    if ending in _FILES:
        raise InputError(
            f"--export {export}: {chosen} is a folder of files; name it without {ending} (--format says what it holds)"
        )
    return chosen


def _say_what_is_not_in(systems: list[str], study: Path, output: Path) -> None:
    """A project is about the corpus as it is; a run that writes more summaries must not change what people rate."""
    from dialgauge.summarize import parse_requests

    names = ", ".join(request.system for request in parse_requests(systems))
    note(
        f"not in this project: what [summarize] writes ({names}). To have it rated, too, run 'dialgauge run {study}' "
        f"and name the corpus that it leaves, {output / 'corpus'}, as corpus.source in a study file for the annotation"
    )


def _work_on_files(
    project: "Project",
    export: Path | None,
    format: str,
    import_path: Path | None,
    annotator: str,
    backup: Path | None,
    json: bool,
) -> None:
    from dialgauge.annotate import backup_project, export_project, import_file

    done: dict[str, Any] = {}
    if import_path is not None:
        kinds = {".xlsx": "sheets", ".json": "label-studio"}
        if import_path.suffix.lower() not in kinds:
            raise InputError(f"{import_path}: expected a workbook (.xlsx) or Label Studio's JSON export (.json)")
        done["import"] = import_file(project, kinds[import_path.suffix.lower()], import_path, annotator=annotator)
    if export is not None:
        done["export"] = str(export_project(project, format, export, reason="dialgauge annotate --export"))
    if backup is not None:
        done["backup"] = str(backup_project(project, backup))
    if json:
        print_json(done)
        return
    for line in done.get("import", {}).get("refused", []):
        note(f"refused: {line['where']}: {line['message']}")
    if "import" in done:
        console.print(f"{counted(done['import']['accepted'], 'rating')} taken in", highlight=False)
    for what in ("export", "backup"):
        if what in done:
            console.print(f"{what}: {done[what]}", highlight=False, soft_wrap=True)


def _print_links(address: str, links: "list[Link]", json: bool, *, serving: bool) -> None:
    from datetime import datetime

    rows = [
        {"name": link.name, "link": address + link.path, "expires": datetime.fromtimestamp(link.expires).isoformat()}
        for link in links
    ]
    if json:
        print_json({"address": address, "links": rows})
        sys.stdout.flush()  # who reads this waits for it, and we go on serving
        return
    if serving:
        console.print(f"Serving at {address} until Ctrl-C.", highlight=False)
    console.print("Each link works once, for its person:", highlight=False)
    for row in rows:
        console.print(f"\n[bold]{row['name']}[/] until {row['expires'][:10]}", highlight=False)
        console.print(row["link"], highlight=False, soft_wrap=True, markup=False)
