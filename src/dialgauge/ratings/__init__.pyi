from dialgauge.ratings._aggregate import (
    METHODS as METHODS,
)
from dialgauge.ratings._aggregate import (
    Aggregated as Aggregated,
)
from dialgauge.ratings._aggregate import (
    TieRule as TieRule,
)
from dialgauge.ratings._aggregate import (
    aggregate as aggregate,
)
from dialgauge.ratings._agreement import (
    Agreement as Agreement,
)
from dialgauge.ratings._agreement import (
    Scope as Scope,
)
from dialgauge.ratings._agreement import (
    agreement as agreement,
)
from dialgauge.ratings._alpha import (
    Level as Level,
)
from dialgauge.ratings._checks import (
    check_ratings as check_ratings,
)
from dialgauge.ratings._checks import (
    check_row_order as check_row_order,
)
from dialgauge.ratings._clean import (
    Cleaned as Cleaned,
)
from dialgauge.ratings._clean import (
    majority_noise_removal as majority_noise_removal,
)
from dialgauge.ratings._drift import (
    Drift as Drift,
)
from dialgauge.ratings._drift import (
    drift as drift,
)
from dialgauge.ratings._findings import (
    Finding as Finding,
)
from dialgauge.ratings._findings import (
    Findings as Findings,
)
from dialgauge.ratings._findings import (
    Severity as Severity,
)
from dialgauge.ratings._kappa import (
    Weights as Weights,
)
from dialgauge.ratings._measures import (
    MEASURES as MEASURES,
)
from dialgauge.ratings._measures import (
    Coefficient as Coefficient,
)
from dialgauge.ratings._measures import (
    cohen_kappa as cohen_kappa,
)
from dialgauge.ratings._measures import (
    fleiss_kappa as fleiss_kappa,
)
from dialgauge.ratings._measures import (
    krippendorff_alpha as krippendorff_alpha,
)
from dialgauge.ratings._measures import (
    percent_agreement as percent_agreement,
)
from dialgauge.ratings._measures import (
    verdict as verdict,
)
from dialgauge.ratings._outliers import (
    Outliers as Outliers,
)
from dialgauge.ratings._outliers import (
    outliers as outliers,
)
from dialgauge.ratings._scales import (
    SCALES as SCALES,
)
from dialgauge.ratings._scales import (
    OnInvalid as OnInvalid,
)
from dialgauge.ratings._scales import (
    Scale as Scale,
)
from dialgauge.ratings._scales import (
    ScaleKind as ScaleKind,
)
from dialgauge.ratings._scales import (
    Validated as Validated,
)
from dialgauge.ratings._scales import (
    find_scale as find_scale,
)
from dialgauge.ratings._scales import (
    normalise as normalise,
)
from dialgauge.ratings._scales import (
    validate as validate,
)
