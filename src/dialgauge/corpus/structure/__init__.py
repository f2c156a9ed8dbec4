"""A second look at files whose headings nobody knows: what their columns hold, and what depends on what."""

from dialgauge.corpus.structure._reading import ASKED, read_by_structure

__all__ = ["ASKED", "read_by_structure"]
