"""A system that gives no more memory, in all the words in which Python says so."""

from collections.abc import Iterator
from contextlib import contextmanager

_NO_THREAD = "can't start new thread"


@contextmanager
def memory_errors() -> Iterator[None]:
    """Raise :class:`MemoryError` where a thread did not start: it had no room, or was one too many."""
    try:
        yield
    except RuntimeError as error:
        if _NO_THREAD not in str(error):
            raise
        raise MemoryError(f"{_NO_THREAD}; 'ulimit -u' may limit them, too") from error
