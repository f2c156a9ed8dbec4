"""Reading bytes: which files can be read, and how encodings are recognised."""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

from dialgauge.errors import InputError

#: A compressed file that would fill more memory than this is refused …
LARGEST_UNPACKED = 4 * 2**30
#: … and so is one with an implausible ratio: text shrinks to a tenth, never to a hundredth of its size.
_HARMLESS = 2**24
_MOST_SHRUNK = 100
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
#: First bytes of files that are often named .csv or .txt but are something else.
_SIGNS = {
    b"PK\x03\x04": "a ZIP archive, as Excel workbooks are: rename it to .xlsx if it is one",
    b"\x1f\x8b": "a file compressed by gzip: rename it so that it ends in .gz",
    b"PAR1\x15": "a Parquet file: rename it so that it ends in .parquet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls): save it as .xlsx or .csv",
}
#: Control characters that no text holds, or few by mistake; tabs, line ends and the like are not among them.
_CONTROLS = bytes({*range(9), *range(14, 26), *range(28, 32)})
_MOST_CONTROLS = 0.05


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text, the encoding it was in, and what had to be assumed."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; ``.gz`` is unpacked. Errors name the file."""
    try:
        if path.suffix.lower() != ".gz":
            return path.read_bytes()
        return _unpacked(path)
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a folder, not a file") from error
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from error


def _unpacked(path: Path) -> bytes:
    most = min(LARGEST_UNPACKED, max(_HARMLESS, path.stat().st_size * _MOST_SHRUNK))
    with gzip.open(path) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise InputError(f"{path}: unpacks to more than {most / 2**20:,.0f} MiB; unpack and split it first")
    return data


def read_text(path: Path) -> Text:
    """The text of a file, whatever its encoding. See :func:`decode`."""
    return decode(read_bytes(path), str(path))


def decode(data: bytes, file: str) -> Text:
    """Decode UTF-8, UTF-16 (with a byte order mark, or recognised by its zero bytes), else Windows-1252 or Latin-1.

    The last two cannot fail and therefore may be wrong; a note says so. What is not text in any of them is refused.
    """
    notes: list[str] = []
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding.removesuffix("-sig"))
            except UnicodeDecodeError as error:
                raise InputError(f"{file}: starts as {encoding} but byte {error.start} is not {encoding}") from error
            return Text(text, encoding, _nul_note(text, notes))
    wide = _wide_encoding(data)
    if wide:
        notes.append(f"no byte order mark; read as {wide} because every second byte is zero")
        try:
            return Text(data.decode(wide), wide, tuple(notes))
        except UnicodeDecodeError as error:
            raise InputError(f"{file}: looks like {wide} but byte {error.start} is not") from error
    try:
        text, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        _refuse_binary(data, file)
        line = data.count(b"\n", 0, error.start) + 1
        try:
            text, encoding = data.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            text, encoding = data.decode("latin-1"), "latin-1"
        notes.append(f"not UTF-8 (first at line {line}); read as {encoding}; check that accented letters are right")
    return Text(text, encoding, _nul_note(text, notes))


def _refuse_binary(data: bytes, file: str) -> None:
    """Refuse what is neither UTF-8 nor text in a single-byte encoding."""
    for sign, what in _SIGNS.items():
        if data.startswith(sign):
            raise InputError(f"{file}: not a text file; it begins like {what}")
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if b"\x00\x00" in data or controls > _MOST_CONTROLS * len(data):
        raise InputError(f"{file}: not a text file: it is not UTF-8, and contains bytes that do not occur in text")


def _wide_encoding(data: bytes) -> str | None:
    head = data[:4096]
    if len(head) < 4 or len(data) % 2:
        return None
    if head[1::2].count(0) > 0.4 * len(head[1::2]) and not head[::2].count(0):
        return "utf-16-le"
    if head[::2].count(0) > 0.4 * len(head[::2]) and not head[1::2].count(0):
        return "utf-16-be"
    return None


def _nul_note(text: str, notes: list[str]) -> tuple[str, ...]:
    found = text.count("\x00")
    return (*notes, f"{found} NUL characters, kept as they are") if found else tuple(notes)
