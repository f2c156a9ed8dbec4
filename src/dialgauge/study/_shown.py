"""What the report says of a study's settings, and of the packages that its numbers depend on."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import get_args

from dialgauge import __version__
from dialgauge.study._sections import StudyFile

_RESAMPLED = {"inputs": "dialogues", "systems": "systems", "both": "dialogues and systems"}
#: The packages of our extras that change numbers.
_PACKAGES = {
    "models": ("torch", "transformers"),
    "parser": ("spacy", "lemminflect"),
    "learn": ("scikit-learn",),
    "zh": ("jieba",),
}


def shown_settings(settings: StudyFile, rated: bool) -> dict[str, object]:
    """The settings that a reader needs to judge the numbers."""
    shown: dict[str, object] = {
        "study": settings.study.name,
        "seed": settings.study.seed,
        "corpus": settings.corpus.source,
        "references scored like systems": "yes" if settings.metrics.include_references else "no",
    }
    if written := settings.summarize:
        replaced = "; in the place of what the corpus had of them" if written.replace else ""
        shown["summaries written"] = f"by {', '.join(written.systems)}; roles: {', '.join(written.roles)}{replaced}"
    if rated:
        ratings, correlation = settings.ratings, settings.correlation
        shown |= {
            "ratings of a summary": f"{ratings.aggregate}; cleaning: {ratings.clean}; off scale: {ratings.on_invalid}",
            "interval": f"{correlation.confidence:.0%}, bootstrap over {_RESAMPLED[correlation.resample]}, "
            f"{correlation.resamples} resamples",
        }
    broken, affect, learn = settings.perturbations, settings.affect, settings.learn
    if broken.use:
        by = f"by {broken.model}" if broken.generator == "llm" else "by rules"
        held = f"; for {', '.join(broken.dimensions)}" if broken.dimensions else ""
        parsed = "; what needs a parser is left out where there is none" if broken.parser == "optional" else ""
        shown["perturbations"] = (
            f"{', '.join(broken.use)}; {by}; {broken.per_item} of a kind; margin {broken.margin:g}{held}{parsed}"
        )
    if affect:
        roles = f"; roles: {', '.join(affect.roles)}" if affect.roles else ""
        shown["affect"] = f"tagger {affect.tagger}; share of {affect.denominator}{roles}"
    if learn and rated:
        texts = f"; text features: {', '.join(learn.texts)}" if learn.texts else ""
        held = f"held out: {learn.split}"
        shown["learned metrics"] = f"{', '.join(learn.targets)}; learner {learn.learner}; {held}; {learn.task}{texts}"
    if repeated := settings.reproduction:
        merged = f"single ratings merged by {repeated.method or settings.ratings.aggregate}"
        scales = "both studies brought to 0–1" if repeated.normalise else "values as they are"
        shown["reproduction"] = f"original {repeated.original}; {merged}; {scales}"
    return shown


def versions(settings: StudyFile) -> dict[str, str]:
    """With what the numbers are made: dialgauge, Python, and the packages that this study has work to do for."""
    from dialgauge.metrics import parse_requests

    extras = {request.metric.extra for request in parse_requests(settings.metrics.use)}
    if settings.perturbations.use:
        extras.add("parser")
    if settings.learn:
        extras.add("learn")
    if _runs_models(settings):
        extras.add("models")
    packages = ["numpy", "polars", "scipy", "rapidfuzz"]
    packages += [name for extra, names in _PACKAGES.items() if extra in extras for name in names]
    found = {"dialgauge": __version__, "python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an extra that is not installed made no number
            continue
    return found


def _runs_models(settings: StudyFile) -> bool:
    """Whether a summarizer or the tagger of affect runs a model here; a chat model runs elsewhere."""
    from dialgauge.affect import TAGGERS, parse_spec
    from dialgauge.models import NeuralKind
    from dialgauge.summarize import parse_requests

    if settings.affect and "device" in TAGGERS[parse_spec(settings.affect.tagger)[0]].options:
        return True
    requests = parse_requests(settings.summarize.systems) if settings.summarize else []
    return any(kind in get_args(NeuralKind) for request in requests for kind in request.summarizer.models.values())
