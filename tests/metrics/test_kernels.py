"""The kernels against plain definitions, and the compiled ones against their Python versions."""

import random
import re
import threading
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metrics import TextTable, kernel_name, score_pairs, use_kernels
from dialgauge.metrics._tokenize import tokens
from dialgauge.metrics.kernels import (
    SplitRule,
    TargetSets,
    Tokens,
    call,
    lcs_length,
    lcs_union,
    ngram_match,
    overlaps,
    split_texts,
)
from tests.metrics.ngram_texts import KERNELS, texts

TOKENISERS = ("rouge", "rouge-stem", "13a", "whitespace", "chrf-words", "characters")
id_lists = st.lists(st.lists(st.integers(0, 4), max_size=12), min_size=1, max_size=6)


def as_tokens(lists: list[list[int]], lines: list[list[int]] | None = None) -> Tokens:
    """Token lists as the kernels want them; ``lines`` says where in each list a line begins."""
    lengths = np.array([len(ids) for ids in lists], dtype=np.int64)
    breaks = [int(i == 0 or i in (lines[t] if lines else ())) for t, ids in enumerate(lists) for i in range(len(ids))]
    return Tokens(
        np.array([i for ids in lists for i in ids], dtype=np.int32),
        np.array(breaks, dtype=np.uint8),
        np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64),
        lengths,
        1 + max((i for ids in lists for i in ids), default=0),
    )


def all_pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(count), count), np.tile(np.arange(count), count)


def lcs_table(target: list[int], hypothesis: list[int]) -> list[list[int]]:
    table = [[0] * (len(hypothesis) + 1) for _ in range(len(target) + 1)]
    for i, one in enumerate(target):
        for j, other in enumerate(hypothesis):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
    return table


def union_by_table(hypothesis: list[list[int]], target: list[list[int]]) -> int:
    unspent, hits = Counter(token for line in hypothesis for token in line), 0
    for line in target:
        union = set()
        for other in hypothesis:
            table, i, j = lcs_table(line, other), len(line), len(other)
            while i and j:
                if line[i - 1] == other[j - 1]:
                    i, j = i - 1, j - 1
                    union.add(i)
                elif table[i][j - 1] > table[i - 1][j]:
                    j -= 1
                else:
                    i -= 1
        for position in sorted(union):
            hits += unspent[line[position]] > 0
            unspent[line[position]] -= unspent[line[position]] > 0
    return hits


@pytest.mark.parametrize("kernel", KERNELS)
@given(lists=id_lists)
def test_ngram_match_is_the_clipped_count(kernel: str, lists: list[list[int]]) -> None:
    hypotheses, targets = all_pairs(len(lists))
    with use_kernels(kernel):
        found = ngram_match(as_tokens(lists), hypotheses, TargetSets.single(targets, len(lists)), 5)
    for row, hypothesis, target in zip(found, hypotheses, targets, strict=True):
        for n in range(1, 6):
            grams = [Counter(tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)) for ids in map(tuple, lists)]
            assert row[n - 1] == (grams[hypothesis] & grams[target]).total()


@pytest.mark.parametrize("kernel", KERNELS)
@given(lists=id_lists)
def test_several_targets_allow_the_largest_count(kernel: str, lists: list[list[int]]) -> None:
    everything = np.arange(len(lists))
    sets = TargetSets.several(np.tile(everything, len(lists)), np.arange(len(lists) + 1) * len(lists))
    assert len(sets.offsets) == 2  # equal sets are one
    with use_kernels(kernel):
        found = ngram_match(as_tokens(lists), everything, sets, 3)
    for hypothesis in range(len(lists)):
        for n in range(1, 4):
            grams = [Counter(tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)) for ids in lists]
            limit: Counter = Counter()
            for counts in grams:
                limit |= counts
            assert found[hypothesis, n - 1] == (grams[hypothesis] & limit).total()


@pytest.mark.parametrize("kernel", KERNELS)
@given(lists=id_lists)
def test_lcs_length_is_that_of_the_table(kernel: str, lists: list[list[int]]) -> None:
    hypotheses, targets = all_pairs(len(lists))
    with use_kernels(kernel):
        found = lcs_length(as_tokens(lists), hypotheses, targets)
    expected = [lcs_table(lists[t], lists[h])[-1][-1] for h, t in zip(hypotheses, targets, strict=True)]
    assert found.tolist() == expected


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(8))
def test_lcs_of_lines_longer_than_a_machine_word(kernel: str, seed: int) -> None:
    choose = random.Random(seed)
    lists = [[choose.randrange(6) for _ in range(choose.choice([63, 64, 65, 128, 129, 200]))] for _ in range(6)]
    cuts = [sorted(choose.sample(range(1, len(ids)), choose.choice([0, 1, 2]))) for ids in lists]
    lines = [
        [ids[a:b] for a, b in zip([0, *cut], [*cut, len(ids)], strict=True)]
        for ids, cut in zip(lists, cuts, strict=True)
    ]
    hypotheses, targets = all_pairs(len(lists))
    packed = as_tokens(lists, cuts)
    with use_kernels(kernel):
        lengths, hits = lcs_length(packed, hypotheses, targets), lcs_union(packed, hypotheses, targets)
    for length, hit, h, t in zip(lengths, hits, hypotheses, targets, strict=True):
        assert length == lcs_table(lists[t], lists[h])[-1][-1]
        assert hit == union_by_table(lines[h], lines[t])


@pytest.mark.parametrize("tokeniser", TOKENISERS)
@given(strings=st.lists(texts, min_size=1, max_size=5))
def test_both_tokenisers_agree(tokeniser: str, strings: list[str]) -> None:
    found = []
    for kernel in KERNELS:
        table = TextTable()
        with use_kernels(kernel):
            found.append(tokens(table, tokeniser, table.intern(strings)))
    for part in ("ids", "breaks", "starts", "lengths"):
        assert getattr(found[0], part).tolist() == getattr(found[1], part).tolist()
    assert found[0].size == found[1].size


@pytest.mark.parametrize("kernel", KERNELS)
def test_texts_are_tokenised_when_they_are_asked_for(kernel: str) -> None:
    table = TextTable()
    ids = table.intern(["one two", "two three", "three one\n\nfour"])
    with use_kernels(kernel):
        first = tokens(table, "rouge", ids[:1])
        assert first.lengths.tolist() == [2, -1, -1]
        assert first.line_counts().tolist() == [1, 0, 0]
        later = tokens(table, "rouge", ids[2:], table.intern(["five"]))
    assert later.lengths.tolist() == [2, -1, 3, 1]
    assert later.of(0) == first.of(0) == [0, 1]
    assert later.lines(2) == [[2, 0], [3]]
    assert later.line_counts().tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize("kernel", KERNELS)
def test_odd_characters_do_not_break_the_tokenisers(kernel: str) -> None:
    strings = ["", "\ud800 lone surrogate", "nul\x00 byte", "\U0010ffff", "\u2028 line separator \u0085", "K İ"]
    table = TextTable()
    with use_kernels(kernel):
        for tokeniser in TOKENISERS:
            words = tokens(table, tokeniser, table.intern(strings))
            assert words.lengths[0] == 0
            assert (words.lengths[1:] > 0).sum() >= 4
        rouge = tokens(table, "rouge", np.arange(len(strings)))
    # Python lower-cases the Kelvin sign to k and the dotted capital I to i with a dot, which splits the word.
    assert len(rouge.of(5)) == len(re.findall("[a-z0-9]+", strings[5].lower())) == 2


def test_an_unknown_tokeniser_is_named() -> None:
    with pytest.raises(UnknownNameError, match="tokeniser 'rogue'; did you mean 'rouge'"):
        tokens(TextTable(), "rogue")


def test_the_environment_chooses_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_KERNELS", "python")
    assert kernel_name() == "python"
    with pytest.raises(ValueError, match="Python versions"):
        call("dg_lcs_length")
    with use_kernels("c"):
        assert kernel_name() == "c"
    monkeypatch.setenv("DIALGAUGE_KERNELS", "rust")
    with pytest.raises(ParameterError, match="DIALGAUGE_KERNELS"):
        kernel_name()


def test_a_strided_array_is_refused() -> None:
    with use_kernels("c"), pytest.raises(ValueError, match="contiguous"):
        call("dg_characters", np.zeros(8, dtype=np.uint32)[::2])


def test_threads_do_not_disturb_each_other() -> None:
    choose = random.Random(3)
    lists = [[choose.randrange(30) for _ in range(80)] for _ in range(40)]
    packed, (hypotheses, targets) = as_tokens(lists), all_pairs(40)
    sets = TargetSets.single(targets, 40)
    expected = ngram_match(packed, hypotheses, sets, 4), lcs_length(packed, hypotheses, targets)
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            found = ngram_match(packed, hypotheses, sets, 4), lcs_length(packed, hypotheses, targets)
            if not all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True)):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_hundred_thousand_words_on_both_sides(kernel: str) -> None:
    choose = random.Random(5)
    names, weights = [f"w{i}" for i in range(5000)], [1 / (i + 1) for i in range(5000)]
    one, other = (" ".join(choose.choices(names, weights, k=100_000)) for _ in range(2))
    start = time.process_time()
    with use_kernels(kernel):
        row = score_pairs([one], [other], ["rouge-1", "rouge-l", "rouge-lsum", "bleu-4", "chrf"]).row(0, named=True)
    assert time.process_time() - start < 120  # a table of 10^10 cells would take hours
    assert 0 < row["rouge-l"] == row["rouge-lsum"] < row["rouge-1"] < 1


@settings(max_examples=50)
@given(summaries=st.lists(texts, min_size=1, max_size=4), target=texts)
def test_every_metric_is_the_same_with_both_kernels(summaries: list[str], target: str) -> None:
    specs = ["rouge", "rouge:stem=yes", "bleu", "bleu-4:smooth=nlg-eval"]
    specs += ["chrf", "chrf++", "corpus-chrf", "corpus-chrf++"]
    frames = []
    for kernel in KERNELS:
        with use_kernels(kernel):
            frames.append(score_pairs(summaries, [target] * len(summaries), specs))
    assert frames[0].equals(frames[1])
    assert frames[0].width == 18 * 2 + 5 + 4 + 1


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("rule", ["alphanumeric", "whitespace"])
def test_words_are_the_same_in_lower_case_whoever_splits(rule: SplitRule, lower: bool) -> None:
    """Letters that become ASCII (K), two (İ) or depend on their neighbours (Σ), and words longer than a key."""
    given = ["The \u212aing’s İstanbul ΟΔΟΣ, Σ", "", "abcdefgh abcdefghi bcdefgha ABCDEFGHI\nihgfedcba x\ud800y 007"]
    given += ["ΑΣ a\n\nb", " ".join(f"{letter * 8}{number}" for letter in "abc" for number in range(1500))]
    found = []
    for kernel in ("c", "python"):
        with use_kernels(kernel):  # type: ignore[arg-type]
            ids, breaks, offsets, words = split_texts(given, rule, lower=lower)
            found.append((ids.tolist(), breaks.tolist(), offsets.tolist(), list(words)))
    assert found[0] == found[1]
    one_by_one = [text.lower() for text in given] if lower else given
    with use_kernels("python"):
        assert found[0][3] == list(split_texts(one_by_one, rule)[3])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("lengths", [(0, 1, 2, 7, 30), (63, 64, 65, 3), (0, 64, 128, 5)])
def test_overlaps_are_matches_and_then_the_lcs(kernel: str, lengths: tuple[int, ...]) -> None:
    """Targets that fit into a machine word, those that do not, and both together."""
    choose = random.Random(sum(lengths))
    lists = [[choose.randrange(6) for _ in range(length)] for length in lengths]
    packed, (hypotheses, targets) = as_tokens(lists), all_pairs(len(lists))
    with use_kernels(kernel):  # type: ignore[arg-type]
        found = overlaps(packed, hypotheses, targets, 5)
        nothing = overlaps(packed, hypotheses[:0], targets[:0], 5)
    with use_kernels("python"):
        expected = ngram_match(packed, hypotheses, TargetSets.single(targets, len(lists)), 5)
    np.testing.assert_array_equal(found[:, :5], expected)
    assert found[:, 5].tolist() == [
        lcs_table(lists[t], lists[h])[-1][-1] for h, t in zip(hypotheses, targets, strict=True)
    ]
    assert nothing.shape == (0, 6)
