from dialgauge.perturb._apply import (
    Declined as Declined,
    Task as Task,
    Variant as Variant,
    finish as finish,
    hindrance as hindrance,
    perturb_text as perturb_text,
    run_rules as run_rules,
)
from dialgauge.perturb._edits import (
    Edit as Edit,
    apply_edits as apply_edits,
)
from dialgauge.perturb._llm import (
    LlmEstimate as LlmEstimate,
    LlmGenerator as LlmGenerator,
    LlmSettings as LlmSettings,
)
from dialgauge.perturb._llm_chat import (
    Chat as Chat,
)
from dialgauge.perturb._parse import (
    PARSER_VARIABLE as PARSER_VARIABLE,
    Chunk as Chunk,
    Entity as Entity,
    Parsed as Parsed,
    Token as Token,
    missing_parser as missing_parser,
    outline as outline,
    parse as parse,
    parser_identity as parser_identity,
    parser_name as parser_name,
)
from dialgauge.perturb._perturb import (
    Generator as Generator,
    Perturbed as Perturbed,
    by_rules as by_rules,
    by_rules_without_parser as by_rules_without_parser,
    perturb as perturb,
)
from dialgauge.perturb._perturbation import (
    DRAW_MARK as DRAW_MARK,
    Effect as Effect,
    Family as Family,
    Need as Need,
    NotApplicable as NotApplicable,
    Option as Option,
    Perturbation as Perturbation,
    PerturbationRequest as PerturbationRequest,
    Proposal as Proposal,
    variant_name as variant_name,
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
    ENTRY_POINT_GROUP as ENTRY_POINT_GROUP,
    PERTURBATIONS as PERTURBATIONS,
    all_perturbations as all_perturbations,
    find_perturbation as find_perturbation,
    parse_requests as parse_requests,
    register as register,
)
from dialgauge.progress import (
    Progress as Progress,
)
