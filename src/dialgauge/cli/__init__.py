"""The command line: one command per room."""

import atexit
import gc

# Modules and tables are made to stay: looking for rings of garbage among them took a tenth of a short command's time,
# and looking once more when the process ends, where everything is garbage, a fifth.
gc.set_threshold(500_000, 20, 100)
atexit.register(gc.freeze)

from dialgauge.cli._app import main  # noqa: E402

__all__ = ["main"]
