"""spaCy pipelines: sentences, tags, dependencies, entities."""

import importlib.util
import warnings
from functools import lru_cache
from typing import Any

from dialgauge.errors import MissingExtraError, ModelError
from dialgauge.models._refs import ModelRef
from dialgauge.models._resolve import Resolved, resolve


def load_parser(ref: ModelRef | str = "embedded:spacy-en") -> Any:
    """The spaCy pipeline of this name (``spacy.language.Language``), loaded once per process."""
    if importlib.util.find_spec("spacy") is None:
        raise MissingExtraError(f"model '{ref}'", "parser")
    return _load(resolve(ref))


@lru_cache(maxsize=2)
def _load(resolved: Resolved) -> Any:
    import spacy

    try:
        with warnings.catch_warnings():
            # A pipeline made with another patch version of spaCy warns on every load.
            warnings.simplefilter("ignore", UserWarning)
            return spacy.load(resolved.path)
    except Exception as error:  # spaCy raises what its many components raise; the user must learn which model it was
        raise ModelError(
            f"model '{resolved.ref}' cannot be loaded as a spaCy pipeline from {resolved.path}: "
            f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        ) from error
