"""Sets the version of a release everywhere it is written, and dates the changelog: ``cut_release.py 1.0.0rc1``.

Changes are lines under "Unreleased" in CHANGELOG.md, or files in ``changes/`` (two people then never edit one line):
their text is put on top of the section of the release, in the order of their names, and the files go.
"""

import argparse
import re
from datetime import date
from pathlib import Path

VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
UNRELEASED = "## Unreleased\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="such as 1.0.0 or 1.0.0rc1")
    parser.add_argument("--date", default=date.today().isoformat(), help="day of the release (default: today)")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], help="the checkout to change")
    given = parser.parse_args()
    if not VERSION.fullmatch(given.version):
        parser.error(f"{given.version!r} is not a version such as 1.0.0 or 1.0.0rc1")
    cut(given.root, given.version, given.date)


def cut(root: Path, version: str, day: str) -> None:
    """Write the version into pyproject.toml and CITATION.cff, and the heading of the changelog."""
    _replace(root / "pyproject.toml", r'(?m)^version = ".*"$', f'version = "{version}"')
    _replace(root / "CITATION.cff", r"(?m)^version: .*$", f"version: {version}")
    fragments = sorted((root / "changes").glob("*.md"))
    added = "".join(f"\n{one.read_text('utf-8').strip()}\n" for one in fragments).replace("\n\n", "\n")
    _replace(root / "CHANGELOG.md", f"(?m)^{UNRELEASED}", f"{UNRELEASED}\n## {version} ({day})\n{added}")
    for one in fragments:
        one.unlink()


def _replace(path: Path, pattern: str, text: str) -> None:
    changed, count = re.subn(pattern, lambda found: text, path.read_text("utf-8"), count=1)
    if not count:
        raise SystemExit(f"{path}: nothing matches {pattern}")
    path.write_text(changed, "utf-8")


if __name__ == "__main__":
    main()
