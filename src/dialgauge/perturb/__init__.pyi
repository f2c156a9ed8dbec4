from dialgauge.perturb._apply import (
    Declined as Declined,
    Task as Task,
    Variant as Variant,
    perturb_text as perturb_text,
)
from dialgauge.perturb._edits import (
    Edit as Edit,
)
from dialgauge.perturb._llm import (
    LlmEstimate as LlmEstimate,
    LlmGenerator as LlmGenerator,
)
from dialgauge.perturb._llm_chat import (
    Chat as Chat,
)
from dialgauge.perturb._parse import (
    Chunk as Chunk,
    Entity as Entity,
    Parsed as Parsed,
    Token as Token,
    parse as parse,
)
from dialgauge.perturb._perturb import (
    Generator as Generator,
    Perturbed as Perturbed,
    perturb as perturb,
)
from dialgauge.perturb._perturbation import (
    NotApplicable as NotApplicable,
    Option as Option,
    Perturbation as Perturbation,
    PerturbationRequest as PerturbationRequest,
    Proposal as Proposal,
)
from dialgauge.perturb._priors import (
    PRIORS as PRIORS,
    Prior as Prior,
)
from dialgauge.perturb._provenance import (
    Provenance as Provenance,
    read_provenance as read_provenance,
)
from dialgauge.perturb._registry import (
    all_perturbations as all_perturbations,
    find_perturbation as find_perturbation,
    parse_requests as parse_requests,
    register as register,
)
from dialgauge.perturb._settings import (
    LlmSettings as LlmSettings,
    PerturbSettings as PerturbSettings,
)
from dialgauge.progress import (
    Progress as Progress,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.perturb._apply import (
    run_rules as run_rules,
)
from dialgauge.perturb._gate_model import (
    gate_identity as gate_identity,
)
from dialgauge.perturb._gates import (
    STOPPED as STOPPED,
)
from dialgauge.perturb._lexicon import (
    people as people,
)
from dialgauge.perturb._parse import (
    outline as outline,
    parser_identity as parser_identity,
    parser_name as parser_name,
)
from dialgauge.perturb._perturb import (
    by_rules as by_rules,
    by_rules_without_parser as by_rules_without_parser,
)
from dialgauge.perturb._perturbation import (
    DRAW_MARK as DRAW_MARK,
)
from dialgauge.perturb._registry import (
    PERTURBATIONS as PERTURBATIONS,
)
from dialgauge.perturb._word_tables import (
    substitutes as substitutes,
    word_set as word_set,
)
