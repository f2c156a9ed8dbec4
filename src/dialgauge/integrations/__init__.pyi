from dialgauge.integrations._deepeval import deepeval_metric as deepeval_metric
from dialgauge.integrations._inspect import inspect_scorer as inspect_scorer
from dialgauge.integrations._modules import (
    MetricModule as MetricModule,
    load_metrics as load_metrics,
)
from dialgauge.integrations._trackers import log_run as log_run

__all__: list[str]  # The names above are public; those below are for other rooms only.
