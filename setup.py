"""The part of the build that pyproject.toml cannot say: the optional compiled kernels, and the tag of their wheel.

The kernels know nothing of Python (they are called through ctypes), so one library per platform serves every Python
version. Where there is no C compiler the build goes on without them, the wheel is tagged ``any``, and the Python twins
take over with the same values. ``DIALGAUGE_REQUIRE_KERNELS=1`` makes a failed compilation an error, as releases need.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/dialgauge/metrics/kernels")
LIBRARY = "_library.dll" if sys.platform == "win32" else "_library.so"


class BuildKernels(build_ext):
    """Builds a plain shared library: no Python version in its name, no initialising function, no Python library."""

    def get_ext_filename(self, fullname: str) -> str:
        return str(Path(*fullname.split(".")).with_name(LIBRARY))

    def get_export_symbols(self, ext: Extension) -> list[str]:
        return list(ext.export_symbols)

    def get_libraries(self, ext: Extension) -> list[str]:
        return list(ext.libraries)


class KernelWheel(bdist_wheel):
    """Tags the wheel for any Python 3 on this platform, or for any platform where no kernel was built."""

    def get_tag(self) -> tuple[str, str, str]:
        built = any(Path(self.get_finalized_command("build").build_lib).rglob(LIBRARY))
        return "py3", "none", super().get_tag()[2] if built else "any"


windows = sys.platform == "win32"
setup(
    cmdclass={"build_ext": BuildKernels, "bdist_wheel": KernelWheel},
    ext_modules=[
        Extension(
            "dialgauge.metrics.kernels._library",
            sources=sorted(map(str, KERNELS.glob("*.c"))),
            depends=sorted(map(str, KERNELS.glob("*.h"))),
            # No fused multiply-add and no fast-math: the values must be the same on every machine.
            extra_compile_args=(
                ["/O2", "/fp:precise"] if windows else ["-O3", "-std=c11", "-fvisibility=hidden", "-ffp-contract=off"]
            ),
            optional=os.environ.get("DIALGAUGE_REQUIRE_KERNELS", "") != "1",
        )
    ],
)
