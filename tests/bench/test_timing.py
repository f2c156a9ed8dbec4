"""Timing: turns, scaling, fresh caches, and the refusals."""

import json
import sys
import time
from functools import cache, lru_cache
from types import ModuleType

import pytest

from benchmarks import (
    SUITES,
    BenchResult,
    check_agreement,
    clear_caches,
    interleave,
    machine,
    need_peers,
    now,
    run_suite,
)
from dialgauge.errors import DialgaugeError, MissingExtraError, ParameterError, UnknownNameError


class Clock:
    """A CPU clock that only moves when a test works."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def work(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "process_time", lambda: made.seconds)
    return made


def test_the_median_of_the_ratios_is_taken(clock: Clock) -> None:
    own, theirs = iter([1.0, 2.0, 1.0]), iter([10.0, 10.0, 90.0])
    timing = interleave(lambda: clock.work(next(own)), lambda: clock.work(next(theirs)), rounds=3)
    assert timing.ratios == pytest.approx((10, 5, 90))
    assert timing.ratio == pytest.approx(10)
    assert timing.seconds == pytest.approx(1)
    assert timing.peer_seconds == pytest.approx(10)


def test_both_take_turns_and_who_is_first_changes(clock: Clock) -> None:
    seen: list[str] = []
    timing = interleave(
        lambda: seen.append("ours") or "a",  # type: ignore[func-returns-value]
        lambda: seen.append("peer") or "b",  # type: ignore[func-returns-value]
        rounds=3,
        before_each=lambda: seen.append("cold"),
    )
    assert seen == ["cold", "ours", "cold", "peer", "cold", "peer", "cold", "ours", "cold", "ours", "cold", "peer"]
    assert (timing.ours, timing.theirs) == ("a", "b")


def test_what_runs_before_is_not_timed(clock: Clock) -> None:
    timing = interleave(lambda: clock.work(1), lambda: clock.work(2), rounds=2, before_each=lambda: clock.work(1000))
    assert timing.seconds == pytest.approx(1)
    assert timing.ratio == pytest.approx(2)


def test_a_peer_that_does_less_is_scaled(clock: Clock) -> None:
    timing = interleave(lambda: clock.work(1), lambda: clock.work(2), rounds=1, units=56_000, peer_units=700)
    assert timing.peer_seconds == pytest.approx(160)
    assert timing.ratio == pytest.approx(160)


def test_work_below_the_resolution_of_the_clock_divides_by_nothing_but_it(clock: Clock) -> None:
    timing = interleave(lambda: None, lambda: clock.work(1), rounds=1)
    assert timing.seconds == time.get_clock_info("process_time").resolution


def test_no_round_is_refused() -> None:
    with pytest.raises(ParameterError, match="'rounds' must be at least 1; got 0"):
        interleave(lambda: None, lambda: None, rounds=0)


def test_caches_of_functions_and_methods_are_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    def module(name: str) -> ModuleType:
        made = ModuleType(name)

        @cache
        def function(x: int) -> int:
            return x

        class Holder:
            @lru_cache(maxsize=8)  # noqa: B019  # that is how the peers do it
            def method(self, x: int) -> int:
                return x

        made.function, made.Holder = function, Holder  # type: ignore[attr-defined]
        function(1)
        Holder().method(1)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    inside, kept, outside = module("toypack.part"), module("toypack.kept"), module("toypacker")
    clear_caches(["toypack"], keep=["toypack.kept"])

    def sizes(made: ModuleType) -> tuple[int, int]:
        return made.function.cache_info().currsize, made.Holder.method.cache_info().currsize

    assert sizes(inside) == (0, 0)
    assert sizes(kept) == (1, 1)
    assert sizes(outside) == (1, 1)


def test_other_numbers_than_the_peer_s_are_no_result() -> None:
    assert check_agreement("toy", 1e-10) == 1e-10
    with pytest.raises(DialgaugeError, match="benchmark 'toy': values differ from the peer's by 1e-08"):
        check_agreement("toy", 1e-8)
    with pytest.raises(DialgaugeError, match="differ"):
        check_agreement("toy", float("nan"))


def test_missing_peers_name_the_extra() -> None:
    with pytest.raises(MissingExtraError, match=r"toy \(beside no-such-package\) needs the extra 'bench'"):
        need_peers("toy", "numpy", "no-such-package")


def test_unknown_suites_get_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ngram'"):
        run_suite("ngrams")
    assert "ngram" in SUITES


def test_results_are_json() -> None:
    result = BenchResult("toy", 2.0, "peer", 1.0, 2.0, {"pairs": 3})
    document = json.loads(json.dumps({"results": [result.as_dict()], "machine": machine(["numpy"]), "date": now()}))
    assert document["results"][0] == {
        "name": "toy",
        "ratio": 2.0,
        "peer": "peer",
        "seconds": 1.0,
        "peer_seconds": 2.0,
        "detail": {"pairs": 3},
    }
    assert set(document["machine"]) == {"processor", "system", "python", "kernels", "packages"}
    assert document["machine"]["packages"]["numpy"]
    skipped = BenchResult.skipped("toy", "peer", "no data")
    assert (skipped.ratio, skipped.detail) == (None, {"skipped": "no data"})
