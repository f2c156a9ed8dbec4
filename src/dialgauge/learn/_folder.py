"""A trained metric as a folder: a card (``metric.json``, and ``README.md`` for people) and the files listed in it.

The card has the SHA-256 of every file that is loaded; a file that was changed or removed is rejected before it is
read, and an added file is ignored.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from dialgauge.arrays import FloatArray
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import atomic_folder
from dialgauge.learn._folder_paths import CARD_FILE, find_folder
from dialgauge.metrics import Values
from dialgauge.tables import listing, number, render_table

README_FILE = "README.md"
FORMAT = 1
#: Loader of each kind: a function ``(folder, card) -> Trained`` in a module that is imported on demand.
KINDS: Mapping[str, str] = {
    "features": "dialgauge.learn._metric:load_trained_features",
    "encoder-head": "dialgauge.learn._encoder_head:load_trained_head",
    "checkpoint": "dialgauge.learn._finetune_checkpoint:load_trained_checkpoint",
}


@dataclass(frozen=True, slots=True)
class FeatureUse:
    """A feature as the metric was trained on it.

    ``signature`` says how its numbers were computed; it starts with ``unsigned`` for a column that dialgauge did not
    compute. ``missing`` counts the training rows without a value, ``fill`` is the value used for them,
    ``seconds`` the time it took.
    """

    name: str
    signature: str
    missing: int = 0
    fill: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """The card that describes a trained metric.

    ``kind`` says how it is loaded (:data:`KINDS`), ``target`` the dimension that it predicts and ``scale`` the range of
    it (``minimum`` and ``maximum``, either may be None). ``data`` says what it was trained on, ``split`` how it was
    validated and what that does not show, ``scores`` the results (rows of numbers with intervals), ``settings``
    everything else that was chosen, ``files`` the SHA-256 of each other file.
    """

    name: str
    kind: str
    target: str
    intended_use: str
    features: tuple[FeatureUse, ...] = ()
    scale: Mapping[str, float | None] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    split: Mapping[str, Any] = field(default_factory=dict)
    scores: tuple[Mapping[str, Any], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    format: int = FORMAT

    def as_dict(self) -> dict[str, Any]:
        """The content of ``metric.json``."""
        return {**asdict(self), "features": [asdict(use) for use in self.features], "scores": list(self.scores)}


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained metric that is ready to score: the metrics it needs, and how they are combined.

    ``features`` are specifications as for ``dialgauge score``; ``combine`` maps a row per summary and a column per
    feature (NaN where a feature has no value) to a value per summary.
    """

    card: Card
    features: tuple[str, ...]
    combine: Callable[[FloatArray], Values]


def write_folder(folder: Path | str, card: Card, write: Callable[[Path], None]) -> Card:
    """Create the folder of a trained metric atomically. ``write`` writes its files to the given folder.

    Returns the card with the digests of those files.
    """
    folder = Path(folder)
    if card.kind not in KINDS:
        raise UnknownNameError("kind of trained metric", card.kind, KINDS)
    refuse_foreign(folder)
    with atomic_folder(folder) as temporary:
        write(temporary)
        files = {path.name: _digest(path) for path in sorted(temporary.iterdir())}
        signed = replace(card, files=files)
        text = json.dumps(signed.as_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        (temporary / CARD_FILE).write_text(text + "\n", encoding="utf-8", newline="\n")
        (temporary / README_FILE).write_text(card_text(signed), encoding="utf-8", newline="\n")
    return signed


def read_card(folder: Path | str) -> Card:
    """The card of a trained metric, after checking that its files are unchanged."""
    folder = Path(folder)
    path = folder / CARD_FILE
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder}: not a trained metric ({CARD_FILE} is missing)") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    card = _card(path, row)
    for name, expected in card.files.items():
        if Path(name).name != name:
            raise InputError(f"{path}: refers to a file outside the folder: {name!r}")
        if not (folder / name).is_file():
            raise InputError(f"{folder}: file {name!r} of the trained metric is missing")
        if _digest(folder / name) != expected:
            raise InputError(
                f"{folder / name}: not the file that the metric was saved with (its SHA-256 differs from the one in "
                f"{CARD_FILE}); copy the folder again or retrain"
            )
    return card


def load_trained(folder: Path | str) -> Trained:
    """Load a trained metric of any kind, by path or by the name of one in the user's registry."""
    found = find_folder(folder)
    card = read_card(found)
    if card.kind not in KINDS:
        raise UnknownNameError(f"kind of trained metric in {found / CARD_FILE}", card.kind, KINDS)
    module, _, function = KINDS[card.kind].partition(":")
    loaded: Trained = getattr(import_module(module), function)(found, card)
    return loaded


def folder_signature(folder: Path) -> str:
    """The signature of the folder: the digest of its card, which has the digests of its files."""
    return _digest(folder / CARD_FILE)[:16]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refuse_foreign(folder: Path) -> None:
    """Reject a folder that contains something other than a trained metric, before the training starts."""
    if folder.exists() and not (folder / CARD_FILE).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: exists and is not a trained metric; use another folder")


def _card(path: Path, row: Any) -> Card:
    if not isinstance(row, dict) or row.get("format") != FORMAT:
        found = row.get("format") if isinstance(row, dict) else type(row).__name__
        raise InputError(f"{path}: not a card of format {FORMAT} (found: {found}); retrain with this version")
    try:
        features = tuple(FeatureUse(**use) for use in row.pop("features"))
        card = Card(**{**row, "features": features, "scores": tuple(row["scores"])})
    except (TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: not a card of a trained metric: {error}") from error
    for name in ("scale", "data", "split", "settings", "files"):
        if not isinstance(getattr(card, name), dict):
            raise InputError(f"{path}: not a card of a trained metric: {name!r} is not a table")
    return card


def card_text(card: Card) -> str:
    """The card for people, in Markdown."""
    low, high = card.scale.get("minimum"), card.scale.get("maximum")
    lines = [f"# {card.name}", "", card.intended_use, ""]
    lines += [
        f"Predicts **{card.target}**" + (f" on a scale from {low:g} to {high:g}." if None not in (low, high) else ".")
    ]
    lines += ["", "## Trained on", "", *_facts(card.data), "", "## Validated by", "", *_facts(card.split)]
    lines += ["", "## Scores", "", *_table(card.scores)]
    if card.features:
        lines += ["", "## Features", "", *_table([asdict(use) for use in card.features])]
    lines += ["", "## Settings", "", *_facts(card.settings), "", "## Files", "", *_facts(card.files)]
    return "\n".join(lines) + "\n"


def _facts(facts: Mapping[str, Any]) -> list[str]:
    return [f"- {name}: {_shown(value)}" for name, value in facts.items()] or ["- nothing recorded"]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return ["None."]
    columns = list(rows[0])
    made = listing("", columns, [[_shown(row.get(column)) for column in columns] for row in rows])
    return render_table(made, "markdown").splitlines()


def _shown(value: Any) -> str:
    if value is None or isinstance(value, float):
        return number(value, ".4g")
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list, tuple)) else str(value)
    return text.replace("\n", " ")
