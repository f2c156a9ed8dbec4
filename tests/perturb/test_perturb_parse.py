"""Words, sentences, languages and the parser."""

import pytest
from hypothesis import given, strategies as st

from dialgauge.errors import DialgaugeError
from dialgauge.perturb import _parse as parse_module, outline, parse
from dialgauge.perturb._language import foreign
from dialgauge.perturb._parse import PARSER_VARIABLE


@given(st.text())
def test_words_and_sentences_lie_in_order_inside_the_text(text: str) -> None:
    parsed = outline(text)
    for spans in (parsed.words, parsed.sentences):
        position = 0
        for start, end in spans:
            assert position <= start < end <= len(text)
            position = end
    assert bool(parsed.words) == bool(parsed.sentences)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. Hill paid $1.50. He left!", ["Mr. Hill paid $1.50.", "He left!"]),
        ('"Stop!" she said. Then', ['"Stop!"', "she said.", "Then"]),
        ("one\ntwo", ["one", "two"]),
        ("退款。谢谢！", ["退款。", "谢谢！"]),
        ("He moved to the U.S. in May. He likes it.", ["He moved to the U.S. in May.", "He likes it."]),
        ("Bus No. 713 is late. No. She walks.", ["Bus No. 713 is late.", "No.", "She walks."]),
        ("He came at 1 a.m. to help. It was 2 p.m. Then", ["He came at 1 a.m. to help.", "It was 2 p.m.", "Then"]),
        ("…", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in outline(text).sentences] == sentences


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("The customer wants a refund.", None, None),
        ("客户要求退款。", None, "Chinese"),
        ("返金をお願いします。", None, "Japanese"),
        ("Клиент хочет вернуть деньги.", None, "Cyrillic script"),
        ("Der Kunde ist nicht zufrieden und will das Geld.", None, "German"),
        ("Le client est en colère et la société ne veut pas.", None, "French"),
        ("OK", None, None),
        ("OK", "zh", "zh"),
        ("客户", "en-GB", None),
    ],
)
def test_foreign_languages_are_noticed(text: str, declared: str | None, language: str | None) -> None:
    assert foreign(text, declared) == language


@pytest.mark.usefixtures("parser")
def test_tokens_point_into_the_original_text() -> None:
    text = "#Person1# told <NAME> that  Ivo'd called\n#Person2#'s wife."
    parsed = parse(text)
    assert [token.text for token in parsed.tokens] == (
        ["#Person1#", "told", "<NAME>", "that", "Ivo", "'d", "called", "#Person2#", "'s", "wife", "."]
    )
    assert all(text[token.start : token.end] == token.text for token in parsed.tokens)
    assert [token.i for token in parsed.tokens] == list(range(len(parsed.tokens)))
    assert [token.sentence for token in parsed.tokens] == [0] * 7 + [1] * 4
    subject = parsed.tokens[0]
    assert subject.dep == "nsubj"
    assert parsed.tokens[subject.head].text == "told"
    assert text[parsed.chunks[0].start : parsed.chunks[0].end] == "#Person1#"


@pytest.mark.usefixtures("parser")
def test_subtrees_are_spans_of_tokens() -> None:
    parsed = parse("The man in the hat sleeps.")
    man = parsed.tokens[1]
    assert [token.text for token in parsed.subtree(man)] == ["The", "man", "in", "the", "hat"]
    assert man.unbroken


@pytest.mark.usefixtures("parser")
def test_a_text_is_parsed_once() -> None:
    assert parse("Ivo called twice today.") is parse("Ivo called twice today.")


@pytest.mark.parametrize("named", ["folder:/no/such/folder", "no_such_spacy_package"])
def test_a_parser_that_is_not_here_is_an_error_that_names_it(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    monkeypatch.setenv(PARSER_VARIABLE, named)
    with pytest.raises(DialgaugeError, match=named.partition(":")[2] or named):
        parse_module._pipeline.__wrapped__()
