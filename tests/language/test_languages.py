"""Languages: found by code, words and elisions, stems by Snowball, sentences, stop words, scripts without spaces."""

import random
import re
import unicodedata

import pytest
import snowballstemmer
from hypothesis import given, strategies as st

from dialgauge.errors import UnknownNameError
from dialgauge.language import (
    UNSPACED,
    all_languages,
    find_language,
    is_chinese_or_japanese,
    language_of,
    language_signature,
    nltk_sentences,
    porter_stem,
    unicode_words,
)
from dialgauge.language._words import word_pattern
from dialgauge.metrics.kernels import split_texts

SNOWBALL = {
    "fr": "french",
    "de": "german",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "ru": "russian",
    "sv": "swedish",
}

INFLECTED = ("continuellement", "häuser", "hablando", "cantavano", "falando", "boeken", "книгами", "bilarna")


def test_languages_are_found_by_their_codes() -> None:
    assert list(all_languages())[:10] == ["en", "zh", *SNOWBALL]
    assert find_language("fr").title == "French"
    with pytest.raises(UnknownNameError, match=r"unknown language 'frr'; did you mean 'fr'.*dialgauge languages"):
        find_language("frr")


@pytest.mark.parametrize(
    ("declared", "code"),
    [("fr", "fr"), ("FR-ca", "fr"), ("pt_BR", "pt"), ("French", "fr"), ("zh-Hans", "zh"), ("ja", "ja")],
)
def test_declared_languages_have_a_code(declared: str, code: str) -> None:
    assert language_of(declared) == code


def test_english_is_what_the_reference_implementations_read() -> None:
    english = find_language("en")
    assert english.sentences is nltk_sentences
    assert english.stem is porter_stem
    assert english.spaced
    assert language_signature("en") == "en"  # signatures of English values stay as they were


@given(st.lists(st.text(), max_size=5))
def test_english_words_are_those_of_rouge(texts: list[str]) -> None:
    lowered = [text.lower() for text in texts]
    ids, _, offsets, names = split_texts(lowered, "alphanumeric")
    words = find_language("en").words
    for i, text in enumerate(lowered):
        assert [names[token] for token in ids[offsets[i] : offsets[i + 1]]] == words(text)


@pytest.mark.parametrize(
    ("code", "text", "words"),
    [
        ("fr", "L'homme d’aujourd'hui n'a pas 3,5 €.", ["L", "homme", "d", "aujourd'hui", "n", "a", "pas", "3,5"]),
        ("fr", "Qu'a-t-il dit jusqu'à 10:30 ?", ["Qu", "a", "t", "il", "dit", "jusqu", "à", "10:30"]),
        ("fr", "Quelqu'un, presqu'île", ["Quelqu'un", "presqu'île"]),
        ("it", "Dell'anno c'è un po' d'acqua", ["Dell", "anno", "c", "è", "un", "po", "d", "acqua"]),
        (
            "de",
            "Das geht's: die E-Mail-Adresse für Köln",
            ["Das", "geht's", "die", "E", "Mail", "Adresse", "für", "Köln"],
        ),
        ("nl", "foto's zijn zo'n ding", ["foto's", "zijn", "zo'n", "ding"]),
        ("ru", "Кто-то ещё звонил.", ["Кто", "то", "ещё", "звонил"]),
        ("es", "¿Cuándo llamó? ¡Mañana!", ["Cuándo", "llamó", "Mañana"]),
        ("pt", "não é d'água", ["não", "é", "d", "água"]),
        ("sv", "Åke är på väg", ["Åke", "är", "på", "väg"]),
        ("zh", "用户 iOS。", ["用", "户", "i", "O", "S", "。"]),
    ],
)
def test_words(code: str, text: str, words: list[str]) -> None:
    assert find_language(code).words(text) == words
    assert find_language(code).words(unicodedata.normalize("NFD", text)) == words or code == "zh"


@pytest.mark.parametrize(("code", "algorithm"), SNOWBALL.items())
def test_stems_are_snowballs(code: str, algorithm: str) -> None:
    language = find_language(code)
    assert language.stem is not None
    theirs = snowballstemmer.stemmer(algorithm)
    words = [*sorted(language.stop_words), *INFLECTED]
    assert [language.stem(word) for word in words] == [theirs.stemWord(word) for word in words]
    assert any(language.stem(word) != word for word in words)
    assert re.fullmatch(rf"{code}\+snowball-\d+(\.\d+)+", language_signature(code))


@pytest.mark.parametrize(
    ("code", "text", "sentences"),
    [
        ("fr", "Mme. Roy appelle. Elle attend.", ["Mme. Roy appelle.", "Elle attend."]),
        ("de", "Sie kommt am 3. Mai, d.h. bald. Gut!", ["Sie kommt am 3. Mai, d.h. bald.", "Gut!"]),
        ("es", "La Sra. Gil llama. ¿Quién?", ["La Sra. Gil llama.", "¿Quién?"]),
        ("ru", "Он живёт на ул. Мира. Да.", ["Он живёт на ул. Мира.", "Да."]),
        ("zh", "用户询问。客服回答！", ["用户询问。", "客服回答！"]),
        ("en", "Mr. Lee calls. He waits.", ["Mr. Lee calls.", "He waits."]),
    ],
)
def test_sentences(code: str, text: str, sentences: list[str]) -> None:
    assert find_language(code).sentences(text) == sentences


@pytest.mark.parametrize("code", ["en", "zh", *SNOWBALL])
def test_stop_words_are_words_of_the_language(code: str) -> None:
    language = find_language(code)
    assert len(language.stop_words) > 60
    split = language.segment or language.words
    for word in language.stop_words:
        assert word == word.lower()
        assert "".join(split(word)) == word
        assert language.segment or split(word) == [word]


def test_one_table_of_scripts_without_spaces() -> None:
    unspaced = re.compile(f"[{UNSPACED}]")
    assert all(map(unspaced.match, "中あアｱไລကក𠀀"))
    assert not any(map(unspaced.match, "aéЖ한عह1"))
    assert unicode_words("中あア ไทย한국") == ["中", "あ", "ア", "ไ", "ท", "ย", "한국"]
    assert is_chinese_or_japanese("我用 iOS。これは")
    assert not is_chinese_or_japanese("สวัสดี")  # Thai sets sentences apart by spaces


def test_ascii_has_the_words_of_the_rule_for_all_scripts() -> None:
    generator = random.Random(0)
    for _ in range(2_000):
        text = "".join(generator.choices("abAZ019 .,:;'-_\n\t'", k=12))
        assert unicode_words(text) == word_pattern().findall(text)
    text = "".join(map(chr, range(128)))
    assert unicode_words(text) == word_pattern().findall(text)
