"""Errors on their way from a worker to the driver."""

import traceback
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Carried:
    """An error as plain data. Many of ours take other arguments than they keep, so pickling them would fail."""

    kind: type[BaseException]
    arguments: tuple[Any, ...]
    state: dict[str, Any]
    where: str

    @classmethod
    def of(cls, error: BaseException) -> "Carried":
        """Pack an error; its traceback becomes a note, for whoever has to find a bug."""
        return cls(type(error), error.args, dict(vars(error)), "".join(traceback.format_exception(error)))

    def raised(self) -> BaseException:
        """The error again, ready to be raised."""
        try:
            error = self.kind(*self.arguments)
        except TypeError:
            error = self.kind.__new__(self.kind)
            error.args = self.arguments
        error.__dict__.update(self.state)
        error.add_note(f"in a worker:\n{self.where}")
        return error
