"""The treebank: both of its forms, what is wrong with bad ones, and the look-up table that SST3 is solved by."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialgauge.affect import evaluate_tagger, lookup_of, read_treebank
from dialgauge.affect._sst import LabelledSentence, _from_tree, learn_table
from dialgauge.errors import InputError

TREE = "(3 (2 It) (4 (2 's) (4 (3 lovely) (0 -LRB-))))"


def write(folder: Path, ending: str, train: str, rest: str) -> Path:
    for part in ("train", "dev", "test"):
        (folder / f"{part}.{ending}").write_text(train if part == "train" else rest, encoding="utf-8")
    return folder


def test_trees_give_leaves_merged_to_three_labels_and_the_root(tmp_path: Path) -> None:
    found = read_treebank(write(tmp_path, "txt", TREE + "\n\n(0 no)\n", TREE))
    assert found.train == (
        LabelledSentence(("It", "'s", "lovely", "-LRB-"), (1, 1, 2, 0), 3),
        LabelledSentence(("no",), (0,), 0),
    )


def test_lines_and_trees_of_the_same_sentences_are_the_same_treebank(tmp_path: Path) -> None:
    line = json.dumps({"words": ["It", "'s", "lovely", "-LRB-"], "labels": [1, 1, 2, 0], "root5": 3})
    (tmp_path / "trees").mkdir()
    (tmp_path / "lines").mkdir()
    trees = read_treebank(write(tmp_path / "trees", "txt", TREE, TREE))
    lines = read_treebank(write(tmp_path / "lines", "jsonl", line, line))
    assert trees.digest == lines.digest
    other = line.replace("2, 0]", "2, 1]")
    assert read_treebank(write(tmp_path / "lines", "jsonl", other, line)).digest != trees.digest


leaves = st.tuples(st.integers(0, 4), st.text("abc'-.", min_size=1, max_size=4))
trees = st.recursive(leaves, lambda inner: st.tuples(st.integers(0, 4), st.lists(inner, min_size=1, max_size=3)))


def bracketed(tree: tuple) -> str:
    label, inside = tree
    return f"({label} {inside if isinstance(inside, str) else ' '.join(map(bracketed, inside))})"


def leaves_of(tree: tuple) -> list[tuple[int, str]]:
    return [tree] if isinstance(tree[1], str) else [leaf for inner in tree[1] for leaf in leaves_of(inner)]


@given(trees)
def test_any_tree_is_read_back(tree: tuple) -> None:
    found = _from_tree(bracketed(tree))
    expected = leaves_of(tree)
    assert found.words == tuple(word for _, word in expected)
    assert found.labels == tuple((0, 0, 1, 2, 2)[label] for label, _ in expected)
    assert found.root == tree[0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("(3 (2 It)", "1 brackets are not closed"),
        ("(3 (2 It)))", "after the end of the tree"),
        ("(7 It)", "from 0 to 4; got '7'"),
        ("(It)", "from 0 to 4; got 'It'"),
        ("(3 )", "without words"),
        ("It", "must begin with a bracket"),
        (")", "no opening bracket"),
    ],
)
def test_a_bad_tree_is_named_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(InputError, match=r"train\.txt, line 2") as caught:
        read_treebank(write(tmp_path, "txt", f"{TREE}\n{line}\n", TREE))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ('{"words": [], "labels": []}', "'words' must be"),
        ('{"words": ["a", ""], "labels": [1, 1]}', "'words' must be"),
        ('{"words": ["a"], "labels": [3]}', "'labels' must be"),
        ('{"words": ["a"], "labels": [true]}', "'labels' must be"),
        ('{"words": ["a"], "labels": [1, 1]}', "1 words but 2 labels"),
        ('{"words": ["a"], "labels": [1], "root5": 5}', "'root5' must be"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(InputError, match=r"train\.jsonl, line 1") as caught:
        read_treebank(write(tmp_path, "jsonl", row, row))
    assert said in str(caught.value)


def test_a_folder_without_the_parts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        read_treebank(tmp_path / "none")
    with pytest.raises(InputError, match=r"neither train\.jsonl nor train\.txt"):
        read_treebank(tmp_path)
    with pytest.raises(InputError, match="has no sentences"):
        read_treebank(write(tmp_path, "txt", "\n", TREE))


def test_the_table_takes_the_most_frequent_label_and_neutral_when_tied() -> None:
    words = LabelledSentence(("a", "a", "a", "b", "b", "c", "c"), (0, 0, 1, 2, 1, 2, 0))
    assert learn_table((words,)) == {"a": 0, "b": 1, "c": 0}


@pytest.mark.data
def test_a_lookup_table_scores_above_the_published_encoders(data_dir: Path) -> None:
    treebank = read_treebank(data_dir / "psent" / "sst3")
    test = treebank.test
    found = evaluate_tagger(lookup_of(treebank), [s.words for s in test], [s.labels for s in test])
    assert round(100 * found.accuracy, 2) == 98.46
    assert round(100 * found.f1, 2) == 95.62


@pytest.mark.data
def test_no_word_of_sst3_has_two_labels(data_dir: Path) -> None:
    treebank = read_treebank(data_dir / "psent" / "sst3")
    labels: dict[str, set[int]] = {}
    for sentence in (*treebank.train, *treebank.dev, *treebank.test):
        for word, label in zip(sentence.words, sentence.labels, strict=True):
            labels.setdefault(word, set()).add(label)
    assert {len(found) for found in labels.values()} == {1}
