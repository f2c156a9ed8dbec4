"""What examples leave behind in the process of the tests, taken out again."""

import sys


def forget_examples() -> None:
    """Take out what pages and examples registered (a metric of one's own, say): later tests count what there is."""
    from dialgauge.registry import Registry  # not before the environment of the tests is set

    modules = [module for name, module in list(sys.modules.items()) if name.startswith("dialgauge.")]
    for registry in {one for module in modules for one in vars(module).values() if isinstance(one, Registry)}:
        for name, entry in list(registry._entries.items()):
            ours = any(module.startswith("dialgauge") for module in registry.modules(entry))
            if not ours and name not in registry._origins:
                del registry._entries[name]
