"""Training a checker on the references of a corpus, with a tiny model."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dialgauge.checker import CheckerSettings, Couple, Group, _training, judge, read_checker_card, train_checker
from dialgauge.checker._adapting import Batch, Lesson, Task, batches
from dialgauge.checker._combination import Combination, Scale
from dialgauge.checker._example import Example
from dialgauge.checker._folder import load_checker
from dialgauge.checker._labelled import labelled_couples
from dialgauge.checker._rated import Rated, fit_to_ratings
from dialgauge.checker._rules import fit_rules
from dialgauge.checker._training import TrainedChecker, _split, sources_of
from dialgauge.corpus import Corpus, Dialogue, Rating, Span, Summary, Turn
from dialgauge.errors import InputError
from dialgauge.models import TrainingRecord

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")


def corpus(count: int = 8, systems: int = 0) -> Corpus:
    dialogues, summaries, ratings = [], [], []
    for number in range(count):
        first, second = NAMES[number % 6], NAMES[(number + 1) % 6]
        turns = (Turn(first, f"Can you come at {number + 4}?"), Turn(second, "No, I don't have time to come."))
        dialogues.append(Dialogue(f"d{number}", turns))
        text = f"{first} asks {second} to come at {number + 4}. {second} will not come."
        summaries.append(Summary(f"d{number}", "reference", text, kind="reference"))
        for place in range(systems):
            summaries.append(Summary(f"d{number}", f"s{place}", f"{first} comes at {number + place}."))
            ratings.append(Rating(f"d{number}", f"s{place}", "ann", "consistency", 1 + (number + place) % 5))
    return Corpus.build(dialogues, summaries, ratings)


@pytest.fixture(scope="module")
def settings(base: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("vectors") / "few.txt"
    path.write_text("".join(f"w{i} {i % 7} {i % 5 + 1}\n" for i in range(60)) + "come 1 0\ntime 0.8 0.6\n")
    return {"model": f"folder:{base}", "start": "new", "epochs": 1, "tokens": 2000, "rank": 2, "device": "cpu"} | {
        "examples": 2,
        "vectors": f"folder:{path}",
        "checks": False,
    }


def test_a_checker_is_trained_stored_and_usable(base: Path, settings: dict[str, object], tmp_path: Path) -> None:
    result = train_checker(corpus(systems=5), tmp_path / "made", **{**settings, "checks": True, "calls": 0.5})
    card = read_checker_card(tmp_path / "made")
    assert set(card.combination.parts) == {"worst", "mean", "likelihood", "checks"}
    assert card.base == f"folder:{base}"
    assert card.numbers["auc"] == result.auc
    assert result.dialogues == {"train": 4, "held out": 4}
    assert card.numbers["ratings"] == result.ratings
    assert (result.ratings["dimension"], result.ratings["summaries"], result.ratings["systems"]) == (
        "consistency",
        20,
        5,
    )
    assert result.ratings["used"] == (result.ratings["r"] > result.ratings["r_usual"])
    assert sorted(p.name for p in (tmp_path / "made").iterdir()) == ["README.md", "adapter.safetensors", "checker.json"]
    assert json.loads(json.dumps(result.as_dict()))["good"] is result.good
    judged = judge("Ann: Hi!", ["Ann says hi."], checks=False, folder=str(tmp_path / "made"), device="cpu")
    assert 0 < judged[0].p_right < 1
    with pytest.raises(InputError, match="has a trained checker already"):
        train_checker(corpus(), tmp_path / "made", **settings)


def test_the_same_seed_gives_the_same_adapter(settings: dict[str, object], tmp_path: Path) -> None:
    first, again = (train_checker(corpus(), tmp_path / name, **settings) for name in ("a", "b"))
    assert read_checker_card(tmp_path / "a").adapter == read_checker_card(tmp_path / "b").adapter
    assert first.auc == again.auc
    assert "checks" not in read_checker_card(tmp_path / "a").combination.parts


def rated(count: int, systems: int, follows: str) -> tuple[list[Rated], list[dict[str, float]]]:
    draw = np.random.default_rng(3)
    parts = [{"worst": float(a), "mean": float(b)} for a, b in draw.normal(size=(count, 2))]
    noise = draw.normal(size=count)
    ratings = [part[follows] + 0.3 * e if follows else e for part, e in zip(parts, noise, strict=True)]
    rows = [Rated(f"d{i // systems}", f"s{i % systems}", "x", float(r)) for i, r in enumerate(ratings)]
    return rows, parts


def test_ratings_decide_how_much_the_parts_count_if_that_helps_for_systems_left_out() -> None:
    usual = Combination({"worst": Scale(0.0, 1.0, 1.0), "mean": Scale(0.0, 1.0, 0.15)}, 1.0, 0.0)
    weighed, found = fit_to_ratings(usual, *rated(120, 4, "mean"))
    assert found["used"]
    assert found["r"] > 0.9 > found["r_usual"]
    assert weighed.parts["mean"].weight == 1.0
    assert weighed.parts["worst"].weight < 0.3
    for few in (rated(12, 4, "mean"), rated(120, 2, "mean")):
        same, found = fit_to_ratings(usual, *few)
        assert (same, found["used"]) == (usual, False)
    # Where the usual weights are right already, or the ratings are noise, hardly anything changes.
    for same, found in (fit_to_ratings(usual, *rated(120, 4, name)) for name in ("worst", "")):
        assert all(scale.weight >= 0 for scale in same.parts.values())
        assert found["r"] < found["r_usual"] + 0.1


def test_too_few_references_and_a_foreign_start_are_refused(settings: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 8 dialogues with a reference; the corpus has 3"):
        train_checker(corpus(3), tmp_path / "few", **settings)
    with pytest.raises(InputError, match="the shipped adapter is for embedded:smollm2"):
        train_checker(corpus(), tmp_path / "foreign", **{**settings, "start": "shipped"})


def test_summaries_of_trusted_systems_are_learnt_from(settings: dict[str, object], tmp_path: Path) -> None:
    known = corpus(systems=2)
    alone = Corpus.build(
        list(known.iter_dialogues()),
        [Summary(f"d{n}", "desk", f"{NAMES[n % 6]} asks for {n + 4}. It does not suit.") for n in range(8)],
    )
    with pytest.raises(InputError, match="at least 8 dialogues with a reference; the corpus has 0"):
        train_checker(alone, tmp_path / "none", **settings)
    with pytest.raises(InputError, match=r"no system of the corpus is called 'dusk' \(trusted\); there are: desk"):
        train_checker(alone, tmp_path / "none", **settings, trusted=["dusk"])
    result = train_checker(alone, tmp_path / "made", **settings, trusted=["desk"])
    assert result.dialogues == {"train": 4, "held out": 4}
    both = sources_of(known, ["s0", "s1"])
    assert len(both) == 24
    learn, held = _split(both, CheckerSettings())
    assert not {one.key for one in learn} & {one.key for one in held}
    assert (len(learn), len(held)) == (12, 12)


def test_dialogues_in_other_languages_are_left_out_or_need_no_rules() -> None:
    said = (
        Turn("Ute", "Ich habe heute leider keine Zeit, das ist sehr schade."),
        Turn("Udo", "Das macht doch nichts."),
    )
    german = [Dialogue(f"g{n}", said) for n in range(8)]
    texts = [Summary(f"g{n}", "reference", "Ute hat heute keine Zeit.", kind="reference") for n in range(8)]
    with pytest.raises(InputError, match=r"the corpus has 0 \(8 more are not in English.*--no-checks"):
        sources_of(Corpus.build(german, texts), readable=True)
    assert len(sources_of(Corpus.build(german, texts))) == 8


def test_dialogues_made_like_calls_are_trained_on(
    settings: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def counted(words: object, tasks: list[Task], *others: object) -> list[Batch]:
        seen.append(len(tasks))
        return batches(words, tasks, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(_training, "batches", counted)
    for calls in (0.0, 2.0):
        train_checker(corpus(), tmp_path / str(calls), **settings, calls=calls)
    assert max(seen) > min(seen)


def labelled() -> Corpus:
    """Two summaries of each dialogue, one with a marked error; of the last two only labels are known."""
    known = corpus(10)
    dialogues = list(known.iter_dialogues())
    summaries, spans, ratings = [], [], []
    for number, dialogue in enumerate(dialogues):
        first, second = (turn.speaker for turn in dialogue.turns)
        texts = {"a": f"{second} has no time for {first}.", "b": f"{second} has time for {first}."}
        summaries += [Summary(dialogue.id, system, text) for system, text in texts.items()]
        if number < 8:
            start = texts["b"].index("has")
            spans += [Span(dialogue.id, "a", "ann", "consistency")]
            spans += [Span(dialogue.id, "b", "ann", "consistency", 1, start, start + 8)]
        else:
            ratings += [Rating(dialogue.id, s, "ann", "consistency", float(s == "a"), scale="0-1") for s in texts]
    return Corpus.build(dialogues, summaries, ratings, spans=spans)


def test_summaries_that_people_labelled_are_learnt_from(settings: dict[str, object], tmp_path: Path) -> None:
    couples = labelled_couples(labelled(), "consistency")
    assert sorted(couples) == [f"d{n}" for n in range(10)]
    one, other = couples["d0"][0], couples["d9"][0]
    assert [one.wrong.text[a:b] for a, b in one.wrong.wrong] == ["has time"]
    assert (one.right.right, one.wrong.marked, other.wrong.marked) == (True, True, False)
    assert other.wrong.wrong == ((0, len(other.wrong.text)),)
    assert labelled_couples(labelled(), "fluency") == {}
    result = train_checker(labelled(), tmp_path / "made", **settings)
    assert "labelled" in result.kinds
    assert read_checker_card(tmp_path / "made").data["labelled"] == 10


def test_readers_who_differ_decide_by_majority() -> None:
    dialogue = Dialogue("d", (Turn("Ann", "Hi."),))
    texts = [Summary("d", name, f"Text of {name}.") for name in "abcd"]
    marks = {"a": (0, 0, 0), "b": (1, 1, 0), "c": (1, 0, 0), "d": (1, 1, 1)}
    spans = [
        Span("d", name, f"r{reader}", "consistency", 1, *((0, 4) if marked else (None, None)))
        for name, readers in marks.items()
        for reader, marked in enumerate(readers)
    ]
    found = labelled_couples(Corpus.build([dialogue], texts, spans=spans), "consistency")["d"]
    assert [(couple.right.text[8], couple.wrong.text[8]) for couple in found] == [("a", "b"), ("a", "d")]


def test_what_is_only_known_to_be_wrong_somewhere_teaches_no_single_word(checker: Path) -> None:
    _, network = load_checker(str(checker), "cpu")
    text = "Ann will call Ben."
    known, unknown = (
        Lesson.of(network.words, Example("labelled", text, ((0, len(text)),), marked=marked))
        for marked in (True, False)
    )
    assert known.wrong == unknown.wrong
    assert (known.marked, unknown.marked) == (True, False)


def families(count: int) -> list[list[Group]]:
    """Dialogues whose wrong summaries deny what was said, which the rules can see, or name a wrong amount, often."""
    found = []
    for number in range(count):
        turns = f"Ann: Please pay {number + 20} dollars on Friday.\nBen: Yes, I will pay the {number + 20} dollars."
        right = Example("reference", f"Ben will pay {number + 20} dollars on Friday.")
        wrong = Example("value", f"Ben will pay {number + 21} dollars on Friday.", ((13, 15),))
        found.append([Group(turns, (Couple(right, wrong),))])
    return found


@pytest.mark.usefixtures("parser")
def test_rules_get_weights_of_their_own_only_if_those_are_better() -> None:
    few = fit_rules(families(20), seed=1)
    assert (few.as_dict(), few.numbers) == ({}, {"summaries": 40, "used": False})
    found = fit_rules(families(104), seed=1)
    assert found.numbers["summaries"] == 208
    assert found.numbers["used"] == (found.numbers["fitted"] > found.numbers["usual"])
    assert all(value <= 0 for value in found.weights.features.values())
    assert bool(found.as_dict()) == found.numbers["used"]


def test_a_card_keeps_the_weights_of_its_rules(checker: Path, tmp_path: Path) -> None:
    from dialgauge.checks import default_weights

    assert read_checker_card(checker).weights is default_weights()
    folder = tmp_path / "own"
    shutil.copytree(checker, folder)
    raw = json.loads((folder / "checker.json").read_text("utf-8"))
    own = {**default_weights().as_dict(), "version": "own", "intercept": 0.25}
    (folder / "checker.json").write_text(json.dumps({**raw, "rules": own}), encoding="utf-8")
    card = read_checker_card(folder)
    assert (card.weights.version, card.weights.intercept) == ("own", 0.25)
    assert card.weights.features == default_weights().features
    (folder / "checker.json").write_text(json.dumps({**raw, "rules": {"version": "x"}}), encoding="utf-8")
    with pytest.raises(InputError, match="not a readable card of a checker"):
        read_checker_card(folder)


def test_what_wins_without_the_dialogue_is_not_called_good() -> None:
    record = TrainingRecord()
    assert not TrainedChecker(Path("x"), 0.80, 0.78, {}, {}, record).good
    assert TrainedChecker(Path("x"), 0.90, 0.70, {}, {}, record).good
    assert not TrainedChecker(Path("x"), float("nan"), 0.5, {}, {}, record).good


def test_a_lesson_marks_the_tokens_of_wrong_words(checker: Path) -> None:
    _, network = load_checker(str(checker), "cpu")
    text = "Ann will call Ben."
    lesson = Lesson.of(network.words, Example("name", text, ((0, 3),)))
    shown = "".join(text[a:b] for (a, b), wrong in zip(lesson.summary.spans, lesson.wrong, strict=True) if wrong)
    assert shown == "Ann"
