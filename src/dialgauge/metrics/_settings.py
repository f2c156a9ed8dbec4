"""How a corpus is scored."""

from dialgauge.settings import Settings, setting


class TimeLimit(Settings):
    """When a metric that hangs is given up."""

    time_limit: float | None = setting(
        None, "Timeout in seconds per 1,024 summaries; summaries that time out are not scored.", gt=0
    )


class ReferenceSettings(Settings):
    """Whether references count as summaries."""

    include_references: bool = setting(False, "Score the references like systems.")


class ScoringSettings(ReferenceSettings, TimeLimit):
    """How a corpus is scored."""

    cache: bool = setting(True, "Cache the values of models for later runs, or not.", flag="--cache/--no-cache")


class StreamSettings(ScoringSettings):
    """How a corpus that is larger than memory is scored."""

    chunk_size: int = setting(10_000, "Number of rows per worker in memory with --stream.", ge=1)
