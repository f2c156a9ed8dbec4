"""The formats of corpora: one entry each, and how the format of a path is recognised."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dialgauge.corpus._archives import load_zip
from dialgauge.corpus._columnar import load_parquet, write_parquet
from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._databases import load_database
from dialgauge.corpus._delimited import is_table, load_delimited, load_markdown, write_csv
from dialgauge.corpus._elements import load_xml
from dialgauge.corpus._files import read_text
from dialgauge.corpus._folder import is_dialgauge, write_folder
from dialgauge.corpus._huggingface import is_hugging_face, load_hugging_face
from dialgauge.corpus._jsonl import load_jsonl, starts_with_object, write_jsonl
from dialgauge.corpus._many import Loaders, holds_tables, is_pattern, load_many, load_texts, matching_files
from dialgauge.corpus._pages import load_page
from dialgauge.corpus._sql_dumps import load_dump
from dialgauge.corpus._standoff import is_brat, load_brat, load_xmi
from dialgauge.corpus._table import Table
from dialgauge.corpus._transcripts import SUFFIXES
from dialgauge.corpus._xlsx import load_xlsx, write_xlsx, xlsx_cannot_hold
from dialgauge.errors import InputError, UnknownNameError, counted


@dataclass(frozen=True, slots=True)
class Format:
    """A file format for corpora.

    ``load`` gives the rows of a file before their columns are understood; None for dialgauge's own folder, whose
    columns are known. ``write`` is None where a format can only be read. ``cannot_hold`` says why a corpus
    would not be read back unchanged.
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    load: Callable[[Path], Table] | None = None
    write: Callable[[Corpus, Path], None] | None = None
    is_folder: Callable[[Path], bool] | None = None
    cannot_hold: Callable[[Corpus], str | None] = lambda corpus: None


def _has_transcripts(path: Path) -> bool:
    return any(file.suffix.lower() in SUFFIXES for file in path.iterdir())


FORMATS: Mapping[str, Format] = {
    entry.name: entry
    for entry in (
        Format("dialgauge", "a folder of Parquet tables with corpus.toml", (), None, write_folder, is_dialgauge),
        Format(
            "jsonl",
            "JSON, a dialogue or a pair per line",
            (".jsonl", ".ndjson", ".json"),
            load_jsonl,
            write_jsonl,
        ),
        Format(
            "csv",
            "comma- or tab-separated table",
            (".csv", ".tsv", ".tab"),
            load_delimited,
            write_csv,
        ),
        Format(
            "xlsx",
            "Excel workbook (extra 'xlsx')",
            (".xlsx",),
            load_xlsx,
            write_xlsx,
            cannot_hold=xlsx_cannot_hold,
        ),
        Format("ods", "OpenDocument spreadsheet (extra 'xlsx')", (".ods",), load_xlsx),
        Format("parquet", "Parquet table", (".parquet", ".pq"), load_parquet, write_parquet),
        Format("huggingface", "folder of the datasets package", (), load_hugging_face, None, is_hugging_face),
        Format("sqlite", "SQLite database", (".sqlite", ".sqlite3", ".db"), load_database),
        Format("sql", "dump of a database as SQL", (".sql",), load_dump),
        Format("html", "tables of a web page", (".html", ".htm"), load_page),
        Format("markdown", "table in Markdown", (".md",), load_markdown),
        Format("xml", "XML document", (".xml",), load_xml),
        Format("zip", "ZIP archive of files that can be read", (".zip",), lambda path: load_zip(path, _load_unpacked)),
        Format("xmi", "document of UIMA or INCEpTION", (".xmi",), load_xmi),
        Format("brat", "texts with annotations of brat", (".ann",), load_brat, None, is_brat),
        Format(
            "files",
            "several tables or JSON files in a folder",
            (),
            lambda path: load_many(path, _loaders()),
            None,
            lambda path: holds_tables(path, _loaders()),
        ),
        Format(
            "transcript",
            "plain transcripts and subtitles",
            SUFFIXES,
            lambda path: load_texts(path, _loaders()),
            None,
            _has_transcripts,
        ),
    )
}


def files_of(path: Path) -> list[Path]:
    """The files of a folder, or those that a pattern names, that can be read as part of a corpus."""
    return matching_files(path, _loaders())


def _loaders() -> Loaders:
    """How each of several files is read; archives and the parts of other formats are none of them."""
    return {
        suffix: entry.load
        for entry in FORMATS.values()
        for suffix in entry.suffixes
        if entry.load is not None and entry.name not in ("zip", "xmi", "brat")
    }


def _load_unpacked(folder: Path) -> Table:
    """What an archive holds: one file, or a folder that is read like any other."""
    while len(inside := sorted(folder.iterdir())) == 1 and inside[0].is_dir():
        folder = inside[0]
    entry, _ = format_to_read(inside[0] if len(inside) == 1 else folder, None)
    if entry.load is None:
        raise InputError(f"{folder}: a corpus that dialgauge wrote: unpack it")
    return entry.load(inside[0] if len(inside) == 1 else folder)


def get_format(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]


def format_to_read(path: Path, name: str | None) -> tuple[Format, str]:
    """The format of an existing path, and how it was recognised."""
    if is_pattern(path) and name is None:
        found = len(files_of(path))
        if not found:
            raise InputError(f"{path}: no file fits this pattern")
        return FORMATS["files"], f"the pattern names {counted(found, 'file')}"
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if name is not None:
        return get_format(name), "given"
    if path.is_dir():
        for entry in FORMATS.values():
            if entry.is_folder and entry.is_folder(path):
                return entry, f"the folder holds {_SIGNS[entry.name]}"
        raise InputError(f"{path}: this folder is not a corpus: it has neither {', nor '.join(_SIGNS.values())}")
    suffix = _suffix(path)
    for entry in FORMATS.values():
        if suffix in entry.suffixes:
            return entry, f"the name ends in {suffix}"
    if (held := _by_content(path)) is not None:
        return held
    known = ", ".join(suffix for entry in FORMATS.values() for suffix in entry.suffixes)
    raise InputError(f"{path}: the format is not clear from the name (known: {known}); set the format option")


def _by_content(path: Path) -> tuple[Format, str] | None:
    """The format of a file under another ending (``output.manifest``): JSON or a table."""
    try:
        text = read_text(path).text
    except InputError:  # no text at all
        return None
    if starts_with_object(text):
        return FORMATS["jsonl"], "it begins with a JSON object"
    return (FORMATS["csv"], "it begins like a table") if is_table(text) else None


def format_to_write(path: Path, name: str | None) -> Format:
    """The format in which to write a path; a name without a suffix is a dialgauge folder."""
    if name is not None:
        found = get_format(name)
    else:
        suffix = path.suffix.lower()
        matching = (
            [entry for entry in FORMATS.values() if suffix in entry.suffixes] if suffix else [FORMATS["dialgauge"]]
        )
        if not matching:
            raise InputError(f"{path}: the format is not clear from the name; give one of: {', '.join(_writable())}")
        found = matching[0]
    if found.write is None:
        raise InputError(f"{path}: {found.name} can only be read; write one of: {', '.join(_writable())}")
    return found


_SIGNS = {
    "dialgauge": "corpus.toml",
    "huggingface": "state.json, Arrow or Parquet files",
    "brat": "annotations of brat (.ann)",
    "files": "tables (.csv, .xlsx, .json …)",
    "transcript": "transcripts (.txt, .vtt, .srt)",
}


def _writable() -> list[str]:
    return [entry.name for entry in FORMATS.values() if entry.write]


def _suffix(path: Path) -> str:
    """The suffix that identifies the format; ``.gz`` is ignored."""
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
