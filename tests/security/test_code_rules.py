"""What the source never does: unpickle, run code that comes with a model, evaluate texts, or trust a certificate."""

import ast
from functools import cache
from pathlib import Path

import pytest

import dialgauge

SOURCE = Path(dialgauge.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
#: The engines: tasks, chunks and results travel between the driver and the workers that it started itself.
BETWEEN_OWN_PROCESSES = [SOURCE / "engine" / name for name in ("_carried.py", "_processes.py", "_ray.py")]
#: Calls by dotted name that load or run what somebody else wrote.
FORBIDDEN = {
    *(f"pickle.{name}" for name in ("load", "loads", "Unpickler", "dump", "dumps", "Pickler")),
    *("marshal.load", "marshal.loads", "shelve.open", "dill.load", "dill.loads", "cloudpickle.load"),
    *("joblib.load", "joblib.dump", "torch.save", "pandas.read_pickle", "yaml.load", "yaml.unsafe_load"),
    *("eval", "exec", "os.system", "os.popen"),
}


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(file.read_text("utf-8"))))


@cache
def imported(file: Path) -> set[str]:
    """The packages whose modules or names a file imports."""
    names = [alias.name for node in nodes(file) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes(file) if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


@cache
def calls(file: Path) -> list[tuple[int, str, ast.Call]]:
    return [(node.lineno, ast.unparse(node.func), node) for node in nodes(file) if isinstance(node, ast.Call)]


def test_nothing_is_unpickled_or_evaluated() -> None:
    """But for what a process of ours sends to its own child through a pipe."""
    found = [
        f"{file.relative_to(SOURCE)}:{line}: {name}"
        for file in FILES
        if file not in BETWEEN_OWN_PROCESSES
        for line, name, _ in calls(file)
        if name in FORBIDDEN
    ]
    assert found == []


def test_what_is_unpickled_comes_from_a_pipe() -> None:
    """Where processes talk to each other, no file is opened, so none can be unpickled."""
    for file in BETWEEN_OWN_PROCESSES:
        opened = [(line, name) for line, name, _ in calls(file) if name.rpartition(".")[2] in ("open", "read_bytes")]
        assert opened == [], file


@pytest.mark.parametrize("module", ["marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"])
def test_no_module_that_unpickles_is_imported(module: str) -> None:
    for file in FILES:
        assert module not in imported(file), file


def test_tensors_and_arrays_are_loaded_as_data_only() -> None:
    """``torch.load`` only where pickled weights are converted, and then restricted to tensors; arrays never pickled."""
    for file in FILES:
        for line, name, call in calls(file):
            options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            where = f"{file.relative_to(SOURCE)}:{line}"
            if name == "torch.load":
                assert options.get("weights_only") == "True", where
            if name in ("np.load", "numpy.load"):
                assert options.get("allow_pickle", "False") == "False", where
            assert options.get("shell", "False") == "False", where
            assert options.get("verify", "True") == "True", where


def test_models_never_bring_code_along() -> None:
    said = [
        (file.name, ast.unparse(node))
        for file in FILES
        for node in nodes(file)
        if (isinstance(node, ast.keyword) and node.arg == "trust_remote_code" and ast.unparse(node.value) != "False")
        or (isinstance(node, ast.Dict) and "'trust_remote_code': True" in ast.unparse(node))
    ]
    assert said == []
    from dialgauge.models import _load

    assert _load._OPTIONS == {"local_files_only": True, "trust_remote_code": False}
    assert 'wanted["use_safetensors"] = True' in Path(_load.__file__).read_text("utf-8")
