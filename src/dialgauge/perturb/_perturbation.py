"""The declaration of a perturbation and its results."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dialgauge.errors import ParameterError
from dialgauge.registry import all_values, specification

if TYPE_CHECKING:
    from dialgauge.corpus import Dialogue
    from dialgauge.perturb._edits import Edit
    from dialgauge.perturb._measured import Measured
    from dialgauge.perturb._parse import Parsed

Family = Literal["baseline", "domain", "further"]
Effect = Literal["preserves", "degrades", "degrades-mildly"]
Need = Literal["parse", "transcript", "lexicon", "corpus", "llm"]
Random = random.Random


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The result for a text that a perturbation cannot change, with the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits with notes for the provenance, such as the source of a false value."""

    edits: "Sequence[Edit]"
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a perturbation: its allowed values, the default first, and what it does."""

    choices: tuple[str, ...]
    help: str

    @property
    def default(self) -> str:
        """The first of the allowed values."""
        return self.choices[0]

    def check(self, owner: str, name: str, value: str) -> None:
        """Reject a value that is not allowed."""
        if value not in self.choices:
            raise ParameterError(owner, name, " or ".join(map(repr, self.choices)), value)


#: (original, result, edits, parsed original, dialogue) → a complaint, or None if the result is valid.
Validate: TypeAlias = Callable[[str, str, "Sequence[Edit]", "Parsed", "Dialogue | None"], str | None]


def no_complaint(
    original: str, result: str, edits: "Sequence[Edit]", parsed: "Parsed", dialogue: "Dialogue | None"
) -> str | None:
    """Accept everything."""
    return None


@dataclass(frozen=True, slots=True)
class Perturbation:
    """The declaration of a perturbation: a way to degrade (or merely rewrite) a summary.

    ``effects`` gives the intended effect on each dimension. ``propose`` is a pure function of
    (parsed summary, dialogue or None, seeded random, level, and the declared options by keyword) that gives span edits
    on the original string, or :class:`NotApplicable`. ``validate`` is given (original, result, edits, parsed, dialogue)
    and returns a complaint, or None if the result is valid.

    ``levels`` are the available strengths, the default first; a higher level with the same random state
    changes more. With ``numbered``, every label includes its level, and the bare name means all of them; ``count``
    (arguments as for ``validate``) then returns the number of changes, which must equal the level. ``needs``
    lists what it requires; one that does not need ``parse`` works in any language, and one that needs ``corpus`` is
    given the sentences of other summaries as ``bank``. ``tidy`` lets the framework
    repair spacing, a/an and capitals where edits meet the rest. ``version`` goes up whenever a text can change.
    ``examples`` are pairs of an input and what comes out at the default level with seed 0.
    """

    name: str
    family: Family
    description: str
    effects: Mapping[str, Effect]
    propose: "Callable[..., Sequence[Edit] | Proposal | NotApplicable]"
    validate: Validate = no_complaint
    levels: tuple[int, ...] = (1,)
    needs: frozenset[Need] = frozenset()
    citation: str = ""
    version: str = "1"
    numbered: bool = False
    count: "Callable[[str, str, Sequence[Edit], Parsed, Dialogue | None], int] | None" = None
    tidy: bool = True
    options: Mapping[str, Option] = field(default_factory=dict)
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def measured(self) -> "tuple[Measured, ...]":
        """How often readers found that it did what it declares; empty where nobody read any."""
        from dialgauge.perturb._measured import measured

        return measured().get(self.name, ())


@dataclass(frozen=True, slots=True)
class PerturbationRequest:
    """A perturbation with its level and option values: exactly what makes one kind of variant."""

    perturbation: Perturbation
    level: int
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def build(
        cls, perturbation: Perturbation, level: int | None = None, given: Mapping[str, str] | None = None
    ) -> "PerturbationRequest":
        """Check level and options against what the perturbation declares."""
        owner = f"perturbation {perturbation.name!r}"
        chosen = perturbation.levels[0] if level is None else level
        if chosen not in perturbation.levels:
            raise ParameterError(owner, "level", " or ".join(map(str, perturbation.levels)), chosen)
        return cls(perturbation, chosen, all_values(owner, perturbation.options, given or {}, "option"))

    @property
    def label(self) -> str:
        """The shortest specification that gives this request, as in ``typos_2`` or ``jumble:scope=sentence``."""
        declared = self.perturbation
        head = declared.name
        if declared.numbered or self.level != declared.levels[0]:
            head += f"_{self.level}"
        return specification(head, declared.options, self.options)


#: Variants of one summary by the same request are numbered from the second on.
DRAW_MARK = "#"


def variant_name(label: str, draw: int) -> str:
    """The name of the ``draw``-th variant (from 1) with this label, as in ``typos`` and ``typos#2``."""
    return label if draw == 1 else f"{label}{DRAW_MARK}{draw}"
