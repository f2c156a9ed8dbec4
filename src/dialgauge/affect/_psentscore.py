"""PSentScore (Zhou et al. 2024) of a corpus with controls, and a variant that does not reward copying.

The paper's measure correlates the share of affective words in dialogues and summaries. It rewards copying from the
dialogue. ``adjusted`` counts only affective words of the summary that do not occur in the dialogue, as a share
of the summary's words, and takes the partial rank correlation with the dialogue's share, given the numbers of words of
both: copies have nothing of their own and get 0, unrelated texts get about 0, and length alone earns nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from dialgauge.affect._association import FloatArray, absolute_error, concordance, partial_spearman, spearman
from dialgauge.affect._controls import CONSTANT, control_texts
from dialgauge.affect._psent import IntArray, as_tagger
from dialgauge.affect._rows import REFERENCES, Ground, Rows, entries_of
from dialgauge.affect._settings import AffectSettings
from dialgauge.affect._speakers import one_side
from dialgauge.affect._tagger import Tagger
from dialgauge.corpus import ORIGINAL, OVERALL, Corpus, Dialogue
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.settings import takes

Measure = Literal["spearman", "ccc", "mae", "adjusted"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: Why there is no value.
TOO_FEW = "fewer than three pairs"
ALL_EQUAL = "all values of one series are equal"
NOTHING_LEFT = "the lengths of the texts explain one series completely"
NO_AFFECT = "no dialogue has an affective word"
_FEWEST = 3
#: Weights that are worked on at a time: as many as a processor keeps near.
_AT_ONCE = 65_536


@dataclass(frozen=True, eq=False)
class PSentScores:
    """The table of PSentScores, and what is needed to compare its rows.

    ``frame`` has a row per system, control or the references (``kind``, ``name``) and part, with each measure, the
    ends of its interval, and counts: ``pairs`` compared, ``dialogues`` among them, ``zero`` (dialogues left out because
    none of their words is affective), ``empty`` (summaries left out because they have no words). A null has a
    ``reason``. ``differences`` compares two rows on the dialogues that both have.
    """

    frame: pl.DataFrame
    signature: str
    parts: tuple[str, ...]
    level: float
    _rows: Mapping[str, Rows] = field(repr=False)
    _ground: Ground = field(repr=False)
    _weights: FloatArray = field(repr=False)

    def differences(
        self, measure: Measure = "spearman", part: str = "all", names: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """The difference of each two rows, its interval and its p value, by the paired bootstrap over dialogues.

        ``names`` are the rows to compare; without them the systems and the references are.
        """
        if measure not in MEASURES:
            raise ParameterError("differences", "measure", " or ".join(map(repr, MEASURES)), measure)
        if part not in self.parts:
            raise UnknownNameError("part of PSent", part, self.parts)
        compared = names if names is not None else self._compared()
        for name in compared:
            if name not in self._rows:
                raise UnknownNameError("row of PSentScores", name, self._rows)
        found = [self._difference(a, b, measure, self.parts.index(part)) for a, b in combinations(compared, 2)]
        schema = {"a": pl.String, "b": pl.String, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(found, schema={**schema, "p_value": pl.Float64, "dialogues": pl.Int64}, orient="row")

    def _compared(self) -> list[str]:
        wanted = self.frame.filter(pl.col("kind") != "control")
        return wanted["name"].unique(maintain_order=True).to_list()

    def _difference(self, a: str, b: str, measure: Measure, part: int) -> tuple[Any, ...]:
        common = np.intersect1d(self._rows[a].dialogues, self._rows[b].dialogues)
        kept = common[self._ground.shares[common, part] > 0]
        ends: list[FloatArray] = []
        for name in (a, b):
            series = _series(self._rows[name], self._ground, part, kept)
            ends.append(_values(measure, series, self._weights))
        gap = ends[0] - ends[1]
        if np.isnan(gap[0]):
            return a, b, None, None, None, None, len(kept)
        low, high = _interval(gap[1:], self.level)
        drawn = gap[1:][~np.isnan(gap[1:])]
        tail = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
        p_value = min(1.0, 2 * (tail + 1) / (len(drawn) + 1)) if len(drawn) else None
        return a, b, float(gap[0]), low, high, p_value, len(kept)


@takes(AffectSettings)
def psent_score(
    corpus: Corpus,
    tagger: Tagger | str | None = None,
    settings: AffectSettings | None = None,
    *,
    role: str | None = None,
    **changes: Any,
) -> PSentScores:
    """PSentScore of every system of a corpus, of the references, and of the controls.

    ``tagger`` is a tagger or its specification (default: that of the settings). ``several`` says how several references
    of a dialogue are taken: each as a pair of its own (``pairs``), as the paper does, or by the ``mean`` of their
    shares. ``role`` compares one side only: the turns of that role or speaker with the summaries of that role, or with
    the sentences that are about it. The intervals are percentiles of a bootstrap over dialogues; the same draws serve
    every row. A control with the name of a system is marked "(control)", a system called "references" is marked
    "(system)".
    """
    asked = AffectSettings.chosen(settings, changes, "psent_score")
    chosen = as_tagger(tagger or asked.tagger)
    dialogues, summaries = _texts(corpus, role)
    ground = Ground.of(dialogues, list(corpus.iter_dialogues()), chosen, asked.denominator, asked.tags)
    entries = entries_of(summaries, {dialogue.id: i for i, dialogue in enumerate(dialogues)})
    rows: dict[str, Rows] = {}
    kinds: dict[str, str] = {}
    for (kind, name), texts in entries.items():
        counted = ground.rows(texts)
        if kind == "system" and name == REFERENCES:
            name = f"{name} (system)"
        rows[name] = counted.means() if kind == "reference" and asked.several == "mean" else counted
        kinds[name] = kind
    outputs = [entry for (kind, _), texts in entries.items() if kind == "system" for entry in texts]
    controls = control_texts(dialogues, outputs or entries.get(("reference", REFERENCES), []), asked.seed)
    beside = {name: ground.rows(texts) for name, texts in controls.items()} | {CONSTANT: ground.constant()}
    for name, counted in beside.items():
        free = f"{name} (control)" if name in rows else name
        rows[free], kinds[free] = counted, "control"
    weights = _weights(len(dialogues), asked.resamples, asked.seed)
    found = [
        {"kind": kinds[name], "name": name, "part": part, **_cell(rows[name], ground, i, weights, asked.confidence)}
        for name in rows
        for i, part in enumerate(ground.parts)
    ]
    how = f"denominator:{asked.denominator}|tags:{asked.tags}|several:{asked.several}|role:{role or OVERALL}"
    signature = f"psentscore|{chosen.signature}|{how}|v:1"
    frame = pl.DataFrame(found, schema=_SCHEMA)
    return PSentScores(frame, signature, ground.parts, asked.confidence, rows, ground, weights)


def _texts(corpus: Corpus, role: str | None) -> tuple[list[Dialogue], pl.DataFrame]:
    """The dialogues and the summaries as their systems wrote them, of the whole or of one side."""
    dialogues, summaries = (list(corpus.iter_dialogues()), corpus.summaries) if role is None else one_side(corpus, role)
    if not dialogues:
        raise InputError(f"corpus {corpus.info.name!r} has no dialogue")
    summaries = summaries.filter(pl.col("variant") == ORIGINAL)
    if role is None:
        other = sorted(summaries["role"].unique())
        summaries = summaries.filter(pl.col("role") == OVERALL)
        if summaries.is_empty() and other:
            raise InputError(
                f"corpus {corpus.info.name!r} has no summaries of whole dialogues, only of the roles "
                f"{', '.join(other)}: "
                "choose a role"
            )
    return dialogues, summaries


_SCHEMA: Mapping[str, Any] = {
    **dict.fromkeys(("kind", "name", "part"), pl.String),
    **{f"{measure}{end}": pl.Float64 for measure in MEASURES for end in ("", "_low", "_high")},
    **dict.fromkeys(("pairs", "dialogues", "zero", "empty"), pl.Int64),
    "reason": pl.String,
}


def _weights(dialogues: int, draws: int, seed: int) -> FloatArray:
    """How often each dialogue counts: once in the first row, as drawn with replacement in the others."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(dialogues, np.full(dialogues, 1 / dialogues), size=draws)
    return np.concatenate([np.ones((1, dialogues)), drawn.astype(np.float64)])


@dataclass(frozen=True, eq=False)
class _Series:
    dialogues: IntArray
    x: FloatArray
    y: FloatArray
    own: FloatArray
    lengths: tuple[FloatArray, FloatArray]


def _series(rows: Rows, ground: Ground, part: int, kept: IntArray | None = None) -> _Series:
    """The two series of a part: dialogues with a share above zero (and among ``kept``), and their summaries."""
    x = ground.shares[rows.dialogues, part]
    wanted = x > 0
    if kept is not None:
        wanted &= np.isin(rows.dialogues, kept)
    numbers = rows.dialogues[wanted]
    lengths = ground.words[numbers], rows.words[wanted]
    return _Series(numbers, x[wanted], rows.shares[wanted, part], rows.own[wanted, part], lengths)


def _adjusted(series: _Series, weights: FloatArray) -> FloatArray:
    if not series.own.any():  # nothing of its own in any summary: by definition nothing beyond copying
        return np.zeros(len(weights))
    return partial_spearman(series.x, series.own, list(series.lengths), weights)


_COMPUTE: Mapping[str, Callable[[_Series, FloatArray], FloatArray]] = {
    "spearman": lambda series, weights: spearman(series.x, series.y, weights),
    "ccc": lambda series, weights: concordance(series.x, series.y, weights),
    "mae": lambda series, weights: absolute_error(series.x, series.y, weights),
    "adjusted": _adjusted,
}


def _values(measure: Measure, series: _Series, weights: FloatArray) -> FloatArray:
    """The measure as it is, then in each draw; NaN where it is not defined."""
    if len(series.x) < _FEWEST:
        return np.full(len(weights), np.nan)
    step = max(1, _AT_ONCE // len(series.x))
    found = []
    for start in range(0, len(weights), step):
        block = weights[start : start + step][:, series.dialogues]
        drawn = block.sum(axis=1) > 0  # a draw may have none of these dialogues
        values = np.full(len(block), np.nan)
        values[drawn] = _COMPUTE[measure](series, block[drawn])
        found.append(values)
    return np.concatenate(found)


def _interval(drawn: FloatArray, level: float) -> tuple[float | None, float | None]:
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def _cell(rows: Rows, ground: Ground, part: int, weights: FloatArray, level: float) -> dict[str, Any]:
    series = _series(rows, ground, part)
    cell: dict[str, Any] = {}
    for measure in MEASURES:
        values = _values(measure, series, weights)
        missing = bool(np.isnan(values[0]))
        cell[measure] = None if missing else float(values[0])
        cell[f"{measure}_low"], cell[f"{measure}_high"] = (None, None) if missing else _interval(values[1:], level)
    reason = None
    if not len(series.x) and not (ground.shares[:, part] > 0).any():
        reason = NO_AFFECT
    elif len(series.x) < _FEWEST:
        reason = TOO_FEW
    elif cell["ccc"] is None or cell["spearman"] is None:
        reason = ALL_EQUAL
    elif cell["adjusted"] is None:
        reason = NOTHING_LEFT
    return cell | {
        "pairs": len(series.x),
        "dialogues": len(np.unique(series.dialogues)),
        "zero": int(np.count_nonzero(ground.shares[np.unique(rows.dialogues), part] <= 0)),
        "empty": rows.empty,
        "reason": reason,
    }
