from dialgauge.checks._check import (
    check as check,
    check_many as check_many,
)
from dialgauge.checks._explain import (
    explain as explain,
)
from dialgauge.checks._page import (
    Named as Named,
    check_page as check_page,
)
from dialgauge.checks._settings import (
    CheckSettings as CheckSettings,
)
from dialgauge.checks._types import (
    Check as Check,
    CheckedSentence as CheckedSentence,
    CheckedSummary as CheckedSummary,
    Reason as Reason,
    with_error_rate as with_error_rate,
)
from dialgauge.checks._weights import (
    Weights as Weights,
    read_weights as read_weights,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.checks._check import (
    GROUPS as GROUPS,
    PARSER as PARSER,
    VECTORS as VECTORS,
    nearest_turns as nearest_turns,
    verdict_of as verdict_of,
)
from dialgauge.checks._compare import (
    NearestTurn as NearestTurn,
)
from dialgauge.checks._control import (
    CONTROL_FEATURES as CONTROL_FEATURES,
    control_features as control_features,
)
from dialgauge.checks._explain import (
    pieces as pieces,
)
from dialgauge.checks._fit import (
    fit_weights as fit_weights,
)
from dialgauge.checks._language import (
    refusal as refusal,
)
from dialgauge.checks._page import (
    evidence_sentences as evidence_sentences,
)
from dialgauge.checks._records import (
    evidence_note as evidence_note,
    read_evidence as read_evidence,
)
from dialgauge.checks._source import (
    turns_of as turns_of,
)
from dialgauge.checks._training import (
    used_in_training as used_in_training,
)
from dialgauge.checks._types import (
    CHECKS as CHECKS,
    DOUBT as DOUBT,
    DOUBTED as DOUBTED,
    Group as Group,
    Verdict as Verdict,
    logit as logit,
    probability as probability,
)
from dialgauge.checks._weights import (
    default_weights as default_weights,
    weights_from as weights_from,
)
