"""How a variant was made: enough to make it again, and to see what was changed where."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.perturb._edits import Edit


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a variant comes from. ``parent`` is the key of the summary that was perturbed, ``generator`` is ``rules``
    or the model that wrote it, ``edits`` turn the parent's text into the variant's; ``notes`` hold what a generator
    adds (tokens spent, tags of entities …)."""

    parent: tuple[str, ...]
    name: str
    version: str
    label: str
    level: int
    draw: int
    seed: int
    edits: tuple[Edit, ...]
    generator: str = "rules"
    parser: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def noting(self, notes: Mapping[str, Any]) -> "Provenance":
        """The same with further notes."""
        return replace(self, notes={**self.notes, **notes})

    def as_dict(self) -> dict[str, Any]:
        """As it is written into the ``provenance`` column, below the key ``perturbation``."""
        entry: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "label": self.label,
            "level": self.level,
            "draw": self.draw,
            "seed": self.seed,
            "generator": self.generator,
            "parent": dict(zip(KEY, self.parent, strict=True)),
            "edits": [[edit.start, edit.end, edit.replacement] for edit in self.edits],
        }
        optional = {"parser": self.parser, "options": dict(self.options), "notes": dict(self.notes)}
        return {"perturbation": entry | {name: value for name, value in optional.items() if value}}


def read_provenance(text: str | None) -> Provenance | None:
    """What the ``provenance`` column says of a perturbed summary; None for any other summary."""
    if not text:
        return None
    entry = json.loads(text).get("perturbation")
    if entry is None:
        return None
    try:
        return Provenance(
            parent=tuple(entry["parent"][column] for column in KEY),
            name=entry["name"],
            version=entry["version"],
            label=entry["label"],
            level=entry["level"],
            draw=entry["draw"],
            seed=entry["seed"],
            edits=tuple(Edit(*edit) for edit in entry["edits"]),
            generator=entry["generator"],
            parser=entry.get("parser", ""),
            options=entry.get("options", {}),
            notes=entry.get("notes", {}),
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"provenance: the entry 'perturbation' is invalid: {error!r} in {text[:200]}") from error
