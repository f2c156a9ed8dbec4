"""Public names of rooms load on first use; a missing package is reported with the extra that has it."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from dialgauge.errors import MissingExtraError
from dialgauge.lazy import lazy_room, public_names, room_names

ROOMS = sorted(path.parent.name for path in Path(str(sys.modules["dialgauge"].__file__)).parent.glob("*/__init__.pyi"))
STUB = """from lazy_house._thing import THING as THING
from lazy_house._broken import BROKEN as BROKEN
from lazy_house._lost import LOST as LOST
"""


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package with a name that loads, one whose module needs what is not installed, and one whose module is gone."""
    folder = tmp_path / "lazy_house"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "__init__.pyi").write_text(STUB)
    (folder / "_thing.py").write_text("THING = 3\n")
    (folder / "_broken.py").write_text("import no_such_package\n")
    (folder / "_lost.py").write_text("import dialgauge.no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import_module("lazy_house")
    yield "lazy_house"
    for name in [name for name in sys.modules if name.startswith("lazy_house")]:
        del sys.modules[name]


def test_a_name_loads_when_it_is_asked_for(room: str) -> None:
    names, load, listed = lazy_room(room)
    assert names == listed() == ["BROKEN", "LOST", "THING"]
    assert "lazy_house._thing" not in sys.modules
    assert load("THING") == 3
    with pytest.raises(AttributeError, match="module 'lazy_house' has no attribute 'OTHER'"):
        load("OTHER")


def test_names_for_other_rooms_load_and_are_not_public(room: str) -> None:
    stub = Path(str(sys.modules[room].__file__)).with_suffix(".pyi")
    stub.write_text(
        "from lazy_house._broken import BROKEN as BROKEN\n__all__: list[str]\n" + STUB.splitlines()[0] + "\n"
    )
    names, load, listed = lazy_room(room)
    assert names == listed() == ["BROKEN"]
    assert load("THING") == 3
    assert (set(public_names(stub)), set(room_names(stub))) == ({"BROKEN"}, {"BROKEN", "THING"})


def test_a_missing_package_is_reported_with_the_extra_that_has_it(room: str) -> None:
    with pytest.raises(MissingExtraError, match=r"the show \(no_such_package\).*'annotate'"):
        lazy_room(room, feature="the show", extra="annotate")[1]("BROKEN")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        lazy_room(room)[1]("BROKEN")
    with pytest.raises(ModuleNotFoundError, match=r"dialgauge\.no_such_module"):  # ours: no extra would help
        lazy_room(room, feature="the show", extra="annotate")[1]("LOST")


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_every_name_of_a_room_is_there(room: str) -> None:
    module = import_module(f"dialgauge.{room}".rstrip("."))
    assert set(public_names(Path(str(module.__file__)).with_suffix(".pyi"))) == set(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018
