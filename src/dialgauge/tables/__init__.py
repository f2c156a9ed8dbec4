"""Tables that are declared once and written as text for the console, Markdown, LaTeX, CSV, JSON and HTML."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
