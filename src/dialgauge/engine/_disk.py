"""A disk that is full: how much a file needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dialgauge.files import FULL_DISK


def sized(count: int) -> str:
    """Bytes for people."""
    return f"{count / (1 << 20):,.1f} MiB" if count >= 1 << 20 else f"{max(1, round(count / 1024))} KiB"


@contextmanager
def disk_errors(most: Callable[[], int]) -> Iterator[None]:
    """Let the error of a full disk say how much is needed at most."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL_DISK:
            raise
        raise OSError(error.errno, f"{error.strerror} (up to {sized(most())} needed)", error.filename) from error
