"""Requests to an object store: repeated for a while where it is busy or does not answer."""

import errno
import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

from dialgauge.errors import DialgaugeError

T = TypeVar("T")

#: Seconds before a request is repeated.
_PAUSES = (1.0, 2.0, 4.0, 8.0)
#: What a store answers that has too much to do, or that failed inside.
_BUSY_ANSWERS = frozenset([408, 425, 429, 500, 502, 503, 504])
#: The same as libraries translate it to errors of the system, and a connection that broke.
_BUSY_ERRORS = frozenset(
    [errno.EAGAIN, errno.EBUSY, errno.EIO, errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EPIPE]
)


def patiently(place: str, request: Callable[[], T]) -> T:
    """The outcome of a request, which is repeated up to four times; one that cannot succeed fails at once."""
    for pause in (*_PAUSES, None):
        try:
            return request()
        except Exception as error:  # every kind of store has exceptions of its own
            if not _is_busy(error):
                raise
            if pause is None:
                raise DialgaugeError(
                    f"{place}: {len(_PAUSES) + 1} requests failed, the last with {type(error).__name__}: {error}. "
                    "Finished parts are kept: rerun the same command to resume"
                ) from error
            # Workers that were turned away together must not come back together.
            time.sleep(pause * random.uniform(0.5, 1.5))
    raise AssertionError("unreachable")


def _is_busy(error: BaseException) -> bool:
    if isinstance(error, (TimeoutError, ConnectionError)) or _answer(error) in _BUSY_ANSWERS:
        return True
    if isinstance(error, OSError) and error.errno in _BUSY_ERRORS:
        return True
    return error.__cause__ is not None and _is_busy(error.__cause__)


def _answer(error: BaseException) -> int | None:
    """The status of HTTP that an exception of aiohttp, gcsfs, Azure or botocore carries."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):
        response = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    found = [getattr(error, name, None) for name in ("status", "status_code", "code")]
    return next((number for number in (response, *found) if isinstance(number, int)), None)
