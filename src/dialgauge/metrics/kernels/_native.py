"""Which kernels are in use: the compiled library if it was built, otherwise the Python versions."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

from dialgauge.errors import DialgaugeError, ParameterError

KernelName = Literal["c", "python"]
_ENVIRONMENT = "DIALGAUGE_KERNELS"
_NO_MEMORY = 1  # DG_NO_MEMORY in kernels.h
#: An array of C is passed as the address of its data. To ask NumPy for that takes several times as long.
_Data = ctypes.c_char * 0
_forced: ContextVar[KernelName | None] = ContextVar("kernels", default=None)


def library() -> ctypes.CDLL | None:
    """The compiled library, or None if the Python versions are to be used."""
    return None if kernel_name() == "python" else _load()


def kernel_name() -> KernelName:
    """``c`` or ``python``. DIALGAUGE_KERNELS in the environment and :func:`use_kernels` override what was found."""
    wanted = _forced.get() or os.environ.get(_ENVIRONMENT, "auto")
    if wanted not in ("auto", "c", "python"):
        raise ParameterError("environment", _ENVIRONMENT, "'auto', 'c' or 'python'", wanted)
    if wanted == "c" and _load() is None:
        raise DialgaugeError(
            "the compiled kernels were not built: reinstall with a C compiler available, or unset " + _ENVIRONMENT
        )
    if wanted == "python" or _load() is None:
        return "python"
    return "c"


def has_kernel(kernel: str) -> bool:
    """Whether the compiled library is in use and has this function: one built from older sources may lack it."""
    return hasattr(library(), kernel)


def call(kernel: str, *arguments: NDArray[Any] | bytes | int) -> None:
    """Call a function of the compiled library: arrays and bytes go as pointers to their data, integers as int64.

    The caller sees to it that every array has the element type and the size that the kernel expects.
    """
    compiled = library()
    if compiled is None:
        raise ValueError(f"kernel {kernel!r} was called while the Python versions are in use")
    if getattr(compiled, kernel)(*map(_passed, arguments)) == _NO_MEMORY:
        raise MemoryError(f"not enough memory for kernel {kernel!r}")


def _passed(argument: NDArray[Any] | bytes | int) -> Any:
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    if isinstance(argument, bytes):
        return argument
    try:
        return _Data.from_buffer(argument)  # type: ignore[arg-type]
    except TypeError:  # read-only, or not in one piece
        if not argument.flags.c_contiguous:
            raise ValueError("kernels need contiguous arrays") from None
        return ctypes.c_void_p(argument.ctypes.data)


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
    path = Path(__file__).with_name("_library.dll" if sys.platform == "win32" else "_library.so")  # as in setup.py
    return ctypes.CDLL(str(path)) if path.is_file() else None
