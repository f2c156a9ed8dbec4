"""Limits on the mean of each system for continuous integration: ``METRIC=NUMBER``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dialgauge.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Limits:
    """Metrics whose means must not be below (``least``) or above (``most``) a number."""

    least: tuple[tuple[str, float], ...]
    most: tuple[tuple[str, float], ...]

    @classmethod
    def parse(cls, under: Sequence[str], over: Sequence[str]) -> "Limits":
        """From the options ``--fail-under`` and ``--fail-over``."""
        return cls(
            tuple(_limit("--fail-under", text) for text in under), tuple(_limit("--fail-over", text) for text in over)
        )

    def check(self, columns: Sequence[str]) -> None:
        """Refuse a limit on what was not requested, before anything is scored."""
        for metric, _ in (*self.least, *self.most):
            if metric not in columns:
                raise UnknownNameError("metric of a limit", metric, columns, "request it with -m")

    def broken(self, means: "pl.DataFrame") -> list[str]:
        """A sentence for every system and metric outside the limits. A missing mean counts as outside."""
        names = system_names(means)
        found = []
        for limits, word, sign in ((self.least, "below", 1), (self.most, "above", -1)):
            for metric, limit in limits:
                if metric not in means.columns:
                    found.append(f"{metric} was skipped, so the limit {limit:g} cannot be checked")
                    continue
                for name, mean in zip(names, means[metric], strict=True):
                    if mean is None:
                        found.append(f"{name}: {metric} has no value, so the limit {limit:g} cannot be checked")
                    elif sign * mean < sign * limit:
                        found.append(f"{name}: {metric} is {mean:.4g}, {word} {limit:g}")
        return found


def system_names(means: "pl.DataFrame") -> list[str]:
    """The display names of the systems in a table of means: without the default variant and role."""
    from dialgauge.metrics import SYSTEM_KEY

    return [
        " / ".join(dict.fromkeys(part for part in row if part not in ("original", "overall")))
        for row in means.select(SYSTEM_KEY).iter_rows()
    ]


def _limit(option: str, text: str) -> tuple[str, float]:
    # The specification of a metric may contain equals signs.
    metric, equals, number = text.rpartition("=")
    try:
        if not metric or not equals:
            raise ValueError
        return metric, float(number)
    except ValueError:
        raise InputError(f"{option} {text!r}: write it as METRIC=NUMBER, such as rouge-l=0.3") from None
