from dialgauge.ratings._aggregate import (
    Aggregated as Aggregated,
    aggregate as aggregate,
)
from dialgauge.ratings._agreement import (
    Agreement as Agreement,
    agreement as agreement,
)
from dialgauge.ratings._as_ratings import (
    with_judgements_as_ratings as with_judgements_as_ratings,
)
from dialgauge.ratings._best_worst import (
    BestWorst as BestWorst,
    best_worst_results as best_worst_results,
)
from dialgauge.ratings._checks import (
    check_ratings as check_ratings,
    check_row_order as check_row_order,
)
from dialgauge.ratings._clean import (
    Cleaned as Cleaned,
    majority_noise_removal as majority_noise_removal,
)
from dialgauge.ratings._drift import (
    Drift as Drift,
    drift as drift,
)
from dialgauge.ratings._findings import (
    Finding as Finding,
    Findings as Findings,
)
from dialgauge.ratings._measures import (
    Coefficient as Coefficient,
    cohen_kappa as cohen_kappa,
    fleiss_kappa as fleiss_kappa,
    gwet_ac1 as gwet_ac1,
    gwet_ac2 as gwet_ac2,
    intraclass_correlation as intraclass_correlation,
    krippendorff_alpha as krippendorff_alpha,
    percent_agreement as percent_agreement,
    verdict as verdict,
)
from dialgauge.ratings._outliers import (
    Outliers as Outliers,
    outliers as outliers,
)
from dialgauge.ratings._plan import (
    ASSUMED as ASSUMED,
    Plan as Plan,
    plan as plan,
)
from dialgauge.ratings._policy import (
    with_default_scale as with_default_scale,
)
from dialgauge.ratings._preferences import (
    Preferences as Preferences,
    preference_results as preference_results,
)
from dialgauge.ratings._rater_model import (
    RaterModel as RaterModel,
    rater_model as rater_model,
)
from dialgauge.ratings._scales import (
    SCALES as SCALES,
    Scale as Scale,
    Validated as Validated,
    find_scale as find_scale,
    normalise as normalise,
    validate as validate,
)
from dialgauge.ratings._settings import (
    MEASURES as MEASURES,
    METHODS as METHODS,
    AgreementSettings as AgreementSettings,
    DriftSettings as DriftSettings,
    JudgementSettings as JudgementSettings,
    OnInvalid as OnInvalid,
    OutlierSettings as OutlierSettings,
    PlanSettings as PlanSettings,
    RaterModelSettings as RaterModelSettings,
    RatingPolicy as RatingPolicy,
)
from dialgauge.ratings._spans import (
    MarkedSpans as MarkedSpans,
    span_results as span_results,
)
from dialgauge.ratings._variance import (
    VarianceComponents as VarianceComponents,
    variance_components as variance_components,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.ratings._as_ratings import (
    classes_without_order as classes_without_order,
    ordered_dimensions as ordered_dimensions,
    rated_and_judged as rated_and_judged,
    with_ordered_ratings as with_ordered_ratings,
)
from dialgauge.ratings._classes import (
    class_names as class_names,
    class_shares as class_shares,
)
from dialgauge.ratings._frame import (
    UNIT as UNIT,
    UnitRatings as UnitRatings,
    unit_ratings as unit_ratings,
)
from dialgauge.ratings._live import (
    live_agreement as live_agreement,
    live_outliers as live_outliers,
)
from dialgauge.ratings._policy import (
    TreatedRatings as TreatedRatings,
    treat_ratings as treat_ratings,
)
from dialgauge.ratings._shares import (
    ClusteredShare as ClusteredShare,
    ratio_share as ratio_share,
    share_interval as share_interval,
)
