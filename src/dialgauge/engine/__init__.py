"""How work is run: in this process, in several, or on a Ray cluster. The results are the same."""

from dialgauge.engine._cache import CacheCheck, CacheStats, Entry, ResultCache, results_cache
from dialgauge.engine._engine import ENGINES, Engine, Task, WorkerError, cores, engine
from dialgauge.engine._limited import LimitedWorker, LostWorkError, described

__all__ = [
    "ENGINES",
    "CacheCheck",
    "CacheStats",
    "Engine",
    "Entry",
    "LimitedWorker",
    "LostWorkError",
    "ResultCache",
    "Task",
    "WorkerError",
    "cores",
    "described",
    "engine",
    "results_cache",
]
