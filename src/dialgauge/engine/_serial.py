"""The engine that runs one chunk after another in this process."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dialgauge.engine._engine import Chunk, Result, Task


@dataclass(frozen=True, slots=True)
class SerialEngine:
    """No worker processes: best for small jobs and for debugging."""

    name: str = "serial"
    workers: int = 1
    local: bool = True

    def run(self, task: Task[Chunk, Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """The result of each chunk, in order."""
        task.setup()
        for chunk in chunks:
            yield task(chunk)
