"""Proportional odds: the ordinal regression of McCullagh (1980), fitted by maximum likelihood.

P(y ≤ k | x) = σ(θ_k − x·β) with thresholds θ_1 < … < θ_{K−1} and one slope for all of them; a ridge penalty α/2·‖β‖²
keeps it finite if classes are perfectly separable.
"""

from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray


class ProportionalOdds:
    """An estimator in the manner of scikit-learn: ``fit``, ``predict``, ``predict_proba``.

    ``coef_`` are the slopes, ``theta_`` the thresholds between neighbouring ``classes_``.
    """

    def __init__(self, alpha: float = 1.0, max_iter: int = 1000) -> None:
        self.alpha = alpha
        self.max_iter = max_iter

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, as scikit-learn expects them."""
        return {"alpha": self.alpha, "max_iter": self.max_iter}

    def set_params(self, **params: Any) -> "ProportionalOdds":
        """Change settings."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True))

    def fit(self, x: FloatArray, y: FloatArray) -> "ProportionalOdds":
        """Maximise the penalised likelihood."""
        from scipy.optimize import minimize

        x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        cuts = len(self.classes_) - 1
        if cuts < 1:
            raise ValueError("ordinal regression needs at least two classes")
        share = np.cumsum(np.bincount(codes))[:-1] / len(codes)
        start = np.concatenate([np.zeros(x.shape[1]), _free(np.log(share / (1 - share)))])
        found = minimize(
            self._objective,
            start,
            args=(x, codes, cuts),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "ftol": 1e-12, "gtol": 1e-7},
        )
        self.coef_: FloatArray = found.x[: x.shape[1]]
        self.theta_: FloatArray = _thresholds(found.x[x.shape[1] :])
        self.n_features_in_ = x.shape[1]
        return self

    def predict_proba(self, x: FloatArray) -> FloatArray:
        """The probability of each class."""
        latent = np.asarray(x, dtype=np.float64) @ self.coef_
        below = _sigmoid(self.theta_[None, :] - latent[:, None])
        edges = np.hstack([np.zeros((len(latent), 1)), below, np.ones((len(latent), 1))])
        return np.diff(edges, axis=1)

    def predict(self, x: FloatArray) -> FloatArray:
        """The most probable class."""
        chosen: FloatArray = self.classes_[np.argmax(self.predict_proba(x), axis=1)]
        return chosen

    def _objective(self, parameters: FloatArray, x: FloatArray, codes: Any, cuts: int) -> tuple[float, FloatArray]:
        beta, free = parameters[: x.shape[1]], parameters[x.shape[1] :]
        theta = _thresholds(free)
        latent = x @ beta
        upper = np.concatenate([theta, [np.inf]])[codes] - latent
        lower = np.concatenate([[-np.inf], theta])[codes] - latent
        at_upper, at_lower = _sigmoid(upper), _sigmoid(lower)
        chance = np.maximum(at_upper - at_lower, 1e-300)
        loss = -np.log(chance).sum() + 0.5 * self.alpha * float(beta @ beta)
        slope_upper = at_upper * (1 - at_upper) / chance
        slope_lower = at_lower * (1 - at_lower) / chance
        of_latent = slope_upper - slope_lower
        of_theta = np.zeros(cuts)
        inside = codes < cuts
        np.add.at(of_theta, codes[inside], -slope_upper[inside])
        above = codes > 0
        np.add.at(of_theta, codes[above] - 1, slope_lower[above])
        # θ_1 = a_1 and θ_k = θ_{k−1} + exp(a_k): each a_k moves all thresholds from k on.
        of_free = np.cumsum(of_theta[::-1])[::-1] * np.concatenate([[1.0], np.exp(free[1:])])
        return loss, np.concatenate([x.T @ of_latent + self.alpha * beta, of_free])


def _thresholds(free: FloatArray) -> FloatArray:
    return np.cumsum(np.concatenate([free[:1], np.exp(free[1:])]))


def _free(thresholds: FloatArray) -> FloatArray:
    return np.concatenate([thresholds[:1], np.log(np.maximum(np.diff(thresholds), 1e-6))])


def _sigmoid(values: FloatArray) -> FloatArray:
    result: FloatArray = 0.5 * (1 + np.tanh(0.5 * values))
    return result
