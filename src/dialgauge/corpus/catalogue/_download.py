"""Downloads that resume after an interruption, verify checksums, and move files into place atomically."""

import hashlib
import os
import shutil
from pathlib import Path

from dialgauge.corpus.catalogue._entry import Dataset, RemoteFile
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.files import check_folder
from dialgauge.progress import Progress, with_bar

_CHUNK = 2**18
_TIMEOUT = 30
_ATTEMPTS = 4


@with_bar
def fetch_dataset(
    dataset: Dataset, *, source: Path | None = None, target: Path | None = None, progress: Progress | None = None
) -> Path:
    """Download a data set, or copy it from the folder ``source``, and give the folder where it is now.

    Files that exist already are not fetched again. An interrupted download is resumed.
    """
    folder = target or dataset.folder
    if source is not None:
        if target is not None and target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(f"{target}: exists and is not empty; nothing there will be overwritten")
        return _copy(dataset, source, folder)
    if not dataset.files:
        raise InputError(f"{dataset.name} cannot be downloaded by a program. {dataset.how}")
    folder.mkdir(parents=True, exist_ok=True)
    for file in dataset.files:
        path = folder / file.name
        if not path.exists():
            _download(file, path, progress or (lambda what, done, total: None))
    return folder


def _copy(dataset: Dataset, source: Path, folder: Path) -> Path:
    check_folder(source)
    if not dataset.is_in(source):
        raise InputError(f"{source}: {dataset.name} is not in it; looked for {' or '.join(dataset.markers)}")
    partial = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        shutil.copytree(source, partial)
        if folder.exists():
            shutil.rmtree(folder)
        partial.rename(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _download(file: RemoteFile, path: Path, progress: Progress) -> None:
    import http.client  # takes longer to load than a corpus file that needs no download
    import urllib.error

    partial = path.with_name(f".{path.name}.part")
    reason: object = "the connection was cut"
    for _ in range(_ATTEMPTS):
        try:
            if _transfer(file, partial, progress):
                _verify(file, partial)
                partial.replace(path)
                return
        except urllib.error.HTTPError as error:
            if error.code != 416:
                raise DialgaugeError(f"{file.url}: the server answered {error.code} {error.reason}") from error
            partial.unlink(missing_ok=True)  # more was kept than the server has: start again
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            reason = getattr(error, "reason", None) or error
        except OSError as error:
            raise DialgaugeError(f"{partial}: cannot be written: {error.strerror or error}") from error
    kept = partial.stat().st_size if partial.exists() else 0
    more = f" {kept:,} bytes are kept: rerun to resume." if kept else ""
    raise DialgaugeError(
        f"{file.url}: could not be fetched in {_ATTEMPTS} tries ({reason}).{more} Without a network, copy the files "
        "here by other means and use --from FOLDER"
    )


def _transfer(file: RemoteFile, partial: Path, progress: Progress) -> bool:
    """Fetch what is missing; False if the connection ended early."""
    import urllib.request

    have = partial.stat().st_size if partial.exists() else 0
    request = urllib.request.Request(file.url, headers={"User-Agent": "dialgauge", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
        # A server that ignores the range sends everything again.
        if answer.status != 206:
            have = 0
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else 0
        with partial.open("ab" if have else "wb") as stream:
            while chunk := answer.read(_CHUNK):
                stream.write(chunk)
                have += len(chunk)
                progress(file.name, have, max(total, have))
            stream.flush()
            os.fsync(stream.fileno())
    return not total or have >= total


def _verify(file: RemoteFile, partial: Path) -> None:
    """Compare with the known hashes; a wrong file is removed, so that the next attempt starts from scratch."""
    data = partial.read_bytes()
    found_sha256 = hashlib.sha256(data).hexdigest()
    found_blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    for wanted, found, kind in ((file.sha256, found_sha256, "SHA-256"), (file.git_blob, found_blob, "git hash")):
        if wanted is not None and not found.startswith(wanted):
            partial.unlink()
            raise DialgaugeError(f"{file.url}: wrong {kind}: {found}, not {wanted}: this is not the published file")
