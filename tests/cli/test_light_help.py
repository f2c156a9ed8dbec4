"""``dialgauge --help`` stays quick: no command loads a heavy package before it runs.

pydantic is loaded: the settings that options come from are its models.
"""

import subprocess
import sys


def test_the_command_line_loads_no_heavy_package() -> None:
    code = (
        "import sys, dialgauge.cli; "
        "print([m for m in ('polars', 'numpy', 'scipy', 'torch', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
