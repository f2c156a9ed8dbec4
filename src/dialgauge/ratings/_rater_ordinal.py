"""The ordinal rater model: quality of items; severity, discrimination and use of the scale's ends of raters.

P(rating ≤ point j of an item of quality θ, rater r) = Φ(eᵣ·cⱼ + bᵣ − aᵣ·θ), θ ~ N(0, 1): the graded response model of
Samejima (1969) with the raters of a many-facet model (Linacre; Uto and Ueno, 2020). Raters are drawn towards the
average one, so that few ratings say little about a rater; what is fitted is the marginal likelihood, all at once.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._rater_grid import CodedRatings, ItemBlocks

#: Qualities: as many points as a posterior of a well-rated item needs, so far out as standard normal values lie.
_QUALITIES = np.linspace(-4.0, 4.0, 31)
_PRIOR = -0.5 * _QUALITIES**2
_PRIOR = _PRIOR - np.log(np.exp(_PRIOR).sum())
#: Standard deviations of severity, of the logarithm of the use of the ends, and of discrimination around its mean.
_SEVERITY, _ENDS, _DISCRIMINATION = 1.0, 0.3, 0.6
#: The share of ratings that are slips, anywhere on the scale; keeps probabilities off zero.
_SLIPS = 1e-4
_EVALUATIONS = 150
#: From this number of ratings on, the search begins on a quarter of it.
_MANY = 200_000


@dataclass(frozen=True, slots=True)
class OrdinalFit:
    """The fitted model.

    Arrays have an entry per rater; ``errors`` are the standard errors of severity, use of
    the ends and discrimination (raters × 3); ``table`` and ``prior`` are what the engine takes.
    """

    cuts: FloatArray
    severity: FloatArray
    ends: FloatArray
    discrimination: FloatArray
    average: float
    errors: FloatArray
    table: FloatArray
    prior: FloatArray
    qualities: FloatArray
    converged: bool

    def expected(self, points: FloatArray) -> FloatArray:
        """The rating that an average rater gives to an item of each quality, in expectation."""
        cuts = self.cuts[:, None] - self.average * self.qualities[None, :]
        return np.asarray(points @ _between(_below(cuts[None]))[0])


def fit_ordinal(blocks: ItemBlocks) -> OrdinalFit:
    """The parameters with the highest posterior density."""
    coded = blocks.coded
    begin = _start(coded)
    if len(coded.item) > _MANY:
        # A part of the items brings the search close, at a part of its cost.
        begin, _ = _search(ItemBlocks(coded.every(round(len(coded.item) / _MANY * 4))), begin)
    found, converged = _search(blocks, begin)
    cuts, severity, ends, discrimination, average = _split(found, coded)
    if average < 0:
        # Quality has no sign of its own: an average rater gives better items more points.
        discrimination, average = -discrimination, -average
    table, slopes = _tables(cuts, severity, ends, discrimination)
    errors = _standard_errors(blocks, table, slopes)
    return OrdinalFit(
        cuts, severity, ends, discrimination, float(average), errors, table, _PRIOR, _QUALITIES, converged
    )


def _search(blocks: ItemBlocks, begin: FloatArray) -> tuple[FloatArray, bool]:
    """The parameters of the highest density near ``begin``, and whether the search came to its end."""
    from scipy.optimize import minimize

    # Each parameter in units of what its ratings can tell, so that the search takes equal steps in all of them.
    unit, number = _units(blocks.coded), len(blocks.coded.item)

    def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
        value, slope = _posterior(scaled * unit, blocks)
        return -value / number, -slope * unit / number

    limits = {"maxfun": _EVALUATIONS, "maxiter": _EVALUATIONS, "ftol": 1e-7, "gtol": 1e-5, "maxcor": 20}
    found = minimize(loss, begin / unit, jac=True, method="L-BFGS-B", options=limits)
    return found.x * unit, bool(found.success)


def _tables(
    cuts: FloatArray, severity: FloatArray, ends: FloatArray, discrimination: FloatArray
) -> tuple[FloatArray, list[FloatArray]]:
    """Log probabilities of the points, and their slopes by severity, logarithm of the ends and discrimination."""
    places = _cut_places(cuts, severity, ends, discrimination)
    chances = _between(_below(places))
    density = (1 - _SLIPS) * np.exp(-0.5 * places**2) / np.sqrt(2 * np.pi)
    edge = np.zeros((len(severity), 1, len(_QUALITIES)))

    def slope(at_cuts: FloatArray) -> FloatArray:
        return np.asarray(np.diff(np.concatenate([edge, at_cuts, edge], axis=1), axis=1) / chances)

    by_severity = slope(density)
    by_ends = slope(density * ends[:, None, None] * cuts[None, :, None])
    slopes = [by_severity, by_ends, -by_severity * _QUALITIES]
    return np.log(chances).reshape(-1, len(_QUALITIES)), [each.reshape(-1, len(_QUALITIES)) for each in slopes]


def _standard_errors(blocks: ItemBlocks, table: FloatArray, slopes: list[FloatArray]) -> FloatArray:
    """From the information in each rater's ratings (the sum of squared slopes) and in the prior."""
    each = blocks.means(table, _PRIOR, slopes)
    rater, raters = blocks.coded.rater, blocks.coded.raters
    information = np.empty((raters, 3, 3))
    for row in range(3):
        for column in range(3):
            information[:, row, column] = np.bincount(rater, each[:, row] * each[:, column], minlength=raters)
    information += np.diag([_SEVERITY**-2, _ENDS**-2, _DISCRIMINATION**-2])
    return np.asarray(np.sqrt(np.linalg.inv(information)[:, range(3), range(3)]))


def _start(coded: CodedRatings) -> FloatArray:
    """Cuts from how often each point was given; raters as the average one."""
    from scipy.special import ndtri

    share = np.bincount(coded.code, minlength=len(coded.points)) + 0.5
    cuts = 1.4 * ndtri(np.cumsum(share)[:-1] / share.sum())
    raters = coded.raters
    return np.concatenate(
        [cuts[:1], np.log(np.maximum(np.diff(cuts), 1e-3)), np.zeros(2 * raters), np.ones(raters), [1.0]]
    )


def _units(coded: CodedRatings) -> FloatArray:
    """One over the root of the number of ratings that a parameter is estimated from, times that of an average one."""
    own = np.sqrt((len(coded.item) / coded.raters + 1) / (np.bincount(coded.rater, minlength=coded.raters) + 1))
    whole = np.full(len(coded.points) - 1, 1 / np.sqrt(coded.raters))
    return np.concatenate([whole, own, 0.5 * own, own, [1 / np.sqrt(coded.raters)]])


def _split(
    parameters: FloatArray, coded: CodedRatings
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    cuts = len(coded.points) - 1
    first, severity, ends, discrimination, average = np.split(
        parameters, cuts + np.array([0, 1, 2, 3]) * coded.raters, axis=0
    )
    places = first[0] + np.concatenate([[0.0], np.cumsum(np.exp(first[1:]))])
    return places, severity, np.exp(ends), discrimination, average[0]


def _cut_places(cuts: FloatArray, severity: FloatArray, ends: FloatArray, discrimination: FloatArray) -> FloatArray:
    """Raters × cuts × qualities: where a cut lies from the quality."""
    own = ends[:, None] * cuts[None, :] + severity[:, None]
    return np.asarray(own[:, :, None] - (discrimination[:, None] * _QUALITIES)[:, None, :])


def _below(places: FloatArray) -> FloatArray:
    from scipy.special import ndtr

    return np.asarray(ndtr(places))


def _between(below: FloatArray) -> FloatArray:
    """The probability of each point from those of being below the cuts (raters × cuts × qualities)."""
    edge = np.zeros((below.shape[0], 1, below.shape[2]))
    points = np.diff(np.concatenate([edge, below, edge + 1], axis=1), axis=1)
    return np.asarray((1 - _SLIPS) * np.maximum(points, 0) + _SLIPS / points.shape[1])


def _posterior(parameters: FloatArray, blocks: ItemBlocks) -> tuple[float, FloatArray]:
    """The log posterior density and its slope (by Fisher's identity: that of the expected complete data)."""
    coded = blocks.coded
    cuts, severity, ends, discrimination, average = _split(parameters, coded)
    places = _cut_places(cuts, severity, ends, discrimination)
    chances = _between(_below(places))
    counts, _, value = blocks.counts(np.log(chances).reshape(coded.width, -1), _PRIOR)
    share = counts.reshape(chances.shape) / chances
    density = (1 - _SLIPS) * np.exp(-0.5 * places**2) / np.sqrt(2 * np.pi)
    at_cut = (share[:, :-1] - share[:, 1:]) * density
    by_cut = at_cut.sum(axis=2)
    for_cuts = ends @ by_cut
    for_severity = by_cut.sum(axis=1)
    for_ends = ends * (by_cut @ cuts)
    for_discrimination = -(at_cut.sum(axis=1) @ _QUALITIES)
    steps = np.exp(parameters[1 : len(cuts)]) * np.cumsum(for_cuts[::-1])[::-1][1:]
    apart = discrimination - average
    value -= 0.5 * float(
        (severity**2).sum() / _SEVERITY**2
        + (np.log(ends) ** 2).sum() / _ENDS**2
        + (apart**2).sum() / _DISCRIMINATION**2
        + (average - 1) ** 2
    )
    slope = np.concatenate(
        [
            [for_cuts.sum()],
            steps,
            for_severity - severity / _SEVERITY**2,
            for_ends - np.log(ends) / _ENDS**2,
            for_discrimination - apart / _DISCRIMINATION**2,
            [apart.sum() / _DISCRIMINATION**2 - (average - 1)],
        ]
    )
    return value, slope
