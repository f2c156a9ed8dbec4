"""How two implementations are timed beside each other: CPU time, in turns, cold, and the median of the ratios."""

import gc
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dialgauge.errors import DialgaugeError, MissingExtraError, ParameterError

_LruCache = type(lru_cache(lambda: None))


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One benchmark: how many times the CPU time of ours the peer took (``ratio``; above 1 ours is quicker).

    ``seconds`` and ``peer_seconds`` are medians over the rounds for the same amount of work. ``detail`` holds what was
    compared, on what, and how far the values differed. Where the peer cannot run here, the three numbers are None and
    ``detail["skipped"]`` says why.
    """

    name: str
    ratio: float | None
    peer: str
    seconds: float | None
    peer_seconds: float | None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def skipped(cls, name: str, peer: str, reason: str) -> "BenchResult":
        """A benchmark that could not run on this machine."""
        return cls(name, None, peer, None, None, {"skipped": reason})

    def as_dict(self) -> dict[str, Any]:
        """What ``dialgauge bench --json`` prints."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Timing:
    """Medians over the rounds, and what each side returned in the last one (to compare the values)."""

    ratio: float
    seconds: float
    peer_seconds: float
    ratios: tuple[float, ...]
    ours: Any
    theirs: Any


def interleave(
    ours: Callable[[], Any],
    peer: Callable[[], Any],
    *,
    rounds: int = 3,
    units: float = 1.0,
    peer_units: float = 1.0,
    before_each: Callable[[], object] | None = None,
    wall: bool = False,
) -> Timing:
    """Time both in turns within this process, ``rounds`` times, and take the median of the ratios of CPU time.

    Whatever slows the machine down for a while hits both sides; who goes first changes from round to round.
    ``before_each`` runs outside the clock ahead of every call and should drop the caches that a first call would not
    have. Where the peer does less work than ours (``peer_units`` of ``units``), its time is scaled to ours. Work that a
    card does is not CPU time: ``wall`` takes the clock on the wall.
    """
    clock = time.perf_counter if wall else time.process_time
    if rounds < 1:
        raise ParameterError("interleave", "rounds", "at least 1", rounds)
    scale = units / peer_units
    our_seconds: list[float] = []
    peer_seconds: list[float] = []
    our_result = peer_result = None
    for number in range(rounds):
        for our_turn in (number % 2 == 0, number % 2 == 1):
            if our_turn:
                our_result, seconds = _timed(ours, before_each, clock)
                our_seconds.append(seconds)
            else:
                peer_result, seconds = _timed(peer, before_each, clock)
                peer_seconds.append(seconds * scale)
    ratios = tuple(theirs / own for own, theirs in zip(our_seconds, peer_seconds, strict=True))
    return Timing(
        ratio=statistics.median(ratios),
        seconds=statistics.median(our_seconds),
        peer_seconds=statistics.median(peer_seconds),
        ratios=ratios,
        ours=our_result,
        theirs=peer_result,
    )


def interleave_variants(
    variants: Mapping[str, Callable[[], Any]], peer: Callable[[], Any], *, rounds: int = 3
) -> dict[str, Timing]:
    """Time several ways of ours beside one peer by the clock on the wall; the peer runs once in every round."""
    clock = time.perf_counter
    own: dict[str, list[float]] = {name: [] for name in variants}
    results: dict[str, Any] = {}
    peer_seconds: list[float] = []
    peer_result = None
    for _ in range(rounds):
        peer_result, seconds = _timed(peer, None, clock)
        peer_seconds.append(seconds)
        for name, variant in variants.items():
            results[name], seconds = _timed(variant, None, clock)
            own[name].append(seconds)
    found = {}
    for name, several in own.items():
        ratios = tuple(theirs / ours for ours, theirs in zip(several, peer_seconds, strict=True))
        medians = statistics.median(ratios), statistics.median(several), statistics.median(peer_seconds)
        found[name] = Timing(*medians, ratios, results[name], peer_result)
    return found


def _timed(
    function: Callable[[], Any], before: Callable[[], object] | None, clock: Callable[[], float]
) -> tuple[Any, float]:
    if before is not None:
        before()
    was_enabled = gc.isenabled()
    gc.disable()  # as timeit does: nobody pays for the garbage of the other
    try:
        start = clock()
        result = function()
        seconds = clock() - start
    finally:
        if was_enabled:
            gc.enable()
    # A call below the resolution of the clock must not divide by zero.
    return result, max(seconds, time.get_clock_info("process_time").resolution)


def clear_caches(packages: Iterable[str], keep: Iterable[str] = ()) -> None:
    """Empty every ``functools`` cache found in the loaded modules of these packages, on functions and on methods.

    ``keep`` names modules whose caches stay (those that hold loaded code, not results).
    """
    prefixes, kept = tuple(packages), set(keep)
    for name, module in list(sys.modules.items()):
        if name in kept or not any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes):
            continue
        for value in list(vars(module).values()):
            members = vars(value).values() if isinstance(value, type) else (value,)
            for member in members:
                # No look at attributes: some packages load data from disk when asked for one.
                if isinstance(member, _LruCache):
                    member.cache_clear()


def check_agreement(name: str, largest_difference: float, tolerance: float = 1e-9) -> float:
    """The difference, or an error: a benchmark of other numbers than the peer's says nothing."""
    if not largest_difference <= tolerance:  # NaN is no agreement either
        raise DialgaugeError(
            f"benchmark {name!r}: values differ from the peer's by {largest_difference:.3g}, more than {tolerance:g}"
        )
    return largest_difference


def need_peers(feature: str, *distributions: str) -> None:
    """Refuse, naming the extra, where one of the packages that we are measured beside is not installed."""
    for distribution in distributions:
        if _version(distribution) is None:
            raise MissingExtraError(f"{feature} (beside {distribution})", "bench")


def machine(packages: Iterable[str] = ()) -> dict[str, Any]:
    """The machine and the versions that the numbers belong to."""
    from dialgauge.metrics import kernel_name

    named = ("dialgauge", "numpy", "polars", *packages)
    return {
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "kernels": kernel_name(),
        "packages": {name: found for name in named if (found := _version(name)) is not None},
    }


def now() -> str:
    """The date and time in UTC, as written into results."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({len(names)} threads)" if names else platform.processor() or "unknown"


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
