from dialgauge.engine._cache import (
    CacheCheck as CacheCheck,
    CacheStats as CacheStats,
    Entry as Entry,
    ResultCache as ResultCache,
    results_cache as results_cache,
)
from dialgauge.engine._engine import (
    ENGINES as ENGINES,
    Engine as Engine,
    Task as Task,
    WorkerError as WorkerError,
    cores as cores,
    engine as engine,
)
from dialgauge.engine._limited import (
    LimitedWorker as LimitedWorker,
    LostWorkError as LostWorkError,
    described as described,
)
