"""The use of chat endpoints: requests, tokens and cost."""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dialgauge.errors import ParameterError, counted
from dialgauge.models._chat import ChatAnswer

_COUNTS = ("calls", "cached", "tokens", "prompt_tokens", "unsplit", "unmetered", "cut")


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a million tokens cost, in any currency: those that an endpoint reads, and those that it writes."""

    input: float
    output: float

    @classmethod
    def parse(cls, given: str | float) -> "TokenPrice":
        """Read one number for all tokens, or ``INPUT/OUTPUT`` as in ``0.15/0.6``."""
        try:
            numbers = [float(part) for part in str(given).split("/")] if not isinstance(given, bool) else []
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2) or not all(math.isfinite(number) and number >= 0 for number in numbers):
            allowed = "one number from 0 for a million tokens, or two, INPUT/OUTPUT, as in 0.15/0.6"
            raise ParameterError("chat", "price", allowed, given)
        return cls(numbers[0], numbers[-1])


@dataclass(slots=True)
class ChatUsage:
    """The use of chat endpoints; thread-safe.

    ``calls`` counts answers that were paid for, ``cached`` those that were not, ``tokens`` those of the paid ones.
    ``prompt_tokens`` of them were read; for ``unsplit`` the endpoint did not say how many were. ``unmetered`` counts
    paid answers without any token count, ``cut`` all answers that were truncated at a token limit.
    """

    calls: int = 0
    cached: int = 0
    tokens: int = 0
    prompt_tokens: int = 0
    unsplit: int = 0
    unmetered: int = 0
    cut: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def of(cls, answer: ChatAnswer) -> "ChatUsage":
        """The use of one answer."""
        if answer.cached:
            return cls(cached=1, cut=answer.cut)
        split = answer.prompt_tokens is not None
        return cls(
            calls=1,
            tokens=answer.tokens,
            prompt_tokens=answer.prompt_tokens or 0,
            unsplit=0 if split else answer.tokens,
            unmetered=not answer.tokens,
            cut=answer.cut,
        )

    @classmethod
    def read(cls, counts: Mapping[str, Any]) -> "ChatUsage":
        """What :meth:`counts` gave; ValueError for anything else."""
        if not isinstance(counts, Mapping) or not all(name in _COUNTS and type(n) is int for name, n in counts.items()):
            raise ValueError("not the counts of an endpoint's use")
        return cls(**counts)

    def counts(self) -> dict[str, int]:
        """The counts that are not 0."""
        return {name: int(getattr(self, name)) for name in _COUNTS if getattr(self, name)}

    def add(self, answer: ChatAnswer) -> None:
        """Count an answer."""
        self.merge(ChatUsage.of(answer))

    def merge(self, other: "ChatUsage") -> None:
        """Add the counts of another."""
        with self._lock:
            for name in _COUNTS:
                setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def asked(self) -> bool:
        """Whether there was any answer."""
        return bool(self.calls or self.cached)

    def cost(self, price: TokenPrice) -> float | None:
        """What the tokens cost, as far as they are known; None where that is not known at all."""
        if self.calls and self.unmetered == self.calls:
            return None
        if price.input == price.output:
            return self.tokens * price.input / 1e6
        if self.unsplit:
            return None
        return (self.prompt_tokens * price.input + (self.tokens - self.prompt_tokens) * price.output) / 1e6

    def account(self, price: TokenPrice | float | None = None) -> dict[str, float | None]:
        """The totals, with the ``cost`` where a price is given.

        Tokens and cost are None where the endpoint does not report them; where it reports them for some answers
        (``unmetered`` counts the others), they are the totals of these.
        """
        known = not self.calls or self.unmetered < self.calls
        entry: dict[str, float | None] = {"calls": self.calls, "cached": self.cached}
        entry |= {"tokens": self.tokens if known else None, "unmetered": self.unmetered, "cut": self.cut}
        if price is None:
            return entry
        return entry | {"cost": self.cost(price if isinstance(price, TokenPrice) else TokenPrice.parse(price))}

    def line(self, price: TokenPrice | float | None = None) -> str:
        """The totals for people, in a line."""
        account = self.account(price)
        least = "at least " if self.unmetered else ""
        tokens = "tokens not known" if account["tokens"] is None else f"{least}{counted(self.tokens, 'token')}"
        parts = [counted(self.calls, "call"), f"{self.cached} from cache", tokens]
        if "cost" in account:
            cost = account["cost"]
            parts.append("cost not known" if cost is None else f"cost {least}{_shown(cost)}")
        if self.unmetered:
            parts.append(
                f"{counted(self.unmetered, 'answer')} came without a token count, so token limits cannot be enforced"
            )
        elif account.get("cost", 0) is None:
            parts.append("the endpoint does not distinguish input tokens from output tokens")
        if self.cut:
            parts.append(f"{counted(self.cut, 'answer')} truncated at a token limit")
        return ", ".join(parts)


def _shown(cost: float) -> str:
    return "below 0.0001" if 0 < cost < 0.0001 else f"{cost:.4f}"
