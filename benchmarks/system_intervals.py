"""How often "A is better than B" is wrong where it is not: the error of both intervals of ``compare_systems``.

Two systems of equal quality in the eyes of all possible raters; each rater of the study likes one of them a little more
(``taste``, in points of the scale), dialogues favour one (.7), single ratings are noisy (1.0 before rounding to 1-5).
Prints a Markdown table: the share of studies whose interval excludes zero, for these raters and for other raters.
"""

import numpy as np

from dialgauge.metaeval._rater_interval import over_dialogues, over_raters

STUDIES = 1000
RATERS, DIALOGUES, TASTES = (2, 3, 5, 10), (20, 100), (0.0, 0.2, 0.6)


def study(generator: np.random.Generator, raters: int, dialogues: int, taste: float) -> tuple[np.ndarray, np.ndarray]:
    """Single ratings of two systems, raters × dialogues, on a scale from 1 to 5."""
    quality = generator.normal(3, 0.7, size=dialogues)
    liking = generator.normal(0, taste, size=(raters, 1))
    ratings = []
    for sign in (0.5, -0.5):
        suits = generator.normal(0, 0.5, size=dialogues)
        noise = generator.normal(0, 0.7, size=(raters, dialogues))
        ratings.append(np.clip(np.round(quality + suits + sign * liking + noise), 1, 5))
    return ratings[0], ratings[1]


def errors(raters: int, dialogues: int, taste: float, missing: bool, seed: int) -> tuple[float, float]:
    """The share of null studies in which each interval excludes zero."""
    generator = np.random.default_rng(seed)
    wrong = np.zeros(2)
    for _ in range(STUDIES):
        one, other = study(generator, raters, dialogues, taste)
        if missing:
            one[generator.random(one.shape) < 0.3] = np.nan
            other[generator.random(other.shape) < 0.3] = np.nan
        with np.errstate(invalid="ignore"):
            means = [np.nanmean(np.where(np.isnan(x).all(0), np.nan, x), axis=0) for x in (one, other)]
        found = over_dialogues(means[0] - means[1], 0.95), over_raters(one, other, 0.95)
        wrong += [not each.low <= 0 <= each.high for each in found]
    return wrong[0] / STUDIES, wrong[1] / STUDIES


def main() -> None:
    """Print the table."""
    heads = [f"{dialogues} dialogues, taste {taste}" for dialogues in DIALOGUES for taste in TASTES]
    print("| raters | " + " | ".join(heads) + " |")
    print("|---|" + "---|" * len(heads))
    for missing in (False, True):
        for raters in RATERS:
            cells = [
                "{:.3f} / {:.3f}".format(*errors(raters, dialogues, taste, missing, 1 + k))
                for k, (dialogues, taste) in enumerate((d, t) for d in DIALOGUES for t in TASTES)
            ]
            print(f"| {raters}{', 30 % missing' if missing else ''} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
