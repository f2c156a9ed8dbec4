"""Where work is run."""

from typing import Literal, Self

from pydantic import model_validator

from dialgauge.errors import ParameterError
from dialgauge.settings import Settings, refusing, setting


class EngineSettings(Settings):
    """Where summaries are scored. The scores are the same everywhere.

    ``auto`` takes several processes where the work is long enough.
    """

    name: Literal["auto", "serial", "processes", "ray"] = setting("auto", "Where to run the work.", flag="--engine")
    workers: int | None = setting(None, "Number of parallel workers (default: all cores).", ge=1)
    ray_address: str | None = setting(None, "Address of a running Ray cluster: HOST:PORT or auto.", min_length=1)
    gpus: float = setting(0.0, "Share of a GPU that each worker on Ray gets.", ge=0)

    @model_validator(mode="after")
    def _only_on_ray(self) -> Self:
        for given in ("ray_address", "gpus"):
            if self.name != "ray" and getattr(self, given):
                with refusing():
                    raise ParameterError(
                        f"engine {self.name!r}", given, "left out; only the engine 'ray' takes it", getattr(self, given)
                    )
        return self
