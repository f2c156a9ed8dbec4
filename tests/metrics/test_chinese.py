"""ROUGE, BLEU and chrF of Chinese: characters and words as tokens, sentences after 。！？, the signature."""

import gzip
import itertools
import json
import sys

import pytest
import sacrebleu

from dialgauge.errors import MissingExtraError, ParameterError
from dialgauge.language import _chinese as chinese, find_language
from dialgauge.metrics import parse_request, score_pairs, use_kernels
from dialgauge.metrics._language_tokens import split_by

HYPOTHESES = ["用户询问如何修改密码。客服请用户等待。", "客服表示 3 天内回电！", "好的", "用户问 iPhone 12 的价格？"]
REFERENCES = [
    "客服请用户耐心等待。用户询问怎样修改登录密码。",
    "客服回答三天内给用户回电。",
    "好的好的",
    "用户询问iPhone 12价格。",
]


ZH = find_language("zh")


def scores(metric):
    return score_pairs(HYPOTHESES, REFERENCES, [metric])[metric].to_list()


def lines(split):
    """The tokens of each text, line by line."""
    ids, breaks, offsets, words = split
    texts: list[list[list[str]]] = []
    for begin, end in itertools.pairwise(offsets):
        texts.append([])
        for token, is_first in zip(ids[begin:end], breaks[begin:end], strict=True):
            if is_first:
                texts[-1].append([])
            texts[-1][-1].append(words[token])
    return texts


def test_characters():
    assert lines(split_by(ZH.words, ZH, ["你好。再见！ a1", "", "行\n好"])) == [
        [["你", "好", "。"], ["再", "见", "！"], ["a", "1"]],
        [],
        [["行"], ["好"]],
    ]


def test_words():
    assert ZH.segment is not None
    assert lines(split_by(ZH.segment, ZH, ["用户询问密码。客服回答 iPhone。", "  "])) == [
        [["用户", "询问", "密码", "。"], ["客服", "回答", "iPhone", "。"]],
        [],
    ]


def test_without_jieba_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    chinese._cut.cache_clear()
    assert ZH.segment is not None
    with pytest.raises(MissingExtraError, match=r"dialgauge\[zh\]"):
        ZH.segment("好")
    chinese._cut.cache_clear()


@pytest.mark.parametrize("n", [1, 2])
def test_rouge_of_characters_by_counting(n):
    expected = []
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        ours, theirs = ("".join(text.split()) for text in (hypothesis, reference))
        grams = [[text[i : i + n] for i in range(len(text) - n + 1)] for text in (ours, theirs)]
        common = sum(min(grams[0].count(gram), grams[1].count(gram)) for gram in set(grams[0]))
        expected.append(2 * common / (len(grams[0]) + len(grams[1])))
    assert scores(f"rouge-{n}:tok=char") == pytest.approx(expected)


def test_rouge_lsum_reads_sentences_where_rouge_l_reads_the_whole():
    """The two sentences change places: sentence by sentence they still match."""
    pairs = ["甲乙丙。丁戊己。"], ["丁戊己。甲乙丙。"]
    for tok in ("char", "word"):
        found = score_pairs(*pairs, [f"rouge-l:tok={tok}", f"rouge-lsum:tok={tok}"])
        assert found[f"rouge-lsum:tok={tok}"][0] == 1
        assert found[f"rouge-l:tok={tok}"][0] < 1


def test_without_tok_chinese_has_no_words_for_rouge():
    assert scores("rouge-1")[0] is None
    assert scores("rouge-1:tok=word")[0] > 0


def test_bleu_of_characters_is_sacrebleus():
    """On texts that sacrebleu's Chinese tokeniser also splits into characters: no Latin letters, no digits."""
    pure = [(h, r) for h, r in zip(HYPOTHESES, REFERENCES, strict=True) if not any(c.isascii() for c in h + r)]
    assert len(pure) >= 2
    ours = score_pairs([h for h, _ in pure], [r for _, r in pure], ["bleu-4:tok=char"])["bleu-4:tok=char"]
    for value, (hypothesis, reference) in zip(ours, pure, strict=True):
        expected = sacrebleu.sentence_bleu(hypothesis, [reference], tokenize="zh").score
        assert value == pytest.approx(expected)


def test_words_change_chrf_plus_plus_only_in_its_words():
    assert scores("chrf++:tok=word") != scores("chrf++")
    # Without white space chrF++ takes a whole text for one word; jieba finds the words that are shared.
    assert scores("chrf++:tok=word")[0] > scores("chrf++")[0]


@pytest.mark.parametrize("metric", ["rouge-l:tok=char", "rouge-lsum:tok=word", "bleu-2:tok=word", "chrf++:tok=word"])
def test_both_kernels_agree(metric):
    with use_kernels("python"):
        expected = scores(metric)
    assert scores(metric) == expected


def test_the_tokenisation_is_in_the_signature():
    assert "tok:char" in parse_request("rouge-l:tok=char").signature.split("|")
    assert "tok:13a" in parse_request("bleu-4").signature.split("|")
    assert "tok:word" in parse_request("chrf++:tok=word").signature.split("|")


def test_stems_are_for_latin_words():
    with pytest.raises(ParameterError, match="stem"):
        scores("rouge-1:tok=char,stem=yes")


@pytest.mark.data
def test_characters_of_published_outputs(data_dir):
    """The mean over 800 summaries that was recorded when the published table was checked (ROUGE-1, ROUGE-2)."""
    folder = data_dir / "csds" / "csds_rouge"
    recorded = json.loads((folder / "csds_readme_table_check.json").read_text(encoding="utf-8"))["cells"]
    checked = 0
    with gzip.open(folder / "csds_baseline_outputs.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            output = json.loads(line)
            if output["system"] != "PGN" or "%" in "".join(output["pred"] + output["ref"]):
                continue
            metrics = ["rouge-1:tok=char", "rouge-2:tok=char"]
            found = score_pairs(output["pred"], output["ref"], metrics)
            cells = recorded["PGN"][output["mode"]]
            for metric, name in zip(metrics, ("R1", "R2"), strict=True):
                assert 100 * found[metric].mean() == pytest.approx(cells[name]["plain_mean"], abs=0.001)
            checked += 1
    assert checked
