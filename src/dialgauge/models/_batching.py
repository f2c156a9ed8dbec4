"""Batches by token budget: memory is bounded by the batch, which is halved if it does not fit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialgauge.errors import ModelError, ParameterError

Item = TypeVar("Item")
Result = TypeVar("Result")
#: Called with how many items are done and how many there are.
Watcher = Callable[[int, int], None]

_watcher: ContextVar[Watcher | None] = ContextVar("dialgauge_watcher", default=None)


class TooLargeError(ModelError):
    """A single text does not fit into memory. Others may fit."""


@contextmanager
def watching(watcher: Watcher | None) -> Iterator[None]:
    """Within this block, every batched run reports to ``watcher`` how far it is."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def watching_part(before: int, count: int, total: int) -> Iterator[None]:
    """Within this block, work that is all done counts as ``count`` of ``total``, after ``before`` that were done.

    Several pieces of work may each report from nothing to all; the reported progress never decreases. At the end of
    the block, all ``count`` are done.
    """
    watcher = _watcher.get()
    if watcher is None:
        yield
        return
    reached = before

    def report(done: int, of: int) -> None:
        nonlocal reached
        reached = max(reached, before + (count * done // of if of else count))
        watcher(reached, total)

    with watching(report):
        yield
    if reached < before + count:
        watcher(before + count, total)


def report_progress(done: int, total: int) -> None:
    """Report the progress of long work to the watcher; for work that :func:`run_batched` does not do."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(done, total)


def batches(lengths: ArrayLike, budget_tokens: int) -> list[NDArray[np.int64]]:
    """Cut items into batches of similar length that hold at most ``budget_tokens`` once padded, the longest first.

    Gives the positions of the items of each batch. An item longer than the budget is a batch of its own. The longest
    come first, so that a machine with too little memory fails at once.
    """
    if budget_tokens < 1:
        raise ParameterError("batches", "budget_tokens", "at least 1", budget_tokens)
    sizes = np.maximum(np.asarray(lengths, dtype=np.int64), 1)
    order = np.argsort(-sizes, kind="stable")
    result: list[NDArray[np.int64]] = []
    start = 0
    while start < len(order):
        count = max(1, budget_tokens // int(sizes[order[start]]))
        result.append(order[start : start + count])
        start += count
    return result


def run_batched(
    items: Sequence[Item],
    lengths: ArrayLike,
    call: Callable[[list[Item]], Sequence[Result]],
    budget: int,
) -> list[Result]:
    """``call`` on batches of items within the token budget; the results in the order of the items.

    Runs in inference mode. A batch that does not fit into memory is halved, and so is the budget of what is left; a
    single item that does not fit is an error. Progress is reported to the watcher (:func:`watching`).
    """
    import torch

    if len(items) != len(np.asarray(lengths)):
        raise ValueError(f"{len(items)} items but {len(np.asarray(lengths))} lengths")
    results: list[Any] = [None] * len(items)
    waiting = batches(lengths, budget)[::-1]
    sizes = np.asarray(lengths)
    done = 0
    report_progress(done, len(items))
    with torch.inference_mode():
        while waiting:
            batch = waiting.pop()
            given = _attempt(call, [items[i] for i in batch.tolist()])
            if given is None:
                if len(batch) == 1:
                    raise TooLargeError(
                        f"a single text of {int(sizes[batch[0]])} tokens does not fit into memory; use device=cpu, "
                        "dtype=bf16 or a smaller model"
                    )
                # What is left is cut anew, with half the budget of the batch that failed.
                rest = np.concatenate([batch, *waiting[::-1]])
                budget = max(1, int(sizes[batch].max()) * len(batch) // 2)
                waiting = [rest[positions] for positions in batches(sizes[rest], budget)][::-1]
                continue
            if len(given) != len(batch):
                raise ValueError(f"a batch of {len(batch)} items gave {len(given)} results")
            for i, result in zip(batch.tolist(), given, strict=True):
                results[i] = result
            done += len(batch)
            report_progress(done, len(items))
    return results


def _attempt(call: Callable[[list[Item]], Sequence[Result]], items: list[Item]) -> Sequence[Result] | None:
    """The results, or None if memory ran out (the memory of the attempt is freed)."""
    import torch

    try:
        return call(items)
    except (MemoryError, torch.OutOfMemoryError):
        pass
    except RuntimeError as error:
        # The allocator for the processor raises a plain RuntimeError.
        if "can't allocate memory" not in str(error) and "out of memory" not in str(error):
            raise
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None
