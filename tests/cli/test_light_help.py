"""``dialgauge --help`` stays quick: no command loads a heavy package before it runs.

pydantic is loaded: the settings that options come from are its models.
"""

import subprocess
import sys

import typer

from dialgauge.cli._app import app, make_app, module_of


def _registered(root: typer.Typer) -> set[str]:
    groups = {str(group.name) for group in root.registered_groups}
    return {str(command.name) for command in root.registered_commands} | groups


def test_a_command_is_found_in_its_module_alone() -> None:
    for command in _registered(app):
        module = module_of(command)
        assert module is not None, f"{command}: add it to the modules of the commands"
        assert command in _registered(make_app(module))
    assert module_of("scroe") is None
    assert module_of("app") is None


def test_one_command_does_not_import_the_others() -> None:
    code = (
        "import sys; sys.argv = ['dialgauge', 'score', '--help']; from dialgauge.cli import main\n"
        "try: main()\n"
        "except SystemExit: print('dialgauge.cli._score' in sys.modules, 'dialgauge.cli._train' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("True False")


def test_the_command_line_loads_no_heavy_package() -> None:
    code = (
        "import sys, dialgauge.cli; "
        "print([m for m in ('polars', 'numpy', 'scipy', 'torch', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
