"""From the name of a model to a folder on this machine, without the network, and to the fingerprint of its files."""

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath

from dialgauge.errors import ModelError, how_to_install
from dialgauge.models._assets import find_asset
from dialgauge.models._refs import ModelRef

#: Suffixes of files that can change what a model computes.
_MATTERS = {".safetensors", ".gguf", ".bin", ".json", ".txt", ".model", ".npy", ".parquet", ".vec", ".cfg", ""}
#: The folder beside the files of an embedded model that holds the licences they came with.
LICENCES = "licences"
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a model is (a folder, or one file of word vectors), and which version exactly."""

    ref: ModelRef
    path: Path
    fingerprint: str


def resolve(ref: ModelRef | str) -> Resolved:
    """Find a model on this machine, never on the network. The error names the id, the folder and the fetch command."""
    ref = ModelRef.parse(ref) if isinstance(ref, str) else ref
    if ref.source == "embedded":
        return _embedded(ref)
    if ref.source == "folder":
        return _folder(ref)
    if ref.source == "hub":
        return _hub(ref)
    raise ModelError(f"model '{ref}' is a chat endpoint: it has no files")


def model_signature(text: str) -> str:
    """The name of a model with the fingerprint of its files, as it stands in the signature of a metric.

    A chat endpoint has no files, so its name is used. A missing model is marked ``absent``.
    """
    ref = ModelRef.parse(text)
    if ref.source == "chat":
        return str(ref)
    try:
        return f"{ref}#{resolve(ref).fingerprint[:_SHOWN]}"
    except ModelError:
        return f"{ref}#absent"


def hub_folder() -> Path:
    """The cache of the hub's own tools: HF_HUB_CACHE, or ``hub`` below HF_HOME, or below the user's cache."""
    if given := os.environ.get("HF_HUB_CACHE"):
        return Path(given).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "huggingface" / "hub"


def contents(path: Path) -> str:
    """SHA-256 over the names and hashes of the files that matter below a folder (or of one file)."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and counts(p))
    whole = hashlib.sha256()
    for file in files:
        name = file.name if file == path else file.relative_to(path).as_posix()
        status = file.stat()
        whole.update(f"{_file_sha256(file, status.st_size, status.st_mtime_ns)}  {name}\n".encode())
    return whole.hexdigest()


def counts(path: PurePath) -> bool:
    """Whether a file can change what a model computes; a README or a licence beside it does not."""
    hidden = path.name.startswith(".") or path.parent.name == LICENCES
    return path.suffix in _MATTERS and not hidden and path.name.upper() not in ("LICENSE", "README.TXT")


@lru_cache(maxsize=512)
def _file_sha256(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _embedded(ref: ModelRef) -> Resolved:
    asset = find_asset(ref.name)
    if not asset.present:
        raise ModelError(
            f"model '{ref}' is not here: looked in {asset.folder}; get it with 'dialgauge models get {asset.name}'"
            f"{_extra(asset.extra)}"
        )
    found = contents(asset.folder)
    if found != asset.contents:
        raise ModelError(
            f"model '{ref}': the files in {asset.folder} are not the published ones (SHA-256 {found[:_SHOWN]}…, not "
            f"{asset.contents[:_SHOWN]}…); get them again with 'dialgauge models get {asset.name} --again'"
        )
    return Resolved(ref, asset.folder, found)


def _folder(ref: ModelRef) -> Resolved:
    path = Path(ref.name)
    if not path.exists():
        raise ModelError(
            f"model '{ref}' is not here: looked in {path.absolute()}; put a model's files there, or name a hub id and "
            f"get it with 'dialgauge models get ID'{_extra('models')}"
        )
    found = contents(path)
    if ref.revision is not None and not found.startswith(ref.revision):
        raise ModelError(f"model '{ref}': wrong fingerprint of {path}: {found[:16]}…; these are other files")
    return Resolved(ref, path, found)


def _hub(ref: ModelRef) -> Resolved:
    """Look the snapshot up in the hub's cache by its published layout: a branch or tag is a file with a commit."""
    repository = hub_folder() / f"models--{ref.name.replace('/', '--')}"
    wanted = ref.revision or "main"
    pointer = repository / "refs" / wanted
    commit = pointer.read_text("utf-8").strip() if pointer.is_file() else wanted
    snapshots = repository / "snapshots"
    matching = [p for p in sorted(snapshots.glob(f"{commit}*")) if p.is_dir()] if snapshots.is_dir() else []
    if len(matching) != 1:
        raise ModelError(
            f"model '{ref}' is not here: looked in {repository}; where the hub is reachable, get it with "
            f"'dialgauge models get {ref}', or name a folder that holds it: folder:/path{_extra('models')}"
        )
    return Resolved(ref, matching[0], matching[0].name)


#: What each extra installs, as far as one can tell from it whether the extra is there.
_PACKAGES = {"models": "torch", "parser": "spacy"}


def _extra(extra: str | None) -> str:
    """The extra that a model needs besides, where it is not installed yet."""
    if extra is None or importlib.util.find_spec(_PACKAGES[extra]) is not None:
        return ""
    return f" (it also needs the extra {how_to_install(extra)})"
