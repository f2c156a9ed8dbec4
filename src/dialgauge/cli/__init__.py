"""The command line: one command per room."""

import gc

# Modules and tables are made to stay: looking for rings of garbage among them took a tenth of a short command's time.
gc.set_threshold(100_000, 20, 100)

from dialgauge.cli._app import main  # noqa: E402

__all__ = ["main"]
