"""What every format must do: give back what it was given, report bad rows, and fail clearly."""

import gzip
import json
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import (
    KEY,
    RATING_KEY,
    Corpus,
    CorpusInfo,
    Dialogue,
    Rating,
    Summary,
    Turn,
    inspect_file,
    read_corpus,
    write_corpus,
)
from dialgauge.corpus._files import decode
from dialgauge.corpus._formats import FORMATS
from dialgauge.errors import InputError, MissingExtraError, UnknownNameError

WRITABLE = [name for name, entry in FORMATS.items() if entry.write]
SUFFIX = {"dialgauge": "", "jsonl": ".jsonl", "csv": ".csv", "xlsx": ".xlsx", "parquet": ".parquet"}
TEXT_FORMATS = {"jsonl": ".jsonl", "csv": ".csv", "transcript": ".txt"}


def same(left: Corpus, right: Corpus) -> bool:
    """Whether two corpora hold the same, in whatever order."""
    tables = (("dialogues", ("dialogue_id",)), ("summaries", KEY), ("ratings", RATING_KEY))
    return all(getattr(left, name).sort(key).equals(getattr(right, name).sort(key)) for name, key in tables)


@pytest.fixture
def corpus() -> Corpus:
    dialogues = [
        Dialogue("d1", (Turn("Agent", "Hello", "agent"), Turn("Ana", "Hi: there")), "bank", "en", {"topic": "cards"}),
        Dialogue("d2", (Turn("A: B", "odd\nspeaker"), Turn("", "nobody")), meta={"n": [1, {"x": None}]}),
        Dialogue("d3", ()),
    ]
    summaries = [
        Summary("d1", "A", "The reference.", kind="reference"),
        Summary("d1", "bart", 'Ana said "hi", then left;\r\nsoon.', provenance={"seed": 1}),
        Summary("d1", "bart", "Anna said hi.", variant="swap-names"),
        Summary("d1", "bart", "Ana's side.", role="customer"),
        Summary("d2", "bart", "=1+1 http://x.y 情感 😀\tend"),
    ]
    ratings = [
        Rating("d1", "A", "1", "coherence", 4, scale="1-5", comment="good, really"),
        Rating("d1", "A", "2", "coherence", None),
        Rating("d1", "bart", "1", "coherence", 1 / 3, time=datetime(2024, 5, 6, 7, 8, 9, 12)),
        Rating("d1", "bart", "1", "consistency", 0, sentence=1),
        Rating("d1", "bart", "1", "consistency", 1, sentence=2),
        Rating("d1", "bart", "1", "fluency", 5, variant="swap-names"),
    ]
    return Corpus.build(dialogues, summaries, ratings, CorpusInfo("c", ratings_origin="constructed"))


@pytest.mark.parametrize("name", WRITABLE)
def test_round_trip(corpus: Corpus, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"c{SUFFIX[name]}"
    write_corpus(corpus, path)
    back = read_corpus(path, strict=True)
    assert same(back, corpus)
    assert back.info == corpus.info
    assert list(back.iter_dialogues()) == list(corpus.iter_dialogues())


@pytest.mark.parametrize("name", WRITABLE)
def test_writing_again_replaces(corpus: Corpus, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"c{SUFFIX[name]}"
    write_corpus(corpus, path)
    write_corpus(corpus.select(dialogues=["d2"]), path)
    assert read_corpus(path).dialogues["dialogue_id"].to_list() == ["d2"]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", WRITABLE)
def test_format_can_be_named(corpus: Corpus, tmp_path: Path, name: str) -> None:
    path = tmp_path / "corpus.data"
    write_corpus(corpus, path, format=name)
    assert same(read_corpus(path, format=name), corpus)


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].suffixes])
def test_garbage_is_an_input_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"c{FORMATS[name].suffixes[0]}"
    path.write_bytes(b"\x00\x01\x02PAR1 nothing of any format \xff\xfe" if name != "transcript" else b"  \n\n ")
    with pytest.raises(InputError, match=r"c[.]"):
        read_corpus(path)


@pytest.mark.parametrize("name", [name for name, entry in FORMATS.items() if entry.suffixes])
def test_empty_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"c{FORMATS[name].suffixes[0]}"
    path.touch()
    with pytest.raises(InputError, match=r"no rows|cannot be read"):
        read_corpus(path)
    with pytest.raises(InputError, match=r"no rows|cannot be read"):
        inspect_file(path)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".xlsx", ".txt", ""])
def test_absent_file(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_corpus(tmp_path / f"c{suffix}")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".xlsx"])
def test_folder_in_place_of_a_file(tmp_path: Path, suffix: str, corpus: Corpus) -> None:
    path = tmp_path / f"c{suffix}"
    path.mkdir()
    with pytest.raises(InputError, match="is not a corpus"):
        read_corpus(path)
    with pytest.raises(InputError, match="is a folder"):
        write_corpus(corpus, path)


ENCODINGS = {
    "utf-8": ("utf-8", b""),
    "utf-8-sig": ("utf-8", b"\xef\xbb\xbf"),
    "utf-16-le": ("utf-16-le", b"\xff\xfe"),
    "utf-16-be": ("utf-16-be", b"\xfe\xff"),
    "cp1252": ("cp1252", b""),
    "latin-1": ("latin-1", b""),
}
BODIES = {
    "csv": "id,system,summary,dialogue\nd1,s,été {},Agent: ça va\n",
    "jsonl": '{{"id": "d1", "system": "s", "summary": "été {}", "dialogue": "Agent: ça va"}}\n',
    "transcript": "Agent: ça va\nAna: été {}\n",
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_encodings_and_line_ends(tmp_path: Path, name: str, encoding: str, line_end: str) -> None:
    codec, mark = ENCODINGS[encoding]
    # Byte 0x9d means nothing in Windows-1252 and a control character in Latin-1.
    extra = "\x9d" if encoding == "latin-1" else "œ" if encoding == "cp1252" else "✓"
    path = tmp_path / f"d1{TEXT_FORMATS[name]}"
    path.write_bytes(mark + BODIES[name].format(extra).replace("\n", line_end).encode(codec))
    found = inspect_file(path)
    corpus = read_corpus(path, strict=True)
    assert found.encoding == encoding
    assert any("not UTF-8" in note for note in corpus.notes) == (encoding in ("cp1252", "latin-1"))
    assert corpus.dialogue("d1").turns[0] == Turn("Agent", "ça va", "agent")
    text = corpus.dialogue("d1").turns[1].text if name == "transcript" else corpus.summaries["text"][0]
    assert text == f"été {extra}"


def test_utf16_without_a_mark_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes("id,system,summary\nd1,s,plain words\n".encode("utf-16-le"))
    corpus = read_corpus(path)
    assert corpus.summaries["text"].to_list() == ["plain words"]
    assert any("utf-16-le" in note for note in corpus.notes)


def test_broken_utf16_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b"\xff\xfea")
    with pytest.raises(InputError, match="utf-16-le"):
        read_corpus(path)


@pytest.mark.parametrize("name", TEXT_FORMATS)
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bytes(range(256)) * 8, "bytes that do not occur in text"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x90\x83,;\n" * 50, "bytes that do not occur in text"),
        (b"\x89\x01\x02\x03 without a zero", "bytes that do not occur in text"),
        (b"PK\x03\x04\x14\xff" + bytes(40), "ZIP archive, as Excel workbooks are"),
        (gzip.compress(b"id,system,summary\n", mtime=0), "compressed by gzip"),
        (b"PAR1\x15\x04\xff" + bytes(9), "Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1" + bytes(9), "an old Excel"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / f"c{TEXT_FORMATS[name]}"
    path.write_bytes(data)
    for read in (read_corpus, inspect_file):
        with pytest.raises(InputError, match=rf"c[.]\w+: not a text file.*{said}"):
            read(path)


@given(st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1))
def test_no_text_of_one_byte_characters_is_taken_for_something_else(text: str) -> None:
    found = decode(f"{text}\té\x1a\r\n".encode("cp1252"), "c.csv")
    assert (found.text, found.encoding) == (f"{text}\té\x1a\r\n", "cp1252")


def test_the_ending_gz_may_be_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "C.CSV.GZ"
    path.write_bytes(gzip.compress(b"id,system,summary\nd1,s,words\n", mtime=0))
    assert read_corpus(path).summaries["text"].to_list() == ["words"]


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_nul_is_kept_and_said(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"c.{name}"
    row = {"csv": "id,system,summary\nd1,s,a\x00b\n", "jsonl": '{"id":"d1","system":"s","summary":"a\\u0000b"}\n'}
    path.write_bytes(row[name].encode())
    corpus = read_corpus(path, strict=True)
    assert corpus.summaries["text"].to_list() == ["a\x00b"]
    assert any("NUL" in note for note in corpus.notes) == (name == "csv")


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
def test_a_line_of_a_million_characters(tmp_path: Path, name: str) -> None:
    text = "word " * 250_000
    corpus = Corpus.build([Dialogue("d", (Turn("A", text),))], [Summary("d", "s", text)])
    write_corpus(corpus, tmp_path / f"c.{name}")
    assert same(read_corpus(tmp_path / f"c.{name}", strict=True), corpus)


def test_compressed_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "d", "system": "s", "summary": "x"}\n'))
    assert read_corpus(path).summaries.height == 1
    assert read_corpus(path).info.name == "c"
    path.write_bytes(gzip.compress(b"x" * 1000)[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus(path)


def test_unknown_format_and_suffix(tmp_path: Path, corpus: Corpus) -> None:
    (tmp_path / "c.docx").touch()
    with pytest.raises(InputError, match="format is not clear from the name"):
        read_corpus(tmp_path / "c.docx")
    with pytest.raises(UnknownNameError, match="did you mean 'jsonl'"):
        read_corpus(tmp_path / "c.docx", format="json1")
    with pytest.raises(InputError, match="format is not clear from the name"):
        write_corpus(corpus, tmp_path / "c.docx")
    with pytest.raises(InputError, match="can only be read"):
        write_corpus(corpus, tmp_path / "c.txt")


class TestXlsx:
    def test_missing_extra(self, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_corpus(corpus, tmp_path / "c.xlsx")
        monkeypatch.setattr("dialgauge.corpus._xlsx.find_spec", lambda name: None)
        with pytest.raises(MissingExtraError, match=r"dialgauge\[xlsx\]"):
            read_corpus(tmp_path / "c.xlsx")
        with pytest.raises(MissingExtraError, match=r"dialgauge\[xlsx\]"):
            write_corpus(corpus, tmp_path / "d.xlsx")
        assert not (tmp_path / "d.xlsx").exists()

    def test_zip_bomb(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dialgauge.corpus._xlsx.LARGEST_WORKBOOK", 2**22)
        path = tmp_path / "bomb.xlsx"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", bytes(5 * 2**20))
        assert path.stat().st_size < 2**14
        with pytest.raises(InputError, match="unpacks to 5 MiB; the limit is 4"):
            read_corpus(path)

    @pytest.mark.parametrize(("text", "reason"), [("x" * 40_000, "32,767"), ("", "empty text"), ("\ufffe", "XML")])
    def test_what_a_cell_cannot_hold(self, tmp_path: Path, text: str, reason: str) -> None:
        corpus = Corpus.build([Dialogue("d", ())], [Summary("d", "s", text)])
        with pytest.raises(InputError, match=reason):
            write_corpus(corpus, tmp_path / "c.xlsx")
        assert list(tmp_path.iterdir()) == []

    def test_workbook_of_somebody_else(self, tmp_path: Path) -> None:
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        book.active.title = "empty"
        sheet = book.create_sheet("ratings")
        for row in (("ID", "Model", "Summary", "Rater", "Coherence"), (1, "A", "x", 7, 4), (2, "A", "y", 7, "n/a")):
            sheet.append(row)
        book.create_sheet("third").append(("left", "out"))
        book["third"].append((1, 2))
        book.save(tmp_path / "c.xlsx")
        corpus = read_corpus(tmp_path / "c.xlsx")
        assert corpus.dialogues["dialogue_id"].to_list() == ["1", "2"]
        assert corpus.ratings.select("annotator", "value").rows() == [("7", 4.0), ("7", None)]
        assert corpus.problems == ()
        assert "coherence: read as not given: 1 × 'n/a'" in corpus.notes
        assert any("only the sheet 'ratings'" in note for note in corpus.notes)


class TestFolder:
    def test_refuses_to_overwrite_other_folders(self, corpus: Corpus, tmp_path: Path) -> None:
        (tmp_path / "photos").mkdir()
        (tmp_path / "photos" / "me.jpg").write_text("x")
        with pytest.raises(InputError, match="is not a dialgauge folder"):
            write_corpus(corpus, tmp_path / "photos")
        assert (tmp_path / "photos" / "me.jpg").read_text() == "x"
        (tmp_path / "file").write_text("x")
        with pytest.raises(InputError, match="is not a dialgauge folder"):
            write_corpus(corpus, tmp_path / "file")

    def test_card_is_escaped(self, tmp_path: Path) -> None:
        info = CorpusInfo('q"\\\n\x7f\x00é😀', "a\tb", "c", "constructed")
        write_corpus(Corpus(info=info), tmp_path / "c")
        assert read_corpus(tmp_path / "c").info == info

    @pytest.mark.parametrize(
        ("card", "reason"),
        [
            ("name = ", "not valid TOML"),
            ("[format]\nversion = 2", "format.version is 2"),
            ("name = 'x'", "format.version is None"),
            ("name = 3\n[format]\nversion = 1", "name must be a string"),
            ("ratings_origin = 'x'\n[format]\nversion = 1", "ratings_origin must be"),
        ],
    )
    def test_bad_card(self, corpus: Corpus, tmp_path: Path, card: str, reason: str) -> None:
        write_corpus(corpus, tmp_path / "c")
        (tmp_path / "c" / "corpus.toml").write_text(card)
        with pytest.raises(InputError, match=reason):
            read_corpus(tmp_path / "c")

    def test_bad_rows_are_reported_by_table_and_row(self, corpus: Corpus, tmp_path: Path) -> None:
        write_corpus(corpus, tmp_path / "c")
        doubled = pl.concat([corpus.summaries, corpus.summaries.head(1)])
        doubled.write_parquet(tmp_path / "c" / "summaries.parquet")
        back = read_corpus(tmp_path / "c")
        assert same(back, corpus)
        (problem,) = back.problems
        assert problem.file.endswith("summaries.parquet")
        assert (problem.line, problem.reason) == (6, "duplicate key")
        with pytest.raises(InputError, match="1 bad row"):
            read_corpus(tmp_path / "c", strict=True)

    def test_wrong_columns_and_missing_tables(self, corpus: Corpus, tmp_path: Path) -> None:
        write_corpus(corpus, tmp_path / "c")
        (tmp_path / "c" / "ratings.parquet").unlink()
        assert read_corpus(tmp_path / "c").ratings.is_empty()
        pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "c" / "summaries.parquet")
        with pytest.raises(InputError, match="summaries: missing column"):
            read_corpus(tmp_path / "c")
        (tmp_path / "c" / "dialogues.parquet").unlink()
        with pytest.raises(InputError, match=r"dialogues[.]parquet: no such file"):
            read_corpus(tmp_path / "c")

    def test_takes_no_mapping(self, corpus: Corpus, tmp_path: Path) -> None:
        write_corpus(corpus, tmp_path / "c")
        with pytest.raises(InputError, match="needs no mapping"):
            read_corpus(tmp_path / "c", mapping={"summary": "x"})


@pytest.mark.parametrize("name", WRITABLE)
def test_a_failed_write_leaves_nothing_behind(
    corpus: Corpus, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"c{SUFFIX[name]}"
    write_corpus(corpus, path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dialgauge.files._sync", full)
    with pytest.raises(OSError, match="No space left"):
        write_corpus(corpus.select(dialogues=["d1"]), path)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX")
@pytest.mark.parametrize("name", WRITABLE)
def test_a_disk_that_fills_up(tmp_path: Path, name: str) -> None:
    script = f"""
import random, resource, sys
from dialgauge.corpus import *
from dialgauge.errors import InputError
text = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=30_000))
corpus = Corpus.build([Dialogue("d", (Turn("A", text),))], [Summary("d", "s", text)])
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    write_corpus(corpus, sys.argv[1], format={name!r})
except InputError as error:
    print(error)
"""
    # -B: Python would keep modules that it compiles then, and cut them at the limit.
    command = [sys.executable, "-B", "-c", script, tmp_path / "c"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "cannot be written" in run.stdout, run.stderr
    assert list(tmp_path.iterdir()) == []


def test_json_lines_say_what_they_hold(corpus: Corpus, tmp_path: Path) -> None:
    write_corpus(corpus, tmp_path / "c.jsonl")
    first = json.loads((tmp_path / "c.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["turns"][0] == {"speaker": "Agent", "text": "Hello", "role": "agent"}
    assert first["meta"] == {"topic": "cards"}
    assert first["summaries"][0] == {"system": "A", "kind": "reference", "text": "The reference."}
    assert first["ratings"][2]["time"] == "2024-05-06T07:08:09.000012"


def test_a_heading_may_read_as_parquet_files_begin(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("PAR1;id;dialogue;system;summary\nx;d1;A: café;s;Zoé\n".encode("cp1252"))
    assert read_corpus(path).summaries["text"].to_list() == ["Zoé"]


def test_one_stray_nul_makes_no_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("id,dialogue,system,summary\nd1,A: caf\xe9 \x00 and more,s,Zo\xe9 is here\n".encode("latin-1"))
    corpus = read_corpus(path)
    assert corpus.summaries.height == 1
    assert any("NUL" in note for note in corpus.notes)
