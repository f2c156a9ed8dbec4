from dialgauge.metrics._job import (
    Job as Job,
)
from dialgauge.metrics._metric import (
    Derived as Derived,
    Direction as Direction,
    Metric as Metric,
    MetricRequest as MetricRequest,
    Parameter as Parameter,
    Target as Target,
    Values as Values,
)
from dialgauge.metrics._registry import (
    METRICS as METRICS,
    all_metrics as all_metrics,
    find_metric as find_metric,
    metric as metric,
    parse_request as parse_request,
    parse_requests as parse_requests,
    register as register,
    request_modules as request_modules,
)
from dialgauge.metrics._scores import (
    SYSTEM_KEY as SYSTEM_KEY,
    Scores as Scores,
)
from dialgauge.metrics._scoring import (
    score as score,
    score_pairs as score_pairs,
)
from dialgauge.metrics._sharded import (
    suitable_engine as suitable_engine,
)
from dialgauge.metrics._stream import (
    StreamReport as StreamReport,
    score_stream as score_stream,
)
from dialgauge.metrics._texts import (
    TextTable as TextTable,
)
from dialgauge.metrics._words import (
    split_words as split_words,
)
from dialgauge.metrics.kernels import (
    kernel_name as kernel_name,
    use_kernels as use_kernels,
)
from dialgauge.progress import (
    Progress as Progress,
)
from dialgauge.registry import (
    parse_parameters as parse_parameters,
    quoted as quoted,
)
