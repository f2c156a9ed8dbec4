"""Models run on one thread."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Models this small are slowed down by threads that wait for each other."""
    if find_spec("torch") is None:  # most summarizers do without
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
