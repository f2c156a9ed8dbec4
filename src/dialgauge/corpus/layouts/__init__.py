"""Layouts that are known by sight: exports of annotation tools and crowd platforms, published data sets, call platforms."""

from dialgauge.corpus.layouts._base import Layout
from dialgauge.corpus.layouts._recognise import LAYOUTS, recast

__all__ = ["LAYOUTS", "Layout", "recast"]
