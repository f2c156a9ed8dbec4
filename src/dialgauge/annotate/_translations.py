"""The messages of the interface in each language."""

import json
from functools import cache
from importlib.resources import files
from typing import get_args

from fastapi import Request

from dialgauge.annotate._protocol import Language

#: The cookie of a visitor who chooses another language than the study's.
LANGUAGE_COOKIE = "language"


def language_of(request: Request, study: Language) -> Language:
    """The language a visitor has chosen, or else the study's."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return next((language for language in get_args(Language) if language == chosen), study)


@cache
def messages(language: Language) -> dict[str, str]:
    """All messages of the interface in one language."""
    text = files("dialgauge.annotate").joinpath("translations", f"{language}.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found
