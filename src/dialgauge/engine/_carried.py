"""Errors on their way from a worker to the driver."""

import pickle
import traceback
from dataclasses import dataclass
from typing import Any

from dialgauge.engine._engine import WorkerError


@dataclass(frozen=True, slots=True)
class Carried:
    """An error as plain data. Many of ours take other arguments than they keep, so pickling them would fail."""

    kind: type[BaseException]
    arguments: tuple[Any, ...]
    state: dict[str, Any]
    where: str

    @classmethod
    def of(cls, error: BaseException) -> "Carried":
        """Pack an error; its traceback becomes a note, for debugging.

        One that cannot be sent (it cannot be pickled, or not be rebuilt) is replaced by its message.
        """
        where = "".join(traceback.format_exception(error))
        file = error.filename if isinstance(error, OSError) else None
        arguments = error.args if file is None else (*error.args, file)
        packed = cls(type(error), arguments, dict(vars(error)), where)
        try:
            pickle.loads(pickle.dumps(packed)).raised()
        except Exception:
            return cls(WorkerError, (f"{type(error).__name__}: {error}",), {}, where)
        return packed

    def raised(self) -> BaseException:
        """The error again, ready to be raised."""
        try:
            error = self.kind(*self.arguments)
        except TypeError:
            error = self.kind.__new__(self.kind)
        error.args = self.arguments  # a constructor may have formatted them a second time
        error.__dict__.update(self.state)
        error.add_note(f"in a worker:\n{self.where}")
        return error
