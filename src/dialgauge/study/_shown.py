"""What the report says of a study's settings, and of the packages that its numbers depend on."""

import platform
from importlib.metadata import PackageNotFoundError, version

from dialgauge import __version__
from dialgauge.study._graph import all_stages
from dialgauge.study._study_file import StudyFile

#: The packages of our extras that change numbers.
_PACKAGES = {
    "models": ("torch", "transformers"),
    "parser": ("spacy", "lemminflect"),
    "learn": ("scikit-learn",),
    "zh": ("jieba",),
}


def shown_settings(settings: StudyFile, rated: bool) -> dict[str, object]:
    """The settings that a reader needs to judge the numbers; ``rated`` says whether the corpus has judgements."""
    shown: dict[str, object] = {"study": settings.study.name, "seed": settings.study.seed}
    for stage in all_stages():
        if stage.asked(settings) and (rated or not (stage.needs_ratings or stage.needs_judgements)):
            shown |= stage.described(settings)
    return shown


def versions(settings: StudyFile) -> dict[str, str]:
    """With what the numbers are made: dialgauge, Python, and the packages that this study has work to do for."""
    extras = {extra for stage in all_stages() if stage.asked(settings) for extra in stage.extras(settings)}
    packages = ["numpy", "polars", "scipy", "rapidfuzz"]
    packages += [name for extra, names in _PACKAGES.items() if extra in extras for name in names]
    found = {"dialgauge": __version__, "python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an extra that is not installed made no number
            continue
    return found
