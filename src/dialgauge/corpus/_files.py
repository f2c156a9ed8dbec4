"""Bytes in: what can be read, and encodings that are recognised and named."""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

from dialgauge.errors import InputError

#: A compressed file that would fill more memory than this is refused …
LARGEST_UNPACKED = 4 * 2**30
#: … and so is one that is made to unpack to much: text shrinks to a tenth, never to a hundredth of its size.
_HARMLESS = 2**24
_MOST_SHRUNK = 100
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text, the encoding it was in, and what had to be assumed."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; ``.gz`` is unpacked. Says which file it was when it cannot be read."""
    try:
        if path.suffix != ".gz":
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

    The last two cannot fail and therefore may be wrong; a note says so.
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
        line = data.count(b"\n", 0, error.start) + 1
        try:
            text, encoding = data.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            text, encoding = data.decode("latin-1"), "latin-1"
        notes.append(f"not UTF-8 (first at line {line}); read as {encoding}, so look at the accents")
    return Text(text, encoding, _nul_note(text, notes))


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
