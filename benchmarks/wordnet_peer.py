"""A WordNet that nltk can read, for its METEOR: its own download where there is one, else the files of Debian."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Where the Debian package ``wordnet-base`` puts WordNet 3.0.
DEBIAN_FOLDER = Path("/usr/share/wordnet")
ABSENT = "nltk's METEOR needs WordNet: python -m nltk.downloader wordnet, or the Debian package wordnet-base"
_LEXICOGRAPHER_FILES = 45


@contextmanager
def nltk_wordnet() -> Iterator[Any | None]:
    """nltk's reader of WordNet, loaded, or None where this machine has none."""
    if _is_downloaded():
        from nltk.corpus import wordnet

        wordnet.ensure_loaded()
        yield wordnet
    elif DEBIAN_FOLDER.is_dir():
        with _debian_wordnet() as reader:
            yield reader
    else:
        yield None


def _is_downloaded() -> bool:
    import nltk

    try:
        nltk.data.find("corpora/wordnet.zip")
    except LookupError:
        return False
    return True


@contextmanager
def _debian_wordnet() -> Iterator[Any]:
    """Debian leaves out ``lexnames``, without which nltk does not start: a copy gets one with placeholder names.

    METEOR reads synonyms only, so the names of the lexicographer files change nothing.
    """
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishWordNet(WordNetCorpusReader):  # type: ignore[misc]  # nltk has no types
        def map_wn(self, version: str = "wordnet") -> None:
            """The map between versions serves other languages alone, and needs a second WordNet."""

    with tempfile.TemporaryDirectory() as folder:
        for path in DEBIAN_FOLDER.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        names = "".join(f"{number:02d}\tfile.{number}\t1\n" for number in range(_LEXICOGRAPHER_FILES))
        Path(folder, "lexnames").write_text(names, encoding="ascii")
        nltk.data.path.append(folder)  # nltk opens files below its data path only
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other languages are not wanted here
                reader = EnglishWordNet(folder, None)
            yield reader
        finally:
            nltk.data.path.remove(folder)
