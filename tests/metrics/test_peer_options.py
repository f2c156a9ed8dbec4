"""Options of sacrebleu and rouge-score beyond their defaults, with both kernels, on texts of many kinds."""

import pytest
from hypothesis import example, given, settings, strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from dialgauge.errors import ParameterError
from dialgauge.metrics import TextTable, parse_request, score_pairs, use_kernels
from dialgauge.metrics._tokenize import tokens, vocabulary
from tests.metrics.ngram_texts import KERNELS, texts

BLEUS = {
    "tok=none": {"tokenize": "none"},
    "tok=intl": {"tokenize": "intl"},
    "tok=zh": {"tokenize": "zh"},
    "tok=zh,case=lower": {"tokenize": "zh", "lowercase": True},
    "case=lower": {"lowercase": True},
    "tok=intl,case=lower": {"tokenize": "intl", "lowercase": True},
    "smooth=floor,value=0.5": {"smooth_method": "floor", "smooth_value": 0.5},
    "smooth=add-k,value=2": {"smooth_method": "add-k", "smooth_value": 2},
}
CHRFS = {
    "beta=3": {"beta": 3},
    "beta=0": {"beta": 0},
    "beta=0.5": {"beta": 0.5},
    "beta=20": {"beta": 20},
    "chars=4": {"char_order": 4},
    "chars=15": {"char_order": 15},
    "smooth=eps": {"eps_smoothing": True},
    "space=keep": {"whitespace": True},
    "case=lower": {"lowercase": True},
    "beta=1,chars=3,smooth=eps,space=keep,case=lower": {
        "beta": 1,
        "char_order": 3,
        "eps_smoothing": True,
        "whitespace": True,
        "lowercase": True,
    },
}
worded = texts.filter(lambda text: bool(text.split()))
pairs = st.lists(st.tuples(worded, worded), min_size=1, max_size=3)


@pytest.mark.parametrize("kernel", KERNELS)
@given(pairs=pairs)
@settings(deadline=None, max_examples=40)
def test_bleu(kernel: str, pairs: list[tuple[str, str]]) -> None:
    summaries, references = map(list, zip(*pairs, strict=True))
    columns = [f"bleu-4:{given}" for given in BLEUS] + [f"corpus-bleu:{given}" for given in BLEUS]
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, columns)
    for given_, options in BLEUS.items():
        sentence, corpus = BLEU(effective_order=True, **options), BLEU(**options)
        expected = [sentence.sentence_score(text, [other]).score for text, other in pairs]
        found = frame[parse_request(f"bleu-4:{given_}").column].to_list()
        assert found == [value if one is not None else None for value, one in zip(expected, found, strict=True)]
        (value,) = set(frame[parse_request(f"corpus-bleu:{given_}").column].to_list())
        assert value is None or value == corpus.corpus_score(summaries, [references]).score


_CHINESE = [
    chr(point)
    for first in (0x2000, 0x2A60, 0x2E80, 0x2F78, 0x4DB0, 0x9FB0, 0xFA20, 0xFFE0, 0x1FFF8)
    for point in range(first, first + 32)
]
_mixed = st.text(st.sampled_from([*_CHINESE, *"客户要求退款。，“”Ab12.,- \u3000"]), min_size=1, max_size=25)


@given(text=_mixed)
@settings(deadline=None, max_examples=400)
@example(text="5.")
@example(text=".5 客户3.5元,好")
def test_chinese_and_other_text_is_split_as_by_sacrebleu(text: str) -> None:
    expected = TokenizerZh()(text).split()
    table = TextTable()
    found = tokens(table, "mteval-zh", table.intern([text]))
    words = vocabulary(table, "mteval-zh")
    assert [words[number] for number in found.of(0)] == expected


@pytest.mark.parametrize("order", [1, 2, 3, 6, 9])
def test_corpus_bleu_of_other_orders(order: int) -> None:
    summaries = ["the caller wants a refund for the broken phone today", "they agree on Monday at noon"]
    references = ["the caller wants a refund for the broken screen today", "they agree to meet on Monday at noon"]
    (value, _) = score_pairs(summaries, references, [f"corpus-bleu:order={order}"]).to_series()
    assert value == BLEU(max_ngram_order=order).corpus_score(summaries, [references]).score


@pytest.mark.parametrize("kernel", KERNELS)
@given(pairs=pairs)
@settings(deadline=None, max_examples=40)
def test_chrf(kernel: str, pairs: list[tuple[str, str]]) -> None:
    summaries, references = map(list, zip(*pairs, strict=True))
    columns = [f"{name}:{given}" for given in CHRFS for name in ("chrf", "chrf++", "corpus-chrf")]
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, columns)
    for given_, options in CHRFS.items():
        for name, words in (("chrf", 0), ("chrf++", 2)):
            peer = CHRF(word_order=words, **options)
            expected = [peer.sentence_score(text, [other]).score for text, other in pairs]
            assert frame[parse_request(f"{name}:{given_}").column].to_list() == pytest.approx(expected, abs=1e-12)
        (value,) = set(frame[parse_request(f"corpus-chrf:{given_}").column].to_list())
        assert value == pytest.approx(CHRF(**options).corpus_score(summaries, [references]).score, abs=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
@given(pairs=pairs)
@settings(deadline=None, max_examples=40)
def test_long_sequences(kernel: str, pairs: list[tuple[str, str]]) -> None:
    summaries, references = map(list, zip(*pairs, strict=True))
    with use_kernels(kernel):
        frame = score_pairs(summaries, references, ["rouge-n", "rouge-n-p:n=9", "rouge-n-r:n=2,stem=yes"])
    peer, stemmed = RougeScorer(["rouge5", "rouge9"]), RougeScorer(["rouge2"], use_stemmer=True)
    for row, (text, other) in zip(frame.rows(), pairs, strict=True):
        if None not in row:
            scores = peer.score(other, text)
            expected = (
                scores["rouge5"].fmeasure,
                scores["rouge9"].precision,
                stemmed.score(other, text)["rouge2"].recall,
            )
            assert row == expected


def test_sentences_are_lines() -> None:
    """As with ``split_summaries``: where a sentence ends at a full stop, both split alike."""
    text, other = "First sentence. Second one here.", "Second one here. First sentence."
    columns = ["rouge-lsum", "rouge-lsum:lines=sentences"]
    given_, split = score_pairs([text], [other], columns).row(0)
    lines, _ = score_pairs([text.replace(". ", ".\n")], [other.replace(". ", ".\n")], columns).row(0)
    assert given_ < split == lines == 1


def test_a_value_without_a_use_is_refused() -> None:
    with pytest.raises(ParameterError, match="smooth=exp has none"):
        score_pairs(["a"], ["a"], ["bleu-4:value=2"])
