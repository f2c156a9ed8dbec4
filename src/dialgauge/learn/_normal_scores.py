"""Features as normal scores: where a value lies among the training rows, as a quantile of the normal distribution.

Scores of metrics have long tails (a perplexity of thousands, a summary that copies the dialogue). Under a linear
learner one such value decides a prediction; its rank does not. A value beyond those of training counts as the outermost
of them.
"""

from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray

#: Places that are kept of a column; values between two of them are interpolated.
_PLACES = 200


class NormalScores:
    """A transformer in the manner of scikit-learn: ``fit``, ``transform``.

    ``values_`` has for each column some of its values, from low to high, ``scores_`` the normal scores of their ranks
    (equal values share the middle one).
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """There are no settings."""
        return {}

    def set_params(self, **params: Any) -> "NormalScores":
        """There are no settings."""
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags("transformer", TargetTags(required=False), transformer_tags=TransformerTags())

    def fit(self, x: FloatArray, y: FloatArray | None = None) -> "NormalScores":
        """Rank the values of each column."""
        from scipy.special import ndtri

        self.values_: list[FloatArray] = []
        self.scores_: list[FloatArray] = []
        for column in np.asarray(x, dtype=np.float64).T:
            values, counts = np.unique(column, return_counts=True)
            kept = np.unique(np.linspace(0, len(values) - 1, _PLACES).round().astype(np.int64))
            middle = (np.cumsum(counts) - counts / 2) / len(column)
            self.values_.append(values[kept])
            self.scores_.append(ndtri(middle[kept]))
        self.n_features_in_ = len(self.values_)
        return self

    def transform(self, x: FloatArray) -> FloatArray:
        """The normal score of each value."""
        columns = zip(np.asarray(x, dtype=np.float64).T, self.values_, self.scores_, strict=True)
        return np.stack([np.interp(column, values, scores) for column, values, scores in columns], axis=1)
