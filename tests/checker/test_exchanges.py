"""Exchanges put into dialogues: every statement is right once and wrong once, and only the dialogue tells."""

import random
import re
from collections import Counter

import pytest

from dialgauge.checker import Source, exchange_groups
from dialgauge.checker._exchanges import Exchange, exchanges, play

KINDS, WORDS = exchanges()
SOURCE = Source("a", (("Ann", "Hi Ben, how are you?"), ("Ben", "Fine, thanks.")), "Ann greets Ben. He is fine.")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_both_ways_of_an_exchange_have_statements_of_their_own(kind: Exchange) -> None:
    for seed in range(3):
        played = play(kind, ("Ann", "Ben"), random.Random(seed))
        assert played.ways[0] != played.ways[1]
        assert played.statements
        for first, second in played.statements:
            assert first.text != second.text
            assert first.wrong
            assert second.wrong
            assert not re.search(r"[{}()|<>]|//", first.text + second.text)
        shown = " ".join(said for way in played.ways for part in way for _, said in part)
        assert not re.search(r"[{}()|<>]|//", shown)
        assert {speaker for way in played.ways for part in way for speaker, _ in part} == {"Ann", "Ben"}


def test_a_speaker_can_be_named_like_a_word_of_a_slot() -> None:
    kind = next(kind for kind in KINDS if kind.name == "third-told")
    for seed in range(40):
        played = play(kind, ("Sarah", "Peter"), random.Random(seed))
        assert all(len(set(re.findall("Sarah|Peter", one.text))) <= 1 for one, _ in played.statements)


def test_each_text_is_right_for_one_dialogue_and_wrong_for_another() -> None:
    rights: Counter[str] = Counter()
    wrongs: Counter[str] = Counter()
    for seed in range(20):
        groups = exchange_groups(SOURCE, seed)
        assert groups[0].dialogue.startswith(("Ann: ", "Ben: "))
        assert all("Ann: Hi Ben, how are you?" in group.dialogue for group in groups)
        assert len({group.dialogue for group in groups}) == len(groups)
        for group in groups:
            for couple in group.couples:
                assert couple.right.right
                assert not couple.wrong.right
                assert all(couple.wrong.text[a:b].strip() for a, b in couple.wrong.wrong)
                rights[couple.right.text] += 1
                wrongs[couple.wrong.text] += 1
    assert rights == wrongs


def test_a_summary_differs_in_the_marked_words_alone() -> None:
    for group in exchange_groups(SOURCE, 4):
        for couple in group.couples:
            kept = "".join(
                couple.wrong.text[a:b]
                for a, b in zip(
                    [0, *(end for _, end in couple.wrong.wrong)],
                    [*(start for start, _ in couple.wrong.wrong), len(couple.wrong.text)],
                    strict=True,
                )
            )
            assert all(word in couple.right.text.split() for word in kept.split() if len(word) > 3)


def test_one_speaker_has_no_exchange_and_the_seed_decides() -> None:
    assert exchange_groups(Source("m", (("Ann", "Dear diary."),), "Ann writes.")) == []
    assert exchange_groups(SOURCE, 1) == exchange_groups(SOURCE, 1)
    assert exchange_groups(SOURCE, 1) != exchange_groups(SOURCE, 2)
    chosen = [kind for kind in KINDS if kind.name == "choice"]
    assert len(exchange_groups(SOURCE, 1, chosen)) == 2


def test_words_of_a_list_are_different() -> None:
    for name, words in WORDS.items():
        assert len({str(word) for word in words}) == len(words), name
