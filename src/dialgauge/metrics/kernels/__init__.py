"""The hot loops of the n-gram metrics, twice: compiled C called through ctypes, and Python twins with the same values.

Every kernel works on flat arrays of interned ids for many pairs at once, and returns integers; the floating-point
arithmetic stays in NumPy, in the order of the reference implementations.
"""

from dialgauge.metrics.kernels._native import kernel_name, library, use_kernels

__all__ = ["kernel_name", "library", "use_kernels"]
