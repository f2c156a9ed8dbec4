"""Exports: the ratings in several formats, the corpus for the next step, and empty sheets to fill in."""

import io
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._audit import log
from dialgauge.annotate._judgements import declared_dimensions, judgement_tables, with_tables
from dialgauge.annotate._late_tables import late_frame
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project, set_setting
from dialgauge.annotate._results import WRITER, Results, results, system_codes
from dialgauge.corpus import DIALOGUES, RATINGS, SUMMARIES, Corpus, CorpusInfo, write_corpus
from dialgauge.errors import InputError, MissingExtraError, UnknownNameError
from dialgauge.tables import escape_formulas_in

#: The formats by name.
FORMATS = ("jsonl", "csv", "xlsx", "parquet", "corpus", "sheets")
_ZIP = "application/zip"
_WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True, slots=True)
class Export:
    """A file to download."""

    name: str
    media_type: str
    content: bytes


def export_project(project: Project, format: str, path: Path | str, *, reason: str = "export") -> Path:
    """Write all answers with the systems' true names. This unblinds the study, which the audit log records."""
    if format not in FORMATS:
        raise UnknownNameError("export format", format, FORMATS)

    def unblind(connection: Connection) -> None:
        set_setting(connection, "blinded", False)
        log(connection, "lead", "unblinded", reason=reason)

    project.store.write(unblind)
    with project.store.read() as connection:
        codes = system_codes(connection, project)
        made = export_file(connection, project, Library(), format, codes)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if made.media_type == _ZIP:
        with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
            archive.extractall(path)
    else:
        path.write_bytes(made.content)
    return path


def export_file(
    connection: Connection, project: Project, library: Library, format: str, codes: Mapping[str, str]
) -> Export:
    """One export as a file: a workbook, or a ZIP with a file per table."""
    if format == "sheets":
        return Export(f"{project.name}.sheets.xlsx", _WORKBOOK, _empty_sheets(connection, project))
    everything = results(connection, project, library, codes)
    if format == "corpus":
        return Export(f"{project.name}.corpus.zip", _ZIP, _corpus_zip(connection, project, everything, codes))
    late = late_frame(connection, library, codes)
    tables = everything.tables() | ({"late": late} if late.height else {})
    if format == "xlsx":
        return Export(f"{project.name}.xlsx", _WORKBOOK, _workbook({**tables}))
    files = {f"{name}.{format}": _table_bytes(frame, format) for name, frame in tables.items()}
    return Export(f"{project.name}.{format}.zip", _ZIP, _zip(files))


def _table_bytes(frame: pl.DataFrame, format: str) -> bytes:
    if format == "jsonl":
        return frame.write_ndjson().encode()
    if format == "csv":
        return escape_formulas_in(_flat(frame)).write_csv().encode()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as texts: cells hold no lists."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    return frame.with_columns(pl.col(name).list.join(" | ") for name in lists)


def _zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _workbook(tables: Mapping[str, pl.DataFrame]) -> bytes:
    try:
        import xlsxwriter
    except ImportError as error:
        raise MissingExtraError("writing XLSX", "xlsx") from error
    buffer = io.BytesIO()
    # Texts stay texts: a summary that begins with '=' must not become a formula.
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        bold = book.add_format({"bold": True})
        for title, frame in tables.items():
            sheet = book.add_worksheet(title)
            sheet.freeze_panes(1, 0)
            for column, name in enumerate(frame.columns):
                sheet.write_string(0, column, name, bold)
            for row, values in enumerate(_flat(frame).iter_rows(), 1):
                for column, value in enumerate(values):
                    if isinstance(value, bool):
                        sheet.write_boolean(row, column, value)
                    elif isinstance(value, int | float):
                        sheet.write_number(row, column, value)
                    elif value is not None:
                        sheet.write_string(row, column, str(value)[:32_767])
    return buffer.getvalue()


def _corpus_zip(connection: Connection, project: Project, everything: Results, codes: Mapping[str, str]) -> bytes:
    corpus = rated_corpus(connection, project, everything, codes)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "corpus"
        write_corpus(corpus, target, format="dialgauge")
        return _zip({file.name: file.read_bytes() for file in sorted(target.iterdir())})


def rated_corpus(connection: Connection, project: Project, everything: Results, codes: Mapping[str, str]) -> Corpus:
    """Dialogues, summaries, written references and judgements, keyed, for every other command of dialgauge.

    Each answer is there once, as what it is: a rating, a preference, a best-worst choice or marked spans.
    Adjudications go by ``adjudication:NAME``.
    """
    dialogues = connection.execute(sa.select(t.dialogue).where(sa.not_(t.dialogue.c.own))).all()
    names = {row.id: row.dialogue_id for row in dialogues}
    turns = pl.DataFrame(
        [{"dialogue_id": row.dialogue_id, "language": row.language, "turns": row.turns} for row in dialogues],
        schema={name: DIALOGUES[name] for name in ("dialogue_id", "language", "turns")},
    )
    query = sa.select(t.summary).where(t.summary.c.kind.in_(("system", "reference")))
    columns = ("variant", "role", "kind", "text")
    summaries = [
        {"dialogue_id": names[row["dialogue"]], "system": codes[row["system"]], **{name: row[name] for name in columns}}
        for row in connection.execute(query).mappings()
    ]
    summaries += [
        {"dialogue_id": row["dialogue_id"], "system": WRITER, "variant": "original", "role": row["role"]}
        | {"kind": "reference", "text": row["final_text"]}
        for row in everything.texts.iter_rows(named=True)
    ]
    schema = {name: dtype for name, dtype in SUMMARIES.items() if name != "provenance"}
    rated = everything.ratings if project.section.task == "rate" else everything.ratings.clear()
    further = judgement_tables(everything, {row.dialogue_id: row.turns for row in dialogues})
    texts = pl.DataFrame(summaries, schema=schema)
    corpus = Corpus(turns, texts, rated.select(RATINGS.names()), CorpusInfo(name=project.name))
    return with_tables(replace(corpus, declared=declared_dimensions(project.section)), further)


def _empty_sheets(connection: Connection, project: Project) -> bytes:
    """A workbook to rate in without the application: a sheet per system, a row per dialogue.

    It goes to annotators, so systems go by their codes also after the lead was unblinded.
    """
    section, codes = project.section, system_codes(connection, project, always=True)
    if section.task != "rate" or any(dimension.on != "summary" for dimension in section.dimensions):
        raise InputError("sheets are only available for ratings of whole summaries")
    query = (
        sa.select(t.summary, t.dialogue.c.dialogue_id, t.dialogue.c.turns)
        .join(t.dialogue, t.dialogue.c.id == t.summary.c.dialogue)
        .where(t.summary.c.id.in_(_rated_summaries(connection)))
        .order_by(t.dialogue.c.id)
    )
    sheets: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(query):
        transcript = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in row.turns)
        line = {"dialogue_id": row.dialogue_id, "dialogue": transcript, "summary": row.text}
        line |= {dimension.name: None for dimension in section.dimensions}
        sheets.setdefault(codes[row.system], []).append(line | {"comment": None})
    return _workbook({name: pl.DataFrame(sheets[name]) for name in sorted(sheets)})


def _rated_summaries(connection: Connection) -> Iterable[int]:
    query = sa.select(t.item.c.summaries).where(t.item.c.purpose == "main")
    return [number for summaries in connection.execute(query).scalars() for number in summaries]
