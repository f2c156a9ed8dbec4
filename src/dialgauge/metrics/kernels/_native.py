"""Which kernels are in use: the compiled library where it was built, else the Python twins."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Literal

from dialgauge.errors import DialgaugeError, ParameterError

KernelName = Literal["c", "python"]
_ENVIRONMENT = "DIALGAUGE_KERNELS"
_forced: ContextVar[KernelName | None] = ContextVar("kernels", default=None)


def library() -> ctypes.CDLL | None:
    """The compiled library, or None where the Python twins are to be used."""
    return None if kernel_name() == "python" else _load()


def kernel_name() -> KernelName:
    """``c`` or ``python``. The environment variable DIALGAUGE_KERNELS and :func:`use_kernels` override what was found."""
    wanted = _forced.get() or os.environ.get(_ENVIRONMENT, "auto")
    if wanted not in ("auto", "c", "python"):
        raise ParameterError("environment", _ENVIRONMENT, "'auto', 'c' or 'python'", wanted)
    if wanted == "c" and _load() is None:
        raise DialgaugeError(
            "the compiled kernels were not built: install with a C compiler at hand, or unset " + _ENVIRONMENT
        )
    if wanted == "python" or _load() is None:
        return "python"
    return "c"


@contextmanager
def use_kernels(name: KernelName) -> Iterator[None]:
    """Force one implementation within a ``with`` block; both give the same values."""
    token = _forced.set(name)
    try:
        yield
    finally:
        _forced.reset(token)


@cache
def _load() -> ctypes.CDLL | None:
    folder = Path(__file__).parent
    for suffix in EXTENSION_SUFFIXES:
        path = folder / f"_library{suffix}"
        if path.is_file():
            return ctypes.CDLL(str(path))
    return None
