"""How long-running work reports its progress."""

from collections.abc import Callable

#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]
