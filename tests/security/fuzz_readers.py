"""Coverage-guided fuzzing of the parsers: ``python tests/security/fuzz_readers.py [FOLDER] [-max_total_time=60]``.

Needs atheris. The first byte chooses the format, the rest is the file. Anything but an error for people is a finding.
"""

import contextlib
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["dialgauge.corpus", "dialgauge.files", "dialgauge.study", "tomllib", "json"]):
    from dialgauge.corpus import inspect_file, read_corpus
    from dialgauge.errors import DialgaugeError
    from dialgauge.study import read_study_file

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".txt", ".vtt", ".srt", ".toml")
FOLDER = tempfile.TemporaryDirectory(prefix="dialgauge-fuzz-")


def one_input(data: bytes) -> None:
    """Read one file in one format."""
    if not data:
        return
    path = Path(FOLDER.name) / f"c{SUFFIXES[data[0] % len(SUFFIXES)]}"
    path.write_bytes(data[1:])
    for read in (read_study_file,) if path.suffix == ".toml" else (inspect_file, read_corpus):
        with contextlib.suppress(DialgaugeError):
            read(path)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
