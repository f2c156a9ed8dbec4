"""Lexicons: words with a polarity, and with categories of emotion where the lexicon gives them."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from os import PathLike
from pathlib import Path

from dialgauge.affect._tagger import LABELS, NEGATIVE, NEUTRAL, POSITIVE
from dialgauge.corpus import Dataset, fetch_dataset
from dialgauge.corpus.catalogue import RemoteFile
from dialgauge.errors import InputError, ParameterError
from dialgauge.files import read_utf8
from dialgauge.progress import Progress

_SHOWN = 12
#: A word counts as positive or negative from this valence on (VADER rates from -4 to 4). The value with the best
#: macro F1 on the development part of SST3 (tests/affect/test_affect_bars.py).
VADER_THRESHOLD = 0.1
_ARCHIVE = "opinion_lexicon.zip"
_LISTS = {NEGATIVE: "negative-words.txt", POSITIVE: "positive-words.txt"}
OPINION_LEXICON = Dataset(
    name="opinion-lexicon",
    title="Opinion Lexicon (Hu & Liu 2004)",
    what="English opinion words, positive and negative",
    size="2,006 positive and 4,783 negative words",
    language="en",
    licence="CC BY 4.0 (as NLTK's data states)",
    ratings=False,
    home="https://www.cs.uic.edu/~liub/FBS/sentiment-analysis.html",
    paper="Hu & Liu, KDD 2004",
    how="Downloads the copy of NLTK's data.",
    unverified="The address was not fetched by us; the two lists inside are verified by checksum.",
    files=(
        RemoteFile(
            "https://raw.githubusercontent.com/nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/"
            f"packages/corpora/{_ARCHIVE}",
            _ARCHIVE,
        ),
    ),
    parts=("all",),
    markers=(_ARCHIVE, _LISTS[POSITIVE]),
    read=None,
)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Words (one token each) with their labels; a word that is not in it is neutral.

    ``valences`` holds the strength behind a label, ``categories`` the emotions of a word, where the lexicon gives them.
    """

    name: str
    labels: Mapping[str, int]
    valences: Mapping[str, float] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    licence: str = ""
    source: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the words with their labels and categories."""
        lines = (
            f"{word}\t{self.labels.get(word, NEUTRAL)}\t{' '.join(self.categories.get(word, ()))}"
            for word in sorted({*self.labels, *self.categories})
        )
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def signature(self) -> str:
        """The name with the fingerprint."""
        return f"{self.name}#{self.fingerprint[:_SHOWN]}"


@cache
def vader_lexicon(threshold: float = VADER_THRESHOLD) -> Lexicon:
    """The lexicon of VADER (MIT licence), which comes with dialgauge.

    A word is positive where its mean valence is at least ``threshold``, negative where it is at most minus that.
    """
    if not 0 < threshold <= 4:
        raise ParameterError("tagger 'vader'", "threshold", "above 0 and at most 4", threshold)
    text = files("dialgauge.affect").joinpath("lexicon", "vader.tsv").read_text("utf-8")
    valences = {}
    for line in text.splitlines():
        word, _, valence = line.partition("\t")
        valences[word] = float(valence)
    return Lexicon(
        f"vader:threshold={threshold:g}",
        _from_valences(valences, threshold),
        valences,
        licence="MIT",
        source="Hutto & Gilbert 2014, vaderSentiment 3.3.2",
    )


def opinion_lexicon(folder: str | PathLike[str] | None = None) -> Lexicon:
    """The opinion lexicon of Hu & Liu, from a folder (its two lists or NLTK's archive) or from the cache.

    Words that stand in both lists are negative, as in the program of Zhou et al. (2024).
    """
    place = Path(folder) if folder is not None else OPINION_LEXICON.folder
    lists = {label: _word_list(place, name) for label, name in _LISTS.items()}
    missing = [name for label, name in _LISTS.items() if lists[label] is None]
    if missing:
        hint = "; download it with 'dialgauge affect get opinion-lexicon', or use a folder: 'token-dict:folder=DIR'"
        raise InputError(
            f"tagger 'token-dict': {missing[0]} (or {_ARCHIVE}) is not in {place}{hint if folder is None else ''}"
        )
    labels = {word: label for label in (POSITIVE, NEGATIVE) for word in lists[label] or ()}
    return Lexicon("opinion-lexicon", labels, licence=OPINION_LEXICON.licence, source=OPINION_LEXICON.paper)


def fetch_opinion_lexicon(source: Path | None = None, progress: Progress | None = None) -> Path:
    """Put the opinion lexicon into the cache, by download or from a folder."""
    folder = fetch_dataset(OPINION_LEXICON, source=source, progress=progress)
    opinion_lexicon(folder)  # what cannot be read is said now, not later
    return folder


def read_lexicon(path: str | PathLike[str]) -> Lexicon:
    """Read your own lexicon: a line per word, separated by tabs: word, label or valence, and categories if any.

    The label is negative, neutral or positive; a number is a valence, whose sign is the label. Categories of emotion
    are separated by commas. Lines that begin with ``#`` and a space are comments; the file is UTF-8.
    """
    place = Path(path)
    try:
        text = read_utf8(place)
    except InputError as error:
        raise InputError(f"lexicon {error}") from error
    labels: dict[str, int] = {}
    valences: dict[str, float] = {}
    categories: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("# "):
            continue
        word, *rest = (cell.strip() for cell in line.split("\t"))
        where = f"lexicon {place}, line {number}"
        if not word or not rest or len(rest) > 2:
            raise InputError(f"{where}: expected WORD, TAB, label or valence, and TAB, categories if any; got {line!r}")
        if word in labels:
            raise InputError(f"{where}: duplicate word {word!r}")
        labels[word], valence = _label(where, rest[0])
        if valence is not None:
            valences[word] = valence
        if named := tuple(dict.fromkeys(filter(None, map(str.strip, rest[1].split(","))))) if len(rest) == 2 else ():
            categories[word] = named
    if not labels:
        raise InputError(f"lexicon {place}: the file has no words")
    return Lexicon(place.stem, labels, valences, categories, source=str(place))


def _label(where: str, cell: str) -> tuple[int, float | None]:
    if cell.lower() in LABELS:
        return LABELS.index(cell.lower()), None
    try:
        valence = float(cell)
    except ValueError:
        valence = float("nan")
    if valence != valence:
        raise InputError(f"{where}: the label must be {', '.join(LABELS)} or a number; got {cell!r}")
    return (POSITIVE if valence > 0 else NEGATIVE if valence < 0 else NEUTRAL), valence


def _from_valences(valences: Mapping[str, float], threshold: float) -> dict[str, int]:
    return {
        word: POSITIVE if valence > 0 else NEGATIVE for word, valence in valences.items() if abs(valence) >= threshold
    }


def _word_list(folder: Path, name: str) -> list[str] | None:
    """The words of one list; latin-1, as it is published. None where it is not here."""
    if (folder / name).is_file():
        return _words((folder / name).read_bytes().decode("latin-1").splitlines())
    archive = folder / _ARCHIVE
    if not archive.is_file():
        return None
    try:
        with zipfile.ZipFile(archive) as packed:
            inside = [entry for entry in packed.namelist() if entry.rpartition("/")[2] == name]
            if not inside:
                return None
            return _words(io.TextIOWrapper(packed.open(inside[0]), "latin-1").read().splitlines())
    except zipfile.BadZipFile as error:
        raise InputError(f"{archive}: not a readable archive: {error}") from error


def _words(lines: Iterable[str]) -> list[str]:
    return [word for line in lines if (word := line.strip()) and not word.startswith(";")]
