"""Every error that a user can cause derives from :class:`DialgaugeError` and says what to do about it.

:func:`counted` serves its messages, and all others that name a number of things.
"""

import difflib
from collections.abc import Iterable


def counted(count: int, one: str, more: str = "") -> str:
    """A count with its noun: ``1 row``, ``2,000 rows``; ``more`` is the plural where it does not end in "s"."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def how_to_install(extra: str) -> str:
    """The name of an extra and the command that installs it, wherever dialgauge itself came from."""
    return f"'{extra}': pip install 'dialgauge[{extra}]', or '.[{extra}]' in a clone"


class DialgaugeError(Exception):
    """The base of errors that a user can fix. The command line shows the message and exits with status 2."""

    exit_status = 2


class InputError(DialgaugeError):
    """An invalid file, row or value. The message names the file, the line, the key and the reason."""


class LeftOutError(InputError):
    """More of a file would be left out than was allowed: nothing is made of the rest, and the exit status is 1."""

    exit_status = 1


class UnknownNameError(DialgaugeError):
    """A name that is not in the list it should come from."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        close = difflib.get_close_matches(name, self.known, n=3, cutoff=0.6)
        close = close or [other for other in self.known if len(name) > 2 and name.lower() in other.lower()][:3]
        message = f"unknown {kind} {name!r}"
        if close:
            message += f"; did you mean {' or '.join(repr(other) for other in close)}?"
        elif not self.known:
            message += "; there is none"
        elif len(self.known) <= 12 or not hint:
            message += f"; known: {', '.join(self.known[:25])}"
            message += f" and {len(self.known) - 25} more" if len(self.known) > 25 else ""
        if hint:
            message += f" ({hint})"
        super().__init__(message)


class ParameterError(DialgaugeError):
    """A parameter outside its allowed values. The message names the parameter, what is allowed and what was given."""

    def __init__(self, owner: str, parameter: str, allowed: str, given: object) -> None:
        self.owner, self.parameter, self.given = owner, parameter, given
        super().__init__(f"{owner}: parameter {parameter!r} must be {allowed}; got {given!r}")


class MissingExtraError(DialgaugeError):
    """A feature whose packages are not installed. The message names the extra to install."""

    def __init__(self, feature: str, extra: str) -> None:
        self.feature, self.extra = feature, extra
        super().__init__(f"{feature} needs the extra {how_to_install(extra)}")


class ModelError(DialgaugeError):
    """A model that is missing, is the wrong one, or does not answer. The message names it and says what to do."""
