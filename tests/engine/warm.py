"""Imports what studies and scores need, for processes that are forked from one that has it all: half of a small study.

Nothing is computed here, so there are no threads yet, which a fork would lose.
"""

import pkgutil
from importlib import import_module

#: Rooms whose modules a study with scores, correlations, perturbations and a report imports one by one.
_ROOMS = ("metaeval", "metrics", "perturb", "ratings", "report", "study.stages", "tables")
_OTHERS = ("jinja2", "scipy.special", "scipy.stats", "dialgauge.cli._run", "dialgauge.engine._limited")

for _name in _OTHERS:
    import_module(_name)
for _room in _ROOMS:
    for _found in pkgutil.iter_modules(import_module(f"dialgauge.{_room}").__path__, f"dialgauge.{_room}."):
        import_module(_found.name)
