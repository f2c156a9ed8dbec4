"""By which conventions studies are compared."""

from dialgauge.resampling import Intervals
from dialgauge.settings import setting


class ComparisonSettings(Intervals):
    """By which conventions studies are compared.

    Belz, Popović and Mille (2022) correct CV* twice for few values: by c4 and by 1 + 1/(4n). Tables of later shared
    tasks leave the second factor out, so each of their cells is smaller by exactly that. Intervals are drawn over
    dialogues where all studies have ratings.
    """

    over_correction: bool = setting(
        True,
        "Multiply CV* by 1 + 1/(4n), as published in 2022; recent QRA tables do not.",
        flag="--corrected/--uncorrected",
    )
