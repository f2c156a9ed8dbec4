"""Sentences and words as NLTK cuts them. The expected cuts were made with NLTK 3.10 and its English Punkt data."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from benchmarks.pairs import load_pairs
from dialgauge.language import nltk_sentences
from dialgauge.metrics._treebank import split_by_rules, treebank_words

SENTENCES = {
    "": [],
    " \n ": [],
    "One. Two? Three!": ["One.", "Two?", "Three!"],
    "Dr. Wolf sees the customer at 4 p.m. The customer waits.": [
        "Dr. Wolf sees the customer at 4 p.m.",
        "The customer waits.",
    ],
    "Agent: Dr. Wolf can see you at 4 p.m. Customer: 4 p.m. is good.": [
        "Agent: Dr. Wolf can see you at 4 p.m.",
        "Customer: 4 p.m. is good.",
    ],
    "He met Mrs. Keller. They talked.": ["He met Mrs. Keller.", "They talked."],
    "Dinner is at 8. Lee orders.": ["Dinner is at 8.", "Lee orders."],
    "Wait... what is it?": ["Wait... what is it?"],
    'She said "Go." Then she left.': ['She said "Go."', "Then she left."],
    "Ivy  and\tJoe have\nno news .": ["Ivy  and\tJoe have\nno news ."],
    "客户要求退款。客服同意了。": ["客户要求退款。客服同意了。"],
    "... !!! ??? --": ["...", "!", "!!", "?", "??", "--"],
    "I got the job!!!": ["I got the job!!", "!"],
}
WORDS = {
    "Don't go, she'll cry; it's 7:45 at Tom's.": "Do n't go , she 'll cry ; it 's 7:45 at Tom 's .",
    'He said "hi there", didn\'t he?': "He said `` hi there '' , did n't he ?",
    "I cannot, I'm gonna pay $3.50 (or 4%).": "I can not , I 'm gon na pay $ 3.50 ( or 4 % ) .",
    "well... ok -- fine.": "well ... ok -- fine .",
    "It ends in quotes.'": "It ends in quotes . '",
    "e.g. this, U.S. made, p.m.": "e.g. this , U.S. made , p.m .",
}


@pytest.mark.parametrize("text", SENTENCES, ids=repr)
def test_sentences(text: str) -> None:
    assert nltk_sentences(text) == SENTENCES[text]


@given(st.text(alphabet="ab A.!?'\")\n 8…", max_size=40))
def test_sentences_lose_only_white_space(text: str) -> None:
    sentences = nltk_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


@given(st.text(alphabet="ab A.!?,()\n 8$", max_size=40))
def test_words_lose_only_white_space(text: str) -> None:
    words = treebank_words(text)
    assert "".join(words) == "".join(text.split())
    assert not any(set(word) & set(" \n") for word in words)


def test_words_equal_those_of_nltk(golden_dir: Path) -> None:
    """The Treebank rules of NLTK need no data: sentence by sentence they are an oracle."""
    from nltk.tokenize import NLTKWordTokenizer

    texts = list(WORDS)
    for line in (golden_dir / "texts.jsonl").open(encoding="utf-8"):
        dialogue = json.loads(line)
        texts += [dialogue["source"], dialogue["reference"], *dialogue["systems"].values()]
    tokenizer = NLTKWordTokenizer()
    for text in texts:
        assert treebank_words(text) == by_rules(text)
        assert treebank_words(text) == [word for part in nltk_sentences(text) for word in tokenizer.tokenize(part)]


@pytest.mark.parametrize("text", WORDS, ids=repr)
def test_words(text: str) -> None:
    assert treebank_words(text) == WORDS[text].split()


def by_rules(text: str) -> list[str]:
    """All rules on whole sentences; some of them ask for a space, and any white space counts as one here."""
    return [word for sentence in nltk_sentences(text) for word in split_by_rules(" ".join(sentence.split()))]


@pytest.mark.data
def test_the_short_cut_gives_the_words_of_the_rules_on_real_texts(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALGAUGE_DATA", str(data_dir))
    pairs = load_pairs()
    assert pairs.origin.startswith("DialSummEval")
    texts = {*pairs.summaries, *pairs.references, *pairs.sources}
    for text in texts | {text.lower() for text in texts}:
        assert treebank_words(text) == by_rules(text)


@given(
    st.lists(
        st.sampled_from(["cannot", "gImme", "g\u0131mme", "d'ye", "more'n", "'tis", "Tom", "4pm", "u.s", "é"])
        | st.sampled_from(["n't", "N'T", "N't", "'ll", "'LL", "'Re", "'VE", "'m", "'D", "'S", "..", "..."])
        | st.text(alphabet="ab1\u0131.,:;?!'\"`-()$…", max_size=4),
        max_size=8,
    ),
    st.sampled_from([" ", "", "  ", "\n"]),
)
@example(["cannot", "'tis", ")"], "\n")
@example(["'", "'ll"], "")
@example(['""'], " ")
def test_the_short_cut_gives_the_words_of_the_rules(parts: list[str], glue: str) -> None:
    text = glue.join(parts)
    assert treebank_words(text) == by_rules(text)


@given(st.text(max_size=40))
def test_the_short_cut_gives_the_words_of_the_rules_on_any_text(text: str) -> None:
    assert treebank_words(text) == by_rules(text)
