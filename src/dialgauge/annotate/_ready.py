"""What the lead's pages need, read and made beside the requests: no page waits for what a large study takes."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy.exc import SQLAlchemyError

from dialgauge.annotate._dashboard import dashboard_view
from dialgauge.annotate._desk import SELDOM, Desk
from dialgauge.annotate._quality import quality_view

#: Of the time of one core at most this share goes into it, however large the study is.
_LARGEST_SHARE = 0.05


@contextmanager
def kept_ready(desk: Desk) -> Iterator[None]:
    """Meanwhile a thread reads what is saved, at once and then every minute, and makes the slow parts of the pages."""
    stop = threading.Event()
    thread = threading.Thread(target=_keep_ready, args=(desk, stop), name="lead's pages", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _keep_ready(desk: Desk, stop: threading.Event) -> None:
    pause = 0.0
    while not stop.wait(pause):
        start = time.thread_time()
        # A database that is away for a while is away for the requests too, and they say so.
        with suppress(SQLAlchemyError):
            make_ready(desk)
        pause = max(SELDOM, (time.thread_time() - start) / _LARGEST_SHARE)


def make_ready(desk: Desk) -> None:
    """Read what was saved since the last time, and make again what depends on it; requests then use that."""
    with desk.project.store.read() as connection, desk.tally.lock:
        desk.patience = 0.0
        try:
            desk.refresh(connection)
            dashboard_view(connection, desk)
            quality_view(connection, desk)
        finally:
            desk.patience = math.inf
