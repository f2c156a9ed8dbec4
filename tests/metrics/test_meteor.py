"""METEOR against NLTK, to the last bit, and its synonyms against NLTK's reader of WordNet."""

import hashlib
import importlib.util
import shutil
import struct
import warnings
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import nltk
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.translate.meteor_score import meteor_score
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from dialgauge.errors import ParameterError
from dialgauge.language import porter_stem as stem
from dialgauge.metrics import Job, TextTable, find_metric, parse_request, score_pairs, use_kernels
from dialgauge.metrics._wordnet import Synonyms, synonyms
from tests.metrics.ngram_texts import KERNELS, golden, study_pairs, texts

ROOT = Path(__file__).resolve().parents[2]
DATABASE = Path("/usr/share/wordnet")
TABLE = ROOT / "src" / "dialgauge" / "metrics" / "wordnet" / "table.bin"
# sacrebleu takes the white space at the end away before it tokenizes: a hyphen there joins nothing.
SPLITTERS = {"space": str.split, "13a": lambda text: Tokenizer13a()(text.rstrip()).split()}
#: Words with synonyms among them, their inflections, irregular forms and compounds.
VOCABULARY = (
    "car automobile auto machine cars bank banks rely trust child children kid kids run ran running scat buy purchase "
    "bought big large bigger largest hot_dog hotdog frank men man adult was be exist dying die perish better good well "
    "march March call telephone ring ringing called phone . , the a a the"
)
#: Digest of the synonyms that NLTK 3.10.4 finds in WordNet 3.0 for every lemma and stem, in lines of sorted words.
OF_EVERY_WORD = "9d7f33fa21475f2aafae9115487ed449c72fbf89106cae88b6150f833ed1e34b"
related = st.lists(st.sampled_from(VOCABULARY.split()), max_size=25).map(" ".join)
anything = st.one_of(related, texts)


class Reader(WordNetCorpusReader):
    """NLTK's reader without the mapping between versions of WordNet, for which it wants the files of another."""

    def map_wn(self, version: str = "wordnet") -> None:
        return None


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """NLTK's WordNet over Debian's files, with those that the package lacks and METEOR does not need made up."""
    if not DATABASE.is_dir():
        pytest.skip(f"NO WORDNET: {DATABASE} does not exist; apt-get install wordnet-base")
    folder = tmp_path_factory.mktemp("wordnet")
    for name in WordNetCorpusReader._FILES:
        if (DATABASE / name).is_file():
            shutil.copy(DATABASE / name, folder / name)
    (folder / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    (folder / "index.sense").touch()
    nltk.data.path.append(str(folder))  # NLTK reads nothing outside of these
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no multilingual functions
        yield Reader(str(folder), None)
    nltk.data.path.remove(str(folder))


def names(wordnet: Reader, word: str) -> set[str]:
    """What METEOR takes for synonyms, less names with a capital, which no lower-case word equals."""
    found = {lemma.name() for synset in wordnet.synsets(word) for lemma in synset.lemmas()}
    return {name for name in found if "_" not in name and name == name.lower()} | {word}


@pytest.mark.parametrize("kernel", KERNELS)
def test_recorded_values(golden_dir: Path, kernel: str) -> None:
    summaries, references, recorded = golden(golden_dir, "golden_meteor_nltk.json")
    with use_kernels(kernel):
        values = score_pairs(summaries, references, ["meteor"])["meteor"].to_list()
    assert values == [row["split"] if text.strip() else None for row, text in zip(recorded, summaries, strict=True)]


@pytest.mark.data
@pytest.mark.parametrize("target", ["reference", "source"])
@pytest.mark.parametrize("tok", SPLITTERS)
def test_study_data(data_dir: Path, wordnet: Reader, target: str, tok: str) -> None:
    summaries, targets = study_pairs(data_dir)[target]
    if target == "source" or tok == "13a":
        summaries, targets = summaries[::5], targets[::5]
    split = SPLITTERS[tok]
    expected = [
        meteor_score([split(other)], split(text), wordnet=wordnet)
        for text, other in zip(summaries, targets, strict=True)
    ]
    assert len(set(expected)) > 100
    for kernel in KERNELS:
        with use_kernels(kernel):
            frame = score_pairs(summaries, targets, [f"meteor@{target}:tok={tok}"])
        assert frame.to_series().to_list() == expected


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("tok", SPLITTERS)
@given(summary=anything, references=st.lists(anything, min_size=1, max_size=3))
@settings(deadline=None)
def test_any_texts(wordnet: Reader, kernel: str, tok: str, summary: str, references: list[str]) -> None:
    with use_kernels(kernel):
        (value,) = score_pairs([summary], [references], [f"meteor:tok={tok}"]).to_series()
    words, readable = SPLITTERS[tok](summary), [split for text in references if (split := SPLITTERS[tok](text))]
    assert value == (meteor_score(readable, words, wordnet=wordnet) if words and readable else None)


@pytest.mark.slow
def test_synonyms_of_every_lemma_and_its_stem(wordnet: Reader) -> None:
    lemmas = {lemma for lemma in wordnet._lemma_pos_offset_map if "_" not in lemma}
    assert len(lemmas) > 80_000
    table = synonyms()
    words = sorted(lemmas | {stem(lemma) for lemma in lemmas})
    found = "\n".join(f"{word}: {' '.join(sorted(table.of(word)))}" for word in words)
    assert hashlib.sha256(found.encode()).hexdigest() == OF_EVERY_WORD
    assert {word for word in words[::10] if table.of(word) != names(wordnet, word)} == set()


def test_synonyms_of_inflected_forms_and_compounds(wordnet: Reader) -> None:
    random = Random(0)
    lemmas = sorted(wordnet._lemma_pos_offset_map)
    forms = {form for irregular in wordnet._exception_map.values() for form in irregular}
    forms.update(lemma for lemma in random.sample(lemmas, 8000) if "_" in lemma)
    for lemma in random.sample(lemmas, 2000):
        for ending in ("s", "es", "ed", "ing", "er", "est", "ies", "men", "ves"):
            forms.update((lemma + ending, lemma[:-1] + ending))
    table = synonyms()
    assert {form for form in forms if table.of(form) != names(wordnet, form)} == set()


@given(
    word=st.one_of(
        st.text(max_size=12),
        st.sampled_from(["s", "es", "ed", "ing", "er", "est", "men", "ves", "_", "a_s"]),
    )
)
@settings(deadline=None)
def test_synonyms_of_any_string(wordnet: Reader, word: str) -> None:
    assert synonyms().of(word.lower()) == names(wordnet, word.lower())


def test_known_synonyms() -> None:
    assert {"car", "auto", "automobile", "machine"} <= synonyms().of("car")
    assert "child" in synonyms().of("children")
    assert synonyms().of("zzz") == {"zzz"}
    assert "hotdog" in synonyms().of("hot_dog")


def test_the_table_is_what_the_tool_makes(wordnet: Reader) -> None:
    spec = importlib.util.spec_from_file_location("build_wordnet_table", ROOT / "tools" / "build_wordnet_table.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    # Another zlib may pack the same content into other bytes.
    assert sections(tool.build(DATABASE)) == sections(TABLE.read_bytes())


def sections(table: bytes) -> list[bytes]:
    lengths = struct.unpack_from("<7I", table, 8)
    ends = np.cumsum((36, *lengths)).tolist()
    assert ends[-1] == len(table)
    return [zlib.decompress(table[start:end]) for start, end in pairwise(ends)]


def test_another_file_is_no_table() -> None:
    with pytest.raises(ValueError, match="not a synonym table"):
        Synonyms(b"something else")


def test_the_licence_stands_beside_the_table() -> None:
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in (TABLE.parent / "LICENSE").read_text()


@pytest.mark.parametrize(
    ("summary", "reference", "reason"),
    [
        ("", "some words", "the summary has no words for this tokenisation (METEOR splits at white space)"),
        ("some words", " \n", "the reference has no words for this tokenisation (METEOR splits at white space)"),
    ],
)
def test_without_words_there_is_no_value(summary: str, reference: str, reason: str) -> None:
    table = TextTable()
    zero = np.zeros(1, dtype=np.int64)
    job = Job(table, "reference", table.intern([summary]), table.intern([reference]), np.array([0, 1]), zero)
    values = find_metric("meteor").compute(job, {"tok": "space", "lang": "en"})
    assert np.isnan(values.numbers).tolist() == [True]
    assert values.reasons == {0: reason}


@pytest.mark.parametrize("kernel", KERNELS)
def test_long_texts(kernel: str) -> None:
    words = [f"word{i % 977}" for i in range(100_000)]
    with use_kernels(kernel):
        (value,) = score_pairs([" ".join(words)], [" ".join(words)], ["meteor"])["meteor"]
    assert value == 1 - 0.5 * (1 / len(words)) ** 3


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_pairs_at_all(kernel: str) -> None:
    with use_kernels(kernel):
        assert score_pairs([], [], ["meteor", "meteor@source:tok=13a"]).shape == (0, 2)


def test_signature_and_parameters() -> None:
    assert parse_request("meteor@source:tok=13a").signature == "meteor|target:source|tok:13a|v:1"
    with pytest.raises(ParameterError, match="'space' or '13a'; got 'words'"):
        parse_request("meteor:tok=words")
