"""How models are trained and chat endpoints are asked: the same names and defaults everywhere."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import field_validator

from dialgauge.settings import Settings, refusing, setting

if TYPE_CHECKING:
    from dialgauge.models._chat import ChatBudget
    from dialgauge.models._usage import TokenPrice

Precision = Literal["auto", "fp32", "bf16"]

_PANEL = "Training"


class TrainingSettings(Settings):
    """How to train, whatever the seed."""

    epochs: int = setting(3, "Passes over the training data.", panel=_PANEL, ge=1)
    learning_rate: float = setting(
        5e-5, "Highest learning rate: it rises at first, then falls to zero.", panel=_PANEL, gt=0
    )
    accumulate: int = setting(1, "Micro-batches that make one step.", panel=_PANEL, ge=1)
    patience: int | None = setting(None, "Stop after N epochs without improvement on dev.", panel=_PANEL, ge=1)
    precision: Precision = setting(
        "fp32", "Numbers of the forward pass (weights stay fp32); auto is bf16 on a GPU.", panel=_PANEL
    )
    device: str = setting("auto", "Device: auto, cpu, cuda or cuda:N.", panel=_PANEL)
    warmup: float = setting(0.1, "Share of the work over which the learning rate rises.", option=False, ge=0, lt=1)
    weight_decay: float = setting(0.01, "Weight decay of AdamW.", option=False, ge=0)
    clip: float = setting(1.0, "Norm that gradients are clipped to.", option=False, gt=0)

    @field_validator("device")
    @classmethod
    def _known_device(cls, name: str) -> str:
        from dialgauge.models._device import check_device_name

        with refusing():
            return check_device_name(name)


class TrainingPlan(TrainingSettings):
    """How to train: everything that changes the result but the data and the module."""

    seed: int = setting(0, "Random seed: the same seed gives the same numbers.", ge=0)

    def rate(self, done: float) -> float:
        """The learning rate after this share of the work."""
        if done < self.warmup:
            return self.learning_rate * done / self.warmup
        return self.learning_rate * max(0.0, (1 - done) / (1 - self.warmup))


_CHAT = "With a chat model"


class ChatSettings(Settings):
    """What a chat endpoint may be asked, how many questions at a time, and what its tokens cost.

    None of it changes what comes out. Answers that are cached cost nothing and count towards no limit.
    """

    max_calls: int | None = setting(None, "Maximum number of requests.", panel=_CHAT, ge=0)
    max_tokens: int | None = setting(None, "Stop sending requests after N tokens.", panel=_CHAT, ge=0)
    parallel: int = setting(4, "Number of requests at a time.", panel=_CHAT, ge=1, le=256)
    price: float | str | None = setting(
        None,
        "Price of a million tokens; INPUT/OUTPUT where the two differ, as in 0.15/0.6.",
        panel=_CHAT,
        metavar="PRICE",
    )

    @field_validator("price", mode="before")
    @classmethod
    def _known_price(cls, price: Any) -> Any:
        from dialgauge.models._usage import TokenPrice

        if isinstance(price, str | int | float):
            with refusing():
                TokenPrice.parse(price)
        return price

    def budget(self) -> "ChatBudget":
        """A new budget with these limits."""
        from dialgauge.models._chat import ChatBudget

        return ChatBudget(requests=self.max_calls, tokens=self.max_tokens)

    @property
    def token_price(self) -> "TokenPrice | None":
        """The price for accounts; None where none is given."""
        from dialgauge.models._usage import TokenPrice

        return None if self.price is None else TokenPrice.parse(self.price)
