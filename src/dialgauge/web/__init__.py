"""What all pages share: design tokens, the page shell, sortable tables, SVG figures, content security policies."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
