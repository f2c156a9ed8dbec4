"""The one part of the build that pyproject.toml cannot say: the optional compiled kernels.

Where there is no C compiler the build goes on without them, and the Python twins take over with the same values.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/dialgauge/metrics/kernels")

windows = sys.platform == "win32"
setup(
    ext_modules=[
        Extension(
            "dialgauge.metrics.kernels._library",
            sources=sorted(map(str, KERNELS.glob("*.c"))),
            depends=sorted(map(str, KERNELS.glob("*.h"))),
            # No fused multiply-add and no fast-math: the values must be the same on every machine.
            extra_compile_args=["/O2"] if windows else ["-O3", "-std=c11", "-fvisibility=hidden", "-ffp-contract=off"],
            optional=True,
        )
    ]
)
