"""How summaries are checked, and from where on a check fails."""

from dialgauge.settings import Settings, setting


class CheckSettings(Settings):
    """What a summary is checked with."""

    error_rate: float = setting(
        0.5,
        "Share of summaries that you expect to be wrong. Probabilities are for one half; a lower share raises them.",
        gt=0,
        lt=1,
    )
    model: bool = setting(
        False,
        "Mark words by the model of the metric 'consistency' too, and use its probabilities: sees more, takes longer.",
    )
    fail_under: float | None = setting(
        None, "Exit with status 1 if any summary is less likely right than this.", ge=0, le=1
    )
