"""Perturbations: summaries broken (or merely rewritten) on purpose, to see which metric notices."""

from typing import TYPE_CHECKING

from dialgauge.lazy import lazy_names
from dialgauge.perturb._apply import Declined, Task, Variant, finish, hindrance, perturb_text, run_rules
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._parse import (
    PARSER_VARIABLE,
    Chunk,
    Entity,
    Parsed,
    Token,
    missing_parser,
    outline,
    parse,
    parser_identity,
    parser_name,
)
from dialgauge.perturb._perturb import Generator, Perturbed, by_rules, by_rules_without_parser, perturb
from dialgauge.perturb._perturbation import (
    DRAW_MARK,
    Effect,
    Family,
    Need,
    NotApplicable,
    Option,
    Perturbation,
    PerturbationRequest,
    Proposal,
    variant_name,
)
from dialgauge.perturb._priors import PRIORS, Prior
from dialgauge.perturb._provenance import Provenance, read_provenance
from dialgauge.perturb._registry import (
    ENTRY_POINT_GROUP,
    all_perturbations,
    find_perturbation,
    parse_requests,
    register,
)
from dialgauge.progress import Progress

if TYPE_CHECKING:
    from dialgauge.perturb._llm import LlmEstimate, LlmGenerator, LlmSettings
    from dialgauge.perturb._llm_chat import Chat

__all__ = [
    "DRAW_MARK",
    "ENTRY_POINT_GROUP",
    "PARSER_VARIABLE",
    "PRIORS",
    "Chat",
    "Chunk",
    "Declined",
    "Edit",
    "Effect",
    "Entity",
    "Family",
    "Generator",
    "LlmEstimate",
    "LlmGenerator",
    "LlmSettings",
    "Need",
    "NotApplicable",
    "Option",
    "Parsed",
    "Perturbation",
    "PerturbationRequest",
    "Perturbed",
    "Prior",
    "Progress",
    "Proposal",
    "Provenance",
    "Task",
    "Token",
    "Variant",
    "all_perturbations",
    "apply_edits",
    "by_rules",
    "by_rules_without_parser",
    "find_perturbation",
    "finish",
    "hindrance",
    "missing_parser",
    "outline",
    "parse",
    "parse_requests",
    "parser_identity",
    "parser_name",
    "perturb",
    "perturb_text",
    "read_provenance",
    "register",
    "run_rules",
    "variant_name",
]

#: What needs the models room, whose import takes longer than all the rest of this one.
_HOME = {"Chat": "_llm_chat", "LlmEstimate": "_llm", "LlmGenerator": "_llm", "LlmSettings": "_llm"}
__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
