"""The one part of the build that pyproject.toml cannot say: the optional compiled kernels.

Where there is no C compiler the build goes on without them, and the Python twins take over with the same values.
"""

import sys
from glob import glob

from setuptools import Extension, setup

windows = sys.platform == "win32"
setup(
    ext_modules=[
        Extension(
            "dialgauge.metrics.kernels._library",
            sources=sorted(glob("src/dialgauge/metrics/kernels/*.c")),
            depends=sorted(glob("src/dialgauge/metrics/kernels/*.h")),
            # No fused multiply-add and no fast-math: the values must be the same on every machine.
            extra_compile_args=["/O2"] if windows else ["-O3", "-std=c11", "-fvisibility=hidden", "-ffp-contract=off"],
            optional=True,
        )
    ]
)
