"""Sphinx settings."""

import gc
import sys
from pathlib import Path

import fastapi  # noqa: F401  # before autodoc touches the annotations of pydantic's base class, which its models need

from dialgauge import __version__

sys.path.insert(0, str(Path(__file__).parent))

gc.set_threshold(200_000, 20, 100)  # nodes of pages stay: going through them again took a seventh of the time

project = "dialgauge"
copyright = "2026, the dialgauge developers"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "quick_lookup", "api_reference", "executed", "accessible"]
html_theme = "furo"
html_title = f"dialgauge {release}"
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_static_path = ["static"]
html_css_files = ["outputs.css"]
html_theme_options = {"top_of_page_buttons": []}
html_show_sourcelink = False
autodoc_typehints = "none"  # they are in the parameter lists
python_use_unqualified_type_names = True
autodoc_member_order = "bysource"
nitpicky = False
