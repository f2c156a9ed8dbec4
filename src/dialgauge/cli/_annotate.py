"""``dialgauge annotate``: the web application for human evaluation."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from dialgauge.annotate import ServerSettings
from dialgauge.cli._options import refuse_file
from dialgauge.cli._output import Json, console, note, print_json
from dialgauge.cli._settings import with_options
from dialgauge.errors import InputError, UnknownNameError, counted

if TYPE_CHECKING:
    from dialgauge.annotate import Link, Project

_POSTGRESQL = ("postgresql://", "postgres://")
#: Exports that are one file; the others are folders, whose names must not look like file names.
_WORKBOOKS = ("xlsx", "sheets")
_FILES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx", ".zip")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("annotate")(annotate)


_Study = Annotated[Path, typer.Argument(help="A study file with a section \\[annotate]; see docs/annotate.md.")]
_Database = Annotated[
    str | None,
    typer.Option(help="Database: postgresql://… for teams; default: a SQLite file in the study's output folder."),
]
_Links = Annotated[bool, typer.Option("--links", help="Print the sign-in links and exit without starting the server.")]
_Export = Annotated[
    Path | None,
    typer.Option(help="Export all ratings to this path with the names of the systems (unblinds the study), then exit."),
]
_Format = Annotated[
    str | None,
    typer.Option(help="Format of --export: corpus (default), jsonl, csv, parquet, xlsx (default for .xlsx) or sheets."),
]
_Import = Annotated[
    Path | None,
    typer.Option("--import", help="Import a workbook, a Label Studio export or a page's saved changes, then exit."),
]
_Annotator = Annotated[str, typer.Option(help="Annotator whose ratings --import reads.")]
_Backup = Annotated[Path | None, typer.Option(help="Copy the SQLite database to this path, then exit.")]
_Restore = Annotated[
    Path | None, typer.Option(help="Replace the database with this backup (the old one is kept), then exit.")
]
_CheckLog = Annotated[
    bool, typer.Option("--check-log", help="Check that nothing in the audit log was changed, then exit.")
]
_Head = Annotated[str | None, typer.Option(help="With --check-log: the head that an earlier export or backup printed.")]
_Quiet = Annotated[
    bool, typer.Option("--quiet", help="Do not print the sign-in links when the server starts (for services).")
]


@dataclass(frozen=True, slots=True)
class _FileWork:
    """What is read from and written to files without serving."""

    export: Path | None
    format: str
    import_path: Path | None
    annotator: str
    backup: Path | None

    def __bool__(self) -> bool:
        return any((self.export, self.import_path, self.backup))


@with_options
def annotate(
    study: _Study,
    server: ServerSettings,
    database: _Database = None,
    links_only: _Links = False,
    export: _Export = None,
    format: _Format = None,
    import_file: _Import = None,
    annotator: _Annotator = "",
    backup: _Backup = None,
    restore: _Restore = None,
    check_log: _CheckLog = False,
    head: _Head = None,
    quiet: _Quiet = False,
    json: Json = False,
) -> None:
    """Collect human ratings in the browser, with a sign-in link for you and for each annotator.

    [bold]dialgauge annotate study.toml[/]

    Creates the project, or resumes it. Every change is saved to disk before it is acknowledged.

    Systems are hidden from annotators, and agreement is measured during annotation.

    --links, --export, --backup and --check-log also work while another process serves the project.
    """
    work = _FileWork(export, _export_format(export, format), import_file, annotator, backup)
    if database and "://" in database and not database.startswith(_POSTGRESQL):
        raise InputError(f"--database {database}: expected postgresql://… or a file name for SQLite")
    beside = links_only or check_log or bool(export or backup)
    opening = _opening(study, database, shared=beside and import_file is None)
    if restore is not None:
        _restore(opening.where, restore, json)
        return
    with opening.open() as project:
        if check_log:
            _check_log(project, head, json)
        elif work:
            _work_on_files(project, work, json)
        elif links_only:
            address = server.public_url or f"http://{server.host}:{server.port}"
            _print_links(address.rstrip("/"), project.links(), json, serving=False)
        else:
            from dialgauge.annotate import serve

            announce = _print_address if quiet else partial(_print_links, json=json, serving=True)
            serve(project, server, announce=announce)


@dataclass(frozen=True, slots=True)
class _Opening:
    """The place of a project's database, and how to open it."""

    where: Path | str
    open: Callable[[], "Project"]


def _opening(study: Path, database: str | None, *, shared: bool) -> _Opening:
    """Read the study file and its corpus."""
    from dialgauge.annotate import AnnotateSection, Project
    from dialgauge.corpus import open_corpus
    from dialgauge.study import CorpusSection, SummarizeSection, read_annotation_file

    settings, folder = read_annotation_file(study)
    section = settings.section(CorpusSection)
    corpus = open_corpus(
        section.source,
        home=folder,
        format=section.format,
        mapping=section.map,
        strict=section.strict,
        reading=section.reading,
    )
    output = folder / (settings.study.output or f"runs/{settings.study.name}")
    if written := settings.find(SummarizeSection):
        _note_missing_systems(written.systems, study, output)
    where = database or output / "annotation.db"
    protocol, about = settings.section(AnnotateSection), settings.study
    opened = partial(Project.open, where, protocol, corpus, name=about.name, seed=about.seed, shared=shared)
    return _Opening(where, opened)


def _restore(where: Path | str, backup: Path, json: bool) -> None:
    from dialgauge.annotate import restore_backup

    kept = restore_backup(where, backup)
    if json:
        print_json({"restored": str(where), "kept": None if kept is None else str(kept)})
        return
    console.print(f"restored: {where}", highlight=False, soft_wrap=True, markup=False)
    if kept is not None:
        console.print(f"the previous database is kept: {kept}", highlight=False, soft_wrap=True, markup=False)


def _check_log(project: "Project", head: str | None, json: bool) -> None:
    from dialgauge.annotate import check_audit_log

    found = check_audit_log(project, head)
    if json:
        print_json(found.as_dict())
    elif found.problem is None:
        console.print(
            f"audit log: {counted(found.entries, 'entry', 'entries')}, unchanged; details of {found.erased} erased",
            highlight=False,
        )
        console.print(f"head: {found.head}", highlight=False)
    if found.problem is not None:
        raise InputError(f"audit log: {found.problem}")


def _export_format(export: Path | None, format: str | None) -> str:
    """The export format; an unusable path is rejected here, before the export unblinds the study."""
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
            f"--export {export}: {chosen} writes a folder of files; give a name without {ending} (--format sets the "
            "format)"
        )
    return chosen


def _note_missing_systems(systems: Sequence[str], study: Path, output: Path) -> None:
    """A project uses the corpus as it is: a later run that adds summaries must not change what people rate."""
    from dialgauge.summarize import parse_requests

    names = ", ".join(request.system for request in parse_requests(systems))
    note(
        f"not in this project: systems of [summarize] ({names}). To have them rated as well, run 'dialgauge run "
        f"{study}' "
        f"and use the resulting corpus, {output / 'corpus'}, as corpus.source in a study file for the annotation"
    )


def _work_on_files(project: "Project", work: _FileWork, json: bool) -> None:
    from dialgauge.annotate import audit_head, backup_project, export_project, import_file, import_kind

    done: dict[str, Any] = {}
    if work.import_path is not None:
        kind = import_kind(work.import_path)
        done["import"] = import_file(project, kind, work.import_path, annotator=work.annotator)
    if work.export is not None:
        done["export"] = str(export_project(project, work.format, work.export, reason="dialgauge annotate --export"))
    if work.backup is not None:
        done["backup"] = str(backup_project(project, work.backup))
    if work.export is not None or work.backup is not None:
        done["audit_head"] = audit_head(project)
    if json:
        print_json(done)
        return
    for line in done.get("import", {}).get("refused", []):
        note(f"rejected: {line['where']}: {line['message']}")
    if "import" in done:
        console.print(f"{counted(done['import']['accepted'], 'rating')} imported", highlight=False)
    if late := done.get("import", {}).get("late"):
        console.print(f"{counted(late, 'change')} kept for your decision: page 'Late changes'", highlight=False)
    for what in ("export", "backup"):
        if what in done:
            console.print(f"{what}: {done[what]}", highlight=False, soft_wrap=True, markup=False)
    if "audit_head" in done:
        console.print(f"audit log, head: {done['audit_head']}", highlight=False, soft_wrap=True)


def _print_address(address: str, _: "list[Link]") -> None:
    console.print(f"Serving at {address} until Ctrl-C. --links prints the sign-in links.", highlight=False)


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
    console.print("Each link signs in one person, once:", highlight=False)
    for row, link in zip(rows, links, strict=True):
        role = " (lead)" if link.is_lead and link.name != "lead" else ""
        console.print(f"\n[bold]{escape(link.name)}[/]{role} until {row['expires'][:10]}", highlight=False)
        console.print(row["link"], highlight=False, soft_wrap=True, markup=False)
