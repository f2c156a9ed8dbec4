"""Write registry.tsv: the name of every metric, perturbation, learner … with the module that declares it.

All modules of the package are imported, and what they add to a registry is noted. Names that were in the file keep
their order, new ones follow: move a line to move a name in the listings. With ``--check`` nothing is written, and the
exit status says whether the file is up to date.
"""

import inspect
import pkgutil
import sys
from importlib import import_module

import dialgauge
from dialgauge import registry
from dialgauge.registry import TABLE, Listed, Registry, listed

HEADER = "kind\tname\tmodule\tfamily\tdescription"


def declared() -> dict[str, dict[str, Listed]]:
    """What all modules of the package declare, by kind and name."""
    found: dict[str, dict[str, Listed]] = {}
    original = Registry.add
    registry.listed = lambda kind: ()  # what the file says may be out of date

    def add(self, *entries):
        frame = inspect.currentframe()
        while frame.f_code.co_name != "<module>":
            frame = frame.f_back
        for entry in entries:
            row = Listed(entry.name, frame.f_globals["__name__"], getattr(entry, "family", ""), entry.description)
            found.setdefault(self.kind, {})[entry.name] = row
        original(self, *entries)

    Registry.add = add
    for module in pkgutil.walk_packages(dialgauge.__path__, "dialgauge."):
        # The compiled kernels are a plain library, not a module, whatever their name looks like; those for cards need
        # Triton.
        if not module.name.endswith(("__main__", "kernels._library", "_fused_kernels")):
            import_module(module.name)
    return found


def lines() -> list[str]:
    """The lines of the file."""
    result = [HEADER]
    for kind, rows in sorted(declared().items()):
        names = [row.name for row in listed(kind) if row.name in rows] if TABLE.exists() else []
        for name in dict.fromkeys([*names, *rows]):
            row = rows[name]
            result.append("\t".join([kind, name, row.module, row.family, " ".join(row.description.split())]))
    return result


if __name__ == "__main__":
    text = "\n".join(lines()) + "\n"
    if "--check" in sys.argv:
        sys.exit(f"{TABLE} is out of date: run 'make registry'" if text != TABLE.read_text("utf-8") else 0)
    TABLE.write_text(text, encoding="utf-8")
