from dialgauge.metrics._job import (
    Job as Job,
)
from dialgauge.metrics._metric import (
    Derived as Derived,
)
from dialgauge.metrics._metric import (
    Direction as Direction,
)
from dialgauge.metrics._metric import (
    Metric as Metric,
)
from dialgauge.metrics._metric import (
    MetricRequest as MetricRequest,
)
from dialgauge.metrics._metric import (
    Parameter as Parameter,
)
from dialgauge.metrics._metric import (
    Target as Target,
)
from dialgauge.metrics._metric import (
    Values as Values,
)
from dialgauge.metrics._registry import (
    all_metrics as all_metrics,
)
from dialgauge.metrics._registry import (
    find_metric as find_metric,
)
from dialgauge.metrics._registry import (
    metric as metric,
)
from dialgauge.metrics._registry import (
    parse_request as parse_request,
)
from dialgauge.metrics._registry import (
    parse_requests as parse_requests,
)
from dialgauge.metrics._registry import (
    register as register,
)
from dialgauge.metrics._scores import (
    SYSTEM_KEY as SYSTEM_KEY,
)
from dialgauge.metrics._scores import (
    Scores as Scores,
)
from dialgauge.metrics._scoring import (
    score as score,
)
from dialgauge.metrics._scoring import (
    score_pairs as score_pairs,
)
from dialgauge.metrics._sharded import (
    suitable_engine as suitable_engine,
)
from dialgauge.metrics._stream import (
    StreamReport as StreamReport,
)
from dialgauge.metrics._stream import (
    score_stream as score_stream,
)
from dialgauge.metrics._texts import (
    TextTable as TextTable,
)
from dialgauge.metrics._words import (
    split_sentences as split_sentences,
)
from dialgauge.metrics._words import (
    split_words as split_words,
)
from dialgauge.metrics.kernels import (
    kernel_name as kernel_name,
)
from dialgauge.metrics.kernels import (
    use_kernels as use_kernels,
)
from dialgauge.progress import (
    Progress as Progress,
)
from dialgauge.registry import (
    parse_parameters as parse_parameters,
)
from dialgauge.registry import (
    quoted as quoted,
)
