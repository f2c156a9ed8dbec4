from dialgauge.metrics._job import (
    Job as Job,
)
from dialgauge.metrics._judge import (
    Rubric as Rubric,
)
from dialgauge.metrics._language_fit import (
    LanguageWarning as LanguageWarning,
)
from dialgauge.metrics._language_parameter import (
    language_parameter as language_parameter,
)
from dialgauge.metrics._metric import (
    Derived as Derived,
    Metric as Metric,
    MetricRequest as MetricRequest,
    Parameter as Parameter,
    Values as Values,
    signed_values as signed_values,
)
from dialgauge.metrics._registry import (
    all_metrics as all_metrics,
    find_metric as find_metric,
    metric as metric,
    parse_request as parse_request,
    parse_requests as parse_requests,
    register as register,
)
from dialgauge.metrics._scores import (
    Scores as Scores,
)
from dialgauge.metrics._scoring import (
    score as score,
    score_pairs as score_pairs,
)
from dialgauge.metrics._settings import (
    ScoringSettings as ScoringSettings,
    StreamSettings as StreamSettings,
)
from dialgauge.metrics._stream import (
    StreamReport as StreamReport,
    score_stream as score_stream,
)
from dialgauge.metrics._stream_arrow import (
    score_arrow as score_arrow,
)
from dialgauge.metrics._texts import (
    TextTable as TextTable,
)
from dialgauge.metrics.kernels import (
    kernel_name as kernel_name,
    use_kernels as use_kernels,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.metrics._bart import (
    SourceTargets as SourceTargets,
    check_bart as check_bart,
    mean_log_likelihoods as mean_log_likelihoods,
)
from dialgauge.metrics._checks import (
    EVIDENCE_BEGINS as EVIDENCE_BEGINS,
)
from dialgauge.metrics._encoding import (
    padded as padded,
    readable as readable,
    special_ids as special_ids,
    tokenise as tokenise,
)
from dialgauge.metrics._judge import (
    JUDGES as JUDGES,
)
from dialgauge.metrics._model_settings import (
    device_parameters as device_parameters,
)
from dialgauge.metrics._plan import (
    scored_items as scored_items,
)
from dialgauge.metrics._readings import (
    EMPTY as EMPTY,
    EMPTY_SOURCE as EMPTY_SOURCE,
    Pair as Pair,
    Pairs as Pairs,
    Reading as Reading,
    blank as blank,
    in_parts as in_parts,
    values as values,
)
from dialgauge.metrics._registry import (
    METRICS as METRICS,
    request_modules as request_modules,
)
from dialgauge.metrics._score_parts import (
    part_files as part_files,
)
from dialgauge.metrics._scores import (
    SYSTEM_KEY as SYSTEM_KEY,
)
from dialgauge.metrics._scores_io import (
    part_directions as part_directions,
)
from dialgauge.metrics._settings import (
    ReferenceSettings as ReferenceSettings,
    TimeLimit as TimeLimit,
)
from dialgauge.metrics._sharded import (
    suitable_engine as suitable_engine,
)
from dialgauge.metrics._stream_files import (
    parquet_shape as parquet_shape,
    parquet_values as parquet_values,
)
from dialgauge.metrics._stream_source import (
    stream_systems as stream_systems,
)
from dialgauge.metrics._unieval import (
    QUESTIONS as QUESTIONS,
    Answers as Answers,
    answer_tokens as answer_tokens,
    readable_tokens as readable_tokens,
)
from dialgauge.metrics._wordnet import synonyms as synonyms
from dialgauge.metrics._words import (
    split_words as split_words,
)
