"""The web application for human evaluation: protocols, projects, the server, exports, imports and a planner.

Needs the extra ``annotate``; reading a protocol does not.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__, feature="the web application", extra="annotate")
