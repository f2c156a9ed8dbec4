"""Names that load on first use, and what is said where they cannot."""

import sys
from pathlib import Path

import pytest

from dialgauge.errors import MissingExtraError
from dialgauge.lazy import lazy_names

HOMES = {"THING": "_thing", "BROKEN": "_broken", "LOST": "_lost"}


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with a name that loads, one whose module needs what is not installed, and one whose module is gone."""
    (tmp_path / "lazy_room").mkdir()
    (tmp_path / "lazy_room" / "__init__.py").touch()
    (tmp_path / "lazy_room" / "_thing.py").write_text("THING = 3\n")
    (tmp_path / "lazy_room" / "_broken.py").write_text("import no_such_package\n")
    (tmp_path / "lazy_room" / "_lost.py").write_text("import dialgauge.no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "lazy_room"


def test_a_name_loads_when_it_is_asked_for(room: str) -> None:
    load = lazy_names(room, HOMES)
    assert "lazy_room._thing" not in sys.modules
    assert load("THING") == 3
    with pytest.raises(AttributeError, match="module 'lazy_room' has no attribute 'OTHER'"):
        load("OTHER")


def test_a_missing_package_is_told_with_the_extra_that_has_it(room: str) -> None:
    with pytest.raises(MissingExtraError, match=r"the show \(no_such_package\).*'annotate'"):
        lazy_names(room, HOMES, feature="the show", extra="annotate")("BROKEN")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        lazy_names(room, HOMES)("BROKEN")
    with pytest.raises(ModuleNotFoundError, match=r"dialgauge\.no_such_module"):  # ours: no extra would help
        lazy_names(room, HOMES, feature="the show", extra="annotate")("LOST")


@pytest.mark.parametrize("room", ["annotate", "explore", "perturb", "study"])
def test_every_name_of_a_room_is_there(room: str) -> None:
    module = __import__(f"dialgauge.{room}", fromlist=["__all__"])
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match=f"module 'dialgauge.{room}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018
