"""Words, lexicons and taggers: what is a word, what it is called, and what is refused."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.affect import (
    LABELS,
    MARK,
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    TAGGERS,
    WORD,
    LookupTagger,
    Tagger,
    load_tagger,
    opinion_lexicon,
    psent,
    read_lexicon,
    save_tagger,
    split_words,
    tag_texts,
    tagger,
    vader_lexicon,
)
from dialgauge.affect._evaluation import evaluate_words
from dialgauge.affect._pieces import _cuts
from dialgauge.affect._tagger import CERTAIN, labels_of
from dialgauge.affect._taggers import CombinedTagger
from dialgauge.affect._words import TAG, sentences
from dialgauge.errors import InputError, ParameterError, UnknownNameError

ODD = st.text(max_size=60) | st.lists(
    st.sampled_from(
        ["#Person1#:", "good", "don’t", "bad.", "<name>", ":)", "客户", "🙂", "\n", "A b:", "\udc80", "3.5"]
    ),
    max_size=12,
).map(" ".join)


def kinds(text: str, *, speakers: bool = False) -> list[tuple[str, int]]:
    words = split_words(text, speakers=speakers)
    return list(zip(words.tokens, words.kinds.tolist(), strict=True))


def test_words_marks_and_tags() -> None:
    assert kinds("I don't, 3.5 well-made :)") == [
        ("I", WORD),
        ("don't", WORD),
        (",", MARK),
        ("3.5", WORD),
        ("well-made", WORD),
        (":)", WORD),
    ]
    assert kinds("#Person1# <name> [phone] 客户🙂") == [
        ("#Person1#", TAG),
        ("<name>", TAG),
        ("[phone]", TAG),
        ("客", WORD),
        ("户", WORD),
        ("🙂", WORD),
    ]


def test_a_speaker_is_a_tag_in_a_transcript_only() -> None:
    text = "Joy: good\nAgent Smith: at 10:30: ok"
    assert [token for token, kind in kinds(text, speakers=True) if kind == TAG] == ["Joy:", "Agent Smith:"]
    assert all(kind != TAG for _, kind in kinds(text))
    assert psent([text], speakers=True).count("positive").tolist() == [2]  # good, ok
    assert psent([text]).count("positive").tolist() == [3]  # and the name
    assert psent(["one two three four five six: good"], speakers=True).total.tolist() == [7]


@settings(max_examples=150, deadline=None)
@given(text=ODD, speakers=st.booleans())
def test_tokens_are_the_text_at_their_places(text: str, speakers: bool) -> None:
    words = split_words(text, speakers=speakers)
    assert [text[begin:end] for begin, end in words.spans.tolist()] == words.tokens
    assert "".join(words.tokens).replace(" ", "").replace("\t", "") == "".join(text.split())
    assert [token for run in sentences(words) for token in run] == words.tokens
    tagged = tag_texts([text], speakers=speakers)[0]
    assert len(tagged.labels) == len(words)
    assert not (tagged.labels[words.kinds != WORD] != NEUTRAL).any()


@pytest.mark.parametrize("spec", ["vader", "vader:case=keep", "vader:threshold=1", "vader:negation=flip"])
def test_taggers_keep_the_contract(spec: str) -> None:
    chosen = tagger(spec)
    assert isinstance(chosen, Tagger)
    assert chosen.name in chosen.signature
    first, second, empty = chosen.tag([["good", "bad", "table"], ["Good"], []])
    assert first.dtype == np.float32
    assert [array.shape for array in (first, second, empty)] == [(3, 3), (1, 3), (0, 3)]
    assert first.sum(axis=1) == pytest.approx(1)
    assert labels_of(first).tolist() == [POSITIVE, NEGATIVE, NEUTRAL]


def test_specs_that_change_the_result_have_another_signature() -> None:
    specs = ["vader", "vader:case=keep", "vader:threshold=1", "vader:negation=flip"]
    assert len({tagger(spec).signature for spec in specs}) == len(specs)
    assert tagger("vader:case=lower").signature == tagger("vader").signature


def test_case() -> None:
    assert tagger("vader").tag([["GOOD"]])[0].argmax() == POSITIVE
    assert tagger("vader:case=keep").tag([["GOOD"]])[0].argmax() == NEUTRAL


def test_negation() -> None:
    words = ["I", "do", "n't", "like", "it", ",", "good", "but", "not", "a", "very", "nice", "and", "good", "thing"]
    plain, flipped = (labels_of(tagger(spec).tag([words])[0]) for spec in ("vader", "vader:negation=flip"))
    assert [words[i] for i in np.flatnonzero(plain != flipped)] == ["like", "nice"]
    assert flipped[words.index("like")] == NEGATIVE


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        ("vadre", UnknownNameError, "vader"),
        ("vader:colour=red", UnknownNameError, "colour"),
        ("vader:words.tsv", InputError, "options only"),
        ("lookup", InputError, "lookup:FOLDER"),
        ("vader:threshold=much", ParameterError, "a number"),
        ("vader:threshold=0", ParameterError, "above 0"),
        ("vader:case=upper", ParameterError, "lower"),
        ("vader:negation=maybe", ParameterError, "flip"),
        ("vader:case=keep,case=lower", InputError, "twice"),
        ("token-dict:folder=nowhere", InputError, "nowhere"),
        ("lexicon:nowhere.tsv", InputError, "no such file"),
        ("combined:nowhere", InputError, "tagger.json"),
    ],
)
def test_bad_specs(spec: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        tagger(spec)


def test_every_kind_is_described() -> None:
    assert all(kind.description and kind.make for kind in TAGGERS.values())


def test_a_missing_opinion_lexicon_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="affect get opinion-lexicon"):
        opinion_lexicon()


def test_the_opinion_lexicon_from_lists_and_from_the_archive(tmp_path: Path) -> None:
    lists = {"positive-words.txt": "; a comment\n\ngood\nenvious\n", "negative-words.txt": "bad\nenvious\nna\u00efve\n"}
    with zipfile.ZipFile(tmp_path / "opinion_lexicon.zip", "w") as archive:
        for name, text in lists.items():
            archive.writestr(f"opinion_lexicon/{name}", text.encode("latin-1"))
    packed = opinion_lexicon(tmp_path)
    for name, text in lists.items():
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    assert dict(opinion_lexicon(tmp_path).labels) == dict(packed.labels)
    assert packed.labels == {"good": POSITIVE, "bad": NEGATIVE, "envious": NEGATIVE, "naïve": NEGATIVE}
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "opinion_lexicon.zip").write_text("no archive")
    with pytest.raises(InputError, match="not a readable archive"):
        opinion_lexicon(tmp_path / "broken")


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("# mine\nfurious\tnegative\tanger\nglad\t2.5\tjoy, calm\nmeh\t0\n", encoding="utf-8")
    lexicon = read_lexicon(path)
    assert lexicon.labels == {"furious": NEGATIVE, "glad": POSITIVE, "meh": NEUTRAL}
    found = psent(["I am furious! Furious, and glad.", ""], f"lexicon:{path}")
    assert found.parts == ("all", "positive", "negative", "anger", "calm", "joy")
    assert found.counts[0].tolist() == [3, 1, 2, 2, 1, 1]
    assert found.share("anger").tolist() == pytest.approx([2 / 6, np.nan], nan_ok=True)
    with pytest.raises(UnknownNameError, match="fear"):
        found.share("fear")


@pytest.mark.parametrize("line", ["word", "word\tgreat", "word\tnan", "\tpositive", "a\t1\tjoy\tmore", "a\t1\na\t2"])
def test_bad_lexicons(tmp_path: Path, line: str) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=r"line \d"):
        read_lexicon(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_lexicon(path)


def test_vader_is_what_its_authors_publish() -> None:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    peer = SentimentIntensityAnalyzer()
    ours = vader_lexicon()
    published = {word: valence for word, valence in peer.lexicon.items() if " " not in word}
    assert {word: ours.valences[word] for word in published} == published
    extra = set(ours.valences) - set(published)
    assert extra <= set(peer.emojis)
    for emoji in extra:
        values = [peer.lexicon[word] for word in peer.emojis[emoji].lower().split() if word in peer.lexicon]
        assert ours.valences[emoji] == max(values, key=abs)
    with pytest.raises(ParameterError, match="threshold"):
        vader_lexicon(9)


def test_a_lookup_survives_its_folder(tmp_path: Path) -> None:
    table = {"good": POSITIVE, "Bad": NEGATIVE, "the": NEUTRAL}
    folder = save_tagger(tmp_path / "t", "lookup", "mine", table=table, notes={"seed": 3})
    found = tagger(f"lookup:{folder}")
    assert isinstance(found, LookupTagger)
    assert found.name == "mine"
    assert labels_of(found.tag([["good", "bad", "Bad", "unseen"]])[0]).tolist() == [
        POSITIVE,
        NEUTRAL,
        NEGATIVE,
        NEUTRAL,
    ]
    assert found.seen(["good", "Good", "the"]).tolist() == [True, False, True]
    with pytest.raises(InputError, match="of the kind 'lookup'"):
        tagger(f"sst3:{folder}")
    (folder / "words.tsv").write_text("good\tnegative\n")
    with pytest.raises(InputError, match="have changed"):
        load_tagger(folder)
    description = json.loads((folder / "tagger.json").read_text())
    (folder / "tagger.json").write_text(json.dumps(description | {"labels": ["good", "bad"]}))
    with pytest.raises(InputError, match="'labels'"):
        load_tagger(folder)


def test_bad_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs its table"):
        save_tagger(tmp_path, "lookup", "x")
    with pytest.raises(InputError, match="cannot be kept"):
        save_tagger(tmp_path, "lookup", "x", table={"a\tb": 0})
    with pytest.raises(InputError, match="checkpoint"):
        save_tagger(tmp_path, "contextual", "x")


class Encoder:
    """Calls everything positive."""

    name, signature, reads = "encoder", "encoder", "sentence"

    def tag(self, texts: list[list[str]]) -> list[np.ndarray]:
        return [np.tile(CERTAIN[POSITIVE], (len(words), 1)) for words in texts]


def test_the_combination_asks_the_encoder_for_unseen_words_only() -> None:
    combined = CombinedTagger(LookupTagger({"bad": NEGATIVE}, "f"), Encoder())  # type: ignore[arg-type]
    assert labels_of(combined.tag([["bad", "new"]])[0]).tolist() == [NEGATIVE, POSITIVE]


def test_the_neutral_label_wins_a_tie() -> None:
    assert labels_of(np.array([[0.4, 0.4, 0.2], [0.4, 0.2, 0.4]], dtype=np.float32)).tolist() == [NEUTRAL, NEGATIVE]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=60))
def test_evaluation_equals_scikit_learn(rows: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    true, called = zip(*rows, strict=True)
    found = evaluate_words(true, called)
    options = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
    expected = metrics.precision_recall_fscore_support(true, called, **options)[:3]
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected, abs=1e-12)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(true, called))
    assert np.array(found.confusion).sum() == found.words == len(rows)


@pytest.mark.parametrize(("labels", "called"), [([], []), ([1], [1, 2]), ([3], [1]), ([1], [-1])])
def test_bad_labels(labels: list[int], called: list[int]) -> None:
    with pytest.raises(InputError):
        evaluate_words(labels, called)


@settings(max_examples=80, deadline=None)
@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=20), room=st.integers(1, 8))
def test_runs_hold_every_word_once_and_no_more_than_there_is_room_for(sizes: list[int], room: int) -> None:
    firsts = np.cumsum([0, *sizes[:-1]])
    cuts = _cuts(firsts, sum(sizes), room)
    assert all(0 < end - begin <= room for begin, end in cuts)
    assert all(begin in firsts for begin, _ in cuts)
    assert sum(int(((firsts >= begin) & (firsts < end)).sum()) for begin, end in cuts) == len(sizes)


def test_labels_have_names() -> None:
    assert (LABELS[NEGATIVE], LABELS[NEUTRAL], LABELS[POSITIVE]) == ("negative", "neutral", "positive")


def test_a_line_without_a_space_is_read_in_one_go() -> None:
    long = "a" * 200_000
    assert kinds(long, speakers=True) == [(long, WORD)]
    assert kinds(f"2 b{'9' * 50_000}: hi", speakers=True)[0][1] == TAG
    assert kinds("10: 30", speakers=True)[0] == ("10", WORD)


def test_categories_that_repeat_the_label_or_themselves_count_once(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("good\tpositive\tjoy,positive,joy\nbad\tnegative\tnegative\n", encoding="utf-8")
    found = psent(["good and bad"], f"lexicon:{path}")
    assert found.parts == ("all", "positive", "negative", "joy")
    assert found.counts.tolist() == [[2, 1, 1, 1]]
