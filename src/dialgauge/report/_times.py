"""Computing times: seconds per metric and per stage, and the machine. They are in a report only on request."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TimesData:
    """Seconds that each metric took for all summaries, seconds of each stage, and facts about the machine."""

    metrics: Mapping[str, float]
    stages: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


def time_rows(times: TimesData, summaries: int) -> list[tuple[str, float, float]]:
    """Each metric with its seconds and its seconds per 1,000 summaries, slowest first."""
    ranked = sorted(times.metrics.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(name, seconds, seconds / max(1, summaries) * 1000) for name, seconds in ranked]
