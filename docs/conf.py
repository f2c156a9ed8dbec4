"""Sphinx settings."""

from dialgauge import __version__

project = "dialgauge"
copyright = "2026, the dialgauge developers"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"dialgauge {release}"
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
nitpicky = False
