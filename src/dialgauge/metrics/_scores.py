"""``Scores``: the values of the metrics with keys, signatures and times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import UnknownNameError
from dialgauge.tables import FrameResult, notebook_table

#: Failures: the key of the summary, the metric's column, and why it has no value.
FAILURES = pl.Schema({**dict.fromkeys(KEY, pl.String), "metric": pl.String, "reason": pl.String})
#: Notes: the key of the summary, the metric's column, and a remark on its value.
NOTES = pl.Schema({**dict.fromkeys(KEY, pl.String), "metric": pl.String, "note": pl.String})
#: What identifies a row of the system-level frame.
SYSTEM_KEY = ("system", "variant", "role")

#: Prefix of the signature of a column that another program computed.
UNSIGNED = "unsigned|"


@dataclass(frozen=True, slots=True)
class Scores(FrameResult):
    """A frame of summaries × metrics (``frame``, keyed by dialogue, system, variant and role).

    ``systems`` holds system-level metrics, such as corpus BLEU. ``signatures`` says for each
    column how its numbers were computed, ``directions`` which direction is better, ``seconds`` how long it took. A null
    in ``frame`` has its reason in ``failures``; a metric that could not run at all is there without a key. ``notes``
    holds remarks on single values, such as that the text was truncated.
    """

    frame: pl.DataFrame
    signatures: Mapping[str, str]
    directions: Mapping[str, str]
    systems: pl.DataFrame = field(default_factory=pl.DataFrame)
    failures: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=FAILURES))
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=NOTES))

    @property
    def metrics(self) -> list[str]:
        """The columns with a value per summary."""
        return [column for column in self.frame.columns if column not in KEY]

    @property
    def judging(self) -> list[str]:
        """The metrics that judge quality, and columns of unknown origin, which may do so."""
        return [
            name
            for name in self.metrics
            if self.directions.get(name, "none") != "none" or self.signatures[name].startswith(UNSIGNED)
        ]

    @property
    def left_out(self) -> dict[str, str]:
        """The metrics that could not run at all, with the reason."""
        whole = self.failures.filter(pl.all_horizontal(pl.col(KEY).is_null()))
        return dict(whole.select("metric", "reason").iter_rows())

    def _repr_html_(self) -> str:
        arrows = {"higher": " ↑", "lower": " ↓"}
        means = self.means()
        named = {metric: f"{metric}{arrows.get(self.directions.get(metric, 'none'), '')}" for metric in means.columns}
        return notebook_table("Mean scores", means.rename(named))._repr_html_()

    def column(self, metric: str) -> pl.DataFrame:
        """The key and one metric."""
        if metric not in self.metrics:
            raise UnknownNameError("metric in these scores", metric, self.metrics)
        return self.frame.select(*KEY, metric)

    def save(self, path: Path | str, *, with_seconds: bool = True) -> None:
        """Write to ``.parquet`` (signatures inside), ``.csv`` or ``.jsonl`` (signatures in ``.meta.json``)."""
        from dialgauge.metrics._scores_io import save_scores

        save_scores(self, path, with_seconds=with_seconds)

    @classmethod
    def load(cls, path: Path | str, only: pl.DataFrame | None = None) -> "Scores":
        """Read what :meth:`save` wrote, or a table of your own with ``dialogue_id``, ``system`` and numbers.

        The folder of a finished stream is read as one table. ``only`` keeps the summaries whose keys it has (such as
        ``corpus.ratings``): of a folder, memory then depends on these and not on all parts.
        """
        from dialgauge.metrics._scores_io import load_scores

        return load_scores(path, only)

    def means(self) -> pl.DataFrame:
        """The mean of every metric for each system, and the system-level metrics."""
        by_system = self.frame.group_by(SYSTEM_KEY).agg(pl.col(self.metrics).mean()).sort(SYSTEM_KEY)
        if self.systems.is_empty():
            return by_system
        return by_system.join(self.systems, on=list(SYSTEM_KEY), how="left", maintain_order="left")
