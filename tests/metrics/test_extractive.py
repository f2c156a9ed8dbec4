"""Text statistics: hand-computed cases, the published greedy algorithm as an oracle, scripts, and long texts."""

import math
import random
import time

import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.language import split_sentences
from dialgauge.metrics import find_metric, score, score_pairs
from dialgauge.metrics._text_statistics import MAX_SENTENCES
from dialgauge.metrics._words import split_words

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=12)


def value(metric: str, summary: str, target: str | list[str] | None = None) -> float | None:
    return score_pairs([summary], None if target is None else [target], [metric]).item()


def greedy_fragments(source: list[str], summary: list[str]) -> list[int]:
    """Grusky et al. 2018 as printed: at each word the longest run that any place of the source shares."""
    found, i = [], 0
    while i < len(summary):
        best = 0
        for j in range(len(source)):
            length = 0
            while i + length < len(summary) and j + length < len(source) and summary[i + length] == source[j + length]:
                length += 1
            best = max(best, length)
        if best:
            found.append(best)
        i += max(best, 1)
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't pay $3.50 at 10:30, please!", ["don't", "pay", "3.50", "at", "10:30", "please"]),
        ("It’s e-mail_x", ["it's", "e", "mail", "x"]),
        ("你好，世界 ok", ["你", "好", "世", "界", "ok"]),
        ("हिन्दी किताब", ["हिन्दी", "किताब"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("ดี", ["ดี"]),
        ("Cafe\u0301 CAFÉ", ["café", "café"]),
        ("🙂 :-) …", []),
        ("\U00020000\U00020001", ["\U00020000", "\U00020001"]),
        ("", []),
    ],
)
def test_words_of_any_script(text: str, words: list[str]) -> None:
    assert split_words(text, "words", "lower") == words


def test_tokenisation_parameters() -> None:
    assert split_words("Hi , Ann .", "space", "lower") == ["hi", ",", "ann", "."]
    assert split_words("Hi, Ann", "words", "keep") == ["Hi", "Ann"]
    assert value("length", "Hi , Ann .") == 2
    assert value("length:tok=space", "Hi , Ann .") == 4
    assert value("novel-1", "ANN", "ann") == 0
    assert value("novel-1:case=keep", "ANN", "ann") == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mr. Smith called. He left!", 2),
        ('"Go!" she said. He went (at last). Done', 4),
        ("He said no. She agreed.", 2),
        ("J. Doe is here, e.g. today.", 1),
        ("It was him and I. Then we left.", 2),
        ("version 3.5 is out.", 1),
        ("Really?! Yes... maybe.", 3),
        ("你好。再见！", 2),
        ("one line\nanother line\n\n", 2),
        ("... !!! 🙂", 0),
        ("", 0),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count
    assert value("sentences", text) == count


def test_fragments_by_hand() -> None:
    # Fragments "the cat" (2), "on the mat" (3); "sat" is new: coverage 5/6, density (4 + 9)/6, 6 words from 6.
    summary, source = "the cat sat on the mat", "on the mat the cat slept"
    assert value("coverage", summary, source) == pytest.approx(5 / 6, abs=1e-15)
    assert value("density", summary, source) == pytest.approx(13 / 6, abs=1e-15)
    assert value("compression", summary, source) == 1
    assert value("compression", "two words", "one two three four five") == 2.5
    # The greedy choice is taken from the left: "a b c" wins over the later, longer "b c d e".
    assert value("density", "a b c d e", "a b c . b c d e") == pytest.approx((9 + 4) / 5, abs=1e-15)
    assert value("coverage", "x y", "a b") == 0


def test_novel_by_hand() -> None:
    summary, source = "the cat sat on the mat", "on the mat the cat slept"
    expected = {1: 1 / 6, 2: 2 / 5, 3: 3 / 4, 4: 1.0}
    for n, share in expected.items():
        assert value(f"novel-{n}", summary, source) == pytest.approx(share, abs=1e-15)
    assert value("novel-1", "x x x a", "a") == 3 / 4
    assert value("novel-1:count=types", "x x x a", "a") == 1 / 2


def test_repetition_and_redundancy_by_hand() -> None:
    text = "a b a b c"  # words a×2, b×2, c; pairs ab×2, ba, bc; triples all different
    assert value("redundancy-1", text) == pytest.approx(2 / 3, abs=1e-15)
    assert value("redundancy-2", text) == pytest.approx(1 / 3, abs=1e-15)
    assert value("redundancy-3", text) == 0
    assert value("repetition-1", text) == pytest.approx(1 - 3 / 5, abs=1e-15)
    assert value("repetition-2", text) == pytest.approx(1 - 3 / 4, abs=1e-15)
    assert value("repetition-3", text) == 0


def test_redundancy_l_by_hand() -> None:
    # "she called the bank" / "the bank called her back": longest common subsequence "the bank", F1 = 2·2/(4 + 5).
    assert value("redundancy-l", "She called the bank. The bank called her back.") == pytest.approx(4 / 9, abs=1e-15)
    assert value("redundancy-l", "Yes. Something else. YES!") == 1
    assert value("redundancy-l", "Only one sentence here.") == 0


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS.filter(bool), min_size=2, max_size=6))
def test_redundancy_l_is_the_highest_rouge_l_of_rouge_score(sentences: list[list[str]]) -> None:
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
    scorer = rouge_scorer.RougeScorer(["rougeL"])
    texts = [" ".join(words) for words in sentences]
    expected = max(scorer.score(texts[i], texts[j])["rougeL"].fmeasure for i in range(len(texts)) for j in range(i))
    assert value("redundancy-l", "\n".join(texts)) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(source=WORDS.filter(bool), summary=WORDS.filter(bool))
def test_against_definitions(source: list[str], summary: list[str]) -> None:
    frame = score_pairs([" ".join(summary)], [" ".join(source)], ["statistics", "novel-2:count=types"])
    fragments = greedy_fragments(source, summary)
    assert frame["coverage"].item() == pytest.approx(sum(fragments) / len(summary), abs=1e-12)
    assert frame["density"].item() == pytest.approx(sum(f * f for f in fragments) / len(summary), abs=1e-12)
    assert frame["compression"].item() == pytest.approx(len(source) / len(summary), abs=1e-12)

    def grams(words: list[str], n: int) -> list[tuple[str, ...]]:
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    for n in (1, 2, 3, 4):
        own, theirs = grams(summary, n), set(grams(source, n))
        if not own:
            assert frame[f"novel-{n}"].item() is None
            continue
        assert frame[f"novel-{n}"].item() == pytest.approx(sum(g not in theirs for g in own) / len(own), abs=1e-12)
        if n == 2:
            share = len(set(own) - theirs) / len(set(own))
            assert frame["novel-2:count=types"].item() == pytest.approx(share, abs=1e-12)
        if n <= 3:
            distinct = set(own)
            repeated = sum(own.count(g) > 1 for g in distinct) / len(distinct)
            assert frame[f"redundancy-{n}"].item() == pytest.approx(repeated, abs=1e-12)
            assert frame[f"repetition-{n}"].item() == pytest.approx(1 - len(distinct) / len(own), abs=1e-12)


def test_several_targets_are_averaged() -> None:
    assert value("novel-1", "a b", ["a", "a b"]) == pytest.approx(0.25, abs=1e-15)
    assert value("compression", "a b", ["a", "a b c"]) == pytest.approx(1.0, abs=1e-15)
    assert value("novel-1", "a b", ["...", "a"]) == pytest.approx(0.5, abs=1e-15)
    assert value("coverage", "a b", ["", "..."]) is None


def corpus_of(summary: str, source: str) -> Corpus:
    return Corpus.build([Dialogue("d", (Turn("", source),))], [Summary("d", "s", summary)])


@pytest.mark.parametrize(
    ("summary", "source", "metric", "reason"),
    [
        ("", "some words", "coverage", "the summary has no words"),
        ("?!", "some words", "compression", "the summary has no words"),
        ("", "some words", "redundancy-l", "the summary has no words"),
        ("two words", "some words", "novel-3", "the summary has fewer than 3 words"),
        ("one", "some words", "redundancy-2", "the summary has fewer than 2 words"),
        ("two words", "", "density", "the source has no words"),
        ("two words", "…", "novel-1", "the source has no words"),
    ],
)
def test_no_value_has_a_reason(summary: str, source: str, metric: str, reason: str) -> None:
    scores = score(corpus_of(summary, source), [metric])
    assert scores.frame[metric].to_list() == [None]
    assert scores.failures["reason"].to_list() == [reason]


def test_a_source_shorter_than_n_makes_everything_novel() -> None:
    assert value("novel-3", "a b c", "a b") == 1


def test_redundancy_l_says_where_it_stops() -> None:
    text = "\n".join(f"w{i} x" for i in range(MAX_SENTENCES + 1))
    scores = score(corpus_of(text, "x"), ["redundancy-l"])
    assert scores.failures["reason"].to_list() == [
        f"the summary has {MAX_SENTENCES + 1} sentences; at most {MAX_SENTENCES} are compared"
    ]


def test_counts_of_an_empty_summary_are_zero() -> None:
    assert value("length", "") == 0
    assert value("sentences", "") == 0


@pytest.mark.parametrize("words", ["varied", "one word", "two words in turn"])
def test_long_texts_stay_quick(words: str) -> None:
    rng = random.Random(7)
    count = 100_000
    for _ in range(3):  # a busy machine is slow at times, work that grows too fast each time
        if words == "varied":
            texts = [" ".join(f"w{int(rng.paretovariate(0.8)) % 20_000}" for _ in range(count)) for _ in range(2)]
        else:
            texts = [("a " if words == "one word" else "a b ") * count] * 2
        start = time.process_time()
        frame = score_pairs([texts[0]], [texts[1]], ["statistics"])
        seconds = time.process_time() - start
        if seconds < 5e-6 * 4 * count:
            break
    assert seconds < 5e-6 * 4 * count, f"{seconds:.2f} s for two texts of {count} words and more"
    assert all(number is not None and math.isfinite(number) for number in frame.row(0))


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("length", "none"),
        ("coverage", "none"),
        ("novel-2", "none"),
        ("redundancy-2", "lower"),
        ("repetition-1", "lower"),
    ],
)
def test_directions(name: str, direction: str) -> None:
    assert find_metric(name).direction == direction
    assert find_metric(name).family == "statistics"
