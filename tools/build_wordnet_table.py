"""Derive METEOR's synonym table from the WordNet 3.0 database files.

    apt-get install wordnet-base
    python tools/build_wordnet_table.py /usr/share/wordnet src/dialgauge/metrics/wordnet/table.bin

Reads ``index.POS``, ``data.POS`` and ``POS.exc`` (noun, verb, adj, adv) and writes, for every lemma and part of speech,
the single-word lower-case names of its synsets: METEOR compares them with lower-case words, so names with an underscore
or a capital can never match and are left out. The same input gives the same bytes (for the same zlib).

The file: the eight bytes ``DGWORDS1``; seven little-endian uint32, the compressed length of each section; the sections,
each compressed with zlib.

0. the single-word lemmas that have a name, sorted, one per line
1. for each of them how many names it has as noun, verb, adjective and adverb, as uint8 (words × 4)
2. the names, in that order, each as its place in section 0 minus the place of the lemma, zigzag-coded, in three planes
   of bytes (all low bytes first)
3. to 5. the same for the lemmas with an underscore, the place of each lemma counted as 0
6. the irregular forms, one per line: ``FORM``, then ``POS:LEMMA,LEMMA`` for each part of speech (n, v, a, r)
"""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

MAGIC = b"DGWORDS1"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

Names = dict[str, dict[str, list[str]]]


def read_names(folder: Path) -> Names:
    """Lemma -> part of speech -> the usable names of its synsets, sorted."""
    result: Names = {}
    for part, stem in PARTS.items():
        synsets: dict[int, set[str]] = {}
        for line in _lines(folder / f"data.{stem}"):
            fields = line.split("|", 1)[0].split()
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            names = {word.split("(", 1)[0] for word in words}
            synsets[int(fields[0])] = {name for name in names if "_" not in name and name == name.lower()}
        for line in _lines(folder / f"index.{stem}"):
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            names = set().union(*(synsets[int(offset)] for offset in offsets))
            if names:
                result.setdefault(fields[0], {})[part] = sorted(names)
    return result


def read_irregular(folder: Path, names: Names) -> dict[str, dict[str, list[str]]]:
    """Form -> part of speech -> its lemmas. A form without known lemma counts too: it keeps the suffix rules out."""
    result: dict[str, dict[str, list[str]]] = {}
    for part, stem in PARTS.items():
        for line in (folder / f"{stem}.exc").read_text(encoding="utf-8").splitlines():
            form, *lemmas = line.split()
            result.setdefault(form, {})[part] = [lemma for lemma in lemmas if part in names.get(lemma, {})]
    return result


def build(folder: Path) -> bytes:
    """The whole file."""
    names = read_names(folder)
    single = sorted(lemma for lemma in names if "_" not in lemma)
    compound = sorted(lemma for lemma in names if "_" in lemma)
    place = {lemma: i for i, lemma in enumerate(single)}
    irregular = [
        " ".join([form, *(f"{part}:{','.join(lemmas)}" for part, lemmas in parts.items())])
        for form, parts in sorted(read_irregular(folder, names).items())
    ]
    sections = [
        "\n".join(single).encode("ascii"),
        *_names_section(names, single, place, relative=True),
        "\n".join(compound).encode("ascii"),
        *_names_section(names, compound, place, relative=False),
        "\n".join(irregular).encode("ascii"),
    ]
    packed = [zlib.compress(section, 9) for section in sections]
    return MAGIC + struct.pack(f"<{len(packed)}I", *map(len, packed)) + b"".join(packed)


def _names_section(names: Names, lemmas: list[str], place: dict[str, int], relative: bool) -> tuple[bytes, bytes]:
    counts = [[len(names[lemma].get(part, ())) for part in PARTS] for lemma in lemmas]
    codes = []
    for i, lemma in enumerate(lemmas):
        for part in PARTS:
            for name in names[lemma].get(part, ()):
                difference = place[name] - i if relative else place[name]
                codes.append(2 * difference if difference >= 0 else -2 * difference - 1)
    array = np.array(codes, dtype=np.uint32)
    planes = [((array >> shift) & 255).astype(np.uint8).tobytes() for shift in (0, 8, 16)]
    return np.array(counts, dtype=np.uint8).tobytes(), b"".join(planes)


def _lines(path: Path) -> list[str]:
    """The lines of a database file without its licence, which is indented by two spaces."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(" ")]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} WORDNET_FOLDER TABLE")
    table = build(Path(sys.argv[1]))
    Path(sys.argv[2]).write_bytes(table)
    print(f"{sys.argv[2]}: {len(table):,} bytes")
