from dialgauge.engine._cache import (
    CacheCheck as CacheCheck,
)
from dialgauge.engine._cache import (
    CacheStats as CacheStats,
)
from dialgauge.engine._cache import (
    Entry as Entry,
)
from dialgauge.engine._cache import (
    ResultCache as ResultCache,
)
from dialgauge.engine._cache import (
    results_cache as results_cache,
)
from dialgauge.engine._engine import (
    ENGINES as ENGINES,
)
from dialgauge.engine._engine import (
    Engine as Engine,
)
from dialgauge.engine._engine import (
    Task as Task,
)
from dialgauge.engine._engine import (
    WorkerError as WorkerError,
)
from dialgauge.engine._engine import (
    cores as cores,
)
from dialgauge.engine._engine import (
    engine as engine,
)
from dialgauge.engine._limited import (
    LimitedWorker as LimitedWorker,
)
from dialgauge.engine._limited import (
    LostWorkError as LostWorkError,
)
from dialgauge.engine._limited import (
    described as described,
)
