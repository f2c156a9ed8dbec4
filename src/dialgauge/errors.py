"""Every error that a user can cause derives from :class:`DialgaugeError` and says what to do about it.

:func:`counted` serves its messages, and all others that name a number of things.
"""

import difflib
from collections.abc import Iterable


def counted(count: int, one: str, more: str = "") -> str:
    """A number of things in words: ``1 row``, ``2,000 rows``; ``more`` is the plural that no "s" makes."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def how_to_install(extra: str) -> str:
    """The name of an extra and the command that installs it, wherever dialgauge itself came from."""
    return f"'{extra}': pip install 'dialgauge[{extra}]', or '.[{extra}]' in a clone"


class DialgaugeError(Exception):
    """The user's input, settings or machine stand in the way. The command line shows the message and exits with 2."""


class InputError(DialgaugeError):
    """A file, row or value that cannot be used. The message names the file, the line, the key and the reason."""


class UnknownNameError(DialgaugeError):
    """A name that is not in the list it should come from."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        close = difflib.get_close_matches(name, self.known, n=3, cutoff=0.6)
        message = f"unknown {kind} {name!r}"
        if close:
            message += f"; did you mean {' or '.join(repr(other) for other in close)}?"
        elif not self.known:
            message += "; there is none"
        elif len(self.known) <= 12:
            message += f"; known: {', '.join(self.known)}"
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
    """A model that is not here, is not what it should be, or does not answer. The message names it and the way out."""
