from dialgauge.engine._cache import (
    CacheCheck as CacheCheck,
    CacheStats as CacheStats,
    Entry as Entry,
    ResultCache as ResultCache,
    results_cache as results_cache,
)
from dialgauge.engine._engine import (
    Engine as Engine,
    Task as Task,
    WorkerError as WorkerError,
    engine as engine,
)
from dialgauge.engine._limited import (
    LostWorkError as LostWorkError,
)
from dialgauge.engine._settings import (
    EngineSettings as EngineSettings,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.engine._disk import (
    disk_errors as disk_errors,
    sized as sized,
)
from dialgauge.engine._limited import (
    FAULT_BEGINS as FAULT_BEGINS,
    LimitedWorker as LimitedWorker,
    described as described,
)
from dialgauge.engine._memory import (
    memory_errors as memory_errors,
)
