"""The messages of the interface in each language.

What annotators read is there in every language of ``Language``. The lead's pages are in those of ``LEAD_LANGUAGES``.
"""

import json
from functools import cache
from importlib.resources import files
from typing import get_args

from fastapi import Request

from dialgauge.annotate._protocol import Language

#: The cookie of a visitor who chooses another language than the study's.
LANGUAGE_COOKIE = "language"
#: How each language is called. What some machines have no letters for has its English name too.
LANGUAGE_NAMES: dict[Language, str] = {
    "en": "English",
    "zh": "Chinese · 中文",
    "fr": "Français",
    "de": "Deutsch",
    "es": "Español",
    "pt": "Português",
    "ja": "Japanese · 日本語",
    "ar": "Arabic · العربية",
}
RIGHT_TO_LEFT: tuple[Language, ...] = ("ar",)
#: The languages of the lead's pages, which are in English where a study or a visitor asks for another one.
LEAD_LANGUAGES: tuple[Language, ...] = ("en", "zh")


def language_of(request: Request, study: Language, *, lead: bool = False) -> Language:
    """The language a visitor has chosen, or else the study's."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    wanted = next((language for language in get_args(Language) if language == chosen), study)
    return "en" if lead and wanted not in LEAD_LANGUAGES else wanted


@cache
def messages(language: Language, *, lead: bool = False) -> dict[str, str]:
    """All messages of the annotators' pages in one language; for the lead's pages those of the lead too."""
    found = {**_read(language), **_read(f"join.{language}")}
    return {**found, **_read(f"lead.{language}")} if lead else found


def _read(name: str) -> dict[str, str]:
    text = files("dialgauge.annotate").joinpath("translations", f"{name}.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found
