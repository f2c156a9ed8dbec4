"""A pytest plugin: summaries and runs are checked as tests.

The fixture ``dialgauge`` has :meth:`Checks.check` for a mean of a metric and :meth:`Checks.gate` for the comparison of
two runs. Results are listed at the end, are in JUnit files as properties of their tests, and go to
``--dialgauge-json FILE``.

pytest loads this module in every run of every project, so nothing heavy is imported before a test uses the fixture.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import numpy as np

#: Under pytest-xdist, results travel from the workers in this field.
_FIELD = "dialgauge_checks"
_RESULTS = pytest.StashKey[list[dict[str, Any]]]()
_DRAWS = 1000


class Checks:
    """What the fixture ``dialgauge`` offers. A failed check names value, interval, bound and the worst summary."""

    def __init__(self, node: pytest.Item, results: list[dict[str, Any]]) -> None:
        self._node, self._results = node, results

    def check(
        self,
        summaries: Sequence[str],
        metric: str,
        *,
        references: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> float:
        """Fail unless the mean of a metric over these summaries is within its bounds; return the mean."""
        import numpy as np

        from dialgauge.integrations import load_metrics

        if at_least is None and at_most is None:
            raise ValueError("give a bound: at_least=… or at_most=…")
        module = load_metrics(metric)
        column = module.per_summary(predictions=summaries, references=references, sources=sources).to_series()
        values = column.drop_nulls().to_numpy()
        if not len(values):
            self._fail(f"{metric}: none of {len(column)} summaries could be scored")
        mean = float(np.mean(values))
        low, high = _interval(values)
        lower_fails = at_least is not None and mean < at_least
        passed = not lower_fails and (at_most is None or mean <= at_most)
        result = {
            "metric": metric,
            "mean": mean,
            "low": low,
            "high": high,
            "summaries": len(values),
            "unscored": len(column) - len(values),
            "at_least": at_least,
            "at_most": at_most,
            "passed": passed,
        }
        self._record(result)
        if not passed:
            scored = column.to_numpy()
            worst = int(np.nanargmin(scored) if lower_fails else np.nanargmax(scored))
            bound = f"at least {at_least:g}" if lower_fails else f"at most {at_most:g}"
            self._fail(
                f"{metric} must be {bound}; the mean of {len(values)} summaries is {mean:.4f} [{low:.4f}, {high:.4f}]\n"
                f"worst: summary {worst} with {scored[worst]:.4f}: {_short(summaries[worst])}"
            )
        return mean

    def gate(self, before: Path | str, after: Path | str, *conditions: str, **settings: Any) -> None:
        """Fail if a condition holds between two runs, as in ``gate("runs/v1", "runs/v2", "consistency drops")``.

        The conditions are those of ``dialgauge compare-runs --fail-if``, the settings those of ``compare_runs``.
        """
        from dialgauge.study import check_conditions, compare_runs

        checked = check_conditions(compare_runs(before, after, **settings), conditions)
        for one in checked:
            self._record({"condition": one.condition.text, "passed": not one.met, "findings": list(one.sentences)})
        met = [one for one in checked if one.met]
        if met:
            self._fail("\n".join(f"{one.condition.text}: {'; '.join(one.sentences)}" for one in met))

    def _record(self, result: dict[str, Any]) -> None:
        self._results.append({"test": self._node.nodeid, **result})
        name = result.get("metric") or result["condition"]
        self._node.user_properties.append((f"dialgauge {name}", result.get("mean", result["passed"])))

    @staticmethod
    def _fail(message: str) -> None:
        pytest.fail(message, pytrace=False)


@pytest.fixture
def dialgauge(request: pytest.FixtureRequest) -> Checks:
    """Check summaries against bounds, and runs against each other."""
    return Checks(request.node, request.config.stash.setdefault(_RESULTS, []))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--dialgauge-json``."""
    group = parser.getgroup("dialgauge")
    group.addoption("--dialgauge-json", metavar="FILE", help="Write the results of dialgauge checks to FILE as JSON.")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over the results of a worker of pytest-xdist."""
    sent = getattr(node, "workeroutput", {}).get(_FIELD, [])
    node.config.stash.setdefault(_RESULTS, []).extend(sent)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file, or send the results to where it is written."""
    results = session.config.stash.get(_RESULTS, [])
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_FIELD] = results
    elif path := session.config.getoption("--dialgauge-json"):
        Path(path).write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", "utf-8")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List the checks at the end."""
    results = config.stash.get(_RESULTS, [])
    if results:
        terminalreporter.section("dialgauge")
        for line in _lines(results):
            terminalreporter.write_line(line)


def _lines(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    for one in results:
        outcome = "ok    " if one["passed"] else "FAILED"
        if "condition" in one:
            yield f"{outcome} {one['condition']}"
        else:
            given = (("≥", one["at_least"]), ("≤", one["at_most"]))
            bounds = [f"{sign} {bound:g}" for sign, bound in given if bound is not None]
            value = f"{one['mean']:.4f} [{one['low']:.4f}, {one['high']:.4f}]"
            yield f"{outcome} {one['metric']} {value} {', '.join(bounds)}, {one['summaries']} summaries"


def _interval(values: "np.ndarray[Any, Any]") -> tuple[float, float]:
    """A 95 % bootstrap interval of the mean; the same draws each time."""
    import numpy as np

    drawn = np.random.default_rng(0).integers(0, len(values), size=(_DRAWS, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 120 else f"{words[:119]}…"
