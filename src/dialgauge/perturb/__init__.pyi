from dialgauge.perturb._apply import (
    Declined as Declined,
)
from dialgauge.perturb._apply import (
    Task as Task,
)
from dialgauge.perturb._apply import (
    Variant as Variant,
)
from dialgauge.perturb._apply import (
    finish as finish,
)
from dialgauge.perturb._apply import (
    hindrance as hindrance,
)
from dialgauge.perturb._apply import (
    perturb_text as perturb_text,
)
from dialgauge.perturb._apply import (
    run_rules as run_rules,
)
from dialgauge.perturb._edits import (
    Edit as Edit,
)
from dialgauge.perturb._edits import (
    apply_edits as apply_edits,
)
from dialgauge.perturb._llm import (
    LlmEstimate as LlmEstimate,
)
from dialgauge.perturb._llm import (
    LlmGenerator as LlmGenerator,
)
from dialgauge.perturb._llm import (
    LlmSettings as LlmSettings,
)
from dialgauge.perturb._llm_chat import (
    Chat as Chat,
)
from dialgauge.perturb._parse import (
    PARSER_VARIABLE as PARSER_VARIABLE,
)
from dialgauge.perturb._parse import (
    Chunk as Chunk,
)
from dialgauge.perturb._parse import (
    Entity as Entity,
)
from dialgauge.perturb._parse import (
    Parsed as Parsed,
)
from dialgauge.perturb._parse import (
    Token as Token,
)
from dialgauge.perturb._parse import (
    missing_parser as missing_parser,
)
from dialgauge.perturb._parse import (
    outline as outline,
)
from dialgauge.perturb._parse import (
    parse as parse,
)
from dialgauge.perturb._parse import (
    parser_identity as parser_identity,
)
from dialgauge.perturb._parse import (
    parser_name as parser_name,
)
from dialgauge.perturb._perturb import (
    Generator as Generator,
)
from dialgauge.perturb._perturb import (
    Perturbed as Perturbed,
)
from dialgauge.perturb._perturb import (
    by_rules as by_rules,
)
from dialgauge.perturb._perturb import (
    by_rules_without_parser as by_rules_without_parser,
)
from dialgauge.perturb._perturb import (
    perturb as perturb,
)
from dialgauge.perturb._perturbation import (
    DRAW_MARK as DRAW_MARK,
)
from dialgauge.perturb._perturbation import (
    Effect as Effect,
)
from dialgauge.perturb._perturbation import (
    Family as Family,
)
from dialgauge.perturb._perturbation import (
    Need as Need,
)
from dialgauge.perturb._perturbation import (
    NotApplicable as NotApplicable,
)
from dialgauge.perturb._perturbation import (
    Option as Option,
)
from dialgauge.perturb._perturbation import (
    Perturbation as Perturbation,
)
from dialgauge.perturb._perturbation import (
    PerturbationRequest as PerturbationRequest,
)
from dialgauge.perturb._perturbation import (
    Proposal as Proposal,
)
from dialgauge.perturb._perturbation import (
    variant_name as variant_name,
)
from dialgauge.perturb._priors import (
    PRIORS as PRIORS,
)
from dialgauge.perturb._priors import (
    Prior as Prior,
)
from dialgauge.perturb._provenance import (
    Provenance as Provenance,
)
from dialgauge.perturb._provenance import (
    read_provenance as read_provenance,
)
from dialgauge.perturb._registry import (
    ENTRY_POINT_GROUP as ENTRY_POINT_GROUP,
)
from dialgauge.perturb._registry import (
    all_perturbations as all_perturbations,
)
from dialgauge.perturb._registry import (
    find_perturbation as find_perturbation,
)
from dialgauge.perturb._registry import (
    parse_requests as parse_requests,
)
from dialgauge.perturb._registry import (
    register as register,
)
from dialgauge.progress import (
    Progress as Progress,
)
