"""Inputs made to do harm: read or refused with a clear message, quickly, and in bounded memory."""

import gzip
import importlib.util
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import read_corpus
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.files import parse_toml
from dialgauge.study import read_study_file

MILLION = 10**6
#: Files by name: their bytes, and whether they must be refused (None: either will do).
HOSTILE: dict[str, tuple[Callable[[], bytes], bool | None]] = {
    "long_line.jsonl": (
        lambda: b'{"id":"d","dialogue":"A: %s","summary":"%s"}' % (b"x" * MILLION, b"y" * MILLION),
        False,
    ),
    "deep_object.jsonl": (lambda: b'{"meta":' * 100_000 + b"1" + b"}" * 100_000, True),
    "deep_list.json": (lambda: b"[" * MILLION, True),
    "long_number.jsonl": (lambda: b'{"id":"d","summary":%s}' % (b"9" * 100_000), True),
    "many_keys.jsonl": (lambda: b"".join(b'{"id":"d%d","summary":"s","k%d":1}\n' % (i, i) for i in range(5000)), True),
    "half_surrogate.jsonl": (lambda: b'{"id":"d","summary":"\\ud800"}', True),
    "nuls.csv": (lambda: b"dialogue_id,summary\n\x00,\x00\n" + b"\x00" * MILLION, None),
    "wide.csv": (lambda: b",".join(b"c%d" % i for i in range(200_000)) + b"\n" + b"," * 199_999, True),
    "long_cell.csv": (lambda: b"dialogue_id,summary\nd," + b"x" * 10 * MILLION, False),
    "open_quote.csv": (lambda: b'dialogue_id,summary\nd,"' + b"x\n" * MILLION, None),
    "quotes.csv": (lambda: b'"' * MILLION, None),
    "bidi.csv": (lambda: "dialogue_id,summary\nd\u202e,\u202eabc\u2066\n".encode(), False),
    "colons.txt": (lambda: b":" * MILLION, None),
    "spaces.txt": (lambda: b"A" + b" " * MILLION + b":", None),
    "tags.srt": (lambda: b"1\n00:00:00,000 --> 00:00:01,000\n" + b"<" * MILLION, None),
    "tags.vtt": (lambda: b"1\n00:00.000 --> 00:01.000\n" + b"<a " * MILLION, None),
    "voices.vtt": (lambda: b"1\n00:00.000 --> 00:01.000\n" + b"<v.b" * MILLION + b"<v" + b".b" * MILLION, None),
    "spaces.vtt": (lambda: b"1\n00:00.000 --> 00:01.000\n<v" + b" " * MILLION, None),
    "one_voice.vtt": (lambda: b"00:00.000 --> 00:01.000\n<v Ann>a\n\n" * 100_000, False),
    "long_role.jsonl": (
        lambda: b'{"id":"d","turns":[{"role":"%sx","content":"hi"}],"summary":"s"}' % (b"-" * MILLION),
        False,
    ),
    "bomb.jsonl.gz": (lambda: gzip.compress(b'{"id":"d","summary":"%s"}' % (b"a" * 100 * MILLION)), True),
    "torn.parquet": (lambda: b"PAR1" + Random(1).randbytes(1000) + b"\xff\xff\xff\x7fPAR1", True),
}
STUDIES = {
    "deep_list.toml": b"a=" + b"[" * 100_000,
    "deep_table.toml": b"a=" + b"{b=" * 50_000,
    "long_key.toml": b"a" + b".a" * 100_000 + b"=1",
    "long_heading.toml": b"[" + b'"a".' * 50_000 + b"a]",
    "long_name.toml": b'[study]\nname="' + b"x" * MILLION + b'"',
    "nul.toml": b"\x00",
    "not_text.toml": b"\xff\xfe\xfd",
    "many_tables.toml": b"".join(b"[a.b%d]\n" % i for i in range(20_000)),
}

_LIMITED = """
import resource, sys, pathlib
from dialgauge.corpus import inspect_file, read_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.study import read_study_file
from importlib.util import find_spec
if find_spec("fastexcel"): import fastexcel
used = int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmSize"))) * 1024
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]), used + int(sys.argv[1])))
for path in sorted(pathlib.Path(sys.argv[2]).iterdir()):
    for read in (read_study_file,) if path.suffix == ".toml" else (read_corpus, inspect_file):
        try:
            read(path)
            print(path.name, read.__name__, "read", flush=True)
        except DialgaugeError as error:
            print(path.name, read.__name__, "refused", flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory as Linux does")
def test_hostile_files_are_read_or_refused_in_bounded_memory(tmp_path: Path) -> None:
    for name, (make, _) in HOSTILE.items():
        (tmp_path / name).write_bytes(make())
    for name, data in STUDIES.items():
        (tmp_path / name).write_bytes(data)
    if importlib.util.find_spec("fastexcel"):
        write_workbook(tmp_path / "far_cell.xlsx", FAR_CELL)
        write_workbook(tmp_path / "empty_rows.xlsx", b"<row>" + b"<c/>" * 16_000 + b"</row>" + b"<row/>" * 100_000)
    command = [sys.executable, "-c", _LIMITED, str(1536 * 2**20), str(tmp_path)]
    # Each thread takes address space, and a machine may have many cores.
    few = os.environ | {"POLARS_MAX_THREADS": "2", "RAYON_NUM_THREADS": "2", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, env=few, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout[-500:] + run.stderr[-3000:]
    said = {(line.split()[0], line.split()[1]): line.split()[2] for line in run.stdout.splitlines()}
    for name, (_, refused) in HOSTILE.items():
        if refused is not None:
            assert said[name, "read_corpus"] == ("refused" if refused else "read"), name
    assert {said[name, "read_study_file"] for name in STUDIES} == {"refused"}
    assert {verdict for (name, _), verdict in said.items() if name.endswith(".xlsx")} <= {"refused"}


FAR_CELL = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c s=">" r="XFD1048576"><v>1</v></c></row>'
_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="s" sheetId="1" '
    'r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_workbook(path: Path, rows: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, text)
        head = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        archive.writestr("xl/worksheets/sheet1.xml", head + rows + b"</sheetData></worksheet>")


@pytest.mark.parametrize(
    "rows",
    [
        FAR_CELL,
        b"<row r='1048576'><c r='A1048576'/><c/></row><row r='2'>" + b"<c/>" * 100 + b"</row>",
        b'<x:row r = "90000"><x:c r = "CV90000"/></x:row>',
        b"<row/>" * 60_000 + b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>",
    ],
)
def test_a_workbook_that_spans_too_many_cells(tmp_path: Path, rows: bytes) -> None:
    pytest.importorskip("fastexcel")
    write_workbook(tmp_path / "c.xlsx", rows)
    assert (tmp_path / "c.xlsx").stat().st_size < 20_000
    with pytest.raises(InputError, match=r"c\.xlsx: its sheets span more than 5,000,000 cells"):
        read_corpus(tmp_path / "c.xlsx")


def test_a_workbook_whose_directory_lies_about_its_size(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    write_workbook(tmp_path / "c.xlsx", b"<row><c><v>1</v></c></row>" * 100_000)
    data = (tmp_path / "c.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "c.xlsx") as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    lying = data.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert lying != data
    (tmp_path / "c.xlsx").write_bytes(lying)
    with pytest.raises(InputError, match=r"c\.xlsx: cannot be read as XLSX"):
        read_corpus(tmp_path / "c.xlsx")


def test_harmless_texts_are_kept_as_they_are(tmp_path: Path) -> None:
    """Controls of writing direction and NULs are text, not markup: they come through, and nobody acts on them."""
    text = "a\u202eb\u2066c\u200bd"
    pl.DataFrame({"dialogue_id": ["d"], "summary": [text]}).write_csv(tmp_path / "c.csv")
    assert read_corpus(tmp_path / "c.csv").summaries["text"].to_list() == [text]


bits = st.sampled_from(
    [
        "[study]",
        "[corpus]",
        "[metrics]",
        "name",
        "source",
        "use",
        "output",
        "=",
        '"',
        "'",
        '"""',
        "[",
        "]",
        "{",
        "}",
        ".",
        ",",
        "\n",
        "#",
        "embedded",
        "../x",
        "rouge-1",
        "1",
        "true",
        "1979-05-27",
        "\\u0000",
        "\x00",
        "é",
        " ",
        "inf",
    ]
)


@given(st.lists(bits, max_size=40).map("".join))
@settings(max_examples=150, deadline=None)
def test_any_study_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.toml"
    path.write_text(text, encoding="utf-8")
    with suppress(DialgaugeError):
        read_study_file(path)


@given(st.dictionaries(st.text("abc-_", min_size=1, max_size=5), st.text("a.'= ]\n\\[", max_size=80), max_size=4))
@settings(max_examples=60, deadline=None)
def test_sound_toml_is_never_refused(table: dict[str, str]) -> None:
    import json

    assert parse_toml("".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()), "f") == table


def test_the_harness_for_atheris_runs(tmp_path: Path) -> None:
    """A few seconds of coverage-guided fuzzing where atheris is installed: of the same files each time."""
    pytest.importorskip("atheris")
    harness = Path(__file__).with_name("fuzz_readers.py")
    limits = ["-seed=1", "-runs=300", "-len_control=0", "-max_len=400", "-rss_limit_mb=4096"]
    command = [sys.executable, str(harness), *limits, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path)
    assert run.returncode == 0, run.stderr[-3000:]
    assert "Done" in run.stderr
