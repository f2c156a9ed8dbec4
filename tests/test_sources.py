"""The digest of an import closure changes with what the module depends on, and with nothing else."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dialgauge
from dialgauge import sources as reader
from dialgauge.sources import NoSourceError, Sources, source_digest

PACKAGE = Path(str(dialgauge.__file__)).parent
HOUSE = {
    "__init__.py": "from dialgauge.lazy import lazy_room\n__all__, __getattr__, __dir__ = lazy_room(__name__)\n",
    "__init__.pyi": "from house.room import cook as cook\n",
    "room/__init__.py": "",
    "room/__init__.pyi": "from house.room._cook import cook as cook\nfrom house.room._bake import bake as bake\n",
    "room/_cook.py": "def cook():\n    from house._tools import PAN\n    return open('recipes/soup.txt'), PAN\n",
    "room/_bake.py": "from . import _oven as oven\nfrom .._tools import PAN\n",
    "room/_oven.py": "import ctypes\n",
    "room/oven.c": "int heat;",
    "room/recipes/soup.txt": "water",
    "room/unread.txt": "nobody reads this",
    "_tools.py": "PAN = 1\n",
    "first.py": "from house import cook\n",
    "whole.py": "import house.room as room\n",
    "named.py": "KINDS = {'bread': 'house.room._bake:bake'}\n",
    "registry.tsv": "kind\tname\tmodule\nmetric\tbake\thouse.room._bake\noven\tnew\thouse.room._oven\n",
    "metrics.py": "METRICS = Registry('metric', Metric)\n",
    "asks.py": "from house.room import cook\nwanted = ['bake:with=care', 'other']\n",
    "mentions.py": "word = 'bake'\n",
    "ovens.py": "OVENS = Registry('oven', Oven)\n",
    "built.py": "def load(name):\n    return import_module(f'house.room.{name}')\n",
    "elsewhere.py": "text = files('house.room') / 'unread.txt'\n",
    "typed.py": "if TYPE_CHECKING:\n    from house.room import bake\nelse:\n    from house import _tools\n",
}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    folder = tmp_path / "house"
    for name, text in HOUSE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def closure(house: Path, module: str) -> set[str]:
    return {name.removeprefix("house.") for name in Sources(house).closure(f"house.{module}")} - {"house", module}


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("first", {"room", "room._cook", "_tools"}),  # through two stubs to one module, and from inside its function
        ("whole", {"room", "room._cook", "room._bake", "room._oven", "_tools"}),
        ("named", {"room", "room._bake", "room._oven", "_tools"}),
        ("metrics", set()),  # whoever asks for one gives its module
        ("asks", {"room", "room._cook", "room._bake", "room._oven", "_tools"}),
        ("mentions", set()),
        ("ovens", {"room", "room._oven"}),
        ("built", {"room", "room._cook", "room._bake", "room._oven", "_tools"}),
        ("elsewhere", set()),
        ("typed", {"_tools"}),
        ("room._bake", {"room", "room._oven", "_tools"}),
    ],
)
def test_what_leads_from_a_module_to_another(house: Path, module: str, expected: set[str]) -> None:
    assert closure(house, module) == expected


@pytest.mark.parametrize(
    ("module", "expected"),
    [("first", {"soup.txt"}), ("named", {"oven.c"}), ("elsewhere", {"unread.txt"}), ("_tools", set())],
)
def test_data_files_that_are_named_belong_to_it(house: Path, module: str, expected: set[str]) -> None:
    assert {path.name for path in Sources(house).data(f"house.{module}")} == expected


def changes(package: Path, file: str, edit: Callable[[str], str], *modules: str) -> set[str]:
    """The modules whose digest an edit of a file changes."""
    before, path = Sources(package), package / file
    digests = [before.digest(module) for module in modules]
    path.write_text(edit(path.read_text("utf-8")), encoding="utf-8")
    after = Sources(package)
    return {module for module, digest in zip(modules, digests, strict=True) if after.digest(module) != digest}


def test_comments_docstrings_and_empty_lines_are_free(house: Path) -> None:
    def write(text: str) -> Callable[[str], str]:
        return lambda _: text

    cook = "room/_cook.py"
    assert changes(house, cook, write('def cook():\n    return """#a\n\n#b"""\n'), "house.first") == {"house.first"}
    for free in (
        'def cook():\n    """Say how."""\n    # why\n    return """#a\n\n#b"""  # because\n',
        '"""Cook."""\n\n\n\ndef cook():\n\n    return """#a\n\n#b"""\n\n#: end\n',
    ):
        assert changes(house, cook, write(free), "house.first") == set(), free
    for changed in (
        'def cook():\n    return """#a\n\n#c"""\n',
        'def cook():\n    return """#a\n#c"""\n',
        "def cook():\n    return '#a'\n",
        "def cook():\n    return '#b'\n",
        "def cook():\n    if 1:\n        pass\n    return 1\n",
        "def cook():\n    if 1:\n        pass\n        return 1\n",
    ):
        assert changes(house, cook, write(changed), "house.first") == {"house.first"}, changed


def test_a_file_elsewhere_is_free_and_a_data_file_is_not(house: Path) -> None:
    def longer(text: str) -> str:
        return text + "\nnew = 1\n"

    modules = ("house.first", "house.named", "house.elsewhere", "house._tools")
    assert changes(house, "room/recipes/soup.txt", longer, *modules) == {"house.first"}
    assert changes(house, "room/oven.c", longer, *modules) == {"house.named"}
    assert changes(house, "room/_bake.py", longer, *modules) == {"house.named"}
    assert changes(house, "_tools.py", longer, *modules) == {"house.first", "house.named", "house._tools"}
    assert changes(house, "built.py", longer, *modules) == set()


def test_the_digest_of_several_is_that_of_all_in_any_order(house: Path) -> None:
    sources = Sources(house)
    assert sources.digest("house.first", "house.named") == sources.digest("house.named", "house.first")
    assert sources.digest("house.first", "house.named") != sources.digest("house.first")


def test_modules_of_other_packages(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (house.parent / "theirs.py").write_text("from dialgauge.errors import InputError\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(house.parent))
    sources = Sources(PACKAGE)
    assert sources.closure("theirs") == {"theirs", "dialgauge", "dialgauge.errors", "dialgauge.lazy"}
    assert "house._tools" in sources.closure("house.first")
    for name in ("no_such_module", "sys", "house.no_such_module"):
        with pytest.raises(NoSourceError, match=f"module '{name}' has no source file"):
            source_digest(name)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(PACKAGE)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("affect._lexicon", "affect/lexicon/vader.tsv"),
        ("corpus._embedded", "corpus/embedded/chat.toml"),
        ("metrics._rouge", "metrics/kernels/lcs.c"),
        ("metrics._meteor", "metrics/wordnet/table.bin"),
        ("perturb._baseline_nouns", "perturb/words/hyponyms.txt"),
        ("report._render", "report/templates/report.css"),
        ("reproduce._printed", "reproduce/papers/csds_repro.toml"),
        ("study._template", "study/template.toml"),
        ("summarize._attention_page", "summarize/templates/attention.css"),
    ],
)
def test_data_of_our_modules(sources: Sources, module: str, expected: str) -> None:
    assert PACKAGE / expected in sources.data(f"dialgauge.{module}")


def test_every_data_file_of_the_package_belongs_to_some_module(sources: Sources) -> None:
    modules = [
        ".".join(["dialgauge", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
    ]
    ignored = {".py", ".pyi", ".pyc", ".so", ".typed"}
    data = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in ignored}
    data.remove(PACKAGE / "registry.tsv")  # a new name in it changes nothing of the others
    assert data <= sources.data(*modules)


def test_a_comment_elsewhere_changes_no_digest_and_a_style_sheet_only_those_of_pages(tmp_path: Path) -> None:
    package = tmp_path / "dialgauge"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    modules = [f"dialgauge.{name}" for name in ("metrics._rouge", "metaeval._correlate", "report._page")]

    def changed(file: str, more: str) -> set[str]:
        return {name.split(".")[1] for name in changes(package, file, lambda text: f"{text}{more}\n", *modules)}

    assert changed("report/templates/report.css", "/* new */") == {"report"}
    assert changed("annotate/_app.py", "# new") == changed("annotate/_app.py", "NEW = 1") == set()
    assert changed("metaeval/_correlate.py", "# new") == set()
    assert changed("metrics/_rouge.py", "NEW = 1") == {"metrics"}
    assert changed("errors.py", "NEW = 1") == {"metrics", "metaeval", "report"}


def test_the_closure_is_what_gets_imported(sources: Sources) -> None:
    """All of our modules that an import loads are in the closure; it may be larger, by imports inside functions."""
    for module in ("dialgauge.metrics._bertscore", "dialgauge.metaeval._correlate", "dialgauge.learn._validate"):
        code = f"import sys, {module}; print(*(name for name in sys.modules if name.split('.')[0] == 'dialgauge'))"
        loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert set(loaded.split()) <= sources.closure(module)


def test_nothing_is_imported(house: Path) -> None:
    (house / "first.py").write_text("raise RuntimeError\n", encoding="utf-8")
    assert Sources(house).digest("house.first")
    assert "house.first" not in sys.modules


def test_what_modules_say_is_kept_and_a_damaged_cache_is_parsed_over(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    parsed: list[str] = []
    parse = reader._Statements.__init__

    def noting(self: reader._Statements, *said: Any) -> None:
        parsed.append(said[0])
        parse(self, *said)

    monkeypatch.setattr(reader._Statements, "__init__", noting)

    def digest() -> tuple[str, list[str]]:
        """As in a new process, and the modules that were parsed for it."""
        known = reader._Known()
        monkeypatch.setattr(reader, "_known", lambda: known)
        parsed.clear()
        return Sources(house).digest("house.whole"), sorted(parsed)

    first, modules = digest()
    assert len(modules) > 4
    assert digest() == (first, [])
    (house / "_tools.py").write_text("PAN = 2\n", encoding="utf-8")
    changed, again = digest()
    assert changed != first
    assert again == ["house._tools"]
    for damage in ("{", "[]", '{"reader": "another", "entries": {}}'):
        next((tmp_path / "cache").rglob("*.json")).write_text(damage, encoding="utf-8")
        assert digest() == (changed, modules)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    assert digest() == digest() == (changed, modules)
