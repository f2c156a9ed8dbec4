"""The chat endpoint of the perturbation tests serves the summarizers, too."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "perturb"))
