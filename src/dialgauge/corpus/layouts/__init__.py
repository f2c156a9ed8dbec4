"""Layouts that are known by sight: annotation tools, crowd platforms, published data sets, call platforms."""

from dialgauge.corpus.layouts._base import Layout
from dialgauge.corpus.layouts._recognise import LAYOUTS, recast

__all__ = ["LAYOUTS", "Layout", "recast"]
