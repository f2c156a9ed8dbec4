"""The benchmark of the perturbations: its numbers mean what it says."""

import random
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from typing import Any

import pytest

from benchmarks import SUITES, perturb, perturb_peers
from benchmarks.perturb_peers import CONTESTS, Contest, Perturb, beside_peer, changed_share, kept_marks
from dialgauge.errors import DialgaugeError
from dialgauge.perturb import parser_name

TEXTS = {
    "two texts": [
        "The customer's refund of $1,234.50 didn't arrive before Thursday morning.",
        "Nora explained everything patiently, and the customer thanked her warmly.",
    ]
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perturb, "_TEXTS", 4)
    monkeypatch.setattr(perturb, "_ROUNDS", 3)
    monkeypatch.setattr(perturb_peers, "_ROUNDS", 3)
    monkeypatch.setattr(perturb_peers, "version", lambda package: "1.0")


def without_parser() -> str | None:
    try:
        parser_name()
    except DialgaugeError as error:
        return f"NO PARSER: {error}"
    return None


def contest(perturb: Perturb, ours: str = "typos_2", **more: Any) -> Contest:
    return Contest(ours, "nlpaug", "toy", lambda share: perturb, **more)


def test_the_ratio_is_the_cost_in_parses(quick: None) -> None:
    if reason := without_parser():
        pytest.skip(reason)
    for _ in range(5):  # four texts take so little time that whatever else the machine does can show
        result = perturb._over_a_parse("perturb-baseline")
        assert result.ratio is not None
        if result.ratio < perturb.BAR:
            break
    assert SUITES["perturb"].module == perturb.__name__
    assert result.name == "perturb-baseline"
    assert result.detail["direction"] == "lower is better"
    assert result.detail["variants_made"] > 4 * 6
    assert result.ratio < perturb.BAR
    assert result.seconds is not None
    assert result.peer_seconds is not None
    assert min(result.detail["ratios"]) - 0.001 <= result.ratio <= max(result.detail["ratios"]) + 0.001


def test_without_the_packages_the_cost_in_parses_is_left(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    if reason := without_parser():
        pytest.skip(reason)
    monkeypatch.setattr(perturb_peers, "version", absent)
    seen: list[tuple[str, int, int]] = []
    first, *others = perturb.run(lambda *step: seen.append(step))
    assert first.ratio is not None
    assert [other.name for other in others] == [one.name for one in CONTESTS]
    assert {other.ratio for other in others} == {None}
    assert {other.detail["skipped"].partition(" (")[0] for other in others} == {
        "not installed: pip install nlpaug",
        "not installed: pip install textattack",
    }
    assert seen[0][0] == "perturb-baseline"
    assert [done for _, done, _ in seen] == list(range(2 + len(CONTESTS)))
    assert seen[-1] == ("done", 1 + len(CONTESTS), 1 + len(CONTESTS))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (LookupError("Resource stopwords not found"), "nltk.downloader stopwords"),
        (ImportError("cannot import name 'x'"), "cannot be imported here: cannot import name 'x'"),
    ],
)
def test_a_package_that_cannot_run_here_says_why(quick: None, error: Exception, said: str) -> None:
    def broken(share: float) -> Perturb:
        raise error

    (result,) = beside_peer(Contest("typos_2", "textattack", "toy", broken), TEXTS)
    assert result.ratio is None
    assert result.peer == "textattack 1.0"
    assert said in result.detail["skipped"]


def test_what_is_said_of_both_sides(quick: None) -> None:
    def shouted(texts: Sequence[str]) -> list[str]:
        """Changes a word of each text that only its place among the draws decides, and pads the marks."""
        return [text.replace("customer", f"customer{random.random()}").replace(",", " ,") for text in texts]

    (result,) = beside_peer(contest(shouted), TEXTS)
    assert result.name == "typos_2 / toy"
    assert result.ratio is not None
    detail = result.detail
    assert min(detail["ratios"]) * 0.99 <= result.ratio <= max(detail["ratios"]) * 1.01
    assert (detail["text_count"], detail["peer_text_count"]) == (2, 2)
    assert detail["marks_kept"] == [1.0, 0.0]
    assert detail["same_with_seed"] == [True, True]
    assert detail["same_in_any_order"] == [True, False]
    assert 0 < detail["words_changed"][0] < 0.2
    assert "a seed fixes any order and one order" in detail["workload"]
    assert "marks kept in 100% and 0%" in detail["workload"]


def test_a_draw_that_no_seed_reaches_is_told(quick: None) -> None:
    own = random.Random(1)
    (result,) = beside_peer(contest(lambda texts: [f"{text} {own.random()}" for text in texts], marks=False), TEXTS)
    assert result.detail["same_with_seed"] == [True, False]
    assert result.detail["marks_kept"] is None
    assert result.detail["workload"].endswith("a seed fixes any order and nothing")


def test_a_slow_peer_gets_fewer_texts_and_is_told_the_share(quick: None) -> None:
    given: list[Any] = []

    def make(share: float) -> Perturb:
        given.append(share)
        return lambda texts: given.append(len(texts)) or list(texts)  # type: ignore[func-returns-value]

    (result,) = beside_peer(Contest("jumble", "nlpaug", "toy", make, most=1), TEXTS)
    assert set(given[2:]) == {1}
    assert given[1] == pytest.approx(result.detail["words_changed"][0], abs=0.001)
    assert result.detail["words_changed"][1] == 0
    assert result.detail["peer_text_count"] == 1


def test_the_parse_counts(quick: None) -> None:
    if reason := without_parser():
        pytest.skip(reason)
    (result,) = beside_peer(contest(list, "drop_phrases"), TEXTS)
    included, shared = result.detail["with_parse"].values()
    assert list(result.detail["with_parse"]) == ["parse in the clock", "parse shared"]
    assert result.ratio == pytest.approx(included, rel=0.01)
    assert included <= 2 * shared  # both are measured, in a few milliseconds
    assert f"parse shared {shared:.3g}" in result.detail["workload"]


def test_shares_and_marks() -> None:
    assert changed_share(["a b c d"], ["a b x d"]) == 0.25
    assert changed_share(["a b c d", "a"], ["a, b c", "a"]) == 0.125
    assert changed_share(["a"], ["x y z"]) == 1
    assert kept_marks(["a, b", "a, b"], ["b, a", "a , b"]) == 0.5


@pytest.mark.parametrize("chosen", CONTESTS, ids=lambda one: one.name)
def test_the_real_packages(chosen: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec(chosen.package) is None:
        pytest.skip(f"{chosen.package} IS NOT INSTALLED")
    if "drop" in chosen.ours and (reason := without_parser()):
        pytest.skip(reason)
    monkeypatch.setattr(perturb_peers, "_ROUNDS", 1)
    (result,) = beside_peer(chosen, TEXTS)
    if chosen.package == "textattack" and "skipped" in result.detail:
        pytest.skip(result.detail["skipped"])
    assert result.ratio is not None, result.detail
    assert result.detail["words_changed"][1] > 0
    assert result.detail["same_with_seed"] == [True, True]
