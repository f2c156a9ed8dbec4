"""The tables of a study file, and what is allowed in them."""

import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from dialgauge.annotate import AnnotateSection
from dialgauge.corpus import OVERALL
from dialgauge.errors import DialgaugeError, UnknownNameError
from dialgauge.learn import LearnSettings
from dialgauge.settings import Several, setting

#: The keys of ``[perturbations]`` that only a language model has a use for.
LLM_KEYS = frozenset({"model", "base_url", "prompts", "fallback", "max_calls", "max_tokens", "parallel", "price"})


@contextmanager
def _said_of_the_key() -> Iterator[None]:
    """What a room says against a value becomes an error of its key, which names the line."""
    try:
        yield
    except DialgaugeError as error:
        raise ValueError(str(error)) from error


def _checked_price(price: Any) -> Any:
    from dialgauge.models import TokenPrice

    if isinstance(price, str | int | float):
        with _said_of_the_key():
            TokenPrice.parse(price)
    return price


#: Of a million tokens: a number, or ``"INPUT/OUTPUT"``.
Price = Annotated[float | str | None, BeforeValidator(_checked_price)]


class _Table(BaseModel):
    """A table of the study file: unknown keys are refused, values are never silently converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StudySection(_Table):
    """``[study]``: what it is called, where its results go, and the seed of everything random in it.

    Paths in the file (the corpus, the output, folders of models) stay below the folder of the file, unless ``outside``
    is true.
    """

    name: Annotated[str, Field(min_length=1, pattern=r"^[\w.-]+$")]
    seed: Annotated[int, Field(ge=0)] = 0
    output: str | None = None
    outside: bool = False


class CorpusSection(_Table):
    """``[corpus]``: ``source`` is ``"embedded"``, ``"dataset:NAME"``, or a file or folder beside the study file."""

    source: str
    format: str | None = None
    map: dict[str, str | list[str]] = Field(default_factory=dict)
    strict: bool = False


class SummarizeSection(_Table):
    """``[summarize]``: systems that write summaries of all dialogues before anything is scored.

    ``systems`` are specifications as ``dialgauge summarize --system`` takes them; ``replace`` writes anew what the
    corpus has of one already. The other keys change no text: ``batch_tokens`` is for models, the rest for chat models,
    as in ``[perturbations]``, where ``price`` may be ``"INPUT/OUTPUT"``, too.
    """

    systems: Annotated[list[str], Field(min_length=1)]
    roles: Annotated[list[str], Field(min_length=1)] = [OVERALL]
    replace: bool = False
    batch_tokens: Annotated[int, Field(ge=1)] | None = None
    max_calls: Annotated[int, Field(ge=0)] | None = None
    max_tokens: Annotated[int, Field(ge=0)] | None = None
    parallel: Annotated[int, Field(ge=1, le=256)] = 4
    price: Price = None

    @field_validator("systems")
    @classmethod
    def _known(cls, specs: list[str]) -> list[str]:
        from dialgauge.summarize import parse_requests

        with _said_of_the_key():
            parse_requests(specs)
        return specs


class MetricsSection(_Table):
    """``[metrics]``: the metrics to score with, and whether references are scored like systems."""

    use: Annotated[list[str], Field(min_length=1)]
    include_references: bool = False

    @field_validator("use")
    @classmethod
    def _known(cls, specs: list[str]) -> list[str]:
        from dialgauge.metrics import parse_requests

        with _said_of_the_key():
            parse_requests(specs)
        return specs


def _checked_method(method: str) -> str:
    from dialgauge.ratings import METHODS

    if method not in METHODS and not method.startswith("annotator:"):
        raise ValueError(str(UnknownNameError("method of aggregation", method, METHODS)))
    return method


class RatingsSection(_Table):
    """``[ratings]``: how the raters of a summary become one value per dimension."""

    aggregate: str = "mean"
    clean: Literal["none", "majority-noise-removal"] = "none"
    on_invalid: Literal["keep", "drop", "error"] = "drop"
    dimensions: list[str] | None = None

    @field_validator("aggregate")
    @classmethod
    def _known_method(cls, method: str) -> str:
        return _checked_method(method)


class CorrelationSection(_Table):
    """``[correlation]``: levels, coefficients and how uncertainty is measured."""

    levels: list[Literal["system", "summary", "global"]] = ["system", "summary"]
    coefficients: list[Literal["pearson", "spearman", "kendall"]] = ["pearson", "spearman", "kendall"]
    resample: Literal["inputs", "systems", "both"] = "both"
    resamples: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    confidence: Annotated[float, Field(gt=0.5, lt=1.0)] = 0.95
    role: str | None = None


class PerturbationsSection(_Table):
    """``[perturbations]``: what is done to the summaries to see which metric notices, and how that is judged.

    Nothing is done where ``use`` is empty. ``effects`` says what variants that the corpus has already do (label →
    dimension → effect); ``dimensions`` restricts what is expected; ``margin`` is what counts as no change; ``priors``
    accepts published mean ratings for variants. With ``parser = "optional"`` what needs a parser is left out where
    there is none.

    With ``generator = "llm"`` the chat model ``model`` at ``base_url`` (or ``OPENAI_BASE_URL``) rewrites, asked
    ``max_calls`` times and for ``max_tokens`` at most in one run; ``price`` is that of a million tokens. Its key comes
    from the environment alone (``OPENAI_API_KEY``) and is written nowhere.
    """

    use: list[str] = Field(default_factory=list)
    per_item: Annotated[int, Field(ge=1, le=20)] = 1
    dimensions: Annotated[list[str], Field(min_length=1)] | None = None
    margin: Annotated[float, Field(gt=0)] = 0.25
    priors: bool = False
    parser: Literal["needed", "optional"] = "needed"
    effects: dict[str, dict[str, Literal["preserves", "degrades", "degrades-mildly"]]] = Field(default_factory=dict)
    generator: Literal["rules", "llm"] = "rules"
    model: Annotated[str, Field(min_length=1)] | None = None
    base_url: str | None = None
    prompts: Literal["own", "paper"] = "own"
    fallback: Literal["rules", "reject"] = "rules"
    max_calls: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    parallel: Annotated[int, Field(ge=1, le=256)] = 4
    price: Annotated[float, Field(ge=0)] | None = None

    @field_validator("use")
    @classmethod
    def _known(cls, specs: list[str]) -> list[str]:
        from dialgauge.perturb import parse_requests

        with _said_of_the_key():
            parse_requests(specs)
        return specs

    @field_validator("base_url")
    @classmethod
    def _bare_address(cls, address: str | None) -> str | None:
        if address is not None:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query or not parts.hostname:
                raise ValueError("must be as in https://host/v1; a key belongs into OPENAI_API_KEY, never into a file")
        return address

    @model_validator(mode="after")
    def _complete(self) -> "PerturbationsSection":
        asked = sorted(LLM_KEYS & self.model_fields_set)
        if self.generator == "rules" and asked:
            raise ValueError(f'{", ".join(asked)}: only with generator = "llm"')
        if self.generator == "llm" and self.parser == "optional":
            raise ValueError('parser = "optional": only with generator = "rules"')
        if self.generator == "llm" and self.model is None:
            raise ValueError('generator = "llm" needs a model, as in model = "NAME"')
        return self


class AffectSection(_Table):
    """``[affect]``: whether feelings survive the summaries, by which tagger of words, and for which roles, too."""

    tagger: Annotated[str, Field(min_length=1)] = "vader"
    denominator: Literal["words", "pieces"] = "words"
    roles: list[str] = Field(default_factory=list)

    @field_validator("tagger")
    @classmethod
    def _known(cls, spec: str) -> str:
        from dialgauge.affect import parse_spec

        with _said_of_the_key():
            parse_spec(spec)
        return spec


class LearnSection(LearnSettings):
    """``[learn]``: metrics to train on the ratings (extra ``learn``), one for each dimension in ``targets``.

    ``split`` says what is held out to judge them, ``texts`` cheap features beside the scores of ``[metrics]``. Without
    ``resamples`` and ``confidence``, intervals are made as ``[correlation]`` says.
    """

    targets: Several[str] = setting(..., "Dimension to train a metric for.", flag="--target", min_length=1)


class ReproductionSection(_Table):
    """``[reproduction]``: the study that this one repeats. Its results are held against the ratings of this study.

    ``original`` is a CSV table of results (system, dimension, value and optionally role, n, scale) or a corpus with
    ratings, as ``dialgauge compare`` takes them; ``name`` is what the page calls it. ``claims`` is a TOML file of what
    it concluded. ``scale`` is that of results that name none, ``normalise`` brings both studies to 0–1, ``method``
    merges ratings of the original (default: as in ``[ratings]``), ``agreement`` is what the original reports.
    """

    original: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(min_length=1)] | None = None
    claims: Annotated[str, Field(min_length=1)] | None = None
    scale: str | None = None
    normalise: bool = False
    method: str | None = None
    agreement: Annotated[float, Field(ge=-1, le=1)] | None = None

    @field_validator("scale")
    @classmethod
    def _known_scale(cls, name: str | None) -> str | None:
        from dialgauge.ratings import find_scale

        with _said_of_the_key():
            return None if name is None else find_scale(name).name

    @field_validator("method")
    @classmethod
    def _known_method(cls, method: str | None) -> str | None:
        return None if method is None else _checked_method(method)


class EngineSection(_Table):
    """``[engine]``: where summaries are scored. The scores are the same everywhere.

    ``auto`` takes several processes where the work is long enough. ``time_limit`` is what a metric has for 1,024
    summaries, in seconds.
    """

    name: Literal["auto", "serial", "processes", "ray"] = "auto"
    workers: Annotated[int, Field(ge=1)] | None = None
    ray_address: Annotated[str, Field(min_length=1)] | None = None
    gpus: Annotated[float, Field(ge=0)] = 0.0
    time_limit: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _only_on_ray(self) -> "EngineSection":
        if self.name != "ray" and (self.ray_address is not None or self.gpus):
            raise ValueError('ray_address and gpus: only with name = "ray"')
        return self


class ReportSection(_Table):
    """``[report]``: what stands on top of the page."""

    title: str | None = None


class StudyFile(_Table):
    """A whole study file."""

    study: StudySection
    corpus: CorpusSection
    summarize: SummarizeSection | None = None
    metrics: MetricsSection
    ratings: RatingsSection = RatingsSection()
    correlation: CorrelationSection = CorrelationSection()
    perturbations: PerturbationsSection = PerturbationsSection()
    affect: AffectSection | None = None
    learn: LearnSection | None = None
    reproduction: ReproductionSection | None = None
    engine: EngineSection = EngineSection()
    annotate: AnnotateSection | None = None
    report: ReportSection = ReportSection()


class AnnotationFile(StudyFile):
    """A study file that ratings are collected for: it needs ``[annotate]``, and may leave the metrics for later."""

    metrics: MetricsSection | None = None  # type: ignore[assignment]  # optional here alone
    annotate: AnnotateSection
