"""The command line: one command per room."""

from dialgauge.cli._app import main

__all__ = ["main"]
