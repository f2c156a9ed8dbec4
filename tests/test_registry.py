"""The registry that the rooms share: names, order, doubles, other packages' entries; and specifications."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialgauge import registry as registry_module
from dialgauge.errors import DialgaugeError, InputError, ParameterError, UnknownNameError
from dialgauge.registry import (
    Listed,
    Registry,
    all_values,
    defining_module,
    listed,
    parse_parameters,
    quoted,
    specification,
)

NAMES = st.text(st.characters(exclude_characters='=,"', exclude_categories=["Cs"]), min_size=1).map(str.strip)


@dataclass(frozen=True)
class Tool:
    name: str
    work: Callable[..., object]
    note: str = ""


@dataclass(frozen=True)
class Letter:
    """A setting: one of some letters, the first by default."""

    letters: str = "ab"

    @property
    def default(self) -> str:
        return self.letters[0]

    def check(self, owner: str, name: str, value: str) -> None:
        if value not in self.letters:
            raise ParameterError(owner, name, f"a letter of {self.letters}", value)


def hammer() -> None: ...


def saw() -> None: ...


def tools(**modules: str) -> Registry[Tool]:
    """A registry of tools with a table of names, each with its module."""
    return Registry("tool", Tool, attrgetter("work"), [Listed(name, module) for name, module in modules.items()])


@pytest.fixture(autouse=True, scope="module")
def _alone() -> Iterator[None]:
    """No other package is installed, and none is looked for, which takes time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry_module, "entry_points", lambda group: [])
        yield


def offer(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    """Let other packages seem to be installed, with these entry points."""
    points = [EntryPoint("theirs", value, "dialgauge.tools") for value in values]
    monkeypatch.setattr(registry_module, "entry_points", lambda group: [p for p in points if p.group == group])


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry[Tool]]:
    """A registry with two modules, each of which adds a tool when it is imported."""
    made = tools(first="workshop_first", second="workshop_second")
    monkeypatch.setattr(sys.modules[__name__], "WORKSHOP", made, raising=False)
    for name in ("first", "second"):
        (tmp_path / f"workshop_{name}.py").write_text(
            f"import sys\ntests = sys.modules[{__name__!r}]\ndef work(): ...\n"
            f"tests.WORKSHOP.add(tests.Tool({name!r}, work))\n",
            encoding="utf-8",
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield made
    for name in ("workshop_first", "workshop_second"):
        sys.modules.pop(name, None)


def test_a_module_is_imported_when_one_of_its_names_is_looked_up(workshop: Registry[Tool]) -> None:
    workshop.add(Tool("own", hammer))
    assert "workshop_first" not in sys.modules
    assert workshop.find("second").name == "second"
    assert "workshop_first" not in sys.modules
    assert workshop.find("first").name == "first"


def test_the_order_is_that_of_the_table_whatever_came_first(workshop: Registry[Tool]) -> None:
    workshop.add(Tool("own", hammer))
    import workshop_second  # type: ignore[import-not-found]  # noqa: F401

    assert list(workshop.all()) == ["first", "second", "own"]


def test_names_are_listed_without_importing_any(workshop: Registry[Tool]) -> None:
    assert list(workshop) == ["first", "second"]
    assert len(workshop) == 2
    assert "second" in workshop
    assert "third" not in workshop
    assert not {"workshop_first", "workshop_second"} & set(sys.modules)
    assert workshop["second"].name == "second"
    with pytest.raises(KeyError):
        workshop["third"]


def test_a_name_of_ours_is_taken_before_its_module_is_imported(workshop: Registry[Tool]) -> None:
    with pytest.raises(
        DialgaugeError, match=rf"two tools are called 'second': workshop_second.work and {__name__}.saw"
    ):
        workshop.add(Tool("second", saw))
    assert workshop.modules(workshop["second"]) == {"workshop_second"}


def test_a_table_that_is_out_of_date_is_reported(workshop: Registry[Tool]) -> None:
    stale = tools(third="workshop_first")
    with pytest.raises(DialgaugeError, match=r"workshop_first declares no tool 'third'.* run 'make registry'"):
        stale.find("third")


def test_families_and_all_stand_for_their_members() -> None:
    rows = [Listed("plane", "m", "wood"), Listed("chisel", "m", "wood"), Listed("file", "m", "metal")]
    made = Registry("tool", Tool, attrgetter("work"), rows)
    made.add(Tool("brush", hammer))
    assert made.members("wood") == ["plane", "chisel"]
    assert made.members("all") == ["plane", "chisel", "file", "brush"]
    assert made.members("file") == made.members("paper") == []


def test_what_is_given_back_is_a_copy(workshop: Registry[Tool]) -> None:
    workshop.all().clear()  # type: ignore[attr-defined]
    assert list(workshop.all()) == ["first", "second"]


def test_doubles_are_refused_and_equals_are_not() -> None:
    made = tools()
    made.add(Tool("hammer", hammer), Tool("saw", saw))
    made.add(Tool("hammer", hammer))
    with pytest.raises(DialgaugeError) as caught:
        made.add(Tool("hammer", partial(partial(saw))))
    assert str(caught.value) == f"two tools are called 'hammer': {__name__}.hammer and {__name__}.saw; rename one"
    with pytest.raises(DialgaugeError, match="two tools are called 'hammer'"):
        made.add(Tool("hammer", hammer, "declared otherwise"))
    assert made.find("hammer") == Tool("hammer", hammer)


@given(st.lists(st.text(max_size=3), max_size=8))
def test_every_name_is_found_once(names: list[str]) -> None:
    made = tools()
    for name in names:
        made.add(Tool(name, hammer))
    assert list(made.all()) == list(dict.fromkeys(names))
    assert all(made.find(name).name == name for name in names)


def test_an_unknown_name_gets_the_nearest_the_list_or_the_truth() -> None:
    made = tools()
    with pytest.raises(UnknownNameError) as caught:
        made.find("hamer")
    assert str(caught.value) == "unknown tool 'hamer'; there is none ('dialgauge tools' lists them)"
    made.add(Tool("saw", saw), Tool("hammer", hammer))
    with pytest.raises(UnknownNameError) as caught:
        made.find("hamer")
    assert str(caught.value) == "unknown tool 'hamer'; did you mean 'hammer'? ('dialgauge tools' lists them)"
    with pytest.raises(UnknownNameError, match="unknown tool ''; known: hammer, saw"):
        made.find("")


@given(st.text(), st.lists(st.text(min_size=1), max_size=15))
def test_no_message_ends_in_an_empty_list(name: str, known: list[str]) -> None:
    message = str(UnknownNameError("tool", name, known))
    assert not message.endswith("known: ")
    assert message.endswith("; there is none") or known


THEIRS = """
from {tests} import Tool
def drive(): ...
screw = Tool("screwdriver", drive)
several = (tool for tool in [screw, Tool("wrench", drive)])
number = 3
text = "screwdriver"
taken = Tool("hammer", drive)
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "their_tools.py").write_text(THEIRS.format(tests=__name__), encoding="utf-8")
    (tmp_path / "their_fault.py").write_text("raise RuntimeError('out of order')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("their_tools", None)


@pytest.mark.usefixtures("theirs")
def test_entry_points_add_one_or_several(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "their_tools:screw", "their_tools:several")
    made = tools()
    made.add(Tool("hammer", hammer))
    assert list(made.all()) == ["hammer", "screwdriver", "wrench"]


@pytest.mark.usefixtures("theirs")
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("their_tools:number", "entry point 'theirs' (their_tools:number) of group 'dialgauge.tools' must give a Tool"),
        ("their_tools:text", "must give a Tool or several"),
        ("their_tools:absent", "cannot be loaded: AttributeError"),
        ("their_fault:tool", "cannot be loaded: RuntimeError: out of order"),
        ("no_such_module:tool", "cannot be loaded: ModuleNotFoundError"),
        ("their_tools:taken", "two tools are called 'hammer'"),
    ],
)
def test_a_bad_entry_point_is_named_each_time(monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
    offer(monkeypatch, value)
    made = tools()
    made.add(Tool("hammer", hammer))
    for _ in range(2):
        with pytest.raises(DialgaugeError) as caught:
            made.all()
        assert message in str(caught.value)


def test_the_module_of_a_function() -> None:
    assert defining_module(hammer) == __name__
    assert defining_module(partial(partial(hammer))) == __name__
    assert defining_module(Tool) == __name__
    assert defining_module("".join) == "?"  # what C gives has none


@given(st.dictionaries(NAMES, st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_is_written_is_read(values: dict[str, str]) -> None:
    written = ",".join(f"{name}={quoted(value)}" for name, value in values.items())
    assert parse_parameters("tool", written) == values


def read(text: str) -> dict[str, str] | str:
    try:
        return parse_parameters("tool 'x'", text)
    except InputError as error:
        return str(error)


@given(st.text(st.sampled_from('ab=," :'), max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = read(text)
    if isinstance(found, str):
        assert found.startswith("tool 'x': ")
    else:
        assert text.count('"') % 2 == 0
        assert text.count("=") >= len(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size", "tool 'saw': write options as NAME=VALUE after the colon; got 'size'"),
        ("size=a,size=b", "tool 'saw': option 'size' is given twice"),
        ('size="a', "tool 'saw': a quote is not closed"),
    ],
)
def test_bad_parameters_are_said_in_the_words_of_the_room(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_parameters("tool 'saw'", text, "option")
    assert str(caught.value) == message


DECLARED = {"size": Letter(), "colour": Letter("xyz")}


def test_values_are_completed_and_checked() -> None:
    assert all_values("tool 'saw'", DECLARED, {"colour": "y"}) == {"size": "a", "colour": "y"}
    with pytest.raises(ParameterError, match="tool 'saw': parameter 'size' must be a letter of ab; got 'z'"):
        all_values("tool 'saw'", DECLARED, {"size": "z"})
    with pytest.raises(UnknownNameError, match=r"unknown option of tool 'saw' 'sise'; did you mean 'size'\?"):
        all_values("tool 'saw'", DECLARED, {"sise": "a"}, "option")
    with pytest.raises(UnknownNameError, match=r"unknown parameter of tool 'saw' 'size'; there is none$"):
        all_values("tool 'saw'", {}, {"size": "a"})


@given(st.sampled_from("ab"), st.sampled_from("xyz"))
def test_the_shortest_specification_gives_the_values_back(size: str, colour: str) -> None:
    values = {"size": size, "colour": colour}
    written = specification("saw", DECLARED, values)
    head, _, tail = written.partition(":")
    assert head == "saw"
    assert all_values("tool 'saw'", DECLARED, parse_parameters("tool 'saw'", tail)) == values
    assert len(parse_parameters("tool 'saw'", tail)) == (size != "a") + (colour != "x")


def fresh(code: str) -> str:
    """What code prints in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


COUNTED = "; print(sum(name.split('.')[0] == 'dialgauge' for name in sys.modules), time.process_time() - start)"


def test_a_metric_is_found_without_loading_the_others() -> None:
    """At most 40 modules of ours and 0.2 s of CPU; the best of three, as other processes share the machine."""
    code = (
        "import sys, time, dialgauge; start = time.process_time(); "
        "from dialgauge.metrics import find_metric; assert find_metric('rouge-1').name == 'rouge-1'" + COUNTED
    )
    measured = [fresh(code).split() for _ in range(3)]
    assert all(int(modules) <= 40 for modules, _ in measured)
    assert min(float(seconds) for _, seconds in measured) <= 0.2


def test_the_table_is_what_the_modules_declare() -> None:
    tool = Path(__file__).parent.parent / "tools" / "write_registry.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_table_is_whole() -> None:
    for kind in ("metric", "perturbation", "summarizer"):
        rows = list(listed(kind))
        assert rows
        assert len({row.name for row in rows}) == len(rows)
        assert all(row.module.startswith("dialgauge.") and row.description for row in rows)


def test_packages_are_only_loaded_if_one_names_the_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A look at files comes first; where packages are kept in another way, it says that there may be some."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "absent")])
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    info = tmp_path / "toy-1.0.dist-info"
    info.mkdir()
    assert not registry_module.may_have_entry_points("dialgauge.toys")
    assert list(registry_module.entry_points("dialgauge.toys")) == []
    (info / "entry_points.txt").write_text("[dialgauge.toys]\none = toy:one\n", encoding="utf-8")
    assert registry_module.may_have_entry_points("dialgauge.toys")
    assert not registry_module.may_have_entry_points("dialgauge.metrics")
    (tmp_path / "packages.zip").write_bytes(b"PK")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages.zip")])
    assert registry_module.may_have_entry_points("dialgauge.metrics"), "an archive is not looked into"
